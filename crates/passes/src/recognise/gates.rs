//! Products of a value with a function of itself: Swish, HardSwish, Mish.

use super::gelu::root_factors;
use crate::matching::{attribute, close_in, factors, with_scalar};
use crate::rewrite::{Change, Rewriter, instead, operand};
use trident_ir::{DType, Op, OpKind as K, ValueId, ops};

/// x·sigmoid(alpha·x), x·hard_sigmoid(x), x·tanh(softplus(x)).
pub(super) fn gate(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let mul = ops::Mul::of(op)?;
    let (a, b) = (mul.a(), mul.b());
    let dtype = cx.dtype(a)?;
    [(a, b), (b, a)].into_iter().find_map(|(x, gate)| {
        let producer = cx.producer(gate)?;
        let inner = operand(producer)?;
        match producer.kind {
            K::Sigmoid => {
                let (alpha, found) = if inner == x { (1.0, vec![x]) } else { factors(cx, inner) };
                let swish = ops::Swish::new(x).alpha(attribute(dtype, alpha)?);
                (found == [x]).then(|| instead(op, swish))
            }
            K::HardSigmoid if inner == x && is_hard_swish(producer, dtype) => {
                Some(instead(op, ops::HardSwish::new(x)))
            }
            K::Tanh if operand(&cx.made_by(inner, K::Softplus)?) == Some(x) => {
                Some(instead(op, ops::Mish::new(x)))
            }
            _ => None,
        }
    })
}

fn is_hard_swish(gate: &Op, dtype: DType) -> bool {
    ops::HardSigmoid::of(gate).is_some_and(|gate| {
        close_in(dtype, gate.alpha().into(), 1.0 / 6.0) && close_in(dtype, gate.beta().into(), 0.5)
    })
}

/// x·clip(x + 3, 0, 6)/6.
pub(super) fn hard_swish(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !matches!(op.kind, K::Mul | K::Div) {
        return None;
    }
    let (k, found) = root_factors(cx, op)?;
    let [a, b] = found.as_slice() else { return None };
    if !close_in(cx.dtype(*a)?, k, 1.0 / 6.0) {
        return None;
    }
    let clipped = |x: ValueId, gate: ValueId| {
        let clip = ops::Clip::of(cx.producer(gate)?)?;
        let bounds = (cx.scalar(clip.min()?)?, cx.scalar(clip.max()?)?);
        let add = cx.made_by(clip.x(), K::Add)?;
        let (inner, three, _) = with_scalar(cx, &add)?;
        let clips = bounds.0.to_bits() == 0 && bounds.1 == 6.0;
        (clips && three == 3.0 && inner == x).then_some(x)
    };
    let x = clipped(*a, *b).or_else(|| clipped(*b, *a))?;
    Some(instead(op, ops::HardSwish::new(x)))
}
