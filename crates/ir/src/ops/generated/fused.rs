// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::view::{self, New, Set};
use crate::{Op, OpKind, ValueId};

/// A view of [`OpKind::Fused`].
#[derive(Clone, Copy)]
pub struct Fused<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Fused`].
pub struct FusedAt { pub xs: usize, pub y: usize }

impl<'a> Fused<'a> {
    pub const KIND: OpKind = OpKind::Fused;
    pub const AT: FusedAt = FusedAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Fused<'a>> { view::fits(op, Self::KIND).then_some(Fused(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Fused<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Fused, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Fused) }
}
