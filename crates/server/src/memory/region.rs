//! Objects of shared memory as files.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use trident_serving::Fault;

use super::RegionInfo;

/// The folder in which Linux shows objects of shared memory.
const FOLDER: &str = "/dev/shm";

/// An object of shared memory, from a byte on.
pub(super) struct SharedFile {
    file: File,
    start: u64,
}

impl SharedFile {
    /// Opens the object of a region.
    pub(super) fn open(info: &RegionInfo) -> Result<SharedFile, Fault> {
        let name = info.key.strip_prefix('/').unwrap_or(&info.key);
        if name.is_empty() || name.starts_with("triton_python_backend_shm_region_") {
            return Err(Fault::invalid(format_args!(
                "cannot register shared memory region '{}' with the reserved or empty key '{}'",
                info.name, info.key
            )));
        }
        let unable =
            || Fault::internal(format_args!("Unable to open shared memory region: '{}'", info.key));
        // Names of objects have no folders.
        if name.contains('/') || name == "." || name == ".." {
            return Err(unable());
        }
        let path = Path::new(FOLDER).join(name);
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|_| unable())?;
        let length = file.metadata().map_err(|_| unable())?.len();
        let end = info.offset.checked_add(info.size);
        if end.is_none_or(|end| end > length) {
            return Err(Fault::invalid(format_args!(
                "failed to register shared memory region '{}': invalid args",
                info.name
            )));
        }
        Ok(SharedFile { file, start: info.offset })
    }

    /// Reads all of `to` from a byte of the region on.
    pub(super) fn read(&self, to: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read_exact_at(to, self.start.saturating_add(at))
    }

    /// Writes bytes from a byte of the region on. The object does not grow.
    pub(super) fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let start = self.start.saturating_add(at);
        let end = start.saturating_add(bytes.len() as u64);
        if end > self.file.metadata()?.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.file.write_all_at(bytes, start)
    }
}
