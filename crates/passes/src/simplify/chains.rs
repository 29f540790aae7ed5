//! Transposes of transposes, reshapes of reshapes.

use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::{Attr, Dim, Literal, Op, OpKind as K};

/// The permutation of a Transpose of known rank.
pub(crate) fn permutation(cx: &Rewriter<'_>, op: &Op) -> Option<Vec<usize>> {
    let rank = cx.rank(op.input(0)?);
    match op.ints("perm") {
        Some(perm) => trident_ir::geometry::permutation(Some(perm), perm.len()).ok(),
        None => trident_ir::geometry::permutation(None, rank?).ok(),
    }
}

/// Transpose(Transpose(x)).
pub(super) fn transposes(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Transpose {
        return None;
    }
    let inner = cx.made_by(op.input(0)?, K::Transpose)?;
    let (first, second) = (permutation(cx, &inner)?, permutation(cx, op)?);
    if first.len() != second.len() {
        return None;
    }
    let perm: Vec<i64> = second.iter().map(|&i| first[i] as i64).collect();
    let mut new = instead(op, K::Transpose, vec![inner.input(0)]);
    new.attrs.set("perm", Attr::Ints(perm));
    Some(Change::Op(new))
}

fn keeps_order(kind: K) -> bool {
    matches!(kind, K::Reshape | K::Squeeze | K::Unsqueeze | K::Flatten)
}

/// Reshapes of reshapes, and reshapes to a computed shape that turns out to be known.
pub(super) fn reshapes(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !keeps_order(op.kind) {
        return None;
    }
    let direct = op.input(0)?;
    let mut x = direct;
    while let Some(inner) = cx.producer(x).filter(|p| keeps_order(p.kind)) {
        x = inner.input(0)?;
    }
    let computed = op.kind == K::Reshape && cx.constant_input(op, 1).is_none();
    if x == direct && !computed {
        return None;
    }
    let target = target(cx.shape(x)?, cx.shape(op.output(0)?)?)?;
    let shape = cx.literal("shape", Literal::vector(&target));
    Some(Change::Op(instead(op, K::Reshape, vec![Some(x), Some(shape)])))
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
