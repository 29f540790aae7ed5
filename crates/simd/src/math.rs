//! Elementary functions on vectors of `f32`.
//!
//! Range reductions are Cody and Waite's ("Software Manual for the Elementary Functions", 1980); the polynomials are
//! minimax fits made for this file. Errors are stated against the exact result; NaN gives NaN, infinities give the limits.

pub mod double;
pub mod single;

use crate::{Arithmetic, Arithmetic32};

/// `map!(isa, V, io, |v| f(v))`: each element of an [`InOut`](crate::InOut) becomes `f` of it, whole vectors first; all
/// lanes of the last vector go through the same operations. It is a macro because a closure that the compiler leaves out of
/// line would lose the instruction set, and with it the intrinsics' inlining.
#[macro_export]
macro_rules! map {
    ($isa:expr, $v:ty, $io:expr, |$x:ident| $f:expr) => {{
        let (isa, io): (_, $crate::InOut<'_, _>) = ($isa, $io);
        // Pointers and one index, because iterators over both sides cost as much as a cheap function.
        let (x, y, n) = io.into_raw();
        let lanes = <$v as $crate::Vector>::LANES;
        let (mut i, whole) = (0, n - n % lanes);
        while i < whole {
            // SAFETY: `InOut` vouches for `n` elements on both sides.
            let $x = unsafe { <$v as $crate::Vector>::load_at(isa, x.add(i)) };
            let result = $f;
            // SAFETY: `InOut` vouches for `n` writable elements, and a whole vector is left.
            unsafe { $crate::Vector::store_at(result, y.add(i)) };
            i += lanes;
        }
        if i < n {
            // SAFETY: `InOut` vouches for `n` readable elements; less than a vector is left from `i` on.
            let $x = unsafe { <$v as $crate::Vector>::load_first_at(isa, x.add(i), n - i) };
            let result = $f;
            // SAFETY: `InOut` vouches for `n` writable elements; less than a vector is left from `i` on.
            unsafe { $crate::Vector::store_first_at(result, y.add(i), n - i) };
        }
    }};
}

/// `c[0] + c[1] x + c[2] x² + …`.
#[inline(always)]
pub fn poly<V: Arithmetic, const N: usize>(x: V, c: [V::Elem; N]) -> V {
    let mut sum = x.splat(c[N - 1]);
    for &c in c[..N - 1].iter().rev() {
        sum = sum.mul_add(x, x.splat(c));
    }
    sum
}

/// Defines `quadrant(n)`.
macro_rules! quadrant {
    ($bound:ident) => {
        /// For an integral `n`, 1 or 0 for whether it is odd, and for whether its half, rounded down, is odd.
        #[inline(always)]
        fn quadrant<V: $bound>(n: V) -> (V, V) {
            let (half, two) = (n.splat(0.5), n.splat(2.0));
            let odd = n.sub(n.mul(half).round().mul(two)).abs();
            let k = n.sub(odd).mul(half);
            (odd, k.sub(k.mul(half).round().mul(two)).abs())
        }
    };
}
use quadrant;

const LN2_HI: f32 = 0.693_359_4;
const LN2_LO: f32 = -2.121_944_4e-4;

/// `(n, r)` with `x = n ln 2 + r`, `|r| <= ln 2 / 2`, for `x` limited to where `exp` is 0 or infinite.
#[inline(always)]
fn reduce<V: Arithmetic32>(x: V) -> (V, V) {
    let x = x.splat(89.0).min(x.splat(-105.0).max(x));
    let n = x.mul(x.splat(std::f32::consts::LOG2_E)).round();
    let r = n.mul_add(x.splat(-LN2_HI), x);
    (n, n.mul_add(x.splat(-LN2_LO), r))
}

/// `exp(r) - 1` for `|r| <= ln 2 / 2`.
#[inline(always)]
fn exp_m1_near_0<V: Arithmetic32>(r: V) -> V {
    let q = poly(r, [0.5, 0.166_665_14, 0.041_666_19, 0.008_369_531, 0.001_395_156_1]);
    r.mul(r).mul_add(q, r)
}

/// `exp(x)`, within 2 units in the last place; subnormal results included.
#[inline(always)]
pub fn exp<V: Arithmetic32>(x: V) -> V {
    let (n, r) = reduce(x);
    exp_m1_near_0(r).add(x.splat(1.0)).scale_pow2(n)
}

/// `exp(x) - 1`, relative error below 3e-7 also near 0.
#[inline(always)]
pub fn exp_m1<V: Arithmetic32>(x: V) -> V {
    let (n, r) = reduce(x);
    let one = x.splat(1.0);
    // 2^n (e^r - 1) + (2^n - 1); for large n the second term could overflow where the sum does not.
    let big = exp(x).sub(one);
    let small = exp_m1_near_0(r).scale_pow2(n).add(one.scale_pow2(n).sub(one));
    x.splat(64.0).select_lt(n, big, small)
}

/// The natural logarithm, within 2 units in the last place; -∞ at 0, NaN below.
#[inline(always)]
pub fn ln<V: Arithmetic32>(x: V) -> V {
    let zero = x.splat(0.0);
    let least = x.splat(f32::MIN_POSITIVE);
    // Subnormal numbers are scaled up first.
    let scaled = x.select_lt(least, x.mul(x.splat(8_388_608.0)), x);
    let bias = x.select_lt(least, x.splat(-23.0), zero);
    let (m, e) = scaled.split_exponent();
    let e = e.add(bias);
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
    // Small terms first: e·ln2_lo + f³p - f²/2 + f + e·ln2_hi.
    let tail = f.mul(f2).mul_add(p, e.mul(x.splat(LN2_LO)));
    let tail = f2.mul_add(x.splat(-0.5), tail);
    let normal = e.mul_add(x.splat(LN2_HI), f.add(tail));
    // +∞ and NaN are their own logarithm here.
    let finite = x.select_lt(x.splat(f32::INFINITY), normal, x);
    let positive = zero.select_lt(x, finite, x.add(x.splat(f32::NAN)));
    let at_zero =
        x.abs().select_lt(x.splat(f32::from_bits(1)), x.splat(f32::NEG_INFINITY), positive);
    x.select_lt(zero, x.splat(f32::NAN), at_zero)
}

/// `1 / (1 + exp(-x))`, absolute error below 1.2e-7.
#[inline(always)]
pub fn sigmoid<V: Arithmetic32>(x: V) -> V {
    let one = x.splat(1.0);
    one.div(one.add(exp(x.splat(0.0).sub(x))))
}

/// The hyperbolic tangent, relative error below 3e-7.
#[inline(always)]
pub fn tanh<V: Arithmetic32>(x: V) -> V {
    let a = x.abs();
    let one = x.splat(1.0);
    let far = one.sub(x.splat(2.0).div(exp(a.add(a)).add(one)));
    let x2 = x.mul(x);
    let p = poly(x2, [-0.333_332_84, 0.133_315_16, -0.053_745_158, 0.020_655_255, -0.005_721_667]);
    let near = x2.mul(a).mul_add(p, a);
    a.select_lt(x.splat(0.625), near, far).copysign(x)
}

/// The error function, absolute error below 1e-7, relative below 1.5e-7. The polynomials were fitted for least largest
/// errors: `erf(a)/a - 1` in `a²` below three quarters, `log2(erfc(a))` above, and `2^f`.
#[inline(always)]
pub fn erf<V: Arithmetic32>(x: V) -> V {
    let a = x.abs();
    // 2/√π less 1, which is added as `a` itself: fewer roundings.
    let p = poly(
        a.mul(a),
        [
            0.128_379_17,
            -0.376_126_2,
            0.112_833_93,
            -0.026_835_434,
            0.005_115_981_7,
            -0.000_676_109_6,
        ],
    );
    let near = a.mul_add(p, a);
    // erfc(4) is below half a unit in the last place of 1.
    let b = x.splat(4.0).min(a);
    let log2_erfc = poly(
        b,
        [
            -4.233_828_8e-5,
            -1.627_93,
            -0.917_433_6,
            -0.151_612_03,
            0.032_903_917,
            -0.004_608_285,
            0.000_305_655_8,
        ],
    );
    let n = log2_erfc.round();
    let erfc = poly(
        log2_erfc.sub(n),
        [1.0, 0.693_147_24, 0.240_221_07, 0.055_502_973, 0.009_676_036, 0.001_341_000_3],
    );
    let far = x.splat(1.0).sub(erfc.scale_pow2(n));
    a.select_lt(x.splat(0.75), near, far).copysign(x)
}

/// `x/2 * (1 + erf(x/√2))`, which is NaN at -∞, as the standard's formula is.
#[inline(always)]
pub fn gelu<V: Arithmetic32>(x: V) -> V {
    let e = erf(x.mul(x.splat(std::f32::consts::FRAC_1_SQRT_2)));
    x.mul(x.splat(0.5)).mul(x.splat(1.0).add(e))
}

/// `x/2 * (1 + tanh(√(2/π) * (x + 0.044715 x³)))`, which is NaN at -∞ too.
#[inline(always)]
pub fn gelu_tanh<V: Arithmetic32>(x: V) -> V {
    const C: f32 = 0.797_884_6;
    let inner = x.mul(x.mul(x).mul_add(x.splat(C * 0.044715), x.splat(C)));
    x.mul(x.splat(0.5)).mul(x.splat(1.0).add(tanh(inner)))
}

/// `ln(1 + exp(x))`.
#[inline(always)]
pub fn softplus<V: Arithmetic32>(x: V) -> V {
    let (zero, one) = (x.splat(0.0), x.splat(1.0));
    let t = exp(zero.sub(x.abs()));
    // ln(1 + t) = ln(u) t / (u - 1) for the rounded u = 1 + t; where u is 1 it is t.
    let u = one.add(t);
    let d = u.sub(one);
    let l = zero.select_lt(d, ln(u).mul(t.div(d)), t);
    zero.max(x).add(l)
}
