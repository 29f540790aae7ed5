// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{GeluFormula};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::Celu`].
#[derive(Clone, Copy)]
pub struct Celu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Celu`], and names of its attributes.
pub struct CeluAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> Celu<'a> {
    pub const KIND: OpKind = OpKind::Celu;
    pub const AT: CeluAt = CeluAt { x: 0, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<Celu<'a>> { view::fits(op, Self::KIND).then_some(Celu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl Celu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Celu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Celu) }
}

impl<O: BorrowMut<Op>> Set<Celu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Celu::AT.alpha, value) }
}

/// A view of [`OpKind::Elu`].
#[derive(Clone, Copy)]
pub struct Elu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Elu`], and names of its attributes.
pub struct EluAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> Elu<'a> {
    pub const KIND: OpKind = OpKind::Elu;
    pub const AT: EluAt = EluAt { x: 0, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<Elu<'a>> { view::fits(op, Self::KIND).then_some(Elu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl Elu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Elu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Elu) }
}

impl<O: BorrowMut<Op>> Set<Elu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Elu::AT.alpha, value) }
}

/// A view of [`OpKind::Gelu`].
#[derive(Clone, Copy)]
pub struct Gelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Gelu`], and names of its attributes.
pub struct GeluAt { pub x: usize, pub y: usize, pub approximate: AttrName<GeluFormula> }

impl<'a> Gelu<'a> {
    pub const KIND: OpKind = OpKind::Gelu;
    pub const AT: GeluAt = GeluAt { x: 0, y: 0, approximate: AttrName::new("approximate") };
    #[inline] pub fn of(op: &'a Op) -> Option<Gelu<'a>> { view::fits(op, Self::KIND).then_some(Gelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn approximate(self) -> GeluFormula { view::attr(self.0, Self::AT.approximate) }
}

impl Gelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Gelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Gelu) }
}

impl<O: BorrowMut<Op>> Set<Gelu<'static>, O> {
    #[inline] pub fn approximate(self, value: GeluFormula) -> Self { self.put(Gelu::AT.approximate, value) }
}

/// A view of [`OpKind::BiasGelu`].
#[derive(Clone, Copy)]
pub struct BiasGelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BiasGelu`], and names of its attributes.
pub struct BiasGeluAt { pub x: usize, pub bias: usize, pub y: usize }

impl<'a> BiasGelu<'a> {
    pub const KIND: OpKind = OpKind::BiasGelu;
    pub const AT: BiasGeluAt = BiasGeluAt { x: 0, bias: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<BiasGelu<'a>> { view::fits(op, Self::KIND).then_some(BiasGelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn bias(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl BiasGelu<'static> {
    pub fn new(x: ValueId, bias: ValueId) -> New<Self> {
        view::new(OpKind::BiasGelu, vec![Some(x), Some(bias)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BiasGelu) }
}

/// A view of [`OpKind::FastGelu`].
#[derive(Clone, Copy)]
pub struct FastGelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::FastGelu`], and names of its attributes.
pub struct FastGeluAt { pub x: usize, pub bias: usize, pub y: usize }

impl<'a> FastGelu<'a> {
    pub const KIND: OpKind = OpKind::FastGelu;
    pub const AT: FastGeluAt = FastGeluAt { x: 0, bias: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<FastGelu<'a>> { view::fits(op, Self::KIND).then_some(FastGelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn bias(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl FastGelu<'static> {
    pub fn new(x: ValueId, bias: Option<ValueId>) -> New<Self> {
        view::new(OpKind::FastGelu, vec![Some(x), bias], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::FastGelu) }
}

/// A view of [`OpKind::QuickGelu`].
#[derive(Clone, Copy)]
pub struct QuickGelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::QuickGelu`], and names of its attributes.
pub struct QuickGeluAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> QuickGelu<'a> {
    pub const KIND: OpKind = OpKind::QuickGelu;
    pub const AT: QuickGeluAt = QuickGeluAt { x: 0, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<QuickGelu<'a>> { view::fits(op, Self::KIND).then_some(QuickGelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl QuickGelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::QuickGelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::QuickGelu) }
}

impl<O: BorrowMut<Op>> Set<QuickGelu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(QuickGelu::AT.alpha, value) }
}

/// A view of [`OpKind::HardSigmoid`].
#[derive(Clone, Copy)]
pub struct HardSigmoid<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::HardSigmoid`], and names of its attributes.
pub struct HardSigmoidAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float>, pub beta: AttrName<kinds::Float> }

impl<'a> HardSigmoid<'a> {
    pub const KIND: OpKind = OpKind::HardSigmoid;
    pub const AT: HardSigmoidAt = HardSigmoidAt { x: 0, y: 0, alpha: AttrName::new("alpha"), beta: AttrName::new("beta") };
    #[inline] pub fn of(op: &'a Op) -> Option<HardSigmoid<'a>> { view::fits(op, Self::KIND).then_some(HardSigmoid(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn beta(self) -> f32 { view::attr(self.0, Self::AT.beta) }
}

impl HardSigmoid<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::HardSigmoid, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::HardSigmoid) }
}

impl<O: BorrowMut<Op>> Set<HardSigmoid<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(HardSigmoid::AT.alpha, value) }
    #[inline] pub fn beta(self, value: f32) -> Self { self.put(HardSigmoid::AT.beta, value) }
}

/// A view of [`OpKind::HardSwish`].
#[derive(Clone, Copy)]
pub struct HardSwish<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::HardSwish`], and names of its attributes.
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

/// A view of [`OpKind::LeakyRelu`].
#[derive(Clone, Copy)]
pub struct LeakyRelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LeakyRelu`], and names of its attributes.
pub struct LeakyReluAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> LeakyRelu<'a> {
    pub const KIND: OpKind = OpKind::LeakyRelu;
    pub const AT: LeakyReluAt = LeakyReluAt { x: 0, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<LeakyRelu<'a>> { view::fits(op, Self::KIND).then_some(LeakyRelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl LeakyRelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LeakyRelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LeakyRelu) }
}

impl<O: BorrowMut<Op>> Set<LeakyRelu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(LeakyRelu::AT.alpha, value) }
}

/// A view of [`OpKind::Mish`].
#[derive(Clone, Copy)]
pub struct Mish<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Mish`], and names of its attributes.
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

/// A view of [`OpKind::PRelu`].
#[derive(Clone, Copy)]
pub struct PRelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PRelu`], and names of its attributes.
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

/// A view of [`OpKind::Relu`].
#[derive(Clone, Copy)]
pub struct Relu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Relu`], and names of its attributes.
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

/// A view of [`OpKind::Selu`].
#[derive(Clone, Copy)]
pub struct Selu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Selu`], and names of its attributes.
pub struct SeluAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float>, pub gamma: AttrName<kinds::Float> }

impl<'a> Selu<'a> {
    pub const KIND: OpKind = OpKind::Selu;
    pub const AT: SeluAt = SeluAt { x: 0, y: 0, alpha: AttrName::new("alpha"), gamma: AttrName::new("gamma") };
    #[inline] pub fn of(op: &'a Op) -> Option<Selu<'a>> { view::fits(op, Self::KIND).then_some(Selu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
    #[inline] pub fn gamma(self) -> f32 { view::attr(self.0, Self::AT.gamma) }
}

impl Selu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Selu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Selu) }
}

impl<O: BorrowMut<Op>> Set<Selu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Selu::AT.alpha, value) }
    #[inline] pub fn gamma(self, value: f32) -> Self { self.put(Selu::AT.gamma, value) }
}

/// A view of [`OpKind::Shrink`].
#[derive(Clone, Copy)]
pub struct Shrink<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Shrink`], and names of its attributes.
pub struct ShrinkAt { pub x: usize, pub y: usize, pub bias: AttrName<kinds::Float>, pub lambd: AttrName<kinds::Float> }

impl<'a> Shrink<'a> {
    pub const KIND: OpKind = OpKind::Shrink;
    pub const AT: ShrinkAt = ShrinkAt { x: 0, y: 0, bias: AttrName::new("bias"), lambd: AttrName::new("lambd") };
    #[inline] pub fn of(op: &'a Op) -> Option<Shrink<'a>> { view::fits(op, Self::KIND).then_some(Shrink(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn bias(self) -> f32 { view::attr(self.0, Self::AT.bias) }
    #[inline] pub fn lambd(self) -> f32 { view::attr(self.0, Self::AT.lambd) }
}

impl Shrink<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Shrink, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Shrink) }
}

impl<O: BorrowMut<Op>> Set<Shrink<'static>, O> {
    #[inline] pub fn bias(self, value: f32) -> Self { self.put(Shrink::AT.bias, value) }
    #[inline] pub fn lambd(self, value: f32) -> Self { self.put(Shrink::AT.lambd, value) }
}

/// A view of [`OpKind::Sigmoid`].
#[derive(Clone, Copy)]
pub struct Sigmoid<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Sigmoid`], and names of its attributes.
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

/// A view of [`OpKind::Softplus`].
#[derive(Clone, Copy)]
pub struct Softplus<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Softplus`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Softsign`], and names of its attributes.
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

/// A view of [`OpKind::SwiGLU`].
#[derive(Clone, Copy)]
pub struct SwiGLU<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SwiGLU`], and names of its attributes.
pub struct SwiGLUAt { pub a: usize, pub b: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> SwiGLU<'a> {
    pub const KIND: OpKind = OpKind::SwiGLU;
    pub const AT: SwiGLUAt = SwiGLUAt { a: 0, b: 1, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<SwiGLU<'a>> { view::fits(op, Self::KIND).then_some(SwiGLU(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn a(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn b(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl SwiGLU<'static> {
    pub fn new(a: ValueId, b: ValueId) -> New<Self> {
        view::new(OpKind::SwiGLU, vec![Some(a), Some(b)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SwiGLU) }
}

impl<O: BorrowMut<Op>> Set<SwiGLU<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(SwiGLU::AT.alpha, value) }
}

/// A view of [`OpKind::Swish`].
#[derive(Clone, Copy)]
pub struct Swish<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Swish`], and names of its attributes.
pub struct SwishAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> Swish<'a> {
    pub const KIND: OpKind = OpKind::Swish;
    pub const AT: SwishAt = SwishAt { x: 0, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<Swish<'a>> { view::fits(op, Self::KIND).then_some(Swish(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl Swish<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Swish, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Swish) }
}

impl<O: BorrowMut<Op>> Set<Swish<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(Swish::AT.alpha, value) }
}

/// A view of [`OpKind::ThresholdedRelu`].
#[derive(Clone, Copy)]
pub struct ThresholdedRelu<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ThresholdedRelu`], and names of its attributes.
pub struct ThresholdedReluAt { pub x: usize, pub y: usize, pub alpha: AttrName<kinds::Float> }

impl<'a> ThresholdedRelu<'a> {
    pub const KIND: OpKind = OpKind::ThresholdedRelu;
    pub const AT: ThresholdedReluAt = ThresholdedReluAt { x: 0, y: 0, alpha: AttrName::new("alpha") };
    #[inline] pub fn of(op: &'a Op) -> Option<ThresholdedRelu<'a>> { view::fits(op, Self::KIND).then_some(ThresholdedRelu(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn alpha(self) -> f32 { view::attr(self.0, Self::AT.alpha) }
}

impl ThresholdedRelu<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ThresholdedRelu, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ThresholdedRelu) }
}

impl<O: BorrowMut<Op>> Set<ThresholdedRelu<'static>, O> {
    #[inline] pub fn alpha(self, value: f32) -> Self { self.put(ThresholdedRelu::AT.alpha, value) }
}
