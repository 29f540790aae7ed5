//! Tensors as JSON: nested lists of numbers, truth values or strings; a lone value has rank 0. Complex numbers are
//! lists of two.

mod document;

pub(crate) use document::{Document, parse};

use crate::render::counted;
use crate::scalar::{self, Scalar};
use document::special;
use serde_json::{Value as Json, json};
use trident_ir::DType;
use trident_runtime::{Pool, Tensor, Value};

/// A tensor from nested lists. Without a wanted element type numbers become f32, or i64 if all are whole.
pub(crate) fn read(
    pool: &Pool,
    document: &Document,
    wanted: Option<DType>,
) -> Result<Tensor, String> {
    let complex = matches!(wanted, Some(DType::C64 | DType::C128));
    let (mut dims, mut elements) = (Vec::new(), Vec::new());
    let mut level = document;
    while let Document::List(items) = level {
        if complex && pair(items).is_some() {
            break;
        }
        dims.push(items.len());
        let Some(first) = items.first() else { break };
        level = first;
    }
    flatten(document, &dims, complex, &mut elements)?;
    let dtype = wanted.unwrap_or_else(|| match elements.first() {
        Some(Scalar::Text(_)) => DType::Str,
        Some(Scalar::Bool(_)) => DType::Bool,
        _ if elements.iter().all(|v| matches!(v, Scalar::Int(_))) => DType::I64,
        _ => DType::F32,
    });
    if dtype.is_float() {
        for element in &mut elements {
            if let Scalar::Text(text) = element
                && let Some(v) = special(text)
            {
                *element = Scalar::Double(v);
            }
        }
    }
    scalar::tensor(pool, dtype, &dims, &elements)
}

/// Real and imaginary part.
fn pair(items: &[Document]) -> Option<Scalar> {
    let part = |item: &Document| match item {
        Document::Element(Scalar::Text(text)) => special(text),
        Document::Element(scalar) => scalar.to_f64(),
        _ => None,
    };
    match items {
        [re, im] => Some(Scalar::Complex(part(re)?, part(im)?)),
        _ => None,
    }
}

fn flatten(
    document: &Document,
    dims: &[usize],
    complex: bool,
    elements: &mut Vec<Scalar>,
) -> Result<(), String> {
    match (document, dims) {
        (Document::List(items), [n, rest @ ..]) if items.len() == *n => {
            items.iter().try_for_each(|item| flatten(item, rest, complex, elements))
        }
        (Document::List(items), [n, ..]) => Err(format!(
            "its lists are ragged: {} and {n} at the same depth",
            counted(items.len(), "item")
        )),
        (Document::List(items), []) if complex => {
            elements.push(pair(items).ok_or("a complex number is a list of two numbers")?);
            Ok(())
        }
        (Document::Element(_), []) if complex => {
            Err("a complex number is a list of two numbers".into())
        }
        (Document::List(_), []) => Err("its lists are nested unevenly".into()),
        (Document::Null, _) => Err("null is not an element of a tensor".into()),
        (Document::Object(_), _) => Err("an object is not an element of a tensor".into()),
        (Document::Element(_), [_, ..]) => Err("its lists are nested unevenly".into()),
        (Document::Element(element), []) => {
            elements.push(element.clone());
            Ok(())
        }
    }
}

/// A value as JSON; NaN and infinities are strings, complex numbers pairs.
pub(crate) fn write(value: &Value) -> Json {
    match value {
        Value::Tensor(t) => nested(t, 0, &mut 0),
        Value::Seq(items) => items.iter().map(write).collect(),
        Value::Optional(v) => v.as_ref().map_or(Json::Null, |v| write(v)),
        Value::Map(map) => {
            let (keys, values) = (nested(&map.keys, 0, &mut 0), nested(&map.values, 0, &mut 0));
            json!({ "keys": keys, "values": values })
        }
    }
}

fn nested(tensor: &Tensor, axis: usize, at: &mut usize) -> Json {
    match tensor.dims().get(axis) {
        Some(&n) => (0..n).map(|_| nested(tensor, axis + 1, at)).collect(),
        None => {
            let scalar = Scalar::get(tensor, *at);
            *at += 1;
            scalar.map_or(Json::Null, |s| element(&s))
        }
    }
}

/// One element.
pub(crate) fn element(scalar: &Scalar) -> Json {
    match scalar {
        Scalar::Bool(b) => json!(b),
        Scalar::Int(n) => i64::try_from(*n).map_or_else(|_| json!(*n as u64), |n| json!(n)),
        // The shortest text that gives the same single-precision number.
        Scalar::Single(v) => number(v.to_string().parse().unwrap_or(f64::NAN)),
        Scalar::Double(v) => number(*v),
        Scalar::Complex(re, im) => json!([number(*re), number(*im)]),
        Scalar::Text(s) => json!(s),
    }
}

fn number(v: f64) -> Json {
    match v {
        _ if v.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        _ => json!(v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(json: Json, wanted: Option<DType>) -> Result<Tensor, String> {
        read(&Pool::new(), &parse(json.to_string().as_bytes())?, wanted)
    }

    #[test]
    fn lists_become_tensors_and_back() {
        let json = json!([[1, 2.5, "NaN"], [-3, 0.1, "-Infinity"]]);
        let t = from(json, Some(DType::F32)).unwrap();
        assert_eq!(t.dims(), [2, 3]);
        assert!(t.slice::<f32>().unwrap()[2].is_nan());
        assert_eq!(write(&t.into()), json!([[1.0, 2.5, "NaN"], [-3.0, 0.1, "-Infinity"]]));
        assert_eq!(from(json!(7), None).unwrap().ty().to_string(), "i64[]");
        assert_eq!(from(json!([["a"], ["b"]]), None).unwrap().ty().to_string(), "str[2, 1]");
        assert_eq!(from(json!([[], []]), None).unwrap().dims(), [2, 0]);
        let large = from(json!([u64::MAX]), Some(DType::U64)).unwrap();
        assert_eq!(write(&large.into()), json!([u64::MAX]));
    }

    #[test]
    fn complex_numbers_are_pairs() {
        let json = json!([[[1.0, -2.0]], [[0.5, "Infinity"]]]);
        for dtype in [DType::C64, DType::C128] {
            let t = from(json.clone(), Some(dtype)).unwrap();
            assert_eq!(t.dims(), [2, 1]);
            assert_eq!(write(&t.into()), json);
        }
        let special =
            read(&Pool::new(), &parse(b"[NaN, -Infinity]").unwrap(), Some(DType::C64)).unwrap();
        assert_eq!(write(&special.into()), json!(["NaN", "-Infinity"]));
        assert_eq!(from(json!([1, 2]), Some(DType::C64)).unwrap().dims(), [] as [usize; 0]);
        assert_eq!(from(json!([[], []]), Some(DType::C64)).unwrap().dims(), [2, 0]);
        for json in [json!([1, 2, 3]), json!(1), json!([[1, 2], [3]]), json!([[1, 2], 3])] {
            assert!(from(json.clone(), Some(DType::C64)).is_err(), "{json}");
        }
    }

    #[test]
    fn uneven_lists_are_refused() {
        for json in
            [json!([[1], [1, 2]]), json!([1, [2]]), json!([[1], 2]), json!([null]), json!({})]
        {
            assert!(from(json.clone(), None).is_err(), "{json}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_named() {
        for wanted in [DType::I64, DType::Str, DType::F4E2M1FN] {
            let error = read(&Pool::new(), &parse(b"[NaN]").unwrap(), Some(wanted)).unwrap_err();
            assert!(error.starts_with("NaN at [0] is not an element of type"), "{error}");
        }
        let far =
            read(&Pool::new(), &parse(b"[0.5, 1e39]").unwrap(), Some(DType::F32)).unwrap_err();
        assert!(far.starts_with("1e39 at [1] is not an element of type f32"), "{far}");
    }
}
