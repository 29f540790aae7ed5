// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{AutoPad, CausalActivation, FusedActivation};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Conv`].
#[derive(Clone, Copy)]
pub struct Conv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Conv`], and names of its attributes.
pub struct ConvAt { pub x: usize, pub w: usize, pub b: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> Conv<'a> {
    pub const KIND: OpKind = OpKind::Conv;
    pub const AT: ConvAt = ConvAt { x: 0, w: 1, b: 2, y: 0, auto_pad: AttrName::new("auto_pad"), dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<Conv<'a>> { view::fits(op, Self::KIND).then_some(Conv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
}

impl Conv<'static> {
    pub fn new(x: ValueId, w: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Conv, vec![Some(x), Some(w), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Conv) }
}

impl<O: BorrowMut<Op>> Set<Conv<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(Conv::AT.auto_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(Conv::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(Conv::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(Conv::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(Conv::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(Conv::AT.strides, value) }
}

/// A view of [`OpKind::FusedConv`].
#[derive(Clone, Copy)]
pub struct FusedConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::FusedConv`], and names of its attributes.
pub struct FusedConvAt { pub x: usize, pub w: usize, pub b: usize, pub residual: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints>, pub activation: AttrName<FusedActivation>, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float> }

impl<'a> FusedConv<'a> {
    pub const KIND: OpKind = OpKind::FusedConv;
    pub const AT: FusedConvAt = FusedConvAt { x: 0, w: 1, b: 2, residual: 3, y: 0, auto_pad: AttrName::new("auto_pad"), dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides"), activation: AttrName::new("activation"), alpha: AttrName::new("alpha"), beta: AttrName::new("beta") };
    #[inline] pub fn of(op: &'a Op) -> Option<FusedConv<'a>> { view::fits(op, Self::KIND).then_some(FusedConv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn residual(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn activation(self) -> FusedActivation { view::attr(self.0, Self::AT.activation) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
    #[inline] pub fn activated(self) -> super::Activated<'a> { super::Activated(self.0) }
}

impl FusedConv<'static> {
    pub fn new(x: ValueId, w: ValueId, b: Option<ValueId>, residual: Option<ValueId>) -> New<Self> {
        view::new(OpKind::FusedConv, vec![Some(x), Some(w), b, residual], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::FusedConv) }
}

impl<O: BorrowMut<Op>> Set<FusedConv<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(FusedConv::AT.auto_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(FusedConv::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(FusedConv::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(FusedConv::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(FusedConv::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(FusedConv::AT.strides, value) }
    #[inline] pub fn activation(self, value: FusedActivation) -> Self { self.put(FusedConv::AT.activation, value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(FusedConv::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(FusedConv::AT.beta, value) }
}

/// A view of [`OpKind::ConvInteger`].
#[derive(Clone, Copy)]
pub struct ConvInteger<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConvInteger`], and names of its attributes.
pub struct ConvIntegerAt { pub x: usize, pub w: usize, pub x_zero_point: usize, pub w_zero_point: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> ConvInteger<'a> {
    pub const KIND: OpKind = OpKind::ConvInteger;
    pub const AT: ConvIntegerAt = ConvIntegerAt { x: 0, w: 1, x_zero_point: 2, w_zero_point: 3, y: 0, auto_pad: AttrName::new("auto_pad"), dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<ConvInteger<'a>> { view::fits(op, Self::KIND).then_some(ConvInteger(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn x_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn w_zero_point(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
}

impl ConvInteger<'static> {
    pub fn new(x: ValueId, w: ValueId, x_zero_point: Option<ValueId>, w_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ConvInteger, vec![Some(x), Some(w), x_zero_point, w_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ConvInteger) }
}

impl<O: BorrowMut<Op>> Set<ConvInteger<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(ConvInteger::AT.auto_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(ConvInteger::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(ConvInteger::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(ConvInteger::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(ConvInteger::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(ConvInteger::AT.strides, value) }
}

/// A view of [`OpKind::ConvTranspose`].
#[derive(Clone, Copy)]
pub struct ConvTranspose<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConvTranspose`], and names of its attributes.
pub struct ConvTransposeAt { pub x: usize, pub w: usize, pub b: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub output_padding: AttrName<kinds::Ints>, pub output_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> ConvTranspose<'a> {
    pub const KIND: OpKind = OpKind::ConvTranspose;
    pub const AT: ConvTransposeAt = ConvTransposeAt { x: 0, w: 1, b: 2, y: 0, auto_pad: AttrName::new("auto_pad"), dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), output_padding: AttrName::new("output_padding"), output_shape: AttrName::new("output_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<ConvTranspose<'a>> { view::fits(op, Self::KIND).then_some(ConvTranspose(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn output_padding(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.output_padding) }
    #[inline] pub fn output_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.output_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
}

impl ConvTranspose<'static> {
    pub fn new(x: ValueId, w: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ConvTranspose, vec![Some(x), Some(w), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ConvTranspose) }
}

impl<O: BorrowMut<Op>> Set<ConvTranspose<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(ConvTranspose::AT.auto_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(ConvTranspose::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(ConvTranspose::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(ConvTranspose::AT.kernel_shape, value) }
    #[inline] pub fn output_padding(self, value: Vec<i64>) -> Self { self.put(ConvTranspose::AT.output_padding, value) }
    #[inline] pub fn output_shape(self, value: Vec<i64>) -> Self { self.put(ConvTranspose::AT.output_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(ConvTranspose::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(ConvTranspose::AT.strides, value) }
}

/// A view of [`OpKind::DeformConv`].
#[derive(Clone, Copy)]
pub struct DeformConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DeformConv`], and names of its attributes.
pub struct DeformConvAt { pub x: usize, pub w: usize, pub offset: usize, pub b: usize, pub mask: usize, pub y: usize, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub offset_group: AttrName<kinds::Int>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> DeformConv<'a> {
    pub const KIND: OpKind = OpKind::DeformConv;
    pub const AT: DeformConvAt = DeformConvAt { x: 0, w: 1, offset: 2, b: 3, mask: 4, y: 0, dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), offset_group: AttrName::new("offset_group"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<DeformConv<'a>> { view::fits(op, Self::KIND).then_some(DeformConv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn offset(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn offset_group(self) -> i64 { view::attr(self.0, Self::AT.offset_group) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
}

impl DeformConv<'static> {
    pub fn new(x: ValueId, w: ValueId, offset: ValueId, b: Option<ValueId>, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::DeformConv, vec![Some(x), Some(w), Some(offset), b, mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DeformConv) }
}

impl<O: BorrowMut<Op>> Set<DeformConv<'static>, O> {
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(DeformConv::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(DeformConv::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(DeformConv::AT.kernel_shape, value) }
    #[inline] pub fn offset_group(self, value: i64) -> Self { self.put(DeformConv::AT.offset_group, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(DeformConv::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(DeformConv::AT.strides, value) }
}

/// A view of [`OpKind::CausalConvWithState`].
#[derive(Clone, Copy)]
pub struct CausalConvWithState<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CausalConvWithState`], and names of its attributes.
pub struct CausalConvWithStateAt { pub x: usize, pub weight: usize, pub bias: usize, pub past_state: usize, pub y: usize, pub present_state: usize, pub activation: AttrName<CausalActivation> }

impl<'a> CausalConvWithState<'a> {
    pub const KIND: OpKind = OpKind::CausalConvWithState;
    pub const AT: CausalConvWithStateAt = CausalConvWithStateAt { x: 0, weight: 1, bias: 2, past_state: 3, y: 0, present_state: 1, activation: AttrName::new("activation") };
    #[inline] pub fn of(op: &'a Op) -> Option<CausalConvWithState<'a>> { view::fits(op, Self::KIND).then_some(CausalConvWithState(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn weight(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn past_state(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn present_state(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn activation(self) -> CausalActivation { view::attr(self.0, Self::AT.activation) }
}

impl CausalConvWithState<'static> {
    pub fn new(x: ValueId, weight: ValueId, bias: Option<ValueId>, past_state: Option<ValueId>) -> New<Self> {
        view::new(OpKind::CausalConvWithState, vec![Some(x), Some(weight), bias, past_state], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CausalConvWithState) }
}

impl<O: BorrowMut<Op>> Set<CausalConvWithState<'static>, O> {
    #[inline] pub fn activation(self, value: CausalActivation) -> Self { self.put(CausalConvWithState::AT.activation, value) }
}

/// A view of [`OpKind::QLinearConv`].
#[derive(Clone, Copy)]
pub struct QLinearConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QLinearConv`], and names of its attributes.
pub struct QLinearConvAt { pub x: usize, pub x_scale: usize, pub x_zero_point: usize, pub w: usize, pub w_scale: usize, pub w_zero_point: usize, pub y_scale: usize, pub y_zero_point: usize, pub b: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> QLinearConv<'a> {
    pub const KIND: OpKind = OpKind::QLinearConv;
    pub const AT: QLinearConvAt = QLinearConvAt { x: 0, x_scale: 1, x_zero_point: 2, w: 3, w_scale: 4, w_zero_point: 5, y_scale: 6, y_zero_point: 7, b: 8, y: 0, auto_pad: AttrName::new("auto_pad"), dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<QLinearConv<'a>> { view::fits(op, Self::KIND).then_some(QLinearConv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn x_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn x_zero_point(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 3) }
    #[inline] pub fn w_scale(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn w_zero_point(self) -> ValueId { view::operand(self.0, 5) }
    #[inline] pub fn y_scale(self) -> ValueId { view::operand(self.0, 6) }
    #[inline] pub fn y_zero_point(self) -> ValueId { view::operand(self.0, 7) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(8) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
}

impl QLinearConv<'static> {
    pub fn new(x: ValueId, x_scale: ValueId, x_zero_point: ValueId, w: ValueId, w_scale: ValueId, w_zero_point: ValueId, y_scale: ValueId, y_zero_point: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::QLinearConv, vec![Some(x), Some(x_scale), Some(x_zero_point), Some(w), Some(w_scale), Some(w_zero_point), Some(y_scale), Some(y_zero_point), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::QLinearConv) }
}

impl<O: BorrowMut<Op>> Set<QLinearConv<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(QLinearConv::AT.auto_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(QLinearConv::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(QLinearConv::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(QLinearConv::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(QLinearConv::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(QLinearConv::AT.strides, value) }
}

/// A view of [`OpKind::BlockedQLinearConv`].
#[derive(Clone, Copy)]
pub struct BlockedQLinearConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BlockedQLinearConv`], and names of its attributes.
pub struct BlockedQLinearConvAt { pub x: usize, pub x_scale: usize, pub x_zero_point: usize, pub w: usize, pub w_scale: usize, pub w_zero_point: usize, pub y_scale: usize, pub y_zero_point: usize, pub b: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub dilations: AttrName<kinds::Ints>, pub group: AttrName<kinds::Int>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints>, pub x_block: AttrName<kinds::Int>, pub y_block: AttrName<kinds::Int> }

impl<'a> BlockedQLinearConv<'a> {
    pub const KIND: OpKind = OpKind::BlockedQLinearConv;
    pub const AT: BlockedQLinearConvAt = BlockedQLinearConvAt { x: 0, x_scale: 1, x_zero_point: 2, w: 3, w_scale: 4, w_zero_point: 5, y_scale: 6, y_zero_point: 7, b: 8, y: 0, auto_pad: AttrName::new("auto_pad"), dilations: AttrName::new("dilations"), group: AttrName::new("group"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides"), x_block: AttrName::new("x_block"), y_block: AttrName::new("y_block") };
    #[inline] pub fn of(op: &'a Op) -> Option<BlockedQLinearConv<'a>> { view::fits(op, Self::KIND).then_some(BlockedQLinearConv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn x_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn x_zero_point(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 3) }
    #[inline] pub fn w_scale(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn w_zero_point(self) -> ValueId { view::operand(self.0, 5) }
    #[inline] pub fn y_scale(self) -> ValueId { view::operand(self.0, 6) }
    #[inline] pub fn y_zero_point(self) -> ValueId { view::operand(self.0, 7) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(8) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn group(self) -> i64 { view::attr(self.0, Self::AT.group) }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn x_block(self) -> i64 { view::attr(self.0, Self::AT.x_block) }
    #[inline] pub fn y_block(self) -> i64 { view::attr(self.0, Self::AT.y_block) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
    #[inline] pub fn grouped(self) -> super::Grouped<'a> { super::Grouped(self.0) }
}

impl BlockedQLinearConv<'static> {
    pub fn new(x: ValueId, x_scale: ValueId, x_zero_point: ValueId, w: ValueId, w_scale: ValueId, w_zero_point: ValueId, y_scale: ValueId, y_zero_point: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::BlockedQLinearConv, vec![Some(x), Some(x_scale), Some(x_zero_point), Some(w), Some(w_scale), Some(w_zero_point), Some(y_scale), Some(y_zero_point), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BlockedQLinearConv) }
}

impl<O: BorrowMut<Op>> Set<BlockedQLinearConv<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(BlockedQLinearConv::AT.auto_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(BlockedQLinearConv::AT.dilations, value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put(BlockedQLinearConv::AT.group, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(BlockedQLinearConv::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(BlockedQLinearConv::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(BlockedQLinearConv::AT.strides, value) }
    #[inline] pub fn x_block(self, value: i64) -> Self { self.put(BlockedQLinearConv::AT.x_block, value) }
    #[inline] pub fn y_block(self, value: i64) -> Self { self.put(BlockedQLinearConv::AT.y_block, value) }
}

/// A view of [`OpKind::Col2Im`].
#[derive(Clone, Copy)]
pub struct Col2Im<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Col2Im`], and names of its attributes.
pub struct Col2ImAt { pub x: usize, pub image_shape: usize, pub block_shape: usize, pub y: usize, pub dilations: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> Col2Im<'a> {
    pub const KIND: OpKind = OpKind::Col2Im;
    pub const AT: Col2ImAt = Col2ImAt { x: 0, image_shape: 1, block_shape: 2, y: 0, dilations: AttrName::new("dilations"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<Col2Im<'a>> { view::fits(op, Self::KIND).then_some(Col2Im(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn image_shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn block_shape(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
}

impl Col2Im<'static> {
    pub fn new(x: ValueId, image_shape: ValueId, block_shape: ValueId) -> New<Self> {
        view::new(OpKind::Col2Im, vec![Some(x), Some(image_shape), Some(block_shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Col2Im) }
}

impl<O: BorrowMut<Op>> Set<Col2Im<'static>, O> {
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(Col2Im::AT.dilations, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(Col2Im::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(Col2Im::AT.strides, value) }
}
