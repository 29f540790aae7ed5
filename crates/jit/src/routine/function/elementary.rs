//! Elementary functions of whole spans, by vectors. Polynomials are minimax fits; errors are in units in the last
//! place.

use trident_simd::math::{self, double, single};
use trident_simd::{Arithmetic, Arithmetic32, Float32, Float64, InOut, Simd, Vector, map};

use super::Function;
use crate::routine::{Registry, each_isa};

/// `strip!(registry; element type; "name" => function …)`.
macro_rules! strips {
    ($registry:ident; $t:ty; $($name:literal => $f:ident)*) => { $({
        const FUNCTION: Function = Function {
            name: $name,
            inputs: &[<$t as trident_ir::Element>::DTYPE],
            output: <$t as trident_ir::Element>::DTYPE,
        };
        let addresses = each_isa!(|s| fn(out: *mut $t, x: *const $t, n: usize) {
            // SAFETY: the spans have `n` elements, and are identical or do not overlap.
            $f(s, unsafe { InOut::from_raw(x, out, n) })
        });
        $registry.function(&FUNCTION, addresses);
    })* };
}

pub(super) fn register(registry: &mut Registry) {
    strips!(registry; f32;
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
    // Computed in `f64`, where the plain formulas are accurate enough.
    strips!(registry; f32;
        "expm1" => expm1
        "log1p" => log1p
        "sinh" => sinh
        "cosh" => cosh
    );
    pow(registry);
    strips!(registry; f64;
        "exp" => exp64
        "exp2" => exp2_64
        "log" => ln64
        "log2" => log2_64
        "log10" => log10_64
        "sin" => sin64
        "cos" => cos64
    );
}

/// Defines `$name(s, strip)`, which applies `$f` to a span by vectors of `$v`.
macro_rules! of_strip {
    ($($name:ident: $v:ident($t:ty) => $f:path;)*) => { $(
        #[inline(always)]
        fn $name<S: Simd>(s: S, strip: InOut<'_, $t>) {
            map!(s, S::$v, strip, |x| $f(x))
        }
    )* };
}
of_strip! {
    exp: F32(f32) => math::exp;
    exp2: F32(f32) => single::exp2;
    ln: F32(f32) => math::ln;
    log2: F32(f32) => single::log2;
    log10: F32(f32) => single::log10;
    tanh: F32(f32) => single::tanh;
    erf: F32(f32) => math::erf;
    exp64: F64(f64) => double::exp;
    exp2_64: F64(f64) => double::exp2;
    ln64: F64(f64) => double::ln;
    log2_64: F64(f64) => double::log2;
    log10_64: F64(f64) => double::log10;
}

/// Defines `$name(s, strip)` for `f32` spans by vectors of `f64`.
macro_rules! of_wide_strip {
    ($($name:ident: |$x:ident| $f:expr;)*) => { $(
        #[inline(always)]
        fn $name<S: Simd>(s: S, mut strip: InOut<'_, f32>) {
            while let Some(part) = strip.next_part(S::F64::LANES) {
                let $x = S::F64::load_f32(s, part.input());
                $f.store_f32(part.output());
            }
            if let Some(part) = strip.next_part(strip.len()) {
                let mut lanes = [0f32; 8];
                lanes[..part.len()].copy_from_slice(part.input());
                let $x = S::F64::load_f32(s, &lanes);
                $f.store_f32(&mut lanes);
                let place = part.output();
                place.copy_from_slice(&lanes[..place.len()]);
            }
        }
    )* };
}
of_wide_strip! {
    // Below 2^-25 the argument itself is the nearest result (and keeps the sign of zero).
    expm1: |x| x.abs().select_lt(x.splat(2f64.powi(-25)), x, double::exp(x).sub(x.splat(1.0)));
    log1p: |x| x.abs().select_lt(x.splat(2f64.powi(-25)), x, double::ln(x.add(x.splat(1.0))));
    sinh: |x| double::sinh(x);
    cosh: |x| {
        let half = x.splat(0.5);
        double::exp(x).mul_add(half, double::exp(x.splat(0.0).sub(x)).mul(half))
    };
}

/// `pow` of `f32`: 2^(y log2 x) in `f64` for finite positive x and finite y, otherwise by the library.
fn pow(registry: &mut Registry) {
    const FUNCTION: Function = Function {
        name: "pow",
        inputs: &[trident_ir::DType::F32, trident_ir::DType::F32],
        output: trident_ir::DType::F32,
    };
    let addresses = each_isa!(|s| fn(out: *mut f32, x: *const f32, y: *const f32, n: usize) {
        let lanes = <S as Simd>::F64::LANES;
        for i in (0..n).step_by(lanes) {
            let some = lanes.min(n - i);
            // Lanes without an element hold 1.
            let (mut a, mut b) = ([1f32; 8], [1f32; 8]);
            // SAFETY: the spans have `n` elements.
            unsafe {
                a.as_mut_ptr().copy_from_nonoverlapping(x.add(i), some);
                b.as_mut_ptr().copy_from_nonoverlapping(y.add(i), some);
            }
            let z = pow_lanes(s, &a, &b, some);
            // SAFETY: `out` has `n` elements, so `some` are left from `i` on; `z` has eight, at least a vector's lanes.
            unsafe { out.add(i).copy_from_nonoverlapping(z.as_ptr(), some) };
        }
    });
    registry.function(&FUNCTION, addresses);
}

/// The first `n` powers of a vector.
#[inline(always)]
fn pow_lanes<S: Simd>(s: S, x: &[f32; 8], y: &[f32; 8], n: usize) -> [f32; 8] {
    let (p, q) = (S::F64::load_f32(s, x), S::F64::load_f32(s, y));
    let mut z = [0f32; 8];
    double::exp2(q.mul(double::log2(p))).store_f32(&mut z);
    for ((z, &x), &y) in z.iter_mut().zip(x).zip(y).take(n) {
        let plain = x > 0.0 && x <= f32::MAX && y.abs() <= f32::MAX;
        if !plain {
            *z = x.powf(y);
        }
    }
    z
}

/// Larger angles are reduced one by one.
const FAR: f32 = 1e6;

/// Defines `$name(s, strip)`: vectors whose angles are all small use `$lanes(x, quarters)`, others use `$scalar`.
macro_rules! of_angles {
    ($($name:ident: $v:ident($t:ty) => $lanes:path, $quarters:literal, $far:expr, |$x:ident| $scalar:expr;)*) => { $(
        #[inline(always)]
        fn $name<S: Simd>(s: S, mut strip: InOut<'_, $t>) {
            while let Some(part) = strip.next_part(S::$v::LANES.min(strip.len())) {
                let v = S::$v::load_up_to(s, part.input());
                let place = part.output();
                if S::$v::FUSED && !v.splat($far).any_lt(v.abs()) {
                    $lanes(v, $quarters).store_up_to(place);
                } else {
                    // Small angles of this vector get the same result as in any other vector.
                    let (mut angles, mut y) = ([0.0; 16], [0.0; 16]);
                    v.store(&mut angles);
                    $lanes(v, $quarters).store(&mut y);
                    for (j, $x) in angles.into_iter().enumerate().take(place.len()) {
                        // Without a fused product the reduction is not accurate enough.
                        if !S::$v::FUSED || $x.abs() > $far {
                            y[j] = $scalar;
                        }
                    }
                    place.copy_from_slice(&y[..place.len()]);
                }
            }
        }
    )* };
}
of_angles! {
    sin: F32(f32) => single::sin, 0.0, FAR, |x| f64::from(x).sin() as f32;
    cos: F32(f32) => single::sin, 1.0, FAR, |x| f64::from(x).cos() as f32;
    sin64: F64(f64) => double::sin, 0.0, f64::from(FAR), |x| x.sin();
    cos64: F64(f64) => double::sin, 1.0, f64::from(FAR), |x| x.cos();
}
