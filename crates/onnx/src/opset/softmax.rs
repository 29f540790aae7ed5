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

/// The operator in its old form; `axis` is 1 by default.
pub(super) fn flattened(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let [_] = node.operands()?;
    let x = node.need(0, "x")?;
    let axis = node.take_int("axis")?.unwrap_or(1);
    node.finish()?;
    Ok(Step::Done(vec![Some(over_axes_from(b, op.kind, x, axis)?)]))
}

/// One distribution over all axes from `axis` on.
pub(crate) fn over_axes_from(
    b: &mut Builder<'_>,
    kind: OpKind,
    x: ValueId,
    axis: i64,
) -> Result<ValueId, OnnxError> {
    let rank = b.func.ty(x).shape().and_then(|s| i64::try_from(s.len()).ok());
    if axis == -1 || (axis >= 0 && rank == axis.checked_add(1)) {
        return Ok(along_last_axis(b, kind, x)?);
    }
    let shape = shape(b, x)?;
    let rows = b.add(ops::Flatten::new(x).axis(axis))?;
    let y = along_last_axis(b, kind, rows)?;
    reshape(b, y, shape)
}
