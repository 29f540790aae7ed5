// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{BatchReduction, MomentumMode};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::NegativeLogLikelihoodLoss`].
#[derive(Clone, Copy)]
pub struct NegativeLogLikelihoodLoss<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NegativeLogLikelihoodLoss`], and names of its attributes.
pub struct NegativeLogLikelihoodLossAt { pub x: usize, pub target: usize, pub weight: usize, pub loss: usize, pub ignore_index: AttrName<kinds::Int>, pub reduction: AttrName<BatchReduction> }

impl<'a> NegativeLogLikelihoodLoss<'a> {
    pub const KIND: OpKind = OpKind::NegativeLogLikelihoodLoss;
    pub const AT: NegativeLogLikelihoodLossAt = NegativeLogLikelihoodLossAt { x: 0, target: 1, weight: 2, loss: 0, ignore_index: AttrName::new("ignore_index"), reduction: AttrName::new("reduction") };
    #[inline] pub fn of(op: &'a Op) -> Option<NegativeLogLikelihoodLoss<'a>> { view::fits(op, Self::KIND).then_some(NegativeLogLikelihoodLoss(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn target(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn weight(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn loss(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn ignore_index(self) -> Option<i64> { view::optional(self.0, Self::AT.ignore_index) }
    #[inline] pub fn reduction(self) -> BatchReduction { view::attr(self.0, Self::AT.reduction) }
    #[inline] pub fn loss_reduction(self) -> super::LossReduction<'a> { super::LossReduction(self.0) }
}

impl NegativeLogLikelihoodLoss<'static> {
    pub fn new(x: ValueId, target: ValueId, weight: Option<ValueId>) -> New<Self> {
        view::new(OpKind::NegativeLogLikelihoodLoss, vec![Some(x), Some(target), weight], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::NegativeLogLikelihoodLoss) }
}

impl<O: BorrowMut<Op>> Set<NegativeLogLikelihoodLoss<'static>, O> {
    #[inline] pub fn ignore_index(self, value: i64) -> Self { self.put(NegativeLogLikelihoodLoss::AT.ignore_index, value) }
    #[inline] pub fn reduction(self, value: BatchReduction) -> Self { self.put(NegativeLogLikelihoodLoss::AT.reduction, value) }
}

/// A view of [`OpKind::SoftmaxCrossEntropyLoss`].
#[derive(Clone, Copy)]
pub struct SoftmaxCrossEntropyLoss<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SoftmaxCrossEntropyLoss`], and names of its attributes.
pub struct SoftmaxCrossEntropyLossAt { pub scores: usize, pub labels: usize, pub weights: usize, pub loss: usize, pub log_prob: usize, pub ignore_index: AttrName<kinds::Int>, pub reduction: AttrName<BatchReduction> }

impl<'a> SoftmaxCrossEntropyLoss<'a> {
    pub const KIND: OpKind = OpKind::SoftmaxCrossEntropyLoss;
    pub const AT: SoftmaxCrossEntropyLossAt = SoftmaxCrossEntropyLossAt { scores: 0, labels: 1, weights: 2, loss: 0, log_prob: 1, ignore_index: AttrName::new("ignore_index"), reduction: AttrName::new("reduction") };
    #[inline] pub fn of(op: &'a Op) -> Option<SoftmaxCrossEntropyLoss<'a>> { view::fits(op, Self::KIND).then_some(SoftmaxCrossEntropyLoss(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn scores(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn labels(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn weights(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn loss(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn log_prob(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn ignore_index(self) -> Option<i64> { view::optional(self.0, Self::AT.ignore_index) }
    #[inline] pub fn reduction(self) -> BatchReduction { view::attr(self.0, Self::AT.reduction) }
    #[inline] pub fn loss_reduction(self) -> super::LossReduction<'a> { super::LossReduction(self.0) }
}

impl SoftmaxCrossEntropyLoss<'static> {
    pub fn new(scores: ValueId, labels: ValueId, weights: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SoftmaxCrossEntropyLoss, vec![Some(scores), Some(labels), weights], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SoftmaxCrossEntropyLoss) }
}

impl<O: BorrowMut<Op>> Set<SoftmaxCrossEntropyLoss<'static>, O> {
    #[inline] pub fn ignore_index(self, value: i64) -> Self { self.put(SoftmaxCrossEntropyLoss::AT.ignore_index, value) }
    #[inline] pub fn reduction(self, value: BatchReduction) -> Self { self.put(SoftmaxCrossEntropyLoss::AT.reduction, value) }
}

/// A view of [`OpKind::Adagrad`].
#[derive(Clone, Copy)]
pub struct Adagrad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Adagrad`], and names of its attributes.
pub struct AdagradAt { pub r: usize, pub t: usize, pub xs: usize, pub ys: usize, pub decay_factor: AttrName<kinds::Float>, pub epsilon: AttrName<kinds::Float>, pub norm_coefficient: AttrName<kinds::Float> }

impl<'a> Adagrad<'a> {
    pub const KIND: OpKind = OpKind::Adagrad;
    pub const AT: AdagradAt = AdagradAt { r: 0, t: 1, xs: 2, ys: 0, decay_factor: AttrName::new("decay_factor"), epsilon: AttrName::new("epsilon"), norm_coefficient: AttrName::new("norm_coefficient") };
    #[inline] pub fn of(op: &'a Op) -> Option<Adagrad<'a>> { view::fits(op, Self::KIND).then_some(Adagrad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn r(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn t(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn decay_factor(self) -> f32 { view::attr(self.0, Self::AT.decay_factor) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
    #[inline] pub fn norm_coefficient(self) -> f32 { view::attr(self.0, Self::AT.norm_coefficient) }
}

impl Adagrad<'static> {
    pub fn new(r: ValueId, t: ValueId, xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Adagrad, vec![Some(r), Some(t)], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Adagrad) }
}

impl<O: BorrowMut<Op>> Set<Adagrad<'static>, O> {
    #[inline] pub fn decay_factor(self, value: f32) -> Self { self.put(Adagrad::AT.decay_factor, value) }
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(Adagrad::AT.epsilon, value) }
    #[inline] pub fn norm_coefficient(self, value: f32) -> Self { self.put(Adagrad::AT.norm_coefficient, value) }
}

/// A view of [`OpKind::Adam`].
#[derive(Clone, Copy)]
pub struct Adam<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Adam`], and names of its attributes.
pub struct AdamAt { pub r: usize, pub t: usize, pub xs: usize, pub ys: usize, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float>, pub epsilon: AttrName<kinds::Float>, pub norm_coefficient: AttrName<kinds::Float>, pub norm_coefficient_post: AttrName<kinds::Float> }

impl<'a> Adam<'a> {
    pub const KIND: OpKind = OpKind::Adam;
    pub const AT: AdamAt = AdamAt { r: 0, t: 1, xs: 2, ys: 0, alpha: AttrName::new("alpha"), beta: AttrName::new("beta"), epsilon: AttrName::new("epsilon"), norm_coefficient: AttrName::new("norm_coefficient"), norm_coefficient_post: AttrName::new("norm_coefficient_post") };
    #[inline] pub fn of(op: &'a Op) -> Option<Adam<'a>> { view::fits(op, Self::KIND).then_some(Adam(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn r(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn t(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
    #[inline] pub fn epsilon(self) -> f32 { view::attr(self.0, Self::AT.epsilon) }
    #[inline] pub fn norm_coefficient(self) -> f32 { view::attr(self.0, Self::AT.norm_coefficient) }
    #[inline] pub fn norm_coefficient_post(self) -> f32 { view::attr(self.0, Self::AT.norm_coefficient_post) }
}

impl Adam<'static> {
    pub fn new(r: ValueId, t: ValueId, xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Adam, vec![Some(r), Some(t)], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Adam) }
}

impl<O: BorrowMut<Op>> Set<Adam<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Adam::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(Adam::AT.beta, value) }
    #[inline] pub fn epsilon(self, value: f32) -> Self { self.put(Adam::AT.epsilon, value) }
    #[inline] pub fn norm_coefficient(self, value: f32) -> Self { self.put(Adam::AT.norm_coefficient, value) }
    #[inline] pub fn norm_coefficient_post(self, value: f32) -> Self { self.put(Adam::AT.norm_coefficient_post, value) }
}

/// A view of [`OpKind::Momentum`].
#[derive(Clone, Copy)]
pub struct Momentum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Momentum`], and names of its attributes.
pub struct MomentumAt { pub r: usize, pub t: usize, pub xs: usize, pub ys: usize, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float>, pub mode: AttrName<MomentumMode>, pub norm_coefficient: AttrName<kinds::Float> }

impl<'a> Momentum<'a> {
    pub const KIND: OpKind = OpKind::Momentum;
    pub const AT: MomentumAt = MomentumAt { r: 0, t: 1, xs: 2, ys: 0, alpha: AttrName::new("alpha"), beta: AttrName::new("beta"), mode: AttrName::new("mode"), norm_coefficient: AttrName::new("norm_coefficient") };
    #[inline] pub fn of(op: &'a Op) -> Option<Momentum<'a>> { view::fits(op, Self::KIND).then_some(Momentum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn r(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn t(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
    #[inline] pub fn mode(self) -> MomentumMode { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn norm_coefficient(self) -> f32 { view::attr(self.0, Self::AT.norm_coefficient) }
}

impl Momentum<'static> {
    pub fn new(r: ValueId, t: ValueId, xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Momentum, vec![Some(r), Some(t)], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Momentum) }
}

impl<O: BorrowMut<Op>> Set<Momentum<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Momentum::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(Momentum::AT.beta, value) }
    #[inline] pub fn mode(self, value: MomentumMode) -> Self { self.put(Momentum::AT.mode, value) }
    #[inline] pub fn norm_coefficient(self, value: f32) -> Self { self.put(Momentum::AT.norm_coefficient, value) }
}
