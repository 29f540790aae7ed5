//! Upsample, and older forms of Resize and GridSample.

use super::Step;
use crate::error::{LoadError, LoadErrorKind};
use crate::import::node::Node;
use trident_ir::{Attr, Builder, Literal, OpKind, ValueId};

fn text(s: &str) -> Attr {
    Attr::Str(s.to_owned())
}

/// How images were resampled before operator set 11: whole coordinates are corners of pixels, not centres.
fn asymmetric(node: &mut Node<'_>) -> Result<(), LoadError> {
    let mode = node.take_str("mode")?.unwrap_or_else(|| "nearest".to_owned());
    let mode = match mode.as_str() {
        "nearest" => "nearest",
        "linear" | "bilinear" => "linear",
        _ => {
            let (name, expected) = ("mode".to_owned(), "nearest or linear");
            return Err(LoadErrorKind::AttributeValue { name, found: mode, expected }.into());
        }
    };
    node.set("mode", text(mode));
    node.set("coordinate_transformation_mode", text("asymmetric"));
    node.set("nearest_mode", text("floor"));
    Ok(())
}

/// Resize with scales as its second operand. The nearest pixel lies below a place between two on axes that
/// grow, and above it on axes that shrink, so that an image that does both passes two ops.
pub(super) fn resize_10(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    asymmetric(node)?;
    let mut x = node.need(0, "x")?;
    let mut scales = node.need(1, "scales")?;
    let nearest = node.take("mode")?;
    if nearest == Some(Attr::Str("nearest".to_owned())) {
        let known = constant(b, scales).and_then(|t| t.to_vec::<f32>());
        let any = |test: fn(f32) -> bool| known.as_ref().is_none_or(|s| s.iter().any(|s| test(*s)));
        let (grows, shrinks) = (any(|s| s > 1.0), any(|s| s < 1.0));
        if grows && shrinks {
            let one = b.literal(Literal::scalar(1f32));
            let growth = b.op(OpKind::Max, &[scales, one], &[])?;
            let attrs = [
                ("coordinate_transformation_mode", text("asymmetric")),
                ("nearest_mode", text("floor")),
            ];
            x = b.ops(OpKind::Resize, &[Some(x), None, Some(growth)], &attrs, 1)?[0];
            scales = b.op(OpKind::Min, &[scales, one], &[])?;
        }
        if shrinks {
            node.set("nearest_mode", text("ceil"));
        }
    }
    nearest.into_iter().for_each(|mode| node.set("mode", mode));
    node.set_input(0, Some(x));
    node.set_input(2, Some(scales));
    node.set_input(1, None);
    Ok(Step::Continue)
}

/// The constant behind a value of the block under construction.
fn constant(b: &Builder<'_>, value: ValueId) -> Option<Literal> {
    let made = b.block.ops.iter().find(|op| op.defined().any(|v| v == value))?;
    match (made.kind, made.attrs.get("value")) {
        (OpKind::Constant, Some(Attr::Tensor(t))) => Some(t.clone()),
        _ => None,
    }
}

/// Upsample became Resize; its scales were attributes, then an operand.
pub(super) fn upsample(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    asymmetric(node)?;
    let missing = |name: &str| LoadErrorKind::MissingAttribute { name: name.to_owned() };
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
    node.set_input(1, None);
    node.set_input(2, Some(scales));
    node.op = "Resize";
    Ok(Step::Continue)
}

/// Operator set 11 had no optional operands here: empty tensors stand for those that are left out.
pub(super) fn empty_operands(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    for i in 1..node.inputs.len() {
        let empty = |v| b.func.ty(v).dims().is_some_and(|d| d.contains(&0));
        if node.input(i).is_some_and(empty) {
            node.set_input(i, None);
        }
    }
    Ok(Step::Continue)
}

/// The modes of GridSample were named after two dimensions.
pub(super) fn grid_modes(_: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    if let Some(mode) = node.take_str("mode")? {
        let mode = match mode.as_str() {
            "bilinear" => "linear",
            "bicubic" => "cubic",
            other => other,
        };
        node.set("mode", Attr::Str(mode.to_owned()));
    }
    Ok(Step::Continue)
}
