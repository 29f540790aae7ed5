//! Parts that several patterns share.

use crate::rewrite::{Rewriter, pair};
use trident_ir::{DType, Literal, Op, OpKind as K, ValueId, geometry, ops};

/// Whether a constant of a model is this number, as far as exporters write out its digits.
pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * b.abs()
}

/// Whether a constant is this number as nearly as the element type of the formula needs it.
pub(crate) fn close_in(dtype: DType, a: f64, b: f64) -> bool {
    match dtype {
        DType::F64 => (a - b).abs() <= 4.0 * f64::EPSILON * b.abs(),
        _ => close(a, b),
    }
}

/// A factor of a formula as an attribute, if that holds it: rounded no more than in the element type, and neither
/// overflowing nor vanishing.
pub(crate) fn attribute(dtype: DType, factor: f64) -> Option<f32> {
    let rounded = factor as f32;
    let holds =
        if dtype == DType::F64 { f64::from(rounded) == factor } else { rounded.is_normal() };
    (holds || factor == 0.0).then_some(rounded)
}

/// The tensor operand and the number of a binary op with a constant of one element, in either order; with
/// the order that was found: `true` if the number came second.
pub(crate) fn with_scalar(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, f64, bool)> {
    let (a, b) = pair(op)?;
    // A constant of higher rank would change the shape.
    let fits = |x: ValueId, k: ValueId| {
        cx.constant(k).is_some_and(|t| cx.rank(x).is_some_and(|r| t.dims().len() <= r))
    };
    if let Some(k) = cx.scalar(b).filter(|_| fits(a, b)) {
        return Some((a, k, true));
    }
    let k = cx.scalar(a).filter(|_| fits(b, a))?;
    Some((b, k, false))
}

/// The value that `value` is the square of: `x·x` or `x^2`.
pub(crate) fn square_of(cx: &Rewriter<'_>, value: ValueId) -> Option<ValueId> {
    if let Some(op) = cx.made_by(value, K::Mul) {
        return pair(&op).filter(|(a, b)| a == b).map(|(x, _)| x);
    }
    let (x, exponent) = power(cx, cx.producer(value)?)?;
    (exponent == 2.0).then_some(x)
}

/// The base and the constant exponent of a Pow.
pub(crate) fn power(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, f64)> {
    let pow = ops::Pow::of(op)?;
    let exponent = match cx.scalar(pow.y()) {
        Some(e) => e,
        None => match cx.ints(pow.y())?.as_slice() {
            [e] => *e as f64,
            _ => return None,
        },
    };
    Some((pow.x(), exponent))
}

/// `value` as a product: a number and the other factors. Products, quotients by constants and powers with
/// one use are taken apart.
pub(crate) fn factors(cx: &Rewriter<'_>, value: ValueId) -> (f64, Vec<ValueId>) {
    let mut number = 1.0;
    let mut found = vec![];
    let mut pending = vec![(value, 0)];
    while let Some((v, depth)) = pending.pop() {
        if let Some(k) = cx.scalar(v) {
            number *= k;
            continue;
        }
        let op = cx.producer(v).filter(|_| depth < 4 && (depth == 0 || cx.single(v)));
        match op.map(|op| (op.kind, op)) {
            Some((K::Mul, op)) => pending.extend(op.used().map(|v| (v, depth + 1))),
            Some((K::Div, op)) => match pair(op).and_then(|(x, k)| Some((x, cx.scalar(k)?))) {
                Some((x, k)) => {
                    number /= k;
                    pending.push((x, depth + 1));
                }
                None => found.push(v),
            },
            Some((K::Pow, op)) => match power(cx, op) {
                Some((x, e)) if e == 2.0 || e == 3.0 => {
                    found.extend(std::iter::repeat_n(x, e as usize));
                }
                _ => found.push(v),
            },
            _ => found.push(v),
        }
    }
    (number, found)
}

/// A tensor of numbers rounded to an element type; `None` if the type has no numbers or one overflows.
pub(crate) fn literal(dtype: DType, dims: Vec<usize>, values: &[f64]) -> Option<Literal> {
    let vector = match dtype {
        DType::F64 => Literal::vector(values),
        DType::F32 => {
            let rounded: Vec<f32> = values.iter().map(|v| *v as f32).collect();
            if rounded.iter().zip(values).any(|(r, v)| r.is_infinite() && v.is_finite()) {
                return None;
            }
            Literal::vector(&rounded)
        }
        _ => return None,
    };
    vector.with_dims(dims)
}

/// The factors that may move: beyond them, products could overflow or vanish that did not before.
pub(crate) const FACTORS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// `x` and `k` of x·k, k·x or x/(1/k).
pub(crate) fn multiple(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, f64)> {
    let (x, k, second) = match op.kind {
        K::Mul | K::Div => with_scalar(cx, op)?,
        _ => return None,
    };
    let k = match op.kind {
        K::Mul => k,
        _ if second => 1.0 / k,
        _ => return None,
    };
    FACTORS.contains(&k.abs()).then_some((x, k))
}

/// The permutation of a Transpose of known rank.
pub(crate) fn permutation(cx: &Rewriter<'_>, op: &Op) -> Option<Vec<usize>> {
    let transpose = ops::Transpose::of(op)?;
    let rank = transpose.perm().map(<[i64]>::len).or_else(|| cx.rank(transpose.x()))?;
    geometry::permutation(transpose.perm(), rank).ok()
}
