// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{FloatRounding, ScaleRounding};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Abs`].
#[derive(Clone, Copy)]
pub struct Abs<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Abs`], and names of its attributes.
pub struct AbsAt { pub x: usize, pub y: usize }

impl<'a> Abs<'a> {
    pub const KIND: OpKind = OpKind::Abs;
    pub const AT: AbsAt = AbsAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Abs<'a>> { view::fits(op, Self::KIND).then_some(Abs(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Abs<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Abs, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Abs) }
}

/// A view of [`OpKind::Neg`].
#[derive(Clone, Copy)]
pub struct Neg<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Neg`], and names of its attributes.
pub struct NegAt { pub x: usize, pub y: usize }

impl<'a> Neg<'a> {
    pub const KIND: OpKind = OpKind::Neg;
    pub const AT: NegAt = NegAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Neg<'a>> { view::fits(op, Self::KIND).then_some(Neg(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Neg<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Neg, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Neg) }
}

/// A view of [`OpKind::Sign`].
#[derive(Clone, Copy)]
pub struct Sign<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sign`], and names of its attributes.
pub struct SignAt { pub x: usize, pub y: usize }

impl<'a> Sign<'a> {
    pub const KIND: OpKind = OpKind::Sign;
    pub const AT: SignAt = SignAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sign<'a>> { view::fits(op, Self::KIND).then_some(Sign(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sign<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Sign, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sign) }
}

/// A view of [`OpKind::Add`].
#[derive(Clone, Copy)]
pub struct Add<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Add`], and names of its attributes.
pub struct AddAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Add<'a> {
    pub const KIND: OpKind = OpKind::Add;
    pub const AT: AddAt = AddAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Add<'a>> { view::fits(op, Self::KIND).then_some(Add(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Add<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Add, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Add) }
}

/// A view of [`OpKind::Sub`].
#[derive(Clone, Copy)]
pub struct Sub<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sub`], and names of its attributes.
pub struct SubAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Sub<'a> {
    pub const KIND: OpKind = OpKind::Sub;
    pub const AT: SubAt = SubAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sub<'a>> { view::fits(op, Self::KIND).then_some(Sub(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sub<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Sub, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sub) }
}

/// A view of [`OpKind::Mul`].
#[derive(Clone, Copy)]
pub struct Mul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mul`], and names of its attributes.
pub struct MulAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Mul<'a> {
    pub const KIND: OpKind = OpKind::Mul;
    pub const AT: MulAt = MulAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Mul<'a>> { view::fits(op, Self::KIND).then_some(Mul(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Mul<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Mul, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Mul) }
}

/// A view of [`OpKind::Div`].
#[derive(Clone, Copy)]
pub struct Div<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Div`], and names of its attributes.
pub struct DivAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Div<'a> {
    pub const KIND: OpKind = OpKind::Div;
    pub const AT: DivAt = DivAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Div<'a>> { view::fits(op, Self::KIND).then_some(Div(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl Div<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Div, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Div) }
}

/// A view of [`OpKind::Mod`].
#[derive(Clone, Copy)]
pub struct Mod<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mod`], and names of its attributes.
pub struct ModAt { pub a: usize, pub b: usize, pub c: usize, pub fmod: AttrName<kinds::Flag> }

impl<'a> Mod<'a> {
    pub const KIND: OpKind = OpKind::Mod;
    pub const AT: ModAt = ModAt { a: 0, b: 1, c: 0, fmod: AttrName::new("fmod") };
    #[inline] pub fn of(op: &'a Op) -> Option<Mod<'a>> { view::fits(op, Self::KIND).then_some(Mod(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn fmod(self) -> bool { view::attr(self.0, Self::AT.fmod) }
}

impl Mod<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Mod, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Mod) }
}

impl<O: BorrowMut<Op>> Set<Mod<'static>, O> {
    #[inline] pub fn fmod(self, value: bool) -> Self { self.put(Mod::AT.fmod, value) }
}

/// A view of [`OpKind::Fma`].
#[derive(Clone, Copy)]
pub struct Fma<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Fma`], and names of its attributes.
pub struct FmaAt { pub a: usize, pub b: usize, pub c: usize, pub y: usize }

impl<'a> Fma<'a> {
    pub const KIND: OpKind = OpKind::Fma;
    pub const AT: FmaAt = FmaAt { a: 0, b: 1, c: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Fma<'a>> { view::fits(op, Self::KIND).then_some(Fma(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Fma<'static> {
    pub fn new(a: ValueId, b: ValueId, c: ValueId) -> New<Self> {
        view::new(OpKind::Fma, vec![Some(a), Some(b), Some(c)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Fma) }
}

/// A view of [`OpKind::Max`].
#[derive(Clone, Copy)]
pub struct Max<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Max`], and names of its attributes.
pub struct MaxAt { pub xs: usize, pub y: usize }

impl<'a> Max<'a> {
    pub const KIND: OpKind = OpKind::Max;
    pub const AT: MaxAt = MaxAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Max<'a>> { view::fits(op, Self::KIND).then_some(Max(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Max<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Max, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Max) }
}

/// A view of [`OpKind::MaxNum`].
#[derive(Clone, Copy)]
pub struct MaxNum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MaxNum`], and names of its attributes.
pub struct MaxNumAt { pub a: usize, pub b: usize, pub c: usize, pub signed_zeros: AttrName<kinds::Flag> }

impl<'a> MaxNum<'a> {
    pub const KIND: OpKind = OpKind::MaxNum;
    pub const AT: MaxNumAt = MaxNumAt { a: 0, b: 1, c: 0, signed_zeros: AttrName::new("signed_zeros") };
    #[inline] pub fn of(op: &'a Op) -> Option<MaxNum<'a>> { view::fits(op, Self::KIND).then_some(MaxNum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn signed_zeros(self) -> bool { view::attr(self.0, Self::AT.signed_zeros) }
}

impl MaxNum<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::MaxNum, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MaxNum) }
}

impl<O: BorrowMut<Op>> Set<MaxNum<'static>, O> {
    #[inline] pub fn signed_zeros(self, value: bool) -> Self { self.put(MaxNum::AT.signed_zeros, value) }
}

/// A view of [`OpKind::Min`].
#[derive(Clone, Copy)]
pub struct Min<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Min`], and names of its attributes.
pub struct MinAt { pub xs: usize, pub y: usize }

impl<'a> Min<'a> {
    pub const KIND: OpKind = OpKind::Min;
    pub const AT: MinAt = MinAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Min<'a>> { view::fits(op, Self::KIND).then_some(Min(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Min<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Min, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Min) }
}

/// A view of [`OpKind::MinNum`].
#[derive(Clone, Copy)]
pub struct MinNum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MinNum`], and names of its attributes.
pub struct MinNumAt { pub a: usize, pub b: usize, pub c: usize, pub signed_zeros: AttrName<kinds::Flag> }

impl<'a> MinNum<'a> {
    pub const KIND: OpKind = OpKind::MinNum;
    pub const AT: MinNumAt = MinNumAt { a: 0, b: 1, c: 0, signed_zeros: AttrName::new("signed_zeros") };
    #[inline] pub fn of(op: &'a Op) -> Option<MinNum<'a>> { view::fits(op, Self::KIND).then_some(MinNum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn signed_zeros(self) -> bool { view::attr(self.0, Self::AT.signed_zeros) }
}

impl MinNum<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::MinNum, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MinNum) }
}

impl<O: BorrowMut<Op>> Set<MinNum<'static>, O> {
    #[inline] pub fn signed_zeros(self, value: bool) -> Self { self.put(MinNum::AT.signed_zeros, value) }
}

/// A view of [`OpKind::MulHigh`].
#[derive(Clone, Copy)]
pub struct MulHigh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MulHigh`], and names of its attributes.
pub struct MulHighAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> MulHigh<'a> {
    pub const KIND: OpKind = OpKind::MulHigh;
    pub const AT: MulHighAt = MulHighAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MulHigh<'a>> { view::fits(op, Self::KIND).then_some(MulHigh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
}

impl MulHigh<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::MulHigh, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MulHigh) }
}

/// A view of [`OpKind::Clamp`].
#[derive(Clone, Copy)]
pub struct Clamp<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Clamp`], and names of its attributes.
pub struct ClampAt { pub x: usize, pub low: usize, pub high: usize, pub y: usize, pub propagate_nan: AttrName<kinds::Flag> }

impl<'a> Clamp<'a> {
    pub const KIND: OpKind = OpKind::Clamp;
    pub const AT: ClampAt = ClampAt { x: 0, low: 1, high: 2, y: 0, propagate_nan: AttrName::new("propagate_nan") };
    #[inline] pub fn of(op: &'a Op) -> Option<Clamp<'a>> { view::fits(op, Self::KIND).then_some(Clamp(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn low(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn high(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn propagate_nan(self) -> bool { view::attr(self.0, Self::AT.propagate_nan) }
}

impl Clamp<'static> {
    pub fn new(x: ValueId, low: ValueId, high: ValueId) -> New<Self> {
        view::new(OpKind::Clamp, vec![Some(x), Some(low), Some(high)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Clamp) }
}

impl<O: BorrowMut<Op>> Set<Clamp<'static>, O> {
    #[inline] pub fn propagate_nan(self, value: bool) -> Self { self.put(Clamp::AT.propagate_nan, value) }
}

/// A view of [`OpKind::Clip`].
#[derive(Clone, Copy)]
pub struct Clip<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Clip`], and names of its attributes.
pub struct ClipAt { pub x: usize, pub min: usize, pub max: usize, pub y: usize }

impl<'a> Clip<'a> {
    pub const KIND: OpKind = OpKind::Clip;
    pub const AT: ClipAt = ClipAt { x: 0, min: 1, max: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Clip<'a>> { view::fits(op, Self::KIND).then_some(Clip(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn min(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn max(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Clip<'static> {
    pub fn new(x: ValueId, min: Option<ValueId>, max: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Clip, vec![Some(x), min, max], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Clip) }
}

/// A view of [`OpKind::Sum`].
#[derive(Clone, Copy)]
pub struct Sum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sum`], and names of its attributes.
pub struct SumAt { pub xs: usize, pub y: usize }

impl<'a> Sum<'a> {
    pub const KIND: OpKind = OpKind::Sum;
    pub const AT: SumAt = SumAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sum<'a>> { view::fits(op, Self::KIND).then_some(Sum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sum<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Sum, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sum) }
}

/// A view of [`OpKind::Mean`].
#[derive(Clone, Copy)]
pub struct Mean<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mean`], and names of its attributes.
pub struct MeanAt { pub xs: usize, pub y: usize }

impl<'a> Mean<'a> {
    pub const KIND: OpKind = OpKind::Mean;
    pub const AT: MeanAt = MeanAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Mean<'a>> { view::fits(op, Self::KIND).then_some(Mean(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Mean<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Mean, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Mean) }
}

/// A view of [`OpKind::Ceil`].
#[derive(Clone, Copy)]
pub struct Ceil<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Ceil`], and names of its attributes.
pub struct CeilAt { pub x: usize, pub y: usize }

impl<'a> Ceil<'a> {
    pub const KIND: OpKind = OpKind::Ceil;
    pub const AT: CeilAt = CeilAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Ceil<'a>> { view::fits(op, Self::KIND).then_some(Ceil(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Ceil<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Ceil, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Ceil) }
}

/// A view of [`OpKind::Floor`].
#[derive(Clone, Copy)]
pub struct Floor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Floor`], and names of its attributes.
pub struct FloorAt { pub x: usize, pub y: usize }

impl<'a> Floor<'a> {
    pub const KIND: OpKind = OpKind::Floor;
    pub const AT: FloorAt = FloorAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Floor<'a>> { view::fits(op, Self::KIND).then_some(Floor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Floor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Floor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Floor) }
}

/// A view of [`OpKind::Round`].
#[derive(Clone, Copy)]
pub struct Round<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Round`], and names of its attributes.
pub struct RoundAt { pub x: usize, pub y: usize }

impl<'a> Round<'a> {
    pub const KIND: OpKind = OpKind::Round;
    pub const AT: RoundAt = RoundAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Round<'a>> { view::fits(op, Self::KIND).then_some(Round(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Round<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Round, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Round) }
}

/// A view of [`OpKind::Cast`].
#[derive(Clone, Copy)]
pub struct Cast<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Cast`], and names of its attributes.
pub struct CastAt { pub x: usize, pub y: usize, pub to: AttrName<kinds::DType>, pub saturate: AttrName<kinds::Flag>, pub round_mode: AttrName<ScaleRounding>, pub rounding: AttrName<FloatRounding> }

impl<'a> Cast<'a> {
    pub const KIND: OpKind = OpKind::Cast;
    pub const AT: CastAt = CastAt { x: 0, y: 0, to: AttrName::new("to"), saturate: AttrName::new("saturate"), round_mode: AttrName::new("round_mode"), rounding: AttrName::new("rounding") };
    #[inline] pub fn of(op: &'a Op) -> Option<Cast<'a>> { view::fits(op, Self::KIND).then_some(Cast(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn to(self) -> DType { view::attr(self.0, Self::AT.to) }
    #[inline] pub fn saturate(self) -> bool { view::attr(self.0, Self::AT.saturate) }
    #[inline] pub fn round_mode(self) -> ScaleRounding { view::attr(self.0, Self::AT.round_mode) }
    #[inline] pub fn rounding(self) -> FloatRounding { view::attr(self.0, Self::AT.rounding) }
}

impl Cast<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Cast, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Cast) }
}

impl<O: BorrowMut<Op>> Set<Cast<'static>, O> {
    #[inline] pub fn to(self, value: DType) -> Self { self.put(Cast::AT.to, value) }
    #[inline] pub fn saturate(self, value: bool) -> Self { self.put(Cast::AT.saturate, value) }
    #[inline] pub fn round_mode(self, value: ScaleRounding) -> Self { self.put(Cast::AT.round_mode, value) }
    #[inline] pub fn rounding(self, value: FloatRounding) -> Self { self.put(Cast::AT.rounding, value) }
}

/// A view of [`OpKind::BitCast`].
#[derive(Clone, Copy)]
pub struct BitCast<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitCast`], and names of its attributes.
pub struct BitCastAt { pub x: usize, pub y: usize, pub to: AttrName<kinds::DType> }

impl<'a> BitCast<'a> {
    pub const KIND: OpKind = OpKind::BitCast;
    pub const AT: BitCastAt = BitCastAt { x: 0, y: 0, to: AttrName::new("to") };
    #[inline] pub fn of(op: &'a Op) -> Option<BitCast<'a>> { view::fits(op, Self::KIND).then_some(BitCast(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn to(self) -> DType { view::attr(self.0, Self::AT.to) }
}

impl BitCast<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::BitCast, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitCast) }
}

impl<O: BorrowMut<Op>> Set<BitCast<'static>, O> {
    #[inline] pub fn to(self, value: DType) -> Self { self.put(BitCast::AT.to, value) }
}
