//! Submits a step to its device, waits where necessary, and attributes failures.

use super::streams::InFlight;
use super::{Failure, Run};
use crate::context::{CancelFlag, Deadline};
use crate::error::{OpFailure, RunError, RunPoint};
use crate::plan::{Plan, Step};
use std::cell::Cell;
use std::time::{Duration, Instant};
use trident_ir::DType;
use trident_ir::literal::checked_len;
use trident_runtime::{
    Buffer, Executable, Fence, KernelError, Launch, OutputShape, Outputs, Stream, Tensor, Value,
};

/// Interval at which a waiting run checks its cancel flag.
const LOOK: Duration = Duration::from_millis(1);

/// The results of a step, or its failure together with its operands' types.
pub(super) type Outcome = Result<Vec<Option<Value>>, (Failure, Operands)>;

impl<'a> Run<'a> {
    /// Submits a kernel. Its results may still be pending when this returns.
    pub(super) fn launch(
        &self,
        step: &'a Step,
        exe: &dyn Executable,
        inputs: &mut [Option<Value>],
    ) -> Outcome {
        // Types are formatted only if a message needs them, but by then the kernel may have taken the operands.
        let mut operands = self.spare.take();
        operands.note(inputs);
        let stream = self.streams.of(step.choice.place);
        let submitted = self.submit(step, exe, stream, inputs);
        let (outputs, fence) = match submitted {
            Ok(submitted) => submitted,
            Err(failure) => return Err((failure, operands)),
        };
        if fence.outcome() != Some(Ok(())) {
            self.streams.push(InFlight { fence: fence.clone(), step, operands });
        } else {
            self.spare.set(operands);
        }
        self.outputs(step, exe, outputs, &fence).map_err(|failure| (failure, Operands::default()))
    }

    fn submit(
        &self,
        step: &Step,
        exe: &dyn Executable,
        stream: &dyn Stream,
        inputs: &mut [Option<Value>],
    ) -> Result<(Outputs, Fence), Failure> {
        let mut after = vec![];
        for input in inputs.iter_mut().flatten() {
            let fence = input.as_tensor().and_then(Tensor::fence);
            let Some(fence) = fence.filter(|fence| !fence.is_passed()).cloned() else { continue };
            // A synchronous device would wait as well, but could not give up at the deadline.
            match stream.is_synchronous() {
                true => self.wait(step, &fence)?.map_err(KernelError::dependency)?,
                false => after.push(fence),
            }
        }
        let given = inputs.iter().flatten().count();
        let bound = Cell::new(false);
        let mut alloc = |i: usize, dtype, dims: &[usize]| {
            if let Some(memory) = self.bound(step, i, dtype, dims) {
                bound.set(true);
                return Ok(memory);
            }
            if let Some(buffer) = self.planned(step, i, dtype, dims) {
                return Tensor::from_buffer(dtype, dims, buffer);
            }
            match Tensor::alloc(self.pool, dtype, dims) {
                // Launches in flight hold memory that will soon be free.
                Err(KernelError::TooLarge { .. }) if self.streams.quiesce() => {
                    Tensor::alloc(self.pool, dtype, dims)
                }
                other => other,
            }
        };
        let foretold = cfg!(debug_assertions).then(|| exe.shapes(inputs));
        let limits = self.limits;
        let mut submit = |inputs: &mut [Option<Value>]| {
            let mut launch = Launch { inputs, alloc: &mut alloc, pool: self.pool, limits };
            KernelError::caught(|| exe.submit(stream, &mut launch, &after))
        };
        let submitted = match submit(inputs) {
            // So do temporaries. A launch can only be retried before it consumes its operands.
            Err(KernelError::TooLarge { .. })
                if inputs.iter().flatten().count() == given
                    && !bound.get()
                    && self.streams.quiesce() =>
            {
                submit(inputs)
            }
            other => other,
        }?;
        if let (Some(foretold), Outputs::Known(outputs)) = (foretold, &submitted.outputs) {
            agree(step, foretold, outputs)?;
        }
        Ok((submitted.outputs, submitted.fence))
    }

    /// The results. Waits for those whose types are known only after the launch.
    fn outputs(
        &self,
        step: &Step,
        exe: &dyn Executable,
        outputs: Outputs,
        fence: &Fence,
    ) -> Result<Vec<Option<Value>>, Failure> {
        let waits = matches!(outputs, Outputs::Later(_)) || self.recorder.is_some();
        if waits && self.wait(step, fence)?.is_err() {
            self.drain()?;
        }
        let outputs = match outputs {
            Outputs::Known(outputs) => outputs,
            Outputs::Later(later) => later.wait()?,
        };
        // Missing results of a kernel would otherwise surface far from here.
        let complete = step
            .results
            .iter()
            .enumerate()
            .all(|(i, wanted)| wanted.is_none() || outputs.get(i).is_some_and(Option::is_some));
        if complete {
            return Ok(outputs);
        }
        let kernel = exe.kernel();
        Err(KernelError::domain(format!("kernel `{kernel}` gave too few results")).into())
    }

    /// The caller's memory for a result, if it has this type.
    fn bound(&self, step: &Step, i: usize, dtype: DType, dims: &[usize]) -> Option<Tensor> {
        let place = (*step.outputs.get(i)?)?;
        self.outputs.memory(place, dtype, dims)
    }

    /// The planned memory of a result, if there is any and it is large enough.
    fn planned(&self, step: &Step, i: usize, dtype: DType, dims: &[usize]) -> Option<Buffer> {
        let (plan, arena) = self.memory.as_ref()?;
        let place = (*step.outputs.get(i)?)?;
        let part = (*plan.parts.get(place)?)?;
        let len = checked_len(dims)?.checked_mul(dtype.size())?;
        if len > part.len || dtype == DType::Str {
            return None;
        }
        arena.alloc(part.offset, len)
    }

    /// An error if the run must stop before this step.
    pub(super) fn go_on(&self, step: &Step) -> Result<(), RunError> {
        if self.cancel.as_ref().is_some_and(CancelFlag::is_cancelled) {
            return Err(RunError::Cancelled { at: step.point() });
        }
        match self.deadline.filter(|d| Instant::now() >= d.at) {
            Some(Deadline { limit, .. }) => Err(RunError::Deadline { at: step.point(), limit }),
            None => Ok(()),
        }
    }

    /// Waits for a launch until the run's deadline at most, and returns its outcome.
    pub(super) fn wait(
        &self,
        step: &Step,
        fence: &Fence,
    ) -> Result<Result<(), KernelError>, RunError> {
        if self.deadline.is_none() && self.cancel.is_none() {
            return Ok(fence.wait());
        }
        loop {
            // Setting the flag does not wake a waiting run.
            let look = self.cancel.as_ref().map(|_| Instant::now() + LOOK);
            let until = [self.deadline.map(|d| d.at), look].into_iter().flatten().min();
            match until.map_or_else(|| Some(fence.wait()), |until| fence.wait_until(until)) {
                Some(outcome) => return Ok(outcome),
                None => self.go_on(step)?,
            }
        }
    }

    /// Waits until the elements of a value that this step reads are available.
    pub(super) fn settle(&self, step: &Step, value: &mut Value) -> Result<(), Failure> {
        if let Some(fence) = value.as_tensor().and_then(Tensor::fence) {
            self.wait(step, fence)?.map_err(KernelError::dependency)?;
        }
        Ok(value.settle()?)
    }

    /// Waits for all launches in flight; returns the error of the first that failed. No launch depends on a later one,
    /// so that is the original failure.
    pub(super) fn drain(&self) -> Result<(), RunError> {
        for InFlight { fence, step, operands } in self.streams.take() {
            if let Err(error) = self.wait(step, &fence)? {
                return Err(self.error(step, error, &operands));
            }
        }
        Ok(())
    }

    /// The error of a run in which a step failed: the step's error, unless it results from an earlier failure.
    pub(super) fn failed(&self, step: &Step, error: KernelError, operands: &Operands) -> RunError {
        match self.drain() {
            Err(first) => first,
            Ok(()) => match error {
                // The device has stopped it where the run would have been stopped, too.
                KernelError::Cancelled => self.go_on(step).err(),
                _ => None,
            }
            .unwrap_or_else(|| self.error(step, error, operands)),
        }
    }

    /// The name of a step's operand in errors: the tensor's, or the op's own where the operand is absent.
    fn operand_name(&self, step: &Step, i: usize) -> String {
        if let Some(value) = step.operands.get(i).copied().flatten() {
            return format!("`{}`", self.plan.func.info(value).name);
        }
        let declared = match step.point() {
            RunPoint::Op(op) => op.kind.decl().operand(i),
            _ => None,
        };
        declared.map_or_else(|| format!("input {i}"), |operand| format!("input `{}`", operand.name))
    }

    fn error(&self, step: &Step, error: KernelError, operands: &Operands) -> RunError {
        let at = step.point();
        match error {
            KernelError::Panic(message) => RunError::Panic { at, message },
            source => {
                let operands = operands.describe(self.plan, step);
                let reason = source.with_names(|i| self.operand_name(step, i));
                RunError::Op(Box::new(OpFailure { at, operands, reason, source }))
            }
        }
    }
}

/// With debug assertions: an error if results differ from the executable's prediction, which is a bug in the device.
fn agree(
    step: &Step,
    foretold: Result<Vec<OutputShape>, KernelError>,
    outputs: &[Option<Value>],
) -> Result<(), RunError> {
    let wrong = |message: String| RunError::Panic { at: step.point(), message };
    let foretold =
        foretold.map_err(|e| wrong(format!("the prediction of its results failed: {e}")))?;
    for (i, shape) in foretold.iter().enumerate() {
        let output = outputs.get(i).and_then(Option::as_ref);
        if !shape.fits(output) {
            let actual = output.map_or("nothing".into(), Value::describe);
            return Err(wrong(format!("result {i} is {actual}, predicted as {shape:?}")));
        }
    }
    Ok(())
}

/// The operands' types of a step: recorded cheaply, formatted only for a message.
#[derive(Default)]
pub(crate) struct Operands {
    /// Element type, if it is a tensor, and its rank, the number of its entries in `dims`; `None` if absent.
    each: Vec<Option<(Option<DType>, usize)>>,
    dims: Vec<usize>,
}

impl Operands {
    pub(super) fn of(inputs: &[Option<Value>]) -> Operands {
        let mut operands = Operands::default();
        operands.note(inputs);
        operands
    }

    /// Records these operands, replacing the previous ones.
    fn note(&mut self, inputs: &[Option<Value>]) {
        self.each.clear();
        self.dims.clear();
        for input in inputs {
            self.each.push(input.as_ref().map(|value| match value {
                Value::Tensor(t) => {
                    self.dims.extend_from_slice(t.dims());
                    (Some(t.dtype()), t.rank())
                }
                _ => (None, 0),
            }));
        }
    }

    fn describe(&self, plan: &Plan, step: &Step) -> String {
        let (mut each, mut dims) = (self.each.iter(), self.dims.as_slice());
        let operands = step.operands.iter().map(|value| {
            let given = each.next().copied().flatten();
            let (own, rest) = dims.split_at(given.map_or(0, |(_, rank)| rank).min(dims.len()));
            dims = rest;
            let Some(value) = *value else { return "absent".into() };
            let info = plan.func.info(value);
            match given {
                Some((Some(dtype), _)) => {
                    format!("{}: {}", info.name, trident_ir::Type::fixed(dtype, own))
                }
                Some((None, _)) | None => format!("{}: {}", info.name, info.ty),
            }
        });
        operands.collect::<Vec<_>>().join(", ")
    }
}
