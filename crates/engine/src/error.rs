//! Why a model cannot be planned or run.

use std::time::Duration;
use trident_ir::op::Level;
use trident_ir::verify::VerifyError;
use trident_passes::OptimizeError;
use trident_runtime::{Declined, KernelError};

/// Why no plan can be made of a module.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The module breaks a rule of the IR.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// Types or shapes in the module contradict each other.
    #[error(transparent)]
    Optimize(#[from] OptimizeError),
    /// Nothing to run on.
    #[error("no device was given to run on")]
    NoDevices,
    /// A function below the graph level.
    #[error("function `{func}` is at level {level:?}; a session runs functions at level Graph")]
    Level {
        /// The function.
        func: String,
        /// Its level.
        level: Level,
    },
    /// An optional input without a default.
    #[error("optional input `{input}` has no default: the function has no constant of its name")]
    NoDefault {
        /// Its name.
        input: String,
    },
    /// More ops than allowed.
    #[error("the model has more than {limit} ops")]
    TooManyOps {
        /// [`Options::max_ops`](crate::Options::max_ops).
        limit: usize,
    },
    /// Regions within regions beyond what the engine's stack is made for.
    #[error("{op}: regions are nested more than {limit} deep")]
    TooDeep {
        /// The op whose region is too deep.
        op: String,
        /// Levels allowed.
        limit: usize,
    },
    /// An op that is not well formed.
    #[error("{op}: {reason}")]
    Malformed {
        /// The op and its node.
        op: String,
        /// What is wrong.
        reason: String,
    },
    /// Every device refused.
    #[error("no device can run {op} ({operands}): {}", refusals(.declined))]
    Unsupported {
        /// The op and its node.
        op: String,
        /// Operands with their types.
        operands: String,
        /// By device name, why.
        declined: Vec<(String, Declined)>,
    },
    /// A constant that cannot be made into a tensor.
    #[error("{op}: {source}")]
    Constant {
        /// The op and its node.
        op: String,
        /// Why.
        source: KernelError,
    },
    /// Values that no memory can hold.
    #[error("{what}: more bytes than memory can have")]
    TooLarge {
        /// The value and its type.
        what: String,
    },
    /// A device panicked while it compiled an op: a fault of the device, not of the model.
    #[error("internal error: compiling {op} panicked: {message}")]
    Panic {
        /// The op and its node.
        op: String,
        /// The panic's message.
        message: String,
    },
}

fn refusals(declined: &[(String, Declined)]) -> String {
    let lines: Vec<String> =
        declined.iter().map(|(d, why)| format!("{d}: {}", why.reason)).collect();
    lines.join("; ")
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What was wrong with the inputs of a run. Types are written as `f32[N, 3, 224, 224]`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// No input has this name.
    #[error("the model has no input `{name}`")]
    Unknown {
        /// The name given.
        name: String,
    },
    /// An input that is needed was not given.
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
    /// A sequence where a tensor is needed, or the like.
    #[error("input `{name}` is {actual}, expected {expected}")]
    Kind {
        /// Its name.
        name: String,
        /// What was given.
        actual: String,
        /// Its type.
        expected: String,
    },
    /// The element type differs.
    #[error("input `{name}` has element type {actual}, expected {expected}")]
    DType {
        /// Its name.
        name: String,
        /// What was given.
        actual: String,
        /// What is needed.
        expected: String,
    },
    /// The number of dimensions differs.
    #[error("input `{name}` has rank {actual}, expected {rank} ({expected})")]
    Rank {
        /// Its name.
        name: String,
        /// What was given.
        actual: usize,
        /// What is needed.
        rank: usize,
        /// Its type.
        expected: String,
    },
    /// A dimension known by number differs.
    #[error("input `{name}`: dimension {axis} is {actual}, expected {dim} ({expected})")]
    Dim {
        /// Its name.
        name: String,
        /// The dimension.
        axis: usize,
        /// What was given.
        actual: usize,
        /// What is needed.
        dim: usize,
        /// Its type.
        expected: String,
    },
    /// A named dimension that is another number elsewhere.
    #[error(
        "input `{name}`: dimension {axis} (`{symbol}`) is {actual}, but `{symbol}` is {bound} in input `{other}`"
    )]
    Symbol {
        /// Its name.
        name: String,
        /// The dimension.
        axis: usize,
        /// Its name in the model.
        symbol: String,
        /// What was given.
        actual: usize,
        /// The number the name stands for so far.
        bound: usize,
        /// The input that gave it that number.
        other: String,
    },
}

/// Why a run gave no results.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The inputs do not fit the model.
    #[error("{error}")]
    Input {
        /// What is wrong.
        error: Box<InputError>,
        /// The inputs the model has.
        hint: String,
    },
    /// The model cannot be planned for the optional inputs that were given.
    #[error("with {} given: {error}", quoted(.given))]
    Plan {
        /// Their names.
        given: Vec<String>,
        /// Why.
        error: Box<PlanError>,
    },
    /// An op failed.
    #[error("{}: {} (operands: {})", .0.op, .0.source, .0.operands)]
    Op(Box<OpFailure>),
    /// A kernel panicked: a fault of the device, not of the model or its inputs.
    #[error("internal error: {op} panicked: {message}")]
    Panic {
        /// The op and its node.
        op: String,
        /// The panic's message.
        message: String,
    },
    /// Memory that was given for an output cannot be used.
    #[error("output `{name}`: {reason}")]
    Output {
        /// The output.
        name: String,
        /// Why.
        reason: String,
    },
    /// The run's [`CancelFlag`](crate::CancelFlag) was set.
    #[error("the run was cancelled at {op}")]
    Cancelled {
        /// The op that was next.
        op: String,
    },
    /// The time allowed is over.
    #[error("the run was stopped at {op}: its time limit of {limit:?} has passed")]
    Deadline {
        /// The op that was next.
        op: String,
        /// The limit.
        limit: Duration,
    },
}

/// An op that failed, where, and with what operands.
#[derive(Clone, Debug, PartialEq)]
pub struct OpFailure {
    /// The op and its node.
    pub op: String,
    /// Operands by name with what they were at run time.
    pub operands: String,
    /// Why.
    pub source: KernelError,
}

impl RunError {
    /// What to try.
    pub fn hint(&self) -> Option<String> {
        match self {
            RunError::Input { hint, .. } => Some(hint.clone()),
            RunError::Plan { .. } => {
                Some("without these inputs their defaults in the model are taken".into())
            }
            RunError::Op(failure) => match &failure.source {
                KernelError::TooLarge { .. } => {
                    Some("use smaller inputs or a smaller batch".into())
                }
                KernelError::Geometry(_) | KernelError::Shape(_) => Some(
                    "the shapes at this op follow from the shapes of the inputs; `trident inspect` shows what the model expects".into(),
                ),
                _ => None,
            },
            RunError::Panic { .. } => {
                Some("this is a fault in Trident; please report it with the model".into())
            }
            RunError::Output { .. } | RunError::Cancelled { .. } => None,
            RunError::Deadline { .. } => Some("allow more time, or use smaller inputs".into()),
        }
    }
}
