//! The duration of each step of a run.

use crate::plan::Step;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use trident_ir::Func;
use trident_ir::cost::flops;
use trident_runtime::Value;

/// One step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The node's name, or the op's if it has none.
    pub node: String,
    /// The op.
    pub op: &'static str,
    /// The chosen kernel.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// Time from the start of the run.
    pub start: Duration,
    /// Its duration, including nested blocks.
    pub duration: Duration,
    /// Bytes of operands and results.
    pub bytes: usize,
    /// Types of operands and results: `f32[1, 3, 8, 8], f32[4, 3, 3, 3] -> f32[1, 4, 6, 6]`.
    pub types: String,
    /// Floating-point or integer operations, for the actual shapes; 0 for a region of several ops.
    pub flops: f64,
}

/// The steps of a run, in the order in which they ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The steps.
    pub events: Vec<Event>,
    /// Duration of the whole run.
    pub total: Duration,
}

/// Collects events during a run.
pub(crate) struct Recorder {
    start: Instant,
    events: Mutex<Vec<Event>>,
}

/// Data recorded before a kernel takes its operands.
pub(crate) struct Before {
    types: String,
    bytes: usize,
    dims: Vec<Vec<usize>>,
}

impl Recorder {
    pub(crate) fn start() -> Recorder {
        Recorder { start: Instant::now(), events: Mutex::default() }
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Records the operands; for those that the kernel has packed only the types are known.
    pub(crate) fn describe(&self, func: &Func, step: &Step, inputs: &[Option<Value>]) -> Before {
        let mut dims = dims(inputs);
        for (i, slot) in dims.iter_mut().enumerate().filter(|(i, _)| inputs[*i].is_none()) {
            let operand = step.operands.get(i).copied().flatten();
            *slot = operand.and_then(|v| func.ty(v).dims()).unwrap_or_default();
        }
        Before { types: types(inputs), bytes: bytes(inputs), dims }
    }

    pub(crate) fn record(
        &self,
        step: &Step,
        before: Before,
        start: Duration,
        outputs: &[Option<Value>],
    ) {
        let op = step.op.decl().name;
        let node = step.op.loc.as_deref().filter(|l| !l.is_empty()).unwrap_or(op);
        let event = Event {
            node: node.to_owned(),
            op,
            kernel: step.work.kernel().to_owned(),
            device: step.placement.device.clone(),
            start,
            duration: self.now().saturating_sub(start),
            bytes: before.bytes + bytes(outputs),
            types: format!("{} -> {}", before.types, types(outputs)),
            flops: match step.more.is_empty() {
                true => flops(&step.op, &before.dims, &dims(outputs)),
                // Shapes within a region are known only to its device.
                false => 0.0,
            },
        };
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    pub(crate) fn finish(self) -> Profile {
        let total = self.now();
        Profile { events: self.events.into_inner().unwrap_or_else(PoisonError::into_inner), total }
    }
}

fn types(values: &[Option<Value>]) -> String {
    let each = values.iter().flatten().map(Value::describe);
    each.collect::<Vec<_>>().join(", ")
}

fn bytes(values: &[Option<Value>]) -> usize {
    values.iter().flatten().map(Value::size).sum()
}

fn dims(values: &[Option<Value>]) -> Vec<Vec<usize>> {
    let dims = |v: &Option<Value>| match v {
        Some(Value::Tensor(t)) => t.dims().to_vec(),
        _ => vec![],
    };
    values.iter().map(dims).collect()
}
