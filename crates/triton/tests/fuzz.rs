//! Damaged texts: each gives a module or an error in time, never a panic or a hang; a module that comes out verifies and
//! survives our text form.
//!
//! Each mutant depends only on its number and the seed. `TRIDENT_FUZZ_COUNT` and `TRIDENT_FUZZ_SEED` in the environment
//! set how many there are and the seed, `TRIDENT_FUZZ_ONLY` shows one; `cargo xtask fuzz triton` sets them.

#![allow(clippy::unwrap_used)] // a failure is what the test looks for

use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Mutants that a plain test run looks at.
const COUNT: u64 = 500;

/// How long one text may take.
const LIMIT: Duration = Duration::from_secs(10);

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

    fn pick<'t, T: ?Sized>(&mut self, items: &[&'t T]) -> &'t T {
        items[self.below(items.len())]
    }
}

/// The texts of the file tests: those that make modules, and those that are errors already.
fn seeds() -> [Vec<String>; 2] {
    let mut pending =
        vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests"))];
    let mut found = vec![];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let input = text.split("; check:").next().unwrap_or("");
            let lines = input.lines().filter(|line| !line.starts_with(';'));
            found.push((path, lines.collect::<Vec<_>>().join("\n")));
        }
    }
    found.sort();
    let texts = found.into_iter().map(|(_, text)| text);
    let (good, bad) = texts.partition(|text| trident_triton::parse(text).is_ok());
    [good, bad]
}

/// Words and signs in place of others.
const TOKENS: &[&str] = &[
    "%0",
    "%1",
    "%x",
    "%arg0#1",
    "^bb0",
    "^bb1",
    "@f",
    "#loc",
    "loc(unknown)",
    "i1",
    "i32",
    "i64",
    "f32",
    "bf16",
    "f8E4M3FN",
    "!tt.ptr<f32>",
    "tensor<4xf32>",
    "tensor<4x!tt.ptr<f32>>",
    "tensor<1048576xi8>",
    "!tt.tensordesc<4x4xui8>",
    "dense<1>",
    "true",
    "0x7FC0",
    "-1",
    "9223372036854775808",
    "0",
    "65536",
    "1.0e+308",
    "1000000000000",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    "->",
    "\"",
    "\\",
    "//",
    "tt.return",
    "scf.yield",
    "cf.br ^bb1",
    "scf.if %0 {",
    "tt.func",
    "module {",
    "ü",
];

/// A changed copy of a text.
fn mutate(random: &mut Random, seeds: &[Vec<String>; 2]) -> String {
    let seeds = &seeds[usize::from(random.below(8) == 0)];
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..[1, 1, 1, 2, 4][random.below(5)] {
        let mut lines: Vec<&str> = text.lines().collect();
        let (i, j) = (random.below(lines.len()), random.below(lines.len()));
        text = match random.below(9) {
            // Lines: remove, repeat, swap, take from another text.
            0 if !lines.is_empty() => {
                lines.remove(i);
                lines.join("\n")
            }
            1 if !lines.is_empty() => {
                let times = *[1, 1, 2, 100].get(random.below(4)).unwrap_or(&1);
                lines.splice(i..i, std::iter::repeat_n(lines[i], times).collect::<Vec<_>>());
                lines.join("\n")
            }
            2 if !lines.is_empty() => {
                lines.swap(i, j);
                lines.join("\n")
            }
            3 => {
                let other: Vec<&str> = seeds[random.below(seeds.len())].lines().collect();
                lines.insert(i, other.get(random.below(other.len())).copied().unwrap_or(""));
                lines.join("\n")
            }
            // Tokens: replace one by another, or by one of this text.
            4..=6 => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || "%_.#!^@$-".contains(c);
                let parts: Vec<&str> = text.split_inclusive(|c: char| !is_word(c)).collect();
                let at = random.below(parts.len());
                let new = if random.below(2) == 0 || parts.is_empty() {
                    random.pick(TOKENS)
                } else {
                    parts[random.below(parts.len())]
                };
                let before = parts[..at].concat();
                before + new + &parts.get(at + 1..).unwrap_or(&[]).concat()
            }
            // Bytes: change some, cut the end.
            7 => {
                let mut bytes = text.into_bytes();
                for _ in 0..1 + random.below(4) {
                    let at = random.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << random.below(8);
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => text.chars().take(random.below(text.len())).collect(),
        };
    }
    text
}

/// Whether a module came out; an error text if what came out is wrong.
fn check(text: &str) -> Result<bool, String> {
    let Ok(module) = trident_triton::parse(text) else { return Ok(false) };
    // What has a meaning keeps it when it is printed as Triton's compiler does.
    let located = trident_triton::reprint(text, true).map_err(|e| e.to_string())?;
    trident_triton::parse(&located).map_err(|e| format!("{e}\n{located}"))?;
    let text = trident_triton::reprint(text, false).map_err(|e| e.to_string())?;
    trident_triton::parse(&text).map_err(|e| format!("{e}\n{text}"))?;
    match trident_triton::reprint(&text, false) {
        Ok(again) if again == text => {}
        again => return Err(format!("printed twice: {again:?}, once:\n{text}")),
    }
    let printed = module.to_string();
    let again: trident_ir::Module = printed.parse().map_err(|e| format!("{e}\n{printed}"))?;
    // Places are printed without the calls that lead to them, so texts are compared.
    match again.to_string() == printed {
        true => Ok(true),
        false => Err(format!("differs after printing:\n{printed}")),
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn damaged_texts_are_errors() {
    let count = setting("TRIDENT_FUZZ_COUNT").unwrap_or(COUNT);
    let seed = setting("TRIDENT_FUZZ_SEED").unwrap_or(0);
    let only = setting("TRIDENT_FUZZ_ONLY");
    let (send, receive) = mpsc::channel();
    let work = move || {
        let seeds = seeds();
        for number in only.map_or(0..count, |n| n..n + 1) {
            let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
            let text = mutate(&mut random, &seeds);
            if only.is_some() {
                println!("{text}\n{:?}", trident_triton::parse(&text).map(|m| m.to_string()));
            }
            send.send((number, None)).unwrap();
            let outcome = std::panic::catch_unwind(|| check(&text));
            let outcome = outcome.unwrap_or_else(|_| Err("panic".into()));
            send.send((number, Some(outcome))).unwrap();
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    let (mut last, mut modules, mut errors, mut slowest) = (0, 0u64, 0u64, (Duration::ZERO, 0));
    let mut start = Instant::now();
    loop {
        match receive.recv_timeout(LIMIT) {
            Ok((number, None)) => (last, start) = (number, Instant::now()),
            Ok((number, Some(outcome))) => {
                slowest = slowest.max((start.elapsed(), number));
                match outcome {
                    Ok(true) => modules += 1,
                    Ok(false) => errors += 1,
                    Err(e) => panic!("seed {seed}, mutant {number}: {e}"),
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("seed {seed}, mutant {last}: no answer"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    thread.join().unwrap();
    println!("{modules} still made modules, {errors} were refused; slowest {slowest:?}");
    // Mutations that damage nothing, or everything, would show nothing.
    assert!(only.is_some() || errors > 0 && modules > 0);
}
