//! Models in a repository of the Triton Inference Server: a folder with a configuration, and one for each version.

mod overview;
mod served;

pub(crate) use overview::Overview;
pub(crate) use served::Served;

use crate::failure::Failure;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use trident_devices::is_gpu;
use trident_model::Model;
use trident_onnx::files::Disk;
use trident_serving::{
    Accelerators, ConfigError, DEFAULT_MAX_BATCH_SIZE, Hardware, Host, Labels, LogLevel,
    ModelConfig, ModelFile, Position, ServeError, Setup, VersionFolder, VersionPolicyChoice,
};

/// The file of a model's configuration.
const CONFIG: &str = "config.pbtxt";

/// A model's folder in a repository.
pub(crate) struct ModelFolder {
    path: PathBuf,
    /// The place that errors name: the configuration's file, or the folder where there is none.
    place: PathBuf,
    /// The content of the configuration's file.
    text: String,
    config: ModelConfig,
    /// The versions that have folders.
    versions: Vec<u64>,
}

/// The kinds of paths that users inspect.
pub(crate) enum Given {
    /// Something other than a folder.
    File,
    /// A model's folder.
    Model(Box<ModelFolder>),
    /// The folders in a repository of models, in the order of their names.
    Repository(Vec<PathBuf>),
}

/// Finds out what a path is. A folder that has nothing to do with repositories is an error.
pub(crate) fn find(path: &Path) -> Result<Given, Failure> {
    if !path.is_dir() {
        return Ok(Given::File);
    }
    if let Some(folder) = ModelFolder::open(path)? {
        return Ok(Given::Model(Box::new(folder)));
    }
    let within = |error: io::Error| Failure::usage(format!("`{}`: {error}", path.display()));
    let mut folders = vec![];
    for entry in fs::read_dir(path).map_err(within)? {
        let folder = entry.map_err(within)?.path();
        if folder.is_dir() {
            folders.push(folder);
        }
    }
    folders.sort();
    match folders.iter().any(|folder| is_model(folder)) {
        true => Ok(Given::Repository(folders)),
        false => {
            let text = format!(
                "`{}` is neither a model's folder, which has a `config.pbtxt` or versions such as `1`, nor a repository, \
                 which has folders of models",
                path.display()
            );
            Err(Failure::usage(text).hint("give a model's file, a model's folder or a repository"))
        }
    }
}

/// Whether a folder has a configuration or versions.
fn is_model(folder: &Path) -> bool {
    folder.join(CONFIG).exists() || !versions(folder).is_empty()
}

/// The versions that have folders.
fn versions(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| version(&entry.ok()?.file_name())).collect()
}

impl ModelFolder {
    /// Reads the configuration in a folder; `None` if the path is not a model's folder.
    pub(crate) fn open(path: &Path) -> Result<Option<ModelFolder>, Failure> {
        if !path.is_dir() {
            return Ok(None);
        }
        let versions = versions(path);
        let file = path.join(CONFIG);
        let (text, place) = match fs::read_to_string(&file) {
            Ok(text) => (text, file),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::usage(format!("`{}`: {error}", file.display())));
            }
            Err(_) if versions.is_empty() => return Ok(None),
            Err(_) => (String::new(), path.to_owned()),
        };
        let config = ModelConfig::from_text(&text);
        let config =
            config.map_err(|error| Failure::usage(format!("`{}`: {error}", place.display())))?;
        Ok(Some(ModelFolder { path: path.to_owned(), place, text, config, versions }))
    }

    /// The same about the configuration.
    fn within(&self, error: impl Display) -> Failure {
        Failure::usage(format!("`{}`: {error}", self.place.display()))
    }

    /// The versions that are served, the newest first. There is at least one.
    pub(crate) fn served(&self) -> Result<Vec<u64>, Failure> {
        let mut served = self.versions.clone();
        served.sort_unstable_by(|a, b| b.cmp(a));
        match self.config.version_policy.as_ref().map(|policy| &policy.choice) {
            Some(VersionPolicyChoice::All(_)) => {}
            Some(VersionPolicyChoice::Specific(listed)) => served.retain(|version| {
                listed.versions.iter().any(|listed| u64::try_from(*listed) == Ok(*version))
            }),
            Some(VersionPolicyChoice::Latest(latest)) => {
                served.truncate((latest.num_versions as usize).max(1));
            }
            Some(VersionPolicyChoice::Unset) | None => served.truncate(1),
        }
        if !served.is_empty() {
            return Ok(served);
        }
        let path = self.path.display();
        Err(match self.versions.is_empty() {
            true => Failure::usage(format!("model `{path}` has no version"))
                .hint("put the model's file into a folder `1`"),
            false => Failure::usage(format!(
                "model `{path}` has no version that its `version_policy` selects"
            )),
        })
    }

    /// The devices that the configuration names.
    pub(crate) fn device(&self) -> Option<&str> {
        self.config.parameter("device")
    }

    /// The configuration with the model's name and backend; `files` are those of a version.
    fn named(&self, files: &[&str]) -> Result<ModelConfig, Failure> {
        let name = fs::canonicalize(&self.path).ok();
        let name = name.as_deref().and_then(Path::file_name).unwrap_or_default();
        let mut config = self.config.clone();
        let named = config.complete_backend(&name.to_string_lossy(), files);
        named.map_err(|error| self.within(error)).map(|()| config)
    }

    /// Reads a version and checks it with the configuration. Warnings are added to `warnings`.
    pub(crate) fn load(
        &self,
        version: u64,
        hardware: &Hardware,
        warnings: &mut Vec<String>,
    ) -> Result<(Model, Served), Failure> {
        let folder = self.path.join(version.to_string());
        let mut config = self.named(&as_strs(&files(&folder)?))?;
        let disk = Disk::repository(&folder);
        let folder = VersionFolder { path: &folder.to_string_lossy(), files: &disk };
        let model = ModelFile::read(&config, &folder).map_err(Failure::usage)?;
        let within = |error: ConfigError| self.within(error);
        let filled = config.complete(model.signature(), DEFAULT_MAX_BATCH_SIZE).map_err(within)?;
        let host = host(&config, hardware).map_err(within)?;
        let without_gpu = config.fall_back(&host).map_err(within)?;
        config.normalize(&host);
        config.validate(&host).map_err(within)?;
        Labels::read(&config, |file| fs::read(self.path.join(file))).map_err(within)?;
        let mut log = |level, line: &str| {
            if level == LogLevel::Warning {
                warnings.push(line.to_owned());
            }
        };
        let setup = Setup::of(&config, model.signature(), hardware, &mut log);
        let setup = setup.map_err(|error| match error {
            ServeError::Config(error) => self.within(error),
            error => Failure::usage(error),
        })?;
        let devices = setup.placement.devices.join(", ");
        warnings.extend(without_gpu.iter().map(|field| self.without_gpu(field, &devices)));
        Ok((model.into_model(), Served { config, version, filled, setup }))
    }

    /// The warning that a field of the configuration asks for a GPU.
    fn without_gpu(&self, field: &str, devices: &str) -> String {
        let place = match ModelConfig::position(&self.text, field) {
            Some(Position { line, column }) => {
                format!("`{}`: {line}:{column}", self.place.display())
            }
            None => format!("`{}`", self.place.display()),
        };
        format!(
            "{place}: `{field}` asks for a GPU, and there is none here: the model runs on {devices}; a Triton Inference \
             Server without a GPU of NVIDIA refuses such a group: use KIND_CPU or KIND_MODEL there"
        )
    }
}

/// The machine as groups of instances see it: its GPUs are those that may run the model.
fn host(config: &ModelConfig, hardware: &Hardware) -> Result<Host, ConfigError> {
    let asked = Accelerators::of(config)?.requested;
    let asked = |name: &str| asked.iter().any(|accelerator| accelerator.name() == name);
    let accelerators = hardware.accelerators.iter().filter(|(name, _)| asked(name));
    let devices = hardware.devices.iter().chain(accelerators.map(|(_, device)| device));
    let names: BTreeSet<&str> = devices.map(|device| &*device.info().name).collect();
    let gpus = names.into_iter().filter(|name| is_gpu(name));
    Ok(Host { gpus: (0..).zip(gpus).map(|(number, _)| number).collect() })
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(folder)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", folder.display())))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

fn as_strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The number that a folder's name is, as the server writes it.
fn version(name: &std::ffi::OsStr) -> Option<u64> {
    let name = name.to_str()?;
    name.parse().ok().filter(|version: &u64| *version > 0 && version.to_string() == name)
}
