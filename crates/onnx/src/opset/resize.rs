//! Upsample, and older forms of Resize and GridSample.

use super::{Step, missing};
use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::node::Node;
use trident_ir::op::words::{CoordinateTransform, Interpolation, NearestMode};
use trident_ir::{Builder, Literal, Op, ValueId, ops};

/// Resampling as it was before operator set 11: whole coordinates are corners of pixels, not centres.
fn asymmetric(node: &mut Node<'_>, scales: ValueId, nearest: NearestMode) -> Result<Op, OnnxError> {
    let x = node.need(ops::Resize::AT.x, "x")?;
    let mode = node.take_str("mode")?.unwrap_or_else(|| "nearest".to_owned());
    let mode = match mode.as_str() {
        "nearest" => Interpolation::Nearest,
        "linear" | "bilinear" => Interpolation::Linear,
        _ => {
            let (name, expected) = ("mode".to_owned(), "nearest or linear");
            return Err(OnnxErrorKind::AttributeValue { name, found: mode, expected }.into());
        }
    };
    node.finish()?;
    let resize = ops::Resize::new(x, None, Some(scales), None).mode(mode).nearest_mode(nearest);
    Ok(resize.coordinate_transformation_mode(CoordinateTransform::Asymmetric).into_op())
}

/// Resize with scales as its second operand.
pub(super) fn resize_10(
    _: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let [_, _] = node.operands()?;
    let scales = node.need(1, "scales")?;
    *op = asymmetric(node, scales, NearestMode::CeilWhenShrinking)?;
    Ok(Step::Continue)
}

/// Upsample became Resize; its scales were attributes, then an operand.
pub(crate) fn upsample(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let [_, _] = node.operands()?;
    let scales = match node.version {
        ..7 => {
            let mut scale = |name| node.take_float(name)?.ok_or_else(|| missing(name));
            let (height, width) = (scale("height_scale")?, scale("width_scale")?);
            b.literal(Literal::vector(&[1.0, 1.0, height, width]))
        }
        7..9 => {
            let scales = node.take_floats("scales")?.ok_or_else(|| missing("scales"))?;
            b.literal(Literal::vector(&scales))
        }
        _ => node.need(1, "scales")?,
    };
    *op = asymmetric(node, scales, NearestMode::Floor)?;
    Ok(Step::Continue)
}

/// In operator set 11 these operands were not optional: empty tensors stand for omitted ones.
pub(super) fn empty_operands(
    b: &mut Builder<'_>,
    _: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    let empty = |v: &mut ValueId| b.func.ty(*v).dims().is_some_and(|dims| dims.contains(&0));
    for operand in op.inputs.iter_mut().skip(1) {
        let _ = operand.take_if(empty);
    }
    Ok(Step::Continue)
}

/// The modes of GridSample were named after two dimensions.
pub(super) fn grid_modes(
    _: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    if let (Some(mode), Some(sample)) = (node.take_str("mode")?, ops::GridSample::edit(op)) {
        sample.mode(match mode.as_str() {
            "nearest" => Interpolation::Nearest,
            "linear" | "bilinear" => Interpolation::Linear,
            "cubic" | "bicubic" => Interpolation::Cubic,
            _ => {
                let (name, expected) = ("mode".to_owned(), "nearest, bilinear or bicubic");
                return Err(OnnxErrorKind::AttributeValue { name, found: mode, expected }.into());
            }
        });
    }
    Ok(Step::Continue)
}
