//! Ops that move elements: each is a map between views. Elements are moved as integers of their width.

use trident_ir::{DType, geometry};

use super::elementwise::map;
use super::site::{Site, unsupported};
use super::space::{View, signed};
use super::{Arg, Refusal, Result};

/// The type under which elements are moved.
pub(super) fn bits(dtype: DType) -> Result<DType> {
    Ok(match dtype {
        DType::Str => return Err(unsupported("elements of text have no fixed size")),
        _ => match dtype.size() {
            1 => DType::U8,
            2 => DType::U16,
            4 => DType::U32,
            8 => DType::U64,
            n => return Err(unsupported(format!("elements of {n} bytes are not moved"))),
        },
    })
}

/// The type that elements have in memory: integers shorter than a byte take one.
pub(super) fn stored(dtype: DType) -> DType {
    match dtype {
        DType::I4 | DType::I2 => DType::I8,
        DType::U4 | DType::U2 => DType::U8,
        other => other,
    }
}

/// Copies the elements of one view to the places of another.
pub(super) fn copy(site: &mut Site<'_>, dims: &[usize], from: View, to: View) -> Result<()> {
    map(site, dims, vec![from], to, |_, xs| Ok(xs[0]))
}

/// The same elements in other dimensions.
pub(super) fn alias(site: &mut Site<'_>) -> Result<()> {
    site.dtype(0)?;
    site.alias(0, 0);
    Ok(())
}

/// Operand 0 under other strides, as result 0.
fn strided(site: &mut Site<'_>, dtype: DType, start: isize, strides: Vec<isize>) -> Result<()> {
    let dims = site.result_dims(0)?;
    let from = View { array: Arg::Operand(0), dtype, start, strides };
    copy(site, dims, from, View::dense(Arg::Result(0), dtype, dims))
}

pub(super) fn transpose(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let dims = site.dims(0)?;
    let perm = geometry::permutation(site.op.ints("perm"), dims.len())?;
    let own = signed(&geometry::strides(dims));
    strided(site, dtype, 0, perm.iter().map(|&axis| own[axis]).collect())
}

pub(super) fn slice(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let dims = site.dims(0)?;
    let bounds = |i| site.ints(i).map(Option::unwrap_or_default);
    let (starts, ends) = (bounds(1)?, bounds(2)?);
    let (axes, steps) = (site.ints(3)?, site.ints(4)?);
    let cuts = geometry::slices(dims, &starts, &ends, axes.as_deref(), steps.as_deref())?;
    let own = signed(&geometry::strides(dims));
    let start = cuts.iter().zip(&own).map(|(cut, stride)| cut.start as isize * stride).sum();
    let strides = cuts.iter().zip(&own).map(|(cut, stride)| cut.step as isize * stride).collect();
    strided(site, dtype, start, strides)
}

pub(super) fn expand(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let (from, to) = (site.dims(0)?, site.result_dims(0)?);
    strided(site, dtype, 0, signed(&geometry::broadcast_strides(from, to)))
}

pub(super) fn tile(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let (from, to) = (site.dims(0)?, site.result_dims(0)?);
    let own = signed(&geometry::strides(from));
    let (mut dims, mut strides) = (vec![], vec![]);
    for ((&n, &all), stride) in from.iter().zip(to).zip(own) {
        dims.extend([all.checked_div(n).unwrap_or(0), n]);
        strides.extend([0, stride]);
    }
    let from = View { array: Arg::Operand(0), dtype, start: 0, strides };
    let to = View::dense(Arg::Result(0), dtype, &dims);
    copy(site, &dims, from, to)
}

/// A part of an array: `dims` of its elements, from index `start` along one axis on.
fn part(array: Arg, dtype: DType, whole: &[usize], axis: usize, start: usize) -> View {
    let strides = signed(&geometry::strides(whole));
    View { array, dtype, start: start as isize * strides[axis], strides }
}

pub(super) fn concat(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let whole = site.result_dims(0)?;
    let axis = geometry::axis(site.op.int("axis").unwrap_or(0), whole.len())?;
    let mut start = 0;
    for i in 0..site.operands() {
        let dims = site.dims(i)?;
        let to = part(Arg::Result(0), dtype, whole, axis, start);
        copy(site, dims, View::dense(Arg::Operand(i), dtype, dims), to)?;
        start += dims[axis];
    }
    Ok(())
}

pub(super) fn split(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let whole = site.dims(0)?;
    let axis = geometry::axis(site.op.int("axis").unwrap_or(0), whole.len())?;
    let sizes = site.ints(1)?;
    let parts = site.op.int("num_outputs").map_or(site.results(), |n| n.max(0) as usize);
    let mut start = 0;
    for (i, n) in geometry::split(whole[axis], sizes.as_deref(), parts)?.into_iter().enumerate() {
        if site.wants(i) {
            let dims = site.result_dims(i)?;
            let from = part(Arg::Operand(0), dtype, whole, axis, start);
            copy(site, dims, from, View::dense(Arg::Result(i), dtype, dims))?;
        }
        start += n;
    }
    Ok(())
}

/// Reads operand 0 as if it had `dims`, with its axes in the order `perm`.
fn permuted(site: &mut Site<'_>, dtype: DType, dims: &[usize], perm: &[usize]) -> Result<()> {
    let own = signed(&geometry::strides(dims));
    let strides = perm.iter().map(|&axis| own[axis]).collect();
    let from = View { array: Arg::Operand(0), dtype, start: 0, strides };
    let dims = geometry::transpose(dims, perm);
    let to = View::dense(Arg::Result(0), dtype, &dims);
    copy(site, &dims, from, to)
}

/// Batch, channels, rows and columns, and the size of blocks of space.
fn blocks(site: &Site<'_>) -> Result<([usize; 4], usize)> {
    let size = site.op.int("blocksize").and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0);
    let size = size.ok_or_else(|| unsupported("the block size is not positive"))?;
    match *site.dims(0)? {
        [n, c, h, w] => Ok(([n, c, h, w], size)),
        ref dims => Err(Refusal::Geometry(geometry::GeometryError::Invalid(format!(
            "{dims:?} are not four axes"
        )))),
    }
}

pub(super) fn depth_to_space(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let ([n, c, h, w], b) = blocks(site)?;
    let inner = c / (b * b);
    match site.op.str("mode") {
        Some("CRD") => permuted(site, dtype, &[n, inner, b, b, h, w], &[0, 1, 4, 2, 5, 3]),
        _ => permuted(site, dtype, &[n, b, b, inner, h, w], &[0, 3, 4, 1, 5, 2]),
    }
}

pub(super) fn space_to_depth(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let ([n, c, h, w], b) = blocks(site)?;
    let dims = [n, c, h / b, b, w / b, b];
    match site.op.str("mode") {
        Some("CRD") => permuted(site, dtype, &dims, &[0, 1, 3, 5, 2, 4]),
        _ => permuted(site, dtype, &dims, &[0, 3, 5, 1, 2, 4]),
    }
}

pub(super) fn filled(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.result_dtype(0)?)?;
    let value = match site.op.attrs.get("value") {
        Some(trident_ir::Attr::Tensor(literal)) => match literal.data() {
            trident_ir::literal::LiteralData::Bytes(bytes) => {
                let mut word = [0; 8];
                let n = bytes.len().min(dtype.size());
                word[..n].copy_from_slice(&bytes[..n]);
                i64::from_le_bytes(word)
            }
            trident_ir::literal::LiteralData::Strings(_) => {
                return Err(unsupported("elements of text have no fixed size"));
            }
        },
        _ => 0,
    };
    fill(site, dtype, value)
}

/// Writes the same bits to all of result 0.
pub(super) fn fill(site: &mut Site<'_>, dtype: DType, value: i64) -> Result<()> {
    let dims = site.result_dims(0)?;
    let to = View::dense(Arg::Result(0), dtype, dims);
    map(site, dims, vec![], to, |w, _| w.literal(dtype, value))
}

/// The operand itself: only training drops elements.
pub(super) fn dropout(site: &mut Site<'_>) -> Result<()> {
    site.dtype(0)?;
    if site.ints(2)?.is_some_and(|training| training != [0]) {
        return Err(unsupported("training is not written at level tile"));
    }
    site.alias(0, 0);
    if !site.wants(1) {
        return Ok(());
    }
    let dims = site.result_dims(1)?;
    let to = View::dense(Arg::Result(1), DType::U8, dims);
    map(site, dims, vec![], to, |w, _| w.literal(DType::U8, 1))
}
