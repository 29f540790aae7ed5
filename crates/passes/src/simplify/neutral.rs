//! Arithmetic with a neutral element, only where the result is the operand bit by bit.

use crate::rewrite::{Change, Rewriter, instead, pair, result};
use trident_ir::{Op, OpKind as K, ValueId, ops};

/// x·1, x/1, x−0, x+(−0), x^1, and the same of integers.
pub(super) fn neutral(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let (a, b) = pair(op)?;
    let y = result(op)?;
    let found = match op.kind {
        K::Mul => [(a, b), (b, a)].into_iter().find(|(_, k)| is(cx, *k, 1.0, 1)),
        K::Div | K::Pow => Some((a, b)).filter(|(_, k)| is(cx, *k, 1.0, 1)),
        K::Sub => Some((a, b)).filter(|(_, k)| is(cx, *k, 0.0, 0)),
        // −0 + 0 is 0, so only −0 leaves every number as it is.
        K::Add => [(a, b), (b, a)].into_iter().find(|(_, k)| is(cx, *k, -0.0, 0)),
        _ => None,
    };
    let (x, _) = found?;
    (cx.dtype(x) == cx.dtype(y) && cx.same_shape(x, y)).then(|| Change::Values(vec![Some(x)]))
}

/// Whether all elements of a constant are this number.
fn is(cx: &Rewriter<'_>, value: ValueId, float: f64, int: i64) -> bool {
    match cx.uniform(value) {
        Some(v) => v.to_bits() == float.to_bits(),
        None => cx.ints(value).is_some_and(|v| !v.is_empty() && v.iter().all(|n| *n == int)),
    }
}

/// Rewrites Sum(a, b) as Add, which more fusions match.
pub(super) fn sum_to_add(_: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let (a, b) = pair(op).filter(|_| op.kind == K::Sum)?;
    Some(instead(op, ops::Add::new(a, b)))
}
