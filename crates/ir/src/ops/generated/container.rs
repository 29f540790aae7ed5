// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Op, OpKind, Type, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ConcatFromSequence`].
#[derive(Clone, Copy)]
pub struct ConcatFromSequence<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConcatFromSequence`], and names of its attributes.
pub struct ConcatFromSequenceAt { pub xs: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub new_axis: AttrName<kinds::Flag> }

impl<'a> ConcatFromSequence<'a> {
    pub const KIND: OpKind = OpKind::ConcatFromSequence;
    pub const AT: ConcatFromSequenceAt = ConcatFromSequenceAt { xs: 0, y: 0, axis: AttrName::new("axis"), new_axis: AttrName::new("new_axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<ConcatFromSequence<'a>> { view::fits(op, Self::KIND).then_some(ConcatFromSequence(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn new_axis(self) -> bool { view::attr(self.0, Self::AT.new_axis) }
}

impl ConcatFromSequence<'static> {
    pub fn new(xs: ValueId) -> New<Self> {
        view::new(OpKind::ConcatFromSequence, vec![Some(xs)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ConcatFromSequence) }
}

impl<O: BorrowMut<Op>> Set<ConcatFromSequence<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ConcatFromSequence::AT.axis, value) }
    #[inline] pub fn new_axis(self, value: bool) -> Self { self.put(ConcatFromSequence::AT.new_axis, value) }
}

/// A view of [`OpKind::Optional`].
#[derive(Clone, Copy)]
pub struct Optional<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Optional`], and names of its attributes.
pub struct OptionalAt { pub x: usize, pub y: usize, pub elem_type: AttrName<kinds::Type> }

impl<'a> Optional<'a> {
    pub const KIND: OpKind = OpKind::Optional;
    pub const AT: OptionalAt = OptionalAt { x: 0, y: 0, elem_type: AttrName::new("elem_type") };
    #[inline] pub fn of(op: &'a Op) -> Option<Optional<'a>> { view::fits(op, Self::KIND).then_some(Optional(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> Option<ValueId> { self.0.input(0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn elem_type(self) -> Option<&'a Type> { view::optional(self.0, Self::AT.elem_type) }
}

impl Optional<'static> {
    pub fn new(x: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Optional, vec![x], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Optional) }
}

impl<O: BorrowMut<Op>> Set<Optional<'static>, O> {
    #[inline] pub fn elem_type(self, value: Type) -> Self { self.put(Optional::AT.elem_type, value) }
}

/// A view of [`OpKind::OptionalGetElement`].
#[derive(Clone, Copy)]
pub struct OptionalGetElement<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::OptionalGetElement`], and names of its attributes.
pub struct OptionalGetElementAt { pub x: usize, pub y: usize }

impl<'a> OptionalGetElement<'a> {
    pub const KIND: OpKind = OpKind::OptionalGetElement;
    pub const AT: OptionalGetElementAt = OptionalGetElementAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<OptionalGetElement<'a>> { view::fits(op, Self::KIND).then_some(OptionalGetElement(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl OptionalGetElement<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::OptionalGetElement, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::OptionalGetElement) }
}

/// A view of [`OpKind::OptionalHasElement`].
#[derive(Clone, Copy)]
pub struct OptionalHasElement<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::OptionalHasElement`], and names of its attributes.
pub struct OptionalHasElementAt { pub x: usize, pub y: usize }

impl<'a> OptionalHasElement<'a> {
    pub const KIND: OpKind = OpKind::OptionalHasElement;
    pub const AT: OptionalHasElementAt = OptionalHasElementAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<OptionalHasElement<'a>> { view::fits(op, Self::KIND).then_some(OptionalHasElement(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> Option<ValueId> { self.0.input(0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl OptionalHasElement<'static> {
    pub fn new(x: Option<ValueId>) -> New<Self> {
        view::new(OpKind::OptionalHasElement, vec![x], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::OptionalHasElement) }
}

/// A view of [`OpKind::SequenceAt`].
#[derive(Clone, Copy)]
pub struct SequenceAt<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SequenceAt`], and names of its attributes.
pub struct SequenceAtAt { pub xs: usize, pub position: usize, pub y: usize }

impl<'a> SequenceAt<'a> {
    pub const KIND: OpKind = OpKind::SequenceAt;
    pub const AT: SequenceAtAt = SequenceAtAt { xs: 0, position: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SequenceAt<'a>> { view::fits(op, Self::KIND).then_some(SequenceAt(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn position(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SequenceAt<'static> {
    pub fn new(xs: ValueId, position: ValueId) -> New<Self> {
        view::new(OpKind::SequenceAt, vec![Some(xs), Some(position)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SequenceAt) }
}

/// A view of [`OpKind::SequenceConstruct`].
#[derive(Clone, Copy)]
pub struct SequenceConstruct<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SequenceConstruct`], and names of its attributes.
pub struct SequenceConstructAt { pub xs: usize, pub y: usize }

impl<'a> SequenceConstruct<'a> {
    pub const KIND: OpKind = OpKind::SequenceConstruct;
    pub const AT: SequenceConstructAt = SequenceConstructAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SequenceConstruct<'a>> { view::fits(op, Self::KIND).then_some(SequenceConstruct(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SequenceConstruct<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::SequenceConstruct, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SequenceConstruct) }
}

/// A view of [`OpKind::SequenceEmpty`].
#[derive(Clone, Copy)]
pub struct SequenceEmpty<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SequenceEmpty`], and names of its attributes.
pub struct SequenceEmptyAt { pub y: usize, pub dtype: AttrName<kinds::DType> }

impl<'a> SequenceEmpty<'a> {
    pub const KIND: OpKind = OpKind::SequenceEmpty;
    pub const AT: SequenceEmptyAt = SequenceEmptyAt { y: 0, dtype: AttrName::new("dtype") };
    #[inline] pub fn of(op: &'a Op) -> Option<SequenceEmpty<'a>> { view::fits(op, Self::KIND).then_some(SequenceEmpty(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> Option<DType> { view::optional(self.0, Self::AT.dtype) }
}

impl SequenceEmpty<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::SequenceEmpty, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SequenceEmpty) }
}

impl<O: BorrowMut<Op>> Set<SequenceEmpty<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(SequenceEmpty::AT.dtype, value) }
}

/// A view of [`OpKind::SequenceErase`].
#[derive(Clone, Copy)]
pub struct SequenceErase<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SequenceErase`], and names of its attributes.
pub struct SequenceEraseAt { pub xs: usize, pub position: usize, pub y: usize }

impl<'a> SequenceErase<'a> {
    pub const KIND: OpKind = OpKind::SequenceErase;
    pub const AT: SequenceEraseAt = SequenceEraseAt { xs: 0, position: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SequenceErase<'a>> { view::fits(op, Self::KIND).then_some(SequenceErase(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn position(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SequenceErase<'static> {
    pub fn new(xs: ValueId, position: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SequenceErase, vec![Some(xs), position], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SequenceErase) }
}

/// A view of [`OpKind::SequenceInsert`].
#[derive(Clone, Copy)]
pub struct SequenceInsert<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SequenceInsert`], and names of its attributes.
pub struct SequenceInsertAt { pub xs: usize, pub x: usize, pub position: usize, pub y: usize }

impl<'a> SequenceInsert<'a> {
    pub const KIND: OpKind = OpKind::SequenceInsert;
    pub const AT: SequenceInsertAt = SequenceInsertAt { xs: 0, x: 1, position: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SequenceInsert<'a>> { view::fits(op, Self::KIND).then_some(SequenceInsert(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn position(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SequenceInsert<'static> {
    pub fn new(xs: ValueId, x: ValueId, position: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SequenceInsert, vec![Some(xs), Some(x), position], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SequenceInsert) }
}

/// A view of [`OpKind::SequenceLength`].
#[derive(Clone, Copy)]
pub struct SequenceLength<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SequenceLength`], and names of its attributes.
pub struct SequenceLengthAt { pub xs: usize, pub y: usize }

impl<'a> SequenceLength<'a> {
    pub const KIND: OpKind = OpKind::SequenceLength;
    pub const AT: SequenceLengthAt = SequenceLengthAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SequenceLength<'a>> { view::fits(op, Self::KIND).then_some(SequenceLength(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SequenceLength<'static> {
    pub fn new(xs: ValueId) -> New<Self> {
        view::new(OpKind::SequenceLength, vec![Some(xs)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SequenceLength) }
}

/// A view of [`OpKind::SplitToSequence`].
#[derive(Clone, Copy)]
pub struct SplitToSequence<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SplitToSequence`], and names of its attributes.
pub struct SplitToSequenceAt { pub x: usize, pub split: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub keepdims: AttrName<kinds::Flag> }

impl<'a> SplitToSequence<'a> {
    pub const KIND: OpKind = OpKind::SplitToSequence;
    pub const AT: SplitToSequenceAt = SplitToSequenceAt { x: 0, split: 1, y: 0, axis: AttrName::new("axis"), keepdims: AttrName::new("keepdims") };
    #[inline] pub fn of(op: &'a Op) -> Option<SplitToSequence<'a>> { view::fits(op, Self::KIND).then_some(SplitToSequence(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn split(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
}

impl SplitToSequence<'static> {
    pub fn new(x: ValueId, split: Option<ValueId>) -> New<Self> {
        view::new(OpKind::SplitToSequence, vec![Some(x), split], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SplitToSequence) }
}

impl<O: BorrowMut<Op>> Set<SplitToSequence<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(SplitToSequence::AT.axis, value) }
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(SplitToSequence::AT.keepdims, value) }
}
