//! The values that cross the boundary of a unit.

use super::lifetime::Ends;
use std::collections::HashSet;
use trident_ir::{Op, ValueId};

/// The values that cross the boundary of a unit of several ops.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Border {
    /// Incoming values, in the order of their first use, and whether they are unused after the unit.
    pub(super) inputs: Vec<(ValueId, bool)>,
    /// Outgoing values, in the order in which they are defined.
    pub(super) outputs: Vec<ValueId>,
    /// Values from outside whose last use is inside, but which are not inputs.
    pub(super) dead: Vec<ValueId>,
}

impl Border {
    pub(super) fn of(ops: &[(Op, Ends)]) -> Border {
        let defined: HashSet<ValueId> = ops.iter().flat_map(|(op, _)| op.defined()).collect();
        let mut ended = HashSet::new();
        let mut inputs: Vec<(ValueId, bool)> = vec![];
        for (op, ends) in ops {
            ended.extend(ends.dead.iter().copied());
            for (value, moved) in op.inputs.iter().zip(&ends.moved) {
                let Some(value) = *value else { continue };
                if *moved {
                    ended.insert(value);
                }
                if !defined.contains(&value) && !inputs.iter().any(|(v, _)| *v == value) {
                    inputs.push((value, false));
                }
            }
        }
        for (value, last) in &mut inputs {
            *last = ended.contains(value);
        }
        let made = ops.iter().flat_map(|(op, _)| op.defined());
        let outputs = made.filter(|v| !ended.contains(v)).collect();
        let comes_in = |v: &ValueId| inputs.iter().any(|(input, _)| input == v);
        let dead = ended.iter().filter(|v| !defined.contains(v) && !comes_in(v)).copied();
        let dead = dead.collect();
        Border { inputs, outputs, dead }
    }
}
