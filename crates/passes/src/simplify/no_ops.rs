//! Ops whose result is their operand.

use crate::rewrite::{Change, Rewriter};
use trident_ir::{Op, OpKind as K};

/// Identity and what amounts to it.
pub(super) fn no_op(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let x = op.input(0)?;
    let y = op.output(0)?;
    let nothing = match op.kind {
        K::Identity => true,
        K::Cast => cx.dtype(x) == op.dtype("to"),
        K::Dropout => op.output(1).is_none() && inference(cx, op),
        K::Concat | K::Sum | K::Max | K::Min | K::Mean => op.inputs.len() == 1,
        K::Clip => op.input(1).is_none() && op.input(2).is_none(),
        K::Pad => cx.ints(op.input(1)?).is_some_and(|p| p.iter().all(|n| *n == 0)),
        K::Tile => cx.ints(op.input(1)?).is_some_and(|r| r.iter().all(|n| *n == 1)),
        K::Transpose => op.ints("perm").map_or(cx.rank(x).is_some_and(|r| r <= 1), |perm| {
            perm.iter().enumerate().all(|(i, p)| *p == i as i64)
        }),
        // The same elements in the same dimensions.
        K::Reshape | K::Squeeze | K::Unsqueeze | K::Flatten | K::Expand => cx.same_shape(x, y),
        K::Slice => {
            let forward = match op.input(4) {
                None => true,
                Some(steps) => cx.ints(steps).is_some_and(|s| s.iter().all(|n| *n == 1)),
            };
            forward && cx.same_shape(x, y)
        }
        K::Split => op.outputs.len() == 1,
        _ => false,
    };
    // A result that is a parameter, or another result, needs an op to carry its name.
    let carries_name =
        op.kind == K::Identity && cx.is_result(y) && (cx.producer(x).is_none() || cx.is_result(x));
    (nothing && !carries_name).then(|| Change::Values(vec![Some(x)]))
}

/// Whether a Dropout lets everything through.
fn inference(cx: &Rewriter<'_>, op: &Op) -> bool {
    match op.input(2) {
        None => true,
        Some(v) => {
            let mode = cx.constant(v).and_then(|t| t.to_vec::<trident_ir::element::B8>());
            mode.is_some_and(|m| m.first().is_some_and(|b| !bool::from(*b)))
        }
    }
}
