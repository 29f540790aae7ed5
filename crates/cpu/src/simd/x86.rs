//! AVX-512 and AVX2 vectors.

use std::arch::x86_64::*;

use super::{Arithmetic, Arithmetic32, Float32, Vector};

#[derive(Clone, Copy)]
pub(crate) struct F32x16(pub(super) __m512);
#[derive(Clone, Copy)]
pub(crate) struct F64x8(pub(super) __m512d);
#[derive(Clone, Copy)]
pub(crate) struct F32x8(pub(super) __m256);
#[derive(Clone, Copy)]
pub(crate) struct F64x4(pub(super) __m256d);

macro_rules! vector {
    ($v:ident, $elem:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident,
     $div:ident, $fma:ident, $max:ident, $min:ident, $sqrt:ident, |$n:ident| $mask:expr, |$p:ident, $m:ident| $partial:expr,
     $store_partial:ident, |$low:ident, $high:ident| $even:expr) => {
        impl Arithmetic for $v {
            type Elem = $elem;
            const FUSED: bool = true;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                $v($splat(x))
            }
            #[inline(always)]
            unsafe fn add(self, o: Self) -> Self {
                $v($add(self.0, o.0))
            }
            #[inline(always)]
            unsafe fn sub(self, o: Self) -> Self {
                $v($sub(self.0, o.0))
            }
            #[inline(always)]
            unsafe fn mul(self, o: Self) -> Self {
                $v($mul(self.0, o.0))
            }
            #[inline(always)]
            unsafe fn div(self, o: Self) -> Self {
                $v($div(self.0, o.0))
            }
            #[inline(always)]
            unsafe fn mul_add(self, a: Self, b: Self) -> Self {
                $v($fma(self.0, a.0, b.0))
            }
            #[inline(always)]
            unsafe fn max(self, o: Self) -> Self {
                $v($max(self.0, o.0))
            }
            #[inline(always)]
            unsafe fn min(self, o: Self) -> Self {
                $v($min(self.0, o.0))
            }
            #[inline(always)]
            unsafe fn sqrt(self) -> Self {
                $v($sqrt(self.0))
            }
        }

        impl Vector for $v {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(p: *const $elem) -> Self {
                $v($load(p))
            }
            #[inline(always)]
            unsafe fn load_partial($p: *const $elem, $n: usize) -> Self {
                let $m = $mask;
                $v($partial)
            }
            #[inline(always)]
            unsafe fn load_even(p: *const $elem, n: usize) -> Self {
                let count = 2 * n - 1;
                let low = Self::load_up_to(p, count.min($lanes));
                let high = if count > $lanes {
                    Self::load_partial(p.add($lanes), count - $lanes)
                } else {
                    low
                };
                let ($low, $high) = (low.0, high.0);
                $v($even)
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $elem) {
                $store(p, self.0)
            }
            #[inline(always)]
            unsafe fn store_partial(self, p: *mut $elem, $n: usize) {
                $store_partial(p, $mask, self.0)
            }
        }
    };
}

/// The integer mask of the first `n` of 8 lanes that `vmaskmov` wants; sliding over this array gives every `n`.
static FIRST_OF_8: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
static FIRST_OF_4: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];

vector!(
    F32x16,
    f32,
    16,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_fmadd_ps,
    _mm512_max_ps,
    _mm512_min_ps,
    _mm512_sqrt_ps,
    |n| ((1u32 << n) - 1) as __mmask16,
    |p, m| _mm512_maskz_loadu_ps(m, p),
    _mm512_mask_storeu_ps,
    |low, high| _mm512_permutex2var_ps(
        low,
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
        high
    )
);
vector!(
    F64x8,
    f64,
    8,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_div_pd,
    _mm512_fmadd_pd,
    _mm512_max_pd,
    _mm512_min_pd,
    _mm512_sqrt_pd,
    |n| ((1u32 << n) - 1) as __mmask8,
    |p, m| _mm512_maskz_loadu_pd(m, p),
    _mm512_mask_storeu_pd,
    |low, high| _mm512_permutex2var_pd(low, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), high)
);
vector!(
    F32x8,
    f32,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_fmadd_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_sqrt_ps,
    |n| _mm256_loadu_si256(FIRST_OF_8.as_ptr().add(8 - n).cast()),
    |p, m| _mm256_maskload_ps(p, m),
    _mm256_maskstore_ps,
    |low, high| _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(
        _mm256_shuffle_ps::<0b10_00_10_00>(low, high)
    )))
);
vector!(
    F64x4,
    f64,
    4,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_div_pd,
    _mm256_fmadd_pd,
    _mm256_max_pd,
    _mm256_min_pd,
    _mm256_sqrt_pd,
    |n| _mm256_loadu_si256(FIRST_OF_4.as_ptr().add(4 - n).cast()),
    |p, m| _mm256_maskload_pd(p, m),
    _mm256_maskstore_pd,
    |low, high| _mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_unpacklo_pd(low, high))
);

/// The bits of √½, the lower end of `split_exponent`'s mantissas.
const SQRT_HALF: i32 = 0x3f35_04f3;
const MANTISSA: i32 = 0x007f_ffff;
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

impl Arithmetic32 for F32x16 {
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        F32x16(_mm512_abs_ps(self.0))
    }
    #[inline(always)]
    unsafe fn copysign(self, sign: Self) -> Self {
        let bit = _mm512_set1_ps(-0.0);
        F32x16(_mm512_or_ps(_mm512_andnot_ps(bit, self.0), _mm512_and_ps(bit, sign.0)))
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        F32x16(_mm512_roundscale_ps::<NEAREST>(self.0))
    }
    #[inline(always)]
    unsafe fn scale_pow2(self, n: Self) -> Self {
        F32x16(_mm512_scalef_ps(self.0, n.0))
    }
    #[inline(always)]
    unsafe fn split_exponent(self) -> (Self, Self) {
        let bits = _mm512_sub_epi32(_mm512_castps_si512(self.0), _mm512_set1_epi32(SQRT_HALF));
        let m = _mm512_add_epi32(
            _mm512_and_si512(bits, _mm512_set1_epi32(MANTISSA)),
            _mm512_set1_epi32(SQRT_HALF),
        );
        let e = _mm512_cvtepi32_ps(_mm512_srai_epi32::<23>(bits));
        (F32x16(_mm512_castsi512_ps(m)), F32x16(e))
    }
    #[inline(always)]
    unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
        F32x16(_mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, o.0), no.0, yes.0))
    }
}

impl Float32 for F32x16 {
    #[inline(always)]
    unsafe fn any_lt(self, o: Self) -> bool {
        _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, o.0) != 0
    }
    #[inline(always)]
    unsafe fn load_f16(p: *const u16) -> Self {
        F32x16(_mm512_cvtph_ps(_mm256_loadu_si256(p.cast())))
    }
    #[inline(always)]
    unsafe fn store_f16<const TOWARD_ZERO: bool>(self, p: *mut u16) {
        let halves = if TOWARD_ZERO {
            _mm512_cvtps_ph::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self.0)
        } else {
            _mm512_cvtps_ph::<NEAREST>(self.0)
        };
        _mm256_storeu_si256(p.cast(), halves)
    }
    #[inline(always)]
    unsafe fn reduce_add(self) -> f32 {
        let high = _mm512_extractf32x8_ps::<1>(self.0);
        F32x8(_mm256_add_ps(_mm512_castps512_ps256(self.0), high)).reduce_add()
    }
    #[inline(always)]
    unsafe fn reduce_max(self) -> f32 {
        let high = _mm512_extractf32x8_ps::<1>(self.0);
        F32x8(_mm256_max_ps(_mm512_castps512_ps256(self.0), high)).reduce_max()
    }
}

impl Arithmetic32 for F32x8 {
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        F32x8(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0))
    }
    #[inline(always)]
    unsafe fn copysign(self, sign: Self) -> Self {
        let bit = _mm256_set1_ps(-0.0);
        F32x8(_mm256_or_ps(_mm256_andnot_ps(bit, self.0), _mm256_and_ps(bit, sign.0)))
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        F32x8(_mm256_round_ps::<NEAREST>(self.0))
    }
    #[inline(always)]
    unsafe fn scale_pow2(self, n: Self) -> Self {
        // Two factors, each a normal number, so that subnormal results are rounded once.
        let n = _mm256_cvtps_epi32(n.0);
        let half = _mm256_srai_epi32::<1>(n);
        let bias = _mm256_set1_epi32(127);
        let pow2 = |e| _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_add_epi32(e, bias)));
        let first = _mm256_mul_ps(self.0, pow2(half));
        F32x8(_mm256_mul_ps(first, pow2(_mm256_sub_epi32(n, half))))
    }
    #[inline(always)]
    unsafe fn split_exponent(self) -> (Self, Self) {
        let bits = _mm256_sub_epi32(_mm256_castps_si256(self.0), _mm256_set1_epi32(SQRT_HALF));
        let m = _mm256_add_epi32(
            _mm256_and_si256(bits, _mm256_set1_epi32(MANTISSA)),
            _mm256_set1_epi32(SQRT_HALF),
        );
        let e = _mm256_cvtepi32_ps(_mm256_srai_epi32::<23>(bits));
        (F32x8(_mm256_castsi256_ps(m)), F32x8(e))
    }
    #[inline(always)]
    unsafe fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
        F32x8(_mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, o.0)))
    }
}

impl Float32 for F32x8 {
    #[inline(always)]
    unsafe fn any_lt(self, o: Self) -> bool {
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, o.0)) != 0
    }
    #[inline(always)]
    unsafe fn load_f16(p: *const u16) -> Self {
        F32x8(_mm256_cvtph_ps(_mm_loadu_si128(p.cast())))
    }
    #[inline(always)]
    unsafe fn store_f16<const TOWARD_ZERO: bool>(self, p: *mut u16) {
        let halves = if TOWARD_ZERO {
            _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(self.0)
        } else {
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0)
        };
        _mm_storeu_si128(p.cast(), halves)
    }
    #[inline(always)]
    unsafe fn reduce_add(self) -> f32 {
        let half = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
        let pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
        _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)))
    }
    #[inline(always)]
    unsafe fn reduce_max(self) -> f32 {
        let half = _mm_max_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
        let pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
        _mm_cvtss_f32(_mm_max_ss(pair, _mm_movehdup_ps(pair)))
    }
}
