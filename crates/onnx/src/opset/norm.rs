//! Older forms of BatchNormalization, GroupNormalization and Dropout.

use super::Step;
use super::shape::{ints, reshape};
use crate::error::{LoadError, LoadErrorKind};
use crate::import::node::Node;
use trident_ir::{Attr, Builder, DType, Literal, OpKind, ValueId};

/// Before operator set 14 the number of results told whether to train; before 9 there was a form with
/// statistics per element (`spatial = 0`), before 7 an attribute for tests.
pub(super) fn batch_normalization(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
) -> Result<Step, LoadError> {
    let is_test = node.take_int("is_test")?.unwrap_or(0) != 0;
    let spatial = node.take_int("spatial")?.unwrap_or(1) != 0;
    let training = node.outputs() > 1;
    if node.outputs() > 3 || (training && (is_test || !spatial)) {
        let reason = "results for the backward pass, which is training";
        return Err(LoadErrorKind::Unsupported { op: node.op.to_owned(), reason }.into());
    }
    if training {
        node.set("training_mode", Attr::Int(1));
    }
    match spatial {
        true => Ok(Step::Continue),
        false => per_element(b, node).map(|y| Step::Done(vec![Some(y)])),
    }
}

/// scale·(x − mean)/√(variance + epsilon) + bias, all of the shape of one sample.
fn per_element(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<ValueId, LoadError> {
    let x = node.need(0, "x")?;
    let (scale, bias) = (node.need(1, "scale")?, node.need(2, "b")?);
    let (mean, variance) = (node.need(3, "mean")?, node.need(4, "var")?);
    let epsilon = node.take_float("epsilon")?.unwrap_or(1e-5);
    node.remove("momentum");
    node.finish()?;
    let epsilon = super::moves::scalar_like(b, epsilon, x)?;
    let variance = b.op(OpKind::Add, &[variance, epsilon], &[])?;
    let deviation = b.op(OpKind::Sqrt, &[variance], &[])?;
    let y = b.op(OpKind::Sub, &[x, mean], &[])?;
    let y = b.op(OpKind::Div, &[y, deviation], &[])?;
    let y = b.op(OpKind::Mul, &[y, scale], &[])?;
    Ok(b.op(OpKind::Add, &[y, bias], &[])?)
}

/// Scale and bias had one element per group: each is repeated for the group's channels.
pub(super) fn group_normalization(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
) -> Result<Step, LoadError> {
    let x = node.need(0, "x")?;
    let missing = || LoadErrorKind::MissingAttribute { name: "num_groups".to_owned() };
    let groups = node.take_int("num_groups")?.ok_or_else(missing)?;
    node.set("num_groups", Attr::Int(groups));
    let channels = b.op(OpKind::Shape, &[x], &[("start", Attr::Int(1)), ("end", Attr::Int(2))])?;
    let count = ints(b, &[groups]);
    let each = b.op(OpKind::Div, &[channels, count], &[])?;
    let table = b.op(OpKind::Concat, &[count, each], &[("axis", Attr::Int(0))])?;
    let column = ints(b, &[groups, 1]);
    for (place, name) in [(1, "scale"), (2, "bias")] {
        let per_group = node.need(place, name)?;
        let per_group = reshape(b, per_group, column)?;
        let repeated = b.op(OpKind::Expand, &[per_group, table], &[])?;
        let per_channel = reshape(b, repeated, channels)?;
        node.set_input(place, Some(per_channel));
    }
    Ok(Step::Continue)
}

/// The ratio was an attribute. Before operator set 7 an attribute told whether to train; later nodes never
/// did. Before 10 the mask had the element type of the data.
pub(super) fn dropout(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    let x = node.need(0, "x")?;
    let ratio = node.take_float("ratio")?.unwrap_or(0.5);
    let is_test = node.take_int("is_test")?;
    let training = node.version < 7 && is_test.unwrap_or(0) == 0;
    node.finish()?;
    if !training && node.outputs() < 2 {
        return Ok(Step::Done(vec![Some(b.op(OpKind::Identity, &[x], &[])?)]));
    }
    let ratio = b.literal(Literal::scalar(ratio));
    let training = b.literal(Literal::scalar(trident_ir::element::B8::from(training)));
    let operands = [Some(x), Some(ratio), Some(training)];
    let results = b.ops(OpKind::Dropout, &operands, &[], 2)?;
    let (y, mut mask) = (results[0], results[1]);
    if node.version < 10 {
        let dtype = b.func.ty(x).dtype().unwrap_or(DType::F32);
        mask = b.op(OpKind::Cast, &[mask], &[("to", Attr::DType(dtype))])?;
    }
    Ok(Step::Done(vec![Some(y), Some(mask)]))
}
