// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{ShiftDirection};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::And`].
#[derive(Clone, Copy)]
pub struct And<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::And`], and names of its attributes.
pub struct AndAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> And<'a> {
    pub const KIND: OpKind = OpKind::And;
    pub const AT: AndAt = AndAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<And<'a>> { view::fits(op, Self::KIND).then_some(And(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl And<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::And, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::And) }
}

/// A view of [`OpKind::Or`].
#[derive(Clone, Copy)]
pub struct Or<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Or`], and names of its attributes.
pub struct OrAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Or<'a> {
    pub const KIND: OpKind = OpKind::Or;
    pub const AT: OrAt = OrAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Or<'a>> { view::fits(op, Self::KIND).then_some(Or(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Or<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Or, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Or) }
}

/// A view of [`OpKind::Xor`].
#[derive(Clone, Copy)]
pub struct Xor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Xor`], and names of its attributes.
pub struct XorAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Xor<'a> {
    pub const KIND: OpKind = OpKind::Xor;
    pub const AT: XorAt = XorAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Xor<'a>> { view::fits(op, Self::KIND).then_some(Xor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Xor<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Xor, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Xor) }
}

/// A view of [`OpKind::Not`].
#[derive(Clone, Copy)]
pub struct Not<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Not`], and names of its attributes.
pub struct NotAt { pub x: usize, pub y: usize }

impl<'a> Not<'a> {
    pub const KIND: OpKind = OpKind::Not;
    pub const AT: NotAt = NotAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Not<'a>> { view::fits(op, Self::KIND).then_some(Not(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Not<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Not, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Not) }
}

/// A view of [`OpKind::Equal`].
#[derive(Clone, Copy)]
pub struct Equal<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Equal`], and names of its attributes.
pub struct EqualAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Equal<'a> {
    pub const KIND: OpKind = OpKind::Equal;
    pub const AT: EqualAt = EqualAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Equal<'a>> { view::fits(op, Self::KIND).then_some(Equal(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Equal<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Equal, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Equal) }
}

/// A view of [`OpKind::Greater`].
#[derive(Clone, Copy)]
pub struct Greater<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Greater`], and names of its attributes.
pub struct GreaterAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Greater<'a> {
    pub const KIND: OpKind = OpKind::Greater;
    pub const AT: GreaterAt = GreaterAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Greater<'a>> { view::fits(op, Self::KIND).then_some(Greater(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Greater<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Greater, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Greater) }
}

/// A view of [`OpKind::GreaterOrEqual`].
#[derive(Clone, Copy)]
pub struct GreaterOrEqual<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GreaterOrEqual`], and names of its attributes.
pub struct GreaterOrEqualAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> GreaterOrEqual<'a> {
    pub const KIND: OpKind = OpKind::GreaterOrEqual;
    pub const AT: GreaterOrEqualAt = GreaterOrEqualAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<GreaterOrEqual<'a>> { view::fits(op, Self::KIND).then_some(GreaterOrEqual(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl GreaterOrEqual<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::GreaterOrEqual, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GreaterOrEqual) }
}

/// A view of [`OpKind::Less`].
#[derive(Clone, Copy)]
pub struct Less<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Less`], and names of its attributes.
pub struct LessAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Less<'a> {
    pub const KIND: OpKind = OpKind::Less;
    pub const AT: LessAt = LessAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Less<'a>> { view::fits(op, Self::KIND).then_some(Less(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Less<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Less, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Less) }
}

/// A view of [`OpKind::LessOrEqual`].
#[derive(Clone, Copy)]
pub struct LessOrEqual<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LessOrEqual`], and names of its attributes.
pub struct LessOrEqualAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> LessOrEqual<'a> {
    pub const KIND: OpKind = OpKind::LessOrEqual;
    pub const AT: LessOrEqualAt = LessOrEqualAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LessOrEqual<'a>> { view::fits(op, Self::KIND).then_some(LessOrEqual(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl LessOrEqual<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::LessOrEqual, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LessOrEqual) }
}

/// A view of [`OpKind::Where`].
#[derive(Clone, Copy)]
pub struct Where<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Where`], and names of its attributes.
pub struct WhereAt { pub condition: usize, pub x: usize, pub y: usize, pub output: usize }

impl<'a> Where<'a> {
    pub const KIND: OpKind = OpKind::Where;
    pub const AT: WhereAt = WhereAt { condition: 0, x: 1, y: 2, output: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Where<'a>> { view::fits(op, Self::KIND).then_some(Where(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn output(self) -> Option<ValueId> { self.0.output(0) }
}

impl Where<'static> {
    pub fn new(condition: ValueId, x: ValueId, y: ValueId) -> New<Self> {
        view::new(OpKind::Where, vec![Some(condition), Some(x), Some(y)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Where) }
}

/// A view of [`OpKind::IsInf`].
#[derive(Clone, Copy)]
pub struct IsInf<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::IsInf`], and names of its attributes.
pub struct IsInfAt { pub x: usize, pub y: usize, pub detect_negative: AttrName<kinds::Flag>, pub detect_positive: AttrName<kinds::Flag> }

impl<'a> IsInf<'a> {
    pub const KIND: OpKind = OpKind::IsInf;
    pub const AT: IsInfAt = IsInfAt { x: 0, y: 0, detect_negative: AttrName::new("detect_negative"), detect_positive: AttrName::new("detect_positive") };
    #[inline] pub fn of(op: &'a Op) -> Option<IsInf<'a>> { view::fits(op, Self::KIND).then_some(IsInf(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn detect_negative(self) -> bool { view::attr(self.0, Self::AT.detect_negative) }
    #[inline] pub fn detect_positive(self) -> bool { view::attr(self.0, Self::AT.detect_positive) }
}

impl IsInf<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::IsInf, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::IsInf) }
}

impl<O: BorrowMut<Op>> Set<IsInf<'static>, O> {
    #[inline] pub fn detect_negative(self, value: bool) -> Self { self.put(IsInf::AT.detect_negative, value) }
    #[inline] pub fn detect_positive(self, value: bool) -> Self { self.put(IsInf::AT.detect_positive, value) }
}

/// A view of [`OpKind::IsNaN`].
#[derive(Clone, Copy)]
pub struct IsNaN<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::IsNaN`], and names of its attributes.
pub struct IsNaNAt { pub x: usize, pub y: usize }

impl<'a> IsNaN<'a> {
    pub const KIND: OpKind = OpKind::IsNaN;
    pub const AT: IsNaNAt = IsNaNAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<IsNaN<'a>> { view::fits(op, Self::KIND).then_some(IsNaN(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl IsNaN<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::IsNaN, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::IsNaN) }
}

/// A view of [`OpKind::BitShift`].
#[derive(Clone, Copy)]
pub struct BitShift<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitShift`], and names of its attributes.
pub struct BitShiftAt { pub x: usize, pub y: usize, pub z: usize, pub direction: AttrName<ShiftDirection> }

impl<'a> BitShift<'a> {
    pub const KIND: OpKind = OpKind::BitShift;
    pub const AT: BitShiftAt = BitShiftAt { x: 0, y: 1, z: 0, direction: AttrName::new("direction") };
    #[inline] pub fn of(op: &'a Op) -> Option<BitShift<'a>> { view::fits(op, Self::KIND).then_some(BitShift(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn direction(self) -> ShiftDirection { view::attr(self.0, Self::AT.direction) }
}

impl BitShift<'static> {
    pub fn new(x: ValueId, y: ValueId) -> New<Self> {
        view::new(OpKind::BitShift, vec![Some(x), Some(y)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitShift) }
}

impl<O: BorrowMut<Op>> Set<BitShift<'static>, O> {
    #[inline] pub fn direction(self, value: ShiftDirection) -> Self { self.put(BitShift::AT.direction, value) }
}

/// A view of [`OpKind::BitwiseAnd`].
#[derive(Clone, Copy)]
pub struct BitwiseAnd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseAnd`], and names of its attributes.
pub struct BitwiseAndAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> BitwiseAnd<'a> {
    pub const KIND: OpKind = OpKind::BitwiseAnd;
    pub const AT: BitwiseAndAt = BitwiseAndAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BitwiseAnd<'a>> { view::fits(op, Self::KIND).then_some(BitwiseAnd(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl BitwiseAnd<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::BitwiseAnd, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitwiseAnd) }
}

/// A view of [`OpKind::BitwiseNot`].
#[derive(Clone, Copy)]
pub struct BitwiseNot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseNot`], and names of its attributes.
pub struct BitwiseNotAt { pub x: usize, pub y: usize }

impl<'a> BitwiseNot<'a> {
    pub const KIND: OpKind = OpKind::BitwiseNot;
    pub const AT: BitwiseNotAt = BitwiseNotAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BitwiseNot<'a>> { view::fits(op, Self::KIND).then_some(BitwiseNot(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl BitwiseNot<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::BitwiseNot, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitwiseNot) }
}

/// A view of [`OpKind::BitwiseOr`].
#[derive(Clone, Copy)]
pub struct BitwiseOr<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseOr`], and names of its attributes.
pub struct BitwiseOrAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> BitwiseOr<'a> {
    pub const KIND: OpKind = OpKind::BitwiseOr;
    pub const AT: BitwiseOrAt = BitwiseOrAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BitwiseOr<'a>> { view::fits(op, Self::KIND).then_some(BitwiseOr(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl BitwiseOr<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::BitwiseOr, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitwiseOr) }
}

/// A view of [`OpKind::BitwiseXor`].
#[derive(Clone, Copy)]
pub struct BitwiseXor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseXor`], and names of its attributes.
pub struct BitwiseXorAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> BitwiseXor<'a> {
    pub const KIND: OpKind = OpKind::BitwiseXor;
    pub const AT: BitwiseXorAt = BitwiseXorAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BitwiseXor<'a>> { view::fits(op, Self::KIND).then_some(BitwiseXor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl BitwiseXor<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::BitwiseXor, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitwiseXor) }
}
