//! Older forms of BatchNormalization, GroupNormalization and Dropout.

use super::shape::{ints, reshape};
use super::{Step, missing, set_operand};
use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::node::Node;
use trident_ir::{Builder, DType, Literal, Op, ValueId, ops};

/// Before operator set 14 the number of results selected training; before 9 there was a form with statistics per
/// element (`spatial = 0`), before 7 an attribute for tests.
pub(super) fn batch_normalization(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let is_test = node.take_int("is_test")?.unwrap_or(0) != 0;
    let spatial = node.take_int("spatial")?.unwrap_or(1) != 0;
    let training = node.outputs() > 1;
    if node.outputs() > 3 || (training && (is_test || !spatial)) {
        let reason = "the outputs for training";
        return Err(OnnxErrorKind::Unsupported { op: node.proto.op_type.clone(), reason }.into());
    }
    if !spatial {
        return per_element(b, node).map(|y| Step::Done(vec![Some(y)]));
    }
    if let (true, Some(norm)) = (training, ops::BatchNormalization::edit(op)) {
        norm.training_mode(true);
    }
    Ok(Step::Continue)
}

/// scale·(x − mean)/√(variance + epsilon) + bias, all of the shape of one sample.
fn per_element(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<ValueId, OnnxError> {
    let at = ops::BatchNormalization::AT;
    let x = node.need(at.x, "x")?;
    let (scale, bias) = (node.need(at.scale, "scale")?, node.need(at.b, "b")?);
    let (mean, variance) = (node.need(at.mean, "mean")?, node.need(at.var, "var")?);
    let epsilon = node.take_float("epsilon")?.unwrap_or(1e-5);
    node.remove("momentum");
    node.finish()?;
    let epsilon = super::moves::scalar_like(b, epsilon, x)?;
    let variance = b.add(ops::Add::new(variance, epsilon))?;
    let deviation = b.add(ops::Sqrt::new(variance))?;
    let y = b.add(ops::Sub::new(x, mean))?;
    let y = b.add(ops::Div::new(y, deviation))?;
    let y = b.add(ops::Mul::new(y, scale))?;
    Ok(b.add(ops::Add::new(y, bias))?)
}

/// Scale and bias had one element per group: each is repeated for the group's channels.
pub(super) fn group_normalization(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let at = ops::GroupNormalization::AT;
    let x = node.need(at.x, "x")?;
    let groups = node.take_int("num_groups")?.ok_or_else(|| missing("num_groups"))?;
    if let Some(norm) = ops::GroupNormalization::edit(op) {
        norm.num_groups(groups);
    }
    let channels = b.add(ops::Shape::new(x).start(1).end(2))?;
    let count = ints(b, &[groups]);
    let each = b.add(ops::Div::new(channels, count))?;
    let table = b.add(ops::Concat::new(&[count, each]).axis(0))?;
    let column = ints(b, &[groups, 1]);
    for (place, name) in [(at.scale, "scale"), (at.bias, "bias")] {
        let per_group = node.need(place, name)?;
        let per_group = reshape(b, per_group, column)?;
        let repeated = b.add(ops::Expand::new(per_group, table))?;
        set_operand(op, place, Some(reshape(b, repeated, channels)?));
    }
    Ok(Step::Continue)
}

/// The ratio was an attribute. Before operator set 7 an attribute selected training; later nodes never did. Before 10
/// the mask had the element type of the data.
pub(super) fn dropout(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    _: &mut Op,
) -> Result<Step, OnnxError> {
    let [_] = node.operands()?;
    let x = node.need(ops::Dropout::AT.x, "x")?;
    let ratio = node.take_float("ratio")?.unwrap_or(0.5);
    let is_test = node.take_int("is_test")?;
    let training = node.version < 7 && is_test.unwrap_or(0) == 0;
    node.finish()?;
    if !training && node.outputs() < 2 {
        return Ok(Step::Done(vec![Some(b.add(ops::Identity::new(x))?)]));
    }
    let ratio = b.literal(Literal::scalar(ratio));
    let training = b.literal(Literal::scalar(trident_ir::element::B8::from(training)));
    let results = b.add_all(ops::Dropout::new(x, Some(ratio), Some(training)), 2)?;
    let [y, mut mask] = results[..] else { return Ok(Step::Continue) };
    if node.version < 10 {
        let dtype = b.func.ty(x).dtype().unwrap_or(DType::F32);
        mask = b.add(ops::Cast::new(mask).to(dtype))?;
    }
    Ok(Step::Done(vec![Some(y), Some(mask)]))
}
