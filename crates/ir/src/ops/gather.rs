//! Ops that pick, place, cut and pad elements.

use super::common::{expect_len, joined_along, like};
use crate::axes::{self, Axes, Axis, OperandAxes, ResultAxes};
use crate::op::Unchanged;
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::values::gathered;
use crate::shape::{Elem, Expr, Known, ShapeError, Shapes, View, dims, nothing, one};
use crate::{Dim, counted, geometry};

ops! {
    /// Cuts or zero-pads the named axes (all if absent) around the centre to the given sizes; an odd element is cut at
    /// the beginning and padded at the end.
    CenterCropPad "center_crop_pad" Move (x, shape) -> (y: Elem(0)) { axes[opt]: Ints } onnx "" 18 shape center_crop_pad axes center_axes;
    /// The slices along the axis at which the condition, a bool vector, holds. Without an axis, elements of the
    /// flattened operand.
    Compress "compress" Move (x, condition: Bool) -> (y: Elem(0)) { axis[opt]: Int } onnx "" 9 shape compress axes compress_axes;
    /// Slices of `x` along the axis at the indices (negative from the end).
    Gather "gather" Move (x[weight], indices: Index) -> (y: Elem(0)) { axis: Int = 0 }
        onnx "" 1 shape gather values gather_values moves x axes gather_axes;
    /// y[i…] = x[i… with the index at i… along the axis]; the result has the shape of the indices.
    GatherElements "gather_elements" Move (x, indices: Index) -> (y: Elem(0)) { axis: Int = 0 }
        onnx "" 11 shape gather_elements values gather_elements_values axes gather_elements_axes;
    /// Slices of `x` at the index tuples in the last axis of `indices`, after `batch_dims` axes that both share.
    GatherND "gather_nd" Move (x, indices: I64) -> (y: Elem(0)) { batch_dims: Int = 0 } onnx "" 11 shape gather_nd axes gather_nd_axes;
    /// Indices of the elements that are not zero, one column each.
    NonZero "non_zero" Move (x) -> (y: I64) {} onnx "" 9 shape non_zero;
    /// `values[1]` at the indices along an additional axis of length `depth`, else `values[0]`. An index out of range
    /// marks nothing.
    OneHot "one_hot" Move (indices, depth, values) -> (y: Elem(2)) { axis: Int = -1 } onnx "" 9 shape one_hot axes one_hot_axes;
    /// Adds or cuts (negative) borders of the named axes: `constant`, `reflect` (without the edge), `edge` or `wrap`.
    Pad "pad" Move (x: Any T, pads: I64, value[opt]: Any T, axes[opt]: Index) -> (y: Elem(0)) { mode: PadMode = PadMode::Constant }
        onnx "" 1 shape pad identity no_pads axes pad_axes;
    /// Reverses the first `sequence_lens[i]` slices along the time axis of entry i of the batch axis.
    ReverseSequence "reverse_sequence" Move (x, sequence_lens) -> (y: Elem(0)) { batch_axis: Int = 1, time_axis: Int = 0 }
        onnx "" 10 shape like axes reverse_axes;
    /// Copy of `x` with elements at indices along one axis replaced by or combined with updates.
    ScatterElements "scatter_elements" Move (x: Any T, indices: Index, updates: Any T) -> (y: Elem(0)) { axis: Int = 0, reduction: ScatterReduction = ScatterReduction::Replace }
        onnx "" 11 shape like axes scatter_elements_axes;
    /// Copy of `x` with slices at index tuples replaced by or combined with updates.
    ScatterND "scatter_nd" Move (x: Any T, indices: I64, updates: Any T) -> (y: Elem(0)) { reduction: ScatterReduction = ScatterReduction::Replace }
        onnx "" 11 shape like axes scatter_nd_axes;
    /// Elements start, start + step, … before end of each named axis (all if absent); bounds are clamped, steps may be
    /// negative.
    Slice "slice" Move (x, starts: Index, ends: Index, axes[opt]: Index, steps[opt]: Index) -> (y: Elem(0)) {}
        onnx "" 1 shape slice values slice_values moves x identity whole_slice axes slice_axes;
    /// Copy of a cache with `update` written from `write_indices[batch]` (0 if absent) on along the axis; `circular`
    /// wraps around.
    TensorScatter "tensor_scatter" Move (past_cache: Any T, update: Any T, write_indices[opt]) -> (y: Elem(0)) { axis: Int = -2, mode: CacheMode = CacheMode::Linear }
        onnx "" 24 shape like axes tensor_scatter_axes;
    /// The upper or lower triangle of the matrices in the last two axes, from the k-th diagonal; 0 elsewhere.
    Trilu "trilu" Move (x, k[opt]: I64) -> (y: Elem(0)) { upper: Flag = true } onnx "" 14 shape like axes "...__, * -> ...__";
}

/// Pad changes nothing without borders.
fn no_pads(cx: &Unchanged<'_>) -> Option<bool> {
    Some(cx.is_all(ops::Pad::of(cx.op)?.pads(), 0))
}

/// Slice changes nothing where it takes all elements, in their order.
fn whole_slice(cx: &Unchanged<'_>) -> Option<bool> {
    let forward = ops::Slice::of(cx.op)?.steps().is_none_or(|steps| cx.is_all(steps, 1));
    Some(forward && cx.keeps_shape())
}

/// Gather.
fn gather(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 1)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis(ops::Gather::AT.axis, x.len())?;
    let Some(indices) = cx.shape(1) else { return nothing() };
    one([&x[..axis], indices, &x[axis + 1..]].concat())
}

/// GatherElements.
fn gather_elements(cx: &View<'_>) -> Shapes {
    if let (Some(a), Some(b)) = (cx.rank(0), cx.rank(1))
        && a != b
    {
        let (x, indices) = (cx.name_shape(0), cx.name_shape(1));
        return Err(cx.error(format!("{x} and indices {indices} differ in rank")));
    }
    if let Some(rank) = cx.rank(0) {
        cx.axis(ops::GatherElements::AT.axis, rank)?;
    }
    Ok(vec![cx.shape(1).map(<[_]>::to_vec)])
}

/// GatherND.
fn gather_nd(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(1, 1)?;
    let (Some(x), Some(indices)) = (cx.shape(0), cx.shape(1)) else { return nothing() };
    let Some(op) = ops::GatherND::of(cx.op) else { return nothing() };
    let batch = usize::try_from(op.batch_dims()).unwrap_or(usize::MAX);
    let Some(Some(depth)) = indices.last().map(Dim::fixed) else { return nothing() };
    let used = batch.checked_add(depth).filter(|&n| n <= x.len() && batch < indices.len());
    let used = used.ok_or_else(|| {
        let (x, indices) = (cx.name_shape(0), cx.name_shape(1));
        cx.error(format!("indices {indices} address more axes than {x} has"))
    })?;
    one([&indices[..indices.len() - 1], &x[used..]].concat())
}

/// NonZero: one row an axis.
fn non_zero(cx: &View<'_>) -> Shapes {
    let rows = cx.rank(0).filter(|r| *r > 0).map_or(Dim::Unknown, Dim::Fixed);
    one(vec![rows, Dim::Unknown])
}

/// OneHot.
fn one_hot(cx: &View<'_>) -> Shapes {
    let Some(indices) = cx.shape(0) else { return nothing() };
    let axis = cx.axis(ops::OneHot::AT.axis, indices.len() + 1)?;
    let depth = match cx.known(1).and_then(|k| k.elems.first()) {
        Some(Elem::Int(e)) => Some(e.clone()),
        Some(Elem::Float(v)) if v.fract() == 0.0 && v.abs() < 9e15 => Some(Expr::from(*v as i64)),
        _ => None,
    };
    let mut shape = indices.to_vec();
    shape.insert(axis, depth.map_or(Dim::Unknown, |e| e.dim()));
    one(shape)
}

/// The axes in operand `i`; the first `count` ones if it is absent. `None` if they are not known.
fn axes_in(
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
fn slice(cx: &View<'_>) -> Shapes {
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

/// Pad.
fn pad(cx: &View<'_>) -> Shapes {
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
fn compress(cx: &View<'_>) -> Shapes {
    let Some(axis) = ops::Compress::of(cx.op).and_then(|op| op.axis()) else {
        return one(vec![Dim::Unknown]);
    };
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x.to_vec();
    shape[cx.wrap(axis, x.len())?] = Dim::Unknown;
    one(shape)
}

/// CenterCropPad.
fn center_crop_pad(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x.to_vec();
    let all: Vec<i64> = (0..x.len() as i64).collect();
    let axes = ops::CenterCropPad::of(cx.op).and_then(|op| op.axes()).unwrap_or(&all);
    let sizes = cx.dims_in(1).unwrap_or_else(|| dims::unknown(axes.len()));
    expect_len(cx, ops::CenterCropPad::AT.axes, axes, sizes.len())?;
    for (&axis, size) in axes.iter().zip(sizes) {
        shape[cx.wrap(axis, x.len())?] = size;
    }
    one(shape)
}

/// Gather.
fn gather_values(cx: &View<'_>) -> Option<Known> {
    let (x, indices) = (cx.known(0)?, cx.known(1)?);
    let at = indices.ints()?;
    let axis = geometry::axis(ops::Gather::of(cx.op)?.axis(), x.dims.len()).ok()?;
    let dims = [&x.dims[..axis], &indices.dims, &x.dims[axis + 1..]].concat();
    let (own, inner) = (geometry::strides(&x.dims), geometry::strides(&indices.dims));
    let middle = indices.dims.len();
    gathered(x, dims, |index| {
        let which: usize = index[axis..axis + middle].iter().zip(&inner).map(|(i, s)| i * s).sum();
        let picked = geometry::axis(*at.get(which)?, x.dims[axis]).ok()?;
        let before: usize = index[..axis].iter().zip(&own).map(|(i, s)| i * s).sum();
        let after: usize =
            index[axis + middle..].iter().zip(&own[axis + 1..]).map(|(i, s)| i * s).sum();
        Some(before + picked * own[axis] + after)
    })
}

/// GatherElements.
fn gather_elements_values(cx: &View<'_>) -> Option<Known> {
    let (x, indices) = (cx.known(0)?, cx.known(1)?);
    let at = indices.ints()?;
    if x.dims.len() != indices.dims.len() {
        return None;
    }
    let axis = geometry::axis(ops::GatherElements::of(cx.op)?.axis(), x.dims.len()).ok()?;
    let (own, other) = (geometry::strides(&x.dims), geometry::strides(&indices.dims));
    gathered(x, indices.dims.clone(), |index| {
        let which: usize = index.iter().zip(&other).map(|(i, s)| i * s).sum();
        let picked = geometry::axis(*at.get(which)?, x.dims[axis]).ok()?;
        let place = |(d, i): (usize, &usize)| own[d] * if d == axis { picked } else { *i };
        Some(index.iter().enumerate().map(place).sum())
    })
}

/// Slice.
fn slice_values(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let (starts, ends) = (cx.ints(1)?, cx.ints(2)?);
    let axes = axes_in(cx, 3, starts.len(), x.dims.len()).ok()??;
    let steps = if cx.has(4) { cx.ints(4)? } else { vec![1; axes.len()] };
    if ends.len() != axes.len() || steps.len() != axes.len() || steps.contains(&0) {
        return None;
    }
    let mut from = vec![(0i64, 1i64); x.dims.len()];
    let mut dims = x.dims.clone();
    for (j, &axis) in axes.iter().enumerate() {
        let cut = geometry::slice(dims[axis], starts[j], ends[j], steps[j]).ok()?;
        from[axis] = (i64::try_from(cut.start).ok()?, steps[j]);
        dims[axis] = cut.len;
    }
    let own = geometry::strides(&x.dims);
    gathered(x, dims, |index| {
        index.iter().enumerate().try_fold(0usize, |at, (d, i)| {
            let place = from[d].0.checked_add(from[d].1.checked_mul(*i as i64)?)?;
            at.checked_add(usize::try_from(place).ok()?.checked_mul(own[d])?)
        })
    })
}

/// CenterCropPad: listed axes are carried where their length stays.
fn center_axes(cx: &View<'_>) -> Option<Axes> {
    let listed = axes::listed(cx, ops::CenterCropPad::AT.axes)?;
    let stated = Axes::keeping(cx, |i| listed.contains(&i) && !axes::keeps(cx, i))?;
    Some(stated.with(ops::CenterCropPad::AT.shape, OperandAxes::Sizes(listed)))
}

/// Compress.
fn compress_axes(cx: &View<'_>) -> Option<Axes> {
    let axis = cx.wrap(ops::Compress::of(cx.op)?.axis()?, axes::rank(cx, 0)?).ok()?;
    Axes::keeping(cx, |i| i == axis)
}

/// Gather: the axes of the indices take the place of the axis.
fn gather_axes(cx: &View<'_>) -> Option<Axes> {
    let (x, indices) = (axes::rank(cx, 0)?, axes::rank(cx, 1)?);
    let axis = axes::axis(cx, ops::Gather::AT.axis)?;
    let stated = Axes::keeping(cx, |i| i == axis)?;
    let inner: Vec<Axis> = (x..x + indices).map(Axis::carried).collect();
    let own = |i: usize| Axis::carried(i).label();
    let labels = (0..axis).map(own).chain(inner.iter().map(|axis| axis.label()));
    let labels = labels.chain((axis + 1..x).map(own)).collect();
    let stated = stated.with(ops::Gather::AT.indices, OperandAxes::Elements(inner));
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// GatherElements: the axis itself is that of the indices.
fn gather_elements_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let axis = axes::axis(cx, ops::GatherElements::AT.axis)?;
    let indices: Vec<Axis> = (0..rank).map(Axis::carried).collect();
    let labels = indices.iter().map(|axis| axis.label()).collect();
    let stated = Axes::keeping(cx, |i| i == axis)?;
    let stated = stated.with(ops::GatherElements::AT.indices, OperandAxes::Elements(indices));
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// GatherND: the axes that `batch_dims` counts are shared, the axes of tuples follow, then those of slices.
fn gather_nd_axes(cx: &View<'_>) -> Option<Axes> {
    let (x, indices) = (axes::rank(cx, 0)?, axes::rank(cx, 1)?);
    let shared = usize::try_from(ops::GatherND::of(cx.op)?.batch_dims()).ok()?;
    let depth = cx.shape(ops::GatherND::AT.indices)?.last()?.fixed()?;
    let tuples = indices.checked_sub(1)?;
    let sliced = shared.checked_add(depth)?..x;
    let stated = Axes::keeping(cx, |i| i >= shared && !sliced.contains(&i))?;
    // Axes of tuples beyond the shared ones have labels of their own.
    let label = |i: usize| Axis::carried(if i < shared { i } else { x + i });
    let own: Vec<Axis> = (0..tuples).map(label).collect();
    let labels = own.iter().map(|axis| axis.label());
    let labels = labels.chain(sliced.map(|i| Axis::carried(i).label())).collect();
    let stated = stated.with(ops::GatherND::AT.indices, OperandAxes::Elements(own));
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// OneHot: a further axis.
fn one_hot_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let axis = cx.axis(ops::OneHot::AT.axis, rank + 1).ok()?;
    let stated = Axes::keeping(cx, |_| false)?;
    let mut labels: Vec<_> = (0..rank).map(|i| Axis::carried(i).label()).collect();
    labels.insert(axis, None);
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// Pad: axes without borders are carried.
fn pad_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let at = ops::Pad::AT;
    let listed: Vec<usize> = match cx.has(at.axes) {
        true => cx.ints(at.axes)?.iter().map(|&a| cx.wrap(a, rank).ok()).collect::<Option<_>>()?,
        false => (0..rank).collect(),
    };
    let pads = cx.exprs(at.pads).filter(|pads| pads.len() == 2 * listed.len())?;
    let is_zero = |i: usize| pads[i].as_ref().and_then(Expr::constant) == Some(0);
    let padded = |i: usize| {
        let place = listed.iter().position(|&axis| axis == i);
        place.is_some_and(|place| !is_zero(place) || !is_zero(place + listed.len()))
    };
    let stated = Axes::keeping(cx, padded)?;
    Some(stated.with(at.pads, OperandAxes::Sizes([listed.clone(), listed].concat())))
}

/// ReverseSequence: entries of the batch axis have their own lengths.
fn reverse_axes(cx: &View<'_>) -> Option<Axes> {
    let time = axes::axis(cx, ops::ReverseSequence::AT.time_axis)?;
    let batch = axes::axis(cx, ops::ReverseSequence::AT.batch_axis)?;
    let lens = OperandAxes::Elements(vec![Axis::carried(batch)]);
    Some(Axes::keeping(cx, |i| i == time)?.with(ops::ReverseSequence::AT.sequence_lens, lens))
}

/// ScatterElements: along the axis updates may meet, on others each entry is on its own.
fn scatter_elements_axes(cx: &View<'_>) -> Option<Axes> {
    joined_along(cx, axes::axis(cx, ops::ScatterElements::AT.axis)?)
}

/// ScatterND: the axes of slices are carried.
fn scatter_nd_axes(cx: &View<'_>) -> Option<Axes> {
    let at = ops::ScatterND::AT;
    let depth = cx.shape(at.indices)?.last()?.fixed()?;
    let tuples = axes::rank(cx, at.indices)?.checked_sub(1)?;
    let slices = (depth..axes::rank(cx, 0)?).map(Axis::carried);
    let updates = (0..tuples).map(|_| Axis::Mixed).chain(slices).collect();
    Some(Axes::keeping(cx, |i| i < depth)?.with(at.updates, OperandAxes::Elements(updates)))
}

/// Slice: axes that stay whole are carried.
fn slice_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let at = ops::Slice::AT;
    let count = cx.count(at.starts).or_else(|| cx.count(at.ends))?;
    let listed = axes_in(cx, at.axes, count, rank).ok()??;
    let is_forward = |place: usize| {
        let steps = || cx.exprs(at.steps)?.get(place)?.as_ref()?.constant();
        !cx.has(at.steps) || steps() == Some(1)
    };
    let cut = |i: usize| {
        let place = listed.iter().position(|&axis| axis == i);
        place.is_some_and(|place| !axes::keeps(cx, i) || !is_forward(place))
    };
    let sizes = OperandAxes::Sizes(listed.clone());
    let stated = Axes::keeping(cx, cut)?;
    Some(
        [at.starts, at.ends, at.steps]
            .into_iter()
            .fold(stated, |all, i| all.with(i, sizes.clone())),
    )
}

/// TensorScatter: entries of the batch have their own positions along the axis.
fn tensor_scatter_axes(cx: &View<'_>) -> Option<Axes> {
    let axis = axes::axis(cx, ops::TensorScatter::AT.axis)?;
    let positions = OperandAxes::Elements(vec![Axis::carried(0)]);
    Some(joined_along(cx, axis)?.with(ops::TensorScatter::AT.write_indices, positions))
}
