// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::BatchNormalization`].
#[derive(Clone, Copy)]
pub struct BatchNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BatchNormalization`], and names of its attributes.
pub struct BatchNormalizationAt { pub x: usize, pub scale: usize, pub b: usize, pub mean: usize, pub var: usize, pub y: usize, pub running_mean: usize, pub running_var: usize, pub epsilon: AttrName<kinds::Float>, pub momentum: AttrName<kinds::Float>, pub training_mode: AttrName<kinds::Flag> }

impl<'a> BatchNormalization<'a> {
    pub const KIND: OpKind = OpKind::BatchNormalization;
    pub const AT: BatchNormalizationAt = BatchNormalizationAt { x: 0, scale: 1, b: 2, mean: 3, var: 4, y: 0, running_mean: 1, running_var: 2, epsilon: AttrName::new("epsilon"), momentum: AttrName::new("momentum"), training_mode: AttrName::new("training_mode") };
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
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
    #[inline] pub fn momentum(self) -> f32 { view::attr(self.0, Self::AT.momentum) }
    #[inline] pub fn training_mode(self) -> bool { view::attr(self.0, Self::AT.training_mode) }
}

impl BatchNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, b: ValueId, mean: ValueId, var: ValueId) -> New<Self> {
        view::new(OpKind::BatchNormalization, vec![Some(x), Some(scale), Some(b), Some(mean), Some(var)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BatchNormalization) }
}

impl<O: BorrowMut<Op>> Set<BatchNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(BatchNormalization::AT.epsilon, value) }
    #[inline] pub fn momentum(self, value: f32) -> Self { self.put(BatchNormalization::AT.momentum, value) }
    #[inline] pub fn training_mode(self, value: bool) -> Self { self.put(BatchNormalization::AT.training_mode, value) }
}

/// A view of [`OpKind::GroupNormalization`].
#[derive(Clone, Copy)]
pub struct GroupNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GroupNormalization`], and names of its attributes.
pub struct GroupNormalizationAt { pub x: usize, pub scale: usize, pub bias: usize, pub y: usize, pub epsilon: AttrName<kinds::Float>, pub num_groups: AttrName<kinds::Int>, pub stash_type: AttrName<kinds::DType> }

impl<'a> GroupNormalization<'a> {
    pub const KIND: OpKind = OpKind::GroupNormalization;
    pub const AT: GroupNormalizationAt = GroupNormalizationAt { x: 0, scale: 1, bias: 2, y: 0, epsilon: AttrName::new("epsilon"), num_groups: AttrName::new("num_groups"), stash_type: AttrName::new("stash_type") };
    #[inline] pub fn of(op: &'a Op) -> Option<GroupNormalization<'a>> { view::fits(op, Self::KIND).then_some(GroupNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
    #[inline] pub fn num_groups(self) -> i64 { view::attr(self.0, Self::AT.num_groups) }
    #[inline] pub fn stash_type(self) -> DType { view::attr(self.0, Self::AT.stash_type) }
}

impl GroupNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, bias: ValueId) -> New<Self> {
        view::new(OpKind::GroupNormalization, vec![Some(x), Some(scale), Some(bias)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GroupNormalization) }
}

impl<O: BorrowMut<Op>> Set<GroupNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(GroupNormalization::AT.epsilon, value) }
    #[inline] pub fn num_groups(self, value: i64) -> Self { self.put(GroupNormalization::AT.num_groups, value) }
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put(GroupNormalization::AT.stash_type, value) }
}

/// A view of [`OpKind::InstanceNormalization`].
#[derive(Clone, Copy)]
pub struct InstanceNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::InstanceNormalization`], and names of its attributes.
pub struct InstanceNormalizationAt { pub x: usize, pub scale: usize, pub b: usize, pub y: usize, pub epsilon: AttrName<kinds::Float> }

impl<'a> InstanceNormalization<'a> {
    pub const KIND: OpKind = OpKind::InstanceNormalization;
    pub const AT: InstanceNormalizationAt = InstanceNormalizationAt { x: 0, scale: 1, b: 2, y: 0, epsilon: AttrName::new("epsilon") };
    #[inline] pub fn of(op: &'a Op) -> Option<InstanceNormalization<'a>> { view::fits(op, Self::KIND).then_some(InstanceNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
}

impl InstanceNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::InstanceNormalization, vec![Some(x), Some(scale), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::InstanceNormalization) }
}

impl<O: BorrowMut<Op>> Set<InstanceNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(InstanceNormalization::AT.epsilon, value) }
}

/// A view of [`OpKind::LayerNormalization`].
#[derive(Clone, Copy)]
pub struct LayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LayerNormalization`], and names of its attributes.
pub struct LayerNormalizationAt { pub x: usize, pub scale: usize, pub b: usize, pub y: usize, pub mean: usize, pub inv_std_dev: usize, pub axis: AttrName<kinds::Int>, pub epsilon: AttrName<kinds::Float>, pub stash_type: AttrName<kinds::DType> }

impl<'a> LayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::LayerNormalization;
    pub const AT: LayerNormalizationAt = LayerNormalizationAt { x: 0, scale: 1, b: 2, y: 0, mean: 1, inv_std_dev: 2, axis: AttrName::new("axis"), epsilon: AttrName::new("epsilon"), stash_type: AttrName::new("stash_type") };
    #[inline] pub fn of(op: &'a Op) -> Option<LayerNormalization<'a>> { view::fits(op, Self::KIND).then_some(LayerNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mean(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn inv_std_dev(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
    #[inline] pub fn stash_type(self) -> DType { view::attr(self.0, Self::AT.stash_type) }
}

impl LayerNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::LayerNormalization, vec![Some(x), Some(scale), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<LayerNormalization<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(LayerNormalization::AT.axis, value) }
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(LayerNormalization::AT.epsilon, value) }
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put(LayerNormalization::AT.stash_type, value) }
}

/// A view of [`OpKind::SkipLayerNormalization`].
#[derive(Clone, Copy)]
pub struct SkipLayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SkipLayerNormalization`], and names of its attributes.
pub struct SkipLayerNormalizationAt { pub x: usize, pub skip: usize, pub scale: usize, pub b: usize, pub bias: usize, pub y: usize, pub sum: usize, pub epsilon: AttrName<kinds::Float> }

impl<'a> SkipLayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::SkipLayerNormalization;
    pub const AT: SkipLayerNormalizationAt = SkipLayerNormalizationAt { x: 0, skip: 1, scale: 2, b: 3, bias: 4, y: 0, sum: 1, epsilon: AttrName::new("epsilon") };
    #[inline] pub fn of(op: &'a Op) -> Option<SkipLayerNormalization<'a>> { view::fits(op, Self::KIND).then_some(SkipLayerNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn skip(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn sum(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
}

impl SkipLayerNormalization<'static> {
    pub fn new(x: ValueId, skip: ValueId, scale: ValueId, b: Option<ValueId>, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SkipLayerNormalization, vec![Some(x), Some(skip), Some(scale), b, bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SkipLayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<SkipLayerNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(SkipLayerNormalization::AT.epsilon, value) }
}

/// A view of [`OpKind::RuntimeSkipLayerNormalization`].
#[derive(Clone, Copy)]
pub struct RuntimeSkipLayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RuntimeSkipLayerNormalization`], and names of its attributes.
pub struct RuntimeSkipLayerNormalizationAt { pub x: usize, pub skip: usize, pub gamma: usize, pub beta: usize, pub bias: usize, pub y: usize, pub mean: usize, pub inv_std_var: usize, pub sum: usize, pub epsilon: AttrName<kinds::Float> }

impl<'a> RuntimeSkipLayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::RuntimeSkipLayerNormalization;
    pub const AT: RuntimeSkipLayerNormalizationAt = RuntimeSkipLayerNormalizationAt { x: 0, skip: 1, gamma: 2, beta: 3, bias: 4, y: 0, mean: 1, inv_std_var: 2, sum: 3, epsilon: AttrName::new("epsilon") };
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
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
}

impl RuntimeSkipLayerNormalization<'static> {
    pub fn new(x: ValueId, skip: ValueId, gamma: ValueId, beta: Option<ValueId>, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::RuntimeSkipLayerNormalization, vec![Some(x), Some(skip), Some(gamma), beta, bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RuntimeSkipLayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<RuntimeSkipLayerNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(RuntimeSkipLayerNormalization::AT.epsilon, value) }
}

/// A view of [`OpKind::SkipSimplifiedLayerNormalization`].
#[derive(Clone, Copy)]
pub struct SkipSimplifiedLayerNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SkipSimplifiedLayerNormalization`], and names of its attributes.
pub struct SkipSimplifiedLayerNormalizationAt { pub x: usize, pub skip: usize, pub gamma: usize, pub bias: usize, pub y: usize, pub mean: usize, pub inv_std_var: usize, pub sum: usize, pub epsilon: AttrName<kinds::Float> }

impl<'a> SkipSimplifiedLayerNormalization<'a> {
    pub const KIND: OpKind = OpKind::SkipSimplifiedLayerNormalization;
    pub const AT: SkipSimplifiedLayerNormalizationAt = SkipSimplifiedLayerNormalizationAt { x: 0, skip: 1, gamma: 2, bias: 3, y: 0, mean: 1, inv_std_var: 2, sum: 3, epsilon: AttrName::new("epsilon") };
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
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
}

impl SkipSimplifiedLayerNormalization<'static> {
    pub fn new(x: ValueId, skip: ValueId, gamma: ValueId, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SkipSimplifiedLayerNormalization, vec![Some(x), Some(skip), Some(gamma), bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SkipSimplifiedLayerNormalization) }
}

impl<O: BorrowMut<Op>> Set<SkipSimplifiedLayerNormalization<'static>, O> {
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(SkipSimplifiedLayerNormalization::AT.epsilon, value) }
}

/// A view of [`OpKind::RMSNormalization`].
#[derive(Clone, Copy)]
pub struct RMSNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RMSNormalization`], and names of its attributes.
pub struct RMSNormalizationAt { pub x: usize, pub scale: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub epsilon: AttrName<kinds::Float>, pub stash_type: AttrName<kinds::DType> }

impl<'a> RMSNormalization<'a> {
    pub const KIND: OpKind = OpKind::RMSNormalization;
    pub const AT: RMSNormalizationAt = RMSNormalizationAt { x: 0, scale: 1, y: 0, axis: AttrName::new("axis"), epsilon: AttrName::new("epsilon"), stash_type: AttrName::new("stash_type") };
    #[inline] pub fn of(op: &'a Op) -> Option<RMSNormalization<'a>> { view::fits(op, Self::KIND).then_some(RMSNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
    #[inline] pub fn stash_type(self) -> DType { view::attr(self.0, Self::AT.stash_type) }
}

impl RMSNormalization<'static> {
    pub fn new(x: ValueId, scale: ValueId) -> New<Self> {
        view::new(OpKind::RMSNormalization, vec![Some(x), Some(scale)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RMSNormalization) }
}

impl<O: BorrowMut<Op>> Set<RMSNormalization<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(RMSNormalization::AT.axis, value) }
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(RMSNormalization::AT.epsilon, value) }
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put(RMSNormalization::AT.stash_type, value) }
}

/// A view of [`OpKind::LRN`].
#[derive(Clone, Copy)]
pub struct LRN<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LRN`], and names of its attributes.
pub struct LRNAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float>, pub bias: AttrName<kinds::Float>, pub size: AttrName<kinds::Int> }

impl<'a> LRN<'a> {
    pub const KIND: OpKind = OpKind::LRN;
    pub const AT: LRNAt = LRNAt { x: 0, y: 0, alpha: AttrName::new("alpha"), beta: AttrName::new("beta"), bias: AttrName::new("bias"), size: AttrName::new("size") };
    #[inline] pub fn of(op: &'a Op) -> Option<LRN<'a>> { view::fits(op, Self::KIND).then_some(LRN(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
    #[inline] pub fn bias(self) -> f32 { view::attr(self.0, Self::AT.bias) }
    #[inline] pub fn size(self) -> i64 { view::attr(self.0, Self::AT.size) }
}

impl LRN<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LRN, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LRN) }
}

impl<O: BorrowMut<Op>> Set<LRN<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(LRN::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(LRN::AT.beta, value) }
    #[inline] pub fn bias(self, value: f32) -> Self { self.put(LRN::AT.bias, value) }
    #[inline] pub fn size(self, value: i64) -> Self { self.put(LRN::AT.size, value) }
}

/// A view of [`OpKind::LpNormalization`].
#[derive(Clone, Copy)]
pub struct LpNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LpNormalization`], and names of its attributes.
pub struct LpNormalizationAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub p: AttrName<kinds::Int> }

impl<'a> LpNormalization<'a> {
    pub const KIND: OpKind = OpKind::LpNormalization;
    pub const AT: LpNormalizationAt = LpNormalizationAt { x: 0, y: 0, axis: AttrName::new("axis"), p: AttrName::new("p") };
    #[inline] pub fn of(op: &'a Op) -> Option<LpNormalization<'a>> { view::fits(op, Self::KIND).then_some(LpNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn p(self) -> i64 { view::attr(self.0, Self::AT.p) }
}

impl LpNormalization<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LpNormalization, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LpNormalization) }
}

impl<O: BorrowMut<Op>> Set<LpNormalization<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(LpNormalization::AT.axis, value) }
    #[inline] pub fn p(self, value: i64) -> Self { self.put(LpNormalization::AT.p, value) }
}

/// A view of [`OpKind::MeanVarianceNormalization`].
#[derive(Clone, Copy)]
pub struct MeanVarianceNormalization<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MeanVarianceNormalization`], and names of its attributes.
pub struct MeanVarianceNormalizationAt { pub x: usize, pub y: usize, pub axes: AttrName<kinds::Ints> }

impl<'a> MeanVarianceNormalization<'a> {
    pub const KIND: OpKind = OpKind::MeanVarianceNormalization;
    pub const AT: MeanVarianceNormalizationAt = MeanVarianceNormalizationAt { x: 0, y: 0, axes: AttrName::new("axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<MeanVarianceNormalization<'a>> { view::fits(op, Self::KIND).then_some(MeanVarianceNormalization(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axes(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.axes) }
}

impl MeanVarianceNormalization<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::MeanVarianceNormalization, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MeanVarianceNormalization) }
}

impl<O: BorrowMut<Op>> Set<MeanVarianceNormalization<'static>, O> {
    #[inline] pub fn axes(self, value: Vec<i64>) -> Self { self.put(MeanVarianceNormalization::AT.axes, value) }
}

/// A view of [`OpKind::Softmax`].
#[derive(Clone, Copy)]
pub struct Softmax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Softmax`], and names of its attributes.
pub struct SoftmaxAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Softmax<'a> {
    pub const KIND: OpKind = OpKind::Softmax;
    pub const AT: SoftmaxAt = SoftmaxAt { x: 0, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Softmax<'a>> { view::fits(op, Self::KIND).then_some(Softmax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl Softmax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Softmax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Softmax) }
}

impl<O: BorrowMut<Op>> Set<Softmax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Softmax::AT.axis, value) }
}

/// A view of [`OpKind::LogSoftmax`].
#[derive(Clone, Copy)]
pub struct LogSoftmax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LogSoftmax`], and names of its attributes.
pub struct LogSoftmaxAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> LogSoftmax<'a> {
    pub const KIND: OpKind = OpKind::LogSoftmax;
    pub const AT: LogSoftmaxAt = LogSoftmaxAt { x: 0, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<LogSoftmax<'a>> { view::fits(op, Self::KIND).then_some(LogSoftmax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl LogSoftmax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LogSoftmax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LogSoftmax) }
}

impl<O: BorrowMut<Op>> Set<LogSoftmax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(LogSoftmax::AT.axis, value) }
}

/// A view of [`OpKind::Hardmax`].
#[derive(Clone, Copy)]
pub struct Hardmax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Hardmax`], and names of its attributes.
pub struct HardmaxAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Hardmax<'a> {
    pub const KIND: OpKind = OpKind::Hardmax;
    pub const AT: HardmaxAt = HardmaxAt { x: 0, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Hardmax<'a>> { view::fits(op, Self::KIND).then_some(Hardmax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl Hardmax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Hardmax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Hardmax) }
}

impl<O: BorrowMut<Op>> Set<Hardmax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Hardmax::AT.axis, value) }
}
