//! Loads every model of a folder of conformance cases, named by the variable `TRIDENT_ONNX_CASES`.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// Cases that are refused, by what their names contain, and what the error says.
const REFUSED: &[(&str, &str)] = &[("gradient", "training")];

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => models(&path, found),
            false if path.extension().is_some_and(|e| e == "onnx") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn every_conformance_model_loads() {
    let Some(folder) = std::env::var_os("TRIDENT_ONNX_CASES") else {
        println!("TRIDENT_ONNX_CASES is not set: no conformance models to load");
        return;
    };
    let mut found = vec![];
    models(Path::new(&folder), &mut found);
    assert!(!found.is_empty());
    found.sort();
    let mut wrong = vec![];
    for path in &found {
        let name = path.display().to_string();
        let refused = REFUSED.iter().find(|(part, _)| name.contains(part));
        match (trident_onnx::load(path), refused) {
            (Ok(_), None) => {}
            (Err(e), Some((_, says))) if e.to_string().contains(says) => {}
            (Err(e), _) => wrong.push(format!("{name}: {e}")),
            (Ok(_), Some(_)) => wrong.push(format!("{name}: loads, but should be refused")),
        }
    }
    println!("{} models, {} wrong", found.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
