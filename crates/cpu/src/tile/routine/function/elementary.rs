//! Elementary functions of whole strips, by vectors. Polynomials are minimax fits; errors are in units in the last place.

// Every function is unsafe only for the instruction set of `V`.
#![allow(unsafe_op_in_unsafe_fn)]

use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E};

use super::Function;
use crate::math::{self, map, poly};
use crate::simd::{Float32, Float64};
use crate::tile::routine::{Registry, each_isa};

/// `strip!(registry; lane type, element type; "name" => function …)`.
macro_rules! strips {
    ($registry:ident; $v:ident, $t:ty; $($name:literal => $f:ident)*) => { $({
        const FUNCTION: Function = Function {
            name: $name,
            inputs: &[<$t as trident_ir::Element>::DTYPE],
            output: <$t as trident_ir::Element>::DTYPE,
        };
        let addresses = each_isa!(fn(out: *mut $t, x: *const $t, n: usize) {
            // SAFETY: the strips have `n` elements; the address is called on this instruction set only.
            unsafe { $f::<$v>(out, x, n) }
        });
        $registry.function(&FUNCTION, addresses);
    })* };
}

pub(super) fn register(registry: &mut Registry) {
    strips!(registry; F32, f32;
        "exp" => exp
        "exp2" => exp2
        "log" => ln
        "log2" => log2
        "log10" => log10
        "sin" => sin
        "cos" => cos
        "tanh" => tanh
        "erf" => erf
    );
    // Through `f64`, where the plain formulas are exact enough.
    strips!(registry; F64, f32;
        "expm1" => expm1
        "log1p" => log1p
        "sinh" => sinh
        "cosh" => cosh
    );
    pow(registry);
    strips!(registry; F64, f64;
        "exp" => exp64
        "exp2" => exp2_64
        "log" => ln64
        "log2" => log2_64
        "log10" => log10_64
        "sin" => sin64
        "cos" => cos64
    );
}

/// Defines `$name(out, x, n)`, which applies `$f` to a strip.
macro_rules! of_strip {
    ($($name:ident: $bound:ident($t:ty) => $f:path;)*) => { $(
        #[inline(always)]
        unsafe fn $name<V: $bound>(out: *mut $t, x: *const $t, n: usize) {
            let out = std::slice::from_raw_parts_mut(out, n);
            map!(V, x, out, |x| $f(x))
        }
    )* };
}
of_strip! {
    exp: Float32(f32) => math::exp;
    exp2: Float32(f32) => exp2_lanes;
    ln: Float32(f32) => math::ln;
    log2: Float32(f32) => log2_lanes;
    log10: Float32(f32) => log10_lanes;
    tanh: Float32(f32) => tanh_lanes;
    erf: Float32(f32) => math::erf;
    exp64: Float64(f64) => exp64_lanes;
    exp2_64: Float64(f64) => exp2_64_lanes;
    ln64: Float64(f64) => ln64_lanes;
    log2_64: Float64(f64) => log2_64_lanes;
    log10_64: Float64(f64) => log10_64_lanes;
}

/// Within 1 unit (1.25 where products are not fused).
#[inline(always)]
unsafe fn exp2_lanes<V: Float32>(x: V) -> V {
    // Beyond these it is infinite or 0.
    let x = V::splat(129.0).min(V::splat(-151.0).max(x));
    let n = x.round();
    let r = x.sub(n);
    let p = poly(
        r,
        [LN_2, 0.240_226_5, 0.055_503_275, 0.009_618_004, 0.001_340_040_4, 0.000_154_764_25],
    );
    r.mul_add(p, V::splat(1.0)).scale_pow2(n)
}

/// `(e, f, tail)` with `x = m 2^e` and `ln m = f + tail` for positive `x`.
#[inline(always)]
unsafe fn split_ln<V: Float32>(x: V) -> (V, V, V) {
    let least = V::splat(f32::MIN_POSITIVE);
    let (m, e) = x.select_lt(least, x.mul(V::splat(8_388_608.0)), x).split_exponent();
    let e = e.add(x.select_lt(least, V::splat(-23.0), V::splat(0.0)));
    let f = m.sub(V::splat(1.0));
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
    (e, f, f2.mul_add(V::splat(-0.5), f.mul(f2).mul(p)))
}

/// A logarithm's value `normal` for positive `x`, or what `x` at the ends of the range gives.
#[inline(always)]
unsafe fn ln_ends<V: Float32>(x: V, normal: V) -> V {
    let zero = V::splat(0.0);
    let finite = x.select_lt(V::splat(f32::INFINITY), normal, x);
    let at_zero = V::splat(f32::NEG_INFINITY);
    let positive = x.abs().select_lt(V::splat(f32::from_bits(1)), at_zero, finite);
    x.select_lt(zero, V::splat(f32::NAN), positive)
}

/// Within 1.5 units.
#[inline(always)]
unsafe fn log2_lanes<V: Float32>(x: V) -> V {
    let (e, f, tail) = split_ln(x);
    // log2(e) = 1 + 0.44…: f itself is added last.
    let rest = f.mul_add(V::splat(LOG2_E - 1.0), tail.mul(V::splat(LOG2_E)));
    ln_ends(x, e.add(f.add(rest)))
}

/// Within 2 units.
#[inline(always)]
unsafe fn log10_lanes<V: Float32>(x: V) -> V {
    const LOG10_2_HI: f32 = 0.301_025_4;
    const LOG10_2_LO: f32 = 4.605_039e-6;
    let (e, f, tail) = split_ln(x);
    let m = f.add(tail).mul_add(V::splat(LOG10_E), e.mul(V::splat(LOG10_2_LO)));
    ln_ends(x, e.mul_add(V::splat(LOG10_2_HI), m))
}

/// Within 1 unit.
#[inline(always)]
unsafe fn tanh_lanes<V: Float32>(x: V) -> V {
    let a = x.abs();
    let one = V::splat(1.0);
    let far = one.sub(V::splat(2.0).div(math::exp(a.add(a)).add(one)));
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

/// Angles above this are reduced one by one.
const FAR: f32 = 1e6;

/// The sine of `x + quarters π/2` for `|x| <= FAR`, within 2 units.
#[inline(always)]
unsafe fn sin_lanes<V: Float32>(x: V, quarters: f32) -> V {
    // π/2 in three parts; each product is exact before it is subtracted.
    const PI_2: [f32; 3] = [FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];
    let n = x.mul(V::splat(std::f32::consts::FRAC_2_PI)).round();
    let mut r = x;
    for part in PI_2 {
        r = n.mul_add(V::splat(-part), r);
    }
    let z = r.mul(r);
    let s = poly(z, [-0.166_666_67, 0.008_333_329, -0.000_198_391_76, 2.716_814_4e-6]);
    let sine = z.mul(r).mul_add(s, r);
    let c = poly(z, [0.041_666_668, -0.001_388_888_3, 2.479_935_2e-5, -2.719_645_5e-7]);
    let cosine = z.mul(z).mul_add(c, z.mul_add(V::splat(-0.5), V::splat(1.0)));
    let (odd, negative) = quadrant32(n.add(V::splat(quarters)));
    let half = V::splat(0.5);
    let y = half.select_lt(odd, cosine, sine);
    half.select_lt(negative, V::splat(0.0).sub(y), y)
}

/// Defines `$name(n)`: for an integral `n`, 1 or 0 for whether it is odd, and for whether its half, rounded down, is odd.
macro_rules! quadrant {
    ($name:ident, $bound:ident) => {
        #[inline(always)]
        unsafe fn $name<V: $bound>(n: V) -> (V, V) {
            let (half, two) = (V::splat(0.5), V::splat(2.0));
            let odd = n.sub(n.mul(half).round().mul(two)).abs();
            let k = n.sub(odd).mul(half);
            (odd, k.sub(k.mul(half).round().mul(two)).abs())
        }
    };
}
quadrant!(quadrant32, Float32);
quadrant!(quadrant64, Float64);

/// Defines `$name(out, x, n)`: `$lanes(x, quarters)` of a strip by vectors whose angles are all near, others by `$scalar`.
macro_rules! of_angles {
    ($($name:ident: $bound:ident($t:ty) => $lanes:ident, $quarters:literal, $far:expr, |$x:ident| $scalar:expr;)*) => { $(
        #[inline(always)]
        unsafe fn $name<V: $bound>(out: *mut $t, x: *const $t, n: usize) {
            let mut i = 0;
            while i < n {
                let lanes = V::LANES.min(n - i);
                let v = V::load_up_to(x.add(i), lanes);
                // Without a fused product the reduction is not exact enough.
                if V::FUSED && !V::splat($far).any_lt(v.abs()) {
                    $lanes(v, $quarters).store_up_to(out.add(i), lanes);
                } else {
                    for j in i..i + lanes {
                        let $x = *x.add(j);
                        *out.add(j) = $scalar;
                    }
                }
                i += lanes;
            }
        }
    )* };
}
of_angles! {
    sin: Float32(f32) => sin_lanes, 0.0, FAR, |x| f64::from(x).sin() as f32;
    cos: Float32(f32) => sin_lanes, 1.0, FAR, |x| f64::from(x).cos() as f32;
    sin64: Float64(f64) => sin64_lanes, 0.0, f64::from(FAR), |x| x.sin();
    cos64: Float64(f64) => sin64_lanes, 1.0, f64::from(FAR), |x| x.cos();
}

const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// Within 1 unit.
#[inline(always)]
unsafe fn exp64_lanes<V: Float64>(x: V) -> V {
    let x = V::splat(710.0).min(V::splat(-746.0).max(x));
    let n = x.mul(V::splat(std::f64::consts::LOG2_E)).round();
    let r = n.mul_add(V::splat(-LN2_HI), x);
    exp64_near_0(n.mul_add(V::splat(-LN2_LO), r)).scale_pow2(n)
}

/// Within 1 unit.
#[inline(always)]
unsafe fn exp2_64_lanes<V: Float64>(x: V) -> V {
    let x = V::splat(1025.0).min(V::splat(-1080.0).max(x));
    let n = x.round();
    exp64_near_0(x.sub(n).mul(V::splat(std::f64::consts::LN_2))).scale_pow2(n)
}

/// `exp(r)` for `|r| <= ln 2 / 2`.
#[inline(always)]
unsafe fn exp64_near_0<V: Float64>(r: V) -> V {
    let q = poly(
        r,
        [
            0.5,
            0.166_666_666_666_666_66,
            0.041_666_666_666_666_71,
            0.008_333_333_333_333_342,
            0.001_388_888_888_886_396_4,
            0.000_198_412_698_412_371_8,
            2.480_158_736_342_281_4e-5,
            2.755_731_928_900_974_5e-6,
            2.755_724_175_980_655e-7,
            2.505_204_023_143_147e-8,
            2.092_445_486_363_981_7e-9,
            1.609_518_720_639_534_4e-10,
        ],
    );
    r.mul(r).mul_add(q, r).add(V::splat(1.0))
}

/// `(e, f, tail)` with `x = m 2^e` and `ln m = f - tail` for positive `x`.
#[inline(always)]
unsafe fn split_ln64<V: Float64>(x: V) -> (V, V, V) {
    let least = V::splat(f64::MIN_POSITIVE);
    let (m, e) = x.select_lt(least, x.mul(V::splat(4_503_599_627_370_496.0)), x).split_exponent();
    let e = e.add(x.select_lt(least, V::splat(-52.0), V::splat(0.0)));
    // ln(1 + f) = 2 artanh(s), s = f / (2 + f), so that the square's rounding error drops out.
    let f = m.sub(V::splat(1.0));
    let s = f.div(V::splat(2.0).add(f));
    let z = s.mul(s);
    let p = poly(
        z,
        [
            0.666_666_666_666_673_5,
            0.399_999_999_994_097_47,
            0.285_714_287_437_156_77,
            0.222_221_984_169_887_25,
            0.181_835_733_565_091_75,
            0.153_137_983_128_077_28,
            0.147_986_697_382_630_74,
        ],
    );
    let square = f.mul(f).mul(V::splat(0.5));
    (e, f, square.sub(s.mul(z.mul_add(p, square))))
}

/// As `ln_ends`.
#[inline(always)]
unsafe fn ln64_ends<V: Float64>(x: V, normal: V) -> V {
    let finite = x.select_lt(V::splat(f64::INFINITY), normal, x);
    let at_zero = V::splat(f64::NEG_INFINITY);
    let positive = x.abs().select_lt(V::splat(f64::from_bits(1)), at_zero, finite);
    x.select_lt(V::splat(0.0), V::splat(f64::NAN), positive)
}

/// Within 1 unit.
#[inline(always)]
unsafe fn ln64_lanes<V: Float64>(x: V) -> V {
    let (e, f, tail) = split_ln64(x);
    let small = tail.sub(e.mul(V::splat(LN2_LO)));
    ln64_ends(x, e.mul_add(V::splat(LN2_HI), f.sub(small)))
}

/// Within 1.5 units.
#[inline(always)]
unsafe fn log2_64_lanes<V: Float64>(x: V) -> V {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    let (e, f, tail) = split_ln64(x);
    // log2(e) = 1 + 0.44…: f itself is added last.
    let rest = f.mul(V::splat(LOG2_E - 1.0)).sub(tail.mul(V::splat(LOG2_E)));
    ln64_ends(x, e.add(f.add(rest)))
}

/// Within 2 units.
#[inline(always)]
unsafe fn log10_64_lanes<V: Float64>(x: V) -> V {
    const LOG10_2_HI: f64 = 0.301_029_995_083_808_9;
    const LOG10_2_LO: f64 = 5.801_722_962_879_576e-10;
    let (e, f, tail) = split_ln64(x);
    let m = f.sub(tail).mul_add(V::splat(std::f64::consts::LOG10_E), e.mul(V::splat(LOG10_2_LO)));
    ln64_ends(x, e.mul_add(V::splat(LOG10_2_HI), m))
}

/// Defines `$name(out, x, n)` for `f32` strips by vectors of `f64`.
macro_rules! of_wide_strip {
    ($($name:ident: |$x:ident| $f:expr;)*) => { $(
        #[inline(always)]
        unsafe fn $name<V: Float64>(out: *mut f32, x: *const f32, n: usize) {
            let mut i = 0;
            while i + V::LANES <= n {
                let $x = V::load_f32(x.add(i));
                $f.store_f32(out.add(i));
                i += V::LANES;
            }
            if i < n {
                let mut part = [0f32; 8];
                part.as_mut_ptr().copy_from_nonoverlapping(x.add(i), n - i);
                let $x = V::load_f32(part.as_ptr());
                $f.store_f32(part.as_mut_ptr());
                out.add(i).copy_from_nonoverlapping(part.as_ptr(), n - i);
            }
        }
    )* };
}
of_wide_strip! {
    // Below 2^-25 the argument itself is nearest (and keeps the sign of zero).
    expm1: |x| x.abs().select_lt(V::splat(2f64.powi(-25)), x, exp64_lanes(x).sub(V::splat(1.0)));
    log1p: |x| x.abs().select_lt(V::splat(2f64.powi(-25)), x, ln64_lanes(x.add(V::splat(1.0))));
    sinh: |x| sinh_lanes(x);
    cosh: |x| {
        let half = V::splat(0.5);
        exp64_lanes(x).mul_add(half, exp64_lanes(V::splat(0.0).sub(x)).mul(half))
    };
}

/// For `f32` results.
#[inline(always)]
unsafe fn sinh_lanes<V: Float64>(x: V) -> V {
    let half = V::splat(0.5);
    let far = exp64_lanes(x).mul(half).sub(exp64_lanes(V::splat(0.0).sub(x)).mul(half));
    // Where the exponentials would cancel, the series.
    let near = x.mul(x).mul(x).mul_add(V::splat(1.0 / 6.0), x);
    x.abs().select_lt(V::splat(2f64.powi(-12)), near, far)
}

/// `pow` of `f32`: 2^(y log2 x) in `f64` for finite positive x and finite y, else by the library.
fn pow(registry: &mut Registry) {
    const FUNCTION: Function = Function {
        name: "pow",
        inputs: &[trident_ir::DType::F32, trident_ir::DType::F32],
        output: trident_ir::DType::F32,
    };
    let addresses = each_isa!(fn(out: *mut f32, x: *const f32, y: *const f32, n: usize) {
        // SAFETY: the strips have `n` elements; the address is called on this instruction set only.
        unsafe { pow_strip::<F64>(out, x, y, n) }
    });
    registry.function(&FUNCTION, addresses);
}

#[inline(always)]
unsafe fn pow_strip<V: Float64>(out: *mut f32, x: *const f32, y: *const f32, n: usize) {
    let mut i = 0;
    while i < n {
        let lanes = V::LANES.min(n - i);
        // Places that do not exist hold 1.
        let (mut a, mut b) = ([1f32; 8], [1f32; 8]);
        a.as_mut_ptr().copy_from_nonoverlapping(x.add(i), lanes);
        b.as_mut_ptr().copy_from_nonoverlapping(y.add(i), lanes);
        let mut plain = true;
        for j in 0..V::LANES {
            plain &= a[j] > 0.0 && a[j] <= f32::MAX && b[j].abs() <= f32::MAX;
        }
        if plain {
            let (p, q) = (V::load_f32(a.as_ptr()), V::load_f32(b.as_ptr()));
            exp2_64_lanes(q.mul(log2_64_lanes(p))).store_f32(a.as_mut_ptr());
            out.add(i).copy_from_nonoverlapping(a.as_ptr(), lanes);
        } else {
            for j in 0..lanes {
                *out.add(i + j) = a[j].powf(b[j]);
            }
        }
        i += lanes;
    }
}

/// The sine of `x + quarters π/2` for `|x| <= FAR`, within 1 unit.
#[inline(always)]
unsafe fn sin64_lanes<V: Float64>(x: V, quarters: f64) -> V {
    const PI_2: [f64; 3] =
        [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
    let n = x.mul(V::splat(std::f64::consts::FRAC_2_PI)).round();
    let mut r = x;
    for part in PI_2 {
        r = n.mul_add(V::splat(-part), r);
    }
    let z = r.mul(r);
    let s = poly(
        z,
        [
            -0.166_666_666_666_666_66,
            0.008_333_333_333_333_32,
            -0.000_198_412_698_412_519_4,
            2.755_731_921_256_353e-6,
            -2.505_210_448_713_644e-8,
            1.605_831_254_061_729_7e-10,
            -7.576_019_116_351_881e-13,
        ],
    );
    let sine = z.mul(r).mul_add(s, r);
    let c = poly(
        z,
        [
            0.041_666_666_666_666_664,
            -0.001_388_888_888_888_887,
            2.480_158_730_156_826_4e-5,
            -2.755_731_921_398_392e-7,
            2.087_675_405_262_689e-9,
            -1.147_025_775_530_103_6e-11,
            4.736_512_651_058_731_6e-14,
        ],
    );
    let cosine = z.mul(z).mul_add(c, z.mul_add(V::splat(-0.5), V::splat(1.0)));
    let (odd, negative) = quadrant64(n.add(V::splat(quarters)));
    let half = V::splat(0.5);
    let y = half.select_lt(odd, cosine, sine);
    half.select_lt(negative, V::splat(0.0).sub(y), y)
}
