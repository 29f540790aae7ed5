//! Products of a value with a function of itself: Swish, HardSwish, Mish.

use super::gelu::root_factors;
use super::matching::{attribute, close_in, factors, with_scalar};
use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::{Attr, DType, Op, OpKind as K, ValueId};

/// x·sigmoid(alpha·x), x·hard_sigmoid(x), x·tanh(softplus(x)).
pub(super) fn gate(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Mul {
        return None;
    }
    let (a, b) = (op.input(0)?, op.input(1)?);
    let dtype = cx.dtype(a)?;
    [(a, b), (b, a)].into_iter().find_map(|(x, gate)| {
        let producer = cx.producer(gate)?;
        let inner = producer.input(0)?;
        let kind = match producer.kind {
            K::Sigmoid => {
                let (alpha, found) = if inner == x { (1.0, vec![x]) } else { factors(cx, inner) };
                let mut swish = instead(op, K::Swish, vec![Some(x)]);
                swish.attrs.set("alpha", Attr::Float(attribute(dtype, alpha)?));
                return (found == [x]).then_some(Change::Op(swish));
            }
            K::HardSigmoid if inner == x && is_hard_swish(producer, dtype) => K::HardSwish,
            K::Tanh if cx.made_by(inner, K::Softplus)?.input(0) == Some(x) => K::Mish,
            _ => return None,
        };
        Some(Change::Op(instead(op, kind, vec![Some(x)])))
    })
}

fn is_hard_swish(gate: &Op, dtype: DType) -> bool {
    let near = |name: &str, v: f64| gate.float(name).is_some_and(|a| close_in(dtype, a.into(), v));
    near("alpha", 1.0 / 6.0) && near("beta", 0.5)
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
        let clip = cx.made_by(gate, K::Clip)?;
        let bounds = (cx.scalar(clip.input(1)?)?, cx.scalar(clip.input(2)?)?);
        let add = cx.made_by(clip.input(0)?, K::Add)?;
        let (inner, three, _) = with_scalar(cx, &add)?;
        let clips = bounds.0.to_bits() == 0 && bounds.1 == 6.0;
        (clips && three == 3.0 && inner == x).then_some(x)
    };
    let x = clipped(*a, *b).or_else(|| clipped(*b, *a))?;
    Some(Change::Op(instead(op, K::HardSwish, vec![Some(x)])))
}
