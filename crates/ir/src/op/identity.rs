//! Ops that only move elements, and ops that change nothing: whose first result is their first operand.

use super::Arity;
use crate::element::B8;
use crate::{DType, Dim, Func, Literal, Op, ValueId};
use std::ops::Range;

/// The view that a rule has of an op that may change nothing.
pub(crate) struct Unchanged<'a> {
    /// The op.
    pub(crate) op: &'a Op,
    func: &'a Func,
    constant: &'a dyn Fn(ValueId) -> Option<&'a Literal>,
}

/// Whether an op's first result is its first operand, as far as types and constants tell; `None` if the op does not fit its
/// row.
pub(crate) type IdentityRule = fn(&Unchanged<'_>) -> Option<bool>;

impl Unchanged<'_> {
    /// Whether an operand is constant, and all its integers are this number.
    pub(crate) fn is_all(&self, value: ValueId, number: i64) -> bool {
        let integers = (self.constant)(value).and_then(Literal::to_i64s);
        integers.is_some_and(|all| all.iter().all(|n| *n == number))
    }

    /// Whether an operand is the constant `false`.
    pub(crate) fn is_false(&self, value: ValueId) -> bool {
        let elements = (self.constant)(value).and_then(|t| t.to_vec::<B8>());
        elements.is_some_and(|all| all.first().is_some_and(|b| !bool::from(*b)))
    }

    /// The dimensions of the first operand, if its rank is known.
    pub(crate) fn shape(&self) -> Option<&[Dim]> {
        self.func.ty(self.op.inputs.first().copied().flatten()?).shape()
    }

    /// The element type of the first operand.
    pub(crate) fn dtype(&self) -> Option<DType> {
        self.func.ty(self.op.inputs.first().copied().flatten()?).dtype()
    }

    /// Whether the first result is known to have the dimensions of the first operand.
    pub(crate) fn keeps_shape(&self) -> bool {
        let result = self.op.outputs.first().copied().flatten();
        match (self.shape(), result.and_then(|y| self.func.ty(y).shape())) {
            (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.same(y)),
            _ => false,
        }
    }
}

impl Op {
    /// The operands of whose elements the first result consists, quantised ones too; none if the op computes others.
    pub fn moved(&self) -> Range<usize> {
        let decl = self.decl();
        match decl.moves {
            Some(first) => match decl.operand(first).map(|operand| operand.arity) {
                Some(Arity::Many) => first..self.inputs.len(),
                _ => first..first + 1,
            },
            None => 0..0,
        }
    }

    /// Whether the op's first result is its first operand, by the rule of its row: from the types that `func` has and the
    /// operands that are constant.
    pub fn changes_nothing<'a>(
        &'a self,
        func: &'a Func,
        constant: &'a dyn Fn(ValueId) -> Option<&'a Literal>,
    ) -> bool {
        let cx = Unchanged { op: self, func, constant };
        self.decl().identity.and_then(|rule| rule(&cx)).unwrap_or(false)
    }
}
