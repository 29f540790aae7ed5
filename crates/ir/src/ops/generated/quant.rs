// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::DequantizeLinear`].
#[derive(Clone, Copy)]
pub struct DequantizeLinear<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DequantizeLinear`], and names of its attributes.
pub struct DequantizeLinearAt { pub x: usize, pub x_scale: usize, pub x_zero_point: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub block_size: AttrName<kinds::Int>, pub output_dtype: AttrName<kinds::DType> }

impl<'a> DequantizeLinear<'a> {
    pub const KIND: OpKind = OpKind::DequantizeLinear;
    pub const AT: DequantizeLinearAt = DequantizeLinearAt { x: 0, x_scale: 1, x_zero_point: 2, y: 0, axis: AttrName::new("axis"), block_size: AttrName::new("block_size"), output_dtype: AttrName::new("output_dtype") };
    #[inline] pub fn of(op: &'a Op) -> Option<DequantizeLinear<'a>> { view::fits(op, Self::KIND).then_some(DequantizeLinear(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn x_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn x_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn block_size(self) -> i64 { view::attr(self.0, Self::AT.block_size) }
    #[inline] pub fn output_dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.output_dtype) }
}

impl DequantizeLinear<'static> {
    pub fn new(x: ValueId, x_scale: ValueId, x_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::DequantizeLinear, vec![Some(x), Some(x_scale), x_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DequantizeLinear) }
}

impl<O: BorrowMut<Op>> Set<DequantizeLinear<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(DequantizeLinear::AT.axis, value) }
    #[inline] pub fn block_size(self, value: i64) -> Self { self.put(DequantizeLinear::AT.block_size, value) }
    #[inline] pub fn output_dtype(self, value: DType) -> Self { self.put(DequantizeLinear::AT.output_dtype, value) }
}

/// A view of [`OpKind::DynamicQuantizeLinear`].
#[derive(Clone, Copy)]
pub struct DynamicQuantizeLinear<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DynamicQuantizeLinear`], and names of its attributes.
pub struct DynamicQuantizeLinearAt { pub x: usize, pub y: usize, pub y_scale: usize, pub y_zero_point: usize }

impl<'a> DynamicQuantizeLinear<'a> {
    pub const KIND: OpKind = OpKind::DynamicQuantizeLinear;
    pub const AT: DynamicQuantizeLinearAt = DynamicQuantizeLinearAt { x: 0, y: 0, y_scale: 1, y_zero_point: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<DynamicQuantizeLinear<'a>> { view::fits(op, Self::KIND).then_some(DynamicQuantizeLinear(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn y_scale(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn y_zero_point(self) -> Option<ValueId> { self.0.output(2) }
}

impl DynamicQuantizeLinear<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::DynamicQuantizeLinear, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DynamicQuantizeLinear) }
}

/// A view of [`OpKind::QuantizeLinear`].
#[derive(Clone, Copy)]
pub struct QuantizeLinear<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QuantizeLinear`], and names of its attributes.
pub struct QuantizeLinearAt { pub x: usize, pub y_scale: usize, pub y_zero_point: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub block_size: AttrName<kinds::Int>, pub output_dtype: AttrName<kinds::DType>, pub precision: AttrName<kinds::DType>, pub saturate: AttrName<kinds::Flag> }

impl<'a> QuantizeLinear<'a> {
    pub const KIND: OpKind = OpKind::QuantizeLinear;
    pub const AT: QuantizeLinearAt = QuantizeLinearAt { x: 0, y_scale: 1, y_zero_point: 2, y: 0, axis: AttrName::new("axis"), block_size: AttrName::new("block_size"), output_dtype: AttrName::new("output_dtype"), precision: AttrName::new("precision"), saturate: AttrName::new("saturate") };
    #[inline] pub fn of(op: &'a Op) -> Option<QuantizeLinear<'a>> { view::fits(op, Self::KIND).then_some(QuantizeLinear(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn block_size(self) -> i64 { view::attr(self.0, Self::AT.block_size) }
    #[inline] pub fn output_dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.output_dtype) }
    #[inline] pub fn precision(self) -> Option<DType> { view::optional(self.0, Self::AT.precision) }
    #[inline] pub fn saturate(self) -> bool { view::attr(self.0, Self::AT.saturate) }
}

impl QuantizeLinear<'static> {
    pub fn new(x: ValueId, y_scale: ValueId, y_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::QuantizeLinear, vec![Some(x), Some(y_scale), y_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::QuantizeLinear) }
}

impl<O: BorrowMut<Op>> Set<QuantizeLinear<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(QuantizeLinear::AT.axis, value) }
    #[inline] pub fn block_size(self, value: i64) -> Self { self.put(QuantizeLinear::AT.block_size, value) }
    #[inline] pub fn output_dtype(self, value: DType) -> Self { self.put(QuantizeLinear::AT.output_dtype, value) }
    #[inline] pub fn precision(self, value: DType) -> Self { self.put(QuantizeLinear::AT.precision, value) }
    #[inline] pub fn saturate(self, value: bool) -> Self { self.put(QuantizeLinear::AT.saturate, value) }
}
