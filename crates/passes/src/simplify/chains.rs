//! Transposes of transposes, reshapes of reshapes.

use crate::matching::permutation;
use crate::rewrite::{Change, Rewriter, instead, operand, result};
use trident_ir::{Dim, Literal, Op, OpKind as K, ops};

/// Transpose(Transpose(x)).
pub(super) fn transposes(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let inner = cx.made_by(ops::Transpose::of(op)?.x(), K::Transpose)?;
    let (first, second) = (permutation(cx, &inner)?, permutation(cx, op)?);
    if first.len() != second.len() {
        return None;
    }
    let perm: Vec<i64> = second.iter().map(|&i| first[i] as i64).collect();
    Some(instead(op, ops::Transpose::new(operand(&inner)?).perm(perm)))
}

fn keeps_order(kind: K) -> bool {
    matches!(kind, K::Reshape | K::Squeeze | K::Unsqueeze | K::Flatten)
}

/// Reshapes of reshapes, and reshapes to a computed shape that turns out to be known.
pub(super) fn reshapes(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !keeps_order(op.kind) {
        return None;
    }
    let direct = operand(op)?;
    let mut x = direct;
    while let Some(inner) = cx.producer(x).filter(|p| keeps_order(p.kind)) {
        x = operand(inner)?;
    }
    let computed = ops::Reshape::of(op).is_some_and(|op| cx.constant(op.shape()).is_none());
    if x == direct && !computed {
        return None;
    }
    let target = target(cx.shape(x)?, cx.shape(result(op)?)?)?;
    let shape = cx.literal("shape", Literal::vector(&target));
    Some(instead(op, ops::Reshape::new(x, shape)))
}

/// The shape operand that reshapes dimensions to others: 0 copies a dimension, −1 infers one.
pub(crate) fn target(from: &[Dim], to: &[Dim]) -> Option<Vec<i64>> {
    let mut inferred = false;
    let entry = |(i, d): (usize, &Dim)| match d {
        Dim::Fixed(0) => None,
        Dim::Fixed(n) => i64::try_from(*n).ok(),
        d if from.get(i).is_some_and(|f| f.same(d)) => Some(0),
        _ if !inferred => {
            inferred = true;
            Some(-1)
        }
        _ => None,
    };
    to.iter().enumerate().map(entry).collect()
}
