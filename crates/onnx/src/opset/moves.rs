//! Older forms of operators that move or convert elements.

use super::shape::{ints, ones, rank};
use super::{Step, missing, set_operand};
use crate::dtype;
use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::node::Node;
use trident_ir::{Builder, DType, Literal, Op, ValueId, ops};

type Result = std::result::Result<Step, OnnxError>;

/// A number as a tensor of rank 0 with the element type of `like`.
pub(crate) fn scalar_like(
    b: &mut Builder<'_>,
    value: f32,
    like: ValueId,
) -> std::result::Result<ValueId, OnnxError> {
    let scalar = b.literal(Literal::scalar(value));
    match b.func.ty(like).dtype() {
        Some(dtype) if dtype != DType::F32 => Ok(b.add(ops::Cast::new(scalar).to(dtype))?),
        _ => Ok(scalar),
    }
}

/// The shape was an attribute; an empty one asks for rank 0.
pub(super) fn reshape(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let dims = node.take_ints("shape")?.unwrap_or_default();
    set_operand(op, ops::Reshape::AT.shape, Some(ints(b, &dims)));
    Ok(Step::Continue)
}

/// The element type was given by its name.
pub(super) fn cast(_: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let name = node.take_str("to")?.ok_or_else(|| missing("to"))?;
    let to = dtype::from_name(&name).ok_or_else(|| OnnxErrorKind::AttributeValue {
        name: "to".to_owned(),
        found: name,
        expected: "the name of an element type",
    })?;
    if let Some(cast) = ops::Cast::edit(op) {
        cast.to(to);
    }
    Ok(Step::Continue)
}

/// CastLike is a cast to the element type of its second operand.
pub(crate) fn cast_like(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let [_, _] = node.operands()?;
    let (x, like) = (node.need(0, "input")?, node.need(1, "target_type")?);
    let to = b.func.ty(like).dtype().ok_or_else(|| OnnxErrorKind::BadType {
        tensor: b.func.info(like).name.clone(),
        reason: "it is not a tensor".to_owned(),
    })?;
    *op = ops::Cast::new(x).to(to).into_op();
    Ok(Step::Continue)
}

/// One axis was repeated, both given as tensors of any number type.
pub(super) fn tile(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let [_, _, _] = node.operands()?;
    let x = node.need(0, "input")?;
    let operands = [node.need(1, "tiles")?, node.need(2, "axis")?];
    let one = ints(b, &[1]);
    let mut vector = |v| {
        let v = b.add(ops::Cast::new(v).to(DType::I64))?;
        b.add(ops::Reshape::new(v, one))
    };
    let (tiles, axis) = (vector(operands[0])?, vector(operands[1])?);
    let rank = rank(b, x)?;
    let ones = ones(b, rank)?;
    let repeats = b.add(ops::ScatterElements::new(ones, axis, tiles))?;
    *op = ops::Tile::new(x, repeats).into_op();
    Ok(Step::Continue)
}

/// The count was an attribute.
pub(super) fn top_k(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let k = node.take_int("k")?.ok_or_else(|| missing("k"))?;
    set_operand(op, ops::TopK::AT.k, Some(ints(b, &[k])));
    Ok(Step::Continue)
}

/// The bounds were attributes, from operator set 6 on with the range of f32 as default.
pub(super) fn clip(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let places = ops::Clip::AT;
    let x = node.need(places.x, "x")?;
    for (name, place, default) in [("min", places.min, f32::MIN), ("max", places.max, f32::MAX)] {
        let bound = node.take_float(name)?.or((node.version >= 6).then_some(default));
        if let Some(bound) = bound {
            set_operand(op, place, Some(scalar_like(b, bound, x)?));
        }
    }
    Ok(Step::Continue)
}

/// Amounts and fill value were attributes. The amounts had another name at first.
pub(super) fn pad(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let x = node.need(ops::Pad::AT.x, "x")?;
    let name = if node.version < 2 { "paddings" } else { "pads" };
    let pads = node.take_ints(name)?.ok_or_else(|| missing(name))?;
    set_operand(op, ops::Pad::AT.pads, Some(ints(b, &pads)));
    if let Some(value) = node.take_float("value")? {
        set_operand(op, ops::Pad::AT.value, Some(scalar_like(b, value, x)?));
    }
    Ok(Step::Continue)
}

/// Without sizes, the number of results was the number of equal parts.
pub(super) fn split(_: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let sizes = op.input(ops::Split::AT.split);
    if let (None, Some(split)) = (sizes, ops::Split::edit(op)) {
        split.num_outputs(node.proto.output.len() as i64);
    }
    Ok(Step::Continue)
}

/// The axis was an attribute.
pub(super) fn dft(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let axis = node.take_int("axis")?.unwrap_or(1);
    set_operand(op, ops::DFT::AT.axis, Some(b.literal(Literal::scalar(axis))));
    Ok(Step::Continue)
}

/// Scatter became ScatterElements, which has the same operands and attributes.
pub(crate) fn scatter(_: &mut Builder<'_>, _: &mut Node<'_>, _: &mut Op) -> Result {
    Ok(Step::Continue)
}

/// The type of an empty optional value has another name in the row.
pub(super) fn optional(_: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let ty = node.take_type("type")?;
    node.finish()?;
    if let (Some(ty), Some(optional)) = (ty, ops::Optional::edit(op)) {
        optional.elem_type(ty);
    }
    Ok(Step::Continue)
}

/// A list of strings and their positions, mapped in the direction that the operand asks for.
pub(super) fn label_encoder(b: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result {
    let x = node.need(ops::LabelEncoder::AT.x, "x")?;
    let classes = node.take_strs("classes_strings")?.ok_or_else(|| missing("classes_strings"))?;
    let positions = (0..classes.len() as i64).collect();
    if let Some(encoder) = ops::LabelEncoder::edit(op) {
        match b.func.ty(x).dtype() {
            Some(DType::Str) => encoder.keys_strings(classes).values_int64s(positions),
            _ => encoder.keys_int64s(positions).values_strings(classes),
        };
    }
    Ok(Step::Continue)
}
