//! Images in other sizes: each element is the nearest one, or a weighted sum of neighbours.

use trident_ir::geometry::{self, CoordinateMap, GeometryError, ResizeSpec, ResizedAxis, TIE};
use trident_ir::op::words::{CoordinateTransform, Interpolation, NearestMode};
use trident_ir::{DType, OpKind as K, ValueId, ops};

use super::moves::bits;
use super::rows::float;
use super::site::{Site, unsupported};
use super::space::signed;
use super::writer::Writer;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[entry(ops::Resize::KIND, resize)];

/// Elements that one program computes.
const BLOCK: usize = 256;

/// Coordinates are below this, where f32 holds every integer.
const FARTHEST: f64 = (1 << 24) as f64;

/// How elements follow from their neighbours.
enum Mode {
    Nearest(NearestMode),
    Weighted(Filter),
}

/// How neighbours are weighed: by a triangle, or by Keys' cubic kernel with this coefficient.
struct Filter {
    cubic: Option<f32>,
    antialias: bool,
    exclude_outside: bool,
}

fn mode(op: ops::Resize<'_>) -> Result<Mode> {
    let antialias = op.antialias();
    let cubic = match op.mode() {
        Interpolation::Linear => None,
        Interpolation::Cubic => Some(op.cubic_coeff_a()),
        Interpolation::Nearest if antialias => {
            return Err(unsupported("attribute `antialias` needs `mode` linear or cubic"));
        }
        Interpolation::Nearest => return Ok(Mode::Nearest(op.nearest_mode())),
    };
    Ok(Mode::Weighted(Filter { cubic, antialias, exclude_outside: op.exclude_outside() }))
}

/// Coordinates along an axis.
struct Position {
    /// Rounded down, as i32.
    low: ValueId,
    /// The rest, as f32.
    fraction: ValueId,
    /// Whether the coordinate is inside of the operand; only where a region is cropped.
    inside: Option<ValueId>,
}

impl Position {
    fn of(w: &mut Writer, axis: &ResizedAxis, place: ValueId, mode: &Mode) -> Result<Position> {
        let ends = [axis.position(0), axis.position(axis.output.saturating_sub(1))];
        let reach =
            ends.into_iter().map(f64::abs).fold(axis.output.max(axis.input) as f64, f64::max);
        if reach >= FARTHEST || ends.iter().any(|end| end.is_nan()) {
            let text = format!("the positions reach {reach} along an axis of {}", axis.input);
            return Err(unsupported(text));
        }
        let map = axis.map();
        let at = if map.fused { fused(w, &map, reach, place)? } else { stepwise(w, &map, place)? };
        let inside = if axis.transform == CoordinateTransform::CropAndResize {
            let first = w.float(DType::F32, 0.0)?;
            let last = number(w, axis.input as f64 - 1.0);
            let above = w.op(K::GreaterOrEqual, &[at, first])?;
            let below = w.op(K::LessOrEqual, &[at, last])?;
            Some(w.and(above, below)?)
        } else {
            None
        };
        // As in `ResizedAxis::centre`.
        let at = if matches!(mode, Mode::Weighted(filter) if filter.antialias) {
            let half = w.float(DType::F32, 0.5)?;
            let edge = w.add(at, half)?;
            w.sub(edge, half)?
        } else {
            at
        };
        let low = w.op(K::Floor, &[at])?;
        let fraction = w.sub(at, low)?;
        let low = w.cast(low, DType::I32)?;
        Ok(Position { low, fraction, inside })
    }

    /// The nearest coordinate.
    fn nearest(&self, w: &mut Writer, mode: NearestMode, shrinks: bool) -> Result<ValueId> {
        let (kind, least) = match mode {
            NearestMode::PreferFloor => (K::Greater, 0.5 + TIE),
            NearestMode::PreferCeil => (K::GreaterOrEqual, 0.5 - TIE),
            // A fraction is below 1.
            NearestMode::Floor => (K::Greater, 1.0),
            NearestMode::Ceil => (K::Greater, 0.0),
            NearestMode::CeilWhenShrinking => (K::Greater, if shrinks { 0.0 } else { 1.0 }),
        };
        let least = number(w, least.into());
        let up = w.op(kind, &[self.fraction, least])?;
        let next = w.literal(DType::I32, 1)?;
        let next = w.add(self.low, next)?;
        w.select(up, next, self.low)
    }
}

/// A number as a parameter.
fn number(w: &mut Writer, x: f64) -> ValueId {
    w.scalar(DType::F32, (x as f32).to_bits().into())
}

/// Input coordinates for output coordinates, in f32: the bits that [`ResizedAxis::position`] gives. All steps are written, so
/// that one function serves all lengths.
fn stepwise(w: &mut Writer, map: &CoordinateMap, place: ValueId) -> Result<ValueId> {
    let mut at = w.cast(place, DType::F32)?;
    for (kind, operand) in [
        (K::Add, map.offset),
        (K::Mul, map.span),
        (K::Mul, map.length),
        (K::Div, map.divisor),
        (K::Add, map.shift),
    ] {
        let operand = number(w, operand);
        at = w.op(kind, &[at, operand])?;
    }
    Ok(at)
}

/// The same for a map that is rounded only once, as integers with as many binary places as coordinates up to `reach` leave.
fn fused(w: &mut Writer, map: &CoordinateMap, reach: f64, place: ValueId) -> Result<ValueId> {
    let point = (60 - reach.max(1.0).log2().ceil() as i32).min(44);
    let fixed = |x: f64| (x * 2f64.powi(point)).round() as i64 as u64;
    let slope = map.span * map.length / map.divisor;
    let place = w.cast(place, DType::I64)?;
    let slope = w.scalar(DType::I64, fixed(slope));
    let start = w.scalar(DType::I64, fixed(map.offset / map.divisor + map.shift));
    let at = w.mul(place, slope)?;
    let at = w.add(at, start)?;
    let at = w.cast(at, DType::F32)?;
    let unit = number(w, 0.5f64.powi(point));
    w.mul(at, unit)
}

/// A coordinate as an index of an axis: beyond a border it is the border.
fn clamped(w: &mut Writer, at: ValueId, len: usize) -> Result<ValueId> {
    let (zero, last) = (w.literal(DType::I32, 0)?, len.saturating_sub(1));
    let last = w.scalar(DType::I32, last as u64);
    let at = w.op(K::Max, &[at, zero])?;
    let at = w.op(K::Min, &[at, last])?;
    w.index(at)
}

impl Filter {
    /// The weight of a neighbour at a distance.
    fn weight(&self, w: &mut Writer, d: ValueId) -> Result<ValueId> {
        let number = |w: &mut Writer, x: f64| w.float(DType::F32, x);
        let (zero, one) = (number(w, 0.0)?, number(w, 1.0)?);
        let Some(a) = self.cubic else {
            let below = w.sub(one, d)?;
            return w.op(K::Max, &[below, zero]);
        };
        let a = w.scalar(DType::F32, a.to_bits().into());
        // ((a + 2)·d − (a + 3))·d² + 1 up to 1, ((a·d − 5a)·d + 8a)·d − 4a up to 2.
        let (two, three) = (number(w, 2.0)?, number(w, 3.0)?);
        let (a2, a3) = (w.add(a, two)?, w.add(a, three)?);
        let inner = w.mul(a2, d)?;
        let inner = w.sub(inner, a3)?;
        let inner = w.mul(inner, d)?;
        let inner = w.mul(inner, d)?;
        let inner = w.add(inner, one)?;
        let mut outer = w.mul(a, d)?;
        for (factor, times) in [(-5.0, true), (8.0, true), (-4.0, false)] {
            let factor = number(w, factor)?;
            let part = w.mul(a, factor)?;
            outer = w.add(outer, part)?;
            if times {
                outer = w.mul(outer, d)?;
            }
        }
        let within = w.op(K::LessOrEqual, &[d, one])?;
        let (reached, none) = (w.less(d, two)?, zero);
        let outer = w.select(reached, outer, none)?;
        w.select(within, inner, outer)
    }
}

/// An axis that is resized, and what neighbours of a program's places are along it.
struct Along {
    axis: ResizedAxis,
    stride: isize,
    position: Position,
}

fn resize(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::Resize::of)?;
    let dtype = site.dtype(ops::Resize::AT.x)?;
    let (mode, spec) = (mode(op)?, ResizeSpec::of(op));
    let crops = spec.transform == CoordinateTransform::CropAndResize;
    if matches!(mode, Mode::Weighted(_)) {
        float(dtype)?;
    }
    // Outside of a region stands a number of the type; otherwise elements are only moved.
    let moved = match &mode {
        Mode::Nearest(_) if crops && !(dtype.is_float() || dtype.is_int()) => {
            return Err(unsupported(format!("cropping elements of type {dtype} is not supported")));
        }
        Mode::Nearest(_) if !crops => bits(dtype)?,
        _ => dtype,
    };
    let x = site.dims(ops::Resize::AT.x)?;
    let (roi, scales) = (site.floats(ops::Resize::AT.roi)?, site.floats(ops::Resize::AT.scales)?);
    let sizes = site.ints(ops::Resize::AT.sizes)?.filter(|sizes| !sizes.is_empty());
    let axes = geometry::resize(&spec, x, roi.as_deref(), scales.as_deref(), sizes.as_deref())?;
    let dims: Vec<usize> = axes.iter().map(|axis| axis.output).collect();
    if x.contains(&0) && !dims.contains(&0) {
        let text = format!("an input of dimensions {x:?} has no elements to resize");
        return Err(GeometryError::Invalid(text).into());
    }
    let len: usize = dims.iter().product();
    if len == 0 {
        return Ok(());
    }

    // Neighbouring axes that stay as they are count as one.
    let strides = signed(&geometry::strides(x));
    let mut space: Vec<(usize, isize, Option<&ResizedAxis>)> = vec![];
    for (axis, &stride) in axes.iter().zip(&strides) {
        let resized = (!axis.is_identity()).then_some(axis);
        match (space.last_mut(), resized) {
            (Some((n, last, None)), None) => (*n, *last) = (*n * axis.output, stride),
            _ => space.push((axis.output, stride, resized)),
        }
    }
    let mut w = site.writer(len.max(x.iter().product()));
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let place = w.unravel(linear, &space.iter().map(|(n, ..)| *n).collect::<Vec<_>>())?;
    let mut start = w.int(0)?;
    let mut along = vec![];
    let mut inside = mask;
    for (&at, &(_, stride, resized)) in place.iter().zip(&space) {
        let Some(axis) = resized else {
            if let Some(part) = w.offset(&[at], &[stride], 0)? {
                start = w.add(start, part)?;
            }
            continue;
        };
        let position = Position::of(&mut w, axis, at, &mode)?;
        if let Some(own) = position.inside {
            inside = w.and(inside, own)?;
        }
        along.push(Along { axis: axis.clone(), stride, position });
    }
    let start = w.spread_like(start, mask)?;
    let base = w.array(Arg::Operand(ops::Resize::AT.x), moved)?;
    let value = match &mode {
        Mode::Nearest(nearest) => {
            let mut from = start;
            for Along { axis, stride, position } in &along {
                let at = position.nearest(&mut w, *nearest, axis.scale < 1.0)?;
                let at = clamped(&mut w, at, axis.input)?;
                if let Some(part) = w.offset(&[at], &[*stride], 0)? {
                    from = w.add(from, part)?;
                }
            }
            w.load(base, from, Some(inside), None)?
        }
        Mode::Weighted(filter) => {
            let sum = weighed(&mut w, filter, &along, base, start, inside)?;
            w.cast(sum, moved)?
        }
    };
    let value = if crops {
        let outside = op.extrapolation_value();
        let outside = w.scalar(DType::F32, outside.to_bits().into());
        let outside = w.cast(outside, moved)?;
        w.select(inside, value, outside)?
    } else {
        value
    };
    let to = w.array(Arg::Result(ops::Resize::AT.y), moved)?;
    w.store(to, linear, value, mask)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}

/// The weighted sums of the neighbours along all axes.
fn weighed(
    w: &mut Writer,
    filter: &Filter,
    along: &[Along],
    base: ValueId,
    start: ValueId,
    mask: ValueId,
) -> Result<ValueId> {
    let reaches: Vec<(f64, usize)> = along
        .iter()
        .map(|Along { axis, .. }| axis.reach(filter.cubic.is_some(), filter.antialias))
        .collect();
    let taps: Vec<usize> = reaches.iter().map(|reach| reach.1).collect();
    let zero = w.float(DType::F32, 0.0)?;
    let zeros = w.spread(zero, &[BLOCK])?;
    let window = w.size(taps.iter().product::<usize>())?;
    let sums = w.repeat(window, 1, &[zeros, zeros], |w, tap, sums| {
        let taps = w.unravel(tap, &taps)?;
        let one = w.float(DType::F32, 1.0)?;
        let mut weight = w.spread(one, &[BLOCK])?;
        let mut from = start;
        for ((along, &(first, _)), &tap) in along.iter().zip(&reaches).zip(&taps) {
            let Along { axis, stride, position } = along;
            let first = w.size(first as i64)?;
            let step = w.add(tap, first)?;
            let step = w.cast(step, DType::I32)?;
            let at = w.add(position.low, step)?;
            let step = w.cast(step, DType::F32)?;
            let distance = w.sub(step, position.fraction)?;
            let distance = w.op(K::Abs, &[distance])?;
            let stretch = axis.stretch(filter.antialias) as f32;
            let stretch = w.scalar(DType::F32, stretch.to_bits().into());
            let distance = w.mul(distance, stretch)?;
            let mut own = filter.weight(w, distance)?;
            let index = clamped(w, at, axis.input)?;
            if filter.exclude_outside {
                let index = w.cast(index, DType::I32)?;
                let inside = w.op(K::Equal, &[index, at])?;
                own = w.select(inside, own, zero)?;
            }
            weight = w.mul(weight, own)?;
            if let Some(part) = w.offset(&[index], &[*stride], 0)? {
                from = w.add(from, part)?;
            }
        }
        let x = w.load(base, from, Some(mask), None)?;
        let x = w.cast(x, DType::F32)?;
        let x = w.mul(x, weight)?;
        Ok(vec![w.add(sums[0], x)?, w.add(sums[1], weight)?])
    })?;
    if !(filter.antialias || filter.exclude_outside) {
        return Ok(sums[0]);
    }
    let (none, one) = (w.op(K::Equal, &[sums[1], zero])?, w.float(DType::F32, 1.0)?);
    let divisor = w.select(none, one, sums[1])?;
    w.div(sums[0], divisor)
}
