//! Errors of loading a model.

use std::io;
use std::path::PathBuf;
use trident_ir::counted;
use trident_ir::literal::LiteralError;
use trident_ir::text::ParseError;
use trident_onnx::{ExternalFault, OnnxError, OnnxErrorKind, TensorFault};
use trident_paddle::{PaddleError, PaddleErrorKind};

/// The reason why a model cannot be loaded. Each error of a compiled model says to compile it again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be opened.
    #[error("cannot read `{path}`: {source}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file cannot be read to its end.
    #[error("cannot read the model: {0}")]
    Read(io::Error),
    /// The file has no bytes, and its name is not that of a compiled model.
    #[error("it is empty")]
    Empty,
    /// It is an ONNX model that cannot be loaded, or no model.
    #[error(transparent)]
    Onnx(OnnxError),
    /// It is a Paddle model that cannot be loaded.
    #[error(transparent)]
    Paddle(PaddleError),
    /// A folder with several programs of Paddle, none of which has a usual name.
    #[error("the folder has several Paddle models: {} (give the file of one)", files.join(", "))]
    Several {
        /// Names of the files.
        files: Vec<String>,
    },
    /// A file named `.mps` that starts as no compiled model does, and is not an ONNX model either.
    #[error(
        "not a compiled model, or its beginning is damaged; read as an ONNX model: {0} ({AGAIN})"
    )]
    Neither(OnnxError),
    /// The layout of the file is that of another version.
    #[error("a compiled model of format {found}, and this Trident reads format {known} ({AGAIN})")]
    Layout {
        /// The file's.
        found: u32,
        /// The one that is read.
        known: u32,
    },
    /// The file was made by a Trident with different ops or passes.
    #[error(
        "compiled by Trident {trident}, whose operators or optimisations differ from this Trident, {known} ({AGAIN})"
    )]
    Version {
        /// Version of the Trident that compiled it.
        trident: String,
        /// The one that reads it.
        known: &'static str,
    },
    /// The file is shorter or longer than it was.
    #[error(
        "the compiled model is damaged: it has {} of {expected} ({AGAIN})",
        counted(*found, "byte")
    )]
    Size {
        /// Its bytes.
        found: u64,
        /// The number of bytes that it had when it was written.
        expected: u64,
    },
    /// A digest differs.
    #[error("the compiled model is damaged: {part} changed since it was written ({AGAIN})")]
    Digest {
        /// The part of the file.
        part: &'static str,
    },
    /// The file is what was written, but nonsense.
    #[error("the compiled model is malformed: {what} ({AGAIN})")]
    Malformed {
        /// The fault.
        what: String,
    },
}

/// The hint for the user.
const AGAIN: &str = "compile the model again: trident compile MODEL.onnx --emit mps -o MODEL.mps";

/// The kind of a [`LoadError`]: what kept the model from being loaded, without the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadErrorKind {
    /// The file cannot be read, or is not a model.
    Format,
    /// There are no bytes, or no graph.
    Empty,
    /// The file's version is not one that this build reads.
    Version,
    /// The path of a data file leads out of the model's folder.
    Path,
    /// A tensor is used that nothing defines.
    Undefined,
    /// A node is not valid.
    Node,
    /// The graph is not valid as a whole.
    Graph,
    /// An operator or a type is not supported.
    Unsupported,
}

impl LoadError {
    /// The kind of the error.
    pub fn kind(&self) -> LoadErrorKind {
        match self {
            LoadError::Empty => LoadErrorKind::Empty,
            LoadError::Onnx(error) => onnx_kind(error),
            LoadError::Paddle(error) => paddle_kind(error),
            LoadError::Layout { .. } | LoadError::Version { .. } => LoadErrorKind::Version,
            LoadError::Open { .. }
            | LoadError::Read(_)
            | LoadError::Neither(_)
            | LoadError::Several { .. }
            | LoadError::Size { .. }
            | LoadError::Digest { .. }
            | LoadError::Malformed { .. } => LoadErrorKind::Format,
        }
    }

    pub(crate) fn malformed(what: impl Into<String>) -> LoadError {
        LoadError::Malformed { what: what.into() }
    }
}

/// Whether the error is that of [`trident_onnx::files::Disk`] for a link out of the model's folder. Errors of the system
/// have numbers.
fn leads_out(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

fn onnx_kind(error: &OnnxError) -> LoadErrorKind {
    match &error.fault {
        OnnxErrorKind::NoGraph => LoadErrorKind::Empty,
        OnnxErrorKind::Read { .. } | OnnxErrorKind::Source(_) | OnnxErrorKind::Decode { .. } => {
            LoadErrorKind::Format
        }
        OnnxErrorKind::IrVersion { .. } | OnnxErrorKind::Opset { .. } => LoadErrorKind::Version,
        OnnxErrorKind::External { reason: ExternalFault::Outside(_), .. } => LoadErrorKind::Path,
        OnnxErrorKind::External { reason: ExternalFault::Read { source, .. }, .. }
            if leads_out(source) =>
        {
            LoadErrorKind::Path
        }
        OnnxErrorKind::Undefined { .. } => LoadErrorKind::Undefined,
        OnnxErrorKind::Unsupported { .. }
        | OnnxErrorKind::BadTensor {
            reason: TensorFault::DataType(_) | TensorFault::Segment,
            ..
        } => LoadErrorKind::Unsupported,
        OnnxErrorKind::Cycle { .. } | OnnxErrorKind::DefinedTwice { .. } => LoadErrorKind::Graph,
        _ if error.place.is_some() => LoadErrorKind::Node,
        _ => LoadErrorKind::Graph,
    }
}

fn paddle_kind(error: &PaddleError) -> LoadErrorKind {
    match &error.fault {
        PaddleErrorKind::Read(source) if leads_out(source) => LoadErrorKind::Path,
        PaddleErrorKind::Version { .. } => LoadErrorKind::Version,
        PaddleErrorKind::Undefined { .. } => LoadErrorKind::Undefined,
        PaddleErrorKind::UnknownOp
        | PaddleErrorKind::Dialect { .. }
        | PaddleErrorKind::Unsupported(_) => LoadErrorKind::Unsupported,
        PaddleErrorKind::DefinedTwice { .. } | PaddleErrorKind::TooDeep { .. } => {
            LoadErrorKind::Graph
        }
        _ if error.place.is_some() => LoadErrorKind::Node,
        _ => LoadErrorKind::Format,
    }
}

impl From<ParseError> for LoadError {
    fn from(error: ParseError) -> LoadError {
        LoadError::malformed(error.to_string())
    }
}

impl From<LiteralError> for LoadError {
    fn from(error: LiteralError) -> LoadError {
        LoadError::malformed(error.to_string())
    }
}
