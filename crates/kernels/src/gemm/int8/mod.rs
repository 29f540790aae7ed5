//! Products of 8-bit matrices with 32-bit sums: `C = finish(Σ (a - a_zero) (b - b_zero))`.
//!
//! Sums are exact modulo 2³², as the operators that need them define. Zero points cost no multiplication in the inner
//! loop: they are subtracted at the end by means of the sums of A's rows and B's columns (Jacob et al., "Quantization
//! and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference", 2018, section 2.3).

mod finish;
mod pack;
mod runs;
mod tile;

pub use finish::{Along, Output8};
pub use pack::{PackedA8, PackedB8, Signs};

use std::ops::Range;

use super::driver::{Grid, MIN_PARALLEL};
use super::packed::panels_len;
use super::{GemmShape, Source};
use crate::aligned::Scratch;
use crate::disjoint::Disjoint;
use crate::threads::{Threads, checkpoint};
pub(crate) use finish::Row;
use pack::{Packer, RawBytes, Side};
use tile::{Kernels, MAX_COLUMNS, MAX_ROWS};
use trident_simd::Isa;

/// The bytes of B that stay in the second-level cache.
const B_BLOCK: usize = 384 << 10;
/// 8-bit products do about four times as many multiplications in a time.
const SERIAL: usize = 4 * MIN_PARALLEL;

/// The left operand; its raw bytes are `i8` or `u8` as [`Signs`] says.
#[derive(Clone, Copy)]
pub enum Lhs8<'a> {
    /// Packed before, for the same instruction set and signs.
    Packed(&'a PackedA8),
    /// Packed by the product.
    Source(&'a dyn Source<u8>),
}

/// The right operand; its raw bytes are `i8` or `u8` as [`Signs`] says.
#[derive(Clone, Copy)]
pub enum Rhs8<'a> {
    /// Packed before, for the same instruction set and signs.
    Packed(&'a PackedB8),
    /// Packed by the product, block by block.
    Source(&'a dyn Source<u8>),
    /// Words of four bytes of consecutive `k`, in the order of memory, packed by the product: a step of the source is a word,
    /// and `k` is a multiple of 4.
    Fours(&'a dyn Source<i32>),
}

/// Zero points and what follows a sum. An [`Output8`] type says which of it applies.
#[derive(Clone, Copy, Debug)]
pub struct Epilogue8<'a> {
    /// A's zero point, or one per row.
    pub a_zero: Along<'a, i32>,
    /// B's zero point, or one per column.
    pub b_zero: Along<'a, i32>,
    /// Added to the sum.
    pub bias: Along<'a, i32>,
    /// The factor from sum to result.
    pub scale: Along<'a, f32>,
    /// The result's zero point.
    pub zero: i32,
    /// The limits of the result (a fused activation), within its type's own.
    pub limits: (i32, i32),
    /// Whether four rows of C are interleaved: `m / 4 × n × 4` instead of `m × n`. Then columns have no bias, scale or zero
    /// point of their own.
    pub interleaved: bool,
}

impl Epilogue8<'_> {
    /// Whether a parameter differs from column to column.
    fn has_columns(&self) -> bool {
        matches!(self.b_zero, Along::Columns(_))
            || matches!(self.bias, Along::Columns(_))
            || matches!(self.scale, Along::Columns(_))
    }

    /// Whether the sums of B's columns are needed, of which a row's zero point takes away a multiple.
    fn needs_column_sums(&self, a_shift: i32) -> bool {
        let zero = |zero: i32| zero.wrapping_add(a_shift) == 0;
        match self.a_zero {
            Along::One(z) => !zero(z),
            Along::Rows(zeros) => !zeros.iter().all(|z| zero(*z)),
            Along::Columns(_) => !zero(0),
        }
    }
}

impl Default for Epilogue8<'_> {
    fn default() -> Self {
        Self {
            a_zero: Along::One(0),
            b_zero: Along::One(0),
            bias: Along::One(0),
            scale: Along::One(1.0),
            zero: 0,
            limits: (i32::MIN, i32::MAX),
            interleaved: false,
        }
    }
}

/// The width of a packed panel of B.
pub(crate) fn panel_columns(isa: Isa) -> usize {
    Kernels::of(isa).nr()
}

/// `C = finish(A · B)`; `c` is row-major, or interleaved as the epilogue says, and is overwritten. Panics if an operand is smaller
/// than `shape` says, or if `m` or `k` is not a multiple of 4 where four of them belong together.
#[allow(clippy::too_many_arguments)]
pub fn gemm8<O: Output8>(
    threads: &Threads,
    isa: Isa,
    signs: Signs,
    shape: GemmShape,
    a: Lhs8<'_>,
    b: Rhs8<'_>,
    epilogue: &Epilogue8<'_>,
    c: &mut [O],
) {
    let GemmShape { m, n, k } = shape;
    assert!(m.checked_mul(n) == Some(c.len()), "a product of {m} × {n} into {} elements", c.len());
    assert!(
        !epilogue.interleaved || m.is_multiple_of(4) && !epilogue.has_columns(),
        "{m} rows to interleave by four, by {epilogue:?}"
    );
    if m == 0 || n == 0 {
        return;
    }
    let kernels = Kernels::of(isa);
    let serial = Threads::new(1);
    let small = m.saturating_mul(n).saturating_mul(k.max(1)) < SERIAL;
    let threads = if small { &serial } else { threads };
    let (mr, nr) = (kernels.mr, kernels.nr());
    // Four rows to interleave are in one unit of panels.
    let unit = if epilogue.interleaved && !mr.is_multiple_of(4) { 2 } else { 1 };
    let grid = Grid::new(threads.count(), 1, shape, unit * mr, nr);
    let summed = epilogue.needs_column_sums(signs.shifts(kernels.words)[0]);
    let left = |source| Packer::new(isa, signs, Side::A, RawBytes::Single(source), k, true);
    let right = |bytes| Packer::new(isa, signs, Side::B, bytes, k, summed);
    let depth = k.div_ceil(kernels.words.steps());
    let (mut own_a, mut own_b) = (None, None);
    let fits = |p: &pack::Panels, outer: usize| {
        assert!(
            p.isa == isa && p.signs == signs && p.outer == outer && p.k == k,
            "packed for another product"
        );
    };
    let (a_words, a_sums) = match a {
        Lhs8::Packed(a) => {
            fits(&a.0, m);
            (&a.0.words[..], &a.0.sums[..])
        }
        Lhs8::Source(source) => {
            own_a.insert(Packed::new(threads, &left(source), m, depth, mr)).parts()
        }
    };
    let b = match b {
        Rhs8::Packed(b) => {
            fits(&b.0, n);
            Right::Packed(&b.0.words, &b.0.sums)
        }
        Rhs8::Source(source) => Right::Source(right(RawBytes::Single(source))),
        Rhs8::Fours(source) => {
            assert!(k.is_multiple_of(4), "{k} steps in words of four");
            Right::Source(right(RawBytes::Fours(source)))
        }
    };
    // Tasks that share columns pack them once.
    let b = match b {
        Right::Source(packer) if grid.rows > 1 => {
            let (words, sums) = own_b.insert(Packed::new(threads, &packer, n, depth, nr)).parts();
            Right::Packed(words, sums)
        }
        b => b,
    };
    let product = Product { isa, kernels, signs, shape, unit, a_words, a_sums, b, epilogue };
    let c = Disjoint::new(c);
    threads.run(grid.tasks(), |i| {
        let (units, columns) = grid.task(i);
        // SAFETY: the grid's tasks are different parts of C, and each comes once.
        unsafe { product.block(units, columns, &c) }
    });
}

/// An operand that the product packed for itself.
struct Packed {
    words: Scratch<i32>,
    sums: Scratch<i32>,
}

impl Packed {
    fn new(
        threads: &Threads,
        packer: &Packer<'_>,
        outer: usize,
        depth: usize,
        width: usize,
    ) -> Self {
        let (panels, size) = (outer.div_ceil(width), depth * width);
        let len = panels_len(outer, depth, width);
        let (mut words, mut sums) =
            (Scratch::<i32>::take(len), Scratch::<i32>::take(panels * width));
        let parts = Disjoint::new(&mut words);
        threads.for_chunks_mut(&mut sums, width, |i, sums| {
            // SAFETY: panel `i` has these words to itself.
            let words = unsafe { parts.part(i * size..(i + 1) * size) };
            packer.panel(i * width..outer.min((i + 1) * width), words, sums);
        });
        Self { words, sums }
    }

    fn parts(&self) -> (&[i32], &[i32]) {
        (&self.words, &self.sums)
    }
}

enum Right<'a> {
    Packed(&'a [i32], &'a [i32]),
    Source(Packer<'a>),
}

struct Product<'a> {
    isa: Isa,
    kernels: &'static Kernels,
    signs: Signs,
    shape: GemmShape,
    /// The panels of A that are finished together.
    unit: usize,
    a_words: &'a [i32],
    a_sums: &'a [i32],
    b: Right<'a>,
    epilogue: &'a Epilogue8<'a>,
}

impl Product<'_> {
    /// # Safety
    /// Nothing else touches this part of C meanwhile.
    unsafe fn block<O: Output8>(
        &self,
        units: Range<usize>,
        columns: Range<usize>,
        c: &Disjoint<'_, O>,
    ) {
        let GemmShape { m, n, k } = self.shape;
        let (mr, nr) = (self.kernels.mr, self.kernels.nr());
        let depth = k.div_ceil(self.kernels.words.steps());
        let tiles =
            if self.signs.signed_a() { self.kernels.signed_a } else { self.kernels.unsigned_a };
        let chunk = (B_BLOCK / 4 / depth.max(1) / nr).max(1);
        let panels = columns.start / nr..columns.end.div_ceil(nr);
        let (mut words, mut sums) = match self.b {
            Right::Packed(..) => (Scratch::take(0), Scratch::take(0)),
            Right::Source(_) => (Scratch::take(chunk * nr * depth), Scratch::take(chunk * nr)),
        };
        let mut tile = [0i32; MAX_ROWS * MAX_COLUMNS];
        for first in panels.clone().step_by(chunk) {
            if first > panels.start {
                checkpoint();
            }
            let some = first..panels.end.min(first + chunk);
            let (b_words, b_sums): (&[i32], &[i32]) = match &self.b {
                Right::Packed(words, sums) => (&words[first * nr * depth..], &sums[first * nr..]),
                Right::Source(packer) => {
                    for (i, j) in some.clone().enumerate() {
                        let words = &mut words[i * nr * depth..(i + 1) * nr * depth];
                        let sums = &mut sums[i * nr..(i + 1) * nr];
                        packer.panel(j * nr..n.min((j + 1) * nr), words, sums);
                    }
                    (&words, &sums)
                }
            };
            for i in units.clone() {
                let rows = i * self.unit * mr..m.min((i + 1) * self.unit * mr);
                for j in some.clone() {
                    let columns = j * nr..columns.end.min((j + 1) * nr);
                    let vectors = columns.len().div_ceil(self.kernels.lanes);
                    let b = &b_words[(j - first) * nr * depth..][..nr * depth];
                    let tiles_of = rows.clone().step_by(mr).zip(tile.chunks_mut(mr * MAX_COLUMNS));
                    for (row, tile) in tiles_of {
                        let a = &self.a_words[row * depth..][..mr * depth];
                        let kernel = tiles[mr.min(rows.end - row) - 1][vectors - 1];
                        assert!(tile.len() == mr * MAX_COLUMNS, "a tile without its sums");
                        // SAFETY: `Kernels::of` gave kernels that the machine can run; the panels hold `depth` words for each
                        // row and column, and the tile has all rows of a panel.
                        unsafe { kernel(depth, a.as_ptr(), b.as_ptr(), tile.as_mut_ptr()) };
                    }
                    let sums = &b_sums[(j - first) * nr..][..columns.len()];
                    // SAFETY: these rows and columns are part of the task's own part of C.
                    unsafe { self.finish(rows.clone(), columns, sums, &mut tile, c) };
                }
            }
        }
    }

    /// Writes a tile of sums to C.
    ///
    /// # Safety
    /// Nothing else touches these rows and columns of C meanwhile.
    unsafe fn finish<O: Output8>(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        column_sums: &[i32],
        tile: &mut [i32],
        c: &Disjoint<'_, O>,
    ) {
        let GemmShape { n, k, .. } = self.shape;
        let [a_shift, b_shift] = self.signs.shifts(self.kernels.words);
        let (col, width) = (columns.start, columns.len());
        let row =
            |row: usize| Row { row, col, k, sum: self.a_sums[row], column_sums, a_shift, b_shift };
        if self.epilogue.interleaved {
            for (first, sums) in rows.step_by(4).zip(tile.chunks_exact_mut(4 * MAX_COLUMNS)) {
                let at = first * n + 4 * col;
                // SAFETY: four rows that are a multiple of four lie in these columns of C, and are the caller's.
                let c = unsafe { c.part(at..at + 4 * width) };
                let rows = std::array::from_fn(|r| row(first + r));
                O::finish_four(self.isa, &rows, self.epilogue, sums, c);
            }
            return;
        }
        for (r, sums) in rows.zip(tile.chunks_exact_mut(MAX_COLUMNS)) {
            let at = r * n + col;
            // SAFETY: this row of the tile is the caller's.
            let c = unsafe { c.part(at..at + width) };
            O::finish(self.isa, &row(r), self.epilogue, &mut sums[..width], c);
        }
    }
}

#[cfg(test)]
mod tests;
