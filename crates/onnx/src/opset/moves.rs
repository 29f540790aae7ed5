//! Older forms of operators that move or convert elements.

use super::Step;
use super::shape::{ints, ones, rank};
use crate::dtype;
use crate::error::{LoadError, LoadErrorKind};
use crate::import::attr::wrong_kind;
use crate::import::node::Node;
use trident_ir::{Attr, Builder, DType, Literal, OpKind, ValueId};

type Result = std::result::Result<Step, LoadError>;

fn missing(name: &str) -> LoadErrorKind {
    LoadErrorKind::MissingAttribute { name: name.to_owned() }
}

/// A number as a tensor of rank 0 with the element type of `like`.
pub(super) fn scalar_like(
    b: &mut Builder<'_>,
    value: f32,
    like: ValueId,
) -> std::result::Result<ValueId, LoadError> {
    let scalar = b.literal(Literal::scalar(value));
    match b.func.ty(like).dtype() {
        Some(dtype) if dtype != DType::F32 => {
            Ok(b.op(OpKind::Cast, &[scalar], &[("to", Attr::DType(dtype))])?)
        }
        _ => Ok(scalar),
    }
}

/// The shape was an attribute; an empty one asks for rank 0.
pub(super) fn reshape(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let dims = node.take_ints("shape")?.unwrap_or_default();
    let shape = ints(b, &dims);
    node.set_input(1, Some(shape));
    Ok(Step::Continue)
}

/// The element type was given by its name.
pub(super) fn cast(_: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let name = node.take_str("to")?.ok_or_else(|| missing("to"))?;
    let to = dtype::from_name(&name).ok_or_else(|| LoadErrorKind::AttributeValue {
        name: "to".to_owned(),
        found: name,
        expected: "the name of an element type",
    })?;
    node.set("to", Attr::DType(to));
    Ok(Step::Continue)
}

/// CastLike is a cast to the element type of its second operand.
pub(super) fn cast_like(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let like = node.need(1, "target_type")?;
    let to = b.func.ty(like).dtype().ok_or_else(|| LoadErrorKind::BadType {
        tensor: b.func.info(like).name.clone(),
        reason: "it is no tensor".to_owned(),
    })?;
    node.set("to", Attr::DType(to));
    node.set_input(1, None);
    node.op = "Cast";
    Ok(Step::Continue)
}

/// One axis was repeated, both given as tensors of any number type.
pub(super) fn tile(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let x = node.need(0, "x")?;
    let operands = [node.need(1, "tiles")?, node.need(2, "axis")?];
    let one = ints(b, &[1]);
    let mut vector = |v| {
        let v = b.op(OpKind::Cast, &[v], &[("to", Attr::DType(DType::I64))])?;
        b.op(OpKind::Reshape, &[v, one], &[])
    };
    let (tiles, axis) = (vector(operands[0])?, vector(operands[1])?);
    let rank = rank(b, x)?;
    let ones = ones(b, rank)?;
    let repeats = b.op(OpKind::ScatterElements, &[ones, axis, tiles], &[])?;
    node.set_input(2, None);
    node.set_input(1, Some(repeats));
    Ok(Step::Continue)
}

/// The count was an attribute.
pub(super) fn top_k(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let k = node.take_int("k")?.ok_or_else(|| missing("k"))?;
    let k = ints(b, &[k]);
    node.set_input(1, Some(k));
    Ok(Step::Continue)
}

/// The bounds were attributes, from operator set 6 on with the range of f32 as default.
pub(super) fn clip(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let x = node.need(0, "x")?;
    for (name, place, default) in [("min", 1, f32::MIN), ("max", 2, f32::MAX)] {
        let bound = node.take_float(name)?.or((node.version >= 6).then_some(default));
        if let Some(bound) = bound {
            let bound = scalar_like(b, bound, x)?;
            node.set_input(place, Some(bound));
        }
    }
    Ok(Step::Continue)
}

/// Amounts and fill value were attributes.
pub(super) fn pad(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let x = node.need(0, "x")?;
    let pads = node.take_ints("pads")?.ok_or_else(|| missing("pads"))?;
    let pads = ints(b, &pads);
    node.set_input(1, Some(pads));
    if let Some(value) = node.take_float("value")? {
        let value = scalar_like(b, value, x)?;
        node.set_input(2, Some(value));
    }
    Ok(Step::Continue)
}

/// Without sizes, the number of results told the number of equal parts.
pub(super) fn split(_: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    if node.input(1).is_none() {
        node.set("num_outputs", Attr::Int(node.proto.output.len() as i64));
    }
    Ok(Step::Continue)
}

/// The axis was an attribute.
pub(super) fn dft(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let axis = node.take_int("axis")?.unwrap_or(1);
    let axis = b.literal(Literal::scalar(axis));
    node.set_input(2, Some(axis));
    Ok(Step::Continue)
}

/// Scatter became ScatterElements.
pub(super) fn scatter(_: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    node.op = "ScatterElements";
    Ok(Step::Continue)
}

/// A list of strings and their positions, mapped in the direction that the operand asks for.
pub(super) fn label_encoder(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result {
    let x = node.need(0, "x")?;
    let classes = match node.take("classes_strings")? {
        Some(Attr::Strs(classes)) => classes,
        Some(_) => return Err(wrong_kind("classes_strings", "STRINGS").into()),
        None => return Err(missing("classes_strings").into()),
    };
    let positions = Attr::Ints((0..classes.len() as i64).collect());
    let (keys, values) = match b.func.ty(x).dtype() {
        Some(DType::Str) => (("keys_strings", Attr::Strs(classes)), ("values_int64s", positions)),
        _ => (("keys_int64s", positions), ("values_strings", Attr::Strs(classes))),
    };
    node.set(keys.0, keys.1);
    node.set(values.0, values.1);
    Ok(Step::Continue)
}
