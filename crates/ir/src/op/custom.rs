//! Type rules of single ops, where no form of [`Rule`](super::Rule) fits.

use super::rule::{Operands, TypeError};
use super::words::MapCast;
use crate::{Attr, DType, Op, Type};

type Result = std::result::Result<Type, TypeError>;

/// The element type of a tensor attribute; `absent` where it is not set.
fn tensor_attr(op: &Op, name: &'static str, absent: Option<DType>) -> Result {
    match (op.attrs.get(name), absent) {
        (Some(Attr::Tensor(t)), _) => Ok(Type::unranked(t.dtype())),
        (None, Some(dtype)) => Ok(Type::unranked(dtype)),
        _ => Err(TypeError::Attribute { op: op.decl().name, name, expected: "a tensor" }),
    }
}

/// The type of the data, dimensions included.
pub(super) fn constant(op: &Op, _: &Operands<'_>) -> Result {
    match op.attrs.get("value") {
        Some(Attr::Tensor(t)) => Ok(t.ty()),
        _ => Err(TypeError::Attribute { op: op.decl().name, name: "value", expected: "a tensor" }),
    }
}

/// The element type of the fill value, f32 without one.
pub(super) fn filled(op: &Op, _: &Operands<'_>) -> Result {
    tensor_attr(op, "value", Some(DType::F32))
}

/// The element type of a sequence's tensors; joined, they have other dimensions.
pub(super) fn joined(op: &Op, operands: &Operands<'_>) -> Result {
    match operands(0) {
        Some(Type::Seq(item)) => Ok(item.unshaped()),
        other => Err(TypeError::Operand {
            op: op.decl().name,
            name: "xs",
            index: 0,
            actual: other.map_or("absent".into(), Type::to_string),
            expected: "a sequence".into(),
        }),
    }
}

/// As the attribute says, else as the zero point, else u8.
pub(super) fn quantized(op: &Op, operands: &Operands<'_>) -> Result {
    let zero_point = operands(2).and_then(Type::dtype);
    Ok(Type::unranked(op.dtype("output_dtype").or(zero_point).unwrap_or(DType::U8)))
}

/// Of tensors of unknown rank, f32 unless the attribute says otherwise.
pub(super) fn empty_sequence(op: &Op, _: &Operands<'_>) -> Result {
    Ok(Type::Seq(Box::new(Type::unranked(op.dtype("dtype").unwrap_or(DType::F32)))))
}

/// What is put in, or where that is nothing, what the attribute says could be.
pub(super) fn optional(op: &Op, operands: &Operands<'_>) -> Result {
    let inner = match (operands(0), op.attrs.get("elem_type")) {
        (Some(ty), _) => ty.clone(),
        (None, Some(Attr::Type(ty))) => ty.clone(),
        _ => {
            let (op, name) = (op.decl().name, "elem_type");
            return Err(TypeError::Attribute { op, name, expected: "a type" });
        }
    };
    Ok(Type::Optional(Box::new(inner)))
}

/// Strings where the classes have names, else i64.
pub(super) fn class_labels(op: &Op, _: &Operands<'_>) -> Result {
    let strings = op.strs("classlabels_strings").is_some_and(|s| !s.is_empty());
    Ok(Type::unranked(if strings { DType::Str } else { DType::I64 }))
}

/// One map per row, from the label of a class to its score.
pub(super) fn zip_map(op: &Op, operands: &Operands<'_>) -> Result {
    let key = class_labels(op, operands)?.dtype().unwrap_or(DType::I64);
    Ok(Type::Seq(Box::new(Type::Map(key, Box::new(Type::fixed(DType::F32, &[]))))))
}

/// By the name of the cast.
pub(super) fn cast_map(op: &Op, _: &Operands<'_>) -> Result {
    let to = crate::ops::CastMap::of(op).map_or(MapCast::Float, |op| op.cast_to());
    Ok(Type::unranked(match to {
        MapCast::Str => DType::Str,
        MapCast::Int => DType::I64,
        MapCast::Float => DType::F32,
    }))
}

/// Names become numbers and numbers names.
pub(super) fn category(_: &Op, operands: &Operands<'_>) -> Result {
    let strings = operands(0).and_then(Type::dtype) == Some(DType::Str);
    Ok(Type::unranked(if strings { DType::I64 } else { DType::Str }))
}

/// As the values that the op may give.
pub(super) fn label_values(op: &Op, _: &Operands<'_>) -> Result {
    if op.attrs.get("values_tensor").is_some() {
        return tensor_attr(op, "values_tensor", None);
    }
    let by_name = [
        ("values_strings", DType::Str),
        ("values_int64s", DType::I64),
        ("values_floats", DType::F32),
    ];
    let found = by_name.into_iter().find(|(name, _)| op.attrs.get(name).is_some());
    found.map(|(_, dtype)| Type::unranked(dtype)).ok_or(TypeError::Attribute {
        op: op.decl().name,
        name: "values_tensor",
        expected: "one of the values_* attributes",
    })
}

/// The type of the values of the map.
pub(super) fn map_values(op: &Op, operands: &Operands<'_>) -> Result {
    match operands(0) {
        Some(Type::Map(_, value)) => Ok(Type::unranked(value.dtype().unwrap_or(DType::F32))),
        other => Err(TypeError::Operand {
            op: op.decl().name,
            name: "x",
            index: 0,
            actual: other.map_or("absent".into(), Type::to_string),
            expected: "a map".into(),
        }),
    }
}

/// As the state that comes in, else as the query.
pub(super) fn linear_state(op: &Op, operands: &Operands<'_>) -> Result {
    let state = operands(3).or_else(|| operands(0)).and_then(Type::dtype);
    state.map(Type::unranked).ok_or(TypeError::MissingOperand {
        op: op.decl().name,
        name: "query",
        index: 0,
    })
}
