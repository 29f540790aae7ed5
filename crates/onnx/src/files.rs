//! Where the files of a model are, and how they are read.
//!
//! A model's bytes are read into memory of its own: what happens to the files afterwards does not change it.

use bytes::Bytes;
use memmap2::MmapMut;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Finds the data files of a model.
pub trait Files {
    /// Opens a file by its name: a path relative to the model's folder, with `/` between its parts and without `..`.
    fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>>;
}

/// A file that can be read in parts, by several threads at a time.
pub trait FileSource: Send + Sync {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// All bytes of a range, which lies within the file. They do not change, whatever happens to the file.
    fn read(&self, range: Range<u64>) -> io::Result<Bytes>;

    /// As [`FileSource::read`], into memory of the caller's: the bytes from `start` on, as many as `bytes` has.
    fn read_into(&self, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let read = read(self, start..start + bytes.len() as u64)?;
        bytes.copy_from_slice(&read);
        Ok(())
    }

    /// Called after the last read: an error if the parts may be of different versions of the file.
    fn check(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Contents that are in memory, of which parts are shared.
impl FileSource for Bytes {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        Ok(self.slice(range.start as usize..range.end as usize))
    }
}

/// A file of the local disk. Pipes and other files without a size are read to their end.
pub fn open(path: &Path) -> io::Result<Box<dyn FileSource>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let mut bytes = vec![];
        file.read_to_end(&mut bytes)?;
        return Ok(Box::new(Bytes::from(bytes)));
    }
    Ok(Box::new(Regular { path: path.to_owned(), version: Version::of(&metadata)? }))
}

/// A file of the local disk. It is opened for each read, as a model may have more data files than a process may have open.
struct Regular {
    path: PathBuf,
    version: Version,
}

/// Facts that distinguish versions of a file.
#[derive(PartialEq, Eq)]
struct Version {
    size: u64,
    modified: SystemTime,
    /// The device and number of the file: one that takes another's place may have its size and time.
    place: (u64, u64),
}

impl Version {
    fn of(metadata: &fs::Metadata) -> io::Result<Version> {
        #[cfg(unix)]
        let place = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let place = (0, 0);
        Ok(Version { size: metadata.len(), modified: metadata.modified()?, place })
    }
}

impl Regular {
    /// The file, if it is still the same.
    fn reopen(&self) -> io::Result<File> {
        let file = File::open(&self.path)?;
        match Version::of(&file.metadata()?)? == self.version {
            true => Ok(file),
            false => Err(changed()),
        }
    }
}

/// Alignment of what is read, in bytes: tensors then need no copy, whatever their element type.
const ALIGN: usize = 64;

/// Contents of at least this many bytes are read into separate pages, which return to the system as soon as they are
/// dropped. In a process that loads models repeatedly, the allocator would keep more and more memory.
const OWN_PAGES: usize = 1 << 17;

/// Size from which large pages are used, because the system prepares them faster.
#[cfg(target_os = "linux")]
const HUGE: usize = 4 << 20;

impl Regular {
    fn read_pages(&self, start: u64, len: usize) -> io::Result<Bytes> {
        let mut pages = MmapMut::map_anon(len)?;
        #[cfg(target_os = "linux")]
        if len >= HUGE {
            // Advice; without large pages it takes longer.
            let _ = pages.advise(memmap2::Advice::HugePage);
        }
        self.read_into(start, &mut pages)?;
        Ok(Bytes::from_owner(pages.make_read_only()?))
    }
}

impl FileSource for Regular {
    fn size(&self) -> u64 {
        self.version.size
    }

    fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        let len = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        if len >= OWN_PAGES {
            return self.read_pages(range.start, len);
        }
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(len.saturating_add(ALIGN))?;
        let before = bytes.as_ptr().align_offset(ALIGN).min(ALIGN);
        bytes.resize(before, 0);
        let mut file = self.reopen()?;
        file.seek(SeekFrom::Start(range.start))?;
        file.take(len as u64).read_to_end(&mut bytes)?;
        Ok(Bytes::from(bytes).slice(before..))
    }

    fn read_into(&self, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = self.reopen()?;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => changed(),
            _ => error,
        })
    }

    fn check(&self) -> io::Result<()> {
        self.reopen().map(drop)
    }
}

fn changed() -> io::Error {
    io::Error::other("the file changed while it was read; load the model again")
}

/// The bytes of a range, all of them: [`FileSource`] is written by others, too.
pub(crate) fn read(source: &(impl FileSource + ?Sized), range: Range<u64>) -> io::Result<Bytes> {
    let len = range.end - range.start;
    let bytes = source.read(range)?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err(changed()) }
}

/// A folder of the local disk.
pub struct Disk {
    root: PathBuf,
    links: Links,
}

/// The links of a folder that are followed.
enum Links {
    /// Links that lead to a place in the folder, or in the folder of the file that this path leads to.
    Beside(PathBuf),
    /// All.
    Any,
}

impl Disk {
    /// The folder that the file `path` is in. Links out of it are refused, unless `path` is a link itself and they lead to
    /// the folder of its target: caches of downloads keep a model's files in one folder and links to them in another.
    pub fn beside(path: &Path) -> Disk {
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let root = parent.unwrap_or(Path::new(".")).to_owned();
        Disk { root, links: Links::Beside(path.to_owned()) }
    }

    /// A folder whose links are followed wherever they lead, such as a model repository, which its owner has set up.
    pub fn repository(folder: &Path) -> Disk {
        Disk { root: folder.to_owned(), links: Links::Any }
    }
}

impl Files for Disk {
    fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        let Links::Beside(model) = &self.links else {
            return open(&self.root.join(name));
        };
        // Resolving both ends also finds links that lead out of the folder.
        let root = self.root.canonicalize()?;
        let path = root.join(name).canonicalize()?;
        let target = model.canonicalize().ok();
        let beside_target = target.as_deref().and_then(Path::parent);
        if !path.starts_with(&root) && !beside_target.is_some_and(|beside| path.starts_with(beside))
        {
            let text = "it is a link that leads out of the model's folder";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        open(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_aligned_and_keep_their_contents() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let content: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8).collect();
        fs::write(&path, &content).unwrap();
        let source = open(&path).unwrap();
        assert_eq!(source.size(), 100_000);
        let part = source.read(77..90_001).unwrap();
        assert_eq!(part.as_ptr().align_offset(ALIGN), 0);
        source.check().unwrap();
        assert!(source.read(7..7).unwrap().is_empty());
        fs::write(&path, vec![0; 50_000]).unwrap();
        assert_eq!(part, &content[77..90_001]);
        assert!(source.check().is_err());
        assert!(source.read(40_000..60_000).is_err());
    }

    #[test]
    fn large_parts_are_complete_and_stay_as_they_were() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let content: Vec<u8> = (0..(4 << 20) + 77u32).map(|i| (i % 251) as u8).collect();
        fs::write(file.path(), &content).unwrap();
        let source = open(file.path()).unwrap();
        let ranges = [0..OWN_PAGES - 1, 5..5 + OWN_PAGES, 7..300_000, 70..content.len()];
        let parts = ranges.map(|range| {
            let part = source.read(range.start as u64..range.end as u64).unwrap();
            assert_eq!(part.as_ptr().align_offset(ALIGN), 0);
            (range, part)
        });
        assert!(source.read(7..content.len() as u64 + 1).is_err());
        fs::write(file.path(), vec![0; content.len()]).unwrap();
        assert!(parts.into_iter().all(|(range, part)| part == content[range]));
        fs::write(file.path(), b"short").unwrap();
        assert!(source.read(70..content.len() as u64).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_folder_of_the_models_target_only() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["blobs/inner", "elsewhere", "snapshot"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["blobs/model", "blobs/data", "blobs/inner/data", "elsewhere/data"] {
            fs::write(at(file), "x").unwrap();
        }
        let links = [
            ("blobs/model", "model.onnx"),
            ("blobs/data", "data"),
            ("blobs/inner/data", "inner"),
            ("elsewhere/data", "outside"),
        ];
        for (target, link) in links {
            symlink(at(target), at("snapshot").join(link)).unwrap();
        }
        let disk = Disk::beside(&at("snapshot/model.onnx"));
        assert_eq!(disk.open("data").unwrap().size(), 1);
        assert_eq!(disk.open("inner").unwrap().size(), 1);
        let refused = disk.open("outside").err().unwrap();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        // A model that is no link has its own folder only.
        fs::write(at("snapshot/plain.onnx"), "x").unwrap();
        assert!(Disk::beside(&at("snapshot/plain.onnx")).open("data").is_err());
    }

    #[test]
    fn folders_are_not_files() {
        assert!(open(&std::env::temp_dir()).is_err());
        assert!(open(Path::new("absent")).is_err());
    }
}
