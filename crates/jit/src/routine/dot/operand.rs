//! Operands of products: strided matrices, the formats of their elements, conversion and packing.

use half::bf16;
use trident_ir::DType;
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_kernels::gemm::pack_runs_at;
use trident_simd::Simd;
use trident_simd::narrow::Rounding;

use super::Scratch;
use crate::routine::convert::{from_f16, to_f16};
use crate::routine::narrow::Narrow;

/// A matrix in memory; strides are in elements.
#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub data: *const T,
    pub rows: usize,
    pub cols: usize,
    pub row: isize,
    pub col: isize,
}

/// The format of the elements of an operand of [`Dot`](super::Dot).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Format {
    /// The type that the product is computed in: `f32` or `f64`.
    Wide,
    /// `f16`.
    F16,
    /// `bf16`.
    BF16,
    /// `f8e4m3fn`, of factors only.
    F8E4M3FN,
    /// `f8e4m3fnuz`, of factors only.
    F8E4M3FNUZ,
    /// `f8e5m2`, of factors only.
    F8E5M2,
    /// `f8e5m2fnuz`, of factors only.
    F8E5M2FNUZ,
    /// `i8`, of factors only.
    I8,
    /// `u8`, of factors only.
    U8,
    /// `i32`, of c only.
    I32,
}

impl Format {
    /// The formats of a, b and c and the type their product is computed in; `None` if no routine computes it.
    pub fn of([a, b, c]: [DType; 3]) -> Option<([Format; 3], DType)> {
        let wide = if c == DType::F64 { c } else { DType::F32 };
        let factor = |dtype: DType| match dtype {
            _ if dtype == wide => Some(Format::Wide),
            _ if wide == DType::F64 => None,
            DType::F16 => Some(Format::F16),
            DType::BF16 => Some(Format::BF16),
            DType::F8E4M3FN => Some(Format::F8E4M3FN),
            DType::F8E4M3FNUZ => Some(Format::F8E4M3FNUZ),
            DType::F8E5M2 => Some(Format::F8E5M2),
            DType::F8E5M2FNUZ => Some(Format::F8E5M2FNUZ),
            DType::I8 => Some(Format::I8),
            DType::U8 => Some(Format::U8),
            _ => None,
        };
        let c = match c {
            _ if c == wide => Format::Wide,
            DType::F16 => Format::F16,
            DType::BF16 => Format::BF16,
            DType::I32 => Format::I32,
            _ => return None,
        };
        let formats = [factor(a)?, factor(b)?, c];
        let integers = |x: DType| x.is_int() == (c == Format::I32);
        (integers(a) && integers(b)).then_some((formats, wide))
    }

    /// Bytes of an element; an element of the type of computation has `wide` bytes.
    pub(super) fn size(self, wide: usize) -> isize {
        match self {
            Format::Wide => wide as isize,
            Format::I32 => 4,
            Format::F16 | Format::BF16 => 2,
            _ => 1,
        }
    }

    /// The longest sum in which all partial sums of integers are exact, that is, below 2^24.
    pub(super) fn max_k(self) -> usize {
        match self {
            Format::I8 => 1 << (24 - 14),
            Format::U8 => 1 << (24 - 16),
            _ => usize::MAX,
        }
    }
}

/// The matrix in the type that products are computed in: `x` itself, or its elements converted to the scratch, in rows or in
/// columns, whichever are contiguous in `x`.
///
/// # Safety
/// The matrix is readable, and the scratch is large enough for it.
#[inline(always)]
pub(super) unsafe fn widened<S: Simd, T: Wide>(
    s: S,
    format: Format,
    x: Matrix<u8>,
    scratch: &mut Scratch,
) -> Matrix<T> {
    let Matrix { data: from, rows, cols, row, col } = x;
    if format == Format::Wide {
        return Matrix { data: from.cast(), rows, cols, row, col };
    }
    let by_columns = row == 1 && col != 1;
    let (lines, length, line, step) =
        if by_columns { (cols, rows, col, row) } else { (rows, cols, row, col) };
    let data = scratch.take::<T>(lines * length);
    let (row, col) = if by_columns { (1, length as isize) } else { (length as isize, 1) };
    let whole = step == 1 && line == length as isize;
    let (lines, length) = if whole { (1, lines * length) } else { (lines, length) };
    // Elements that are converted by one call.
    let part = if step == 1 { length.max(1) } else { 1 };
    for i in 0..lines {
        for j in (0..length).step_by(part) {
            let at = (i as isize * line + j as isize * step) * format.size(size_of::<T>());
            let to = data.wrapping_add(i * length + j);
            // SAFETY: elements of the matrix that are contiguous, and their place in the scratch.
            unsafe { T::widen(s, format, to, from.wrapping_offset(at), part) };
        }
    }
    Matrix { data, rows, cols, row, col }
}

/// Element types that products are computed in.
pub(super) trait Wide: Copy + Default {
    /// Converts `n` contiguous elements of a narrower format. Sums in `i32` start at zero: [`Wide::narrow`] adds them.
    ///
    /// # Safety
    /// `n` elements of the format are readable at `x` and `n` are writable at `out`.
    unsafe fn widen<S: Simd>(_: S, format: Format, _: *mut Self, _: *const u8, _: usize) {
        unreachable!("{format:?} has no product in this type");
    }
    /// Writes `n` contiguous sums to c, which has a narrower format.
    ///
    /// # Safety
    /// `n` sums are readable, and c is readable and writable.
    unsafe fn narrow<S: Simd>(_: S, format: Format, _: *mut u8, _: *const Self, _: usize) {
        unreachable!("{format:?} has no product in this type");
    }
    /// Writes rows of `width` elements, with zeros after the matrix's columns.
    ///
    /// # Safety
    /// The matrix is readable, and all rows are writable.
    #[inline(always)]
    unsafe fn pack(x: Matrix<Self>, width: usize, out: *mut Self) {
        // SAFETY: `pack_plain` requires what this function does: a readable matrix, and `x.rows` writable rows of `width` elements.
        unsafe { pack_plain(x, width, out) }
    }
}

/// `pack` element by element, or by whole rows if they are contiguous.
///
/// # Safety
/// As [`Wide::pack`].
#[inline(always)]
unsafe fn pack_plain<T: Copy + Default>(x: Matrix<T>, width: usize, out: *mut T) {
    for p in 0..x.rows {
        let from = x.data.wrapping_offset(p as isize * x.row);
        // SAFETY: row `p` of both; the row of `out` is `width` long.
        unsafe {
            let to = out.add(p * width);
            if x.col == 1 {
                to.copy_from_nonoverlapping(from, x.cols);
            } else {
                for j in 0..x.cols {
                    *to.add(j) = *from.offset(j as isize * x.col);
                }
            }
            for j in x.cols..width {
                *to.add(j) = T::default();
            }
        }
    }
}

impl Wide for f32 {
    #[inline(always)]
    unsafe fn widen<S: Simd>(s: S, format: Format, out: *mut f32, x: *const u8, n: usize) {
        // SAFETY: `n` elements of this format are readable at `x`, and `n` are writable at `out`, which is what each conversion requires.
        unsafe {
            match format {
                Format::Wide => convert(out, x.cast::<f32>(), n, |x| x),
                Format::F16 => from_f16(s, out, x.cast(), n),
                Format::BF16 => convert(out, x.cast(), n, bf16::decode),
                Format::F8E4M3FN => convert(out, x.cast(), n, F8E4M3FN::decode),
                Format::F8E4M3FNUZ => convert(out, x.cast(), n, F8E4M3FNUZ::decode),
                Format::F8E5M2 => convert(out, x.cast(), n, F8E5M2::decode),
                Format::F8E5M2FNUZ => convert(out, x.cast(), n, F8E5M2FNUZ::decode),
                Format::I8 => convert(out, x.cast::<i8>(), n, f32::from),
                Format::U8 => convert(out, x, n, f32::from),
                Format::I32 => out.write_bytes(0, n),
            }
        }
    }

    #[inline(always)]
    unsafe fn narrow<S: Simd>(s: S, format: Format, c: *mut u8, sums: *const f32, n: usize) {
        // SAFETY: `n` sums are readable, and `n` elements of this format are readable and writable at `c`.
        unsafe {
            match format {
                Format::F16 => to_f16::<S, false>(s, c.cast(), sums, n),
                Format::BF16 => {
                    convert(c.cast(), sums, n, |x| bf16::encode(x, Rounding::NearestEven, false))
                }
                Format::I32 => {
                    let c = c.cast::<i32>();
                    for j in 0..n {
                        *c.add(j) = (*c.add(j)).wrapping_add(*sums.add(j) as i32);
                    }
                }
                _ => unreachable!("{format:?} is not a format of sums"),
            }
        }
    }

    #[inline(always)]
    unsafe fn pack(x: Matrix<f32>, width: usize, out: *mut f32) {
        // SAFETY: the matrix is readable, and `x.rows` rows of `width` elements are writable at `out`. With a row stride of 1 the columns are
        // runs of `x.rows` elements, `x.col` apart, as `pack_runs_at` requires.
        unsafe {
            if x.row == 1 && x.col > 0 && x.rows > 0 && x.cols > 0 {
                let out = std::slice::from_raw_parts_mut(out, x.rows * width);
                pack_runs_at(x.data, x.col as usize, x.cols, x.rows, width, out);
            } else {
                pack_plain(x, width, out);
            }
        }
    }
}

// No narrower format has products in `f64`.
impl Wide for f64 {}

/// Converts `n` elements.
///
/// # Safety
/// `n` elements are readable at `x` and writable at `out`.
#[inline(always)]
unsafe fn convert<T: Copy, U>(out: *mut U, x: *const T, n: usize, f: impl Fn(T) -> U) {
    for i in 0..n {
        // SAFETY: `i` is below `n`, the number of elements that are readable at `x` and writable at `out`.
        unsafe { *out.add(i) = f(*x.add(i)) };
    }
}
