//! Special functions in `f64`.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, SQRT_2};

/// `sin(π x)`, with exact zeros at the integers.
pub(super) fn sin_pi(x: f64) -> f64 {
    // The remainder by 2 is exact, and so is the rest of the reduction.
    let r = x % 2.0;
    let quarter = (2.0 * r).round();
    let y = (r - quarter / 2.0) * PI;
    let s = match (quarter as i64).rem_euclid(4) {
        0 => y.sin(),
        1 => y.cos(),
        2 => -y.sin(),
        _ => -y.cos(),
    };
    if s == 0.0 { 0f64.copysign(x) } else { s }
}

/// `cos(π x)`, with exact zeros halfway between the integers.
pub(super) fn cos_pi(x: f64) -> f64 {
    let r = (x % 2.0).abs();
    let quarter = (2.0 * r).round();
    let y = (r - quarter / 2.0) * PI;
    match quarter as i64 % 4 {
        0 => y.cos(),
        1 => 0.0 - y.sin(),
        2 => -y.cos(),
        _ => y.sin() + 0.0,
    }
}

/// The inverse hyperbolic cosine. `libm`'s gives numbers for some operands far below 1.
pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// `exp(x²) erfc(x)`.
pub(super) fn erfcx(x: f64) -> f64 {
    if x < 5.0 {
        // Compensates for the square's rounding error, which the exponential would magnify.
        let square = x * x;
        let rest = x.mul_add(x, -square);
        let scale = square.exp();
        return if scale.is_infinite() { scale } else { scale * (1.0 + rest) * libm::erfc(x) };
    }
    // Laplace's continued fraction, x + (1/2)/(x + (2/2)/(x + …)).
    let mut f = x;
    for i in (1..=60).rev() {
        f = x + f64::from(i) * 0.5 / f;
    }
    FRAC_2_SQRT_PI / 2.0 / f
}

/// The inverse of the error function.
pub(super) fn erf_inv(x: f64) -> f64 {
    let a = x.abs();
    if a > 0.5 {
        return erfc_inv(1.0 - a).copysign(x);
    }
    // Halley's iteration from the first term of the series.
    let mut y = a / FRAC_2_SQRT_PI;
    for _ in 0..4 {
        let error = libm::erf(y) - a;
        y -= error / (FRAC_2_SQRT_PI * (-y * y).exp() + y * error);
    }
    if a == 0.0 { x } else { y.copysign(x) }
}

/// The inverse of the complementary error function.
pub(super) fn erfc_inv(p: f64) -> f64 {
    if !(0.0..=2.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 2.0 {
        return if p == 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    // Near 1 the error function itself is more accurate.
    if (0.5..=1.5).contains(&p) {
        return erf_inv(1.0 - p);
    }
    let tail = p.min(2.0 - p);
    // Abramowitz and Stegun 26.2.22, then Halley's iteration.
    let t = (-2.0 * (tail / 2.0).ln()).sqrt();
    let mut y = FRAC_1_SQRT_2 * (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));
    for _ in 0..4 {
        let error = libm::erfc(y) - tail;
        let slope = FRAC_2_SQRT_PI * (-y * y).exp();
        y += error / (slope - y * error);
    }
    if p < 1.0 { y } else { -y }
}

/// The cumulative distribution function of the standard normal distribution.
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The inverse of [`normal_cdf`].
pub(super) fn normal_cdf_inv(p: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * p)
}

/// The modified Bessel function of the first kind of order 0.
pub(super) fn bessel_i0(x: f64) -> f64 {
    bessel_i(0, x.abs())
}

/// The modified Bessel function of the first kind of order 1.
pub(super) fn bessel_i1(x: f64) -> f64 {
    bessel_i(1, x.abs()).copysign(x)
}

/// Orders 0 and 1 for `x >= 0`: the power series, whose terms are positive, or Hankel's expansion.
fn bessel_i(order: i32, x: f64) -> f64 {
    if x < 25.0 {
        let quarter = x * x / 4.0;
        let mut term = if order == 0 { 1.0 } else { x / 2.0 };
        let (mut sum, mut k) = (0.0, 0.0);
        while term > sum * 1e-17 {
            sum += term;
            k += 1.0;
            term *= quarter / (k * (k + f64::from(order)));
        }
        return sum;
    }
    let mu = f64::from(4 * order * order);
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..30 {
        let odd = f64::from(2 * k - 1);
        term *= -(mu - odd * odd) / (f64::from(k) * 8.0 * x);
        sum += term;
    }
    // In two factors, so that the exponential does not overflow before the result does.
    let half = (x / 2.0).exp();
    if half.is_infinite() {
        return half;
    }
    half / (2.0 * PI * x).sqrt() * sum * half
}
