//! Conversions of spans between element types.

use half::{bf16, f16};
use trident_ir::Element;
use trident_ir::element::{B8, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_simd::narrow::{odd, sticky};
use trident_simd::{Float32, Simd, Vector};

use super::narrow::Narrow;
use super::{Registry, Rounding, Routine, any_isa, each_isa};

/// Element types that a conversion accepts.
trait Source: Element {
    /// An `f32` that rounds to any narrow format as the value itself would.
    fn to_f32_odd(self) -> f32;
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
}

macro_rules! sources {
    ($($t:ty: |$x:ident| $odd:expr, $wide:expr;)*) => { $(
        impl Source for $t {
            #[inline(always)]
            fn to_f32_odd(self) -> f32 { let $x = self; $odd }
            #[inline(always)]
            fn to_f64(self) -> f64 { let $x = self; $wide }
        }
    )* };
}
sources! {
    f64: |x| odd(x), x;
    f32: |x| x, x.into();
    f16: |x| x.decode(), x.decode().into();
    bf16: |x| x.decode(), x.decode().into();
    F8E4M3FN: |x| x.decode(), x.decode().into();
    F8E4M3FNUZ: |x| x.decode(), x.decode().into();
    F8E5M2: |x| x.decode(), x.decode().into();
    F8E5M2FNUZ: |x| x.decode(), x.decode().into();
    i8: |x| x.into(), x.into();
    i16: |x| x.into(), x.into();
    i32: |x| odd(x.into()), x.into();
    i64: |x| odd(sticky(x < 0, x.unsigned_abs())), x as f64;
    u8: |x| x.into(), x.into();
    u16: |x| x.into(), x.into();
    u32: |x| odd(x.into()), x.into();
    u64: |x| odd(sticky(false, x)), x as f64;
    B8: |x| if x.0 == 0 { 0.0 } else { 1.0 }, if x.0 == 0 { 0.0 } else { 1.0 };
}

impl Registry {
    fn convert<T: Element, U: Element>(
        &mut self,
        rounding: Rounding,
        saturate: bool,
        addresses: [usize; 3],
    ) {
        let (from, to) = (T::DTYPE, U::DTYPE);
        self.add(Routine::Convert { from, to, rounding, saturate }, addresses);
    }
}

/// `conversions!(registry, compile; [from …] => to, |x| expression)`.
macro_rules! conversions {
    ($registry:ident, $compile:ident; $([$($from:ty)*] => $to:ty, $rounding:ident, $saturate:literal, |$x:ident| $y:expr;)*) => {
        $($({
            let addresses = $compile!(fn(out: *mut $to, x: *const $from, n: usize) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements.
                    let ($x, out) = unsafe { (*x.add(i), out.add(i)) };
                    let y = $y;
                    // SAFETY: `out` points to element `i` of a span of `n` elements, which is writable.
                    unsafe { *out = y };
                }
            });
            $registry.convert::<$from, $to>(Rounding::$rounding, $saturate, addresses);
        })*)*
    };
}

pub(super) fn register(registry: &mut Registry) {
    half_precision(registry);
    wide(registry);
    narrow(registry);
    integers(registry);
}

/// `f16` conversions, by the processor's instructions if available.
fn half_precision(registry: &mut Registry) {
    use Rounding::{NearestEven, TowardZero};
    let addresses = each_isa!(|s| fn(out: *mut f32, x: *const u16, n: usize) {
        // SAFETY: the spans have `n` elements.
        unsafe { from_f16(s, out, x, n) }
    });
    registry.convert::<f16, f32>(NearestEven, false, addresses);
    let addresses = each_isa!(|s| fn(out: *mut u16, x: *const f32, n: usize) {
        // SAFETY: the spans have `n` elements.
        unsafe { to_f16::<S, false>(s, out, x, n) }
    });
    registry.convert::<f32, f16>(NearestEven, false, addresses);
    let addresses = each_isa!(|s| fn(out: *mut u16, x: *const f32, n: usize) {
        // SAFETY: the spans have `n` elements.
        unsafe { to_f16::<S, true>(s, out, x, n) }
    });
    registry.convert::<f32, f16>(TowardZero, false, addresses);
}

/// Widens `n` elements.
///
/// # Safety
/// `n` elements are readable at `x` and writable at `out`, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn from_f16<S: Simd>(s: S, out: *mut f32, x: *const u16, n: usize) {
    // SAFETY: `n` elements are readable at `x` and writable at `out`, and the two do not overlap.
    let (x, out) =
        unsafe { (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(out, n)) };
    let (mut from, mut to) = (x.chunks_exact(S::F32::LANES), out.chunks_exact_mut(S::F32::LANES));
    for (x, out) in from.by_ref().zip(to.by_ref()) {
        S::F32::load_f16(s, x).store(out);
    }
    let rest = from.remainder();
    if !rest.is_empty() {
        let mut part = [0u16; 16];
        part[..rest.len()].copy_from_slice(rest);
        S::F32::load_f16(s, &part).store_up_to(to.into_remainder());
    }
}

/// Narrows `n` elements.
///
/// # Safety
/// As [`from_f16`].
#[inline(always)]
pub(super) unsafe fn to_f16<S: Simd, const TOWARD_ZERO: bool>(
    s: S,
    out: *mut u16,
    x: *const f32,
    n: usize,
) {
    // SAFETY: `n` elements are readable at `x` and writable at `out`, and the two do not overlap.
    let (x, out) =
        unsafe { (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(out, n)) };
    let (mut from, mut to) = (x.chunks_exact(S::F32::LANES), out.chunks_exact_mut(S::F32::LANES));
    for (x, out) in from.by_ref().zip(to.by_ref()) {
        s.load(x).store_f16::<TOWARD_ZERO>(out);
    }
    let rest = from.remainder();
    if !rest.is_empty() {
        let mut part = [0u16; 16];
        s.load_up_to(rest).store_f16::<TOWARD_ZERO>(&mut part);
        to.into_remainder().copy_from_slice(&part[..rest.len()]);
    }
}

/// Conversions to `f32` and `f64`.
fn wide(registry: &mut Registry) {
    conversions!(registry, each_isa;
        [bf16 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ] => f32, NearestEven, false, |x| x.decode();
        [f64] => f32, NearestEven, false, |x| x as f32;
        [f64] => f32, TowardZero, false, |x| toward_zero(x);
        [i8 u8 i16 u16 i32 u32 i64 u64] => f32, NearestEven, false, |x| x as f32;
        [B8] => f32, NearestEven, false, |x| x.to_f32_odd();
        [f32 i8 u8 i16 u16 i32 u32 i64 u64] => f64, NearestEven, false, |x| x as f64;
        [B8] => f64, NearestEven, false, |x| x.to_f64();
    );
    conversions!(registry, any_isa;
        [f16 bf16 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ] => f64, NearestEven, false, |x| x.to_f64();
    );
}

#[inline(always)]
fn toward_zero(x: f64) -> f32 {
    let y = x as f32;
    let above = f64::from(y).abs() > x.abs() && x.is_finite();
    f32::from_bits(y.to_bits() - u32::from(above))
}

/// Conversions to the narrow formats.
fn narrow(registry: &mut Registry) {
    macro_rules! targets {
        ($($u:ident)*; $rounding:ident, $saturate:literal) => { $(
            conversions!(registry, each_isa;
                [f32 f16 bf16] => $u, $rounding, $saturate,
                    |x| $u::encode(x.to_f32_odd(), Rounding::$rounding, $saturate);
            );
            conversions!(registry, any_isa;
                [f64 i8 u8 i16 u16 i32 u32 i64 u64 B8] => $u, $rounding, $saturate,
                    |x| $u::encode(x.to_f32_odd(), Rounding::$rounding, $saturate);
            );
        )* };
        (others $($u:ident from $($t:ident)*;)*) => { $(
            targets!(@ $u [$($t)*] NearestEven false);
            targets!(@ $u [$($t)*] NearestEven true);
            targets!(@ $u [$($t)*] TowardZero false);
            targets!(@ $u [$($t)*] TowardZero true);
        )* };
        (@ $u:ident [$($t:ident)*] $rounding:ident $saturate:literal) => {
            conversions!(registry, any_isa;
                [$($t)*] => $u, $rounding, $saturate,
                    |x| $u::encode(x.decode(), Rounding::$rounding, $saturate);
            );
        };
    }
    targets!(F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ; NearestEven, false);
    targets!(F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ; NearestEven, true);
    targets!(F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ; TowardZero, false);
    targets!(F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ; TowardZero, true);
    targets!(others
        F8E4M3FN from F8E4M3FNUZ F8E5M2 F8E5M2FNUZ;
        F8E4M3FNUZ from F8E4M3FN F8E5M2 F8E5M2FNUZ;
        F8E5M2 from F8E4M3FN F8E4M3FNUZ F8E5M2FNUZ;
        F8E5M2FNUZ from F8E4M3FN F8E4M3FNUZ F8E5M2;
    );
    macro_rules! halves {
        ($($rounding:ident)*) => { $(
            conversions!(registry, each_isa;
                [f32 f16 i8 u8 i16 u16 i32 u32 B8 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ] => bf16, $rounding, false,
                    |x| bf16::encode(x.to_f32_odd(), Rounding::$rounding, false);
                [bf16 i8 u8 i16 u16 i32 u32 B8 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ] => f16, $rounding, false,
                    |x| f16::encode(x.to_f32_odd(), Rounding::$rounding, false);
            );
            conversions!(registry, any_isa;
                [f64 i64 u64] => bf16, $rounding, false, |x| bf16::encode(x.to_f32_odd(), Rounding::$rounding, false);
                [f64 i64 u64] => f16, $rounding, false, |x| f16::encode(x.to_f32_odd(), Rounding::$rounding, false);
            );
        )* };
    }
    halves!(NearestEven TowardZero);
}

/// Defines `$name(x)`: `x` rounded toward zero. Values out of range of `i32` become some number in range, without a
/// saturating cast's comparisons, which prevent vectorisation.
macro_rules! truncate {
    ($name:ident, $t:ty, $greatest:literal) => {
        #[inline(always)]
        fn $name(x: $t) -> i32 {
            let x = if x > -2_147_483_648.0 { x } else { -2_147_483_648.0 };
            let x = if x < $greatest { x } else { $greatest };
            // SAFETY: the value is between these limits, and NaN has become the lower one.
            unsafe { x.to_int_unchecked() }
        }
    };
}
truncate!(truncate32, f32, 2_147_483_520.0);
truncate!(truncate64, f64, 2_147_483_647.0);

/// Conversions to integers and truth values.
fn integers(registry: &mut Registry) {
    macro_rules! small {
        ($($u:ident)*) => { $(
            conversions!(registry, each_isa;
                [f32] => $u, NearestEven, false, |x| truncate32(x) as $u;
                [f64] => $u, NearestEven, false, |x| truncate64(x) as $u;
                [f16 bf16 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ] => $u, NearestEven, false,
                    |x| truncate32(x.decode()) as $u;
            );
        )* };
    }
    small!(i8 u8 i16 u16 i32);
    macro_rules! large {
        ($($u:ident)*) => { $(
            conversions!(registry, each_isa;
                [f64 f32] => $u, NearestEven, false, |x| x as $u;
            );
            conversions!(registry, any_isa;
                [f16 bf16 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ] => $u, NearestEven, false, |x| x.decode() as $u;
            );
        )* };
    }
    large!(u32 i64 u64);
    conversions!(registry, any_isa;
        [f64 f32 f16 bf16 F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ i8 u8 i16 u16 i32 u32 i64 u64] => B8, NearestEven, false,
            |x| B8::from(x.to_f64() != 0.0);
    );
}

#[cfg(test)]
mod tests;
