//! `trident convert`.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::{Scratch, digits, examples, failure, json, stdout};
use std::fs;
use std::path::Path;

/// The results of a model on a picture of a seven.
fn outputs(model: &str) -> serde_json::Value {
    let image = examples().join("7.png");
    let image = image.to_str().unwrap();
    json(&["run", model, "--input", image, "--json", "--top-k", "0"])["outputs"].clone()
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_converted_model_gives_the_same_results() {
    let scratch = Scratch::new("convert");
    let out = scratch.path("out.onnx");
    let summary = json(&["convert", &digits(), &out, "--json"]);
    assert_eq!(summary["bytes"], fs::metadata(&out).unwrap().len());
    assert_eq!((&summary["data"], &summary["data_bytes"]), (&serde_json::Value::Null, &0.into()));
    assert_eq!(outputs(&out), outputs(&digits()));
    let view = |model: &str| {
        let view = json(&["inspect", model, "--json"]);
        [view["inputs"].clone(), view["outputs"].clone(), view["metadata"].clone()]
    };
    assert_eq!(view(&out), view(&digits()));
    let text = stdout(&["convert", &out, &scratch.path("again.onnx")]);
    assert!(text.contains("operator sets ai.onnx ") && text.contains("IR version "), "{text}");
    // What was written once is written again to the byte.
    assert_eq!(fs::read(&out).unwrap(), fs::read(scratch.path("again.onnx")).unwrap());
}

#[test]
fn weights_beside_the_model_are_found_there() {
    let scratch = Scratch::new("convert-data");
    let out = scratch.path("out.onnx");
    let options = ["--external-data", "always", "--opset", "21"];
    let summary = json(&[&["convert", &digits(), &out, "--json"], &options[..]].concat());
    assert_eq!(summary["opsets"]["ai.onnx"], 21);
    assert_eq!(summary["data_bytes"], fs::metadata(scratch.path("out.onnx.data")).unwrap().len());
    assert_eq!(outputs(&out), outputs(&digits()));
    let folder = Path::new(&out).parent().unwrap();
    assert_eq!(names(folder), ["out.onnx", "out.onnx.data"]);
    // A second conversion replaces both.
    stdout(&["convert", &digits(), &out, "--external-data", "1KiB"]);
    assert_eq!(outputs(&out), outputs(&digits()));
    assert_eq!(names(folder), ["out.onnx", "out.onnx.data"]);
}

#[test]
fn what_cannot_be_converted_leaves_no_file() {
    let scratch = Scratch::new("convert-wrong");
    let out = scratch.path("out.onnx");
    let compiled = scratch.path("digits.mps");
    stdout(&["compile", &digits(), "--emit", "mps", "-o", &compiled]);
    let copy = scratch.path("copy.onnx");
    fs::copy(digits(), &copy).unwrap();
    // Weights that the model itself may have there.
    let weights = scratch.path("other.onnx.data");
    fs::write(&weights, "weights").unwrap();
    // A model beside them that has none of them.
    fs::copy(digits(), scratch.path("foreign.onnx")).unwrap();
    fs::write(scratch.path("foreign.onnx.data"), "weights").unwrap();
    let before = names(Path::new(&out).parent().unwrap());
    let cases: &[(&[&str], i32, &str)] = &[
        (&[&compiled, &out], 2, "convert the model that it was made from"),
        (&[&copy, &copy], 2, "would replace the model"),
        (&[&copy, &scratch.path("out.json")], 2, "ends in .onnx"),
        (&[&copy, &scratch.path("absent/out.onnx")], 2, "there is no folder"),
        (&["absent.onnx", &out], 2, "absent.onnx"),
        (&[&copy, &out, "--opset", "12"], 1, "versions 13 to 28"),
        (&[&copy, &out, "--external-data", "some"], 2, "`always`"),
        (&[&copy, &scratch.path("other.onnx"), "--external-data", "always"], 2, "other.onnx.data"),
        (
            &[&copy, &scratch.path("foreign.onnx"), "--external-data", "always"],
            2,
            "may belong to another",
        ),
    ];
    for (args, expected, told) in cases {
        let (status, text) = failure(&[&["convert"][..], *args].concat());
        assert!(status == *expected && text.contains(told), "{args:?}: {status} {text}");
    }
    assert_eq!(names(Path::new(&out).parent().unwrap()), before);
    assert_eq!(fs::read(&copy).unwrap(), fs::read(digits()).unwrap());
}
