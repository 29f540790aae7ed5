//! Attributes of nodes, decoded.

use super::Import;
use super::node::Node;
use crate::error::OnnxErrorKind;
use crate::proto::{AttributeProto, AttributeType, GraphProto};
use crate::types;
use trident_ir::{Attr, Literal};

/// The value of a node's attribute.
pub(crate) enum Value<'a> {
    /// A value that ops of the IR can have as well.
    Plain(Attr),
    /// A subgraph.
    Graph(&'a GraphProto),
}

/// The error for an attribute of a kind that the operator does not take.
pub(crate) fn wrong_kind(name: &str, expected: &'static str) -> OnnxErrorKind {
    OnnxErrorKind::AttributeKind { name: name.to_owned(), expected }
}

fn text(name: &str, bytes: &[u8]) -> Result<String, OnnxErrorKind> {
    String::from_utf8(bytes.to_vec()).map_err(|_| wrong_kind(name, "STRING in UTF-8"))
}

/// The kind of an attribute; old models leave it to the field that is filled.
fn kind_of(a: &AttributeProto) -> Option<AttributeType> {
    use AttributeType as T;
    match AttributeType::try_from(a.r#type) {
        Ok(T::Undefined) => {}
        known => return known.ok(),
    }
    let filled = [
        (a.f.is_some(), T::Float),
        (a.i.is_some(), T::Int),
        (a.s.is_some(), T::String),
        (a.t.is_some(), T::Tensor),
        (a.g.is_some(), T::Graph),
        (!a.floats.is_empty(), T::Floats),
        (!a.ints.is_empty(), T::Ints),
        (!a.strings.is_empty(), T::Strings),
        (a.tp.is_some(), T::TypeProto),
        (a.sparse_tensor.is_some(), T::SparseTensor),
    ];
    filled.into_iter().find(|(is, _)| *is).map(|(_, kind)| kind)
}

/// Decodes the value of an attribute under this name.
pub(super) fn decode<'a>(
    import: &mut Import<'a, '_>,
    name: &str,
    a: &'a AttributeProto,
) -> Result<Value<'a>, OnnxErrorKind> {
    use AttributeType as T;
    let missing = || OnnxErrorKind::MissingAttribute { name: name.to_owned() };
    Ok(Value::Plain(match kind_of(a) {
        Some(T::Float) => Attr::Float(a.f.unwrap_or(0.0)),
        Some(T::Int) => Attr::Int(a.i.unwrap_or(0)),
        Some(T::String) => Attr::Str(text(name, a.s.as_deref().unwrap_or_default())?),
        Some(T::Floats) => Attr::Floats(a.floats.clone()),
        Some(T::Ints) => Attr::Ints(a.ints.clone()),
        Some(T::Strings) => {
            Attr::Strs(a.strings.iter().map(|s| text(name, s)).collect::<Result<_, _>>()?)
        }
        Some(T::Tensor) => Attr::Tensor(import.literal(a.t.as_ref().ok_or_else(missing)?)?),
        Some(T::SparseTensor) => {
            let sparse = a.sparse_tensor.as_ref().ok_or_else(missing)?;
            Attr::Tensor(import.sparse(sparse)?)
        }
        Some(T::TypeProto) => {
            let ty = types::from_proto(a.tp.as_ref().ok_or_else(missing)?);
            Attr::Type(
                ty.map_err(|reason| OnnxErrorKind::BadType { tensor: name.to_owned(), reason })?,
            )
        }
        Some(T::Graph) => return Ok(Value::Graph(a.g.as_ref().ok_or_else(missing)?)),
        _ => return Err(wrong_kind(name, "one value or a list of numbers or texts")),
    }))
}

/// The constant that a `Constant` node holds in one of its many forms.
pub(crate) fn constant(node: &mut Node<'_>) -> Result<Literal, OnnxErrorKind> {
    let mut found = None;
    let forms = [
        "value",
        "sparse_value",
        "value_float",
        "value_floats",
        "value_int",
        "value_ints",
        "value_string",
        "value_strings",
    ];
    for name in forms {
        let Some(attr) = node.take(name)? else { continue };
        let literal =
            match (name, attr) {
                ("value" | "sparse_value", Attr::Tensor(t)) => t,
                ("value_float", Attr::Float(v)) => Literal::scalar(v),
                ("value_floats", Attr::Floats(v)) => Literal::vector(&v),
                ("value_int", Attr::Int(v)) => Literal::scalar(v),
                ("value_ints", Attr::Ints(v)) => Literal::vector(&v),
                ("value_string", Attr::Str(v)) => {
                    Literal::from_strings(vec![], vec![v]).map_err(|e| {
                        OnnxErrorKind::BadTensor { tensor: name.to_owned(), reason: e.into() }
                    })?
                }
                ("value_strings", Attr::Strs(v)) => {
                    Literal::from_strings(vec![v.len()], v).map_err(|e| {
                        OnnxErrorKind::BadTensor { tensor: name.to_owned(), reason: e.into() }
                    })?
                }
                _ => return Err(wrong_kind(name, "the one that its name says")),
            };
        if found.replace(literal).is_some() {
            return Err(OnnxErrorKind::AttributeTwice { name: name.to_owned() });
        }
    }
    found.ok_or_else(|| OnnxErrorKind::MissingAttribute { name: "value".to_owned() })
}
