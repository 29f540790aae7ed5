//! Single ops of Paddle on the CPU: the results are those of Paddle 3.3.1.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use bytes::Bytes;
use trident_engine::Options;
use trident_ir::{DType, Literal};
use trident_runtime::{Pool, Tensor, Value};

/// An attribute of PIR from text: `name=3`, `name=0.5`, `name=true`, `name=word`, `name=[1,2]`.
fn attribute(pair: &str) -> String {
    let (name, value) = pair.split_once('=').unwrap();
    let (kind, data) = match value {
        "true" | "false" => ("0.a_bool", value.to_owned()),
        list if list.starts_with('[') => ("1.a_intarray", list.to_owned()),
        int if int.parse::<i64>().is_ok() => ("0.a_i64", int.to_owned()),
        float if float.parse::<f64>().is_ok() => ("0.a_f64", float.to_owned()),
        text => ("0.a_str", format!("\"{text}\"")),
    };
    format!(r##"{{"N":"{name}","AT":{{"#":"{kind}","D":{data}}}}}"##)
}

fn list<T>(items: impl IntoIterator<Item = T>, one: impl FnMut(T) -> String) -> String {
    items.into_iter().map(one).collect::<Vec<_>>().join(",")
}

fn tensor(dtype: DType, dims: &[usize]) -> String {
    let dims = list(dims, ToString::to_string);
    format!(r##"{{"#":"0.t_dtensor","D":[{{"#":"0.t_{}"}},[{dims}],"NCHW",[],0]}}"##, dtype.name())
}

/// A program that gives the first `results` results of an op. They are declared with the types that are expected.
fn program(op: &str, attrs: &str, inputs: &[Literal], results: &[Literal]) -> String {
    let count = inputs.len();
    let mut ops = vec![];
    for (i, input) in inputs.iter().enumerate() {
        let ty = tensor(input.dtype(), input.dims());
        ops.push(format!(
            r##"{{"#":"1.data","A":[{{"N":"name","AT":{{"#":"0.a_str","D":"x{i}"}}}}],"I":[],"O":[{{"%":{},"TT":{ty}}}]}}"##,
            i + 1
        ));
    }
    let operands = list(1..=count, |i| format!(r#"{{"%":{i}}}"#));
    let outs = list(results.iter().enumerate(), |(i, result)| {
        let ty = tensor(result.dtype(), result.dims());
        format!(r#"{{"%":{},"TT":{ty}}}"#, count + 1 + i)
    });
    let attrs = list(attrs.split_whitespace(), attribute);
    ops.push(format!(r##"{{"#":"1.{op}","A":[{attrs}],"I":[{operands}],"O":[{outs}]}}"##));
    for (i, result) in results.iter().enumerate() {
        let ty = tensor(result.dtype(), result.dims());
        ops.push(format!(
            r##"{{"#":"1.fetch","A":[{{"N":"name","AT":{{"#":"0.a_str","D":"out{i}"}}}},{{"N":"col","AT":{{"#":"0.a_i32","D":{i}}}}}],"I":[{{"%":{}}}],"O":[{{"%":{},"TT":{ty}}}]}}"##,
            count + 1 + i,
            100 + i
        ));
    }
    format!(
        r##"{{"base_code":{{"magic":"pir","trainable":true,"version":4}},"program":{{"regions":[{{"#":"region_0","blocks":[{{"#":"block_0","args":[],"ops":[{}]}}]}}]}}}}"##,
        ops.join(",")
    )
}

/// The results of an op on inputs.
fn run(op: &str, attrs: &str, inputs: &[Literal], expected: &[Literal]) -> Vec<Literal> {
    let text = program(op, attrs, inputs, expected);
    let model = trident_model::load_from(&Bytes::from(text), "inference.json", None);
    let session = model.unwrap().session(&common::cpu(), &Options::default()).unwrap();
    let names: Vec<String> = (0..inputs.len()).map(|i| format!("x{i}")).collect();
    let args: Vec<(&str, Value)> = (names.iter().map(String::as_str))
        .zip(inputs)
        .map(|(name, literal)| (name, Tensor::from_literal(&Pool::new(), literal).unwrap().into()))
        .collect();
    let found = session.run(&args).unwrap();
    let literal = |(_, value): &(String, Value)| match value {
        Value::Tensor(tensor) => tensor.to_literal().unwrap(),
        other => panic!("{}", other.describe()),
    };
    found.iter().map(literal).collect()
}

/// Whether results are equal, but for the last digits of f32.
fn agrees(found: &Literal, expected: &Literal) -> bool {
    let numbers = |literal: &Literal| literal.to_f64s().unwrap_or_default();
    let close =
        |(a, b): (f64, f64)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 2e-7 * b.abs();
    (found.dtype(), found.dims()) == (expected.dtype(), expected.dims())
        && numbers(found).into_iter().zip(numbers(expected)).all(close)
}

/// Op, attributes, inputs, results.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case]) {
    for &(op, attrs, inputs, results) in cases {
        let parsed = |texts: &[&str]| -> Vec<Literal> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let (inputs, expected) = (parsed(inputs), parsed(results));
        let found = run(op, attrs, &inputs, &expected);
        let shown = list(&found, ToString::to_string);
        assert_eq!(found.len(), expected.len(), "{op} {attrs}: {shown}");
        let agree = found.iter().zip(&expected).all(|(found, expected)| agrees(found, expected));
        assert!(agree, "{op} {attrs}: {shown}, expected {}", list(results, |r| (*r).to_owned()));
    }
}

#[test]
fn a_scalar_has_one_axis() {
    check(&[
        ("softmax", "axis=-1", &["f32[](2.5)"], &["f32[](1)"]),
        ("softmax", "axis=0", &["f32[](nan)"], &["f32[](1)"]),
        ("log_softmax", "axis=0", &["f64[](inf)"], &["f64[](0)"]),
        ("cumsum", "axis=0", &["f32[](2.5)"], &["f32[](2.5)"]),
        ("cumsum", "axis=-1 flatten=true", &["i32[](3)"], &["i32[1](3)"]),
        ("cumprod", "dim=0", &["f32[](2.5)"], &["f32[](2.5)"]),
        ("logcumsumexp", "axis=-1", &["f32[](2.5)"], &["f32[](2.5)"]),
        ("logcumsumexp", "axis=-1 flatten=true", &["f32[](2.5)"], &["f32[1](2.5)"]),
        ("topk", "k=1 axis=-1", &["f32[](2.5)"], &["f32[](2.5)", "i64[](0)"]),
        ("kthvalue", "k=1 axis=-1 keepdim=true", &["i64[](7)"], &["i64[](7)", "i64[](0)"]),
        ("argmax", "axis=0 keepdims=true", &["f32[](2.5)"], &["i64[1](0)"]),
        ("argmax", "axis=0 flatten=true keepdims=true", &["f32[](2.5)"], &["i64[](0)"]),
        ("argmin", "axis=-1", &["f32[](2.5)"], &["i64[](0)"]),
        ("prod", "axis=[-1]", &["f32[](2.5)"], &["f32[](2.5)"]),
        ("prelu", "mode=all", &["f32[](-2)", "f32[](0.5)"], &["f32[](-1)"]),
        ("searchsorted", "", &["f32[3](1, 2, 3)", "f32[](2)"], &["i64[](1)"]),
    ]);
}

#[test]
fn numbers_that_are_not_finite_have_places() {
    check(&[
        ("argmax", "axis=0", &["f32[5](1, nan, 3, nan, 2)"], &["i64[](2)"]),
        ("argmin", "axis=0", &["f32[5](nan, 1, 3, nan, 2)"], &["i64[](1)"]),
        ("argmax", "axis=0", &["f32[2](nan, nan)"], &["i64[](0)"]),
        (
            "searchsorted",
            "right=true",
            &["f32[3](1, 2, 3)", "f32[4](nan, -inf, inf, 1)"],
            &["i64[4](3, 3, 3, 1)"],
        ),
        ("logcumsumexp", "axis=0", &["f32[1](-inf)"], &["f32[1](-inf)"]),
        ("p_norm", "porder=-1.0 axis=0", &["f32[0]()"], &["f32[](0)"]),
    ]);
}

#[test]
fn numbers_are_rounded_as_in_paddle() {
    check(&[
        (
            "equal",
            "",
            &["f32[3](1e-20, 1, 0)", "f32[3](0, 1, 1e-14)"],
            &["bool[3](true, true, false)"],
        ),
        ("not_equal", "", &["f64[2](1e-16, inf)", "f64[2](0, inf)"], &["bool[2](false, false)"]),
        ("leaky_relu", "negative_slope=0.01", &["f64[2](-1, 3)"], &["f64[2](-0.01, 3)"]),
        ("atan2", "", &["i64[1](-1)", "i64[1](-4)"], &["f64[1](-2.8966140747070312)"]),
        ("p_norm", "porder=3.0 axis=0", &["f64[1](-4)"], &["f64[](4.000000165259169)"]),
        (
            "round",
            "decimals=1",
            &["f32[4](1.25, 1.35, -2.5, 123.456)"],
            &["f32[4](1.2, 1.4, -2.5, 123.5)"],
        ),
        ("round", "decimals=-1", &["f32[4](15, 25, -35, 123.456)"], &["f32[4](20, 20, -40, 120)"]),
        ("round", "decimals=-1", &["i32[1](15)"], &["i32[1](15)"]),
        (
            "label_smooth",
            "epsilon=0.10000000149011612",
            &["f64[3](1, 2, 4)"],
            &["f64[3](0.9333333112299442, 1.8333332873880863, 3.6333332397043705)"],
        ),
        ("exp", "", &["i64[1](1)"], &["f32[1](2.7182817)"]),
        ("log1p", "", &["i32[1](1)"], &["f32[1](0.6931472)"]),
    ]);
}

#[test]
fn parts_are_those_that_the_indices_say() {
    check(&[
        (
            "take_along_axis",
            "axis=1",
            &["f32[2, 3](1, 2, 3, 4, 5, 6)", "i64[1, 2](2, 0)"],
            &["f32[1, 2](3, 1)"],
        ),
        ("label_smooth", "epsilon=0.5", &["f32[2](1, 3)", "f32[1, 2](5, 7)"], &["f32[2](3, 5)"]),
    ]);
}
