// Generated from the rows of ops by `cargo xtask codegen`.

use crate::op::words::{AutoPad, BatchReduction, FusedActivation, PostTransform, RecurrentDirection};
use crate::op::{kinds, view};
use crate::{Literal, Op, OpKind as K};

/// The attributes kernel_shape, pads, strides of an op that has them.
#[derive(Clone, Copy)]
pub struct Window<'a>(pub(super) &'a Op);

impl<'a> Window<'a> {
    pub fn of(op: &'a Op) -> Option<Window<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::DeformConv | K::QLinearConv | K::BlockedQLinearConv | K::AveragePool | K::LpPool | K::MaxPool | K::MaxUnpool);
        (has && view::fits(op, op.kind)).then_some(Window(op))
    }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "kernel_shape") }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pads") }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "strides") }
}

/// The attributes auto_pad of an op that has them.
#[derive(Clone, Copy)]
pub struct AutoPadded<'a>(pub(super) &'a Op);

impl<'a> AutoPadded<'a> {
    pub fn of(op: &'a Op) -> Option<AutoPadded<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::QLinearConv | K::BlockedQLinearConv | K::AveragePool | K::LpPool | K::MaxPool);
        (has && view::fits(op, op.kind)).then_some(AutoPadded(op))
    }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr::<AutoPad>(self.0, "auto_pad") }
}

/// The attributes ceil_mode of an op that has them.
#[derive(Clone, Copy)]
pub struct Rounded<'a>(pub(super) &'a Op);

impl<'a> Rounded<'a> {
    pub fn of(op: &'a Op) -> Option<Rounded<'a>> {
        let has = matches!(op.kind, K::AveragePool | K::LpPool | K::MaxPool);
        (has && view::fits(op, op.kind)).then_some(Rounded(op))
    }
    #[inline] pub fn ceil_mode(self) -> bool { view::attr::<kinds::Flag>(self.0, "ceil_mode") }
}

/// The attributes dilations of an op that has them.
#[derive(Clone, Copy)]
pub struct Dilated<'a>(pub(super) &'a Op);

impl<'a> Dilated<'a> {
    pub fn of(op: &'a Op) -> Option<Dilated<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::DeformConv | K::QLinearConv | K::BlockedQLinearConv | K::Col2Im | K::AveragePool | K::LpPool | K::MaxPool);
        (has && view::fits(op, op.kind)).then_some(Dilated(op))
    }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dilations") }
}

/// The attributes group of an op that has them.
#[derive(Clone, Copy)]
pub struct Grouped<'a>(pub(super) &'a Op);

impl<'a> Grouped<'a> {
    pub fn of(op: &'a Op) -> Option<Grouped<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::DeformConv | K::QLinearConv | K::BlockedQLinearConv);
        (has && view::fits(op, op.kind)).then_some(Grouped(op))
    }
    #[inline] pub fn group(self) -> i64 { view::attr::<kinds::Int>(self.0, "group") }
}

/// The attributes activation, alpha, beta of an op that has them.
#[derive(Clone, Copy)]
pub struct Activated<'a>(pub(super) &'a Op);

impl<'a> Activated<'a> {
    pub fn of(op: &'a Op) -> Option<Activated<'a>> {
        let has = matches!(op.kind, K::FusedConv | K::FusedMatMul | K::MatMulNBits);
        (has && view::fits(op, op.kind)).then_some(Activated(op))
    }
    #[inline] pub fn activation(self) -> FusedActivation { view::attr::<FusedActivation>(self.0, "activation") }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
}

/// The attributes keepdims, noop_with_empty_axes of an op that has them.
#[derive(Clone, Copy)]
pub struct Reduction<'a>(pub(super) &'a Op);

impl<'a> Reduction<'a> {
    pub fn of(op: &'a Op) -> Option<Reduction<'a>> {
        let has = matches!(op.kind, K::ReduceL1 | K::ReduceL2 | K::ReduceLogSum | K::ReduceLogSumExp | K::ReduceMax | K::ReduceMean | K::ReduceMin | K::ReduceProd | K::ReduceSum | K::ReduceSumSquare);
        (has && view::fits(op, op.kind)).then_some(Reduction(op))
    }
    #[inline] pub fn keepdims(self) -> bool { view::attr::<kinds::Flag>(self.0, "keepdims") }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr::<kinds::Flag>(self.0, "noop_with_empty_axes") }
}

/// The attributes axis, keepdims, select_last_index of an op that has them.
#[derive(Clone, Copy)]
pub struct Selection<'a>(pub(super) &'a Op);

impl<'a> Selection<'a> {
    pub fn of(op: &'a Op) -> Option<Selection<'a>> {
        let has = matches!(op.kind, K::ArgMax | K::ArgMin);
        (has && view::fits(op, op.kind)).then_some(Selection(op))
    }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn keepdims(self) -> bool { view::attr::<kinds::Flag>(self.0, "keepdims") }
    #[inline] pub fn select_last_index(self) -> bool { view::attr::<kinds::Flag>(self.0, "select_last_index") }
}

/// The attributes direction, hidden_size, layout of an op that has them.
#[derive(Clone, Copy)]
pub struct Recurrence<'a>(pub(super) &'a Op);

impl<'a> Recurrence<'a> {
    pub fn of(op: &'a Op) -> Option<Recurrence<'a>> {
        let has = matches!(op.kind, K::GRU | K::LSTM | K::RNN);
        (has && view::fits(op, op.kind)).then_some(Recurrence(op))
    }
    #[inline] pub fn direction(self) -> RecurrentDirection { view::attr::<RecurrentDirection>(self.0, "direction") }
    #[inline] pub fn hidden_size(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "hidden_size") }
    #[inline] pub fn layout(self) -> bool { view::attr::<kinds::Flag>(self.0, "layout") }
}

/// The attributes shape, seed of an op that has them.
#[derive(Clone, Copy)]
pub struct Sampled<'a>(pub(super) &'a Op);

impl<'a> Sampled<'a> {
    pub fn of(op: &'a Op) -> Option<Sampled<'a>> {
        let has = matches!(op.kind, K::RandomNormal | K::RandomUniform);
        (has && view::fits(op, op.kind)).then_some(Sampled(op))
    }
    #[inline] pub fn shape(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "shape") }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional::<kinds::Float>(self.0, "seed") }
}

/// The attributes reduction, ignore_index of an op that has them.
#[derive(Clone, Copy)]
pub struct LossReduction<'a>(pub(super) &'a Op);

impl<'a> LossReduction<'a> {
    pub fn of(op: &'a Op) -> Option<LossReduction<'a>> {
        let has = matches!(op.kind, K::NegativeLogLikelihoodLoss | K::SoftmaxCrossEntropyLoss);
        (has && view::fits(op, op.kind)).then_some(LossReduction(op))
    }
    #[inline] pub fn reduction(self) -> BatchReduction { view::attr::<BatchReduction>(self.0, "reduction") }
    #[inline] pub fn ignore_index(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "ignore_index") }
}

/// The attributes nodes_treeids, nodes_nodeids, nodes_modes, nodes_featureids, nodes_values, nodes_values_as_tensor, nodes_truenodeids, nodes_falsenodeids, nodes_missing_value_tracks_true, base_values, base_values_as_tensor, post_transform of an op that has them.
#[derive(Clone, Copy)]
pub struct TreeNodes<'a>(pub(super) &'a Op);

impl<'a> TreeNodes<'a> {
    pub fn of(op: &'a Op) -> Option<TreeNodes<'a>> {
        let has = matches!(op.kind, K::TreeEnsembleClassifier | K::TreeEnsembleRegressor);
        (has && view::fits(op, op.kind)).then_some(TreeNodes(op))
    }
    #[inline] pub fn nodes_treeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_treeids") }
    #[inline] pub fn nodes_nodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_nodeids") }
    #[inline] pub fn nodes_modes(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "nodes_modes") }
    #[inline] pub fn nodes_featureids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_featureids") }
    #[inline] pub fn nodes_values(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "nodes_values") }
    #[inline] pub fn nodes_values_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "nodes_values_as_tensor") }
    #[inline] pub fn nodes_truenodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_truenodeids") }
    #[inline] pub fn nodes_falsenodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_falsenodeids") }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_missing_value_tracks_true") }
    #[inline] pub fn base_values(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "base_values") }
    #[inline] pub fn base_values_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "base_values_as_tensor") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
}

/// The attributes blocksize of an op that has them.
#[derive(Clone, Copy)]
pub struct Blocks<'a>(pub(super) &'a Op);

impl<'a> Blocks<'a> {
    pub fn of(op: &'a Op) -> Option<Blocks<'a>> {
        let has = matches!(op.kind, K::DepthToSpace | K::SpaceToDepth);
        (has && view::fits(op, op.kind)).then_some(Blocks(op))
    }
    #[inline] pub fn blocksize(self) -> i64 { view::attr::<kinds::Int>(self.0, "blocksize") }
}

/// The attributes trans_a, trans_b of an op that has them.
#[derive(Clone, Copy)]
pub struct Transposed<'a>(pub(super) &'a Op);

impl<'a> Transposed<'a> {
    pub fn of(op: &'a Op) -> Option<Transposed<'a>> {
        let has = matches!(op.kind, K::Gemm | K::FusedMatMul);
        (has && view::fits(op, op.kind)).then_some(Transposed(op))
    }
    #[inline] pub fn trans_a(self) -> bool { view::attr::<kinds::Flag>(self.0, "trans_a") }
    #[inline] pub fn trans_b(self) -> bool { view::attr::<kinds::Flag>(self.0, "trans_b") }
}
