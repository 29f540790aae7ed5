//! A model's folder in a repository: a configuration, and a folder for each version.
//!
//! A folder is on the disk, or in memory if a client has sent its files. A folder that has a model's file, but neither a
//! configuration nor versions, is version 1 of a model: tools such as KServe place models so.

mod contents;
mod error;
mod read;
mod stamp;

pub use error::{ConfigPlace, FolderError};
pub use read::{FolderVersion, ReadOptions};
pub use stamp::Stamp;

use crate::config::{ModelConfig, VersionPolicyChoice};
use crate::model::DEFAULT_FILES;
use bytes::Bytes;
use contents::Contents;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The file of a model's configuration.
const CONFIG: &str = "config.pbtxt";

/// A model's folder in a repository, with its configuration.
#[derive(Clone)]
pub struct ModelFolder {
    name: String,
    contents: Contents,
    /// The place that errors name: the configuration's file, or the folder where there is none.
    place: String,
    /// The content of the configuration's file.
    text: String,
    config: ModelConfig,
    /// The versions that have folders, ascending.
    versions: Vec<u64>,
    /// Whether the files of the only version are in the folder itself.
    is_bare: bool,
}

impl ModelFolder {
    /// Opens a folder of the disk. `variant` names a configuration in the folder `configs` that is used instead of `config.pbtxt`, if
    /// it is there. `None` if the path is not a model's folder.
    pub fn open(path: &Path, variant: Option<&str>) -> Result<Option<ModelFolder>, FolderError> {
        if !path.is_dir() {
            return Ok(None);
        }
        let name = path.canonicalize().ok();
        let name = name.as_deref().and_then(Path::file_name).unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        ModelFolder::of(name, Contents::Disk(path.to_owned()), variant)
    }

    /// Whether a folder of the disk is a model's folder.
    pub fn is_model(path: &Path) -> bool {
        let contents = Contents::Disk(path.to_owned());
        contents.has(CONFIG) || !versions(&contents).is_empty()
    }

    /// Whether a folder of the disk has a model's file in it, and so may be a bare model. Other entries are not listed.
    pub fn has_file(path: &Path) -> bool {
        DEFAULT_FILES.iter().any(|file| path.join(file).exists())
    }

    /// A folder of files in memory, by their paths in it.
    pub fn in_memory(
        name: &str,
        files: BTreeMap<String, Bytes>,
    ) -> Result<Option<ModelFolder>, FolderError> {
        ModelFolder::of(name.to_owned(), Contents::Memory(files), None)
    }

    fn of(
        name: String,
        contents: Contents,
        variant: Option<&str>,
    ) -> Result<Option<ModelFolder>, FolderError> {
        let versions = versions(&contents);
        let mut files = vec![];
        files.extend(variant.map(|variant| format!("configs/{variant}.pbtxt")));
        files.push(CONFIG.to_owned());
        let mut found = None;
        for file in files {
            match contents.read(&file) {
                Ok(bytes) => found = Some((contents.place(&file), bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => {
                    return Err(FolderError::Read { place: contents.place(&file), source });
                }
            }
            break;
        }
        let is_bare = versions.is_empty() && DEFAULT_FILES.iter().any(|file| contents.has(file));
        let versions = if is_bare { vec![1] } else { versions };
        let (place, text) = match found {
            Some((place, bytes)) => match String::from_utf8(bytes.to_vec()) {
                Ok(text) => (place, text),
                Err(_) => {
                    let source = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
                    return Err(FolderError::Read { place, source });
                }
            },
            None if versions.is_empty() => return Ok(None),
            None => (contents.place(""), String::new()),
        };
        let config = match ModelConfig::from_text(&text) {
            Ok(config) => config,
            Err(source) => {
                let source = Box::new(source);
                return Err(FolderError::Parse { place, source });
            }
        };
        Ok(Some(ModelFolder { name, contents, place, text, config, versions, is_bare }))
    }

    /// The same folder under another name.
    pub fn renamed(mut self, name: &str) -> ModelFolder {
        name.clone_into(&mut self.name);
        self
    }

    /// The same folder with a configuration that a client has sent.
    pub fn with_config(mut self, config: ModelConfig) -> ModelFolder {
        self.config = config;
        self.text.clear();
        self.place = "the configuration that was sent".to_owned();
        self
    }

    /// The model's name: the folder's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The configuration as it was written.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The place of a field of the configuration, such as [`FolderVersion::without_gpu`] has.
    pub fn place_of(&self, field: &str) -> ConfigPlace {
        let (file, field) = (self.place.clone(), field.to_owned());
        ConfigPlace { file, position: ModelConfig::nearest(&self.text, &field), field }
    }

    /// Whether the model's file lies beside its configuration, if it has one, and not in the folder of a version.
    pub fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// The versions that are served, the newest first. There is at least one.
    pub fn served(&self) -> Result<Vec<u64>, FolderError> {
        let mut served: Vec<u64> = self.versions.iter().rev().copied().collect();
        match self.config.version_policy.as_ref().map(|policy| &policy.choice) {
            Some(VersionPolicyChoice::All(_)) => {}
            Some(VersionPolicyChoice::Specific(listed)) => served.retain(|version| {
                listed.versions.iter().any(|listed| u64::try_from(*listed) == Ok(*version))
            }),
            Some(VersionPolicyChoice::Latest(latest)) => {
                served.truncate(latest.num_versions as usize);
            }
            Some(VersionPolicyChoice::Unset) | None => served.truncate(1),
        }
        let path = || self.contents.place("");
        match (served.is_empty(), self.versions.is_empty()) {
            (false, _) => Ok(served),
            (true, true) => Err(FolderError::NoVersion { path: path() }),
            (true, false) => Err(FolderError::Policy { place: self.place_of("version_policy") }),
        }
    }
}

/// The versions that have folders, ascending.
fn versions(contents: &Contents) -> Vec<u64> {
    let mut versions: Vec<u64> = contents.names("").unwrap_or_default();
    versions.retain(|version| *version > 0 && contents.is_folder(&version.to_string()));
    versions.sort_unstable();
    versions
}
