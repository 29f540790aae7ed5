//! Running sums and products along an axis.

use trident_ir::{OpKind as K, geometry, ops};

use super::fold::{accumulator, cut};
use super::rows::Shape;
use super::site::{Site, unsupported};
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::CumSum::KIND, |site| {
        let op = site.view(ops::CumSum::of)?;
        cumulative(site, Fold::Sum, op.exclusive(), op.reverse())
    }),
    entry(ops::CumProd::KIND, |site| {
        let op = site.view(ops::CumProd::of)?;
        cumulative(site, Fold::Product, op.exclusive(), op.reverse())
    }),
];

// Both have operands and result at the same places.
const _: () = assert!(ops::CumSum::AT.x == ops::CumProd::AT.x);
const _: () = assert!(ops::CumSum::AT.axis == ops::CumProd::AT.axis);

fn cumulative(site: &mut Site<'_>, fold: Fold, exclusive: bool, reverse: bool) -> Result<()> {
    let dtype = site.dtype(ops::CumSum::AT.x)?;
    if !(dtype.is_float() || dtype.is_int()) {
        return Err(unsupported(format!("summing elements of {dtype} is not supported")));
    }
    let dims = site.dims(ops::CumSum::AT.x)?;
    let axis = match site.ints(ops::CumSum::AT.axis)?.as_deref() {
        Some(&[axis]) => geometry::axis(axis, dims.len())?,
        _ => {
            return Err(geometry::GeometryError::Invalid("`axis` must be one number".into()).into());
        }
    };
    let shape = Shape::along(dims, axis);
    let (block, width) = cut(shape.columns);
    let wide = accumulator(dtype);
    let count = shape.outer * shape.inner;
    let mut w = site.writer(dims.iter().product());
    let (rows, columns) = (w.size(count)?, w.size(shape.columns)?);
    let (row, inside) = w.span(0, block, rows)?;
    let (row, inside) = (w.expand(row, 1)?, w.expand(inside, 1)?);
    let inner = w.size(shape.inner)?;
    let (outer, rest) = w.divide(row, inner)?;
    let start = w.mul(outer, columns)?;
    let start = w.mul(start, inner)?;
    let start = w.add(start, rest)?;
    let (from, to) = (
        w.array(Arg::Operand(ops::CumSum::AT.x), dtype)?,
        w.array(Arg::Result(ops::CumSum::AT.y), dtype)?,
    );
    let neutral = w.neutral(fold, wide)?;
    let init = w.spread(neutral, &[block])?;
    w.repeat(columns, width, &[init], |w, first, sums| {
        let range = w.arange(width)?;
        let at = w.add(first, range)?;
        let at = w.expand(at, 0)?;
        let valid = w.less(at, columns)?;
        let mask = w.and(inside, valid)?;
        let one = w.int(1)?;
        // The element that a place adds: its own, or the one before it.
        let source = if exclusive { w.sub(at, one)? } else { at };
        let place = |w: &mut Writer, at| {
            let along = if reverse {
                let last = w.sub(columns, one)?;
                w.sub(last, at)?
            } else {
                at
            };
            let along = w.mul(along, inner)?;
            w.add(start, along)
        };
        let zero = w.int(0)?;
        let exists = w.op(K::GreaterOrEqual, &[source, zero])?;
        let reads = w.and(mask, exists)?;
        let offset = place(w, source)?;
        let x = w.load_or_zero(from, offset, reads)?;
        let x = w.cast(x, wide)?;
        let x = w.select(reads, x, neutral)?;
        let own = w.scan(x, 1, fold)?;
        let carried = w.expand(sums[0], 1)?;
        let y = w.folded(fold, carried, own)?;
        let y = w.cast(y, dtype)?;
        let offset = place(w, at)?;
        w.store(to, offset, y, mask)?;
        let all = w.fold(x, 1, fold)?;
        Ok(vec![w.folded(fold, sums[0], all)?])
    })?;
    site.step(w, [count.div_ceil(block), 1, 1])
}
