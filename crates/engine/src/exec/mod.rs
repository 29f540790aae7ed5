//! Executes a plan step by step; values are in a frame, and each is freed or passed on at its last use.

mod admit;
mod control;
mod launch;
mod outputs;
mod slices;
mod streams;

pub(crate) use admit::admit;
pub(crate) use outputs::{Outputs, separate};
pub(crate) use streams::Streams;

use crate::context::{CancelFlag, Deadline, Partial};
use crate::error::RunError;
use crate::plan::memory::MemoryPlan;
use crate::plan::{BlockPlan, Operand, Plan, Source, Step, Work};
use crate::profile::Recorder;
use launch::Operands;
use std::cell::Cell;
use trident_runtime::{Arena, KernelError, LaunchLimits, Pool, Value};

/// One run of a plan.
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) pool: &'a Pool,
    pub(crate) deadline: Option<Deadline>,
    pub(crate) cancel: Option<CancelFlag>,
    pub(crate) limits: LaunchLimits,
    pub(crate) recorder: Option<&'a Recorder>,
    /// The memory plan for the function's body and its arena, if there is one.
    pub(crate) memory: Option<(&'a MemoryPlan, Arena)>,
    /// The streams for launches, and the launches that have not ended.
    pub(crate) streams: Streams<'a>,
    /// The caller's memory and sink for results.
    pub(crate) outputs: Outputs,
    /// Whether some arguments are lent: if the run fails, it waits until no launch has them.
    pub(crate) lent: bool,
    /// Reusable memory for recording operands.
    pub(crate) spare: Cell<Operands>,
}

/// One slot for each value of the function.
pub(crate) type Frame = Vec<Option<Value>>;

/// Why a step failed: the kernel's error, or the complete error of a nested block.
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

impl<'a> Run<'a> {
    /// Runs the function.
    pub(crate) fn function(&self, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let mut frame: Frame = vec![None; self.plan.func.values.len()];
        let results = self.block(&self.plan.body, args, &mut frame);
        let results = results.and_then(|results| self.finish(results));
        if results.is_err() {
            self.streams.cancel();
            if self.lent {
                self.streams.settle();
            }
        }
        results
    }

    /// Waits for everything submitted, since the caller reads the results.
    fn finish(&self, mut results: Vec<Value>) -> Result<Vec<Value>, RunError> {
        self.drain()?;
        for result in &mut results {
            let settled = result.settle();
            settled.map_err(|e| RunError::Internal { message: e.to_string() })?;
        }
        self.outputs.fill(&mut results)?;
        Ok(results)
    }

    /// Runs a block; values of the enclosing blocks are in the frame.
    fn block(
        &self,
        block: &'a BlockPlan,
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
            self.fetch(*operand, frame).ok_or_else(|| RunError::Internal {
                message: "a result of a subgraph has no value".into(),
            })
        });
        results.collect()
    }

    /// The value of an operand, removed from the frame at its last use.
    fn fetch(&self, operand: Operand, frame: &mut Frame) -> Option<Value> {
        match operand.source {
            Source::Absent => None,
            Source::Constant(at) => self.plan.constants.get(at)?.clone(),
            Source::Value(place) if operand.last => frame[place].take(),
            Source::Value(place) => frame[place].clone(),
        }
    }

    fn step(&self, step: &'a Step, frame: &mut Frame) -> Result<(), RunError> {
        self.go_on(step)?;
        let start = self.recorder.map(Recorder::now);
        let mut inputs: Vec<Option<Value>> =
            step.inputs.iter().map(|operand| self.fetch(*operand, frame)).collect();
        let described = self.recorder.and_then(|r| r.describe(&self.plan.func, step, &inputs));
        let outcome = match &step.work {
            // Types are formatted only if a message needs them, but by then the kernel may have taken the operands.
            Work::Kernel(exe) => self.launch(step, exe.as_ref(), &mut inputs),
            work => {
                let types = Operands::of(&inputs);
                self.control(step, work, inputs, frame).map_err(|f| (f, types))
            }
        };
        let mut outputs = match outcome {
            Ok(outputs) => outputs,
            Err((Failure::Run(error), _)) => return Err(error),
            Err((Failure::Kernel(error), types)) => return Err(self.failed(step, error, &types)),
        };
        // The lengths of strings are known only once a kernel has made them.
        let counted = outputs.iter_mut().flatten().try_for_each(|v| v.count_strings(self.pool));
        counted.map_err(|error| self.failed(step, error, &Operands::default()))?;
        if let (Some(recorder), Some(start)) = (self.recorder, start) {
            recorder.record(step, described, start, &outputs);
        }
        for (place, output) in step.outputs.iter().zip(outputs) {
            if self.outputs.wants_parts()
                && let Some(output) = &output
            {
                self.outputs.part(*place, Partial::Whole(output));
            }
            if let Some(place) = *place {
                frame[place] = output;
            }
        }
        for &place in &step.dead {
            frame[place] = None;
        }
        Ok(())
    }
}
