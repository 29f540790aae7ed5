//! The digest of what decides on the content of compiled models: the sources of the IR and its passes, of reading ONNX, and of the
//! engine, which runs the passes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Crates of the sources.
const CRATES: [&str; 4] = ["ir", "passes", "onnx", "engine"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    for name in CRATES {
        let sources = own.join("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", sources.display());
        let mut files = vec![];
        collect(&sources, &mut files)?;
        files.sort();
        for file in files {
            file.strip_prefix(&own).unwrap_or(&file).hash(&mut hasher);
            fs::read(&file)?.hash(&mut hasher);
        }
    }
    println!("cargo::rustc-env=TRIDENT_SOURCES={:016x}", hasher.finish());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
