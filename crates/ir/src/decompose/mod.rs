//! Decompositions: the meaning of composite ops, in terms of other ops.
//!
//! A composite graph op is written by the typed builder, and [`expand()`] replaces it before devices claim ops, unless
//! a device takes it whole. A composite elementwise op is written as an expression of primitives.
//!
//! The op's row names a function of its file that writes the composite, as the standard's function bodies do. Formulas
//! that would cancel or overflow are replaced by equal ones that do not. The reference interpreter evaluates the
//! decomposition ([`Op::decompose`]), and [`lower()`] replaces composites by it for compilers, so that a composite
//! works wherever primitives do. A device may still have its own kernel for a composite, for speed.

mod expand;
mod expr;
mod lower;

pub use expand::{Expand, Written, expand};
pub use expr::{Composite, Expr};
pub use lower::lower;

use crate::op::Class;
use crate::{DType, Op};

/// Writes the decomposition of an op; `None` if the op does not fit its row.
pub type Decompose = for<'a> fn(&'a Composite<'a>) -> Option<Expr<'a>>;

/// Names a step of a decomposition.
pub type StepId = usize;

/// The origin of one value of a decomposition.
#[derive(Clone, Debug, PartialEq)]
pub enum DecompositionStep {
    /// An operand of the composite, by place.
    Operand(usize),
    /// The same number everywhere.
    Constant(f64),
    /// A primitive of earlier steps, whose numbers are those of its operands.
    Primitive(Op, Vec<StepId>),
}

/// The steps of a composite, in order; the last one gives its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// The steps, each with its element type.
    pub steps: Vec<(DecompositionStep, DType)>,
}

impl Op {
    /// The op in primitives, for operands of this element type, if it is a composite. Floats are computed in `compute`, or
    /// in their own type where that is wider.
    pub fn decompose(&self, dtype: DType, compute: DType) -> Option<Decomposition> {
        let Class::Composite(write) = self.decl().class else { return None };
        let compute = match dtype.is_float() && dtype.bits() < compute.bits() {
            true => compute,
            false => dtype,
        };
        let composite = Composite::new(self, dtype, compute);
        let y = write(&composite)?;
        // Conditions are not numbers to round.
        let to = if y.dtype() == compute { dtype } else { y.dtype() };
        y.result(to);
        Some(composite.finish())
    }
}

#[cfg(test)]
mod tests;
