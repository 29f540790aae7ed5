//! What patterns are made of.

use crate::rewrite::Rewriter;
use trident_ir::{DType, Literal, Op, OpKind as K, ValueId};

/// Whether a constant of a model is this number, as far as exporters write out its digits.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * b.abs()
}

/// Whether a constant is this number as nearly as the element type of the formula needs it.
pub(super) fn close_in(dtype: DType, a: f64, b: f64) -> bool {
    match dtype {
        DType::F64 => (a - b).abs() <= 4.0 * f64::EPSILON * b.abs(),
        _ => close(a, b),
    }
}

/// A factor of a formula as an attribute, if that holds it: rounded no more than in the element type, and neither
/// overflowing nor vanishing.
pub(super) fn attribute(dtype: DType, factor: f64) -> Option<f32> {
    let rounded = factor as f32;
    let holds =
        if dtype == DType::F64 { f64::from(rounded) == factor } else { rounded.is_normal() };
    (holds || factor == 0.0).then_some(rounded)
}

/// The tensor operand and the number of a binary op with a constant of one element, in either order; with
/// the order that was found: `true` if the number came second.
pub(super) fn with_scalar(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, f64, bool)> {
    let (a, b) = (op.input(0)?, op.input(1)?);
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
pub(super) fn square_of(cx: &Rewriter<'_>, value: ValueId) -> Option<ValueId> {
    if let Some(op) = cx.made_by(value, K::Mul) {
        return op.input(0).filter(|x| Some(*x) == op.input(1));
    }
    let op = cx.made_by(value, K::Pow)?;
    (exponent(cx, &op)? == 2.0).then(|| op.input(0)).flatten()
}

/// The constant exponent of a Pow.
pub(super) fn exponent(cx: &Rewriter<'_>, op: &Op) -> Option<f64> {
    let k = op.input(1)?;
    match cx.scalar(k) {
        Some(e) => Some(e),
        None => match cx.ints(k)?.as_slice() {
            [e] => Some(*e as f64),
            _ => None,
        },
    }
}

/// `value` as a product: a number and the other factors. Products, quotients by constants and powers with
/// one use are taken apart.
pub(super) fn factors(cx: &Rewriter<'_>, value: ValueId) -> (f64, Vec<ValueId>) {
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
            Some((K::Div, op)) => match (op.input(0), op.input(1).and_then(|k| cx.scalar(k))) {
                (Some(x), Some(k)) => {
                    number /= k;
                    pending.push((x, depth + 1));
                }
                _ => found.push(v),
            },
            Some((K::Pow, op)) => match (op.input(0), exponent(cx, op)) {
                (Some(x), Some(e)) if e == 2.0 || e == 3.0 => {
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
pub(super) fn literal(dtype: DType, dims: Vec<usize>, values: &[f64]) -> Option<Literal> {
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
