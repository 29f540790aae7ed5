//! Pooling.

use super::window::{self, Windows};
use crate::geometry;
use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, Shape, counted, ops};

/// The window's sizes; an operand of known rank tells how many there must be.
fn kernel(cx: &View<'_>) -> Result<Shape, ShapeError> {
    cx.expect_rank_from(0, 2)?;
    let axes = cx.shape(0).map(|x| x.len() - 2);
    let kernel = window::kernel_shape(cx, axes)?;
    match (kernel, axes) {
        (Some(kernel), _) => Ok(kernel),
        (None, None | Some(0)) => Ok(vec![]),
        (None, Some(axes)) => Err(cx.error(format!(
            "`kernel_shape` has 0 entries, expected {axes} for {}",
            counted(axes, "spatial axis")
        ))),
    }
}

/// Pooling over windows.
pub(crate) fn pool(cx: &View<'_>) -> Shapes {
    let kernel = kernel(cx)?;
    cx.expect_rank(0, kernel.len() + 2)?;
    let windows = Windows::read(cx, kernel)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x[..2].to_vec();
    shape.extend(windows.count(cx, &x[2..])?);
    Ok(vec![Some(shape.clone()), Some(shape)])
}

/// Pooling over all spatial axes.
pub(crate) fn global_pool(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 2)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let pooled = x.iter().enumerate().map(|(i, d)| if i < 2 { d.clone() } else { Dim::Fixed(1) });
    one(pooled.collect())
}

/// MaxRoiPool.
pub(crate) fn max_roi_pool(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    cx.expect_rank(1, 2)?;
    let Some(op) = ops::MaxRoiPool::of(cx.op) else { return nothing() };
    let sizes = geometry::window_sizes("pooled_shape", op.pooled_shape(), 2);
    let sizes = sizes.map_err(|e| cx.error(e.to_string()))?;
    let at = |i: usize, j: usize| cx.shape(i).map_or(Dim::Unknown, |s| s[j].clone());
    let mut shape = vec![at(1, 0), at(0, 1)];
    shape.extend(sizes.into_iter().map(Dim::Fixed));
    one(shape)
}

/// MaxUnpool.
pub(crate) fn max_unpool(cx: &View<'_>) -> Shapes {
    let kernel = kernel(cx)?;
    let rank = kernel.len();
    cx.expect_rank(0, rank + 2)?;
    let (strides, pads) = (window::steps(cx, "strides", rank)?, window::borders(cx, rank)?);
    if cx.has(2) {
        return Ok(vec![cx.dims_in(2)]);
    }
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x[..2].to_vec();
    for i in 0..rank {
        let fixed = kernel[i].fixed().map(|k| k as i64 - pads[i] - pads[i + rank]);
        let size = dims::map(&x[2 + i], |n| {
            n.sub(&1.into())?.mul(&strides[i].into())?.add(&fixed?.into())
        });
        shape.push(size);
    }
    one(shape)
}
