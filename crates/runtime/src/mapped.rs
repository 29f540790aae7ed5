//! Files as shared bytes, mapped into memory.
#![allow(unsafe_code)]

use bytes::Bytes;
use std::fs::File;
use std::io;
use std::path::Path;

/// The contents of a file: pages are read when they are touched, and the mapping ends with the last slice.
///
/// The file must not shrink while it is mapped, else reading the missing part ends the process.
pub fn map_file(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    // SAFETY: the mapping is private and never written. As with any mapped file, another process that
    // changes it would change these bytes; they are only ever read as plain numbers, text or protobuf
    // messages, each of which is checked where it is read.
    let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file)? };
    Ok(Bytes::from_owner(map))
}

#[cfg(test)]
mod tests {
    use super::*;

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
