//! Memory that loading takes, for hostile files. It is a program of its own, as the peak is that of the whole process.
#![allow(clippy::unwrap_used)] // a failure is what the test looks for
#![cfg(target_os = "linux")] // which tells the peak of a process

mod common;

use common::*;
use trident_paddle::load_from;

/// The most bytes of memory for each byte of the file, which itself is one of them.
const MOST: usize = 10;

/// Bytes that loading any model may take, such as tables of names.
const BASE: usize = 1 << 20;

/// The peak of memory, in bytes, since it was reset.
fn peak(reset: bool) -> usize {
    if reset {
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// Files of nothing but the smallest parts that are read.
#[test]
fn memory_is_at_most_ten_times_the_file() {
    const SIZE: usize = 2 << 20;
    let repeated = |part: &str| vec![part.to_owned(); SIZE / part.len()];
    let list = |kind: &str, part: &str| {
        let list = format!("[{}]", repeated(part).join(","));
        pir_op("1.relu", &[2], &[(9, "2")], &pir_attr("a", kind, &list))
    };
    let with = |op: String| {
        let mut ops = pir_ops();
        ops.insert(2, op);
        Memory::of([("m.json", pir_text(4, &ops).into_bytes())])
    };
    let mut cases = vec![
        with(list("1.a_intarray", "0")),
        with(list("0.a_array", r##"{"#":"0.a_i32","D":0}"##)),
        Memory::of([("m.json", pir_text(4, &repeated(r##"{"#":"1.a"}"##)).into_bytes())]),
        Memory::of([("m.json", format!("[{}]", repeated("0").join(",")).into_bytes())]),
    ];
    let ops = vec![op("a", &[], &[], &[]); SIZE / 5];
    cases.push(Memory::of([("m.json", vec![]), ("m.pdmodel", program(&[block(&[], &ops)]))]));
    for files in cases {
        let name = if files.0["m.json"].is_empty() { "m.pdmodel" } else { "m.json" };
        let size = files.0[name].len();
        let before = peak(true);
        let loaded = load_from(&files, name).map(drop);
        let took = peak(false) - before;
        assert!(took <= (MOST - 1) * size + BASE, "{took} for {size}: {loaded:?}");
    }
}
