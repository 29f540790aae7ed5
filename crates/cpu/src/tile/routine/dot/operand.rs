//! Operands of products: matrices with strides, their widening, packing, and the sums.

// The contract of each function is that of `Dot`.
#![allow(unsafe_op_in_unsafe_fn)]

use half::{bf16, f16};
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};

use super::Scratch;
use crate::gemm::transpose::pack_runs_at;
use crate::narrow::{Narrow, Rounding};
use crate::simd::{Float32, Vector};
use crate::tile::routine::convert::{from_f16, to_f16};

/// A matrix in memory; strides are in elements.
#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub data: *const T,
    pub rows: usize,
    pub cols: usize,
    pub row: isize,
    pub col: isize,
}

/// Element types that products are computed in.
pub(super) trait Wide: Copy {
    /// Writes rows of `width` elements, zeros behind the matrix's columns.
    unsafe fn pack(x: Matrix<Self>, width: usize, out: *mut Self);
}

/// `pack` element by element, rows at once where they are contiguous.
#[inline(always)]
unsafe fn pack_plain<T: Copy + Default>(x: Matrix<T>, width: usize, out: *mut T) {
    for p in 0..x.rows {
        let (from, to) = (x.data.wrapping_offset(p as isize * x.row), out.add(p * width));
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

impl Wide for f32 {
    #[inline(always)]
    unsafe fn pack(x: Matrix<f32>, width: usize, out: *mut f32) {
        if x.row == 1 && x.col > 0 && x.rows > 0 && x.cols > 0 {
            let out = std::slice::from_raw_parts_mut(out, x.rows * width);
            pack_runs_at(x.data, x.col as usize, x.cols, x.rows, width, out);
        } else {
            pack_plain(x, width, out);
        }
    }
}

impl Wide for f64 {
    #[inline(always)]
    unsafe fn pack(x: Matrix<f64>, width: usize, out: *mut f64) {
        pack_plain(x, width, out);
    }
}

/// An element type of a factor for products in `V`'s.
pub(super) trait Operand<V: Vector>: Copy + 'static {
    /// The longest sum whose partial sums are all exact where they must be.
    const MAX_K: usize = usize::MAX;
    /// The same matrix in the type of `V`, in place or in the scratch.
    unsafe fn widen(x: Matrix<Self>, scratch: &mut Scratch) -> Matrix<V::Elem>;
}

impl<V: Vector<Elem = f32>> Operand<V> for f32 {
    #[inline(always)]
    unsafe fn widen(x: Matrix<f32>, _: &mut Scratch) -> Matrix<f32> {
        x
    }
}

impl<V: Vector<Elem = f64>> Operand<V> for f64 {
    #[inline(always)]
    unsafe fn widen(x: Matrix<f64>, _: &mut Scratch) -> Matrix<f64> {
        x
    }
}

/// Defines `Operand` by `$strip(out, x, n)`, which widens contiguous elements.
macro_rules! widened {
    ($($t:ty, $max_k:expr, |$out:ident, $x:ident, $n:ident| $strip:expr;)*) => { $(
        impl<V: Float32> Operand<V> for $t {
            const MAX_K: usize = $max_k;

            #[inline(always)]
            unsafe fn widen(x: Matrix<$t>, scratch: &mut Scratch) -> Matrix<f32> {
                // Lines run along the axis of stride 1, if any.
                let by_columns = x.row == 1 && x.col != 1;
                let (lines, length, line, step) = if by_columns {
                    (x.cols, x.rows, x.col, x.row)
                } else {
                    (x.rows, x.cols, x.row, x.col)
                };
                let data = scratch.take::<f32>(lines * length);
                let whole = step == 1 && line == length as isize;
                let (lines, run) = if whole { (1, lines * length) } else { (lines, length) };
                for i in 0..lines {
                    let ($out, $x, $n) = (data.add(i * run), x.data.wrapping_offset(i as isize * line), run);
                    if step == 1 {
                        $strip;
                    } else {
                        for j in 0..run {
                            let ($out, $x, $n) = ($out.add(j), $x.wrapping_offset(j as isize * step), 1);
                            $strip;
                        }
                    }
                }
                let (row, col) = if by_columns { (1, length as isize) } else { (length as isize, 1) };
                Matrix { data, rows: x.rows, cols: x.cols, row, col }
            }
        }
    )* };
}
widened! {
    f16, usize::MAX, |out, x, n| from_f16::<V>(out, x.cast(), n);
    bf16, usize::MAX, |out, x, n| decode(out, x, n);
    F8E4M3FN, usize::MAX, |out, x, n| decode(out, x, n);
    F8E4M3FNUZ, usize::MAX, |out, x, n| decode(out, x, n);
    F8E5M2, usize::MAX, |out, x, n| decode(out, x, n);
    F8E5M2FNUZ, usize::MAX, |out, x, n| decode(out, x, n);
    // Sums of products of integers are exact as long as they stay below 2^24.
    i8, 1 << (24 - 14), |out, x, n| from_integer(out, x, n);
    u8, 1 << (24 - 16), |out, x, n| from_integer(out, x, n);
}

#[inline(always)]
pub(super) unsafe fn decode<T: Narrow>(out: *mut f32, x: *const T, n: usize) {
    for i in 0..n {
        *out.add(i) = (*x.add(i)).decode();
    }
}

#[inline(always)]
unsafe fn from_integer<T: Copy + Into<f32>>(out: *mut f32, x: *const T, n: usize) {
    for i in 0..n {
        *out.add(i) = (*x.add(i)).into();
    }
}

/// An element type of c.
pub(super) trait Sum<V: Vector>: Copy + 'static {
    /// Whether the products are added in c itself.
    const IN_PLACE: bool;
    /// Where the products are added: c itself, or scratch; and the distance of its rows.
    unsafe fn begin(
        c: *mut Self,
        row: isize,
        m: usize,
        n: usize,
        scratch: &mut Scratch,
    ) -> (*mut V::Elem, isize);
    /// Brings what was added into c.
    unsafe fn end(c: *mut Self, row: isize, m: usize, n: usize, sum: *const V::Elem);
}

macro_rules! sum_in_place {
    ($($t:ty)*) => { $(
        impl<V: Vector<Elem = $t>> Sum<V> for $t {
            const IN_PLACE: bool = true;

            #[inline(always)]
            unsafe fn begin(c: *mut $t, row: isize, _: usize, _: usize, _: &mut Scratch) -> (*mut $t, isize) {
                (c, row)
            }
            #[inline(always)]
            unsafe fn end(_: *mut $t, _: isize, _: usize, _: usize, _: *const $t) {}
        }
    )* };
}
sum_in_place!(f32 f64);

/// Defines `Sum` by what is done to a row of `n` elements before and after.
macro_rules! sum_in_scratch {
    ($($t:ty: |$sum:ident, $c:ident, $n:ident| $begin:expr, $end:expr;)*) => { $(
        impl<V: Float32> Sum<V> for $t {
            const IN_PLACE: bool = false;

            #[inline(always)]
            unsafe fn begin(c: *mut $t, row: isize, m: usize, $n: usize, scratch: &mut Scratch) -> (*mut f32, isize) {
                let sums = scratch.take::<f32>(m * $n);
                for i in 0..m {
                    let ($sum, $c) = (sums.add(i * $n), c.offset(i as isize * row).cast_const());
                    let _ = $c;
                    $begin;
                }
                (sums, $n as isize)
            }
            #[inline(always)]
            unsafe fn end(c: *mut $t, row: isize, m: usize, $n: usize, sums: *const f32) {
                for i in 0..m {
                    let ($sum, $c) = (sums.add(i * $n), c.offset(i as isize * row));
                    $end;
                }
            }
        }
    )* };
}
sum_in_scratch! {
    f16: |sum, c, n| from_f16::<V>(sum, c.cast(), n), to_f16::<V, false>(c.cast(), sum, n);
    bf16: |sum, c, n| decode(sum, c, n), for j in 0..n {
        *c.add(j) = bf16::encode(*sum.add(j), Rounding::NearestEven, false);
    };
    i32: |sum, c, n| sum.write_bytes(0, n), for j in 0..n {
        *c.add(j) = (*c.add(j)).wrapping_add(*sum.add(j) as i32);
    };
}
