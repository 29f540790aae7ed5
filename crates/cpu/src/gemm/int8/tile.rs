//! The micro-kernels of 8-bit products: a tile of 32-bit sums in registers over all of `k`.
//!
//! Operands are packed as 32-bit *words*: for one row (or column), either four bytes of consecutive `k`, one side
//! unsigned and one signed (what VNNI multiplies), or two 16-bit integers (what multiplies exactly everywhere else;
//! AVX2's byte product saturates its 16-bit sums and is of no use).

// A kernel is one unsafe operation after the other; the contract stands on `DotFn`.
#![allow(unsafe_op_in_unsafe_fn)]
#![allow(
    clippy::needless_range_loop,
    reason = "plain index loops keep the accumulators in registers"
)]

use crate::simd::Isa;

/// The widest tile.
pub(super) const MAX_COLUMNS: usize = 48;
pub(super) const MAX_ROWS: usize = 8;

/// What a word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// Four bytes.
    Bytes,
    /// Two 16-bit integers.
    Shorts,
}

impl Words {
    /// Steps of `k` per word.
    pub(super) fn steps(self) -> usize {
        match self {
            Words::Bytes => 4,
            Words::Shorts => 2,
        }
    }
}

/// `(words of k, a, b, sums)`: writes `sums[i * MAX_COLUMNS + j] = Σ_w dot(a[w * MR + i], b[w * NR + j])`, wrapping.
///
/// # Safety
/// The machine has the kernel's instruction set; `a`, `b` and `sums` are valid for the tile.
pub(super) type DotFn = unsafe fn(usize, *const i32, *const i32, *mut i32);

/// The 8-bit kernels of one instruction set.
pub(super) struct Kernels {
    pub(super) words: Words,
    pub(super) mr: usize,
    pub(super) lanes: usize,
    /// `tiles[rows - 1][vectors - 1]` for an unsigned A and a signed B.
    pub(super) unsigned_a: &'static [&'static [DotFn]],
    /// The same for a signed A and an unsigned B.
    pub(super) signed_a: &'static [&'static [DotFn]],
}

impl Kernels {
    pub(super) fn nr(&self) -> usize {
        self.unsigned_a[0].len() * self.lanes
    }

    pub(super) fn of(isa: Isa) -> &'static Kernels {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if is_x86_feature_detected!("avx512vnni") => &x86::VNNI,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx2 => &x86::AVX2,
            Isa::Portable => &PORTABLE,
        }
    }
}

/// A vector of 32-bit sums.
trait Dot: Copy {
    const LANES: usize;
    unsafe fn zero() -> Self;
    unsafe fn splat(word: i32) -> Self;
    unsafe fn load(p: *const i32) -> Self;
    unsafe fn store(self, p: *mut i32);
    /// `self + a · b` lane by lane.
    unsafe fn dot(self, a: Self, b: Self) -> Self;
}

#[inline(always)]
unsafe fn tile<
    V: Dot,
    const ROWS: usize,
    const VECTORS: usize,
    const MR: usize,
    const NR: usize,
    const SIGNED_A: bool,
>(
    words: usize,
    mut a: *const i32,
    mut b: *const i32,
    sums: *mut i32,
) {
    let mut acc = [[V::zero(); VECTORS]; ROWS];
    for _ in 0..words {
        let mut bv = [V::zero(); VECTORS];
        for j in 0..VECTORS {
            bv[j] = V::load(b.add(j * V::LANES));
        }
        for i in 0..ROWS {
            let x = V::splat(*a.add(i));
            for j in 0..VECTORS {
                acc[i][j] =
                    if SIGNED_A { acc[i][j].dot(bv[j], x) } else { acc[i][j].dot(x, bv[j]) };
            }
        }
        a = a.add(MR);
        b = b.add(NR);
    }
    for i in 0..ROWS {
        for j in 0..VECTORS {
            acc[i][j].store(sums.add(i * MAX_COLUMNS + j * V::LANES));
        }
    }
}

/// `[[f::<1, 1, S>, f::<1, 2, S>, …], [f::<2, 1, S>, …], …]`.
macro_rules! table {
    ($f:ident, $s:literal, [$($rows:literal)*], $vectors:tt) => { &[$(table!(@row $f, $s, $rows, $vectors)),*] };
    (@row $f:ident, $s:literal, $rows:literal, [$($vectors:literal)*]) => { &[$($f::<$rows, $vectors, $s>),*] };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    struct Vnni(__m512i);

    impl Dot for Vnni {
        const LANES: usize = 16;
        #[inline(always)]
        unsafe fn zero() -> Self {
            Vnni(_mm512_setzero_si512())
        }
        #[inline(always)]
        unsafe fn splat(word: i32) -> Self {
            Vnni(_mm512_set1_epi32(word))
        }
        #[inline(always)]
        unsafe fn load(p: *const i32) -> Self {
            Vnni(_mm512_loadu_si512(p.cast()))
        }
        #[inline(always)]
        unsafe fn store(self, p: *mut i32) {
            _mm512_storeu_si512(p.cast(), self.0)
        }
        #[inline(always)]
        unsafe fn dot(self, a: Self, b: Self) -> Self {
            Vnni(_mm512_dpbusd_epi32(self.0, a.0, b.0))
        }
    }

    #[derive(Clone, Copy)]
    struct Madd(__m256i);

    impl Dot for Madd {
        const LANES: usize = 8;
        #[inline(always)]
        unsafe fn zero() -> Self {
            Madd(_mm256_setzero_si256())
        }
        #[inline(always)]
        unsafe fn splat(word: i32) -> Self {
            Madd(_mm256_set1_epi32(word))
        }
        #[inline(always)]
        unsafe fn load(p: *const i32) -> Self {
            Madd(_mm256_loadu_si256(p.cast()))
        }
        #[inline(always)]
        unsafe fn store(self, p: *mut i32) {
            _mm256_storeu_si256(p.cast(), self.0)
        }
        #[inline(always)]
        unsafe fn dot(self, a: Self, b: Self) -> Self {
            Madd(_mm256_add_epi32(self.0, _mm256_madd_epi16(a.0, b.0)))
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
    unsafe fn vnni<const ROWS: usize, const VECTORS: usize, const SIGNED_A: bool>(
        words: usize,
        a: *const i32,
        b: *const i32,
        sums: *mut i32,
    ) {
        tile::<Vnni, ROWS, VECTORS, 8, 48, SIGNED_A>(words, a, b, sums)
    }

    #[target_feature(enable = "avx2,fma")]
    unsafe fn madd<const ROWS: usize, const VECTORS: usize, const SIGNED_A: bool>(
        words: usize,
        a: *const i32,
        b: *const i32,
        sums: *mut i32,
    ) {
        tile::<Madd, ROWS, VECTORS, 6, 16, SIGNED_A>(words, a, b, sums)
    }

    pub(super) static VNNI: Kernels = Kernels {
        words: Words::Bytes,
        mr: 8,
        lanes: 16,
        unsigned_a: table!(vnni, false, [1 2 3 4 5 6 7 8], [1 2 3]),
        signed_a: table!(vnni, true, [1 2 3 4 5 6 7 8], [1 2 3]),
    };
    // The product of 16-bit integers is symmetric, so both forms share their kernels.
    pub(super) static AVX2: Kernels = Kernels {
        words: Words::Shorts,
        mr: 6,
        lanes: 8,
        unsigned_a: table!(madd, false, [1 2 3 4 5 6], [1 2]),
        signed_a: table!(madd, false, [1 2 3 4 5 6], [1 2]),
    };
}

/// Four lanes of plain arithmetic.
#[derive(Clone, Copy)]
struct Four([i32; 4]);

impl Dot for Four {
    const LANES: usize = 4;
    #[inline(always)]
    unsafe fn zero() -> Self {
        Four([0; 4])
    }
    #[inline(always)]
    unsafe fn splat(word: i32) -> Self {
        Four([word; 4])
    }
    #[inline(always)]
    unsafe fn load(p: *const i32) -> Self {
        Four(p.cast::<[i32; 4]>().read_unaligned())
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut i32) {
        p.cast::<[i32; 4]>().write_unaligned(self.0)
    }
    #[inline(always)]
    unsafe fn dot(mut self, a: Self, b: Self) -> Self {
        for i in 0..4 {
            let (a, b) = (a.0[i], b.0[i]);
            let low = i32::from(a as i16) * i32::from(b as i16);
            self.0[i] = self.0[i].wrapping_add(low).wrapping_add((a >> 16) * (b >> 16));
        }
        self
    }
}

unsafe fn portable<const ROWS: usize, const VECTORS: usize, const SIGNED_A: bool>(
    words: usize,
    a: *const i32,
    b: *const i32,
    sums: *mut i32,
) {
    tile::<Four, ROWS, VECTORS, 4, 8, SIGNED_A>(words, a, b, sums)
}

static PORTABLE: Kernels = Kernels {
    words: Words::Shorts,
    mr: 4,
    lanes: 4,
    unsigned_a: table!(portable, false, [1 2 3 4], [1 2]),
    signed_a: table!(portable, false, [1 2 3 4], [1 2]),
};
