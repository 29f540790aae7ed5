//! Layer and RMS normalisation written out.

use crate::matching::{literal, power, square_of, with_scalar};
use crate::rewrite::{Change, Rewriter, instead, operand, pair, result};
use trident_ir::{DType, Op, OpKind as K, ValueId, geometry, ops};

/// If `value` is a mean over all axes from some axis on, kept with length 1: its operand and that first axis.
fn trailing_mean(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, usize)> {
    let mean = ops::ReduceMean::of(cx.producer(value)?)?;
    let rank = cx.rank(mean.x())?;
    let axes = geometry::axes(&cx.ints(mean.axes()?)?, rank).ok()?;
    let first = *axes.first()?;
    (mean.keepdims() && axes.len() == rank - first).then_some((mean.x(), first))
}

/// The ε and the rest of ε + v under a root, from its reciprocal's or its divisor's producer.
fn root(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, f64)> {
    epsilon(cx, operand(&cx.made_by(value, K::Sqrt)?)?)
}

fn epsilon(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, f64)> {
    let add = cx.made_by(value, K::Add)?;
    let (v, epsilon, _) = with_scalar(cx, &add)?;
    // With others, the forms of the root differ.
    (epsilon >= 0.0 && epsilon.is_finite()).then_some((v, epsilon))
}

/// `d` and the mean square with ε that `op` divides it by: d/√(v+ε), d·1/√(v+ε), d·(v+ε)^−½.
fn normalised(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, ValueId, f64)> {
    let (a, b) = pair(op)?;
    match op.kind {
        K::Div => root(cx, b).map(|(v, e)| (a, v, e)),
        K::Mul => [(a, b), (b, a)].into_iter().find_map(|(d, inverse)| {
            if let Some(op) = cx.made_by(inverse, K::Reciprocal) {
                return root(cx, operand(&op)?).map(|(v, e)| (d, v, e));
            }
            if let Some(op) = cx.made_by(inverse, K::Div) {
                let (one, divisor) = pair(&op)?;
                let one = cx.scalar(one) == Some(1.0);
                return root(cx, divisor).map(|(v, e)| (d, v, e)).filter(|_| one);
            }
            let (base, exponent) = power(cx, cx.producer(inverse)?)?;
            epsilon(cx, base).map(|(v, e)| (d, v, e)).filter(|_| exponent == -0.5)
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
    if !cx.is_f32(result(op)?) {
        return None;
    }
    let (d, v, epsilon) = normalised(cx, op)?;
    let (squares, axis) = trailing_mean(cx, v)?;
    if square_of(cx, squares)? != d {
        return None;
    }
    let centred = cx.made_by(d, K::Sub).and_then(|sub| {
        let (x, mean) = pair(&sub)?;
        (trailing_mean(cx, mean)? == (x, axis)).then_some(x)
    });
    let x = centred.unwrap_or(d);
    let scale = ones(cx, x, axis)?;
    let (epsilon, axis) = (epsilon as f32, axis as i64 - cx.rank(x)? as i64);
    Some(match centred {
        Some(_) => {
            instead(op, ops::LayerNormalization::new(x, scale, None).epsilon(epsilon).axis(axis))
        }
        None => instead(op, ops::RMSNormalization::new(x, scale).epsilon(epsilon).axis(axis)),
    })
}

/// A normalisation with a scale and no shift, without other uses.
struct Bare {
    op: Op,
    x: ValueId,
    scale: ValueId,
    axis: i64,
}

impl Bare {
    /// The normalisation that gives a value.
    fn of(cx: &Rewriter<'_>, value: ValueId) -> Option<Bare> {
        let op = cx.producer(value).filter(|_| cx.single(value))?.clone();
        let (x, scale, axis) =
            match (ops::LayerNormalization::of(&op), ops::RMSNormalization::of(&op)) {
                (Some(norm), _) if norm.b().is_none() => (norm.x(), norm.scale(), norm.axis()),
                (_, Some(norm)) => (norm.x(), norm.scale(), norm.axis()),
                _ => return None,
            };
        Some(Bare { op, x, scale, axis })
    }

    /// Whether a value has exactly the dimensions over which the statistics are taken.
    fn fits(&self, cx: &Rewriter<'_>, value: ValueId) -> Option<bool> {
        let x = cx.shape(self.x)?;
        let axis = geometry::axis(self.axis, x.len()).ok()?;
        let shape = cx.shape(value)?;
        let same =
            shape.len() == x.len() - axis && shape.iter().zip(&x[axis..]).all(|(a, b)| a.same(b));
        Some(same && cx.is_f32(value))
    }

    /// The normalisation in the place of `root`, with these operands.
    fn ending(self, root: &Op, inputs: &[ValueId]) -> Change {
        let inputs = inputs.iter().copied().map(Some).collect();
        Change::Op(Op { inputs, outputs: root.outputs.clone(), ..self.op })
    }
}

/// A scale after a normalisation without one.
pub(super) fn scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let mul = ops::Mul::of(op)?;
    let (a, b) = (mul.a(), mul.b());
    [(a, b), (b, a)].into_iter().find_map(|(x, gamma)| {
        let norm = Bare::of(cx, x)?;
        if cx.uniform(norm.scale) != Some(1.0) || !norm.fits(cx, gamma)? {
            return None;
        }
        let x = norm.x;
        Some(norm.ending(op, &[x, gamma]))
    })
}

/// A shift after a layer normalisation without one.
pub(super) fn shift(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let add = ops::Add::of(op)?;
    let (a, b) = (add.a(), add.b());
    [(a, b), (b, a)].into_iter().find_map(|(x, beta)| {
        let norm = Bare::of(cx, x).filter(|n| n.op.kind == K::LayerNormalization)?;
        if !norm.fits(cx, beta)? {
            return None;
        }
        let inputs = [norm.x, norm.scale, beta];
        Some(norm.ending(op, &inputs))
    })
}
