//! Arithmetic on small values.

use crate::shape::expr::Expr;
use crate::shape::known::{Elem, Known};
use crate::shape::view::View;
use crate::{DType, OpKind as K, geometry};

/// An elementwise op.
pub(super) fn elementwise(cx: &View<'_>) -> Option<Known> {
    let operands: Vec<&Known> =
        (0..cx.op.inputs.len()).map(|i| cx.known(i)).collect::<Option<_>>()?;
    let dims =
        operands.iter().try_fold(vec![], |dims, k| geometry::broadcast(&dims, &k.dims).ok())?;
    if operands.is_empty() || !followed(cx.op.kind) {
        return None;
    }
    let count = crate::shape::known::size(&dims)?;
    let dtype = cx.dtype(0)?;
    let strides: Vec<Vec<usize>> =
        operands.iter().map(|k| geometry::broadcast_strides(&k.dims, &dims)).collect();
    let own = geometry::strides(&dims);
    let elems = (0..count).map(|flat: usize| {
        let args: Vec<&Elem> = operands
            .iter()
            .zip(&strides)
            .map(|(k, strides)| {
                let at = dims
                    .iter()
                    .enumerate()
                    .map(|(d, n)| flat / own[d] % n * strides[d])
                    .sum::<usize>();
                &k.elems[at]
            })
            .collect();
        apply(cx, dtype, &args)
    });
    let elems: Option<Vec<Elem>> = elems.collect();
    Known::new(dims, elems?)
}

/// Whether the op is followed.
fn followed(kind: K) -> bool {
    matches!(
        kind,
        K::Add
            | K::Sub
            | K::Mul
            | K::Div
            | K::Mod
            | K::Max
            | K::Min
            | K::Neg
            | K::Abs
            | K::Floor
            | K::Ceil
            | K::Round
            | K::Sqrt
            | K::Equal
            | K::Greater
            | K::GreaterOrEqual
            | K::Less
            | K::LessOrEqual
            | K::And
            | K::Or
            | K::Not
            | K::Where
            | K::Cast
    )
}

/// One element; `None` if it makes no sense.
fn apply(cx: &View<'_>, dtype: DType, args: &[&Elem]) -> Option<Elem> {
    if let (K::Where, [condition, x, y]) = (cx.op.kind, args) {
        return Some(match condition.constant() {
            Some(0) => (*y).clone(),
            Some(_) => (*x).clone(),
            None if x == y => (*x).clone(),
            None => Elem::Unknown,
        });
    }
    if cx.op.kind == K::Cast {
        return Some(cast(args.first()?, dtype, cx.op.dtype("to")?));
    }
    let ints: Option<Vec<&Expr>> = args.iter().map(|e| e.int()).collect();
    let floats: Option<Vec<f64>> = args
        .iter()
        .map(|e| match e {
            Elem::Float(v) => Some(*v),
            _ => None,
        })
        .collect();
    Some(match (ints, floats) {
        (Some(args), _) => fit(integers(cx.op.kind, &args), dtype),
        (_, Some(args)) => real(cx.op.kind, dtype, &args).unwrap_or(Elem::Unknown),
        _ => Elem::Unknown,
    })
}

/// Drops a number that the element type cannot hold: such arithmetic wraps.
fn fit(value: Option<Expr>, dtype: DType) -> Elem {
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

fn integers(kind: K, args: &[&Expr]) -> Option<Expr> {
    let truth = |b: bool| Some(Expr::from(i64::from(b)));
    let numbers: Option<Vec<i64>> = args.iter().map(|e| e.constant()).collect();
    match (kind, args) {
        (K::Neg, [a]) => a.mul(&Expr::from(-1)),
        (K::Abs, [a]) if a.at_least_zero() => Some((*a).clone()),
        (K::Abs, [a]) => Some(Expr::from(a.constant()?.checked_abs()?)),
        (K::Not, [a]) => truth(a.constant()? == 0),
        (K::Add, [a, b]) => a.add(b),
        (K::Sub, [a, b]) => a.sub(b),
        (K::Mul, [a, b]) => a.mul(b),
        // Truncation is rounding down for numbers that are not negative.
        (K::Div, [a, b]) => match numbers.as_deref() {
            Some([x, y]) => x.checked_div(*y).map(Expr::from),
            _ if a.at_least_zero() => a.div_floor(b),
            _ => None,
        },
        (K::Mod, [_, _]) => match numbers.as_deref() {
            Some([x, y]) if *y > 0 && *x >= 0 => Some(Expr::from(x % y)),
            _ => None,
        },
        (K::Max, [first, rest @ ..]) => rest.iter().try_fold((*first).clone(), |a, b| a.maximum(b)),
        (K::Min, [first, rest @ ..]) => rest.iter().try_fold((*first).clone(), |a, b| a.minimum(b)),
        (K::Equal, [a, b]) => {
            let difference = a.sub(b)?;
            match difference.constant() {
                Some(d) => truth(d == 0),
                None => {
                    let apart = difference.positive()
                        || difference.mul(&Expr::from(-1)).is_some_and(|d| d.positive());
                    if apart { truth(false) } else { None }
                }
            }
        }
        (K::Greater, [a, b]) => less(b, a).and_then(truth),
        (K::Less, [a, b]) => less(a, b).and_then(truth),
        (K::GreaterOrEqual, [a, b]) => less(a, b).and_then(|l| truth(!l)),
        (K::LessOrEqual, [a, b]) => less(b, a).and_then(|l| truth(!l)),
        (K::And, [a, b]) => match (a.constant(), b.constant()) {
            (Some(0), _) | (_, Some(0)) => truth(false),
            (Some(_), Some(_)) => truth(true),
            _ => None,
        },
        (K::Or, [a, b]) => match (a.constant(), b.constant()) {
            (Some(0), Some(0)) => truth(false),
            (Some(1), _) | (_, Some(1)) => truth(true),
            _ => None,
        },
        _ => None,
    }
}

/// Whether `a < b`, if that is certain.
fn less(a: &Expr, b: &Expr) -> Option<bool> {
    if b.sub(a)?.positive() {
        return Some(true);
    }
    a.sub(b)?.at_least_zero().then_some(false)
}

/// Floating-point arithmetic, rounded to the element type after each operation.
fn real(kind: K, dtype: DType, args: &[f64]) -> Option<Elem> {
    let truth = |b: bool| Some(Elem::Int(Expr::from(i64::from(b))));
    let value = match (kind, args) {
        (K::Add, [a, b]) => a + b,
        (K::Sub, [a, b]) => a - b,
        (K::Mul, [a, b]) => a * b,
        (K::Div, [a, b]) => a / b,
        (K::Neg, [a]) => -a,
        (K::Abs, [a]) => a.abs(),
        (K::Floor, [a]) => a.floor(),
        (K::Ceil, [a]) => a.ceil(),
        (K::Round, [a]) => a.round_ties_even(),
        (K::Sqrt, [a]) => a.sqrt(),
        (K::Max, [a, b]) if !a.is_nan() && !b.is_nan() => a.max(*b),
        (K::Min, [a, b]) if !a.is_nan() && !b.is_nan() => a.min(*b),
        (K::Equal, [a, b]) => return truth(a == b),
        (K::Greater, [a, b]) => return truth(a > b),
        (K::GreaterOrEqual, [a, b]) => return truth(a >= b),
        (K::Less, [a, b]) => return truth(a < b),
        (K::LessOrEqual, [a, b]) => return truth(a <= b),
        _ => return None,
    };
    round_to(value, dtype)
}

/// The number in a wider or narrower type; unknown for types that are not followed.
fn round_to(value: f64, dtype: DType) -> Option<Elem> {
    match dtype {
        DType::F64 => Some(Elem::Float(value)),
        DType::F32 => Some(Elem::Float(f64::from(value as f32))),
        _ => None,
    }
}

fn cast(elem: &Elem, from: DType, to: DType) -> Elem {
    match elem {
        Elem::Int(e) => match (to, e.constant()) {
            (DType::Bool, Some(n)) => Elem::Int(Expr::from(i64::from(n != 0))),
            (DType::Bool, None) if e.positive() => Elem::Int(Expr::from(1)),
            (DType::Bool, None) => Elem::Unknown,
            (DType::F32 | DType::F64, Some(n)) => round_to(n as f64, to)
                .filter(|_| n.unsigned_abs() < 1 << 53)
                .unwrap_or(Elem::Unknown),
            (to, _) if to.is_int() && (from.is_int() || from == DType::Bool) => {
                fit(Some(e.clone()), to)
            }
            _ => Elem::Unknown,
        },
        Elem::Float(v) if to.is_int() && v.is_finite() && v.abs() < 9e15 => {
            fit(Some(Expr::from(v.trunc() as i64)), to)
        }
        Elem::Float(v) => round_to(*v, to).unwrap_or(Elem::Unknown),
        Elem::Unknown => Elem::Unknown,
    }
}

/// A reduction of a vector to one element.
pub(super) fn reduce(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let over_all = match cx.ints(1) {
        Some(axes) => axes.len() == x.dims.len() && !axes.is_empty(),
        None => !cx.has(1) && !cx.op.flag("noop_with_empty_axes"),
    };
    if !over_all || x.elems.is_empty() {
        return None;
    }
    let step = match cx.op.kind {
        K::ReduceProd => K::Mul,
        K::ReduceSum => K::Add,
        K::ReduceMax => K::Max,
        _ => K::Min,
    };
    let ints: Vec<&Expr> = x.elems.iter().map(Elem::int).collect::<Option<_>>()?;
    let mut total = (*ints.first()?).clone();
    for e in &ints[1..] {
        total = integers(step, &[&total, e])?;
    }
    let dims = if cx.op.flag("keepdims") { vec![1; x.dims.len()] } else { vec![] };
    Known::new(dims, vec![fit(Some(total), cx.dtype(0)?)])
}
