//! Control flow whose way is known.

use crate::rewrite::{Change, Rewriter};
use trident_ir::element::B8;
use trident_ir::{Op, OpKind as K};

fn truth(cx: &Rewriter<'_>, op: &Op, i: usize) -> Option<bool> {
    cx.constant_input(op, i)?.to_vec::<B8>()?.first().map(|b| bool::from(*b))
}

/// An If of a constant condition is the branch taken.
pub(super) fn constant_if(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::If {
        return None;
    }
    let taken = usize::from(!truth(cx, op, 0)?);
    op.regions.get(taken).cloned().map(Change::Block)
}

/// A Loop that never runs gives its initial values, if it stacks nothing.
pub(super) fn no_trips(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Loop || op.outputs.len() + 2 != op.inputs.len() {
        return None;
    }
    let none = cx
        .constant_input(op, 0)
        .and_then(|t| t.to_i64s())
        .is_some_and(|n| n.iter().all(|n| *n <= 0));
    (none || truth(cx, op, 1) == Some(false)).then(|| Change::Values(op.inputs[2..].to_vec()))
}
