//! Broadcasting before operator set 7: the second operand is placed at an axis of the first.

use super::Step;
use super::shape::{append_ones, ints, rank};
use crate::error::LoadError;
use crate::import::node::Node;
use trident_ir::{Builder, OpKind};

/// With `broadcast`, the second operand's shape is a part of the first's that starts at `axis`, by default
/// its end. Ones behind it make that today's broadcasting.
pub(super) fn axis(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    let broadcast = node.take_int("broadcast")?.unwrap_or(0) != 0;
    let axis = node.take_int("axis")?;
    let (Some(axis), true) = (axis, broadcast) else { return Ok(Step::Continue) };
    let (x, y) = (node.need(0, "a")?, node.need(1, "b")?);
    let from_axis = match axis {
        0.. => {
            let (rank, axis) = (rank(b, x)?, ints(b, &[axis]));
            b.op(OpKind::Sub, &[rank, axis], &[])?
        }
        _ => ints(b, &[axis.saturating_neg()]),
    };
    let own = rank(b, y)?;
    let count = b.op(OpKind::Sub, &[from_axis, own], &[])?;
    let y = append_ones(b, y, count)?;
    node.set_input(1, Some(y));
    Ok(Step::Continue)
}

/// A slope has one element, or one per channel (the second axis).
pub(super) fn slope(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    let (x, slope) = (node.need(0, "x")?, node.need(1, "slope")?);
    if b.func.ty(slope).shape().is_some_and(|s| s.len() != 1) {
        return Ok(Step::Continue);
    }
    let (rank, two) = (rank(b, x)?, ints(b, &[2]));
    let count = b.op(OpKind::Sub, &[rank, two], &[])?;
    let slope = append_ones(b, slope, count)?;
    node.set_input(1, Some(slope));
    Ok(Step::Continue)
}
