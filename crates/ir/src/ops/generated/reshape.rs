// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Flatten`].
#[derive(Clone, Copy)]
pub struct Flatten<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Flatten`], and names of its attributes.
pub struct FlattenAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Flatten<'a> {
    pub const KIND: OpKind = OpKind::Flatten;
    pub const AT: FlattenAt = FlattenAt { x: 0, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Flatten<'a>> { view::fits(op, Self::KIND).then_some(Flatten(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl Flatten<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Flatten, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Flatten) }
}

impl<O: BorrowMut<Op>> Set<Flatten<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Flatten::AT.axis, value) }
}

/// A view of [`OpKind::Identity`].
#[derive(Clone, Copy)]
pub struct Identity<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Identity`], and names of its attributes.
pub struct IdentityAt { pub x: usize, pub y: usize }

impl<'a> Identity<'a> {
    pub const KIND: OpKind = OpKind::Identity;
    pub const AT: IdentityAt = IdentityAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Identity<'a>> { view::fits(op, Self::KIND).then_some(Identity(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Identity<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Identity, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Identity) }
}

/// A view of [`OpKind::Reshape`].
#[derive(Clone, Copy)]
pub struct Reshape<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Reshape`], and names of its attributes.
pub struct ReshapeAt { pub x: usize, pub shape: usize, pub y: usize, pub allowzero: AttrName<kinds::Flag> }

impl<'a> Reshape<'a> {
    pub const KIND: OpKind = OpKind::Reshape;
    pub const AT: ReshapeAt = ReshapeAt { x: 0, shape: 1, y: 0, allowzero: AttrName::new("allowzero") };
    #[inline] pub fn of(op: &'a Op) -> Option<Reshape<'a>> { view::fits(op, Self::KIND).then_some(Reshape(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn allowzero(self) -> bool { view::attr(self.0, Self::AT.allowzero) }
}

impl Reshape<'static> {
    pub fn new(x: ValueId, shape: ValueId) -> New<Self> {
        view::new(OpKind::Reshape, vec![Some(x), Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Reshape) }
}

impl<O: BorrowMut<Op>> Set<Reshape<'static>, O> {
    #[inline] pub fn allowzero(self, value: bool) -> Self { self.put(Reshape::AT.allowzero, value) }
}

/// A view of [`OpKind::Shape`].
#[derive(Clone, Copy)]
pub struct Shape<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Shape`], and names of its attributes.
pub struct ShapeAt { pub x: usize, pub y: usize, pub start: AttrName<kinds::Int>, pub end: AttrName<kinds::Int> }

impl<'a> Shape<'a> {
    pub const KIND: OpKind = OpKind::Shape;
    pub const AT: ShapeAt = ShapeAt { x: 0, y: 0, start: AttrName::new("start"), end: AttrName::new("end") };
    #[inline] pub fn of(op: &'a Op) -> Option<Shape<'a>> { view::fits(op, Self::KIND).then_some(Shape(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn start(self) -> i64 { view::attr(self.0, Self::AT.start) }
    #[inline] pub fn end(self) -> Option<i64> { view::optional(self.0, Self::AT.end) }
}

impl Shape<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Shape, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Shape) }
}

impl<O: BorrowMut<Op>> Set<Shape<'static>, O> {
    #[inline] pub fn start(self, value: i64) -> Self { self.put(Shape::AT.start, value) }
    #[inline] pub fn end(self, value: i64) -> Self { self.put(Shape::AT.end, value) }
}

/// A view of [`OpKind::Size`].
#[derive(Clone, Copy)]
pub struct Size<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Size`], and names of its attributes.
pub struct SizeAt { pub x: usize, pub y: usize }

impl<'a> Size<'a> {
    pub const KIND: OpKind = OpKind::Size;
    pub const AT: SizeAt = SizeAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Size<'a>> { view::fits(op, Self::KIND).then_some(Size(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Size<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Size, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Size) }
}

/// A view of [`OpKind::Squeeze`].
#[derive(Clone, Copy)]
pub struct Squeeze<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Squeeze`], and names of its attributes.
pub struct SqueezeAt { pub x: usize, pub axes: usize, pub y: usize }

impl<'a> Squeeze<'a> {
    pub const KIND: OpKind = OpKind::Squeeze;
    pub const AT: SqueezeAt = SqueezeAt { x: 0, axes: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Squeeze<'a>> { view::fits(op, Self::KIND).then_some(Squeeze(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Squeeze<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Squeeze, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Squeeze) }
}

/// A view of [`OpKind::Unsqueeze`].
#[derive(Clone, Copy)]
pub struct Unsqueeze<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Unsqueeze`], and names of its attributes.
pub struct UnsqueezeAt { pub x: usize, pub axes: usize, pub y: usize }

impl<'a> Unsqueeze<'a> {
    pub const KIND: OpKind = OpKind::Unsqueeze;
    pub const AT: UnsqueezeAt = UnsqueezeAt { x: 0, axes: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Unsqueeze<'a>> { view::fits(op, Self::KIND).then_some(Unsqueeze(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Unsqueeze<'static> {
    pub fn new(x: ValueId, axes: ValueId) -> New<Self> {
        view::new(OpKind::Unsqueeze, vec![Some(x), Some(axes)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Unsqueeze) }
}
