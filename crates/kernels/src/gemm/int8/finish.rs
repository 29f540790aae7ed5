//! From 32-bit sums to results: zero points, bias, scale, rounding.

use trident_simd::{Isa, Simd, kernel};

use super::Epilogue8;
use super::tile::MAX_COLUMNS;
use crate::aligned::Plain;

/// A parameter that all elements share, or that each row or column of C has.
#[derive(Clone, Copy, Debug)]
pub enum Along<'a, T> {
    /// One for all.
    One(T),
    /// One per row.
    Rows(&'a [T]),
    /// One per column.
    Columns(&'a [T]),
}

impl<'a, T: Copy> Along<'a, T> {
    /// The row's value (`Ok`), or the columns' values (`Err`).
    #[inline(always)]
    fn in_row(self, row: usize, col: usize, width: usize) -> Result<T, &'a [T]> {
        match self {
            Along::One(x) => Ok(x),
            Along::Rows(x) => Ok(x[row]),
            Along::Columns(x) => Err(&x[col..col + width]),
        }
    }
}

/// A row of a tile of sums.
pub(crate) struct Row<'a> {
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) k: usize,
    /// The sum of A's row.
    pub(crate) sum: i32,
    /// The sums of B's columns.
    pub(crate) column_sums: &'a [i32],
    /// The shifts that packing added to the operands.
    pub(crate) a_shift: i32,
    pub(crate) b_shift: i32,
}

impl Row<'_> {
    /// `za` and `Σa - k za` in `Σ(a - za)(b - zb) = Σab - zb (Σa - k za) - za Σb`.
    #[inline(always)]
    fn a_zero_and_rest(&self, e: &Epilogue8<'_>) -> (i32, i32) {
        debug_assert!(
            !matches!(e.a_zero, Along::Columns(_)) && !matches!(e.b_zero, Along::Rows(_))
        );
        let a_zero = match e.a_zero.in_row(self.row, 0, 0) {
            Ok(zero) => zero.wrapping_add(self.a_shift),
            Err(_) => self.a_shift,
        };
        (a_zero, self.sum.wrapping_sub((self.k as i32).wrapping_mul(a_zero)))
    }
}

/// The result types: `i32` (the sum and the bias), `f32` (that times the scale), `u8` and `i8` (that rounded half to even,
/// plus the zero point, limited).
pub trait Output8: Plain {
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn finish(
        isa: Isa,
        row: &Row<'_>,
        epilogue: &Epilogue8<'_>,
        sums: &mut [i32],
        out: &mut [Self],
    );

    /// Finishes four rows of a tile, which are `MAX_COLUMNS` apart in `sums`, and interleaves their results in `out`.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn finish_four(
        isa: Isa,
        rows: &[Row<'_>; 4],
        epilogue: &Epilogue8<'_>,
        sums: &mut [i32],
        out: &mut [Self],
    ) {
        let width = out.len() / 4;
        let mut results = [Self::zeroed(); MAX_COLUMNS];
        for (r, (row, sums)) in rows.iter().zip(sums.chunks_mut(MAX_COLUMNS)).enumerate() {
            let results = &mut results[..width];
            Self::finish(isa, row, epilogue, &mut sums[..width], results);
            for (to, from) in out.chunks_exact_mut(4).zip(results) {
                to[r] = *from;
            }
        }
    }
}

/// Takes the zero points away and adds the bias.
#[inline(always)]
fn correct(row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32]) {
    let width = sums.len();
    let (a_zero, rest) = row.a_zero_and_rest(e);
    let mut all = 0i32;
    match e.b_zero.in_row(row.row, row.col, width) {
        Ok(zero) => all = all.wrapping_sub(zero.wrapping_add(row.b_shift).wrapping_mul(rest)),
        Err(zeros) => {
            for (s, zero) in sums.iter_mut().zip(zeros) {
                *s = s.wrapping_sub(zero.wrapping_add(row.b_shift).wrapping_mul(rest));
            }
        }
    }
    if a_zero != 0 {
        for (s, column) in sums.iter_mut().zip(row.column_sums) {
            *s = s.wrapping_sub(a_zero.wrapping_mul(*column));
        }
    }
    match e.bias.in_row(row.row, row.col, width) {
        Ok(bias) => all = all.wrapping_add(bias),
        Err(bias) => {
            for (s, bias) in sums.iter_mut().zip(bias) {
                *s = s.wrapping_add(*bias);
            }
        }
    }
    if all != 0 {
        for s in sums.iter_mut() {
            *s = s.wrapping_add(all);
        }
    }
}

/// `out = narrow(sum * scale)` for the corrected sums.
#[inline(always)]
fn scaled<O>(
    row: &Row<'_>,
    e: &Epilogue8<'_>,
    sums: &mut [i32],
    out: &mut [O],
    narrow: impl Fn(f32) -> O,
) {
    correct(row, e, sums);
    match e.scale.in_row(row.row, row.col, sums.len()) {
        Ok(scale) => {
            for (o, s) in out.iter_mut().zip(sums) {
                *o = narrow(*s as f32 * scale);
            }
        }
        Err(scales) => {
            for ((o, s), scale) in out.iter_mut().zip(sums).zip(scales) {
                *o = narrow(*s as f32 * scale);
            }
        }
    }
}

// In the functions below the token only names the instruction set: the loops are vectorised by the compiler.

kernel! {
    fn sums_i32(row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32]) => sums_i32_lanes
}
#[inline(always)]
fn sums_i32_lanes<S: Simd>(_: S, row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32]) {
    correct(row, e, sums);
}

kernel! {
    fn to_f32(row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [f32]) => to_f32_lanes
}
#[inline(always)]
fn to_f32_lanes<S: Simd>(
    _: S,
    row: &Row<'_>,
    e: &Epilogue8<'_>,
    sums: &mut [i32],
    out: &mut [f32],
) {
    scaled(row, e, sums, out, |x| x);
}

kernel! {
    fn to_u8(row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [u8]) => to_u8_lanes
}
#[inline(always)]
fn to_u8_lanes<S: Simd>(_: S, row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [u8]) {
    let round = rounding(e, 0, 255);
    scaled(row, e, sums, out, |x| round(x) as u8);
}

kernel! {
    fn to_i8(row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [i8]) => to_i8_lanes
}
#[inline(always)]
fn to_i8_lanes<S: Simd>(_: S, row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [i8]) {
    let round = rounding(e, -128, 127);
    scaled(row, e, sums, out, |x| round(x) as i8);
}

kernel! {
    fn four_to_u8(rows: &[Row<'_>; 4], e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [u8]) => four_to_u8_lanes
}
#[inline(always)]
fn four_to_u8_lanes<S: Simd>(
    _: S,
    rows: &[Row<'_>; 4],
    e: &Epilogue8<'_>,
    sums: &mut [i32],
    out: &mut [u8],
) {
    interleaved(rows, e, sums, out, rounding(e, 0, 255));
}

kernel! {
    fn four_to_i8(rows: &[Row<'_>; 4], e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [i8]) => four_to_i8_lanes
}
#[inline(always)]
fn four_to_i8_lanes<S: Simd>(
    _: S,
    rows: &[Row<'_>; 4],
    e: &Epilogue8<'_>,
    sums: &mut [i32],
    out: &mut [i8],
) {
    interleaved(rows, e, sums, bytemuck::cast_slice_mut(out), rounding(e, -128, 127));
}

/// The numbers by which the sums of a row become results, where columns have none of their own.
struct OfRow {
    /// Added to each sum.
    added: i32,
    /// The multiple of a column's sum to be taken away.
    a_zero: i32,
    scale: f32,
}

impl OfRow {
    #[inline(always)]
    fn new(row: &Row<'_>, e: &Epilogue8<'_>) -> Self {
        let (a_zero, rest) = row.a_zero_and_rest(e);
        let (Ok(b_zero), Ok(bias), Ok(scale)) = (
            e.b_zero.in_row(row.row, 0, 0),
            e.bias.in_row(row.row, 0, 0),
            e.scale.in_row(row.row, 0, 0),
        ) else {
            panic!("interleaved results with parameters of columns")
        };
        let added = bias.wrapping_sub(b_zero.wrapping_add(row.b_shift).wrapping_mul(rest));
        Self { added, a_zero, scale }
    }
}

/// Writes the bytes of four rows' results, those of a column side by side, in one pass over the sums.
#[inline(always)]
fn interleaved(
    rows: &[Row<'_>; 4],
    e: &Epilogue8<'_>,
    sums: &[i32],
    out: &mut [u8],
    round: impl Fn(f32) -> i32,
) {
    let (out, _) = out.as_chunks_mut::<4>();
    let Some([r0, r1, r2, r3]) = sums.as_chunks::<MAX_COLUMNS>().0.first_chunk() else { return };
    let numbers = rows.each_ref().map(|row| OfRow::new(row, e));
    let byte = |r: usize, sum: &i32, column: i32| {
        let OfRow { added, a_zero, scale } = numbers[r];
        let sum = sum.wrapping_add(added).wrapping_sub(a_zero.wrapping_mul(column));
        (round(sum as f32 * scale) as u32 & 0xff) << (8 * r)
    };
    let sums = r0.iter().zip(r1).zip(r2).zip(r3);
    // Loops over zipped slices are vectorised; indices leave checks in them.
    if numbers.iter().all(|row| row.a_zero == 0) {
        for (out, (((s0, s1), s2), s3)) in out.iter_mut().zip(sums) {
            let word = byte(0, s0, 0) | byte(1, s1, 0) | byte(2, s2, 0) | byte(3, s3, 0);
            *out = word.to_le_bytes();
        }
    } else {
        let columns = rows[0].column_sums;
        for ((out, (((s0, s1), s2), s3)), &c) in out.iter_mut().zip(sums).zip(columns) {
            let word = byte(0, s0, c) | byte(1, s1, c) | byte(2, s2, c) | byte(3, s3, c);
            *out = word.to_le_bytes();
        }
    }
}

/// To the nearest integer, ties to even, plus the zero point, limited; NaN gives the lower limit.
#[inline(always)]
fn rounding(e: &Epilogue8<'_>, least: i32, greatest: i32) -> impl Fn(f32) -> i32 {
    let (lo, hi) = (e.limits.0.max(least), e.limits.1.min(greatest));
    let zero = e.zero;
    // Limits before the zero point is added, so that huge values stay in range.
    let (lo, hi) = (lo.wrapping_sub(zero) as f32, hi.wrapping_sub(zero) as f32);
    // The greatest `f32` that is an `i32`.
    let hi = hi.min(2_147_483_520.0);
    move |x: f32| {
        let x = x.round_ties_even();
        let x = if x > lo { x } else { lo };
        let x = if x < hi { x } else { hi };
        // SAFETY: not NaN, as comparisons with NaN are false, not above `hi`, and not below -2³¹, as neither limit is.
        unsafe { x.to_int_unchecked::<i32>() }.wrapping_add(zero)
    }
}

#[allow(private_interfaces)]
impl Output8 for i32 {
    fn finish(isa: Isa, row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [i32]) {
        sums_i32(isa, row, e, sums);
        out.copy_from_slice(sums);
    }
}

macro_rules! outputs {
    ($($t:ty: $f:ident $(, $four:ident)?);*) => { $(
        #[allow(private_interfaces)]
        impl Output8 for $t {
            fn finish(isa: Isa, row: &Row<'_>, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [$t]) {
                $f(isa, row, e, sums, out);
            }
            $(fn finish_four(isa: Isa, rows: &[Row<'_>; 4], e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [$t]) {
                $four(isa, rows, e, sums, out);
            })?
        }
    )* };
}
outputs!(f32: to_f32; u8: to_u8, four_to_u8; i8: to_i8, four_to_i8);
