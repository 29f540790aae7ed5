//! The further operations of vectors of `f64`.

use std::arch::x86_64::*;

use super::{Avx2, Avx512, F64x4, F64x8, methods};
use crate::Float64;
use crate::float64::{MANTISSA, SQRT_HALF};

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

impl Float64 for F64x8 {
    #[inline(always)]
    fn load_f32(_: Avx512, from: &[f32]) -> Self {
        let from = &from[..8];
        // SAFETY: the token proves that the machine has the instructions; the slice has the elements.
        unsafe { F64x8(_mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr()))) }
    }
    #[inline(always)]
    fn store_f32(self, to: &mut [f32]) {
        let to = &mut to[..8];
        // SAFETY: the vector proves that the machine has the instructions; the slice has the elements.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), _mm512_cvtpd_ps(self.0)) }
    }
    methods! { avx512 F64x8;
        abs(x) -> F64x8 { F64x8(_mm512_abs_pd(x.0)) }
        round(x) -> F64x8 { F64x8(_mm512_roundscale_pd::<NEAREST>(x.0)) }
        scale_pow2(x, n: F64x8) -> F64x8 { F64x8(_mm512_scalef_pd(x.0, n.0)) }
        split_exponent(x) -> (F64x8, F64x8) {
            let root = _mm512_set1_epi64(SQRT_HALF);
            let bits = _mm512_sub_epi64(_mm512_castpd_si512(x.0), root);
            let m = _mm512_add_epi64(_mm512_and_si512(bits, _mm512_set1_epi64(MANTISSA)), root);
            let e = _mm512_cvtepi64_pd(_mm512_srai_epi64::<52>(bits));
            (F64x8(_mm512_castsi512_pd(m)), F64x8(e))
        }
        select_lt(x, o: F64x8, yes: F64x8, no: F64x8) -> F64x8 {
            F64x8(_mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(x.0, o.0), no.0, yes.0))
        }
        any_lt(x, o: F64x8) -> bool { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x.0, o.0) != 0 }
    }
}

/// Whether a lane's exponent is a small integer plus this, its low bits are the integer: 1.5 * 2^52.
const MAGIC: f64 = 6_755_399_441_055_744.0;

impl Float64 for F64x4 {
    #[inline(always)]
    fn load_f32(_: Avx2, from: &[f32]) -> Self {
        let from = &from[..4];
        // SAFETY: the token proves that the machine has the instructions; the slice has the elements.
        unsafe { F64x4(_mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr()))) }
    }
    #[inline(always)]
    fn store_f32(self, to: &mut [f32]) {
        let to = &mut to[..4];
        // SAFETY: the vector proves that the machine has the instructions; the slice has the elements.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), _mm256_cvtpd_ps(self.0)) }
    }
    methods! { avx2 F64x4;
        abs(x) -> F64x4 { F64x4(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x.0)) }
        round(x) -> F64x4 { F64x4(_mm256_round_pd::<NEAREST>(x.0)) }
        scale_pow2(x, n: F64x4) -> F64x4 {
            // Two factors, each a normal number, so that subnormal results are rounded once. A float plus `MAGIC` holds its
            // integer in the low bits.
            let magic = _mm256_set1_pd(MAGIC);
            let half = _mm256_floor_pd(_mm256_mul_pd(n.0, _mm256_set1_pd(0.5)));
            let bias = _mm256_set1_pd(1023.0);
            let pow2 = |e| {
                let biased = _mm256_castpd_si256(_mm256_add_pd(_mm256_add_pd(e, bias), magic));
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased))
            };
            let first = _mm256_mul_pd(x.0, pow2(half));
            F64x4(_mm256_mul_pd(first, pow2(_mm256_sub_pd(n.0, half))))
        }
        split_exponent(x) -> (F64x4, F64x4) {
            let root = _mm256_set1_epi64x(SQRT_HALF);
            let bits = _mm256_sub_epi64(_mm256_castpd_si256(x.0), root);
            let m = _mm256_add_epi64(_mm256_and_si256(bits, _mm256_set1_epi64x(MANTISSA)), root);
            // There is no arithmetic shift of 64 bits: the exponent is put into the mantissa of `MAGIC`.
            let e = _mm256_srli_epi64::<52>(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023 << 52)));
            let magic = _mm256_castpd_si256(_mm256_set1_pd(MAGIC));
            let e = _mm256_castsi256_pd(_mm256_or_si256(e, magic));
            let e = _mm256_sub_pd(e, _mm256_set1_pd(MAGIC + 1023.0));
            (F64x4(_mm256_castsi256_pd(m)), F64x4(e))
        }
        select_lt(x, o: F64x4, yes: F64x4, no: F64x4) -> F64x4 {
            F64x4(_mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_LT_OQ>(x.0, o.0)))
        }
        any_lt(x, o: F64x4) -> bool {
            _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(x.0, o.0)) != 0
        }
    }
}
