//! The folder that stores a user's compiled kernels, and the key that seals them.
//!
//! Files there are trusted only if the system's permissions show that no one else can have written them, and code is
//! executed only if its seal is valid. The folder stays below a limit in bytes (`limit.rs`): the files that were not read for
//! longest are removed. A file's time of change is the time of its last use, because many systems do not record reads.

mod claim;
mod limit;

pub use claim::VaultClaim;

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::seal::Key;

/// A folder owned by the user.
#[derive(Clone, Debug)]
pub struct Vault {
    path: PathBuf,
    /// Most bytes that its files take together.
    limit: u64,
}

/// Why a vault, or a file in it, is not used.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The environment does not determine its location.
    #[error(
        "there is no folder for compiled kernels: set HOME or XDG_CACHE_HOME to a folder of yours"
    )]
    Nowhere,
    /// The environment's limit is not a size.
    #[error(
        "{variable}={value} is not a size: give bytes, or a whole number with K, M or G, such as 512M, of less than 2^64 bytes"
    )]
    Limit {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// Someone else may have created or changed it.
    #[error("{} {reason}", .path.display())]
    Untrusted {
        /// The folder or file.
        path: PathBuf,
        /// The problem and its remedy.
        reason: &'static str,
    },
    /// A system call failed.
    #[error("{}: {error}", .path.display())]
    System {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// Mode bits that let anyone but the owner write, and those that let them access a file at all.
const WRITE: u32 = 0o022;
const ANY: u32 = 0o077;

/// Name and first bytes of the file with the key.
const KEY: &str = "key";
const KEY_MARK: &[u8; 12] = b"trident key\n";

impl Vault {
    /// The user's vault: `$XDG_CACHE_HOME/trident/kernels`, by default `~/.cache/trident/kernels`.
    pub fn of_user() -> Result<Vault, VaultError> {
        let base = match std::env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => std::env::home_dir()
                .filter(|home| !home.as_os_str().is_empty())
                .ok_or(VaultError::Nowhere)?
                .join(".cache"),
        };
        Ok(Vault::new(base.join("trident/kernels")).limited(limit::of_environment()?))
    }

    /// The vault in this folder, which is created on first use, with the standard limit.
    pub fn new(path: impl Into<PathBuf>) -> Vault {
        Vault { path: path.into(), limit: limit::STANDARD }
    }

    /// The same vault with this limit in bytes.
    pub fn limited(self, limit: u64) -> Vault {
        Vault { limit, ..self }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The key shared by all processes of the user; it is created if it does not exist.
    pub fn key(&self) -> Result<Key, VaultError> {
        let folder = self.open()?;
        if let Some(key) = self.read_key(&folder)? {
            return Ok(key);
        }
        let error = || io::Error::other("the system has no random numbers");
        let fresh = Key::random().ok_or_else(error).map_err(|e| self.system(KEY, e))?;
        self.put(&folder, KEY, &[&KEY_MARK[..], fresh.bytes()].concat(), Place::Vacant)?;
        // Another process may have been first: then its key is used.
        self.read_key(&folder)?.ok_or_else(|| self.system(KEY, io::ErrorKind::NotFound.into()))
    }

    /// The contents of the file of this name, which must not contain folders; `None` if it does not exist.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        let folder = self.open()?;
        let found = self.get(&folder, name, WRITE, "can be written by others: remove it")?;
        if found.is_some() {
            limit::used(&folder, name);
        }
        Ok(found)
    }

    /// Stores bytes under a name, replacing any previous file, and returns its path. Readers see all of it or nothing.
    /// Other files are removed to stay below the limit; `None` if the bytes alone exceed it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<Option<PathBuf>, VaultError> {
        let folder = self.open()?;
        let Some(_room) = self.make_room(&folder, name, bytes.len() as u64)? else {
            return Ok(None);
        };
        self.put(&folder, name, bytes, Place::Any)?;
        Ok(Some(self.path.join(name)))
    }

    /// Opens the folder, so that what is checked about it holds for all later operations on it.
    fn open(&self) -> Result<OwnedFd, VaultError> {
        let system = |error| VaultError::System { path: self.path.clone(), error };
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(system)?;
        }
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(system(error));
            }
            _ => {}
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&self.path, flags, Mode::empty());
        let folder = File::from(folder.map_err(|e| system(e.into()))?);
        let help = "can be written by others: run `chmod go-w` on it, or remove it";
        self.trust(&self.path, &folder.metadata().map_err(system)?, WRITE, help)?;
        Ok(folder.into())
    }

    /// An error unless the user owns the file and it grants others none of these rights.
    fn trust(
        &self,
        path: &Path,
        found: &fs::Metadata,
        rights: u32,
        help: &'static str,
    ) -> Result<(), VaultError> {
        let untrusted = |reason| Err(VaultError::Untrusted { path: path.to_owned(), reason });
        if found.uid() != rustix::process::geteuid().as_raw() {
            return untrusted("belongs to another user: remove it, or set XDG_CACHE_HOME");
        }
        if found.mode() & rights != 0 { untrusted(help) } else { Ok(()) }
    }

    fn read_key(&self, folder: &OwnedFd) -> Result<Option<Key>, VaultError> {
        let help = "can be read or written by others: remove it, so that another is made";
        let Some(bytes) = self.get(folder, KEY, ANY, help)? else { return Ok(None) };
        let key = bytes.strip_prefix(KEY_MARK).and_then(|key| key.try_into().ok());
        let damaged = || VaultError::Untrusted {
            path: self.path.join(KEY),
            reason: "is damaged: remove it, so that another is made",
        };
        key.map(|bytes| Some(Key::from_bytes(bytes))).ok_or_else(damaged)
    }

    fn get(
        &self,
        folder: &OwnedFd,
        name: &str,
        rights: u32,
        help: &'static str,
    ) -> Result<Option<Vec<u8>>, VaultError> {
        let path = self.path.join(name);
        let untrusted = |reason| VaultError::Untrusted { path: path.clone(), reason };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(untrusted("is a link: remove it")),
            Err(error) => return Err(self.system(name, error.into())),
        };
        let found = file.metadata().map_err(|e| self.system(name, e))?;
        if !found.is_file() {
            return Err(untrusted("is no file: remove it"));
        }
        self.trust(&path, &found, rights, help)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| self.system(name, e))?;
        Ok(Some(bytes))
    }

    /// Writes a temporary file in the folder and moves it into place when it is complete.
    fn put(
        &self,
        folder: &OwnedFd,
        name: &str,
        bytes: &[u8],
        place: Place,
    ) -> Result<(), VaultError> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|e| self.system(name, io::Error::other(e)))?;
        let mut beside = format!(".{name}.");
        random.iter().for_each(|byte| _ = write!(beside, "{byte:02x}"));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder, &*beside, flags, Mode::RUSR | Mode::WUSR);
        let mut file = File::from(file.map_err(|e| self.system(name, e.into()))?);
        let placed = file.write_all(bytes).and_then(|()| match place {
            Place::Any => Ok(rustix::fs::renameat(folder, &*beside, folder, name)?),
            Place::Vacant => {
                // Data that cannot be recreated must survive a power failure.
                file.sync_all()?;
                match rustix::fs::linkat(folder, &*beside, folder, name, AtFlags::empty()) {
                    Ok(()) | Err(Errno::EXIST) => {
                        Ok(rustix::fs::unlinkat(folder, &*beside, AtFlags::empty())?)
                    }
                    Err(error) => Err(error.into()),
                }
            }
        });
        placed.map_err(|error| {
            // If the file cannot be removed, nothing more can be done.
            let _ = rustix::fs::unlinkat(folder, &*beside, AtFlags::empty());
            self.system(name, error)
        })
    }

    fn system(&self, name: &str, error: io::Error) -> VaultError {
        VaultError::System { path: self.path.join(name), error }
    }
}

/// Where a file may be placed.
#[derive(Clone, Copy)]
enum Place {
    /// Anywhere, replacing an existing file.
    Any,
    /// Only where no file exists.
    Vacant,
}
