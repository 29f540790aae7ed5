//! Errors of planning and running a model.

use crate::form::Form;
use std::fmt;
use std::time::Duration;
use trident_ir::geometry::GeometryError;
use trident_ir::op::Level;
use trident_ir::rewrite::RewriteError;
use trident_ir::verify::VerifyError;
use trident_ir::{FuncPart, OpName, counted};
use trident_runtime::{Declined, KernelError};

/// The reason why a module cannot be planned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The module breaks a rule of the IR.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// Types or shapes in the module contradict each other.
    #[error(transparent)]
    Optimize(#[from] RewriteError),
    /// No device was given.
    #[error("no device was given to run on; name one, such as `cpu`")]
    NoDevices,
    /// A function below the graph level.
    #[error("function `{func}` belongs to a kernel; a session runs the functions of models only")]
    Level {
        /// The function.
        func: String,
        /// Its level.
        level: Level,
    },
    /// The module was optimised for other devices or with other options.
    #[error(
        "the model was {}; hint: compile it for these devices: trident compile MODEL.onnx --emit mps -o MODEL.mps \
         --device {}", made.difference(wanted), wanted.names()
    )]
    Form {
        /// The form of the model.
        made: Form,
        /// The form that the session needs.
        wanted: Form,
    },
    /// An optional input without a default.
    #[error("optional input `{input}` has no default: the model has no initializer of its name")]
    NoDefault {
        /// Its name.
        input: String,
    },
    /// [`Options::cancel`](crate::Options::cancel) was set.
    #[error("the preparation of the model was cancelled")]
    Cancelled,
    /// More ops than allowed.
    #[error("the model has more than {}", counted(*limit, "op"))]
    TooManyOps {
        /// [`Options::max_ops`](crate::Options::max_ops).
        limit: usize,
    },
    /// Regions are nested too deeply for the engine's stack.
    #[error("{op}: subgraphs are nested more than {limit} deep")]
    TooDeep {
        /// The op whose region is too deep.
        op: FuncPart,
        /// Maximum nesting depth.
        limit: usize,
    },
    /// An op that is malformed.
    #[error("{op}: {reason}")]
    Malformed {
        /// The op and its node.
        op: FuncPart,
        /// The reason.
        reason: String,
    },
    /// Every device declined.
    #[error("no device can run {op} ({operands}): {}", refusals(.declined))]
    Unsupported {
        /// The op and its node.
        op: FuncPart,
        /// Operands with their types.
        operands: String,
        /// The devices' reasons, by device name.
        declined: Vec<(String, Declined)>,
    },
    /// A constant that cannot be made into a tensor.
    #[error("{op}: {source}")]
    Constant {
        /// The op and its node.
        op: FuncPart,
        /// The reason.
        source: KernelError,
    },
    /// Constants that exceed the limit on memory.
    #[error(
        "{op}: constants take {}, and {live} of the {} that the memory limit allows are in use",
        counted(*bytes, "byte"),
        counted(*limit, "byte")
    )]
    Memory {
        /// The op and its node.
        op: FuncPart,
        /// Their size in bytes.
        bytes: usize,
        /// The bytes in use without them.
        live: usize,
        /// [`Options::memory_limit`](crate::Options::memory_limit), in bytes.
        limit: usize,
    },
    /// Values larger than the address space.
    #[error("{what} takes more bytes than memory can have")]
    TooLarge {
        /// The value and its type.
        what: String,
    },
    /// A device panicked while compiling an op: a bug in the device, not an error in the model.
    #[error("internal error: compiling {op} panicked: {message}")]
    Panic {
        /// The op and its node.
        op: FuncPart,
        /// The panic's message.
        message: String,
    },
}

fn refusals(declined: &[(String, Declined)]) -> String {
    let lines: Vec<String> =
        declined.iter().map(|(d, why)| format!("{d}: {}", why.reason())).collect();
    lines.join("; ")
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Errors in the inputs of a run. Types are written as `f32[N, 3, 224, 224]`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// No input has this name.
    #[error("the model has no input `{name}`")]
    Unknown {
        /// The name given.
        name: String,
    },
    /// A required input is missing.
    #[error("input `{name}` ({expected}) is missing")]
    Missing {
        /// Its name.
        name: String,
        /// Its type.
        expected: String,
    },
    /// An input was given more than once.
    #[error("input `{name}` was given twice")]
    Twice {
        /// Its name.
        name: String,
    },
    /// A sequence where a tensor is required, or similar.
    #[error("input `{name}` is {actual}, expected {expected}")]
    Kind {
        /// Its name.
        name: String,
        /// The given one.
        actual: String,
        /// Its type.
        expected: String,
    },
    /// The element type differs.
    #[error("input `{name}` has element type {actual}, expected {expected}")]
    DType {
        /// Its name.
        name: String,
        /// The given one.
        actual: String,
        /// The required one.
        expected: String,
    },
    /// The number of dimensions differs.
    #[error("input `{name}` has rank {actual}, expected {rank} ({expected})")]
    Rank {
        /// Its name.
        name: String,
        /// The given one.
        actual: usize,
        /// The required one.
        rank: usize,
        /// Its type.
        expected: String,
    },
    /// A fixed dimension differs.
    #[error("input `{name}`: dimension {axis} is {actual}, expected {dim} ({expected})")]
    Dim {
        /// Its name.
        name: String,
        /// The axis.
        axis: usize,
        /// The given one.
        actual: usize,
        /// The required one.
        dim: usize,
        /// Its type.
        expected: String,
    },
    /// A named dimension has a different size elsewhere.
    #[error(
        "input `{name}`: dimension {axis} (`{symbol}`) is {actual}, but `{symbol}` is {bound} in input `{other}`"
    )]
    Symbol {
        /// Its name.
        name: String,
        /// The axis.
        axis: usize,
        /// The dimension's name in the model.
        symbol: String,
        /// The given one.
        actual: usize,
        /// The size bound to the name so far.
        bound: usize,
        /// The input that bound it.
        other: String,
    },
}

/// The reason why a run returned no results.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The inputs do not fit the model.
    #[error("{error}")]
    Input {
        /// The reason.
        error: Box<InputError>,
        /// The model's inputs.
        hint: String,
    },
    /// The model cannot be planned for the optional inputs that were given.
    #[error("with {} given: {error}", quoted(.given))]
    Plan {
        /// Their names.
        given: Vec<String>,
        /// The reason.
        error: Box<PlanError>,
    },
    /// An op failed.
    #[error("{}: {} (inputs: {})", .0.at, .0.reason, .0.operands)]
    Op(Box<OpFailure>),
    /// A kernel panicked: a bug in the device, not an error in the model or its inputs.
    #[error("internal error: {at} panicked: {message}")]
    Panic {
        /// The op.
        at: RunPoint,
        /// The panic's message.
        message: String,
    },
    /// A bug in the engine, not an error in the model or its inputs.
    #[error("internal error: {message}")]
    Internal {
        /// The reason.
        message: String,
    },
    /// Memory provided for an output cannot be used.
    #[error("output `{name}`: {reason}")]
    Output {
        /// The output.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The run's [`CancelFlag`](crate::CancelFlag) was set.
    #[error("the run was cancelled at {at}")]
    Cancelled {
        /// The next op.
        at: RunPoint,
    },
    /// The time limit has passed.
    #[error("the run was stopped at {at}: its time limit of {limit:?} has passed")]
    Deadline {
        /// The next op.
        at: RunPoint,
        /// The limit.
        limit: Duration,
    },
}

/// The point that a run has reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPoint {
    /// An op.
    Op(OpName),
    /// Several ops that a device runs as one.
    Ops {
        /// The first.
        first: Box<OpName>,
        /// The last.
        last: Box<OpName>,
        /// The number of ops.
        count: usize,
    },
    /// The beginning, which waits for other runs to leave a device.
    Admission {
        /// The device.
        device: String,
    },
    /// A kernel that is launched directly.
    Kernel(String),
}

impl fmt::Display for RunPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunPoint::Op(op) => op.fmt(f),
            RunPoint::Ops { first, last, count } => {
                write!(f, "{count} operations from {first} to {last}")
            }
            RunPoint::Admission { device } => {
                write!(f, "its beginning, while it waited for device `{device}`")
            }
            RunPoint::Kernel(name) => write!(f, "kernel `{name}`"),
        }
    }
}

/// An op that failed, with its location and operands.
#[derive(Clone, Debug, PartialEq)]
pub struct OpFailure {
    /// The op.
    pub at: RunPoint,
    /// Operands by name, with their run-time types.
    pub operands: String,
    /// The message of `source`, with operands by name.
    pub reason: String,
    /// The reason.
    pub source: KernelError,
}

impl RunPoint {
    /// The name of the model's node, of the first of several ops.
    pub fn node(&self) -> Option<String> {
        match self {
            RunPoint::Op(op) => op.node(),
            RunPoint::Ops { first, .. } => first.node(),
            RunPoint::Admission { .. } | RunPoint::Kernel(_) => None,
        }
    }
}

impl PlanError {
    /// The name of the model's node that cannot be planned, where known.
    pub fn node(&self) -> Option<String> {
        match self {
            PlanError::Verify(error)
            | PlanError::Optimize(RewriteError::Broken { source: error, .. }) => error.node(),
            PlanError::Optimize(RewriteError::Shape(error)) => error.op().and_then(OpName::node),
            PlanError::TooDeep { op, .. }
            | PlanError::Malformed { op, .. }
            | PlanError::Unsupported { op, .. }
            | PlanError::Constant { op, .. }
            | PlanError::Memory { op, .. }
            | PlanError::Panic { op, .. } => op.node(),
            PlanError::NoDevices
            | PlanError::Level { .. }
            | PlanError::Form { .. }
            | PlanError::NoDefault { .. }
            | PlanError::Cancelled
            | PlanError::TooManyOps { .. }
            | PlanError::TooLarge { .. } => None,
        }
    }

    /// The input or operand that it is about, if it is one.
    pub fn operand(&self) -> Option<&str> {
        match self {
            PlanError::NoDefault { input } => Some(input),
            PlanError::Optimize(RewriteError::Shape(error)) => error.tensor(),
            _ => None,
        }
    }

    /// Whether there was too little memory, or less than allowed.
    pub fn lacks_memory(&self) -> bool {
        matches!(self, PlanError::Memory { .. })
    }
}

impl RunError {
    /// Whether there was too little memory, or less than allowed.
    pub fn lacks_memory(&self) -> bool {
        match self {
            RunError::Op(failure) => failure.source.lacks_memory(),
            RunError::Plan { error, .. } => error.lacks_memory(),
            _ => false,
        }
    }

    /// A suggestion for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            RunError::Input { hint, .. } => Some(hint.clone()),
            RunError::Plan { .. } => {
                Some("leave these inputs out to use their defaults in the model".into())
            }
            RunError::Op(failure) => match &failure.source {
                KernelError::TooLarge { .. } => {
                    Some("use smaller inputs or a smaller batch".into())
                }
                KernelError::Geometry(GeometryError::Value(_)) => None,
                KernelError::Geometry(_) | KernelError::Shape(_) => Some(
                    "the shapes at this operation follow from the shapes of the inputs; `trident inspect` shows what the model expects".into(),
                ),
                _ => None,
            },
            RunError::Panic { .. } | RunError::Internal { .. } => {
                Some("this is a bug in Trident; please report it with the model".into())
            }
            RunError::Output { .. } | RunError::Cancelled { .. } => None,
            RunError::Deadline { .. } => Some("allow more time, or use smaller inputs".into()),
        }
    }
}
