//! Every text of the corpus of Triton IR is read, verifies, and survives our text form.
//!
//! The corpus is not part of the repository: `TRIDENT_TTIR_CORPUS` names its folder, else it is looked for beside the
//! checkout. Without it the test says so and passes; `filetests.rs` covers every op with texts of its own.

#![allow(clippy::unwrap_used)] // a file that cannot be read fails the test

use std::path::{Path, PathBuf};
use trident_ir::Module;

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ttir");
    let folder = std::env::var_os("TRIDENT_TTIR_CORPUS").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The texts of one archive, by name.
fn texts(archive: &Path) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let status = std::process::Command::new("tar")
        .arg("-xf")
        .arg(archive)
        .arg("-C")
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "{} does not unpack", archive.display());
    let mut found = vec![];
    let mut pending = vec![folder.path().to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn check(text: &str) -> Result<(), String> {
    let refused = text.contains("tt.elementwise_inline_asm");
    match trident_triton::parse(text) {
        Err(e) if refused && e.to_string().contains("`tt.elementwise_inline_asm`") => return Ok(()),
        Err(e) => return Err(e.to_string()),
        Ok(_) if refused => return Err("inline assembly was not refused".into()),
        Ok(module) => {
            let printed = module.to_string();
            let again: Module = printed.parse().map_err(|e| format!("printed text: {e}"))?;
            if again != module {
                return Err(format!("differs after printing:\n{printed}"));
            }
        }
    }
    Ok(())
}

#[test]
fn every_text_is_read_and_survives_printing() {
    let Some(folder) = corpus() else {
        println!("skipped: no corpus; set TRIDENT_TTIR_CORPUS to the folder with its archives");
        return;
    };
    let (mut total, mut failed) = (0, vec![]);
    for archive in ["core", "other", "kernels", "forms"] {
        for (name, text) in texts(&folder.join(format!("{archive}.tar.xz"))) {
            total += 1;
            if let Err(e) = check(&text) {
                failed.push(format!("{archive}/{name}: {e}"));
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {total} fail:\n{}",
        failed.len(),
        failed[..failed.len().min(40)].join("\n")
    );
    assert_eq!(total, 6173);
}

#[test]
fn every_text_is_printed_byte_for_byte() {
    let Some(folder) = corpus() else { return };
    let mut failed = vec![];
    for archive in ["core", "other", "kernels", "forms"] {
        for (name, text) in texts(&folder.join(format!("{archive}.tar.xz"))) {
            // Inline assembly is refused when it is read.
            if text.contains("tt.elementwise_inline_asm") {
                continue;
            }
            match trident_triton::reprint(&text, false) {
                Ok(printed) if printed == text => {}
                Ok(printed) => {
                    let lines = || printed.lines().zip(text.lines());
                    let differs = lines().find(|(ours, theirs)| ours != theirs);
                    failed.push(format!("{archive}/{name}: {differs:#?}"));
                }
                Err(e) => failed.push(format!("{archive}/{name}: {e}")),
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} fail:\n{}",
        failed.len(),
        failed[..failed.len().min(40)].join("\n")
    );
}
