//! Tensor data kept in files beside the model.

use crate::error::ExternalFault;
use crate::proto::StringStringEntryProto;
use bytes::Bytes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Gives the contents of a file, best by mapping it into memory.
pub type Open<'a> = dyn Fn(&Path) -> io::Result<Bytes> + 'a;

/// The folder of a model, and the data files of it that were opened.
pub(crate) struct Folder<'a> {
    root: Option<PathBuf>,
    open: &'a Open<'a>,
    files: RefCell<HashMap<PathBuf, Bytes>>,
}

impl<'a> Folder<'a> {
    /// The folder `root`; without one, every reference to a file is an error.
    pub(crate) fn new(root: Option<PathBuf>, open: &'a Open<'a>) -> Folder<'a> {
        Folder { root, open, files: RefCell::default() }
    }

    /// The bytes that the entries `location`, `offset` and `length` name. The file is opened once.
    pub(crate) fn bytes(&self, entries: &[StringStringEntryProto]) -> Result<Bytes, ExternalFault> {
        let entry = |key| entries.iter().find(|e| e.key == key).map(|e| e.value.as_str());
        let number = |key: &'static str| match entry(key) {
            None | Some("") => Ok(None),
            Some(text) => text
                .parse::<u64>()
                .map(Some)
                .map_err(|_| ExternalFault::Number { key, value: text.to_owned() }),
        };
        let location = entry("location").filter(|l| !l.is_empty());
        let file = self.file(location.ok_or(ExternalFault::NoLocation)?)?;
        let offset = number("offset")?.unwrap_or(0);
        let end = match number("length")? {
            Some(length) => offset.saturating_add(length),
            None => file.len() as u64,
        };
        if offset > end || end > file.len() as u64 {
            return Err(ExternalFault::Range { offset, end, size: file.len() });
        }
        Ok(file.slice(offset as usize..end as usize))
    }

    fn file(&self, location: &str) -> Result<Bytes, ExternalFault> {
        let root = self.root.as_ref().ok_or(ExternalFault::NoFolder)?;
        let read = |source| ExternalFault::Read { path: location.to_owned(), source };
        let outside = || ExternalFault::Outside(location.to_owned());
        let inside =
            |c| matches!(c, std::path::Component::Normal(_) | std::path::Component::CurDir);
        if !Path::new(location).components().all(inside) {
            return Err(outside());
        }
        // Resolving both ends also finds links that lead out of the folder.
        let root = root.canonicalize().map_err(read)?;
        let path = root.join(location).canonicalize().map_err(read)?;
        if !path.starts_with(&root) {
            return Err(outside());
        }
        if let Some(bytes) = self.files.borrow().get(&path) {
            return Ok(bytes.clone());
        }
        let bytes = (self.open)(&path).map_err(read)?;
        self.files.borrow_mut().insert(path, bytes.clone());
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn entries(pairs: &[(&str, &str)]) -> Vec<StringStringEntryProto> {
        let entry = |(k, v): &(&str, &str)| StringStringEntryProto {
            key: (*k).to_owned(),
            value: (*v).to_owned(),
        };
        pairs.iter().map(entry).collect()
    }

    #[test]
    fn files_are_opened_once_and_ranges_checked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("data"), b"0123456789").unwrap();
        let opened = Cell::new(0);
        let open = |path: &Path| {
            opened.set(opened.get() + 1);
            std::fs::read(path).map(Bytes::from)
        };
        let folder = Folder::new(Some(dir.path().to_owned()), &open);
        let part = |offset, length| {
            folder.bytes(&entries(&[("location", "data"), ("offset", offset), ("length", length)]))
        };
        assert_eq!(part("2", "3").unwrap(), &b"234"[..]);
        assert_eq!(part("10", "0").unwrap(), &b""[..]);
        assert_eq!(folder.bytes(&entries(&[("location", "./data")])).unwrap().len(), 10);
        assert_eq!(opened.get(), 1);
        assert!(matches!(part("8", "3"), Err(ExternalFault::Range { .. })));
        let huge = u64::MAX.to_string();
        assert!(matches!(part(&huge, &huge), Err(ExternalFault::Range { .. })));
        assert!(matches!(part("-1", "3"), Err(ExternalFault::Number { .. })));
        assert!(matches!(folder.bytes(&[]), Err(ExternalFault::NoLocation)));
    }

    #[test]
    fn paths_stay_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("model");
        std::fs::create_dir(&model).unwrap();
        std::fs::write(dir.path().join("secret"), b"x").unwrap();
        let absolute = dir.path().join("secret");
        let open = |path: &Path| std::fs::read(path).map(Bytes::from);
        let folder = Folder::new(Some(model.clone()), &open);
        let mut paths = vec!["../secret", "a/../../secret", absolute.to_str().unwrap()];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&absolute, model.join("link")).unwrap();
            paths.push("link");
        }
        for path in paths {
            let error = folder.bytes(&entries(&[("location", path)])).unwrap_err();
            assert!(matches!(error, ExternalFault::Outside(_)), "{path}: {error}");
        }
        let error = folder.bytes(&entries(&[("location", "absent")])).unwrap_err();
        assert!(matches!(error, ExternalFault::Read { .. }));
        let none = Folder::new(None, &open);
        let error = none.bytes(&entries(&[("location", "data")])).unwrap_err();
        assert!(matches!(error, ExternalFault::NoFolder));
    }
}
