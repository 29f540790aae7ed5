//! Elementwise ops at levels tile and lane: nothing broadcasts.

use super::{Site, Types, one};
use crate::DType;
use crate::op::{Elements, Rule, TypeError};
use crate::types::Type;

impl Site<'_> {
    /// Element type and dimensions of an operand, with elements that its row says it takes.
    pub(crate) fn taken(&self, index: usize) -> Result<(DType, Vec<usize>), TypeError> {
        let takes = self.op.decl().operand(index).map_or(Elements::Any, |o| o.takes);
        self.elements(index, takes.name(), |d| takes.accept(d))
    }
}

/// Operands of one type; the results have their dimensions, and the element type of the row's rule.
pub(crate) fn alike(site: &Site<'_>) -> Types {
    let (dtype, dims) = site.taken(0)?;
    let ty = Type::fixed(dtype, &dims);
    (1..site.op.inputs.len()).try_for_each(|i| site.expect(i, &ty))?;
    let result = match site.op.decl().result(0).map(|r| r.rule) {
        Some(Rule::Is(dtype)) => dtype,
        Some(Rule::Attr(name)) => site.element(name)?,
        _ => dtype,
    };
    one(Type::fixed(result, &dims))
}
