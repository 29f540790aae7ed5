// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{AutoPad};
use crate::{DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ConvInteger`].
#[derive(Clone, Copy)]
pub struct ConvInteger<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConvInteger`].
pub struct ConvIntegerAt { pub x: usize, pub w: usize, pub x_zero_point: usize, pub w_zero_point: usize, pub y: usize }

impl<'a> ConvInteger<'a> {
    pub const KIND: OpKind = OpKind::ConvInteger;
    pub const AT: ConvIntegerAt = ConvIntegerAt { x: 0, w: 1, x_zero_point: 2, w_zero_point: 3, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ConvInteger<'a>> { view::fits(op, Self::KIND).then_some(ConvInteger(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn w(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn x_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn w_zero_point(self) -> Option<ValueId> { self.0.input(3) }
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

impl ConvInteger<'static> {
    pub fn new(x: ValueId, w: ValueId, x_zero_point: Option<ValueId>, w_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ConvInteger, vec![Some(x), Some(w), x_zero_point, w_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ConvInteger) }
}

impl<O: BorrowMut<Op>> Set<ConvInteger<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put::<AutoPad>("auto_pad", value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put::<kinds::Int>("group", value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("kernel_shape", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
}

/// A view of [`OpKind::MatMulInteger`].
#[derive(Clone, Copy)]
pub struct MatMulInteger<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatMulInteger`].
pub struct MatMulIntegerAt { pub a: usize, pub b: usize, pub a_zero_point: usize, pub b_zero_point: usize, pub y: usize }

impl<'a> MatMulInteger<'a> {
    pub const KIND: OpKind = OpKind::MatMulInteger;
    pub const AT: MatMulIntegerAt = MatMulIntegerAt { a: 0, b: 1, a_zero_point: 2, b_zero_point: 3, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatMulInteger<'a>> { view::fits(op, Self::KIND).then_some(MatMulInteger(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn a_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn b_zero_point(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl MatMulInteger<'static> {
    pub fn new(a: ValueId, b: ValueId, a_zero_point: Option<ValueId>, b_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::MatMulInteger, vec![Some(a), Some(b), a_zero_point, b_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatMulInteger) }
}

/// A view of [`OpKind::DequantizeLinear`].
#[derive(Clone, Copy)]
pub struct DequantizeLinear<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DequantizeLinear`].
pub struct DequantizeLinearAt { pub x: usize, pub x_scale: usize, pub x_zero_point: usize, pub y: usize }

impl<'a> DequantizeLinear<'a> {
    pub const KIND: OpKind = OpKind::DequantizeLinear;
    pub const AT: DequantizeLinearAt = DequantizeLinearAt { x: 0, x_scale: 1, x_zero_point: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DequantizeLinear<'a>> { view::fits(op, Self::KIND).then_some(DequantizeLinear(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn x_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn x_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn block_size(self) -> i64 { view::attr::<kinds::Int>(self.0, "block_size") }
    #[inline] pub fn output_dtype(self) -> Option<DType> { view::optional::<kinds::DType>(self.0, "output_dtype") }
}

impl DequantizeLinear<'static> {
    pub fn new(x: ValueId, x_scale: ValueId, x_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::DequantizeLinear, vec![Some(x), Some(x_scale), x_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DequantizeLinear) }
}

impl<O: BorrowMut<Op>> Set<DequantizeLinear<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn block_size(self, value: i64) -> Self { self.put::<kinds::Int>("block_size", value) }
    #[inline] pub fn output_dtype(self, value: DType) -> Self { self.put::<kinds::DType>("output_dtype", value) }
}

/// A view of [`OpKind::DynamicQuantizeLinear`].
#[derive(Clone, Copy)]
pub struct DynamicQuantizeLinear<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DynamicQuantizeLinear`].
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

/// A view of [`OpKind::QLinearConv`].
#[derive(Clone, Copy)]
pub struct QLinearConv<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QLinearConv`].
pub struct QLinearConvAt { pub x: usize, pub x_scale: usize, pub x_zero_point: usize, pub w: usize, pub w_scale: usize, pub w_zero_point: usize, pub y_scale: usize, pub y_zero_point: usize, pub b: usize, pub y: usize }

impl<'a> QLinearConv<'a> {
    pub const KIND: OpKind = OpKind::QLinearConv;
    pub const AT: QLinearConvAt = QLinearConvAt { x: 0, x_scale: 1, x_zero_point: 2, w: 3, w_scale: 4, w_zero_point: 5, y_scale: 6, y_zero_point: 7, b: 8, y: 0 };
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

impl QLinearConv<'static> {
    pub fn new(x: ValueId, x_scale: ValueId, x_zero_point: ValueId, w: ValueId, w_scale: ValueId, w_zero_point: ValueId, y_scale: ValueId, y_zero_point: ValueId, b: Option<ValueId>) -> New<Self> {
        view::new(OpKind::QLinearConv, vec![Some(x), Some(x_scale), Some(x_zero_point), Some(w), Some(w_scale), Some(w_zero_point), Some(y_scale), Some(y_zero_point), b], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::QLinearConv) }
}

impl<O: BorrowMut<Op>> Set<QLinearConv<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put::<AutoPad>("auto_pad", value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn group(self, value: i64) -> Self { self.put::<kinds::Int>("group", value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("kernel_shape", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
}

/// A view of [`OpKind::QLinearMatMul`].
#[derive(Clone, Copy)]
pub struct QLinearMatMul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QLinearMatMul`].
pub struct QLinearMatMulAt { pub a: usize, pub a_scale: usize, pub a_zero_point: usize, pub b: usize, pub b_scale: usize, pub b_zero_point: usize, pub y_scale: usize, pub y_zero_point: usize, pub y: usize }

impl<'a> QLinearMatMul<'a> {
    pub const KIND: OpKind = OpKind::QLinearMatMul;
    pub const AT: QLinearMatMulAt = QLinearMatMulAt { a: 0, a_scale: 1, a_zero_point: 2, b: 3, b_scale: 4, b_zero_point: 5, y_scale: 6, y_zero_point: 7, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<QLinearMatMul<'a>> { view::fits(op, Self::KIND).then_some(QLinearMatMul(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn a_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn a_zero_point(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 3) }
    #[inline] pub fn b_scale(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn b_zero_point(self) -> ValueId { view::operand(self.0, 5) }
    #[inline] pub fn y_scale(self) -> ValueId { view::operand(self.0, 6) }
    #[inline] pub fn y_zero_point(self) -> ValueId { view::operand(self.0, 7) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl QLinearMatMul<'static> {
    pub fn new(a: ValueId, a_scale: ValueId, a_zero_point: ValueId, b: ValueId, b_scale: ValueId, b_zero_point: ValueId, y_scale: ValueId, y_zero_point: ValueId) -> New<Self> {
        view::new(OpKind::QLinearMatMul, vec![Some(a), Some(a_scale), Some(a_zero_point), Some(b), Some(b_scale), Some(b_zero_point), Some(y_scale), Some(y_zero_point)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::QLinearMatMul) }
}

/// A view of [`OpKind::QuantizeLinear`].
#[derive(Clone, Copy)]
pub struct QuantizeLinear<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QuantizeLinear`].
pub struct QuantizeLinearAt { pub x: usize, pub y_scale: usize, pub y_zero_point: usize, pub y: usize }

impl<'a> QuantizeLinear<'a> {
    pub const KIND: OpKind = OpKind::QuantizeLinear;
    pub const AT: QuantizeLinearAt = QuantizeLinearAt { x: 0, y_scale: 1, y_zero_point: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<QuantizeLinear<'a>> { view::fits(op, Self::KIND).then_some(QuantizeLinear(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y_scale(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y_zero_point(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn block_size(self) -> i64 { view::attr::<kinds::Int>(self.0, "block_size") }
    #[inline] pub fn output_dtype(self) -> Option<DType> { view::optional::<kinds::DType>(self.0, "output_dtype") }
    #[inline] pub fn precision(self) -> Option<DType> { view::optional::<kinds::DType>(self.0, "precision") }
    #[inline] pub fn saturate(self) -> bool { view::attr::<kinds::Flag>(self.0, "saturate") }
}

impl QuantizeLinear<'static> {
    pub fn new(x: ValueId, y_scale: ValueId, y_zero_point: Option<ValueId>) -> New<Self> {
        view::new(OpKind::QuantizeLinear, vec![Some(x), Some(y_scale), y_zero_point], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::QuantizeLinear) }
}

impl<O: BorrowMut<Op>> Set<QuantizeLinear<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn block_size(self, value: i64) -> Self { self.put::<kinds::Int>("block_size", value) }
    #[inline] pub fn output_dtype(self, value: DType) -> Self { self.put::<kinds::DType>("output_dtype", value) }
    #[inline] pub fn precision(self, value: DType) -> Self { self.put::<kinds::DType>("precision", value) }
    #[inline] pub fn saturate(self, value: bool) -> Self { self.put::<kinds::Flag>("saturate", value) }
}
