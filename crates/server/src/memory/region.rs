//! Objects of shared memory, read and written as the system allows it.
//!
//! Linux shows them as files, which are read and written by their descriptors. macOS refuses that, so there they are mapped.

use std::io;

use trident_serving::Fault;

use super::RegionInfo;

/// An object of shared memory.
pub(super) trait SharedObject: Send + Sync {
    /// Its bytes now.
    fn length(&self) -> io::Result<u64>;

    /// Copies all of `to` from the bytes from `at` on.
    fn read(&self, to: &mut [u8], at: u64) -> io::Result<()>;

    /// Copies bytes to the place from `at` on. The object does not grow.
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()>;
}

/// Opens the object of a name.
pub(super) type OpenObject = fn(&str) -> io::Result<Box<dyn SharedObject>>;

/// The way of this system.
#[cfg(not(target_os = "macos"))]
pub(super) const OPEN: OpenObject = super::file::open;
/// The way of this system.
#[cfg(target_os = "macos")]
pub(super) const OPEN: OpenObject = super::mapped::open;

/// A part of an object, from a byte on.
pub(super) struct Region {
    object: Box<dyn SharedObject>,
    start: u64,
}

impl Region {
    /// Opens the object of a region.
    pub(super) fn open(info: &RegionInfo, open: OpenObject) -> Result<Region, Fault> {
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
        if name.contains(['/', '\0']) || name == "." || name == ".." {
            return Err(unable());
        }
        let object = open(name).map_err(|_| unable())?;
        let length = object.length().map_err(|_| unable())?;
        let end = info.offset.checked_add(info.size);
        if end.is_none_or(|end| end > length) {
            return Err(Fault::invalid(format_args!(
                "failed to register shared memory region '{}': invalid args",
                info.name
            )));
        }
        Ok(Region { object, start: info.offset })
    }

    /// Reads all of `to` from a byte of the region on.
    pub(super) fn read(&self, to: &mut [u8], at: u64) -> io::Result<()> {
        self.object.read(to, self.start.saturating_add(at))
    }

    /// Writes bytes from a byte of the region on.
    pub(super) fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.object.write(bytes, self.start.saturating_add(at))
    }
}
