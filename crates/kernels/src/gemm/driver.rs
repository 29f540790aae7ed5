//! Blocking and the partition over threads.

use std::ops::Range;

use trident_simd::Isa;

use super::packed::panels_len;
use super::tile::{Finish, Kernels, Tile};
use super::{Epilogue, GemmShape, Lhs, Rhs, Scalar, Source};
use crate::aligned::Scratch;
use crate::disjoint::Rows;
use crate::threads::{Threads, checkpoint};
use crate::unary::UnaryFunction;

/// The longest block of `k`: with it a panel of A takes 9 KiB, a third of the first-level cache.
const K_BLOCK: usize = 288;
/// The most products that are summed by one chain of multiply-adds. Rounding errors grow with the length of a chain: with
/// twice the length sums of thousands of products are 1.3 times less exact, and with half of it hardly more exact.
const CHAIN: usize = K_BLOCK / 2;
/// The bytes of B that stay in the second-level cache.
const B_BLOCK: usize = 384 << 10;
/// The bytes of A that stay in the second-level cache while a panel of B stays in the first.
const A_BLOCK: usize = 192 << 10;
/// The most bytes of B kept in the first-level cache. If a panel of B is larger, a panel of A is kept there instead.
const B_PANEL: usize = 20 << 10;
/// Products below this number of multiply-adds are not worth waking a thread for.
pub(super) const MIN_PARALLEL: usize = 1 << 17;

/// Where the panels of B come from.
enum Panels<'a, T> {
    /// Packed over all of `k`.
    Packed(*const T),
    /// Packed by each block for itself.
    Source(&'a dyn Source<T>),
    /// Read in place, `step` elements from one `k` to the next.
    InPlace { data: &'a [T], step: usize, source: &'a dyn Source<T> },
}

/// The source of the rows of A: element `(r, p)` of a panel is `r * row + p * step` after its start.
#[derive(Clone, Copy)]
struct Left<T> {
    data: *const T,
    row: usize,
    step: usize,
    /// The distance of two panels.
    panel: usize,
}

struct Product<'a, T: 'static> {
    kernels: &'static Kernels<T>,
    isa: Isa,
    shape: GemmShape,
    a: Left<T>,
    b: Panels<'a, T>,
    c: *mut T,
    ldc: usize,
    finish: Finish<T>,
    /// An activation that is more than limits, applied to each finished tile.
    activation: Option<UnaryFunction>,
}

// SAFETY: the pointers are to operands that nobody writes while the product runs, and to C, of which each task writes its
// own part.
unsafe impl<T> Sync for Product<'_, T> {}

/// One product of a batch.
pub struct Item<'a, T> {
    /// The left operand.
    pub a: Lhs<'a, T>,
    /// The right operand.
    pub b: Rhs<'a, T>,
    /// The epilogue of the sums.
    pub epilogue: Epilogue<'a, T>,
    /// Where its `m` rows of `n` elements go; rows of the residual are as far apart.
    pub c: Rows<'a, T>,
}

/// Computes a product on this thread. Panics as [`gemm`](super::gemm).
pub fn product<T: Scalar>(isa: Isa, shape: GemmShape, item: Item<'_, T>) {
    if shape.m > 0 && shape.n > 0 {
        let serial = Threads::new(1);
        let prepared = Prepared::new(&serial, isa, shape, item, 1);
        // SAFETY: the tasks of a grid are different parts of C, and each comes once.
        serial.run(prepared.grid.tasks(), |i| unsafe { prepared.task(i) });
    }
}

/// Computes `count` products of one shape; each item is asked for once.
pub(crate) fn products<'a, T: Scalar>(
    threads: &Threads,
    isa: Isa,
    shape: GemmShape,
    count: usize,
    item: impl Fn(usize) -> Item<'a, T> + Sync,
) {
    let GemmShape { m, n, k } = shape;
    if m == 0 || n == 0 {
        return;
    }
    let serial = Threads::new(1);
    let work = m.saturating_mul(n).saturating_mul(k.max(1)).saturating_mul(count);
    let threads = if work < MIN_PARALLEL { &serial } else { threads };
    // Whole products per thread share nothing; if there are few, each is split.
    let many = threads.count() == 1
        || count.is_multiple_of(threads.count())
        || count >= 8 * threads.count();
    if many {
        threads.run(count, |i| product(isa, shape, item(i)));
    } else {
        let prepared: Vec<_> =
            (0..count).map(|i| Prepared::new(threads, isa, shape, item(i), count)).collect();
        let tasks = prepared.first().map_or(0, |p| p.grid.tasks());
        threads.run(count * tasks, |i| {
            // SAFETY: the tasks of a grid are different parts of an item's C, and each comes once.
            unsafe { prepared[i / tasks].task(i % tasks) };
        });
    }
}

/// A product with its operands in place, and the memory that it packed them into.
struct Prepared<'a, T: Scalar> {
    product: Product<'a, T>,
    grid: Grid,
    _packed: [Option<Scratch<T>>; 2],
}

impl<'a, T: Scalar> Prepared<'a, T> {
    fn new(threads: &Threads, isa: Isa, shape: GemmShape, item: Item<'a, T>, count: usize) -> Self {
        let kernels = T::kernels(isa);
        let (mr, nr) = (kernels.mr, kernels.nr());
        let GemmShape { m, n, k } = shape;
        let Item { a, b, epilogue, c } = item;
        let (c, ldc) = c.of(m, n);
        // Besides the panels' sizes, the kernels' pointers rely on this.
        let fits = |list: Option<&[T]>, len: usize| list.is_none_or(|list| list.len() >= len);
        assert!(
            fits(epilogue.row_bias, m)
                && fits(epilogue.col_bias, n)
                && fits(epilogue.residual, (m - 1) * ldc + n),
            "an operand of the epilogue is smaller than a product of {m} × {n}"
        );
        let grid = Grid::new(threads.count(), count, shape, mr, nr);
        let mut packed = [None, None];
        let [a_packed, b_packed] = &mut packed;
        let panels = |data: *const T| Left { data, row: 1, step: mr, panel: k * mr };
        let a = match a {
            Lhs::Packed(a) => {
                assert!(
                    a.0.isa == isa && a.0.outer == m && a.0.k == k,
                    "A was packed for another product"
                );
                panels(a.0.data.as_ptr())
            }
            Lhs::Source(source) => match source.runs() {
                Some((data, row)) if !collide::<T>(row) && kernels.thin(n).is_none() => {
                    let end = (m - 1).checked_mul(row).and_then(|at| at.checked_add(k));
                    assert!(k == 0 || end.is_some_and(|end| end <= data.len()), "A is too small");
                    Left { data: data.as_ptr(), row, step: 1, panel: row * mr }
                }
                _ => panels(a_packed.insert(pack_all(threads, source, m, k, mr)).as_ptr()),
            },
        };
        let b = match b {
            Rhs::Packed(b) => {
                assert!(
                    b.0.isa == isa && b.0.outer == n && b.0.k == k,
                    "B was packed for another product"
                );
                Panels::Packed(b.0.data.as_ptr())
            }
            Rhs::Source(source) => match source.in_place() {
                // Packing pays only if the panels are used several times.
                Some((data, step)) if m <= 2 * mr => {
                    let end =
                        k.saturating_sub(1).checked_mul(step).and_then(|at| at.checked_add(n));
                    assert!(k == 0 || end.is_some_and(|end| end <= data.len()), "B is too small");
                    Panels::InPlace { data, step, source }
                }
                _ if grid.rows > 1 => {
                    Panels::Packed(b_packed.insert(pack_all(threads, source, n, k, nr)).as_ptr())
                }
                _ => Panels::Source(source),
            },
        };
        let pointer = |s: Option<&[T]>| s.map_or(std::ptr::null(), <[T]>::as_ptr);
        let limits = T::limits(epilogue.activation);
        let plain = limits.is_some() || epilogue.activation == UnaryFunction::None;
        let product = Product {
            kernels,
            isa,
            shape,
            a,
            b,
            c,
            ldc,
            finish: Finish {
                alpha: (epilogue.alpha != T::ONE).then_some(epilogue.alpha),
                row_bias: pointer(epilogue.row_bias),
                col_bias: pointer(epilogue.col_bias),
                residual: pointer(epilogue.residual),
                beta: epilogue.beta,
                limits,
            },
            activation: (!plain).then_some(epilogue.activation),
        };
        Self { product, grid, _packed: packed }
    }

    /// Runs task `i` of the grid.
    ///
    /// # Safety
    /// Nothing else touches this part of C meanwhile.
    unsafe fn task(&self, i: usize) {
        let (panels, columns) = self.grid.task(i);
        // SAFETY: nothing else touches this part of C, which this function requires too. The operands are as large as the shape says, which
        // `new` has checked.
        unsafe { self.product.block(panels, columns) }
    }
}

/// Whether rows of A at this distance compete for the same set of the first-level cache. Sets repeat every 4 KiB, and have at
/// least 8 ways.
fn collide<T>(row: usize) -> bool {
    const SETS: usize = 4096;
    const LINE: usize = 64;
    let apart = (row * size_of::<T>()) % SETS;
    apart.min(SETS - apart) < 2 * LINE
}

/// The products of each chain of a sum but the last one, at least 4. They follow from `k` alone, so that results depend
/// neither on the form of the operands nor on the number of threads.
fn chain_length(k: usize) -> usize {
    k.div_ceil(k.div_ceil(CHAIN).max(1)).next_multiple_of(4).max(4)
}

/// Packs a whole operand.
fn pack_all<T: Scalar>(
    threads: &Threads,
    source: &dyn Source<T>,
    outer: usize,
    k: usize,
    width: usize,
) -> Scratch<T> {
    let mut scratch = Scratch::take(panels_len(outer, k, width));
    threads.for_chunks_mut(&mut scratch, (width * k).max(1), |i, panel| {
        source.pack(i * width..outer.min((i + 1) * width), 0..k, width, panel);
    });
    scratch
}

/// The most multiplications of one task, about a tenth of a second: a run can stop between tasks.
const MOST_WORK: usize = 1 << 30;

/// The partition of C: `rows × columns` tasks of whole tiles. It decides who computes a tile, never how.
pub(super) struct Grid {
    pub(super) rows: usize,
    columns: usize,
    row_panels: usize,
    n: usize,
    nr: usize,
}

impl Grid {
    /// A partition of one of `items` products, into panels of `mr` rows and of `nr` columns.
    pub(super) fn new(
        threads: usize,
        items: usize,
        shape: GemmShape,
        mr: usize,
        nr: usize,
    ) -> Self {
        let GemmShape { m, n, k } = shape;
        let row_panels = m.div_ceil(mr);
        // A narrow last panel is little work and goes with the one before it.
        let units = ((n + nr / 2) / nr).max(1);
        let least = m.saturating_mul(n).saturating_mul(k).div_ceil(MOST_WORK).max(1);
        let want = if threads == 1 { 1 } else { (4 * threads).div_ceil(items) }.max(least);
        let columns = units.min(want);
        let is_uneven = columns < want && !columns.is_multiple_of(threads);
        let rows = if is_uneven || columns < threads.max(least) {
            row_panels.min(want.div_ceil(columns)).max(1)
        } else {
            1
        };
        Self { rows, columns, row_panels, n, nr }
    }

    pub(super) fn tasks(&self) -> usize {
        self.rows * self.columns
    }

    /// The panels of rows and the columns of task `i`.
    pub(super) fn task(&self, i: usize) -> (Range<usize>, Range<usize>) {
        let (r, c) = (i % self.rows, i / self.rows);
        let row = |r: usize| r * self.row_panels / self.rows;
        let units = ((self.n + self.nr / 2) / self.nr).max(1);
        let column =
            |c: usize| if c == self.columns { self.n } else { c * units / self.columns * self.nr };
        (row(r)..row(r + 1), column(c)..column(c + 1))
    }
}

impl<T: Scalar> Product<'_, T> {
    /// Computes the part of C in the given panels of rows and columns (starting at a panel of B).
    ///
    /// # Safety
    /// Nothing else touches this part of C meanwhile.
    unsafe fn block(&self, row_panels: Range<usize>, columns: Range<usize>) {
        let k = self.shape.k;
        let nr = self.kernels.nr();
        // With one panel of rows nothing of B is used twice, and the longest runs are best.
        let chain = chain_length(k);
        let most = if row_panels.len() == 1 { usize::MAX } else { K_BLOCK };
        let k_block = (most / chain * chain).min(k.next_multiple_of(chain));
        let chunk = (B_BLOCK / size_of::<T>() / k_block.max(1) / nr).max(1) * nr;
        let chunks = columns.len().div_ceil(chunk).max(1);
        let chunk = columns.len().div_ceil(nr).div_ceil(chunks) * nr;
        let mut scratch = match self.b {
            Panels::Packed(_) => Scratch::take(0),
            Panels::Source(_) => Scratch::take(k_block * chunk),
            Panels::InPlace { .. } => Scratch::take(k_block * nr),
        };
        let mut is_first = true;
        for start in columns.clone().step_by(chunk.max(1)) {
            let columns = start..columns.end.min(start + chunk);
            let mut k0 = 0;
            loop {
                // Without workers, a task is a whole product.
                if !std::mem::take(&mut is_first) {
                    checkpoint();
                }
                let ks = k0..k.min(k0 + k_block);
                // SAFETY: the chunk is a part of this block of C, which nothing else touches.
                unsafe {
                    self.chunk(row_panels.clone(), columns.clone(), ks.clone(), &mut scratch)
                };
                k0 = ks.end;
                if k0 == k {
                    break;
                }
            }
        }
    }

    /// One block of `k` of one chunk of columns.
    ///
    /// # Safety
    /// As `block`; the earlier blocks of `k` have been done.
    unsafe fn chunk(
        &self,
        row_panels: Range<usize>,
        columns: Range<usize>,
        ks: Range<usize>,
        scratch: &mut [T],
    ) {
        let GemmShape { m, n, k } = self.shape;
        let (mr, nr) = (self.kernels.mr, self.kernels.nr());
        let panels = columns.len().div_ceil(nr);
        let chain = chain_length(k);
        let width = |j: usize| nr.min(columns.end - columns.start - j * nr);
        match &self.b {
            Panels::Packed(_) => {}
            Panels::Source(source) => {
                for (j, panel) in
                    scratch.chunks_exact_mut((ks.len() * nr).max(1)).enumerate().take(panels)
                {
                    let col = columns.start + j * nr;
                    source.pack(col..col + width(j), ks.clone(), nr, panel);
                }
            }
            Panels::InPlace { source, .. } => {
                // Reading a whole vector past the last column could leave the operand.
                if columns.end == n && !n.is_multiple_of(nr) {
                    source.pack(n - n % nr..n, ks.clone(), nr, scratch);
                }
            }
        }
        // A panel of B is wider than one of A, so as few as possible come from the second-level cache.
        let step = size_of::<T>() * ks.len().max(1);
        let block = if nr * step <= B_PANEL { (A_BLOCK / (mr * step)).max(1) } else { 1 };
        for first in row_panels.clone().step_by(block) {
            // A chunk of all rows can take several milliseconds.
            if first > row_panels.start {
                checkpoint();
            }
            for j in 0..panels {
                let (col, width) = (columns.start + j * nr, width(j));
                // The panel's first step of this block, in what was packed for it.
                let (b, b_step) = match &self.b {
                    Panels::Packed(b) => (b.wrapping_add(col * k + ks.start * nr), nr),
                    Panels::Source(_) => (scratch[j * ks.len() * nr..].as_ptr(), nr),
                    Panels::InPlace { .. } if width < nr => (scratch.as_ptr(), nr),
                    Panels::InPlace { data, step, .. } => {
                        (data.as_ptr().wrapping_add(ks.start * step + col), *step)
                    }
                };
                for i in first..row_panels.end.min(first + block) {
                    let Left { data, row, step, panel } = self.a;
                    let mut start = ks.start;
                    // A product without steps has an epilogue too.
                    loop {
                        let end = ks.end.min(start + chain);
                        let tile = Tile {
                            k: end - start,
                            a: data.wrapping_add(i * panel + start * step),
                            a_row: row,
                            a_step: step,
                            panel_stride: panel,
                            b: b.wrapping_add((start - ks.start) * b_step),
                            b_step,
                            c: self.c.wrapping_add(i * mr * self.ldc + col),
                            ldc: self.ldc,
                            row: i * mr,
                            col,
                            rows: mr.min(m - i * mr),
                            lanes: 0,
                            accumulate: start > 0,
                            finish: (end == k).then_some(&self.finish),
                        };
                        // SAFETY: the tile lies in this block of C, which nothing else touches. Panels of A and B hold
                        // `k` steps, those packed here the steps of the block, and an operand in place was checked.
                        unsafe { self.tile(tile, width, row_panels.start, row_panels.end) };
                        start = end;
                        if end == ks.end {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Calls the kernels for one tile; thin columns are done once for several panels of rows.
    ///
    /// # Safety
    /// As `block`.
    unsafe fn tile(
        &self,
        mut tile: Tile<'_, T>,
        width: usize,
        first_panel: usize,
        end_panel: usize,
    ) {
        let kernels = self.kernels;
        let lanes = kernels.lanes;
        let rest = width % lanes;
        let thin = kernels.thin(width);
        let wide = if thin.is_some() { width - rest } else { width };
        if wide > 0 {
            let vectors = wide.div_ceil(lanes);
            tile.lanes = wide - (vectors - 1) * lanes;
            // SAFETY: the kernel's rows and lanes are those of the tile; the instruction set was found on this machine.
            unsafe { kernels.tiles[tile.rows - 1][vectors - 1](&tile) };
            self.activate(&tile, wide, tile.rows);
        }
        let Some(thin) = thin else { return };
        let panel = tile.row / kernels.mr;
        let group = (panel - first_panel) % thin.panels;
        let whole_group = panel - group + thin.panels <= end_panel;
        if whole_group && group > 0 {
            return;
        }
        let (kernel, panels) = if whole_group { (thin.many, thin.panels) } else { (thin.one, 1) };
        tile.rows = (self.shape.m - tile.row).min(panels * kernels.mr);
        tile.lanes = rest;
        tile.col += wide;
        (tile.b, tile.c) = (tile.b.wrapping_add(wide), tile.c.wrapping_add(wide));
        // SAFETY: the thin columns lie inside the tile's panel of B and inside C.
        unsafe { kernel(&tile) };
        self.activate(&tile, rest, tile.rows);
    }

    fn activate(&self, tile: &Tile<'_, T>, width: usize, rows: usize) {
        let (Some(activation), Some(_)) = (self.activation, tile.finish) else { return };
        for i in 0..rows {
            // SAFETY: a row of the finished tile, which this task owns.
            let row = unsafe { std::slice::from_raw_parts_mut(tile.c.add(i * tile.ldc), width) };
            T::activate(self.isa, activation, row);
        }
    }
}
