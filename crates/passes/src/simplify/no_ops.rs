//! Ops whose result is their operand.

use crate::rewrite::{Change, Rewriter, operand, result};
use trident_ir::{Op, OpKind as K, ValueId, element, ops};

/// Identity and what amounts to it.
pub(super) fn no_op(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let (x, y) = (operand(op)?, result(op)?);
    let all = |v: ValueId, number: i64| cx.ints(v).is_some_and(|n| n.iter().all(|n| *n == number));
    let nothing = match op.kind {
        K::Identity => true,
        K::Cast => cx.dtype(x) == Some(ops::Cast::of(op)?.to()),
        K::Dropout => {
            let dropout = ops::Dropout::of(op)?;
            dropout.mask().is_none() && dropout.training_mode().is_none_or(|v| is_false(cx, v))
        }
        K::Concat | K::Sum | K::Max | K::Min | K::Mean => op.inputs.len() == 1,
        K::Clip => op.used().count() == 1,
        K::Pad => all(ops::Pad::of(op)?.pads(), 0),
        K::Tile => all(ops::Tile::of(op)?.repeats(), 1),
        K::Transpose => match ops::Transpose::of(op)?.perm() {
            None => cx.rank(x).is_some_and(|rank| rank <= 1),
            Some(perm) => perm.iter().enumerate().all(|(i, p)| *p == i as i64),
        },
        // The same elements in the same dimensions.
        K::Reshape | K::Squeeze | K::Unsqueeze | K::Flatten | K::Expand => cx.same_shape(x, y),
        K::Slice => {
            let forward = ops::Slice::of(op)?.steps().is_none_or(|steps| all(steps, 1));
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

/// Whether a value is known to be false.
fn is_false(cx: &Rewriter<'_>, value: ValueId) -> bool {
    let elements = cx.constant(value).and_then(|t| t.to_vec::<element::B8>());
    elements.is_some_and(|all| all.first().is_some_and(|b| !bool::from(*b)))
}
