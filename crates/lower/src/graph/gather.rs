//! Ops that choose elements by index. An index outside of its axis is a fault; nothing is read or written for it.

use trident_ir::{DType, OpKind as K, ValueId, counted, geometry};

use super::moves::bits;
use super::site::{Site, unsupported};
use super::space::signed;
use super::writer::Writer;
use super::{Arg, Result};

/// Elements that one program moves.
const BLOCK: usize = 1024;

/// What a fault means.
const OUTSIDE: &str = "an index is outside of its axis";

/// Indices of an operand along axes of `dim` elements.
struct Indices {
    base: ValueId,
    fault: ValueId,
}

impl Indices {
    fn new(site: &mut Site<'_>, w: &mut Writer, i: usize) -> Result<Indices> {
        site.fault(OUTSIDE);
        let base = w.array(Arg::Operand(i), site.dtype(i)?)?;
        let fault = w.array(Arg::Fault, DType::I32)?;
        Ok(Indices { base, fault })
    }

    /// The indices at some offsets, counted from the start of the axis, and which of them are in it.
    fn at(
        &self,
        w: &mut Writer,
        offset: ValueId,
        mask: ValueId,
        dim: usize,
    ) -> Result<(ValueId, ValueId)> {
        let given = w.load_or_zero(self.base, offset, mask)?;
        // Compared in the type of the indices, of which an index need not hold all.
        let dtype = w.dtype(given);
        let (n, zero) = (w.size(dim)?, w.literal(dtype, 0)?);
        let n = w.cast(n, dtype)?;
        let below = w.less(given, zero)?;
        let wrapped = w.add(given, n)?;
        let index = w.select(below, wrapped, given)?;
        let (under, over) = (w.less(index, zero)?, w.op(K::GreaterOrEqual, &[index, n])?);
        let outside = w.op(K::Or, &[under, over])?;
        let inside = w.op(K::Not, &[outside])?;
        let wrong = w.and(mask, outside)?;
        let (place, one) = (w.int(0)?, w.literal(DType::I32, 1)?);
        let place = w.spread_like(place, wrong)?;
        w.store(self.fault, place, one, wrong)?;
        let inside = w.and(mask, inside)?;
        Ok((w.index(index)?, inside))
    }
}

/// Which way elements move.
enum Way {
    /// From the places of operand 0 that indices choose.
    Gather,
    /// From operand 2 to the places of the result that indices choose.
    Scatter,
}

/// Moves `len` elements. For each, `offset` tells the chosen place in an array of the dimensions of operand 0, and whether it is there.
fn moved(
    site: &mut Site<'_>,
    way: Way,
    dtype: DType,
    len: usize,
    offset: impl FnOnce(&mut Writer, &Indices, ValueId, ValueId) -> Result<(ValueId, ValueId)>,
) -> Result<()> {
    let mut w = site.writer(len.max(site.dims(0)?.iter().product()));
    let chosen = Indices::new(site, &mut w, 1)?;
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let (offset, inside) = offset(&mut w, &chosen, linear, mask)?;
    let (operand, from, to) = match way {
        Way::Gather => (0, offset, linear),
        Way::Scatter => (2, linear, offset),
    };
    let base = w.array(Arg::Operand(operand), dtype)?;
    let value = w.load(base, from, Some(inside), None)?;
    let base = w.array(Arg::Result(0), dtype)?;
    w.store(base, to, value, inside)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}

/// Slices along an axis.
pub(super) fn gather(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let (x, indices) = (site.dims(0)?, site.dims(1)?);
    let axis = geometry::axis(site.op.int("axis").unwrap_or(0), x.len())?;
    let count: usize = indices.iter().product();
    let (outer, inner): (usize, usize) =
        (x[..axis].iter().product(), x[axis + 1..].iter().product());
    moved(site, Way::Gather, dtype, outer * count * inner, |w, chosen, linear, mask| {
        let place = w.unravel(linear, &[outer, count, inner])?;
        let (index, inside) = chosen.at(w, place[1], mask, x[axis])?;
        let strides = signed(&geometry::strides(&[outer, x[axis], inner]));
        let from = w.offset(&[place[0], index, place[2]], &strides, 0)?;
        Ok((from.ok_or_else(|| unsupported("lacks axes"))?, inside))
    })
}

/// Elements along an axis, for each place of the indices.
pub(super) fn gather_elements(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    elements(site, Way::Gather, dtype)
}

/// Moves an element for each place of the indices, which choose its place along an axis.
fn elements(site: &mut Site<'_>, way: Way, dtype: DType) -> Result<()> {
    let (x, dims) = (site.dims(0)?, site.dims(1)?);
    let axis = geometry::axis(site.op.int("axis").unwrap_or(0), x.len())?;
    moved(site, way, dtype, dims.iter().product(), |w, chosen, linear, mask| {
        let (index, inside) = chosen.at(w, linear, mask, x[axis])?;
        Ok((element(w, linear, dims, x, axis, index)?, inside))
    })
}

/// The offset in an array of `dims` of a place of `among` whose index along the axis is another one.
fn element(
    w: &mut Writer,
    linear: ValueId,
    among: &[usize],
    dims: &[usize],
    axis: usize,
    index: ValueId,
) -> Result<ValueId> {
    let mut place = w.unravel(linear, among)?;
    place[axis] = index;
    let offset = w.offset(&place, &signed(&geometry::strides(dims)), 0)?;
    offset.ok_or_else(|| unsupported("lacks axes"))
}

/// The slices of an array that tuples of indices name.
struct Slices {
    /// Length of a tuple, and the axes before it that array and indices share.
    tuple: usize,
    batch: usize,
    /// Elements of a slice, and number of slices.
    inner: usize,
    count: usize,
}

impl Slices {
    fn of(x: &[usize], indices: &[usize], batch: usize) -> Result<Slices> {
        let bad = || {
            geometry::GeometryError::Invalid(format!(
                "indices {indices:?} do not fit {x:?} with {}",
                counted(batch, "batch axis")
            ))
        };
        let (&tuple, outer) = indices.split_last().ok_or_else(bad)?;
        if batch > outer.len() || batch + tuple > x.len() || indices[..batch] != x[..batch] {
            return Err(bad().into());
        }
        let (inner, count) = (x[batch + tuple..].iter().product(), outer.iter().product());
        Ok(Slices { tuple, batch, inner, count })
    }

    /// The offset of the elements in slices and in the array, and which of them there are.
    fn offset(
        &self,
        w: &mut Writer,
        chosen: &Indices,
        x: &[usize],
        linear: ValueId,
        mask: ValueId,
    ) -> Result<(ValueId, ValueId)> {
        let inner = w.size(self.inner)?;
        let (slice, within) = w.divide(linear, inner)?;
        let strides = signed(&geometry::strides(x));
        let mut offset = within;
        let mut inside = mask;
        let batches: usize = x[..self.batch].iter().product();
        if self.batch > 0 {
            let (each, span) =
                (self.count / batches.max(1), x[self.batch..].iter().product::<usize>());
            let (each, span) = (w.size(each)?, w.size(span)?);
            let (batch, _) = w.divide(slice, each)?;
            let start = w.mul(batch, span)?;
            offset = w.add(offset, start)?;
        }
        let first = w.size(self.tuple)?;
        let first = w.mul(slice, first)?;
        for k in 0..self.tuple {
            let k_index = w.int(k)?;
            let at = w.add(first, k_index)?;
            let (index, valid) = chosen.at(w, at, mask, x[self.batch + k])?;
            inside = w.and(inside, valid)?;
            if let Some(part) = w.offset(&[index], &[strides[self.batch + k]], 0)? {
                offset = w.add(offset, part)?;
            }
        }
        Ok((offset, inside))
    }
}

/// Slices at tuples of indices.
pub(super) fn gather_nd(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(0)?)?;
    let batch = usize::try_from(site.op.int("batch_dims").unwrap_or(0));
    let batch = batch.map_err(|_| unsupported("attribute `batch_dims` is negative"))?;
    let (x, indices) = (site.dims(0)?, site.dims(1)?);
    let slices = Slices::of(x, indices, batch)?;
    moved(site, Way::Gather, dtype, slices.count * slices.inner, |w, chosen, linear, mask| {
        slices.offset(w, chosen, x, linear, mask)
    })
}

/// Copies operand 0 to the result, and tells the type of what is moved. An error unless updates replace elements: combining
/// them needs atomics that not every device has.
fn copied(site: &mut Site<'_>) -> Result<DType> {
    let dtype = bits(site.dtype(0)?)?;
    if let Some(other) = site.op.str("reduction").filter(|name| *name != "none") {
        return Err(unsupported(format!("reduction `{other}` is not written at level tile")));
    }
    let dims = site.dims(0)?;
    let from = super::space::View::dense(Arg::Operand(0), dtype, dims);
    let to = super::space::View::dense(Arg::Result(0), dtype, dims);
    super::moves::copy(site, dims, from, to)?;
    Ok(dtype)
}

/// A copy with elements replaced along an axis.
pub(super) fn scatter_elements(site: &mut Site<'_>) -> Result<()> {
    let dtype = copied(site)?;
    elements(site, Way::Scatter, dtype)
}

/// A copy with slices replaced at tuples of indices.
pub(super) fn scatter_nd(site: &mut Site<'_>) -> Result<()> {
    let dtype = copied(site)?;
    let (x, indices) = (site.dims(0)?, site.dims(1)?);
    let slices = Slices::of(x, indices, 0)?;
    moved(site, Way::Scatter, dtype, slices.count * slices.inner, |w, chosen, linear, mask| {
        slices.offset(w, chosen, x, linear, mask)
    })
}

/// `values[1]` where the place along the further axis is the index, else `values[0]`.
pub(super) fn one_hot(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(2)?;
    let index_type = site.dtype(0)?;
    let (indices, dims) = (site.dims(0)?, site.result_dims(0)?);
    let axis = geometry::axis(site.op.int("axis").unwrap_or(-1), indices.len() + 1)?;
    let (outer, inner): (usize, usize) =
        (dims[..axis].iter().product(), dims[axis + 1..].iter().product());
    let depth = dims[axis];
    let len = outer * depth * inner;
    let mut w = site.writer(len);
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let place = w.unravel(linear, &[outer, depth, inner])?;
    let own = w.offset(&[place[0], place[2]], &[inner as isize, 1], 0)?;
    let own = own.ok_or_else(|| unsupported("lacks axes"))?;
    let base = w.array(Arg::Operand(0), index_type)?;
    let given = w.load_or_zero(base, own, mask)?;
    let (zero, n) = (w.literal(index_type, 0)?, w.size(depth)?);
    let n = w.cast(n, index_type)?;
    let below = w.less(given, zero)?;
    let wrapped = w.add(given, n)?;
    let index = w.select(below, wrapped, given)?;
    let place = w.cast(place[1], index_type)?;
    let hot = w.op(K::Equal, &[index, place])?;
    let values = w.array(Arg::Operand(2), dtype)?;
    let (first, second) = (w.int(0)?, w.int(1)?);
    let (off, on) = (w.element(values, first)?, w.element(values, second)?);
    let value = w.select(hot, on, off)?;
    let to = w.array(Arg::Result(0), dtype)?;
    w.store(to, linear, value, mask)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}
