// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Acos`].
#[derive(Clone, Copy)]
pub struct Acos<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Acos`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Acosh`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Asin`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Asinh`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Atan`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Atanh`], and names of its attributes.
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

/// A view of [`OpKind::Cos`].
#[derive(Clone, Copy)]
pub struct Cos<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Cos`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Cosh`], and names of its attributes.
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

/// A view of [`OpKind::Erf`].
#[derive(Clone, Copy)]
pub struct Erf<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Erf`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Exp`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Exp2`], and names of its attributes.
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

/// A view of [`OpKind::Libm`].
#[derive(Clone, Copy)]
pub struct Libm<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Libm`], and names of its attributes.
pub struct LibmAt { pub xs: usize, pub y: usize, pub function: AttrName<kinds::Str>, pub to: AttrName<kinds::DType> }

impl<'a> Libm<'a> {
    pub const KIND: OpKind = OpKind::Libm;
    pub const AT: LibmAt = LibmAt { xs: 0, y: 0, function: AttrName::new("function"), to: AttrName::new("to") };
    #[inline] pub fn of(op: &'a Op) -> Option<Libm<'a>> { view::fits(op, Self::KIND).then_some(Libm(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn function(self) -> &'a str { view::attr(self.0, Self::AT.function) }
    #[inline] pub fn to(self) -> DType { view::attr(self.0, Self::AT.to) }
}

impl Libm<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Libm, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Libm) }
}

impl<O: BorrowMut<Op>> Set<Libm<'static>, O> {
    #[inline] pub fn function(self, value: String) -> Self { self.put(Libm::AT.function, value) }
    #[inline] pub fn to(self, value: DType) -> Self { self.put(Libm::AT.to, value) }
}

/// A view of [`OpKind::Log`].
#[derive(Clone, Copy)]
pub struct Log<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Log`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Log2`], and names of its attributes.
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

/// A view of [`OpKind::Pow`].
#[derive(Clone, Copy)]
pub struct Pow<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Pow`], and names of its attributes.
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

/// A view of [`OpKind::Reciprocal`].
#[derive(Clone, Copy)]
pub struct Reciprocal<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Reciprocal`], and names of its attributes.
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

/// A view of [`OpKind::Rsqrt`].
#[derive(Clone, Copy)]
pub struct Rsqrt<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Rsqrt`], and names of its attributes.
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

/// A view of [`OpKind::Sin`].
#[derive(Clone, Copy)]
pub struct Sin<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sin`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Sinh`], and names of its attributes.
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

/// A view of [`OpKind::Sqrt`].
#[derive(Clone, Copy)]
pub struct Sqrt<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sqrt`], and names of its attributes.
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

/// A view of [`OpKind::Tan`].
#[derive(Clone, Copy)]
pub struct Tan<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Tan`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Tanh`], and names of its attributes.
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
