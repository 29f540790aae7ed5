//! Products of blocks whose factors have scales shared by groups along k: decoded and scaled in `f32`, then multiplied.

use trident_ir::element::F8E4M3FN;
use trident_simd::Simd;

use super::operand::{Format, Matrix, Wide};
use super::tile::Tiles;
use super::{Scratch, WIDEST, product};
use crate::routine::narrow::Narrow;
use crate::routine::{Registry, Routine, each_isa};

/// A format of the factors of [`DotScaled`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Factor {
    /// `f8e4m3fn`.
    E4M3 = 0,
    /// `f8e5m2`.
    E5M2 = 1,
    /// Two `f4e2m1fn` per byte, the first in the low half.
    E2M1 = 2,
    /// `bf16`.
    BF16 = 3,
    /// `f16`.
    FP16 = 4,
}

/// One factor of [`DotScaled`]: a contiguous `m × k` (a) or `k × n` (b) block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ScaledFactor {
    /// The elements, row-major and contiguous.
    pub data: *const u8,
    /// Their format.
    pub format: Factor,
    /// For two `e2m1` in a byte: 1 if they are adjacent along k, 0 if along the other axis.
    pub k_pack: u32,
    /// `m × k / group` (a) or `n × k / group` (b) scales, row-major; null if there are none.
    pub scale: *const u8,
    /// Number of elements along k that share a scale.
    pub group: u32,
    /// 0 if the scales are `f8e8m0fnu`, 1 if `f8e4m3fn`.
    pub scale_format: u32,
}

/// The operands of [`Routine::DotScaled`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DotScaled {
    /// Number of products; operands, scales and results of a batch are stored contiguously.
    pub batch: usize,
    /// Rows of a and c.
    pub m: usize,
    /// Columns of b and c.
    pub n: usize,
    /// Columns of a, rows of b, in elements.
    pub k: usize,
    /// The left factor.
    pub a: ScaledFactor,
    /// The right factor.
    pub b: ScaledFactor,
    /// The sums, `batch × m × n`, contiguous.
    pub c: *mut f32,
    /// Scratch of at least [`dot_scaled_scratch_bytes`], aligned to 64 bytes.
    pub scratch: *mut u8,
}

/// Scratch bytes that [`Routine::DotScaled`] needs on any instruction set; `None` if that exceeds the address space.
pub fn dot_scaled_scratch_bytes(m: usize, n: usize, k: usize) -> Option<usize> {
    let panels = n.checked_next_multiple_of(WIDEST)?.checked_mul(k);
    let parts = [m.checked_mul(k), n.checked_mul(k), Some(n), panels];
    parts.into_iter().try_fold(0usize, |sum, part| {
        sum.checked_add(part?.checked_mul(4)?.checked_next_multiple_of(64)?)
    })
}

/// # Safety
/// As `d` says.
#[inline(always)]
unsafe fn dot_scaled<S: Simd<F32: Tiles>>(s: S, d: &DotScaled) {
    let (m, n, k) = (d.m, d.n, d.k);
    for i in 0..d.batch {
        let mut scratch = Scratch(d.scratch);
        let (a, b, scales) = (scratch.take(m * k), scratch.take(k * n), scratch.take(n));
        // SAFETY: the scratch has room for these, which do not overlap; each is fully written before it is read, except
        // the scales, for which any bytes are valid floats.
        let (a, b, scales) = unsafe {
            values(s, &d.a, i, m, k, d.a.k_pack != 0, a);
            values(s, &d.b, i, k, n, d.b.k_pack == 0, b);
            (
                std::slice::from_raw_parts_mut(a, m * k),
                std::slice::from_raw_parts_mut(b, k * n),
                std::slice::from_raw_parts_mut(scales, n),
            )
        };
        if !d.a.scale.is_null() {
            let group = (d.a.group as usize).max(1);
            let per_row = k.div_ceil(group);
            // SAFETY: a has as many scales.
            let codes =
                unsafe { std::slice::from_raw_parts(d.a.scale.add(i * m * per_row), m * per_row) };
            for r in 0..m {
                for p in 0..k {
                    a[r * k + p] *= scale(&d.a, codes[r * per_row + p / group]);
                }
            }
        }
        if !d.b.scale.is_null() {
            let group = (d.b.group as usize).max(1);
            let per_column = k.div_ceil(group);
            // SAFETY: b has as many scales.
            let codes = unsafe {
                std::slice::from_raw_parts(d.b.scale.add(i * n * per_column), n * per_column)
            };
            for p in 0..k {
                if p % group == 0 {
                    for (j, s) in scales.iter_mut().enumerate() {
                        *s = scale(&d.b, codes[j * per_column + p / group]);
                    }
                }
                for (x, s) in b[p * n..(p + 1) * n].iter_mut().zip(&*scales) {
                    *x *= *s;
                }
            }
        }
        let panel = scratch.take(k * n.next_multiple_of(S::F32::COLUMNS));
        let a = Matrix { data: a.as_ptr(), rows: m, cols: k, row: k as isize, col: 1 };
        let b = Matrix { data: b.as_ptr(), rows: k, cols: n, row: n as isize, col: 1 };
        let c = d.c.wrapping_add(i * m * n);
        // SAFETY: the matrices are those above, c has `m` rows of `n`, and the scratch has room for the panel.
        unsafe { product::<S::F32>(s, a, b, c, n as isize, false, panel) };
    }
}

/// The value of a scale of the factor.
#[inline(always)]
fn scale(x: &ScaledFactor, code: u8) -> f32 {
    if x.scale_format == 0 {
        trident_ir::element::F8E8M0FNU(code).to_f32()
    } else {
        F8E4M3FN(code).decode()
    }
}

/// Writes item `i` of a factor, a block of `rows × columns`; `along` says whether two `e2m1` in a byte are adjacent in
/// a row (otherwise in a column).
///
/// # Safety
/// The factor has item `i`, and `out` is writable.
#[inline(always)]
unsafe fn values<S: Simd>(
    s: S,
    x: &ScaledFactor,
    i: usize,
    rows: usize,
    columns: usize,
    along: bool,
    out: *mut f32,
) {
    let n = rows * columns;
    // SAFETY: item `i` is as large as the format says, and so is `out`.
    unsafe {
        match x.format {
            Factor::E4M3 => f32::widen(s, Format::F8E4M3FN, out, x.data.add(i * n), n),
            Factor::E5M2 => f32::widen(s, Format::F8E5M2, out, x.data.add(i * n), n),
            Factor::BF16 => f32::widen(s, Format::BF16, out, x.data.add(2 * i * n), n),
            Factor::FP16 => f32::widen(s, Format::F16, out, x.data.add(2 * i * n), n),
            Factor::E2M1 if along => {
                let data = x.data.add(i * n / 2);
                for p in 0..n / 2 {
                    let byte = u32::from(*data.add(p));
                    *out.add(2 * p) = e2m1(byte & 15);
                    *out.add(2 * p + 1) = e2m1(byte >> 4);
                }
            }
            Factor::E2M1 => {
                let data = x.data.add(i * n / 2);
                for r in 0..rows / 2 {
                    let (even, odd) = (out.add(2 * r * columns), out.add((2 * r + 1) * columns));
                    for j in 0..columns {
                        let byte = u32::from(*data.add(r * columns + j));
                        *even.add(j) = e2m1(byte & 15);
                        *odd.add(j) = e2m1(byte >> 4);
                    }
                }
            }
        }
    }
}

/// The value of four bits: their fields are moved to those of `f32` and rescaled, so that subnormals map to subnormals.
#[inline(always)]
fn e2m1(code: u32) -> f32 {
    let magnitude = f32::from_bits((code & 7) << 22) * f32::from_bits(253 << 23);
    f32::from_bits(magnitude.to_bits() | (code & 8) << 28)
}

pub(super) fn register(registry: &mut Registry) {
    let addresses = each_isa!(|s| fn(args: *const DotScaled) {
        // SAFETY: compiled code passes an argument block on its stack, filled as the fields of `DotScaled` say.
        unsafe { dot_scaled(s, &*args) }
    });
    registry.add(Routine::DotScaled, addresses);
}
