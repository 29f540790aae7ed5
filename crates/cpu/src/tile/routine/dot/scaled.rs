//! Products of blocks whose factors share scales in groups along k: decoded and scaled in `f32`, then multiplied.

// The contract of each function is that of `DotScaled`.
#![allow(unsafe_op_in_unsafe_fn)]

use half::bf16;
use trident_ir::element::{F8E4M3FN, F8E5M2};

use super::operand::{Matrix, decode};
use super::tile::Tiles;
use super::{Scratch, WIDEST, product};
use crate::narrow::Narrow;
use crate::simd::Float32;
use crate::tile::routine::convert::from_f16;
use crate::tile::routine::{Registry, Routine, each_isa};

/// A format of the factors of [`DotScaled`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Factor {
    /// `f8e4m3fn`.
    E4M3 = 0,
    /// `f8e5m2`.
    E5M2 = 1,
    /// Two `f4e2m1fn` a byte, the first in the low half.
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
    /// The elements, row-major without gaps.
    pub data: *const u8,
    /// Their format.
    pub format: Factor,
    /// Of two `e2m1` in a byte: 1 if they are neighbours along k, 0 if along the other axis.
    pub k_pack: u32,
    /// `m × k / group` (a) or `n × k / group` (b) scales, row-major; null for none.
    pub scale: *const u8,
    /// Factors along k that share a scale.
    pub group: u32,
    /// 0 if the scales are `f8e8m0fnu`, 1 if `f8e4m3fn`.
    pub scale_format: u32,
}

/// The operands of [`Routine::DotScaled`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DotScaled {
    /// Number of products; operands, scales and results of a batch follow each other without gaps.
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
    /// `batch × m × n` without gaps.
    pub c: *mut f32,
    /// At least [`dot_scaled_scratch_bytes`], aligned to 64 bytes.
    pub scratch: *mut u8,
}

/// What [`Routine::DotScaled`] needs as scratch, on any instruction set; `None` if that exceeds the address space.
pub fn dot_scaled_scratch_bytes(m: usize, n: usize, k: usize) -> Option<usize> {
    let panels = n.checked_next_multiple_of(WIDEST)?.checked_mul(k);
    let parts = [m.checked_mul(k), n.checked_mul(k), Some(n), panels];
    parts.into_iter().try_fold(0usize, |sum, part| {
        sum.checked_add(part?.checked_mul(4)?.checked_next_multiple_of(64)?)
    })
}

#[inline(always)]
unsafe fn dot_scaled<V: Tiles + Float32>(d: &DotScaled) {
    let (m, n, k) = (d.m, d.n, d.k);
    for i in 0..d.batch {
        let mut scratch = Scratch(d.scratch);
        let a = scratch.take::<f32>(m * k);
        let b = scratch.take::<f32>(k * n);
        let scales = scratch.take::<f32>(n);
        values::<V>(&d.a, i, m, k, d.a.k_pack != 0, a);
        values::<V>(&d.b, i, k, n, d.b.k_pack == 0, b);
        if !d.a.scale.is_null() {
            let group = (d.a.group as usize).max(1);
            let per_row = k.div_ceil(group);
            for r in 0..m {
                for p in 0..k {
                    let s = scale(&d.a, (i * m + r) * per_row + p / group);
                    *a.add(r * k + p) *= s;
                }
            }
        }
        if !d.b.scale.is_null() {
            let group = (d.b.group as usize).max(1);
            let per_column = k.div_ceil(group);
            for p in 0..k {
                if p % group == 0 {
                    for j in 0..n {
                        *scales.add(j) = scale(&d.b, (i * n + j) * per_column + p / group);
                    }
                }
                for j in 0..n {
                    *b.add(p * n + j) *= *scales.add(j);
                }
            }
        }
        let panel = scratch.take(k * n.next_multiple_of(V::COLUMNS));
        let a = Matrix { data: a.cast_const(), rows: m, cols: k, row: k as isize, col: 1 };
        let b = Matrix { data: b.cast_const(), rows: k, cols: n, row: n as isize, col: 1 };
        product::<V>(a, b, d.c.add(i * m * n), n as isize, false, panel);
    }
}

/// Scale number `i`.
#[inline(always)]
unsafe fn scale(x: &ScaledFactor, i: usize) -> f32 {
    let code = *x.scale.add(i);
    if x.scale_format == 0 {
        trident_ir::element::F8E8M0FNU(code).to_f32()
    } else {
        F8E4M3FN(code).decode()
    }
}

/// Writes item `i` of a factor, a block of `rows × columns`; `along` tells whether two `e2m1` in a byte are neighbours in a
/// row (else in a column).
#[inline(always)]
unsafe fn values<V: Float32>(
    x: &ScaledFactor,
    i: usize,
    rows: usize,
    columns: usize,
    along: bool,
    out: *mut f32,
) {
    let n = rows * columns;
    match x.format {
        Factor::E4M3 => decode(out, x.data.cast::<F8E4M3FN>().add(i * n), n),
        Factor::E5M2 => decode(out, x.data.cast::<F8E5M2>().add(i * n), n),
        Factor::BF16 => decode(out, x.data.cast::<bf16>().add(i * n), n),
        Factor::FP16 => from_f16::<V>(out, x.data.cast::<u16>().add(i * n), n),
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

/// The value of four bits: the fields at the places of `f32`, whose subnormal numbers take those of the format.
#[inline(always)]
fn e2m1(code: u32) -> f32 {
    let magnitude = f32::from_bits((code & 7) << 22) * f32::from_bits(253 << 23);
    f32::from_bits(magnitude.to_bits() | (code & 8) << 28)
}

pub(super) fn register(registry: &mut Registry) {
    let addresses = each_isa!(fn(args: *const DotScaled) {
        // SAFETY: the caller keeps the contract of `DotScaled`.
        unsafe { dot_scaled::<F32>(&*args) }
    });
    registry.add(Routine::DotScaled, addresses);
}
