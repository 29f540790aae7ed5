//! Why a run ends early.

use super::memory::AccessFault;
use crate::types::Space;
use crate::{DType, Level, OpName, counted};

/// A run that ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InterpError {
    /// The module has no such function.
    #[error("there is no function @{0}")]
    NoFunction(String),
    /// A lane function without a number of threads.
    #[error("@{0} has no number of threads: it is called by kernels, not launched")]
    NoKernel(String),
    /// A function of another level.
    #[error("@{func} is at level {level}, only tile and lane functions run")]
    Level {
        /// Its name.
        func: String,
        /// Its level.
        level: Level,
    },
    /// An argument that does not fit its parameter.
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
    /// An op of a thread at level lane that could not go on.
    #[error(
        "{}, threadgroup ({}, {}, {}), thread {thread}: {fault}",
        place(func, op), threadgroup[0], threadgroup[1], threadgroup[2]
    )]
    Thread {
        /// Name of the function.
        func: String,
        /// The op; `None` where a block begins or ends.
        op: Option<OpName>,
        /// Threadgroup along x, y, z.
        threadgroup: [u32; 3],
        /// The thread's index in its threadgroup.
        thread: usize,
        /// The fault.
        fault: Box<Trap>,
    },
    /// An op that could not go on.
    #[error(
        "{}, program ({}, {}, {}): {fault}",
        place(func, op), program[0], program[1], program[2]
    )]
    Op {
        /// Name of the function.
        func: String,
        /// The op; `None` where a block begins or ends.
        op: Option<OpName>,
        /// Program id along x, y, z.
        program: [u32; 3],
        /// The fault.
        fault: Box<Trap>,
    },
}

/// A function, and the op where it stopped.
fn place(func: &str, op: &Option<OpName>) -> String {
    match op {
        Some(op) => format!("@{func}: {op}"),
        None => format!("@{func}"),
    }
}

/// A reason why an op cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Trap {
    /// A wrong access.
    #[error(transparent)]
    Access(#[from] AccessFault),
    /// A wrong access to an array of a threadgroup or thread.
    #[error("{space} memory: {fault}")]
    Local {
        /// The memory.
        space: Space,
        /// The fault of the access.
        fault: AccessFault,
    },
    /// Accesses that no barrier puts in order.
    #[error(
        "race: {access} at offset {offset} of `{tensor}`, which {other} in {op} {as_what}, with no barrier between",
        as_what = if *write { "writes" } else { "reads" }
    )]
    Race {
        /// `read` or `write`.
        access: &'static str,
        /// Bytes from the start of the tensor.
        offset: usize,
        /// Name of the tensor.
        tensor: String,
        /// The other thread, with its threadgroup if that is another.
        other: String,
        /// The op of its access.
        op: String,
        /// Whether that is a write.
        write: bool,
    },
    /// Some threads do not reach an op that all of them must execute together.
    #[error("divergent: thread {thread} does not come here, it went another way at {at}")]
    Divergent {
        /// The first that is missing.
        thread: usize,
        /// The op at which the ways part.
        at: String,
    },
    /// An operand that should be equal in all lanes.
    #[error("operand {index} differs from that of thread {thread}, must be equal in all lanes")]
    NotUniform {
        /// Its place.
        index: usize,
        /// The simdgroup's first thread.
        thread: usize,
    },
    /// A matrix in a simdgroup that is not full.
    #[error("a matrix needs all 32 lanes of a simdgroup, this one has {0}")]
    PartialSimdgroup(usize),
    /// A lane that is not there.
    #[error("lane {lane} is asked for, the simdgroup has {lanes}")]
    NoLane {
        /// The lane, or a distance between lanes.
        lane: i128,
        /// Number of lanes.
        lanes: usize,
    },
    /// A condition of the program's own does not hold.
    #[error("assertion failed: {0}")]
    Assert(String),
    /// A condition that the program promised does not hold.
    #[error("what the program promises to hold does not")]
    Assume,
    /// Too many ops.
    #[error("more than {} have run: an endless loop?", counted(*.0, "op"))]
    Steps(u64),
    /// The run was asked to stop.
    #[error("stopped")]
    Stopped,
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
    /// Waiting for a change that no other program can make, because programs run one after another.
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
    Below(Box<InterpError>),
}

impl<F: Into<Trap>> From<F> for Raised {
    fn from(fault: F) -> Raised {
        Raised::Here(fault.into())
    }
}

impl From<InterpError> for Raised {
    fn from(error: InterpError) -> Raised {
        Raised::Below(Box::new(error))
    }
}
