//! Reductions, scans and selections along axes.

use super::common::{all_but_axis, like, without};
use crate::Dim;
use crate::axes::{self, Axes, ResultAxes};
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::values::fit;
use crate::shape::{Elem, Expr, Known, Shapes, View, dims, nothing, one};

ops! {
    /// Index of the greatest element along the axis, of equals the first or with `select_last_index` the last.
    ArgMax "argmax" Reduce (x: Number) -> (y: I64) { axis: Int = 0, keepdims: Flag = true, select_last_index: Flag = false }
        onnx "" 1 shape arg_reduce axes arg_reduce_axes;
    /// Index of the least element along the axis, of equals the first or with `select_last_index` the last.
    ArgMin "argmin" Reduce (x: Number) -> (y: I64) { axis: Int = 0, keepdims: Flag = true, select_last_index: Flag = false }
        onnx "" 1 shape arg_reduce axes arg_reduce_axes;
    /// Running product along an axis, a rank-0 operand; `exclusive` leaves out the element itself, `reverse` runs from
    /// the end.
    CumProd "cumprod" Reduce (x, axis) -> (y: Elem(0)) { exclusive: Flag = false, reverse: Flag = false } onnx "" 26 shape like axes cumulative_axes;
    /// Running sum along an axis, a rank-0 operand; `exclusive` leaves out the element itself, `reverse` runs from the
    /// end.
    CumSum "cumsum" Reduce (x, axis) -> (y: Elem(0)) { exclusive: Flag = false, reverse: Flag = false } onnx "" 11 shape like axes cumulative_axes;
    /// Σ|x| over the axes (all if none are given).
    ReduceL1 "reduce_l1" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce axes reduce_axes;
    /// √Σx² over the axes.
    ReduceL2 "reduce_l2" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce axes reduce_axes;
    /// ln Σx over the axes.
    ReduceLogSum "reduce_log_sum" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce axes reduce_axes;
    /// ln Σexp(x) over the axes, without overflow.
    ReduceLogSumExp "reduce_log_sum_exp" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce axes reduce_axes;
    /// Greatest element over the axes; of none, the least value of the type.
    ReduceMax "reduce_max" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce values reduce_max_values axes reduce_axes;
    /// Mean over the axes.
    ReduceMean "reduce_mean" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce axes reduce_axes;
    /// Least element over the axes; of none, the greatest value of the type.
    ReduceMin "reduce_min" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce values reduce_min_values axes reduce_axes;
    /// Product over the axes.
    ReduceProd "reduce_prod" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce values reduce_prod_values axes reduce_axes;
    /// Sum over the axes.
    ReduceSum "reduce_sum" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce values reduce_sum_values axes reduce_axes;
    /// Σx² over the axes.
    ReduceSumSquare "reduce_sum_square" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false }
        onnx "" 1 shape reduce axes reduce_axes;
    /// The k greatest or least elements along the axis and their indices, in order; of equals the one with the lower
    /// index first.
    TopK "topk" Reduce (x: Number, k) -> (values: Elem(0), indices: I64) { axis: Int = -1, largest: Flag = true, sorted: Flag = true }
        onnx "" 1 shape top_k axes all_but_axis;
    /// Distinct elements of the flattened operand or distinct slices along `axis`, ascending or in order of occurrence,
    /// with the index of the first occurrence, the position of each element among them, and counts.
    Unique "unique" Reduce (x) -> (y: Elem(0), indices[opt]: I64, inverse_indices[opt]: I64, counts[opt]: I64) {
        axis[opt]: Int, sorted: Flag = true,
    } onnx "" 11 shape unique;
}

/// Reduce*: over the axes in operand 1, or over all.
fn reduce(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let Some(op) = ops::Reduction::of(cx.op) else { return nothing() };
    let keep = op.keepdims();
    let axes = if cx.has(1) { cx.ints(1) } else { Some(vec![]) };
    let Some(axes) = axes else {
        // Which axes is not known, how many may be; an empty list can mean all or none.
        return match (keep, cx.count(1)) {
            (true, _) => one(dims::unknown(x.len())),
            (false, Some(n)) if n > 0 && n <= x.len() => one(dims::unknown(x.len() - n)),
            _ => nothing(),
        };
    };
    if axes.is_empty() {
        if op.noop_with_empty_axes() {
            return one(x.to_vec());
        }
        let all: Vec<usize> = (0..x.len()).collect();
        return one(without(x, &all, keep));
    }
    one(without(x, &cx.wrap_all(&axes, x.len())?, keep))
}

/// ArgMax, ArgMin.
fn arg_reduce(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis(ops::ArgMax::AT.axis, x.len())?;
    let Some(op) = ops::Selection::of(cx.op) else { return nothing() };
    one(without(x, &[axis], op.keepdims()))
}

/// TopK.
fn top_k(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis(ops::TopK::AT.axis, x.len())?;
    let k = cx.dims_in(1).and_then(|k| k.into_iter().next()).unwrap_or(Dim::Unknown);
    if let (Some(k), Some(n)) = (k.fixed(), x[axis].fixed())
        && k > n
    {
        return Err(cx.error(format!("k is {k}, but axis {axis} of {} has {n}", cx.name_shape(0))));
    }
    let mut shape = x.to_vec();
    shape[axis] = k;
    Ok(vec![Some(shape.clone()), Some(shape)])
}

/// Unique.
fn unique(cx: &View<'_>) -> Shapes {
    let some = || Some(vec![Dim::Unknown]);
    let Some(axis) = ops::Unique::of(cx.op).and_then(|op| op.axis()) else {
        let all = cx.shape(0).map(|x| vec![dims::product(x)]);
        return Ok(vec![some(), some(), all, some()]);
    };
    let Some(x) = cx.shape(0) else { return Ok(vec![None, some(), some(), some()]) };
    let axis = cx.wrap(axis, x.len())?;
    let mut y = x.to_vec();
    y[axis] = Dim::Unknown;
    Ok(vec![Some(y), some(), Some(vec![x[axis].clone()]), some()])
}

/// A reduction of integers over all axes by a function of two.
fn folded(cx: &View<'_>, of: impl Fn(&Expr, &Expr) -> Option<Expr>) -> Option<Known> {
    let op = ops::Reduction::of(cx.op)?;
    let x = cx.known(0)?;
    let over_all = match cx.ints(1) {
        Some(axes) => axes.len() == x.dims.len() && !axes.is_empty(),
        None => !cx.has(1) && !op.noop_with_empty_axes(),
    };
    if !over_all {
        return None;
    }
    let ints: Vec<&Expr> = x.elems.iter().map(Elem::int).collect::<Option<_>>()?;
    let (first, rest) = ints.split_first()?;
    let total = rest.iter().try_fold((*first).clone(), |total, e| of(&total, e))?;
    let dims = if op.keepdims() { vec![1; x.dims.len()] } else { vec![] };
    Known::new(dims, vec![fit(Some(total), cx.dtype(0)?)])
}

fn reduce_prod_values(cx: &View<'_>) -> Option<Known> {
    folded(cx, Expr::mul)
}

fn reduce_sum_values(cx: &View<'_>) -> Option<Known> {
    folded(cx, Expr::add)
}

fn reduce_max_values(cx: &View<'_>) -> Option<Known> {
    folded(cx, Expr::maximum)
}

fn reduce_min_values(cx: &View<'_>) -> Option<Known> {
    folded(cx, Expr::minimum)
}

/// Operand 0 without these axes, or with 1 in their places.
fn reduced(cx: &View<'_>, reduced: &[usize], keep: bool) -> Option<Axes> {
    let stated = Axes::keeping(cx, |i| reduced.contains(&i))?;
    let source = stated.operands.first()?;
    let axes = (0..axes::rank(cx, 0)?).filter(|i| keep || !reduced.contains(i));
    let labels: Vec<_> = axes.map(|i| source.axis(i).label()).collect();
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// Reduce*.
fn reduce_axes(cx: &View<'_>) -> Option<Axes> {
    let op = ops::Reduction::of(cx.op)?;
    let rank = axes::rank(cx, 0)?;
    let axes = if cx.has(1) { cx.ints(1)? } else { vec![] };
    let over = match axes.is_empty() {
        true if op.noop_with_empty_axes() => vec![],
        true => (0..rank).collect(),
        false => cx.wrap_all(&axes, rank).ok()?,
    };
    reduced(cx, &over, op.keepdims())
}

/// ArgMax, ArgMin.
fn arg_reduce_axes(cx: &View<'_>) -> Option<Axes> {
    let axis = axes::axis(cx, ops::ArgMax::AT.axis)?;
    reduced(cx, &[axis], ops::Selection::of(cx.op)?.keepdims())
}

/// CumSum, CumProd.
fn cumulative_axes(cx: &View<'_>) -> Option<Axes> {
    let axis = cx.wrap(cx.int(ops::CumSum::AT.axis)?, axes::rank(cx, 0)?).ok()?;
    Axes::keeping(cx, |i| i == axis)
}
