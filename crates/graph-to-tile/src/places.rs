//! Ops whose elements depend on their places: borders, triangles, ranges.

use trident_ir::op::words::PadMode;
use trident_ir::{DType, OpKind as K, ValueId, geometry, ops};

use super::fold::accumulator;
use super::moves::{bits, fill};
use super::site::{FIRST, Site, unsupported};
use super::space::signed;
use super::writer::Writer;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::Pad::KIND, pad),
    entry(ops::CenterCropPad::KIND, center_crop_pad),
    entry(ops::Trilu::KIND, trilu),
    entry(ops::EyeLike::KIND, eye_like),
    entry(ops::Range::KIND, range),
    entry(ops::Shape::KIND, shape),
    entry(ops::Size::KIND, size),
    entry(ops::ReverseSequence::KIND, reverse_sequence),
];

// Both have what they border at the same place.
const _: () = assert!(ops::Pad::AT.x == ops::CenterCropPad::AT.x);

/// Elements that one program computes.
const BLOCK: usize = 1024;

/// Writes to each place of the result what `of` makes of its indices along these axes.
fn each(
    site: &mut Site<'_>,
    dtype: DType,
    dims: &[usize],
    reach: usize,
    of: impl FnOnce(&mut Writer, &[ValueId], ValueId) -> Result<ValueId>,
) -> Result<()> {
    let len: usize = dims.iter().product();
    let mut w = site.writer(len.max(reach));
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let place = w.unravel(linear, dims)?;
    let value = of(&mut w, &place, mask)?;
    let value = w.cast(value, dtype)?;
    let to = w.array(Arg::Result(FIRST), dtype)?;
    w.store(to, linear, value, mask)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}

/// Borders around an array, added or cut off.
fn pad(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Pad::AT.x)?)?;
    let mode = site.view(ops::Pad::of)?.mode();
    let dims = site.dims(ops::Pad::AT.x)?;
    let pads =
        site.ints(ops::Pad::AT.pads)?.ok_or_else(|| unsupported("input `pads` is missing"))?;
    let axes = site.ints(ops::Pad::AT.axes)?;
    let (borders, out) = geometry::pad(dims, &pads, axes.as_deref())?;
    border(site, dtype, mode, &borders, &out, site.has(ops::Pad::AT.value))
}

/// Borders of zeros, or cuts, on both sides of the axes, which get these sizes.
fn center_crop_pad(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::CenterCropPad::AT.x)?)?;
    let dims = site.dims(ops::CenterCropPad::AT.x)?;
    let sizes = site
        .ints(ops::CenterCropPad::AT.shape)?
        .ok_or_else(|| unsupported("input `shape` is missing"))?;
    let all: Vec<i64> = (0..dims.len() as i64).collect();
    let axes = site.view(ops::CenterCropPad::of)?.axes().unwrap_or(&all);
    let (borders, out) = geometry::center_crop_pad(dims, &sizes, axes)?;
    border(site, dtype, PadMode::Constant, &borders, &out, false)
}

fn border(
    site: &mut Site<'_>,
    dtype: DType,
    mode: PadMode,
    borders: &[(i64, i64)],
    out: &[usize],
    has_fill: bool,
) -> Result<()> {
    let dims = site.dims(ops::Pad::AT.x)?;
    let reach: usize = dims.iter().product();
    if reach == 0 && mode != PadMode::Constant {
        return Err(geometry::GeometryError::Invalid("there is nothing to repeat".into()).into());
    }
    each(site, dtype, out, reach, |w, place, mask| {
        let (mut inside, mut from) = (mask, vec![]);
        for ((&place, &(before, after)), &n) in place.iter().zip(borders).zip(dims) {
            // Elements that are cut off are not copied into added borders.
            let low = (-before).max(0);
            let n = (n as i64 - low - (-after).max(0)).max(0);
            let at = match before.max(0) {
                0 => place,
                before => {
                    let before = w.size(before)?;
                    w.sub(place, before)?
                }
            };
            let (zero, len) = (w.int(0)?, w.size(n)?);
            let source = match mode {
                PadMode::Constant => {
                    let (below, above) = (w.less(at, zero)?, w.less(at, len)?);
                    let valid = w.op(K::Not, &[below])?;
                    let valid = w.and(valid, above)?;
                    inside = w.and(inside, valid)?;
                    at
                }
                PadMode::Edge => {
                    let last = w.size(n - 1)?;
                    let at = w.op(K::Max, &[at, zero])?;
                    w.op(K::Min, &[at, last])?
                }
                PadMode::Wrap => w.op(K::Mod, &[at, len])?,
                PadMode::Reflect => {
                    let period = w.size((2 * (n - 1)).max(1))?;
                    let folded = w.op(K::Mod, &[at, period])?;
                    let (mirrored, below) = (w.sub(period, folded)?, w.less(folded, len)?);
                    w.select(below, folded, mirrored)?
                }
            };
            from.push(match low {
                0 => source,
                low => {
                    let low = w.size(low)?;
                    w.add(source, low)?
                }
            });
        }
        let base = w.array(Arg::Operand(ops::Pad::AT.x), dtype)?;
        let offset = w.offset(&from, &signed(&geometry::strides(dims)), 0)?;
        let offset = match offset {
            Some(offset) => offset,
            None => w.int(0)?,
        };
        let offset = w.spread_like(offset, mask)?;
        let filling = match has_fill {
            true => {
                let value = w.array(Arg::Operand(ops::Pad::AT.value), dtype)?;
                w.first(value)?
            }
            false => w.literal(dtype, 0)?,
        };
        w.load(base, offset, Some(inside), Some(filling))
    })
}

/// The upper or lower triangle of matrices.
fn trilu(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::Trilu::AT.x)?)?;
    let dims = site.dims(ops::Trilu::AT.x)?;
    let [ref batch @ .., rows, columns] = *dims else {
        return Err(unsupported("its input is not a matrix"));
    };
    let k = site.ints(ops::Trilu::AT.k)?.and_then(|k| k.first().copied()).unwrap_or(0);
    let k = k.clamp(-(rows as i64) - 1, columns as i64 + 1);
    let upper = site.view(ops::Trilu::of)?.upper();
    let space = [batch.iter().product(), rows, columns];
    each(site, dtype, &space, 0, |w, place, mask| {
        let base = w.array(Arg::Operand(ops::Trilu::AT.x), dtype)?;
        let offset = w.offset(place, &signed(&geometry::strides(&space)), 0)?;
        let offset = offset.ok_or_else(|| unsupported("lacks axes"))?;
        let k = w.size(k)?;
        let diagonal = w.add(place[1], k)?;
        let kept = match upper {
            true => w.op(K::GreaterOrEqual, &[place[2], diagonal])?,
            false => w.op(K::LessOrEqual, &[place[2], diagonal])?,
        };
        let kept = w.and(mask, kept)?;
        w.load_or_zero(base, offset, kept)
    })
}

/// Ones on a diagonal.
fn eye_like(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.result_dtype(ops::EyeLike::AT.y)?;
    let dims = site.result_dims(ops::EyeLike::AT.y)?.to_vec();
    let k = site.view(ops::EyeLike::of)?.k();
    each(site, dtype, &dims, 0, |w, place, _| {
        let k = w.size(k)?;
        let diagonal = w.add(place[0], k)?;
        let hot = w.op(K::Equal, &[place[1], diagonal])?;
        w.cast(hot, dtype)
    })
}

/// start + i·delta.
fn range(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(ops::Range::AT.start)?;
    if !(dtype.is_int() || dtype.is_float()) {
        return Err(unsupported(format!("a range of {dtype} is not supported")));
    }
    let wide = accumulator(dtype);
    let dims = site.result_dims(ops::Range::AT.y)?.to_vec();
    each(site, dtype, &dims, 0, |w, place, _| {
        let (start, delta) = (
            w.array(Arg::Operand(ops::Range::AT.start), dtype)?,
            w.array(Arg::Operand(ops::Range::AT.delta), dtype)?,
        );
        let (start, delta) = (w.first(start)?, w.first(delta)?);
        let (start, delta) = (w.cast(start, wide)?, w.cast(delta, wide)?);
        let i = w.cast(place[0], wide)?;
        let along = w.mul(i, delta)?;
        w.add(start, along)
    })
}

/// The dimensions of an operand, from one axis to another.
fn shape(site: &mut Site<'_>) -> Result<()> {
    let dims = site.dims(ops::Shape::AT.x)?;
    let op = site.view(ops::Shape::of)?;
    let (start, end) = geometry::shape_bounds(op.start(), op.end(), dims.len());
    let part = dims.get(start..end).unwrap_or_default().to_vec();
    numbers(site, &part)
}

/// The number of elements.
fn size(site: &mut Site<'_>) -> Result<()> {
    let dims = site.dims(ops::Size::AT.x)?;
    let all = [dims.iter().product()];
    numbers(site, &all)
}

/// Numbers that are known before the launch.
fn numbers(site: &mut Site<'_>, values: &[usize]) -> Result<()> {
    let (&[first, ref rest @ ..], len) = (values, values.len()) else { return Ok(()) };
    if rest.is_empty() && first == 0 {
        return fill(site, DType::I64, 0);
    }
    let most = values.iter().copied().max().unwrap_or(0);
    each(site, DType::I64, &[len], most, |w, place, _| {
        let mut value = w.size(first)?;
        for (i, &n) in (1..).zip(rest) {
            let (i, n) = (w.int(i)?, w.size(n)?);
            let before = w.less(place[0], i)?;
            value = w.select(before, value, n)?;
        }
        w.spread_like(value, place[0])
    })
}

/// Reverses the first slices of each entry of a batch, as many as its length states.
fn reverse_sequence(site: &mut Site<'_>) -> Result<()> {
    let dtype = bits(site.dtype(ops::ReverseSequence::AT.x)?)?;
    let lens = site.dtype(ops::ReverseSequence::AT.sequence_lens)?;
    let dims = site.dims(ops::ReverseSequence::AT.x)?;
    let op = site.view(ops::ReverseSequence::of)?;
    let batch = geometry::axis(op.batch_axis(), dims.len())?;
    let time = geometry::axis(op.time_axis(), dims.len())?;
    each(site, dtype, dims, 0, |w, place, mask| {
        let base = w.array(Arg::Operand(ops::ReverseSequence::AT.sequence_lens), lens)?;
        let len = w.load_or_zero(base, place[batch], mask)?;
        let len = w.index(len)?;
        let (one, reversed) = (w.int(1)?, w.less(place[time], len)?);
        let mirrored = w.sub(len, one)?;
        let mirrored = w.sub(mirrored, place[time])?;
        let mut from = place.to_vec();
        from[time] = w.select(reversed, mirrored, place[time])?;
        let offset = w.offset(&from, &signed(&geometry::strides(dims)), 0)?;
        let offset = offset.ok_or_else(|| unsupported("lacks axes"))?;
        let base = w.array(Arg::Operand(ops::ReverseSequence::AT.x), dtype)?;
        w.load(base, offset, Some(mask), None)
    })
}
