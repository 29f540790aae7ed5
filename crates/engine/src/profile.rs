//! The duration of each step of a run.

use crate::plan::Step;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use trident_ir::cost::flops;
use trident_ir::{Func, Loc};
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

/// The measurements of a run, which then waits for each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profiling {
    /// Nothing.
    #[default]
    Off,
    /// How long steps took together: [`Profile::totals`].
    Totals,
    /// Each step: [`Profile::events`]. The memory for it grows with the number of steps, also with that of a loop's rounds.
    Steps,
}

/// The steps of a run that have the same op and device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpTotal {
    /// The op; of a region of several, the first.
    pub op: &'static str,
    /// The device.
    pub device: String,
    /// The number of steps.
    pub count: u64,
    /// Their time together, including nested blocks, whose steps also count by themselves.
    pub duration: Duration,
}

impl OpTotal {
    /// Adds steps to those of the same op and device.
    pub fn add(
        totals: &mut Vec<OpTotal>,
        op: &'static str,
        device: &str,
        count: u64,
        duration: Duration,
    ) {
        match totals.iter_mut().find(|total| total.op == op && total.device == device) {
            Some(total) => {
                total.count += count;
                total.duration += duration;
            }
            None => totals.push(OpTotal { op, device: device.to_owned(), count, duration }),
        }
    }
}

/// The results of a run's measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The steps, in the order in which they ended.
    pub events: Vec<Event>,
    /// The steps by op and device.
    pub totals: Vec<OpTotal>,
    /// Duration of the whole run.
    pub total: Duration,
}

/// Collects measurements during a run.
pub(crate) struct Recorder {
    start: Instant,
    steps: bool,
    profile: Mutex<Profile>,
}

/// Data recorded before a kernel takes its operands.
pub(crate) struct Before {
    types: String,
    bytes: usize,
    dims: Vec<Vec<usize>>,
}

impl Recorder {
    /// `None` if nothing is measured.
    pub(crate) fn start(profiling: Profiling) -> Option<Recorder> {
        let steps = profiling == Profiling::Steps;
        (profiling != Profiling::Off).then(|| Recorder {
            start: Instant::now(),
            steps,
            profile: Mutex::default(),
        })
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Records the operands, if each step is measured. For packed operands only the types are known.
    pub(crate) fn describe(
        &self,
        func: &Func,
        step: &Step,
        inputs: &[Option<Value>],
    ) -> Option<Before> {
        if !self.steps {
            return None;
        }
        let mut dims = dims(inputs);
        for (i, slot) in dims.iter_mut().enumerate().filter(|(i, _)| inputs[*i].is_none()) {
            let operand = step.operands.get(i).copied().flatten();
            *slot = operand.and_then(|v| func.ty(v).dims()).unwrap_or_default();
        }
        Some(Before { types: types(inputs), bytes: bytes(inputs), dims })
    }

    pub(crate) fn record(
        &self,
        step: &Step,
        before: Option<Before>,
        start: Duration,
        outputs: &[Option<Value>],
    ) {
        let (op, device) = (step.op.decl().name, &step.choice.device);
        let duration = self.now().saturating_sub(start);
        let profile = || self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(before) = before else {
            return OpTotal::add(&mut profile().totals, op, device, 1, duration);
        };
        let node = step.op.loc.as_ref().map(Loc::to_string).filter(|node| !node.is_empty());
        let event = Event {
            node: node.unwrap_or_else(|| op.to_owned()),
            op,
            kernel: step.work.kernel().to_owned(),
            device: device.clone(),
            start,
            duration,
            bytes: before.bytes + bytes(outputs),
            types: format!("{} -> {}", before.types, types(outputs)),
            flops: match step.more.is_empty() {
                true => flops(&step.op, &before.dims, &dims(outputs)),
                // Shapes within a region are known only to its device.
                false => 0.0,
            },
        };
        profile().events.push(event);
    }

    pub(crate) fn finish(self) -> Profile {
        let total = self.now();
        let profile = self.profile.into_inner().unwrap_or_else(PoisonError::into_inner);
        Profile { total, ..profile }
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
