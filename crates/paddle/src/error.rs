//! The reasons why a Paddle model is refused.

use std::fmt;
use std::io;
use trident_ir::literal::LiteralError;
use trident_ir::op::TypeError;

/// A Paddle model that cannot be loaded: the file, the reason, and the op.
#[derive(Debug, thiserror::Error)]
pub struct PaddleError {
    /// Name of the file.
    pub file: String,
    /// The op at which the fault was found; `None` for faults of the file as a whole.
    pub place: Option<Box<PaddlePlace>>,
    /// The cause.
    #[source]
    pub fault: PaddleErrorKind,
}

/// An op of a Paddle model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddlePlace {
    /// Name of the op with its dialect.
    pub op: String,
    /// Number of the op in the file.
    pub number: u32,
    /// The layer that made it, as Paddle names it (`struct_name`).
    pub layer: Option<String>,
}

impl fmt::Display for PaddlePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "op {} `{}`", self.number, self.op)?;
        match &self.layer {
            Some(layer) => write!(f, " of layer `{layer}`"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PaddleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: ", self.file)?;
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.fault)?;
        match self.fault.hint() {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// Errors of Paddle models.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaddleErrorKind {
    /// A file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// An op that is not in the catalogue.
    #[error("the op is not supported")]
    UnknownOp,
    /// An op whose operands, attributes or types are not supported.
    #[error("{0}")]
    Unsupported(String),
    /// Operands that do not fit the op.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A constant that does not hold together.
    #[error(transparent)]
    Literal(#[from] LiteralError),
}

impl PaddleErrorKind {
    /// Advice to the user.
    fn hint(&self) -> Option<&'static str> {
        match self {
            PaddleErrorKind::UnknownOp => {
                Some("`docs/paddle.md` lists the supported ops; please report this one")
            }
            _ => None,
        }
    }
}
