//! The plan that a session executes: blocks of steps with kernels, operands and lifetimes.

mod border;
mod compile;
mod constants;
mod lifetime;
pub(crate) mod memory;
pub(crate) mod report;
pub(crate) mod shapes;

pub(crate) use compile::{check, compile};
pub(crate) use lifetime::captures;

use crate::error::RunPoint;
use std::sync::Arc;
use trident_ir::{Func, Op, ValueId};
use trident_runtime::{Charge, Device, Executable, Value};

/// A function prepared to run.
pub(crate) struct Plan {
    /// Names and types of all values; the ops have become steps.
    pub(crate) func: Func,
    /// The function's body.
    pub(crate) body: BlockPlan,
    /// Constants that are still needed: those that every user has packed are dropped.
    pub(crate) constants: Vec<Option<Value>>,
    /// The devices that the steps run on.
    pub(crate) devices: Vec<Arc<dyn Device>>,
    /// Charges for constants that devices have packed into memory of their own.
    pub(crate) _packed: Vec<Charge>,
    /// Charges for constants that are read where they were loaded, held as long as the plan. Plans that share constants
    /// share their charges.
    pub(crate) _borrowed: Vec<Arc<Charge>>,
}

/// A block prepared to run. Values are in a frame with a place for every value of the function.
pub(crate) struct BlockPlan {
    /// Places of the parameters; `None` for unused ones.
    pub(crate) params: Vec<Option<usize>>,
    /// Steps in order.
    pub(crate) steps: Vec<Step>,
    /// The block's results.
    pub(crate) results: Vec<Operand>,
}

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Absent, or packed.
    Absent,
    /// A place in the table of constants.
    Constant(usize),
    /// A place in the frame.
    Value(usize),
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) source: Source,
    /// Whether this is the last use: the value is then passed on, and the kernel may overwrite it.
    pub(crate) last: bool,
}

/// One op, or a region of several that a device claimed, with everything needed to run it.
pub(crate) struct Step {
    /// The op, whose regions have moved to `work`; for a region of several ops, the first.
    pub(crate) op: Op,
    /// The other ops of a region.
    pub(crate) more: Vec<Op>,
    /// Incoming values; for a single op its operands.
    pub(crate) operands: Vec<Option<ValueId>>,
    /// Outgoing values; for a single op its results.
    pub(crate) results: Vec<Option<ValueId>>,
    pub(crate) work: Work,
    pub(crate) inputs: Vec<Operand>,
    /// Places of the results; `None` for unused ones.
    pub(crate) outputs: Vec<Option<usize>>,
    /// Places that are freed after the step: values whose last use is inside a region of the op.
    pub(crate) dead: Vec<usize>,
    /// The device and the reason for choosing it.
    pub(crate) choice: Choice,
}

/// The work of a step.
pub(crate) enum Work {
    /// Launches a kernel.
    Kernel(Arc<dyn Executable>),
    /// Runs one of two blocks.
    If([BlockPlan; 2]),
    /// Repeats a block.
    Loop(BlockPlan),
    /// Runs a block over slices.
    Scan(ScanPlan),
}

/// A `scan`: its block, and the sequences that it reads and makes.
pub(crate) struct ScanPlan {
    pub(crate) body: BlockPlan,
    /// The number of operands, the last ones, that are read slice by slice.
    pub(crate) sequences: usize,
    pub(crate) read: Traversals,
    pub(crate) made: Traversals,
}

/// The ways through sequences; from first to last along axis 0 where nothing else is set.
pub(crate) struct Traversals {
    axes: Vec<i64>,
    directions: Vec<i64>,
}

impl Traversals {
    /// Takes the lists of the attributes.
    pub(crate) fn new(axes: Option<&[i64]>, directions: Option<&[i64]>) -> Traversals {
        let list = |values: Option<&[i64]>| values.unwrap_or_default().to_vec();
        Traversals { axes: list(axes), directions: list(directions) }
    }

    /// The axis of a sequence; negative ones count from the end.
    pub(crate) fn axis(&self, sequence: usize) -> i64 {
        self.axes.get(sequence).copied().unwrap_or(0)
    }

    /// Whether a sequence runs from its last slice to its first.
    pub(crate) fn is_backwards(&self, sequence: usize) -> bool {
        self.directions.get(sequence) == Some(&1)
    }
}

/// The device of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// The device's name; `engine` for control flow.
    pub(crate) device: String,
    /// Its position among the plan's devices.
    pub(crate) place: usize,
    /// The reason for choosing it.
    pub(crate) reason: String,
}

impl Step {
    /// The step in errors.
    pub(crate) fn point(&self) -> RunPoint {
        let first = self.op.name();
        match self.more.last() {
            None => RunPoint::Op(first),
            Some(last) => {
                let (first, last) = (Box::new(first), Box::new(last.name()));
                RunPoint::Ops { first, last, count: self.more.len() + 1 }
            }
        }
    }

    /// All its ops.
    pub(crate) fn ops(&self) -> impl Iterator<Item = &Op> {
        std::iter::once(&self.op).chain(&self.more)
    }
}

impl Work {
    /// Nested blocks.
    pub(crate) fn blocks(&self) -> &[BlockPlan] {
        match self {
            Work::Kernel(_) => &[],
            Work::If(blocks) => blocks,
            Work::Loop(block) | Work::Scan(ScanPlan { body: block, .. }) => {
                std::slice::from_ref(block)
            }
        }
    }

    /// The kernel's name, for reports.
    pub(crate) fn kernel(&self) -> &str {
        match self {
            Work::Kernel(exe) => exe.kernel(),
            Work::If(_) => "if",
            Work::Loop(_) => "loop",
            Work::Scan(_) => "scan",
        }
    }
}
