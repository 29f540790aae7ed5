//! The table of exit statuses in docs/cli.md, command by command.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;
use common::{Scratch, trident};
use std::process::{Command, Stdio};

const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/digits/digits.onnx");
const IMAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/digits/7.png");
const SCALE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/metal/scale.ttir");
const SCALE_ARGS: [&str; 10] = [
    "--grid",
    "1",
    "--arg",
    "x=zeros:128",
    "--arg",
    "out=zeros:128",
    "--arg",
    "a=2",
    "--arg",
    "n=128",
];

/// Status, what standard error says, and how many hints it has.
fn outcome(args: &[&str]) -> (i32, String, usize) {
    let output = trident(args);
    let text = String::from_utf8(output.stderr).unwrap();
    let hints = text.matches("hint:").count();
    (output.status.code().unwrap(), text, hints)
}

#[track_caller]
fn ends(status: i32, args: &[&str], part: &str) {
    let (actual, text, hints) = outcome(args);
    assert_eq!(actual, status, "{args:?}: {text}");
    assert!(text.contains(part), "{args:?}: {text}");
    assert!(hints <= 1, "{args:?} gives more than one hint: {text}");
    let told = text.lines().any(|line| line.starts_with("error: "));
    assert!(status == 0 || told || args.len() == 1, "{args:?}: {text}");
}

#[test]
fn success_is_0() {
    let scratch = Scratch::new("status-0");
    let compiled = scratch.path("digits.mps");
    ends(0, &["compile", DIGITS, "--emit", "mps", "-o", &compiled], "");
    for model in [DIGITS, &compiled] {
        ends(0, &["run", model, "-i", IMAGE], "");
        ends(0, &["inspect", model], "");
        ends(0, &["bench", model, "-n", "1"], "");
    }
    ends(0, &["compile", SCALE], "");
    ends(0, &[&["run", SCALE][..], &SCALE_ARGS].concat(), "");
    ends(0, &["--help"], "");
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trident"))
        .args(["inspect", DIGITS, "--ir=full"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_was_read_and_could_not_be_run_is_1() {
    let scratch = Scratch::new("status-1");
    // A device lacks what the kernel needs.
    let wide = scratch.path("wide.ttir");
    let kernel = std::fs::read_to_string(SCALE).unwrap();
    std::fs::write(&wide, kernel.replace("f32", "f64")).unwrap();
    #[cfg(feature = "texts")]
    ends(1, &["compile", &wide, "--device", "metal", "--emit", "msl"], "no element type f64");
    // The launch leaves an array.
    let short = SCALE_ARGS.map(|arg| if arg == "out=zeros:128" { "out=zeros:100" } else { arg });
    ends(1, &[&["run", SCALE][..], &short].concat(), "out-of-bounds write");
    // Limits.
    ends(1, &["run", DIGITS, "-i", "random", "--memory-limit", "1KiB"], "--memory-limit");
    ends(1, &["bench", DIGITS, "--memory-limit", "1KiB"], "--memory-limit");
    ends(1, &["run", DIGITS, "-i", "random", "--time-limit", "1e-9"], "--time-limit");
    ends(1, &["bench", DIGITS, "--time-limit", "1e-9"], "--time-limit");
}

#[test]
fn files_that_cannot_be_used_are_2() {
    let scratch = Scratch::new("status-2");
    let path = |name: &str| scratch.path(name);
    // Files that break off, or hold something else.
    let bytes = std::fs::read(DIGITS).unwrap();
    std::fs::write(path("cut.onnx"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(path("text.onnx"), "not a model").unwrap();
    std::fs::write(path("text.mps"), "not a model").unwrap();
    std::fs::write(path("text.ttir"), "not a kernel").unwrap();
    let kernel = std::fs::read_to_string(SCALE).unwrap();
    std::fs::write(path("cut.ttir"), &kernel[..kernel.len() / 2]).unwrap();
    std::fs::write(path("noise.ttir"), kernel.replace("arith.mulf", "arith.noise")).unwrap();
    let models = ["cut.onnx", "text.onnx", "text.mps", "absent.onnx", "absent.mps", ""];
    for file in models.map(path) {
        let name = file.rsplit('/').next().unwrap();
        for args in [&["run", &file, "-i", "random"][..], &["inspect", &file], &["bench", &file]] {
            ends(2, args, name);
        }
        let out = path("out.mps");
        ends(2, &["compile", &file, "--emit", "mps", "-o", &out], name);
    }
    for file in ["cut.ttir", "text.ttir", "noise.ttir", "absent.ttir"].map(path) {
        let name = file.rsplit('/').next().unwrap();
        ends(2, &[&["run", &file][..], &SCALE_ARGS].concat(), name);
        for more in [&[][..], &["--emit", "asm"], &["--device", "metal", "--emit", "msl"]] {
            ends(2, &[&["compile", &file][..], more].concat(), name);
        }
        ends(2, &["inspect", &file], name);
        ends(2, &["bench", &file], name);
    }
    // Inputs and outputs.
    std::fs::write(path("bad.npy"), "not an array").unwrap();
    ends(2, &["run", DIGITS, "-i", &path("bad.npy")], "bad.npy");
    ends(2, &["run", DIGITS, "-i", &path("absent.npy")], "absent.npy");
    let unwritable = path("nowhere/out.npy");
    ends(2, &["run", DIGITS, "-i", IMAGE, "-o", &unwritable], "there is no folder");
    ends(2, &["bench", DIGITS, "--trace", &unwritable], "there is no folder");
    ends(2, &["compile", SCALE, "-o", &unwritable], "there is no folder");
    ends(2, &["compile", DIGITS, "--emit", "mps", "-o", &unwritable], "there is no folder");
}

#[test]
fn wrong_usage_is_2() {
    for args in [
        &["walk"][..],
        &["run"],
        &["run", DIGITS],
        &["run", DIGITS, "-i", "random", "--shape", "image=1x"],
        &["run", DIGITS, "-i", "random", "--shape", "batsch=1"],
        &["inspect", DIGITS, "--stpes"],
        &["bench", DIGITS, "-n", "0"],
        &["compile", DIGITS],
        &["compile", SCALE, "--emit", "noise"],
        &["devices", "--all"],
    ] {
        ends(2, args, "");
    }
    for command in ["run", "inspect", "bench"] {
        ends(2, &[command, DIGITS, "--device", "gpu"], "there is no device `gpu`");
    }
    ends(2, &["compile", SCALE, "--device", "gpu"], "there is no device `gpu`");
    #[cfg(not(feature = "emulator"))]
    {
        let emulated = ["--device", "metal-emulated"];
        ends(
            2,
            &[&["inspect", DIGITS][..], &emulated].concat(),
            "build with the feature `emulator`",
        );
        let told = "hint: `--device metal` shows the Metal program, and needs no emulator";
        ends(2, &[&["compile", SCALE][..], &emulated].concat(), told);
        let run = [&["run", SCALE][..], &SCALE_ARGS, &emulated].concat();
        ends(2, &run, "build with the feature `emulator`");
    }
    #[cfg(not(target_os = "macos"))]
    for devices in ["metal", "metal,cpu"] {
        let scratch = Scratch::new("status-metal");
        let out = scratch.path("digits.mps");
        let args = ["compile", DIGITS, "--emit", "mps", "-o", &out, "--device", devices];
        ends(2, &args, "`metal` is not available: it needs macOS and a GPU of Apple silicon");
        ends(2, &args, "hint: compile the model on the Mac that will run it");
    }
    // Options that would have no effect.
    ends(2, &["compile", SCALE, "--memory-limit", "1GiB"], "--memory-limit is for models");
    ends(2, &["compile", DIGITS, "--emit", "mps", "--check"], "--check is for kernels");
    ends(2, &["compile", SCALE, "--time-limit", "1"], "--time-limit");
    for zero in ["0", "0.0"] {
        let told = "a run cannot end in 0 seconds; leave --time-limit out for no limit";
        ends(2, &["run", DIGITS, "-i", "random", "--time-limit", zero], told);
        ends(2, &["bench", DIGITS, "--time-limit", zero], told);
    }
}
