//! Products of blocks.
//!
//! Blocks are small and in cache, so a is read in place, and b too if its rows are contiguous; otherwise b is packed
//! into panels of the micro-kernels' width. Narrow elements are widened first.

mod operand;
mod scaled;
mod tile;

use trident_ir::DType;

pub use operand::Format;
use operand::{Matrix, Wide, widened};
pub use scaled::{DotScaled, Factor, ScaledFactor, dot_scaled_scratch_bytes};
use tile::{Tile, Tiles};
use trident_simd::Simd;

use super::{Registry, Routine, each_isa};

/// The operands of [`Routine::Dot`]: `c[i, j] += Σ a[i, p] · b[p, j]` for each item of a batch, in ascending `p`.
///
/// Strides are in elements. Floats are multiplied and summed in `f32` (`f64` for `f64`), and a narrower `c` is rounded
/// once at the end; integers wrap around. [`Format::of`] gives the supported combinations of formats.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Dot {
    /// Number of products.
    pub batch: usize,
    /// Rows of a and c.
    pub m: usize,
    /// Columns of b and c.
    pub n: usize,
    /// Columns of a, rows of b.
    pub k: usize,
    /// The format of a.
    pub a_format: Format,
    /// The format of b.
    pub b_format: Format,
    /// The format of c.
    pub c_format: Format,
    /// The left operand, `batch × m × k`.
    pub a: *const u8,
    /// Stride of its matrices.
    pub a_batch: isize,
    /// Stride of its rows.
    pub a_row: isize,
    /// Stride of its columns.
    pub a_col: isize,
    /// The right operand, `batch × k × n`.
    pub b: *const u8,
    /// Stride of its matrices.
    pub b_batch: isize,
    /// Stride of its rows.
    pub b_row: isize,
    /// Stride of its columns.
    pub b_col: isize,
    /// The sum to which the product is added, `batch × m × n`, columns contiguous. Must not overlap an operand.
    pub c: *mut u8,
    /// Stride of its matrices.
    pub c_batch: isize,
    /// Stride of its rows.
    pub c_row: isize,
    /// Not 0 if c counts as zeros, whatever its contents.
    pub fresh: usize,
    /// Scratch of at least [`dot_scratch_bytes`], aligned to 64 bytes.
    pub scratch: *mut u8,
}

/// The widest panel of b of any instruction set, in elements.
const WIDEST: usize = 32;

/// Scratch bytes that [`Routine::Dot`] needs on any instruction set; `None` if that exceeds the address space.
pub fn dot_scratch_bytes(dtypes: [DType; 3], m: usize, n: usize, k: usize) -> Option<usize> {
    let wide = if dtypes[2] == DType::F64 { 8 } else { 4 };
    let widened =
        |x: DType, elements: Option<usize>| if x.size() == wide { Some(0) } else { elements };
    let parts = [
        widened(dtypes[0], m.checked_mul(k)),
        widened(dtypes[1], n.checked_mul(k)),
        n.checked_next_multiple_of(WIDEST)?.checked_mul(k),
        if matches!(dtypes[2], DType::F32 | DType::F64) { Some(0) } else { m.checked_mul(n) },
    ];
    parts.into_iter().try_fold(0usize, |sum, part| {
        sum.checked_add(part?.checked_mul(wide)?.checked_next_multiple_of(64)?)
    })
}

/// Allocates parts of a scratch, each aligned to 64 bytes.
struct Scratch(*mut u8);

impl Scratch {
    /// Memory for `n` elements, provided that the scratch is large enough.
    fn take<T>(&mut self, n: usize) -> *mut T {
        let piece = self.0.cast();
        self.0 = self.0.wrapping_add((n * size_of::<T>()).next_multiple_of(64));
        piece
    }
}

/// [`Routine::Dot`] by vectors of `V`. All formats share one copy of this function.
///
/// # Safety
/// As `d` says.
#[inline(always)]
unsafe fn dot<V: Tiles>(isa: V::Isa, d: &Dot) {
    let [a_size, b_size, c_size] =
        [d.a_format, d.b_format, d.c_format].map(|f| f.size(size_of::<V::Elem>()));
    let in_place = d.c_format == Format::Wide;
    let limit = d.a_format.max_k().min(d.b_format.max_k());
    for i in 0..d.batch as isize {
        let c = d.c.wrapping_offset(i * d.c_batch * c_size);
        let c_row = |r: usize| c.wrapping_offset(r as isize * d.c_row * c_size);
        if d.fresh != 0 && !in_place {
            for r in 0..d.m {
                // SAFETY: a row of c, for which all zero bits are valid.
                unsafe { c_row(r).write_bytes(0, d.n * c_size as usize) };
            }
        }
        let mut k0 = 0;
        while k0 < d.k {
            let k = limit.min(d.k - k0);
            let a = Matrix {
                data: d.a.wrapping_offset((i * d.a_batch + k0 as isize * d.a_col) * a_size),
                rows: d.m,
                cols: k,
                row: d.a_row,
                col: d.a_col,
            };
            let b = Matrix {
                data: d.b.wrapping_offset((i * d.b_batch + k0 as isize * d.b_row) * b_size),
                rows: k,
                cols: d.n,
                row: d.b_row,
                col: d.b_col,
            };
            let c = Matrix { data: c.cast_const(), rows: d.m, cols: d.n, row: d.c_row, col: 1 };
            let mut scratch = Scratch(d.scratch);
            // SAFETY: the operands are as large as `d` says, and so is the scratch. Sums are in c, or in the scratch in rows
            // without gaps, because the columns of c are contiguous.
            unsafe {
                let a = widened(isa, d.a_format, a, &mut scratch);
                let b = widened(isa, d.b_format, b, &mut scratch);
                let sum: Matrix<V::Elem> = widened(isa, d.c_format, c, &mut scratch);
                let panel = scratch.take(k * d.n.next_multiple_of(V::COLUMNS));
                let fresh = in_place && d.fresh != 0 && k0 == 0;
                product::<V>(isa, a, b, sum.data.cast_mut(), sum.row, fresh, panel);
                if !in_place {
                    for r in 0..d.m {
                        let sums = sum.data.add(r * d.n);
                        V::Elem::narrow(isa, d.c_format, c_row(r), sums, d.n);
                    }
                }
            }
            k0 += k;
        }
    }
}

/// `c += a b`, or `c = a b` if c is `fresh`; `panel` has room for b in panels.
///
/// # Safety
/// The matrices are readable, c is also writable (and readable only if not `fresh`), and the panel is large enough.
#[inline(always)]
unsafe fn product<V: Tiles>(
    // Proves that the kernels can run.
    _: V::Isa,
    a: Matrix<V::Elem>,
    b: Matrix<V::Elem>,
    c: *mut V::Elem,
    c_row: isize,
    fresh: bool,
    panel: *mut V::Elem,
) {
    let (m, n, k) = (a.rows, b.cols, a.cols);
    let in_place = b.col == 1 && n.is_multiple_of(V::LANES) && !(crowded(b) && m > 16);
    let mut j = 0;
    while j < n {
        let columns = V::COLUMNS.min(n - j);
        let part = Matrix { data: b.data.wrapping_offset(j as isize * b.col), cols: columns, ..b };
        let (b, b_row) = if in_place {
            (part.data, b.row)
        } else {
            // SAFETY: `part` is made of columns of b, which is readable, and the panel has room for `k` rows of `V::COLUMNS` elements.
            unsafe { Wide::pack(part, V::COLUMNS, panel) };
            (panel.cast_const(), V::COLUMNS as isize)
        };
        let vectors = columns.div_ceil(V::LANES);
        let lanes = columns - (vectors - 1) * V::LANES;
        let mut i = 0;
        while i < m {
            let rows = V::KERNELS.len().min(m - i);
            let t = Tile {
                k,
                a: a.data.wrapping_offset(i as isize * a.row),
                a_row: a.row,
                a_col: a.col,
                b,
                b_row,
                c: c.wrapping_offset(i as isize * c_row).wrapping_add(j),
                c_row,
                fresh,
                lanes,
            };
            // SAFETY: the kernels' rows and vectors are inside the operands; b's rows are whole vectors, in place or
            // packed.
            unsafe { V::KERNELS[rows - 1][vectors - 1](&t) };
            i += rows;
        }
        j += columns;
    }
}

/// Whether b's rows map to so few sets of the first-level cache that they evict each other.
fn crowded<T>(b: Matrix<T>) -> bool {
    b.rows > 8 && (b.row.unsigned_abs() * size_of::<T>()).is_multiple_of(2048)
}

pub(super) fn register(registry: &mut Registry) {
    macro_rules! dots {
        ($($wide:ident)*) => { $({
            let addresses = each_isa!(|s| fn(args: *const Dot) {
                // SAFETY: compiled code passes an argument block on its stack, filled as the fields of `Dot` say.
                unsafe { dot::<<S as Simd>::$wide>(s, &*args) }
            });
            registry.add(Routine::Dot { wide: DType::$wide }, addresses);
        })* };
    }
    dots!(F32 F64);
    scaled::register(registry);
}

#[cfg(test)]
mod tests;
