// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{UpdateRule};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Attention`].
#[derive(Clone, Copy)]
pub struct Attention<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Attention`], and names of its attributes.
pub struct AttentionAt { pub q: usize, pub k: usize, pub v: usize, pub attn_mask: usize, pub past_key: usize, pub past_value: usize, pub nonpad_kv_seqlen: usize, pub y: usize, pub present_key: usize, pub present_value: usize, pub qk_matmul_output: usize, pub is_causal: AttrName<kinds::Flag>, pub q_num_heads: AttrName<kinds::Int>, pub kv_num_heads: AttrName<kinds::Int>, pub scale: AttrName<kinds::Float>, pub softcap: AttrName<kinds::Float>, pub softmax_precision: AttrName<kinds::DType>, pub qk_matmul_output_mode: AttrName<kinds::Int>, pub left_window_size: AttrName<kinds::Int>, pub right_window_size: AttrName<kinds::Int>, pub plain_mask: AttrName<kinds::Flag> }

impl<'a> Attention<'a> {
    pub const KIND: OpKind = OpKind::Attention;
    pub const AT: AttentionAt = AttentionAt { q: 0, k: 1, v: 2, attn_mask: 3, past_key: 4, past_value: 5, nonpad_kv_seqlen: 6, y: 0, present_key: 1, present_value: 2, qk_matmul_output: 3, is_causal: AttrName::new("is_causal"), q_num_heads: AttrName::new("q_num_heads"), kv_num_heads: AttrName::new("kv_num_heads"), scale: AttrName::new("scale"), softcap: AttrName::new("softcap"), softmax_precision: AttrName::new("softmax_precision"), qk_matmul_output_mode: AttrName::new("qk_matmul_output_mode"), left_window_size: AttrName::new("left_window_size"), right_window_size: AttrName::new("right_window_size"), plain_mask: AttrName::new("plain_mask") };
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
    #[inline] pub fn is_causal(self) -> bool { view::attr(self.0, Self::AT.is_causal) }
    #[inline] pub fn q_num_heads(self) -> Option<i64> { view::optional(self.0, Self::AT.q_num_heads) }
    #[inline] pub fn kv_num_heads(self) -> Option<i64> { view::optional(self.0, Self::AT.kv_num_heads) }
    #[inline] pub fn scale(self) -> Option<f32> { view::optional(self.0, Self::AT.scale) }
    #[inline] pub fn softcap(self) -> f32 { view::attr(self.0, Self::AT.softcap) }
    #[inline] pub fn softmax_precision(self) -> Option<DType> { view::optional(self.0, Self::AT.softmax_precision) }
    #[inline] pub fn qk_matmul_output_mode(self) -> i64 { view::attr(self.0, Self::AT.qk_matmul_output_mode) }
    #[inline] pub fn left_window_size(self) -> i64 { view::attr(self.0, Self::AT.left_window_size) }
    #[inline] pub fn right_window_size(self) -> i64 { view::attr(self.0, Self::AT.right_window_size) }
    #[inline] pub fn plain_mask(self) -> bool { view::attr(self.0, Self::AT.plain_mask) }
}

impl Attention<'static> {
    pub fn new(q: ValueId, k: ValueId, v: ValueId, attn_mask: Option<ValueId>, past_key: Option<ValueId>, past_value: Option<ValueId>, nonpad_kv_seqlen: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Attention, vec![Some(q), Some(k), Some(v), attn_mask, past_key, past_value, nonpad_kv_seqlen], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Attention) }
}

impl<O: BorrowMut<Op>> Set<Attention<'static>, O> {
    #[inline] pub fn is_causal(self, value: bool) -> Self { self.put(Attention::AT.is_causal, value) }
    #[inline] pub fn q_num_heads(self, value: i64) -> Self { self.put(Attention::AT.q_num_heads, value) }
    #[inline] pub fn kv_num_heads(self, value: i64) -> Self { self.put(Attention::AT.kv_num_heads, value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put(Attention::AT.scale, value) }
    #[inline] pub fn softcap(self, value: f32) -> Self { self.put(Attention::AT.softcap, value) }
    #[inline] pub fn softmax_precision(self, value: DType) -> Self { self.put(Attention::AT.softmax_precision, value) }
    #[inline] pub fn qk_matmul_output_mode(self, value: i64) -> Self { self.put(Attention::AT.qk_matmul_output_mode, value) }
    #[inline] pub fn left_window_size(self, value: i64) -> Self { self.put(Attention::AT.left_window_size, value) }
    #[inline] pub fn right_window_size(self, value: i64) -> Self { self.put(Attention::AT.right_window_size, value) }
    #[inline] pub fn plain_mask(self, value: bool) -> Self { self.put(Attention::AT.plain_mask, value) }
}

/// A view of [`OpKind::GroupQueryAttention`].
#[derive(Clone, Copy)]
pub struct GroupQueryAttention<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GroupQueryAttention`], and names of its attributes.
pub struct GroupQueryAttentionAt { pub query: usize, pub key: usize, pub value: usize, pub past_key: usize, pub past_value: usize, pub seqlens_k: usize, pub total_sequence_length: usize, pub cos_cache: usize, pub sin_cache: usize, pub position_ids: usize, pub y: usize, pub present_key: usize, pub present_value: usize, pub num_heads: AttrName<kinds::Int>, pub kv_num_heads: AttrName<kinds::Int>, pub scale: AttrName<kinds::Float>, pub softcap: AttrName<kinds::Float>, pub do_rotary: AttrName<kinds::Flag>, pub rotary_interleaved: AttrName<kinds::Flag>, pub local_window_size: AttrName<kinds::Int>, pub smooth_softmax: AttrName<kinds::Int>, pub qk_output: AttrName<kinds::Int> }

impl<'a> GroupQueryAttention<'a> {
    pub const KIND: OpKind = OpKind::GroupQueryAttention;
    pub const AT: GroupQueryAttentionAt = GroupQueryAttentionAt { query: 0, key: 1, value: 2, past_key: 3, past_value: 4, seqlens_k: 5, total_sequence_length: 6, cos_cache: 7, sin_cache: 8, position_ids: 9, y: 0, present_key: 1, present_value: 2, num_heads: AttrName::new("num_heads"), kv_num_heads: AttrName::new("kv_num_heads"), scale: AttrName::new("scale"), softcap: AttrName::new("softcap"), do_rotary: AttrName::new("do_rotary"), rotary_interleaved: AttrName::new("rotary_interleaved"), local_window_size: AttrName::new("local_window_size"), smooth_softmax: AttrName::new("smooth_softmax"), qk_output: AttrName::new("qk_output") };
    #[inline] pub fn of(op: &'a Op) -> Option<GroupQueryAttention<'a>> { view::fits(op, Self::KIND).then_some(GroupQueryAttention(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn query(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn key(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn value(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn past_key(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn past_value(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn seqlens_k(self) -> ValueId { view::operand(self.0, 5) }
    #[inline] pub fn total_sequence_length(self) -> ValueId { view::operand(self.0, 6) }
    #[inline] pub fn cos_cache(self) -> Option<ValueId> { self.0.input(7) }
    #[inline] pub fn sin_cache(self) -> Option<ValueId> { self.0.input(8) }
    #[inline] pub fn position_ids(self) -> Option<ValueId> { self.0.input(9) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn present_key(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn present_value(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn num_heads(self) -> i64 { view::attr(self.0, Self::AT.num_heads) }
    #[inline] pub fn kv_num_heads(self) -> i64 { view::attr(self.0, Self::AT.kv_num_heads) }
    #[inline] pub fn scale(self) -> f32 { view::attr(self.0, Self::AT.scale) }
    #[inline] pub fn softcap(self) -> f32 { view::attr(self.0, Self::AT.softcap) }
    #[inline] pub fn do_rotary(self) -> bool { view::attr(self.0, Self::AT.do_rotary) }
    #[inline] pub fn rotary_interleaved(self) -> bool { view::attr(self.0, Self::AT.rotary_interleaved) }
    #[inline] pub fn local_window_size(self) -> i64 { view::attr(self.0, Self::AT.local_window_size) }
    #[inline] pub fn smooth_softmax(self) -> i64 { view::attr(self.0, Self::AT.smooth_softmax) }
    #[inline] pub fn qk_output(self) -> i64 { view::attr(self.0, Self::AT.qk_output) }
}

impl GroupQueryAttention<'static> {
    pub fn new(query: ValueId, key: Option<ValueId>, value: Option<ValueId>, past_key: Option<ValueId>, past_value: Option<ValueId>, seqlens_k: ValueId, total_sequence_length: ValueId, cos_cache: Option<ValueId>, sin_cache: Option<ValueId>, position_ids: Option<ValueId>) -> New<Self> {
        view::new(OpKind::GroupQueryAttention, vec![Some(query), key, value, past_key, past_value, Some(seqlens_k), Some(total_sequence_length), cos_cache, sin_cache, position_ids], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GroupQueryAttention) }
}

impl<O: BorrowMut<Op>> Set<GroupQueryAttention<'static>, O> {
    #[inline] pub fn num_heads(self, value: i64) -> Self { self.put(GroupQueryAttention::AT.num_heads, value) }
    #[inline] pub fn kv_num_heads(self, value: i64) -> Self { self.put(GroupQueryAttention::AT.kv_num_heads, value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put(GroupQueryAttention::AT.scale, value) }
    #[inline] pub fn softcap(self, value: f32) -> Self { self.put(GroupQueryAttention::AT.softcap, value) }
    #[inline] pub fn do_rotary(self, value: bool) -> Self { self.put(GroupQueryAttention::AT.do_rotary, value) }
    #[inline] pub fn rotary_interleaved(self, value: bool) -> Self { self.put(GroupQueryAttention::AT.rotary_interleaved, value) }
    #[inline] pub fn local_window_size(self, value: i64) -> Self { self.put(GroupQueryAttention::AT.local_window_size, value) }
    #[inline] pub fn smooth_softmax(self, value: i64) -> Self { self.put(GroupQueryAttention::AT.smooth_softmax, value) }
    #[inline] pub fn qk_output(self, value: i64) -> Self { self.put(GroupQueryAttention::AT.qk_output, value) }
}

/// A view of [`OpKind::LinearAttention`].
#[derive(Clone, Copy)]
pub struct LinearAttention<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LinearAttention`], and names of its attributes.
pub struct LinearAttentionAt { pub query: usize, pub key: usize, pub value: usize, pub past_state: usize, pub decay: usize, pub beta: usize, pub y: usize, pub present_state: usize, pub chunk_size: AttrName<kinds::Int>, pub kv_num_heads: AttrName<kinds::Int>, pub q_num_heads: AttrName<kinds::Int>, pub scale: AttrName<kinds::Float>, pub update_rule: AttrName<UpdateRule> }

impl<'a> LinearAttention<'a> {
    pub const KIND: OpKind = OpKind::LinearAttention;
    pub const AT: LinearAttentionAt = LinearAttentionAt { query: 0, key: 1, value: 2, past_state: 3, decay: 4, beta: 5, y: 0, present_state: 1, chunk_size: AttrName::new("chunk_size"), kv_num_heads: AttrName::new("kv_num_heads"), q_num_heads: AttrName::new("q_num_heads"), scale: AttrName::new("scale"), update_rule: AttrName::new("update_rule") };
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
    #[inline] pub fn chunk_size(self) -> i64 { view::attr(self.0, Self::AT.chunk_size) }
    #[inline] pub fn kv_num_heads(self) -> i64 { view::attr(self.0, Self::AT.kv_num_heads) }
    #[inline] pub fn q_num_heads(self) -> i64 { view::attr(self.0, Self::AT.q_num_heads) }
    #[inline] pub fn scale(self) -> f32 { view::attr(self.0, Self::AT.scale) }
    #[inline] pub fn update_rule(self) -> UpdateRule { view::attr(self.0, Self::AT.update_rule) }
}

impl LinearAttention<'static> {
    pub fn new(query: ValueId, key: ValueId, value: ValueId, past_state: Option<ValueId>, decay: Option<ValueId>, beta: Option<ValueId>) -> New<Self> {
        view::new(OpKind::LinearAttention, vec![Some(query), Some(key), Some(value), past_state, decay, beta], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LinearAttention) }
}

impl<O: BorrowMut<Op>> Set<LinearAttention<'static>, O> {
    #[inline] pub fn chunk_size(self, value: i64) -> Self { self.put(LinearAttention::AT.chunk_size, value) }
    #[inline] pub fn kv_num_heads(self, value: i64) -> Self { self.put(LinearAttention::AT.kv_num_heads, value) }
    #[inline] pub fn q_num_heads(self, value: i64) -> Self { self.put(LinearAttention::AT.q_num_heads, value) }
    #[inline] pub fn scale(self, value: f32) -> Self { self.put(LinearAttention::AT.scale, value) }
    #[inline] pub fn update_rule(self, value: UpdateRule) -> Self { self.put(LinearAttention::AT.update_rule, value) }
}

/// A view of [`OpKind::RotaryEmbedding`].
#[derive(Clone, Copy)]
pub struct RotaryEmbedding<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RotaryEmbedding`], and names of its attributes.
pub struct RotaryEmbeddingAt { pub x: usize, pub cos_cache: usize, pub sin_cache: usize, pub position_ids: usize, pub y: usize, pub interleaved: AttrName<kinds::Flag>, pub num_heads: AttrName<kinds::Int>, pub rotary_embedding_dim: AttrName<kinds::Int> }

impl<'a> RotaryEmbedding<'a> {
    pub const KIND: OpKind = OpKind::RotaryEmbedding;
    pub const AT: RotaryEmbeddingAt = RotaryEmbeddingAt { x: 0, cos_cache: 1, sin_cache: 2, position_ids: 3, y: 0, interleaved: AttrName::new("interleaved"), num_heads: AttrName::new("num_heads"), rotary_embedding_dim: AttrName::new("rotary_embedding_dim") };
    #[inline] pub fn of(op: &'a Op) -> Option<RotaryEmbedding<'a>> { view::fits(op, Self::KIND).then_some(RotaryEmbedding(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn cos_cache(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn sin_cache(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn position_ids(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn interleaved(self) -> bool { view::attr(self.0, Self::AT.interleaved) }
    #[inline] pub fn num_heads(self) -> Option<i64> { view::optional(self.0, Self::AT.num_heads) }
    #[inline] pub fn rotary_embedding_dim(self) -> i64 { view::attr(self.0, Self::AT.rotary_embedding_dim) }
}

impl RotaryEmbedding<'static> {
    pub fn new(x: ValueId, cos_cache: ValueId, sin_cache: ValueId, position_ids: Option<ValueId>) -> New<Self> {
        view::new(OpKind::RotaryEmbedding, vec![Some(x), Some(cos_cache), Some(sin_cache), position_ids], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RotaryEmbedding) }
}

impl<O: BorrowMut<Op>> Set<RotaryEmbedding<'static>, O> {
    #[inline] pub fn interleaved(self, value: bool) -> Self { self.put(RotaryEmbedding::AT.interleaved, value) }
    #[inline] pub fn num_heads(self, value: i64) -> Self { self.put(RotaryEmbedding::AT.num_heads, value) }
    #[inline] pub fn rotary_embedding_dim(self, value: i64) -> Self { self.put(RotaryEmbedding::AT.rotary_embedding_dim, value) }
}
