//! The states of an op's results from those of its operands.

use super::state::{Along, State, depends, mixed, rows};
use super::{Flow, Mixing, ROWS, shown};
use trident_ir::axes::{Axes, Axis, Label, OperandAxes, ResultAxes};
use trident_ir::shape::Expr;
use trident_ir::{Dim, Op, Type, ValueId};

/// The axis of operands that has the rows.
struct Carried {
    label: Label,
    along: Along,
    /// Its place in operand 0, if that has the rows.
    first: Option<usize>,
}

impl Flow<'_> {
    /// The states of the results of an op without regions.
    pub(super) fn transfer(&self, op: &Op) -> Vec<State> {
        let cause = op.used().find(|value| matches!(self.state(*value), State::Mixed(_)));
        if let Some(value) = cause {
            return vec![self.state(value).clone(); op.outputs.len()];
        }
        let axes = self.facts.axes(self.func, op);
        let states = match &axes {
            None => self.unstated(op),
            Some(axes) => self.stated(op, axes),
        };
        let states = states.unwrap_or_else(|reason| vec![mixed(op, reason); op.outputs.len()]);
        let settled = |(out, state): (&Option<ValueId>, State)| match out {
            Some(out) if self.is_settled(*out) => State::Shared,
            _ => state,
        };
        op.outputs.iter().zip(states).map(settled).collect()
    }

    /// Whether all elements of a small value are known, and none depends on the number of rows.
    fn is_settled(&self, value: ValueId) -> bool {
        self.facts.depends(value, ROWS).is_some_and(|all| !all.contains(&true))
    }

    /// Results of an op that states nothing: all axes mix.
    fn unstated(&self, op: &Op) -> Result<Vec<State>, Mixing> {
        if !op.decl().is_deterministic() {
            return Err(Mixing::Random);
        }
        let mut found = State::Shared;
        for value in op.used() {
            match self.state(value) {
                State::Rows(along) => return Err(self.across(value, along)),
                State::Sized if !self.is_settled(value) => found = State::Sized,
                _ => {}
            }
        }
        Ok(vec![found; op.outputs.len()])
    }

    fn across(&self, value: ValueId, along: &Along) -> Mixing {
        Mixing::Across { operand: self.func.info(value).name.clone(), axis: along.axis }
    }

    fn stated(&self, op: &Op, axes: &Axes) -> Result<Vec<State>, Mixing> {
        let carried = self.carried(op, axes)?;
        let mut is_sized = false;
        for (i, value) in present(op) {
            match (axes.operands.get(i), self.state(value)) {
                (Some(OperandAxes::Dims), State::Shared) => {}
                (Some(OperandAxes::Dims), _) => is_sized = true,
                (_, State::Sized) => is_sized = true,
                _ => {}
            }
        }
        match carried {
            Some(carried) => {
                self.unsized_operands(op, axes, &carried)?;
                self.shared_operands(op, axes, &carried)?;
                let result = |(i, sink)| {
                    let state = self.result(op, i, sink, &carried);
                    state.unwrap_or_else(|reason| mixed(op, reason))
                };
                Ok(axes.results.iter().enumerate().map(result).collect())
            }
            None if !is_sized => Ok(vec![State::Shared; op.outputs.len()]),
            None => {
                Ok(axes.results.iter().enumerate().map(|(i, s)| self.sized(op, i, s)).collect())
            }
        }
    }

    /// The label of the axes with rows, if operands have rows.
    fn carried(&self, op: &Op, axes: &Axes) -> Result<Option<Carried>, Mixing> {
        let mut found: Option<Carried> = None;
        for (i, value) in present(op) {
            let State::Rows(along) = self.state(value) else { continue };
            let source = axes.operands.get(i).ok_or_else(|| self.across(value, along))?;
            if *source == OperandAxes::Dims {
                continue;
            }
            let label = source.axis(along.axis).label().ok_or_else(|| self.across(value, along))?;
            let first = (i == 0).then_some(along.axis);
            match &mut found {
                None => found = Some(Carried { label, along: along.clone(), first }),
                Some(other) => {
                    let alike =
                        along.outer == other.along.outer && along.inner == other.along.inner;
                    if label != other.label || !alike {
                        return Err(Mixing::Apart);
                    }
                    other.first = other.first.or(first);
                }
            }
        }
        Ok(found)
    }

    /// Fails if numbers that depend on the number of rows are used for more than the axis of rows.
    fn unsized_operands(&self, op: &Op, axes: &Axes, carried: &Carried) -> Result<(), Mixing> {
        for (i, value) in present(op) {
            if *self.state(value) != State::Sized {
                continue;
            }
            let is_fine = match axes.operands.get(i) {
                Some(OperandAxes::Shape | OperandAxes::Dims) => true,
                Some(OperandAxes::Sizes(of)) => {
                    self.facts.depends(value, ROWS).is_some_and(|elems| {
                        let mut all = elems.iter().zip(of);
                        elems.len() == of.len()
                            && all.all(|(depends, axis)| !depends || Some(*axis) == carried.first)
                    })
                }
                _ => false,
            };
            if !is_fine {
                return Err(Mixing::Counts);
            }
        }
        Ok(())
    }

    /// Fails if an operand that all rows share has an axis of rows that does not repeat.
    fn shared_operands(&self, op: &Op, axes: &Axes, carried: &Carried) -> Result<(), Mixing> {
        for (i, value) in present(op) {
            let (State::Shared, Some(OperandAxes::Elements(own))) =
                (self.state(value), axes.operands.get(i))
            else {
                continue;
            };
            let dims = dims(self.func.ty(value));
            for (at, axis) in own.iter().enumerate() {
                let Axis::Carried { label, broadcasts } = *axis else { continue };
                let repeats = broadcasts && dims.and_then(|d| d.get(at)) == Some(&Dim::Fixed(1));
                if label == carried.label && !repeats {
                    let operand = self.func.info(value).name.clone();
                    return Err(Mixing::Fixed { operand });
                }
            }
        }
        Ok(())
    }

    /// The state of a result of an op whose operands have rows.
    fn result(
        &self,
        op: &Op,
        i: usize,
        sink: &ResultAxes,
        carried: &Carried,
    ) -> Result<State, Mixing> {
        let Some(out) = op.output(i) else { return Ok(State::Shared) };
        let shape = dims(self.func.ty(out));
        let merged = || Mixing::Merged { ty: shown(self.func.ty(out)) };
        let along = match sink {
            ResultAxes::Labels(labels) | ResultAxes::Repeated(labels) => {
                let at = labels.iter().position(|label| *label == Some(carried.label));
                let Some(axis) = at else {
                    let value = present(op).find_map(|(_, value)| match self.state(value) {
                        State::Rows(along) => Some(self.across(value, along)),
                        _ => None,
                    });
                    return Err(value.unwrap_or_else(merged));
                };
                Along { axis, ..carried.along.clone() }
            }
            ResultAxes::Reshaped => {
                let from = op.used().next().and_then(|x| dims(self.func.ty(x)));
                let both = from.zip(shape);
                both.and_then(|(from, to)| reshaped(from, &carried.along, to)).ok_or_else(merged)?
            }
        };
        match shape.is_none_or(|shape| along.fits(shape)) {
            true => Ok(State::Rows(along)),
            false => Err(merged()),
        }
    }

    /// The state of a result of an op whose operands depend on the number of rows alone.
    fn sized(&self, op: &Op, i: usize, sink: &ResultAxes) -> State {
        let Some(out) = op.output(i) else { return State::Sized };
        let (ResultAxes::Repeated(_), Some(shape)) = (sink, dims(self.func.ty(out))) else {
            return State::Sized;
        };
        // The operand itself must not depend on the number of rows, only the dimensions do.
        let repeats = |(j, value): (usize, ValueId)| j > 0 || *self.state(value) == State::Shared;
        let is_shape = op.inputs.len() == 1;
        if !(is_shape || present(op).all(repeats)) {
            return State::Sized;
        }
        repeated(shape).unwrap_or(State::Sized)
    }
}

/// The place of rows in a value that repeats along axes whose length depends on the number of rows.
fn repeated(shape: &[Dim]) -> Option<State> {
    let mut found = None;
    for (axis, dim) in shape.iter().enumerate() {
        if depends(dim)? {
            let inner = Expr::of(dim)?.div_exact(&rows())?;
            let along = Along { axis, outer: Expr::from(1), inner };
            if found.replace(along).is_some() {
                return None;
            }
        }
    }
    match found {
        Some(along) if along.inner.mentions(ROWS) => None,
        Some(along) => Some(State::Rows(along)),
        None => Some(State::Shared),
    }
}

/// The place of rows after the elements were put into other dimensions.
pub(super) fn reshaped(from: &[Dim], along: &Along, to: &[Dim]) -> Option<Along> {
    let before = product(&from[..along.axis])?.mul(&along.outer)?;
    let moved = |axis: usize| {
        let outer = before.div_exact(&product(&to[..axis])?)?;
        let inner = Expr::of(&to[axis])?.div_exact(&outer.mul(&rows())?)?;
        (!inner.mentions(ROWS)).then_some(Along { axis, outer, inner })
    };
    (0..to.len()).filter(|&axis| depends(&to[axis]) == Some(true)).find_map(moved)
}

fn product(dims: &[Dim]) -> Option<Expr> {
    dims.iter().try_fold(Expr::from(1), |total, dim| total.mul(&Expr::of(dim)?))
}

/// The dimensions of a tensor, or of the items of a sequence or optional value.
pub(super) fn dims(mut ty: &Type) -> Option<&[Dim]> {
    while let Type::Seq(inner) | Type::Optional(inner) = ty {
        ty = inner;
    }
    ty.shape()
}

pub(super) fn present(op: &Op) -> impl Iterator<Item = (usize, ValueId)> + '_ {
    op.inputs.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)?)))
}
