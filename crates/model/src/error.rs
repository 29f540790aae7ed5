//! Errors of loading a model.

use std::io;
use std::path::PathBuf;
use trident_ir::counted;
use trident_ir::literal::LiteralError;
use trident_ir::text::ParseError;

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
    Onnx(trident_onnx::OnnxError),
    /// A file named `.mps` that starts as no compiled model does, and is not an ONNX model either.
    #[error(
        "not a compiled model, or its beginning is damaged; read as an ONNX model: {0} ({AGAIN})"
    )]
    Neither(trident_onnx::OnnxError),
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

impl LoadError {
    pub(crate) fn malformed(what: impl Into<String>) -> LoadError {
        LoadError::Malformed { what: what.into() }
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
