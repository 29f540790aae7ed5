//! Rows through regions.

use super::state::{Along, State, mixed};
use super::transfer::dims;
use super::{Flow, Mixing, shown};
use std::rc::Rc;
use trident_ir::control::{Param, Yield, params, yields};
use trident_ir::{Block, Dim, Op, OpKind, ValueId, geometry, ops};

impl Flow<'_> {
    /// The states of the results of an op with regions.
    pub(super) fn control(&mut self, op: &Op) -> Vec<State> {
        let states = match op.kind {
            OpKind::If => self.branches(op),
            OpKind::Loop | OpKind::Scan => self.repeat(op),
            OpKind::Fused => self.fused(op),
            _ => Err(Mixing::Runs),
        };
        states.unwrap_or_else(|reason| vec![mixed(op, reason); op.outputs.len()])
    }

    fn branches(&mut self, op: &Op) -> Result<Vec<State>, Mixing> {
        let (Some(cond), [yes, no]) = (ops::If::of(op).map(|op| op.cond()), &op.regions[..]) else {
            return Err(Mixing::Runs);
        };
        // Shapes of the other branch may contradict those of this model.
        let taken = self.facts.ints(cond).and_then(|cond| Some(*cond.first()? != 0));
        let mut ends = vec![];
        for block in [(true, yes), (false, no)]
            .into_iter()
            .filter(|(side, _)| taken.is_none_or(|t| t == *side))
        {
            self.block(block.1);
            ends.push(block.1.results.iter().map(|v| self.state(*v).clone()).collect::<Vec<_>>());
        }
        match self.state(cond) {
            State::Mixed(cause) => {
                return Ok(vec![State::Mixed(Rc::clone(cause)); op.outputs.len()]);
            }
            State::Shared => {}
            State::Sized | State::Rows(_) if taken.is_none() => return Err(Mixing::Runs),
            State::Sized | State::Rows(_) => {}
        }
        let [first, rest @ ..] = &ends[..] else { return Err(Mixing::Runs) };
        let join = |i: usize| {
            let state = first.get(i)?.clone();
            rest.iter().try_fold(state, |state, other| state.join(other.get(i)?))
        };
        (0..op.outputs.len()).map(|i| join(i).ok_or(Mixing::Runs)).collect()
    }

    /// Loop and Scan: the states of carried values are followed until they stay.
    fn repeat(&mut self, op: &Op) -> Result<Vec<State>, Mixing> {
        let body = op.regions.first().ok_or(Mixing::Runs)?;
        if let Some(runs) = ops::Loop::of(op) {
            for value in [runs.trip_count(), runs.cond()].into_iter().flatten() {
                match self.state(value) {
                    State::Shared => {}
                    State::Mixed(cause) => {
                        return Ok(vec![State::Mixed(Rc::clone(cause)); op.outputs.len()]);
                    }
                    State::Sized | State::Rows(_) => return Err(Mixing::Runs),
                }
            }
        }
        let takes = params(op);
        let mut states: Vec<State> =
            takes.iter().map(|param| self.taken(op, *param)).collect::<Result<_, _>>()?;
        let gives = yields(op);
        loop {
            for (param, state) in body.params.iter().zip(&states) {
                self.states[param.index()] = state.clone();
            }
            self.block(body);
            let mut changed = false;
            for (result, give) in body.results.iter().zip(&gives) {
                let end = self.state(*result).clone();
                match give {
                    Yield::Condition => match end {
                        State::Shared => {}
                        State::Mixed(cause) => {
                            return Ok(vec![State::Mixed(cause); op.outputs.len()]);
                        }
                        State::Sized | State::Rows(_) => return Err(Mixing::Runs),
                    },
                    Yield::Last(i) => {
                        let Some(at) = carried_by(op, *i) else { continue };
                        let joined =
                            states[at].join(&end).unwrap_or_else(|| mixed(op, Mixing::Runs));
                        changed |= joined != states[at];
                        states[at] = joined;
                    }
                    Yield::Slice(_) => {}
                }
            }
            if !changed {
                return Ok(self.ends(op, body, &gives, &states));
            }
        }
    }

    /// The state that a parameter of a body has at first.
    fn taken(&self, op: &Op, param: Param) -> Result<State, Mixing> {
        let operand =
            |i: usize| op.input(i).map_or(State::Shared, |value| self.state(value).clone());
        match param {
            Param::Iteration | Param::Condition => Ok(State::Shared),
            Param::Carried(i) => Ok(operand(i)),
            Param::Slice(i) => {
                let (State::Rows(along), Some(value)) = (operand(i), op.input(i)) else {
                    return Ok(operand(i));
                };
                let axis = self.scanned(op, i, value).ok_or(Mixing::Runs)?;
                let name = || self.func.info(value).name.clone();
                match along.axis {
                    own if own == axis => Err(Mixing::Across { operand: name(), axis }),
                    own => Ok(State::Rows(Along { axis: own - usize::from(own > axis), ..along })),
                }
            }
        }
    }

    /// The axis that a scan takes operand `i` along.
    fn scanned(&self, op: &Op, i: usize, value: ValueId) -> Option<usize> {
        let scan = ops::Scan::of(op)?;
        let place = i.checked_sub(head_of_slices(op)?)?;
        let axis = scan.scan_input_axes().and_then(|axes| axes.get(place)).copied().unwrap_or(0);
        geometry::axis(axis, dims(self.func.ty(value))?.len()).ok()
    }

    /// The states of the results of a loop whose body was followed.
    fn ends(&self, op: &Op, body: &Block, gives: &[Yield], carried: &[State]) -> Vec<State> {
        let end = |i: usize| {
            let slice = |(give, value): (&Yield, &ValueId)| {
                matches!(give, Yield::Slice(j) if *j == i).then_some(*value)
            };
            let last = || carried_by(op, i).and_then(|at| carried.get(at)).cloned();
            match gives.iter().zip(&body.results).find_map(slice) {
                Some(value) => self.stacked(op, i, value),
                None => last().unwrap_or_else(|| mixed(op, Mixing::Runs)),
            }
        };
        (0..op.outputs.len()).map(end).collect()
    }

    /// The state of slices that are stacked along a further axis.
    fn stacked(&self, op: &Op, i: usize, value: ValueId) -> State {
        let State::Rows(along) = self.state(value) else { return self.state(value).clone() };
        let axis = match ops::Scan::of(op) {
            None => Some(0),
            Some(scan) => head_of_slices(op).and_then(|states| {
                let axes = scan.scan_output_axes();
                let axis = axes.and_then(|axes| axes.get(i.checked_sub(states)?));
                let rank = dims(self.func.ty(value))?.len() + 1;
                geometry::axis(axis.copied().unwrap_or(0), rank).ok()
            }),
        };
        let Some(new) = axis else { return mixed(op, Mixing::Runs) };
        let axis = along.axis + usize::from(new <= along.axis);
        State::Rows(Along { axis, ..along.clone() })
    }

    /// A chain of elementwise ops: operands broadcast together.
    fn fused(&mut self, op: &Op) -> Result<Vec<State>, Mixing> {
        let rank = op.output(0).and_then(|y| Some(dims(self.func.ty(y))?.len()));
        let mut found: Option<Along> = None;
        let mut is_sized = false;
        for value in op.used() {
            match self.state(value) {
                State::Mixed(cause) => {
                    return Ok(vec![State::Mixed(Rc::clone(cause)); op.outputs.len()]);
                }
                State::Sized => is_sized = true,
                State::Shared => {}
                State::Rows(along) => {
                    let own = dims(self.func.ty(value)).map(<[Dim]>::len);
                    let shift = rank.zip(own).and_then(|(rank, own)| rank.checked_sub(own));
                    let axis = along.axis + shift.ok_or(Mixing::Apart)?;
                    let along = Along { axis, ..along.clone() };
                    if found.replace(along.clone()).is_some_and(|other| other != along) {
                        return Err(Mixing::Apart);
                    }
                }
            }
        }
        let Some(along) = found else {
            return Ok(vec![if is_sized { State::Sized } else { State::Shared }; op.outputs.len()]);
        };
        if is_sized {
            return Err(Mixing::Counts);
        }
        for value in op.used().filter(|value| *self.state(*value) == State::Shared) {
            let own = dims(self.func.ty(value)).ok_or(Mixing::Apart)?;
            let shift = rank.and_then(|rank| rank.checked_sub(own.len())).ok_or(Mixing::Apart)?;
            let at = along.axis.checked_sub(shift).and_then(|at| own.get(at));
            if at.is_some_and(|dim| *dim != Dim::Fixed(1)) {
                return Err(Mixing::Fixed { operand: self.func.info(value).name.clone() });
            }
        }
        let result = op.output(0).map(|y| self.func.ty(y));
        match result.and_then(dims).is_none_or(|dims| along.fits(dims)) {
            true => Ok(vec![State::Rows(along); op.outputs.len()]),
            false => Err(Mixing::Merged { ty: result.map(shown).unwrap_or_default() }),
        }
    }
}

/// The parameter of the body that takes the values that a result has at last.
fn carried_by(op: &Op, result: usize) -> Option<usize> {
    let takes = params(op);
    let mut carried = (0..takes.len()).filter(|&i| matches!(takes[i], Param::Carried(_)));
    carried.nth(result)
}

/// Operands of a scan before those that it takes in slices, which are also its results before the stacked ones.
fn head_of_slices(op: &Op) -> Option<usize> {
    let slices = usize::try_from(ops::Scan::of(op)?.num_scan_inputs()).ok()?;
    op.inputs.len().checked_sub(slices)
}
