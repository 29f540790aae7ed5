//! Operands of products: strided matrices, their widening and packing, and the sums.

use half::{bf16, f16};
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_kernels::gemm::pack_runs_at;
use trident_simd::narrow::Rounding;
use trident_simd::{Float32, Vector};

use super::Scratch;
use super::compiled::Compiled;
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

impl Matrix<u8> {
    /// Casts a matrix addressed as bytes to elements of type `T`.
    pub(super) fn of<T>(self) -> Matrix<T> {
        let Matrix { data, rows, cols, row, col } = self;
        Matrix { data: data.cast(), rows, cols, row, col }
    }
}

/// [`Operand::widen`].
type Widen<E> = unsafe fn(Matrix<u8>, &mut Scratch) -> Matrix<E>;

/// How a factor is converted to a matrix of elements `E`.
#[derive(Clone, Copy)]
pub(super) struct Widening<E> {
    /// Bytes of an element.
    pub size: isize,
    /// [`Operand::MAX_K`].
    pub max_k: usize,
    /// [`Operand::widen`]; `None` if the elements are `E`.
    widen: Option<Widen<E>>,
}

impl<E> Widening<E> {
    /// The factor's conversion from elements of type `T`, for vectors of `V`.
    pub(super) fn of<V: Compiled<Elem = E>, T: Operand<V>>() -> Self {
        let widen = (!T::IN_PLACE).then_some(V::widen::<T> as _);
        Widening { size: size_of::<T>() as isize, max_k: T::MAX_K, widen }
    }

    /// The converted matrix, in place or in the scratch.
    ///
    /// # Safety
    /// As [`Operand::widen`].
    #[inline(always)]
    pub(super) unsafe fn widened(self, x: Matrix<u8>, scratch: &mut Scratch) -> Matrix<E> {
        match self.widen {
            None => x.of(),
            // SAFETY: guaranteed by the caller.
            Some(widen) => unsafe { widen(x, scratch) },
        }
    }
}

/// [`Sum::begin`].
type Begin<E> = unsafe fn(*mut u8, isize, usize, usize, &mut Scratch) -> *mut E;
/// [`Sum::end`].
type End<E> = unsafe fn(*mut u8, isize, usize, usize, *const E);

/// How sums of elements `E` are converted from and to those of c.
#[derive(Clone, Copy)]
pub(super) struct Summing<E> {
    /// Bytes of an element of c.
    pub size: isize,
    /// Functions called before and after; `None` if the elements are `E`, so that products are added directly to c.
    pub parts: Option<(Begin<E>, End<E>)>,
}

impl<E> Summing<E> {
    /// The conversion for elements of type `T`, by vectors of `V`.
    pub(super) fn of<V: Compiled<Elem = E>, T: Sum<V>>() -> Self {
        let parts = (!T::IN_PLACE).then_some((V::begin::<T> as _, V::end::<T> as _));
        Summing { size: size_of::<T>() as isize, parts }
    }
}

/// Element types that products are computed in.
pub(super) trait Wide: Copy + Default {
    /// Writes rows of `width` elements, with zeros after the matrix's columns.
    ///
    /// # Safety
    /// The matrix is readable, and all rows are writable.
    #[inline(always)]
    unsafe fn pack(x: Matrix<Self>, width: usize, out: *mut Self) {
        // SAFETY: guaranteed by the caller.
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
    unsafe fn pack(x: Matrix<f32>, width: usize, out: *mut f32) {
        // SAFETY: guaranteed by the caller; columns are contiguous, as the transposition requires.
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

impl Wide for f64 {}

/// An element type of factors, for products computed in the type of `V`.
pub(super) trait Operand<V: Vector>: Copy + 'static {
    /// Whether it is the element type of `V`.
    const IN_PLACE: bool = false;
    /// The longest sum for which all partial sums that must be exact are exact.
    const MAX_K: usize = usize::MAX;
    /// The same matrix in the element type of `V`, in place or in the scratch.
    ///
    /// # Safety
    /// The matrix is readable, and the scratch is large enough for it.
    unsafe fn widen(isa: V::Isa, x: Matrix<Self>, scratch: &mut Scratch) -> Matrix<V::Elem>;
}

macro_rules! wide {
    ($($t:ty)*) => { $(
        impl<V: Vector<Elem = $t>> Operand<V> for $t {
            const IN_PLACE: bool = true;

            #[inline(always)]
            unsafe fn widen(_: V::Isa, x: Matrix<$t>, _: &mut Scratch) -> Matrix<$t> {
                x
            }
        }
    )* };
}
wide!(f32 f64);

/// Defines `Operand` by `$strip(out, x, n)`, which widens contiguous elements.
macro_rules! widened {
    ($($t:ty, $max_k:expr, |$isa:ident, $out:ident, $x:ident, $n:ident| $strip:expr;)*) => { $(
        impl<V: Float32> Operand<V> for $t {
            const MAX_K: usize = $max_k;

            #[inline(always)]
            unsafe fn widen($isa: V::Isa, x: Matrix<$t>, scratch: &mut Scratch) -> Matrix<f32> {
                // Lines follow the axis of stride 1, if there is one.
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
                    let ($out, $x, $n) =
                        (data.wrapping_add(i * run), x.data.wrapping_offset(i as isize * line), run);
                    // SAFETY: a line of the matrix, and its place in the scratch.
                    unsafe {
                        if step == 1 {
                            $strip;
                        } else {
                            for j in 0..run {
                                let ($out, $x, $n) =
                                    ($out.add(j), $x.wrapping_offset(j as isize * step), 1);
                                $strip;
                            }
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
    f16, usize::MAX, |isa, out, x, n| from_f16(isa, out, x.cast(), n);
    bf16, usize::MAX, |_isa, out, x, n| decode(out, x, n);
    F8E4M3FN, usize::MAX, |_isa, out, x, n| decode(out, x, n);
    F8E4M3FNUZ, usize::MAX, |_isa, out, x, n| decode(out, x, n);
    F8E5M2, usize::MAX, |_isa, out, x, n| decode(out, x, n);
    F8E5M2FNUZ, usize::MAX, |_isa, out, x, n| decode(out, x, n);
    // Sums of integer products are exact while they stay below 2^24.
    i8, 1 << (24 - 14), |_isa, out, x, n| convert(out, x, n, f32::from);
    u8, 1 << (24 - 16), |_isa, out, x, n| convert(out, x, n, f32::from);
}

/// Converts `n` elements.
///
/// # Safety
/// `n` elements are readable at `x` and writable at `out`.
#[inline(always)]
unsafe fn convert<T: Copy, U>(out: *mut U, x: *const T, n: usize, f: impl Fn(T) -> U) {
    for i in 0..n {
        // SAFETY: guaranteed by the caller.
        unsafe { *out.add(i) = f(*x.add(i)) };
    }
}

/// Decodes `n` elements.
///
/// # Safety
/// As [`convert`].
#[inline(always)]
pub(super) unsafe fn decode<T: Narrow>(out: *mut f32, x: *const T, n: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { convert(out, x, n, T::decode) }
}

/// An element type of c.
pub(super) trait Sum<V: Vector>: Copy + 'static {
    /// Whether products are added directly to c.
    const IN_PLACE: bool;
    /// The matrix to which products are added: c itself, or scratch with contiguous rows.
    ///
    /// # Safety
    /// c has `m` rows of `n` elements with a stride of `row`, and the scratch has room for as many elements.
    unsafe fn begin(
        isa: V::Isa,
        c: *mut Self,
        row: isize,
        m: usize,
        n: usize,
        scratch: &mut Scratch,
    ) -> *mut V::Elem;
    /// Writes the sums to c.
    ///
    /// # Safety
    /// As `begin`, which returned `sum`.
    unsafe fn end(isa: V::Isa, c: *mut Self, row: isize, m: usize, n: usize, sum: *const V::Elem);
}

macro_rules! sum_in_place {
    ($($t:ty)*) => { $(
        impl<V: Vector<Elem = $t>> Sum<V> for $t {
            const IN_PLACE: bool = true;

            #[inline(always)]
            unsafe fn begin(
                _: V::Isa, c: *mut $t, _: isize, _: usize, _: usize, _: &mut Scratch,
            ) -> *mut $t {
                c
            }
            #[inline(always)]
            unsafe fn end(_: V::Isa, _: *mut $t, _: isize, _: usize, _: usize, _: *const $t) {}
        }
    )* };
}
sum_in_place!(f32 f64);

/// Defines `Sum` by operations on a row of `n` elements before and after.
macro_rules! sum_in_scratch {
    ($($t:ty: |$isa:ident, $sum:ident, $c:ident, $n:ident| $begin:expr, $end:expr;)*) => { $(
        impl<V: Float32> Sum<V> for $t {
            const IN_PLACE: bool = false;

            #[inline(always)]
            unsafe fn begin(
                $isa: V::Isa, c: *mut $t, row: isize, m: usize, $n: usize, scratch: &mut Scratch,
            ) -> *mut f32 {
                let _ = $isa;
                let sums = scratch.take::<f32>(m * $n);
                for i in 0..m {
                    let $c = c.wrapping_offset(i as isize * row).cast_const();
                    let _ = $c;
                    let $sum = sums.wrapping_add(i * $n);
                    // SAFETY: a row of c, and its place in the scratch.
                    unsafe { $begin };
                }
                sums
            }
            #[inline(always)]
            unsafe fn end(
                $isa: V::Isa, c: *mut $t, row: isize, m: usize, $n: usize, sums: *const f32,
            ) {
                let _ = $isa;
                for i in 0..m {
                    let $c = c.wrapping_offset(i as isize * row);
                    let $sum = sums.wrapping_add(i * $n);
                    // SAFETY: as above.
                    unsafe { $end };
                }
            }
        }
    )* };
}
sum_in_scratch! {
    f16: |isa, sum, c, n| from_f16(isa, sum, c.cast(), n), to_f16::<V::Isa, false>(isa, c.cast(), sum, n);
    bf16: |isa, sum, c, n| decode(sum, c, n),
        convert(c, sum, n, |x| bf16::encode(x, Rounding::NearestEven, false));
    i32: |isa, sum, c, n| sum.write_bytes(0, n), for j in 0..n {
        *c.add(j) = (*c.add(j)).wrapping_add(*sum.add(j) as i32);
    };
}
