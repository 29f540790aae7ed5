//! Losses and optimisers.

use crate::axes::Axes;
use crate::op::grammar::ops;
use crate::op::words::BatchReduction;
use crate::ops;
use crate::shape::{Shapes, View};
use crate::{Dim, OpKind as K};

ops! {
    /// `−weight[t]·x[n, t, …]` for target classes t, 0 where t is `ignore_index`; `mean` divides by the sum of the
    /// weights.
    NegativeLogLikelihoodLoss "negative_log_likelihood_loss" Train (x, target, weight[opt]) -> (loss: Elem(0)) {
        ignore_index[opt]: Int, reduction: BatchReduction = BatchReduction::Mean,
    } onnx "" 12 shape loss axes loss_axes;
    /// Negative log likelihood of softmax(scores), and optionally the log probabilities.
    SoftmaxCrossEntropyLoss "softmax_cross_entropy_loss" Train (scores, labels, weights[opt])
        -> (loss: Elem(0), log_prob[opt]: Elem(0)) { ignore_index[opt]: Int, reduction: BatchReduction = BatchReduction::Mean }
        onnx "" 12 shape loss axes loss_axes;
    /// One step of Adagrad with rate r at step t: all parameters, gradients and accumulated squares in, parameters and
    /// squares out.
    Adagrad "adagrad" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        decay_factor: Float = 0.0, epsilon: Float = 1e-6, norm_coefficient: Float = 0.0,
    } onnx "ai.onnx.preview.training" 1 shape optimizer;
    /// One step of Adam with rate r at step t: all parameters, gradients, first and second moments in, parameters and
    /// moments out.
    Adam "adam" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        alpha: Float = 0.9, beta: Float = 0.999, epsilon: Float = 1e-6, norm_coefficient: Float = 0.0, norm_coefficient_post: Float = 0.0,
    } onnx "ai.onnx.preview.training" 1 shape optimizer;
    /// One step of gradient descent with `standard` or `nesterov` momentum: all parameters, gradients and velocities
    /// in, parameters and velocities out.
    Momentum "momentum" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        alpha: Float, beta: Float, mode: MomentumMode,
        norm_coefficient: Float,
    } onnx "ai.onnx.preview.training" 1 shape optimizer;
}

/// Losses: a scalar, or one value a target; the log probabilities keep the shape of the scores.
fn loss(cx: &View<'_>) -> Shapes {
    let loss = match ops::LossReduction::of(cx.op).map(|op| op.reduction()) {
        Some(BatchReduction::None) => cx.shape(1).map(<[Dim]>::to_vec),
        _ => Some(vec![]),
    };
    Ok(vec![loss, cx.shape(0).map(<[Dim]>::to_vec)])
}

/// Losses: classes mix. Without a reduction there is a loss for each target.
fn loss_axes(cx: &View<'_>) -> Option<Axes> {
    match ops::LossReduction::of(cx.op)?.reduction() {
        BatchReduction::None => Axes::pattern(cx, "n_.., n.., * -> n.., n_.."),
        _ => Axes::pattern(cx, "n_.., n.., * -> , n_.."),
    }
}

/// Optimisers: `n` parameters, their gradients and states in; parameters and states out.
fn optimizer(cx: &View<'_>) -> Shapes {
    let parts = if cx.op.kind == K::Adam { 4 } else { 3 };
    let tensors = cx.op.inputs.len().saturating_sub(2);
    if !tensors.is_multiple_of(parts) {
        return Err(
            cx.error(format!("the number of tensors, {tensors}, is not a multiple of {parts}"))
        );
    }
    let n = tensors / parts;
    let source = |i: usize| 2 + if i < n { i } else { n + i };
    let shapes = (0..cx.op.outputs.len()).map(|i| cx.shape(source(i)).map(<[Dim]>::to_vec));
    Ok(shapes.collect())
}
