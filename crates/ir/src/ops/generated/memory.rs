// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Load`].
#[derive(Clone, Copy)]
pub struct Load<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Load`].
pub struct LoadAt { pub ptr: usize, pub mask: usize, pub other: usize, pub y: usize }

impl<'a> Load<'a> {
    pub const KIND: OpKind = OpKind::Load;
    pub const AT: LoadAt = LoadAt { ptr: 0, mask: 1, other: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Load<'a>> { view::fits(op, Self::KIND).then_some(Load(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn other(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cache(self) -> &'a str { view::attr::<kinds::Str>(self.0, "cache") }
    #[inline] pub fn eviction(self) -> &'a str { view::attr::<kinds::Str>(self.0, "eviction") }
    #[inline] pub fn volatile(self) -> bool { view::attr::<kinds::Flag>(self.0, "volatile") }
    #[inline] pub fn width(self) -> i64 { view::attr::<kinds::Int>(self.0, "width") }
    #[inline] pub fn align(self) -> i64 { view::attr::<kinds::Int>(self.0, "align") }
}

impl Load<'static> {
    pub fn new(ptr: ValueId, mask: Option<ValueId>, other: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Load, vec![Some(ptr), mask, other], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Load) }
}

impl<O: BorrowMut<Op>> Set<Load<'static>, O> {
    #[inline] pub fn cache(self, value: String) -> Self { self.put::<kinds::Str>("cache", value) }
    #[inline] pub fn eviction(self, value: String) -> Self { self.put::<kinds::Str>("eviction", value) }
    #[inline] pub fn volatile(self, value: bool) -> Self { self.put::<kinds::Flag>("volatile", value) }
    #[inline] pub fn width(self, value: i64) -> Self { self.put::<kinds::Int>("width", value) }
    #[inline] pub fn align(self, value: i64) -> Self { self.put::<kinds::Int>("align", value) }
}

/// A view of [`OpKind::Store`].
#[derive(Clone, Copy)]
pub struct Store<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Store`].
pub struct StoreAt { pub ptr: usize, pub value: usize, pub mask: usize }

impl<'a> Store<'a> {
    pub const KIND: OpKind = OpKind::Store;
    pub const AT: StoreAt = StoreAt { ptr: 0, value: 1, mask: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<Store<'a>> { view::fits(op, Self::KIND).then_some(Store(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn cache(self) -> &'a str { view::attr::<kinds::Str>(self.0, "cache") }
    #[inline] pub fn eviction(self) -> &'a str { view::attr::<kinds::Str>(self.0, "eviction") }
    #[inline] pub fn align(self) -> i64 { view::attr::<kinds::Int>(self.0, "align") }
}

impl Store<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Store, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Store) }
}

impl<O: BorrowMut<Op>> Set<Store<'static>, O> {
    #[inline] pub fn cache(self, value: String) -> Self { self.put::<kinds::Str>("cache", value) }
    #[inline] pub fn eviction(self, value: String) -> Self { self.put::<kinds::Str>("eviction", value) }
    #[inline] pub fn align(self, value: i64) -> Self { self.put::<kinds::Int>("align", value) }
}

/// A view of [`OpKind::AtomicRmw`].
#[derive(Clone, Copy)]
pub struct AtomicRmw<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicRmw`].
pub struct AtomicRmwAt { pub ptr: usize, pub value: usize, pub mask: usize, pub former: usize }

impl<'a> AtomicRmw<'a> {
    pub const KIND: OpKind = OpKind::AtomicRmw;
    pub const AT: AtomicRmwAt = AtomicRmwAt { ptr: 0, value: 1, mask: 2, former: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicRmw<'a>> { view::fits(op, Self::KIND).then_some(AtomicRmw(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn former(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn op(self) -> &'a str { view::attr::<kinds::Str>(self.0, "op") }
    #[inline] pub fn order(self) -> &'a str { view::attr::<kinds::Str>(self.0, "order") }
    #[inline] pub fn scope(self) -> &'a str { view::attr::<kinds::Str>(self.0, "scope") }
}

impl AtomicRmw<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicRmw, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicRmw) }
}

impl<O: BorrowMut<Op>> Set<AtomicRmw<'static>, O> {
    #[inline] pub fn op(self, value: String) -> Self { self.put::<kinds::Str>("op", value) }
    #[inline] pub fn order(self, value: String) -> Self { self.put::<kinds::Str>("order", value) }
    #[inline] pub fn scope(self, value: String) -> Self { self.put::<kinds::Str>("scope", value) }
}

/// A view of [`OpKind::AtomicCas`].
#[derive(Clone, Copy)]
pub struct AtomicCas<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicCas`].
pub struct AtomicCasAt { pub ptr: usize, pub expected: usize, pub value: usize, pub former: usize }

impl<'a> AtomicCas<'a> {
    pub const KIND: OpKind = OpKind::AtomicCas;
    pub const AT: AtomicCasAt = AtomicCasAt { ptr: 0, expected: 1, value: 2, former: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicCas<'a>> { view::fits(op, Self::KIND).then_some(AtomicCas(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn expected(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn former(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> &'a str { view::attr::<kinds::Str>(self.0, "order") }
    #[inline] pub fn scope(self) -> &'a str { view::attr::<kinds::Str>(self.0, "scope") }
}

impl AtomicCas<'static> {
    pub fn new(ptr: ValueId, expected: ValueId, value: ValueId) -> New<Self> {
        view::new(OpKind::AtomicCas, vec![Some(ptr), Some(expected), Some(value)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicCas) }
}

impl<O: BorrowMut<Op>> Set<AtomicCas<'static>, O> {
    #[inline] pub fn order(self, value: String) -> Self { self.put::<kinds::Str>("order", value) }
    #[inline] pub fn scope(self, value: String) -> Self { self.put::<kinds::Str>("scope", value) }
}

/// A view of [`OpKind::AtomicLoad`].
#[derive(Clone, Copy)]
pub struct AtomicLoad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicLoad`].
pub struct AtomicLoadAt { pub ptr: usize, pub mask: usize, pub y: usize }

impl<'a> AtomicLoad<'a> {
    pub const KIND: OpKind = OpKind::AtomicLoad;
    pub const AT: AtomicLoadAt = AtomicLoadAt { ptr: 0, mask: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicLoad<'a>> { view::fits(op, Self::KIND).then_some(AtomicLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> &'a str { view::attr::<kinds::Str>(self.0, "order") }
    #[inline] pub fn scope(self) -> &'a str { view::attr::<kinds::Str>(self.0, "scope") }
}

impl AtomicLoad<'static> {
    pub fn new(ptr: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicLoad, vec![Some(ptr), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicLoad) }
}

impl<O: BorrowMut<Op>> Set<AtomicLoad<'static>, O> {
    #[inline] pub fn order(self, value: String) -> Self { self.put::<kinds::Str>("order", value) }
    #[inline] pub fn scope(self, value: String) -> Self { self.put::<kinds::Str>("scope", value) }
}

/// A view of [`OpKind::AtomicStore`].
#[derive(Clone, Copy)]
pub struct AtomicStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicStore`].
pub struct AtomicStoreAt { pub ptr: usize, pub value: usize, pub mask: usize }

impl<'a> AtomicStore<'a> {
    pub const KIND: OpKind = OpKind::AtomicStore;
    pub const AT: AtomicStoreAt = AtomicStoreAt { ptr: 0, value: 1, mask: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicStore<'a>> { view::fits(op, Self::KIND).then_some(AtomicStore(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn order(self) -> &'a str { view::attr::<kinds::Str>(self.0, "order") }
    #[inline] pub fn scope(self) -> &'a str { view::attr::<kinds::Str>(self.0, "scope") }
}

impl AtomicStore<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicStore, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicStore) }
}

impl<O: BorrowMut<Op>> Set<AtomicStore<'static>, O> {
    #[inline] pub fn order(self, value: String) -> Self { self.put::<kinds::Str>("order", value) }
    #[inline] pub fn scope(self, value: String) -> Self { self.put::<kinds::Str>("scope", value) }
}

/// A view of [`OpKind::AtomicPoll`].
#[derive(Clone, Copy)]
pub struct AtomicPoll<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicPoll`].
pub struct AtomicPollAt { pub ptr: usize, pub expected: usize, pub timeout: usize, pub done: usize }

impl<'a> AtomicPoll<'a> {
    pub const KIND: OpKind = OpKind::AtomicPoll;
    pub const AT: AtomicPollAt = AtomicPollAt { ptr: 0, expected: 1, timeout: 2, done: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicPoll<'a>> { view::fits(op, Self::KIND).then_some(AtomicPoll(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn expected(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn timeout(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn done(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> &'a str { view::attr::<kinds::Str>(self.0, "order") }
    #[inline] pub fn scope(self) -> &'a str { view::attr::<kinds::Str>(self.0, "scope") }
}

impl AtomicPoll<'static> {
    pub fn new(ptr: ValueId, expected: ValueId, timeout: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicPoll, vec![Some(ptr), Some(expected), timeout], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicPoll) }
}

impl<O: BorrowMut<Op>> Set<AtomicPoll<'static>, O> {
    #[inline] pub fn order(self, value: String) -> Self { self.put::<kinds::Str>("order", value) }
    #[inline] pub fn scope(self, value: String) -> Self { self.put::<kinds::Str>("scope", value) }
}

/// A view of [`OpKind::Barrier`].
#[derive(Clone, Copy)]
pub struct Barrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Barrier`].
pub struct BarrierAt {  }

impl<'a> Barrier<'a> {
    pub const KIND: OpKind = OpKind::Barrier;
    pub const AT: BarrierAt = BarrierAt {  };
    #[inline] pub fn of(op: &'a Op) -> Option<Barrier<'a>> { view::fits(op, Self::KIND).then_some(Barrier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
}

impl Barrier<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Barrier, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Barrier) }
}

/// A view of [`OpKind::Print`].
#[derive(Clone, Copy)]
pub struct Print<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Print`].
pub struct PrintAt { pub xs: usize }

impl<'a> Print<'a> {
    pub const KIND: OpKind = OpKind::Print;
    pub const AT: PrintAt = PrintAt { xs: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Print<'a>> { view::fits(op, Self::KIND).then_some(Print(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn prefix(self) -> &'a str { view::attr::<kinds::Str>(self.0, "prefix") }
    #[inline] pub fn hex(self) -> bool { view::attr::<kinds::Flag>(self.0, "hex") }
    #[inline] pub fn signed(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "signed") }
    #[inline] pub fn dims(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dims") }
}

impl Print<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Print, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Print) }
}

impl<O: BorrowMut<Op>> Set<Print<'static>, O> {
    #[inline] pub fn prefix(self, value: String) -> Self { self.put::<kinds::Str>("prefix", value) }
    #[inline] pub fn hex(self, value: bool) -> Self { self.put::<kinds::Flag>("hex", value) }
    #[inline] pub fn signed(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("signed", value) }
    #[inline] pub fn dims(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dims", value) }
}

/// A view of [`OpKind::Assert`].
#[derive(Clone, Copy)]
pub struct Assert<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Assert`].
pub struct AssertAt { pub condition: usize }

impl<'a> Assert<'a> {
    pub const KIND: OpKind = OpKind::Assert;
    pub const AT: AssertAt = AssertAt { condition: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Assert<'a>> { view::fits(op, Self::KIND).then_some(Assert(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn message(self) -> &'a str { view::attr::<kinds::Str>(self.0, "message") }
}

impl Assert<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::Assert, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Assert) }
}

impl<O: BorrowMut<Op>> Set<Assert<'static>, O> {
    #[inline] pub fn message(self, value: String) -> Self { self.put::<kinds::Str>("message", value) }
}

/// A view of [`OpKind::Assume`].
#[derive(Clone, Copy)]
pub struct Assume<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Assume`].
pub struct AssumeAt { pub condition: usize }

impl<'a> Assume<'a> {
    pub const KIND: OpKind = OpKind::Assume;
    pub const AT: AssumeAt = AssumeAt { condition: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Assume<'a>> { view::fits(op, Self::KIND).then_some(Assume(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
}

impl Assume<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::Assume, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Assume) }
}

/// A view of [`OpKind::DescriptorLoad`].
#[derive(Clone, Copy)]
pub struct DescriptorLoad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorLoad`].
pub struct DescriptorLoadAt { pub descriptor: usize, pub offsets: usize, pub y: usize }

impl<'a> DescriptorLoad<'a> {
    pub const KIND: OpKind = OpKind::DescriptorLoad;
    pub const AT: DescriptorLoadAt = DescriptorLoadAt { descriptor: 0, offsets: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorLoad<'a>> { view::fits(op, Self::KIND).then_some(DescriptorLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn offsets(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cache(self) -> &'a str { view::attr::<kinds::Str>(self.0, "cache") }
    #[inline] pub fn eviction(self) -> &'a str { view::attr::<kinds::Str>(self.0, "eviction") }
}

impl DescriptorLoad<'static> {
    pub fn new(descriptor: ValueId, offsets: &[ValueId]) -> New<Self> {
        view::new(OpKind::DescriptorLoad, vec![Some(descriptor)], offsets)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorLoad) }
}

impl<O: BorrowMut<Op>> Set<DescriptorLoad<'static>, O> {
    #[inline] pub fn cache(self, value: String) -> Self { self.put::<kinds::Str>("cache", value) }
    #[inline] pub fn eviction(self, value: String) -> Self { self.put::<kinds::Str>("eviction", value) }
}

/// A view of [`OpKind::DescriptorStore`].
#[derive(Clone, Copy)]
pub struct DescriptorStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorStore`].
pub struct DescriptorStoreAt { pub descriptor: usize, pub value: usize, pub offsets: usize }

impl<'a> DescriptorStore<'a> {
    pub const KIND: OpKind = OpKind::DescriptorStore;
    pub const AT: DescriptorStoreAt = DescriptorStoreAt { descriptor: 0, value: 1, offsets: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorStore<'a>> { view::fits(op, Self::KIND).then_some(DescriptorStore(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn offsets(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
}

impl DescriptorStore<'static> {
    pub fn new(descriptor: ValueId, value: ValueId, offsets: &[ValueId]) -> New<Self> {
        view::new(OpKind::DescriptorStore, vec![Some(descriptor), Some(value)], offsets)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorStore) }
}

/// A view of [`OpKind::DescriptorReduce`].
#[derive(Clone, Copy)]
pub struct DescriptorReduce<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorReduce`].
pub struct DescriptorReduceAt { pub descriptor: usize, pub value: usize, pub offsets: usize }

impl<'a> DescriptorReduce<'a> {
    pub const KIND: OpKind = OpKind::DescriptorReduce;
    pub const AT: DescriptorReduceAt = DescriptorReduceAt { descriptor: 0, value: 1, offsets: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorReduce<'a>> { view::fits(op, Self::KIND).then_some(DescriptorReduce(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn offsets(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
    #[inline] pub fn op(self) -> &'a str { view::attr::<kinds::Str>(self.0, "op") }
}

impl DescriptorReduce<'static> {
    pub fn new(descriptor: ValueId, value: ValueId, offsets: &[ValueId]) -> New<Self> {
        view::new(OpKind::DescriptorReduce, vec![Some(descriptor), Some(value)], offsets)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorReduce) }
}

impl<O: BorrowMut<Op>> Set<DescriptorReduce<'static>, O> {
    #[inline] pub fn op(self, value: String) -> Self { self.put::<kinds::Str>("op", value) }
}

/// A view of [`OpKind::DescriptorGather`].
#[derive(Clone, Copy)]
pub struct DescriptorGather<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorGather`].
pub struct DescriptorGatherAt { pub descriptor: usize, pub rows: usize, pub column: usize, pub y: usize }

impl<'a> DescriptorGather<'a> {
    pub const KIND: OpKind = OpKind::DescriptorGather;
    pub const AT: DescriptorGatherAt = DescriptorGatherAt { descriptor: 0, rows: 1, column: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorGather<'a>> { view::fits(op, Self::KIND).then_some(DescriptorGather(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn rows(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn column(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl DescriptorGather<'static> {
    pub fn new(descriptor: ValueId, rows: ValueId, column: ValueId) -> New<Self> {
        view::new(OpKind::DescriptorGather, vec![Some(descriptor), Some(rows), Some(column)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorGather) }
}

/// A view of [`OpKind::DescriptorScatter`].
#[derive(Clone, Copy)]
pub struct DescriptorScatter<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorScatter`].
pub struct DescriptorScatterAt { pub descriptor: usize, pub value: usize, pub rows: usize, pub column: usize }

impl<'a> DescriptorScatter<'a> {
    pub const KIND: OpKind = OpKind::DescriptorScatter;
    pub const AT: DescriptorScatterAt = DescriptorScatterAt { descriptor: 0, value: 1, rows: 2, column: 3 };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorScatter<'a>> { view::fits(op, Self::KIND).then_some(DescriptorScatter(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn rows(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn column(self) -> ValueId { view::operand(self.0, 3) }
}

impl DescriptorScatter<'static> {
    pub fn new(descriptor: ValueId, value: ValueId, rows: ValueId, column: ValueId) -> New<Self> {
        view::new(OpKind::DescriptorScatter, vec![Some(descriptor), Some(value), Some(rows), Some(column)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorScatter) }
}

/// A view of [`OpKind::Alloc`].
#[derive(Clone, Copy)]
pub struct Alloc<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Alloc`].
pub struct AllocAt { pub ptr: usize }

impl<'a> Alloc<'a> {
    pub const KIND: OpKind = OpKind::Alloc;
    pub const AT: AllocAt = AllocAt { ptr: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Alloc<'a>> { view::fits(op, Self::KIND).then_some(Alloc(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn space(self) -> &'a str { view::attr::<kinds::Str>(self.0, "space") }
    #[inline] pub fn dtype(self) -> DType { view::attr::<kinds::DType>(self.0, "dtype") }
    #[inline] pub fn len(self) -> i64 { view::attr::<kinds::Int>(self.0, "len") }
}

impl Alloc<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Alloc, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Alloc) }
}

impl<O: BorrowMut<Op>> Set<Alloc<'static>, O> {
    #[inline] pub fn space(self, value: String) -> Self { self.put::<kinds::Str>("space", value) }
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put::<kinds::DType>("dtype", value) }
    #[inline] pub fn len(self, value: i64) -> Self { self.put::<kinds::Int>("len", value) }
}

/// A view of [`OpKind::DeviceFence`].
#[derive(Clone, Copy)]
pub struct DeviceFence<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DeviceFence`].
pub struct DeviceFenceAt {  }

impl<'a> DeviceFence<'a> {
    pub const KIND: OpKind = OpKind::DeviceFence;
    pub const AT: DeviceFenceAt = DeviceFenceAt {  };
    #[inline] pub fn of(op: &'a Op) -> Option<DeviceFence<'a>> { view::fits(op, Self::KIND).then_some(DeviceFence(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
}

impl DeviceFence<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::DeviceFence, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DeviceFence) }
}
