// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{RecurrentDirection};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::GRU`].
#[derive(Clone, Copy)]
pub struct GRU<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GRU`], and names of its attributes.
pub struct GRUAt { pub x: usize, pub w: usize, pub r: usize, pub b: usize, pub sequence_lens: usize, pub initial_h: usize, pub y: usize, pub y_h: usize, pub activation_alpha: AttrName<kinds::Floats>, pub activation_beta: AttrName<kinds::Floats>, pub activations: AttrName<kinds::Strs>, pub clip: AttrName<kinds::Float>, pub direction: AttrName<RecurrentDirection>, pub hidden_size: AttrName<kinds::Int>, pub layout: AttrName<kinds::Flag>, pub linear_before_reset: AttrName<kinds::Flag> }

impl<'a> GRU<'a> {
    pub const KIND: OpKind = OpKind::GRU;
    pub const AT: GRUAt = GRUAt { x: 0, w: 1, r: 2, b: 3, sequence_lens: 4, initial_h: 5, y: 0, y_h: 1, activation_alpha: AttrName::new("activation_alpha"), activation_beta: AttrName::new("activation_beta"), activations: AttrName::new("activations"), clip: AttrName::new("clip"), direction: AttrName::new("direction"), hidden_size: AttrName::new("hidden_size"), layout: AttrName::new("layout"), linear_before_reset: AttrName::new("linear_before_reset") };
    #[inline] pub fn of(op: &'a Op) -> Option<GRU<'a>> { view::fits(op, Self::KIND).then_some(GRU(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn r(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn sequence_lens(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn initial_h(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn y_h(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn activation_alpha(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.activation_alpha) }
    #[inline] pub fn activation_beta(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.activation_beta) }
    #[inline] pub fn activations(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.activations) }
    #[inline] pub fn clip(self) -> Option<f32> { view::optional(self.0, Self::AT.clip) }
    #[inline] pub fn direction(self) -> RecurrentDirection { view::attr(self.0, Self::AT.direction) }
    #[inline] pub fn hidden_size(self) -> Option<i64> { view::optional(self.0, Self::AT.hidden_size) }
    #[inline] pub fn layout(self) -> bool { view::attr(self.0, Self::AT.layout) }
    #[inline] pub fn linear_before_reset(self) -> bool { view::attr(self.0, Self::AT.linear_before_reset) }
    #[inline] pub fn recurrence(self) -> super::Recurrence<'a> { super::Recurrence(self.0) }
}

impl GRU<'static> {
    pub fn new(x: ValueId, w: ValueId, r: ValueId, b: Option<ValueId>, sequence_lens: Option<ValueId>, initial_h: Option<ValueId>) -> New<Self> {
        view::new(OpKind::GRU, vec![Some(x), Some(w), Some(r), b, sequence_lens, initial_h], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GRU) }
}

impl<O: BorrowMut<Op>> Set<GRU<'static>, O> {
    #[inline] pub fn activation_alpha(self, value: Vec<f32>) -> Self { self.put(GRU::AT.activation_alpha, value) }
    #[inline] pub fn activation_beta(self, value: Vec<f32>) -> Self { self.put(GRU::AT.activation_beta, value) }
    #[inline] pub fn activations(self, value: Vec<String>) -> Self { self.put(GRU::AT.activations, value) }
    #[inline] pub fn clip(self, value: f32) -> Self { self.put(GRU::AT.clip, value) }
    #[inline] pub fn direction(self, value: RecurrentDirection) -> Self { self.put(GRU::AT.direction, value) }
    #[inline] pub fn hidden_size(self, value: i64) -> Self { self.put(GRU::AT.hidden_size, value) }
    #[inline] pub fn layout(self, value: bool) -> Self { self.put(GRU::AT.layout, value) }
    #[inline] pub fn linear_before_reset(self, value: bool) -> Self { self.put(GRU::AT.linear_before_reset, value) }
}

/// A view of [`OpKind::LSTM`].
#[derive(Clone, Copy)]
pub struct LSTM<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LSTM`], and names of its attributes.
pub struct LSTMAt { pub x: usize, pub w: usize, pub r: usize, pub b: usize, pub sequence_lens: usize, pub initial_h: usize, pub initial_c: usize, pub p: usize, pub y: usize, pub y_h: usize, pub y_c: usize, pub activation_alpha: AttrName<kinds::Floats>, pub activation_beta: AttrName<kinds::Floats>, pub activations: AttrName<kinds::Strs>, pub clip: AttrName<kinds::Float>, pub direction: AttrName<RecurrentDirection>, pub hidden_size: AttrName<kinds::Int>, pub input_forget: AttrName<kinds::Flag>, pub layout: AttrName<kinds::Flag> }

impl<'a> LSTM<'a> {
    pub const KIND: OpKind = OpKind::LSTM;
    pub const AT: LSTMAt = LSTMAt { x: 0, w: 1, r: 2, b: 3, sequence_lens: 4, initial_h: 5, initial_c: 6, p: 7, y: 0, y_h: 1, y_c: 2, activation_alpha: AttrName::new("activation_alpha"), activation_beta: AttrName::new("activation_beta"), activations: AttrName::new("activations"), clip: AttrName::new("clip"), direction: AttrName::new("direction"), hidden_size: AttrName::new("hidden_size"), input_forget: AttrName::new("input_forget"), layout: AttrName::new("layout") };
    #[inline] pub fn of(op: &'a Op) -> Option<LSTM<'a>> { view::fits(op, Self::KIND).then_some(LSTM(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn r(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn sequence_lens(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn initial_h(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn initial_c(self) -> Option<ValueId> { self.0.input(6) }
    #[inline] pub fn p(self) -> Option<ValueId> { self.0.input(7) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn y_h(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn y_c(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn activation_alpha(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.activation_alpha) }
    #[inline] pub fn activation_beta(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.activation_beta) }
    #[inline] pub fn activations(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.activations) }
    #[inline] pub fn clip(self) -> Option<f32> { view::optional(self.0, Self::AT.clip) }
    #[inline] pub fn direction(self) -> RecurrentDirection { view::attr(self.0, Self::AT.direction) }
    #[inline] pub fn hidden_size(self) -> Option<i64> { view::optional(self.0, Self::AT.hidden_size) }
    #[inline] pub fn input_forget(self) -> bool { view::attr(self.0, Self::AT.input_forget) }
    #[inline] pub fn layout(self) -> bool { view::attr(self.0, Self::AT.layout) }
    #[inline] pub fn recurrence(self) -> super::Recurrence<'a> { super::Recurrence(self.0) }
}

impl LSTM<'static> {
    pub fn new(x: ValueId, w: ValueId, r: ValueId, b: Option<ValueId>, sequence_lens: Option<ValueId>, initial_h: Option<ValueId>, initial_c: Option<ValueId>, p: Option<ValueId>) -> New<Self> {
        view::new(OpKind::LSTM, vec![Some(x), Some(w), Some(r), b, sequence_lens, initial_h, initial_c, p], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LSTM) }
}

impl<O: BorrowMut<Op>> Set<LSTM<'static>, O> {
    #[inline] pub fn activation_alpha(self, value: Vec<f32>) -> Self { self.put(LSTM::AT.activation_alpha, value) }
    #[inline] pub fn activation_beta(self, value: Vec<f32>) -> Self { self.put(LSTM::AT.activation_beta, value) }
    #[inline] pub fn activations(self, value: Vec<String>) -> Self { self.put(LSTM::AT.activations, value) }
    #[inline] pub fn clip(self, value: f32) -> Self { self.put(LSTM::AT.clip, value) }
    #[inline] pub fn direction(self, value: RecurrentDirection) -> Self { self.put(LSTM::AT.direction, value) }
    #[inline] pub fn hidden_size(self, value: i64) -> Self { self.put(LSTM::AT.hidden_size, value) }
    #[inline] pub fn input_forget(self, value: bool) -> Self { self.put(LSTM::AT.input_forget, value) }
    #[inline] pub fn layout(self, value: bool) -> Self { self.put(LSTM::AT.layout, value) }
}

/// A view of [`OpKind::RNN`].
#[derive(Clone, Copy)]
pub struct RNN<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RNN`], and names of its attributes.
pub struct RNNAt { pub x: usize, pub w: usize, pub r: usize, pub b: usize, pub sequence_lens: usize, pub initial_h: usize, pub y: usize, pub y_h: usize, pub activation_alpha: AttrName<kinds::Floats>, pub activation_beta: AttrName<kinds::Floats>, pub activations: AttrName<kinds::Strs>, pub clip: AttrName<kinds::Float>, pub direction: AttrName<RecurrentDirection>, pub hidden_size: AttrName<kinds::Int>, pub layout: AttrName<kinds::Flag> }

impl<'a> RNN<'a> {
    pub const KIND: OpKind = OpKind::RNN;
    pub const AT: RNNAt = RNNAt { x: 0, w: 1, r: 2, b: 3, sequence_lens: 4, initial_h: 5, y: 0, y_h: 1, activation_alpha: AttrName::new("activation_alpha"), activation_beta: AttrName::new("activation_beta"), activations: AttrName::new("activations"), clip: AttrName::new("clip"), direction: AttrName::new("direction"), hidden_size: AttrName::new("hidden_size"), layout: AttrName::new("layout") };
    #[inline] pub fn of(op: &'a Op) -> Option<RNN<'a>> { view::fits(op, Self::KIND).then_some(RNN(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn r(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn sequence_lens(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn initial_h(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn y_h(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn activation_alpha(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.activation_alpha) }
    #[inline] pub fn activation_beta(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.activation_beta) }
    #[inline] pub fn activations(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.activations) }
    #[inline] pub fn clip(self) -> Option<f32> { view::optional(self.0, Self::AT.clip) }
    #[inline] pub fn direction(self) -> RecurrentDirection { view::attr(self.0, Self::AT.direction) }
    #[inline] pub fn hidden_size(self) -> Option<i64> { view::optional(self.0, Self::AT.hidden_size) }
    #[inline] pub fn layout(self) -> bool { view::attr(self.0, Self::AT.layout) }
    #[inline] pub fn recurrence(self) -> super::Recurrence<'a> { super::Recurrence(self.0) }
}

impl RNN<'static> {
    pub fn new(x: ValueId, w: ValueId, r: ValueId, b: Option<ValueId>, sequence_lens: Option<ValueId>, initial_h: Option<ValueId>) -> New<Self> {
        view::new(OpKind::RNN, vec![Some(x), Some(w), Some(r), b, sequence_lens, initial_h], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RNN) }
}

impl<O: BorrowMut<Op>> Set<RNN<'static>, O> {
    #[inline] pub fn activation_alpha(self, value: Vec<f32>) -> Self { self.put(RNN::AT.activation_alpha, value) }
    #[inline] pub fn activation_beta(self, value: Vec<f32>) -> Self { self.put(RNN::AT.activation_beta, value) }
    #[inline] pub fn activations(self, value: Vec<String>) -> Self { self.put(RNN::AT.activations, value) }
    #[inline] pub fn clip(self, value: f32) -> Self { self.put(RNN::AT.clip, value) }
    #[inline] pub fn direction(self, value: RecurrentDirection) -> Self { self.put(RNN::AT.direction, value) }
    #[inline] pub fn hidden_size(self, value: i64) -> Self { self.put(RNN::AT.hidden_size, value) }
    #[inline] pub fn layout(self, value: bool) -> Self { self.put(RNN::AT.layout, value) }
}
