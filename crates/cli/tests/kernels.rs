//! Kernels from the command line.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::path::PathBuf;
use std::process::{Command, Output};

/// out[i] = a·x[i] for i < n, 16 elements a program.
const SCALE: &str = r#"module {
  tt.func public @scale(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %a: f32, %n: i32) {
    %c16 = arith.constant 16 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c16 : i32
    %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %base = tt.splat %start : i32 -> tensor<16xi32>
    %i = arith.addi %base, %range : tensor<16xi32>
    %limit = tt.splat %n : i32 -> tensor<16xi32>
    %mask = arith.cmpi slt, %i, %limit : tensor<16xi32>
    %px = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %pxi = tt.addptr %px, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %vx = tt.load %pxi, %mask : tensor<16x!tt.ptr<f32>>
    %va = tt.splat %a : f32 -> tensor<16xf32>
    %y = arith.mulf %vx, %va : tensor<16xf32>
    %po = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %poi = tt.addptr %po, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    tt.store %poi, %y, %mask : tensor<16x!tt.ptr<f32>>
    tt.return
  }
}
"#;

/// A folder that goes when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("trident-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("scale.ttir"), SCALE).unwrap();
        Scratch(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn trident(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trident")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = trident(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Exit status and standard error of a run that has to fail.
fn failure(args: &[&str]) -> (i32, String) {
    let output = trident(args);
    assert!(output.stdout.is_empty(), "{args:?} wrote to standard output");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn compile_shows_each_form() {
    let scratch = Scratch::new("compile");
    let kernel = scratch.path("scale.ttir");
    let tile = stdout(&["compile", &kernel]);
    assert!(tile.contains("func @scale tile") && tile.contains("ptr_add"), "{tile}");
    assert!(stdout(&["compile", &kernel, "--emit", "clif"]).contains("function"));
    assert!(stdout(&["compile", &kernel, "--emit", "asm"]).contains("ret"));
}

#[test]
fn a_launch_writes_what_it_changed() {
    let scratch = Scratch::new("launch");
    let (kernel, out) = (scratch.path("scale.ttir"), scratch.path("out.json"));
    let args = ["run", &kernel, "--grid", "2", "--arg", "x=random:20", "--arg", "out=zeros:20"];
    let more = ["--arg", "a=2.5", "--arg", "n=18", "--json", "--output", &out];
    let report: serde_json::Value =
        serde_json::from_str(&stdout(&[&args[..], &more].concat())).unwrap();
    let file: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(report["changed"], file);
    assert!(file.get("x").is_none());
    let values: Vec<f64> =
        file["out"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert_eq!((values.len(), &values[18..]), (20, &[0.0, 0.0][..]));
    assert!(values[..18].iter().all(|v| (0.0..2.5).contains(v)));

    let npy = scratch.path("out.npy");
    let again = ["--arg", "a=2.5", "--arg", "n=18", "--output", &npy];
    stdout(&[&args[..], &again].concat());
    // The same array, doubled: what was written can be read.
    let from = format!("x=@{npy}");
    let twice = ["run", &kernel, "--grid", "2x1", "--arg", &from, "--arg", "out=zeros:20"];
    let twice = stdout(&[&twice[..], &["--arg", "a=2", "--arg", "n=20", "--json"]].concat());
    let twice: serde_json::Value = serde_json::from_str(&twice).unwrap();
    let doubled = twice["changed"]["out"].as_array().unwrap();
    for (v, d) in values.iter().zip(doubled) {
        assert!((d.as_f64().unwrap() - 2.0 * v).abs() < 1e-5);
    }
}

#[test]
fn a_launch_that_changes_nothing_says_so() {
    let scratch = Scratch::new("unchanged");
    let kernel = scratch.path("scale.ttir");
    let args = ["run", &kernel, "--grid", "1", "--arg", "x=random:16", "--arg", "out=zeros:16"];
    // It writes zeros over zeros, or nothing at all.
    for (a, n) in [("a=0", "n=16"), ("a=2", "n=0")] {
        let launch = |more: &[&str]| stdout(&[&args[..], &["--arg", a, "--arg", n], more].concat());
        let text = launch(&[]);
        assert!(text.starts_with("the kernel changed no array\ncompiled in "), "{text}");
        let report: serde_json::Value = serde_json::from_str(&launch(&["--json"])).unwrap();
        assert_eq!(report["changed"], serde_json::json!({}));
        let [out, npy] = ["out.json", "out.npy"].map(|name| scratch.path(name));
        let text = launch(&["--output", &out]);
        assert!(text.starts_with("the kernel changed no array\nwritten to "), "{text}");
        launch(&["--output", &npy]);
        let file: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
        assert_eq!(file, serde_json::json!({ "out": vec![0.0; 16] }));
        assert!(std::fs::read(&npy).unwrap().ends_with(&[0; 64]));
    }
    let (reader, out) = (scratch.path("reader.ttir"), scratch.path("none.npz"));
    let lines = SCALE.lines().filter(|line| !line.contains("tt.store"));
    std::fs::write(&reader, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let args = [&["run", &reader][..], &args[2..], &["--arg", "a=1", "--arg", "n=16"]].concat();
    assert!(stdout(&args).starts_with("the kernel changed no array\ncompiled in "));
    let (status, text) = failure(&[&args[..], &["--output", &out]].concat());
    assert!(
        status == 1 && text.contains("changed no array, so there is nothing to write to `"),
        "{text}"
    );
    assert!(
        text.contains("none.npz") && text.contains("hint: the kernel does not store"),
        "{text}"
    );
    assert!(!std::path::Path::new(&out).exists());
}

/// out[i] = x[i] + y[i] for i < n, 1,024 elements a program.
const ADD: &str = r#"module {
  tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %block = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %block : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %base = tt.splat %start : i32 -> tensor<1024xi32>
    %i = arith.addi %base, %range : tensor<1024xi32>
    %limit = tt.splat %n : i32 -> tensor<1024xi32>
    %mask = arith.cmpi slt, %i, %limit : tensor<1024xi32>
    %px = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %pxi = tt.addptr %px, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %vx = tt.load %pxi, %mask : tensor<1024x!tt.ptr<f32>>
    %py = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %pyi = tt.addptr %py, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %vy = tt.load %pyi, %mask : tensor<1024x!tt.ptr<f32>>
    %sum = arith.addf %vx, %vy : tensor<1024xf32>
    %po = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %poi = tt.addptr %po, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %poi, %sum, %mask : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
"#;

#[test]
fn a_launch_never_leaves_its_arrays() {
    let scratch = Scratch::new("bounds");
    let kernel = scratch.path("add.ttir");
    std::fs::write(&kernel, ADD).unwrap();
    let launch = |x: &str, y: &str, out: &str, more: &[&str]| {
        let [x, y, out] = [("x", x), ("y", y), ("out", out)].map(|(n, v)| format!("{n}={v}"));
        let args = ["run", &kernel, "--grid", "10", "--arg", &x, "--arg", &y, "--arg", &out];
        failure(&[&args[..], &["--arg", "n=10000"], more].concat())
    };
    for threads in ["1", "3"] {
        let more = ["--threads", threads];
        let (status, text) = launch("random:10000", "random:10000", "zeros:10", &more);
        let fault = "out-of-bounds write of 4 bytes at byte 40 (element 10) of `out`, whose memory is bytes 0 to 40";
        assert_eq!(status, 1, "{text}");
        assert!(text.contains(fault) && text.contains("program (0, 0, 0)"), "{text}");
        let (status, text) = launch("random:10000", "random:9999", "zeros:10000", &more);
        let fault =
            "program (9, 0, 0): out-of-bounds read of 4 bytes at byte 39996 (element 9999) of `y`";
        assert!(status == 1 && text.contains(fault), "{text}");
        let (status, text) = launch("zeros:0", "random:10000", "zeros:10000", &more);
        let fault = "program (0, 0, 0): out-of-bounds read of 4 bytes at byte 0 (element 0) of `x`";
        assert!(status == 1 && text.contains(fault), "{text}");
    }
    let args = ["--check", "--unchecked"];
    let (status, text) = launch("zeros:10000", "zeros:10000", "zeros:10000", &args);
    assert!(status == 2 && text.contains("cannot be used with"), "{text}");
}

#[test]
fn every_mode_has_listings() {
    let scratch = Scratch::new("modes");
    let kernel = scratch.path("scale.ttir");
    let text = |mode: &[&str]| stdout(&[&["compile", &kernel, "--emit", "asm"], mode].concat());
    let [bounds, all, none] = [&[][..], &["--check"], &["--unchecked"]].map(text);
    assert!(bounds != all && all != none && bounds != none);
}

#[test]
fn the_environment_switches_checks_on_and_off_and_says_what_it_does_not_know() {
    let scratch = Scratch::new("switch");
    let kernel = scratch.path("scale.ttir");
    let listing = |value: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trident"));
        command.args(["compile", &kernel, "--emit", "asm"]).args(more);
        command.env("TRIDENT_CHECK", value).output().unwrap()
    };
    let [off, on] = [&[][..], &["--check"]].map(|more| listing("0", more).stdout);
    assert!(off != on);
    for (value, expected) in [("", &off), ("No", &off), ("off", &off), ("1", &on), ("YES", &on)] {
        assert!(listing(value, &[]).stdout == *expected, "{value}");
    }
    let refused = listing("2", &[]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("TRIDENT_CHECK=2 is neither on nor off: set it to 1, true"), "{text}");
    // Options say it themselves.
    assert!(listing("2", &["--check"]).stdout == on);
    assert!(listing("2", &["--unchecked"]).status.success());
}

/// A kernel that never ends.
const ENDLESS: &str = r#"module {
  tt.func public @endless(%out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.while (%i = %c0) : (i32) -> i32 {
      %more = arith.cmpi ne, %i, %c1 : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %v = tt.load %out : !tt.ptr<i32>
      tt.store %out, %v : !tt.ptr<i32>
      scf.yield %i : i32
    }
    tt.return
  }
}
"#;

#[test]
fn limits_hold_for_kernels() {
    let scratch = Scratch::new("limits");
    let (scale, endless) = (scratch.path("scale.ttir"), scratch.path("endless.ttir"));
    std::fs::write(&endless, ENDLESS).unwrap();
    for mode in [&[][..], &["--check"], &["--unchecked"]] {
        let args = ["run", &endless, "--grid", "2", "--arg", "out=zeros:1", "--time-limit", "0.3"];
        let (status, text) = failure(&[&args[..], mode].concat());
        let told = "stopped at kernel `endless`: its time limit of 300ms has passed";
        assert!(status == 1 && text.contains(told), "{text}");
        assert!(text.contains("--time-limit"), "{text}");
    }
    let args = ["run", &scale, "--grid", "2", "--arg", "a=1", "--arg", "n=32"];
    let arrays = ["--arg", "x=random:1000", "--arg", "out=zeros:1000"];
    let more =
        |limit| [&args[..], &arrays, &["--time-limit", "60", "--memory-limit", limit]].concat();
    stdout(&more("1MiB"));
    stdout(&more("none"));
    let (status, text) = failure(&more("15KiB"));
    assert!(status == 1 && text.contains("would take 15.6 KiB"), "{text}");
    assert!(text.contains("hint: 15.0 KiB are allowed (--memory-limit)"), "{text}");
    let large = ["--arg", "x=zeros:999999999999x999999999999", "--arg", "out=zeros:1"];
    let (status, text) = failure(&[&args[..], &large].concat());
    assert!(status == 1 && text.contains("would take"), "{text}");
    for value in ["zeros", "random"] {
        let huge = format!("x={value}:9999999999999");
        let large = ["--arg", &huge, "--arg", "out=zeros:1", "--memory-limit", "none"];
        let (status, text) = failure(&[&args[..], &large].concat());
        assert!(status == 2 && text.contains("there is no memory for 36.4 TiB"), "{text}");
    }
}

#[test]
fn checked_launches_name_tensor_and_offset() {
    let scratch = Scratch::new("check");
    let kernel = scratch.path("scale.ttir");
    let args = ["run", &kernel, "--grid", "2", "--check", "--arg", "a=2", "--arg", "out=zeros:32"];
    stdout(&[&args[..], &["--arg", "x=random:32", "--arg", "n=32"]].concat());
    let (status, text) = failure(&[&args[..], &["--arg", "x=random:20", "--arg", "n=32"]].concat());
    let place = "program (1, 0, 0): out-of-bounds read of 4 bytes at byte 80 (element 20) of `x`";
    assert!(status == 1 && text.contains(place), "{text}");
}

#[test]
fn wrong_launches_are_refused() {
    let scratch = Scratch::new("wrong");
    let kernel = scratch.path("scale.ttir");
    let given = ["--arg", "x=zeros:16", "--arg", "out=zeros:16", "--arg", "a=1"];
    let cases: &[(&[&str], &str)] = &[
        (&["--arg", "n=1"], "a kernel needs a grid"),
        (&["--grid", "1,2,3,4", "--arg", "n=1"], "is not a grid"),
        (&["--grid", "1"], "parameter `n` has no value"),
        (&["--grid", "1", "--arg", "n=1.5"], "not an element of type i32"),
        (&["--grid", "1", "--arg", "n=4294967296"], "i32, which takes -2147483648 to 4294967295"),
        (&["--grid", "1", "--arg", "n=1", "--arg", "n=2"], "given twice"),
        (&["--grid", "1", "--arg", "m=1"], "no parameter `m`"),
        (&["--grid", "1", "--arg", "n=1", "--arg", "x=1"], "an array is @FILE.npy"),
    ];
    for (args, expected) in cases {
        let (status, text) = failure(&[&["run", kernel.as_str()], &given[..], args].concat());
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(expected), "{text}");
    }
    std::fs::write(scratch.path("bad.ttir"), SCALE.replace("arith.mulf", "arith.noise")).unwrap();
    let (status, text) = failure(&["compile", &scratch.path("bad.ttir")]);
    assert!(status == 2 && text.contains("bad.ttir:15:10: unknown op `arith.noise`"), "{text}");
    assert!(text.contains("hint: the line is `%y = arith.noise %vx"), "{text}");
    let (status, text) = failure(&["run", "model.onnx", "--grid", "1"]);
    assert!(status == 2 && text.contains("are for kernels"), "{text}");
}
