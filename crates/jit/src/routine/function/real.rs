//! Functions of real numbers that are computed element by element, by their names in C.

use super::{functions, special};
use crate::routine::Registry;

pub(super) fn register(registry: &mut Registry) {
    f32_functions(registry);
    f64_functions(registry);
    fast(registry);
}

/// The functions available for both `f32` (via `f64` where the standard library has nothing better) and `f64`; `R` is
/// the type.
macro_rules! table {
    ($registry:ident) => {
        functions!($registry;
            // Exact functions.
            "fabs" => |x: R| -> R { x.abs() }
            "floor" => |x: R| -> R { x.floor() }
            "ceil" => |x: R| -> R { x.ceil() }
            "trunc" => |x: R| -> R { x.trunc() }
            "round" => |x: R| -> R { x.round() }
            "rint" => |x: R| -> R { x.round_ties_even() }
            "nearbyint" => |x: R| -> R { x.round_ties_even() }
            "llrint" => |x: R| -> i64 { x.round_ties_even() as i64 }
            "llround" => |x: R| -> i64 { x.round() as i64 }
            "copysign" => |x: R, y: R| -> R { x.copysign(y) }
            "isnan" => |x: R| -> i32 { x.is_nan().into() }
            "isinf" => |x: R| -> i32 { x.is_infinite().into() }
            "isfinite" => |x: R| -> i32 { x.is_finite().into() }
            "finite" => |x: R| -> i32 { x.is_finite().into() }
            "signbit" => |x: R| -> i32 { x.is_sign_negative().into() }
            "sqrt" => |x: R| -> R { x.sqrt() }
            "fma" => |x: R, y: R, z: R| -> R { x.mul_add(y, z) }
            "rsqrt" => |x: R| -> R { 1.0 / x.sqrt() }
            "fmin" => |x: R, y: R| -> R { x.min(y) }
            "fmax" => |x: R, y: R| -> R { x.max(y) }
            "fdim" => |x: R, y: R| -> R { if x <= y { 0.0 } else { x - y } }
            "fmod" => |x: R, y: R| -> R { x % y }
            "remainder" => |x: R, y: R| -> R { libm::remainder(x.into(), y.into()) as R }
            "ldexp" => |x: R, n: i32| -> R { ldexp!(x, n) }
            "scalbn" => |x: R, n: i32| -> R { ldexp!(x, n) }
            "logb" => |x: R| -> R { logb(x.into()) as R }
            "ilogb" => |x: R| -> i32 { libm::ilogb(x.into()) }
            "nextafter" => |x: R, y: R| -> R { nextafter!(x, y) }
        );
        functions!($registry, once;
            // Elementary functions.
            "cbrt" => |x: R| -> R { f64::from(x).cbrt() as R }
            "rcbrt" => |x: R| -> R { (1.0 / f64::from(x).cbrt()) as R }
            "exp10" => |x: R| -> R { libm::exp10(x.into()) as R }
            "tan" => |x: R| -> R { f64::from(x).tan() as R }
            "sinpi" => |x: R| -> R { special::sin_pi(x.into()) as R }
            "cospi" => |x: R| -> R { special::cos_pi(x.into()) as R }
            "asin" => |x: R| -> R { f64::from(x).asin() as R }
            "acos" => |x: R| -> R { f64::from(x).acos() as R }
            "atan" => |x: R| -> R { f64::from(x).atan() as R }
            "atan2" => |y: R, x: R| -> R { f64::from(y).atan2(x.into()) as R }
            "asinh" => |x: R| -> R { libm::asinh(x.into()) as R }
            "acosh" => |x: R| -> R { special::acosh(x.into()) as R }
            "atanh" => |x: R| -> R { libm::atanh(x.into()) as R }
            "hypot" => |x: R, y: R| -> R { f64::from(x).hypot(y.into()) as R }
            "rhypot" => |x: R, y: R| -> R { (1.0 / f64::from(x).hypot(y.into())) as R }
            "norm3d" => |x: R, y: R, z: R| -> R { f64::from(x).hypot(y.into()).hypot(z.into()) as R }
            "rnorm3d" => |x: R, y: R, z: R| -> R { (1.0 / f64::from(x).hypot(y.into()).hypot(z.into())) as R }
            "norm4d" => |x: R, y: R, z: R, w: R| -> R {
                f64::from(x).hypot(y.into()).hypot(f64::from(z).hypot(w.into())) as R
            }
            "rnorm4d" => |x: R, y: R, z: R, w: R| -> R {
                (1.0 / f64::from(x).hypot(y.into()).hypot(f64::from(z).hypot(w.into()))) as R
            }
            "powi" => |x: R, n: i32| -> R { f64::from(x).powf(n.into()) as R }
            // Special functions.
            "erfc" => |x: R| -> R { libm::erfc(x.into()) as R }
            "erfcx" => |x: R| -> R { special::erfcx(x.into()) as R }
            "erfinv" => |x: R| -> R { special::erf_inv(x.into()) as R }
            "erfcinv" => |x: R| -> R { special::erfc_inv(x.into()) as R }
            "normcdf" => |x: R| -> R { special::normal_cdf(x.into()) as R }
            "normcdfinv" => |x: R| -> R { special::normal_cdf_inv(x.into()) as R }
            "lgamma" => |x: R| -> R { libm::lgamma(x.into()) as R }
            "tgamma" => |x: R| -> R { libm::tgamma(x.into()) as R }
            "j0" => |x: R| -> R { libm::j0(x.into()) as R }
            "j1" => |x: R| -> R { libm::j1(x.into()) as R }
            "jn" => |n: i32, x: R| -> R { libm::jn(n, x.into()) as R }
            "y0" => |x: R| -> R { libm::y0(x.into()) as R }
            "y1" => |x: R| -> R { libm::y1(x.into()) as R }
            "yn" => |n: i32, x: R| -> R { libm::yn(n, x.into()) as R }
            "cyl_bessel_i0" => |x: R| -> R { special::bessel_i0(x.into()) as R }
            "cyl_bessel_i1" => |x: R| -> R { special::bessel_i1(x.into()) as R }
        );
    };
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
fn f32_functions(registry: &mut Registry) {
    type R = f32;
    macro_rules! ldexp {
        // In `f64` the power and the product are exact.
        ($x:expr, $n:expr) => {
            (f64::from($x) * f64::from_bits(((1023 + i64::from($n.clamp(-400, 400))) as u64) << 52))
                as f32
        };
    }
    macro_rules! nextafter {
        ($x:expr, $y:expr) => {
            libm::nextafterf($x, $y)
        };
    }
    table!(registry);
    functions!(registry;
        "saturate" => |x: f32| -> f32 { if x > 0.0 { x.min(1.0) } else { 0.0 } }
        "int_as_float" => |x: i32| -> f32 { f32::from_bits(x as u32) }
        "uint_as_float" => |x: u32| -> f32 { f32::from_bits(x) }
        "float_as_int" => |x: f32| -> i32 { x.to_bits() as i32 }
        "float_as_uint" => |x: f32| -> u32 { x.to_bits() }
    );
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
fn f64_functions(registry: &mut Registry) {
    type R = f64;
    macro_rules! ldexp {
        ($x:expr, $n:expr) => {
            libm::ldexp($x, $n)
        };
    }
    macro_rules! nextafter {
        ($x:expr, $y:expr) => {
            libm::nextafter($x, $y)
        };
    }
    table!(registry);
    functions!(registry;
        "expm1" => |x: f64| -> f64 { x.exp_m1() }
        "log1p" => |x: f64| -> f64 { x.ln_1p() }
        "sinh" => |x: f64| -> f64 { x.sinh() }
        "cosh" => |x: f64| -> f64 { x.cosh() }
        "pow" => |x: f64, y: f64| -> f64 { x.powf(y) }
        "tanh" => |x: f64| -> f64 { x.tanh() }
        "erf" => |x: f64| -> f64 { libm::erf(x) }
        "longlong_as_double" => |x: i64| -> f64 { f64::from_bits(x as u64) }
        "double_as_longlong" => |x: f64| -> i64 { x.to_bits() as i64 }
        "hiloint2double" => |hi: i32, lo: i32| -> f64 {
            f64::from_bits(u64::from(hi as u32) << 32 | u64::from(lo as u32))
        }
        "double2loint" => |x: f64| -> i32 { x.to_bits() as i32 }
        "double2hiint" => |x: f64| -> i32 { (x.to_bits() >> 32) as i32 }
        // The upper 32 bits of an approximate reciprocal; the lower ones are zero.
        "rcp64h" => |x: f64| -> f64 { f64::from_bits((1.0 / x).to_bits() & !0xffff_ffff) }
    );
}

/// Functions that are approximations on other devices.
fn fast(registry: &mut Registry) {
    functions!(registry;
        "fdivide" => |x: f32, y: f32| -> f32 { x / y }
    );
}

/// The exponent of `x`, also of a subnormal number.
fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        libm::ilogb(x).into()
    } else {
        x * x
    }
}
