//! Files as shared bytes, mapped into memory.
#![allow(unsafe_code)]

use bytes::Bytes;
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The contents of a file: pages are read on first access, and the mapping ends with the last slice.
///
/// The file must not be changed while it is mapped, neither by this process nor by another. If it is changed, writes
/// still never go back to the file and nothing outside the mapping is read; but bytes may change between two reads, and
/// reading a part that was truncated ends the process. Replacing a file by renaming another over it, as installers do,
/// is harmless.
pub fn map_file(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    // SAFETY: the mapping is private, read-only and as long as the file is now, and callers must not change the file,
    // as documented above. No system has a lock that would enforce this.
    let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file)? };
    let map = Arc::new(map);
    let mut known = maps();
    known.retain(|m| m.strong_count() > 0);
    known.push(Arc::downgrade(&map));
    Ok(Bytes::from_owner(Owner(map)))
}

/// Keeps a mapping alive as long as slices of it.
struct Owner(Arc<Mmap>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// All live mappings, by which mapped bytes are recognised.
static MAPS: Mutex<Vec<Weak<Mmap>>> = Mutex::new(Vec::new());

fn maps() -> MutexGuard<'static, Vec<Weak<Mmap>>> {
    MAPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the system reclaim the memory behind bytes of a mapped file; they are read again on the next access. Has no
/// effect on other bytes.
pub fn release_pages(bytes: &[u8]) {
    let start = bytes.as_ptr().addr();
    let map = maps().iter().filter_map(Weak::upgrade).find(|m| {
        let base = m.as_ptr().addr();
        base <= start && start + bytes.len() <= base + m.len()
    });
    #[cfg(unix)]
    if let Some(map) = map {
        use memmap2::UncheckedAdvice::DontNeed;
        // SAFETY: the mapping is backed by a file and never written, so dropped pages come back with their contents. On
        // failure they stay in memory.
        let _ = unsafe {
            map.unchecked_advise_range(DontNeed, start - map.as_ptr().addr(), bytes.len())
        };
    }
    #[cfg(not(unix))]
    drop(map);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_pages_keep_their_contents() {
        let path = std::env::temp_dir().join(format!("trident-pages-{}", std::process::id()));
        let content: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let mapped = map_file(&path).unwrap();
        release_pages(&mapped[5000..90_000]);
        release_pages(&content[5000..90_000]);
        assert_eq!(mapped, content);
        drop(mapped);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn bytes_are_those_of_the_file() {
        let path = std::env::temp_dir().join(format!("trident-map-{}", std::process::id()));
        std::fs::write(&path, b"content").unwrap();
        assert_eq!(map_file(&path).unwrap(), &b"content"[..]);
        std::fs::write(&path, b"").unwrap();
        assert!(map_file(&path).unwrap().is_empty());
        std::fs::remove_file(&path).unwrap();
        assert!(map_file(&path).is_err());
        assert!(map_file(&std::env::temp_dir()).is_err());
    }
}
