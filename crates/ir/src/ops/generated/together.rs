// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ThreadgroupBarrier`].
#[derive(Clone, Copy)]
pub struct ThreadgroupBarrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThreadgroupBarrier`].
pub struct ThreadgroupBarrierAt {  }

impl<'a> ThreadgroupBarrier<'a> {
    pub const KIND: OpKind = OpKind::ThreadgroupBarrier;
    pub const AT: ThreadgroupBarrierAt = ThreadgroupBarrierAt {  };
    #[inline] pub fn of(op: &'a Op) -> Option<ThreadgroupBarrier<'a>> { view::fits(op, Self::KIND).then_some(ThreadgroupBarrier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn memory(self) -> &'a str { view::attr::<kinds::Str>(self.0, "memory") }
}

impl ThreadgroupBarrier<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::ThreadgroupBarrier, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThreadgroupBarrier) }
}

impl<O: BorrowMut<Op>> Set<ThreadgroupBarrier<'static>, O> {
    #[inline] pub fn memory(self, value: String) -> Self { self.put::<kinds::Str>("memory", value) }
}

/// A view of [`OpKind::SimdgroupBarrier`].
#[derive(Clone, Copy)]
pub struct SimdgroupBarrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdgroupBarrier`].
pub struct SimdgroupBarrierAt {  }

impl<'a> SimdgroupBarrier<'a> {
    pub const KIND: OpKind = OpKind::SimdgroupBarrier;
    pub const AT: SimdgroupBarrierAt = SimdgroupBarrierAt {  };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdgroupBarrier<'a>> { view::fits(op, Self::KIND).then_some(SimdgroupBarrier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn memory(self) -> &'a str { view::attr::<kinds::Str>(self.0, "memory") }
}

impl SimdgroupBarrier<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::SimdgroupBarrier, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdgroupBarrier) }
}

impl<O: BorrowMut<Op>> Set<SimdgroupBarrier<'static>, O> {
    #[inline] pub fn memory(self, value: String) -> Self { self.put::<kinds::Str>("memory", value) }
}

/// A view of [`OpKind::SimdShuffle`].
#[derive(Clone, Copy)]
pub struct SimdShuffle<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdShuffle`].
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

/// Places of the operands and results of [`OpKind::SimdShuffleXor`].
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

/// Places of the operands and results of [`OpKind::SimdShuffleUp`].
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

/// Places of the operands and results of [`OpKind::SimdShuffleDown`].
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

/// Places of the operands and results of [`OpKind::SimdReduce`].
pub struct SimdReduceAt { pub x: usize, pub y: usize }

impl<'a> SimdReduce<'a> {
    pub const KIND: OpKind = OpKind::SimdReduce;
    pub const AT: SimdReduceAt = SimdReduceAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdReduce<'a>> { view::fits(op, Self::KIND).then_some(SimdReduce(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn op(self) -> &'a str { view::attr::<kinds::Str>(self.0, "op") }
}

impl SimdReduce<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SimdReduce, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdReduce) }
}

impl<O: BorrowMut<Op>> Set<SimdReduce<'static>, O> {
    #[inline] pub fn op(self, value: String) -> Self { self.put::<kinds::Str>("op", value) }
}

/// A view of [`OpKind::SimdPrefix`].
#[derive(Clone, Copy)]
pub struct SimdPrefix<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdPrefix`].
pub struct SimdPrefixAt { pub x: usize, pub y: usize }

impl<'a> SimdPrefix<'a> {
    pub const KIND: OpKind = OpKind::SimdPrefix;
    pub const AT: SimdPrefixAt = SimdPrefixAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SimdPrefix<'a>> { view::fits(op, Self::KIND).then_some(SimdPrefix(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn op(self) -> &'a str { view::attr::<kinds::Str>(self.0, "op") }
    #[inline] pub fn exclusive(self) -> bool { view::attr::<kinds::Flag>(self.0, "exclusive") }
}

impl SimdPrefix<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SimdPrefix, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SimdPrefix) }
}

impl<O: BorrowMut<Op>> Set<SimdPrefix<'static>, O> {
    #[inline] pub fn op(self, value: String) -> Self { self.put::<kinds::Str>("op", value) }
    #[inline] pub fn exclusive(self, value: bool) -> Self { self.put::<kinds::Flag>("exclusive", value) }
}

/// A view of [`OpKind::SimdBallot`].
#[derive(Clone, Copy)]
pub struct SimdBallot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SimdBallot`].
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

/// Places of the operands and results of [`OpKind::SimdAll`].
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

/// Places of the operands and results of [`OpKind::SimdAny`].
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

/// A view of [`OpKind::MatrixFill`].
#[derive(Clone, Copy)]
pub struct MatrixFill<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixFill`].
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

/// Places of the operands and results of [`OpKind::MatrixLoad`].
pub struct MatrixLoadAt { pub ptr: usize, pub stride: usize, pub y: usize }

impl<'a> MatrixLoad<'a> {
    pub const KIND: OpKind = OpKind::MatrixLoad;
    pub const AT: MatrixLoadAt = MatrixLoadAt { ptr: 0, stride: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatrixLoad<'a>> { view::fits(op, Self::KIND).then_some(MatrixLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn stride(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn transpose(self) -> bool { view::attr::<kinds::Flag>(self.0, "transpose") }
}

impl MatrixLoad<'static> {
    pub fn new(ptr: ValueId, stride: ValueId) -> New<Self> {
        view::new(OpKind::MatrixLoad, vec![Some(ptr), Some(stride)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatrixLoad) }
}

impl<O: BorrowMut<Op>> Set<MatrixLoad<'static>, O> {
    #[inline] pub fn transpose(self, value: bool) -> Self { self.put::<kinds::Flag>("transpose", value) }
}

/// A view of [`OpKind::MatrixStore`].
#[derive(Clone, Copy)]
pub struct MatrixStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixStore`].
pub struct MatrixStoreAt { pub ptr: usize, pub value: usize, pub stride: usize }

impl<'a> MatrixStore<'a> {
    pub const KIND: OpKind = OpKind::MatrixStore;
    pub const AT: MatrixStoreAt = MatrixStoreAt { ptr: 0, value: 1, stride: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<MatrixStore<'a>> { view::fits(op, Self::KIND).then_some(MatrixStore(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn stride(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn transpose(self) -> bool { view::attr::<kinds::Flag>(self.0, "transpose") }
}

impl MatrixStore<'static> {
    pub fn new(ptr: ValueId, value: ValueId, stride: ValueId) -> New<Self> {
        view::new(OpKind::MatrixStore, vec![Some(ptr), Some(value), Some(stride)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MatrixStore) }
}

impl<O: BorrowMut<Op>> Set<MatrixStore<'static>, O> {
    #[inline] pub fn transpose(self, value: bool) -> Self { self.put::<kinds::Flag>("transpose", value) }
}

/// A view of [`OpKind::MatrixMultiplyAdd`].
#[derive(Clone, Copy)]
pub struct MatrixMultiplyAdd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MatrixMultiplyAdd`].
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

/// Places of the operands and results of [`OpKind::AccumulatorFill`].
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

/// Places of the operands and results of [`OpKind::AccumulatorLoad`].
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

/// Places of the operands and results of [`OpKind::AccumulatorStore`].
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

/// Places of the operands and results of [`OpKind::AccumulatorMultiplyAdd`].
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
