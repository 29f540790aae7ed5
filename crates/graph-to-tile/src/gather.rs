//! Ops that choose elements by index. An index outside of its axis is a fault; nothing is read or written for it.

use trident_ir::op::words::ScatterReduction;
use trident_ir::{DType, OpKind as K, ValueId, counted, geometry, ops};

use super::moves::bits;
use super::site::{Site, unsupported};
use super::space::signed;
use super::writer::Writer;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::Gather::KIND, gather),
    entry(ops::GatherElements::KIND, gather_elements),
    entry(ops::GatherND::KIND, gather_nd),
    entry(ops::ScatterElements::KIND, scatter_elements),
    entry(ops::ScatterND::KIND, scatter_nd),
    entry(ops::OneHot::KIND, one_hot),
];

// All that move elements have operands and result where `scatter_elements` has them.
const _: () = assert!(ops::ScatterElements::AT.x == ops::Gather::AT.x);
const _: () = assert!(ops::ScatterElements::AT.x == ops::GatherElements::AT.x);
const _: () = assert!(ops::ScatterElements::AT.x == ops::GatherND::AT.x);
const _: () = assert!(ops::ScatterElements::AT.x == ops::ScatterND::AT.x);
const _: () = assert!(ops::ScatterElements::AT.indices == ops::Gather::AT.indices);
const _: () = assert!(ops::ScatterElements::AT.indices == ops::GatherElements::AT.indices);
const _: () = assert!(ops::ScatterElements::AT.indices == ops::GatherND::AT.indices);
const _: () = assert!(ops::ScatterElements::AT.indices == ops::ScatterND::AT.indices);
const _: () = assert!(ops::ScatterElements::AT.updates == ops::ScatterND::AT.updates);

/// Elements that one program moves.
const BLOCK: usize = 1024;

/// The meaning of a fault.
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
        // Compared in the type of the indices: the type of offsets may be too narrow for their values.
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
    /// From the places of operand `x` that indices choose.
    Gather,
    /// From operand `updates` to the places of the result that indices choose.
    Scatter,
}

/// Moves `len` elements. For each, `offset` gives the chosen position in an array of the dimensions of operand `x`, and
/// whether it exists.
fn moved(
    site: &mut Site<'_>,
    way: Way,
    dtype: DType,
    len: usize,
    offset: impl FnOnce(&mut Writer, &Indices, ValueId, ValueId) -> Result<(ValueId, ValueId)>,
) -> Result<()> {
    let mut w = site.writer(len.max(site.dims(ops::ScatterElements::AT.x)?.iter().product()));
    let chosen = Indices::new(site, &mut w, ops::ScatterElements::AT.indices)?;
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let (offset, inside) = offset(&mut w, &chosen, linear, mask)?;
    let (operand, from, to) = match way {
        Way::Gather => (ops::ScatterElements::AT.x, offset, linear),
        Way::Scatter => (ops::ScatterElements::AT.updates, linear, offset),
    };
    let base = w.array(Arg::Operand(operand), dtype)?;
    let value = w.load(base, from, Some(inside), None)?;
    let base = w.array(Arg::Result(ops::ScatterElements::AT.y), dtype)?;
    w.store(base, to, value, inside)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}

/// Slices along an axis.
pub(super) fn gather(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Gather::AT.x)?)?;
    let (x, indices) = (site.dims(ops::Gather::AT.x)?, site.dims(ops::Gather::AT.indices)?);
    let axis = geometry::axis(site.view(ops::Gather::of)?.axis(), x.len())?;
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
    let dtype = bits(site.dtype(ops::GatherElements::AT.x)?)?;
    let axis = site.view(ops::GatherElements::of)?.axis();
    elements(site, Way::Gather, dtype, axis)
}

/// Moves an element for each place of the indices, which choose its place along an axis.
fn elements(site: &mut Site<'_>, way: Way, dtype: DType, axis: i64) -> Result<()> {
    let (x, dims) =
        (site.dims(ops::GatherElements::AT.x)?, site.dims(ops::GatherElements::AT.indices)?);
    let axis = geometry::axis(axis, x.len())?;
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
                "indices of dimensions {indices:?} do not fit an input of {x:?} with {}",
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
    let dtype = bits(site.dtype(ops::GatherND::AT.x)?)?;
    let batch = usize::try_from(site.view(ops::GatherND::of)?.batch_dims());
    let batch = batch.map_err(|_| unsupported("attribute `batch_dims` is negative"))?;
    let (x, indices) = (site.dims(ops::GatherND::AT.x)?, site.dims(ops::GatherND::AT.indices)?);
    let slices = Slices::of(x, indices, batch)?;
    moved(site, Way::Gather, dtype, slices.count * slices.inner, |w, chosen, linear, mask| {
        slices.offset(w, chosen, x, linear, mask)
    })
}

/// Copies operand `x` to the result, and returns the type of the moved elements. An error unless updates replace
/// elements: combining them needs atomics that not every device has.
fn copied(site: &mut Site<'_>, reduction: ScatterReduction) -> Result<DType> {
    let dtype = bits(site.dtype(ops::ScatterElements::AT.x)?)?;
    if reduction != ScatterReduction::Replace {
        return Err(unsupported(format!(
            "attribute `reduction` with value `{reduction}` is not supported"
        )));
    }
    let dims = site.dims(ops::ScatterElements::AT.x)?;
    let from = super::space::View::dense(Arg::Operand(ops::ScatterElements::AT.x), dtype, dims);
    let to = super::space::View::dense(Arg::Result(ops::ScatterElements::AT.y), dtype, dims);
    super::moves::copy(site, dims, from, to)?;
    Ok(dtype)
}

/// A copy with elements replaced along an axis.
pub(super) fn scatter_elements(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::ScatterElements::of)?;
    let dtype = copied(site, op.reduction())?;
    elements(site, Way::Scatter, dtype, op.axis())
}

/// A copy with slices replaced at tuples of indices.
pub(super) fn scatter_nd(site: &mut Site<'_>) -> Result<()> {
    let dtype = copied(site, site.view(ops::ScatterND::of)?.reduction())?;
    let (x, indices) = (site.dims(ops::ScatterND::AT.x)?, site.dims(ops::ScatterND::AT.indices)?);
    let slices = Slices::of(x, indices, 0)?;
    moved(site, Way::Scatter, dtype, slices.count * slices.inner, |w, chosen, linear, mask| {
        slices.offset(w, chosen, x, linear, mask)
    })
}

/// `values[1]` where the place along the further axis is the index, else `values[0]`.
pub(super) fn one_hot(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(ops::OneHot::AT.values)?;
    let index_type = site.dtype(ops::OneHot::AT.indices)?;
    let (indices, dims) =
        (site.dims(ops::OneHot::AT.indices)?, site.result_dims(ops::OneHot::AT.y)?);
    let axis = geometry::axis(site.view(ops::OneHot::of)?.axis(), indices.len() + 1)?;
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
    let base = w.array(Arg::Operand(ops::OneHot::AT.indices), index_type)?;
    let given = w.load_or_zero(base, own, mask)?;
    let (zero, n) = (w.literal(index_type, 0)?, w.size(depth)?);
    let n = w.cast(n, index_type)?;
    let below = w.less(given, zero)?;
    let wrapped = w.add(given, n)?;
    let index = w.select(below, wrapped, given)?;
    let place = w.cast(place[1], index_type)?;
    let hot = w.op(K::Equal, &[index, place])?;
    let values = w.array(Arg::Operand(ops::OneHot::AT.values), dtype)?;
    let (first, second) = (w.int(0)?, w.int(1)?);
    let (off, on) = (w.element(values, first)?, w.element(values, second)?);
    let value = w.select(hot, on, off)?;
    let to = w.array(Arg::Result(ops::OneHot::AT.y), dtype)?;
    w.store(to, linear, value, mask)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}
