// Generated from the op table by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{FloatRounding, GeluFormula, ScaleRounding, ShiftDirection};
use crate::{DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Abs`].
#[derive(Clone, Copy)]
pub struct Abs<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Abs`].
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

/// A view of [`OpKind::Acos`].
#[derive(Clone, Copy)]
pub struct Acos<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Acos`].
pub struct AcosAt { pub x: usize, pub y: usize }

impl<'a> Acos<'a> {
    pub const KIND: OpKind = OpKind::Acos;
    pub const AT: AcosAt = AcosAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Acos<'a>> { view::fits(op, Self::KIND).then_some(Acos(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Acos<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Acos, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Acos) }
}

/// A view of [`OpKind::Acosh`].
#[derive(Clone, Copy)]
pub struct Acosh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Acosh`].
pub struct AcoshAt { pub x: usize, pub y: usize }

impl<'a> Acosh<'a> {
    pub const KIND: OpKind = OpKind::Acosh;
    pub const AT: AcoshAt = AcoshAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Acosh<'a>> { view::fits(op, Self::KIND).then_some(Acosh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Acosh<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Acosh, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Acosh) }
}

/// A view of [`OpKind::Asin`].
#[derive(Clone, Copy)]
pub struct Asin<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Asin`].
pub struct AsinAt { pub x: usize, pub y: usize }

impl<'a> Asin<'a> {
    pub const KIND: OpKind = OpKind::Asin;
    pub const AT: AsinAt = AsinAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Asin<'a>> { view::fits(op, Self::KIND).then_some(Asin(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Asin<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Asin, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Asin) }
}

/// A view of [`OpKind::Asinh`].
#[derive(Clone, Copy)]
pub struct Asinh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Asinh`].
pub struct AsinhAt { pub x: usize, pub y: usize }

impl<'a> Asinh<'a> {
    pub const KIND: OpKind = OpKind::Asinh;
    pub const AT: AsinhAt = AsinhAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Asinh<'a>> { view::fits(op, Self::KIND).then_some(Asinh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Asinh<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Asinh, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Asinh) }
}

/// A view of [`OpKind::Atan`].
#[derive(Clone, Copy)]
pub struct Atan<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Atan`].
pub struct AtanAt { pub x: usize, pub y: usize }

impl<'a> Atan<'a> {
    pub const KIND: OpKind = OpKind::Atan;
    pub const AT: AtanAt = AtanAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Atan<'a>> { view::fits(op, Self::KIND).then_some(Atan(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Atan<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Atan, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Atan) }
}

/// A view of [`OpKind::Atanh`].
#[derive(Clone, Copy)]
pub struct Atanh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Atanh`].
pub struct AtanhAt { pub x: usize, pub y: usize }

impl<'a> Atanh<'a> {
    pub const KIND: OpKind = OpKind::Atanh;
    pub const AT: AtanhAt = AtanhAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Atanh<'a>> { view::fits(op, Self::KIND).then_some(Atanh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Atanh<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Atanh, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Atanh) }
}

/// A view of [`OpKind::BitCast`].
#[derive(Clone, Copy)]
pub struct BitCast<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitCast`].
pub struct BitCastAt { pub x: usize, pub y: usize }

impl<'a> BitCast<'a> {
    pub const KIND: OpKind = OpKind::BitCast;
    pub const AT: BitCastAt = BitCastAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BitCast<'a>> { view::fits(op, Self::KIND).then_some(BitCast(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn to(self) -> DType { view::attr::<kinds::DType>(self.0, "to") }
}

impl BitCast<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::BitCast, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitCast) }
}

impl<O: BorrowMut<Op>> Set<BitCast<'static>, O> {
    #[inline] pub fn to(self, value: DType) -> Self { self.put::<kinds::DType>("to", value) }
}

/// A view of [`OpKind::BitwiseNot`].
#[derive(Clone, Copy)]
pub struct BitwiseNot<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseNot`].
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

/// A view of [`OpKind::Cast`].
#[derive(Clone, Copy)]
pub struct Cast<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Cast`].
pub struct CastAt { pub x: usize, pub y: usize }

impl<'a> Cast<'a> {
    pub const KIND: OpKind = OpKind::Cast;
    pub const AT: CastAt = CastAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Cast<'a>> { view::fits(op, Self::KIND).then_some(Cast(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn to(self) -> DType { view::attr::<kinds::DType>(self.0, "to") }
    #[inline] pub fn saturate(self) -> bool { view::attr::<kinds::Flag>(self.0, "saturate") }
    #[inline] pub fn round_mode(self) -> ScaleRounding { view::attr::<ScaleRounding>(self.0, "round_mode") }
    #[inline] pub fn rounding(self) -> FloatRounding { view::attr::<FloatRounding>(self.0, "rounding") }
}

impl Cast<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Cast, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Cast) }
}

impl<O: BorrowMut<Op>> Set<Cast<'static>, O> {
    #[inline] pub fn to(self, value: DType) -> Self { self.put::<kinds::DType>("to", value) }
    #[inline] pub fn saturate(self, value: bool) -> Self { self.put::<kinds::Flag>("saturate", value) }
    #[inline] pub fn round_mode(self, value: ScaleRounding) -> Self { self.put::<ScaleRounding>("round_mode", value) }
    #[inline] pub fn rounding(self, value: FloatRounding) -> Self { self.put::<FloatRounding>("rounding", value) }
}

/// A view of [`OpKind::Ceil`].
#[derive(Clone, Copy)]
pub struct Ceil<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Ceil`].
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

/// A view of [`OpKind::Celu`].
#[derive(Clone, Copy)]
pub struct Celu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Celu`].
pub struct CeluAt { pub x: usize, pub y: usize }

impl<'a> Celu<'a> {
    pub const KIND: OpKind = OpKind::Celu;
    pub const AT: CeluAt = CeluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Celu<'a>> { view::fits(op, Self::KIND).then_some(Celu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
}

impl Celu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Celu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Celu) }
}

impl<O: BorrowMut<Op>> Set<Celu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
}

/// A view of [`OpKind::Cos`].
#[derive(Clone, Copy)]
pub struct Cos<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Cos`].
pub struct CosAt { pub x: usize, pub y: usize }

impl<'a> Cos<'a> {
    pub const KIND: OpKind = OpKind::Cos;
    pub const AT: CosAt = CosAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Cos<'a>> { view::fits(op, Self::KIND).then_some(Cos(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Cos<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Cos, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Cos) }
}

/// A view of [`OpKind::Cosh`].
#[derive(Clone, Copy)]
pub struct Cosh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Cosh`].
pub struct CoshAt { pub x: usize, pub y: usize }

impl<'a> Cosh<'a> {
    pub const KIND: OpKind = OpKind::Cosh;
    pub const AT: CoshAt = CoshAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Cosh<'a>> { view::fits(op, Self::KIND).then_some(Cosh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Cosh<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Cosh, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Cosh) }
}

/// A view of [`OpKind::Elu`].
#[derive(Clone, Copy)]
pub struct Elu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Elu`].
pub struct EluAt { pub x: usize, pub y: usize }

impl<'a> Elu<'a> {
    pub const KIND: OpKind = OpKind::Elu;
    pub const AT: EluAt = EluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Elu<'a>> { view::fits(op, Self::KIND).then_some(Elu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
}

impl Elu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Elu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Elu) }
}

impl<O: BorrowMut<Op>> Set<Elu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
}

/// A view of [`OpKind::Erf`].
#[derive(Clone, Copy)]
pub struct Erf<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Erf`].
pub struct ErfAt { pub x: usize, pub y: usize }

impl<'a> Erf<'a> {
    pub const KIND: OpKind = OpKind::Erf;
    pub const AT: ErfAt = ErfAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Erf<'a>> { view::fits(op, Self::KIND).then_some(Erf(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Erf<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Erf, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Erf) }
}

/// A view of [`OpKind::Exp`].
#[derive(Clone, Copy)]
pub struct Exp<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Exp`].
pub struct ExpAt { pub x: usize, pub y: usize }

impl<'a> Exp<'a> {
    pub const KIND: OpKind = OpKind::Exp;
    pub const AT: ExpAt = ExpAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Exp<'a>> { view::fits(op, Self::KIND).then_some(Exp(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Exp<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Exp, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Exp) }
}

/// A view of [`OpKind::Exp2`].
#[derive(Clone, Copy)]
pub struct Exp2<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Exp2`].
pub struct Exp2At { pub x: usize, pub y: usize }

impl<'a> Exp2<'a> {
    pub const KIND: OpKind = OpKind::Exp2;
    pub const AT: Exp2At = Exp2At { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Exp2<'a>> { view::fits(op, Self::KIND).then_some(Exp2(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Exp2<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Exp2, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Exp2) }
}

/// A view of [`OpKind::Floor`].
#[derive(Clone, Copy)]
pub struct Floor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Floor`].
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

/// A view of [`OpKind::Gelu`].
#[derive(Clone, Copy)]
pub struct Gelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Gelu`].
pub struct GeluAt { pub x: usize, pub y: usize }

impl<'a> Gelu<'a> {
    pub const KIND: OpKind = OpKind::Gelu;
    pub const AT: GeluAt = GeluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Gelu<'a>> { view::fits(op, Self::KIND).then_some(Gelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn approximate(self) -> GeluFormula { view::attr::<GeluFormula>(self.0, "approximate") }
}

impl Gelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Gelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Gelu) }
}

impl<O: BorrowMut<Op>> Set<Gelu<'static>, O> {
    #[inline] pub fn approximate(self, value: GeluFormula) -> Self { self.put::<GeluFormula>("approximate", value) }
}

/// A view of [`OpKind::HardSigmoid`].
#[derive(Clone, Copy)]
pub struct HardSigmoid<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::HardSigmoid`].
pub struct HardSigmoidAt { pub x: usize, pub y: usize }

impl<'a> HardSigmoid<'a> {
    pub const KIND: OpKind = OpKind::HardSigmoid;
    pub const AT: HardSigmoidAt = HardSigmoidAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<HardSigmoid<'a>> { view::fits(op, Self::KIND).then_some(HardSigmoid(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn beta(self) -> f32 { view::attr::<kinds::Float>(self.0, "beta") }
}

impl HardSigmoid<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::HardSigmoid, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::HardSigmoid) }
}

impl<O: BorrowMut<Op>> Set<HardSigmoid<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put::<kinds::Float>("beta", value) }
}

/// A view of [`OpKind::HardSwish`].
#[derive(Clone, Copy)]
pub struct HardSwish<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::HardSwish`].
pub struct HardSwishAt { pub x: usize, pub y: usize }

impl<'a> HardSwish<'a> {
    pub const KIND: OpKind = OpKind::HardSwish;
    pub const AT: HardSwishAt = HardSwishAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<HardSwish<'a>> { view::fits(op, Self::KIND).then_some(HardSwish(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl HardSwish<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::HardSwish, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::HardSwish) }
}

/// A view of [`OpKind::IsInf`].
#[derive(Clone, Copy)]
pub struct IsInf<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::IsInf`].
pub struct IsInfAt { pub x: usize, pub y: usize }

impl<'a> IsInf<'a> {
    pub const KIND: OpKind = OpKind::IsInf;
    pub const AT: IsInfAt = IsInfAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<IsInf<'a>> { view::fits(op, Self::KIND).then_some(IsInf(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn detect_negative(self) -> bool { view::attr::<kinds::Flag>(self.0, "detect_negative") }
    #[inline] pub fn detect_positive(self) -> bool { view::attr::<kinds::Flag>(self.0, "detect_positive") }
}

impl IsInf<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::IsInf, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::IsInf) }
}

impl<O: BorrowMut<Op>> Set<IsInf<'static>, O> {
    #[inline] pub fn detect_negative(self, value: bool) -> Self { self.put::<kinds::Flag>("detect_negative", value) }
    #[inline] pub fn detect_positive(self, value: bool) -> Self { self.put::<kinds::Flag>("detect_positive", value) }
}

/// A view of [`OpKind::IsNaN`].
#[derive(Clone, Copy)]
pub struct IsNaN<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::IsNaN`].
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

/// A view of [`OpKind::LeakyRelu`].
#[derive(Clone, Copy)]
pub struct LeakyRelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LeakyRelu`].
pub struct LeakyReluAt { pub x: usize, pub y: usize }

impl<'a> LeakyRelu<'a> {
    pub const KIND: OpKind = OpKind::LeakyRelu;
    pub const AT: LeakyReluAt = LeakyReluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LeakyRelu<'a>> { view::fits(op, Self::KIND).then_some(LeakyRelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
}

impl LeakyRelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LeakyRelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LeakyRelu) }
}

impl<O: BorrowMut<Op>> Set<LeakyRelu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
}

/// A view of [`OpKind::Log`].
#[derive(Clone, Copy)]
pub struct Log<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Log`].
pub struct LogAt { pub x: usize, pub y: usize }

impl<'a> Log<'a> {
    pub const KIND: OpKind = OpKind::Log;
    pub const AT: LogAt = LogAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Log<'a>> { view::fits(op, Self::KIND).then_some(Log(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Log<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Log, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Log) }
}

/// A view of [`OpKind::Log2`].
#[derive(Clone, Copy)]
pub struct Log2<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Log2`].
pub struct Log2At { pub x: usize, pub y: usize }

impl<'a> Log2<'a> {
    pub const KIND: OpKind = OpKind::Log2;
    pub const AT: Log2At = Log2At { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Log2<'a>> { view::fits(op, Self::KIND).then_some(Log2(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Log2<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Log2, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Log2) }
}

/// A view of [`OpKind::Mish`].
#[derive(Clone, Copy)]
pub struct Mish<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mish`].
pub struct MishAt { pub x: usize, pub y: usize }

impl<'a> Mish<'a> {
    pub const KIND: OpKind = OpKind::Mish;
    pub const AT: MishAt = MishAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Mish<'a>> { view::fits(op, Self::KIND).then_some(Mish(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Mish<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Mish, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Mish) }
}

/// A view of [`OpKind::Neg`].
#[derive(Clone, Copy)]
pub struct Neg<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Neg`].
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

/// A view of [`OpKind::Not`].
#[derive(Clone, Copy)]
pub struct Not<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Not`].
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

/// A view of [`OpKind::Reciprocal`].
#[derive(Clone, Copy)]
pub struct Reciprocal<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Reciprocal`].
pub struct ReciprocalAt { pub x: usize, pub y: usize }

impl<'a> Reciprocal<'a> {
    pub const KIND: OpKind = OpKind::Reciprocal;
    pub const AT: ReciprocalAt = ReciprocalAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Reciprocal<'a>> { view::fits(op, Self::KIND).then_some(Reciprocal(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Reciprocal<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Reciprocal, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Reciprocal) }
}

/// A view of [`OpKind::Relu`].
#[derive(Clone, Copy)]
pub struct Relu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Relu`].
pub struct ReluAt { pub x: usize, pub y: usize }

impl<'a> Relu<'a> {
    pub const KIND: OpKind = OpKind::Relu;
    pub const AT: ReluAt = ReluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Relu<'a>> { view::fits(op, Self::KIND).then_some(Relu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Relu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Relu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Relu) }
}

/// A view of [`OpKind::Round`].
#[derive(Clone, Copy)]
pub struct Round<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Round`].
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

/// A view of [`OpKind::Rsqrt`].
#[derive(Clone, Copy)]
pub struct Rsqrt<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Rsqrt`].
pub struct RsqrtAt { pub x: usize, pub y: usize }

impl<'a> Rsqrt<'a> {
    pub const KIND: OpKind = OpKind::Rsqrt;
    pub const AT: RsqrtAt = RsqrtAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Rsqrt<'a>> { view::fits(op, Self::KIND).then_some(Rsqrt(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Rsqrt<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Rsqrt, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Rsqrt) }
}

/// A view of [`OpKind::Selu`].
#[derive(Clone, Copy)]
pub struct Selu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Selu`].
pub struct SeluAt { pub x: usize, pub y: usize }

impl<'a> Selu<'a> {
    pub const KIND: OpKind = OpKind::Selu;
    pub const AT: SeluAt = SeluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Selu<'a>> { view::fits(op, Self::KIND).then_some(Selu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
    #[inline] pub fn gamma(self) -> f32 { view::attr::<kinds::Float>(self.0, "gamma") }
}

impl Selu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Selu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Selu) }
}

impl<O: BorrowMut<Op>> Set<Selu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
    #[inline] pub fn gamma(self, value: f32) -> Self { self.put::<kinds::Float>("gamma", value) }
}

/// A view of [`OpKind::Shrink`].
#[derive(Clone, Copy)]
pub struct Shrink<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Shrink`].
pub struct ShrinkAt { pub x: usize, pub y: usize }

impl<'a> Shrink<'a> {
    pub const KIND: OpKind = OpKind::Shrink;
    pub const AT: ShrinkAt = ShrinkAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Shrink<'a>> { view::fits(op, Self::KIND).then_some(Shrink(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn bias(self) -> f32 { view::attr::<kinds::Float>(self.0, "bias") }
    #[inline] pub fn lambd(self) -> f32 { view::attr::<kinds::Float>(self.0, "lambd") }
}

impl Shrink<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Shrink, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Shrink) }
}

impl<O: BorrowMut<Op>> Set<Shrink<'static>, O> {
    #[inline] pub fn bias(self, value: f32) -> Self { self.put::<kinds::Float>("bias", value) }
    #[inline] pub fn lambd(self, value: f32) -> Self { self.put::<kinds::Float>("lambd", value) }
}

/// A view of [`OpKind::Sigmoid`].
#[derive(Clone, Copy)]
pub struct Sigmoid<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sigmoid`].
pub struct SigmoidAt { pub x: usize, pub y: usize }

impl<'a> Sigmoid<'a> {
    pub const KIND: OpKind = OpKind::Sigmoid;
    pub const AT: SigmoidAt = SigmoidAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sigmoid<'a>> { view::fits(op, Self::KIND).then_some(Sigmoid(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sigmoid<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Sigmoid, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sigmoid) }
}

/// A view of [`OpKind::Sign`].
#[derive(Clone, Copy)]
pub struct Sign<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sign`].
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

/// A view of [`OpKind::Sin`].
#[derive(Clone, Copy)]
pub struct Sin<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sin`].
pub struct SinAt { pub x: usize, pub y: usize }

impl<'a> Sin<'a> {
    pub const KIND: OpKind = OpKind::Sin;
    pub const AT: SinAt = SinAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sin<'a>> { view::fits(op, Self::KIND).then_some(Sin(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sin<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Sin, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sin) }
}

/// A view of [`OpKind::Sinh`].
#[derive(Clone, Copy)]
pub struct Sinh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sinh`].
pub struct SinhAt { pub x: usize, pub y: usize }

impl<'a> Sinh<'a> {
    pub const KIND: OpKind = OpKind::Sinh;
    pub const AT: SinhAt = SinhAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sinh<'a>> { view::fits(op, Self::KIND).then_some(Sinh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sinh<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Sinh, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sinh) }
}

/// A view of [`OpKind::Softplus`].
#[derive(Clone, Copy)]
pub struct Softplus<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Softplus`].
pub struct SoftplusAt { pub x: usize, pub y: usize }

impl<'a> Softplus<'a> {
    pub const KIND: OpKind = OpKind::Softplus;
    pub const AT: SoftplusAt = SoftplusAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Softplus<'a>> { view::fits(op, Self::KIND).then_some(Softplus(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Softplus<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Softplus, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Softplus) }
}

/// A view of [`OpKind::Softsign`].
#[derive(Clone, Copy)]
pub struct Softsign<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Softsign`].
pub struct SoftsignAt { pub x: usize, pub y: usize }

impl<'a> Softsign<'a> {
    pub const KIND: OpKind = OpKind::Softsign;
    pub const AT: SoftsignAt = SoftsignAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Softsign<'a>> { view::fits(op, Self::KIND).then_some(Softsign(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Softsign<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Softsign, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Softsign) }
}

/// A view of [`OpKind::Sqrt`].
#[derive(Clone, Copy)]
pub struct Sqrt<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sqrt`].
pub struct SqrtAt { pub x: usize, pub y: usize }

impl<'a> Sqrt<'a> {
    pub const KIND: OpKind = OpKind::Sqrt;
    pub const AT: SqrtAt = SqrtAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Sqrt<'a>> { view::fits(op, Self::KIND).then_some(Sqrt(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Sqrt<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Sqrt, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Sqrt) }
}

/// A view of [`OpKind::Swish`].
#[derive(Clone, Copy)]
pub struct Swish<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Swish`].
pub struct SwishAt { pub x: usize, pub y: usize }

impl<'a> Swish<'a> {
    pub const KIND: OpKind = OpKind::Swish;
    pub const AT: SwishAt = SwishAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Swish<'a>> { view::fits(op, Self::KIND).then_some(Swish(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
}

impl Swish<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Swish, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Swish) }
}

impl<O: BorrowMut<Op>> Set<Swish<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
}

/// A view of [`OpKind::Tan`].
#[derive(Clone, Copy)]
pub struct Tan<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Tan`].
pub struct TanAt { pub x: usize, pub y: usize }

impl<'a> Tan<'a> {
    pub const KIND: OpKind = OpKind::Tan;
    pub const AT: TanAt = TanAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Tan<'a>> { view::fits(op, Self::KIND).then_some(Tan(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Tan<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Tan, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Tan) }
}

/// A view of [`OpKind::Tanh`].
#[derive(Clone, Copy)]
pub struct Tanh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Tanh`].
pub struct TanhAt { pub x: usize, pub y: usize }

impl<'a> Tanh<'a> {
    pub const KIND: OpKind = OpKind::Tanh;
    pub const AT: TanhAt = TanhAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Tanh<'a>> { view::fits(op, Self::KIND).then_some(Tanh(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Tanh<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Tanh, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Tanh) }
}

/// A view of [`OpKind::ThresholdedRelu`].
#[derive(Clone, Copy)]
pub struct ThresholdedRelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThresholdedRelu`].
pub struct ThresholdedReluAt { pub x: usize, pub y: usize }

impl<'a> ThresholdedRelu<'a> {
    pub const KIND: OpKind = OpKind::ThresholdedRelu;
    pub const AT: ThresholdedReluAt = ThresholdedReluAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ThresholdedRelu<'a>> { view::fits(op, Self::KIND).then_some(ThresholdedRelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
}

impl ThresholdedRelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ThresholdedRelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThresholdedRelu) }
}

impl<O: BorrowMut<Op>> Set<ThresholdedRelu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
}

/// A view of [`OpKind::Add`].
#[derive(Clone, Copy)]
pub struct Add<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Add`].
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

/// A view of [`OpKind::And`].
#[derive(Clone, Copy)]
pub struct And<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::And`].
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

/// A view of [`OpKind::BitShift`].
#[derive(Clone, Copy)]
pub struct BitShift<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitShift`].
pub struct BitShiftAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> BitShift<'a> {
    pub const KIND: OpKind = OpKind::BitShift;
    pub const AT: BitShiftAt = BitShiftAt { x: 0, y: 1, z: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BitShift<'a>> { view::fits(op, Self::KIND).then_some(BitShift(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn direction(self) -> ShiftDirection { view::attr::<ShiftDirection>(self.0, "direction") }
}

impl BitShift<'static> {
    pub fn new(x: ValueId, y: ValueId) -> New<Self> {
        view::new(OpKind::BitShift, vec![Some(x), Some(y)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BitShift) }
}

impl<O: BorrowMut<Op>> Set<BitShift<'static>, O> {
    #[inline] pub fn direction(self, value: ShiftDirection) -> Self { self.put::<ShiftDirection>("direction", value) }
}

/// A view of [`OpKind::BitwiseAnd`].
#[derive(Clone, Copy)]
pub struct BitwiseAnd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseAnd`].
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

/// A view of [`OpKind::BitwiseOr`].
#[derive(Clone, Copy)]
pub struct BitwiseOr<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BitwiseOr`].
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

/// Places of the operands and results of [`OpKind::BitwiseXor`].
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

/// A view of [`OpKind::Clamp`].
#[derive(Clone, Copy)]
pub struct Clamp<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Clamp`].
pub struct ClampAt { pub x: usize, pub low: usize, pub high: usize, pub y: usize }

impl<'a> Clamp<'a> {
    pub const KIND: OpKind = OpKind::Clamp;
    pub const AT: ClampAt = ClampAt { x: 0, low: 1, high: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Clamp<'a>> { view::fits(op, Self::KIND).then_some(Clamp(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn low(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn high(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn propagate_nan(self) -> bool { view::attr::<kinds::Flag>(self.0, "propagate_nan") }
}

impl Clamp<'static> {
    pub fn new(x: ValueId, low: ValueId, high: ValueId) -> New<Self> {
        view::new(OpKind::Clamp, vec![Some(x), Some(low), Some(high)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Clamp) }
}

impl<O: BorrowMut<Op>> Set<Clamp<'static>, O> {
    #[inline] pub fn propagate_nan(self, value: bool) -> Self { self.put::<kinds::Flag>("propagate_nan", value) }
}

/// A view of [`OpKind::Clip`].
#[derive(Clone, Copy)]
pub struct Clip<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Clip`].
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

/// A view of [`OpKind::Div`].
#[derive(Clone, Copy)]
pub struct Div<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Div`].
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

/// A view of [`OpKind::Equal`].
#[derive(Clone, Copy)]
pub struct Equal<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Equal`].
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

/// A view of [`OpKind::Fma`].
#[derive(Clone, Copy)]
pub struct Fma<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Fma`].
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

/// A view of [`OpKind::Greater`].
#[derive(Clone, Copy)]
pub struct Greater<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Greater`].
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

/// Places of the operands and results of [`OpKind::GreaterOrEqual`].
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

/// Places of the operands and results of [`OpKind::Less`].
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

/// Places of the operands and results of [`OpKind::LessOrEqual`].
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

/// A view of [`OpKind::Libm`].
#[derive(Clone, Copy)]
pub struct Libm<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Libm`].
pub struct LibmAt { pub xs: usize, pub y: usize }

impl<'a> Libm<'a> {
    pub const KIND: OpKind = OpKind::Libm;
    pub const AT: LibmAt = LibmAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Libm<'a>> { view::fits(op, Self::KIND).then_some(Libm(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn function(self) -> &'a str { view::attr::<kinds::Str>(self.0, "function") }
    #[inline] pub fn to(self) -> DType { view::attr::<kinds::DType>(self.0, "to") }
}

impl Libm<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Libm, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Libm) }
}

impl<O: BorrowMut<Op>> Set<Libm<'static>, O> {
    #[inline] pub fn function(self, value: String) -> Self { self.put::<kinds::Str>("function", value) }
    #[inline] pub fn to(self, value: DType) -> Self { self.put::<kinds::DType>("to", value) }
}

/// A view of [`OpKind::Max`].
#[derive(Clone, Copy)]
pub struct Max<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Max`].
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

/// Places of the operands and results of [`OpKind::MaxNum`].
pub struct MaxNumAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> MaxNum<'a> {
    pub const KIND: OpKind = OpKind::MaxNum;
    pub const AT: MaxNumAt = MaxNumAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MaxNum<'a>> { view::fits(op, Self::KIND).then_some(MaxNum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn signed_zeros(self) -> bool { view::attr::<kinds::Flag>(self.0, "signed_zeros") }
}

impl MaxNum<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::MaxNum, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MaxNum) }
}

impl<O: BorrowMut<Op>> Set<MaxNum<'static>, O> {
    #[inline] pub fn signed_zeros(self, value: bool) -> Self { self.put::<kinds::Flag>("signed_zeros", value) }
}

/// A view of [`OpKind::Mean`].
#[derive(Clone, Copy)]
pub struct Mean<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mean`].
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

/// A view of [`OpKind::Min`].
#[derive(Clone, Copy)]
pub struct Min<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Min`].
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

/// Places of the operands and results of [`OpKind::MinNum`].
pub struct MinNumAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> MinNum<'a> {
    pub const KIND: OpKind = OpKind::MinNum;
    pub const AT: MinNumAt = MinNumAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<MinNum<'a>> { view::fits(op, Self::KIND).then_some(MinNum(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn signed_zeros(self) -> bool { view::attr::<kinds::Flag>(self.0, "signed_zeros") }
}

impl MinNum<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::MinNum, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MinNum) }
}

impl<O: BorrowMut<Op>> Set<MinNum<'static>, O> {
    #[inline] pub fn signed_zeros(self, value: bool) -> Self { self.put::<kinds::Flag>("signed_zeros", value) }
}

/// A view of [`OpKind::Mod`].
#[derive(Clone, Copy)]
pub struct Mod<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mod`].
pub struct ModAt { pub a: usize, pub b: usize, pub c: usize }

impl<'a> Mod<'a> {
    pub const KIND: OpKind = OpKind::Mod;
    pub const AT: ModAt = ModAt { a: 0, b: 1, c: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Mod<'a>> { view::fits(op, Self::KIND).then_some(Mod(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn c(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn fmod(self) -> bool { view::attr::<kinds::Flag>(self.0, "fmod") }
}

impl Mod<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::Mod, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Mod) }
}

impl<O: BorrowMut<Op>> Set<Mod<'static>, O> {
    #[inline] pub fn fmod(self, value: bool) -> Self { self.put::<kinds::Flag>("fmod", value) }
}

/// A view of [`OpKind::Mul`].
#[derive(Clone, Copy)]
pub struct Mul<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mul`].
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

/// A view of [`OpKind::MulHigh`].
#[derive(Clone, Copy)]
pub struct MulHigh<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MulHigh`].
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

/// A view of [`OpKind::Or`].
#[derive(Clone, Copy)]
pub struct Or<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Or`].
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

/// A view of [`OpKind::PRelu`].
#[derive(Clone, Copy)]
pub struct PRelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PRelu`].
pub struct PReluAt { pub x: usize, pub slope: usize, pub y: usize }

impl<'a> PRelu<'a> {
    pub const KIND: OpKind = OpKind::PRelu;
    pub const AT: PReluAt = PReluAt { x: 0, slope: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<PRelu<'a>> { view::fits(op, Self::KIND).then_some(PRelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn slope(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl PRelu<'static> {
    pub fn new(x: ValueId, slope: ValueId) -> New<Self> {
        view::new(OpKind::PRelu, vec![Some(x), Some(slope)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::PRelu) }
}

/// A view of [`OpKind::Pow`].
#[derive(Clone, Copy)]
pub struct Pow<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Pow`].
pub struct PowAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> Pow<'a> {
    pub const KIND: OpKind = OpKind::Pow;
    pub const AT: PowAt = PowAt { x: 0, y: 1, z: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Pow<'a>> { view::fits(op, Self::KIND).then_some(Pow(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
}

impl Pow<'static> {
    pub fn new(x: ValueId, y: ValueId) -> New<Self> {
        view::new(OpKind::Pow, vec![Some(x), Some(y)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Pow) }
}

/// A view of [`OpKind::Sub`].
#[derive(Clone, Copy)]
pub struct Sub<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sub`].
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

/// A view of [`OpKind::Sum`].
#[derive(Clone, Copy)]
pub struct Sum<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sum`].
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

/// A view of [`OpKind::SwiGLU`].
#[derive(Clone, Copy)]
pub struct SwiGLU<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SwiGLU`].
pub struct SwiGLUAt { pub a: usize, pub b: usize, pub y: usize }

impl<'a> SwiGLU<'a> {
    pub const KIND: OpKind = OpKind::SwiGLU;
    pub const AT: SwiGLUAt = SwiGLUAt { a: 0, b: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SwiGLU<'a>> { view::fits(op, Self::KIND).then_some(SwiGLU(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr::<kinds::Float>(self.0, "alpha") }
}

impl SwiGLU<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::SwiGLU, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SwiGLU) }
}

impl<O: BorrowMut<Op>> Set<SwiGLU<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put::<kinds::Float>("alpha", value) }
}

/// A view of [`OpKind::Where`].
#[derive(Clone, Copy)]
pub struct Where<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Where`].
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

/// A view of [`OpKind::Xor`].
#[derive(Clone, Copy)]
pub struct Xor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Xor`].
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
