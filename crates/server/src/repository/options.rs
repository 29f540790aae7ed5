//! How a repository is served.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use trident_serving::{Fault, Hardware, LogLevel, ReadOptions, Verbosity};

use super::RemoteFolder;
use crate::statistics::TimeFamilies;

/// Opens the hardware for a choice of devices, such as a model's parameter `device`; without a choice, the server's.
pub type OpenHardware = Box<dyn Fn(Option<&str>) -> Result<Hardware, Fault> + Send + Sync>;

/// Receives lines of the log, on any thread.
pub type RepositoryLog = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// Which models are loaded, and who may change that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlMode {
    /// All models are loaded at the start.
    #[default]
    None,
    /// The same, and changes of the folders are found by [`Repository::poll`](super::Repository::poll).
    Poll,
    /// Clients load and unload models.
    Explicit,
}

/// Settings of a repository.
#[derive(Clone)]
pub struct RepositoryOptions {
    /// The folders in which there are folders of models.
    pub folders: Vec<PathBuf>,
    /// Repositories whose copies are among these folders.
    pub remotes: Vec<Arc<dyn RemoteFolder>>,
    /// Who loads models.
    pub mode: ControlMode,
    /// The models that are loaded at the start, in mode explicit; `*` stands for all.
    pub load: Vec<String>,
    /// How many models are loaded at a time, at the start and by polls.
    pub threads: usize,
    /// How often a version that failed to load is tried again.
    pub retries: usize,
    /// The name of the configuration in each model's folder `configs` that is used instead of `config.pbtxt`.
    pub config_name: Option<String>,
    /// The name of a model whose file is in the folder of a repository itself; by default the folder's name.
    pub bare_name: Option<String>,
    /// The most bytes of all models: models that have been idle longest are unloaded, and a model that does not fit is not loaded.
    pub memory_limit: Option<u64>,
    /// How long a model may be idle before it is unloaded. The next request loads it again.
    pub idle_unload: Option<Duration>,
    /// The most bytes of answers that are kept, for models whose configurations ask for it; `None` for no cache.
    pub response_cache: Option<usize>,
    /// The families of times on the page of metrics.
    pub times: TimeFamilies,
    /// How folders are read.
    pub read: ReadOptions,
    /// The lines of the log beside errors, warnings and events.
    pub verbosity: Verbosity,
    /// Receives lines of the log.
    pub log: RepositoryLog,
}

impl Default for RepositoryOptions {
    fn default() -> RepositoryOptions {
        RepositoryOptions {
            folders: vec![],
            remotes: vec![],
            mode: ControlMode::None,
            load: vec![],
            threads: 4,
            retries: 0,
            config_name: None,
            bare_name: None,
            memory_limit: None,
            idle_unload: None,
            response_cache: None,
            times: TimeFamilies::default(),
            read: ReadOptions::default(),
            verbosity: Verbosity::default(),
            log: Arc::new(|_, _| {}),
        }
    }
}

/// Parts of a model that a client sends with its request to load it.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The configuration, as JSON, instead of the folder's.
    pub config: Option<String>,
    /// Files instead of those of the folder, by their paths in it: `1/model.onnx`, or `file:1/model.onnx`. They need a configuration.
    pub files: Vec<(String, Bytes)>,
}
