//! What patterns are made of.

use crate::rewrite::Rewriter;
use trident_ir::{DType, Literal, Op, OpKind as K, ValueId};

/// Whether a constant of a model is this number, as far as exporters write out its digits.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * b.abs()
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

/// Whether a value is known to hold neither infinities nor NaN.
pub(super) fn is_finite(cx: &Rewriter<'_>, value: ValueId) -> bool {
    let most = f64::from(f32::MAX);
    range(cx, value, 0).is_some_and(|(low, high)| low >= -most && high <= most)
}

/// Bounds of a value's elements, where none is NaN.
fn range(cx: &Rewriter<'_>, value: ValueId, depth: usize) -> Option<(f64, f64)> {
    if let Some(values) = cx.floats(value) {
        let widen =
            |(low, high): (f64, f64), v: &f64| (!v.is_nan()).then_some((low.min(*v), high.max(*v)));
        return values.iter().try_fold((f64::INFINITY, f64::NEG_INFINITY), widen);
    }
    match cx.dtype(value)? {
        DType::Bool => return Some((0.0, 1.0)),
        d if d.is_int() => {
            let most = 2f64.powi(d.bits() as i32);
            return Some((-most, most));
        }
        _ => {}
    }
    let op = cx.producer(value).filter(|_| depth < 16)?;
    let of = |i: usize| range(cx, op.input(i)?, depth + 1);
    let bounds = match op.kind {
        K::Add => {
            let (a, b) = (of(0)?, of(1)?);
            (a.0 + b.0, a.1 + b.1)
        }
        K::Sub => {
            let (a, b) = (of(0)?, of(1)?);
            (a.0 - b.1, a.1 - b.0)
        }
        K::Mul => {
            let (a, b) = (of(0)?, of(1)?);
            let ends = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            let least = ends.into_iter().fold(f64::INFINITY, f64::min);
            (least, ends.into_iter().fold(f64::NEG_INFINITY, f64::max))
        }
        K::Where => {
            let (a, b) = (of(1)?, of(2)?);
            (a.0.min(b.0), a.1.max(b.1))
        }
        K::Cast if matches!(cx.dtype(value), Some(DType::F32 | DType::F64)) => of(0)?,
        K::Reshape
        | K::Unsqueeze
        | K::Squeeze
        | K::Transpose
        | K::Expand
        | K::Slice
        | K::Identity
        | K::Tile
        | K::Flatten => of(0)?,
        _ => return None,
    };
    (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds)
}
