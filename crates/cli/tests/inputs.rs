//! Inputs that a user cannot have meant: the binary refuses them by name, and does what it says with the rest.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::onnx::{field, info};
use common::{Scratch, failure, json, stdout, trident};

/// Element types by their numbers in ONNX.
const F32: u8 = 1;
const I64: u8 = 7;
const STR: u8 = 8;
const I4: u8 = 22;

/// A model of one node.
struct Model<'a> {
    op: &'a str,
    inputs: &'a [(&'a str, u8, &'a [&'a str])],
    output: (&'a str, u8, &'a [&'a str]),
    metadata: &'a [(&'a str, &'a str)],
}

impl Model<'_> {
    fn save(&self, path: &str) {
        let (output, dtype, dims) = self.output;
        let mut node: Vec<u8> = self.inputs.iter().flat_map(|(n, ..)| field(1, n)).collect();
        node.extend([field(2, output), field(3, output), field(4, self.op)].concat());
        let mut graph = [field(1, node), field(2, "g")].concat();
        graph.extend(self.inputs.iter().flat_map(|(n, t, d)| field(11, info(n, *t, d))));
        graph.extend(field(12, info(output, dtype, dims)));
        let mut bytes = [vec![8, 10], field(7, graph), field(8, [0x10, 21])].concat();
        for (key, value) in self.metadata {
            bytes.extend(field(14, [field(1, key), field(2, value)].concat()));
        }
        std::fs::write(path, bytes).unwrap();
    }
}

/// `y = x`, a row of elements.
fn identity(path: &str, dtype: u8) {
    let (inputs, output) = (&[("x", dtype, &["N"][..])], ("y", dtype, &["N"][..]));
    Model { op: "Identity", inputs, output, metadata: &[] }.save(path);
}

/// Probabilities of four classes.
fn classifier(path: &str, labels: &str) {
    let metadata = &[("trident.labels", labels)];
    let (inputs, output) = (&[("x", F32, &["1", "4"][..])], ("p", F32, &["1", "4"][..]));
    Model { op: "Softmax", inputs, output, metadata }.save(path);
}

/// A .npy file of one row.
fn npy(path: &str, descr: &str, len: usize, data: &[u8]) {
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({len},), }}");
    let length = (header.len() as u16).to_le_bytes();
    let bytes = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat();
    std::fs::write(path, bytes).unwrap();
}

/// Runs commands that have to fail as wrong usage, and looks for parts of what they say.
#[track_caller]
fn refused(cases: &[(&[&str], &[&str])]) {
    for (args, expected) in cases {
        let (status, text) = failure(args);
        assert_eq!(status, 2, "{args:?}: {text}");
        for part in *expected {
            assert!(text.contains(part), "{args:?}: {text}");
        }
    }
}

#[test]
fn narrow_types_of_numpy_are_right_or_refused() {
    let scratch = Scratch::new("narrow");
    let path = |name: &str| scratch.path(name);
    identity(&path("i4.onnx"), I4);
    identity(&path("f32.onnx"), F32);
    npy(&path("i4.npy"), "'<V1'", 4, &[15, 8, 0, 7]);
    npy(&path("not_i4.npy"), "'<V1'", 2, &[0, 100]);
    let (model, out) = (path("i4.onnx"), path("out.npy"));
    let report = json(&["run", &model, "-i", &path("i4.npy"), "--json", "-o", &out]);
    assert_eq!(report["outputs"]["y"], serde_json::json!([-1, -8, 0, 7]));
    assert!(std::fs::read(&out).unwrap().ends_with(&[15, 8, 0, 7]));
    refused(&[
        (&["run", &model, "-i", &path("not_i4.npy")], &["not_i4.npy", "`x`", "element 1", "0x64"]),
        (&["run", &path("f32.onnx"), "-i", &path("i4.npy")], &["raw bytes", "astype('float32')"]),
    ]);
}

#[test]
fn arrays_of_other_types_are_named_with_what_to_do() {
    let scratch = Scratch::new("types");
    let path = |name: &str| scratch.path(name);
    identity(&path("f32.onnx"), F32);
    identity(&path("str.onnx"), STR);
    let model = path("f32.onnx");
    npy(&path("f64.npy"), "'<f8'", 1, &[0; 8]);
    npy(&path("complex.npy"), "'<c8'", 1, &[0; 8]);
    npy(&path("objects.npy"), "'|O'", 1, &[0; 8]);
    npy(&path("records.npy"), "[('a', '<f4')]", 1, &[0; 4]);
    npy(&path("big.npy"), "'>f4'", 1, &1.5f32.to_be_bytes());
    for name in ["empty.npy", "empty.npz", "empty.json", "empty.pb", "empty.onnx"] {
        std::fs::write(path(name), "").unwrap();
    }
    refused(&[
        (
            &["run", &model, "-i", &path("f64.npy")],
            &["`x` has element type f64", ".astype('float32')"],
        ),
        (&["run", &model, "-i", &path("complex.npy")], &["c64", "array.real.astype('float32')"]),
        (
            &["run", &model, "-i", &path("objects.npy")],
            &["input `x`", "Python objects", "save `array.astype('float32')`"],
        ),
        (
            &["run", &path("str.onnx"), "-i", &path("objects.npy")],
            &["objects.npy", "input `x`", "Python objects", "`array.astype('U')`", ".json"],
        ),
        (&["run", &model, "-i", &path("records.npy")], &["input `x`", "named fields"]),
        (&["run", &model, "-i", &path("empty.npy")], &["empty.npy", "it is empty"]),
        (&["run", &model, "-i", &path("empty.npz")], &["empty.npz", "it is empty"]),
        (&["run", &model, "-i", &path("empty.json")], &["empty.json", "it is empty"]),
        (&["run", &model, "-i", &path("empty.pb")], &["empty.pb", "it is empty"]),
        (&["run", &path("empty.onnx")], &["empty.onnx", "it is empty"]),
        (&["inspect", &path("empty.onnx")], &["empty.onnx", "it is empty"]),
        (&["run", &model, "-i", &format!("y={}", path("f64.npy"))], &["no input `y`", "x: f32[N]"]),
        (&["run", &model, "-i", &format!("x2={}", path("f64.npy"))], &["did you mean `x`?"]),
    ]);
    let report = json(&["run", &model, "-i", &path("big.npy"), "--json"]);
    assert_eq!(report["outputs"]["y"], serde_json::json!([1.5]));
}

#[test]
fn numbers_in_json_that_do_not_fit_are_named_with_their_place() {
    let scratch = Scratch::new("json");
    let path = |name: &str| scratch.path(name);
    identity(&path("f32.onnx"), F32);
    identity(&path("i64.onnx"), I64);
    let (floats, ints) = (path("f32.onnx"), path("i64.onnx"));
    for (name, text) in [
        ("far.json", "[1, 1e39]"),
        ("half.json", "[1, 2, 0.5]"),
        ("large.json", "[9223372036854775808]"),
        ("twice.json", r#"{"x": [1], "x": [2]}"#),
        ("unknown.json", r#"{"xs": [1]}"#),
        ("special.json", r#"{"x": [NaN, Infinity, -Infinity, "NaN", 1]}"#),
    ] {
        std::fs::write(path(name), text).unwrap();
    }
    refused(&[
        (&["run", &floats, "-i", &path("far.json")], &["far.json", "`x`", "1e39 at [1]", "f32"]),
        (&["run", &ints, "-i", &path("half.json")], &["0.5 at [2]", "whole numbers"]),
        (&["run", &ints, "-i", &path("large.json")], &["9223372036854775808 at [0]", "i64"]),
        (&["run", &ints, "-i", &path("special.json")], &["special.json", "NaN at [0]", "i64"]),
        (&["run", &floats, "-i", &path("twice.json")], &["`x` was given twice"]),
        (&["run", &floats, "-i", &path("unknown.json")], &["no input `xs`", "did you mean `x`?"]),
    ]);
    let report = json(&["run", &floats, "-i", &path("special.json"), "--json"]);
    let expected = serde_json::json!(["NaN", "Infinity", "-Infinity", "NaN", 1.0]);
    assert_eq!(report["outputs"]["y"], expected);
}

#[test]
fn inputs_that_are_no_tensors_say_what_they_take() {
    let scratch = Scratch::new("kinds");
    let path = |name: &str| scratch.path(name);
    let tensor = field(1, [8, F32]);
    // The types of ONNX: a tensor is field 1 of a type, a sequence field 4, an optional value field 9.
    let save = |name: &str, op: &str, ty: Vec<u8>| {
        let node = [field(1, "x"), field(2, "y"), field(4, op)].concat();
        let input = field(11, [field(1, "x"), field(2, ty)].concat());
        let graph = [field(1, node), field(2, "g"), input, field(12, field(1, "y"))].concat();
        let model = [vec![8, 10], field(7, graph), field(8, [0x10, 21])].concat();
        std::fs::write(path(name), model).unwrap();
    };
    save("seq.onnx", "SequenceLength", field(4, field(1, &tensor)));
    save("opt.onnx", "OptionalHasElement", field(9, field(1, &tensor)));
    std::fs::write(path("x.json"), "[1, 2]").unwrap();
    let json_file = path("x.json");
    refused(&[(&["run", &path("seq.onnx"), "-i", &json_file], &["`x`", "not a tensor", ".pb"])]);
    let report = json(&["run", &path("opt.onnx"), "-i", &json_file, "--json"]);
    assert_eq!(report["outputs"]["y"], true);
}

#[test]
fn options_without_a_meaning_are_refused() {
    let scratch = Scratch::new("options");
    let path = |name: &str| scratch.path(name);
    identity(&path("f32.onnx"), F32);
    identity(&path("str.onnx"), STR);
    npy(&path("x.npy"), "'<f4'", 1, &[0; 4]);
    std::fs::write(path("k.ttir"), "").unwrap();
    std::fs::write(path("l.txt"), "a\n").unwrap();
    let (model, x, kernel) = (path("f32.onnx"), path("x.npy"), path("k.ttir"));
    let labels = path("l.txt");
    refused(&[
        (&["run", &model, "-i", &x, "-s", "x=1"], &["--shape", "`x` is not random"]),
        (&["bench", &model, "-i", &x, "-s", "x=1"], &["--shape", "`x` is not random"]),
        (&["run", &model, "-i", &x, "--seed", "1"], &["--seed", "no input is random"]),
        (&["run", &model, "-i", &x, "-i", "random"], &["no input left for `random`"]),
        (&["run", &model, "-i", "random", "-s", "1", "-s", "2"], &["given twice"]),
        (&["run", &path("str.onnx"), "-i", "random", "-k", "2"], &["--top-k", "str[1]"]),
        (&["run", &model, "-i", &x, "-l", &labels, "-k", "0"], &["--labels", "--top-k 0"]),
        (&["run", &model, "-i", &x, "--check"], &["options like --check are for kernels"]),
        (&["run", &model, "-i", &x, "--grid", "1", "-a", "x=1"], &["--grid and --arg are for"]),
        (&["run", &kernel, "-i", &x, "-k", "1"], &["--input and --top-k are for models"]),
        (&["run", &kernel, "-s", "x=1"], &["options like --shape are for models"]),
        (&["run", &kernel, "-l", &labels, "-p", "gray"], &["--preprocess and --labels"]),
        (&["run", &kernel, "--grid", "1", "--seed", "1"], &["--seed", "no --arg asks for one"]),
        (&["inspect", &model, "--ir", "--steps"], &["--ir", "--steps"]),
        (&["inspect", &model, "--ir", "-s", "x=1"], &["--ir", "--shape"]),
        (&["inspect", &model, "--ir", "--device", "gpu"], &["no device `gpu`"]),
        (&["inspect", &kernel], &["is a kernel", "trident compile"]),
        (&["bench", &kernel], &["is a kernel", "trident run"]),
        (&["compile", &model], &["compiled to a file", "--emit mps", "trident inspect"]),
        (&["compile", &model, "--emit", "mps"], &["needs the name of the file", "-o MODEL.mps"]),
        (&["compile", &model, "--emit", "clif"], &["no form `clif`", "--emit mps"]),
        (&["run", &path(""), "-i", &x], &["it is a folder", "trident inspect"]),
        (&["compile", &kernel, "--threads", "2"], &["--threads"]),
        (&["run", &model, "-i", &x, "--threads", "-1"], &["'-1'", "0 for one on each core"]),
        (&["run", &model, "-i", &x, "-k", "-1"], &["'-1'", "whole number"]),
        (&["run", &model, "-i", "random", "--seed", "-1"], &["'-1'", "whole number"]),
        (&["bench", &model, "-n", "0"], &["'0'", "1.."]),
    ]);
    // What nothing is asked of is not a mistake.
    stdout(&["run", &model, "-i", &x, "-k", "0"]);
}

#[test]
fn outputs_are_checked_before_the_run() {
    let scratch = Scratch::new("outputs");
    let path = |name: &str| scratch.path(name);
    // A run would fail by its input.
    identity(&path("f32.onnx"), F32);
    let model = path("f32.onnx");
    let run = |out: &str, expected: &[&str]| {
        refused(&[(&["run", &model, "-i", "absent.npy", "-o", out], expected)]);
    };
    run(&path("none/out.npy"), &["cannot write", "no folder"]);
    run(&path("out.txt"), &["is unknown", ".npz"]);
    std::fs::create_dir(path("folder.npy")).unwrap();
    run(&path("folder.npy"), &["cannot write", "folder.npy"]);
    let absent = path("out.npy");
    run(&absent, &["no file `absent.npy`"]);
    assert!(!std::path::Path::new(&absent).exists());
    std::fs::write(&absent, "kept").unwrap();
    run(&absent, &["no file `absent.npy`"]);
    assert_eq!(std::fs::read(&absent).unwrap(), b"kept");
    let trace = path("none/trace.json");
    refused(&[(&["bench", &model, "--trace", &trace], &["cannot write", "no folder"])]);
}

#[test]
fn labels_of_another_length_are_not_mixed_with_numbers() {
    let scratch = Scratch::new("labels");
    let path = |name: &str| scratch.path(name);
    classifier(&path("fits.onnx"), "\u{feff}cat\ndog\nbird\nfish");
    classifier(&path("short.onnx"), "cat\ndog\nbird");
    let all = ["-i", "random", "-k", "4"];
    let text = stdout(&[&["run", &path("fits.onnx")], &all[..]].concat());
    assert!(text.contains("\n   cat │"), "{text}");
    let output = trident(&[&["run", &path("short.onnx")], &all[..]].concat());
    let (text, notes) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(notes.contains("name 3 classes, but `p` has 4 classes"), "{notes}");
    assert!(text.contains("\n  3 │") && !text.contains("cat"), "{text}");
    let report = json(&[&["run", &path("short.onnx"), "--json"], &all[..]].concat());
    let best = report["top_k"]["p"][0].as_array().unwrap();
    assert!(best.iter().all(|class| class["label"].is_null()), "{report}");
    std::fs::write(path("two.txt"), "a\nb\n").unwrap();
    let args = ["run", &path("fits.onnx"), "-i", "random", "-l", &path("two.txt")];
    refused(&[(&args, &["two.txt", "2 labels", "`p` has 4 classes"])]);
}

#[test]
fn text_of_models_cannot_steer_a_terminal() {
    let scratch = Scratch::new("escapes");
    let path = |name: &str| scratch.path(name);
    let (evil, model) = ("\u{1b}[31mred\nline\u{9b}", path("m.onnx"));
    let (inputs, output) = (&[(evil, F32, &[evil][..])], ("y", F32, &[evil][..]));
    Model { op: "Relu", inputs, output, metadata: &[(evil, evil)] }.save(&model);
    classifier(&path("labels.onnx"), "a\nb\nc\n\u{1b}[31md");
    let commands: &[&[&str]] = &[
        &["run", &model, "-i", "random"],
        &["run", &model, "-i", "nothing=x"],
        &["run", &model, "-i", "random", "-s", &format!("{evil}=x")],
        &["inspect", &model, "--steps"],
        &["inspect", &model, "--ir"],
        &["bench", &model, "-n", "1", "--profile"],
        &["run", &path("labels.onnx"), "-i", "random", "-k", "4"],
    ];
    for args in commands {
        let output = trident(args);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{9b}']), "{text:?}");
        assert!(text.contains(r"\u{1b}[31m"), "{text}");
        assert!(!text.contains("red\nline"), "{text}");
    }
    let text = stdout(&["inspect", &model, "--json"]);
    assert!(!text.contains(['\u{1b}', '\u{9b}']), "{text:?}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["inputs"][0]["name"], evil);
}

#[test]
fn dimensions_that_no_memory_can_hold_are_errors() {
    let scratch = Scratch::new("huge");
    let path = |name: &str| scratch.path(name);
    let huge = "1099511627776";
    let (inputs, output) = (&[("x", F32, &[huge, huge][..])], ("y", F32, &[huge, huge][..]));
    Model { op: "Relu", inputs, output, metadata: &[] }.save(&path("fixed.onnx"));
    let (status, text) = failure(&["inspect", &path("fixed.onnx")]);
    assert!(status == 1 && text.contains("more bytes than memory can have"), "{text}");
    let inputs = &[("x", F32, &["N", "1"][..]), ("y", F32, &["1", "M"][..])];
    let output = ("z", F32, &["N", "M"][..]);
    Model { op: "Mul", inputs, output, metadata: &[] }.save(&path("outer.onnx"));
    let outer = path("outer.onnx");
    let sides = |n: &str| [format!("x={n}x1"), format!("y=1x{n}")];
    let [x, y] = sides(huge);
    refused(&[(&["inspect", &outer, "-s", &x, "-s", &y], &["`z`", "more bytes", "--shape"])]);
    let [x, y] = sides("134217728");
    let text = stdout(&["inspect", &outer, "-s", &x, "-s", &y]);
    assert!(text.contains("64.0 PiB at the peak"), "{text}");
}
