//! Errors about functions that cannot be lowered, with their places.

use trident_ir::{Loc, Op, OpName};

/// A request to the user after an internal error.
pub(super) const REPORT: &str = "please report it with the kernel";

/// Why a kernel has no form at level lane.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LowerError {
    /// A part of it has none.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A program does not fit.
    #[error("a program needs {needed} bytes of threadgroup memory, and there are {most}")]
    Threadgroup {
        /// The amount that it needs.
        needed: usize,
        /// The amount that there is.
        most: usize,
    },
    /// The sums of a product do not fit.
    #[error("the sums of {op} take {needed} bytes of registers, and a core has {most}")]
    Registers {
        /// The product.
        op: String,
        /// Bytes of its sums.
        needed: usize,
        /// Bytes of a core's registers.
        most: usize,
    },
}

/// The part of a tile function that has no form at level lane.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unsupported {
    /// An op.
    #[error("{op}: {reason}")]
    Op {
        /// The op.
        op: OpName,
        /// The reason.
        reason: String,
    },
    /// The code of the elements of a block.
    #[error("an element{}: {reason}", at.as_ref().map(|at| format!(" of `{at}`")).unwrap_or_default())]
    Element {
        /// The op for which they are computed.
        at: Option<Loc>,
        /// The reason.
        reason: String,
    },
    /// The function as a whole.
    #[error("{reason}")]
    Function {
        /// The reason.
        reason: String,
    },
}

impl Unsupported {
    pub(super) fn new(op: &Op, reason: impl Into<String>) -> Unsupported {
        Unsupported::Op { op: op.name(), reason: reason.into() }
    }

    /// The error of an op that the verifier would have rejected.
    pub(super) fn malformed(op: &Op, reason: &str) -> Unsupported {
        Unsupported::new(op, format!("internal error: {reason}; {REPORT}"))
    }
}
