// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ArgMax`].
#[derive(Clone, Copy)]
pub struct ArgMax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ArgMax`], and names of its attributes.
pub struct ArgMaxAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub keepdims: AttrName<kinds::Flag>, pub select_last_index: AttrName<kinds::Flag> }

impl<'a> ArgMax<'a> {
    pub const KIND: OpKind = OpKind::ArgMax;
    pub const AT: ArgMaxAt = ArgMaxAt { x: 0, y: 0, axis: AttrName::new("axis"), keepdims: AttrName::new("keepdims"), select_last_index: AttrName::new("select_last_index") };
    #[inline] pub fn of(op: &'a Op) -> Option<ArgMax<'a>> { view::fits(op, Self::KIND).then_some(ArgMax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn select_last_index(self) -> bool { view::attr(self.0, Self::AT.select_last_index) }
    #[inline] pub fn selection(self) -> super::Selection<'a> { super::Selection(self.0) }
}

impl ArgMax<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ArgMax, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ArgMax) }
}

impl<O: BorrowMut<Op>> Set<ArgMax<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ArgMax::AT.axis, value) }
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ArgMax::AT.keepdims, value) }
    #[inline] pub fn select_last_index(self, value: bool) -> Self { self.put(ArgMax::AT.select_last_index, value) }
}

/// A view of [`OpKind::ArgMin`].
#[derive(Clone, Copy)]
pub struct ArgMin<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ArgMin`], and names of its attributes.
pub struct ArgMinAt { pub x: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub keepdims: AttrName<kinds::Flag>, pub select_last_index: AttrName<kinds::Flag> }

impl<'a> ArgMin<'a> {
    pub const KIND: OpKind = OpKind::ArgMin;
    pub const AT: ArgMinAt = ArgMinAt { x: 0, y: 0, axis: AttrName::new("axis"), keepdims: AttrName::new("keepdims"), select_last_index: AttrName::new("select_last_index") };
    #[inline] pub fn of(op: &'a Op) -> Option<ArgMin<'a>> { view::fits(op, Self::KIND).then_some(ArgMin(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn select_last_index(self) -> bool { view::attr(self.0, Self::AT.select_last_index) }
    #[inline] pub fn selection(self) -> super::Selection<'a> { super::Selection(self.0) }
}

impl ArgMin<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ArgMin, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ArgMin) }
}

impl<O: BorrowMut<Op>> Set<ArgMin<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ArgMin::AT.axis, value) }
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ArgMin::AT.keepdims, value) }
    #[inline] pub fn select_last_index(self, value: bool) -> Self { self.put(ArgMin::AT.select_last_index, value) }
}

/// A view of [`OpKind::CumProd`].
#[derive(Clone, Copy)]
pub struct CumProd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CumProd`], and names of its attributes.
pub struct CumProdAt { pub x: usize, pub axis: usize, pub y: usize, pub exclusive: AttrName<kinds::Flag>, pub reverse: AttrName<kinds::Flag> }

impl<'a> CumProd<'a> {
    pub const KIND: OpKind = OpKind::CumProd;
    pub const AT: CumProdAt = CumProdAt { x: 0, axis: 1, y: 0, exclusive: AttrName::new("exclusive"), reverse: AttrName::new("reverse") };
    #[inline] pub fn of(op: &'a Op) -> Option<CumProd<'a>> { view::fits(op, Self::KIND).then_some(CumProd(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axis(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn exclusive(self) -> bool { view::attr(self.0, Self::AT.exclusive) }
    #[inline] pub fn reverse(self) -> bool { view::attr(self.0, Self::AT.reverse) }
}

impl CumProd<'static> {
    pub fn new(x: ValueId, axis: ValueId) -> New<Self> {
        view::new(OpKind::CumProd, vec![Some(x), Some(axis)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CumProd) }
}

impl<O: BorrowMut<Op>> Set<CumProd<'static>, O> {
    #[inline] pub fn exclusive(self, value: bool) -> Self { self.put(CumProd::AT.exclusive, value) }
    #[inline] pub fn reverse(self, value: bool) -> Self { self.put(CumProd::AT.reverse, value) }
}

/// A view of [`OpKind::CumSum`].
#[derive(Clone, Copy)]
pub struct CumSum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CumSum`], and names of its attributes.
pub struct CumSumAt { pub x: usize, pub axis: usize, pub y: usize, pub exclusive: AttrName<kinds::Flag>, pub reverse: AttrName<kinds::Flag> }

impl<'a> CumSum<'a> {
    pub const KIND: OpKind = OpKind::CumSum;
    pub const AT: CumSumAt = CumSumAt { x: 0, axis: 1, y: 0, exclusive: AttrName::new("exclusive"), reverse: AttrName::new("reverse") };
    #[inline] pub fn of(op: &'a Op) -> Option<CumSum<'a>> { view::fits(op, Self::KIND).then_some(CumSum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axis(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn exclusive(self) -> bool { view::attr(self.0, Self::AT.exclusive) }
    #[inline] pub fn reverse(self) -> bool { view::attr(self.0, Self::AT.reverse) }
}

impl CumSum<'static> {
    pub fn new(x: ValueId, axis: ValueId) -> New<Self> {
        view::new(OpKind::CumSum, vec![Some(x), Some(axis)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CumSum) }
}

impl<O: BorrowMut<Op>> Set<CumSum<'static>, O> {
    #[inline] pub fn exclusive(self, value: bool) -> Self { self.put(CumSum::AT.exclusive, value) }
    #[inline] pub fn reverse(self, value: bool) -> Self { self.put(CumSum::AT.reverse, value) }
}

/// A view of [`OpKind::ReduceL1`].
#[derive(Clone, Copy)]
pub struct ReduceL1<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceL1`], and names of its attributes.
pub struct ReduceL1At { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceL1<'a> {
    pub const KIND: OpKind = OpKind::ReduceL1;
    pub const AT: ReduceL1At = ReduceL1At { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceL1<'a>> { view::fits(op, Self::KIND).then_some(ReduceL1(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceL1<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceL1, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceL1) }
}

impl<O: BorrowMut<Op>> Set<ReduceL1<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceL1::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceL1::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceL2`].
#[derive(Clone, Copy)]
pub struct ReduceL2<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceL2`], and names of its attributes.
pub struct ReduceL2At { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceL2<'a> {
    pub const KIND: OpKind = OpKind::ReduceL2;
    pub const AT: ReduceL2At = ReduceL2At { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceL2<'a>> { view::fits(op, Self::KIND).then_some(ReduceL2(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceL2<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceL2, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceL2) }
}

impl<O: BorrowMut<Op>> Set<ReduceL2<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceL2::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceL2::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceLogSum`].
#[derive(Clone, Copy)]
pub struct ReduceLogSum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceLogSum`], and names of its attributes.
pub struct ReduceLogSumAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceLogSum<'a> {
    pub const KIND: OpKind = OpKind::ReduceLogSum;
    pub const AT: ReduceLogSumAt = ReduceLogSumAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceLogSum<'a>> { view::fits(op, Self::KIND).then_some(ReduceLogSum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceLogSum<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceLogSum, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceLogSum) }
}

impl<O: BorrowMut<Op>> Set<ReduceLogSum<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceLogSum::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceLogSum::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceLogSumExp`].
#[derive(Clone, Copy)]
pub struct ReduceLogSumExp<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceLogSumExp`], and names of its attributes.
pub struct ReduceLogSumExpAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceLogSumExp<'a> {
    pub const KIND: OpKind = OpKind::ReduceLogSumExp;
    pub const AT: ReduceLogSumExpAt = ReduceLogSumExpAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceLogSumExp<'a>> { view::fits(op, Self::KIND).then_some(ReduceLogSumExp(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceLogSumExp<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceLogSumExp, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceLogSumExp) }
}

impl<O: BorrowMut<Op>> Set<ReduceLogSumExp<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceLogSumExp::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceLogSumExp::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceMax`].
#[derive(Clone, Copy)]
pub struct ReduceMax<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceMax`], and names of its attributes.
pub struct ReduceMaxAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceMax<'a> {
    pub const KIND: OpKind = OpKind::ReduceMax;
    pub const AT: ReduceMaxAt = ReduceMaxAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceMax<'a>> { view::fits(op, Self::KIND).then_some(ReduceMax(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceMax<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceMax, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceMax) }
}

impl<O: BorrowMut<Op>> Set<ReduceMax<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceMax::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceMax::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceMean`].
#[derive(Clone, Copy)]
pub struct ReduceMean<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceMean`], and names of its attributes.
pub struct ReduceMeanAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceMean<'a> {
    pub const KIND: OpKind = OpKind::ReduceMean;
    pub const AT: ReduceMeanAt = ReduceMeanAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceMean<'a>> { view::fits(op, Self::KIND).then_some(ReduceMean(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceMean<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceMean, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceMean) }
}

impl<O: BorrowMut<Op>> Set<ReduceMean<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceMean::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceMean::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceMin`].
#[derive(Clone, Copy)]
pub struct ReduceMin<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceMin`], and names of its attributes.
pub struct ReduceMinAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceMin<'a> {
    pub const KIND: OpKind = OpKind::ReduceMin;
    pub const AT: ReduceMinAt = ReduceMinAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceMin<'a>> { view::fits(op, Self::KIND).then_some(ReduceMin(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceMin<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceMin, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceMin) }
}

impl<O: BorrowMut<Op>> Set<ReduceMin<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceMin::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceMin::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceProd`].
#[derive(Clone, Copy)]
pub struct ReduceProd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceProd`], and names of its attributes.
pub struct ReduceProdAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceProd<'a> {
    pub const KIND: OpKind = OpKind::ReduceProd;
    pub const AT: ReduceProdAt = ReduceProdAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceProd<'a>> { view::fits(op, Self::KIND).then_some(ReduceProd(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceProd<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceProd, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceProd) }
}

impl<O: BorrowMut<Op>> Set<ReduceProd<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceProd::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceProd::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceSum`].
#[derive(Clone, Copy)]
pub struct ReduceSum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceSum`], and names of its attributes.
pub struct ReduceSumAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceSum<'a> {
    pub const KIND: OpKind = OpKind::ReduceSum;
    pub const AT: ReduceSumAt = ReduceSumAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceSum<'a>> { view::fits(op, Self::KIND).then_some(ReduceSum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceSum<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceSum, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceSum) }
}

impl<O: BorrowMut<Op>> Set<ReduceSum<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceSum::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceSum::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::ReduceSumSquare`].
#[derive(Clone, Copy)]
pub struct ReduceSumSquare<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReduceSumSquare`], and names of its attributes.
pub struct ReduceSumSquareAt { pub x: usize, pub axes: usize, pub y: usize, pub keepdims: AttrName<kinds::Flag>, pub noop_with_empty_axes: AttrName<kinds::Flag> }

impl<'a> ReduceSumSquare<'a> {
    pub const KIND: OpKind = OpKind::ReduceSumSquare;
    pub const AT: ReduceSumSquareAt = ReduceSumSquareAt { x: 0, axes: 1, y: 0, keepdims: AttrName::new("keepdims"), noop_with_empty_axes: AttrName::new("noop_with_empty_axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReduceSumSquare<'a>> { view::fits(op, Self::KIND).then_some(ReduceSumSquare(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn keepdims(self) -> bool { view::attr(self.0, Self::AT.keepdims) }
    #[inline] pub fn noop_with_empty_axes(self) -> bool { view::attr(self.0, Self::AT.noop_with_empty_axes) }
    #[inline] pub fn reduction(self) -> super::Reduction<'a> { super::Reduction(self.0) }
}

impl ReduceSumSquare<'static> {
    pub fn new(x: ValueId, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::ReduceSumSquare, vec![Some(x), axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReduceSumSquare) }
}

impl<O: BorrowMut<Op>> Set<ReduceSumSquare<'static>, O> {
    #[inline] pub fn keepdims(self, value: bool) -> Self { self.put(ReduceSumSquare::AT.keepdims, value) }
    #[inline] pub fn noop_with_empty_axes(self, value: bool) -> Self { self.put(ReduceSumSquare::AT.noop_with_empty_axes, value) }
}

/// A view of [`OpKind::TopK`].
#[derive(Clone, Copy)]
pub struct TopK<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TopK`], and names of its attributes.
pub struct TopKAt { pub x: usize, pub k: usize, pub values: usize, pub indices: usize, pub axis: AttrName<kinds::Int>, pub largest: AttrName<kinds::Flag>, pub sorted: AttrName<kinds::Flag> }

impl<'a> TopK<'a> {
    pub const KIND: OpKind = OpKind::TopK;
    pub const AT: TopKAt = TopKAt { x: 0, k: 1, values: 0, indices: 1, axis: AttrName::new("axis"), largest: AttrName::new("largest"), sorted: AttrName::new("sorted") };
    #[inline] pub fn of(op: &'a Op) -> Option<TopK<'a>> { view::fits(op, Self::KIND).then_some(TopK(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn k(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn values(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn indices(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn largest(self) -> bool { view::attr(self.0, Self::AT.largest) }
    #[inline] pub fn sorted(self) -> bool { view::attr(self.0, Self::AT.sorted) }
}

impl TopK<'static> {
    pub fn new(x: ValueId, k: ValueId) -> New<Self> {
        view::new(OpKind::TopK, vec![Some(x), Some(k)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TopK) }
}

impl<O: BorrowMut<Op>> Set<TopK<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(TopK::AT.axis, value) }
    #[inline] pub fn largest(self, value: bool) -> Self { self.put(TopK::AT.largest, value) }
    #[inline] pub fn sorted(self, value: bool) -> Self { self.put(TopK::AT.sorted, value) }
}

/// A view of [`OpKind::Unique`].
#[derive(Clone, Copy)]
pub struct Unique<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Unique`], and names of its attributes.
pub struct UniqueAt { pub x: usize, pub y: usize, pub indices: usize, pub inverse_indices: usize, pub counts: usize, pub axis: AttrName<kinds::Int>, pub sorted: AttrName<kinds::Flag> }

impl<'a> Unique<'a> {
    pub const KIND: OpKind = OpKind::Unique;
    pub const AT: UniqueAt = UniqueAt { x: 0, y: 0, indices: 1, inverse_indices: 2, counts: 3, axis: AttrName::new("axis"), sorted: AttrName::new("sorted") };
    #[inline] pub fn of(op: &'a Op) -> Option<Unique<'a>> { view::fits(op, Self::KIND).then_some(Unique(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn indices(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn inverse_indices(self) -> Option<ValueId> { self.0.output(2) }
    #[inline] pub fn counts(self) -> Option<ValueId> { self.0.output(3) }
    #[inline] pub fn axis(self) -> Option<i64> { view::optional(self.0, Self::AT.axis) }
    #[inline] pub fn sorted(self) -> bool { view::attr(self.0, Self::AT.sorted) }
}

impl Unique<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Unique, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Unique) }
}

impl<O: BorrowMut<Op>> Set<Unique<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Unique::AT.axis, value) }
    #[inline] pub fn sorted(self, value: bool) -> Self { self.put(Unique::AT.sorted, value) }
}
