//! Pooling.

use super::expect_len;
use super::window::Windows;
use crate::shape::dims;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, Shape};

fn kernel(cx: &View<'_>) -> Result<Shape, crate::shape::ShapeError> {
    let sizes = cx.op.ints("kernel_shape").unwrap_or_default();
    let size = |&k: &i64| match usize::try_from(k) {
        Ok(k) if k > 0 => Ok(Dim::Fixed(k)),
        _ => Err(cx.error(format!("`kernel_shape` holds {k}"))),
    };
    sizes.iter().map(size).collect()
}

/// Pooling over windows.
pub(super) fn windows(cx: &View<'_>) -> Shapes {
    let kernel = kernel(cx)?;
    cx.expect_rank(0, kernel.len() + 2)?;
    let windows = Windows::read(cx, kernel)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let mut shape = x[..2].to_vec();
    shape.extend(windows.count(cx, &x[2..])?);
    Ok(vec![Some(shape.clone()), Some(shape)])
}

/// Pooling over all spatial axes.
pub(super) fn global(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 2)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let pooled = x.iter().enumerate().map(|(i, d)| if i < 2 { d.clone() } else { Dim::Fixed(1) });
    one(pooled.collect())
}

/// MaxRoiPool.
pub(super) fn max_roi(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    cx.expect_rank(1, 2)?;
    let sizes = cx.op.ints("pooled_shape").unwrap_or_default();
    expect_len(cx, "pooled_shape", sizes, 2)?;
    let at = |i: usize, j: usize| cx.shape(i).map_or(Dim::Unknown, |s| s[j].clone());
    let mut shape = vec![at(1, 0), at(0, 1)];
    shape.extend(sizes.iter().map(|&n| Expr::from(n).dim()));
    one(shape)
}

/// MaxUnpool.
pub(super) fn unpool(cx: &View<'_>) -> Shapes {
    let kernel = cx.op.ints("kernel_shape").unwrap_or_default();
    let rank = kernel.len();
    cx.expect_rank(0, rank + 2)?;
    if cx.has(2) {
        return Ok(vec![cx.dims_in(2)]);
    }
    let Some(x) = cx.shape(0) else { return nothing() };
    let list = |name: &'static str, default: i64, len: usize| {
        let values = cx.op.ints(name).map_or_else(|| vec![default; len], <[i64]>::to_vec);
        expect_len(cx, name, &values, len).map(|()| values)
    };
    let (strides, pads) = (list("strides", 1, rank)?, list("pads", 0, 2 * rank)?);
    let mut shape = x[..2].to_vec();
    for i in 0..rank {
        let fixed = kernel[i].checked_sub(pads[i]).and_then(|k| k.checked_sub(pads[i + rank]));
        shape.push(dims::map(&x[2 + i], |n| {
            n.sub(&1.into())?.mul(&strides[i].into())?.add(&fixed?.into())
        }));
    }
    one(shape)
}
