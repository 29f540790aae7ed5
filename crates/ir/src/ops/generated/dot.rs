// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{DotPrecision, ScaledFormat};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Dot`].
#[derive(Clone, Copy)]
pub struct Dot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Dot`], and names of its attributes.
pub struct DotAt { pub a: usize, pub b: usize, pub c: usize, pub y: usize, pub precision: AttrName<DotPrecision> }

impl<'a> Dot<'a> {
    pub const KIND: OpKind = OpKind::Dot;
    pub const AT: DotAt = DotAt { a: 0, b: 1, c: 2, y: 0, precision: AttrName::new("precision") };
    #[inline] pub fn of(op: &'a Op) -> Option<Dot<'a>> { view::fits(op, Self::KIND).then_some(Dot(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn precision(self) -> DotPrecision { view::attr(self.0, Self::AT.precision) }
}

impl Dot<'static> {
    pub fn new(a: ValueId, b: ValueId, c: ValueId) -> New<Self> {
        view::new(OpKind::Dot, vec![Some(a), Some(b), Some(c)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Dot) }
}

impl<O: BorrowMut<Op>> Set<Dot<'static>, O> {
    #[inline] pub fn precision(self, value: DotPrecision) -> Self { self.put(Dot::AT.precision, value) }
}

/// A view of [`OpKind::DotScaled`].
#[derive(Clone, Copy)]
pub struct DotScaled<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DotScaled`], and names of its attributes.
pub struct DotScaledAt { pub a: usize, pub b: usize, pub c: usize, pub a_scale: usize, pub b_scale: usize, pub y: usize, pub a_format: AttrName<ScaledFormat>, pub b_format: AttrName<ScaledFormat>, pub a_k_pack: AttrName<kinds::Flag>, pub b_k_pack: AttrName<kinds::Flag>, pub fast_math: AttrName<kinds::Flag> }

impl<'a> DotScaled<'a> {
    pub const KIND: OpKind = OpKind::DotScaled;
    pub const AT: DotScaledAt = DotScaledAt { a: 0, b: 1, c: 2, a_scale: 3, b_scale: 4, y: 0, a_format: AttrName::new("a_format"), b_format: AttrName::new("b_format"), a_k_pack: AttrName::new("a_k_pack"), b_k_pack: AttrName::new("b_k_pack"), fast_math: AttrName::new("fast_math") };
    #[inline] pub fn of(op: &'a Op) -> Option<DotScaled<'a>> { view::fits(op, Self::KIND).then_some(DotScaled(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn a_scale(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn b_scale(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn a_format(self) -> ScaledFormat { view::attr(self.0, Self::AT.a_format) }
    #[inline] pub fn b_format(self) -> ScaledFormat { view::attr(self.0, Self::AT.b_format) }
    #[inline] pub fn a_k_pack(self) -> bool { view::attr(self.0, Self::AT.a_k_pack) }
    #[inline] pub fn b_k_pack(self) -> bool { view::attr(self.0, Self::AT.b_k_pack) }
    #[inline] pub fn fast_math(self) -> bool { view::attr(self.0, Self::AT.fast_math) }
}

impl DotScaled<'static> {
    pub fn new(a: ValueId, b: ValueId, c: ValueId, a_scale: Option<ValueId>, b_scale: Option<ValueId>) -> New<Self> {
        view::new(OpKind::DotScaled, vec![Some(a), Some(b), Some(c), a_scale, b_scale], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DotScaled) }
}

impl<O: BorrowMut<Op>> Set<DotScaled<'static>, O> {
    #[inline] pub fn a_format(self, value: ScaledFormat) -> Self { self.put(DotScaled::AT.a_format, value) }
    #[inline] pub fn b_format(self, value: ScaledFormat) -> Self { self.put(DotScaled::AT.b_format, value) }
    #[inline] pub fn a_k_pack(self, value: bool) -> Self { self.put(DotScaled::AT.a_k_pack, value) }
    #[inline] pub fn b_k_pack(self, value: bool) -> Self { self.put(DotScaled::AT.b_k_pack, value) }
    #[inline] pub fn fast_math(self, value: bool) -> Self { self.put(DotScaled::AT.fast_math, value) }
}
