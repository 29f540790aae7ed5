//! Models whose constants are not folded, because a memory limit leaves too little for that.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::onnx::{field, info, number};
use common::{Scratch, failure, json, stdout, trident};

/// Element types by their numbers in ONNX.
const F32: u8 = 1;
const I64: u8 = 7;
const BOOL: u8 = 9;

/// `y = big ? x + zeros(64, 64) : -x`. The zeros, of 16 KiB, are folded when the model is loaded. Runs in which `big` is false
/// do without them.
fn conditional() -> Vec<u8> {
    let node = |op: &str, name: &str, inputs: &[&str], output: &str| {
        let inputs: Vec<u8> = inputs.iter().flat_map(|input| field(1, input)).collect();
        [inputs, field(2, output), field(3, name), field(4, op)].concat()
    };
    let graph = |name: &str, nodes: &[Vec<u8>], output: &str| {
        let nodes: Vec<u8> = nodes.iter().flat_map(|node| field(1, node)).collect();
        [nodes, field(2, name), field(12, field(1, output))].concat()
    };
    let fill = node("ConstantOfShape", "fill", &["dims"], "zeros");
    let add = node("Add", "add", &["x", "zeros"], "more");
    let branches = [
        ("then_branch", graph("then", &[fill, add], "more")),
        ("else_branch", graph("else", &[node("Neg", "neg", &["x"], "less")], "less")),
    ];
    let mut choice = node("If", "choice", &["big"], "y");
    for (name, branch) in branches {
        // Field 20 says that the attribute is a graph, which is type 5.
        let attribute = [field(1, name), field(6, branch), vec![0xa0, 1, 5]].concat();
        choice.extend(field(5, attribute));
    }
    let data: Vec<u8> = [64i64; 2].iter().flat_map(|n| n.to_le_bytes()).collect();
    let dims = [number(1, 2), number(2, I64), field(8, "dims"), field(9, data)].concat();
    let graph = [
        graph("g", &[choice], "y"),
        field(5, dims),
        field(11, info("big", BOOL, &[])),
        field(11, info("x", F32, &["1"])),
    ];
    [number(1, 8), field(8, number(2, 18)), field(7, graph.concat())].concat()
}

fn told(limit: usize) -> String {
    format!(
        "1 operation on constants runs each time (constant_of_shape `fill`), because the memory limit of {limit} bytes leaves \
         too little to run them once beforehand"
    )
}

#[test]
fn runs_say_that_less_was_folded() {
    let scratch = Scratch::new("unfolded");
    let model = scratch.path("conditional.onnx");
    std::fs::write(&model, conditional()).unwrap();
    let input = scratch.path("small.json");
    std::fs::write(&input, r#"{ "big": false, "x": [2] }"#).unwrap();
    for command in [&["run"][..], &["bench", "-n", "1"]] {
        let on_stderr = |limit: &str| {
            let args = [command, &[&model, "-i", &input, "--memory-limit", limit]].concat();
            let output = trident(&args);
            let text = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{args:?}: {text}");
            text
        };
        assert_eq!(on_stderr("8KiB"), format!("note: {}\n", told(8 << 10)), "{command:?}");
        assert_eq!(on_stderr("64KiB"), "", "{command:?}");
        assert_eq!(on_stderr("none"), "", "{command:?}");
    }
    // A compiled model has its constants, so it is not made without them.
    let compiled = scratch.path("conditional.mps");
    let compile = ["compile", &model, "--emit", "mps", "-o", &compiled, "--memory-limit"];
    let (status, text) = failure(&[&compile[..], &["8KiB"]].concat());
    assert_eq!(status, 1);
    assert!(text.starts_with("error: constant_of_shape `fill`: "), "{text}");
    assert!(
        text.contains("8.00 KiB in all (--memory-limit); allow more by --memory-limit"),
        "{text}"
    );
    assert!(!std::fs::exists(&compiled).unwrap());
    stdout(&[&compile[..], &["64KiB"]].concat());
}

#[test]
fn inspect_warns_that_less_is_folded() {
    let scratch = Scratch::new("unfolded-served");
    let repository = scratch.path("models");
    let folder = format!("{repository}/conditional");
    std::fs::create_dir_all(format!("{folder}/1")).unwrap();
    std::fs::write(format!("{folder}/1/model.onnx"), conditional()).unwrap();
    let configure = |limit: &str| {
        let limit =
            format!("parameters {{ key: 'memory_limit' value {{ string_value: '{limit}' }} }}");
        let output = "output { name: 'y' data_type: TYPE_FP32 dims: [ -1 ] }";
        let text = format!("backend: 'trident' {output} {limit}");
        std::fs::write(format!("{folder}/config.pbtxt"), text).unwrap();
    };
    configure("8K");
    let output = trident(&["inspect", &folder, "--device", "cpu", "--json"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, format!("warning: {}\n", told(8 << 10)));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["warnings"], serde_json::json!([told(8 << 10)]));
    let models = &json(&["inspect", &repository, "--device", "cpu", "--json"])["models"];
    assert_eq!(models[0]["status"], "warnings");
    assert_eq!(models[0]["warnings"], serde_json::json!([told(8 << 10)]));
    let table = stdout(&["inspect", &repository, "--device", "cpu"]);
    assert!(table.contains(&format!("warning: conditional: {}", told(8 << 10))), "{table}");
    configure("64K");
    let report = json(&["inspect", &folder, "--device", "cpu", "--json"]);
    assert_eq!(report["warnings"], serde_json::json!([]));
}
