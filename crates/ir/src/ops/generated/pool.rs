// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{AutoPad};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::AveragePool`].
#[derive(Clone, Copy)]
pub struct AveragePool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AveragePool`], and names of its attributes.
pub struct AveragePoolAt { pub x: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub ceil_mode: AttrName<kinds::Flag>, pub count_include_pad: AttrName<kinds::Flag>, pub dilations: AttrName<kinds::Ints>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> AveragePool<'a> {
    pub const KIND: OpKind = OpKind::AveragePool;
    pub const AT: AveragePoolAt = AveragePoolAt { x: 0, y: 0, auto_pad: AttrName::new("auto_pad"), ceil_mode: AttrName::new("ceil_mode"), count_include_pad: AttrName::new("count_include_pad"), dilations: AttrName::new("dilations"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<AveragePool<'a>> { view::fits(op, Self::KIND).then_some(AveragePool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn ceil_mode(self) -> bool { view::attr(self.0, Self::AT.ceil_mode) }
    #[inline] pub fn count_include_pad(self) -> bool { view::attr(self.0, Self::AT.count_include_pad) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn kernel_shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn rounded(self) -> super::Rounded<'a> { super::Rounded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
}

impl AveragePool<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::AveragePool, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AveragePool) }
}

impl<O: BorrowMut<Op>> Set<AveragePool<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(AveragePool::AT.auto_pad, value) }
    #[inline] pub fn ceil_mode(self, value: bool) -> Self { self.put(AveragePool::AT.ceil_mode, value) }
    #[inline] pub fn count_include_pad(self, value: bool) -> Self { self.put(AveragePool::AT.count_include_pad, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(AveragePool::AT.dilations, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(AveragePool::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(AveragePool::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(AveragePool::AT.strides, value) }
}

/// A view of [`OpKind::GlobalAveragePool`].
#[derive(Clone, Copy)]
pub struct GlobalAveragePool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GlobalAveragePool`], and names of its attributes.
pub struct GlobalAveragePoolAt { pub x: usize, pub y: usize }

impl<'a> GlobalAveragePool<'a> {
    pub const KIND: OpKind = OpKind::GlobalAveragePool;
    pub const AT: GlobalAveragePoolAt = GlobalAveragePoolAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<GlobalAveragePool<'a>> { view::fits(op, Self::KIND).then_some(GlobalAveragePool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl GlobalAveragePool<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::GlobalAveragePool, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GlobalAveragePool) }
}

/// A view of [`OpKind::GlobalLpPool`].
#[derive(Clone, Copy)]
pub struct GlobalLpPool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GlobalLpPool`], and names of its attributes.
pub struct GlobalLpPoolAt { pub x: usize, pub y: usize, pub p: AttrName<kinds::Int> }

impl<'a> GlobalLpPool<'a> {
    pub const KIND: OpKind = OpKind::GlobalLpPool;
    pub const AT: GlobalLpPoolAt = GlobalLpPoolAt { x: 0, y: 0, p: AttrName::new("p") };
    #[inline] pub fn of(op: &'a Op) -> Option<GlobalLpPool<'a>> { view::fits(op, Self::KIND).then_some(GlobalLpPool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn p(self) -> i64 { view::attr(self.0, Self::AT.p) }
}

impl GlobalLpPool<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::GlobalLpPool, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GlobalLpPool) }
}

impl<O: BorrowMut<Op>> Set<GlobalLpPool<'static>, O> {
    #[inline] pub fn p(self, value: i64) -> Self { self.put(GlobalLpPool::AT.p, value) }
}

/// A view of [`OpKind::GlobalMaxPool`].
#[derive(Clone, Copy)]
pub struct GlobalMaxPool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GlobalMaxPool`], and names of its attributes.
pub struct GlobalMaxPoolAt { pub x: usize, pub y: usize }

impl<'a> GlobalMaxPool<'a> {
    pub const KIND: OpKind = OpKind::GlobalMaxPool;
    pub const AT: GlobalMaxPoolAt = GlobalMaxPoolAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<GlobalMaxPool<'a>> { view::fits(op, Self::KIND).then_some(GlobalMaxPool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl GlobalMaxPool<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::GlobalMaxPool, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GlobalMaxPool) }
}

/// A view of [`OpKind::LpPool`].
#[derive(Clone, Copy)]
pub struct LpPool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LpPool`], and names of its attributes.
pub struct LpPoolAt { pub x: usize, pub y: usize, pub auto_pad: AttrName<AutoPad>, pub ceil_mode: AttrName<kinds::Flag>, pub dilations: AttrName<kinds::Ints>, pub kernel_shape: AttrName<kinds::Ints>, pub p: AttrName<kinds::Int>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> LpPool<'a> {
    pub const KIND: OpKind = OpKind::LpPool;
    pub const AT: LpPoolAt = LpPoolAt { x: 0, y: 0, auto_pad: AttrName::new("auto_pad"), ceil_mode: AttrName::new("ceil_mode"), dilations: AttrName::new("dilations"), kernel_shape: AttrName::new("kernel_shape"), p: AttrName::new("p"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<LpPool<'a>> { view::fits(op, Self::KIND).then_some(LpPool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn ceil_mode(self) -> bool { view::attr(self.0, Self::AT.ceil_mode) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn kernel_shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn p(self) -> i64 { view::attr(self.0, Self::AT.p) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn rounded(self) -> super::Rounded<'a> { super::Rounded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
}

impl LpPool<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LpPool, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LpPool) }
}

impl<O: BorrowMut<Op>> Set<LpPool<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(LpPool::AT.auto_pad, value) }
    #[inline] pub fn ceil_mode(self, value: bool) -> Self { self.put(LpPool::AT.ceil_mode, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(LpPool::AT.dilations, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(LpPool::AT.kernel_shape, value) }
    #[inline] pub fn p(self, value: i64) -> Self { self.put(LpPool::AT.p, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(LpPool::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(LpPool::AT.strides, value) }
}

/// A view of [`OpKind::MaxPool`].
#[derive(Clone, Copy)]
pub struct MaxPool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MaxPool`], and names of its attributes.
pub struct MaxPoolAt { pub x: usize, pub y: usize, pub indices: usize, pub auto_pad: AttrName<AutoPad>, pub ceil_mode: AttrName<kinds::Flag>, pub dilations: AttrName<kinds::Ints>, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub storage_order: AttrName<kinds::Int>, pub strides: AttrName<kinds::Ints> }

impl<'a> MaxPool<'a> {
    pub const KIND: OpKind = OpKind::MaxPool;
    pub const AT: MaxPoolAt = MaxPoolAt { x: 0, y: 0, indices: 1, auto_pad: AttrName::new("auto_pad"), ceil_mode: AttrName::new("ceil_mode"), dilations: AttrName::new("dilations"), kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), storage_order: AttrName::new("storage_order"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<MaxPool<'a>> { view::fits(op, Self::KIND).then_some(MaxPool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn indices(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn auto_pad(self) -> AutoPad { view::attr(self.0, Self::AT.auto_pad) }
    #[inline] pub fn ceil_mode(self) -> bool { view::attr(self.0, Self::AT.ceil_mode) }
    #[inline] pub fn dilations(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dilations) }
    #[inline] pub fn kernel_shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn storage_order(self) -> i64 { view::attr(self.0, Self::AT.storage_order) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
    #[inline] pub fn auto_padded(self) -> super::AutoPadded<'a> { super::AutoPadded(self.0) }
    #[inline] pub fn rounded(self) -> super::Rounded<'a> { super::Rounded(self.0) }
    #[inline] pub fn dilated(self) -> super::Dilated<'a> { super::Dilated(self.0) }
}

impl MaxPool<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::MaxPool, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MaxPool) }
}

impl<O: BorrowMut<Op>> Set<MaxPool<'static>, O> {
    #[inline] pub fn auto_pad(self, value: AutoPad) -> Self { self.put(MaxPool::AT.auto_pad, value) }
    #[inline] pub fn ceil_mode(self, value: bool) -> Self { self.put(MaxPool::AT.ceil_mode, value) }
    #[inline] pub fn dilations(self, value: Vec<i64>) -> Self { self.put(MaxPool::AT.dilations, value) }
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(MaxPool::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(MaxPool::AT.pads, value) }
    #[inline] pub fn storage_order(self, value: i64) -> Self { self.put(MaxPool::AT.storage_order, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(MaxPool::AT.strides, value) }
}

/// A view of [`OpKind::MaxRoiPool`].
#[derive(Clone, Copy)]
pub struct MaxRoiPool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MaxRoiPool`], and names of its attributes.
pub struct MaxRoiPoolAt { pub x: usize, pub rois: usize, pub y: usize, pub pooled_shape: AttrName<kinds::Ints>, pub spatial_scale: AttrName<kinds::Float> }

impl<'a> MaxRoiPool<'a> {
    pub const KIND: OpKind = OpKind::MaxRoiPool;
    pub const AT: MaxRoiPoolAt = MaxRoiPoolAt { x: 0, rois: 1, y: 0, pooled_shape: AttrName::new("pooled_shape"), spatial_scale: AttrName::new("spatial_scale") };
    #[inline] pub fn of(op: &'a Op) -> Option<MaxRoiPool<'a>> { view::fits(op, Self::KIND).then_some(MaxRoiPool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn rois(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn pooled_shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.pooled_shape) }
    #[inline] pub fn spatial_scale(self) -> f32 { view::attr(self.0, Self::AT.spatial_scale) }
}

impl MaxRoiPool<'static> {
    pub fn new(x: ValueId, rois: ValueId) -> New<Self> {
        view::new(OpKind::MaxRoiPool, vec![Some(x), Some(rois)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MaxRoiPool) }
}

impl<O: BorrowMut<Op>> Set<MaxRoiPool<'static>, O> {
    #[inline] pub fn pooled_shape(self, value: Vec<i64>) -> Self { self.put(MaxRoiPool::AT.pooled_shape, value) }
    #[inline] pub fn spatial_scale(self, value: f32) -> Self { self.put(MaxRoiPool::AT.spatial_scale, value) }
}

/// A view of [`OpKind::MaxUnpool`].
#[derive(Clone, Copy)]
pub struct MaxUnpool<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MaxUnpool`], and names of its attributes.
pub struct MaxUnpoolAt { pub x: usize, pub indices: usize, pub output_shape: usize, pub y: usize, pub kernel_shape: AttrName<kinds::Ints>, pub pads: AttrName<kinds::Ints>, pub strides: AttrName<kinds::Ints> }

impl<'a> MaxUnpool<'a> {
    pub const KIND: OpKind = OpKind::MaxUnpool;
    pub const AT: MaxUnpoolAt = MaxUnpoolAt { x: 0, indices: 1, output_shape: 2, y: 0, kernel_shape: AttrName::new("kernel_shape"), pads: AttrName::new("pads"), strides: AttrName::new("strides") };
    #[inline] pub fn of(op: &'a Op) -> Option<MaxUnpool<'a>> { view::fits(op, Self::KIND).then_some(MaxUnpool(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn indices(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn output_shape(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn kernel_shape(self) -> &'a [i64] { view::attr(self.0, Self::AT.kernel_shape) }
    #[inline] pub fn pads(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pads) }
    #[inline] pub fn strides(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.strides) }
    #[inline] pub fn window(self) -> super::Window<'a> { super::Window(self.0) }
}

impl MaxUnpool<'static> {
    pub fn new(x: ValueId, indices: ValueId, output_shape: Option<ValueId>) -> New<Self> {
        view::new(OpKind::MaxUnpool, vec![Some(x), Some(indices), output_shape], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MaxUnpool) }
}

impl<O: BorrowMut<Op>> Set<MaxUnpool<'static>, O> {
    #[inline] pub fn kernel_shape(self, value: Vec<i64>) -> Self { self.put(MaxUnpool::AT.kernel_shape, value) }
    #[inline] pub fn pads(self, value: Vec<i64>) -> Self { self.put(MaxUnpool::AT.pads, value) }
    #[inline] pub fn strides(self, value: Vec<i64>) -> Self { self.put(MaxUnpool::AT.strides, value) }
}
