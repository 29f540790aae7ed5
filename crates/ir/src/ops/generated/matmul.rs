// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{FusedActivation};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Det`].
#[derive(Clone, Copy)]
pub struct Det<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Det`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Einsum`], and names of its attributes.
pub struct EinsumAt { pub xs: usize, pub y: usize, pub equation: AttrName<kinds::Str> }

impl<'a> Einsum<'a> {
    pub const KIND: OpKind = OpKind::Einsum;
    pub const AT: EinsumAt = EinsumAt { xs: 0, y: 0, equation: AttrName::new("equation") };
    #[inline] pub fn of(op: &'a Op) -> Option<Einsum<'a>> { view::fits(op, Self::KIND).then_some(Einsum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn equation(self) -> &'a str { view::attr(self.0, Self::AT.equation) }
}

impl Einsum<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Einsum, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Einsum) }
}

impl<O: BorrowMut<Op>> Set<Einsum<'static>, O> {
    #[inline] pub fn equation(self, value: String) -> Self { self.put(Einsum::AT.equation, value) }
}

/// A view of [`OpKind::Gemm`].
#[derive(Clone, Copy)]
pub struct Gemm<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Gemm`], and names of its attributes.
pub struct GemmAt { pub a: usize, pub b: usize, pub c: usize, pub y: usize, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float>, pub trans_a: AttrName<kinds::Flag>, pub trans_b: AttrName<kinds::Flag> }

impl<'a> Gemm<'a> {
    pub const KIND: OpKind = OpKind::Gemm;
    pub const AT: GemmAt = GemmAt { a: 0, b: 1, c: 2, y: 0, alpha: AttrName::new("alpha"), beta: AttrName::new("beta"), trans_a: AttrName::new("trans_a"), trans_b: AttrName::new("trans_b") };
    #[inline] pub fn of(op: &'a Op) -> Option<Gemm<'a>> { view::fits(op, Self::KIND).then_some(Gemm(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
    #[inline] pub fn trans_a(self) -> bool { view::attr(self.0, Self::AT.trans_a) }
    #[inline] pub fn trans_b(self) -> bool { view::attr(self.0, Self::AT.trans_b) }
    #[inline] pub fn transposed(self) -> super::Transposed<'a> { super::Transposed(self.0) }
}

impl Gemm<'static> {
    pub fn new(a: ValueId, b: ValueId, c: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Gemm, vec![Some(a), Some(b), c], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Gemm) }
}

impl<O: BorrowMut<Op>> Set<Gemm<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Gemm::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(Gemm::AT.beta, value) }
    #[inline] pub fn trans_a(self, value: bool) -> Self { self.put(Gemm::AT.trans_a, value) }
    #[inline] pub fn trans_b(self, value: bool) -> Self { self.put(Gemm::AT.trans_b, value) }
}

/// A view of [`OpKind::MatMul`].
#[derive(Clone, Copy)]
pub struct MatMul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatMul`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::FusedMatMul`], and names of its attributes.
pub struct FusedMatMulAt { pub a: usize, pub b: usize, pub bias: usize, pub residual: usize, pub y: usize, pub scale: AttrName<kinds::Float>, pub trans_a: AttrName<kinds::Flag>, pub trans_b: AttrName<kinds::Flag>, pub activation: AttrName<FusedActivation>, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float> }

impl<'a> FusedMatMul<'a> {
    pub const KIND: OpKind = OpKind::FusedMatMul;
    pub const AT: FusedMatMulAt = FusedMatMulAt { a: 0, b: 1, bias: 2, residual: 3, y: 0, scale: AttrName::new("scale"), trans_a: AttrName::new("trans_a"), trans_b: AttrName::new("trans_b"), activation: AttrName::new("activation"), alpha: AttrName::new("alpha"), beta: AttrName::new("beta") };
    #[inline] pub fn of(op: &'a Op) -> Option<FusedMatMul<'a>> { view::fits(op, Self::KIND).then_some(FusedMatMul(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn residual(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn scale(self) -> f32 { view::attr(self.0, Self::AT.scale) }
    #[inline] pub fn trans_a(self) -> bool { view::attr(self.0, Self::AT.trans_a) }
    #[inline] pub fn trans_b(self) -> bool { view::attr(self.0, Self::AT.trans_b) }
    #[inline] pub fn activation(self) -> FusedActivation { view::attr(self.0, Self::AT.activation) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
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
    #[inline] pub fn scale(self, value: f32) -> Self { self.put(FusedMatMul::AT.scale, value) }
    #[inline] pub fn trans_a(self, value: bool) -> Self { self.put(FusedMatMul::AT.trans_a, value) }
    #[inline] pub fn trans_b(self, value: bool) -> Self { self.put(FusedMatMul::AT.trans_b, value) }
    #[inline] pub fn activation(self, value: FusedActivation) -> Self { self.put(FusedMatMul::AT.activation, value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(FusedMatMul::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(FusedMatMul::AT.beta, value) }
}

/// A view of [`OpKind::MatMulInteger`].
#[derive(Clone, Copy)]
pub struct MatMulInteger<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatMulInteger`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::MatMulNBits`], and names of its attributes.
pub struct MatMulNBitsAt { pub a: usize, pub b: usize, pub bias: usize, pub residual: usize, pub scales: usize, pub zero_points: usize, pub y: usize, pub k: AttrName<kinds::Int>, pub n: AttrName<kinds::Int>, pub bits: AttrName<kinds::Int>, pub block_size: AttrName<kinds::Int>, pub activation: AttrName<FusedActivation>, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float> }

impl<'a> MatMulNBits<'a> {
    pub const KIND: OpKind = OpKind::MatMulNBits;
    pub const AT: MatMulNBitsAt = MatMulNBitsAt { a: 0, b: 1, bias: 2, residual: 3, scales: 4, zero_points: 5, y: 0, k: AttrName::new("k"), n: AttrName::new("n"), bits: AttrName::new("bits"), block_size: AttrName::new("block_size"), activation: AttrName::new("activation"), alpha: AttrName::new("alpha"), beta: AttrName::new("beta") };
    #[inline] pub fn of(op: &'a Op) -> Option<MatMulNBits<'a>> { view::fits(op, Self::KIND).then_some(MatMulNBits(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn residual(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn scales(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn zero_points(self) -> Option<ValueId> { self.0.input(5) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn k(self) -> i64 { view::attr(self.0, Self::AT.k) }
    #[inline] pub fn n(self) -> i64 { view::attr(self.0, Self::AT.n) }
    #[inline] pub fn bits(self) -> i64 { view::attr(self.0, Self::AT.bits) }
    #[inline] pub fn block_size(self) -> i64 { view::attr(self.0, Self::AT.block_size) }
    #[inline] pub fn activation(self) -> FusedActivation { view::attr(self.0, Self::AT.activation) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
    #[inline] pub fn activated(self) -> super::Activated<'a> { super::Activated(self.0) }
}

impl MatMulNBits<'static> {
    pub fn new(a: ValueId, b: ValueId, bias: Option<ValueId>, residual: Option<ValueId>, scales: ValueId, zero_points: Option<ValueId>) -> New<Self> {
        view::new(OpKind::MatMulNBits, vec![Some(a), Some(b), bias, residual, Some(scales), zero_points], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatMulNBits) }
}

impl<O: BorrowMut<Op>> Set<MatMulNBits<'static>, O> {
    #[inline] pub fn k(self, value: i64) -> Self { self.put(MatMulNBits::AT.k, value) }
    #[inline] pub fn n(self, value: i64) -> Self { self.put(MatMulNBits::AT.n, value) }
    #[inline] pub fn bits(self, value: i64) -> Self { self.put(MatMulNBits::AT.bits, value) }
    #[inline] pub fn block_size(self, value: i64) -> Self { self.put(MatMulNBits::AT.block_size, value) }
    #[inline] pub fn activation(self, value: FusedActivation) -> Self { self.put(MatMulNBits::AT.activation, value) }
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(MatMulNBits::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(MatMulNBits::AT.beta, value) }
}

/// A view of [`OpKind::QLinearMatMul`].
#[derive(Clone, Copy)]
pub struct QLinearMatMul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QLinearMatMul`], and names of its attributes.
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
