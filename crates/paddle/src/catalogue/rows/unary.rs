//! Functions of one element.

use crate::catalogue::field::Number;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use crate::error::PaddleErrorKind;
use trident_ir::{DType, ValueId, ops};

signature! {
    /// A function of one tensor.
    Unary (x: ValueId) {} -> out
}

signature! {
    Cast (x: ValueId) { dtype: DType } -> out
}

signature! {
    Clip (x: ValueId, min: Option<Number>, max: Option<Number>) {} -> out
}

signature! {
    Scale (x: ValueId, scale: Number = 1.0) { bias: Number = 0.0, bias_after_scale: bool = true } -> out
}

signature! {
    Power (x: ValueId) { y: Number = 1.0 } -> out
}

signature! {
    Round (x: ValueId) { decimals: i64 = 0 } -> out
}

signature! {
    Increment (x: ValueId) { value: f64 = 1.0 } -> out
}

signature! {
    Logit (x: ValueId) { eps: f64 = 1e-6 } -> out
}

signature! {
    NanToNum (x: ValueId) { nan: f64 = 0.0, posinf: Option<f64>, neginf: Option<f64> } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("abs", Unary, |c, op| c.add(ops::Abs::new(op.x))),
    row!("acos", Unary, |c, op| c.add(ops::Acos::new(op.x))),
    row!("acosh", Unary, |c, op| c.add(ops::Acosh::new(op.x))),
    row!("asin", Unary, |c, op| c.add(ops::Asin::new(op.x))),
    row!("asinh", Unary, |c, op| c.add(ops::Asinh::new(op.x))),
    row!("assign", Unary, |c, op| c.add(ops::Identity::new(op.x))),
    row!("assign_out", Unary, |c, op| c.add(ops::Identity::new(op.x))),
    row!("atan", Unary, |c, op| c.add(ops::Atan::new(op.x))),
    row!("atanh", Unary, |c, op| c.add(ops::Atanh::new(op.x))),
    row!("bitwise_not", Unary, bitwise_not),
    row!("cast", Cast, |c, op| c.cast(op.x, op.dtype), "cast": "dtype=.out_dtype"),
    row!("ceil", Unary, |c, op| whole(c, op.x, |c, x| c.add(ops::Ceil::new(x)))),
    row!("clip", Clip, clip),
    row!("cos", Unary, |c, op| c.add(ops::Cos::new(op.x))),
    row!("cosh", Unary, |c, op| c.add(ops::Cosh::new(op.x))),
    row!("erf", Unary, |c, op| c.add(ops::Erf::new(op.x))),
    row!("exp", Unary, |c, op| of_float(c, op.x, |c, x| c.add(ops::Exp::new(x)))),
    row!("expm1", Unary, |c, op| of_float(c, op.x, |c, x| {
        let (exp, one) = (c.add(ops::Exp::new(x))?, c.number_like(x, 1.0)?);
        c.add(ops::Sub::new(exp, one))
    })),
    row!("floor", Unary, |c, op| whole(c, op.x, |c, x| c.add(ops::Floor::new(x)))),
    row!("increment", Increment, |c, op| {
        let step = c.number_like(op.x, op.value)?;
        c.add(ops::Add::new(op.x, step))
    }, "increment": "value=.step"),
    row!("isfinite", Unary, is_finite, "isfinite_v2", "isfinite"),
    row!("isinf", Unary, |c, op| marks(c, op.x, |c, x| c.add(ops::IsInf::new(x))), "isinf_v2"),
    row!("isnan", Unary, |c, op| marks(c, op.x, |c, x| c.add(ops::IsNaN::new(x))), "isnan_v2"),
    row!("log", Unary, |c, op| of_float(c, op.x, |c, x| c.add(ops::Log::new(x)))),
    row!("log10", Unary, |c, op| of_float(c, op.x, |c, x| {
        log_to_base(c, x, std::f64::consts::LN_10)
    })),
    row!("log1p", Unary, |c, op| of_float(c, op.x, |c, x| {
        let one = c.number_like(x, 1.0)?;
        let sum = c.add(ops::Add::new(x, one))?;
        c.add(ops::Log::new(sum))
    })),
    row!("log2", Unary, |c, op| of_float(c, op.x, |c, x| {
        log_to_base(c, x, std::f64::consts::LN_2)
    })),
    row!("logical_not", Unary, |c, op| {
        let x = c.cast(op.x, DType::Bool)?;
        c.add(ops::Not::new(x))
    }),
    row!("logit", Logit, logit),
    row!("memcpy", Unary, |c, op| c.add(ops::Identity::new(op.x))),
    row!("memcpy_d2h", Unary, |c, op| c.add(ops::Identity::new(op.x))),
    row!("memcpy_h2d", Unary, |c, op| c.add(ops::Identity::new(op.x))),
    row!("nan_to_num", NanToNum, nan_to_num),
    row!("pow", Power, power, "pow": "y=FactorTensor,.factor"),
    row!("print", Unary, |c, op| c.add(ops::Identity::new(op.x)), "print": "x=In"),
    row!("reciprocal", Unary, |c, op| c.add(ops::Reciprocal::new(op.x))),
    row!("round", Round, round),
    row!("rsqrt", Unary, |c, op| c.add(ops::Rsqrt::new(op.x))),
    row!("scale", Scale, scale, "scale": "scale=ScaleTensor,.scale"),
    row!("share_data", Unary, |c, op| c.add(ops::Identity::new(op.x))),
    row!("sign", Unary, |c, op| c.add(ops::Sign::new(op.x))),
    row!("sin", Unary, |c, op| c.add(ops::Sin::new(op.x))),
    row!("sinh", Unary, |c, op| c.add(ops::Sinh::new(op.x))),
    row!("sqrt", Unary, |c, op| c.add(ops::Sqrt::new(op.x))),
    row!("square", Unary, |c, op| c.add(ops::Mul::new(op.x, op.x))),
    row!("tan", Unary, |c, op| c.add(ops::Tan::new(op.x))),
    row!("tanh", Unary, |c, op| c.add(ops::Tanh::new(op.x))),
    row!("trunc", Unary, |c, op| whole(c, op.x, truncated)),
];

/// Rounds a tensor to whole numbers; integers stay as they are.
fn whole(
    c: &mut Call<'_, '_>,
    x: ValueId,
    round: impl FnOnce(&mut Call<'_, '_>, ValueId) -> Made,
) -> Made {
    match c.dtype(x)?.is_float() {
        true => round(c, x),
        false => c.add(ops::Identity::new(x)),
    }
}

/// A function of floats; integers are converted to f32.
fn of_float(
    c: &mut Call<'_, '_>,
    x: ValueId,
    f: impl FnOnce(&mut Call<'_, '_>, ValueId) -> Made,
) -> Made {
    match c.dtype(x)?.is_float() {
        true => f(c, x),
        false => {
            let x = c.cast(x, DType::F32)?;
            f(c, x)
        }
    }
}

/// Marks elements of a tensor of floats; of integers, none is marked.
fn marks(
    c: &mut Call<'_, '_>,
    x: ValueId,
    mark: impl FnOnce(&mut Call<'_, '_>, ValueId) -> Made,
) -> Made {
    let x = match c.dtype(x)?.is_float() {
        true => x,
        false => c.cast(x, DType::F32)?,
    };
    mark(c, x)
}

fn is_finite(c: &mut Call<'_, '_>, op: Unary) -> Made {
    marks(c, op.x, |c, x| {
        let (nan, inf) = (c.add(ops::IsNaN::new(x))?, c.add(ops::IsInf::new(x))?);
        let either = c.add(ops::Or::new(nan, inf))?;
        c.add(ops::Not::new(either))
    })
}

fn bitwise_not(c: &mut Call<'_, '_>, op: Unary) -> Made {
    match c.dtype(op.x)? {
        DType::Bool => c.add(ops::Not::new(op.x)),
        _ => c.add(ops::BitwiseNot::new(op.x)),
    }
}

/// Bounds are converted to the element type of the operand. A bound that is missing is none, and so is one beyond all numbers of the
/// type; if no number of the type is within the bounds, it is an error.
fn clip(c: &mut Call<'_, '_>, op: Clip) -> Made {
    let dtype = c.dtype(op.x)?;
    let known = |number: Option<Number>, what| number.and_then(|number| number.known(what).ok());
    if let (Some(min), Some(max)) = (known(op.min, "min"), known(op.max, "max"))
        && min > max
    {
        return Err(PaddleErrorKind::Malformed(format!("`min` {min} is above `max` {max}")));
    }
    let (least, most) = match dtype {
        DType::U8 => (0.0, u8::MAX.into()),
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        // Whole numbers are of i64 themselves, and its limits as floats lie outside.
        DType::I64 => (i64::MIN as f64, i64::MAX as f64),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let outside = |name: &str, value: f64| {
        let text = format!("`{name}` is {value}, and {dtype} has {least} to {most}");
        PaddleErrorKind::Malformed(text)
    };
    let [low, high] = [known(op.min, "min"), known(op.max, "max")];
    match (low, high) {
        (Some(low), _) if low > most => return Err(outside("min", low)),
        (_, Some(high)) if high < least => return Err(outside("max", high)),
        _ => {}
    }
    let min = op.min.filter(|_| low.is_none_or(|low| low > least));
    let max = op.max.filter(|_| high.is_none_or(|high| high < most));
    let min = min.map(|min| min.value(c, dtype)).transpose()?;
    let max = max.map(|max| max.value(c, dtype)).transpose()?;
    c.add(ops::Clip::new(op.x, min, max))
}

fn log_to_base(c: &mut Call<'_, '_>, x: ValueId, base: f64) -> Made {
    let (log, base) = (c.add(ops::Log::new(x))?, c.number_like(x, base)?);
    c.add(ops::Div::new(log, base))
}

/// ln(x / (1 − x)), with x clamped to eps … 1 − eps; with eps 0, numbers outside 0 … 1 give NaN.
fn logit(c: &mut Call<'_, '_>, op: Logit) -> Made {
    let one = c.number_like(op.x, 1.0)?;
    let mut x = op.x;
    if op.eps > 0.0 {
        let (low, high) = (c.number_like(x, op.eps)?, c.number_like(x, 1.0 - op.eps)?);
        x = c.add(ops::Clip::new(x, Some(low), Some(high)))?;
    }
    let rest = c.add(ops::Sub::new(one, x))?;
    let odds = c.add(ops::Div::new(x, rest))?;
    c.add(ops::Log::new(odds))
}

fn nan_to_num(c: &mut Call<'_, '_>, op: NanToNum) -> Made {
    let most = match c.dtype(op.x)? {
        DType::F64 => f64::MAX,
        DType::F16 => 65504.0,
        _ => f32::MAX.into(),
    };
    let nan = c.number_like(op.x, op.nan)?;
    let high = c.number_like(op.x, op.posinf.unwrap_or(most))?;
    let low = c.number_like(op.x, op.neginf.unwrap_or(-most))?;
    let is_nan = c.add(ops::IsNaN::new(op.x))?;
    let above = c.add(ops::IsInf::new(op.x).detect_negative(false))?;
    let below = c.add(ops::IsInf::new(op.x).detect_positive(false))?;
    let x = c.add(ops::Where::new(is_nan, nan, op.x))?;
    let x = c.add(ops::Where::new(above, high, x))?;
    c.add(ops::Where::new(below, low, x))
}

/// The factor has the element type of the operand.
fn power(c: &mut Call<'_, '_>, op: Power) -> Made {
    let dtype = c.dtype(op.x)?;
    let factor = op.y.value(c, dtype)?;
    c.add(ops::Pow::new(op.x, factor))
}

/// The number without its fraction.
pub(super) fn truncated(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    let zero = c.number_like(x, 0.0)?;
    let negative = c.add(ops::Less::new(x, zero))?;
    let (up, down) = (c.add(ops::Ceil::new(x))?, c.add(ops::Floor::new(x))?);
    c.add(ops::Where::new(negative, up, down))
}

/// The nearest number with so many decimals; of two the even one, and in Paddle 2 the one farther from 0.
fn round(c: &mut Call<'_, '_>, op: Round) -> Made {
    if op.decimals != 0 {
        return rounded_to(c, op);
    }
    if !c.is_of_paddle_2() {
        return whole(c, op.x, |c, x| c.add(ops::Round::new(x)));
    }
    whole(c, op.x, |c, x| {
        let whole = truncated(c, x)?;
        let rest = c.add(ops::Sub::new(x, whole))?;
        let size = c.add(ops::Abs::new(rest))?;
        let half = c.number_like(x, 0.5)?;
        let far = c.add(ops::GreaterOrEqual::new(size, half))?;
        let step = c.add(ops::Sign::new(x))?;
        let next = c.add(ops::Add::new(whole, step))?;
        c.add(ops::Where::new(far, next, whole))
    })
}

/// The nearest multiple of a power of ten, by way of a product and a quotient.
fn rounded_to(c: &mut Call<'_, '_>, op: Round) -> Made {
    if !c.dtype(op.x)?.is_float() {
        return c.add(ops::Identity::new(op.x));
    }
    if c.is_of_paddle_2() {
        return c.refuse(format!("`decimals` is {}, expected 0", op.decimals));
    }
    let digits = c.within("decimals", op.decimals, -38..=38)?;
    let power = c.number_like(op.x, 10f64.powi(digits.unsigned_abs() as i32))?;
    let up = |c: &mut Call<'_, '_>, x| c.add(ops::Mul::new(x, power));
    let down = |c: &mut Call<'_, '_>, x| c.add(ops::Div::new(x, power));
    let x = if digits > 0 { up(c, op.x)? } else { down(c, op.x)? };
    let whole = c.add(ops::Round::new(x))?;
    if digits > 0 { down(c, whole) } else { up(c, whole) }
}

/// scale·x + bias, or scale·(x + bias). Both numbers are converted to the element type of x.
fn scale(c: &mut Call<'_, '_>, op: Scale) -> Made {
    let dtype = c.dtype(op.x)?;
    let (by_one, by_zero) = (Number::Float(1.0), Number::Float(0.0));
    let is = |number: Number, known: Number| {
        number == known
            || matches!((number, known), (Number::Int(a), Number::Float(b)) if a as f64 == b)
    };
    let scaled = |c: &mut Call<'_, '_>, x| match is(op.scale, by_one) {
        true => Ok(x),
        false => {
            let factor = op.scale.value(c, dtype)?;
            c.add(ops::Mul::new(x, factor))
        }
    };
    let moved = |c: &mut Call<'_, '_>, x| match is(op.bias, by_zero) {
        true => Ok(x),
        false => {
            let bias = op.bias.value(c, dtype)?;
            c.add(ops::Add::new(x, bias))
        }
    };
    let y = match op.bias_after_scale {
        true => {
            let y = scaled(c, op.x)?;
            moved(c, y)?
        }
        false => {
            let y = moved(c, op.x)?;
            scaled(c, y)?
        }
    };
    if y == op.x { c.add(ops::Identity::new(y)) } else { Ok(y) }
}
