//! The micro-kernels: one tile of C, held in registers over a block of `k`.

// Only plain index loops are unrolled early enough for the accumulators to live in registers; with iterators the kernels
// keep them in memory and run at less than half the speed.
#![allow(clippy::needless_range_loop)]

use trident_simd::{Arithmetic, Isa, IsaToken, Lanes, Simd, Vector};
#[cfg(target_arch = "x86_64")]
use trident_simd::{F32x8, F32x16, F64x4, F64x8};

/// The epilogue of an element of C after its last product, in this order: times `alpha`, plus the biases, plus
/// `beta * residual`, limited to `lo..=hi`. Null pointers are absent operands.
#[derive(Clone, Copy)]
pub(super) struct Finish<T> {
    pub alpha: Option<T>,
    /// One per row of C.
    pub row_bias: *const T,
    /// One per column of C.
    pub col_bias: *const T,
    /// In the place and with the row stride of C.
    pub residual: *const T,
    pub beta: T,
    pub limits: Option<(T, T)>,
}

/// One call of a micro-kernel, which relies on this: `a` is valid for the tile's rows (`a[i * a_row + p * a_step]`), `b` for the vectors at
/// `b + p * b_step`, `c` for the tile's rows and columns; the pointers of `finish` for the tile's place in the matrix (`row`, `col`).
/// Thin kernels read panels of packed A.
pub(super) struct Tile<'a, T> {
    pub k: usize,
    pub a: *const T,
    /// The distances of neighbours in a column and in a row of A.
    pub a_row: usize,
    pub a_step: usize,
    /// The distance of two panels of A (thin kernels read several).
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "thin kernels are of x86"))]
    pub panel_stride: usize,
    pub b: *const T,
    pub b_step: usize,
    /// The element `(row, col)` of C.
    pub c: *mut T,
    pub ldc: usize,
    pub row: usize,
    pub col: usize,
    /// The rows that exist (what the kernel's `ROWS` is, except for thin kernels).
    pub rows: usize,
    /// The lanes of the last vector that exist.
    pub lanes: usize,
    /// Whether C holds the sum over the earlier `k`.
    pub accumulate: bool,
    /// Set for the last block of `k`.
    pub finish: Option<&'a Finish<T>>,
}

/// # Safety
/// The machine has the kernel's instruction set, and the tile keeps its word.
pub(super) type TileFn<T> = unsafe fn(&Tile<'_, T>);

/// The kernels of one element type on one instruction set.
pub(super) struct Kernels<T: 'static> {
    /// The height of a full tile and of a packed panel of A.
    pub mr: usize,
    pub lanes: usize,
    /// `tiles[rows - 1][vectors - 1]`.
    pub tiles: &'static [&'static [TileFn<T>]],
    /// For 1..=8 columns beyond the last whole vector, `thin[columns - 1]`: vectorised along M instead.
    pub thin: &'static [Thin<T>],
}

/// A kernel for few columns: it covers `panels` panels of A at once.
pub(super) struct Thin<T> {
    pub panels: usize,
    pub many: TileFn<T>,
    pub one: TileFn<T>,
}

impl<T> Kernels<T> {
    /// The kernel for the last columns, beyond the last whole vector of `columns`, if there is one.
    pub(super) fn thin(&self, columns: usize) -> Option<&Thin<T>> {
        self.thin.get((columns % self.lanes).wrapping_sub(1))
    }

    /// The width of a full tile and of a packed panel of B.
    pub(super) fn nr(&self) -> usize {
        self.tiles[0].len() * self.lanes
    }
}

/// The sum of products in the order of `k`, a chain for each element, which is added to the sum of the earlier chains: so
/// where an element lies in a tile does not matter.
///
/// # Safety
/// As [`TileFn`], for the instruction set of `V`.
#[inline(always)]
unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(t: &Tile<'_, V::Elem>) {
    for i in 0..ROWS {
        for j in 0..VECTORS {
            V::prefetch(t.c.wrapping_add(i * t.ldc + j * V::LANES));
        }
    }
    // SAFETY: the machine has the instruction set, and the operands are as large as `Tile` says; no pointer but those is
    // read or written.
    unsafe {
        let isa = V::Isa::assume();
        let zero = V::new(isa, V::Elem::default());
        let mut acc = [[zero; VECTORS]; ROWS];
        let mut rows = [t.a; ROWS];
        for i in 0..ROWS {
            rows[i] = t.a.wrapping_add(i * t.a_row);
        }
        let (mut step, mut b) = (0, t.b);
        for _ in 0..t.k {
            let mut bv = [zero; VECTORS];
            for j in 0..VECTORS {
                bv[j] = V::load_at(isa, b.add(j * V::LANES));
                V::prefetch(b.wrapping_add(8 * t.b_step + j * V::LANES));
            }
            for i in 0..ROWS {
                let x = V::new(isa, *rows[i].add(step));
                for j in 0..VECTORS {
                    acc[i][j] = x.mul_add(bv[j], acc[i][j]);
                }
            }
            step += t.a_step;
            // For an operand read in place, the step after the last one points outside of it.
            b = b.wrapping_add(t.b_step);
        }
        if t.accumulate {
            for i in 0..ROWS {
                for j in 0..VECTORS {
                    let n = if j + 1 == VECTORS { t.lanes } else { V::LANES };
                    let earlier = V::load_up_to_at(isa, t.c.add(i * t.ldc + j * V::LANES), n);
                    acc[i][j] = earlier.add(acc[i][j]);
                }
            }
        }
        if let Some(f) = t.finish {
            finish(isa, &mut acc, f, t);
        }
        for i in 0..ROWS {
            for j in 0..VECTORS {
                let n = if j + 1 == VECTORS { t.lanes } else { V::LANES };
                acc[i][j].store_up_to_at(t.c.add(i * t.ldc + j * V::LANES), n);
            }
        }
    }
}

/// Applies the epilogue to the rows of a tile from `t.row` on.
///
/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn finish<V: Vector, const ROWS: usize, const VECTORS: usize>(
    isa: V::Isa,
    acc: &mut [[V; VECTORS]; ROWS],
    f: &Finish<V::Elem>,
    Tile { row, col, ldc, lanes, .. }: &Tile<'_, V::Elem>,
) {
    let lanes_of = |j: usize| if j + 1 == VECTORS { *lanes } else { V::LANES };
    if let Some(alpha) = f.alpha {
        let alpha = V::new(isa, alpha);
        for i in 0..ROWS {
            for j in 0..VECTORS {
                acc[i][j] = acc[i][j].mul(alpha);
            }
        }
    }
    // SAFETY: there is a bias for each row or column of C, and a residual for each element, in its place.
    unsafe {
        if !f.row_bias.is_null() {
            for i in 0..ROWS {
                let bias = V::new(isa, *f.row_bias.add(row + i));
                for j in 0..VECTORS {
                    acc[i][j] = acc[i][j].add(bias);
                }
            }
        }
        if !f.col_bias.is_null() {
            for j in 0..VECTORS {
                let bias = f.col_bias.add(col + j * V::LANES);
                let bias = V::load_up_to_at(isa, bias, lanes_of(j));
                for i in 0..ROWS {
                    acc[i][j] = acc[i][j].add(bias);
                }
            }
        }
        if !f.residual.is_null() {
            let beta = V::new(isa, f.beta);
            for i in 0..ROWS {
                for j in 0..VECTORS {
                    let r = f.residual.add((row + i) * ldc + col + j * V::LANES);
                    let r = V::load_up_to_at(isa, r, lanes_of(j));
                    acc[i][j] = r.mul_add(beta, acc[i][j]);
                }
            }
        }
    }
    if let Some((lo, hi)) = f.limits {
        let (lo, hi) = (V::new(isa, lo), V::new(isa, hi));
        for i in 0..ROWS {
            for j in 0..VECTORS {
                // In this order a NaN stays.
                acc[i][j] = hi.min(lo.max(acc[i][j]));
            }
        }
    }
}

/// `COLS` columns of `PANELS * MR` rows: vectors run along M, where packed A is contiguous.
///
/// # Safety
/// As [`TileFn`], for the instruction set of the vectors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn thin<W: Vector, V: Vector<Elem = W::Elem>, const PANELS: usize, const COLS: usize>(
    t: &Tile<'_, W::Elem>,
) {
    // Column by column in the registers, row by row in C; this is where the two meet.
    let mut rows = [[W::Elem::default(); 16]; 32];
    // SAFETY: the machine has the instruction sets.
    let (narrow, wide) = unsafe { (W::Isa::assume(), V::Isa::assume()) };
    let zero = W::new(narrow, W::Elem::default());
    let mut acc = [[zero; COLS]; PANELS];
    let mut lane = [W::Elem::default(); 16];
    let (mut a, mut b) = (t.a, t.b);
    for _ in 0..t.k {
        // SAFETY: a step of the panels of A, and of the columns of B.
        unsafe {
            let mut av = [zero; PANELS];
            for (p, v) in av.iter_mut().enumerate() {
                *v = W::load_at(narrow, a.add(p * t.panel_stride));
            }
            for j in 0..COLS {
                let x = W::new(narrow, *b.add(j));
                for p in 0..PANELS {
                    acc[p][j] = x.mul_add(av[p], acc[p][j]);
                }
            }
        }
        // The step after the last one may lead out of the operands.
        (a, b) = (a.wrapping_add(W::LANES), b.wrapping_add(t.b_step));
    }
    for p in 0..PANELS {
        for j in 0..COLS {
            acc[p][j].store(&mut lane);
            for i in 0..W::LANES {
                rows[p * W::LANES + i][j] = lane[i];
            }
        }
    }
    for (i, row) in rows.iter().enumerate().take(t.rows) {
        let mut v = [[V::load(wide, row)]];
        // SAFETY: the row and the columns are the tile's.
        unsafe {
            if t.accumulate {
                v[0][0] = V::load_up_to_at(wide, t.c.add(i * t.ldc), COLS).add(v[0][0]);
            }
            if let Some(f) = t.finish {
                finish(wide, &mut v, f, &Tile { row: t.row + i, lanes: COLS, ..*t });
            }
            v[0][0].store_up_to_at(t.c.add(i * t.ldc), COLS);
        }
    }
}

/// `[[f::<1, 1>, f::<1, 2>, …], [f::<2, 1>, …], …]`.
macro_rules! table {
    ($f:ident, [$($rows:literal)*], $vectors:tt) => { &[$(table!(@row $f, $rows, $vectors)),*] };
    (@row $f:ident, $rows:literal, [$($vectors:literal)*]) => { &[$($f::<$rows, $vectors>),*] };
}

/// A kernel for each number of rows and vectors, compiled with the features of an instruction set.
macro_rules! full_kernels {
    ($name:ident, $v:ty $(, $features:ident)?) => {
        full_kernels! { @compile $($features)?
            unsafe fn $name<const ROWS: usize, const VECTORS: usize>(
                t: &Tile<'_, <$v as Arithmetic>::Elem>,
            ) {
                // SAFETY: kernels of the table are called as `tile` may be: with readable operands and a writable part of C, on a
                // machine with the features that this function is compiled for.
                unsafe { tile::<$v, ROWS, VECTORS>(t) }
            }
        }
    };
    (@compile unsafe $($function:tt)*) => { unsafe $($function)* };
    (@compile $features:ident $($function:tt)*) => { trident_simd::$features! { $($function)* } };
}

#[cfg(target_arch = "x86_64")]
macro_rules! thin_kernels {
    ($name:ident, $w:ty, $v:ty) => {
        trident_simd::avx512! {
            unsafe fn $name<const PANELS: usize, const COLS: usize>(
                t: &Tile<'_, <$v as Arithmetic>::Elem>,
            ) {
                // SAFETY: kernels of the table are called as `thin` may be: with readable operands and a writable part of C, on a
                // machine with AVX-512, for which this function is compiled.
                unsafe { thin::<$w, $v, PANELS, COLS>(t) }
            }
        }
    };
    (table $name:ident) => {
        &[
            Thin { panels: 4, many: $name::<4, 1>, one: $name::<1, 1> },
            Thin { panels: 4, many: $name::<4, 2>, one: $name::<1, 2> },
            Thin { panels: 4, many: $name::<4, 3>, one: $name::<1, 3> },
            Thin { panels: 4, many: $name::<4, 4>, one: $name::<1, 4> },
            Thin { panels: 2, many: $name::<2, 5>, one: $name::<1, 5> },
            Thin { panels: 2, many: $name::<2, 6>, one: $name::<1, 6> },
            Thin { panels: 2, many: $name::<2, 7>, one: $name::<1, 7> },
            Thin { panels: 2, many: $name::<2, 8>, one: $name::<1, 8> },
        ]
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    full_kernels!(f32_avx512, F32x16, avx512);
    full_kernels!(f64_avx512, F64x8, avx512);
    thin_kernels!(f32_thin, F32x8, F32x16);
    thin_kernels!(f64_thin, F64x8, F64x8);
    full_kernels!(f32_avx2, F32x8, avx2);
    full_kernels!(f64_avx2, F64x4, avx2);

    pub(super) static F32_AVX512: Kernels<f32> = Kernels {
        mr: 8,
        lanes: 16,
        tiles: table!(f32_avx512, [1 2 3 4 5 6 7 8], [1 2 3]),
        thin: thin_kernels!(table f32_thin),
    };
    pub(super) static F64_AVX512: Kernels<f64> = Kernels {
        mr: 8,
        lanes: 8,
        tiles: table!(f64_avx512, [1 2 3 4 5 6 7 8], [1 2 3]),
        thin: thin_kernels!(table f64_thin),
    };
    pub(super) static F32_AVX2: Kernels<f32> =
        Kernels { mr: 6, lanes: 8, tiles: table!(f32_avx2, [1 2 3 4 5 6], [1 2]), thin: &[] };
    pub(super) static F64_AVX2: Kernels<f64> =
        Kernels { mr: 6, lanes: 4, tiles: table!(f64_avx2, [1 2 3 4 5 6], [1 2]), thin: &[] };
}

// 4 × 8 for the 16 registers of SSE2; AArch64 has 32 and takes twice the rows.
#[cfg(not(target_arch = "aarch64"))]
mod portable {
    use super::*;
    full_kernels!(f32_portable, Lanes<f32, 4>);
    full_kernels!(f64_portable, Lanes<f64, 2>);
    pub(super) static F32: Kernels<f32> =
        Kernels { mr: 4, lanes: 4, tiles: table!(f32_portable, [1 2 3 4], [1 2]), thin: &[] };
    pub(super) static F64: Kernels<f64> =
        Kernels { mr: 4, lanes: 2, tiles: table!(f64_portable, [1 2 3 4], [1 2]), thin: &[] };
}
#[cfg(target_arch = "aarch64")]
mod portable {
    use super::*;
    full_kernels!(f32_portable, Lanes<f32, 4>);
    full_kernels!(f64_portable, Lanes<f64, 2>);
    pub(super) static F32: Kernels<f32> = Kernels {
        mr: 8,
        lanes: 4,
        tiles: table!(f32_portable, [1 2 3 4 5 6 7 8], [1 2]),
        thin: &[],
    };
    pub(super) static F64: Kernels<f64> = Kernels {
        mr: 8,
        lanes: 2,
        tiles: table!(f64_portable, [1 2 3 4 5 6 7 8], [1 2]),
        thin: &[],
    };
}

pub(super) fn f32_kernels(isa: Isa) -> &'static Kernels<f32> {
    match isa.kind() {
        #[cfg(target_arch = "x86_64")]
        IsaToken::Avx512(_) => &x86::F32_AVX512,
        #[cfg(target_arch = "x86_64")]
        IsaToken::Avx2(_) => &x86::F32_AVX2,
        IsaToken::Portable(_) => &portable::F32,
    }
}

pub(super) fn f64_kernels(isa: Isa) -> &'static Kernels<f64> {
    match isa.kind() {
        #[cfg(target_arch = "x86_64")]
        IsaToken::Avx512(_) => &x86::F64_AVX512,
        #[cfg(target_arch = "x86_64")]
        IsaToken::Avx2(_) => &x86::F64_AVX2,
        IsaToken::Portable(_) => &portable::F64,
    }
}
