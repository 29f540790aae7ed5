//! AVX-512 and AVX2 vectors.

use std::arch::x86_64::*;

use super::{Arithmetic, Arithmetic32, Avx2, Avx512, Float32, Vector};

mod float64;

/// 16 `f32`; as the other vectors, it is made only of a token or of another vector.
#[derive(Clone, Copy)]
pub struct F32x16(__m512);
/// 8 `f64`.
#[derive(Clone, Copy)]
pub struct F64x8(__m512d);
/// 8 `f32`.
#[derive(Clone, Copy)]
pub struct F32x8(__m256);
/// 4 `f64`.
#[derive(Clone, Copy)]
pub struct F64x4(__m256d);

/// Methods of a vector from functions that are safe where its instruction set is there: `methods!(avx2 F32x8; abs(x) -> F32x8 { … })`.
/// The compiler checks that the features of the set cover the intrinsics.
macro_rules! methods {
    ($features:ident $v:ident; $($name:ident($this:ident $(, $arg:ident: $ty:ty)*) -> $ret:ty $body:block)*) => { $(
        #[inline(always)]
        fn $name(self $(, $arg: $ty)*) -> $ret {
            $crate::$features! {
                #[inline]
                fn method($this: $v $(, $arg: $ty)*) -> $ret $body
            }
            // SAFETY: a vector exists only where its instruction set does.
            unsafe { method(self $(, $arg)*) }
        }
    )* };
}
use methods;

macro_rules! vector {
    ($v:ident, $features:ident $isa:ident, $elem:ty, $lanes:literal; $splat:ident, $load:ident, $store:ident, $add:ident,
     $sub:ident, $mul:ident, $div:ident, $fma:ident, $max:ident, $min:ident, $sqrt:ident,
     |$n:ident| $mask:expr, |$bits:ident| $lanes_mask:expr, |$p:ident, $m:ident| $partial:expr, $store_partial:ident, |$low:ident, $high:ident| $evens:expr,
     |$keep:ident, $yes:ident, $no:ident| $blend:expr) => {
        impl Arithmetic for $v {
            type Elem = $elem;
            const FUSED: bool = true;

            methods! { $features $v;
                splat(_v, x: $elem) -> $v { $v($splat(x)) }
                add(a, b: $v) -> $v { $v($add(a.0, b.0)) }
                sub(a, b: $v) -> $v { $v($sub(a.0, b.0)) }
                mul(a, b: $v) -> $v { $v($mul(a.0, b.0)) }
                div(a, b: $v) -> $v { $v($div(a.0, b.0)) }
                mul_add(x, a: $v, b: $v) -> $v { $v($fma(x.0, a.0, b.0)) }
                max(a, b: $v) -> $v { $v($max(a.0, b.0)) }
                min(a, b: $v) -> $v { $v($min(a.0, b.0)) }
                sqrt(a) -> $v { $v($sqrt(a.0)) }
            }
        }

        impl Vector for $v {
            type Isa = $isa;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn new(_: $isa, x: $elem) -> Self {
                // SAFETY: the token proves that the machine has the instruction.
                $v(unsafe { $splat(x) })
            }
            #[inline(always)]
            unsafe fn load_at(_: $isa, p: *const $elem) -> Self {
                // SAFETY: the token proves that the machine has the instruction; the caller promises that the elements are
                // readable.
                $v(unsafe { $load(p) })
            }
            #[inline(always)]
            unsafe fn load_first_at(_: $isa, $p: *const $elem, $n: usize) -> Self {
                debug_assert!($n < $lanes);
                // SAFETY: the token proves that the machine has the instructions. The caller promises that the first `n` elements
                // are readable, and lanes outside of the mask are not touched.
                unsafe {
                    let $m = $mask;
                    $v($partial)
                }
            }
            #[inline(always)]
            unsafe fn load_where_at(_: $isa, $p: *const $elem, $bits: u32) -> Self {
                // SAFETY: the token proves that the machine has the instructions. The caller promises that the elements whose
                // bits are set are readable, and lanes outside of the mask are not touched.
                unsafe {
                    let $m = $lanes_mask;
                    $v($partial)
                }
            }
            #[inline(always)]
            unsafe fn store_at(self, p: *mut $elem) {
                // SAFETY: a vector exists only where its instruction set does; the elements are writable, as the caller says.
                unsafe { $store(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_first_at(self, p: *mut $elem, $n: usize) {
                debug_assert!($n < $lanes);
                // SAFETY: a vector exists only where its instruction set does. The caller promises that the first `n` elements are
                // writable, and lanes outside of the mask are not touched.
                unsafe { $store_partial(p, $mask, self.0) }
            }
            methods! { $features $v;
                keep_lanes(yes, lanes: u32, no: $v) -> $v {
                    let ($bits, $yes, $no) = (lanes, yes.0, no.0);
                    let $keep = $lanes_mask;
                    $v($blend)
                }
                evens(low, high: $v) -> $v {
                    let ($low, $high) = (low.0, high.0);
                    $v($evens)
                }
            }
        }
    };
}

/// The integer mask of the first `n` of 8 lanes that `vmaskmov` wants; sliding over this array gives every `n`.
static FIRST_OF_8: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
static FIRST_OF_4: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];

vector!(
    F32x16,
    avx512 Avx512,
    f32,
    16;
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
    |bits| bits as __mmask16,
    |p, m| _mm512_maskz_loadu_ps(m, p),
    _mm512_mask_storeu_ps,
    |low, high| _mm512_permutex2var_ps(
        low,
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
        high
    ),
    |keep, yes, no| _mm512_mask_blend_ps(keep, no, yes)
);
vector!(
    F64x8,
    avx512 Avx512,
    f64,
    8;
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
    |bits| bits as __mmask8,
    |p, m| _mm512_maskz_loadu_pd(m, p),
    _mm512_mask_storeu_pd,
    |low, high| _mm512_permutex2var_pd(low, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), high),
    |keep, yes, no| _mm512_mask_blend_pd(keep, no, yes)
);
vector!(
    F32x8,
    avx2 Avx2,
    f32,
    8;
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
    |bits| {
        let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), each), each)
    },
    |p, m| _mm256_maskload_ps(p, m),
    _mm256_maskstore_ps,
    |low, high| _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(
        _mm256_shuffle_ps::<0b10_00_10_00>(low, high)
    ))),
    |keep, yes, no| _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(keep))
);
vector!(
    F64x4,
    avx2 Avx2,
    f64,
    4;
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
    |bits| {
        let each = _mm256_setr_epi64x(1, 2, 4, 8);
        _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits.into()), each), each)
    },
    |p, m| _mm256_maskload_pd(p, m),
    _mm256_maskstore_pd,
    |low, high| _mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_unpacklo_pd(low, high)),
    |keep, yes, no| _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(keep))
);

/// The bits of √½, the lower end of `split_exponent`'s mantissas.
const SQRT_HALF: i32 = 0x3f35_04f3;
const MANTISSA: i32 = 0x007f_ffff;
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

impl Arithmetic32 for F32x16 {
    methods! { avx512 F32x16;
        abs(x) -> F32x16 { F32x16(_mm512_abs_ps(x.0)) }
        copysign(x, sign: F32x16) -> F32x16 {
            let bit = _mm512_set1_ps(-0.0);
            F32x16(_mm512_or_ps(_mm512_andnot_ps(bit, x.0), _mm512_and_ps(bit, sign.0)))
        }
        round(x) -> F32x16 { F32x16(_mm512_roundscale_ps::<NEAREST>(x.0)) }
        scale_pow2(x, n: F32x16) -> F32x16 { F32x16(_mm512_scalef_ps(x.0, n.0)) }
        split_exponent(x) -> (F32x16, F32x16) {
            let root = _mm512_set1_epi32(SQRT_HALF);
            let bits = _mm512_sub_epi32(_mm512_castps_si512(x.0), root);
            let m = _mm512_add_epi32(_mm512_and_si512(bits, _mm512_set1_epi32(MANTISSA)), root);
            let e = _mm512_cvtepi32_ps(_mm512_srai_epi32::<23>(bits));
            (F32x16(_mm512_castsi512_ps(m)), F32x16(e))
        }
        select_lt(x, o: F32x16, yes: F32x16, no: F32x16) -> F32x16 {
            F32x16(_mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(x.0, o.0), no.0, yes.0))
        }
    }
}

impl Float32 for F32x16 {
    methods! { avx512 F32x16;
        any_lt(x, o: F32x16) -> bool { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x.0, o.0) != 0 }
        reduce_add(x) -> f32 {
            let high = _mm512_extractf32x8_ps::<1>(x.0);
            F32x8(_mm256_add_ps(_mm512_castps512_ps256(x.0), high)).reduce_add()
        }
        reduce_max(x) -> f32 {
            let high = _mm512_extractf32x8_ps::<1>(x.0);
            F32x8(_mm256_max_ps(_mm512_castps512_ps256(x.0), high)).reduce_max()
        }
    }
    #[inline(always)]
    fn load_f16(_: Avx512, from: &[u16]) -> Self {
        let from = &from[..16];
        // SAFETY: the token proves that the machine has the instructions; the slice has the elements.
        unsafe { F32x16(_mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast()))) }
    }
    #[inline(always)]
    fn store_f16<const TOWARD_ZERO: bool>(self, to: &mut [u16]) {
        let to = &mut to[..16];
        // SAFETY: the vector proves that the machine has the instructions; the slice has the elements.
        unsafe {
            let halves = if TOWARD_ZERO {
                _mm512_cvtps_ph::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self.0)
            } else {
                _mm512_cvtps_ph::<NEAREST>(self.0)
            };
            _mm256_storeu_si256(to.as_mut_ptr().cast(), halves)
        }
    }
}

impl Arithmetic32 for F32x8 {
    methods! { avx2 F32x8;
        abs(x) -> F32x8 { F32x8(_mm256_andnot_ps(_mm256_set1_ps(-0.0), x.0)) }
        copysign(x, sign: F32x8) -> F32x8 {
            let bit = _mm256_set1_ps(-0.0);
            F32x8(_mm256_or_ps(_mm256_andnot_ps(bit, x.0), _mm256_and_ps(bit, sign.0)))
        }
        round(x) -> F32x8 { F32x8(_mm256_round_ps::<NEAREST>(x.0)) }
        scale_pow2(x, n: F32x8) -> F32x8 {
            // Two factors, each a normal number, so that subnormal results are rounded once.
            let n = _mm256_cvtps_epi32(n.0);
            let half = _mm256_srai_epi32::<1>(n);
            let bias = _mm256_set1_epi32(127);
            let pow2 = |e| _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_add_epi32(e, bias)));
            let first = _mm256_mul_ps(x.0, pow2(half));
            F32x8(_mm256_mul_ps(first, pow2(_mm256_sub_epi32(n, half))))
        }
        split_exponent(x) -> (F32x8, F32x8) {
            let root = _mm256_set1_epi32(SQRT_HALF);
            let bits = _mm256_sub_epi32(_mm256_castps_si256(x.0), root);
            let m = _mm256_add_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(MANTISSA)), root);
            let e = _mm256_cvtepi32_ps(_mm256_srai_epi32::<23>(bits));
            (F32x8(_mm256_castsi256_ps(m)), F32x8(e))
        }
        select_lt(x, o: F32x8, yes: F32x8, no: F32x8) -> F32x8 {
            F32x8(_mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OQ>(x.0, o.0)))
        }
    }
}

impl Float32 for F32x8 {
    methods! { avx2 F32x8;
        any_lt(x, o: F32x8) -> bool {
            _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(x.0, o.0)) != 0
        }
        reduce_add(x) -> f32 {
            let half = _mm_add_ps(_mm256_castps256_ps128(x.0), _mm256_extractf128_ps::<1>(x.0));
            let pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)))
        }
        reduce_max(x) -> f32 {
            let half = _mm_max_ps(_mm256_castps256_ps128(x.0), _mm256_extractf128_ps::<1>(x.0));
            let pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_max_ss(pair, _mm_movehdup_ps(pair)))
        }
    }
    #[inline(always)]
    fn load_f16(_: Avx2, from: &[u16]) -> Self {
        let from = &from[..8];
        // SAFETY: the token proves that the machine has the instructions; the slice has the elements.
        unsafe { F32x8(_mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast()))) }
    }
    #[inline(always)]
    fn store_f16<const TOWARD_ZERO: bool>(self, to: &mut [u16]) {
        let to = &mut to[..8];
        // SAFETY: the vector proves that the machine has the instructions; the slice has the elements.
        unsafe {
            let halves = if TOWARD_ZERO {
                _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(self.0)
            } else {
                _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0)
            };
            _mm_storeu_si128(to.as_mut_ptr().cast(), halves)
        }
    }
}
