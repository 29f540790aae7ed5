//! Objects of shared memory as the files that Linux shows.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::region::SharedObject;

/// The folder in which Linux shows objects of shared memory.
const FOLDER: &str = "/dev/shm";

pub(super) fn open(name: &str) -> io::Result<Box<dyn SharedObject>> {
    let file = OpenOptions::new().read(true).write(true).open(Path::new(FOLDER).join(name))?;
    Ok(Box::new(file))
}

impl SharedObject for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, to: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(to, at)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let end = at.saturating_add(bytes.len() as u64);
        if end > self.length()? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.write_all_at(bytes, at)
    }
}
