//! `TypeProto` to types and back.

use crate::dtype;
use crate::proto::{
    Dimension, DimensionValue, ElementTypeProto, MapTypeProto, TensorShapeProto, TensorTypeProto,
    TypeProto, TypeValue,
};
use trident_ir::{DType, Dim, Literal, Shape, TensorType, Type};

/// The type that a message describes, or the message's fault.
pub(crate) fn from_proto(ty: &TypeProto) -> Result<Type, String> {
    let inner = |ty: &Option<Box<TypeProto>>| match ty {
        Some(ty) => from_proto(ty).map(Box::new),
        None => Err("its declaration does not say what it holds".to_owned()),
    };
    match &ty.value {
        Some(TypeValue::Tensor(t)) => Ok(Type::Tensor(TensorType {
            dtype: element(t.elem_type)?,
            shape: t.shape.as_ref().map(shape),
        })),
        Some(TypeValue::Sequence(t)) => Ok(Type::Seq(inner(&t.elem_type)?)),
        Some(TypeValue::Optional(t)) => Ok(Type::Optional(inner(&t.elem_type)?)),
        Some(TypeValue::Map(t)) => Ok(Type::Map(element(t.key_type)?, inner(&t.value_type)?)),
        Some(TypeValue::SparseTensor(_)) => {
            Err("sparse tensors are supported as constants only".to_owned())
        }
        Some(TypeValue::Opaque(t)) => Err(format!("it is opaque (`{}.{}`)", t.domain, t.name)),
        None => Err("it is not given".to_owned()),
    }
}

fn element(number: i32) -> Result<DType, String> {
    dtype::from_number(number.into()).ok_or(format!("data type {number} is not supported"))
}

/// Names that exporters give to unknown dimensions. Two dimensions with the same such name need not be equal.
const NAMELESS: [&str; 5] = ["", "?", "*", "-1", "None"];

/// A shape; a negative dimension is an unknown one.
fn shape(shape: &TensorShapeProto) -> Shape {
    let dim = |d: &Dimension| match &d.value {
        // Exporters write -1 for what is known only at run time.
        Some(DimensionValue::Value(n)) => usize::try_from(*n).map_or(Dim::Unknown, Dim::Fixed),
        Some(DimensionValue::Param(name)) if !NAMELESS.contains(&name.as_str()) => Dim::sym(name),
        _ => Dim::Unknown,
    };
    shape.dim.iter().map(dim).collect()
}

/// The message that describes a type. Pointers, which models do not have, give an empty message.
pub fn type_proto(ty: &Type) -> TypeProto {
    let boxed = |ty: &Type| Some(Box::new(type_proto(ty)));
    let value = match ty {
        Type::Pointer(_) | Type::Descriptor(_) | Type::Matrix(_) | Type::Accumulator(_) => {
            return TypeProto { value: None };
        }
        Type::Tensor(t) => TypeValue::Tensor(TensorTypeProto {
            elem_type: dtype::to_number(t.dtype),
            shape: t
                .shape
                .as_ref()
                .map(|dims| TensorShapeProto { dim: dims.iter().map(dimension).collect() }),
        }),
        Type::Seq(item) => {
            TypeValue::Sequence(Box::new(ElementTypeProto { elem_type: boxed(item) }))
        }
        Type::Optional(item) => {
            TypeValue::Optional(Box::new(ElementTypeProto { elem_type: boxed(item) }))
        }
        Type::Map(key, value) => TypeValue::Map(Box::new(MapTypeProto {
            key_type: dtype::to_number(*key),
            value_type: boxed(value),
        })),
    };
    TypeProto { value: Some(value) }
}

fn dimension(dim: &Dim) -> Dimension {
    let value = match dim {
        Dim::Fixed(n) => Some(DimensionValue::Value(*n as i64)),
        Dim::Sym(name) => Some(DimensionValue::Param(name.to_string())),
        Dim::Unknown => None,
    };
    Dimension { value }
}

/// Whether a constant may be the value of something of this type.
pub(crate) fn holds(ty: &Type, literal: &Literal) -> bool {
    let Type::Tensor(t) = ty else { return false };
    let fits = |shape: &Shape| {
        shape.len() == literal.dims().len()
            && shape.iter().zip(literal.dims()).all(|(d, n)| d.fixed().is_none_or(|d| d == *n))
    };
    t.dtype == literal.dtype() && t.shape.as_ref().is_none_or(fits)
}

/// Whether two types agree, shapes left aside.
pub(crate) fn agree(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Tensor(a), Type::Tensor(b)) => a.dtype == b.dtype,
        (Type::Seq(a), Type::Seq(b)) | (Type::Optional(a), Type::Optional(b)) => agree(a, b),
        (Type::Map(k, a), Type::Map(l, b)) => k == l && agree(a, b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_nothing_are_no_names() {
        let dim = |name: &str| Dimension { value: Some(DimensionValue::Param(name.into())) };
        let given = ["?", "N", "?", "", "-1", "None", "*"];
        let proto = TensorShapeProto { dim: given.map(dim).to_vec() };
        let expected = [Dim::Unknown, Dim::sym("N"), Dim::Unknown];
        assert_eq!(shape(&proto)[..3], expected);
        assert!(shape(&proto)[3..].iter().all(|d| *d == Dim::Unknown));
    }
}
