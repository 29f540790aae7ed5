//! Attributes of ops in PIR's JSON.

use super::json::Node;
use super::types;
use crate::dtype;
use crate::error::PaddleErrorKind;
use crate::program::Attr;

/// The most lists within each other.
const MOST_DEPTH: usize = 8;

/// The attribute that a node describes.
pub(super) fn read(node: Node<'_>) -> Result<Attr, PaddleErrorKind> {
    nested(node, 0)
}

fn nested(node: Node<'_>, depth: usize) -> Result<Attr, PaddleErrorKind> {
    if depth > MOST_DEPTH {
        return Err(PaddleErrorKind::TooDeep { limit: MOST_DEPTH });
    }
    // Numbers that JSON cannot hold are in a field of their own.
    let [identifier, data, special] = node.fields(["#", "D", "VD"])?;
    let identifier = identifier.ok_or_else(|| node.expected("an attribute"))?.string()?;
    let data = || data.or(special).ok_or_else(|| node.expected("an attribute with data"));
    Ok(match types::kind_of(&identifier) {
        "a_bool" => Attr::Bool(data()?.flag()?),
        "a_i32" | "a_i64" | "a_index" => Attr::Int(data()?.int()?),
        "a_f32" | "a_f64" => Attr::Float(special.map_or_else(data, Ok)?.float()?),
        "a_str" | "a_tensorname" | "a_layout" => Attr::Text(data()?.string()?.into()),
        "a_c64" | "a_c128" => complex(data()?, &data()?.items()?)?,
        "a_dtype" => Attr::DType(dtype::from_name(&data()?.string()?)),
        "a_type" => Attr::DType(types::element(data()?)?),
        "a_intarray" => Attr::Ints(data()?.ints()?),
        "a_scalar" => scalar(data()?)?,
        "a_array" => {
            let items = data()?.items()?;
            let items = items.into_iter().map(|item| nested(item, depth + 1));
            list(items.collect::<Result<Vec<Attr>, _>>()?)
        }
        kind => Attr::Other(kind.into()),
    })
}

/// A list, as numbers or texts where all items are of one kind.
fn list(items: Vec<Attr>) -> Attr {
    fn all<T>(items: &[Attr], item: impl Fn(&Attr) -> Option<T>) -> Option<Box<[T]>> {
        items.iter().map(item).collect()
    }
    let of_kind = match items.first() {
        Some(Attr::Int(_)) => all(&items, |item| match item {
            Attr::Int(value) => Some(*value),
            _ => None,
        })
        .map(Attr::Ints),
        Some(Attr::Float(_)) => all(&items, |item| match item {
            Attr::Float(value) => Some(*value),
            _ => None,
        })
        .map(Attr::Floats),
        Some(Attr::Bool(_)) => all(&items, |item| match item {
            Attr::Bool(value) => Some(*value),
            _ => None,
        })
        .map(Attr::Bools),
        Some(Attr::Text(_)) => all(&items, |item| match item {
            Attr::Text(value) => Some(value.clone()),
            _ => None,
        })
        .map(Attr::Texts),
        _ => None,
    };
    of_kind.unwrap_or_else(|| Attr::List(items.into()))
}

/// A number with its element type, which the op knows as well: `["float32", 1.5]`.
fn scalar(data: Node<'_>) -> Result<Attr, PaddleErrorKind> {
    match &data.items()?[..] {
        [_, value] if value.is_flag() => Ok(Attr::Bool(value.flag()?)),
        [_, value] => match value.int() {
            Ok(value) => Ok(Attr::Int(value)),
            Err(_) => Ok(Attr::Float(value.float()?)),
        },
        [_, parts @ ..] => complex(data, parts),
        [] => Err(data.expected("a scalar")),
    }
}

fn complex(node: Node<'_>, parts: &[Node<'_>]) -> Result<Attr, PaddleErrorKind> {
    match parts {
        [real, imaginary] => Ok(Attr::Complex(real.float()?, imaginary.float()?)),
        _ => Err(node.expected("a complex number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::DType;

    fn attr(text: &str) -> Attr {
        read(Node::root(text).unwrap()).unwrap()
    }

    #[test]
    fn kinds_of_numbers_become_one() {
        assert_eq!(attr(r##"{"#": "0.a_i32", "D": 3}"##), Attr::Int(3));
        assert_eq!(attr(r##"{"D": -1, "#": "0.a_i64"}"##), Attr::Int(-1));
        assert_eq!(attr(r##"{"#": "0.a_f32", "D": 1}"##), Attr::Float(1.0));
        assert_eq!(attr(r##"{"#": "0.a_f64", "VD": "-INF"}"##), Attr::Float(f64::NEG_INFINITY));
        assert_eq!(attr(r##"{"#": "1.a_scalar", "D": ["float32", 1.5]}"##), Attr::Float(1.5));
        assert_eq!(attr(r##"{"#": "1.a_scalar", "D": ["bool", true]}"##), Attr::Bool(true));
        let complex = r##"{"#": "1.a_scalar", "D": ["complex64", 1.5, 2]}"##;
        assert_eq!(attr(complex), Attr::Complex(1.5, 2.0));
    }

    #[test]
    fn lists_of_one_kind_are_lists_of_numbers() {
        let item = |kind: &str, data: &str| format!(r##"{{"#": "0.{kind}", "D": {data}}}"##);
        let list = |items: &[String]| attr(&item("a_array", &format!("[{}]", items.join(","))));
        let ints = [item("a_i32", "1"), item("a_i64", "2")];
        assert_eq!(list(&ints), Attr::Ints([1, 2].into()));
        let mixed = [item("a_i32", "1"), item("a_f64", "2")];
        assert_eq!(list(&mixed), Attr::List([Attr::Int(1), Attr::Float(2.0)].into()));
        assert_eq!(list(&mixed).as_floats(), Some(vec![1.0, 2.0]));
        assert_eq!(list(&[]).as_ints(), Some(vec![]));
        assert_eq!(list(&[]).as_floats(), Some(vec![]));
        assert_eq!(list(&[item("a_str", "\"a\"")]), Attr::Texts(["a".into()].into()));
    }

    #[test]
    fn element_types_are_known_by_either_name() {
        let named = attr(r##"{"#": "1.a_dtype", "D": "bfloat16"}"##);
        assert_eq!(named, Attr::DType(Some(DType::BF16)));
        let by_type = attr(r##"{"#": "0.a_type", "D": {"#": "0.t_i64"}}"##);
        assert_eq!(by_type, Attr::DType(Some(DType::I64)));
        let same = attr(r##"{"#": "1.a_dtype", "D": "Undefined(ALL_DTYPE)"}"##);
        assert_eq!(same, Attr::DType(None));
    }

    #[test]
    fn malformed_attributes_are_errors_and_unknown_kinds_are_not() {
        let read = |text: &str| read(Node::root(text).unwrap());
        for text in [
            r##"{"D": 3}"##,
            r##"{"#": "0.a_i32"}"##,
            r##"{"#": "0.a_i32", "D": 1.5}"##,
            r##"{"#": "0.a_i32", "D": 99999999999999999999}"##,
            r##"{"#": "1.a_scalar", "D": []}"##,
            r##"{"#": "0.a_c64", "D": [1]}"##,
            r##"{"#": "0.a_array", "D": 3}"##,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let place = read(r##"{"#": "1.a_place", "D": [1, 0, ""]}"##).unwrap();
        assert_eq!(place, Attr::Other("a_place".into()));
        let deep = (0..30).fold(r##"{"#": "0.a_i32", "D": 1}"##.to_owned(), |inner, _| {
            format!(r##"{{"#": "0.a_array", "D": [{inner}]}}"##)
        });
        assert!(matches!(read(&deep), Err(PaddleErrorKind::TooDeep { .. })));
    }
}
