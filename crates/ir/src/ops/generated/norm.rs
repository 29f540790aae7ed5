// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::BatchNormalization`].
#[derive(Clone, Copy)]
pub struct BatchNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BatchNormalization`].
pub struct BatchNormalizationAt { pub x: usize, pub scale: usize, pub b: usize, pub mean: usize, pub var: usize, pub y: usize, pub running_mean: usize, pub running_var: usize }

impl<'a> BatchNormalization<'a> {
    pub const KIND: OpKind = OpKind::BatchNormalization;
    pub const AT: BatchNormalizationAt = BatchNormalizationAt { x: 0, scale: 1, b: 2, mean: 3, var: 4, y: 0, running_mean: 1, running_var: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<BatchNormalization<'a>> { view::fits(op, Self::KIND).then_some(BatchNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn mean(self) -> ValueId { view::operand(self.0, 3) }
    #[inline] pub fn var(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn running_mean(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn running_var(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
    #[inline] pub fn momentum(self) -> f32 { view::attr::<kinds::Float>(self.0, "momentum") }
    #[inline] pub fn training_mode(self) -> bool { view::attr::<kinds::Flag>(self.0, "training_mode") }
}

impl BatchNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, b: ValueId, mean: ValueId, var: ValueId) -> New<Self> {
        view::new(OpKind::BatchNormalization, vec![Some(x), Some(scale), Some(b), Some(mean), Some(var)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BatchNormalization) }
}

impl<O: BorrowMut<Op>> Set<BatchNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
    #[inline] pub fn momentum(self, value: f32) -> Self { self.put::<kinds::Float>("momentum", value) }
    #[inline] pub fn training_mode(self, value: bool) -> Self { self.put::<kinds::Flag>("training_mode", value) }
}

/// A view of [`OpKind::GroupNormalization`].
#[derive(Clone, Copy)]
pub struct GroupNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GroupNormalization`].
pub struct GroupNormalizationAt { pub x: usize, pub scale: usize, pub bias: usize, pub y: usize }

impl<'a> GroupNormalization<'a> {
    pub const KIND: OpKind = OpKind::GroupNormalization;
    pub const AT: GroupNormalizationAt = GroupNormalizationAt { x: 0, scale: 1, bias: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<GroupNormalization<'a>> { view::fits(op, Self::KIND).then_some(GroupNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
    #[inline] pub fn num_groups(self) -> i64 { view::attr::<kinds::Int>(self.0, "num_groups") }
    #[inline] pub fn stash_type(self) -> DType { view::attr::<kinds::DType>(self.0, "stash_type") }
}

impl GroupNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, bias: ValueId) -> New<Self> {
        view::new(OpKind::GroupNormalization, vec![Some(x), Some(scale), Some(bias)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GroupNormalization) }
}

impl<O: BorrowMut<Op>> Set<GroupNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
    #[inline] pub fn num_groups(self, value: i64) -> Self { self.put::<kinds::Int>("num_groups", value) }
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put::<kinds::DType>("stash_type", value) }
}

/// A view of [`OpKind::InstanceNormalization`].
#[derive(Clone, Copy)]
pub struct InstanceNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::InstanceNormalization`].
pub struct InstanceNormalizationAt { pub x: usize, pub scale: usize, pub b: usize, pub y: usize }

impl<'a> InstanceNormalization<'a> {
    pub const KIND: OpKind = OpKind::InstanceNormalization;
    pub const AT: InstanceNormalizationAt = InstanceNormalizationAt { x: 0, scale: 1, b: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<InstanceNormalization<'a>> { view::fits(op, Self::KIND).then_some(InstanceNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
}

impl InstanceNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::InstanceNormalization, vec![Some(x), Some(scale), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::InstanceNormalization) }
}

impl<O: BorrowMut<Op>> Set<InstanceNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
}

/// A view of [`OpKind::LayerNormalization`].
#[derive(Clone, Copy)]
pub struct LayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LayerNormalization`].
pub struct LayerNormalizationAt { pub x: usize, pub scale: usize, pub b: usize, pub y: usize, pub mean: usize, pub inv_std_dev: usize }

impl<'a> LayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::LayerNormalization;
    pub const AT: LayerNormalizationAt = LayerNormalizationAt { x: 0, scale: 1, b: 2, y: 0, mean: 1, inv_std_dev: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<LayerNormalization<'a>> { view::fits(op, Self::KIND).then_some(LayerNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mean(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn inv_std_dev(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
    #[inline] pub fn stash_type(self) -> DType { view::attr::<kinds::DType>(self.0, "stash_type") }
}

impl LayerNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::LayerNormalization, vec![Some(x), Some(scale), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<LayerNormalization<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put::<kinds::DType>("stash_type", value) }
}

/// A view of [`OpKind::SkipLayerNormalization`].
#[derive(Clone, Copy)]
pub struct SkipLayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SkipLayerNormalization`].
pub struct SkipLayerNormalizationAt { pub x: usize, pub skip: usize, pub scale: usize, pub b: usize, pub bias: usize, pub y: usize, pub sum: usize }

impl<'a> SkipLayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::SkipLayerNormalization;
    pub const AT: SkipLayerNormalizationAt = SkipLayerNormalizationAt { x: 0, skip: 1, scale: 2, b: 3, bias: 4, y: 0, sum: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<SkipLayerNormalization<'a>> { view::fits(op, Self::KIND).then_some(SkipLayerNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn skip(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn sum(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
}

impl SkipLayerNormalization<'static> {
    pub fn new(x: ValueId, skip: ValueId, scale: ValueId, b: Option<ValueId>, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SkipLayerNormalization, vec![Some(x), Some(skip), Some(scale), b, bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SkipLayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<SkipLayerNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
}

/// A view of [`OpKind::RuntimeSkipLayerNormalization`].
#[derive(Clone, Copy)]
pub struct RuntimeSkipLayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RuntimeSkipLayerNormalization`].
pub struct RuntimeSkipLayerNormalizationAt { pub x: usize, pub skip: usize, pub gamma: usize, pub beta: usize, pub bias: usize, pub y: usize, pub mean: usize, pub inv_std_var: usize, pub sum: usize }

impl<'a> RuntimeSkipLayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::RuntimeSkipLayerNormalization;
    pub const AT: RuntimeSkipLayerNormalizationAt = RuntimeSkipLayerNormalizationAt { x: 0, skip: 1, gamma: 2, beta: 3, bias: 4, y: 0, mean: 1, inv_std_var: 2, sum: 3 };
    #[inline] pub fn of(op: &'a Op) -> Option<RuntimeSkipLayerNormalization<'a>> { view::fits(op, Self::KIND).then_some(RuntimeSkipLayerNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn skip(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn gamma(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn beta(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mean(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn inv_std_var(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn sum(self) -> Option<ValueId> { self.0.output(3) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
}

impl RuntimeSkipLayerNormalization<'static> {
    pub fn new(x: ValueId, skip: ValueId, gamma: ValueId, beta: Option<ValueId>, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::RuntimeSkipLayerNormalization, vec![Some(x), Some(skip), Some(gamma), beta, bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RuntimeSkipLayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<RuntimeSkipLayerNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
}

/// A view of [`OpKind::SkipSimplifiedLayerNormalization`].
#[derive(Clone, Copy)]
pub struct SkipSimplifiedLayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SkipSimplifiedLayerNormalization`].
pub struct SkipSimplifiedLayerNormalizationAt { pub x: usize, pub skip: usize, pub gamma: usize, pub bias: usize, pub y: usize, pub mean: usize, pub inv_std_var: usize, pub sum: usize }

impl<'a> SkipSimplifiedLayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::SkipSimplifiedLayerNormalization;
    pub const AT: SkipSimplifiedLayerNormalizationAt = SkipSimplifiedLayerNormalizationAt { x: 0, skip: 1, gamma: 2, bias: 3, y: 0, mean: 1, inv_std_var: 2, sum: 3 };
    #[inline] pub fn of(op: &'a Op) -> Option<SkipSimplifiedLayerNormalization<'a>> { view::fits(op, Self::KIND).then_some(SkipSimplifiedLayerNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn skip(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn gamma(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mean(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn inv_std_var(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn sum(self) -> Option<ValueId> { self.0.output(3) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
}

impl SkipSimplifiedLayerNormalization<'static> {
    pub fn new(x: ValueId, skip: ValueId, gamma: ValueId, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SkipSimplifiedLayerNormalization, vec![Some(x), Some(skip), Some(gamma), bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SkipSimplifiedLayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<SkipSimplifiedLayerNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
}

/// A view of [`OpKind::RMSNormalization`].
#[derive(Clone, Copy)]
pub struct RMSNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RMSNormalization`].
pub struct RMSNormalizationAt { pub x: usize, pub scale: usize, pub y: usize }

impl<'a> RMSNormalization<'a> {
    pub const KIND: OpKind = OpKind::RMSNormalization;
    pub const AT: RMSNormalizationAt = RMSNormalizationAt { x: 0, scale: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<RMSNormalization<'a>> { view::fits(op, Self::KIND).then_some(RMSNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn epsilon(self) -> f32 { view::attr::<kinds::Float>(self.0, "epsilon") }
    #[inline] pub fn stash_type(self) -> DType { view::attr::<kinds::DType>(self.0, "stash_type") }
}

impl RMSNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId) -> New<Self> {
        view::new(OpKind::RMSNormalization, vec![Some(x), Some(scale)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RMSNormalization) }
}

impl<O: BorrowMut<Op>> Set<RMSNormalization<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put::<kinds::Float>("epsilon", value) }
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put::<kinds::DType>("stash_type", value) }
}

/// A view of [`OpKind::LRN`].
#[derive(Clone, Copy)]
pub struct LRN<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LRN`].
pub struct LRNAt { pub x: usize, pub y: usize }

impl<'a> LRN<'a> {
    pub const KIND: OpKind = OpKind::LRN;
    pub const AT: LRNAt = LRNAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LRN<'a>> { view::fits(op, Self::KIND).then_some(LRN(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
    #[inline] pub fn bias(self) -> f32 { view::attr::<kinds::Float>(self.0, "bias") }
    #[inline] pub fn size(self) -> i64 { view::attr::<kinds::Int>(self.0, "size") }
}

impl LRN<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LRN, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LRN) }
}

impl<O: BorrowMut<Op>> Set<LRN<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
    #[inline] pub fn bias(self, value: f32) -> Self { self.put::<kinds::Float>("bias", value) }
    #[inline] pub fn size(self, value: i64) -> Self { self.put::<kinds::Int>("size", value) }
}

/// A view of [`OpKind::LpNormalization`].
#[derive(Clone, Copy)]
pub struct LpNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LpNormalization`].
pub struct LpNormalizationAt { pub x: usize, pub y: usize }

impl<'a> LpNormalization<'a> {
    pub const KIND: OpKind = OpKind::LpNormalization;
    pub const AT: LpNormalizationAt = LpNormalizationAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LpNormalization<'a>> { view::fits(op, Self::KIND).then_some(LpNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn p(self) -> i64 { view::attr::<kinds::Int>(self.0, "p") }
}

impl LpNormalization<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LpNormalization, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LpNormalization) }
}

impl<O: BorrowMut<Op>> Set<LpNormalization<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn p(self, value: i64) -> Self { self.put::<kinds::Int>("p", value) }
}

/// A view of [`OpKind::MeanVarianceNormalization`].
#[derive(Clone, Copy)]
pub struct MeanVarianceNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MeanVarianceNormalization`].
pub struct MeanVarianceNormalizationAt { pub x: usize, pub y: usize }

impl<'a> MeanVarianceNormalization<'a> {
    pub const KIND: OpKind = OpKind::MeanVarianceNormalization;
    pub const AT: MeanVarianceNormalizationAt = MeanVarianceNormalizationAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MeanVarianceNormalization<'a>> { view::fits(op, Self::KIND).then_some(MeanVarianceNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axes(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "axes") }
}

impl MeanVarianceNormalization<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::MeanVarianceNormalization, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MeanVarianceNormalization) }
}

impl<O: BorrowMut<Op>> Set<MeanVarianceNormalization<'static>, O> {
    #[inline] pub fn axes(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("axes", value) }
}

/// A view of [`OpKind::Softmax`].
#[derive(Clone, Copy)]
pub struct Softmax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Softmax`].
pub struct SoftmaxAt { pub x: usize, pub y: usize }

impl<'a> Softmax<'a> {
    pub const KIND: OpKind = OpKind::Softmax;
    pub const AT: SoftmaxAt = SoftmaxAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Softmax<'a>> { view::fits(op, Self::KIND).then_some(Softmax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl Softmax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Softmax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Softmax) }
}

impl<O: BorrowMut<Op>> Set<Softmax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::LogSoftmax`].
#[derive(Clone, Copy)]
pub struct LogSoftmax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LogSoftmax`].
pub struct LogSoftmaxAt { pub x: usize, pub y: usize }

impl<'a> LogSoftmax<'a> {
    pub const KIND: OpKind = OpKind::LogSoftmax;
    pub const AT: LogSoftmaxAt = LogSoftmaxAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LogSoftmax<'a>> { view::fits(op, Self::KIND).then_some(LogSoftmax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl LogSoftmax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LogSoftmax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LogSoftmax) }
}

impl<O: BorrowMut<Op>> Set<LogSoftmax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::Hardmax`].
#[derive(Clone, Copy)]
pub struct Hardmax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Hardmax`].
pub struct HardmaxAt { pub x: usize, pub y: usize }

impl<'a> Hardmax<'a> {
    pub const KIND: OpKind = OpKind::Hardmax;
    pub const AT: HardmaxAt = HardmaxAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Hardmax<'a>> { view::fits(op, Self::KIND).then_some(Hardmax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl Hardmax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Hardmax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Hardmax) }
}

impl<O: BorrowMut<Op>> Set<Hardmax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}
