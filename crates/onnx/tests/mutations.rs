//! Damaged files: an error each time or a module that holds together, never a panic.
//!
//! Seeds are the models of the repository, and those of the folder that `TRIDENT_ONNX_CASES` names.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// Models larger than this take too long to damage often.
const MOST_BYTES: u64 = 300_000;

fn seeds(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            seeds(&path, found);
        } else if path.extension().is_some_and(|e| e == "onnx")
            && path.metadata().unwrap().len() <= MOST_BYTES
        {
            found.push(path);
        }
    }
}

/// A sequence of numbers (the constants are Knuth's for MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Flips bits, overwrites, cuts, repeats or moves bytes.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(6) {
            _ if bytes.is_empty() => {}
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            2 => bytes.truncate(at),
            3 => bytes.splice(at..at, bytes[at..end].to_vec()).for_each(drop),
            4 => bytes.drain(at..end).for_each(drop),
            _ => {
                let other = random.below(bytes.len());
                bytes.swap(at, other);
            }
        }
    }
    bytes
}

#[test]
fn damaged_models_are_errors_or_hold_together() {
    let mut found = vec![];
    seeds(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")), &mut found);
    if let Some(folder) = std::env::var_os("TRIDENT_ONNX_CASES") {
        seeds(Path::new(&folder), &mut found);
    }
    found.sort();
    assert!(!found.is_empty());
    let mut random = Random(1);
    let (mut loaded, mut refused) = (0, 0);
    let rounds = (3_000 / found.len()).max(10);
    for path in &found {
        let seed = std::fs::read(path).unwrap();
        for _ in 0..rounds {
            match trident_onnx::parse(damage(&seed, &mut random).into()) {
                Ok(model) => {
                    let verified = model.module.verify();
                    assert!(verified.is_ok(), "{}: {}", path.display(), verified.unwrap_err());
                    loaded += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    println!("{loaded} of {} damaged models load", loaded + refused);
    assert!(refused > loaded / 10);
}
