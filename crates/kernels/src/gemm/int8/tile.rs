//! The micro-kernels of 8-bit products: a tile of 32-bit sums in registers over all of `k`.
//!
//! Operands are packed as 32-bit *words*: for one row (or column), either four bytes of consecutive `k`, one side
//! unsigned and one signed (what VNNI multiplies), or two 16-bit integers (what multiplies exactly everywhere else;
//! AVX2's byte product saturates its 16-bit sums and is of no use).

#![allow(
    clippy::needless_range_loop,
    reason = "plain index loops keep the accumulators in registers"
)]

use trident_simd::{Isa, IsaToken, Portable};

/// The columns of the widest tile.
pub(super) const MAX_COLUMNS: usize = 48;
/// The rows that are finished together: of the highest tile, or of two whose rows are no multiple of four.
pub(super) const MAX_ROWS: usize = 12;

/// The contents of a word.
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
        match isa.kind() {
            #[cfg(target_arch = "x86_64")]
            IsaToken::Avx512(isa) if isa.vnni().is_some() => &x86::VNNI,
            #[cfg(target_arch = "x86_64")]
            IsaToken::Avx512(_) | IsaToken::Avx2(_) => &x86::AVX2,
            IsaToken::Portable(_) => &PORTABLE,
        }
    }
}

/// A vector of 32-bit sums, which exists only where its instruction set does.
///
/// # Safety
/// It is an array of `i32` in memory, and any array is one.
unsafe trait Dot: Copy {
    /// The token of its instruction set.
    type Isa: Copy;
    fn splat(isa: Self::Isa, word: i32) -> Self;
    /// `self + a · b` lane by lane.
    fn dot(self, a: Self, b: Self) -> Self;
}

/// # Safety
/// As [`DotFn`].
#[inline(always)]
unsafe fn tile<
    V: Dot,
    const ROWS: usize,
    const VECTORS: usize,
    const MR: usize,
    const NR: usize,
    const SIGNED_A: bool,
>(
    isa: V::Isa,
    words: usize,
    mut a: *const i32,
    mut b: *const i32,
    sums: *mut i32,
) {
    let zero = V::splat(isa, 0);
    let mut acc = [[zero; VECTORS]; ROWS];
    // SAFETY: the caller's operands have `words` steps of `MR` and `NR` words, and the sums all rows and columns.
    unsafe {
        for _ in 0..words {
            let mut bv = [zero; VECTORS];
            for j in 0..VECTORS {
                bv[j] = b.cast::<V>().add(j).read_unaligned();
            }
            for i in 0..ROWS {
                let x = V::splat(isa, *a.add(i));
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
                sums.add(i * MAX_COLUMNS).cast::<V>().add(j).write_unaligned(acc[i][j]);
            }
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
    use std::arch::x86_64::*;

    use super::*;
    use trident_simd::{Avx2, Simd, Vnni};

    #[derive(Clone, Copy)]
    #[repr(transparent)]
    struct Bytes(__m512i);

    // SAFETY: 16 `i32`.
    unsafe impl Dot for Bytes {
        type Isa = Vnni;
        #[inline(always)]
        fn splat(_: Vnni, word: i32) -> Self {
            // SAFETY: the token proves that the machine has the instruction.
            Bytes(unsafe { _mm512_set1_epi32(word) })
        }
        #[inline(always)]
        fn dot(self, a: Self, b: Self) -> Self {
            // SAFETY: a vector is made of the token.
            Bytes(unsafe { _mm512_dpbusd_epi32(self.0, a.0, b.0) })
        }
    }

    #[derive(Clone, Copy)]
    #[repr(transparent)]
    struct Shorts(__m256i);

    // SAFETY: 8 `i32`.
    unsafe impl Dot for Shorts {
        type Isa = Avx2;
        #[inline(always)]
        fn splat(_: Avx2, word: i32) -> Self {
            // SAFETY: the token proves that the machine has the instruction.
            Shorts(unsafe { _mm256_set1_epi32(word) })
        }
        #[inline(always)]
        fn dot(self, a: Self, b: Self) -> Self {
            // SAFETY: a vector is made of the token.
            Shorts(unsafe { _mm256_add_epi32(self.0, _mm256_madd_epi16(a.0, b.0)) })
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
    unsafe fn vnni<const ROWS: usize, const VECTORS: usize, const SIGNED_A: bool>(
        words: usize,
        a: *const i32,
        b: *const i32,
        sums: *mut i32,
    ) {
        // SAFETY: `a` and `b` have `words` words for each row and column, and `sums` has room for the tile, as `tile` requires: kernels of
        // a table are called by its contract. The table is chosen only on a machine with these instructions.
        unsafe { tile::<Bytes, ROWS, VECTORS, 8, 48, SIGNED_A>(Vnni::assume(), words, a, b, sums) }
    }

    trident_simd::avx2! {
        unsafe fn madd<const ROWS: usize, const VECTORS: usize, const SIGNED_A: bool>(
            words: usize,
            a: *const i32,
            b: *const i32,
            sums: *mut i32,
        ) {
            // SAFETY: `a` and `b` have `words` words for each row and column, and `sums` has room for the tile, as `tile` requires:
            // kernels of a table are called by its contract. The table is chosen only on a machine with AVX2.
            unsafe { tile::<Shorts, ROWS, VECTORS, 6, 16, SIGNED_A>(Avx2::assume(), words, a, b, sums) }
        }
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
#[repr(transparent)]
struct Four([i32; 4]);

// SAFETY: 4 `i32`.
unsafe impl Dot for Four {
    type Isa = Portable;
    #[inline(always)]
    fn splat(_: Portable, word: i32) -> Self {
        Four([word; 4])
    }
    #[inline(always)]
    fn dot(mut self, a: Self, b: Self) -> Self {
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
    // SAFETY: `a` and `b` have `words` words for each row and column, and `sums` has room for the tile, as `tile` requires: kernels of a
    // table are called by its contract.
    unsafe { tile::<Four, ROWS, VECTORS, 4, 8, SIGNED_A>(Portable::TOKEN, words, a, b, sums) }
}

static PORTABLE: Kernels = Kernels {
    words: Words::Shorts,
    mr: 4,
    lanes: 4,
    unsigned_a: table!(portable, false, [1 2 3 4], [1 2]),
    signed_a: table!(portable, false, [1 2 3 4], [1 2]),
};
