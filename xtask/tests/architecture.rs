//! The architecture's invariants, read off the manifests and sources.
#![allow(clippy::unwrap_used)] // a file that cannot be read fails the test

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The edges between the project's crates: each may depend on those listed, and on no other.
/// `*` stands for all. An edge more needs a reason in `ARCHITECTURE.md`.
const EDGES: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("filetest", &[]),
    ("triton", &["ir"]),
    ("onnx", &["ir"]),
    ("passes", &["ir"]),
    ("runtime", &["ir"]),
    ("cpu", &["ir", "passes", "runtime"]),
    ("apple", &["ir", "passes", "runtime"]),
    ("engine", &["ir", "passes", "runtime"]),
    ("server", &["engine", "onnx"]),
    ("python", &["ir", "runtime", "engine", "triton", "onnx", "cpu", "apple"]),
    ("cli", &["*"]),
];

/// The crates, and files of others, in which `unsafe` is allowed.
const UNSAFE: &[&str] = &[
    "apple",
    "cpu",
    "runtime",
    "python/src/exchange.rs",
    "python/src/kernel.rs",
    "cli/src/commands/launch.rs",
];

/// The longest a source file may get before it has to be split by topic.
const MAX_LINES: usize = 800;

/// Files that may be longer, with the reason.
const LONG_FILES: &[(&str, &str)] = &[("crates/ir/src/op/table.rs", "one table declares every op")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// (name, folder) of every crate of the workspace below `crates`.
fn crates() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    folders.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

fn manifest(folder: &Path) -> toml::Table {
    fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap()
}

/// All Rust files below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The project's crates among the dependencies of a manifest, for all targets; those for tests
/// only if asked.
fn dependencies(manifest: &toml::Table, tests: bool) -> BTreeSet<String> {
    let mut tables = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(|targets| targets.as_table()) {
        tables.extend(targets.values().filter_map(|target| target.as_table()));
    }
    let mut kinds = vec!["dependencies", "build-dependencies"];
    if tests {
        kinds.push("dev-dependencies");
    }
    let mut found = BTreeSet::new();
    for table in tables {
        for kind in &kinds {
            let Some(dependencies) = table.get(*kind).and_then(|value| value.as_table()) else {
                continue;
            };
            let ours = dependencies.keys().filter_map(|name| name.strip_prefix("trident-"));
            found.extend(ours.map(str::to_owned));
        }
    }
    found
}

#[test]
fn crates_depend_only_on_what_the_design_allows() {
    for (name, folder) in crates() {
        let (_, allowed) = EDGES
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("crate `{name}` is not in the table of edges"));
        for dependency in dependencies(&manifest(&folder), false) {
            let fine = allowed.iter().any(|edge| *edge == "*" || *edge == dependency);
            assert!(fine, "`{name}` must not depend on `{dependency}`");
        }
    }
}

#[test]
fn xtask_depends_on_no_crate_of_the_engine() {
    let manifest = manifest(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(dependencies(&manifest, true), BTreeSet::new());
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    for (name, folder) in crates() {
        let manifest = manifest(&folder);
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        assert_eq!(lints.and_then(|value| value.as_bool()), Some(true), "{name}");
    }
}

#[test]
fn unsafe_is_allowed_only_where_the_design_says() {
    let lints = manifest(root());
    let unsafe_code = &lints["workspace"]["lints"]["rust"]["unsafe_code"];
    assert!(matches!(unsafe_code.as_str(), Some("deny" | "forbid")));
    let allowed: Vec<PathBuf> =
        UNSAFE.iter().map(|place| root().join("crates").join(place)).collect();
    for (_, folder) in crates() {
        let files = sources(&folder).into_iter();
        for path in files.filter(|file| !allowed.iter().any(|place| file.starts_with(place))) {
            let text = fs::read_to_string(&path).unwrap();
            let allows = text.lines().any(|line| {
                let code = line.split("//").next().unwrap_or("");
                code.contains("unsafe_code") && !code.contains("forbid")
            });
            assert!(!allows, "{} overrules the lint against unsafe code", path.display());
        }
    }
}

#[test]
fn no_crate_is_a_grab_bag() {
    for (name, _) in crates() {
        assert!(!["common", "core", "helpers", "utils", "util"].contains(&name.as_str()), "{name}");
    }
}

#[test]
fn sources_stay_short() {
    let folders = crates().into_iter().map(|(_, folder)| folder.join("src"));
    for path in folders.chain([root().join("xtask/src")]).flat_map(|folder| sources(&folder)) {
        if LONG_FILES.iter().any(|(long, _)| path == root().join(long)) {
            continue;
        }
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines, split it by topic", path.display());
    }
}
