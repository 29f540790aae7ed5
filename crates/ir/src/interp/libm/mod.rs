//! Functions of the C mathematics library, and of device libraries, by their names in C.

mod rounded;

use super::error::Trap;
use super::number::{self, float, from_float, from_int, int};
use crate::op::words::FloatRounding;
use crate::{DType, Op, ops};

/// One element of the function that the op names.
pub(super) fn element(op: &Op, types: &[DType], bits: &[u64], to: DType) -> Result<u64, Trap> {
    let function = ops::Libm::of(op).ok_or(Trap::Unknown)?.function();
    let args: Vec<(DType, u64)> = types.iter().copied().zip(bits.iter().copied()).collect();
    apply(function, &args, to).ok_or_else(|| {
        let types: Vec<&str> = types.iter().map(|dtype| dtype.name()).collect();
        Trap::Libm { function: function.to_owned(), types: types.join(", ") }
    })
}

fn apply(name: &str, args: &[(DType, u64)], to: DType) -> Option<u64> {
    if let Some(y) = rounded::convert(name, args, to) {
        return Some(y);
    }
    if args.iter().all(|(dtype, _)| dtype.is_int()) {
        let x: Vec<i128> = args.iter().map(|&(dtype, bits)| int(dtype, bits)).collect();
        let u: Vec<u64> = args.iter().map(|&(_, bits)| bits).collect();
        return integers(name, &x, &u, args[0].0.bits() as u32).map(|y| from_int(to, y));
    }
    let x: Vec<f64> = args.iter().map(|&(dtype, bits)| float(dtype, bits)).collect();
    if let Some(y) = truths(name, &x) {
        return Some(u64::from(y));
    }
    if let Some(y) = rounded::apply(name, args) {
        return Some(y);
    }
    let dtype = args[0].0;
    if name == "nextafter" {
        return Some(next_after(dtype, args[0].1, x[0], *x.get(1)?));
    }
    let y = match x[..] {
        [x] => one(name, x),
        [x, y] => two(name, x, y),
        [x, y, z] => three(name, dtype, x, y, z),
        [a, b, c, d] => {
            let norm = (a * a + b * b + c * c + d * d).sqrt();
            match name {
                "norm4d" => Some(norm),
                "rnorm4d" => Some(1.0 / norm),
                _ => None,
            }
        }
        _ => None,
    }?;
    Some(match to.is_float() {
        true => from_float(to, y),
        false => number::cast(DType::F64, to, y.to_bits(), FloatRounding::NearestEven, true),
    })
}

/// The inverse hyperbolic cosine. `libm`'s gives numbers for some operands far below 1.
pub(in crate::interp) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

fn truths(name: &str, x: &[f64]) -> Option<bool> {
    Some(match (name, x) {
        ("isnan", [x]) => x.is_nan(),
        ("isinf", [x]) => x.is_infinite(),
        ("isfinite" | "finite", [x]) => x.is_finite(),
        ("signbit", [x]) => x.is_sign_negative(),
        _ => return None,
    })
}

fn one(name: &str, x: f64) -> Option<f64> {
    use std::f64::consts::FRAC_1_SQRT_2;
    Some(match name {
        "fabs" => x.abs(),
        "acos" => x.acos(),
        "acosh" => acosh(x),
        "asin" => x.asin(),
        "asinh" => libm::asinh(x),
        "atan" => x.atan(),
        "atanh" => libm::atanh(x),
        "cbrt" => x.cbrt(),
        "ceil" => x.ceil(),
        "cos" => x.cos(),
        "cosh" => x.cosh(),
        "cospi" => half_turns(x).1,
        "cyl_bessel_i0" => bessel(x, 0),
        "cyl_bessel_i1" => bessel(x, 1),
        "erf" => libm::erf(x),
        "erfc" => libm::erfc(x),
        "erfcinv" => FRAC_1_SQRT_2 * -normal_quantile(x / 2.0),
        "erfcx" => erfcx(x),
        "erfinv" => erfinv(x),
        "exp" => x.exp(),
        "exp10" => libm::exp10(x),
        "exp2" => x.exp2(),
        "expm1" => x.exp_m1(),
        "floor" => x.floor(),
        "ilogb" => libm::ilogb(x).into(),
        "j0" => libm::j0(x),
        "j1" => libm::j1(x),
        "lgamma" => libm::lgamma(x),
        "log" => x.ln(),
        "log10" => x.log10(),
        "log1p" => x.ln_1p(),
        "rcp64h" => f64::from_bits((1.0 / x).to_bits() & !0xffff_ffff),
        "log2" => x.log2(),
        "logb" if x == 0.0 => f64::NEG_INFINITY,
        "logb" if !x.is_finite() => x.abs(),
        "logb" => libm::ilogb(x).into(),
        "normcdf" => 0.5 * libm::erfc(-x * FRAC_1_SQRT_2),
        "normcdfinv" => normal_quantile(x),
        "rcbrt" => 1.0 / x.cbrt(),
        "rint" | "nearbyint" | "llrint" | "lrint" => x.round_ties_even(),
        "round" | "llround" | "lround" => x.round(),
        "rsqrt" => 1.0 / x.sqrt(),
        "saturate" => {
            if x.is_nan() {
                0.0
            } else {
                x.clamp(0.0, 1.0)
            }
        }
        "sin" => x.sin(),
        "sinh" => x.sinh(),
        "sinpi" => half_turns(x).0,
        "sqrt" => x.sqrt(),
        "tan" => x.tan(),
        "tanh" => x.tanh(),
        "tgamma" => libm::tgamma(x),
        "trunc" => x.trunc(),
        "y0" => libm::y0(x),
        "y1" => libm::y1(x),
        _ => return None,
    })
}

fn two(name: &str, x: f64, y: f64) -> Option<f64> {
    Some(match name {
        "atan2" => x.atan2(y),
        "copysign" => x.copysign(y),
        "fdivide" => x / y,
        "fdim" => libm::fdim(x, y),
        "fmax" => x.max(y),
        "fmin" => x.min(y),
        "fmod" => x % y,
        "hypot" => x.hypot(y),
        "jn" => libm::jn(x as i32, y),
        "ldexp" | "scalbn" => libm::scalbn(x, y as i32),
        "pow" | "powi" => x.powf(y),
        "remainder" => libm::remainder(x, y),
        "rhypot" => 1.0 / x.hypot(y),
        "yn" => libm::yn(x as i32, y),
        _ => return None,
    })
}

fn three(name: &str, dtype: DType, x: f64, y: f64, z: f64) -> Option<f64> {
    let norm = (x * x + y * y + z * z).sqrt();
    Some(match name {
        "fma" if dtype == DType::F64 => x.mul_add(y, z),
        // f64 would round twice.
        "fma" => (x as f32).mul_add(y as f32, z as f32).into(),
        "norm3d" => norm,
        "rnorm3d" => 1.0 / norm,
        _ => return None,
    })
}

/// Sine and cosine of πx, exact at multiples of a quarter turn.
fn half_turns(x: f64) -> (f64, f64) {
    // Both repeat with period 2, and the remainder is exact.
    let x = x % 2.0;
    let quarter = (2.0 * x).round();
    let (sin, cos) = ((x - quarter / 2.0) * std::f64::consts::PI).sin_cos();
    match (quarter as i32).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The modified Bessel function of the first kind of order 0 or 1 by its series (Abramowitz and Stegun 9.6.10), whose terms
/// are of one sign.
fn bessel(x: f64, order: u32) -> f64 {
    let quarter = x * x / 4.0;
    let mut term = if order == 0 { 1.0 } else { x / 2.0 };
    let mut sum: f64 = term;
    for k in 1..2000 {
        term *= quarter / (f64::from(k) * f64::from(k + order));
        let next = sum + term;
        if next == sum || !next.is_finite() {
            return next;
        }
        sum = next;
    }
    sum
}

/// exp(x²)·erfc(x).
fn erfcx(x: f64) -> f64 {
    if x < 25.0 {
        return (x * x).exp() * libm::erfc(x);
    }
    // There erfc underflows; the asymptotic series (Abramowitz and Stegun 7.1.23) is exact to f64.
    let t = 1.0 / (2.0 * x * x);
    let series = (1..12).rev().fold(1.0, |sum, k| 1.0 - f64::from(2 * k - 1) * t * sum);
    series / (x * std::f64::consts::PI.sqrt())
}

/// The x with Φ(x) = p.
fn normal_quantile(p: f64) -> f64 {
    // 1 − Φ(x), which keeps its digits where Φ is near 1.
    let tail = |x: f64| 0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2);
    match p {
        p if p.is_nan() || !(0.0..=1.0).contains(&p) => f64::NAN,
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        p if p > 0.5 => bisect(-1.0, 39.0, |x| tail(x) > 1.0 - p),
        p => -bisect(-1.0, 39.0, |x| tail(x) > p),
    }
}

fn erfinv(y: f64) -> f64 {
    match y {
        y if y.is_nan() || y.abs() > 1.0 => f64::NAN,
        0.0 => y,
        y if y.abs() == 1.0 => y * f64::INFINITY,
        y => bisect(0.0, 6.0, |x| libm::erf(x) < y.abs()).copysign(y),
    }
}

/// The place between `low` and `high` at which `below` stops to hold: slow, but as exact as the function.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if below(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The neighbour of x on the way to y, in the type of x.
fn next_after(dtype: DType, bits: u64, x: f64, y: f64) -> u64 {
    let sign = 1u64 << (dtype.bits() - 1);
    match () {
        () if x.is_nan() || y.is_nan() => from_float(dtype, f64::NAN),
        () if x == y => from_float(dtype, y),
        () if x == 0.0 => 1 | if y < 0.0 { sign } else { 0 },
        // Codes of one sign rise with the magnitude.
        () if (y > x) == (x > 0.0) => bits + 1,
        () => bits - 1,
    }
}

/// Functions of integers of `width` bits: values by the types' signs, and bits.
fn integers(name: &str, x: &[i128], u: &[u64], width: u32) -> Option<i128> {
    let low24 = |v: u64| i128::from((v as i32) << 8 >> 8);
    let u24 = |v: u64| i128::from(v & 0xff_ffff);
    let unused = 64 - width;
    let unsigned = |i: usize| i128::from(u[i]);
    let signed = |i: usize| i128::from((u[i] << unused) as i64 >> unused);
    Some(match (name, x.len()) {
        ("abs" | "llabs", 1) => signed(0).abs(),
        ("clz" | "clzll", 1) => i128::from(u[0].leading_zeros() - unused),
        ("popc" | "popcll", 1) => u[0].count_ones().into(),
        ("brev" | "brevll", 1) => (u[0].reverse_bits() >> unused).into(),
        ("ffs" | "ffsll", 1) => {
            if u[0] == 0 {
                0
            } else {
                i128::from(u[0].trailing_zeros()) + 1
            }
        }
        ("min" | "llmin", 2) => signed(0).min(signed(1)),
        ("max" | "llmax", 2) => signed(0).max(signed(1)),
        ("umin" | "ullmin", 2) => unsigned(0).min(unsigned(1)),
        ("umax" | "ullmax", 2) => unsigned(0).max(unsigned(1)),
        ("mulhi" | "mul64hi", 2) => (signed(0) * signed(1)) >> width,
        ("umulhi" | "umul64hi", 2) => ((u128::from(u[0]) * u128::from(u[1])) >> width) as i128,
        ("mul24", 2) => low24(u[0]) * low24(u[1]),
        ("umul24", 2) => u24(u[0]) * u24(u[1]),
        ("hadd", 2) => (signed(0) + signed(1)) >> 1,
        ("rhadd", 2) => (signed(0) + signed(1) + 1) >> 1,
        ("uhadd", 2) => (unsigned(0) + unsigned(1)) >> 1,
        ("urhadd", 2) => (unsigned(0) + unsigned(1) + 1) >> 1,
        ("sad", 3) => (signed(0) - signed(1)).abs() + unsigned(2),
        ("usad", 3) => (unsigned(0) - unsigned(1)).abs() + unsigned(2),
        ("byte_perm", 3) => {
            let bytes = [(u[0] as u32).to_le_bytes(), (u[1] as u32).to_le_bytes()].concat();
            let chosen = (0..4).map(|i| bytes[(u[2] >> (4 * i) & 7) as usize]);
            chosen.enumerate().map(|(i, byte)| i128::from(byte) << (8 * i)).sum()
        }
        _ => return None,
    })
}
