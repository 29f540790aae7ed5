//! Locks of files in a vault's folder. The system releases them when their process ends, however it ends.

use super::{Vault, VaultError};
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

/// The longest wait for another thread or process. A kernel compiled a second time costs less than waiting for longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A lock, released when this is dropped.
///
/// It is released explicitly, because a process that was forked meanwhile has a copy of the descriptor.
#[derive(Debug)]
pub(super) struct Locked(File);

impl Locked {
    pub(super) fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A failure leaves the lock to the end of the process.
        let _ = rustix::fs::flock(&self.0, FlockOperation::Unlock);
    }
}

/// The exclusive right of one thread of one process to make what a name stands for.
#[derive(Debug)]
pub struct VaultClaim {
    folder: OwnedFd,
    name: String,
    waited: bool,
    // Dropped after the file was removed: who waits for it then finds another file, or none.
    _lock: Locked,
}

impl VaultClaim {
    /// Whether another thread or process had the right until now.
    pub fn waited(&self) -> bool {
        self.waited
    }
}

impl Drop for VaultClaim {
    fn drop(&mut self) {
        // A file that stays is used again, or removed when there is no room.
        let _ = rustix::fs::unlinkat(&self.folder, &*self.name, AtFlags::empty());
    }
}

impl Vault {
    /// Waits for the right to make what this name stands for; `None` if someone keeps it for more than a minute.
    pub fn claim(&self, name: &str) -> Result<Option<VaultClaim>, VaultError> {
        let (folder, name) = (self.open()?, format!(".{name}.lock"));
        let Some((lock, waited)) = self.lock(&folder, &name)? else { return Ok(None) };
        Ok(Some(VaultClaim { folder, name, waited, _lock: lock }))
    }

    /// Locks a file of the folder, which is created if it does not exist, and tells whether that took waiting.
    pub(super) fn lock(
        &self,
        folder: &OwnedFd,
        name: &str,
    ) -> Result<Option<(Locked, bool)>, VaultError> {
        let system = |error: Errno| self.system(name, error.into());
        let start = Instant::now();
        let mut waited = false;
        let mut pause = Duration::from_micros(200);
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = rustix::fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR);
            let file = File::from(file.map_err(system)?);
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    let lock = Locked(file);
                    // Whoever had it may have removed the file since it was opened here.
                    let own = lock.file().metadata().map_err(|error| self.system(name, error))?;
                    if own.nlink() > 0 {
                        return Ok(Some((lock, waited)));
                    }
                }
                Err(Errno::WOULDBLOCK) if start.elapsed() > PATIENCE => return Ok(None),
                Err(Errno::WOULDBLOCK) => {
                    waited = true;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(system(error)),
            }
        }
    }
}
