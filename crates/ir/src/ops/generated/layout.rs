// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Pack`].
#[derive(Clone, Copy)]
pub struct Pack<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Pack`], and names of its attributes.
pub struct PackAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub block: AttrName<kinds::Int> }

impl<'a> Pack<'a> {
    pub const KIND: OpKind = OpKind::Pack;
    pub const AT: PackAt = PackAt { x: 0, y: 0, axis: AttrName::new("axis"), block: AttrName::new("block") };
    #[inline] pub fn of(op: &'a Op) -> Option<Pack<'a>> { view::fits(op, Self::KIND).then_some(Pack(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn block(self) -> i64 { view::attr(self.0, Self::AT.block) }
}

impl Pack<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Pack, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Pack) }
}

impl<O: BorrowMut<Op>> Set<Pack<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Pack::AT.axis, value) }
    #[inline] pub fn block(self, value: i64) -> Self { self.put(Pack::AT.block, value) }
}

/// A view of [`OpKind::Unpack`].
#[derive(Clone, Copy)]
pub struct Unpack<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Unpack`], and names of its attributes.
pub struct UnpackAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub block: AttrName<kinds::Int> }

impl<'a> Unpack<'a> {
    pub const KIND: OpKind = OpKind::Unpack;
    pub const AT: UnpackAt = UnpackAt { x: 0, y: 0, axis: AttrName::new("axis"), block: AttrName::new("block") };
    #[inline] pub fn of(op: &'a Op) -> Option<Unpack<'a>> { view::fits(op, Self::KIND).then_some(Unpack(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn block(self) -> i64 { view::attr(self.0, Self::AT.block) }
}

impl Unpack<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Unpack, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Unpack) }
}

impl<O: BorrowMut<Op>> Set<Unpack<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Unpack::AT.axis, value) }
    #[inline] pub fn block(self, value: i64) -> Self { self.put(Unpack::AT.block, value) }
}
