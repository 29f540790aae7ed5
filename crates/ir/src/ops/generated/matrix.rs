// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::MatrixFill`].
#[derive(Clone, Copy)]
pub struct MatrixFill<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixFill`], and names of its attributes.
pub struct MatrixFillAt { pub x: usize, pub y: usize }

impl<'a> MatrixFill<'a> {
    pub const KIND: OpKind = OpKind::MatrixFill;
    pub const AT: MatrixFillAt = MatrixFillAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatrixFill<'a>> { view::fits(op, Self::KIND).then_some(MatrixFill(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl MatrixFill<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::MatrixFill, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatrixFill) }
}

/// A view of [`OpKind::MatrixLoad`].
#[derive(Clone, Copy)]
pub struct MatrixLoad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixLoad`], and names of its attributes.
pub struct MatrixLoadAt { pub ptr: usize, pub stride: usize, pub y: usize, pub transpose: AttrName<kinds::Flag> }

impl<'a> MatrixLoad<'a> {
    pub const KIND: OpKind = OpKind::MatrixLoad;
    pub const AT: MatrixLoadAt = MatrixLoadAt { ptr: 0, stride: 1, y: 0, transpose: AttrName::new("transpose") };
    #[inline] pub fn of(op: &'a Op) -> Option<MatrixLoad<'a>> { view::fits(op, Self::KIND).then_some(MatrixLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn stride(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn transpose(self) -> bool { view::attr(self.0, Self::AT.transpose) }
}

impl MatrixLoad<'static> {
    pub fn new(ptr: ValueId, stride: ValueId) -> New<Self> {
        view::new(OpKind::MatrixLoad, vec![Some(ptr), Some(stride)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatrixLoad) }
}

impl<O: BorrowMut<Op>> Set<MatrixLoad<'static>, O> {
    #[inline] pub fn transpose(self, value: bool) -> Self { self.put(MatrixLoad::AT.transpose, value) }
}

/// A view of [`OpKind::MatrixStore`].
#[derive(Clone, Copy)]
pub struct MatrixStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixStore`], and names of its attributes.
pub struct MatrixStoreAt { pub ptr: usize, pub value: usize, pub stride: usize, pub transpose: AttrName<kinds::Flag> }

impl<'a> MatrixStore<'a> {
    pub const KIND: OpKind = OpKind::MatrixStore;
    pub const AT: MatrixStoreAt = MatrixStoreAt { ptr: 0, value: 1, stride: 2, transpose: AttrName::new("transpose") };
    #[inline] pub fn of(op: &'a Op) -> Option<MatrixStore<'a>> { view::fits(op, Self::KIND).then_some(MatrixStore(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn stride(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn transpose(self) -> bool { view::attr(self.0, Self::AT.transpose) }
}

impl MatrixStore<'static> {
    pub fn new(ptr: ValueId, value: ValueId, stride: ValueId) -> New<Self> {
        view::new(OpKind::MatrixStore, vec![Some(ptr), Some(value), Some(stride)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatrixStore) }
}

impl<O: BorrowMut<Op>> Set<MatrixStore<'static>, O> {
    #[inline] pub fn transpose(self, value: bool) -> Self { self.put(MatrixStore::AT.transpose, value) }
}

/// A view of [`OpKind::MatrixMultiplyAdd`].
#[derive(Clone, Copy)]
pub struct MatrixMultiplyAdd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixMultiplyAdd`], and names of its attributes.
pub struct MatrixMultiplyAddAt { pub a: usize, pub b: usize, pub c: usize, pub y: usize }

impl<'a> MatrixMultiplyAdd<'a> {
    pub const KIND: OpKind = OpKind::MatrixMultiplyAdd;
    pub const AT: MatrixMultiplyAddAt = MatrixMultiplyAddAt { a: 0, b: 1, c: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatrixMultiplyAdd<'a>> { view::fits(op, Self::KIND).then_some(MatrixMultiplyAdd(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl MatrixMultiplyAdd<'static> {
    pub fn new(a: ValueId, b: ValueId, c: ValueId) -> New<Self> {
        view::new(OpKind::MatrixMultiplyAdd, vec![Some(a), Some(b), Some(c)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatrixMultiplyAdd) }
}

/// A view of [`OpKind::AccumulatorFill`].
#[derive(Clone, Copy)]
pub struct AccumulatorFill<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AccumulatorFill`], and names of its attributes.
pub struct AccumulatorFillAt { pub x: usize, pub y: usize }

impl<'a> AccumulatorFill<'a> {
    pub const KIND: OpKind = OpKind::AccumulatorFill;
    pub const AT: AccumulatorFillAt = AccumulatorFillAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AccumulatorFill<'a>> { view::fits(op, Self::KIND).then_some(AccumulatorFill(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl AccumulatorFill<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::AccumulatorFill, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AccumulatorFill) }
}

/// A view of [`OpKind::AccumulatorLoad`].
#[derive(Clone, Copy)]
pub struct AccumulatorLoad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AccumulatorLoad`], and names of its attributes.
pub struct AccumulatorLoadAt { pub ptr: usize, pub stride: usize, pub y: usize }

impl<'a> AccumulatorLoad<'a> {
    pub const KIND: OpKind = OpKind::AccumulatorLoad;
    pub const AT: AccumulatorLoadAt = AccumulatorLoadAt { ptr: 0, stride: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AccumulatorLoad<'a>> { view::fits(op, Self::KIND).then_some(AccumulatorLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn stride(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl AccumulatorLoad<'static> {
    pub fn new(ptr: ValueId, stride: ValueId) -> New<Self> {
        view::new(OpKind::AccumulatorLoad, vec![Some(ptr), Some(stride)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AccumulatorLoad) }
}

/// A view of [`OpKind::AccumulatorStore`].
#[derive(Clone, Copy)]
pub struct AccumulatorStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AccumulatorStore`], and names of its attributes.
pub struct AccumulatorStoreAt { pub ptr: usize, pub value: usize, pub stride: usize }

impl<'a> AccumulatorStore<'a> {
    pub const KIND: OpKind = OpKind::AccumulatorStore;
    pub const AT: AccumulatorStoreAt = AccumulatorStoreAt { ptr: 0, value: 1, stride: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<AccumulatorStore<'a>> { view::fits(op, Self::KIND).then_some(AccumulatorStore(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn stride(self) -> ValueId { view::operand(self.0, 2) }
}

impl AccumulatorStore<'static> {
    pub fn new(ptr: ValueId, value: ValueId, stride: ValueId) -> New<Self> {
        view::new(OpKind::AccumulatorStore, vec![Some(ptr), Some(value), Some(stride)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AccumulatorStore) }
}

/// A view of [`OpKind::AccumulatorMultiplyAdd`].
#[derive(Clone, Copy)]
pub struct AccumulatorMultiplyAdd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AccumulatorMultiplyAdd`], and names of its attributes.
pub struct AccumulatorMultiplyAddAt { pub a: usize, pub a_stride: usize, pub b: usize, pub b_stride: usize, pub c: usize, pub y: usize }

impl<'a> AccumulatorMultiplyAdd<'a> {
    pub const KIND: OpKind = OpKind::AccumulatorMultiplyAdd;
    pub const AT: AccumulatorMultiplyAddAt = AccumulatorMultiplyAddAt { a: 0, a_stride: 1, b: 2, b_stride: 3, c: 4, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AccumulatorMultiplyAdd<'a>> { view::fits(op, Self::KIND).then_some(AccumulatorMultiplyAdd(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn a_stride(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn b_stride(self) -> ValueId { view::operand(self.0, 3) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl AccumulatorMultiplyAdd<'static> {
    pub fn new(a: ValueId, a_stride: ValueId, b: ValueId, b_stride: ValueId, c: ValueId) -> New<Self> {
        view::new(OpKind::AccumulatorMultiplyAdd, vec![Some(a), Some(a_stride), Some(b), Some(b_stride), Some(c)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AccumulatorMultiplyAdd) }
}
