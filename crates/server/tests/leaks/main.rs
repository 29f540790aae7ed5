//! The memory that loads leave behind. A program of its own, because all allocations of the process count.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

#[path = "../models/bench.rs"]
#[allow(dead_code)] // tests of models use the rest
mod bench;

use std::alloc::System;
use std::fs;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use trident_server::repository::LoadOptions;

use bench::{Bench, model, put, write};

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes that are allocated now.
fn live() -> usize {
    let stats = MEMORY.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The bytes that each of many turns leaves behind, after some for memory that is kept once.
fn left(bench: &Bench, mut turn: impl FnMut(u64)) -> usize {
    const WARM: u64 = 50;
    const TURNS: u64 = 400;
    let mut run = |turns: std::ops::Range<u64>| {
        for number in turns {
            turn(number);
            bench.log.lock().unwrap().clear();
        }
        live()
    };
    let before = run(0..WARM);
    let after = run(WARM..WARM + TURNS);
    after.saturating_sub(before) / TURNS as usize
}

#[test]
fn loads_leave_no_memory_behind() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    bench.load("m").unwrap();
    let whole = model("Neg");
    let bytes = |name: &str, count: usize| println!("{name}: {count} bytes a turn");
    let failing = left(&bench, |_| {
        write(&bench.path("m"), &[("1/model.onnx", &whole[..whole.len() - 9])]);
        bench.load("m").unwrap_err();
        write(&bench.path("m"), &[("1/model.onnx", &whole)]);
        bench.load("m").unwrap();
    });
    bytes("a load that fails, and one that does not", failing);
    let overwritten = left(&bench, |turn| {
        put(bench.folder.path(), "m", 1, ["Neg", "Abs"][turn as usize % 2]);
        bench.load("m").unwrap();
        bench.ask("m", &[1.0, 2.0]).unwrap();
    });
    bytes("an overwritten model, and a request", overwritten);
    let unloaded = left(&bench, |_| {
        bench.repository.unload("m", false).unwrap();
        bench.load("m").unwrap();
    });
    bytes("an unload and a load", unloaded);
    let configured = left(&bench, |_| {
        write(&bench.path("m"), &[("config.pbtxt", b"max_batch_size: -1")]);
        bench.load("m").unwrap_err();
        write(&bench.path("m"), &[("config.pbtxt", b"max_batch_sise: 1")]);
        bench.load("m").unwrap_err();
        fs::remove_file(bench.path("m/config.pbtxt")).unwrap();
        bench.load("m").unwrap();
    });
    bytes("configurations that are wrong", configured);
    let unknown = left(&bench, |turn| {
        bench.load(&format!("unknown{turn}")).unwrap_err();
        bench.repository.unload(&format!("other{turn}"), true).unwrap();
    });
    bytes("loads and unloads of unknown models", unknown);
    let sent = left(&bench, |turn| {
        let name = format!("sent{turn}");
        let files = vec![("1/model.onnx".to_owned(), whole.clone())];
        let options = LoadOptions { config: Some("{}".to_owned()), files };
        bench.repository.load(&name, options).unwrap();
        bench.repository.unload(&name, false).unwrap();
    });
    bytes("models that are sent, each with a name of its own", sent);
    let versions = left(&bench, |turn| {
        put(bench.folder.path(), "m", turn + 2, "Neg");
        bench.load("m").unwrap();
        fs::remove_dir_all(bench.path(&format!("m/{}", turn + 1))).unwrap();
    });
    bytes("new versions", versions);
    // Threads keep memory for later runs, which varies a little.
    for left in [failing, overwritten, unloaded, configured, unknown] {
        assert!(left <= 16, "{left}");
    }
    // The name and the version's state, which clients may ask for.
    assert!(sent <= 1200, "{sent}");
    // A line of the index.
    assert!(versions <= 200, "{versions}");
}
