//! Upsample, and older forms of Resize and GridSample.

use super::Step;
use crate::error::{LoadError, LoadErrorKind};
use crate::import::node::Node;
use trident_ir::{Attr, Builder, Literal};

fn text(s: &str) -> Attr {
    Attr::Str(s.to_owned())
}

/// How images were resampled before operator set 11: whole coordinates are corners of pixels, not centres.
fn asymmetric(node: &mut Node<'_>, nearest_mode: &str) -> Result<(), LoadError> {
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
    node.set("nearest_mode", text(nearest_mode));
    Ok(())
}

/// Resize with scales as its second operand.
pub(super) fn resize_10(_: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    asymmetric(node, "ceil_when_shrinking")?;
    let scales = node.need(1, "scales")?;
    node.set_input(2, Some(scales));
    node.set_input(1, None);
    Ok(Step::Continue)
}

/// Upsample became Resize; its scales were attributes, then an operand.
pub(super) fn upsample(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    asymmetric(node, "floor")?;
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
