//! `cargo xtask codegen`: the kinds of ops and their typed views, `crates/ir/src/ops/generated`, from the rows of ops.
//!
//! They are generated, because equivalent macros would double the time in which `ir` is checked.

mod rows;
mod views;

use crate::paths;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    paths::root().join("crates/ir/src/ops/generated")
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text of each generated file, by its name.
fn files() -> Result<BTreeMap<String, String>> {
    let ops = paths::root().join("crates/ir/src/ops");
    let mut families = views::Families::new();
    let mut variants = BTreeSet::new();
    for entry in fs::read_dir(&ops)? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let rows = rows::read(&read(&path)?).with_context(|| path.display().to_string())?;
        for row in &rows {
            ensure!(variants.insert(row.variant.clone()), "{} has two rows", row.variant);
        }
        if !rows.is_empty() {
            families.insert(name, rows);
        }
    }
    views::files(&families, &read(&paths::root().join("crates/ir/src/op/shared.rs"))?)
}

/// Writes the files that are out of date, and removes obsolete ones.
pub(crate) fn write() -> Result<()> {
    let (folder, files) = (folder(), files()?);
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_none_or(|name| !files.contains_key(name)) {
            fs::remove_file(entry.path())?;
        }
    }
    for (name, text) in files {
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_those_of_the_rows() {
        let files = files().unwrap();
        let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
        let names: BTreeSet<PathBuf> = names.collect();
        let expected = files.keys().map(|name| folder().join(name)).collect();
        assert_eq!(names, expected, "rows of ops have changed: run `cargo xtask codegen`");
        for (name, text) in files {
            let fresh = read(&folder().join(&name)).unwrap() == text;
            assert!(fresh, "{name}: rows of ops have changed: run `cargo xtask codegen`");
        }
    }
}
