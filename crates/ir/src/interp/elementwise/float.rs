//! Floats: in f64, rounded once.

use super::no_meaning;
use crate::interp::error::Trap;
use crate::interp::libm;
use crate::interp::number::{float, from_float};
use crate::{DType, Op, OpKind, ops};
use OpKind as K;

/// One element of an op on floats: in f64, rounded once.
pub(super) fn on_floats(op: &Op, dtype: DType, bits: &[u64]) -> Result<u64, Trap> {
    let x: Vec<f64> = bits.iter().map(|&bits| float(dtype, bits)).collect();
    let truth = |holds: bool| u64::from(holds);
    let a = x[0];
    match (op.kind, &x[..]) {
        // The sign of NaN too; where there is no negative zero its code is the NaN.
        (K::Abs, _) => return Ok(without_sign(dtype, bits[0])),
        (K::Neg, _) => return Ok(negated(dtype, bits[0])),
        (K::IsNaN, _) => return Ok(truth(a.is_nan())),
        (K::Equal, &[_, b]) => return Ok(truth(a == b)),
        (K::Greater, &[_, b]) => return Ok(truth(a > b)),
        (K::GreaterOrEqual, &[_, b]) => return Ok(truth(a >= b)),
        (K::Less, &[_, b]) => return Ok(truth(a < b)),
        (K::LessOrEqual, &[_, b]) => return Ok(truth(a <= b)),
        (K::Fma, &[_, b, c]) if dtype == DType::F64 => return Ok(a.mul_add(b, c).to_bits()),
        // f64 would round twice here; narrower operands are computed in f32.
        (K::Fma, &[_, b, c]) => {
            return Ok(from_float(dtype, (a as f32).mul_add(b as f32, c as f32).into()));
        }
        _ => {}
    }
    let value = match (op.kind, &x[..]) {
        (kind, [_]) => unary(kind, a),
        (K::Max, all) => Some(all.iter().copied().fold(a, maximum)),
        (K::Min, all) => Some(all.iter().copied().fold(a, minimum)),
        (_, &[_, b]) => binary(op, a, b),
        _ => None,
    };
    value.map(|value| from_float(dtype, value)).ok_or_else(|| no_meaning(op, dtype))
}

fn without_sign(dtype: DType, bits: u64) -> u64 {
    let sign = 1 << (8 * dtype.size() - 1);
    match dtype {
        DType::F8E4M3FNUZ | DType::F8E5M2FNUZ if bits == sign => bits,
        _ => bits & !sign,
    }
}

fn negated(dtype: DType, bits: u64) -> u64 {
    let sign = 1 << (8 * dtype.size() - 1);
    match dtype {
        DType::F8E4M3FNUZ | DType::F8E5M2FNUZ if bits & !sign == 0 => bits,
        _ => bits ^ sign,
    }
}

/// IEEE 754-2019 maximum: NaN wins, −0 is less than +0.
fn maximum(a: f64, b: f64) -> f64 {
    use std::cmp::Ordering;
    match a.partial_cmp(&b) {
        None => f64::NAN,
        Some(Ordering::Greater) => a,
        Some(Ordering::Less) => b,
        Some(Ordering::Equal) if a.is_sign_negative() => b,
        Some(Ordering::Equal) => a,
    }
}

fn minimum(a: f64, b: f64) -> f64 {
    -maximum(-a, -b)
}

/// The greater, or the number if the other is NaN.
fn max_num(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => maximum(a, b),
    }
}

fn min_num(a: f64, b: f64) -> f64 {
    -max_num(-a, -b)
}

/// `None` for an op without a meaning for one operand.
fn unary(kind: OpKind, x: f64) -> Option<f64> {
    Some(match kind {
        K::Acos => x.acos(),
        K::Acosh => libm::acosh(x),
        K::Asin => x.asin(),
        K::Asinh => ::libm::asinh(x),
        K::Atan => x.atan(),
        K::Atanh => ::libm::atanh(x),
        K::Ceil => x.ceil(),
        K::Cos => x.cos(),
        K::Cosh => x.cosh(),
        K::Erf => ::libm::erf(x),
        K::Exp => x.exp(),
        K::Exp2 => x.exp2(),
        K::Floor => x.floor(),
        K::Log => x.ln(),
        K::Log2 => x.log2(),
        K::Round => x.round_ties_even(),
        K::Sin => x.sin(),
        K::Sinh => x.sinh(),
        K::Sqrt => x.sqrt(),
        K::Tan => x.tan(),
        K::Tanh => x.tanh(),
        // Of one operand these are the operand.
        K::Max | K::Min => x,
        _ => return None,
    })
}

/// `None` for an op without a meaning for two operands.
fn binary(op: &Op, a: f64, b: f64) -> Option<f64> {
    Some(match op.kind {
        K::Add => a + b,
        K::Sub => a - b,
        K::Mul => a * b,
        K::Div => a / b,
        K::MaxNum => max_num(a, b),
        K::MinNum => min_num(a, b),
        K::Mod if ops::Mod::of(op).is_some_and(|op| op.fmod()) => a % b,
        K::Mod => match a % b {
            0.0 => 0f64.copysign(b),
            rest if (rest < 0.0) != (b < 0.0) => rest + b,
            rest => rest,
        },
        K::Pow => a.powf(b),
        _ => return None,
    })
}
