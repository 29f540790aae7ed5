//! Expressions in which decompositions are written.

use super::{Decomposition, DecompositionStep, StepId};
use crate::{DType, Op, OpKind, ValueId, ops};
use OpKind as K;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The op that is being written out, and the steps written so far.
#[derive(Debug)]
pub struct Composite<'o> {
    op: &'o Op,
    dtype: DType,
    compute: DType,
    steps: RefCell<Vec<(DecompositionStep, DType)>>,
}

/// A value of a decomposition. Arithmetic on it appends a step.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    of: &'a Composite<'a>,
    id: StepId,
}

impl<'o> Composite<'o> {
    pub(super) fn new(op: &'o Op, dtype: DType, compute: DType) -> Composite<'o> {
        Composite { op, dtype, compute, steps: RefCell::default() }
    }

    pub(super) fn finish(self) -> Decomposition {
        Decomposition { steps: self.steps.into_inner() }
    }

    /// The step of this kind, a new one if there is none yet.
    fn add(&self, step: DecompositionStep, dtype: DType) -> StepId {
        // Zeros of different sign are equal, but not the same.
        let same = |known: &DecompositionStep| match (known, &step) {
            (DecompositionStep::Constant(a), DecompositionStep::Constant(b)) => {
                a.to_bits() == b.to_bits()
            }
            (a, b) => a == b,
        };
        let known = self.steps.borrow().iter().position(|s| s.1 == dtype && same(&s.0));
        known.unwrap_or_else(|| self.push(step, dtype))
    }

    fn push(&self, step: DecompositionStep, dtype: DType) -> StepId {
        let mut steps = self.steps.borrow_mut();
        steps.push((step, dtype));
        steps.len() - 1
    }
}

impl<'a> Composite<'a> {
    fn expr(&'a self, step: DecompositionStep, dtype: DType) -> Expr<'a> {
        Expr { of: self, id: self.add(step, dtype) }
    }

    fn primitive(&'a self, kind: OpKind, args: &[Expr<'a>], dtype: DType) -> Expr<'a> {
        let steps: Vec<StepId> = args.iter().map(|e| e.id).collect();
        let operands = steps.iter().map(|&step| Some(named(step))).collect();
        self.expr(DecompositionStep::Primitive(Op::new(kind, operands, vec![]), steps), dtype)
    }

    /// Operand `i`, in the type of the arithmetic.
    pub fn operand(&'a self, i: usize) -> Expr<'a> {
        self.expr(DecompositionStep::Operand(i), self.dtype).cast(self.compute)
    }

    /// Operand `i` if it is there.
    pub fn optional(&'a self, i: usize) -> Option<Expr<'a>> {
        self.op.input(i).map(|_| self.operand(i))
    }

    /// Number of operands.
    pub fn count(&self) -> usize {
        self.op.inputs.len()
    }

    /// The op itself.
    pub fn op(&self) -> &'a Op {
        self.op
    }
}

/// The value that stands for a step among the operands of a primitive.
fn named(step: StepId) -> ValueId {
    ValueId(step as u32)
}

impl<'a> Expr<'a> {
    /// The element type.
    pub fn dtype(self) -> DType {
        self.of.steps.borrow().get(self.id).map_or(self.of.compute, |s| s.1)
    }

    /// The number in this value's type.
    pub fn number(self, value: f64) -> Expr<'a> {
        self.of.expr(DecompositionStep::Constant(value), self.dtype())
    }

    fn unary(self, kind: OpKind) -> Expr<'a> {
        self.of.primitive(kind, &[self], self.dtype())
    }

    fn binary(self, kind: OpKind, other: impl Operand<'a>) -> Expr<'a> {
        self.of.primitive(kind, &[self, other.beside(self)], self.dtype())
    }

    fn compare(self, kind: OpKind, other: impl Operand<'a>) -> Expr<'a> {
        self.of.primitive(kind, &[self, other.beside(self)], DType::Bool)
    }

    /// A function of the C mathematics library.
    fn libm(self, function: &str) -> Expr<'a> {
        let to = self.dtype();
        let op = ops::Libm::new(&[named(self.id)]).function(function.to_owned()).to(to);
        self.of.expr(DecompositionStep::Primitive(op.into_op(), vec![self.id]), to)
    }

    /// The value in another element type. A value beyond the range of an 8-bit float becomes infinite, as after
    /// arithmetic.
    pub fn cast(self, to: DType) -> Expr<'a> {
        if self.dtype() == to { self } else { self.of.expr(self.conversion(to), to) }
    }

    fn conversion(self, to: DType) -> DecompositionStep {
        let cast = ops::Cast::new(named(self.id)).to(to);
        let narrow = to.is_float() && to.bits() == 8;
        let cast = if narrow { cast.saturate(false) } else { cast };
        DecompositionStep::Primitive(cast.into_op(), vec![self.id])
    }

    /// Makes the value, in this type, the last step. An operand or an earlier step gets an extra step, a cast that
    /// changes nothing.
    pub(super) fn result(self, to: DType) {
        let y = self.cast(to);
        let steps = self.of.steps.borrow();
        let last =
            y.id + 1 == steps.len() && matches!(steps[y.id].0, DecompositionStep::Primitive(..));
        drop(steps);
        if !last {
            self.of.push(y.conversion(to), to);
        }
    }

    /// Magnitude.
    pub fn abs(self) -> Expr<'a> {
        self.unary(K::Abs)
    }

    /// e to the power of the value.
    pub fn exp(self) -> Expr<'a> {
        self.unary(K::Exp)
    }

    /// Hyperbolic tangent.
    pub fn tanh(self) -> Expr<'a> {
        self.unary(K::Tanh)
    }

    /// Square root.
    pub fn sqrt(self) -> Expr<'a> {
        self.unary(K::Sqrt)
    }

    /// exp(x) − 1 without cancellation.
    pub fn expm1(self) -> Expr<'a> {
        self.libm("expm1")
    }

    /// ln(1 + x) without cancellation.
    pub fn log1p(self) -> Expr<'a> {
        self.libm("log1p")
    }

    /// The normal distribution Φ(x).
    pub fn normcdf(self) -> Expr<'a> {
        self.libm("normcdf")
    }

    /// The greater; NaN wins.
    pub fn max(self, other: impl Operand<'a>) -> Expr<'a> {
        self.binary(K::Max, other)
    }

    /// The lesser; NaN wins.
    pub fn min(self, other: impl Operand<'a>) -> Expr<'a> {
        self.binary(K::Min, other)
    }

    /// The greater; of NaN and a number the number.
    pub fn max_num(self, other: impl Operand<'a>) -> Expr<'a> {
        self.binary(K::MaxNum, other)
    }

    /// The lesser; of NaN and a number the number.
    pub fn min_num(self, other: impl Operand<'a>) -> Expr<'a> {
        self.binary(K::MinNum, other)
    }

    /// Whether it is less.
    pub fn lt(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(K::Less, other)
    }

    /// Whether it is greater.
    pub fn gt(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(K::Greater, other)
    }

    /// Whether it is equal.
    pub fn equals(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(K::Equal, other)
    }

    /// Where this condition holds `yes`, else `no`.
    pub fn select(self, yes: impl Operand<'a>, no: Expr<'a>) -> Expr<'a> {
        self.of.primitive(K::Where, &[self, yes.beside(no), no], no.dtype())
    }
}

/// The other side of an expression in arithmetic: another expression, or a number in the expression's type.
pub trait Operand<'a> {
    /// The operand as an expression of the other one's type.
    fn beside(self, other: Expr<'a>) -> Expr<'a>;
}

impl<'a> Operand<'a> for Expr<'a> {
    fn beside(self, _: Expr<'a>) -> Expr<'a> {
        self
    }
}

impl<'a> Operand<'a> for f64 {
    fn beside(self, other: Expr<'a>) -> Expr<'a> {
        other.number(self)
    }
}

impl<'a> Operand<'a> for f32 {
    fn beside(self, other: Expr<'a>) -> Expr<'a> {
        other.number(self.into())
    }
}

macro_rules! operators {
    ($($of:ident $method:ident)*) => { $(
        impl<'a, T: Operand<'a>> $of<T> for Expr<'a> {
            type Output = Expr<'a>;
            fn $method(self, other: T) -> Expr<'a> {
                self.binary(K::$of, other)
            }
        }

        impl<'a> $of<Expr<'a>> for f64 {
            type Output = Expr<'a>;
            fn $method(self, other: Expr<'a>) -> Expr<'a> {
                other.number(self).binary(K::$of, other)
            }
        }

        impl<'a> $of<Expr<'a>> for f32 {
            type Output = Expr<'a>;
            fn $method(self, other: Expr<'a>) -> Expr<'a> {
                f64::from(self).$method(other)
            }
        }
    )* };
}
operators! { Add add Sub sub Mul mul Div div }

impl<'a> Neg for Expr<'a> {
    type Output = Expr<'a>;
    fn neg(self) -> Expr<'a> {
        self.unary(K::Neg)
    }
}
