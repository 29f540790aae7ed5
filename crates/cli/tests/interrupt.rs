//! Ctrl-C ends what would run forever: by the signal, as docs/cli.md says of status 130.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;
use common::Scratch;
use common::onnx::{field, info, number};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SIGINT: i32 = 2;

/// Waits for a value in memory, which no program writes.
const SPIN: &str = "module {
  tt.func public @spin(%flag: !tt.ptr<i32>) {
    %zero = arith.constant 0 : i32
    scf.while : () -> () {
      %value = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
      %again = arith.cmpi eq, %value, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    tt.return
  }
}
";

/// Adds up numbers for centuries.
const COUNT: &str = "module {
  tt.func public @count(%out: !tt.ptr<f32>) {
    %from = arith.constant 0 : i64
    %to = arith.constant 1152921504606846976 : i64
    %step = arith.constant 1 : i64
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %sum = scf.for %i = %from to %to step %step iter_args(%all = %zero) -> (tensor<64xf32>) : i64 {
      %next = math.exp %all : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %base = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %place = tt.addptr %base, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %place, %sum : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
";

/// Whether this process, and with it its children, ignores Ctrl-C, as background jobs of a script do.
fn is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 << (SIGINT - 1) != 0)
}

/// Waits until a process has computed for much longer than it takes to start.
fn wait_until_busy(child: &mut Child) {
    let path = format!("/proc/{}/schedstat", child.id());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        assert_eq!(child.try_wait().unwrap(), None, "ended by itself");
        let text = std::fs::read_to_string(&path);
        let nanos = text.ok().and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        // Where the system does not tell, time has to do.
        if nanos.unwrap_or(start.elapsed().as_nanos() as u64 / 2) > 500_000_000 {
            return;
        }
        sleep(Duration::from_millis(20));
    }
    panic!("does not compute");
}

/// The outcome of a process after Ctrl-C, and the time until its end.
fn interrupt(args: &[&str]) -> (ExitStatus, Duration) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trident"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until_busy(&mut child);
    let start = Instant::now();
    let pid = child.id().to_string();
    let kill = Command::new("sh").args(["-c", "kill -s INT \"$0\"", &pid]).status();
    assert!(kill.unwrap().success());
    while start.elapsed() < Duration::from_secs(10) {
        if let Some(status) = child.try_wait().unwrap() {
            return (status, start.elapsed());
        }
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("{args:?} goes on after Ctrl-C");
}

#[track_caller]
fn ends_by_interrupt(args: &[&str]) {
    if is_ignored() {
        eprintln!("skipped: this process was started with SIGINT ignored");
        return;
    }
    let (status, took) = interrupt(args);
    assert_eq!((status.signal(), status.code()), (Some(SIGINT), None), "{args:?}");
    // It takes milliseconds; the limit leaves room for a machine under load.
    assert!(took < Duration::from_secs(5), "{args:?}: {took:?}");
}

#[test]
fn kernels_that_run_forever_end() {
    let scratch = Scratch::new("interrupt-kernel");
    let file = |name: &str, text| {
        let path = scratch.path(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (spin, count) = (file("spin.ttir", SPIN), file("count.ttir", COUNT));
    for grid in ["1", "8"] {
        for (file, array) in [(&spin, "flag=zeros:1"), (&count, "out=zeros:64")] {
            let run = ["run", file, "--grid", grid, "--arg", array];
            for more in [&[][..], &["--unchecked"], &["--check"]] {
                ends_by_interrupt(&[&run[..], more].concat());
            }
        }
    }
}

/// `x` doubled forever: a loop without a count whose condition stays true.
fn endless() -> Vec<u8> {
    const F32: u8 = 1;
    const I64: u8 = 7;
    const BOOL: u8 = 9;
    let node = |op: &str, inputs: &[&str], output: &str| {
        let inputs: Vec<u8> = inputs.iter().flat_map(|name| field(1, name)).collect();
        [inputs, field(2, output), field(4, op)].concat()
    };
    let body = [
        field(1, node("Identity", &["again"], "still")),
        field(1, node("Add", &["value", "value"], "double")),
        field(2, "body"),
        field(11, info("i", I64, &[])),
        field(11, info("again", BOOL, &[])),
        field(11, info("value", F32, &["1"])),
        field(12, info("still", BOOL, &[])),
        field(12, info("double", F32, &["1"])),
    ];
    // The attribute's type, 20, is a field whose number takes two bytes; 5 is that of graphs.
    let body = [field(1, "body"), field(6, body.concat()), vec![0xa0, 0x01, 5]].concat();
    let repeat = [node("Loop", &["", "", "x"], "y"), field(5, body)].concat();
    let (x, y) = (field(11, info("x", F32, &["1"])), field(12, info("y", F32, &["1"])));
    let graph = [field(1, repeat), field(2, "g"), x, y].concat();
    [number(1, 10), field(7, graph), field(8, number(2, 21))].concat()
}

#[test]
fn models_that_run_forever_end() {
    let scratch = Scratch::new("interrupt-model");
    let model = scratch.path("endless.onnx");
    std::fs::write(&model, endless()).unwrap();
    for threads in ["1", "2"] {
        ends_by_interrupt(&["run", &model, "-i", "random", "--threads", threads]);
    }
    ends_by_interrupt(&["bench", &model, "-n", "1"]);
}
