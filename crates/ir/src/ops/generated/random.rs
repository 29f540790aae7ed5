// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Bernoulli`].
#[derive(Clone, Copy)]
pub struct Bernoulli<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Bernoulli`], and names of its attributes.
pub struct BernoulliAt { pub x: usize, pub y: usize, pub dtype: AttrName<kinds::DType>, pub seed: AttrName<kinds::Float> }

impl<'a> Bernoulli<'a> {
    pub const KIND: OpKind = OpKind::Bernoulli;
    pub const AT: BernoulliAt = BernoulliAt { x: 0, y: 0, dtype: AttrName::new("dtype"), seed: AttrName::new("seed") };
    #[inline] pub fn of(op: &'a Op) -> Option<Bernoulli<'a>> { view::fits(op, Self::KIND).then_some(Bernoulli(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.dtype) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
}

impl Bernoulli<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Bernoulli, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Bernoulli) }
}

impl<O: BorrowMut<Op>> Set<Bernoulli<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(Bernoulli::AT.dtype, value) }
    #[inline] pub fn seed(self, value: f32) -> Self { self.put(Bernoulli::AT.seed, value) }
}

/// A view of [`OpKind::Dropout`].
#[derive(Clone, Copy)]
pub struct Dropout<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Dropout`], and names of its attributes.
pub struct DropoutAt { pub x: usize, pub ratio: usize, pub training_mode: usize, pub y: usize, pub mask: usize, pub seed: AttrName<kinds::Int> }

impl<'a> Dropout<'a> {
    pub const KIND: OpKind = OpKind::Dropout;
    pub const AT: DropoutAt = DropoutAt { x: 0, ratio: 1, training_mode: 2, y: 0, mask: 1, seed: AttrName::new("seed") };
    #[inline] pub fn of(op: &'a Op) -> Option<Dropout<'a>> { view::fits(op, Self::KIND).then_some(Dropout(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn ratio(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn training_mode(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn seed(self) -> Option<i64> { view::optional(self.0, Self::AT.seed) }
}

impl Dropout<'static> {
    pub fn new(x: ValueId, ratio: Option<ValueId>, training_mode: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Dropout, vec![Some(x), ratio, training_mode], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Dropout) }
}

impl<O: BorrowMut<Op>> Set<Dropout<'static>, O> {
    #[inline] pub fn seed(self, value: i64) -> Self { self.put(Dropout::AT.seed, value) }
}

/// A view of [`OpKind::Multinomial`].
#[derive(Clone, Copy)]
pub struct Multinomial<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Multinomial`], and names of its attributes.
pub struct MultinomialAt { pub x: usize, pub y: usize, pub dtype: AttrName<kinds::DType>, pub sample_size: AttrName<kinds::Int>, pub seed: AttrName<kinds::Float> }

impl<'a> Multinomial<'a> {
    pub const KIND: OpKind = OpKind::Multinomial;
    pub const AT: MultinomialAt = MultinomialAt { x: 0, y: 0, dtype: AttrName::new("dtype"), sample_size: AttrName::new("sample_size"), seed: AttrName::new("seed") };
    #[inline] pub fn of(op: &'a Op) -> Option<Multinomial<'a>> { view::fits(op, Self::KIND).then_some(Multinomial(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> DType { view::attr(self.0, Self::AT.dtype) }
    #[inline] pub fn sample_size(self) -> i64 { view::attr(self.0, Self::AT.sample_size) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
}

impl Multinomial<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Multinomial, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Multinomial) }
}

impl<O: BorrowMut<Op>> Set<Multinomial<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(Multinomial::AT.dtype, value) }
    #[inline] pub fn sample_size(self, value: i64) -> Self { self.put(Multinomial::AT.sample_size, value) }
    #[inline] pub fn seed(self, value: f32) -> Self { self.put(Multinomial::AT.seed, value) }
}

/// A view of [`OpKind::RandomNormal`].
#[derive(Clone, Copy)]
pub struct RandomNormal<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RandomNormal`], and names of its attributes.
pub struct RandomNormalAt { pub y: usize, pub dtype: AttrName<kinds::DType>, pub mean: AttrName<kinds::Float>, pub scale: AttrName<kinds::Float>, pub seed: AttrName<kinds::Float>, pub shape: AttrName<kinds::Ints> }

impl<'a> RandomNormal<'a> {
    pub const KIND: OpKind = OpKind::RandomNormal;
    pub const AT: RandomNormalAt = RandomNormalAt { y: 0, dtype: AttrName::new("dtype"), mean: AttrName::new("mean"), scale: AttrName::new("scale"), seed: AttrName::new("seed"), shape: AttrName::new("shape") };
    #[inline] pub fn of(op: &'a Op) -> Option<RandomNormal<'a>> { view::fits(op, Self::KIND).then_some(RandomNormal(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> DType { view::attr(self.0, Self::AT.dtype) }
    #[inline] pub fn mean(self) -> f32 { view::attr(self.0, Self::AT.mean) }
    #[inline] pub fn scale(self) -> f32 { view::attr(self.0, Self::AT.scale) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
    #[inline] pub fn shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.shape) }
    #[inline] pub fn sampled(self) -> super::Sampled<'a> { super::Sampled(self.0) }
}

impl RandomNormal<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::RandomNormal, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RandomNormal) }
}

impl<O: BorrowMut<Op>> Set<RandomNormal<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(RandomNormal::AT.dtype, value) }
    #[inline] pub fn mean(self, value: f32) -> Self { self.put(RandomNormal::AT.mean, value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put(RandomNormal::AT.scale, value) }
    #[inline] pub fn seed(self, value: f32) -> Self { self.put(RandomNormal::AT.seed, value) }
    #[inline] pub fn shape(self, value: Vec<i64>) -> Self { self.put(RandomNormal::AT.shape, value) }
}

/// A view of [`OpKind::RandomNormalLike`].
#[derive(Clone, Copy)]
pub struct RandomNormalLike<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RandomNormalLike`], and names of its attributes.
pub struct RandomNormalLikeAt { pub x: usize, pub y: usize, pub dtype: AttrName<kinds::DType>, pub mean: AttrName<kinds::Float>, pub scale: AttrName<kinds::Float>, pub seed: AttrName<kinds::Float> }

impl<'a> RandomNormalLike<'a> {
    pub const KIND: OpKind = OpKind::RandomNormalLike;
    pub const AT: RandomNormalLikeAt = RandomNormalLikeAt { x: 0, y: 0, dtype: AttrName::new("dtype"), mean: AttrName::new("mean"), scale: AttrName::new("scale"), seed: AttrName::new("seed") };
    #[inline] pub fn of(op: &'a Op) -> Option<RandomNormalLike<'a>> { view::fits(op, Self::KIND).then_some(RandomNormalLike(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.dtype) }
    #[inline] pub fn mean(self) -> f32 { view::attr(self.0, Self::AT.mean) }
    #[inline] pub fn scale(self) -> f32 { view::attr(self.0, Self::AT.scale) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
}

impl RandomNormalLike<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::RandomNormalLike, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RandomNormalLike) }
}

impl<O: BorrowMut<Op>> Set<RandomNormalLike<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(RandomNormalLike::AT.dtype, value) }
    #[inline] pub fn mean(self, value: f32) -> Self { self.put(RandomNormalLike::AT.mean, value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put(RandomNormalLike::AT.scale, value) }
    #[inline] pub fn seed(self, value: f32) -> Self { self.put(RandomNormalLike::AT.seed, value) }
}

/// A view of [`OpKind::RandomUniform`].
#[derive(Clone, Copy)]
pub struct RandomUniform<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RandomUniform`], and names of its attributes.
pub struct RandomUniformAt { pub y: usize, pub dtype: AttrName<kinds::DType>, pub high: AttrName<kinds::Float>, pub low: AttrName<kinds::Float>, pub seed: AttrName<kinds::Float>, pub shape: AttrName<kinds::Ints> }

impl<'a> RandomUniform<'a> {
    pub const KIND: OpKind = OpKind::RandomUniform;
    pub const AT: RandomUniformAt = RandomUniformAt { y: 0, dtype: AttrName::new("dtype"), high: AttrName::new("high"), low: AttrName::new("low"), seed: AttrName::new("seed"), shape: AttrName::new("shape") };
    #[inline] pub fn of(op: &'a Op) -> Option<RandomUniform<'a>> { view::fits(op, Self::KIND).then_some(RandomUniform(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> DType { view::attr(self.0, Self::AT.dtype) }
    #[inline] pub fn high(self) -> f32 { view::attr(self.0, Self::AT.high) }
    #[inline] pub fn low(self) -> f32 { view::attr(self.0, Self::AT.low) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
    #[inline] pub fn shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.shape) }
    #[inline] pub fn sampled(self) -> super::Sampled<'a> { super::Sampled(self.0) }
}

impl RandomUniform<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::RandomUniform, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RandomUniform) }
}

impl<O: BorrowMut<Op>> Set<RandomUniform<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(RandomUniform::AT.dtype, value) }
    #[inline] pub fn high(self, value: f32) -> Self { self.put(RandomUniform::AT.high, value) }
    #[inline] pub fn low(self, value: f32) -> Self { self.put(RandomUniform::AT.low, value) }
    #[inline] pub fn seed(self, value: f32) -> Self { self.put(RandomUniform::AT.seed, value) }
    #[inline] pub fn shape(self, value: Vec<i64>) -> Self { self.put(RandomUniform::AT.shape, value) }
}

/// A view of [`OpKind::RandomUniformLike`].
#[derive(Clone, Copy)]
pub struct RandomUniformLike<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RandomUniformLike`], and names of its attributes.
pub struct RandomUniformLikeAt { pub x: usize, pub y: usize, pub dtype: AttrName<kinds::DType>, pub high: AttrName<kinds::Float>, pub low: AttrName<kinds::Float>, pub seed: AttrName<kinds::Float> }

impl<'a> RandomUniformLike<'a> {
    pub const KIND: OpKind = OpKind::RandomUniformLike;
    pub const AT: RandomUniformLikeAt = RandomUniformLikeAt { x: 0, y: 0, dtype: AttrName::new("dtype"), high: AttrName::new("high"), low: AttrName::new("low"), seed: AttrName::new("seed") };
    #[inline] pub fn of(op: &'a Op) -> Option<RandomUniformLike<'a>> { view::fits(op, Self::KIND).then_some(RandomUniformLike(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.dtype) }
    #[inline] pub fn high(self) -> f32 { view::attr(self.0, Self::AT.high) }
    #[inline] pub fn low(self) -> f32 { view::attr(self.0, Self::AT.low) }
    #[inline] pub fn seed(self) -> Option<f32> { view::optional(self.0, Self::AT.seed) }
}

impl RandomUniformLike<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::RandomUniformLike, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RandomUniformLike) }
}

impl<O: BorrowMut<Op>> Set<RandomUniformLike<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(RandomUniformLike::AT.dtype, value) }
    #[inline] pub fn high(self, value: f32) -> Self { self.put(RandomUniformLike::AT.high, value) }
    #[inline] pub fn low(self, value: f32) -> Self { self.put(RandomUniformLike::AT.low, value) }
    #[inline] pub fn seed(self, value: f32) -> Self { self.put(RandomUniformLike::AT.seed, value) }
}
