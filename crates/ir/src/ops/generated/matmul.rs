// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{FusedActivation};
use crate::{Op, OpKind, ValueId};
use std::borrow::BorrowMut;

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
    #[inline] pub fn activation(self) -> FusedActivation { view::attr::<FusedActivation>(self.0, "activation") }
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
    #[inline] pub fn activation(self, value: FusedActivation) -> Self { self.put::<FusedActivation>("activation", value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
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
    #[inline] pub fn activation(self) -> FusedActivation { view::attr::<FusedActivation>(self.0, "activation") }
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
    #[inline] pub fn activation(self, value: FusedActivation) -> Self { self.put::<FusedActivation>("activation", value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
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
