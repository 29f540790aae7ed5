//! Softmax and its kin before operator set 13: one distribution over all axes from `axis` on.

use super::Step;
use super::shape::{reshape, shape};
use crate::error::LoadError;
use crate::import::node::Node;
use trident_ir::{Attr, Builder, OpKind};

/// Flattens to a matrix at `axis` (by default 1), works along its rows, and restores the shape.
pub(super) fn flattened(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    let Some(kind) = OpKind::by_variant(node.op) else { return Ok(Step::Continue) };
    let x = node.need(0, "x")?;
    let axis = node.take_int("axis")?.unwrap_or(1);
    let rank = b.func.ty(x).shape().and_then(|s| i64::try_from(s.len()).ok());
    if axis == -1 || (axis >= 0 && rank == axis.checked_add(1)) {
        node.set("axis", Attr::Int(-1));
        return Ok(Step::Continue);
    }
    node.finish()?;
    let shape = shape(b, x)?;
    let rows = b.op(OpKind::Flatten, &[x], &[("axis", Attr::Int(axis))])?;
    let y = b.op(kind, &[rows], &[("axis", Attr::Int(-1))])?;
    Ok(Step::Done(vec![Some(reshape(b, y, shape)?)]))
}
