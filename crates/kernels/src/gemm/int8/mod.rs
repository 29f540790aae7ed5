//! Products of 8-bit matrices with 32-bit sums: `C = finish(Σ (a - a_zero) (b - b_zero))`.
//!
//! Sums are exact modulo 2³², as the operators that need them define. Zero points cost no multiplication inside: they
//! are taken away at the end by means of the sums of A's rows and B's columns (Jacob et al., "Quantization and Training of
//! Neural Networks for Efficient Integer-Arithmetic-Only Inference", 2018, section 2.3).

mod finish;
mod pack;
mod tile;

pub use finish::{Along, Output8};
pub use pack::{PackedA8, PackedB8, Signs};

use std::ops::Range;

use super::driver::{Grid, MIN_PARALLEL};
use super::packed::panels_len;
use super::{GemmShape, Source};
use crate::aligned::Scratch;
use crate::disjoint::Disjoint;
use crate::threads::Threads;
pub(crate) use finish::Row;
use pack::{Side, pack_panel};
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
        }
    }
}

/// The width of a packed panel of B.
pub(crate) fn panel_columns(isa: Isa) -> usize {
    Kernels::of(isa).nr()
}

/// `C = finish(A · B)`; `c` is row-major and is overwritten. Panics if an operand is smaller than `shape` says.
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
    if m == 0 || n == 0 {
        return;
    }
    let kernels = Kernels::of(isa);
    let serial = Threads::new(1);
    let small = m.saturating_mul(n).saturating_mul(k.max(1)) < SERIAL;
    let threads = if small { &serial } else { threads };
    let (mr, nr) = (kernels.mr, kernels.nr());
    let grid = Grid::new(threads.count(), 1, m.div_ceil(mr), n, nr);
    let pack = |side: Side, source: &dyn Source<u8>| match side {
        Side::A => Packed::new(threads, isa, signs, side, source, m, k, mr),
        Side::B => Packed::new(threads, isa, signs, side, source, n, k, nr),
    };
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
        Lhs8::Source(source) => own_a.insert(pack(Side::A, source)).parts(),
    };
    let b = match b {
        Rhs8::Packed(b) => {
            fits(&b.0, n);
            Right::Packed(&b.0.words, &b.0.sums)
        }
        Rhs8::Source(source) if grid.rows > 1 => {
            let (words, sums) = own_b.insert(pack(Side::B, source)).parts();
            Right::Packed(words, sums)
        }
        Rhs8::Source(source) => Right::Source(source),
    };
    let product = Product { isa, kernels, signs, shape, a_words, a_sums, b, epilogue };
    let c = Disjoint::new(c);
    threads.run(grid.tasks(), |i| {
        let (panels, columns) = grid.task(i);
        // SAFETY: the grid's tasks are different parts of C, and each comes once.
        unsafe { product.block(panels, columns, &c) }
    });
}

/// An operand that the product packed for itself.
struct Packed {
    words: Scratch<i32>,
    sums: Scratch<i32>,
}

impl Packed {
    #[allow(clippy::too_many_arguments)]
    fn new(
        threads: &Threads,
        isa: Isa,
        signs: Signs,
        side: Side,
        source: &dyn Source<u8>,
        outer: usize,
        k: usize,
        width: usize,
    ) -> Self {
        let kernels = Kernels::of(isa);
        let (panels, depth) = (outer.div_ceil(width), k.div_ceil(kernels.words.steps()));
        let (len, size) = (panels_len(outer, depth, width), depth * width);
        let (mut words, mut sums) =
            (Scratch::<i32>::take(len), Scratch::<i32>::take(panels * width));
        let parts = Disjoint::new(&mut words);
        threads.for_chunks_mut(&mut sums, width, |i, sums| {
            // SAFETY: panel `i` has these words to itself.
            let words = unsafe { parts.part(i * size..(i + 1) * size) };
            pack_panel(
                isa,
                kernels,
                signs,
                side,
                source,
                i * width..outer.min((i + 1) * width),
                k,
                words,
                sums,
            );
        });
        Self { words, sums }
    }

    fn parts(&self) -> (&[i32], &[i32]) {
        (&self.words, &self.sums)
    }
}

enum Right<'a> {
    Packed(&'a [i32], &'a [i32]),
    Source(&'a dyn Source<u8>),
}

struct Product<'a> {
    isa: Isa,
    kernels: &'static Kernels,
    signs: Signs,
    shape: GemmShape,
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
        row_panels: Range<usize>,
        columns: Range<usize>,
        c: &Disjoint<'_, O>,
    ) {
        let GemmShape { m, n, k } = self.shape;
        let (mr, nr) = (self.kernels.mr, self.kernels.nr());
        let depth = k.div_ceil(self.kernels.words.steps());
        let tiles =
            if self.signs.signed_a() { self.kernels.signed_a } else { self.kernels.unsigned_a };
        let [a_shift, b_shift] = self.signs.shifts(self.kernels.words);
        let chunk = (B_BLOCK / 4 / depth.max(1) / nr).max(1);
        let panels = columns.start / nr..columns.end.div_ceil(nr);
        let (mut words, mut sums) = match self.b {
            Right::Packed(..) => (Scratch::take(0), Scratch::take(0)),
            Right::Source(_) => (Scratch::take(chunk * nr * depth), Scratch::take(chunk * nr)),
        };
        let mut tile = [0i32; MAX_ROWS * MAX_COLUMNS];
        for first in panels.clone().step_by(chunk) {
            let some = first..panels.end.min(first + chunk);
            let (b_words, b_sums): (&[i32], &[i32]) = match self.b {
                Right::Packed(words, sums) => (&words[first * nr * depth..], &sums[first * nr..]),
                Right::Source(source) => {
                    for (i, j) in some.clone().enumerate() {
                        let words = &mut words[i * nr * depth..(i + 1) * nr * depth];
                        let sums = &mut sums[i * nr..(i + 1) * nr];
                        let outer = j * nr..n.min((j + 1) * nr);
                        pack_panel(
                            self.isa,
                            self.kernels,
                            self.signs,
                            Side::B,
                            source,
                            outer,
                            k,
                            words,
                            sums,
                        );
                    }
                    (&words, &sums)
                }
            };
            for i in row_panels.clone() {
                let a = &self.a_words[i * mr * depth..(i + 1) * mr * depth];
                let rows = mr.min(m - i * mr);
                for j in some.clone() {
                    let col = j * nr;
                    let width = nr.min(columns.end - col);
                    let kernel = tiles[rows - 1][width.div_ceil(self.kernels.lanes) - 1];
                    let b = &b_words[(j - first) * nr * depth..][..nr * depth];
                    // SAFETY: `Kernels::of` gave kernels that the machine can run; the panels hold `depth` words for each row
                    // and column, and the tile is large enough for all kernels.
                    unsafe { kernel(depth, a.as_ptr(), b.as_ptr(), tile.as_mut_ptr()) };
                    let column_sums = &b_sums[(j - first) * nr..][..width];
                    for (r, sums) in tile.chunks_exact_mut(MAX_COLUMNS).enumerate().take(rows) {
                        let row = i * mr + r;
                        let row = Row {
                            row,
                            col,
                            k,
                            sum: self.a_sums[row],
                            column_sums,
                            a_shift,
                            b_shift,
                        };
                        let at = row.row * n + col;
                        // SAFETY: this row of the tile is the task's own part of C.
                        let c = unsafe { c.part(at..at + width) };
                        O::finish(self.isa, &row, self.epilogue, &mut sums[..width], c);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
