//! The folder in which the copy of a repository is.
//!
//! A server removes its copy when it ends. A server that was killed leaves it, and the next one removes it.

use std::fs::{self, DirEntry, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The start of the names of such folders.
const PREFIX: &str = "trident-store-";

/// The file that a server has locked for as long as it runs.
const LOCK: &str = "lock";

/// A folder for a copy and for files that are being downloaded, which is removed when this is dropped.
pub(super) struct CopyFolder {
    root: TempDir,
    _lock: File,
}

impl CopyFolder {
    /// Makes a folder in another one, and removes the folders of servers that no longer run.
    pub(super) fn make(parent: &Path) -> io::Result<CopyFolder> {
        let root = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let user = fs::metadata(root.path())?.uid();
        let entries = fs::read_dir(parent)?.flatten();
        entries.filter(is_copy).for_each(|entry| remove_left(&entry.path(), user));
        // It has its name only once it is locked: other servers would take it for one that was left.
        let early = root.path().join("early");
        let lock = File::create(&early)?;
        lock.lock()?;
        fs::rename(early, root.path().join(LOCK))?;
        Ok(CopyFolder { root, _lock: lock })
    }

    /// The place of a repository with a name.
    pub(super) fn repository(&self, name: &str) -> PathBuf {
        self.root.path().join("repository").join(name)
    }

    /// The place of a file that is being downloaded.
    pub(super) fn part(&self, number: usize) -> PathBuf {
        self.root.path().join(format!("part-{number}"))
    }

    /// Removes the folder.
    pub(super) fn close(self) {
        // The rest stays in the folder for temporary files.
        let _ = self.root.close();
    }
}

fn is_copy(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    name.to_string_lossy().starts_with(PREFIX) && entry.file_type().is_ok_and(|own| own.is_dir())
}

/// Removes the folder of a server of this user that no longer runs. One without a lock is just being made.
fn remove_left(folder: &Path, user: u32) {
    if let Ok(lock) = open_lock(&folder.join(LOCK), user)
        && lock.try_lock().is_ok()
    {
        // The next server tries again.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Opens the lock of a folder. Everybody may write to the parent: a link is not followed, and a pipe does not block.
fn open_lock(path: &Path, user: u32) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let lock = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = lock.metadata()?;
    match found.is_file() && found.uid() == user {
        true => Ok(lock),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failed unwrap fails the test
mod tests {
    use super::*;

    #[test]
    fn folders_of_servers_that_were_killed_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("trident-store-left");
        fs::create_dir_all(left.join("repository/models/m")).unwrap();
        File::create(left.join(LOCK)).unwrap();
        let early = parent.path().join("trident-store-early");
        fs::create_dir(&early).unwrap();
        let other = parent.path().join("other");
        fs::create_dir(&other).unwrap();
        File::create(other.join(LOCK)).unwrap();
        let first = CopyFolder::make(parent.path()).unwrap();
        assert!(!left.exists() && early.exists() && other.exists());
        let second = CopyFolder::make(parent.path()).unwrap();
        let (one, two) = (first.part(0), second.part(0));
        assert!(one.parent().unwrap().exists() && two.parent().unwrap().exists());
        first.close();
        assert!(!one.parent().unwrap().exists() && two.parent().unwrap().exists());
    }

    #[test]
    fn locks_that_are_no_files_hold_nobody_up() {
        let parent = tempfile::tempdir().unwrap();
        let [pipe, link] = ["trident-store-pipe", "trident-store-link"].map(|name| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        });
        let made = std::process::Command::new("mkfifo").arg(pipe.join(LOCK)).status().unwrap();
        assert!(made.success());
        let target = parent.path().join("target");
        File::create(&target).unwrap();
        std::os::unix::fs::symlink(&target, link.join(LOCK)).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let place = parent.path().to_owned();
        std::thread::spawn(move || sender.send(CopyFolder::make(&place).map(CopyFolder::close)));
        let made = receiver.recv_timeout(std::time::Duration::from_secs(60));
        made.expect("a pipe blocks the start").unwrap();
        assert!(pipe.exists() && link.exists() && target.exists());
        let user = fs::metadata(parent.path()).unwrap().uid();
        assert!(open_lock(&target, user).is_ok());
        assert!(open_lock(&target, user + 1).is_err(), "a file of another user");
    }
}
