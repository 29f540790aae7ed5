//! Softmax and its kin before operator set 13: one distribution over all axes from `axis` on.

use super::Step;
use super::shape::{reshape, shape};
use crate::error::OnnxError;
use crate::import::node::Node;
use trident_ir::op::TypeError;
use trident_ir::{Builder, Op, OpKind, ValueId, ops};

fn along_last_axis(b: &mut Builder<'_>, kind: OpKind, x: ValueId) -> Result<ValueId, TypeError> {
    match kind {
        OpKind::LogSoftmax => b.add(ops::LogSoftmax::new(x).axis(-1)),
        OpKind::Hardmax => b.add(ops::Hardmax::new(x).axis(-1)),
        _ => b.add(ops::Softmax::new(x).axis(-1)),
    }
}

/// Flattens to a matrix at `axis` (by default 1), works along its rows, and restores the shape.
pub(super) fn flattened(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let [_] = node.operands()?;
    let x = node.need(0, "x")?;
    let axis = node.take_int("axis")?.unwrap_or(1);
    node.finish()?;
    let rank = b.func.ty(x).shape().and_then(|s| i64::try_from(s.len()).ok());
    if axis == -1 || (axis >= 0 && rank == axis.checked_add(1)) {
        return Ok(Step::Done(vec![Some(along_last_axis(b, op.kind, x)?)]));
    }
    let shape = shape(b, x)?;
    let rows = b.add(ops::Flatten::new(x).axis(axis))?;
    let y = along_last_axis(b, op.kind, rows)?;
    Ok(Step::Done(vec![Some(reshape(b, y, shape)?)]))
}
