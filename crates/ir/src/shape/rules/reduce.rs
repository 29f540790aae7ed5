//! Reductions, normalisations, selections along an axis.

use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, Shape, ops};

fn without(shape: &[Dim], axes: &[usize], keep: bool) -> Shape {
    let kept = shape.iter().enumerate().filter_map(|(i, d)| match axes.contains(&i) {
        false => Some(d.clone()),
        true => keep.then_some(Dim::Fixed(1)),
    });
    kept.collect()
}

/// Reduce*: over the axes in operand 1, or over all.
pub(crate) fn reduce(cx: &View<'_>) -> Shapes {
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
pub(crate) fn arg_reduce(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis("axis", x.len())?;
    let Some(op) = ops::Selection::of(cx.op) else { return nothing() };
    one(without(x, &[axis], op.keepdims()))
}

/// Ops that work along an axis and keep the shape; a scalar counts as one row.
pub(crate) fn along_axis(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    cx.axis("axis", x.len().max(1))?;
    one(x.to_vec())
}

/// Fails if a per-channel operand does not fit the channels of operand 0.
fn per_channel(cx: &View<'_>, operands: &[usize]) -> Result<(), ShapeError> {
    let channels = cx.shape(0).and_then(|x| x.get(1)).cloned().unwrap_or(Dim::Unknown);
    for &i in operands {
        cx.expect_rank(i, 1)?;
        if let Some([n]) = cx.shape(i)
            && cx.rank(0).is_some_and(|r| r >= 2)
        {
            cx.equal(
                &channels,
                n,
                &format!("channels of {} and {}", cx.name_shape(0), cx.name(i)),
            )?;
        }
    }
    Ok(())
}

/// BatchNormalization.
pub(crate) fn batch_norm(cx: &View<'_>) -> Shapes {
    per_channel(cx, &[1, 2, 3, 4])?;
    let like = |i: usize| cx.shape(i).map(<[Dim]>::to_vec);
    Ok(vec![like(0), like(3), like(4)])
}

/// LayerNormalization: mean and deviation keep the axes before `axis`.
pub(crate) fn layer_norm(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis("axis", x.len().max(1))?;
    let all: Vec<usize> = (axis..x.len()).collect();
    let rows = without(x, &all, true);
    Ok(vec![Some(x.to_vec()), Some(rows.clone()), Some(rows)])
}

/// SkipLayerNormalization.
pub(crate) fn skip_layer_norm(cx: &View<'_>) -> Shapes {
    let shape = cx.broadcast(&[0, 1])?;
    Ok(vec![shape.clone(), shape])
}

/// TopK.
pub(crate) fn top_k(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis("axis", x.len())?;
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
pub(crate) fn unique(cx: &View<'_>) -> Shapes {
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
