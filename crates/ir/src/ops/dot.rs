//! Products of blocks.

use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::op::words::ScaledFormat;
use crate::tile::{Site, Types, one};
use crate::{DType, Type, counted, ops};

ops! {
    /// a·b + c for [m, k], [k, n], [m, n], or with a leading batch axis. `precision` allows f32 factors to be rounded; the interpreter and all devices keep all of their bits.
    /// The sum is of c's element type.
    Dot "dot" Tile (a, b, c) -> (y: Same(2)) { precision: DotPrecision = DotPrecision::Ieee } tile dot_types;
    /// a·b + c where groups of 32 (or 16) factors along k share a scale 2^(s − 127) (e8m0, NaN for 0xff) or an e4m3 one.
    /// e2m1 holds two values a byte, the low half first, along k, or
    /// along m (n) where `a_k_pack` (`b_k_pack`) is 0. Scales are [m, k/32] and [n, k/32]; a missing one is 1.
    DotScaled "dot_scaled" Tile (a, b, c, a_scale[opt], b_scale[opt]) -> (y: Same(2)) {
        a_format: ScaledFormat, b_format: ScaledFormat, a_k_pack: Flag = true, b_k_pack: Flag = true,
        fast_math: Flag = false,
    } tile dot_scaled_types;
}

/// The element types that hold factors of a format.
fn holders(format: ScaledFormat) -> &'static [DType] {
    match format {
        ScaledFormat::E4M3 => &[DType::F8E4M3FN],
        ScaledFormat::E5M2 => &[DType::F8E5M2],
        ScaledFormat::E2M1 => &[DType::I8, DType::U8],
        ScaledFormat::Bf16 => &[DType::BF16],
        ScaledFormat::Fp16 => &[DType::F16],
    }
}

fn dot_types(site: &Site<'_>) -> Types {
    let (a, a_dims) = site.elements(0, "numbers", |d| d != DType::Bool)?;
    let (b, b_dims) = site.elements(1, "numbers", |d| d != DType::Bool)?;
    let narrow = |d: DType| d.is_float() && d.bits() == 8;
    if a != b && !(narrow(a) && narrow(b)) {
        return Err(site.wrong(1, format!("a block of {a}")));
    }
    product(site, &a_dims, &b_dims, a.is_float())
}

/// The type of the sum, with dimensions [m, n] for factors [m, k] and [k, n], possibly after a batch axis.
fn product(site: &Site<'_>, a: &[usize], b: &[usize], float: bool) -> Types {
    let ([.., m, k], 2 | 3) = (a, a.len()) else {
        return Err(site.wrong(0, "a block of rank 2 or 3"));
    };
    let batch = &a[..a.len() - 2];
    let n = match b {
        [b_batch @ .., rows, n] if b_batch == batch && rows == k => n,
        _ => {
            return Err(site
                .wrong(1, format!("{}, and axes before these as {batch:?}", counted(*k, "row"))));
        }
    };
    let (what, takes): (_, fn(DType) -> bool) =
        if float { ("floats", DType::is_float) } else { ("integers", DType::is_int) };
    let (c, _) = site.elements(2, what, takes)?;
    let ty = Type::fixed(c, &[batch, &[*m, *n]].concat());
    site.expect(2, &ty)?;
    one(ty)
}

fn dot_scaled_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::DotScaled::of)?, ops::DotScaled::AT);
    let a = factor(site, at.a, op.a_format(), op.a_k_pack())?;
    let b = factor(site, at.b, op.b_format(), op.b_k_pack())?;
    scale(site, 3, &a, a.len() - 2, a.len() - 1)?;
    scale(site, 4, &b, b.len() - 1, b.len() - 2)?;
    product(site, &a, &b, true)
}

/// The dimensions of a factor after unpacking.
fn factor(
    site: &Site<'_>,
    index: usize,
    format: ScaledFormat,
    along_k: bool,
) -> Result<Vec<usize>, TypeError> {
    let held = holders(format);
    let (_, mut dims) =
        site.elements(index, &format!("what holds {format}"), |d| held.contains(&d))?;
    if !(2..=3).contains(&dims.len()) {
        return Err(site.wrong(index, "a block of rank 2 or 3"));
    }
    if format == ScaledFormat::E2M1 {
        // The last axis of a and the last but one of b is k.
        let packed = dims.len() - if along_k == (index == 0) { 1 } else { 2 };
        dims[packed] =
            dims[packed].checked_mul(2).ok_or_else(|| site.wrong(index, "fewer elements"))?;
    }
    Ok(dims)
}

/// A scale has the batch axes, then the rows of a or the columns of b, then one for each 32 or 16 factors along k.
fn scale(
    site: &Site<'_>,
    index: usize,
    factor: &[usize],
    row: usize,
    k: usize,
) -> Result<(), TypeError> {
    if site.optional(index).is_none() {
        return Ok(());
    }
    let held = |d| matches!(d, DType::I8 | DType::U8 | DType::F8E4M3FN);
    let (_, dims) = site.elements(index, "i8, u8 or f8e4m3fn", held)?;
    let expected =
        |group| [&factor[..factor.len() - 2], &[factor[row], factor[k] / group]].concat();
    let fits = |group: usize| factor[k].is_multiple_of(group) && dims == expected(group);
    match fits(32) || fits(16) {
        true => Ok(()),
        false => {
            let (wide, narrow) = (expected(32), expected(16));
            Err(site.wrong(index, format!("dimensions {wide:?} or {narrow:?}")))
        }
    }
}
