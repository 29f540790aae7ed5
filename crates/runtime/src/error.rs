//! Errors of a kernel. The engine adds the node, its operands' names and types.

use std::panic::{AssertUnwindSafe, catch_unwind};
use trident_ir::geometry::GeometryError;
use trident_ir::{DType, DType::Str};

/// Why an op has no result for its operands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// A required operand is absent.
    #[error("input {0} is missing")]
    Missing(usize),
    /// An operand has an element type that the kernel does not support.
    #[error("input {index} has element type {actual}, expected {expected}")]
    DType {
        /// Position of the operand.
        index: usize,
        /// Its element type.
        actual: DType,
        /// The types that the kernel supports.
        expected: String,
    },
    /// An operand is a sequence, an optional value or a map where a tensor is needed, or the reverse.
    #[error("input {index} is {actual}, expected {expected}")]
    Kind {
        /// Position of the operand.
        index: usize,
        /// Its kind.
        actual: String,
        /// The kind that the kernel requires.
        expected: &'static str,
    },
    /// An operand that does not suit the op otherwise.
    #[error("input {index} {reason}")]
    Operand {
        /// Position of the operand.
        index: usize,
        /// The rest of the sentence.
        reason: String,
    },
    /// A tensor whose elements are read or written as another type.
    #[error("a tensor has element type {actual}, expected {expected}")]
    Elements {
        /// Its element type.
        actual: DType,
        /// The type or types expected.
        expected: String,
    },
    /// The device has no kernel for this element type.
    #[error("elements of type {0} are not supported")]
    Unsupported(DType),
    /// Shapes or axes that do not fit together.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// Dimensions of operands that do not suit the op, as a message.
    #[error("{0}")]
    Shape(String),
    /// An attribute out of its range.
    #[error("attribute `{name}`: {reason}")]
    Attribute {
        /// Its name.
        name: &'static str,
        /// The reason.
        reason: String,
    },
    /// An operand's values are outside what the op is defined for.
    #[error("{0}")]
    Domain(String),
    /// A tensor would exceed the limit on a single one, on all together, or the available memory.
    #[error(
        "a tensor of {dims:?} {dtype} elements is too large for the memory that is allowed or free"
    )]
    TooLarge {
        /// Element type.
        dtype: DType,
        /// Dimensions.
        dims: Vec<usize>,
    },
    /// The launch that produces an operand failed.
    #[error("an input was not computed: {0}")]
    Dependency(Box<KernelError>),
    /// The launch was removed from its stream before it began, or was stopped. It has no results.
    #[error("the launch was cancelled")]
    Cancelled,
    /// The device panicked: a bug in the device, not an error in the operands.
    #[error("panicked: {0}")]
    Panic(String),
}

impl KernelError {
    /// A string tensor was given where numbers are required.
    pub fn strings() -> KernelError {
        KernelError::Unsupported(Str)
    }

    /// A shape error with this message.
    pub fn shape(text: impl Into<String>) -> KernelError {
        KernelError::Shape(text.into())
    }

    /// A value error with this message.
    pub fn domain(text: impl Into<String>) -> KernelError {
        KernelError::Domain(text.into())
    }

    /// An error in the operand at this position; `reason` completes the sentence.
    pub fn operand(index: usize, reason: impl Into<String>) -> KernelError {
        KernelError::Operand { index, reason: reason.into() }
    }

    /// The message, in which `name` gives the name of the operand at a position.
    pub fn with_names(&self, name: impl Fn(usize) -> String) -> String {
        let at = match self {
            KernelError::Missing(index)
            | KernelError::DType { index, .. }
            | KernelError::Kind { index, .. }
            | KernelError::Operand { index, .. } => *index,
            _ => return self.to_string(),
        };
        self.to_string().replacen(&format!("input {at}"), &name(at), 1)
    }

    /// An attribute error.
    pub fn attr(name: &'static str, reason: impl Into<String>) -> KernelError {
        KernelError::Attribute { name, reason: reason.into() }
    }

    /// The error of a launch whose operand another launch failed to produce; names the first failure.
    pub fn dependency(cause: KernelError) -> KernelError {
        match cause {
            KernelError::Dependency(_) => cause,
            cause => KernelError::Dependency(Box::new(cause)),
        }
    }

    /// The first failure: of the launch that should have produced an operand, or else this.
    pub fn cause(&self) -> &KernelError {
        match self {
            KernelError::Dependency(cause) => cause.cause(),
            own => own,
        }
    }

    /// Whether there was too little memory, or less than allowed.
    pub fn lacks_memory(&self) -> bool {
        matches!(self.cause(), KernelError::TooLarge { .. })
    }

    /// A device did not return a result that it should have.
    pub fn not_given() -> KernelError {
        KernelError::Panic("the launch gave too few results".into())
    }

    /// The result of `f`, with a panic converted to an error.
    pub fn caught<T>(f: impl FnOnce() -> Result<T, KernelError>) -> Result<T, KernelError> {
        caught(f).unwrap_or_else(|message| Err(KernelError::Panic(message)))
    }
}

/// Runs `f`; a panic is converted to its message.
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or("no message".into())
    })
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn messages_name_operands() {
        let name = |i: usize| format!("`x{i}`");
        assert_eq!(KernelError::Missing(2).with_names(name), "`x2` is missing");
        let many = KernelError::operand(1, "has 2 elements, expected 1");
        assert_eq!(many.with_names(name), "`x1` has 2 elements, expected 1");
        assert_eq!(many.to_string(), "input 1 has 2 elements, expected 1");
        assert_eq!(KernelError::shape("input 1").with_names(name), "input 1");
    }

    #[test]
    fn the_first_failure_decides_whether_memory_is_lacking() {
        let large = KernelError::TooLarge { dtype: DType::F32, dims: vec![1 << 40] };
        let next = KernelError::dependency(KernelError::dependency(large.clone()));
        assert!(next != large && next.cause() == &large);
        assert!(next.lacks_memory() && large.lacks_memory());
        assert!(!KernelError::dependency(KernelError::Cancelled).lacks_memory());
    }
}
