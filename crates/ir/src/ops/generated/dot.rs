// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Dot`].
#[derive(Clone, Copy)]
pub struct Dot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Dot`].
pub struct DotAt { pub a: usize, pub b: usize, pub c: usize, pub y: usize }

impl<'a> Dot<'a> {
    pub const KIND: OpKind = OpKind::Dot;
    pub const AT: DotAt = DotAt { a: 0, b: 1, c: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Dot<'a>> { view::fits(op, Self::KIND).then_some(Dot(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn precision(self) -> &'a str { view::attr::<kinds::Str>(self.0, "precision") }
}

impl Dot<'static> {
    pub fn new(a: ValueId, b: ValueId, c: ValueId) -> New<Self> {
        view::new(OpKind::Dot, vec![Some(a), Some(b), Some(c)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Dot) }
}

impl<O: BorrowMut<Op>> Set<Dot<'static>, O> {
    #[inline] pub fn precision(self, value: String) -> Self { self.put::<kinds::Str>("precision", value) }
}

/// A view of [`OpKind::DotScaled`].
#[derive(Clone, Copy)]
pub struct DotScaled<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DotScaled`].
pub struct DotScaledAt { pub a: usize, pub b: usize, pub c: usize, pub a_scale: usize, pub b_scale: usize, pub y: usize }

impl<'a> DotScaled<'a> {
    pub const KIND: OpKind = OpKind::DotScaled;
    pub const AT: DotScaledAt = DotScaledAt { a: 0, b: 1, c: 2, a_scale: 3, b_scale: 4, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DotScaled<'a>> { view::fits(op, Self::KIND).then_some(DotScaled(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn a_scale(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn b_scale(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn a_format(self) -> &'a str { view::attr::<kinds::Str>(self.0, "a_format") }
    #[inline] pub fn b_format(self) -> &'a str { view::attr::<kinds::Str>(self.0, "b_format") }
    #[inline] pub fn a_k_pack(self) -> bool { view::attr::<kinds::Flag>(self.0, "a_k_pack") }
    #[inline] pub fn b_k_pack(self) -> bool { view::attr::<kinds::Flag>(self.0, "b_k_pack") }
    #[inline] pub fn fast_math(self) -> bool { view::attr::<kinds::Flag>(self.0, "fast_math") }
}

impl DotScaled<'static> {
    pub fn new(a: ValueId, b: ValueId, c: ValueId, a_scale: Option<ValueId>, b_scale: Option<ValueId>) -> New<Self> {
        view::new(OpKind::DotScaled, vec![Some(a), Some(b), Some(c), a_scale, b_scale], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DotScaled) }
}

impl<O: BorrowMut<Op>> Set<DotScaled<'static>, O> {
    #[inline] pub fn a_format(self, value: String) -> Self { self.put::<kinds::Str>("a_format", value) }
    #[inline] pub fn b_format(self, value: String) -> Self { self.put::<kinds::Str>("b_format", value) }
    #[inline] pub fn a_k_pack(self, value: bool) -> Self { self.put::<kinds::Flag>("a_k_pack", value) }
    #[inline] pub fn b_k_pack(self, value: bool) -> Self { self.put::<kinds::Flag>("b_k_pack", value) }
    #[inline] pub fn fast_math(self, value: bool) -> Self { self.put::<kinds::Flag>("fast_math", value) }
}
