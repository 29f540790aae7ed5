//! Executes a plan: step by step, values in a frame, each freed or handed over at its last use.

mod control;
mod slices;

use crate::error::{OpFailure, RunError};
use crate::plan::memory::MemoryPlan;
use crate::plan::{BlockPlan, Operand, Plan, Source, Step, Work};
use crate::profile::Recorder;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use trident_ir::DType;
use trident_ir::literal::checked_len;
use trident_runtime::{
    Arena, Buffer, Executable, KernelError, Launch, OutputShape, Pool, Tensor, Value,
};

/// A time limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) limit: Duration,
}

/// One run of a plan.
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) pool: &'a Pool,
    pub(crate) deadline: Option<Deadline>,
    pub(crate) recorder: Option<&'a Recorder>,
    /// Memory for the values of the function's body, where it is planned.
    pub(crate) memory: Option<(&'a MemoryPlan, Arena)>,
}

/// A place for every value of the function.
pub(crate) type Frame = Vec<Option<Value>>;

/// Why a step failed: as the kernel says it, or complete already as it happened in a nested block.
pub(crate) enum Failure {
    Kernel(KernelError),
    Run(RunError),
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Failure {
        Failure::Kernel(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        Failure::Run(error)
    }
}

impl Run<'_> {
    /// Runs the function.
    pub(crate) fn function(&self, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let mut frame: Frame = vec![None; self.plan.func.values.len()];
        self.block(&self.plan.body, args, &mut frame)
    }

    /// Runs a block; values of the blocks around it are in the frame.
    fn block(
        &self,
        block: &BlockPlan,
        args: Vec<Value>,
        frame: &mut Frame,
    ) -> Result<Vec<Value>, RunError> {
        for (place, arg) in block.params.iter().zip(args) {
            if let Some(place) = *place {
                frame[place] = Some(arg);
            }
        }
        for step in &block.steps {
            self.step(step, frame)?;
        }
        let results = block.results.iter().map(|operand| {
            self.fetch(*operand, frame).ok_or_else(|| RunError::Panic {
                op: "the engine".into(),
                message: "a result of a block has no value".into(),
            })
        });
        results.collect()
    }

    /// The value of an operand, taken out of the frame at its last use.
    fn fetch(&self, operand: Operand, frame: &mut Frame) -> Option<Value> {
        match operand.source {
            Source::Absent => None,
            Source::Constant(at) => self.plan.constants.get(at)?.clone(),
            Source::Value(place) if operand.last => frame[place].take(),
            Source::Value(place) => frame[place].clone(),
        }
    }

    fn step(&self, step: &Step, frame: &mut Frame) -> Result<(), RunError> {
        if let Some(deadline) = self.deadline.filter(|d| Instant::now() >= d.at) {
            return Err(deadline_passed(step, deadline));
        }
        let start = self.recorder.map(Recorder::now);
        let mut inputs: Vec<Option<Value>> =
            step.inputs.iter().map(|operand| self.fetch(*operand, frame)).collect();
        let described = self.recorder.map(|r| r.describe(&self.plan.func, &step.op, &inputs));
        let outcome = match &step.work {
            // Types for a message are taken only if it is needed, but by then the kernel may have taken the operands.
            Work::Kernel(exe) => {
                let types = Operands::of(&inputs);
                self.launch(step, exe.as_ref(), &mut inputs).map_err(|f| (f, types))
            }
            work => {
                let types = Operands::of(&inputs);
                self.control(step, work, inputs, frame).map_err(|f| (f, types))
            }
        };
        let outputs = match outcome {
            Ok(outputs) => outputs,
            Err((Failure::Run(error), _)) => return Err(error),
            Err((Failure::Kernel(source), types)) => {
                let op = step.op.describe();
                let operands = types.describe(self.plan, step);
                return Err(RunError::Op(Box::new(OpFailure { op, operands, source })));
            }
        };
        if let (Some(recorder), Some(start), Some(described)) = (self.recorder, start, described) {
            recorder.record(step, described, start, &outputs);
        }
        for (place, output) in step.outputs.iter().zip(outputs) {
            if let Some(place) = *place {
                frame[place] = output;
            }
        }
        for &place in &step.dead {
            frame[place] = None;
        }
        Ok(())
    }

    fn launch(
        &self,
        step: &Step,
        exe: &dyn Executable,
        inputs: &mut [Option<Value>],
    ) -> Result<Vec<Option<Value>>, Failure> {
        let mut alloc = |i: usize, dtype, dims: &[usize]| match self.planned(step, i, dtype, dims) {
            Some(buffer) => Tensor::from_buffer(dtype, dims, buffer),
            None => Tensor::alloc(self.pool, dtype, dims),
        };
        let foretold = cfg!(debug_assertions).then(|| exe.shapes(inputs));
        let mut launch = Launch { inputs, alloc: &mut alloc, pool: self.pool };
        let outputs = caught(|| exe.launch(&mut launch)).map_err(|message| {
            Failure::Run(RunError::Panic { op: step.op.describe(), message })
        })??;
        // A kernel that gives too few results would leave a hole that shows up far from here.
        let complete = step
            .op
            .outputs
            .iter()
            .enumerate()
            .all(|(i, wanted)| wanted.is_none() || outputs.get(i).is_some_and(Option::is_some));
        if complete {
            if let Some(foretold) = foretold {
                agree(step, foretold, &outputs)?;
            }
            return Ok(outputs);
        }
        let kernel = exe.kernel();
        Err(KernelError::domain(format!("kernel `{kernel}` gave too few results")).into())
    }
}

impl Run<'_> {
    /// The planned memory of a result, if it has any and its size is as foreseen.
    fn planned(&self, step: &Step, i: usize, dtype: DType, dims: &[usize]) -> Option<Buffer> {
        let (plan, arena) = self.memory.as_ref()?;
        let place = (*step.outputs.get(i)?)?;
        let part = (*plan.parts.get(place)?)?;
        let len = checked_len(dims)?.checked_mul(dtype.size())?;
        if len != part.len || dtype == DType::Str {
            return None;
        }
        arena.alloc(part.offset, len)
    }
}

/// In builds with debug assertions: an error if results are not as the executable foretold, a fault of the device.
fn agree(
    step: &Step,
    foretold: Result<Vec<OutputShape>, KernelError>,
    outputs: &[Option<Value>],
) -> Result<(), RunError> {
    let wrong = |message: String| RunError::Panic { op: step.op.describe(), message };
    let foretold = foretold.map_err(|e| wrong(format!("results foretold to be wrong: {e}")))?;
    for (i, shape) in foretold.iter().enumerate() {
        let output = outputs.get(i).and_then(Option::as_ref);
        if !shape.fits(output) {
            let actual = output.map_or("nothing".into(), Value::describe);
            return Err(wrong(format!("result {i} is {actual}, foretold as {shape:?}")));
        }
    }
    Ok(())
}

fn deadline_passed(step: &Step, deadline: Deadline) -> RunError {
    RunError::Deadline { op: step.op.describe(), limit: deadline.limit }
}

/// What the operands of a step were: kept cheaply, put into words only for a message.
struct Operands(Vec<Option<(Option<trident_ir::DType>, Vec<usize>)>>);

impl Operands {
    fn of(inputs: &[Option<Value>]) -> Operands {
        let brief = |v: &Value| match v {
            Value::Tensor(t) => (Some(t.dtype()), t.dims().to_vec()),
            Value::Seq(items) => (None, vec![items.len()]),
            _ => (None, vec![]),
        };
        Operands(inputs.iter().map(|v| v.as_ref().map(brief)).collect())
    }

    fn describe(&self, plan: &Plan, step: &Step) -> String {
        let operands = step.op.inputs.iter().zip(&self.0).map(|(value, given)| {
            let Some(value) = *value else { return "absent".into() };
            let info = plan.func.info(value);
            match given {
                Some((Some(dtype), dims)) => {
                    format!("{}: {}", info.name, trident_ir::Type::fixed(*dtype, dims))
                }
                Some((None, _)) | None => format!("{}: {}", info.name, info.ty),
            }
        });
        operands.collect::<Vec<_>>().join(", ")
    }
}

/// Runs `f`; a panic becomes its message.
pub(crate) fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or("no message".into())
    })
}
