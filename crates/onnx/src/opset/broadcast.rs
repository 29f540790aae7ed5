//! Broadcasting before operator set 7: the second operand is placed at an axis of the first.

use super::shape::{append_ones, ints, rank};
use super::{Step, set_operand};
use crate::error::OnnxError;
use crate::import::node::Node;
use trident_ir::{Builder, Op, ops};

/// With `broadcast`, the second operand's shape is a part of the first's that starts at `axis`, by default its last
/// axes. Appended axes of length 1 turn this into today's broadcasting.
pub(super) fn axis(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let broadcast = node.take_int("broadcast")?.unwrap_or(0) != 0;
    let axis = node.take_int("axis")?;
    let (Some(axis), true) = (axis, broadcast) else { return Ok(Step::Continue) };
    let (x, y) = (node.need(ops::Add::AT.a, "a")?, node.need(ops::Add::AT.b, "b")?);
    let from_axis = match axis {
        0.. => {
            let (rank, axis) = (rank(b, x)?, ints(b, &[axis]));
            b.add(ops::Sub::new(rank, axis))?
        }
        _ => ints(b, &[axis.saturating_neg()]),
    };
    let own = rank(b, y)?;
    let count = b.add(ops::Sub::new(from_axis, own))?;
    // The second operand is at this place in all of these ops.
    set_operand(op, ops::Add::AT.b, Some(append_ones(b, y, count)?));
    Ok(Step::Continue)
}

/// A slope has one element, or one per channel (the second axis).
pub(super) fn slope(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let (x, slope) = (node.need(ops::PRelu::AT.x, "x")?, node.need(ops::PRelu::AT.slope, "slope")?);
    if b.func.ty(slope).shape().is_some_and(|s| s.len() != 1) {
        return Ok(Step::Continue);
    }
    let (rank, two) = (rank(b, x)?, ints(b, &[2]));
    let count = b.add(ops::Sub::new(rank, two))?;
    set_operand(op, ops::PRelu::AT.slope, Some(append_ones(b, slope, count)?));
    Ok(Step::Continue)
}
