// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Literal, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Constant`].
#[derive(Clone, Copy)]
pub struct Constant<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Constant`], and names of its attributes.
pub struct ConstantAt { pub output: usize, pub value: AttrName<kinds::Tensor> }

impl<'a> Constant<'a> {
    pub const KIND: OpKind = OpKind::Constant;
    pub const AT: ConstantAt = ConstantAt { output: 0, value: AttrName::new("value") };
    #[inline] pub fn of(op: &'a Op) -> Option<Constant<'a>> { view::fits(op, Self::KIND).then_some(Constant(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn output(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn value(self) -> &'a Literal { view::attr(self.0, Self::AT.value) }
}

impl Constant<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Constant, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Constant) }
}

impl<O: BorrowMut<Op>> Set<Constant<'static>, O> {
    #[inline] pub fn value(self, value: Literal) -> Self { self.put(Constant::AT.value, value) }
}

/// A view of [`OpKind::ConstantOfShape`].
#[derive(Clone, Copy)]
pub struct ConstantOfShape<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConstantOfShape`], and names of its attributes.
pub struct ConstantOfShapeAt { pub shape: usize, pub output: usize, pub value: AttrName<kinds::Tensor> }

impl<'a> ConstantOfShape<'a> {
    pub const KIND: OpKind = OpKind::ConstantOfShape;
    pub const AT: ConstantOfShapeAt = ConstantOfShapeAt { shape: 0, output: 0, value: AttrName::new("value") };
    #[inline] pub fn of(op: &'a Op) -> Option<ConstantOfShape<'a>> { view::fits(op, Self::KIND).then_some(ConstantOfShape(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn output(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn value(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.value) }
}

impl ConstantOfShape<'static> {
    pub fn new(shape: ValueId) -> New<Self> {
        view::new(OpKind::ConstantOfShape, vec![Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ConstantOfShape) }
}

impl<O: BorrowMut<Op>> Set<ConstantOfShape<'static>, O> {
    #[inline] pub fn value(self, value: Literal) -> Self { self.put(ConstantOfShape::AT.value, value) }
}

/// A view of [`OpKind::EyeLike`].
#[derive(Clone, Copy)]
pub struct EyeLike<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::EyeLike`], and names of its attributes.
pub struct EyeLikeAt { pub x: usize, pub y: usize, pub dtype: AttrName<kinds::DType>, pub k: AttrName<kinds::Int> }

impl<'a> EyeLike<'a> {
    pub const KIND: OpKind = OpKind::EyeLike;
    pub const AT: EyeLikeAt = EyeLikeAt { x: 0, y: 0, dtype: AttrName::new("dtype"), k: AttrName::new("k") };
    #[inline] pub fn of(op: &'a Op) -> Option<EyeLike<'a>> { view::fits(op, Self::KIND).then_some(EyeLike(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.dtype) }
    #[inline] pub fn k(self) -> i64 { view::attr(self.0, Self::AT.k) }
}

impl EyeLike<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::EyeLike, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::EyeLike) }
}

impl<O: BorrowMut<Op>> Set<EyeLike<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(EyeLike::AT.dtype, value) }
    #[inline] pub fn k(self, value: i64) -> Self { self.put(EyeLike::AT.k, value) }
}

/// A view of [`OpKind::Range`].
#[derive(Clone, Copy)]
pub struct Range<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Range`], and names of its attributes.
pub struct RangeAt { pub start: usize, pub limit: usize, pub delta: usize, pub y: usize, pub stash_type: AttrName<kinds::DType> }

impl<'a> Range<'a> {
    pub const KIND: OpKind = OpKind::Range;
    pub const AT: RangeAt = RangeAt { start: 0, limit: 1, delta: 2, y: 0, stash_type: AttrName::new("stash_type") };
    #[inline] pub fn of(op: &'a Op) -> Option<Range<'a>> { view::fits(op, Self::KIND).then_some(Range(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn start(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn limit(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn delta(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn stash_type(self) -> DType { view::attr(self.0, Self::AT.stash_type) }
}

impl Range<'static> {
    pub fn new(start: ValueId, limit: ValueId, delta: ValueId) -> New<Self> {
        view::new(OpKind::Range, vec![Some(start), Some(limit), Some(delta)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Range) }
}

impl<O: BorrowMut<Op>> Set<Range<'static>, O> {
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put(Range::AT.stash_type, value) }
}
