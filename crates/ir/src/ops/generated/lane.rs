// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{BarrierMemory, PrefixOp, SimdReduction};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ThreadgroupId`].
#[derive(Clone, Copy)]
pub struct ThreadgroupId<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThreadgroupId`], and names of its attributes.
pub struct ThreadgroupIdAt { pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> ThreadgroupId<'a> {
    pub const KIND: OpKind = OpKind::ThreadgroupId;
    pub const AT: ThreadgroupIdAt = ThreadgroupIdAt { y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<ThreadgroupId<'a>> { view::fits(op, Self::KIND).then_some(ThreadgroupId(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl ThreadgroupId<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::ThreadgroupId, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThreadgroupId) }
}

impl<O: BorrowMut<Op>> Set<ThreadgroupId<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ThreadgroupId::AT.axis, value) }
}

/// A view of [`OpKind::NumThreadgroups`].
#[derive(Clone, Copy)]
pub struct NumThreadgroups<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NumThreadgroups`], and names of its attributes.
pub struct NumThreadgroupsAt { pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> NumThreadgroups<'a> {
    pub const KIND: OpKind = OpKind::NumThreadgroups;
    pub const AT: NumThreadgroupsAt = NumThreadgroupsAt { y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<NumThreadgroups<'a>> { view::fits(op, Self::KIND).then_some(NumThreadgroups(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl NumThreadgroups<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::NumThreadgroups, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::NumThreadgroups) }
}

impl<O: BorrowMut<Op>> Set<NumThreadgroups<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(NumThreadgroups::AT.axis, value) }
}

/// A view of [`OpKind::ThreadIndex`].
#[derive(Clone, Copy)]
pub struct ThreadIndex<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThreadIndex`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::SimdgroupIndex`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::LaneIndex`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Vector`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Extract`], and names of its attributes.
pub struct ExtractAt { pub x: usize, pub y: usize, pub at: AttrName<kinds::Int> }

impl<'a> Extract<'a> {
    pub const KIND: OpKind = OpKind::Extract;
    pub const AT: ExtractAt = ExtractAt { x: 0, y: 0, at: AttrName::new("at") };
    #[inline] pub fn of(op: &'a Op) -> Option<Extract<'a>> { view::fits(op, Self::KIND).then_some(Extract(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn at(self) -> i64 { view::attr(self.0, Self::AT.at) }
}

impl Extract<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Extract, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Extract) }
}

impl<O: BorrowMut<Op>> Set<Extract<'static>, O> {
    #[inline] pub fn at(self, value: i64) -> Self { self.put(Extract::AT.at, value) }
}

/// A view of [`OpKind::Insert`].
#[derive(Clone, Copy)]
pub struct Insert<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Insert`], and names of its attributes.
pub struct InsertAt { pub x: usize, pub element: usize, pub y: usize, pub at: AttrName<kinds::Int> }

impl<'a> Insert<'a> {
    pub const KIND: OpKind = OpKind::Insert;
    pub const AT: InsertAt = InsertAt { x: 0, element: 1, y: 0, at: AttrName::new("at") };
    #[inline] pub fn of(op: &'a Op) -> Option<Insert<'a>> { view::fits(op, Self::KIND).then_some(Insert(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn element(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn at(self) -> i64 { view::attr(self.0, Self::AT.at) }
}

impl Insert<'static> {
    pub fn new(x: ValueId, element: ValueId) -> New<Self> {
        view::new(OpKind::Insert, vec![Some(x), Some(element)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Insert) }
}

impl<O: BorrowMut<Op>> Set<Insert<'static>, O> {
    #[inline] pub fn at(self, value: i64) -> Self { self.put(Insert::AT.at, value) }
}

/// A view of [`OpKind::ThreadgroupBarrier`].
#[derive(Clone, Copy)]
pub struct ThreadgroupBarrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThreadgroupBarrier`], and names of its attributes.
pub struct ThreadgroupBarrierAt { pub memory: AttrName<BarrierMemory> }

impl<'a> ThreadgroupBarrier<'a> {
    pub const KIND: OpKind = OpKind::ThreadgroupBarrier;
    pub const AT: ThreadgroupBarrierAt = ThreadgroupBarrierAt { memory: AttrName::new("memory") };
    #[inline] pub fn of(op: &'a Op) -> Option<ThreadgroupBarrier<'a>> { view::fits(op, Self::KIND).then_some(ThreadgroupBarrier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn memory(self) -> BarrierMemory { view::attr(self.0, Self::AT.memory) }
}

impl ThreadgroupBarrier<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::ThreadgroupBarrier, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThreadgroupBarrier) }
}

impl<O: BorrowMut<Op>> Set<ThreadgroupBarrier<'static>, O> {
    #[inline] pub fn memory(self, value: BarrierMemory) -> Self { self.put(ThreadgroupBarrier::AT.memory, value) }
}

/// A view of [`OpKind::SimdgroupBarrier`].
#[derive(Clone, Copy)]
pub struct SimdgroupBarrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdgroupBarrier`], and names of its attributes.
pub struct SimdgroupBarrierAt { pub memory: AttrName<BarrierMemory> }

impl<'a> SimdgroupBarrier<'a> {
    pub const KIND: OpKind = OpKind::SimdgroupBarrier;
    pub const AT: SimdgroupBarrierAt = SimdgroupBarrierAt { memory: AttrName::new("memory") };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdgroupBarrier<'a>> { view::fits(op, Self::KIND).then_some(SimdgroupBarrier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn memory(self) -> BarrierMemory { view::attr(self.0, Self::AT.memory) }
}

impl SimdgroupBarrier<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::SimdgroupBarrier, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdgroupBarrier) }
}

impl<O: BorrowMut<Op>> Set<SimdgroupBarrier<'static>, O> {
    #[inline] pub fn memory(self, value: BarrierMemory) -> Self { self.put(SimdgroupBarrier::AT.memory, value) }
}

/// A view of [`OpKind::SimdShuffle`].
#[derive(Clone, Copy)]
pub struct SimdShuffle<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdShuffle`], and names of its attributes.
pub struct SimdShuffleAt { pub x: usize, pub lane: usize, pub y: usize }

impl<'a> SimdShuffle<'a> {
    pub const KIND: OpKind = OpKind::SimdShuffle;
    pub const AT: SimdShuffleAt = SimdShuffleAt { x: 0, lane: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdShuffle<'a>> { view::fits(op, Self::KIND).then_some(SimdShuffle(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn lane(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdShuffle<'static> {
    pub fn new(x: ValueId, lane: ValueId) -> New<Self> {
        view::new(OpKind::SimdShuffle, vec![Some(x), Some(lane)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdShuffle) }
}

/// A view of [`OpKind::SimdShuffleXor`].
#[derive(Clone, Copy)]
pub struct SimdShuffleXor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdShuffleXor`], and names of its attributes.
pub struct SimdShuffleXorAt { pub x: usize, pub mask: usize, pub y: usize }

impl<'a> SimdShuffleXor<'a> {
    pub const KIND: OpKind = OpKind::SimdShuffleXor;
    pub const AT: SimdShuffleXorAt = SimdShuffleXorAt { x: 0, mask: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdShuffleXor<'a>> { view::fits(op, Self::KIND).then_some(SimdShuffleXor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdShuffleXor<'static> {
    pub fn new(x: ValueId, mask: ValueId) -> New<Self> {
        view::new(OpKind::SimdShuffleXor, vec![Some(x), Some(mask)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdShuffleXor) }
}

/// A view of [`OpKind::SimdShuffleUp`].
#[derive(Clone, Copy)]
pub struct SimdShuffleUp<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdShuffleUp`], and names of its attributes.
pub struct SimdShuffleUpAt { pub x: usize, pub delta: usize, pub y: usize }

impl<'a> SimdShuffleUp<'a> {
    pub const KIND: OpKind = OpKind::SimdShuffleUp;
    pub const AT: SimdShuffleUpAt = SimdShuffleUpAt { x: 0, delta: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdShuffleUp<'a>> { view::fits(op, Self::KIND).then_some(SimdShuffleUp(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn delta(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdShuffleUp<'static> {
    pub fn new(x: ValueId, delta: ValueId) -> New<Self> {
        view::new(OpKind::SimdShuffleUp, vec![Some(x), Some(delta)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdShuffleUp) }
}

/// A view of [`OpKind::SimdShuffleDown`].
#[derive(Clone, Copy)]
pub struct SimdShuffleDown<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdShuffleDown`], and names of its attributes.
pub struct SimdShuffleDownAt { pub x: usize, pub delta: usize, pub y: usize }

impl<'a> SimdShuffleDown<'a> {
    pub const KIND: OpKind = OpKind::SimdShuffleDown;
    pub const AT: SimdShuffleDownAt = SimdShuffleDownAt { x: 0, delta: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdShuffleDown<'a>> { view::fits(op, Self::KIND).then_some(SimdShuffleDown(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn delta(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdShuffleDown<'static> {
    pub fn new(x: ValueId, delta: ValueId) -> New<Self> {
        view::new(OpKind::SimdShuffleDown, vec![Some(x), Some(delta)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdShuffleDown) }
}

/// A view of [`OpKind::SimdReduce`].
#[derive(Clone, Copy)]
pub struct SimdReduce<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdReduce`], and names of its attributes.
pub struct SimdReduceAt { pub x: usize, pub y: usize, pub op: AttrName<SimdReduction> }

impl<'a> SimdReduce<'a> {
    pub const KIND: OpKind = OpKind::SimdReduce;
    pub const AT: SimdReduceAt = SimdReduceAt { x: 0, y: 0, op: AttrName::new("op") };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdReduce<'a>> { view::fits(op, Self::KIND).then_some(SimdReduce(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn op(self) -> SimdReduction { view::attr(self.0, Self::AT.op) }
}

impl SimdReduce<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SimdReduce, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdReduce) }
}

impl<O: BorrowMut<Op>> Set<SimdReduce<'static>, O> {
    #[inline] pub fn op(self, value: SimdReduction) -> Self { self.put(SimdReduce::AT.op, value) }
}

/// A view of [`OpKind::SimdPrefix`].
#[derive(Clone, Copy)]
pub struct SimdPrefix<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdPrefix`], and names of its attributes.
pub struct SimdPrefixAt { pub x: usize, pub y: usize, pub op: AttrName<PrefixOp>, pub exclusive: AttrName<kinds::Flag> }

impl<'a> SimdPrefix<'a> {
    pub const KIND: OpKind = OpKind::SimdPrefix;
    pub const AT: SimdPrefixAt = SimdPrefixAt { x: 0, y: 0, op: AttrName::new("op"), exclusive: AttrName::new("exclusive") };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdPrefix<'a>> { view::fits(op, Self::KIND).then_some(SimdPrefix(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn op(self) -> PrefixOp { view::attr(self.0, Self::AT.op) }
    #[inline] pub fn exclusive(self) -> bool { view::attr(self.0, Self::AT.exclusive) }
}

impl SimdPrefix<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SimdPrefix, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdPrefix) }
}

impl<O: BorrowMut<Op>> Set<SimdPrefix<'static>, O> {
    #[inline] pub fn op(self, value: PrefixOp) -> Self { self.put(SimdPrefix::AT.op, value) }
    #[inline] pub fn exclusive(self, value: bool) -> Self { self.put(SimdPrefix::AT.exclusive, value) }
}

/// A view of [`OpKind::SimdBallot`].
#[derive(Clone, Copy)]
pub struct SimdBallot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdBallot`], and names of its attributes.
pub struct SimdBallotAt { pub condition: usize, pub mask: usize }

impl<'a> SimdBallot<'a> {
    pub const KIND: OpKind = OpKind::SimdBallot;
    pub const AT: SimdBallotAt = SimdBallotAt { condition: 0, mask: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdBallot<'a>> { view::fits(op, Self::KIND).then_some(SimdBallot(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdBallot<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::SimdBallot, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdBallot) }
}

/// A view of [`OpKind::SimdAll`].
#[derive(Clone, Copy)]
pub struct SimdAll<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdAll`], and names of its attributes.
pub struct SimdAllAt { pub condition: usize, pub y: usize }

impl<'a> SimdAll<'a> {
    pub const KIND: OpKind = OpKind::SimdAll;
    pub const AT: SimdAllAt = SimdAllAt { condition: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdAll<'a>> { view::fits(op, Self::KIND).then_some(SimdAll(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdAll<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::SimdAll, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdAll) }
}

/// A view of [`OpKind::SimdAny`].
#[derive(Clone, Copy)]
pub struct SimdAny<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdAny`], and names of its attributes.
pub struct SimdAnyAt { pub condition: usize, pub y: usize }

impl<'a> SimdAny<'a> {
    pub const KIND: OpKind = OpKind::SimdAny;
    pub const AT: SimdAnyAt = SimdAnyAt { condition: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdAny<'a>> { view::fits(op, Self::KIND).then_some(SimdAny(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl SimdAny<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::SimdAny, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdAny) }
}
