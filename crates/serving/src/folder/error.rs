//! Faults of a model's folder.

use crate::error::{ConfigParseError, Position};
use crate::failure::{ErrorCode, ServeError};
use std::fmt;
use std::io;

/// A place in a configuration: a file, a position in it and a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPlace {
    /// The path of the file, or of the model's folder if it has no configuration.
    pub file: String,
    /// The field's position, or that of the innermost message around it that the file has.
    pub position: Option<Position>,
    /// The path of the field: `input[1].dims`; empty for none.
    pub field: String,
}

/// The form that errors in the text of a configuration have: `` `m/config.pbtxt`: 7:3: `input[1].dims` ``.
impl fmt::Display for ConfigPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ": {line}:{column}")?;
        }
        match self.field.is_empty() {
            true => Ok(()),
            false => write!(f, ": `{}`", self.field),
        }
    }
}

/// The reason why a model's folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file or folder that cannot be read.
    #[error("`{place}`: {source}")]
    Read {
        /// Its path.
        place: String,
        /// The cause.
        source: io::Error,
    },
    /// A configuration that is not in the text format.
    #[error("`{place}`: {source}")]
    Parse {
        /// Its path.
        place: String,
        /// The fault in it.
        source: Box<ConfigParseError>,
    },
    /// A configuration that contradicts itself or the model, or asks for what there is not.
    #[error("{place}: {source}")]
    Config {
        /// The field at fault.
        place: ConfigPlace,
        /// The fault.
        source: Box<ServeError>,
        /// Whether the Triton Inference Server tells clients the text, which then has no place.
        is_told: bool,
    },
    /// A folder without folders of versions.
    #[error("model `{path}` has no version; hint: put the model's file into a folder `1`")]
    NoVersion {
        /// The folder's path.
        path: String,
    },
    /// A version policy for other versions.
    #[error("{place}: the model has no version that its `version_policy` selects")]
    Policy {
        /// The policy.
        place: ConfigPlace,
    },
    /// Instances on hardware that is not here.
    #[error(
        "{place} asks for a GPU, and there is none here; hint: use KIND_CPU, or allow another kind of instance"
    )]
    InstanceKind {
        /// The field that asks for it.
        place: ConfigPlace,
    },
    /// The model itself.
    #[error(transparent)]
    Model(Box<ServeError>),
}

impl FolderError {
    /// The class of the error.
    pub fn code(&self) -> ErrorCode {
        match self {
            FolderError::Read { .. } => ErrorCode::Internal,
            FolderError::Config { source, .. } => source.code(),
            FolderError::Model(error) => error.code(),
            FolderError::InstanceKind { .. } => ErrorCode::Unavailable,
            FolderError::Parse { .. }
            | FolderError::NoVersion { .. }
            | FolderError::Policy { .. } => ErrorCode::InvalidArg,
        }
    }

    /// The text that clients see. Faults whose text the server tells clients have no place.
    pub fn client_text(&self) -> String {
        match self {
            FolderError::Config { source, is_told: true, .. } => source.to_string(),
            error => error.to_string(),
        }
    }
}
