//! Control flow: `if`, `loop`, `scan`.

use super::slices::{Slices, slice};
use super::{Failure, Frame, Run};
use crate::context::Partial;
use crate::plan::{BlockPlan, ScanPlan, Step, Work};
use trident_ir::element::B8;
use trident_ir::{DType, Dim, Type, ValueId, counted, geometry};
use trident_runtime::{KernelError, Tensor, Value};

impl<'a> Run<'a> {
    pub(super) fn control(
        &self,
        step: &'a Step,
        work: &'a Work,
        inputs: Vec<Option<Value>>,
        frame: &mut Frame,
    ) -> Result<Vec<Option<Value>>, Failure> {
        let results =
            match work {
                Work::If(branches) => {
                    let cond = self.truth(step, inputs.into_iter().next().flatten(), 0)?;
                    let [yes, no] = branches;
                    let cond = cond.ok_or(KernelError::Missing(0))?;
                    self.block(if cond { yes } else { no }, vec![], frame)?
                }
                Work::Loop(body) => self.repeat(step, body, inputs, frame)?,
                Work::Scan(scan) => self.scan(step, scan, inputs, frame)?,
                Work::Kernel(_) => return Err(KernelError::domain(
                    "internal error: not a control-flow operation; please report it with the model",
                )
                .into()),
            };
        Ok(results.into_iter().map(Some).collect())
    }

    /// `loop`: up to `trip_count` iterations while the condition holds.
    fn repeat(
        &self,
        step: &'a Step,
        body: &'a BlockPlan,
        inputs: Vec<Option<Value>>,
        frame: &mut Frame,
    ) -> Result<Vec<Value>, Failure> {
        let mut inputs = inputs.into_iter();
        let trips = match inputs.next().flatten() {
            Some(v) => scalar(&self.tensor(step, v, 0)?)?,
            None => i64::MAX,
        };
        let mut go_on = self.truth(step, inputs.next().flatten(), 1)?.unwrap_or(true);
        let mut carried = present(inputs, 2)?;
        let scans = body.results.len() - 1 - carried.len();
        let mut collected: Vec<Slices> =
            std::iter::repeat_with(Slices::default).take(scans).collect();
        let mut iteration = 0;
        while go_on && iteration < trips {
            self.go_on(step)?;
            let number = Tensor::from_slice(self.pool, &[], &[iteration])?;
            let cond = Tensor::from_slice(self.pool, &[], &[B8::from(true)])?;
            let mut args = vec![number.into(), cond.into()];
            let count = carried.len();
            args.append(&mut carried);
            let mut results = self.block(body, args, frame)?.into_iter();
            go_on = self.truth(step, results.next(), 1)?.unwrap_or(true);
            carried = results.by_ref().take(count).collect();
            for (k, (slices, value)) in collected.iter_mut().zip(results).enumerate() {
                let slice = self.slice(step, value, count + k, iteration as usize)?;
                slices.push(self.pool, &slice)?;
            }
            iteration += 1;
        }
        let places = body.results.iter().skip(1 + carried.len());
        let outputs = step.op.outputs.iter().skip(carried.len());
        let mut outputs = outputs.copied().chain(std::iter::repeat(None));
        for (slices, _) in collected.into_iter().zip(places) {
            let value = outputs.next().flatten();
            let stacked = match slices.dims() {
                None => self.no_slices(value)?,
                Some(_) => slices.stack(self.pool, 0, false)?,
            };
            carried.push(stacked.into());
        }
        Ok(carried)
    }

    /// The output of an iteration for result `i`, which is also passed to the caller's sink if there is one.
    fn slice(
        &self,
        step: &Step,
        value: Value,
        i: usize,
        iteration: usize,
    ) -> Result<Tensor, Failure> {
        if self.outputs.wants_parts() {
            let place = step.outputs.get(i).copied().flatten();
            self.outputs.part(place, Partial::Slice { iteration, value: &value });
        }
        self.tensor(step, value, 0)
    }

    /// A tensor whose elements are about to be read.
    fn tensor(&self, step: &Step, mut value: Value, index: usize) -> Result<Tensor, Failure> {
        self.settle(step, &mut value)?;
        match value {
            Value::Tensor(t) => Ok(t),
            other => {
                let actual = other.describe();
                Err(KernelError::Kind { index, actual, expected: "a tensor" }.into())
            }
        }
    }

    /// A condition: a bool tensor with one element.
    fn truth(
        &self,
        step: &Step,
        value: Option<Value>,
        index: usize,
    ) -> Result<Option<bool>, Failure> {
        let Some(value) = value else { return Ok(None) };
        let tensor = self.tensor(step, value, index)?;
        if tensor.dtype() != DType::Bool {
            let (actual, expected) = (tensor.dtype(), "bool".into());
            return Err(KernelError::DType { index, actual, expected }.into());
        }
        Ok(scalar(&tensor).map(|n| Some(n != 0))?)
    }

    /// The result of stacking no slices: no elements; the other dimensions as far as the result's type determines them.
    fn no_slices(&self, value: Option<ValueId>) -> Result<Tensor, KernelError> {
        let ty = value.map(|v| self.plan.func.ty(v));
        let dtype = ty.and_then(Type::dtype).unwrap_or(DType::F32);
        let mut dims: Vec<usize> = match ty.and_then(Type::shape) {
            Some(shape) => shape.iter().map(|d| Dim::fixed(d).unwrap_or(0)).collect(),
            None => vec![0],
        };
        if let Some(first) = dims.first_mut() {
            *first = 0;
        }
        Tensor::alloc(self.pool, dtype, &dims)
    }

    /// `scan`: one iteration for each slice of its sequences.
    fn scan(
        &self,
        step: &'a Step,
        scan: &'a ScanPlan,
        inputs: Vec<Option<Value>>,
        frame: &mut Frame,
    ) -> Result<Vec<Value>, Failure> {
        let (body, scanned) = (&scan.body, scan.sequences);
        let mut states = present(inputs.into_iter(), 0)?;
        let first = states.len().saturating_sub(scanned);
        let sequences = states.split_off(first);
        let sequences = sequences.into_iter().enumerate();
        let sequences: Vec<Tensor> =
            sequences.map(|(i, v)| self.tensor(step, v, first + i)).collect::<Result<_, _>>()?;
        let mut axes = Vec::with_capacity(scanned);
        let mut length = None;
        for (i, sequence) in sequences.iter().enumerate() {
            let axis =
                geometry::axis(scan.read.axis(i), sequence.rank()).map_err(KernelError::from)?;
            let n = sequence.dims()[axis];
            let expected = *length.get_or_insert(n);
            if n != expected {
                let text = format!("the inputs to scan have {expected} and {n} slices");
                return Err(KernelError::shape(text).into());
            }
            axes.push(axis);
        }
        let length = length.unwrap_or(0);
        let outputs = body.results.len() - states.len();
        let mut collected: Vec<Slices> =
            std::iter::repeat_with(Slices::default).take(outputs).collect();
        for i in 0..length {
            let count = states.len();
            let mut args = std::mem::take(&mut states);
            for (k, (sequence, &axis)) in sequences.iter().zip(&axes).enumerate() {
                let at = if scan.read.is_backwards(k) { length - 1 - i } else { i };
                args.push(slice(self.pool, sequence, axis, at)?.into());
            }
            let mut results = self.block(body, args, frame)?.into_iter();
            states = results.by_ref().take(count).collect();
            for (k, (slices, value)) in collected.iter_mut().zip(results).enumerate() {
                slices.push(self.pool, &self.slice(step, value, count + k, i)?)?;
            }
        }
        for (k, slices) in collected.into_iter().enumerate() {
            let stacked = match slices.dims() {
                None => self.no_slices(step.op.outputs.get(first + k).copied().flatten())?,
                Some(dims) => {
                    let axis = geometry::axis(scan.made.axis(k), dims.len() + 1)
                        .map_err(KernelError::from)?;
                    slices.stack(self.pool, axis, scan.made.is_backwards(k))?
                }
            };
            states.push(stacked.into());
        }
        Ok(states)
    }
}

/// All values; an absent one is an error.
fn present(
    values: impl Iterator<Item = Option<Value>>,
    offset: usize,
) -> Result<Vec<Value>, KernelError> {
    values.enumerate().map(|(i, v)| v.ok_or(KernelError::Missing(offset + i))).collect()
}

fn scalar(tensor: &Tensor) -> Result<i64, KernelError> {
    match tensor.to_i64s()?.as_slice() {
        [n] => Ok(*n),
        other => Err(KernelError::shape(format!(
            "has {}, expected one",
            counted(other.len(), "element")
        ))),
    }
}
