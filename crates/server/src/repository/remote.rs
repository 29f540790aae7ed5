//! Repositories that are elsewhere, and have a copy on the local disk.

use std::path::Path;

use trident_serving::{Fault, LogLevel};

use super::Repository;

/// A repository that is not on the local disk. Models are loaded from a copy of it.
pub trait RemoteFolder: Send + Sync {
    /// The folder of the copy, which is one of [`RepositoryOptions::folders`](super::RepositoryOptions::folders).
    fn folder(&self) -> &Path;

    /// Brings the copy up to date: all models, or all names and these models. The copy of a repository that is away stays as it is.
    ///
    /// # Errors
    /// The repository cannot be read.
    fn refresh(&self, models: Option<&[String]>) -> Result<(), Fault>;

    /// Removes the copy.
    fn close(&self);
}

impl Repository {
    /// Brings the copies of remote repositories up to date, as [`RemoteFolder::refresh`] says.
    pub(super) fn fetch(&self, models: Option<&[String]>) -> Result<(), Fault> {
        self.options.remotes.iter().try_for_each(|remote| remote.refresh(models))
    }

    /// The same for all models. A repository that is away is logged once, and again when it is back.
    pub(super) fn refresh_all(&self) {
        for (at, remote) in self.options.remotes.iter().enumerate() {
            let fault = remote.refresh(None).err().map(|fault| fault.text);
            let before = {
                let mut away = super::lock(&self.away);
                match &fault {
                    Some(text) => away.insert(at, text.clone()),
                    None => away.remove(&at),
                }
            };
            match fault {
                Some(text) if before.as_ref() != Some(&text) => {
                    let line = format!("{text}; the models that were loaded serve on");
                    self.log(LogLevel::Warning, &line);
                }
                None if before.is_some() => {
                    self.log(LogLevel::Info, "the repository can be read again");
                }
                _ => {}
            }
        }
    }

    /// Logs that a folder of the repository cannot be read, once, and again when it can.
    pub(super) fn note_unread(&self, unread: Option<String>) {
        let before = std::mem::replace(&mut *super::lock(&self.unread), unread.clone());
        match unread {
            Some(text) if before.as_ref() != Some(&text) => {
                let line = format!("{text}; the models that were loaded serve on");
                self.log(LogLevel::Warning, &line);
            }
            None if before.is_some() => {
                self.log(LogLevel::Info, "the folders of the repository can be read again");
            }
            _ => {}
        }
    }
}
