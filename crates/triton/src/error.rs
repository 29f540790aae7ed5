//! Errors in a text, with their places.

use std::fmt;
use trident_ir::verify::VerifyError;
use trident_ir::{Loc, counted};

/// Why a text did not become a module: the fault, its place in the text and, where the text has locations, the place
/// in the Python source.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// Line of the text, from 1; 0 where the fault has no single place.
    pub line: usize,
    /// Character within the line, from 1.
    pub column: usize,
    /// The place in the Python source that the op came from.
    pub source: Option<Loc>,
    /// The error.
    pub fault: Box<ErrorKind>,
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.fault)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        self.fault.fmt(f)?;
        match &self.source {
            Some(source) => write!(f, " (from {source})"),
            None => Ok(()),
        }
    }
}

/// An error in a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ErrorKind {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected text.
        expected: &'static str,
        /// The actual text.
        found: String,
    },
    /// A string without an end.
    #[error("the string does not end on its line")]
    OpenString,
    /// A number that its type cannot hold.
    #[error("`{text}` is not {what}")]
    Number {
        /// The number as it is written.
        text: String,
        /// The expected one.
        what: String,
    },
    /// An op that is not in Triton IR, or has no meaning here.
    #[error("unknown op `{0}`")]
    UnknownOp(String),
    /// An op that is known and not supported.
    #[error("`{op}` is not supported: {reason}")]
    Refused {
        /// The op.
        op: String,
        /// Why not, and what to do instead.
        reason: &'static str,
    },
    /// A type without a counterpart.
    #[error("type `{ty}` is not supported: {reason}")]
    RefusedType {
        /// The type as it is written.
        ty: String,
        /// Why not.
        reason: &'static str,
    },
    /// An operand, result or region of another type than the op needs.
    #[error("`{op}`: {what} is {actual}, expected {expected}")]
    Type {
        /// The op.
        op: String,
        /// Which operand or result.
        what: String,
        /// Its type.
        actual: String,
        /// The operands that the op needs.
        expected: String,
    },
    /// Not as many operands, results, regions … as the op has.
    #[error("`{op}` has {}, needs {expected}", counted(*actual, what))]
    Count {
        /// The op.
        op: String,
        /// The noun, in the singular.
        what: &'static str,
        /// The number there is.
        actual: usize,
        /// The number there should be.
        expected: usize,
    },
    /// An attribute is missing or of another form.
    #[error("`{op}`: attribute `{name}` must be {expected}")]
    Attribute {
        /// The op.
        op: String,
        /// The attribute.
        name: &'static str,
        /// The expected one.
        expected: &'static str,
    },
    /// A value that is not defined at this place.
    #[error("`%{0}` is not defined at this place")]
    Undefined(String),
    /// A value, block or function with two definitions.
    #[error("`{0}` is defined twice")]
    DefinedTwice(String),
    /// A block that is not in the region.
    #[error("there is no block `^{0}` in this region")]
    NoBlock(String),
    /// A function that is not in the module.
    #[error("there is no function `@{0}`")]
    NoFunction(String),
    /// No function to run.
    #[error("the file has no public `tt.func`")]
    NoEntry,
    /// A function that calls itself, directly or through others.
    #[error("`@{0}` calls itself, and recursion is not supported")]
    Recursion(String),
    /// A block of too many elements or axes.
    #[error("a block of {0}: at most {max} elements and {rank} axes, each a power of two, are supported",
        max = crate::MAX_ELEMENTS, rank = crate::MAX_RANK)]
    Dims(String),
    /// Regions, types, attributes or locations inside each other without end.
    #[error("nested deeper than {}", crate::MAX_DEPTH)]
    TooDeep,
    /// Branches that go back.
    #[error("the basic blocks form a loop: only `scf` loops are supported")]
    BlockLoop,
    /// Blocks that several early returns share would be copied too often.
    #[error(
        "this control flow is too complex: expressing it by `if` and `while` would copy more than {} operations; simplify it",
        crate::MAX_COPIES
    )]
    Copies,
    /// More blocks than any kernel has.
    #[error("this control flow has {0} basic blocks, and at most {max} are supported: split the function", max = crate::MAX_BLOCKS)]
    Blocks(usize),
    /// A rule of the IR that the kernel breaks.
    #[error(transparent)]
    Verify(VerifyError),
}
