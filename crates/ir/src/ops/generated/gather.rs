// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{CacheMode, PadMode, ScatterReduction};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::CenterCropPad`].
#[derive(Clone, Copy)]
pub struct CenterCropPad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CenterCropPad`], and names of its attributes.
pub struct CenterCropPadAt { pub x: usize, pub shape: usize, pub y: usize, pub axes: AttrName<kinds::Ints> }

impl<'a> CenterCropPad<'a> {
    pub const KIND: OpKind = OpKind::CenterCropPad;
    pub const AT: CenterCropPadAt = CenterCropPadAt { x: 0, shape: 1, y: 0, axes: AttrName::new("axes") };
    #[inline] pub fn of(op: &'a Op) -> Option<CenterCropPad<'a>> { view::fits(op, Self::KIND).then_some(CenterCropPad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axes(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.axes) }
}

impl CenterCropPad<'static> {
    pub fn new(x: ValueId, shape: ValueId) -> New<Self> {
        view::new(OpKind::CenterCropPad, vec![Some(x), Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CenterCropPad) }
}

impl<O: BorrowMut<Op>> Set<CenterCropPad<'static>, O> {
    #[inline] pub fn axes(self, value: Vec<i64>) -> Self { self.put(CenterCropPad::AT.axes, value) }
}

/// A view of [`OpKind::Compress`].
#[derive(Clone, Copy)]
pub struct Compress<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Compress`], and names of its attributes.
pub struct CompressAt { pub x: usize, pub condition: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Compress<'a> {
    pub const KIND: OpKind = OpKind::Compress;
    pub const AT: CompressAt = CompressAt { x: 0, condition: 1, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Compress<'a>> { view::fits(op, Self::KIND).then_some(Compress(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> Option<i64> { view::optional(self.0, Self::AT.axis) }
}

impl Compress<'static> {
    pub fn new(x: ValueId, condition: ValueId) -> New<Self> {
        view::new(OpKind::Compress, vec![Some(x), Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Compress) }
}

impl<O: BorrowMut<Op>> Set<Compress<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Compress::AT.axis, value) }
}

/// A view of [`OpKind::Gather`].
#[derive(Clone, Copy)]
pub struct Gather<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Gather`], and names of its attributes.
pub struct GatherAt { pub x: usize, pub indices: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> Gather<'a> {
    pub const KIND: OpKind = OpKind::Gather;
    pub const AT: GatherAt = GatherAt { x: 0, indices: 1, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<Gather<'a>> { view::fits(op, Self::KIND).then_some(Gather(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl Gather<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::Gather, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Gather) }
}

impl<O: BorrowMut<Op>> Set<Gather<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(Gather::AT.axis, value) }
}

/// A view of [`OpKind::GatherElements`].
#[derive(Clone, Copy)]
pub struct GatherElements<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GatherElements`], and names of its attributes.
pub struct GatherElementsAt { pub x: usize, pub indices: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> GatherElements<'a> {
    pub const KIND: OpKind = OpKind::GatherElements;
    pub const AT: GatherElementsAt = GatherElementsAt { x: 0, indices: 1, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<GatherElements<'a>> { view::fits(op, Self::KIND).then_some(GatherElements(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl GatherElements<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::GatherElements, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GatherElements) }
}

impl<O: BorrowMut<Op>> Set<GatherElements<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(GatherElements::AT.axis, value) }
}

/// A view of [`OpKind::GatherND`].
#[derive(Clone, Copy)]
pub struct GatherND<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GatherND`], and names of its attributes.
pub struct GatherNDAt { pub x: usize, pub indices: usize, pub y: usize, pub batch_dims: AttrName<kinds::Int> }

impl<'a> GatherND<'a> {
    pub const KIND: OpKind = OpKind::GatherND;
    pub const AT: GatherNDAt = GatherNDAt { x: 0, indices: 1, y: 0, batch_dims: AttrName::new("batch_dims") };
    #[inline] pub fn of(op: &'a Op) -> Option<GatherND<'a>> { view::fits(op, Self::KIND).then_some(GatherND(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn batch_dims(self) -> i64 { view::attr(self.0, Self::AT.batch_dims) }
}

impl GatherND<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::GatherND, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GatherND) }
}

impl<O: BorrowMut<Op>> Set<GatherND<'static>, O> {
    #[inline] pub fn batch_dims(self, value: i64) -> Self { self.put(GatherND::AT.batch_dims, value) }
}

/// A view of [`OpKind::NonZero`].
#[derive(Clone, Copy)]
pub struct NonZero<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NonZero`], and names of its attributes.
pub struct NonZeroAt { pub x: usize, pub y: usize }

impl<'a> NonZero<'a> {
    pub const KIND: OpKind = OpKind::NonZero;
    pub const AT: NonZeroAt = NonZeroAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<NonZero<'a>> { view::fits(op, Self::KIND).then_some(NonZero(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl NonZero<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::NonZero, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::NonZero) }
}

/// A view of [`OpKind::OneHot`].
#[derive(Clone, Copy)]
pub struct OneHot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::OneHot`], and names of its attributes.
pub struct OneHotAt { pub indices: usize, pub depth: usize, pub values: usize, pub y: usize, pub axis: AttrName<kinds::Int> }

impl<'a> OneHot<'a> {
    pub const KIND: OpKind = OpKind::OneHot;
    pub const AT: OneHotAt = OneHotAt { indices: 0, depth: 1, values: 2, y: 0, axis: AttrName::new("axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<OneHot<'a>> { view::fits(op, Self::KIND).then_some(OneHot(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn depth(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn values(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
}

impl OneHot<'static> {
    pub fn new(indices: ValueId, depth: ValueId, values: ValueId) -> New<Self> {
        view::new(OpKind::OneHot, vec![Some(indices), Some(depth), Some(values)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::OneHot) }
}

impl<O: BorrowMut<Op>> Set<OneHot<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(OneHot::AT.axis, value) }
}

/// A view of [`OpKind::Pad`].
#[derive(Clone, Copy)]
pub struct Pad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Pad`], and names of its attributes.
pub struct PadAt { pub x: usize, pub pads: usize, pub value: usize, pub axes: usize, pub y: usize, pub mode: AttrName<PadMode> }

impl<'a> Pad<'a> {
    pub const KIND: OpKind = OpKind::Pad;
    pub const AT: PadAt = PadAt { x: 0, pads: 1, value: 2, axes: 3, y: 0, mode: AttrName::new("mode") };
    #[inline] pub fn of(op: &'a Op) -> Option<Pad<'a>> { view::fits(op, Self::KIND).then_some(Pad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn pads(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn value(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mode(self) -> PadMode { view::attr(self.0, Self::AT.mode) }
}

impl Pad<'static> {
    pub fn new(x: ValueId, pads: ValueId, value: Option<ValueId>, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Pad, vec![Some(x), Some(pads), value, axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Pad) }
}

impl<O: BorrowMut<Op>> Set<Pad<'static>, O> {
    #[inline] pub fn mode(self, value: PadMode) -> Self { self.put(Pad::AT.mode, value) }
}

/// A view of [`OpKind::ReverseSequence`].
#[derive(Clone, Copy)]
pub struct ReverseSequence<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReverseSequence`], and names of its attributes.
pub struct ReverseSequenceAt { pub x: usize, pub sequence_lens: usize, pub y: usize, pub batch_axis: AttrName<kinds::Int>, pub time_axis: AttrName<kinds::Int> }

impl<'a> ReverseSequence<'a> {
    pub const KIND: OpKind = OpKind::ReverseSequence;
    pub const AT: ReverseSequenceAt = ReverseSequenceAt { x: 0, sequence_lens: 1, y: 0, batch_axis: AttrName::new("batch_axis"), time_axis: AttrName::new("time_axis") };
    #[inline] pub fn of(op: &'a Op) -> Option<ReverseSequence<'a>> { view::fits(op, Self::KIND).then_some(ReverseSequence(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn sequence_lens(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn batch_axis(self) -> i64 { view::attr(self.0, Self::AT.batch_axis) }
    #[inline] pub fn time_axis(self) -> i64 { view::attr(self.0, Self::AT.time_axis) }
}

impl ReverseSequence<'static> {
    pub fn new(x: ValueId, sequence_lens: ValueId) -> New<Self> {
        view::new(OpKind::ReverseSequence, vec![Some(x), Some(sequence_lens)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReverseSequence) }
}

impl<O: BorrowMut<Op>> Set<ReverseSequence<'static>, O> {
    #[inline] pub fn batch_axis(self, value: i64) -> Self { self.put(ReverseSequence::AT.batch_axis, value) }
    #[inline] pub fn time_axis(self, value: i64) -> Self { self.put(ReverseSequence::AT.time_axis, value) }
}

/// A view of [`OpKind::ScatterElements`].
#[derive(Clone, Copy)]
pub struct ScatterElements<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ScatterElements`], and names of its attributes.
pub struct ScatterElementsAt { pub x: usize, pub indices: usize, pub updates: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub reduction: AttrName<ScatterReduction> }

impl<'a> ScatterElements<'a> {
    pub const KIND: OpKind = OpKind::ScatterElements;
    pub const AT: ScatterElementsAt = ScatterElementsAt { x: 0, indices: 1, updates: 2, y: 0, axis: AttrName::new("axis"), reduction: AttrName::new("reduction") };
    #[inline] pub fn of(op: &'a Op) -> Option<ScatterElements<'a>> { view::fits(op, Self::KIND).then_some(ScatterElements(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn updates(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn reduction(self) -> ScatterReduction { view::attr(self.0, Self::AT.reduction) }
}

impl ScatterElements<'static> {
    pub fn new(x: ValueId, indices: ValueId, updates: ValueId) -> New<Self> {
        view::new(OpKind::ScatterElements, vec![Some(x), Some(indices), Some(updates)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ScatterElements) }
}

impl<O: BorrowMut<Op>> Set<ScatterElements<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(ScatterElements::AT.axis, value) }
    #[inline] pub fn reduction(self, value: ScatterReduction) -> Self { self.put(ScatterElements::AT.reduction, value) }
}

/// A view of [`OpKind::ScatterND`].
#[derive(Clone, Copy)]
pub struct ScatterND<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ScatterND`], and names of its attributes.
pub struct ScatterNDAt { pub x: usize, pub indices: usize, pub updates: usize, pub y: usize, pub reduction: AttrName<ScatterReduction> }

impl<'a> ScatterND<'a> {
    pub const KIND: OpKind = OpKind::ScatterND;
    pub const AT: ScatterNDAt = ScatterNDAt { x: 0, indices: 1, updates: 2, y: 0, reduction: AttrName::new("reduction") };
    #[inline] pub fn of(op: &'a Op) -> Option<ScatterND<'a>> { view::fits(op, Self::KIND).then_some(ScatterND(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn updates(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn reduction(self) -> ScatterReduction { view::attr(self.0, Self::AT.reduction) }
}

impl ScatterND<'static> {
    pub fn new(x: ValueId, indices: ValueId, updates: ValueId) -> New<Self> {
        view::new(OpKind::ScatterND, vec![Some(x), Some(indices), Some(updates)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ScatterND) }
}

impl<O: BorrowMut<Op>> Set<ScatterND<'static>, O> {
    #[inline] pub fn reduction(self, value: ScatterReduction) -> Self { self.put(ScatterND::AT.reduction, value) }
}

/// A view of [`OpKind::Slice`].
#[derive(Clone, Copy)]
pub struct Slice<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Slice`], and names of its attributes.
pub struct SliceAt { pub x: usize, pub starts: usize, pub ends: usize, pub axes: usize, pub steps: usize, pub y: usize }

impl<'a> Slice<'a> {
    pub const KIND: OpKind = OpKind::Slice;
    pub const AT: SliceAt = SliceAt { x: 0, starts: 1, ends: 2, axes: 3, steps: 4, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Slice<'a>> { view::fits(op, Self::KIND).then_some(Slice(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn starts(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn ends(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn steps(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Slice<'static> {
    pub fn new(x: ValueId, starts: ValueId, ends: ValueId, axes: Option<ValueId>, steps: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Slice, vec![Some(x), Some(starts), Some(ends), axes, steps], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Slice) }
}

/// A view of [`OpKind::TensorScatter`].
#[derive(Clone, Copy)]
pub struct TensorScatter<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TensorScatter`], and names of its attributes.
pub struct TensorScatterAt { pub past_cache: usize, pub update: usize, pub write_indices: usize, pub y: usize, pub axis: AttrName<kinds::Int>, pub mode: AttrName<CacheMode> }

impl<'a> TensorScatter<'a> {
    pub const KIND: OpKind = OpKind::TensorScatter;
    pub const AT: TensorScatterAt = TensorScatterAt { past_cache: 0, update: 1, write_indices: 2, y: 0, axis: AttrName::new("axis"), mode: AttrName::new("mode") };
    #[inline] pub fn of(op: &'a Op) -> Option<TensorScatter<'a>> { view::fits(op, Self::KIND).then_some(TensorScatter(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn past_cache(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn update(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn write_indices(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr(self.0, Self::AT.axis) }
    #[inline] pub fn mode(self) -> CacheMode { view::attr(self.0, Self::AT.mode) }
}

impl TensorScatter<'static> {
    pub fn new(past_cache: ValueId, update: ValueId, write_indices: Option<ValueId>) -> New<Self> {
        view::new(OpKind::TensorScatter, vec![Some(past_cache), Some(update), write_indices], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TensorScatter) }
}

impl<O: BorrowMut<Op>> Set<TensorScatter<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put(TensorScatter::AT.axis, value) }
    #[inline] pub fn mode(self, value: CacheMode) -> Self { self.put(TensorScatter::AT.mode, value) }
}

/// A view of [`OpKind::Trilu`].
#[derive(Clone, Copy)]
pub struct Trilu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Trilu`], and names of its attributes.
pub struct TriluAt { pub x: usize, pub k: usize, pub y: usize, pub upper: AttrName<kinds::Flag> }

impl<'a> Trilu<'a> {
    pub const KIND: OpKind = OpKind::Trilu;
    pub const AT: TriluAt = TriluAt { x: 0, k: 1, y: 0, upper: AttrName::new("upper") };
    #[inline] pub fn of(op: &'a Op) -> Option<Trilu<'a>> { view::fits(op, Self::KIND).then_some(Trilu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn k(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn upper(self) -> bool { view::attr(self.0, Self::AT.upper) }
}

impl Trilu<'static> {
    pub fn new(x: ValueId, k: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Trilu, vec![Some(x), k], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Trilu) }
}

impl<O: BorrowMut<Op>> Set<Trilu<'static>, O> {
    #[inline] pub fn upper(self, value: bool) -> Self { self.put(Trilu::AT.upper, value) }
}
