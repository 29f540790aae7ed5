//! Extremes and where they are.

use trident_ir::{DType, OpKind as K, ValueId, counted, geometry, ops};

use super::fold::{Folded, Table, accumulator, cut};
use super::site::{Site, unsupported};
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::ArgMax::KIND, |site| arg(site, true)),
    entry(ops::ArgMin::KIND, |site| arg(site, false)),
    entry(ops::TopK::KIND, top_k),
];

// Both have operand and result at the same places.
const _: () = assert!(ops::ArgMax::AT.x == ops::ArgMin::AT.x);
const _: () = assert!(ops::ArgMax::AT.y == ops::ArgMin::AT.y);

/// The index of the greatest or least element; NaN is beyond all numbers.
fn arg(site: &mut Site<'_>, greatest: bool) -> Result<()> {
    let op = site.view(ops::Selection::of)?;
    let dtype = site.dtype(ops::ArgMax::AT.x)?;
    let dims = site.dims(ops::ArgMax::AT.x)?;
    let axis = geometry::axis(op.axis(), dims.len())?;
    let last = op.select_last_index();
    let space = Folded::of(dtype, dims, &[axis]);
    let (rows, columns) = space.lengths();
    let (block, width) = cut(columns);
    let mut w = site.writer(dims.iter().product());
    let table = Table::new(&mut w, &space, block, width)?;
    let wide = accumulator(dtype);
    // Among equal elements the lower index wins, or the higher with `last`. The start value's index loses against every
    // other.
    let beyond = w.literal(DType::I32, if last { -1 } else { i32::MAX.into() })?;
    let neutral = w.neutral(if greatest { Fold::Max } else { Fold::Min }, wide)?;
    let dims = [block, width];
    let init = [w.spread(neutral, &dims)?, w.spread(beyond, &dims)?];
    let better = |w: &mut Writer, a: &[ValueId], b: &[ValueId]| -> Result<Vec<ValueId>> {
        let order = if greatest { K::Greater } else { K::Less };
        let (wins, equal) = (w.op(order, &[b[0], a[0]])?, w.op(K::Equal, &[a[0], b[0]])?);
        let index = w.op(if last { K::Greater } else { K::Less }, &[b[1], a[1]])?;
        let tie = w.and(equal, index)?;
        let mut takes = w.op(K::Or, &[wins, tie])?;
        if wide.is_float() {
            let (nan_a, nan_b) = (w.op(K::IsNaN, &[a[0]])?, w.op(K::IsNaN, &[b[0]])?);
            let both = w.and(nan_a, nan_b)?;
            let first = w.op(K::Not, &[nan_a])?;
            let only = w.and(nan_b, first)?;
            let later = w.and(both, index)?;
            takes = w.and(takes, first)?;
            takes = w.op(K::Or, &[takes, only])?;
            takes = w.op(K::Or, &[takes, later])?;
        }
        Ok(vec![w.select(takes, b[0], a[0])?, w.select(takes, b[1], a[1])?])
    };
    let best = w.repeat(table.columns, width, &init, |w, first, best| {
        let (x, mask, at) = table.elements(w, first)?;
        let x = w.cast(x, wide)?;
        let x = w.select(mask, x, neutral)?;
        let at = w.cast(at, DType::I32)?;
        let at = w.spread(at, &dims)?;
        let at = w.select(mask, at, beyond)?;
        better(w, best, &[x, at])
    })?;
    let best = w.combine(&best, 1, better)?;
    table.store(&mut w, ops::ArgMax::AT.y, DType::I64, best[1])?;
    site.step(w, [rows.div_ceil(block), 1, 1])
}

/// Whether an element with its index comes before another one in descending (`largest`) or ascending order; NaN is the
/// greatest, and among equal elements the lower index comes first.
fn before(w: &mut Writer, a: &[ValueId], b: &[ValueId], largest: bool) -> Result<ValueId> {
    let order = if largest { K::Greater } else { K::Less };
    let mut first = w.op(order, &[a[0], b[0]])?;
    let mut equal = w.op(K::Equal, &[a[0], b[0]])?;
    if w.dtype(a[0]).is_float() {
        let (nan_a, nan_b) = (w.op(K::IsNaN, &[a[0]])?, w.op(K::IsNaN, &[b[0]])?);
        let both = w.and(nan_a, nan_b)?;
        equal = w.op(K::Or, &[equal, both])?;
        let (greater, other) = if largest { (nan_a, nan_b) } else { (nan_b, nan_a) };
        let number = w.op(K::Not, &[other])?;
        let only = w.and(greater, number)?;
        first = w.op(K::Or, &[first, only])?;
    }
    let index = w.less(a[1], b[1])?;
    let tie = w.and(equal, index)?;
    w.op(K::Or, &[first, tie])
}

/// The k greatest or least elements in their order: each is the first one that comes after the one found before.
fn top_k(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::TopK::of)?;
    let dtype = site.dtype(ops::TopK::AT.x)?;
    if !(dtype.is_float() || dtype.is_int()) {
        return Err(unsupported(format!("elements of {dtype} have no order")));
    }
    let dims = site.dims(ops::TopK::AT.x)?;
    let axis = geometry::axis(op.axis(), dims.len())?;
    let k = match site.ints(ops::TopK::AT.k)?.as_deref() {
        Some(&[k]) if (0..=dims[axis] as i64).contains(&k) => k as usize,
        k => {
            let (given, most) = (k.unwrap_or_default(), counted(dims[axis], "element"));
            let text = format!("`k` is {given:?}, and the axis has {most}");
            return Err(geometry::GeometryError::Invalid(text).into());
        }
    };
    let largest = op.largest();
    let wide = accumulator(dtype);
    let space = Folded::of(dtype, dims, &[axis]);
    let (rows, columns) = space.lengths();
    if i32::try_from(columns).is_err() {
        return Err(unsupported(format!(
            "sorting along an axis of {columns} elements is not supported"
        )));
    }
    let (block, width) = cut(columns);
    let mut w = site.writer(dims.iter().product());
    let table = Table::new(&mut w, &space, block, width)?;
    // An index of none comes after all others.
    let none = w.literal(DType::I32, i32::MAX.into())?;
    let zero = w.literal(wide, 0)?;
    let held = [block, width];
    let empty = [w.spread(zero, &held)?, w.spread(none, &held)?];
    let inner = w.size(dims[axis + 1..].iter().product::<usize>())?;
    let (outer, rest) = w.divide(table.rows, inner)?;
    let size = w.size(k)?;
    let start = w.mul(outer, size)?;
    let start = w.mul(start, inner)?;
    let start = w.add(start, rest)?;
    let values = if site.wants(ops::TopK::AT.values) {
        Some(w.array(Arg::Result(ops::TopK::AT.values), dtype)?)
    } else {
        None
    };
    let indices = if site.wants(ops::TopK::AT.indices) {
        Some(w.array(Arg::Result(ops::TopK::AT.indices), DType::I64)?)
    } else {
        None
    };
    let first = w.literal(DType::I32, -1)?;
    let init = [w.spread(zero, &[block])?, w.spread(first, &[block])?];
    let better = |w: &mut Writer, a: &[ValueId], b: &[ValueId]| -> Result<Vec<ValueId>> {
        let none = w.literal(DType::I32, i32::MAX.into())?;
        let (some, missing) = (w.less(b[1], none)?, w.op(K::Equal, &[a[1], none])?);
        let comes = before(w, b, a, largest)?;
        let takes = w.op(K::Or, &[missing, comes])?;
        let takes = w.and(some, takes)?;
        Ok(vec![w.select(takes, b[0], a[0])?, w.select(takes, b[1], a[1])?])
    };
    w.repeat(size, 1, &init, |w, t, last| {
        let past = [w.expand(last[0], 1)?, w.expand(last[1], 1)?];
        let zero = w.literal(DType::I32, 0)?;
        let all = w.less(past[1], zero)?;
        let best = w.repeat(table.columns, width, &empty, |w, first, best| {
            let (x, mask, at) = table.elements(w, first)?;
            let x = w.cast(x, wide)?;
            let at = w.cast(at, DType::I32)?;
            let at = w.spread(at, &held)?;
            let after = before(w, &past, &[x, at], largest)?;
            let open = w.op(K::Or, &[all, after])?;
            let open = w.and(open, mask)?;
            let at = w.select(open, at, none)?;
            better(w, best, &[x, at])
        })?;
        let best = w.combine(&best, 1, better)?;
        let along = w.mul(t, inner)?;
        let to = w.add(start, along)?;
        if let Some(values) = values {
            let value = w.cast(best[0], dtype)?;
            w.store(values, to, value, table.inside)?;
        }
        if let Some(indices) = indices {
            let index = w.cast(best[1], DType::I64)?;
            w.store(indices, to, index, table.inside)?;
        }
        Ok(best)
    })?;
    site.step(w, [rows.div_ceil(block), 1, 1])
}
