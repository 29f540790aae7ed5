// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ProgramId`].
#[derive(Clone, Copy)]
pub struct ProgramId<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ProgramId`], and names of its attributes.
pub struct ProgramIdAt { pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> ProgramId<'a> {
    pub const KIND: OpKind = OpKind::ProgramId;
    pub const AT: ProgramIdAt = ProgramIdAt { y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<ProgramId<'a>> { view::fits(op, Self::KIND).then_some(ProgramId(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl ProgramId<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::ProgramId, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ProgramId) }
}

impl<O: BorrowMut<Op>> Set<ProgramId<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ProgramId::AT.axis, value) }
}

/// A view of [`OpKind::NumPrograms`].
#[derive(Clone, Copy)]
pub struct NumPrograms<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NumPrograms`], and names of its attributes.
pub struct NumProgramsAt { pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> NumPrograms<'a> {
    pub const KIND: OpKind = OpKind::NumPrograms;
    pub const AT: NumProgramsAt = NumProgramsAt { y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<NumPrograms<'a>> { view::fits(op, Self::KIND).then_some(NumPrograms(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl NumPrograms<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::NumPrograms, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::NumPrograms) }
}

impl<O: BorrowMut<Op>> Set<NumPrograms<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(NumPrograms::AT.axis, value) }
}

/// A view of [`OpKind::Arange`].
#[derive(Clone, Copy)]
pub struct Arange<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Arange`], and names of its attributes.
pub struct ArangeAt { pub y: usize, pub start: AttrName<kinds::Int>, pub end: AttrName<kinds::Int> }

impl<'a> Arange<'a> {
    pub const KIND: OpKind = OpKind::Arange;
    pub const AT: ArangeAt = ArangeAt { y: 0, start: AttrName::new("start"), end: AttrName::new("end") };
    #[inline] pub fn of(op: &'a Op) -> Option<Arange<'a>> { view::fits(op, Self::KIND).then_some(Arange(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn start(self) -> i64 { view::attr(self.0, Self::AT.start) }
    #[inline] pub fn end(self) -> i64 { view::attr(self.0, Self::AT.end) }
}

impl Arange<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Arange, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Arange) }
}

impl<O: BorrowMut<Op>> Set<Arange<'static>, O> {
    #[inline] pub fn start(self, value: i64) -> Self { self.put(Arange::AT.start, value) }
    #[inline] pub fn end(self, value: i64) -> Self { self.put(Arange::AT.end, value) }
}

/// A view of [`OpKind::Splat`].
#[derive(Clone, Copy)]
pub struct Splat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Splat`], and names of its attributes.
pub struct SplatAt { pub x: usize, pub y: usize }

impl<'a> Splat<'a> {
    pub const KIND: OpKind = OpKind::Splat;
    pub const AT: SplatAt = SplatAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Splat<'a>> { view::fits(op, Self::KIND).then_some(Splat(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Splat<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Splat, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Splat) }
}

/// A view of [`OpKind::Unsplat`].
#[derive(Clone, Copy)]
pub struct Unsplat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Unsplat`], and names of its attributes.
pub struct UnsplatAt { pub x: usize, pub y: usize }

impl<'a> Unsplat<'a> {
    pub const KIND: OpKind = OpKind::Unsplat;
    pub const AT: UnsplatAt = UnsplatAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Unsplat<'a>> { view::fits(op, Self::KIND).then_some(Unsplat(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Unsplat<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Unsplat, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Unsplat) }
}

/// A view of [`OpKind::ExpandDims`].
#[derive(Clone, Copy)]
pub struct ExpandDims<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ExpandDims`], and names of its attributes.
pub struct ExpandDimsAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> ExpandDims<'a> {
    pub const KIND: OpKind = OpKind::ExpandDims;
    pub const AT: ExpandDimsAt = ExpandDimsAt { x: 0, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<ExpandDims<'a>> { view::fits(op, Self::KIND).then_some(ExpandDims(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl ExpandDims<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ExpandDims, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ExpandDims) }
}

impl<O: BorrowMut<Op>> Set<ExpandDims<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ExpandDims::AT.axis, value) }
}

/// A view of [`OpKind::Broadcast`].
#[derive(Clone, Copy)]
pub struct Broadcast<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Broadcast`], and names of its attributes.
pub struct BroadcastAt { pub x: usize, pub y: usize }

impl<'a> Broadcast<'a> {
    pub const KIND: OpKind = OpKind::Broadcast;
    pub const AT: BroadcastAt = BroadcastAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Broadcast<'a>> { view::fits(op, Self::KIND).then_some(Broadcast(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Broadcast<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Broadcast, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Broadcast) }
}

/// A view of [`OpKind::View`].
#[derive(Clone, Copy)]
pub struct View<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::View`], and names of its attributes.
pub struct ViewAt { pub x: usize, pub y: usize, pub reorder: AttrName<kinds::Flag> }

impl<'a> View<'a> {
    pub const KIND: OpKind = OpKind::View;
    pub const AT: ViewAt = ViewAt { x: 0, y: 0, reorder: AttrName::new("reorder") };
    #[inline] pub fn of(op: &'a Op) -> Option<View<'a>> { view::fits(op, Self::KIND).then_some(View(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn reorder(self) -> bool { view::attr(self.0, Self::AT.reorder) }
}

impl View<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::View, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::View) }
}

impl<O: BorrowMut<Op>> Set<View<'static>, O> {
    #[inline] pub fn reorder(self, value: bool) -> Self { self.put(View::AT.reorder, value) }
}

/// A view of [`OpKind::Permute`].
#[derive(Clone, Copy)]
pub struct Permute<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Permute`], and names of its attributes.
pub struct PermuteAt { pub x: usize, pub y: usize, pub order: AttrName<kinds::Ints> }

impl<'a> Permute<'a> {
    pub const KIND: OpKind = OpKind::Permute;
    pub const AT: PermuteAt = PermuteAt { x: 0, y: 0, order: AttrName::new("order") };
    #[inline] pub fn of(op: &'a Op) -> Option<Permute<'a>> { view::fits(op, Self::KIND).then_some(Permute(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn order(self) -> &'a [i64] { view::attr(self.0, Self::AT.order) }
}

impl Permute<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Permute, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Permute) }
}

impl<O: BorrowMut<Op>> Set<Permute<'static>, O> {
    #[inline] pub fn order(self, value: Vec<i64>) -> Self { self.put(Permute::AT.order, value) }
}

/// A view of [`OpKind::Cat`].
#[derive(Clone, Copy)]
pub struct Cat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Cat`], and names of its attributes.
pub struct CatAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Cat<'a> {
    pub const KIND: OpKind = OpKind::Cat;
    pub const AT: CatAt = CatAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Cat<'a>> { view::fits(op, Self::KIND).then_some(Cat(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Cat<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Cat, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Cat) }
}

/// A view of [`OpKind::Join`].
#[derive(Clone, Copy)]
pub struct Join<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Join`], and names of its attributes.
pub struct JoinAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Join<'a> {
    pub const KIND: OpKind = OpKind::Join;
    pub const AT: JoinAt = JoinAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Join<'a>> { view::fits(op, Self::KIND).then_some(Join(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Join<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Join, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Join) }
}

/// A view of [`OpKind::Unjoin`].
#[derive(Clone, Copy)]
pub struct Unjoin<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Unjoin`], and names of its attributes.
pub struct UnjoinAt { pub x: usize, pub a: usize, pub b: usize }

impl<'a> Unjoin<'a> {
    pub const KIND: OpKind = OpKind::Unjoin;
    pub const AT: UnjoinAt = UnjoinAt { x: 0, a: 0, b: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<Unjoin<'a>> { view::fits(op, Self::KIND).then_some(Unjoin(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn a(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn b(self) -> Option<ValueId> { self.0.output(1) }
}

impl Unjoin<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Unjoin, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Unjoin) }
}

/// A view of [`OpKind::TakeAlongAxis`].
#[derive(Clone, Copy)]
pub struct TakeAlongAxis<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TakeAlongAxis`], and names of its attributes.
pub struct TakeAlongAxisAt { pub x: usize, pub indices: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> TakeAlongAxis<'a> {
    pub const KIND: OpKind = OpKind::TakeAlongAxis;
    pub const AT: TakeAlongAxisAt = TakeAlongAxisAt { x: 0, indices: 1, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<TakeAlongAxis<'a>> { view::fits(op, Self::KIND).then_some(TakeAlongAxis(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl TakeAlongAxis<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::TakeAlongAxis, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TakeAlongAxis) }
}

impl<O: BorrowMut<Op>> Set<TakeAlongAxis<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(TakeAlongAxis::AT.axis, value) }
}

/// A view of [`OpKind::Histogram`].
#[derive(Clone, Copy)]
pub struct Histogram<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Histogram`], and names of its attributes.
pub struct HistogramAt { pub x: usize, pub mask: usize, pub y: usize }

impl<'a> Histogram<'a> {
    pub const KIND: OpKind = OpKind::Histogram;
    pub const AT: HistogramAt = HistogramAt { x: 0, mask: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Histogram<'a>> { view::fits(op, Self::KIND).then_some(Histogram(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Histogram<'static> {
    pub fn new(x: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Histogram, vec![Some(x), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Histogram) }
}

/// A view of [`OpKind::Reduce`].
#[derive(Clone, Copy)]
pub struct Reduce<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Reduce`], and names of its attributes.
pub struct ReduceAt { pub xs: usize, pub ys: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Reduce<'a> {
    pub const KIND: OpKind = OpKind::Reduce;
    pub const AT: ReduceAt = ReduceAt { xs: 0, ys: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Reduce<'a>> { view::fits(op, Self::KIND).then_some(Reduce(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl Reduce<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Reduce, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Reduce) }
}

impl<O: BorrowMut<Op>> Set<Reduce<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Reduce::AT.axis, value) }
}

/// A view of [`OpKind::PrefixScan`].
#[derive(Clone, Copy)]
pub struct PrefixScan<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PrefixScan`], and names of its attributes.
pub struct PrefixScanAt { pub xs: usize, pub ys: usize, pub axis: AttrName<kinds::Int>, pub reverse: AttrName<kinds::Flag> }

impl<'a> PrefixScan<'a> {
    pub const KIND: OpKind = OpKind::PrefixScan;
    pub const AT: PrefixScanAt = PrefixScanAt { xs: 0, ys: 0, axis: AttrName::new("axis"), reverse: AttrName::new("reverse") };
    #[inline] pub fn of(op: &'a Op) -> Option<PrefixScan<'a>> { view::fits(op, Self::KIND).then_some(PrefixScan(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn reverse(self) -> bool { view::attr(self.0, Self::AT.reverse) }
}

impl PrefixScan<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::PrefixScan, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::PrefixScan) }
}

impl<O: BorrowMut<Op>> Set<PrefixScan<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(PrefixScan::AT.axis, value) }
    #[inline] pub fn reverse(self, value: bool) -> Self { self.put(PrefixScan::AT.reverse, value) }
}

/// A view of [`OpKind::Map`].
#[derive(Clone, Copy)]
pub struct Map<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Map`], and names of its attributes.
pub struct MapAt { pub xs: usize, pub ys: usize, pub pack: AttrName<kinds::Int> }

impl<'a> Map<'a> {
    pub const KIND: OpKind = OpKind::Map;
    pub const AT: MapAt = MapAt { xs: 0, ys: 0, pack: AttrName::new("pack") };
    #[inline] pub fn of(op: &'a Op) -> Option<Map<'a>> { view::fits(op, Self::KIND).then_some(Map(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn pack(self) -> i64 { view::attr(self.0, Self::AT.pack) }
}

impl Map<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Map, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Map) }
}

impl<O: BorrowMut<Op>> Set<Map<'static>, O> {
    #[inline] pub fn pack(self, value: i64) -> Self { self.put(Map::AT.pack, value) }
}

/// A view of [`OpKind::Poison`].
#[derive(Clone, Copy)]
pub struct Poison<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Poison`], and names of its attributes.
pub struct PoisonAt { pub y: usize }

impl<'a> Poison<'a> {
    pub const KIND: OpKind = OpKind::Poison;
    pub const AT: PoisonAt = PoisonAt { y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Poison<'a>> { view::fits(op, Self::KIND).then_some(Poison(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Poison<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Poison, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Poison) }
}

/// A view of [`OpKind::Hint`].
#[derive(Clone, Copy)]
pub struct Hint<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Hint`], and names of its attributes.
pub struct HintAt { pub x: usize, pub y: usize, pub contiguity: AttrName<kinds::Ints>, pub constancy: AttrName<kinds::Ints>, pub divisibility: AttrName<kinds::Ints> }

impl<'a> Hint<'a> {
    pub const KIND: OpKind = OpKind::Hint;
    pub const AT: HintAt = HintAt { x: 0, y: 0, contiguity: AttrName::new("contiguity"), constancy: AttrName::new("constancy"), divisibility: AttrName::new("divisibility") };
    #[inline] pub fn of(op: &'a Op) -> Option<Hint<'a>> { view::fits(op, Self::KIND).then_some(Hint(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn contiguity(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.contiguity) }
    #[inline] pub fn constancy(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.constancy) }
    #[inline] pub fn divisibility(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.divisibility) }
}

impl Hint<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Hint, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Hint) }
}

impl<O: BorrowMut<Op>> Set<Hint<'static>, O> {
    #[inline] pub fn contiguity(self, value: Vec<i64>) -> Self { self.put(Hint::AT.contiguity, value) }
    #[inline] pub fn constancy(self, value: Vec<i64>) -> Self { self.put(Hint::AT.constancy, value) }
    #[inline] pub fn divisibility(self, value: Vec<i64>) -> Self { self.put(Hint::AT.divisibility, value) }
}
