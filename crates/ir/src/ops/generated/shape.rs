// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{BlockOrder};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Concat`].
#[derive(Clone, Copy)]
pub struct Concat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Concat`], and names of its attributes.
pub struct ConcatAt { pub xs: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Concat<'a> {
    pub const KIND: OpKind = OpKind::Concat;
    pub const AT: ConcatAt = ConcatAt { xs: 0, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Concat<'a>> { view::fits(op, Self::KIND).then_some(Concat(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl Concat<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Concat, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Concat) }
}

impl<O: BorrowMut<Op>> Set<Concat<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Concat::AT.axis, value) }
}

/// A view of [`OpKind::DepthToSpace`].
#[derive(Clone, Copy)]
pub struct DepthToSpace<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DepthToSpace`], and names of its attributes.
pub struct DepthToSpaceAt { pub x: usize, pub y: usize, pub blocksize: AttrName<kinds::Int>, pub mode: AttrName<BlockOrder> }

impl<'a> DepthToSpace<'a> {
    pub const KIND: OpKind = OpKind::DepthToSpace;
    pub const AT: DepthToSpaceAt = DepthToSpaceAt { x: 0, y: 0, blocksize: AttrName::new("blocksize"), mode: AttrName::new("mode") };
    #[inline] pub fn of(op: &'a Op) -> Option<DepthToSpace<'a>> { view::fits(op, Self::KIND).then_some(DepthToSpace(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn blocksize(self) -> i64 { view::attr(self.0, Self::AT.blocksize) }
    #[inline] pub fn mode(self) -> BlockOrder { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn blocks(self) -> super::Blocks<'a> { super::Blocks(self.0) }
}

impl DepthToSpace<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::DepthToSpace, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DepthToSpace) }
}

impl<O: BorrowMut<Op>> Set<DepthToSpace<'static>, O> {
    #[inline] pub fn blocksize(self, value: i64) -> Self { self.put(DepthToSpace::AT.blocksize, value) }
    #[inline] pub fn mode(self, value: BlockOrder) -> Self { self.put(DepthToSpace::AT.mode, value) }
}

/// A view of [`OpKind::Expand`].
#[derive(Clone, Copy)]
pub struct Expand<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Expand`], and names of its attributes.
pub struct ExpandAt { pub x: usize, pub shape: usize, pub y: usize }

impl<'a> Expand<'a> {
    pub const KIND: OpKind = OpKind::Expand;
    pub const AT: ExpandAt = ExpandAt { x: 0, shape: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Expand<'a>> { view::fits(op, Self::KIND).then_some(Expand(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Expand<'static> {
    pub fn new(x: ValueId, shape: ValueId) -> New<Self> {
        view::new(OpKind::Expand, vec![Some(x), Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Expand) }
}

/// A view of [`OpKind::SpaceToDepth`].
#[derive(Clone, Copy)]
pub struct SpaceToDepth<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SpaceToDepth`], and names of its attributes.
pub struct SpaceToDepthAt { pub x: usize, pub y: usize, pub blocksize: AttrName<kinds::Int>, pub mode: AttrName<BlockOrder> }

impl<'a> SpaceToDepth<'a> {
    pub const KIND: OpKind = OpKind::SpaceToDepth;
    pub const AT: SpaceToDepthAt = SpaceToDepthAt { x: 0, y: 0, blocksize: AttrName::new("blocksize"), mode: AttrName::new("mode") };
    #[inline] pub fn of(op: &'a Op) -> Option<SpaceToDepth<'a>> { view::fits(op, Self::KIND).then_some(SpaceToDepth(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn blocksize(self) -> i64 { view::attr(self.0, Self::AT.blocksize) }
    #[inline] pub fn mode(self) -> BlockOrder { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn blocks(self) -> super::Blocks<'a> { super::Blocks(self.0) }
}

impl SpaceToDepth<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SpaceToDepth, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SpaceToDepth) }
}

impl<O: BorrowMut<Op>> Set<SpaceToDepth<'static>, O> {
    #[inline] pub fn blocksize(self, value: i64) -> Self { self.put(SpaceToDepth::AT.blocksize, value) }
    #[inline] pub fn mode(self, value: BlockOrder) -> Self { self.put(SpaceToDepth::AT.mode, value) }
}

/// A view of [`OpKind::Split`].
#[derive(Clone, Copy)]
pub struct Split<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Split`], and names of its attributes.
pub struct SplitAt { pub x: usize, pub split: usize, pub ys: usize, pub axis: AttrName<kinds::Int>, pub num_outputs: AttrName<kinds::Int> }

impl<'a> Split<'a> {
    pub const KIND: OpKind = OpKind::Split;
    pub const AT: SplitAt = SplitAt { x: 0, split: 1, ys: 0, axis: AttrName::new("axis"), num_outputs: AttrName::new("num_outputs") };
    #[inline] pub fn of(op: &'a Op) -> Option<Split<'a>> { view::fits(op, Self::KIND).then_some(Split(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn split(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn num_outputs(self) -> Option<i64> { view::optional(self.0, Self::AT.num_outputs) }
}

impl Split<'static> {
    pub fn new(x: ValueId, split: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Split, vec![Some(x), split], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Split) }
}

impl<O: BorrowMut<Op>> Set<Split<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Split::AT.axis, value) }
    #[inline] pub fn num_outputs(self, value: i64) -> Self { self.put(Split::AT.num_outputs, value) }
}

/// A view of [`OpKind::Tile`].
#[derive(Clone, Copy)]
pub struct Tile<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Tile`], and names of its attributes.
pub struct TileAt { pub x: usize, pub repeats: usize, pub y: usize }

impl<'a> Tile<'a> {
    pub const KIND: OpKind = OpKind::Tile;
    pub const AT: TileAt = TileAt { x: 0, repeats: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Tile<'a>> { view::fits(op, Self::KIND).then_some(Tile(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn repeats(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Tile<'static> {
    pub fn new(x: ValueId, repeats: ValueId) -> New<Self> {
        view::new(OpKind::Tile, vec![Some(x), Some(repeats)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Tile) }
}

/// A view of [`OpKind::Transpose`].
#[derive(Clone, Copy)]
pub struct Transpose<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Transpose`], and names of its attributes.
pub struct TransposeAt { pub x: usize, pub y: usize, pub perm: AttrName<kinds::Ints> }

impl<'a> Transpose<'a> {
    pub const KIND: OpKind = OpKind::Transpose;
    pub const AT: TransposeAt = TransposeAt { x: 0, y: 0, perm: AttrName::new("perm") };
    #[inline] pub fn of(op: &'a Op) -> Option<Transpose<'a>> { view::fits(op, Self::KIND).then_some(Transpose(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn perm(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.perm) }
}

impl Transpose<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Transpose, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Transpose) }
}

impl<O: BorrowMut<Op>> Set<Transpose<'static>, O> {
    #[inline] pub fn perm(self, value: Vec<i64>) -> Self { self.put(Transpose::AT.perm, value) }
}
