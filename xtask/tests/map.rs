//! The map of the code names files and functions that exist.
#![allow(clippy::unwrap_used)] // a file that cannot be read fails the test

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The file or folder at a path that begins below `crates`, or with another folder of the repository.
fn find(path: &str) -> Option<PathBuf> {
    [root().join("crates").join(path), root().join(path)].into_iter().find(|path| path.exists())
}

#[test]
fn what_the_map_names_exists() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(map.len() <= 12 << 10, "a map of {} bytes is too long", map.len());
    let place = Regex::new(r"`([\w./-]+/[\w./-]+)(?::(\w+))?`").unwrap();
    let mut count = 0;
    for found in place.captures_iter(&map) {
        let path = found.get(1).unwrap().as_str();
        let file = find(path).unwrap_or_else(|| panic!("there is no {path}"));
        if let Some(name) = found.get(2) {
            let text = fs::read_to_string(&file).unwrap();
            let function = Regex::new(&format!(r"\b(fn|def) {}\b", name.as_str())).unwrap();
            assert!(function.is_match(&text), "{path} has no function {}", name.as_str());
            count += 1;
        }
    }
    assert!(count > 20, "{count} functions");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)").unwrap();
    let mut pending = vec![root().join("docs")];
    let mut pages: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root().join(page)).into();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { &mut pending } else { &mut pages }.push(path);
        }
    }
    let mut count = 0;
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = fs::read_to_string(page).unwrap();
        for found in link.captures_iter(&text) {
            let target = page.parent().unwrap().join(&found[1]);
            assert!(target.exists(), "{} links to {}", page.display(), &found[1]);
            count += 1;
        }
    }
    assert!(count > 40, "{count} links");
}
