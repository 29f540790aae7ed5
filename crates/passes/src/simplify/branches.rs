//! Control flow whose way is known.

use crate::rewrite::{Change, Rewriter};
use trident_ir::element::B8;
use trident_ir::{Op, ValueId, ops};

fn truth(cx: &Rewriter<'_>, value: ValueId) -> Option<bool> {
    cx.constant(value)?.to_vec::<B8>()?.first().map(|b| bool::from(*b))
}

/// An If of a constant condition is the branch taken.
pub(super) fn constant_if(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let taken = usize::from(!truth(cx, ops::If::of(op)?.cond())?);
    op.regions.get(taken).cloned().map(Change::Block)
}

/// Replaces a Loop that never runs by its initial values, if it stacks no outputs.
pub(super) fn no_trips(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let repeat = ops::Loop::of(op)?;
    if repeat.outputs().len() != repeat.init().len() {
        return None;
    }
    let none =
        repeat.trip_count().and_then(|v| cx.ints(v)).is_some_and(|n| n.iter().all(|n| *n <= 0));
    let never = repeat.cond().and_then(|v| truth(cx, v)) == Some(false);
    (none || never).then(|| Change::Values(repeat.init().map(Some).collect()))
}
