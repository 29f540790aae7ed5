//! The limit of a vault's folder.
//!
//! Who stores a file holds the lock of the folder, so two processes never fill the same room. The locked file has the sum
//! of all sizes: only if a further file does not fit is the folder listed, and then an eighth of it is freed.

use super::claim::Locked;
use super::{KEY, Vault, VaultError};
use rustix::fs::{AtFlags, Dir, FileType, Timespec, Timestamps, UTIME_NOW};
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The variable with the limit, and the limit without it.
const VARIABLE: &str = "TRIDENT_KERNEL_CACHE_SIZE";
pub(super) const STANDARD: u64 = 1 << 30;

/// The file that is locked while a file is stored.
const SUM: &str = ".sum";

/// Bytes for the key and the sum, which always stay.
const ALWAYS: u64 = 64;

/// Files whose names begin with a dot belong to someone who stores or compiles. Older ones were left by a crash.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The limit that the environment asks for.
pub(super) fn of_environment() -> Result<u64, VaultError> {
    let Some(value) = std::env::var_os(VARIABLE) else { return Ok(STANDARD) };
    let value = value.to_string_lossy().into_owned();
    if value.trim().is_empty() {
        return Ok(STANDARD);
    }
    crate::buffer_size(&value).ok_or(VaultError::Limit { variable: VARIABLE, value })
}

/// Notes that a file was used. A failure makes it seem older than it is.
pub(super) fn used(folder: &OwnedFd, name: &str) {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    let _ = rustix::fs::utimensat(folder, name, &times, AtFlags::SYMLINK_NOFOLLOW);
}

struct Kept {
    used: Duration,
    bytes: u64,
    name: std::ffi::CString,
}

impl Vault {
    /// Makes room for a file of `bytes` bytes, and holds it until the file is in place; `None` if there is no room.
    pub(super) fn make_room(
        &self,
        folder: &OwnedFd,
        name: &str,
        bytes: u64,
    ) -> Result<Option<Locked>, VaultError> {
        let most = self.limit.saturating_sub(ALWAYS);
        let (true, Some((lock, _))) = (bytes <= most, self.lock(folder, SUM)?) else {
            return Ok(None);
        };
        let failed = |error| self.system(SUM, error);
        let mut file = lock.file();
        let mut text = String::new();
        // A damaged sum is made again.
        let read = file.read_to_string(&mut text).map_err(failed);
        let known = read.ok().and_then(|_| text.trim().parse::<u64>().ok());
        let others = match known {
            Some(sum) if sum.saturating_add(bytes) <= most => sum,
            _ => self.evict(folder, name, most, bytes).map_err(failed)?,
        };
        // Files that cannot be removed may leave no room.
        let fits = others.saturating_add(bytes) <= most;
        let sum = if fits { others + bytes } else { others };
        let written = file.rewind().and_then(|()| file.set_len(0));
        written.and_then(|()| write!(file, "{sum}")).map_err(failed)?;
        Ok(fits.then_some(lock))
    }

    /// Removes the files that were not used for longest until `bytes` more fit, and some more; returns the bytes that the
    /// others take.
    fn evict(
        &self,
        folder: &OwnedFd,
        replaced: &str,
        most: u64,
        bytes: u64,
    ) -> Result<u64, io::Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (mut files, mut sum) = (vec![], 0);
        for entry in Dir::read_from(folder)? {
            let name = entry?.file_name().to_owned();
            let Ok(found) = rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
                continue;
            }
            let nanos = u32::try_from(found.st_mtime_nsec).unwrap_or_default();
            let used = Duration::new(u64::try_from(found.st_mtime).unwrap_or_default(), nanos);
            let text = name.to_bytes();
            if text == KEY.as_bytes() || text == SUM.as_bytes() {
                continue;
            }
            if text.starts_with(b".") {
                if now.saturating_sub(used) > ABANDONED {
                    let _ = rustix::fs::unlinkat(folder, &name, AtFlags::empty());
                }
                continue;
            }
            let bytes = u64::try_from(found.st_size).unwrap_or_default();
            if text != replaced.as_bytes() {
                sum += bytes;
                files.push(Kept { used, bytes, name });
            }
        }
        if sum.saturating_add(bytes) <= most {
            return Ok(sum);
        }
        let enough = (most - most / 8).saturating_sub(bytes);
        files.sort_by_key(|file| file.used);
        for file in files {
            if sum <= enough {
                break;
            }
            // Whoever has opened it goes on reading it.
            match rustix::fs::unlinkat(folder, &file.name, AtFlags::empty()) {
                Ok(()) | Err(rustix::io::Errno::NOENT) => sum -= file.bytes,
                Err(_) => {}
            }
        }
        Ok(sum)
    }
}
