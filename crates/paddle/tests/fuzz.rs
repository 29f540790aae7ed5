//! Damaged models: each gives a function or an error in time, never a panic, and no allocation that the size of the file
//! does not explain.
//!
//! Each mutant depends only on its number and the seed. `TRIDENT_FUZZ_COUNT` and `TRIDENT_FUZZ_SEED` in the environment
//! set how many there are and the seed, `TRIDENT_FUZZ_ONLY` shows one; `cargo xtask fuzz paddle` sets them.
//! `TRIDENT_FUZZ_FILES` names folders with models, separated by `:`, that are mutated beside the small ones made here.
#![allow(clippy::unwrap_used)] // a failure is what the test looks for

mod common;

use bytes::Bytes;
use common::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use trident_paddle::{load_from, program_names};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Mutants that a plain test run looks at.
const COUNT: u64 = 500;

/// How long one model may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Bytes that loading may have allocated at its end for each byte of the files.
const MOST: usize = 10;

/// Bytes that loading any model may take, such as tables of names.
const BASE: usize = 256 << 10;

/// The stack of a thread unless it asks for more: what callers can be expected to have.
const STACK: usize = 2 << 20;

/// A small generator of random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }
}

/// Models with the names of their programs.
fn seeds() -> Vec<(Memory, String)> {
    let made =
        [(pir(), "inference.json"), (legacy(), "model.pdmodel"), (legacy_control(), "__model__")];
    let mut seeds: Vec<(Memory, String)> =
        made.into_iter().map(|(files, name)| (files, name.to_owned())).collect();
    let given = std::env::var("TRIDENT_FUZZ_FILES").unwrap_or_default();
    for folder in given.split(':').filter(|folder| !folder.is_empty()) {
        let mut files = Memory::default();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                files.0.insert(name, std::fs::read(&path).unwrap().into());
            }
        }
        let is_program = |name: &&String| {
            program_names().contains(&&***name)
                || Path::new(name).extension().is_some_and(|extension| extension == "pdmodel")
        };
        let program = files.0.keys().find(is_program).unwrap().clone();
        seeds.push((files, program));
    }
    seeds
}

/// Texts that replace others in JSON.
const WORDS: &[&str] = &[
    "null",
    "[]",
    "{}",
    "-1",
    "0",
    "9223372036854775808",
    "1e400",
    "\"\"",
    "\"p\"",
    "\"1.while\"",
    "\"0.t_vec\"",
];

/// A changed copy of a model.
fn mutate(random: &mut Random, seeds: &[(Memory, String)]) -> (Memory, String) {
    let (files, program) = &seeds[random.below(seeds.len())];
    let mut files = files.clone();
    let names: Vec<String> = files.0.keys().cloned().collect();
    // Programs are changed more often than parameters.
    let name = match random.below(4) {
        0 => &names[random.below(names.len())],
        _ => program,
    };
    let mut bytes = files.0[name].to_vec();
    for _ in 0..[1, 1, 1, 2, 4][random.below(5)] {
        let at = random.below(bytes.len());
        let most = [1, 8, 64, 5000][random.below(4)];
        let end = (at + 1 + random.below(most)).min(bytes.len());
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at..end].iter_mut().for_each(|byte| *byte = random.next() as u8),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                // A part of the file again, which repeats ops, variables and keys.
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
            5 => {
                let number =
                    [0, 1, u64::MAX, 1 << 40, random.next()][random.below(5)].to_le_bytes();
                let len = [1, 4, 8][random.below(3)];
                let end = (at + len).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
            _ => {
                // A value of JSON: from one sign to the next.
                let is_sign = |byte: &u8| b",:[]{}".contains(byte);
                let from = bytes[..at].iter().rposition(is_sign).map_or(0, |found| found + 1);
                let to =
                    bytes[at..].iter().position(is_sign).map_or(bytes.len(), |found| at + found);
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(from..to.max(from), word.bytes());
            }
        }
    }
    files.0.insert(name.clone(), bytes.into());
    (files, program.clone())
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Loads a model, and checks the memory that it keeps.
fn check(files: &Memory, program: &str) -> Result<(), String> {
    let size: usize = files.0.values().map(Bytes::len).sum();
    let region = Region::new(GLOBAL);
    let loaded = load_from(files, program);
    let change = region.change();
    // The files themselves are in memory already: one share of the limit is theirs.
    let limit = (MOST - 1) * size + BASE;
    let kept = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
    if kept > limit {
        return Err(format!("keeps {kept} bytes for files of {size}"));
    }
    match loaded {
        Ok(_) => Ok(()),
        Err(error) if error.to_string().is_empty() => Err("an error without a text".into()),
        Err(_) => Ok(()),
    }
}

#[test]
fn damaged_models_are_errors() {
    let count = setting("TRIDENT_FUZZ_COUNT").unwrap_or(COUNT);
    let seed = setting("TRIDENT_FUZZ_SEED").unwrap_or(0);
    let only = setting("TRIDENT_FUZZ_ONLY");
    let (send, receive) = mpsc::channel();
    let work = move || {
        let seeds = seeds();
        for number in only.map_or(0..count, |number| number..number + 1) {
            let mut random = Random(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
            let (files, program) = mutate(&mut random, &seeds);
            if only.is_some() {
                println!("{program}: {:?}", load_from(&files, &program).map(drop));
            }
            send.send((number, Instant::now(), None)).unwrap();
            send.send((number, Instant::now(), Some(check(&files, &program)))).unwrap();
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    let mut last = 0;
    loop {
        match receive.recv_timeout(LIMIT) {
            Ok((number, _, None)) => last = number,
            Ok((number, _, Some(Err(fault)))) => panic!("mutant {number} of seed {seed}: {fault}"),
            Ok(_) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => {
                panic!("mutant {last} of seed {seed} takes more than {LIMIT:?}")
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    assert!(worker.join().is_ok(), "mutant {last} of seed {seed} panics");
}
