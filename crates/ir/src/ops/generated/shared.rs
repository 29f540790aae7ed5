// Generated from the rows of ops by `cargo xtask codegen`.

use crate::op::words::{AutoPad, BatchReduction, FusedActivation, MemoryOrder, MemoryScope, PostTransform, RecurrentDirection};
use crate::op::{kinds, view};
use crate::{AttrName, Literal, Op, OpKind as K};

/// The attributes kernel_shape, pads, strides of an op that has them.
#[derive(Clone, Copy)]
pub struct Window<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct WindowAt { pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> Window<'a> {
    pub const AT: WindowAt = WindowAt { kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    pub fn of(op: &'a Op) -> Option<Window<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::DeformConv | K::QLinearConv | K::BlockedQLinearConv | K::AveragePool | K::LpPool | K::MaxPool | K::MaxUnpool);
        (has && view::fits(op, op.kind)).then_some(Window(op))
    }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
}

/// The attributes auto_pad of an op that has them.
#[derive(Clone, Copy)]
pub struct AutoPadded<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct AutoPaddedAt { pub auto_pad: AttrName<AutoPad> }

impl<'a> AutoPadded<'a> {
    pub const AT: AutoPaddedAt = AutoPaddedAt { auto_pad: AttrName::new("auto_pad") };
    pub fn of(op: &'a Op) -> Option<AutoPadded<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::QLinearConv | K::BlockedQLinearConv | K::AveragePool | K::LpPool | K::MaxPool);
        (has && view::fits(op, op.kind)).then_some(AutoPadded(op))
    }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
}

/// The attributes ceil_mode of an op that has them.
#[derive(Clone, Copy)]
pub struct Rounded<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct RoundedAt { pub ceil_mode: AttrName<kinds::Flag> }

impl<'a> Rounded<'a> {
    pub const AT: RoundedAt = RoundedAt { ceil_mode: AttrName::new("ceil_mode") };
    pub fn of(op: &'a Op) -> Option<Rounded<'a>> {
        let has = matches!(op.kind, K::AveragePool | K::LpPool | K::MaxPool);
        (has && view::fits(op, op.kind)).then_some(Rounded(op))
    }
    #[inline] pub fn ceil_mode(self) -> bool { view::attr(self.0, Self::AT.ceil_mode) }
}

/// The attributes dilations of an op that has them.
#[derive(Clone, Copy)]
pub struct Dilated<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct DilatedAt { pub dilations: AttrName<kinds::Ints> }

impl<'a> Dilated<'a> {
    pub const AT: DilatedAt = DilatedAt { dilations: AttrName::new("dilations") };
    pub fn of(op: &'a Op) -> Option<Dilated<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::DeformConv | K::QLinearConv | K::BlockedQLinearConv | K::Col2Im | K::AveragePool | K::LpPool | K::MaxPool);
        (has && view::fits(op, op.kind)).then_some(Dilated(op))
    }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
}

/// The attributes group of an op that has them.
#[derive(Clone, Copy)]
pub struct Grouped<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct GroupedAt { pub group: AttrName<kinds::Int> }

impl<'a> Grouped<'a> {
    pub const AT: GroupedAt = GroupedAt { group: AttrName::new("group") };
    pub fn of(op: &'a Op) -> Option<Grouped<'a>> {
        let has = matches!(op.kind, K::Conv | K::FusedConv | K::ConvInteger | K::ConvTranspose | K::DeformConv | K::QLinearConv | K::BlockedQLinearConv);
        (has && view::fits(op, op.kind)).then_some(Grouped(op))
    }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
}

/// The attributes activation, alpha, beta of an op that has them.
#[derive(Clone, Copy)]
pub struct Activated<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct ActivatedAt { pub activation: AttrName<FusedActivation>, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float> }

impl<'a> Activated<'a> {
    pub const AT: ActivatedAt = ActivatedAt { activation: AttrName::new("activation"), alpha: AttrName::new("alpha"), beta: AttrName::new("beta") };
    pub fn of(op: &'a Op) -> Option<Activated<'a>> {
        let has = matches!(op.kind, K::FusedConv | K::FusedMatMul | K::MatMulNBits);
        (has && view::fits(op, op.kind)).then_some(Activated(op))
    }
    #[inline] pub fn activation(self) -> FusedActivation { view::attr(self.0, Self::AT.activation) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
}

/// The attributes keepdims, noop_with_empty_axes of an op that has them.
#[derive(Clone, Copy)]
pub struct Reduction<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct ReductionAt { pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> Reduction<'a> {
    pub const AT: ReductionAt = ReductionAt { keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    pub fn of(op: &'a Op) -> Option<Reduction<'a>> {
        let has = matches!(op.kind, K::ReduceL1 | K::ReduceL2 | K::ReduceLogSum | K::ReduceLogSumExp | K::ReduceMax | K::ReduceMean | K::ReduceMin | K::ReduceProd | K::ReduceSum | K::ReduceSumSquare);
        (has && view::fits(op, op.kind)).then_some(Reduction(op))
    }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
}

/// The attributes axis, keepdims, select_last_index of an op that has them.
#[derive(Clone, Copy)]
pub struct Selection<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct SelectionAt { pub axis: AttrName<kinds::Int>, pub keepdims: AttrName<kinds::Flag>, pub select_last_index: AttrName<kinds::Flag> }

impl<'a> Selection<'a> {
    pub const AT: SelectionAt = SelectionAt { axis: AttrName::new("axis"), keepdims: AttrName::new("keepdims"), select_last_index: AttrName::new("select_last_index") };
    pub fn of(op: &'a Op) -> Option<Selection<'a>> {
        let has = matches!(op.kind, K::ArgMax | K::ArgMin);
        (has && view::fits(op, op.kind)).then_some(Selection(op))
    }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn select_last_index(self) -> bool { view::attr(self.0, Self::AT.select_last_index) }
}

/// The attributes direction, hidden_size, layout of an op that has them.
#[derive(Clone, Copy)]
pub struct Recurrence<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct RecurrenceAt { pub direction: AttrName<RecurrentDirection>, pub hidden_size: AttrName<kinds::Int>, pub layout: AttrName<kinds::Flag> }

impl<'a> Recurrence<'a> {
    pub const AT: RecurrenceAt = RecurrenceAt { direction: AttrName::new("direction"), hidden_size: AttrName::new("hidden_size"), layout: AttrName::new("layout") };
    pub fn of(op: &'a Op) -> Option<Recurrence<'a>> {
        let has = matches!(op.kind, K::GRU | K::LSTM | K::RNN);
        (has && view::fits(op, op.kind)).then_some(Recurrence(op))
    }
    #[inline] pub fn direction(self) -> RecurrentDirection { view::attr(self.0, Self::AT.direction) }
    #[inline] pub fn hidden_size(self) -> Option<i64> { view::optional(self.0, Self::AT.hidden_size) }
    #[inline] pub fn layout(self) -> bool { view::attr(self.0, Self::AT.layout) }
}

/// The attributes shape, seed of an op that has them.
#[derive(Clone, Copy)]
pub struct Sampled<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct SampledAt { pub shape: AttrName<kinds::Ints>, pub seed: AttrName<kinds::Float> }

impl<'a> Sampled<'a> {
    pub const AT: SampledAt = SampledAt { shape: AttrName::new("shape"), seed: AttrName::new("seed") };
    pub fn of(op: &'a Op) -> Option<Sampled<'a>> {
        let has = matches!(op.kind, K::RandomNormal | K::RandomUniform);
        (has && view::fits(op, op.kind)).then_some(Sampled(op))
    }
    #[inline] pub fn shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.shape) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
}

/// The attributes reduction, ignore_index of an op that has them.
#[derive(Clone, Copy)]
pub struct LossReduction<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct LossReductionAt { pub reduction: AttrName<BatchReduction>, pub ignore_index: AttrName<kinds::Int> }

impl<'a> LossReduction<'a> {
    pub const AT: LossReductionAt = LossReductionAt { reduction: AttrName::new("reduction"), ignore_index: AttrName::new("ignore_index") };
    pub fn of(op: &'a Op) -> Option<LossReduction<'a>> {
        let has = matches!(op.kind, K::NegativeLogLikelihoodLoss | K::SoftmaxCrossEntropyLoss);
        (has && view::fits(op, op.kind)).then_some(LossReduction(op))
    }
    #[inline] pub fn reduction(self) -> BatchReduction { view::attr(self.0, Self::AT.reduction) }
    #[inline] pub fn ignore_index(self) -> Option<i64> { view::optional(self.0, Self::AT.ignore_index) }
}

/// The attributes nodes_treeids, nodes_nodeids, nodes_modes, nodes_featureids, nodes_values, nodes_values_as_tensor, nodes_truenodeids, nodes_falsenodeids, nodes_missing_value_tracks_true, base_values, base_values_as_tensor, post_transform of an op that has them.
#[derive(Clone, Copy)]
pub struct TreeNodes<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct TreeNodesAt { pub nodes_treeids: AttrName<kinds::Ints>, pub nodes_nodeids: AttrName<kinds::Ints>, pub nodes_modes: AttrName<kinds::Strs>, pub nodes_featureids: AttrName<kinds::Ints>, pub nodes_values: AttrName<kinds::Floats>, pub nodes_values_as_tensor: AttrName<kinds::Tensor>, pub nodes_truenodeids: AttrName<kinds::Ints>, pub nodes_falsenodeids: AttrName<kinds::Ints>, pub nodes_missing_value_tracks_true: AttrName<kinds::Ints>, pub base_values: AttrName<kinds::Floats>, pub base_values_as_tensor: AttrName<kinds::Tensor>, pub post_transform: AttrName<PostTransform> }

impl<'a> TreeNodes<'a> {
    pub const AT: TreeNodesAt = TreeNodesAt { nodes_treeids: AttrName::new("nodes_treeids"), nodes_nodeids: AttrName::new("nodes_nodeids"), nodes_modes: AttrName::new("nodes_modes"), nodes_featureids: AttrName::new("nodes_featureids"), nodes_values: AttrName::new("nodes_values"), nodes_values_as_tensor: AttrName::new("nodes_values_as_tensor"), nodes_truenodeids: AttrName::new("nodes_truenodeids"), nodes_falsenodeids: AttrName::new("nodes_falsenodeids"), nodes_missing_value_tracks_true: AttrName::new("nodes_missing_value_tracks_true"), base_values: AttrName::new("base_values"), base_values_as_tensor: AttrName::new("base_values_as_tensor"), post_transform: AttrName::new("post_transform") };
    pub fn of(op: &'a Op) -> Option<TreeNodes<'a>> {
        let has = matches!(op.kind, K::TreeEnsembleClassifier | K::TreeEnsembleRegressor);
        (has && view::fits(op, op.kind)).then_some(TreeNodes(op))
    }
    #[inline] pub fn nodes_treeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_treeids) }
    #[inline] pub fn nodes_nodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_nodeids) }
    #[inline] pub fn nodes_modes(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.nodes_modes) }
    #[inline] pub fn nodes_featureids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_featureids) }
    #[inline] pub fn nodes_values(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.nodes_values) }
    #[inline] pub fn nodes_values_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.nodes_values_as_tensor) }
    #[inline] pub fn nodes_truenodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_truenodeids) }
    #[inline] pub fn nodes_falsenodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_falsenodeids) }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_missing_value_tracks_true) }
    #[inline] pub fn base_values(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.base_values) }
    #[inline] pub fn base_values_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.base_values_as_tensor) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
}

/// The attributes blocksize of an op that has them.
#[derive(Clone, Copy)]
pub struct Blocks<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct BlocksAt { pub blocksize: AttrName<kinds::Int> }

impl<'a> Blocks<'a> {
    pub const AT: BlocksAt = BlocksAt { blocksize: AttrName::new("blocksize") };
    pub fn of(op: &'a Op) -> Option<Blocks<'a>> {
        let has = matches!(op.kind, K::DepthToSpace | K::SpaceToDepth);
        (has && view::fits(op, op.kind)).then_some(Blocks(op))
    }
    #[inline] pub fn blocksize(self) -> i64 { view::attr(self.0, Self::AT.blocksize) }
}

/// The attributes order, scope of an op that has them.
#[derive(Clone, Copy)]
pub struct Ordered<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct OrderedAt { pub order: AttrName<MemoryOrder>, pub scope: AttrName<MemoryScope> }

impl<'a> Ordered<'a> {
    pub const AT: OrderedAt = OrderedAt { order: AttrName::new("order"), scope: AttrName::new("scope") };
    pub fn of(op: &'a Op) -> Option<Ordered<'a>> {
        let has = matches!(op.kind, K::AtomicRmw | K::AtomicCas | K::AtomicLoad | K::AtomicStore | K::AtomicPoll);
        (has && view::fits(op, op.kind)).then_some(Ordered(op))
    }
    #[inline] pub fn order(self) -> MemoryOrder { view::attr(self.0, Self::AT.order) }
    #[inline] pub fn scope(self) -> MemoryScope { view::attr(self.0, Self::AT.scope) }
}

/// The attributes trans_a, trans_b of an op that has them.
#[derive(Clone, Copy)]
pub struct Transposed<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct TransposedAt { pub trans_a: AttrName<kinds::Flag>, pub trans_b: AttrName<kinds::Flag> }

impl<'a> Transposed<'a> {
    pub const AT: TransposedAt = TransposedAt { trans_a: AttrName::new("trans_a"), trans_b: AttrName::new("trans_b") };
    pub fn of(op: &'a Op) -> Option<Transposed<'a>> {
        let has = matches!(op.kind, K::Gemm | K::FusedMatMul);
        (has && view::fits(op, op.kind)).then_some(Transposed(op))
    }
    #[inline] pub fn trans_a(self) -> bool { view::attr(self.0, Self::AT.trans_a) }
    #[inline] pub fn trans_b(self) -> bool { view::attr(self.0, Self::AT.trans_b) }
}
