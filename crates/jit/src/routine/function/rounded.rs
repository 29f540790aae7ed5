//! Arithmetic and conversions with a direction of rounding: the suffixes `rn` (to nearest, ties to even), `rz` (toward
//! zero), `rd` (down) and `ru` (up) of CUDA's device library.
//!
//! A result is first rounded to nearest; the sign of its rounding error, which is computed exactly, decides whether a
//! neighbour is the right result.

use super::functions;
use crate::routine::Registry;

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Nearest,
    Zero,
    Down,
    Up,
}
use Direction::{Down, Nearest, Up, Zero};

pub(super) fn register(registry: &mut Registry) {
    macro_rules! directions {
        ($($suffix:literal $direction:ident;)*) => { $(
            functions!(registry, once;
                concat!("add_", $suffix) => |x: f32, y: f32| -> f32 { f32_sum(x, y, $direction) }
                concat!("sub_", $suffix) => |x: f32, y: f32| -> f32 { f32_sum(x, -y, $direction) }
                concat!("mul_", $suffix) => |x: f32, y: f32| -> f32 { f32_fma(x, y, None, $direction) }
                concat!("fma_", $suffix) => |x: f32, y: f32, z: f32| -> f32 { f32_fma(x, y, Some(z), $direction) }
                concat!("div_", $suffix) => |x: f32, y: f32| -> f32 { f32_quotient(x, y, $direction) }
                concat!("rcp_", $suffix) => |x: f32| -> f32 { f32_quotient(1.0, x, $direction) }
                concat!("sqrt_", $suffix) => |x: f32| -> f32 { f32_root(x, $direction) }
                concat!("add_", $suffix) => |x: f64, y: f64| -> f64 { f64_sum(x, y, $direction) }
                concat!("sub_", $suffix) => |x: f64, y: f64| -> f64 { f64_sum(x, -y, $direction) }
                concat!("mul_", $suffix) => |x: f64, y: f64| -> f64 { f64_product(x, y, $direction) }
                concat!("fma_", $suffix) => |x: f64, y: f64, z: f64| -> f64 { f64_fma(x, y, z, $direction) }
                concat!("div_", $suffix) => |x: f64, y: f64| -> f64 { f64_quotient(x, y, $direction) }
                concat!("rcp_", $suffix) => |x: f64| -> f64 { f64_quotient(1.0, x, $direction) }
                concat!("sqrt_", $suffix) => |x: f64| -> f64 { f64_root(x, $direction) }
                concat!("double2float_", $suffix) => |x: f64| -> f32 { narrow(x, 0.0, $direction) }
                concat!("float2int_", $suffix) => |x: f32| -> i32 { integral(x.into(), $direction) as i32 }
                concat!("float2uint_", $suffix) => |x: f32| -> u32 { integral(x.into(), $direction) as u32 }
                concat!("float2ll_", $suffix) => |x: f32| -> i64 { integral(x.into(), $direction) as i64 }
                concat!("float2ull_", $suffix) => |x: f32| -> u64 { integral(x.into(), $direction) as u64 }
                concat!("double2int_", $suffix) => |x: f64| -> i32 { integral(x, $direction) as i32 }
                concat!("double2uint_", $suffix) => |x: f64| -> u32 { integral(x, $direction) as u32 }
                concat!("double2ll_", $suffix) => |x: f64| -> i64 { integral(x, $direction) as i64 }
                concat!("double2ull_", $suffix) => |x: f64| -> u64 { integral(x, $direction) as u64 }
                concat!("int2float_", $suffix) => |x: i32| -> f32 { narrow(x.into(), 0.0, $direction) }
                concat!("uint2float_", $suffix) => |x: u32| -> f32 { narrow(x.into(), 0.0, $direction) }
                concat!("ll2float_", $suffix) => |x: i64| -> f32 { integer_to_f32(x.into(), $direction) }
                concat!("ull2float_", $suffix) => |x: u64| -> f32 { integer_to_f32(x.into(), $direction) }
                concat!("int2double_", $suffix) => |x: i32| -> f64 { x.into() }
                concat!("uint2double_", $suffix) => |x: u32| -> f64 { x.into() }
                concat!("ll2double_", $suffix) => |x: i64| -> f64 { integer_to_f64(x.into(), $direction) }
                concat!("ull2double_", $suffix) => |x: u64| -> f64 { integer_to_f64(x.into(), $direction) }
            );
        )* };
    }
    directions! { "rn" Nearest; "rz" Zero; "rd" Down; "ru" Up; }
    functions!(registry, once;
        "rsqrt_rn" => |x: f32| -> f32 { (1.0 / f64::from(x).sqrt()) as f32 }
    );
}

/// Rounds `x` to an integral value.
#[inline(always)]
fn integral(x: f64, direction: Direction) -> f64 {
    match direction {
        Nearest => x.round_ties_even(),
        Zero => x.trunc(),
        Down => x.floor(),
        Up => x.ceil(),
    }
}

/// Which neighbour of `nearest` is the rounded result: the one above (`Some(true)`), below (`Some(false)`) or neither.
/// The exact result minus `nearest` has the sign of `rest`.
#[inline(always)]
fn neighbour(negative: bool, rest: f64, direction: Direction) -> Option<bool> {
    let (above, below) = (rest > 0.0, rest < 0.0);
    match direction {
        Up if above => Some(true),
        Down if below => Some(false),
        Zero if negative && above => Some(true),
        Zero if !negative && below => Some(false),
        _ => None,
    }
}

macro_rules! directed {
    ($name:ident, $t:ty) => {
        /// The result, rounded in the given direction; the exact result minus `nearest` has the sign of `rest`.
        #[inline(always)]
        fn $name(nearest: $t, rest: f64, direction: Direction) -> $t {
            match neighbour(nearest.is_sign_negative(), rest, direction) {
                Some(true) => nearest.next_up(),
                Some(false) => nearest.next_down(),
                None => nearest,
            }
        }
    };
}
directed!(directed_f32, f32);
directed!(directed_f64, f64);

/// `x + rest` as an `f32`, where `rest` is too small for the `f64` `x` (only its sign matters).
#[inline(always)]
fn narrow(x: f64, rest: f64, direction: Direction) -> f32 {
    if direction == Nearest {
        // Rounding to odd first prevents double rounding.
        let odd = if rest != 0.0 && x.is_finite() && x.to_bits() & 1 == 0 {
            if rest > 0.0 { x.next_up() } else { x.next_down() }
        } else {
            x
        };
        return odd as f32;
    }
    let nearest = x as f32;
    let missing = x - f64::from(nearest);
    // An infinite result of finite operands has an infinite error, which has the right sign.
    let rest = if missing == 0.0 || missing.is_nan() { rest } else { missing };
    directed_f32(nearest, rest, direction)
}

/// The sum and its rounding error (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// The sign of an exact zero sum: negative when rounding down, unless both terms agree.
#[inline(always)]
fn zero_sum(a: f64, b: f64, direction: Direction) -> f64 {
    if direction == Down && a.is_sign_negative() != b.is_sign_negative() { -0.0 } else { a + b }
}

#[inline(always)]
fn f32_sum(x: f32, y: f32, direction: Direction) -> f32 {
    let (s, rest) = two_sum(x.into(), y.into());
    if s == 0.0 {
        return zero_sum(x.into(), y.into(), direction) as f32;
    }
    narrow(s, rest, direction)
}

#[inline(always)]
fn f32_fma(x: f32, y: f32, z: Option<f32>, direction: Direction) -> f32 {
    // Exact: the product of two 24-bit significands.
    let product = f64::from(x) * f64::from(y);
    let Some(z) = z else { return narrow(product, 0.0, direction) };
    let (s, rest) = two_sum(product, z.into());
    if s == 0.0 {
        return zero_sum(product, z.into(), direction) as f32;
    }
    narrow(s, rest, direction)
}

#[inline(always)]
fn f32_quotient(x: f32, y: f32, direction: Direction) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    let q = x / y;
    let rest = if q.is_finite() { (-q).mul_add(y, x) * y.signum() } else { 0.0 };
    narrow(q, rest, direction)
}

#[inline(always)]
fn f32_root(x: f32, direction: Direction) -> f32 {
    let x = f64::from(x);
    let r = x.sqrt();
    let rest = if r.is_finite() { (-r).mul_add(r, x) } else { 0.0 };
    narrow(r, rest, direction)
}

/// The rounding error of an infinite result of finite operands.
#[inline(always)]
fn overflow(result: f64) -> f64 {
    -result.signum()
}

#[inline(always)]
fn f64_sum(x: f64, y: f64, direction: Direction) -> f64 {
    let (s, rest) = two_sum(x, y);
    if s == 0.0 {
        return zero_sum(x, y, direction);
    }
    let rest = if s.is_infinite() && x.is_finite() && y.is_finite() { overflow(s) } else { rest };
    directed_f64(s, rest, direction)
}

/// 2^300: scales tiny numbers so that residuals are normal numbers.
const SCALE: f64 = f64::from_bits((1023 + 300) << 52);

#[inline(always)]
fn f64_product(x: f64, y: f64, direction: Direction) -> f64 {
    let p = x * y;
    let rest = if p.is_infinite() && x.is_finite() && y.is_finite() {
        overflow(p)
    } else if p == 0.0 && x != 0.0 && y != 0.0 {
        x.signum() * y.signum()
    } else if p.abs() < 1.0 / (SCALE * SCALE) {
        // Neither factor can overflow here.
        (x * SCALE).mul_add(y * SCALE, -(p * SCALE * SCALE))
    } else {
        x.mul_add(y, -p)
    };
    directed_f64(p, rest, direction)
}

/// Results below 2^-900 may be rounded to nearest, as their rounding error can be too small for an `f64`.
#[inline(always)]
fn f64_fma(x: f64, y: f64, z: f64, direction: Direction) -> f64 {
    let r = x.mul_add(y, z);
    if direction == Nearest || r.is_nan() {
        return r;
    }
    let finite = x.is_finite() && y.is_finite() && z.is_finite();
    if r.is_infinite() {
        return directed_f64(r, if finite { overflow(r) } else { 0.0 }, direction);
    }
    let p = x * y;
    let e = x.mul_add(y, -p);
    if p == -z && e == 0.0 {
        return zero_sum(p, z, direction);
    }
    let (s, t) = two_sum(p, z);
    let (u, v) = two_sum(t, e);
    let (w, q) = two_sum(s - r, u);
    directed_f64(r, w + (q + v), direction)
}

#[inline(always)]
fn f64_quotient(x: f64, y: f64, direction: Direction) -> f64 {
    let q = x / y;
    let rest = if q.is_nan() || x.is_infinite() || y == 0.0 || x == 0.0 {
        0.0
    } else if q.is_infinite() {
        overflow(q)
    } else if y.is_infinite() {
        0.0
    } else {
        // Scaled so that nothing underflows: q y is about x.
        let (mut x, mut y) = (x, y);
        if x.abs() < 1.0 / SCALE {
            x *= SCALE;
            y *= SCALE;
        }
        if x.abs() < 1.0 / SCALE {
            x *= SCALE;
            y *= SCALE;
        }
        if y.is_infinite() {
            // In this case the quotient is below every positive number.
            x.signum() * y.signum()
        } else {
            (-q).mul_add(y, x) * y.signum()
        }
    };
    directed_f64(q, rest, direction)
}

#[inline(always)]
fn f64_root(x: f64, direction: Direction) -> f64 {
    let r = x.sqrt();
    if !r.is_finite() {
        return r;
    }
    let rest = if x < 1.0 / SCALE {
        let half = r * SCALE;
        (-half).mul_add(half, x * SCALE * SCALE)
    } else {
        (-r).mul_add(r, x)
    };
    directed_f64(r, rest, direction)
}

fn integer_to_f32(x: i128, direction: Direction) -> f32 {
    let nearest = x as f32;
    directed_f32(nearest, (x - nearest as i128) as f64, direction)
}

fn integer_to_f64(x: i128, direction: Direction) -> f64 {
    let nearest = x as f64;
    directed_f64(nearest, (x - nearest as i128) as f64, direction)
}
