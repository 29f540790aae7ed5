//! If, Loop, Scan and fused ops: types through regions.

use super::error::ShapeError;
use super::{Infer, View, dims, join};
use crate::op::kinds::Ints;
use crate::op::view;
use crate::{AttrName, Block, DType, Dim, Op, OpKind, Type, ValueId, counted, ops};

impl Infer<'_> {
    /// Infers the regions of a control-flow op and the types of its results.
    pub(super) fn control(&mut self, op: &Op) -> Result<(), ShapeError> {
        match op.kind {
            OpKind::If => self.branches(op),
            OpKind::Loop => self.repeat(op),
            OpKind::Scan => self.scan(op),
            OpKind::Fused => self.fused(op),
            _ => op.regions.iter().try_for_each(|r| self.block(r)),
        }
    }

    fn wrong(&self, op: &Op, reason: impl Into<String>) -> ShapeError {
        ShapeError::Shape { op: op.name().into(), reason: reason.into() }
    }

    fn region<'a>(&self, op: &'a Op, i: usize) -> Result<&'a Block, ShapeError> {
        op.regions.get(i).ok_or_else(|| self.wrong(op, format!("has no subgraph {i}")))
    }

    /// The type of what a region yields.
    fn yielded(&self, op: &Op, block: &Block, i: usize) -> Result<Type, ShapeError> {
        let value = block.results.get(i);
        let value =
            value.ok_or_else(|| self.wrong(op, format!("a subgraph gives no output {i}")))?;
        Ok(self.func.ty(*value).clone())
    }

    fn branches(&mut self, op: &Op) -> Result<(), ShapeError> {
        let (yes, no) = (self.region(op, 0)?, self.region(op, 1)?);
        let condition = op.input(0).and_then(|v| self.known[v.index()].as_ref());
        let taken = condition.and_then(|k| k.ints()).and_then(|v| v.first().map(|v| *v != 0));
        let mut failed = [false; 2];
        for (i, block) in [yes, no].into_iter().enumerate() {
            // A branch that is not taken may have contradicting types: the condition may test exactly that.
            match self.block(block) {
                Err(ShapeError::Shape { .. }) if taken != Some(i == 0) => {
                    failed[i] = true;
                }
                other => other?,
            }
        }
        for (i, out) in op.outputs.iter().enumerate() {
            let Some(out) = *out else { continue };
            let (a, b) = (self.yielded(op, yes, i)?, self.yielded(op, no, i)?);
            let values =
                [yes, no].map(|r| r.results.get(i).and_then(|v| self.known[v.index()].clone()));
            let [x, y] = values;
            let (ty, known) = match (taken, failed) {
                (Some(true), _) | (None, [false, true]) => (a, x),
                (Some(false), _) | (None, [true, false]) => (b, y),
                (None, _) => {
                    let ty = join(&a, &b).ok_or_else(|| {
                        self.wrong(op, format!("the branches give {a} and {b} for output {i}"))
                    })?;
                    (ty, x.zip(y).and_then(|(x, y)| x.join(&y)))
                }
            };
            self.func.values[out.index()].ty = ty;
            self.follow(out, known);
        }
        Ok(())
    }

    /// Sets the types of a region's parameters. All that was found inside on an earlier round is void.
    fn enter(&mut self, op: &Op, body: &Block, types: &[Type]) -> Result<(), ShapeError> {
        if body.params.len() != types.len() {
            let (has, needs) = (body.params.len(), types.len());
            return Err(self.wrong(
                op,
                format!("the subgraph takes {}, expected {needs}", counted(has, "value")),
            ));
        }
        for (&param, ty) in body.params.iter().zip(types) {
            self.known[param.index()] = None;
            self.func.values[param.index()].ty = ty.clone();
        }
        self.block(body)
    }

    /// Runs a region until the types of carried values (parameters and results from these places on)
    /// no longer widen.
    fn fixpoint(
        &mut self,
        op: &Op,
        body: &Block,
        types: &mut [Type],
        (first_param, first_result, count): (usize, usize, usize),
    ) -> Result<(), ShapeError> {
        loop {
            self.enter(op, body, types)?;
            let mut stable = true;
            for i in 0..count {
                let next = self.yielded(op, body, first_result + i)?;
                let slot = &mut types[first_param + i];
                let wider = join(slot, &next).ok_or_else(|| {
                    self.wrong(op, format!("the value carried through the loop at position {i} is {slot} at first and then {next}"))
                })?;
                stable &= wider == *slot;
                *slot = wider;
            }
            if stable {
                return Ok(());
            }
        }
    }

    fn operand_type(&self, op: &Op, v: Option<ValueId>, i: usize) -> Result<Type, ShapeError> {
        let v = v.ok_or_else(|| self.wrong(op, format!("input {i} is missing")))?;
        Ok(self.func.ty(v).clone())
    }

    fn repeat(&mut self, op: &Op) -> Result<(), ShapeError> {
        let body = self.region(op, 0)?;
        let mut types = vec![Type::fixed(DType::I64, &[]), Type::fixed(DType::Bool, &[])];
        for (i, v) in op.inputs.iter().enumerate().skip(2) {
            types.push(self.operand_type(op, *v, i)?);
        }
        let carried = types.len() - 2;
        self.fixpoint(op, body, &mut types, (2, 1, carried))?;
        for (i, out) in op.outputs.iter().enumerate() {
            let Some(out) = *out else { continue };
            let ty = if i < carried {
                types[2 + i].clone()
            } else {
                stacked(&self.yielded(op, body, i + 1)?, Dim::Unknown, 0)
                    .ok_or_else(|| self.wrong(op, format!("output {i} is not a tensor")))?
            };
            self.func.values[out.index()].ty = ty;
            self.follow(out, None);
        }
        Ok(())
    }

    /// Regions of fused ops compute single elements.
    fn fused(&mut self, op: &Op) -> Result<(), ShapeError> {
        let body = self.region(op, 0)?;
        let mut types = vec![];
        for (i, v) in op.inputs.iter().enumerate() {
            types.push(self.operand_type(op, *v, i)?.with_shape(Some(vec![])));
        }
        self.enter(op, body, &types)?;
        let operands: Vec<usize> = (0..types.len()).collect();
        let shape = View { op, func: self.func, known: &self.known }.broadcast(&operands)?;
        let Some(out) = op.output(0) else { return Ok(()) };
        let ty = self.yielded(op, body, 0)?.with_shape(shape);
        self.func.values[out.index()].ty = ty;
        self.follow(out, None);
        Ok(())
    }

    fn scan(&mut self, op: &Op) -> Result<(), ShapeError> {
        let body = self.region(op, 0)?;
        let scanned = ops::Scan::of(op).and_then(|op| usize::try_from(op.num_scan_inputs()).ok());
        let states = scanned.and_then(|n| op.inputs.len().checked_sub(n)).ok_or_else(|| {
            self.wrong(op, "`num_scan_inputs` is greater than the number of inputs")
        })?;
        let at = ops::Scan::AT;
        let axis_of = |name: AttrName<Ints>, i: usize| {
            view::optional(op, name).and_then(|a| a.get(i)).copied()
        };
        let mut types = vec![];
        let mut length = Dim::Unknown;
        for (i, v) in op.inputs.iter().enumerate() {
            let ty = self.operand_type(op, *v, i)?;
            let Some(slice) = i.checked_sub(states) else {
                types.push(ty);
                continue;
            };
            let Type::Tensor(mut t) = ty else {
                return Err(self.wrong(op, format!("input {i} is not a tensor")));
            };
            if let Some(shape) = &mut t.shape {
                let axis = axis_of(at.scan_input_axes, slice).unwrap_or(0);
                let axis = crate::geometry::axis(axis, shape.len())
                    .map_err(|e| self.wrong(op, e.to_string()))?;
                let n = shape.remove(axis);
                length = dims::unify(&length, &n).ok_or_else(|| {
                    self.wrong(op, format!("the inputs to scan have {length} and {n} slices"))
                })?;
            }
            types.push(Type::Tensor(t));
        }
        self.fixpoint(op, body, &mut types, (0, 0, states))?;
        for (i, out) in op.outputs.iter().enumerate() {
            let Some(out) = *out else { continue };
            let ty = match i.checked_sub(states) {
                None => types[i].clone(),
                Some(slice) => {
                    let axis = axis_of(at.scan_output_axes, slice).unwrap_or(0);
                    let ty = self.yielded(op, body, i)?;
                    stacked(&ty, length.clone(), axis)
                        .ok_or_else(|| self.wrong(op, format!("output {i} cannot be stacked")))?
                }
            };
            self.func.values[out.index()].ty = ty;
            self.follow(out, None);
        }
        Ok(())
    }
}

/// The type of `n` tensors of a type stacked along a further axis.
fn stacked(ty: &Type, n: Dim, axis: i64) -> Option<Type> {
    let Type::Tensor(mut t) = ty.clone() else { return None };
    if let Some(shape) = &mut t.shape {
        let axis = crate::geometry::axis(axis, shape.len() + 1).ok()?;
        shape.insert(axis, n);
    }
    Some(Type::Tensor(t))
}
