//! The binary, run as users run it, on the digit classifier of the examples.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::onnx::{field, number};
use common::{Scratch, digits, examples, failure, json, stdout};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn image(digit: usize) -> String {
    examples().join(format!("{digit}.png")).to_str().unwrap().to_owned()
}

/// `y = x + w` in ONNX, of f32, where `w` is an input with the default (1, 2), and `x` has a dimension of -1.
fn sum_with_default() -> Vec<u8> {
    let input = |name: &str, dim: &[u8]| {
        let shape = field(2, field(1, [&[8][..], dim].concat()));
        let ty = field(2, field(1, [number(1, 1), shape].concat()));
        field(11, [field(1, name.as_bytes()), ty].concat())
    };
    let node = [field(1, b"x"), field(1, b"w"), field(2, b"y"), field(4, b"Add")].concat();
    let data: Vec<u8> = [1f32, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let w = [number(1, 2), number(2, 1), field(8, b"w"), field(9, data)].concat();
    let minus_one = [&[0xff; 9][..], &[1]].concat();
    let graph = [
        field(1, node),
        field(2, b"g"),
        field(5, w),
        input("x", &minus_one),
        input("w", &[2]),
        field(12, field(1, b"y")),
    ];
    [number(1, 8), field(8, number(2, 18)), field(7, graph.concat())].concat()
}

#[test]
fn inputs_with_defaults_may_be_given() {
    let scratch = Scratch::new("defaults");
    let model = scratch.path("sum.onnx");
    std::fs::write(&model, sum_with_default()).unwrap();
    std::fs::write(scratch.path("x.json"), "[10, 20]").unwrap();
    std::fs::write(scratch.path("w.json"), "[3, 4]").unwrap();
    let x = scratch.path("x.json");
    let w = format!("w={}", scratch.path("w.json"));
    let run = |inputs: &[&str]| {
        let inputs = inputs.iter().flat_map(|input| ["-i", *input]);
        json(&["run", &model, "--json"].into_iter().chain(inputs).collect::<Vec<_>>())
    };
    assert_eq!(run(&[&x])["outputs"]["y"], serde_json::json!([11.0, 22.0]));
    assert_eq!(run(&[&w, &x])["outputs"]["y"], serde_json::json!([13.0, 24.0]));
    let text = stdout(&["inspect", &model]);
    assert!(text.contains("x: f32[?]"), "{text}");
    assert!(text.contains("w: f32[2] (optional, default f32[2](1, 2))"), "{text}");
    let report = json(&["inspect", &model, "--json"]);
    assert_eq!(report["inputs"].as_array().unwrap().len(), 1);
    assert_eq!(report["optional_inputs"][0]["type"], "f32[2]");
    // Files without a name go to the inputs that have to be given.
    let (status, text) = failure(&["run", &model, "-i", &x, "-i", &x]);
    assert!(status == 2 && text.contains("no input left"), "{text}");
    assert!(text.contains("optional ones are w: f32[2]"), "{text}");
}

#[test]
fn run_classifies_each_image() {
    for digit in 0..10 {
        let report = json(&["run", &digits(), "--input", &image(digit), "--json"]);
        let best = &report["top_k"]["probabilities"][0][0];
        assert_eq!(best["class"], digit, "{report}");
        assert_eq!(best["label"], digit.to_string());
        assert_eq!(report["types"]["probabilities"], "f32[1, 10]");
    }
}

#[test]
fn run_draws_bars_without_colours_off_a_terminal() {
    let text = stdout(&["run", &digits(), "--input", &image(7), "--top-k", "2"]);
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let bars: Vec<&str> = text.lines().filter(|l| l.contains('│')).collect();
    assert_eq!(bars.len(), 2, "{text}");
    assert!(bars[0].trim_start().starts_with('7') && bars[0].contains('█'), "{text}");
    assert!(text.lines().last().unwrap().starts_with("loaded in "), "{text}");
}

#[test]
fn results_go_to_files_and_come_back_as_inputs() {
    let scratch = Scratch::new("files");
    let model = digits();
    let named = |name: &str| format!("image={}", scratch.path(name));
    let array = [[[[0.25f32; 8]; 8]; 1]; 2];
    let values = serde_json::json!(array);
    std::fs::write(scratch.path("in.json"), values.to_string()).unwrap();
    stdout(&["run", &model, "-i", &scratch.path("in.json"), "-o", &scratch.path("out.npy")]);
    stdout(&["run", &model, "-i", &scratch.path("in.json"), "-o", &scratch.path("out.npz")]);
    stdout(&["run", &model, "-i", &scratch.path("in.json"), "-o", &scratch.path("out.json")]);
    let written = std::fs::read_to_string(scratch.path("out.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["probabilities"].as_array().unwrap().len(), 2);
    let npy = std::fs::read(scratch.path("out.npy")).unwrap();
    assert!(npy.starts_with(b"\x93NUMPY") && npy.len() == 128 + 2 * 10 * 4, "{}", npy.len());
    // An input by name, given as .npy: header and 64 zeros.
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 8, 8), }";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend([0; 256]);
    std::fs::write(scratch.path("in.npy"), file).unwrap();
    let report = json(&["run", &model, "-i", &named("in.npy"), "--json"]);
    let sum: f64 = report["outputs"]["probabilities"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p.as_f64().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
}

#[test]
fn thread_counts_and_repeated_runs_give_the_same_bytes() {
    let run = |threads: &str| {
        let report = json(&[
            "run",
            &digits(),
            "-i",
            "random",
            "--shape",
            "image=5x1x8x8",
            "--seed",
            "7",
            "--json",
            "--threads",
            threads,
        ]);
        report["outputs"].clone()
    };
    let one = run("1");
    assert_eq!(one["probabilities"].as_array().unwrap().len(), 5);
    assert_eq!(one, run("1"));
    assert_eq!(one, run("3"));
}

#[test]
fn mistakes_have_their_own_errors_hints_and_status() {
    let scratch = Scratch::new("mistakes");
    std::fs::write(scratch.path("broken.onnx"), b"no model").unwrap();
    std::fs::write(scratch.path("wrong.json"), "[1, 2, 3]").unwrap();
    std::fs::write(scratch.path("ragged.json"), "[[1], 2]").unwrap();
    std::fs::write(scratch.path("object.json"), "[[[[{}]]]]").unwrap();
    std::fs::write(scratch.path("file.txt"), "x").unwrap();
    let (model, image) = (digits(), image(1));
    let wrong = scratch.path("wrong.json");
    let cases: &[(&[&str], &[&str])] = &[
        (&["run", "absent.onnx", "-i", "random"], &["absent.onnx"]),
        (&["run", &scratch.path("broken.onnx"), "-i", "random"], &["broken.onnx", "not a valid"]),
        (&["run", &model], &["no input was given", "hint:", "image: f32[N, 1, 8, 8]"]),
        (&["run", &model, "-i", "absent.png"], &["no file `absent.png`"]),
        (&["run", &model, "-i", "wrong=absent.png"], &["no input `wrong`", "image: f32["]),
        (&["run", &model, "-i", &image, "-i", "random"], &["no input left", "image: f32["]),
        (&["run", &model, "-i", &wrong], &["input `image` has rank 1, expected 4", "hint:"]),
        (&["run", &model, "-i", &scratch.path("ragged.json")], &["ragged.json", "unevenly"]),
        (&["run", &model, "-i", &scratch.path("file.txt")], &["is unknown", ".npy"]),
        (&["run", &model, "-i", &image, "-p", "scale=x"], &["`x` is not a number"]),
        (&["run", &model, "-i", "random", "-p", "scale=2"], &["no input is an image", "hint:"]),
        (&["run", &model, "-i", &image, "--memory-limit", "4GB"], &["4GB", "GiB"]),
        (
            &["run", &model, "-i", &image, "--memory-limit", "1e30GiB"],
            &["'1e30GiB' for '--memory-limit <SIZE>': that is more than a memory can hold"],
        ),
        (&["run", &model, "-i", &image, "--memory-limit", "-4GiB"], &["'-4GiB'", "1 byte on"]),
        (
            &["run", &model, "-i", &image, "--time-limit", "-1"],
            &["'-1' for '--time-limit <SECONDS>': give a number of seconds above 0"],
        ),
        (
            &["run", &model, "-i", &image, "-l", &scratch.path("file.txt")],
            &["1 label", "`probabilities` has 10 classes"],
        ),
        (&["run", &model, "-i", &scratch.path("object.json")], &["object.json", "an object"]),
        (&["inspect", &model, "-s", "image=1x1x9x8"], &["dimension 2 is 9, expected 8", "hint:"]),
        (&["inspect", &model, "-s", "image=8x8"], &["rank 2, expected 4"]),
        (
            &["run", &model, "-i", "random", "-s", "nope=1x1"],
            &["no input and no dimension `nope`", "dimensions are `N`"],
        ),
        (&["run", &model, "-i", "random", "-s", "N=2", "-s", "N=2"], &["`N` is given twice"]),
        (&["run", &model, "-i", &image, "-s", "N=2"], &["none has the dimension `N`"]),
        (&["run", &model, "-i", "random", "-s", "image=1xa"], &["is not a shape"]),
        (
            &["run", &model, "-i", "random", "-s", "image=1x1x8x9"],
            &["dimension 3 is 9, expected 8"],
        ),
        (&["run", &model, "-i", &image, "-o", &scratch.path("out.txt")], &["out.txt", ".npz"]),
        (
            &["run", &model, "-i", &image, "--device", "gpu"],
            &["no device `gpu`", "trident devices"],
        ),
        (&["run", &model, "-i", &image, "--threads", "100000"], &["100000", "1 to 1024 threads"]),
        (&["run", &model, "-i", &image, "--nonsense"], &["--nonsense"]),
    ];
    for (args, expected) in cases {
        let (status, text) = failure(args);
        assert_eq!(status, 2, "{args:?}: {text}");
        for part in *expected {
            assert!(text.contains(part), "{args:?}: {text}");
        }
    }
}

#[test]
fn limits_stop_a_run_and_say_how_to_change_them() {
    let model = digits();
    let large = ["-i", "random", "-s", "image=1000x1x8x8", "--memory-limit", "1MiB"];
    for command in ["run", "bench"] {
        let (status, text) = failure(&[&[command, &model], &large[..]].concat());
        assert_eq!(status, 1, "{text}");
        for part in ["too large", "1.00 MiB in all (--memory-limit)", "hint:"] {
            assert!(text.contains(part), "{text}");
        }
    }
    for limit in [&["--memory-limit", "1GiB"][..], &[]] {
        let huge = ["-i", "random", "-s", "image=1000000000000x1x8x8"];
        let (status, text) = failure(&[&["run", &model], &huge[..], limit].concat());
        let told = "input `image`, f32[1000000000000, 1, 8, 8], would take 233 TiB";
        assert!(status == 1 && text.contains(told), "{text}");
        let source = limit.first().unwrap_or(&"the free memory of this machine");
        assert!(text.contains("hint: ") && text.contains(&format!("allowed ({source})")), "{text}");
    }
    let endless = ["-i", "random", "-s", "image=99999999999999999x1x8x8"];
    let (status, text) = failure(&[&["run", &model], &endless[..]].concat());
    assert!(status == 2 && text.contains("would take more bytes than a memory can hold"), "{text}");
    let (status, text) = failure(&["run", &model, "-i", &image(1), "--memory-limit", "1KiB"]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("`conv0`") && text.contains("--memory-limit"), "{text}");
    // Inputs of files count, in whatever form.
    let scratch = Scratch::new("limits");
    let (list, row) = (scratch.path("rows.json"), ["[0,0,0,0,0,0,0,0]"; 8].join(","));
    let rows = vec![format!("[[{row}]]"); 5000].join(",");
    std::fs::write(&list, format!("[{rows}]")).unwrap();
    let (status, text) = failure(&["run", &model, "-i", &list, "--memory-limit", "1MiB"]);
    assert!(
        status == 2 && text.contains("there is no memory for 1.22 MiB, as 1.00 MiB are allowed"),
        "{text}"
    );
    let (status, text) = failure(&["run", &model, "-i", &image(1), "--time-limit", "1e-9"]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("time limit") && text.contains("--time-limit"), "{text}");
    let small = ["--memory-limit", "64MiB", "--time-limit", "60"];
    stdout(&[&["run", &model, "-i", &image(1)], &small[..]].concat());
}

#[test]
fn help_teaches_with_examples() {
    let text = stdout(&["--help"]);
    for part in ["run", "inspect", "bench", "devices", "Examples:", "Exit status: 0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("worker"));
    for command in ["run", "inspect", "bench", "devices"] {
        assert!(stdout(&[command, "--help"]).contains("Example"), "{command}");
    }
}

#[test]
fn inspect_tells_contents_and_plan() {
    let report = json(&["inspect", &digits(), "--json"]);
    assert_eq!(report["inputs"][0]["name"], "image");
    assert_eq!(report["parameters"], 58_314);
    assert!(report["flops"].as_f64().unwrap() > 1e5, "{report}");
    let plan = &report["plan"];
    let steps = plan["steps"].as_array().unwrap();
    assert!(!steps.is_empty());
    assert!(steps.iter().all(|s| s["device"] == "cpu" && s["kernel"] != ""), "{plan}");
    assert!(plan["peak_bytes"].as_u64().unwrap() >= plan["live_bytes"].as_u64().unwrap());
    let large = json(&["inspect", &digits(), "--shape", "image=8x1x8x8", "--json"]);
    assert_eq!(large, json(&["inspect", &digits(), "--shape", "N=8", "--json"]));
    let ratio = large["flops"].as_f64().unwrap() / report["flops"].as_f64().unwrap();
    assert!((7.5..=8.0).contains(&ratio), "{ratio}");
    let text = stdout(&["inspect", &digits(), "--steps"]);
    for part in ["inputs", "parameters", "58.3 k", "memory", "kernel", "why"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let ir = stdout(&["inspect", &digits(), "--ir"]);
    assert!(ir.contains("\nfunc @") && ir.contains("conv("), "{ir}");
}

#[test]
fn long_constants_are_described_unless_the_full_text_is_asked_for() {
    let (short, full) =
        (stdout(&["inspect", &digits(), "--ir"]), stdout(&["inspect", &digits(), "--ir=full"]));
    assert_eq!(short, stdout(&["inspect", &digits(), "--ir=short"]));
    assert!(short.starts_with("; Constants of more than 32 elements are described"), "{short}");
    assert!(short.len() < 6000 && full.len() > 2 * 58_000 * 4, "{} {}", short.len(), full.len());
    let described = short.lines().find(|line| line.contains("(... ")).unwrap();
    assert!(described.contains(" = constant {value = f32["), "{described}");
    assert!(described.contains(", mean ") && described.contains(", xxh3 "), "{described}");
    // Short constants stand in the short text as in the full one, and only the full one can be read.
    let module: trident_ir::Module = full.parse().unwrap();
    assert_eq!(format!("{module}").trim_end(), full.trim_end());
    assert!(short.parse::<trident_ir::Module>().is_err());
    let (status, text) = failure(&["inspect", &digits(), "--ir=all"]);
    assert!(status == 2 && text.contains("[possible values: short, full]"), "{text}");
}

#[test]
fn bench_measures_profiles_and_traces() {
    let scratch = Scratch::new("bench");
    let trace = scratch.path("trace.json");
    let report = json(&[
        "bench",
        &digits(),
        "-n",
        "5",
        "-w",
        "1",
        "--shape",
        "image=2x1x8x8",
        "--json",
        "--profile",
        "--trace",
        &trace,
        "--threads",
        "1",
    ]);
    let latency = &report["latency_ms"];
    let ms = |key: &str| latency[key].as_f64().unwrap();
    assert!(0.0 < ms("min") && ms("min") <= ms("p50"));
    assert!(ms("p50") <= ms("p90") && ms("p90") <= ms("p99"));
    assert!(report["load_ms"].as_f64().unwrap() > 0.0);
    assert!(report["first_run_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(report["batch"], 2);
    if cfg!(target_os = "linux") {
        assert!(report["peak_rss_bytes"].as_u64().unwrap() > 1 << 20);
    }
    assert!(!report["profile"]["by_op"].as_array().unwrap().is_empty());
    let text = std::fs::read_to_string(trace).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().all(|e| e["ph"] == "X" && e["dur"].as_f64().unwrap() >= 0.0));
    assert!(!events.is_empty());
    let report = json(&["bench", &digits(), "-n", "4", "--concurrency", "3", "--json"]);
    assert_eq!((&report["iterations"], &report["concurrency"]), (&12.into(), &3.into()));
    assert!(report["throughput_per_s"].as_f64().unwrap() > 0.0);
    let text = stdout(&["bench", &digits(), "-n", "2", "-w", "0"]);
    assert!(text.contains("p50") && text.contains("throughput"), "{text}");
}

#[test]
fn devices_lists_the_cpu() {
    let report = json(&["devices", "--json"]);
    assert_eq!(report[0]["name"], "cpu");
    assert!(report[0]["threads"].as_u64().unwrap() >= 1);
    assert!(stdout(&["devices"]).contains("cpu"));
}

#[test]
fn devices_tells_about_memory() {
    let report = json(&["devices", "--memory", "--json"]);
    let memory = &report[0]["memory"];
    let matrix = 768 * 768 * 4;
    // The model is loaded, and its operand is still there.
    let model = &memory["models"][0];
    assert!(
        model["name"] == "matrix product" && model["live_bytes"].as_u64() >= Some(matrix),
        "{memory}"
    );
    assert!(memory["live_bytes"].as_u64() >= model["live_bytes"].as_u64(), "{memory}");
    assert!(memory["peak_bytes"].as_u64().unwrap() >= 2 * matrix, "{memory}");
    assert!(memory["peak_reserved_bytes"].as_u64() >= memory["peak_bytes"].as_u64(), "{memory}");
    assert!(memory["hits"].as_u64().unwrap() > 0 && memory["misses"].as_u64().unwrap() > 0);
    let text = stdout(&["devices", "--memory"]);
    for part in ["fragmentation", "elsewhere", "model matrix product"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!stdout(&["devices"]).contains("fragmentation"));
}

#[test]
fn variables_of_the_pool_are_checked() {
    for (variable, value) in [("MPS_MAX_POOL_SIZE", "lots"), ("MPS_MAX_BUFFER_AGE", "-1")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trident"));
        let output = command.arg("devices").env(variable, value).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("{variable}={value} is not")), "{text}");
    }
}

#[test]
fn the_worker_answers_every_line_and_survives_bad_ones() {
    let scratch = Scratch::new("worker");
    let mut child = Command::new(env!("CARGO_BIN_EXE_trident"))
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut requests = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |line: &str| {
        writeln!(requests, "{line}").unwrap();
        answers.next().unwrap().unwrap()
    };
    let (model, folder) = (digits(), scratch.path(""));
    assert!(ask("nonsense").starts_with("ERR request: "));
    assert!(ask(&format!("absent.onnx\t{folder}\t{folder}")).starts_with("ERR load: "));
    let missing = ask(&format!("{model}\t{folder}\t{folder}"));
    assert!(missing.starts_with("ERR inputs: `image` from input_0.pb: "), "{missing}");
    std::fs::write(scratch.path("input_0.pb"), b"\xff\xff\xff").unwrap();
    assert!(ask(&format!("{model}\t{folder}\t{folder}")).starts_with("ERR inputs: "));
    // A TensorProto: dims 1, 1, 8, 8; data_type FLOAT; raw_data of 64 zeros.
    let mut proto = vec![0x0a, 4, 1, 1, 8, 8, 0x10, 1, 0x4a, 0x80, 2];
    proto.extend([0; 256]);
    std::fs::write(scratch.path("input_0.pb"), &proto).unwrap();
    assert_eq!(ask(&format!("{model}\t{folder}\t{folder}")), "OK");
    assert!(std::fs::read(scratch.path("out_0.pb")).unwrap().len() >= 40);
    proto[5] = 9;
    std::fs::write(scratch.path("input_0.pb"), &proto).unwrap();
    assert!(ask(&format!("{model}\t{folder}\t{folder}")).starts_with("ERR "));
    drop(requests);
    assert!(child.wait().unwrap().success());
}

#[test]
fn compiled_models_take_the_place_of_onnx_files() {
    let scratch = Scratch::new("compiled");
    let compiled = scratch.path("digits.mps");
    let text = stdout(&["compile", &digits(), "--emit", "mps", "-o", &compiled]);
    assert!(text.contains("compiled for cpu"), "{text}");
    let outputs = |model: &str| {
        let report = json(&["run", model, "--input", &image(7), "--json", "--top-k", "0"]);
        report["outputs"].clone()
    };
    assert_eq!(outputs(&compiled), outputs(&digits()));
    let label = |model: &str| {
        let report = json(&["run", model, "--input", &image(7), "--json"]);
        report["top_k"].clone()
    };
    assert_eq!(label(&compiled), label(&digits()));
    json(&["bench", &compiled, "--iterations", "2", "--json"]);
    let text = stdout(&["inspect", &compiled]);
    assert!(text.contains("for cpu"), "{text}");
    let report = json(&["inspect", &compiled, "--json"]);
    assert_eq!(report["compiled"]["devices"], serde_json::json!(["cpu"]));
    let steps = |report: &serde_json::Value| report["plan"]["steps"].as_array().unwrap().len();
    assert_eq!(steps(&report), steps(&json(&["inspect", &digits(), "--json"])));
    assert!(stdout(&["inspect", &compiled, "--ir"]).contains("fused_conv"));
    let (status, text) = failure(&["inspect", &compiled, "--no-passes"]);
    assert!(status == 2 && text.contains("inspect the model that it was made from"), "{text}");
}

#[test]
fn wrong_uses_of_compile_are_explained() {
    let scratch = Scratch::new("compile-usage");
    let compiled = scratch.path("digits.mps");
    stdout(&["compile", &digits(), "--emit", "mps", "-o", &compiled]);
    for args in [
        &["compile", &digits()][..],
        &["compile", &digits(), "--emit", "mps"],
        &["compile", &digits(), "--emit", "asm", "-o", &scratch.path("x")],
    ] {
        let (status, text) = failure(args);
        let told =
            text.contains("-o MODEL.mps") && text.contains("--emit mps") | args.contains(&"mps");
        assert!(status == 2 && told, "{args:?}: {text}");
    }
    let (status, text) = failure(&["compile", &compiled, "--emit", "mps", "-o", &compiled]);
    assert!(status == 2 && text.contains("compiled model already"), "{text}");
    let copy = scratch.path("copy.onnx");
    std::fs::copy(digits(), &copy).unwrap();
    let (status, text) = failure(&["compile", &copy, "--emit", "mps", "-o", &copy]);
    assert!(status == 2 && text.contains("would replace the model"), "{text}");
    let (status, text) = failure(&["run", &compiled, "--device", "nothing", "-i", "random"]);
    assert!(status == 2 && text.contains("nothing"), "{text}");
    let mut bytes = std::fs::read(&compiled).unwrap();
    let last = bytes.len() - 5000;
    bytes[last] ^= 1;
    std::fs::write(&compiled, bytes).unwrap();
    let (status, text) = failure(&["run", &compiled, "-i", "random"]);
    assert!(status == 2 && text.contains("compile the model again"), "{text}");
}
