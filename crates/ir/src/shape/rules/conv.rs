//! Convolutions.

use super::window::{self, Windows};
use crate::op::words::AutoPad;
use crate::ops;
use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, Shape, counted, geometry};

fn group(cx: &View<'_>) -> Result<i64, ShapeError> {
    match ops::Grouped::of(cx.op).map_or(1, |op| op.group()) {
        g if g >= 1 => Ok(g),
        g => Err(cx.error(format!("`group` is {g}, expected at least 1"))),
    }
}

/// The kernel's size from weights [_, _, kernel…] and the attribute, which must agree.
fn kernel(cx: &View<'_>, weights: usize) -> Result<Option<Shape>, ShapeError> {
    cx.expect_rank_from(weights, 2)?;
    let axes = cx.shape(weights).map(|w| w.len() - 2);
    let told = window::kernel_shape(cx, axes)?;
    match (told, cx.shape(weights).and_then(|w| w.get(2..))) {
        (Some(told), Some(w)) => {
            let both = told.iter().zip(w);
            both.map(|(a, b)| cx.equal(a, b, "`kernel_shape` and weights"))
                .collect::<Result<_, _>>()
                .map(Some)
        }
        (told, w) => Ok(told.or(w.map(<[Dim]>::to_vec))),
    }
}

fn check_bias(cx: &View<'_>, bias: Option<usize>, channels: &Dim) -> Result<Dim, ShapeError> {
    let Some(bias) = bias else { return Ok(channels.clone()) };
    cx.expect_rank(bias, 1)?;
    match cx.shape(bias) {
        Some([n]) => cx.equal(channels, n, &format!("output channels and bias {}", cx.name(bias))),
        _ => Ok(channels.clone()),
    }
}

/// Conv, FusedConv.
pub(crate) fn conv(cx: &View<'_>) -> Shapes {
    spatial(cx, ops::Conv::AT.x, ops::Conv::AT.w, Some(ops::Conv::AT.b))
}

/// ConvInteger.
pub(crate) fn integer_conv(cx: &View<'_>) -> Shapes {
    spatial(cx, ops::ConvInteger::AT.x, ops::ConvInteger::AT.w, None)
}

/// QLinearConv.
pub(crate) fn qlinear_conv(cx: &View<'_>) -> Shapes {
    let at = ops::QLinearConv::AT;
    spatial(cx, at.x, at.w, Some(at.b))
}

/// DeformConv.
pub(crate) fn deform_conv(cx: &View<'_>) -> Shapes {
    let at = ops::DeformConv::AT;
    spatial(cx, at.x, at.w, Some(at.b))
}

/// Convolutions with operands `x`, `w` and perhaps `bias` at these places.
fn spatial(cx: &View<'_>, x: usize, w: usize, bias: Option<usize>) -> Shapes {
    let bias = bias.filter(|&bias| cx.has(bias));
    let group = group(cx)?;
    let kernel = kernel(cx, w)?;
    let Some(xs) = cx.shape(x) else {
        let Some(kernel) = kernel else { return nothing() };
        return one(dims::unknown(kernel.len() + 2));
    };
    cx.expect_rank_from(x, 3)?;
    let spatial = xs.len() - 2;
    let kernel = kernel.unwrap_or_else(|| dims::unknown(spatial));
    if kernel.len() != spatial {
        return Err(cx.error(format!(
            "{} has {}, weights {} have {}",
            cx.name_shape(x),
            counted(spatial, "spatial axis"),
            cx.name_shape(w),
            kernel.len()
        )));
    }
    let channels = match cx.shape(w) {
        Some(ws) => {
            let expected = dims::times(&ws[1], group);
            let what =
                format!("channels of {} against weights {}", cx.name_shape(x), cx.name_shape(w));
            cx.equal(&xs[1], &expected, &what)?;
            if let Some(m) = ws[0].fixed()
                && m as i64 % group != 0
            {
                return Err(cx.error(format!(
                    "{} in {}",
                    counted(m, "output channel"),
                    counted(group, "group")
                )));
            }
            ws[0].clone()
        }
        None => Dim::Unknown,
    };
    let channels = check_bias(cx, bias, &channels)?;
    let windows = Windows::read(cx, kernel)?;
    let mut shape = vec![xs[0].clone(), channels];
    shape.extend(windows.count(cx, &xs[2..])?);
    one(shape)
}

/// ConvTranspose.
pub(crate) fn transposed_conv(cx: &View<'_>) -> Shapes {
    let group = group(cx)?;
    let kernel = kernel(cx, 1)?;
    let Some(xs) = cx.shape(0) else { return nothing() };
    cx.expect_rank_from(0, 3)?;
    let rank = xs.len() - 2;
    let kernel = kernel.unwrap_or_else(|| dims::unknown(rank));
    if kernel.len() != rank {
        return Err(cx.error(format!(
            "{} has {}, weights {}",
            cx.name_shape(0),
            counted(rank, "spatial axis"),
            cx.name_shape(1)
        )));
    }
    let channels = match cx.shape(1) {
        Some(ws) => {
            cx.equal(&xs[1], &ws[0], "channels of the operand and of the weights")?;
            dims::times(&ws[1], group)
        }
        None => Dim::Unknown,
    };
    let channels = check_bias(cx, cx.op.input(2).map(|_| 2), &channels)?;
    let (strides, dilations) =
        (window::steps(cx, "strides", rank)?, window::steps(cx, "dilations", rank)?);
    let extra = window::extras(cx, "output_padding", rank)?;
    let pads = window::borders(cx, rank)?;
    let mut shape = vec![xs[0].clone(), channels];
    let Some(op) = ops::ConvTranspose::of(cx.op) else { return nothing() };
    if let Some(sizes) = op.output_shape().filter(|s| !s.is_empty()) {
        // Some exporters write the whole shape.
        let sizes = if sizes.len() == rank + 2 { &sizes[2..] } else { sizes };
        let sizes = geometry::per_axis("output_shape", Some(sizes), (1, rank), 0, 0);
        let sizes = sizes.map_err(|e| cx.error(e.to_string()))?;
        shape.extend(sizes.into_iter().map(Dim::Fixed));
        return one(shape);
    }
    let auto_pad = op.auto_pad();
    let pads = if auto_pad == AutoPad::NotSet { pads } else { vec![0; 2 * rank] };
    for i in 0..rank {
        let size = || {
            let (n, k) = (Expr::of(&xs[2 + i])?, Expr::of(&kernel[i])?);
            let (stride, one) = (Expr::from(strides[i]), Expr::from(1));
            if matches!(auto_pad, AutoPad::SameUpper | AutoPad::SameLower) {
                return n.mul(&stride);
            }
            let extent = k.sub(&one)?.mul(&dilations[i].into())?.add(&one)?;
            let full = n.sub(&one)?.mul(&stride)?.add(&extent)?;
            let pads = pads[i].checked_add(pads[i + rank])?;
            full.add(&extra[i].into())?.sub(&pads.into())
        };
        shape.push(match size() {
            Some(e) if e.constant().is_some_and(|n| n < 0) => {
                return Err(cx.error(format!("spatial axis {i} of the result would have size {e}")));
            }
            size => size.map_or(Dim::Unknown, |e| e.dim()),
        });
    }
    one(shape)
}
