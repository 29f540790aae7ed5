//! Gives the code a fingerprint of the sources that make kernels: compiled kernels are good for one.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files below a path, in the order of their names.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<_>>()?;
    entries.sort();
    let nested = entries.iter().map(|entry| files(entry)).collect::<io::Result<Vec<_>>>()?;
    Ok(nested.into_iter().flatten().collect())
}

fn main() -> io::Result<()> {
    // FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    // Also what other crates decide or compute for the code that is made here.
    for source in [
        "src",
        "../tile-analysis/src",
        "../simd/src/math.rs",
        "../simd/src/math",
        "../simd/src/narrow.rs",
        "../ir/src/decompose",
    ] {
        println!("cargo::rerun-if-changed={source}");
        for file in files(Path::new(source))? {
            for byte in fs::read(file)? {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    println!("cargo::rustc-env=TRIDENT_TILE_SOURCES={hash:016x}");
    Ok(())
}
