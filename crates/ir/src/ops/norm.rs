//! Normalisations.

use super::common::{all_but_axis, like, without};
use crate::axes::{self, Axes, Axis, Label, OperandAxes};
use crate::decompose::Written;
use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, nothing, one};
use crate::{Builder, Dim, ValueId};

ops! {
    /// (x − mean)/√(var + epsilon)·scale + b per channel (axis 1). In training mode by the batch's own mean and
    /// variance, and the running ones are momentum·old + (1 − momentum)·the batch's.
    BatchNormalization "batch_normalization" Reduce (x: Float, scale[weight]: Any T, b[weight]: Any T, mean[weight]: Any U, var[weight]: Any U)
        -> (y: Elem(0), running_mean[opt]: Elem(3), running_var[opt]: Elem(4)) {
        epsilon: Float = 1e-5, momentum: Float = 0.9, training_mode: Flag = false,
    } onnx "" 1 shape batch_norm axes batch_norm_axes;
    /// (x − mean)/√(variance + epsilon)·scale + bias, statistics over `num_groups` groups of channels and all spatial
    /// axes of a sample, scale and bias per channel.
    GroupNormalization "group_normalization" Reduce (x: Any T, scale: Any T, bias: Any T) -> (y: Elem(0)) {
        epsilon: Float = 1e-5, num_groups: Int, stash_type: DType = DType::F32,
    } onnx "" 18 shape like axes "n*, * -> n*";
    /// `group_normalization` of single channels: statistics over the spatial axes of each sample.
    InstanceNormalization "instance_normalization" Reduce (x: Float T, scale[weight]: Float T, b[weight]: Float T) -> (y: Elem(0)) { epsilon: Float = 1e-5 }
        onnx "" 1 shape like axes "nc*, c -> nc*";
    /// (x − mean)/√(variance + epsilon)·scale + b, statistics over the axes from `axis` on; mean and 1/√(variance +
    /// epsilon) are additional results, in which those axes have length 1.
    LayerNormalization "layer_normalization" Reduce (x: Float T, scale[weight]: Float T, b[opt weight]: Float T)
        -> (y: Elem(0), mean[opt]: AttrOr(ops::LayerNormalization::AT.stash_type, 0), inv_std_dev[opt]: AttrOr(ops::LayerNormalization::AT.stash_type, 0)) {
        axis: Int = -1, epsilon: Float = 1e-5, stash_type: DType = DType::F32,
    } onnx "" 17 shape layer_norm axes axes_before;
    /// Layer normalisation over the last axis of x + skip + bias, and optionally that sum.
    SkipLayerNormalization "skip_layer_normalization" Reduce (x: Any T, skip: Any T, scale: Any T, b[opt]: Any T, bias[opt]: Any T)
        -> (y: Elem(0), sum[opt]: Elem(0)) { epsilon: Float = 1e-5 } shape skip_layer_norm axes "..._, ..._, * -> ..._";
    /// Layer normalisation of x + skip + bias over the last axis, and that sum, as ONNX Runtime's operator.
    RuntimeSkipLayerNormalization "runtime_skip_layer_normalization" Reduce
        (x: Float T, skip: Float T, gamma[weight]: Float T, beta[opt weight]: Float T, bias[opt weight]: Float T)
        -> (y: Elem(0), mean[opt]: F32, inv_std_var[opt]: F32, sum[opt]: Elem(0)) { epsilon: Float = 1e-12 }
        onnx "com.microsoft" 1 as "SkipLayerNormalization" composite runtime_skip_layer_norm shape runtime_skip_norm axes "..._, ..._, * -> ..._";
    /// `rms_normalization` of x + skip + bias over the last axis, and that sum.
    SkipSimplifiedLayerNormalization "skip_simplified_layer_normalization" Reduce
        (x: Float T, skip: Float T, gamma[weight]: Float T, bias[opt weight]: Float T)
        -> (y: Elem(0), mean[opt]: F32, inv_std_var[opt]: F32, sum[opt]: Elem(0)) { epsilon: Float = 1e-12 }
        onnx "com.microsoft" 1 composite skip_rms_norm shape runtime_skip_norm axes "..._, ..._, * -> ..._";
    /// x/√(mean(x²) + epsilon)·scale over the axes from `axis` on.
    RMSNormalization "rms_normalization" Reduce (x, scale) -> (y: Elem(1)) {
        axis: Int = -1, epsilon: Float = 1e-5, stash_type: DType = DType::F32,
    } onnx "" 23 shape like axes axes_before;
    /// x/(bias + alpha/size·Σx²)^beta, the sum over the `size` channels around, ⌊(size − 1)/2⌋ of them before.
    LRN "lrn" Reduce (x: Float) -> (y: Elem(0)) {
        alpha: Float = 1e-4, beta: Float = 0.75, bias: Float = 1.0, size: Int,
    } onnx "" 1 shape like axes "n_.. -> n_..";
    /// x divided by its Lp norm along the axis, p 1 or 2; where the norm is 0, so is the result.
    LpNormalization "lp_normalization" Reduce (x) -> (y: Elem(0)) { axis: Int = -1, p: Int = 2 } onnx "" 1 shape along_axis axes all_but_axis;
    /// (x − mean)/standard deviation over the axes, 0, 2 and 3 if none are given.
    MeanVarianceNormalization "mean_variance_normalization" Reduce (x) -> (y: Elem(0)) { axes[opt]: Ints } onnx "" 9 shape like axes unlisted_axes;
    /// exp(x)/Σexp(x) along the axis.
    Softmax "softmax" Reduce (x: Float) -> (y: Elem(0)) { axis: Int = -1 } onnx "" 1 shape along_axis axes all_but_axis;
    /// ln(softmax(x)) along the axis.
    LogSoftmax "log_softmax" Reduce (x) -> (y: Elem(0)) { axis: Int = -1 } onnx "" 1 shape along_axis axes all_but_axis;
    /// 1 at the first greatest element along the axis, else 0.
    Hardmax "hardmax" Reduce (x: Float) -> (y: Elem(0)) { axis: Int = -1 } onnx "" 1 shape along_axis axes all_but_axis;
}

/// Ops that work along an axis and keep the shape; a scalar counts as one row.
fn along_axis(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    cx.axis(ops::Softmax::AT.axis, x.len().max(1))?;
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
                format_args!("channels of {} and {}", cx.name_shape(0), cx.name(i)),
            )?;
        }
    }
    Ok(())
}

/// BatchNormalization.
fn batch_norm(cx: &View<'_>) -> Shapes {
    per_channel(cx, &[1, 2, 3, 4])?;
    let like = |i: usize| cx.shape(i).map(<[Dim]>::to_vec);
    Ok(vec![like(0), like(3), like(4)])
}

/// LayerNormalization: mean and deviation keep the axes before `axis`.
fn layer_norm(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis(ops::LayerNormalization::AT.axis, x.len().max(1))?;
    let all: Vec<usize> = (axis..x.len()).collect();
    let rows = without(x, &all, true);
    Ok(vec![Some(x.to_vec()), Some(rows.clone()), Some(rows)])
}

/// SkipLayerNormalization.
fn skip_layer_norm(cx: &View<'_>) -> Shapes {
    let shape = cx.broadcast(&[0, 1])?;
    Ok(vec![shape.clone(), shape])
}

/// The sum has the shape of the operand; the statistics have 1 in place of the last axis.
fn runtime_skip_norm(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let rows = without(x, &[x.len().saturating_sub(1)], true);
    Ok(vec![Some(x.to_vec()), Some(rows.clone()), Some(rows), Some(x.to_vec())])
}

fn runtime_skip_layer_norm(
    op: ops::RuntimeSkipLayerNormalization<'_>,
    b: &mut Builder<'_>,
) -> Written {
    let sum = summed(b, op.x(), op.skip(), op.bias())?;
    let norm = ops::LayerNormalization::new(sum, op.gamma(), op.beta()).epsilon(op.epsilon());
    Ok(vec![Some(b.add(norm)?), None, None, Some(sum)])
}

fn skip_rms_norm(op: ops::SkipSimplifiedLayerNormalization<'_>, b: &mut Builder<'_>) -> Written {
    let sum = summed(b, op.x(), op.skip(), op.bias())?;
    let norm = ops::RMSNormalization::new(sum, op.gamma()).epsilon(op.epsilon());
    Ok(vec![Some(b.add(norm)?), None, None, Some(sum)])
}

fn summed(
    b: &mut Builder<'_>,
    x: ValueId,
    skip: ValueId,
    bias: Option<ValueId>,
) -> Result<ValueId, TypeError> {
    let sum = b.add(ops::Add::new(x, skip))?;
    bias.map_or(Ok(sum), |bias| b.add(ops::Add::new(sum, bias)))
}

/// BatchNormalization: in training the statistics are those of the operand.
fn batch_norm_axes(cx: &View<'_>) -> Option<Axes> {
    Axes::pattern(
        cx,
        match ops::BatchNormalization::of(cx.op)?.training_mode() {
            true => "_c*, c -> _c*, c",
            false => "nc.., c -> nc.., c",
        },
    )
}

/// LayerNormalization, RMSNormalization: the axes before `axis` are carried.
fn axes_before(cx: &View<'_>) -> Option<Axes> {
    let axis = axes::axis(cx, ops::LayerNormalization::AT.axis)?;
    let aligned = |rank: usize, from: usize| {
        let axis = |i: usize| match i < from {
            true => Axis::Carried { label: Label::from_end(rank - 1 - i), broadcasts: true },
            false => Axis::Mixed,
        };
        (0..rank).map(axis).collect::<Vec<_>>()
    };
    let rank = axes::rank(cx, 0)?;
    let x = aligned(rank, axis);
    let result = x.iter().map(|axis| axis.label()).collect();
    let mut stated = Axes::of(cx, x, result);
    for i in 1..cx.op.inputs.len() {
        // Scale and bias broadcast to the operand.
        let own = axes::rank(cx, i).unwrap_or(0);
        stated =
            stated.with(i, OperandAxes::Elements(aligned(own, (axis + own).saturating_sub(rank))));
    }
    Some(stated)
}

/// MeanVarianceNormalization: the axes that `axes` does not list, without it those of channels.
fn unlisted_axes(cx: &View<'_>) -> Option<Axes> {
    let listed = match ops::MeanVarianceNormalization::of(cx.op)?.axes() {
        Some(_) => axes::listed(cx, ops::MeanVarianceNormalization::AT.axes)?,
        None => vec![0, 2, 3],
    };
    Axes::keeping(cx, |i| listed.contains(&i))
}
