//! Ops whose result is their operand.

use crate::rewrite::{Change, Rewriter, operand, result};
use trident_ir::{Op, OpKind};

/// Identity and what amounts to it, by the rules of rows.
pub(super) fn no_op(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let (x, y) = (operand(op)?, result(op)?);
    let nothing = op.changes_nothing(cx.func, &|v| cx.constant(v));
    // A result that is a parameter, or another result, needs an op to carry its name.
    let carries_name = op.kind == OpKind::Identity
        && cx.is_result(y)
        && (cx.producer(x).is_none() || cx.is_result(x));
    (nothing && !carries_name).then(|| Change::Values(vec![Some(x)]))
}
