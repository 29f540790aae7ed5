//! Why a run ends early.

use super::memory::AccessFault;
use crate::{DType, Level};

/// A run that ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The module has no such function.
    #[error("the module has no function @{0}")]
    NoFunction(String),
    /// A function of another level.
    #[error("@{func} is at level {level}, only tile functions run")]
    Level {
        /// Its name.
        func: String,
        /// Its level.
        level: Level,
    },
    /// An argument that is not what the parameter asks for.
    #[error("@{func}: argument {index} is {actual}, must be {expected}")]
    Argument {
        /// Name of the function.
        func: String,
        /// Place of the argument.
        index: usize,
        /// Type of the parameter, or `none`.
        expected: String,
        /// The argument, or `none`.
        actual: String,
    },
    /// An op that could not go on.
    #[error("@{func}: {op}, program ({}, {}, {}): {fault}", program[0], program[1], program[2])]
    Op {
        /// Name of the function.
        func: String,
        /// The op, with its place in the source.
        op: String,
        /// Program id along x, y, z.
        program: [u32; 3],
        /// What happened.
        fault: Box<Trap>,
    },
}

/// What keeps an op from going on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Trap {
    /// A wrong access.
    #[error(transparent)]
    Access(#[from] AccessFault),
    /// A condition of the program's own does not hold.
    #[error("assertion failed: {0}")]
    Assert(String),
    /// A condition that the program promised does not hold.
    #[error("what the program promises to hold does not")]
    Assume,
    /// Too many ops.
    #[error("more than {0} ops have run: an endless loop?")]
    Steps(u64),
    /// A loop that would not end.
    #[error("the step is {0}, must be positive")]
    Step(i128),
    /// An index outside of its axis.
    #[error("index {index} is outside of an axis of length {length}")]
    Index {
        /// The index.
        index: i128,
        /// Length of the axis.
        length: usize,
    },
    /// Regions and calls inside each other.
    #[error("regions and calls nest deeper than {0}")]
    TooDeep(usize),
    /// Waiting for what no other program can bring about, as programs run one after another.
    #[error("waits forever for {0:#x}: programs run one after another")]
    Wait(u64),
    /// No such function for elements of these types.
    #[error("there is no function `{function}` of ({types})")]
    Libm {
        /// Its name.
        function: String,
        /// Types of the operands.
        types: String,
    },
    /// An elementwise op that the interpreter does not know, for elements of this type.
    #[error("`{op}` has no meaning for {dtype}: add it to `interp/elementwise`")]
    NoMeaning {
        /// Its name.
        op: &'static str,
        /// Type of the first operand.
        dtype: DType,
    },
    /// An op that the interpreter does not know.
    #[error("the interpreter has no such op")]
    Unknown,
    /// A value that is not there: the function was not verified.
    #[error("`%{0}` has no value")]
    NoValue(String),
}

/// A fault of the op at hand, or one from deeper down that knows its place.
#[derive(Debug)]
pub(super) enum Raised {
    Here(Trap),
    Below(Box<RunError>),
}

impl<F: Into<Trap>> From<F> for Raised {
    fn from(fault: F) -> Raised {
        Raised::Here(fault.into())
    }
}

impl From<RunError> for Raised {
    fn from(error: RunError) -> Raised {
        Raised::Below(Box::new(error))
    }
}
