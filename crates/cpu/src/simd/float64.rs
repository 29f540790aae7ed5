//! The further operations that the `f64` functions need.

// Plain index loops are what the compiler turns into vector instructions.
#![allow(clippy::needless_range_loop)]

use super::{Lanes, Vector};

/// Vectors of `f64`; each method is as that of [`Float32`](super::Float32).
///
/// # Safety
/// As [`Vector`].
pub(crate) trait Float64: Vector<Elem = f64> {
    /// Loads `f32` numbers.
    unsafe fn load_f32(p: *const f32) -> Self;
    /// Stores as `f32`, rounded to nearest even.
    unsafe fn store_f32(self, p: *mut f32);
    unsafe fn abs(self) -> Self;
    /// To the nearest integer, ties to even, for magnitudes up to 2^51.
    unsafe fn round(self) -> Self;
    /// `self * 2^n` for integral `n` in -2000..=2000, right for subnormal results and overflow.
    unsafe fn scale_pow2(self, n: Self) -> Self;
    /// Splits positive normal lanes into `m` in [√½, √2) and integral `e`, `self = m * 2^e`.
    unsafe fn split_exponent(self) -> (Self, Self);
    /// `yes` where `self < o`, else (also for NaN) `no`.
    unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self;
    /// Whether `self < o` in any lane.
    unsafe fn any_lt(self, o: Self) -> bool;
}

/// The bits of √½, the lower end of `split_exponent`'s mantissas.
const SQRT_HALF: i64 = 0x3fe6_a09e_667f_3bcd;
const MANTISSA: i64 = 0x000f_ffff_ffff_ffff;

impl<const N: usize> Float64 for Lanes<f64, N> {
    #[inline(always)]
    unsafe fn load_f32(p: *const f32) -> Self {
        let mut v = [0.0; N];
        for i in 0..N {
            v[i] = (*p.add(i)).into();
        }
        Lanes(v)
    }
    #[inline(always)]
    unsafe fn store_f32(self, p: *mut f32) {
        for i in 0..N {
            *p.add(i) = self.0[i] as f32;
        }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        // Adding and taking away 1.5 * 2^52 rounds to even in the default rounding mode.
        const MAGIC: f64 = 6_755_399_441_055_744.0;
        self.map(|x| (x + MAGIC) - MAGIC)
    }
    #[inline(always)]
    unsafe fn scale_pow2(self, n: Self) -> Self {
        self.zip(n, |x, n| {
            // Two factors, each a normal number, so that subnormal results are rounded once.
            let n = n as i64;
            let half = n >> 1;
            let pow2 = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
            x * pow2(half) * pow2(n - half)
        })
    }
    #[inline(always)]
    unsafe fn split_exponent(self) -> (Self, Self) {
        let bits = |x: f64| (x.to_bits() as i64).wrapping_sub(SQRT_HALF);
        (
            self.map(|x| f64::from_bits(((bits(x) & MANTISSA) + SQRT_HALF) as u64)),
            self.map(|x| (bits(x) >> 52) as f64),
        )
    }
    #[inline(always)]
    unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
        let mut out = no;
        for i in 0..N {
            out.0[i] = if self.0[i] < o.0[i] { yes.0[i] } else { no.0[i] };
        }
        out
    }
    #[inline(always)]
    unsafe fn any_lt(self, o: Self) -> bool {
        let mut any = false;
        for i in 0..N {
            any |= self.0[i] < o.0[i];
        }
        any
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Float64, MANTISSA, SQRT_HALF};
    use crate::simd::{F64x4, F64x8};

    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

    impl Float64 for F64x8 {
        #[inline(always)]
        unsafe fn load_f32(p: *const f32) -> Self {
            F64x8(_mm512_cvtps_pd(_mm256_loadu_ps(p)))
        }
        #[inline(always)]
        unsafe fn store_f32(self, p: *mut f32) {
            _mm256_storeu_ps(p, _mm512_cvtpd_ps(self.0))
        }
        #[inline(always)]
        unsafe fn abs(self) -> Self {
            F64x8(_mm512_abs_pd(self.0))
        }
        #[inline(always)]
        unsafe fn round(self) -> Self {
            F64x8(_mm512_roundscale_pd::<NEAREST>(self.0))
        }
        #[inline(always)]
        unsafe fn scale_pow2(self, n: Self) -> Self {
            F64x8(_mm512_scalef_pd(self.0, n.0))
        }
        #[inline(always)]
        unsafe fn split_exponent(self) -> (Self, Self) {
            let root = _mm512_set1_epi64(SQRT_HALF);
            let bits = _mm512_sub_epi64(_mm512_castpd_si512(self.0), root);
            let m = _mm512_add_epi64(_mm512_and_si512(bits, _mm512_set1_epi64(MANTISSA)), root);
            let e = _mm512_cvtepi64_pd(_mm512_srai_epi64::<52>(bits));
            (F64x8(_mm512_castsi512_pd(m)), F64x8(e))
        }
        #[inline(always)]
        unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
            F64x8(_mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, o.0), no.0, yes.0))
        }
        #[inline(always)]
        unsafe fn any_lt(self, o: Self) -> bool {
            _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, o.0) != 0
        }
    }

    /// Whether a lane's exponent is a small integer plus this, its low bits are the integer: 1.5 * 2^52.
    const MAGIC: f64 = 6_755_399_441_055_744.0;

    impl Float64 for F64x4 {
        #[inline(always)]
        unsafe fn load_f32(p: *const f32) -> Self {
            F64x4(_mm256_cvtps_pd(_mm_loadu_ps(p)))
        }
        #[inline(always)]
        unsafe fn store_f32(self, p: *mut f32) {
            _mm_storeu_ps(p, _mm256_cvtpd_ps(self.0))
        }
        #[inline(always)]
        unsafe fn abs(self) -> Self {
            F64x4(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0))
        }
        #[inline(always)]
        unsafe fn round(self) -> Self {
            F64x4(_mm256_round_pd::<NEAREST>(self.0))
        }
        #[inline(always)]
        unsafe fn scale_pow2(self, n: Self) -> Self {
            // Two factors, each a normal number, so that subnormal results are rounded once. A float plus `MAGIC` holds its
            // integer in the low bits.
            let magic = _mm256_set1_pd(MAGIC);
            let half = _mm256_floor_pd(_mm256_mul_pd(n.0, _mm256_set1_pd(0.5)));
            let bias = _mm256_set1_pd(1023.0);
            let pow2 = |e| {
                let biased = _mm256_castpd_si256(_mm256_add_pd(_mm256_add_pd(e, bias), magic));
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased))
            };
            let first = _mm256_mul_pd(self.0, pow2(half));
            F64x4(_mm256_mul_pd(first, pow2(_mm256_sub_pd(n.0, half))))
        }
        #[inline(always)]
        unsafe fn split_exponent(self) -> (Self, Self) {
            let root = _mm256_set1_epi64x(SQRT_HALF);
            let bits = _mm256_sub_epi64(_mm256_castpd_si256(self.0), root);
            let m = _mm256_add_epi64(_mm256_and_si256(bits, _mm256_set1_epi64x(MANTISSA)), root);
            // There is no arithmetic shift of 64 bits: the exponent is put into the mantissa of `MAGIC`.
            let e = _mm256_srli_epi64::<52>(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023 << 52)));
            let e =
                _mm256_castsi256_pd(_mm256_or_si256(e, _mm256_castpd_si256(_mm256_set1_pd(MAGIC))));
            (F64x4(_mm256_castsi256_pd(m)), F64x4(_mm256_sub_pd(e, _mm256_set1_pd(MAGIC + 1023.0))))
        }
        #[inline(always)]
        unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
            F64x4(_mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0)))
        }
        #[inline(always)]
        unsafe fn any_lt(self, o: Self) -> bool {
            _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0)) != 0
        }
    }
}
