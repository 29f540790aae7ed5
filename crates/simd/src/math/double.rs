//! Functions of vectors of `f64`.

use super::{poly, quadrant};
use crate::Float64;

const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// Within 1 unit.
#[inline(always)]
pub fn exp<V: Float64>(x: V) -> V {
    let x = x.splat(710.0).min(x.splat(-746.0).max(x));
    let n = x.mul(x.splat(std::f64::consts::LOG2_E)).round();
    let r = n.mul_add(x.splat(-LN2_HI), x);
    exp_near_0(n.mul_add(x.splat(-LN2_LO), r)).scale_pow2(n)
}

/// Within 1 unit.
#[inline(always)]
pub fn exp2<V: Float64>(x: V) -> V {
    let x = x.splat(1025.0).min(x.splat(-1080.0).max(x));
    let n = x.round();
    exp_near_0(x.sub(n).mul(x.splat(std::f64::consts::LN_2))).scale_pow2(n)
}

/// `exp(r)` for `|r| <= ln 2 / 2`.
#[inline(always)]
fn exp_near_0<V: Float64>(r: V) -> V {
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
    r.mul(r).mul_add(q, r).add(r.splat(1.0))
}

/// `(e, f, tail)` with `x = m 2^e` and `ln m = f - tail` for positive `x`.
#[inline(always)]
fn split_ln<V: Float64>(x: V) -> (V, V, V) {
    let least = x.splat(f64::MIN_POSITIVE);
    let (m, e) = x.select_lt(least, x.mul(x.splat(4_503_599_627_370_496.0)), x).split_exponent();
    let e = e.add(x.select_lt(least, x.splat(-52.0), x.splat(0.0)));
    // ln(1 + f) = 2 artanh(s), s = f / (2 + f), so that the square's rounding error drops out.
    let f = m.sub(x.splat(1.0));
    let s = f.div(x.splat(2.0).add(f));
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
    let square = f.mul(f).mul(x.splat(0.5));
    (e, f, square.sub(s.mul(z.mul_add(p, square))))
}

/// A logarithm's value `normal` for positive `x`, or what `x` at the ends of the range gives.
#[inline(always)]
fn ln_ends<V: Float64>(x: V, normal: V) -> V {
    let finite = x.select_lt(x.splat(f64::INFINITY), normal, x);
    let at_zero = x.splat(f64::NEG_INFINITY);
    let positive = x.abs().select_lt(x.splat(f64::from_bits(1)), at_zero, finite);
    x.select_lt(x.splat(0.0), x.splat(f64::NAN), positive)
}

/// Within 1 unit.
#[inline(always)]
pub fn ln<V: Float64>(x: V) -> V {
    let (e, f, tail) = split_ln(x);
    let small = tail.sub(e.mul(x.splat(LN2_LO)));
    ln_ends(x, e.mul_add(x.splat(LN2_HI), f.sub(small)))
}

/// Within 1.5 units.
#[inline(always)]
pub fn log2<V: Float64>(x: V) -> V {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    let (e, f, tail) = split_ln(x);
    // log2(e) = 1 + 0.44…: f itself is added last.
    let rest = f.mul(x.splat(LOG2_E - 1.0)).sub(tail.mul(x.splat(LOG2_E)));
    ln_ends(x, e.add(f.add(rest)))
}

/// Within 2 units.
#[inline(always)]
pub fn log10<V: Float64>(x: V) -> V {
    const LOG10_2_HI: f64 = 0.301_029_995_083_808_9;
    const LOG10_2_LO: f64 = 5.801_722_962_879_576e-10;
    let (e, f, tail) = split_ln(x);
    let m = f.sub(tail).mul_add(x.splat(std::f64::consts::LOG10_E), e.mul(x.splat(LOG10_2_LO)));
    ln_ends(x, e.mul_add(x.splat(LOG10_2_HI), m))
}

/// For `f32` results.
#[inline(always)]
pub fn sinh<V: Float64>(x: V) -> V {
    let half = x.splat(0.5);
    let far = exp(x).mul(half).sub(exp(x.splat(0.0).sub(x)).mul(half));
    // Where the exponentials would cancel, the series.
    let near = x.mul(x).mul(x).mul_add(x.splat(1.0 / 6.0), x);
    x.abs().select_lt(x.splat(2f64.powi(-12)), near, far)
}

/// The sine of `x + quarters π/2` for magnitudes up to 10^6, within 1 unit.
#[inline(always)]
pub fn sin<V: Float64>(x: V, quarters: f64) -> V {
    const PI_2: [f64; 3] =
        [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
    let n = x.mul(x.splat(std::f64::consts::FRAC_2_PI)).round();
    let mut r = x;
    for part in PI_2 {
        r = n.mul_add(x.splat(-part), r);
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
    let cosine = z.mul(z).mul_add(c, z.mul_add(x.splat(-0.5), x.splat(1.0)));
    let (odd, negative) = quadrant(n.add(x.splat(quarters)));
    let half = x.splat(0.5);
    let y = half.select_lt(odd, cosine, sine);
    let y = half.select_lt(negative, x.splat(0.0).sub(y), y);
    // The reduction loses the sign of −0.
    if quarters == 0.0 { x.abs().select_lt(x.splat(f64::MIN_POSITIVE), x, y) } else { y }
}

quadrant!(Float64);
