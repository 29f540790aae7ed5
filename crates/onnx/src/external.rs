//! Tensor data kept in files beside the model.

use crate::error::{ExternalFault, OnnxErrorKind};
use crate::files::{self, FileSource, Files};
use crate::proto::StringStringEntryProto;
use bytes::Bytes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path};
use std::rc::Rc;

/// The data files of a model that were opened.
pub(crate) struct Folder<'a> {
    files: Option<&'a dyn Files>,
    opened: RefCell<HashMap<String, Rc<dyn FileSource>>>,
    /// Ranges that were read, by name, start and end: tensors may share them.
    ranges: RefCell<HashMap<(String, u64, u64), Bytes>>,
}

impl<'a> Folder<'a> {
    /// A folder in which `files` finds files; without it, every reference to a file is an error.
    pub(crate) fn new(files: Option<&'a dyn Files>) -> Folder<'a> {
        Folder { files, opened: RefCell::default(), ranges: RefCell::default() }
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
        let location = location.ok_or(ExternalFault::NoLocation)?;
        let file = self.file(location)?;
        let (offset, size) = (number("offset")?.unwrap_or(0), file.size());
        let end = match number("length")? {
            Some(length) => offset.saturating_add(length),
            None => size,
        };
        if offset > end || end > size {
            return Err(ExternalFault::Range { offset, end, size });
        }
        let range = (location.to_owned(), offset, end);
        if let Some(bytes) = self.ranges.borrow().get(&range) {
            return Ok(bytes.clone());
        }
        let read = |source| ExternalFault::Read { path: location.to_owned(), source };
        let bytes = files::read(&*file, offset..end).map_err(read)?;
        self.ranges.borrow_mut().insert(range, bytes.clone());
        Ok(bytes)
    }

    /// An error if a file changed while parts of it were read.
    pub(crate) fn check(&self) -> Result<(), OnnxErrorKind> {
        for (path, file) in self.opened.borrow().iter() {
            let read = |source| OnnxErrorKind::Read { path: path.into(), source };
            file.check().map_err(read)?;
        }
        Ok(())
    }

    fn file(&self, location: &str) -> Result<Rc<dyn FileSource>, ExternalFault> {
        let files = self.files.ok_or(ExternalFault::NoFolder)?;
        let mut parts = vec![];
        for component in Path::new(location).components() {
            match component {
                Component::Normal(part) => parts.push(part.to_string_lossy()),
                Component::CurDir => {}
                _ => return Err(ExternalFault::Outside(location.to_owned())),
            }
        }
        let name = parts.join("/");
        if let Some(file) = self.opened.borrow().get(&name) {
            return Ok(file.clone());
        }
        let read = |source| ExternalFault::Read { path: location.to_owned(), source };
        let file: Rc<dyn FileSource> = files.open(&name).map_err(read)?.into();
        self.opened.borrow_mut().insert(name, file.clone());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Disk;
    use std::cell::Cell;
    use std::io;

    fn entries(pairs: &[(&str, &str)]) -> Vec<StringStringEntryProto> {
        let entry = |(k, v): &(&str, &str)| StringStringEntryProto {
            key: (*k).to_owned(),
            value: (*v).to_owned(),
        };
        pairs.iter().map(entry).collect()
    }

    /// Counts how often files are opened.
    struct Counted {
        disk: Disk,
        opened: Cell<usize>,
    }

    impl Files for Counted {
        fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
            self.opened.set(self.opened.get() + 1);
            self.disk.open(name)
        }
    }

    #[test]
    fn files_are_opened_once_and_ranges_checked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("data"), b"0123456789").unwrap();
        let disk = Counted { disk: Disk::beside(&dir.path().join("model")), opened: Cell::new(0) };
        let folder = Folder::new(Some(&disk));
        let part = |offset, length| {
            folder.bytes(&entries(&[("location", "data"), ("offset", offset), ("length", length)]))
        };
        assert_eq!(part("2", "3").unwrap(), &b"234"[..]);
        assert_eq!(part("2", "3").unwrap().as_ptr(), part("2", "3").unwrap().as_ptr());
        assert_eq!(part("10", "0").unwrap(), &b""[..]);
        assert_eq!(folder.bytes(&entries(&[("location", "./data")])).unwrap().len(), 10);
        assert_eq!(disk.opened.get(), 1);
        assert!(matches!(part("8", "3"), Err(ExternalFault::Range { .. })));
        let huge = u64::MAX.to_string();
        assert!(matches!(part(&huge, &huge), Err(ExternalFault::Range { .. })));
        assert!(matches!(part("-1", "3"), Err(ExternalFault::Number { .. })));
        assert!(matches!(folder.bytes(&[]), Err(ExternalFault::NoLocation)));
        folder.check().unwrap();
        std::fs::write(dir.path().join("data"), b"other contents").unwrap();
        assert!(matches!(folder.check(), Err(OnnxErrorKind::Read { .. })));
    }

    #[test]
    fn paths_stay_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("model");
        std::fs::create_dir(&model).unwrap();
        std::fs::write(dir.path().join("secret"), b"x").unwrap();
        let absolute = dir.path().join("secret");
        let disk = Disk::beside(&model.join("model.onnx"));
        let folder = Folder::new(Some(&disk));
        for path in ["../secret", "a/../../secret", absolute.to_str().unwrap()] {
            let error = folder.bytes(&entries(&[("location", path)])).unwrap_err();
            assert!(matches!(error, ExternalFault::Outside(_)), "{path}: {error}");
        }
        let mut unreadable = vec!["absent"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&absolute, model.join("link")).unwrap();
            unreadable.push("link");
        }
        for path in unreadable {
            let error = folder.bytes(&entries(&[("location", path)])).unwrap_err();
            assert!(matches!(error, ExternalFault::Read { .. }), "{path}: {error}");
        }
        let none = Folder::new(None);
        let error = none.bytes(&entries(&[("location", "data")])).unwrap_err();
        assert!(matches!(error, ExternalFault::NoFolder));
    }
}
