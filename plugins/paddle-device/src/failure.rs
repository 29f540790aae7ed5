//! Errors that become Paddle's exceptions.

use trident_engine::{PlanError, RunError};
use trident_paddle::PaddleErrorKind;
use trident_runtime::KernelError;

/// Paddle's error codes, each with the Python exception that Paddle makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    /// `ValueError`.
    InvalidArgument = 1,
    /// `MemoryError`.
    ResourceExhausted = 5,
    /// `NotImplementedError`.
    Unimplemented = 9,
    /// `SystemError`.
    Fatal = 11,
}

/// The failure of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The kind of exception.
    pub(crate) code: Code,
    /// The message.
    pub(crate) text: String,
}

impl Failure {
    /// A failure for operands that do not fit together.
    pub(crate) fn invalid(text: impl Into<String>) -> Failure {
        Failure { code: Code::InvalidArgument, text: text.into() }
    }

    /// A failure for a case that the kernel does not have.
    pub(crate) fn unimplemented(text: impl Into<String>) -> Failure {
        Failure { code: Code::Unimplemented, text: text.into() }
    }

    /// A failure for memory that there is too little of.
    pub(crate) fn exhausted(text: impl Into<String>) -> Failure {
        Failure { code: Code::ResourceExhausted, text: text.into() }
    }

    /// A failure that is a bug of ours.
    pub(crate) fn fatal(text: impl Into<String>) -> Failure {
        Failure { code: Code::Fatal, text: text.into() }
    }

    /// Whether the same call fails in the same way every time.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.code, Code::InvalidArgument | Code::Unimplemented)
    }

    /// The failure with the kernel and its operands in front of the message.
    pub(crate) fn of(mut self, call: &str) -> Failure {
        self.text = format!("{call} on device mps: {}", self.text);
        self
    }
}

impl From<PaddleErrorKind> for Failure {
    fn from(error: PaddleErrorKind) -> Failure {
        let code = match error {
            PaddleErrorKind::UnknownOp | PaddleErrorKind::Unsupported(_) => Code::Unimplemented,
            _ => Code::InvalidArgument,
        };
        Failure { code, text: error.to_string() }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        let code = match error {
            PlanError::Verify(_) | PlanError::Optimize(_) => Code::InvalidArgument,
            _ => Code::Unimplemented,
        };
        Failure { code, text: error.to_string() }
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Failure {
        Failure { code: code(&error), text: error.to_string() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let code = match &error {
            RunError::Op(failure) => code(&failure.source),
            RunError::Input { .. } | RunError::Output { .. } => Code::InvalidArgument,
            _ => Code::Fatal,
        };
        Failure { code, text: error.to_string() }
    }
}

fn code(error: &KernelError) -> Code {
    match error {
        KernelError::TooLarge { .. } => Code::ResourceExhausted,
        KernelError::DType { .. } | KernelError::Unsupported(_) => Code::Unimplemented,
        KernelError::Dependency(inner) => code(inner),
        KernelError::Cancelled | KernelError::Panic(_) => Code::Fatal,
        _ => Code::InvalidArgument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_exceptions() {
        let too_large = KernelError::TooLarge { dtype: trident_ir::DType::F32, dims: vec![1] };
        assert_eq!(Failure::from(too_large).code, Code::ResourceExhausted);
        assert_eq!(Failure::from(KernelError::shape("no")).code, Code::InvalidArgument);
        assert_eq!(Failure::from(PaddleErrorKind::UnknownOp).code, Code::Unimplemented);
        assert_eq!(
            Failure::invalid("no").of("add(x: f32[1])").text,
            "add(x: f32[1]) on device mps: no"
        );
    }
}
