//! What cannot be lowered, and where.

use trident_ir::{Loc, Op};

/// Why a kernel has no form at level lane.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LowerError {
    /// An op has none.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A program does not fit.
    #[error("a program needs {needed} bytes of threadgroup memory, of which there are {most}")]
    Threadgroup {
        /// What it needs.
        needed: usize,
        /// What there is.
        most: usize,
    },
    /// The sums of a product do not fit.
    #[error("{op} sums {needed} bytes in registers, of which a core has {most}")]
    Registers {
        /// The product.
        op: String,
        /// Bytes of its sums.
        needed: usize,
        /// Bytes of a core's registers.
        most: usize,
    },
}

/// An op of a tile function that has no form at level lane.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{op}: {reason}")]
pub struct Unsupported {
    /// The op, with its place in the source where known.
    pub op: String,
    /// What is in the way.
    pub reason: String,
    /// The place in the source.
    pub at: Option<Loc>,
}

impl Unsupported {
    pub(super) fn new(op: &Op, reason: impl Into<String>) -> Unsupported {
        Unsupported { op: op.describe(), reason: reason.into(), at: op.loc.clone() }
    }
}
