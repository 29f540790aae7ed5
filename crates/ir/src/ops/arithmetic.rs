//! Arithmetic of elements, and their conversion.

use super::common::{like, lone};
use crate::decompose::{Composite, Expr};
use crate::op::Unchanged;
use crate::op::grammar::ops;
use crate::op::words::FloatRounding;
use crate::ops;
use crate::shape::values::{each, fit, numbers, round_to};
use crate::shape::{Elem, Known, View};
use crate::tile::{Site, Types, alike, one};
use crate::{DType, Type, shape};

ops! {
    /// Magnitude; the least signed integer maps to itself.
    Abs "abs" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 1 values abs_values;
    /// Negation; integers wrap.
    Neg "neg" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 1 values neg_values;
    /// −1, 0 or 1; NaN stays, −0 gives 0.
    Sign "sign" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 9 composite sign;
    /// Sum of two tensors, broadcast; integers wrap.
    Add "add" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1 values add_values;
    /// Difference, broadcast; integers wrap.
    Sub "sub" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1 values sub_values;
    /// Product, broadcast; integers wrap.
    Mul "mul" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1 values mul_values;
    /// Quotient, broadcast; integers truncate towards zero.
    Div "div" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1 cost 6 values div_values;
    /// Remainder, broadcast: with the sign of the divisor, or of the dividend with `fmod`. −4 mod 2 is +0, and −0 with
    /// `fmod`.
    Mod "mod" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) { fmod: Flag = false } onnx "" 10 cost 12 values mod_values;
    /// a·b + c, rounded once.
    Fma "fma" Elementwise (a: Float T, b: Float T, c: Float T) -> (y: Elem(0)) {} class Function;
    /// Greatest of all operands, broadcast; NaN wins, and +0 is greater than −0.
    Max "max" Elementwise (xs[many]: Number T) -> (y: Elem(0)) {} onnx "" 1 values max_values identity lone;
    /// The greater of two; of NaN and a number the number. +0 is greater than −0, unless `signed_zeros` is 0: then either may
    /// be the result.
    MaxNum "max_num" Elementwise (a: Float T, b: Float T) -> (c: Elem(0)) { signed_zeros: Flag = true };
    /// Least of all operands, broadcast; NaN wins, and −0 is less than +0.
    Min "min" Elementwise (xs[many]: Number T) -> (y: Elem(0)) {} onnx "" 1 values min_values identity lone;
    /// The lesser of two; of NaN and a number the number. −0 is less than +0, unless `signed_zeros` is 0: then either may be
    /// the result.
    MinNum "min_num" Elementwise (a: Float T, b: Float T) -> (c: Elem(0)) { signed_zeros: Flag = true };
    /// The upper half of the product of two integers, in their width.
    MulHigh "mul_high" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {};
    /// min(max(x, low), high) element by element; a NaN operand x gives `low`, or NaN with `propagate_nan`.
    Clamp "clamp" Elementwise (x: Float T, low: Float T, high: Float T) -> (y: Elem(0)) { propagate_nan: Flag = false }
        composite clamp;
    /// x clamped to bounds of rank 0 that may be left out: `min` where x < min, then `max` where that is greater. NaN and
    /// −0 stay; a bound that is NaN has no effect.
    Clip "clip" Elementwise (x: Number T, min[opt]: Number T, max[opt]: Number T) -> (y: Elem(0)) {}
        onnx "" 1 composite clip shape like identity lone tile clip_types lane clip_types;
    /// Sum of all operands, broadcast.
    Sum "sum" Elementwise (xs[many]: Number T) -> (y: Elem(0)) {} onnx "" 1 composite sum identity lone;
    /// Mean of all operands, broadcast.
    Mean "mean" Elementwise (xs[many]: Float T) -> (y: Elem(0)) {} onnx "" 1 composite mean identity lone;
    /// Least integer not below the operand.
    Ceil "ceil" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 values ceil_values;
    /// Greatest integer not above the operand.
    Floor "floor" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 values floor_values;
    /// Nearest integer, ties to even.
    Round "round" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 11 values round_values;
    /// Converts to element type `to`; to its own type nothing changes. Floats to integers truncate. What an integer cannot hold,
    /// NaN included, is arbitrary at level tile; at level graph it is cut to 32 bits, or 64 for `u32` and integers of 64
    /// bits, with the least value for what these cannot hold, and then wraps (`u64` holds all below 2^64, and 0 stands for
    /// the rest). Integers wrap. To narrower floats round to nearest even; with `saturate`, 8-bit floats clamp to their
    /// finite range. `round_mode` governs f8e8m0fnu; `rounding` is `rtne` or, from floats to floats at level tile, `rtz`
    /// (towards zero).
    Cast "cast" Elementwise (x[form]) -> (y: Rule::Attr(ops::Cast::AT.to))
        { to: DType, saturate: Flag = true, round_mode: ScaleRounding = ScaleRounding::Up, rounding[internal]: FloatRounding = FloatRounding::NearestEven }
        onnx "" 1 values cast_values identity to_own_type tile cast_types lane cast_types;
    /// Bits of the operand read as another element type of the same width.
    BitCast "bitcast" Elementwise (x) -> (y: Rule::Attr(ops::BitCast::AT.to)) { to: DType }
        onnx "" 26 cost 0 class View tile bit_cast_types lane bit_cast_types;
}

/// Cast changes nothing where the operand has the type already.
fn to_own_type(cx: &Unchanged<'_>) -> Option<bool> {
    Some(cx.dtype()? == ops::Cast::of(cx.op)?.to())
}

fn sign<'a>(_: ops::Sign<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Sign::AT.x);
    let zero_or_nan = x.equals(0.0).select(0.0, x);
    x.gt(0.0).select(1.0, x.lt(0.0).select(-1.0, zero_or_nan))
}

fn clamp<'a>(op: ops::Clamp<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let at = ops::Clamp::AT;
    let (x, low, high) = (e.operand(at.x), e.operand(at.low), e.operand(at.high));
    match op.propagate_nan() {
        true => x.max(low).min(high),
        false => x.max_num(low).min_num(high),
    }
}

fn clip<'a>(_: ops::Clip<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let at = ops::Clip::AT;
    let x = e.operand(at.x);
    let raised = e.optional(at.min).map_or(x, |low| x.lt(low).select(low, x));
    e.optional(at.max).map_or(raised, |high| raised.gt(high).select(high, raised))
}

fn sum<'a>(_: ops::Sum<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    total(e)
}

fn mean<'a>(_: ops::Mean<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    total(e) / e.count() as f64
}

fn total<'a>(e: &'a Composite<'a>) -> Expr<'a> {
    (1..e.count()).fold(e.operand(0), |sum, i| sum + e.operand(i))
}

/// The known values of a function of one number.
fn unary(
    cx: &View<'_>,
    ints: impl Fn(&shape::Expr) -> Option<shape::Expr>,
    reals: impl Fn(f64) -> f64,
) -> Option<Known> {
    let real = |args: &[f64]| args.first().map(|a| reals(*a));
    numbers(cx, |args| ints(args.first()?), real)
}

/// The known values of a function of two numbers.
fn binary(
    cx: &View<'_>,
    ints: impl Fn(&shape::Expr, &shape::Expr) -> Option<shape::Expr>,
    reals: impl Fn(f64, f64) -> Option<f64>,
) -> Option<Known> {
    let int = |args: &[&shape::Expr]| match args {
        [a, b] => ints(a, b),
        _ => None,
    };
    numbers(cx, int, |args| match args {
        [a, b] => reals(*a, *b),
        _ => None,
    })
}

fn abs_values(cx: &View<'_>) -> Option<Known> {
    let int = |a: &shape::Expr| match a.at_least_zero() {
        true => Some(a.clone()),
        false => Some(shape::Expr::from(a.constant()?.checked_abs()?)),
    };
    unary(cx, int, f64::abs)
}

fn neg_values(cx: &View<'_>) -> Option<Known> {
    unary(cx, |a| a.mul(&shape::Expr::from(-1)), |a| -a)
}

fn ceil_values(cx: &View<'_>) -> Option<Known> {
    unary(cx, |_| None, f64::ceil)
}

fn floor_values(cx: &View<'_>) -> Option<Known> {
    unary(cx, |_| None, f64::floor)
}

fn round_values(cx: &View<'_>) -> Option<Known> {
    unary(cx, |_| None, f64::round_ties_even)
}

fn add_values(cx: &View<'_>) -> Option<Known> {
    binary(cx, shape::Expr::add, |a, b| Some(a + b))
}

fn sub_values(cx: &View<'_>) -> Option<Known> {
    binary(cx, shape::Expr::sub, |a, b| Some(a - b))
}

fn mul_values(cx: &View<'_>) -> Option<Known> {
    binary(cx, shape::Expr::mul, |a, b| Some(a * b))
}

fn div_values(cx: &View<'_>) -> Option<Known> {
    let int = |a: &shape::Expr, b: &shape::Expr| match (a.constant(), b.constant()) {
        (Some(x), Some(y)) => x.checked_div(y).map(shape::Expr::from),
        // Truncation is rounding down for numbers that are not negative.
        _ if a.at_least_zero() => a.div_floor(b),
        _ => None,
    };
    binary(cx, int, |a, b| Some(a / b))
}

fn mod_values(cx: &View<'_>) -> Option<Known> {
    let int = |a: &shape::Expr, b: &shape::Expr| match (a.constant()?, b.constant()?) {
        (x, y) if y > 0 && x >= 0 => Some(shape::Expr::from(x % y)),
        _ => None,
    };
    binary(cx, int, |_, _| None)
}

fn max_values(cx: &View<'_>) -> Option<Known> {
    extreme(cx, shape::Expr::maximum, f64::max)
}

fn min_values(cx: &View<'_>) -> Option<Known> {
    extreme(cx, shape::Expr::minimum, f64::min)
}

/// The greatest or least of several integers or two numbers.
fn extreme(
    cx: &View<'_>,
    ints: impl Fn(&shape::Expr, &shape::Expr) -> Option<shape::Expr>,
    reals: impl Fn(f64, f64) -> f64,
) -> Option<Known> {
    let int = |args: &[&shape::Expr]| {
        let (first, rest) = args.split_first()?;
        rest.iter().try_fold((*first).clone(), |a, b| ints(&a, b))
    };
    numbers(cx, int, |args| match args {
        [a, b] if !a.is_nan() && !b.is_nan() => Some(reals(*a, *b)),
        _ => None,
    })
}

fn cast_values(cx: &View<'_>) -> Option<Known> {
    let to = ops::Cast::of(cx.op)?.to();
    each(cx, |from, args| args.first().map_or(Elem::Unknown, |elem| converted(elem, from, to)))
}

fn converted(elem: &Elem, from: DType, to: DType) -> Elem {
    match elem {
        Elem::Int(e) => match (to, e.constant()) {
            (DType::Bool, Some(n)) => Elem::Int(i64::from(n != 0).into()),
            (DType::Bool, None) if e.positive() => Elem::Int(1.into()),
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
            fit(Some((v.trunc() as i64).into()), to)
        }
        Elem::Float(v) => round_to(*v, to).unwrap_or(Elem::Unknown),
        Elem::Unknown => Elem::Unknown,
    }
}

/// Bounds are scalars that may be left out.
fn clip_types(site: &Site<'_>) -> Types {
    let at = ops::Clip::AT;
    let (dtype, dims) = site.taken(at.x)?;
    for bound in [at.min, at.max] {
        if site.optional(bound).is_some() {
            site.expect(bound, &Type::fixed(dtype, &[]))?;
        }
    }
    one(Type::fixed(dtype, &dims))
}

/// Rounding is chosen between floats.
fn cast_types(site: &Site<'_>) -> Types {
    let (dtype, _) = site.taken(ops::Cast::AT.x)?;
    let nearest =
        ops::Cast::of(site.op).is_none_or(|op| op.rounding() == FloatRounding::NearestEven);
    match dtype.is_float() || nearest {
        true => alike(site),
        false => Err(site.wrong_attr(ops::Cast::AT.rounding, "one of rtne")),
    }
}

/// Truth values have no bits of their own: they are one in a register and a byte in memory.
fn bit_cast_types(site: &Site<'_>) -> Types {
    let (from, to) = (site.taken(ops::BitCast::AT.x)?.0, site.element(ops::BitCast::AT.to)?);
    let fits = from == to || (from.bits() == to.bits() && from != DType::Bool && to != DType::Bool);
    match fits {
        true => alike(site),
        false => Err(site.wrong_attr(ops::BitCast::AT.to, format!("a type as wide as {from}"))),
    }
}
