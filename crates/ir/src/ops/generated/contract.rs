// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{AutoPad, CausalActivation, UpdateRule};
use crate::{DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Attention`].
#[derive(Clone, Copy)]
pub struct Attention<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Attention`].
pub struct AttentionAt { pub q: usize, pub k: usize, pub v: usize, pub attn_mask: usize, pub past_key: usize, pub past_value: usize, pub nonpad_kv_seqlen: usize, pub y: usize, pub present_key: usize, pub present_value: usize, pub qk_matmul_output: usize }

impl<'a> Attention<'a> {
    pub const KIND: OpKind = OpKind::Attention;
    pub const AT: AttentionAt = AttentionAt { q: 0, k: 1, v: 2, attn_mask: 3, past_key: 4, past_value: 5, nonpad_kv_seqlen: 6, y: 0, present_key: 1, present_value: 2, qk_matmul_output: 3 };
    #[inline] pub fn of(op: &'a Op) -> Option<Attention<'a>> { view::fits(op, Self::KIND).then_some(Attention(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn q(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn k(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn v(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn attn_mask(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn past_key(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn past_value(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn nonpad_kv_seqlen(self) -> Option<ValueId> { self.0.input(6) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn present_key(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn present_value(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn qk_matmul_output(self) -> Option<ValueId> { self.0.output(3) }
    #[inline] pub fn is_causal(self) -> bool { view::attr::<kinds::Flag>(self.0, "is_causal") }
    #[inline] pub fn q_num_heads(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "q_num_heads") }
    #[inline] pub fn kv_num_heads(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "kv_num_heads") }
    #[inline] pub fn scale(self) -> Option<f32> { view::optional::<kinds::Float>(self.0, "scale") }
    #[inline] pub fn softcap(self) -> f32 { view::attr::<kinds::Float>(self.0, "softcap") }
    #[inline] pub fn softmax_precision(self) -> Option<DType> { view::optional::<kinds::DType>(self.0, "softmax_precision") }
    #[inline] pub fn qk_matmul_output_mode(self) -> i64 { view::attr::<kinds::Int>(self.0, "qk_matmul_output_mode") }
    #[inline] pub fn left_window_size(self) -> i64 { view::attr::<kinds::Int>(self.0, "left_window_size") }
    #[inline] pub fn right_window_size(self) -> i64 { view::attr::<kinds::Int>(self.0, "right_window_size") }
    #[inline] pub fn plain_mask(self) -> bool { view::attr::<kinds::Flag>(self.0, "plain_mask") }
}

impl Attention<'static> {
    pub fn new(q: ValueId, k: ValueId, v: ValueId, attn_mask: Option<ValueId>, past_key: Option<ValueId>, past_value: Option<ValueId>, nonpad_kv_seqlen: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Attention, vec![Some(q), Some(k), Some(v), attn_mask, past_key, past_value, nonpad_kv_seqlen], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Attention) }
}

impl<O: BorrowMut<Op>> Set<Attention<'static>, O> {
    #[inline] pub fn is_causal(self, value: bool) -> Self { self.put::<kinds::Flag>("is_causal", value) }
    #[inline] pub fn q_num_heads(self, value: i64) -> Self { self.put::<kinds::Int>("q_num_heads", value) }
    #[inline] pub fn kv_num_heads(self, value: i64) -> Self { self.put::<kinds::Int>("kv_num_heads", value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put::<kinds::Float>("scale", value) }
    #[inline] pub fn softcap(self, value: f32) -> Self { self.put::<kinds::Float>("softcap", value) }
    #[inline] pub fn softmax_precision(self, value: DType) -> Self { self.put::<kinds::DType>("softmax_precision", value) }
    #[inline] pub fn qk_matmul_output_mode(self, value: i64) -> Self { self.put::<kinds::Int>("qk_matmul_output_mode", value) }
    #[inline] pub fn left_window_size(self, value: i64) -> Self { self.put::<kinds::Int>("left_window_size", value) }
    #[inline] pub fn right_window_size(self, value: i64) -> Self { self.put::<kinds::Int>("right_window_size", value) }
    #[inline] pub fn plain_mask(self, value: bool) -> Self { self.put::<kinds::Flag>("plain_mask", value) }
}

/// A view of [`OpKind::Conv`].
#[derive(Clone, Copy)]
pub struct Conv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Conv`].
pub struct ConvAt { pub x: usize, pub w: usize, pub b: usize, pub y: usize }

impl<'a> Conv<'a> {
    pub const KIND: OpKind = OpKind::Conv;
    pub const AT: ConvAt = ConvAt { x: 0, w: 1, b: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Conv<'a>> { view::fits(op, Self::KIND).then_some(Conv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr::<AutoPad>(self.0, "auto_pad") }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dilations") }
    #[inline] pub fn group(self) -> i64 { view::attr::<kinds::Int>(self.0, "group") }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "kernel_shape") }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pads") }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "strides") }
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
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put::<AutoPad>("auto_pad", value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put::<kinds::Int>("group", value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("kernel_shape", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
}

/// A view of [`OpKind::FusedConv`].
#[derive(Clone, Copy)]
pub struct FusedConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::FusedConv`].
pub struct FusedConvAt { pub x: usize, pub w: usize, pub b: usize, pub residual: usize, pub y: usize }

impl<'a> FusedConv<'a> {
    pub const KIND: OpKind = OpKind::FusedConv;
    pub const AT: FusedConvAt = FusedConvAt { x: 0, w: 1, b: 2, residual: 3, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<FusedConv<'a>> { view::fits(op, Self::KIND).then_some(FusedConv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn residual(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr::<AutoPad>(self.0, "auto_pad") }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dilations") }
    #[inline] pub fn group(self) -> i64 { view::attr::<kinds::Int>(self.0, "group") }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "kernel_shape") }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pads") }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "strides") }
    #[inline] pub fn activation(self) -> &'a str { view::attr::<kinds::Str>(self.0, "activation") }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
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
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put::<AutoPad>("auto_pad", value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put::<kinds::Int>("group", value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("kernel_shape", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
    #[inline] pub fn activation(self, value: String) -> Self { self.put::<kinds::Str>("activation", value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
}

/// A view of [`OpKind::ConvTranspose`].
#[derive(Clone, Copy)]
pub struct ConvTranspose<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConvTranspose`].
pub struct ConvTransposeAt { pub x: usize, pub w: usize, pub b: usize, pub y: usize }

impl<'a> ConvTranspose<'a> {
    pub const KIND: OpKind = OpKind::ConvTranspose;
    pub const AT: ConvTransposeAt = ConvTransposeAt { x: 0, w: 1, b: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ConvTranspose<'a>> { view::fits(op, Self::KIND).then_some(ConvTranspose(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr::<AutoPad>(self.0, "auto_pad") }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dilations") }
    #[inline] pub fn group(self) -> i64 { view::attr::<kinds::Int>(self.0, "group") }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "kernel_shape") }
    #[inline] pub fn output_padding(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "output_padding") }
    #[inline] pub fn output_shape(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "output_shape") }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pads") }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "strides") }
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
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put::<AutoPad>("auto_pad", value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put::<kinds::Int>("group", value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("kernel_shape", value) }
    #[inline] pub fn output_padding(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("output_padding", value) }
    #[inline] pub fn output_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("output_shape", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
}

/// A view of [`OpKind::DeformConv`].
#[derive(Clone, Copy)]
pub struct DeformConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DeformConv`].
pub struct DeformConvAt { pub x: usize, pub w: usize, pub offset: usize, pub b: usize, pub mask: usize, pub y: usize }

impl<'a> DeformConv<'a> {
    pub const KIND: OpKind = OpKind::DeformConv;
    pub const AT: DeformConvAt = DeformConvAt { x: 0, w: 1, offset: 2, b: 3, mask: 4, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DeformConv<'a>> { view::fits(op, Self::KIND).then_some(DeformConv(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn offset(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dilations") }
    #[inline] pub fn group(self) -> i64 { view::attr::<kinds::Int>(self.0, "group") }
    #[inline] pub fn kernel_shape(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "kernel_shape") }
    #[inline] pub fn offset_group(self) -> i64 { view::attr::<kinds::Int>(self.0, "offset_group") }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pads") }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "strides") }
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
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put::<kinds::Int>("group", value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("kernel_shape", value) }
    #[inline] pub fn offset_group(self, value: i64) -> Self { self.put::<kinds::Int>("offset_group", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
}

/// A view of [`OpKind::CausalConvWithState`].
#[derive(Clone, Copy)]
pub struct CausalConvWithState<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CausalConvWithState`].
pub struct CausalConvWithStateAt { pub x: usize, pub weight: usize, pub bias: usize, pub past_state: usize, pub y: usize, pub present_state: usize }

impl<'a> CausalConvWithState<'a> {
    pub const KIND: OpKind = OpKind::CausalConvWithState;
    pub const AT: CausalConvWithStateAt = CausalConvWithStateAt { x: 0, weight: 1, bias: 2, past_state: 3, y: 0, present_state: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<CausalConvWithState<'a>> { view::fits(op, Self::KIND).then_some(CausalConvWithState(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn weight(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn past_state(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn present_state(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn activation(self) -> CausalActivation { view::attr::<CausalActivation>(self.0, "activation") }
}

impl CausalConvWithState<'static> {
    pub fn new(x: ValueId, weight: ValueId, bias: Option<ValueId>, past_state: Option<ValueId>) -> New<Self> {
        view::new(OpKind::CausalConvWithState, vec![Some(x), Some(weight), bias, past_state], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CausalConvWithState) }
}

impl<O: BorrowMut<Op>> Set<CausalConvWithState<'static>, O> {
    #[inline] pub fn activation(self, value: CausalActivation) -> Self { self.put::<CausalActivation>("activation", value) }
}

/// A view of [`OpKind::Einsum`].
#[derive(Clone, Copy)]
pub struct Einsum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Einsum`].
pub struct EinsumAt { pub xs: usize, pub y: usize }

impl<'a> Einsum<'a> {
    pub const KIND: OpKind = OpKind::Einsum;
    pub const AT: EinsumAt = EinsumAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Einsum<'a>> { view::fits(op, Self::KIND).then_some(Einsum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn equation(self) -> &'a str { view::attr::<kinds::Str>(self.0, "equation") }
}

impl Einsum<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Einsum, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Einsum) }
}

impl<O: BorrowMut<Op>> Set<Einsum<'static>, O> {
    #[inline] pub fn equation(self, value: String) -> Self { self.put::<kinds::Str>("equation", value) }
}

/// A view of [`OpKind::Gemm`].
#[derive(Clone, Copy)]
pub struct Gemm<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Gemm`].
pub struct GemmAt { pub a: usize, pub b: usize, pub c: usize, pub y: usize }

impl<'a> Gemm<'a> {
    pub const KIND: OpKind = OpKind::Gemm;
    pub const AT: GemmAt = GemmAt { a: 0, b: 1, c: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Gemm<'a>> { view::fits(op, Self::KIND).then_some(Gemm(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
    #[inline] pub fn trans_a(self) -> bool { view::attr::<kinds::Flag>(self.0, "trans_a") }
    #[inline] pub fn trans_b(self) -> bool { view::attr::<kinds::Flag>(self.0, "trans_b") }
    #[inline] pub fn transposed(self) -> super::Transposed<'a> { super::Transposed(self.0) }
}

impl Gemm<'static> {
    pub fn new(a: ValueId, b: ValueId, c: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Gemm, vec![Some(a), Some(b), c], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Gemm) }
}

impl<O: BorrowMut<Op>> Set<Gemm<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
    #[inline] pub fn trans_a(self, value: bool) -> Self { self.put::<kinds::Flag>("trans_a", value) }
    #[inline] pub fn trans_b(self, value: bool) -> Self { self.put::<kinds::Flag>("trans_b", value) }
}

/// A view of [`OpKind::LinearAttention`].
#[derive(Clone, Copy)]
pub struct LinearAttention<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LinearAttention`].
pub struct LinearAttentionAt { pub query: usize, pub key: usize, pub value: usize, pub past_state: usize, pub decay: usize, pub beta: usize, pub y: usize, pub present_state: usize }

impl<'a> LinearAttention<'a> {
    pub const KIND: OpKind = OpKind::LinearAttention;
    pub const AT: LinearAttentionAt = LinearAttentionAt { query: 0, key: 1, value: 2, past_state: 3, decay: 4, beta: 5, y: 0, present_state: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<LinearAttention<'a>> { view::fits(op, Self::KIND).then_some(LinearAttention(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn query(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn key(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn past_state(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn decay(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn beta(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn present_state(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn chunk_size(self) -> i64 { view::attr::<kinds::Int>(self.0, "chunk_size") }
    #[inline] pub fn kv_num_heads(self) -> i64 { view::attr::<kinds::Int>(self.0, "kv_num_heads") }
    #[inline] pub fn q_num_heads(self) -> i64 { view::attr::<kinds::Int>(self.0, "q_num_heads") }
    #[inline] pub fn scale(self) -> f32 { view::attr::<kinds::Float>(self.0, "scale") }
    #[inline] pub fn update_rule(self) -> UpdateRule { view::attr::<UpdateRule>(self.0, "update_rule") }
}

impl LinearAttention<'static> {
    pub fn new(query: ValueId, key: ValueId, value: ValueId, past_state: Option<ValueId>, decay: Option<ValueId>, beta: Option<ValueId>) -> New<Self> {
        view::new(OpKind::LinearAttention, vec![Some(query), Some(key), Some(value), past_state, decay, beta], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LinearAttention) }
}

impl<O: BorrowMut<Op>> Set<LinearAttention<'static>, O> {
    #[inline] pub fn chunk_size(self, value: i64) -> Self { self.put::<kinds::Int>("chunk_size", value) }
    #[inline] pub fn kv_num_heads(self, value: i64) -> Self { self.put::<kinds::Int>("kv_num_heads", value) }
    #[inline] pub fn q_num_heads(self, value: i64) -> Self { self.put::<kinds::Int>("q_num_heads", value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put::<kinds::Float>("scale", value) }
    #[inline] pub fn update_rule(self, value: UpdateRule) -> Self { self.put::<UpdateRule>("update_rule", value) }
}

/// A view of [`OpKind::MatMul`].
#[derive(Clone, Copy)]
pub struct MatMul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatMul`].
pub struct MatMulAt { pub a: usize, pub b: usize, pub y: usize }

impl<'a> MatMul<'a> {
    pub const KIND: OpKind = OpKind::MatMul;
    pub const AT: MatMulAt = MatMulAt { a: 0, b: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatMul<'a>> { view::fits(op, Self::KIND).then_some(MatMul(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl MatMul<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::MatMul, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatMul) }
}

/// A view of [`OpKind::FusedMatMul`].
#[derive(Clone, Copy)]
pub struct FusedMatMul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::FusedMatMul`].
pub struct FusedMatMulAt { pub a: usize, pub b: usize, pub bias: usize, pub residual: usize, pub y: usize }

impl<'a> FusedMatMul<'a> {
    pub const KIND: OpKind = OpKind::FusedMatMul;
    pub const AT: FusedMatMulAt = FusedMatMulAt { a: 0, b: 1, bias: 2, residual: 3, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<FusedMatMul<'a>> { view::fits(op, Self::KIND).then_some(FusedMatMul(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn residual(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn scale(self) -> f32 { view::attr::<kinds::Float>(self.0, "scale") }
    #[inline] pub fn trans_a(self) -> bool { view::attr::<kinds::Flag>(self.0, "trans_a") }
    #[inline] pub fn trans_b(self) -> bool { view::attr::<kinds::Flag>(self.0, "trans_b") }
    #[inline] pub fn activation(self) -> &'a str { view::attr::<kinds::Str>(self.0, "activation") }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
    #[inline] pub fn activated(self) -> super::Activated<'a> { super::Activated(self.0) }
    #[inline] pub fn transposed(self) -> super::Transposed<'a> { super::Transposed(self.0) }
}

impl FusedMatMul<'static> {
    pub fn new(a: ValueId, b: ValueId, bias: Option<ValueId>, residual: Option<ValueId>) -> New<Self> {
        view::new(OpKind::FusedMatMul, vec![Some(a), Some(b), bias, residual], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::FusedMatMul) }
}

impl<O: BorrowMut<Op>> Set<FusedMatMul<'static>, O> {
    #[inline] pub fn scale(self, value: f32) -> Self { self.put::<kinds::Float>("scale", value) }
    #[inline] pub fn trans_a(self, value: bool) -> Self { self.put::<kinds::Flag>("trans_a", value) }
    #[inline] pub fn trans_b(self, value: bool) -> Self { self.put::<kinds::Flag>("trans_b", value) }
    #[inline] pub fn activation(self, value: String) -> Self { self.put::<kinds::Str>("activation", value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
}

/// A view of [`OpKind::MatMulNBits`].
#[derive(Clone, Copy)]
pub struct MatMulNBits<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatMulNBits`].
pub struct MatMulNBitsAt { pub a: usize, pub b: usize, pub bias: usize, pub residual: usize, pub scales: usize, pub zero_points: usize, pub y: usize }

impl<'a> MatMulNBits<'a> {
    pub const KIND: OpKind = OpKind::MatMulNBits;
    pub const AT: MatMulNBitsAt = MatMulNBitsAt { a: 0, b: 1, bias: 2, residual: 3, scales: 4, zero_points: 5, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatMulNBits<'a>> { view::fits(op, Self::KIND).then_some(MatMulNBits(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn residual(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn scales(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn zero_points(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn k(self) -> i64 { view::attr::<kinds::Int>(self.0, "k") }
    #[inline] pub fn n(self) -> i64 { view::attr::<kinds::Int>(self.0, "n") }
    #[inline] pub fn bits(self) -> i64 { view::attr::<kinds::Int>(self.0, "bits") }
    #[inline] pub fn block_size(self) -> i64 { view::attr::<kinds::Int>(self.0, "block_size") }
    #[inline] pub fn activation(self) -> &'a str { view::attr::<kinds::Str>(self.0, "activation") }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
    #[inline] pub fn activated(self) -> super::Activated<'a> { super::Activated(self.0) }
}

impl MatMulNBits<'static> {
    pub fn new(a: ValueId, b: ValueId, bias: Option<ValueId>, residual: Option<ValueId>, scales: ValueId, zero_points: Option<ValueId>) -> New<Self> {
        view::new(OpKind::MatMulNBits, vec![Some(a), Some(b), bias, residual, Some(scales), zero_points], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatMulNBits) }
}

impl<O: BorrowMut<Op>> Set<MatMulNBits<'static>, O> {
    #[inline] pub fn k(self, value: i64) -> Self { self.put::<kinds::Int>("k", value) }
    #[inline] pub fn n(self, value: i64) -> Self { self.put::<kinds::Int>("n", value) }
    #[inline] pub fn bits(self, value: i64) -> Self { self.put::<kinds::Int>("bits", value) }
    #[inline] pub fn block_size(self, value: i64) -> Self { self.put::<kinds::Int>("block_size", value) }
    #[inline] pub fn activation(self, value: String) -> Self { self.put::<kinds::Str>("activation", value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
}

/// A view of [`OpKind::RotaryEmbedding`].
#[derive(Clone, Copy)]
pub struct RotaryEmbedding<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RotaryEmbedding`].
pub struct RotaryEmbeddingAt { pub x: usize, pub cos_cache: usize, pub sin_cache: usize, pub position_ids: usize, pub y: usize }

impl<'a> RotaryEmbedding<'a> {
    pub const KIND: OpKind = OpKind::RotaryEmbedding;
    pub const AT: RotaryEmbeddingAt = RotaryEmbeddingAt { x: 0, cos_cache: 1, sin_cache: 2, position_ids: 3, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<RotaryEmbedding<'a>> { view::fits(op, Self::KIND).then_some(RotaryEmbedding(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn cos_cache(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn sin_cache(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn position_ids(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn interleaved(self) -> bool { view::attr::<kinds::Flag>(self.0, "interleaved") }
    #[inline] pub fn num_heads(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "num_heads") }
    #[inline] pub fn rotary_embedding_dim(self) -> i64 { view::attr::<kinds::Int>(self.0, "rotary_embedding_dim") }
}

impl RotaryEmbedding<'static> {
    pub fn new(x: ValueId, cos_cache: ValueId, sin_cache: ValueId, position_ids: Option<ValueId>) -> New<Self> {
        view::new(OpKind::RotaryEmbedding, vec![Some(x), Some(cos_cache), Some(sin_cache), position_ids], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RotaryEmbedding) }
}

impl<O: BorrowMut<Op>> Set<RotaryEmbedding<'static>, O> {
    #[inline] pub fn interleaved(self, value: bool) -> Self { self.put::<kinds::Flag>("interleaved", value) }
    #[inline] pub fn num_heads(self, value: i64) -> Self { self.put::<kinds::Int>("num_heads", value) }
    #[inline] pub fn rotary_embedding_dim(self, value: i64) -> Self { self.put::<kinds::Int>("rotary_embedding_dim", value) }
}

/// A view of [`OpKind::Det`].
#[derive(Clone, Copy)]
pub struct Det<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Det`].
pub struct DetAt { pub x: usize, pub y: usize }

impl<'a> Det<'a> {
    pub const KIND: OpKind = OpKind::Det;
    pub const AT: DetAt = DetAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Det<'a>> { view::fits(op, Self::KIND).then_some(Det(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Det<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Det, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Det) }
}
