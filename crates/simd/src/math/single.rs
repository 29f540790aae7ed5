//! More functions of vectors of `f32`, in addition to those of the parent module.

use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E};

use super::{exp, poly, quadrant};
use crate::Arithmetic32;

/// Within 1 unit (1.25 where products are not fused).
#[inline(always)]
pub fn exp2<V: Arithmetic32>(x: V) -> V {
    // Beyond these it is infinite or 0.
    let x = x.splat(129.0).min(x.splat(-151.0).max(x));
    let n = x.round();
    let r = x.sub(n);
    let p = poly(
        r,
        [LN_2, 0.240_226_5, 0.055_503_275, 0.009_618_004, 0.001_340_040_4, 0.000_154_764_25],
    );
    r.mul_add(p, x.splat(1.0)).scale_pow2(n)
}

/// `(e, f, tail)` with `x = m 2^e` and `ln m = f + tail` for positive `x`.
#[inline(always)]
fn split_ln<V: Arithmetic32>(x: V) -> (V, V, V) {
    let least = x.splat(f32::MIN_POSITIVE);
    let (m, e) = x.select_lt(least, x.mul(x.splat(8_388_608.0)), x).split_exponent();
    let e = e.add(x.select_lt(least, x.splat(-23.0), x.splat(0.0)));
    let f = m.sub(x.splat(1.0));
    let p = poly(
        f,
        [
            0.333_333_1,
            -0.249_999_87,
            0.200_022_19,
            -0.166_692_45,
            0.142_187_86,
            -0.123_844_95,
            0.118_722_68,
            -0.117_887_83,
            0.069_156_5,
        ],
    );
    let f2 = f.mul(f);
    (e, f, f2.mul_add(x.splat(-0.5), f.mul(f2).mul(p)))
}

/// A logarithm's value `normal` for positive `x`, or what `x` at the ends of the range gives.
#[inline(always)]
fn ln_ends<V: Arithmetic32>(x: V, normal: V) -> V {
    let zero = x.splat(0.0);
    let finite = x.select_lt(x.splat(f32::INFINITY), normal, x);
    let at_zero = x.splat(f32::NEG_INFINITY);
    let positive = x.abs().select_lt(x.splat(f32::from_bits(1)), at_zero, finite);
    x.select_lt(zero, x.splat(f32::NAN), positive)
}

/// Within 1.5 units.
#[inline(always)]
pub fn log2<V: Arithmetic32>(x: V) -> V {
    let (e, f, tail) = split_ln(x);
    // log2(e) = 1 + 0.44…: f itself is added last.
    let rest = f.mul_add(x.splat(LOG2_E - 1.0), tail.mul(x.splat(LOG2_E)));
    ln_ends(x, e.add(f.add(rest)))
}

/// Within 2 units.
#[inline(always)]
pub fn log10<V: Arithmetic32>(x: V) -> V {
    const LOG10_2_HI: f32 = 0.301_025_4;
    const LOG10_2_LO: f32 = 4.605_039e-6;
    let (e, f, tail) = split_ln(x);
    let m = f.add(tail).mul_add(x.splat(LOG10_E), e.mul(x.splat(LOG10_2_LO)));
    ln_ends(x, e.mul_add(x.splat(LOG10_2_HI), m))
}

/// Within 1 unit.
#[inline(always)]
pub fn tanh<V: Arithmetic32>(x: V) -> V {
    let a = x.abs();
    let one = x.splat(1.0);
    let far = one.sub(x.splat(2.0).div(exp(a.add(a)).add(one)));
    let x2 = x.mul(x);
    let p = poly(
        x2,
        [
            -0.333_333_28,
            0.133_332_09,
            -0.053_953_88,
            0.021_787_874,
            -0.008_601_899,
            0.003_086_648_4,
            -0.000_846_095_27,
            0.000_122_707_37,
        ],
    );
    let near = x2.mul(a).mul_add(p, a);
    a.select_lt(one, near, far).copysign(x)
}

/// The sine of `x + quarters π/2` for magnitudes up to 10^6, within 2 units.
#[inline(always)]
pub fn sin<V: Arithmetic32>(x: V, quarters: f32) -> V {
    // π/2 in three parts; each product is exact before it is subtracted.
    const PI_2: [f32; 3] = [FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];
    let n = x.mul(x.splat(std::f32::consts::FRAC_2_PI)).round();
    let mut r = x;
    for part in PI_2 {
        r = n.mul_add(x.splat(-part), r);
    }
    let z = r.mul(r);
    let s = poly(z, [-0.166_666_67, 0.008_333_329, -0.000_198_391_76, 2.716_814_4e-6]);
    let sine = z.mul(r).mul_add(s, r);
    let c = poly(z, [0.041_666_668, -0.001_388_888_3, 2.479_935_2e-5, -2.719_645_5e-7]);
    let cosine = z.mul(z).mul_add(c, z.mul_add(x.splat(-0.5), x.splat(1.0)));
    let (odd, negative) = quadrant(n.add(x.splat(quarters)));
    let half = x.splat(0.5);
    let y = half.select_lt(odd, cosine, sine);
    let y = half.select_lt(negative, x.splat(0.0).sub(y), y);
    // The reduction loses the sign of −0.
    if quarters == 0.0 { x.abs().select_lt(x.splat(f32::MIN_POSITIVE), x, y) } else { y }
}

quadrant!(Arithmetic32);
