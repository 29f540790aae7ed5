//! Elementary functions of whole strips, by vectors. Polynomials are minimax fits; errors are in units in the
//! last place.

// Every function is unsafe only for the instruction set of `V`.
#![allow(unsafe_op_in_unsafe_fn)]

use super::Function;
use crate::math::{self, map};
use crate::simd::{Float32, Float64};
use crate::tile::loops::Traced;
use crate::tile::routine::{Registry, each_isa};

mod double;
mod single;

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

/// What the strip of this name does with a value, where loops can do the same.
pub(in crate::tile) fn traced(function: &Function) -> Option<unsafe fn(Traced) -> Traced> {
    if function.inputs != [trident_ir::DType::F32] {
        return None;
    }
    Some(match function.name {
        "exp" => math::exp,
        "exp2" => single::exp2,
        "log" => math::ln,
        "log2" => single::log2,
        "log10" => single::log10,
        "tanh" => single::tanh,
        "erf" => math::erf,
        _ => return None,
    })
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
    exp2: Float32(f32) => single::exp2;
    ln: Float32(f32) => math::ln;
    log2: Float32(f32) => single::log2;
    log10: Float32(f32) => single::log10;
    tanh: Float32(f32) => single::tanh;
    erf: Float32(f32) => math::erf;
    exp64: Float64(f64) => double::exp;
    exp2_64: Float64(f64) => double::exp2;
    ln64: Float64(f64) => double::ln;
    log2_64: Float64(f64) => double::log2;
    log10_64: Float64(f64) => double::log10;
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
    expm1: |x| x.abs().select_lt(V::splat(2f64.powi(-25)), x, double::exp(x).sub(V::splat(1.0)));
    log1p: |x| x.abs().select_lt(V::splat(2f64.powi(-25)), x, double::ln(x.add(V::splat(1.0))));
    sinh: |x| double::sinh(x);
    cosh: |x| {
        let half = V::splat(0.5);
        double::exp(x).mul_add(half, double::exp(V::splat(0.0).sub(x)).mul(half))
    };
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
        let (p, q) = (V::load_f32(a.as_ptr()), V::load_f32(b.as_ptr()));
        let mut z = [0f32; 8];
        double::exp2(q.mul(double::log2(p))).store_f32(z.as_mut_ptr());
        for j in 0..lanes {
            let plain = a[j] > 0.0 && a[j] <= f32::MAX && b[j].abs() <= f32::MAX;
            if !plain {
                z[j] = a[j].powf(b[j]);
            }
        }
        out.add(i).copy_from_nonoverlapping(z.as_ptr(), lanes);
        i += lanes;
    }
}

/// Angles above this are reduced one by one.
const FAR: f32 = 1e6;

/// Defines `quadrant(n)`.
macro_rules! quadrant {
    ($bound:ident) => {
        /// For an integral `n`, 1 or 0 for whether it is odd, and for whether its half, rounded down, is odd.
        #[inline(always)]
        unsafe fn quadrant<V: $bound>(n: V) -> (V, V) {
            let (half, two) = (V::splat(0.5), V::splat(2.0));
            let odd = n.sub(n.mul(half).round().mul(two)).abs();
            let k = n.sub(odd).mul(half);
            (odd, k.sub(k.mul(half).round().mul(two)).abs())
        }
    };
}
use quadrant;

/// Defines `$name(out, x, n)`: `$lanes(x, quarters)` of a strip by vectors whose angles are all near, others by `$scalar`.
macro_rules! of_angles {
    ($($name:ident: $bound:ident($t:ty) => $lanes:path, $quarters:literal, $far:expr, |$x:ident| $scalar:expr;)*) => { $(
        #[inline(always)]
        unsafe fn $name<V: $bound>(out: *mut $t, x: *const $t, n: usize) {
            let mut i = 0;
            while i < n {
                let lanes = V::LANES.min(n - i);
                let v = V::load_up_to(x.add(i), lanes);
                if V::FUSED && !V::splat($far).any_lt(v.abs()) {
                    $lanes(v, $quarters).store_up_to(out.add(i), lanes);
                } else {
                    // The vector's near angles are as they would be in another vector.
                    let (mut angles, mut y) = ([0.0; 16], [0.0; 16]);
                    v.store(angles.as_mut_ptr());
                    $lanes(v, $quarters).store(y.as_mut_ptr());
                    for (j, $x) in angles.into_iter().enumerate().take(lanes) {
                        // Without a fused product the reduction is not exact enough.
                        if !V::FUSED || $x.abs() > $far {
                            y[j] = $scalar;
                        }
                    }
                    out.add(i).copy_from_nonoverlapping(y.as_ptr(), lanes);
                }
                i += lanes;
            }
        }
    )* };
}
of_angles! {
    sin: Float32(f32) => single::sin, 0.0, FAR, |x| f64::from(x).sin() as f32;
    cos: Float32(f32) => single::sin, 1.0, FAR, |x| f64::from(x).cos() as f32;
    sin64: Float64(f64) => double::sin, 0.0, f64::from(FAR), |x| x.sin();
    cos64: Float64(f64) => double::sin, 1.0, f64::from(FAR), |x| x.cos();
}
