//! The files of a folder.

use bytes::Bytes;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use trident_onnx::files::{Disk, FileSource, Files};

/// Where the files of a folder are. Names are paths in it, with `/` between their parts; the empty one is the folder itself.
#[derive(Clone)]
pub(super) enum Contents {
    Disk(PathBuf),
    Memory(BTreeMap<String, Bytes>),
}

impl Contents {
    /// The place of a file, as errors name it.
    pub(super) fn place(&self, name: &str) -> String {
        match self {
            Contents::Disk(path) if name.is_empty() => path.display().to_string(),
            Contents::Disk(path) => path.join(name).display().to_string(),
            Contents::Memory(_) if name.is_empty() => "the files that were sent".to_owned(),
            Contents::Memory(_) => format!("file:{name}"),
        }
    }

    /// Reads a file.
    pub(super) fn read(&self, name: &str) -> io::Result<Bytes> {
        match self {
            Contents::Disk(path) => fs::read(path.join(name)).map(Bytes::from),
            Contents::Memory(files) => Ok(files.get(name).ok_or(io::ErrorKind::NotFound)?.clone()),
        }
    }

    /// Whether there is a file or folder of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Contents::Disk(path) => path.join(name).exists(),
            Contents::Memory(files) => files.contains_key(name) || self.is_folder(name),
        }
    }

    pub(super) fn is_folder(&self, name: &str) -> bool {
        match self {
            Contents::Disk(path) => path.join(name).is_dir(),
            Contents::Memory(files) => is_folder(files, name),
        }
    }

    /// The names in a folder that are written as values of a type: all names as strings, or versions as numbers.
    pub(super) fn names<T: FromStr + ToString>(&self, folder: &str) -> io::Result<Vec<T>> {
        let mut names: Vec<String> = match self {
            Contents::Disk(path) => {
                let entries = fs::read_dir(path.join(folder))?;
                entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
            }
            Contents::Memory(files) => {
                let inner =
                    |path: &String| Some(within(path, folder)?.split('/').next()?.to_owned());
                files.keys().filter_map(inner).collect()
            }
        };
        names.dedup();
        let value =
            |name: &String| name.parse().ok().filter(|value: &T| value.to_string() == *name);
        Ok(names.iter().filter_map(value).collect())
    }

    /// The files of a folder within this one.
    pub(super) fn files(&self, folder: &str) -> Box<dyn Files + '_> {
        match self {
            Contents::Disk(path) => Box::new(Disk::repository(&path.join(folder))),
            Contents::Memory(files) => Box::new(Sent { files, folder: folder.to_owned() }),
        }
    }
}

/// The rest of a path in a folder; the whole path in the empty one.
fn within<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

fn is_folder(files: &BTreeMap<String, Bytes>, name: &str) -> bool {
    files.keys().any(|path| within(path, name).is_some())
}

/// A folder of files in memory.
struct Sent<'a> {
    files: &'a BTreeMap<String, Bytes>,
    folder: String,
}

impl Files for Sent<'_> {
    fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        let path = match self.folder.as_str() {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        match self.files.get(&path) {
            Some(bytes) => Ok(Box::new(bytes.clone())),
            None if is_folder(self.files, &path) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
