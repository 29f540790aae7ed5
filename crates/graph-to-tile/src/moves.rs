//! Ops that move elements: each is a map between views. Elements are moved as integers of their width.

use trident_ir::literal::LiteralData;
use trident_ir::op::words::BlockOrder;
use trident_ir::{DType, geometry, ops};

use super::elementwise::map;
use super::site::{FIRST, Site, unsupported};
use super::space::{View, signed};
use super::{Arg, Entry, Refusal, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::Identity::KIND, alias),
    entry(ops::Reshape::KIND, alias),
    entry(ops::Squeeze::KIND, alias),
    entry(ops::Unsqueeze::KIND, alias),
    entry(ops::Flatten::KIND, alias),
    entry(ops::Transpose::KIND, transpose),
    entry(ops::Slice::KIND, slice),
    entry(ops::Expand::KIND, expand),
    entry(ops::Tile::KIND, tile),
    entry(ops::Concat::KIND, concat),
    entry(ops::Split::KIND, split),
    entry(ops::DepthToSpace::KIND, depth_to_space),
    entry(ops::SpaceToDepth::KIND, space_to_depth),
    entry(ops::ConstantOfShape::KIND, filled),
    entry(ops::Dropout::KIND, dropout),
];

/// The type under which elements are moved.
pub(super) fn bits(dtype: DType) -> Result<DType> {
    Ok(match dtype {
        DType::Str => return Err(unsupported("elements of text have no fixed size")),
        _ => match dtype.size() {
            1 => DType::U8,
            2 => DType::U16,
            4 => DType::U32,
            8 => DType::U64,
            n => return Err(unsupported(format!("elements of {n} bytes are not supported"))),
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
fn alias(site: &mut Site<'_>) -> Result<()> {
    site.dtype(FIRST)?;
    site.alias(FIRST, FIRST);
    Ok(())
}

/// The first operand under other strides, as the first result.
fn strided(site: &mut Site<'_>, dtype: DType, start: isize, strides: Vec<isize>) -> Result<()> {
    let dims = site.result_dims(FIRST)?;
    let from = View { array: Arg::Operand(FIRST), dtype, start, strides };
    copy(site, dims, from, View::dense(Arg::Result(FIRST), dtype, dims))
}

fn transpose(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Transpose::AT.x)?)?;
    let dims = site.dims(ops::Transpose::AT.x)?;
    let perm = geometry::permutation(site.view(ops::Transpose::of)?.perm(), dims.len())?;
    let own = signed(&geometry::strides(dims));
    strided(site, dtype, 0, perm.iter().map(|&axis| own[axis]).collect())
}

fn slice(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Slice::AT.x)?)?;
    let dims = site.dims(ops::Slice::AT.x)?;
    let bounds = |i| site.ints(i).map(Option::unwrap_or_default);
    let (starts, ends) = (bounds(ops::Slice::AT.starts)?, bounds(ops::Slice::AT.ends)?);
    let (axes, steps) = (site.ints(ops::Slice::AT.axes)?, site.ints(ops::Slice::AT.steps)?);
    let cuts = geometry::slices(dims, &starts, &ends, axes.as_deref(), steps.as_deref())?;
    let own = signed(&geometry::strides(dims));
    let start = cuts.iter().zip(&own).map(|(cut, stride)| cut.start as isize * stride).sum();
    let strides = cuts.iter().zip(&own).map(|(cut, stride)| cut.step as isize * stride).collect();
    strided(site, dtype, start, strides)
}

fn expand(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Expand::AT.x)?)?;
    let (from, to) = (site.dims(ops::Expand::AT.x)?, site.result_dims(ops::Expand::AT.y)?);
    strided(site, dtype, 0, signed(&geometry::broadcast_strides(from, to)))
}

fn tile(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Tile::AT.x)?)?;
    let (from, to) = (site.dims(ops::Tile::AT.x)?, site.result_dims(ops::Tile::AT.y)?);
    let own = signed(&geometry::strides(from));
    let (mut dims, mut strides) = (vec![], vec![]);
    for ((&n, &all), stride) in from.iter().zip(to).zip(own) {
        dims.extend([all.checked_div(n).unwrap_or(0), n]);
        strides.extend([0, stride]);
    }
    let from = View { array: Arg::Operand(ops::Tile::AT.x), dtype, start: 0, strides };
    let to = View::dense(Arg::Result(ops::Tile::AT.y), dtype, &dims);
    copy(site, &dims, from, to)
}

/// A part of an array: `dims` of its elements, from index `start` along one axis on.
fn part(array: Arg, dtype: DType, whole: &[usize], axis: usize, start: usize) -> View {
    let strides = signed(&geometry::strides(whole));
    View { array, dtype, start: start as isize * strides[axis], strides }
}

fn concat(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Concat::AT.xs)?)?;
    let whole = site.result_dims(ops::Concat::AT.y)?;
    let axis = geometry::axis(site.view(ops::Concat::of)?.axis(), whole.len())?;
    let mut start = 0;
    for i in 0..site.operands() {
        let dims = site.dims(i)?;
        let to = part(Arg::Result(ops::Concat::AT.y), dtype, whole, axis, start);
        copy(site, dims, View::dense(Arg::Operand(i), dtype, dims), to)?;
        start += dims[axis];
    }
    Ok(())
}

fn split(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Split::AT.x)?)?;
    let whole = site.dims(ops::Split::AT.x)?;
    let op = site.view(ops::Split::of)?;
    let axis = geometry::axis(op.axis(), whole.len())?;
    let sizes = site.ints(ops::Split::AT.split)?;
    let parts = op.num_outputs().map_or(site.results(), |n| n.max(0) as usize);
    let mut start = 0;
    for (i, n) in geometry::split(whole[axis], sizes.as_deref(), parts)?.into_iter().enumerate() {
        if site.wants(i) {
            let dims = site.result_dims(i)?;
            let from = part(Arg::Operand(ops::Split::AT.x), dtype, whole, axis, start);
            copy(site, dims, from, View::dense(Arg::Result(i), dtype, dims))?;
        }
        start += n;
    }
    Ok(())
}

/// Reads the first operand as if it had `dims`, with its axes in the order `perm`.
fn permuted(site: &mut Site<'_>, dtype: DType, dims: &[usize], perm: &[usize]) -> Result<()> {
    let own = signed(&geometry::strides(dims));
    let strides = perm.iter().map(|&axis| own[axis]).collect();
    let from = View { array: Arg::Operand(FIRST), dtype, start: 0, strides };
    let dims = geometry::transpose(dims, perm);
    let to = View::dense(Arg::Result(FIRST), dtype, &dims);
    copy(site, &dims, from, to)
}

/// Batch, channels, rows and columns, and the size of blocks of space.
fn blocks(site: &Site<'_>) -> Result<([usize; 4], usize)> {
    let size = site.view(ops::Blocks::of)?.blocksize();
    let size = usize::try_from(size).ok().filter(|&n| n > 0);
    let size = size.ok_or_else(|| unsupported("the block size is not positive"))?;
    match *site.dims(FIRST)? {
        [n, c, h, w] => Ok(([n, c, h, w], size)),
        ref dims => Err(Refusal::Geometry(geometry::GeometryError::Invalid(format!(
            "its input has dimensions {dims:?}, expected four"
        )))),
    }
}

fn depth_to_space(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::DepthToSpace::AT.x)?)?;
    let ([n, c, h, w], b) = blocks(site)?;
    let inner = c / (b * b);
    match site.view(ops::DepthToSpace::of)?.mode() {
        BlockOrder::DepthFirst => {
            permuted(site, dtype, &[n, inner, b, b, h, w], &[0, 1, 4, 2, 5, 3])
        }
        BlockOrder::DepthLast => {
            permuted(site, dtype, &[n, b, b, inner, h, w], &[0, 3, 4, 1, 5, 2])
        }
    }
}

fn space_to_depth(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::SpaceToDepth::AT.x)?)?;
    let ([n, c, h, w], b) = blocks(site)?;
    let dims = [n, c, h / b, b, w / b, b];
    match site.view(ops::SpaceToDepth::of)?.mode() {
        BlockOrder::DepthFirst => permuted(site, dtype, &dims, &[0, 1, 3, 5, 2, 4]),
        BlockOrder::DepthLast => permuted(site, dtype, &dims, &[0, 3, 5, 1, 2, 4]),
    }
}

fn filled(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.result_dtype(ops::ConstantOfShape::AT.output)?)?;
    let value = match site.view(ops::ConstantOfShape::of)?.value() {
        Some(literal) => match literal.data() {
            LiteralData::Bytes(bytes) => {
                let mut word = [0; 8];
                let n = bytes.len().min(dtype.size());
                word[..n].copy_from_slice(&bytes[..n]);
                i64::from_le_bytes(word)
            }
            LiteralData::Strings(_) => {
                return Err(unsupported("elements of text have no fixed size"));
            }
        },
        None => 0,
    };
    fill(site, dtype, value)
}

/// Writes the same bits to all of the first result.
pub(super) fn fill(site: &mut Site<'_>, dtype: DType, value: i64) -> Result<()> {
    let dims = site.result_dims(FIRST)?;
    let to = View::dense(Arg::Result(FIRST), dtype, dims);
    map(site, dims, vec![], to, |w, _| w.literal(dtype, value))
}

/// The operand itself: only training drops elements.
fn dropout(site: &mut Site<'_>) -> Result<()> {
    site.dtype(ops::Dropout::AT.x)?;
    if site.ints(ops::Dropout::AT.training_mode)?.is_some_and(|training| training != [0]) {
        return Err(unsupported("training mode is not supported"));
    }
    site.alias(ops::Dropout::AT.y, ops::Dropout::AT.x);
    if !site.wants(ops::Dropout::AT.mask) {
        return Ok(());
    }
    let dims = site.result_dims(ops::Dropout::AT.mask)?;
    let to = View::dense(Arg::Result(ops::Dropout::AT.mask), DType::U8, dims);
    map(site, dims, vec![], to, |w, _| w.literal(DType::U8, 1))
}
