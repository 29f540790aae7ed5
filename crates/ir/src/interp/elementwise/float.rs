//! Floats: in f64, rounded once.

use crate::interp::number::{float, from_float};
use crate::{DType, Op, OpKind};
use OpKind as K;

/// One element of an op on floats: in f64, rounded once.
pub(super) fn on_floats(op: &Op, dtype: DType, bits: &[u64]) -> u64 {
    let x: Vec<f64> = bits.iter().map(|&bits| float(dtype, bits)).collect();
    let truth = |holds: bool| u64::from(holds);
    let a = x[0];
    match (op.kind, &x[..]) {
        // The sign of NaN too; where there is no negative zero its code is the NaN.
        (K::Abs, _) => return without_sign(dtype, bits[0]),
        (K::Neg, _) => return negated(dtype, bits[0]),
        (K::IsNaN, _) => return truth(a.is_nan()),
        (K::IsInf, _) => {
            let asked = if a > 0.0 { "detect_positive" } else { "detect_negative" };
            return truth(a.is_infinite() && op.flag(asked));
        }
        (K::Equal, &[_, b]) => return truth(a == b),
        (K::Greater, &[_, b]) => return truth(a > b),
        (K::GreaterOrEqual, &[_, b]) => return truth(a >= b),
        (K::Less, &[_, b]) => return truth(a < b),
        (K::LessOrEqual, &[_, b]) => return truth(a <= b),
        (K::Fma, &[_, b, c]) if dtype == DType::F64 => return a.mul_add(b, c).to_bits(),
        // f64 would round twice here; narrower operands are computed in f32.
        (K::Fma, &[_, b, c]) => {
            return from_float(dtype, (a as f32).mul_add(b as f32, c as f32).into());
        }
        _ => {}
    }
    let value = match (op.kind, &x[..]) {
        (_, [_]) => unary(op, a),
        (K::Max, all) => all.iter().copied().fold(a, maximum),
        (K::Min, all) => all.iter().copied().fold(a, minimum),
        (K::Sum, [_, rest @ ..]) => rest.iter().fold(a, |sum, x| sum + x),
        (K::Mean, all) => all.iter().sum::<f64>() / all.len() as f64,
        (K::Clamp, &[_, low, high]) => match a.is_nan() && op.flag("propagate_nan") {
            true => a,
            false => min_num(max_num(a, low), high),
        },
        (_, &[_, b]) => binary(op, a, b),
        _ => f64::NAN,
    };
    from_float(dtype, value)
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
    match a.partial_cmp(&b) {
        None => f64::NAN,
        Some(std::cmp::Ordering::Equal) => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        Some(order) => {
            if order.is_gt() {
                a
            } else {
                b
            }
        }
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

fn unary(op: &Op, x: f64) -> f64 {
    let of = |name| f64::from(op.float(name).unwrap_or(0.0));
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    match op.kind {
        K::Acos => x.acos(),
        K::Acosh => ::libm::acosh(x),
        K::Asin => x.asin(),
        K::Asinh => ::libm::asinh(x),
        K::Atan => x.atan(),
        K::Atanh => ::libm::atanh(x),
        K::Ceil => x.ceil(),
        K::Celu => x.max(0.0) + (of("alpha") * (x / of("alpha")).exp_m1()).min(0.0),
        K::Cos => x.cos(),
        K::Cosh => x.cosh(),
        K::Elu => {
            if x > 0.0 {
                x
            } else {
                of("alpha") * x.exp_m1()
            }
        }
        K::Erf => ::libm::erf(x),
        K::Exp => x.exp(),
        K::Exp2 => x.exp2(),
        K::Floor => x.floor(),
        K::Gelu if op.str("approximate") == Some("tanh") => {
            let inner = std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2;
            0.5 * x * (1.0 + (inner * (x + 0.044715 * x * x * x)).tanh())
        }
        // Without cancellation for negative x.
        K::Gelu => 0.5 * x * ::libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
        K::HardSigmoid => (of("alpha") * x + of("beta")).clamp(0.0, 1.0),
        K::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
        K::LeakyRelu => {
            if x >= 0.0 {
                x
            } else {
                of("alpha") * x
            }
        }
        K::Log => x.ln(),
        K::Log2 => x.log2(),
        K::Mish => x * softplus(x).tanh(),
        K::Reciprocal => 1.0 / x,
        K::Relu => maximum(x, 0.0),
        K::Round => x.round_ties_even(),
        K::Rsqrt => 1.0 / x.sqrt(),
        K::Selu => of("gamma") * if x > 0.0 { x } else { of("alpha") * x.exp_m1() },
        K::Shrink if x < -of("lambd") => x + of("bias"),
        K::Shrink if x > of("lambd") => x - of("bias"),
        K::Shrink => 0.0,
        K::Sigmoid => sigmoid(x),
        K::Sign => {
            if x == 0.0 || x.is_nan() {
                x
            } else {
                x.signum()
            }
        }
        K::Sin => x.sin(),
        K::Sinh => x.sinh(),
        K::Softplus => softplus(x),
        K::Softsign => x / (1.0 + x.abs()),
        K::Sqrt => x.sqrt(),
        K::Swish => x * sigmoid(of("alpha") * x),
        K::Tan => x.tan(),
        K::Tanh => x.tanh(),
        K::ThresholdedRelu => {
            if x > of("alpha") {
                x
            } else {
                0.0
            }
        }
        // Of one operand these are the operand.
        K::Max | K::Min | K::Sum | K::Mean => x,
        _ => f64::NAN,
    }
}

fn binary(op: &Op, a: f64, b: f64) -> f64 {
    match op.kind {
        K::Add => a + b,
        K::Sub => a - b,
        K::Mul => a * b,
        K::Div => a / b,
        K::MaxNum => max_num(a, b),
        K::MinNum => min_num(a, b),
        K::Mod if op.flag("fmod") => a % b,
        K::Mod => match a % b {
            rest if rest != 0.0 && (rest < 0.0) != (b < 0.0) => rest + b,
            rest => rest,
        },
        K::Pow => a.powf(b),
        K::PRelu => {
            if a >= 0.0 {
                a
            } else {
                b * a
            }
        }
        K::SwiGLU => {
            let alpha = f64::from(op.float("alpha").unwrap_or(1.0));
            a / (1.0 + (-alpha * a).exp()) * b
        }
        _ => f64::NAN,
    }
}
