// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ThreadgroupId`].
#[derive(Clone, Copy)]
pub struct ThreadgroupId<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThreadgroupId`].
pub struct ThreadgroupIdAt { pub y: usize }

impl<'a> ThreadgroupId<'a> {
    pub const KIND: OpKind = OpKind::ThreadgroupId;
    pub const AT: ThreadgroupIdAt = ThreadgroupIdAt { y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ThreadgroupId<'a>> { view::fits(op, Self::KIND).then_some(ThreadgroupId(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl ThreadgroupId<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::ThreadgroupId, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThreadgroupId) }
}

impl<O: BorrowMut<Op>> Set<ThreadgroupId<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::NumThreadgroups`].
#[derive(Clone, Copy)]
pub struct NumThreadgroups<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NumThreadgroups`].
pub struct NumThreadgroupsAt { pub y: usize }

impl<'a> NumThreadgroups<'a> {
    pub const KIND: OpKind = OpKind::NumThreadgroups;
    pub const AT: NumThreadgroupsAt = NumThreadgroupsAt { y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<NumThreadgroups<'a>> { view::fits(op, Self::KIND).then_some(NumThreadgroups(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl NumThreadgroups<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::NumThreadgroups, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::NumThreadgroups) }
}

impl<O: BorrowMut<Op>> Set<NumThreadgroups<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::ThreadIndex`].
#[derive(Clone, Copy)]
pub struct ThreadIndex<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThreadIndex`].
pub struct ThreadIndexAt { pub y: usize }

impl<'a> ThreadIndex<'a> {
    pub const KIND: OpKind = OpKind::ThreadIndex;
    pub const AT: ThreadIndexAt = ThreadIndexAt { y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ThreadIndex<'a>> { view::fits(op, Self::KIND).then_some(ThreadIndex(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl ThreadIndex<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::ThreadIndex, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThreadIndex) }
}

/// A view of [`OpKind::SimdgroupIndex`].
#[derive(Clone, Copy)]
pub struct SimdgroupIndex<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdgroupIndex`].
pub struct SimdgroupIndexAt { pub y: usize }

impl<'a> SimdgroupIndex<'a> {
    pub const KIND: OpKind = OpKind::SimdgroupIndex;
    pub const AT: SimdgroupIndexAt = SimdgroupIndexAt { y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdgroupIndex<'a>> { view::fits(op, Self::KIND).then_some(SimdgroupIndex(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdgroupIndex<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::SimdgroupIndex, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdgroupIndex) }
}

/// A view of [`OpKind::LaneIndex`].
#[derive(Clone, Copy)]
pub struct LaneIndex<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LaneIndex`].
pub struct LaneIndexAt { pub y: usize }

impl<'a> LaneIndex<'a> {
    pub const KIND: OpKind = OpKind::LaneIndex;
    pub const AT: LaneIndexAt = LaneIndexAt { y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LaneIndex<'a>> { view::fits(op, Self::KIND).then_some(LaneIndex(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl LaneIndex<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::LaneIndex, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LaneIndex) }
}

/// A view of [`OpKind::Vector`].
#[derive(Clone, Copy)]
pub struct Vector<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Vector`].
pub struct VectorAt { pub xs: usize, pub y: usize }

impl<'a> Vector<'a> {
    pub const KIND: OpKind = OpKind::Vector;
    pub const AT: VectorAt = VectorAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Vector<'a>> { view::fits(op, Self::KIND).then_some(Vector(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Vector<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Vector, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Vector) }
}

/// A view of [`OpKind::Extract`].
#[derive(Clone, Copy)]
pub struct Extract<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Extract`].
pub struct ExtractAt { pub x: usize, pub y: usize }

impl<'a> Extract<'a> {
    pub const KIND: OpKind = OpKind::Extract;
    pub const AT: ExtractAt = ExtractAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Extract<'a>> { view::fits(op, Self::KIND).then_some(Extract(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn at(self) -> i64 { view::attr::<kinds::Int>(self.0, "at") }
}

impl Extract<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Extract, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Extract) }
}

impl<O: BorrowMut<Op>> Set<Extract<'static>, O> {
    #[inline] pub fn at(self, value: i64) -> Self { self.put::<kinds::Int>("at", value) }
}

/// A view of [`OpKind::Insert`].
#[derive(Clone, Copy)]
pub struct Insert<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Insert`].
pub struct InsertAt { pub x: usize, pub element: usize, pub y: usize }

impl<'a> Insert<'a> {
    pub const KIND: OpKind = OpKind::Insert;
    pub const AT: InsertAt = InsertAt { x: 0, element: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Insert<'a>> { view::fits(op, Self::KIND).then_some(Insert(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn element(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn at(self) -> i64 { view::attr::<kinds::Int>(self.0, "at") }
}

impl Insert<'static> {
    pub fn new(x: ValueId, element: ValueId) -> New<Self> {
        view::new(OpKind::Insert, vec![Some(x), Some(element)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Insert) }
}

impl<O: BorrowMut<Op>> Set<Insert<'static>, O> {
    #[inline] pub fn at(self, value: i64) -> Self { self.put::<kinds::Int>("at", value) }
}
