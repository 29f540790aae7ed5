//! Refusals of a device.

use trident_ir::{Loc, Op, OpName};

/// A device's refusal: its subject, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Declined {
    /// An op.
    #[error("{op} is not supported on this device: {reason}")]
    Op {
        /// The op.
        op: OpName,
        /// The reason.
        reason: String,
    },
    /// A kernel as a whole.
    #[error("kernel `{kernel}` is not supported on this device: {reason}")]
    Kernel {
        /// Its name.
        kernel: String,
        /// The reason.
        reason: String,
    },
    /// A parameter of a kernel.
    #[error("parameter `{parameter}` is not supported on this device: {reason}")]
    Parameter {
        /// Its name.
        parameter: String,
        /// The reason.
        reason: String,
    },
    /// A module that has no kernel.
    #[error("there is no kernel to compile: {reason}")]
    Module {
        /// The reason.
        reason: String,
    },
    /// A compiled kernel that was stored.
    #[error("the stored kernel cannot be loaded on this device: {reason}")]
    Image {
        /// The reason.
        reason: String,
    },
    /// Several ops at once.
    #[error("{ops} ops at once are not supported on this device: it takes one op at a time")]
    Several {
        /// How many.
        ops: usize,
    },
}

impl Declined {
    /// The refusal of an op.
    pub fn op(op: &Op, reason: impl Into<String>) -> Declined {
        Declined::Op { op: op.name(), reason: reason.into() }
    }

    /// The refusal of a kernel.
    pub fn kernel(kernel: impl Into<String>, reason: impl Into<String>) -> Declined {
        Declined::Kernel { kernel: kernel.into(), reason: reason.into() }
    }

    /// The refusal of a module that has no kernel.
    pub fn module(reason: impl Into<String>) -> Declined {
        Declined::Module { reason: reason.into() }
    }

    /// The reason alone.
    pub fn reason(&self) -> &str {
        match self {
            Declined::Op { reason, .. }
            | Declined::Kernel { reason, .. }
            | Declined::Parameter { reason, .. }
            | Declined::Module { reason }
            | Declined::Image { reason } => reason,
            Declined::Several { .. } => "it takes one op at a time",
        }
    }

    /// The place of the op that is refused, where known.
    pub fn loc(&self) -> Option<&Loc> {
        match self {
            Declined::Op { op, .. } => op.loc.as_ref(),
            _ => None,
        }
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;
    use trident_ir::OpKind;

    #[test]
    fn refusals_name_their_subject() {
        let mut op = Op::new(OpKind::Conv, vec![], vec![]);
        op.loc = Some(Loc::node("c1"));
        let declined = Declined::op(&op, "it is too large");
        assert_eq!(
            declined.to_string(),
            "conv `c1` is not supported on this device: it is too large"
        );
        assert_eq!((declined.reason(), declined.loc()), ("it is too large", op.loc.as_ref()));
        let several = Declined::Several { ops: 3 };
        assert_eq!(
            several.to_string(),
            "3 ops at once are not supported on this device: it takes one op at a time"
        );
        assert!(several.to_string().ends_with(several.reason()) && several.loc().is_none());
    }
}
