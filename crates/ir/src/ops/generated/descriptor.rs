// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::view::{self, New, Set};
use crate::op::words::{CacheHint, DescriptorPadding, DescriptorReduction, EvictionHint};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::MakeDescriptor`].
#[derive(Clone, Copy)]
pub struct MakeDescriptor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MakeDescriptor`], and names of its attributes.
pub struct MakeDescriptorAt { pub base: usize, pub dims: usize, pub y: usize, pub padding: AttrName<DescriptorPadding> }

impl<'a> MakeDescriptor<'a> {
    pub const KIND: OpKind = OpKind::MakeDescriptor;
    pub const AT: MakeDescriptorAt = MakeDescriptorAt { base: 0, dims: 1, y: 0, padding: AttrName::new("padding") };
    #[inline] pub fn of(op: &'a Op) -> Option<MakeDescriptor<'a>> { view::fits(op, Self::KIND).then_some(MakeDescriptor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn base(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn dims(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn padding(self) -> DescriptorPadding { view::attr(self.0, Self::AT.padding) }
}

impl MakeDescriptor<'static> {
    pub fn new(base: ValueId, dims: &[ValueId]) -> New<Self> {
        view::new(OpKind::MakeDescriptor, vec![Some(base)], dims)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MakeDescriptor) }
}

impl<O: BorrowMut<Op>> Set<MakeDescriptor<'static>, O> {
    #[inline] pub fn padding(self, value: DescriptorPadding) -> Self { self.put(MakeDescriptor::AT.padding, value) }
}

/// A view of [`OpKind::DescriptorLoad`].
#[derive(Clone, Copy)]
pub struct DescriptorLoad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorLoad`], and names of its attributes.
pub struct DescriptorLoadAt { pub descriptor: usize, pub offsets: usize, pub y: usize, pub cache: AttrName<CacheHint>, pub eviction: AttrName<EvictionHint> }

impl<'a> DescriptorLoad<'a> {
    pub const KIND: OpKind = OpKind::DescriptorLoad;
    pub const AT: DescriptorLoadAt = DescriptorLoadAt { descriptor: 0, offsets: 1, y: 0, cache: AttrName::new("cache"), eviction: AttrName::new("eviction") };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorLoad<'a>> { view::fits(op, Self::KIND).then_some(DescriptorLoad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn offsets(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cache(self) -> CacheHint { view::attr(self.0, Self::AT.cache) }
    #[inline] pub fn eviction(self) -> EvictionHint { view::attr(self.0, Self::AT.eviction) }
}

impl DescriptorLoad<'static> {
    pub fn new(descriptor: ValueId, offsets: &[ValueId]) -> New<Self> {
        view::new(OpKind::DescriptorLoad, vec![Some(descriptor)], offsets)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorLoad) }
}

impl<O: BorrowMut<Op>> Set<DescriptorLoad<'static>, O> {
    #[inline] pub fn cache(self, value: CacheHint) -> Self { self.put(DescriptorLoad::AT.cache, value) }
    #[inline] pub fn eviction(self, value: EvictionHint) -> Self { self.put(DescriptorLoad::AT.eviction, value) }
}

/// A view of [`OpKind::DescriptorStore`].
#[derive(Clone, Copy)]
pub struct DescriptorStore<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorStore`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::DescriptorReduce`], and names of its attributes.
pub struct DescriptorReduceAt { pub descriptor: usize, pub value: usize, pub offsets: usize, pub op: AttrName<DescriptorReduction> }

impl<'a> DescriptorReduce<'a> {
    pub const KIND: OpKind = OpKind::DescriptorReduce;
    pub const AT: DescriptorReduceAt = DescriptorReduceAt { descriptor: 0, value: 1, offsets: 2, op: AttrName::new("op") };
    #[inline] pub fn of(op: &'a Op) -> Option<DescriptorReduce<'a>> { view::fits(op, Self::KIND).then_some(DescriptorReduce(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn descriptor(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn offsets(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
    #[inline] pub fn op(self) -> DescriptorReduction { view::attr(self.0, Self::AT.op) }
}

impl DescriptorReduce<'static> {
    pub fn new(descriptor: ValueId, value: ValueId, offsets: &[ValueId]) -> New<Self> {
        view::new(OpKind::DescriptorReduce, vec![Some(descriptor), Some(value)], offsets)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DescriptorReduce) }
}

impl<O: BorrowMut<Op>> Set<DescriptorReduce<'static>, O> {
    #[inline] pub fn op(self, value: DescriptorReduction) -> Self { self.put(DescriptorReduce::AT.op, value) }
}

/// A view of [`OpKind::DescriptorGather`].
#[derive(Clone, Copy)]
pub struct DescriptorGather<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DescriptorGather`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::DescriptorScatter`], and names of its attributes.
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
