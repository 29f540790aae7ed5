// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::view::{self, New, Set};
use crate::op::words::{AtomicOp, MemoryOrder, MemoryScope};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::AtomicRmw`].
#[derive(Clone, Copy)]
pub struct AtomicRmw<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicRmw`], and names of its attributes.
pub struct AtomicRmwAt { pub ptr: usize, pub value: usize, pub mask: usize, pub former: usize, pub op: AttrName<AtomicOp>, pub order: AttrName<MemoryOrder>, pub scope: AttrName<MemoryScope> }

impl<'a> AtomicRmw<'a> {
    pub const KIND: OpKind = OpKind::AtomicRmw;
    pub const AT: AtomicRmwAt = AtomicRmwAt { ptr: 0, value: 1, mask: 2, former: 0, op: AttrName::new("op"), order: AttrName::new("order"), scope: AttrName::new("scope") };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicRmw<'a>> { view::fits(op, Self::KIND).then_some(AtomicRmw(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn former(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn op(self) -> AtomicOp { view::attr(self.0, Self::AT.op) }
    #[inline] pub fn order(self) -> MemoryOrder { view::attr(self.0, Self::AT.order) }
    #[inline] pub fn scope(self) -> MemoryScope { view::attr(self.0, Self::AT.scope) }
    #[inline] pub fn ordered(self) -> super::Ordered<'a> { super::Ordered(self.0) }
}

impl AtomicRmw<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicRmw, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicRmw) }
}

impl<O: BorrowMut<Op>> Set<AtomicRmw<'static>, O> {
    #[inline] pub fn op(self, value: AtomicOp) -> Self { self.put(AtomicRmw::AT.op, value) }
    #[inline] pub fn order(self, value: MemoryOrder) -> Self { self.put(AtomicRmw::AT.order, value) }
    #[inline] pub fn scope(self, value: MemoryScope) -> Self { self.put(AtomicRmw::AT.scope, value) }
}

/// A view of [`OpKind::AtomicCas`].
#[derive(Clone, Copy)]
pub struct AtomicCas<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicCas`], and names of its attributes.
pub struct AtomicCasAt { pub ptr: usize, pub expected: usize, pub value: usize, pub former: usize, pub order: AttrName<MemoryOrder>, pub scope: AttrName<MemoryScope> }

impl<'a> AtomicCas<'a> {
    pub const KIND: OpKind = OpKind::AtomicCas;
    pub const AT: AtomicCasAt = AtomicCasAt { ptr: 0, expected: 1, value: 2, former: 0, order: AttrName::new("order"), scope: AttrName::new("scope") };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicCas<'a>> { view::fits(op, Self::KIND).then_some(AtomicCas(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn expected(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn former(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> MemoryOrder { view::attr(self.0, Self::AT.order) }
    #[inline] pub fn scope(self) -> MemoryScope { view::attr(self.0, Self::AT.scope) }
    #[inline] pub fn ordered(self) -> super::Ordered<'a> { super::Ordered(self.0) }
}

impl AtomicCas<'static> {
    pub fn new(ptr: ValueId, expected: ValueId, value: ValueId) -> New<Self> {
        view::new(OpKind::AtomicCas, vec![Some(ptr), Some(expected), Some(value)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicCas) }
}

impl<O: BorrowMut<Op>> Set<AtomicCas<'static>, O> {
    #[inline] pub fn order(self, value: MemoryOrder) -> Self { self.put(AtomicCas::AT.order, value) }
    #[inline] pub fn scope(self, value: MemoryScope) -> Self { self.put(AtomicCas::AT.scope, value) }
}

/// A view of [`OpKind::AtomicLoad`].
#[derive(Clone, Copy)]
pub struct AtomicLoad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicLoad`], and names of its attributes.
pub struct AtomicLoadAt { pub ptr: usize, pub mask: usize, pub y: usize, pub order: AttrName<MemoryOrder>, pub scope: AttrName<MemoryScope> }

impl<'a> AtomicLoad<'a> {
    pub const KIND: OpKind = OpKind::AtomicLoad;
    pub const AT: AtomicLoadAt = AtomicLoadAt { ptr: 0, mask: 1, y: 0, order: AttrName::new("order"), scope: AttrName::new("scope") };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicLoad<'a>> { view::fits(op, Self::KIND).then_some(AtomicLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> MemoryOrder { view::attr(self.0, Self::AT.order) }
    #[inline] pub fn scope(self) -> MemoryScope { view::attr(self.0, Self::AT.scope) }
    #[inline] pub fn ordered(self) -> super::Ordered<'a> { super::Ordered(self.0) }
}

impl AtomicLoad<'static> {
    pub fn new(ptr: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicLoad, vec![Some(ptr), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicLoad) }
}

impl<O: BorrowMut<Op>> Set<AtomicLoad<'static>, O> {
    #[inline] pub fn order(self, value: MemoryOrder) -> Self { self.put(AtomicLoad::AT.order, value) }
    #[inline] pub fn scope(self, value: MemoryScope) -> Self { self.put(AtomicLoad::AT.scope, value) }
}

/// A view of [`OpKind::AtomicStore`].
#[derive(Clone, Copy)]
pub struct AtomicStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicStore`], and names of its attributes.
pub struct AtomicStoreAt { pub ptr: usize, pub value: usize, pub mask: usize, pub order: AttrName<MemoryOrder>, pub scope: AttrName<MemoryScope> }

impl<'a> AtomicStore<'a> {
    pub const KIND: OpKind = OpKind::AtomicStore;
    pub const AT: AtomicStoreAt = AtomicStoreAt { ptr: 0, value: 1, mask: 2, order: AttrName::new("order"), scope: AttrName::new("scope") };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicStore<'a>> { view::fits(op, Self::KIND).then_some(AtomicStore(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn order(self) -> MemoryOrder { view::attr(self.0, Self::AT.order) }
    #[inline] pub fn scope(self) -> MemoryScope { view::attr(self.0, Self::AT.scope) }
    #[inline] pub fn ordered(self) -> super::Ordered<'a> { super::Ordered(self.0) }
}

impl AtomicStore<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicStore, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicStore) }
}

impl<O: BorrowMut<Op>> Set<AtomicStore<'static>, O> {
    #[inline] pub fn order(self, value: MemoryOrder) -> Self { self.put(AtomicStore::AT.order, value) }
    #[inline] pub fn scope(self, value: MemoryScope) -> Self { self.put(AtomicStore::AT.scope, value) }
}

/// A view of [`OpKind::AtomicPoll`].
#[derive(Clone, Copy)]
pub struct AtomicPoll<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AtomicPoll`], and names of its attributes.
pub struct AtomicPollAt { pub ptr: usize, pub expected: usize, pub timeout: usize, pub done: usize, pub order: AttrName<MemoryOrder>, pub scope: AttrName<MemoryScope> }

impl<'a> AtomicPoll<'a> {
    pub const KIND: OpKind = OpKind::AtomicPoll;
    pub const AT: AtomicPollAt = AtomicPollAt { ptr: 0, expected: 1, timeout: 2, done: 0, order: AttrName::new("order"), scope: AttrName::new("scope") };
    #[inline] pub fn of(op: &'a Op) -> Option<AtomicPoll<'a>> { view::fits(op, Self::KIND).then_some(AtomicPoll(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn expected(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn timeout(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn done(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> MemoryOrder { view::attr(self.0, Self::AT.order) }
    #[inline] pub fn scope(self) -> MemoryScope { view::attr(self.0, Self::AT.scope) }
    #[inline] pub fn ordered(self) -> super::Ordered<'a> { super::Ordered(self.0) }
}

impl AtomicPoll<'static> {
    pub fn new(ptr: ValueId, expected: ValueId, timeout: Option<ValueId>) -> New<Self> {
        view::new(OpKind::AtomicPoll, vec![Some(ptr), Some(expected), timeout], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AtomicPoll) }
}

impl<O: BorrowMut<Op>> Set<AtomicPoll<'static>, O> {
    #[inline] pub fn order(self, value: MemoryOrder) -> Self { self.put(AtomicPoll::AT.order, value) }
    #[inline] pub fn scope(self, value: MemoryScope) -> Self { self.put(AtomicPoll::AT.scope, value) }
}
