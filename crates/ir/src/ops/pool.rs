//! Pooling.

use super::window::{self, Windows};
use crate::cost::Work;
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, dims, nothing, one};
use crate::{Dim, Shape, counted, geometry};

ops! {
    /// Mean over windows, of the elements inside the input, or with `count_include_pad` of those in its padding too.
    AveragePool "average_pool" Pool (x) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, count_include_pad: Flag = false, dilations[opt]: Ints,
        kernel_shape: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape pool flops window_flops axes "nc* -> nc*";
    /// Mean over all spatial axes.
    GlobalAveragePool "global_average_pool" Pool (x) -> (y: Elem(0)) {} onnx "" 1 shape global_pool axes "nc* -> nc*";
    /// Lp norm over all spatial axes.
    GlobalLpPool "global_lp_pool" Pool (x) -> (y: Elem(0)) { p: Int = 2 } onnx "" 1 shape global_pool axes "nc* -> nc*";
    /// Maximum over all spatial axes.
    GlobalMaxPool "global_max_pool" Pool (x) -> (y: Elem(0)) {} onnx "" 1 shape global_pool axes "nc* -> nc*";
    /// (Σ|x|^p)^(1/p) over windows.
    LpPool "lp_pool" Pool (x) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, dilations[opt]: Ints, kernel_shape: Ints,
        p: Int = 2, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape pool flops window_flops axes "nc* -> nc*";
    /// Maximum over windows, and optionally its index in the whole of `x` flattened row-major (column-major in the
    /// spatial axes with `storage_order = 1`).
    MaxPool "max_pool" Pool (x) -> (y: Elem(0), indices[opt]: I64) {
        auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, dilations[opt]: Ints, kernel_shape: Ints,
        pads[opt]: Ints, storage_order: Int = 0, strides[opt]: Ints,
    } onnx "" 1 shape pool flops window_flops moves x axes "nc* -> nc*, *";
    /// Maximum over the `pooled_shape` cells of each region, a row [batch, x1, y1, x2, y2] of `rois` times
    /// `spatial_scale`.
    MaxRoiPool "max_roi_pool" Pool (x: Any T, rois: Any T) -> (y: Elem(0)) {
        pooled_shape: Ints, spatial_scale: Float = 1.0,
    } onnx "" 1 shape max_roi_pool axes "*, r_ -> r*";
    /// Puts pooled values back to the places that `max_pool` took them from; elsewhere 0.
    MaxUnpool "max_unpool" Pool (x, indices, output_shape[opt]) -> (y: Elem(0)) {
        kernel_shape: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 9 shape max_unpool;
}

/// The window's sizes. Their number is checked against the rank of the operand, if that is known.
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
fn pool(cx: &View<'_>) -> Shapes {
    let kernel = kernel(cx)?;
    cx.expect_rank(0, kernel.len() + 2)?;
    let windows = Windows::read(cx, kernel)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x[..2].to_vec();
    shape.extend(windows.count(cx, &x[2..])?);
    Ok(vec![Some(shape.clone()), Some(shape)])
}

/// Pooling over all spatial axes.
fn global_pool(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 2)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let pooled = x.iter().enumerate().map(|(i, d)| if i < 2 { d.clone() } else { Dim::Fixed(1) });
    one(pooled.collect())
}

/// MaxRoiPool.
fn max_roi_pool(cx: &View<'_>) -> Shapes {
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
fn max_unpool(cx: &View<'_>) -> Shapes {
    let kernel = kernel(cx)?;
    let rank = kernel.len();
    cx.expect_rank(0, rank + 2)?;
    let (strides, pads) =
        (window::steps(cx, ops::Window::AT.strides, rank)?, window::borders(cx, rank)?);
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

/// Each element of the result goes over a window.
fn window_flops(work: &Work<'_>) -> f64 {
    let window = ops::Window::of(work.op).and_then(|op| op.kernel_shape()).unwrap_or_default();
    work.out() * window.iter().map(|&k| k as f64).product::<f64>()
}
