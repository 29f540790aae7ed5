//! Partial evaluation of small values: which elements of a result follow from those of the operands.
//!
//! The rules of ops are functions that their rows name; this file has the parts that they share.

use super::expr::Expr;
use super::known::{Elem, Known, size};
use super::view::View;
use crate::{DType, geometry};

/// The known values of the results, in order.
pub(super) fn evaluate(cx: &View<'_>) -> Vec<Option<Known>> {
    let Values(mut found) = cx.op.decl().values.map_or(Values(vec![]), |values| values(cx));
    found.resize(cx.op.outputs.len(), None);
    found
}

/// Known values of results, in order. A rule gives the value of the first result, or the values of all.
pub(crate) struct Values(Vec<Option<Known>>);

impl From<Option<Known>> for Values {
    fn from(first: Option<Known>) -> Values {
        Values(vec![first])
    }
}

impl From<Option<Vec<Option<Known>>>> for Values {
    fn from(all: Option<Vec<Option<Known>>>) -> Values {
        Values(all.unwrap_or_default())
    }
}

/// A tensor of these dimensions, each element from the index into `x` that `source` gives for it.
pub(crate) fn gathered(
    x: &Known,
    dims: Vec<usize>,
    source: impl Fn(&[usize]) -> Option<usize>,
) -> Option<Known> {
    let count = size(&dims)?;
    let strides = geometry::strides(&dims);
    let elems = (0..count).map(|flat| {
        let index: Vec<usize> = dims.iter().zip(&strides).map(|(n, s)| flat / s % n).collect();
        x.elems.get(source(&index)?).cloned()
    });
    let elems: Option<Vec<Elem>> = elems.collect();
    Known::new(dims, elems?)
}

/// A function of each element of operands that broadcast; it is also given the element type of operand 0.
pub(crate) fn each(cx: &View<'_>, of: impl Fn(DType, &[&Elem]) -> Elem) -> Option<Known> {
    let operands: Vec<&Known> =
        (0..cx.op.inputs.len()).map(|i| cx.known(i)).collect::<Option<_>>()?;
    let dims =
        operands.iter().try_fold(vec![], |dims, k| geometry::broadcast(&dims, &k.dims).ok())?;
    if operands.is_empty() {
        return None;
    }
    let count = size(&dims)?;
    let dtype = cx.dtype(0)?;
    let strides: Vec<Vec<usize>> =
        operands.iter().map(|k| geometry::broadcast_strides(&k.dims, &dims)).collect();
    let own = geometry::strides(&dims);
    let elems = (0..count).map(|flat: usize| {
        let index = || dims.iter().enumerate().map(|(d, n)| flat / own[d] % n);
        let place = |strides: &[usize]| index().zip(strides).map(|(i, s)| i * s).sum::<usize>();
        let args = operands.iter().zip(&strides).map(|(k, strides)| &k.elems[place(strides)]);
        of(dtype, &args.collect::<Vec<_>>())
    });
    let elems = elems.collect();
    Known::new(dims, elems)
}

/// Arithmetic of integers, and of floats that are rounded to the element type. Either may have no answer.
pub(crate) fn numbers(
    cx: &View<'_>,
    of_ints: impl Fn(&[&Expr]) -> Option<Expr>,
    of_reals: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Known> {
    each(cx, |dtype, args| match (ints(args), reals(args)) {
        (Some(args), _) => fit(of_ints(&args), dtype),
        (_, Some(args)) => {
            of_reals(&args).and_then(|value| round_to(value, dtype)).unwrap_or(Elem::Unknown)
        }
        _ => Elem::Unknown,
    })
}

/// A comparison of two numbers, of integers as far as it is certain.
pub(crate) fn comparison(
    cx: &View<'_>,
    of_ints: impl Fn(&Expr, &Expr) -> Option<bool>,
    of_reals: impl Fn(f64, f64) -> bool,
) -> Option<Known> {
    each(cx, |_, args| match (ints(args).as_deref(), reals(args).as_deref()) {
        (Some([a, b]), _) => truth(of_ints(a, b)),
        (_, Some([a, b])) => truth(Some(of_reals(*a, *b))),
        _ => Elem::Unknown,
    })
}

/// A function of truth values, as far as it is certain.
pub(crate) fn truths(cx: &View<'_>, of: impl Fn(&[Option<bool>]) -> Option<bool>) -> Option<Known> {
    each(cx, |_, args| {
        let args = args.iter().map(|e| e.constant().map(|n| n != 0));
        truth(of(&args.collect::<Vec<_>>()))
    })
}

fn ints<'e>(args: &[&'e Elem]) -> Option<Vec<&'e Expr>> {
    args.iter().map(|e| e.int()).collect()
}

fn reals(args: &[&Elem]) -> Option<Vec<f64>> {
    let float = |e: &&Elem| match e {
        Elem::Float(v) => Some(*v),
        _ => None,
    };
    args.iter().map(float).collect()
}

fn truth(value: Option<bool>) -> Elem {
    value.map(|b| Expr::from(i64::from(b))).into()
}

/// Whether `a < b`, if that is certain.
pub(crate) fn less(a: &Expr, b: &Expr) -> Option<bool> {
    if b.sub(a)?.positive() {
        return Some(true);
    }
    a.sub(b)?.at_least_zero().then_some(false)
}

/// Drops a number that the element type cannot hold: such arithmetic wraps.
pub(crate) fn fit(value: Option<Expr>, dtype: DType) -> Elem {
    let range = match dtype {
        DType::I64 | DType::Bool => return value.into(),
        DType::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
        DType::U8 => 0..=255,
        _ => 0..=127,
    };
    // A name stands for a dimension of a tensor, which may exceed a narrow type: only numbers are safe.
    match value.as_ref().map(|e| e.constant()) {
        Some(Some(n)) if range.contains(&n) => value.into(),
        Some(None) if dtype == DType::I32 => value.into(),
        _ => Elem::Unknown,
    }
}

/// The number in a wider or narrower type; unknown for types that are not followed.
pub(crate) fn round_to(value: f64, dtype: DType) -> Option<Elem> {
    match dtype {
        DType::F64 => Some(Elem::Float(value)),
        DType::F32 => Some(Elem::Float(f64::from(value as f32))),
        _ => None,
    }
}
