//! Convolutions.

use super::layout;
use super::window::{self, Windows};
use crate::cost::{Work, elements, filter};
use crate::op::grammar::ops;
use crate::op::words::AutoPad;
use crate::ops;
use crate::shape::{Expr, ShapeError, Shapes, View, dims, nothing, one};
use crate::{Dim, Shape, counted, geometry};

ops! {
    /// Cross-correlation of `x` [N, C, spatial…] with `w` [M, C/group, kernel…], plus `b` of length M.
    Conv "conv" Contract (x: Float T, w[weight]: Float T, b[opt weight]: Float T) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape conv flops conv_flops axes "n*, * -> n*";
    /// activation(conv(x, w, b) + residual): the result of fusing a convolution with its neighbours. Activations are
    /// `none`, `clip` (alpha to beta), `elu` (alpha), `gelu`, `gelu_tanh`, `hard_sigmoid` (alpha, beta), `hard_swish`,
    /// `leaky_relu` (alpha), `mish`, `relu`, `sigmoid`, `silu` and `tanh` ([`crate::op::Activation`]); the residual has
    /// the shape of the result.
    FusedConv "fused_conv" Contract (x: Float T, w[weight]: Float T, b[opt weight]: Float T, residual[opt]: Float T) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
        activation: FusedActivation = FusedActivation::None, alpha: Float = 0.0, beta: Float = 0.0,
    } shape conv flops conv_flops axes "n*, *, *, n* -> n*";
    /// Integer convolution of (x − x_zero_point) with (w − w_zero_point), accumulated in i32.
    ConvInteger "conv_integer" Quant (x: Any T, w[weight]: Any U, x_zero_point[opt weight]: Any T, w_zero_point[opt weight]: Any U) -> (y: Is(DType::I32)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 10 shape integer_conv flops conv_flops axes "n*, * -> n*";
    /// Transposed convolution, the gradient of `conv` by its input; `w` is [C, M/group, kernel…]. An axis has length
    /// stride·(n − 1) + output_padding + k' − begin − end, or the length that `output_shape` states, with pads that are
    /// split according to `auto_pad`. SAME means n·stride.
    ConvTranspose "conv_transpose" Contract (x: Float T, w[weight]: Float T, b[opt weight]: Float T) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, output_padding[opt]: Ints,
        output_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape transposed_conv flops transposed_conv_flops axes "n*, * -> n*";
    /// Convolution whose taps are displaced by `offset` [N, offset_group·taps·axes, out…], read by linear interpolation
    /// with 0 outside, and weighted by `mask` [N, offset_group·taps, out…].
    DeformConv "deform_conv" Contract (x: Float T, w[weight]: Float T, offset: Float T, b[opt weight]: Float T, mask[opt]: Float T) -> (y: Elem(0)) {
        dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, offset_group: Int = 1, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 19 shape deform_conv flops conv_flops axes "n*, *, n*, *, n* -> n*";
    /// Depthwise convolution of [batch, channels, length] that looks back only: `weight` is [channels, 1, k], the state
    /// holds the last k − 1 inputs and stands before `x`. `activation` is none, silu or swish.
    CausalConvWithState "causal_conv_with_state" Contract (x, weight[weight], bias[opt weight], past_state[opt])
        -> (y: Elem(0), present_state: Elem(0)) { activation: CausalActivation = CausalActivation::None }
        onnx "" 27 shape causal_conv flops causal_conv_flops axes "n*, *, *, n* -> n*";
    /// `conv_integer` of quantised tensors plus `b` (i32, scale x_scale·w_scale), requantised to y's scale and zero
    /// point. `w_scale` may have one element per output channel.
    QLinearConv "qlinear_conv" Quant (x: Any T, x_scale[weight], x_zero_point[weight]: Any T, w[weight]: Any U, w_scale[weight], w_zero_point[weight]: Any U, y_scale[weight], y_zero_point[weight], b[opt weight])
        -> (y: Elem(7)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 10 shape qlinear_conv flops qlinear_conv_flops axes "n*, * -> n*";
    /// `qlinear_conv` of images whose channels are in blocks, as `pack` makes them of axis 1: blocks of `x_block` channels in `x`,
    /// and of `y_block` in `y`; 0 stands for a row-major tensor.
    BlockedQLinearConv "blocked_qlinear_conv" Quant (x: Any T, x_scale[weight], x_zero_point[weight]: Any T, w[weight]: Any U, w_scale[weight], w_zero_point[weight]: Any U, y_scale[weight], y_zero_point[weight], b[opt weight])
        -> (y: Elem(7)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
        x_block: Int = 0, y_block: Int = 0,
    } shape blocked_qlinear_conv flops qlinear_conv_flops axes "n*, * -> n*";
    /// Sums columns [N, C·block, places] back into the image [N, C, image_shape…] they were cut from.
    Col2Im "col2im" Move (x, image_shape, block_shape) -> (y: Elem(0)) { dilations[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints }
        onnx "" 18 shape col2im axes "n*, * -> n*";
}

/// The axis of channels.
const CHANNELS: i64 = 1;

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
        Some([n]) => {
            cx.equal(channels, n, format_args!("output channels and bias {}", cx.name(bias)))
        }
        _ => Ok(channels.clone()),
    }
}

/// Conv, FusedConv.
fn conv(cx: &View<'_>) -> Shapes {
    spatial(cx, ops::Conv::AT.x, ops::Conv::AT.w, Some(ops::Conv::AT.b))
}

/// ConvInteger.
fn integer_conv(cx: &View<'_>) -> Shapes {
    spatial(cx, ops::ConvInteger::AT.x, ops::ConvInteger::AT.w, None)
}

/// QLinearConv.
fn qlinear_conv(cx: &View<'_>) -> Shapes {
    let at = ops::QLinearConv::AT;
    spatial(cx, at.x, at.w, Some(at.b))
}

/// BlockedQLinearConv: the dimensions of `qlinear_conv`, in blocks.
fn blocked_qlinear_conv(cx: &View<'_>) -> Shapes {
    let at = ops::BlockedQLinearConv::AT;
    let Some(op) = ops::BlockedQLinearConv::of(cx.op) else { return nothing() };
    let x = match (cx.shape(at.x), op.x_block()) {
        (Some(x), 0) => Some(x.to_vec()),
        (Some(x), block) => Some(layout::unpacked(cx, x, CHANNELS, block)?),
        (None, _) => None,
    };
    match (convolved(cx, x.as_deref(), (at.x, at.w, Some(at.b)))?, op.y_block()) {
        (Some(y), 0) => one(y),
        (Some(y), block) => one(layout::packed(cx, &y, CHANNELS, block)?),
        (None, _) => nothing(),
    }
}

/// DeformConv.
fn deform_conv(cx: &View<'_>) -> Shapes {
    let at = ops::DeformConv::AT;
    spatial(cx, at.x, at.w, Some(at.b))
}

/// Convolutions with operands `x`, `w` and perhaps `bias` at these places.
fn spatial(cx: &View<'_>, x: usize, w: usize, bias: Option<usize>) -> Shapes {
    Ok(vec![convolved(cx, cx.shape(x), (x, w, bias))?])
}

/// The dimensions of the result for an image of these dimensions, with operands `x`, `w` and perhaps `bias` at these places.
fn convolved(
    cx: &View<'_>,
    image: Option<&[Dim]>,
    (x, w, bias): (usize, usize, Option<usize>),
) -> Result<Option<Shape>, ShapeError> {
    let bias = bias.filter(|&bias| cx.has(bias));
    let group = group(cx)?;
    let kernel = kernel(cx, w)?;
    let Some(xs) = image else { return Ok(kernel.map(|kernel| dims::unknown(kernel.len() + 2))) };
    if xs.len() < 3 {
        return Err(cx.error(format!(
            "{} has rank {}, expected at least 3",
            cx.name_shape(x),
            xs.len()
        )));
    }
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
            let (x, w) = (cx.name_shape(x), cx.name_shape(w));
            cx.equal(&xs[1], &expected, format_args!("channels of {x} against weights {w}"))?;
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
    Ok(Some(shape))
}

/// ConvTranspose.
fn transposed_conv(cx: &View<'_>) -> Shapes {
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
            cx.equal(&xs[1], &ws[0], "channels of the input and of the weights")?;
            dims::times(&ws[1], group)
        }
        None => Dim::Unknown,
    };
    let channels = check_bias(cx, cx.op.input(2).map(|_| 2), &channels)?;
    let at = ops::ConvTranspose::AT;
    let strides = window::steps(cx, at.strides, rank)?;
    let dilations = window::steps(cx, at.dilations, rank)?;
    let extra = window::extras(cx, at.output_padding, rank)?;
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

/// CausalConvWithState.
fn causal_conv(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 3)?;
    cx.expect_rank(1, 3)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let Some([_, _, k]) = cx.shape(1) else { return one(x.to_vec()) };
    let kept = dims::map(k, |k| k.sub(&1.into()));
    Ok(vec![Some(x.to_vec()), Some(vec![x[0].clone(), x[1].clone(), kept])])
}

/// Col2Im.
fn col2im(cx: &View<'_>) -> Shapes {
    let Some(image) = cx.dims_in(1) else { return nothing() };
    window::steps(cx, ops::Col2Im::AT.strides, image.len())?;
    window::steps(cx, ops::Col2Im::AT.dilations, image.len())?;
    window::borders(cx, image.len())?;
    if let Some(block) = cx.ints(2) {
        let sizes = geometry::window_sizes("block_shape", &block, image.len());
        sizes.map_err(|e| cx.error(e.to_string()))?;
    }
    let area = dims::product(&cx.dims_in(2).unwrap_or_else(|| vec![Dim::Unknown]));
    let (batch, columns) = match cx.shape(0) {
        Some([n, c, _]) => (n.clone(), c.clone()),
        _ => (Dim::Unknown, Dim::Unknown),
    };
    let channels = match area.fixed() {
        Some(area) if area > 0 => dims::part(&columns, area as i64),
        _ => Dim::Unknown,
    };
    one([vec![batch, channels], image].concat())
}

/// Each element of the result sums over the filter of one output channel.
fn conv_flops(work: &Work<'_>) -> f64 {
    2.0 * work.out() * filter(work.operand(ops::Conv::AT.w))
}

fn causal_conv_flops(work: &Work<'_>) -> f64 {
    2.0 * work.out() * filter(work.operand(ops::CausalConvWithState::AT.weight))
}

fn qlinear_conv_flops(work: &Work<'_>) -> f64 {
    2.0 * work.out() * filter(work.operand(ops::QLinearConv::AT.w))
}

/// Each element of the operand is spread over the filter.
fn transposed_conv_flops(work: &Work<'_>) -> f64 {
    let at = ops::ConvTranspose::AT;
    2.0 * elements(work.operand(at.x)) * filter(work.operand(at.w))
}
