//! Files that are damaged, of another version or for other devices: an error each.
//!
//! Each mutant depends only on its number and the seed. `TRIDENT_FUZZ_COUNT` and `TRIDENT_FUZZ_SEED` in the environment
//! set how many there are and the seed, `TRIDENT_FUZZ_ONLY` shows one; `cargo xtask fuzz mps` sets them.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::{Fusing, assorted, compile, cpu, digits, model, read, with_default, written};
use std::fs;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use trident_engine::{Options, PassOptions, PlanError};
use trident_model::{LoadError, Model};

/// Mutants that a plain test run looks at.
const COUNT: u64 = 200;

/// How long one file may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Bytes of a header.
const HEADER: usize = 128;

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

/// A number in the header.
fn number(file: &[u8], at: usize) -> usize {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize
}

/// A changed copy of a file, and what was done. Header, graph and weights are hit equally often.
fn mutate(random: &mut Random, file: &[u8]) -> (Vec<u8>, String) {
    let weights = HEADER + number(file, 32);
    let part = [0..HEADER, HEADER..weights, weights..file.len()][random.below(3)].clone();
    let at = part.start + random.below(part.len());
    let most = [1, 8, 64, 5000][random.below(4)];
    let len = 1 + random.below(most);
    let end = (at + len).min(file.len());
    let mut bytes = file.to_vec();
    let what = match random.below(6) {
        0 => {
            bytes[at] ^= 1 << random.below(8);
            "flips a bit"
        }
        1 => {
            bytes[at..end].iter_mut().for_each(|b| *b = random.next() as u8);
            "overwrites"
        }
        2 => {
            bytes.truncate(at);
            "truncates"
        }
        3 => {
            let new: Vec<u8> = (at..end).map(|_| random.next() as u8).collect();
            bytes.splice(at..at, new);
            "inserts"
        }
        4 => {
            bytes.drain(at..end);
            "removes"
        }
        _ => {
            // Numbers are what sizes are read from.
            let number = [0, 1, u64::MAX, 1 << 40, random.next()][random.below(5)];
            let at = at / 8 * 8;
            let end = (at + 8).min(bytes.len());
            bytes[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
            "writes a number"
        }
    };
    (bytes, format!("{what} at {at} of {}, {} bytes", file.len(), end - at))
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn damaged_files_are_errors() {
    let count = setting("TRIDENT_FUZZ_COUNT").unwrap_or(COUNT);
    let seed = setting("TRIDENT_FUZZ_SEED").unwrap_or(0);
    let only = setting("TRIDENT_FUZZ_ONLY");
    let (send, receive) = mpsc::channel();
    let work = move || {
        let models = [trident_onnx::load(digits()).unwrap(), assorted(), with_default()];
        let files = models.map(|model| written(&compile(model, &cpu())));
        for i in only.map_or(0..count, |n| n..n + 1) {
            let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ i);
            let file = &files[random.below(files.len())];
            let (bytes, what) = mutate(&mut random, file);
            send.send((i, None)).unwrap();
            let outcome = match bytes == *file {
                true => Ok("equal".to_owned()),
                false => std::panic::catch_unwind(|| match read(&bytes) {
                    Err(error) => Ok(error.to_string()),
                    Ok(_) => Err(format!("{what}: it loads")),
                })
                .unwrap_or_else(|_| Err(format!("{what}: panic"))),
            };
            if only.is_some() {
                println!("{what}: {outcome:?}");
            }
            send.send((i, Some(outcome))).unwrap();
        }
    };
    let worker = std::thread::spawn(work);
    let (mut failed, mut last, mut done) = (vec![], 0, 0);
    loop {
        let start = Instant::now();
        match receive.recv_timeout(LIMIT) {
            Ok((i, None)) => last = i,
            Ok((i, Some(outcome))) => {
                done += 1;
                failed.extend(outcome.err().map(|what| format!("{i}: {what}")));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                panic!("{last}: no answer in {:?}", start.elapsed());
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    worker.join().unwrap();
    assert_eq!(done, only.map_or(count, |_| 1));
    assert!(failed.is_empty(), "{} of {done}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn every_bit_of_the_header_counts() {
    let file = written(&compile(with_default(), &cpu()));
    for bit in 64..8 * HEADER {
        let mut file = file.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let error = read(&file).unwrap_err();
        assert!(!matches!(error, LoadError::Onnx(_)), "{bit}: {error}");
        assert!(error.to_string().contains("compile the model again"), "{bit}: {error}");
    }
}

#[test]
fn every_byte_of_a_small_file_counts() {
    let file = written(&compile(with_default(), &cpu()));
    for at in (0..file.len()).step_by(17) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        read(&damaged).unwrap_err();
        read(&file[..at]).unwrap_err();
    }
    let mut longer = file.clone();
    longer.push(0);
    assert!(matches!(read(&longer).unwrap_err(), LoadError::Size { .. }));
}

/// The file with a header that was changed and signed, as another Trident would.
fn signed(file: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut file = file.to_vec();
    change(&mut file);
    let graph = number(&file, 32);
    let mut hasher = twox_hash::XxHash3_128::new();
    hasher.write(&file[..48]);
    hasher.write(&file[HEADER..HEADER + graph]);
    file[48..64].copy_from_slice(&hasher.finish_128().to_le_bytes());
    file
}

#[test]
fn other_versions_say_so() {
    let file = written(&compile(with_default(), &cpu()));
    read(&signed(&file, |_| {})).unwrap();
    let layout = read(&signed(&file, |file| file[8] = 9)).unwrap_err();
    assert!(matches!(layout, LoadError::Layout { found: 9, known: 4 }));
    assert!(layout.to_string().contains("format 9"), "{layout}");
    // The digest of the sources differs, and so does the version, which is first in the graph, after its length.
    let other = |file: &mut [u8]| {
        file[16] ^= 1;
        file[HEADER + 8] = b'9';
    };
    let ops = read(&signed(&file, other)).unwrap_err();
    assert!(matches!(&ops, LoadError::Version { trident, .. } if trident.starts_with('9')));
    assert!(ops.to_string().contains("compile the model again"), "{ops}");
}

#[test]
fn intact_nonsense_is_an_error() {
    let file = written(&compile(with_default(), &cpu()));
    let graph = number(&file, 32);
    // Every number and text of the graph, changed and signed: some changes go unnoticed, since nobody else signs.
    let mut refused = 0;
    for at in (HEADER..HEADER + graph).step_by(3) {
        for byte in [0xff, 0x00, b'?'] {
            let changed = signed(&file, |file| file[at] = byte);
            let loaded = read(&changed).map(Model::Compiled);
            refused += usize::from(loaded.is_err());
            if let Ok(model) = loaded {
                drop(model.session(&cpu(), &Options::default()));
            }
        }
    }
    assert!(refused > 500, "{refused} were refused");
}

#[test]
fn what_is_no_model_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mps");
    for content in [&b"no model"[..], b"", b"\x89MPS\r\n\x1a", b"\x89MPS\r\n\x1a\n"] {
        fs::write(&path, content).unwrap();
        let text = trident_model::load(&path).unwrap_err().to_string();
        assert!(text.contains("compile the model again"), "{text}");
    }
    let error = trident_model::load(folder.path().join("absent")).unwrap_err();
    assert!(matches!(error, LoadError::Open { .. }), "{error}");
}

#[test]
fn other_devices_and_passes_say_so() {
    let chain = || {
        model(
            "func @f graph (%x: f32[8]) -> (f32[8]) {
                %e = exp(%x) : f32[8]
                %t = tanh(%e) : f32[8]
                %s = sin(%t) : f32[8]
                return %s
            }",
        )
    };
    let session = |compiled: &[u8], devices: &_, options: &Options| {
        Model::Compiled(read(compiled).unwrap()).session(devices, options)
    };
    let plain = written(&compile(chain(), &cpu()));
    let fused = written(&compile(chain(), &Fusing::devices()));
    assert_ne!(plain, fused);
    let options = Options::default();
    session(&plain, &cpu(), &options).unwrap();
    let both = vec![cpu().remove(0), cpu().remove(0)];
    for (file, devices) in [(&plain, Fusing::devices()), (&fused, cpu()), (&plain, both)] {
        let Err(error) = session(file, &devices, &options) else { panic!("it runs") };
        assert!(matches!(error, PlanError::Form { .. }), "{error}");
        assert!(error.to_string().contains("`cpu`"), "{error}");
    }
    let passes = PassOptions { disabled: vec!["fuse".into()] };
    let Err(error) = session(&plain, &cpu(), &Options { passes, ..options }) else {
        panic!("it runs")
    };
    assert!(error.to_string().contains("the session asks for all passes but fuse"), "{error}");
}
