//! The digest of everything that determines the content of compiled models: the sources of the crates that read, change
//! and compute it, and the versions of their dependencies.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::{env, fs, io};

/// Crates that read models, run the passes, or compute constants that are folded. `xtask/tests/architecture.rs` knows if one is missing.
const CRATES: &[&str] = &[
    "cpu",
    "engine",
    "graph-to-tile",
    "ir",
    "jit",
    "kernels",
    "onnx",
    "paddle",
    "passes",
    "runtime",
    "simd",
    "tile-analysis",
];

/// Of each of them.
const PARTS: [&str; 2] = ["Cargo.toml", "src"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    let parts =
        CRATES.iter().flat_map(|name| PARTS.map(|part| own.join("..").join(name).join(part)));
    // Builds of a package that was taken out of the workspace have no lock file there.
    let lock = Some(own.join("../../Cargo.lock")).filter(|lock| lock.exists());
    for part in parts.chain(lock) {
        println!("cargo::rerun-if-changed={}", part.display());
        let mut files = vec![];
        collect(part, &mut files)?;
        files.sort();
        for file in files {
            file.strip_prefix(&own).unwrap_or(&file).hash(&mut hasher);
            fs::read(&file)?.hash(&mut hasher);
        }
    }
    println!("cargo::rustc-env=TRIDENT_SOURCES={:016x}", hasher.finish());
    Ok(())
}

fn collect(path: PathBuf, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path);
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(entry?.path(), files)?;
    }
    Ok(())
}
