// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{BlockOrder, CacheMode, PadMode, ScatterReduction};
use crate::{DType, Literal, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Constant`].
#[derive(Clone, Copy)]
pub struct Constant<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Constant`].
pub struct ConstantAt { pub output: usize }

impl<'a> Constant<'a> {
    pub const KIND: OpKind = OpKind::Constant;
    pub const AT: ConstantAt = ConstantAt { output: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Constant<'a>> { view::fits(op, Self::KIND).then_some(Constant(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn output(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn value(self) -> &'a Literal { view::attr::<kinds::Tensor>(self.0, "value") }
}

impl Constant<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Constant, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Constant) }
}

impl<O: BorrowMut<Op>> Set<Constant<'static>, O> {
    #[inline] pub fn value(self, value: Literal) -> Self { self.put::<kinds::Tensor>("value", value) }
}

/// A view of [`OpKind::ConstantOfShape`].
#[derive(Clone, Copy)]
pub struct ConstantOfShape<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ConstantOfShape`].
pub struct ConstantOfShapeAt { pub shape: usize, pub output: usize }

impl<'a> ConstantOfShape<'a> {
    pub const KIND: OpKind = OpKind::ConstantOfShape;
    pub const AT: ConstantOfShapeAt = ConstantOfShapeAt { shape: 0, output: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ConstantOfShape<'a>> { view::fits(op, Self::KIND).then_some(ConstantOfShape(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn output(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn value(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "value") }
}

impl ConstantOfShape<'static> {
    pub fn new(shape: ValueId) -> New<Self> {
        view::new(OpKind::ConstantOfShape, vec![Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ConstantOfShape) }
}

impl<O: BorrowMut<Op>> Set<ConstantOfShape<'static>, O> {
    #[inline] pub fn value(self, value: Literal) -> Self { self.put::<kinds::Tensor>("value", value) }
}

/// A view of [`OpKind::CenterCropPad`].
#[derive(Clone, Copy)]
pub struct CenterCropPad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CenterCropPad`].
pub struct CenterCropPadAt { pub x: usize, pub shape: usize, pub y: usize }

impl<'a> CenterCropPad<'a> {
    pub const KIND: OpKind = OpKind::CenterCropPad;
    pub const AT: CenterCropPadAt = CenterCropPadAt { x: 0, shape: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<CenterCropPad<'a>> { view::fits(op, Self::KIND).then_some(CenterCropPad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axes(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "axes") }
}

impl CenterCropPad<'static> {
    pub fn new(x: ValueId, shape: ValueId) -> New<Self> {
        view::new(OpKind::CenterCropPad, vec![Some(x), Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CenterCropPad) }
}

impl<O: BorrowMut<Op>> Set<CenterCropPad<'static>, O> {
    #[inline] pub fn axes(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("axes", value) }
}

/// A view of [`OpKind::Col2Im`].
#[derive(Clone, Copy)]
pub struct Col2Im<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Col2Im`].
pub struct Col2ImAt { pub x: usize, pub image_shape: usize, pub block_shape: usize, pub y: usize }

impl<'a> Col2Im<'a> {
    pub const KIND: OpKind = OpKind::Col2Im;
    pub const AT: Col2ImAt = Col2ImAt { x: 0, image_shape: 1, block_shape: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Col2Im<'a>> { view::fits(op, Self::KIND).then_some(Col2Im(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn image_shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn block_shape(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dilations") }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pads") }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "strides") }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
}

impl Col2Im<'static> {
    pub fn new(x: ValueId, image_shape: ValueId, block_shape: ValueId) -> New<Self> {
        view::new(OpKind::Col2Im, vec![Some(x), Some(image_shape), Some(block_shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Col2Im) }
}

impl<O: BorrowMut<Op>> Set<Col2Im<'static>, O> {
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dilations", value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pads", value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("strides", value) }
}

/// A view of [`OpKind::Compress`].
#[derive(Clone, Copy)]
pub struct Compress<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Compress`].
pub struct CompressAt { pub x: usize, pub condition: usize, pub y: usize }

impl<'a> Compress<'a> {
    pub const KIND: OpKind = OpKind::Compress;
    pub const AT: CompressAt = CompressAt { x: 0, condition: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Compress<'a>> { view::fits(op, Self::KIND).then_some(Compress(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "axis") }
}

impl Compress<'static> {
    pub fn new(x: ValueId, condition: ValueId) -> New<Self> {
        view::new(OpKind::Compress, vec![Some(x), Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Compress) }
}

impl<O: BorrowMut<Op>> Set<Compress<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::Concat`].
#[derive(Clone, Copy)]
pub struct Concat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Concat`].
pub struct ConcatAt { pub xs: usize, pub y: usize }

impl<'a> Concat<'a> {
    pub const KIND: OpKind = OpKind::Concat;
    pub const AT: ConcatAt = ConcatAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Concat<'a>> { view::fits(op, Self::KIND).then_some(Concat(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl Concat<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Concat, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Concat) }
}

impl<O: BorrowMut<Op>> Set<Concat<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::DepthToSpace`].
#[derive(Clone, Copy)]
pub struct DepthToSpace<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DepthToSpace`].
pub struct DepthToSpaceAt { pub x: usize, pub y: usize }

impl<'a> DepthToSpace<'a> {
    pub const KIND: OpKind = OpKind::DepthToSpace;
    pub const AT: DepthToSpaceAt = DepthToSpaceAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DepthToSpace<'a>> { view::fits(op, Self::KIND).then_some(DepthToSpace(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn blocksize(self) -> i64 { view::attr::<kinds::Int>(self.0, "blocksize") }
    #[inline] pub fn mode(self) -> BlockOrder { view::attr::<BlockOrder>(self.0, "mode") }
    #[inline] pub fn blocks(self) -> super::Blocks<'a> { super::Blocks(self.0) }
}

impl DepthToSpace<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::DepthToSpace, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DepthToSpace) }
}

impl<O: BorrowMut<Op>> Set<DepthToSpace<'static>, O> {
    #[inline] pub fn blocksize(self, value: i64) -> Self { self.put::<kinds::Int>("blocksize", value) }
    #[inline] pub fn mode(self, value: BlockOrder) -> Self { self.put::<BlockOrder>("mode", value) }
}

/// A view of [`OpKind::Expand`].
#[derive(Clone, Copy)]
pub struct Expand<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Expand`].
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

/// A view of [`OpKind::EyeLike`].
#[derive(Clone, Copy)]
pub struct EyeLike<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::EyeLike`].
pub struct EyeLikeAt { pub x: usize, pub y: usize }

impl<'a> EyeLike<'a> {
    pub const KIND: OpKind = OpKind::EyeLike;
    pub const AT: EyeLikeAt = EyeLikeAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<EyeLike<'a>> { view::fits(op, Self::KIND).then_some(EyeLike(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn dtype(self) -> Option<DType> { view::optional::<kinds::DType>(self.0, "dtype") }
    #[inline] pub fn k(self) -> i64 { view::attr::<kinds::Int>(self.0, "k") }
}

impl EyeLike<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::EyeLike, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::EyeLike) }
}

impl<O: BorrowMut<Op>> Set<EyeLike<'static>, O> {
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put::<kinds::DType>("dtype", value) }
    #[inline] pub fn k(self, value: i64) -> Self { self.put::<kinds::Int>("k", value) }
}

/// A view of [`OpKind::Flatten`].
#[derive(Clone, Copy)]
pub struct Flatten<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Flatten`].
pub struct FlattenAt { pub x: usize, pub y: usize }

impl<'a> Flatten<'a> {
    pub const KIND: OpKind = OpKind::Flatten;
    pub const AT: FlattenAt = FlattenAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Flatten<'a>> { view::fits(op, Self::KIND).then_some(Flatten(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl Flatten<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Flatten, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Flatten) }
}

impl<O: BorrowMut<Op>> Set<Flatten<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::Gather`].
#[derive(Clone, Copy)]
pub struct Gather<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Gather`].
pub struct GatherAt { pub x: usize, pub indices: usize, pub y: usize }

impl<'a> Gather<'a> {
    pub const KIND: OpKind = OpKind::Gather;
    pub const AT: GatherAt = GatherAt { x: 0, indices: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Gather<'a>> { view::fits(op, Self::KIND).then_some(Gather(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl Gather<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::Gather, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Gather) }
}

impl<O: BorrowMut<Op>> Set<Gather<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::GatherElements`].
#[derive(Clone, Copy)]
pub struct GatherElements<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GatherElements`].
pub struct GatherElementsAt { pub x: usize, pub indices: usize, pub y: usize }

impl<'a> GatherElements<'a> {
    pub const KIND: OpKind = OpKind::GatherElements;
    pub const AT: GatherElementsAt = GatherElementsAt { x: 0, indices: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<GatherElements<'a>> { view::fits(op, Self::KIND).then_some(GatherElements(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl GatherElements<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::GatherElements, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GatherElements) }
}

impl<O: BorrowMut<Op>> Set<GatherElements<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::GatherND`].
#[derive(Clone, Copy)]
pub struct GatherND<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GatherND`].
pub struct GatherNDAt { pub x: usize, pub indices: usize, pub y: usize }

impl<'a> GatherND<'a> {
    pub const KIND: OpKind = OpKind::GatherND;
    pub const AT: GatherNDAt = GatherNDAt { x: 0, indices: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<GatherND<'a>> { view::fits(op, Self::KIND).then_some(GatherND(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn batch_dims(self) -> i64 { view::attr::<kinds::Int>(self.0, "batch_dims") }
}

impl GatherND<'static> {
    pub fn new(x: ValueId, indices: ValueId) -> New<Self> {
        view::new(OpKind::GatherND, vec![Some(x), Some(indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GatherND) }
}

impl<O: BorrowMut<Op>> Set<GatherND<'static>, O> {
    #[inline] pub fn batch_dims(self, value: i64) -> Self { self.put::<kinds::Int>("batch_dims", value) }
}

/// A view of [`OpKind::NonZero`].
#[derive(Clone, Copy)]
pub struct NonZero<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NonZero`].
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

/// Places of the operands and results of [`OpKind::OneHot`].
pub struct OneHotAt { pub indices: usize, pub depth: usize, pub values: usize, pub y: usize }

impl<'a> OneHot<'a> {
    pub const KIND: OpKind = OpKind::OneHot;
    pub const AT: OneHotAt = OneHotAt { indices: 0, depth: 1, values: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<OneHot<'a>> { view::fits(op, Self::KIND).then_some(OneHot(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn depth(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn values(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
}

impl OneHot<'static> {
    pub fn new(indices: ValueId, depth: ValueId, values: ValueId) -> New<Self> {
        view::new(OpKind::OneHot, vec![Some(indices), Some(depth), Some(values)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::OneHot) }
}

impl<O: BorrowMut<Op>> Set<OneHot<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
}

/// A view of [`OpKind::Pad`].
#[derive(Clone, Copy)]
pub struct Pad<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Pad`].
pub struct PadAt { pub x: usize, pub pads: usize, pub value: usize, pub axes: usize, pub y: usize }

impl<'a> Pad<'a> {
    pub const KIND: OpKind = OpKind::Pad;
    pub const AT: PadAt = PadAt { x: 0, pads: 1, value: 2, axes: 3, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Pad<'a>> { view::fits(op, Self::KIND).then_some(Pad(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn pads(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn value(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn axes(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn mode(self) -> PadMode { view::attr::<PadMode>(self.0, "mode") }
}

impl Pad<'static> {
    pub fn new(x: ValueId, pads: ValueId, value: Option<ValueId>, axes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Pad, vec![Some(x), Some(pads), value, axes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Pad) }
}

impl<O: BorrowMut<Op>> Set<Pad<'static>, O> {
    #[inline] pub fn mode(self, value: PadMode) -> Self { self.put::<PadMode>("mode", value) }
}

/// A view of [`OpKind::Range`].
#[derive(Clone, Copy)]
pub struct Range<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Range`].
pub struct RangeAt { pub start: usize, pub limit: usize, pub delta: usize, pub y: usize }

impl<'a> Range<'a> {
    pub const KIND: OpKind = OpKind::Range;
    pub const AT: RangeAt = RangeAt { start: 0, limit: 1, delta: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Range<'a>> { view::fits(op, Self::KIND).then_some(Range(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn start(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn limit(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn delta(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn stash_type(self) -> DType { view::attr::<kinds::DType>(self.0, "stash_type") }
}

impl Range<'static> {
    pub fn new(start: ValueId, limit: ValueId, delta: ValueId) -> New<Self> {
        view::new(OpKind::Range, vec![Some(start), Some(limit), Some(delta)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Range) }
}

impl<O: BorrowMut<Op>> Set<Range<'static>, O> {
    #[inline] pub fn stash_type(self, value: DType) -> Self { self.put::<kinds::DType>("stash_type", value) }
}

/// A view of [`OpKind::Reshape`].
#[derive(Clone, Copy)]
pub struct Reshape<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Reshape`].
pub struct ReshapeAt { pub x: usize, pub shape: usize, pub y: usize }

impl<'a> Reshape<'a> {
    pub const KIND: OpKind = OpKind::Reshape;
    pub const AT: ReshapeAt = ReshapeAt { x: 0, shape: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Reshape<'a>> { view::fits(op, Self::KIND).then_some(Reshape(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn shape(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn allowzero(self) -> bool { view::attr::<kinds::Flag>(self.0, "allowzero") }
}

impl Reshape<'static> {
    pub fn new(x: ValueId, shape: ValueId) -> New<Self> {
        view::new(OpKind::Reshape, vec![Some(x), Some(shape)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Reshape) }
}

impl<O: BorrowMut<Op>> Set<Reshape<'static>, O> {
    #[inline] pub fn allowzero(self, value: bool) -> Self { self.put::<kinds::Flag>("allowzero", value) }
}

/// A view of [`OpKind::ReverseSequence`].
#[derive(Clone, Copy)]
pub struct ReverseSequence<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ReverseSequence`].
pub struct ReverseSequenceAt { pub x: usize, pub sequence_lens: usize, pub y: usize }

impl<'a> ReverseSequence<'a> {
    pub const KIND: OpKind = OpKind::ReverseSequence;
    pub const AT: ReverseSequenceAt = ReverseSequenceAt { x: 0, sequence_lens: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ReverseSequence<'a>> { view::fits(op, Self::KIND).then_some(ReverseSequence(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn sequence_lens(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn batch_axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "batch_axis") }
    #[inline] pub fn time_axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "time_axis") }
}

impl ReverseSequence<'static> {
    pub fn new(x: ValueId, sequence_lens: ValueId) -> New<Self> {
        view::new(OpKind::ReverseSequence, vec![Some(x), Some(sequence_lens)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ReverseSequence) }
}

impl<O: BorrowMut<Op>> Set<ReverseSequence<'static>, O> {
    #[inline] pub fn batch_axis(self, value: i64) -> Self { self.put::<kinds::Int>("batch_axis", value) }
    #[inline] pub fn time_axis(self, value: i64) -> Self { self.put::<kinds::Int>("time_axis", value) }
}

/// A view of [`OpKind::ScatterElements`].
#[derive(Clone, Copy)]
pub struct ScatterElements<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ScatterElements`].
pub struct ScatterElementsAt { pub x: usize, pub indices: usize, pub updates: usize, pub y: usize }

impl<'a> ScatterElements<'a> {
    pub const KIND: OpKind = OpKind::ScatterElements;
    pub const AT: ScatterElementsAt = ScatterElementsAt { x: 0, indices: 1, updates: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ScatterElements<'a>> { view::fits(op, Self::KIND).then_some(ScatterElements(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn updates(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn reduction(self) -> ScatterReduction { view::attr::<ScatterReduction>(self.0, "reduction") }
}

impl ScatterElements<'static> {
    pub fn new(x: ValueId, indices: ValueId, updates: ValueId) -> New<Self> {
        view::new(OpKind::ScatterElements, vec![Some(x), Some(indices), Some(updates)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ScatterElements) }
}

impl<O: BorrowMut<Op>> Set<ScatterElements<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn reduction(self, value: ScatterReduction) -> Self { self.put::<ScatterReduction>("reduction", value) }
}

/// A view of [`OpKind::ScatterND`].
#[derive(Clone, Copy)]
pub struct ScatterND<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ScatterND`].
pub struct ScatterNDAt { pub x: usize, pub indices: usize, pub updates: usize, pub y: usize }

impl<'a> ScatterND<'a> {
    pub const KIND: OpKind = OpKind::ScatterND;
    pub const AT: ScatterNDAt = ScatterNDAt { x: 0, indices: 1, updates: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ScatterND<'a>> { view::fits(op, Self::KIND).then_some(ScatterND(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn updates(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn reduction(self) -> ScatterReduction { view::attr::<ScatterReduction>(self.0, "reduction") }
}

impl ScatterND<'static> {
    pub fn new(x: ValueId, indices: ValueId, updates: ValueId) -> New<Self> {
        view::new(OpKind::ScatterND, vec![Some(x), Some(indices), Some(updates)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ScatterND) }
}

impl<O: BorrowMut<Op>> Set<ScatterND<'static>, O> {
    #[inline] pub fn reduction(self, value: ScatterReduction) -> Self { self.put::<ScatterReduction>("reduction", value) }
}

/// A view of [`OpKind::Shape`].
#[derive(Clone, Copy)]
pub struct Shape<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Shape`].
pub struct ShapeAt { pub x: usize, pub y: usize }

impl<'a> Shape<'a> {
    pub const KIND: OpKind = OpKind::Shape;
    pub const AT: ShapeAt = ShapeAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Shape<'a>> { view::fits(op, Self::KIND).then_some(Shape(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn start(self) -> i64 { view::attr::<kinds::Int>(self.0, "start") }
    #[inline] pub fn end(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "end") }
}

impl Shape<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Shape, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Shape) }
}

impl<O: BorrowMut<Op>> Set<Shape<'static>, O> {
    #[inline] pub fn start(self, value: i64) -> Self { self.put::<kinds::Int>("start", value) }
    #[inline] pub fn end(self, value: i64) -> Self { self.put::<kinds::Int>("end", value) }
}

/// A view of [`OpKind::Size`].
#[derive(Clone, Copy)]
pub struct Size<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Size`].
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

/// A view of [`OpKind::Slice`].
#[derive(Clone, Copy)]
pub struct Slice<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Slice`].
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

/// A view of [`OpKind::SpaceToDepth`].
#[derive(Clone, Copy)]
pub struct SpaceToDepth<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SpaceToDepth`].
pub struct SpaceToDepthAt { pub x: usize, pub y: usize }

impl<'a> SpaceToDepth<'a> {
    pub const KIND: OpKind = OpKind::SpaceToDepth;
    pub const AT: SpaceToDepthAt = SpaceToDepthAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SpaceToDepth<'a>> { view::fits(op, Self::KIND).then_some(SpaceToDepth(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn blocksize(self) -> i64 { view::attr::<kinds::Int>(self.0, "blocksize") }
    #[inline] pub fn mode(self) -> BlockOrder { view::attr::<BlockOrder>(self.0, "mode") }
    #[inline] pub fn blocks(self) -> super::Blocks<'a> { super::Blocks(self.0) }
}

impl SpaceToDepth<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SpaceToDepth, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SpaceToDepth) }
}

impl<O: BorrowMut<Op>> Set<SpaceToDepth<'static>, O> {
    #[inline] pub fn blocksize(self, value: i64) -> Self { self.put::<kinds::Int>("blocksize", value) }
    #[inline] pub fn mode(self, value: BlockOrder) -> Self { self.put::<BlockOrder>("mode", value) }
}

/// A view of [`OpKind::Split`].
#[derive(Clone, Copy)]
pub struct Split<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Split`].
pub struct SplitAt { pub x: usize, pub split: usize, pub ys: usize }

impl<'a> Split<'a> {
    pub const KIND: OpKind = OpKind::Split;
    pub const AT: SplitAt = SplitAt { x: 0, split: 1, ys: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Split<'a>> { view::fits(op, Self::KIND).then_some(Split(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn split(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn ys(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn num_outputs(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "num_outputs") }
}

impl Split<'static> {
    pub fn new(x: ValueId, split: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Split, vec![Some(x), split], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Split) }
}

impl<O: BorrowMut<Op>> Set<Split<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn num_outputs(self, value: i64) -> Self { self.put::<kinds::Int>("num_outputs", value) }
}

/// A view of [`OpKind::Squeeze`].
#[derive(Clone, Copy)]
pub struct Squeeze<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Squeeze`].
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

/// A view of [`OpKind::TensorScatter`].
#[derive(Clone, Copy)]
pub struct TensorScatter<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TensorScatter`].
pub struct TensorScatterAt { pub past_cache: usize, pub update: usize, pub write_indices: usize, pub y: usize }

impl<'a> TensorScatter<'a> {
    pub const KIND: OpKind = OpKind::TensorScatter;
    pub const AT: TensorScatterAt = TensorScatterAt { past_cache: 0, update: 1, write_indices: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<TensorScatter<'a>> { view::fits(op, Self::KIND).then_some(TensorScatter(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn past_cache(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn update(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn write_indices(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn axis(self) -> i64 { view::attr::<kinds::Int>(self.0, "axis") }
    #[inline] pub fn mode(self) -> CacheMode { view::attr::<CacheMode>(self.0, "mode") }
}

impl TensorScatter<'static> {
    pub fn new(past_cache: ValueId, update: ValueId, write_indices: Option<ValueId>) -> New<Self> {
        view::new(OpKind::TensorScatter, vec![Some(past_cache), Some(update), write_indices], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TensorScatter) }
}

impl<O: BorrowMut<Op>> Set<TensorScatter<'static>, O> {
    #[inline] pub fn axis(self, value: i64) -> Self { self.put::<kinds::Int>("axis", value) }
    #[inline] pub fn mode(self, value: CacheMode) -> Self { self.put::<CacheMode>("mode", value) }
}

/// A view of [`OpKind::Tile`].
#[derive(Clone, Copy)]
pub struct Tile<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Tile`].
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

/// Places of the operands and results of [`OpKind::Transpose`].
pub struct TransposeAt { pub x: usize, pub y: usize }

impl<'a> Transpose<'a> {
    pub const KIND: OpKind = OpKind::Transpose;
    pub const AT: TransposeAt = TransposeAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Transpose<'a>> { view::fits(op, Self::KIND).then_some(Transpose(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn perm(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "perm") }
}

impl Transpose<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Transpose, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Transpose) }
}

impl<O: BorrowMut<Op>> Set<Transpose<'static>, O> {
    #[inline] pub fn perm(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("perm", value) }
}

/// A view of [`OpKind::Trilu`].
#[derive(Clone, Copy)]
pub struct Trilu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Trilu`].
pub struct TriluAt { pub x: usize, pub k: usize, pub y: usize }

impl<'a> Trilu<'a> {
    pub const KIND: OpKind = OpKind::Trilu;
    pub const AT: TriluAt = TriluAt { x: 0, k: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Trilu<'a>> { view::fits(op, Self::KIND).then_some(Trilu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn k(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn upper(self) -> bool { view::attr::<kinds::Flag>(self.0, "upper") }
}

impl Trilu<'static> {
    pub fn new(x: ValueId, k: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Trilu, vec![Some(x), k], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Trilu) }
}

impl<O: BorrowMut<Op>> Set<Trilu<'static>, O> {
    #[inline] pub fn upper(self, value: bool) -> Self { self.put::<kinds::Flag>("upper", value) }
}

/// A view of [`OpKind::Unsqueeze`].
#[derive(Clone, Copy)]
pub struct Unsqueeze<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Unsqueeze`].
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

/// A view of [`OpKind::Identity`].
#[derive(Clone, Copy)]
pub struct Identity<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Identity`].
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
