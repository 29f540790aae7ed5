//! Layer and RMS normalisation written out, and with a residual before them.

use super::matching::{exponent, literal, square_of, with_scalar};
use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::{Attr, DType, Op, OpKind as K, ValueId};

/// The axes from which on `value` is a mean over all of them, kept as 1, and of what.
fn trailing_mean(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, usize)> {
    let op = cx.made_by(value, K::ReduceMean)?;
    let x = op.input(0)?;
    let rank = cx.rank(x)?;
    let axes = trident_ir::geometry::axes(&cx.ints(op.input(1)?)?, rank).ok()?;
    let first = *axes.first()?;
    (op.flag("keepdims") && axes.len() == rank - first).then_some((x, first))
}

/// The ε and the rest of ε + v under a root, from its reciprocal's or its divisor's producer.
fn root(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, f64)> {
    let sqrt = cx.made_by(value, K::Sqrt)?;
    epsilon(cx, sqrt.input(0)?)
}

fn epsilon(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, f64)> {
    let add = cx.made_by(value, K::Add)?;
    let (v, epsilon, _) = with_scalar(cx, &add)?;
    // With others, the forms of the root differ.
    (epsilon >= 0.0 && epsilon.is_finite()).then_some((v, epsilon))
}

/// `d` and the mean square with ε that `op` divides it by: d/√(v+ε), d·1/√(v+ε), d·(v+ε)^−½.
fn normalised(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, ValueId, f64)> {
    let (a, b) = (op.input(0)?, op.input(1)?);
    match op.kind {
        K::Div => root(cx, b).map(|(v, e)| (a, v, e)),
        K::Mul => [(a, b), (b, a)].into_iter().find_map(|(d, inverse)| {
            if let Some(op) = cx.made_by(inverse, K::Reciprocal) {
                return root(cx, op.input(0)?).map(|(v, e)| (d, v, e));
            }
            if let Some(op) = cx.made_by(inverse, K::Div) {
                let one = cx.scalar(op.input(0)?) == Some(1.0);
                return root(cx, op.input(1)?).map(|(v, e)| (d, v, e)).filter(|_| one);
            }
            let pow = cx.made_by(inverse, K::Pow).filter(|p| exponent(cx, p) == Some(-0.5))?;
            epsilon(cx, pow.input(0)?).map(|(v, e)| (d, v, e))
        }),
        _ => None,
    }
}

/// Ones in the dimensions of `x` from `axis` on, the scale of a normalisation that has none.
fn ones(cx: &mut Rewriter<'_>, x: ValueId, axis: usize) -> Option<ValueId> {
    let dims: Vec<usize> = cx.shape(x)?[axis..].iter().map(|d| d.fixed()).collect::<Option<_>>()?;
    let count = trident_ir::literal::checked_len(&dims).filter(|n| *n <= 1 << 16)?;
    let ones = literal(DType::F32, dims, &vec![1.0; count])?;
    Some(cx.literal("ones", ones))
}

/// The core of a layer normalisation, or of an RMS normalisation where no mean was subtracted.
pub(super) fn norm(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !cx.is_f32(op.output(0)?) {
        return None;
    }
    let (d, v, epsilon) = normalised(cx, op)?;
    let (squares, axis) = trailing_mean(cx, v)?;
    if square_of(cx, squares)? != d {
        return None;
    }
    let centred = cx.made_by(d, K::Sub).and_then(|sub| {
        let (x, mean) = (sub.input(0)?, sub.input(1)?);
        (trailing_mean(cx, mean)? == (x, axis)).then_some(x)
    });
    let (kind, x) = match centred {
        Some(x) => (K::LayerNormalization, x),
        None => (K::RMSNormalization, d),
    };
    let rank = cx.rank(x)?;
    let scale = ones(cx, x, axis)?;
    let mut new = instead(op, kind, vec![Some(x), Some(scale)]);
    new.attrs.set("epsilon", Attr::Float(epsilon as f32));
    new.attrs.set("axis", Attr::Int(axis as i64 - rank as i64));
    Some(Change::Op(new))
}

/// The normalisation behind operand `i`, if it has no scale but ones, no shift and no other use.
fn bare(cx: &Rewriter<'_>, value: ValueId) -> Option<Op> {
    let op = cx.producer(value)?;
    let norm = matches!(op.kind, K::LayerNormalization | K::RMSNormalization);
    (norm && cx.single(value) && op.input(2).is_none()).then(|| op.clone())
}

/// Whether a value has exactly the dimensions that a normalisation takes its statistics over.
fn fits(cx: &Rewriter<'_>, norm: &Op, value: ValueId) -> Option<bool> {
    let x = cx.shape(norm.input(0)?)?;
    let axis = trident_ir::geometry::axis(norm.int("axis")?, x.len()).ok()?;
    let shape = cx.shape(value)?;
    let same =
        shape.len() == x.len() - axis && shape.iter().zip(&x[axis..]).all(|(a, b)| a.same(b));
    Some(same && cx.is_f32(value))
}

/// A scale after a normalisation without one.
pub(super) fn scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Mul {
        return None;
    }
    let (a, b) = (op.input(0)?, op.input(1)?);
    [(a, b), (b, a)].into_iter().find_map(|(x, gamma)| {
        let norm = bare(cx, x)?;
        if cx.uniform(norm.input(1)?) != Some(1.0) || !fits(cx, &norm, gamma)? {
            return None;
        }
        let inputs = vec![norm.input(0), Some(gamma)];
        Some(Change::Op(Op { inputs, outputs: op.outputs.clone(), ..norm }))
    })
}

/// A shift after a layer normalisation without one.
pub(super) fn shift(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Add {
        return None;
    }
    let (a, b) = (op.input(0)?, op.input(1)?);
    [(a, b), (b, a)].into_iter().find_map(|(x, beta)| {
        let norm = bare(cx, x).filter(|n| n.kind == K::LayerNormalization)?;
        if !fits(cx, &norm, beta)? {
            return None;
        }
        let inputs = vec![norm.input(0), norm.input(1), Some(beta)];
        Some(Change::Op(Op { inputs, outputs: op.outputs.clone(), ..norm }))
    })
}

/// A sum before a layer normalisation over the last axis; the sum stays a result where others use it.
pub(super) fn skip(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::LayerNormalization || op.outputs.iter().skip(1).any(Option::is_some) {
        return None;
    }
    let x = op.input(0)?;
    let rank = cx.rank(x)? as i64;
    if ![-1, rank - 1].contains(&op.int("axis")?) || !cx.is_f32(x) {
        return None;
    }
    let add = cx.made_by(x, K::Add)?;
    let (a, b) = (add.input(0)?, add.input(1)?);
    if !cx.same_shape(a, b) || cx.rank(op.input(1)?) != Some(1) {
        return None;
    }
    let mut inputs = vec![Some(a), Some(b), op.input(1)];
    inputs.extend(op.input(2).map(Some));
    let mut new = instead(op, K::SkipLayerNormalization, inputs);
    new.attrs.set("epsilon", Attr::Float(op.float("epsilon")?));
    if cx.uses(x) > 1 {
        // What uses the sum must come after it is computed, which moves back to the normalisation.
        if cx.used_before(x) {
            return None;
        }
        cx.take(x)?;
        new.outputs.push(Some(x));
    }
    Some(Change::Op(new))
}
