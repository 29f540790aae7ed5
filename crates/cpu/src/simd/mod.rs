//! Vectors of floats, one type per instruction set, chosen at run time.
//!
//! A kernel is one generic function over [`Vector`] (or [`Float32`]); the [`kernel!`] macro compiles it once per
//! instruction set under `#[target_feature]` and dispatches on an [`Isa`]. Every method is `#[inline(always)]`, so that the
//! intrinsics end up inside the function that enables their features.

// Each function here is one machine operation whose contract its trait states.
#![allow(unsafe_op_in_unsafe_fn)]

use std::sync::OnceLock;

mod float64;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use float64::Float64;
pub(crate) use portable::Lanes;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{F32x8, F32x16, F64x4, F64x8};

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Those of AVX2 and AVX-512 F, BW, DQ, VL: 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// x86-64 with AVX2, FMA, F16C, LZCNT, POPCNT: 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the target always has: SSE2 on x86-64 (products are rounded before they are added), NEON on AArch64 (fused).
    Portable,
}

impl Isa {
    /// The best instruction set of this machine.
    pub fn detect() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// Every instruction set that this machine can run, best first.
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            // Every processor with AVX2 that was made has the others too.
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                found.push(Isa::Avx512);
            }
            if avx2 {
                found.push(Isa::Avx2);
            }
        }
        found.push(Isa::Portable);
        found
    }

    /// A short name for reports.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "avx2",
            Isa::Portable => "portable",
        }
    }
}

/// What is computed lane by lane, of any number of lanes.
///
/// # Safety
/// Every method requires that the machine has the instruction set of the type.
pub(crate) trait Arithmetic: Copy + 'static {
    type Elem: Copy + Default + 'static;
    /// Whether `mul_add` rounds once.
    const FUSED: bool;

    unsafe fn splat(x: Self::Elem) -> Self;
    unsafe fn add(self, o: Self) -> Self;
    unsafe fn sub(self, o: Self) -> Self;
    unsafe fn mul(self, o: Self) -> Self;
    unsafe fn div(self, o: Self) -> Self;
    /// `self * a + b`, fused where the instruction set has it.
    unsafe fn mul_add(self, a: Self, b: Self) -> Self;
    /// The greater; `o` where either is NaN.
    unsafe fn max(self, o: Self) -> Self;
    /// The smaller; `o` where either is NaN.
    unsafe fn min(self, o: Self) -> Self;
    unsafe fn sqrt(self) -> Self;
}

/// A vector of `LANES` elements.
///
/// # Safety
/// As [`Arithmetic`]; the loads and stores also require that the pointers are valid for the lanes they touch (no
/// alignment is needed).
pub(crate) trait Vector: Arithmetic {
    const LANES: usize;

    unsafe fn load(p: *const Self::Elem) -> Self;
    /// Loads `n < LANES` elements; the other lanes are zero and their memory is not touched.
    unsafe fn load_partial(p: *const Self::Elem, n: usize) -> Self;
    unsafe fn store(self, p: *mut Self::Elem);
    /// Loads `p[0], p[2], …, p[2n - 2]` for `1 <= n <= LANES` and touches nothing beyond; the other lanes are arbitrary.
    unsafe fn load_even(p: *const Self::Elem, n: usize) -> Self;
    /// Stores the first `n < LANES` elements.
    unsafe fn store_partial(self, p: *mut Self::Elem, n: usize);

    /// Loads `n <= LANES` elements.
    #[inline(always)]
    unsafe fn load_up_to(p: *const Self::Elem, n: usize) -> Self {
        if n >= Self::LANES { Self::load(p) } else { Self::load_partial(p, n) }
    }

    /// Stores the first `n <= LANES` elements.
    #[inline(always)]
    unsafe fn store_up_to(self, p: *mut Self::Elem, n: usize) {
        if n >= Self::LANES { self.store(p) } else { self.store_partial(p, n) }
    }

    /// Brings the cache line at `p` (which may point anywhere) into the first-level cache.
    #[inline(always)]
    unsafe fn prefetch(p: *const Self::Elem) {
        #[cfg(target_arch = "x86_64")]
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
        #[cfg(not(target_arch = "x86_64"))]
        let _ = p;
    }
}

/// The further arithmetic that functions of `f32` need.
///
/// # Safety
/// As [`Arithmetic`].
pub(crate) trait Arithmetic32: Arithmetic<Elem = f32> {
    unsafe fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    unsafe fn copysign(self, sign: Self) -> Self;
    /// To the nearest integer, ties to even.
    unsafe fn round(self) -> Self;
    /// `self * 2^n` for integral `n` in -300..=300, right for subnormal results and overflow.
    unsafe fn scale_pow2(self, n: Self) -> Self;
    /// Splits positive normal lanes into `m` in [√½, √2) and integral `e`, `self = m * 2^e`.
    unsafe fn split_exponent(self) -> (Self, Self);
    /// `yes` where `self < o`, else (also for NaN) `no`.
    unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self;
}

/// Vectors of `f32` with what kernels do beside arithmetic.
///
/// # Safety
/// As [`Vector`].
pub(crate) trait Float32: Arithmetic32 + Vector {
    /// Whether `self < o` in any lane.
    unsafe fn any_lt(self, o: Self) -> bool;
    /// Loads IEEE halves.
    unsafe fn load_f16(p: *const u16) -> Self;
    /// Stores as IEEE halves, rounded to nearest even or toward zero.
    unsafe fn store_f16<const TOWARD_ZERO: bool>(self, p: *mut u16);
    /// The sum of all lanes, by halves.
    unsafe fn reduce_add(self) -> f32;
    /// The greatest lane; NaN lanes may be lost.
    unsafe fn reduce_max(self) -> f32;
}

/// Defines `$name(isa, args…)`, which runs the generic `unsafe fn $body::<V: Float32>(args…)` compiled for `isa`.
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? => $body:ident) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name(isa: $crate::simd::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            unsafe fn avx512($($arg: $ty),*) $(-> $ret)? { $body::<$crate::simd::F32x16>($($arg),*) }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2($($arg: $ty),*) $(-> $ret)? { $body::<$crate::simd::F32x8>($($arg),*) }
            unsafe fn portable($($arg: $ty),*) $(-> $ret)? { $body::<$crate::simd::Lanes<f32, 4>>($($arg),*) }
            // SAFETY: an `Isa` value exists only for instruction sets that the machine has (`Isa::available`); the callers
            // of kernels give slices whose lengths the kernel states.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    $crate::simd::Isa::Avx512 => avx512($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    $crate::simd::Isa::Avx2 => avx2($($arg),*),
                    $crate::simd::Isa::Portable => portable($($arg),*),
                }
            }
        }
    };
}
pub(crate) use kernel;
