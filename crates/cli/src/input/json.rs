//! Tensors as JSON: nested lists of numbers, truth values or strings; a lone value has rank 0.

use crate::scalar::{self, Scalar};
use serde_json::{Value as Json, json};
use trident_ir::DType;
use trident_runtime::{Tensor, Value};

/// A tensor from nested lists. Without a wanted element type numbers become f32, or i64 if all are whole.
pub(crate) fn read(json: &Json, wanted: Option<DType>) -> Result<Tensor, String> {
    let (mut dims, mut elements) = (Vec::new(), Vec::new());
    let mut level = json;
    while let Json::Array(items) = level {
        dims.push(items.len());
        let Some(first) = items.first() else { break };
        level = first;
    }
    flatten(json, &dims, &mut elements)?;
    let dtype = wanted.unwrap_or_else(|| match elements.first() {
        Some(Scalar::Text(_)) => DType::Str,
        Some(Scalar::Bool(_)) => DType::Bool,
        _ if elements.iter().all(|v| matches!(v, Scalar::Int(_))) => DType::I64,
        _ => DType::F32,
    });
    if dtype.is_float() {
        // Numbers that JSON has no literal for.
        for element in &mut elements {
            let Scalar::Text(text) = element else { continue };
            let special = match text.as_str() {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                _ => continue,
            };
            *element = Scalar::Double(special);
        }
    }
    scalar::tensor(dtype, &dims, &elements)
}

fn flatten(json: &Json, dims: &[usize], elements: &mut Vec<Scalar>) -> Result<(), String> {
    match (json, dims) {
        (Json::Array(items), [n, rest @ ..]) if items.len() == *n => {
            items.iter().try_for_each(|item| flatten(item, rest, elements))
        }
        (Json::Array(items), [n, ..]) => {
            Err(format!("its lists are ragged: {} and {n} items at the same depth", items.len()))
        }
        (Json::Array(_), []) => Err("its lists are nested unevenly".into()),
        (_, [_, ..]) => Err("its lists are nested unevenly".into()),
        (Json::Bool(b), []) => {
            elements.push(Scalar::Bool(*b));
            Ok(())
        }
        (Json::String(s), []) => {
            elements.push(Scalar::Text(s.clone()));
            Ok(())
        }
        (Json::Number(n), []) => {
            let whole = n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from));
            elements.push(match (whole, n.as_f64()) {
                (Some(whole), _) => Scalar::Int(whole),
                (None, Some(v)) => Scalar::Double(v),
                (None, None) => return Err(format!("{n} is no number")),
            });
            Ok(())
        }
        (Json::Null, []) => Err("null is no element of a tensor".into()),
        (Json::Object(_), []) => Err("an object is no element of a tensor".into()),
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

    #[test]
    fn lists_become_tensors_and_back() {
        let json = json!([[1, 2.5, "NaN"], [-3, 0.1, "-Infinity"]]);
        let t = read(&json, Some(DType::F32)).unwrap();
        assert_eq!(t.dims(), [2, 3]);
        assert!(t.slice::<f32>().unwrap()[2].is_nan());
        assert_eq!(write(&t.into()), json!([[1.0, 2.5, "NaN"], [-3.0, 0.1, "-Infinity"]]));
        assert_eq!(read(&json!(7), None).unwrap().ty().to_string(), "i64[]");
        assert_eq!(read(&json!([["a"], ["b"]]), None).unwrap().ty().to_string(), "str[2, 1]");
        assert_eq!(read(&json!([[], []]), None).unwrap().dims(), [2, 0]);
        let large = read(&json!([u64::MAX]), Some(DType::U64)).unwrap();
        assert_eq!(write(&large.into()), json!([u64::MAX]));
    }

    #[test]
    fn uneven_lists_are_refused() {
        for json in
            [json!([[1], [1, 2]]), json!([1, [2]]), json!([[1], 2]), json!([null]), json!({})]
        {
            assert!(read(&json, None).is_err(), "{json}");
        }
    }
}
