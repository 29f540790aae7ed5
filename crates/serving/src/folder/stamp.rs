//! Whether files have changed.

use super::contents::Contents;
use super::{CONFIG, ModelFolder};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Folders within folders that are looked at. Links may lead in circles.
const DEPTH: usize = 8;

/// Names, sizes and times of files. Two that are equal have the same files with the same contents, unless somebody has set times.
/// Files in memory have none: they do not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp(Vec<(String, u64, Option<SystemTime>)>);

impl ModelFolder {
    /// The stamp of the files that a version is loaded from: those of its folder, and those that the configuration may name.
    pub fn stamp(&self, version: u64) -> Stamp {
        let mut stamp = Stamp::default();
        if let Contents::Disk(path) = &self.contents {
            stamp.add(&path.join(self.folder(version)), "", DEPTH);
            if !self.is_bare {
                stamp.add(&path.join(CONFIG), CONFIG, 0);
                for folder in ["configs", "warmup", "initial_state"] {
                    stamp.add(&path.join(folder), folder, DEPTH);
                }
                let labels = self.config.output.iter().map(|output| &output.label_filename);
                labels.filter(|file| !file.is_empty()).for_each(|file| {
                    stamp.add(&path.join(file), file, 0);
                });
            }
        }
        stamp.0.sort();
        stamp
    }
}

impl Stamp {
    /// Adds a file, or the files of a folder.
    fn add(&mut self, path: &Path, name: &str, depth: usize) {
        let Ok(metadata) = fs::metadata(path) else { return };
        if !metadata.is_dir() {
            return self.0.push((name.to_owned(), metadata.len(), metadata.modified().ok()));
        }
        if depth == 0 {
            return;
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // Hidden entries are of tools that place files, which links lead to.
            let Some(inner) = entry.file_name().to_str().map(str::to_owned) else { continue };
            if !inner.starts_with('.') {
                self.add(&entry.path(), &format!("{name}/{inner}"), depth - 1);
            }
        }
    }
}
