//! Cutting and padding.

use super::expect_len;
use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, counted, geometry, ops};

/// The axes in operand `i`; the first `count` ones if it is absent. `None` if they are not known.
pub(crate) fn axes_in(
    cx: &View<'_>,
    i: usize,
    count: usize,
    rank: usize,
) -> Result<Option<Vec<usize>>, ShapeError> {
    let axes = if cx.has(i) { cx.ints(i) } else { Some((0..count as i64).collect()) };
    let Some(axes) = axes else { return Ok(None) };
    if axes.len() != count {
        return Err(cx.error(format!(
            "{} for {}",
            counted(axes.len(), "axis"),
            counted(count, "size")
        )));
    }
    cx.wrap_all(&axes, rank)?;
    axes.iter().map(|&a| cx.wrap(a, rank)).collect::<Result<_, _>>().map(Some)
}

/// Slice.
pub(crate) fn slice(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = dims::unknown(x.len());
    for i in 1..=4 {
        if cx.has(i) {
            cx.expect_rank(i, 1)?;
        }
    }
    let count = cx.count(1).or_else(|| cx.count(2));
    let Some(axes) = count.map(|n| axes_in(cx, 3, n, x.len())).transpose()?.flatten() else {
        return one(shape);
    };
    for (i, d) in x.iter().enumerate().filter(|(i, _)| !axes.contains(i)) {
        shape[i] = d.clone();
    }
    let none = vec![None; axes.len()];
    let read = |i: usize| cx.exprs(i).filter(|e| e.len() == axes.len()).unwrap_or(none.clone());
    let (starts, ends) = (read(1), read(2));
    let steps = if cx.has(4) { read(4) } else { vec![Some(Expr::from(1)); axes.len()] };
    for (j, &axis) in axes.iter().enumerate() {
        let step = steps[j].as_ref().and_then(Expr::constant);
        if step == Some(0) {
            return Err(cx.error(format!("step 0 along axis {axis}")));
        }
        let n = Expr::of(&x[axis]);
        if let (Some(n), Some(start), Some(end), Some(step)) = (n, &starts[j], &ends[j], step) {
            shape[axis] = cut(&n, start, end, step).map_or(Dim::Unknown, |e| e.dim());
        }
    }
    one(shape)
}

/// The number of elements from `start` to `end` by `step` out of `n`, as far as it is certain.
fn cut(n: &Expr, start: &Expr, end: &Expr, step: i64) -> Option<Expr> {
    if let (Some(n), Some(s), Some(e)) = (n.constant(), start.constant(), end.constant()) {
        let cut = geometry::slice(usize::try_from(n).ok()?, s, e, step).ok()?;
        return i64::try_from(cut.len).ok().map(Expr::from);
    }
    let zero = Expr::from(0);
    if step < 0 {
        // Only the whole axis backwards: any start at or beyond the last element.
        let whole = start.constant().is_some_and(|s| s == -1 || s > i64::from(i32::MAX) - 2)
            && end.constant().is_some_and(|e| e < -i64::from(i32::MAX) + 2);
        return if whole { n.div_ceil(step.checked_neg()?) } else { None };
    }
    let start = clamp(n, start)?;
    let end = clamp(n, end)?;
    let span = end.sub(&start)?;
    let count = span.div_ceil(step)?;
    if span.at_least_zero() {
        return Some(count);
    }
    // A span that may be negative gives max(0, span): exact for any step.
    (step == 1).then(|| zero.maximum(&span)).flatten()
}

/// A bound of a forward slice of an axis of `n`, as a number from 0 to `n`.
fn clamp(n: &Expr, bound: &Expr) -> Option<Expr> {
    let zero = Expr::from(0);
    match bound.constant() {
        Some(b) if b < 0 => zero.maximum(&n.add(bound)?),
        Some(b) if b > i64::from(i32::MAX) - 2 => Some(n.clone()),
        Some(0) => Some(zero),
        Some(_) => n.minimum(bound),
        // Negative only if proven; else it must be proven not to be.
        None if bound.at_least_zero() => n.minimum(bound),
        None => None,
    }
}

/// Split.
pub(crate) fn split(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis("axis", x.len())?;
    let parts = cx.op.outputs.len();
    let part = |size: Dim| {
        let mut shape = x.to_vec();
        shape[axis] = size;
        Some(shape)
    };
    let sizes: Vec<Dim> = if cx.has(1) {
        let sizes = cx.dims_in(1).unwrap_or_else(|| dims::unknown(parts));
        if sizes.len() != parts {
            return Err(cx.error(format!(
                "{} for {}",
                counted(sizes.len(), "size"),
                counted(parts, "part")
            )));
        }
        let total = sizes.iter().fold(Dim::Fixed(0), |n, d| dims::add(&n, d));
        cx.equal(&x[axis], &total, &format!("axis {axis} of {} and its parts", cx.name_shape(0)))?;
        sizes
    } else {
        // Equal parts, rounded up; the last one is what remains.
        let count = ops::Split::of(cx.op).and_then(|op| op.num_outputs());
        let count = count.unwrap_or(parts as i64);
        if count < 1 || count as usize != parts {
            return Err(cx.error(format!("`num_outputs` is {count} for {parts} parts")));
        }
        if let Some(n) = x[axis].fixed() {
            let sizes = geometry::split(n, None, parts).map_err(|e| cx.error(e.to_string()))?;
            return Ok(sizes.into_iter().map(|n| part(Dim::Fixed(n))).collect());
        }
        let size = dims::map(&x[axis], |n| n.div_ceil(count));
        let taken = dims::times(&size, count - 1);
        let last = dims::combine(&x[axis], &taken, Expr::sub);
        let mut sizes = vec![size; parts];
        sizes[parts - 1] = last;
        sizes
    };
    Ok(sizes.into_iter().map(part).collect())
}

/// Pad.
pub(crate) fn pad(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    cx.expect_rank(1, 1)?;
    let count = match (cx.has(3), cx.count(3)) {
        (false, _) => x.len(),
        (true, Some(n)) => n,
        (true, None) => return one(dims::unknown(x.len())),
    };
    let Some(axes) = axes_in(cx, 3, count, x.len())? else {
        return one(dims::unknown(x.len()));
    };
    let mut shape = x.to_vec();
    let Some(pads) = cx.exprs(1) else {
        axes.iter().for_each(|&a| shape[a] = Dim::Unknown);
        return one(shape);
    };
    if pads.len() != 2 * axes.len() {
        return Err(cx.error(format!(
            "{} for {}",
            counted(pads.len(), "pad"),
            counted(axes.len(), "axis")
        )));
    }
    for (i, &axis) in axes.iter().enumerate() {
        let size = pads[i]
            .as_ref()
            .zip(pads[i + axes.len()].as_ref())
            .and_then(|(a, b)| Expr::of(&x[axis])?.add(a)?.add(b));
        if let Some(n) = size.as_ref().and_then(Expr::constant).filter(|n| *n < 0) {
            return Err(cx.error(format!("axis {axis} of {} would get size {n}", cx.name_shape(0))));
        }
        shape[axis] = size.map_or(Dim::Unknown, |e| e.dim());
    }
    one(shape)
}

/// Compress.
pub(crate) fn compress(cx: &View<'_>) -> Shapes {
    let Some(axis) = ops::Compress::of(cx.op).and_then(|op| op.axis()) else {
        return one(vec![Dim::Unknown]);
    };
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x.to_vec();
    shape[cx.wrap(axis, x.len())?] = Dim::Unknown;
    one(shape)
}

/// CenterCropPad.
pub(crate) fn center_crop_pad(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x.to_vec();
    let all: Vec<i64> = (0..x.len() as i64).collect();
    let axes = ops::CenterCropPad::of(cx.op).and_then(|op| op.axes()).unwrap_or(&all);
    let sizes = cx.dims_in(1).unwrap_or_else(|| dims::unknown(axes.len()));
    expect_len(cx, "axes", axes, sizes.len())?;
    for (&axis, size) in axes.iter().zip(sizes) {
        shape[cx.wrap(axis, x.len())?] = size;
    }
    one(shape)
}
