//! Reading a version of a model.

use super::{FolderError, ModelFolder};
use crate::accelerators::Accelerators;
use crate::complete::DEFAULT_MAX_BATCH_SIZE;
use crate::config::ModelConfig;
use crate::failure::ServeError;
use crate::invalid::ConfigError;
use crate::labels::Labels;
use crate::model::{Hardware, ModelFile, VersionFolder};
use crate::normalize::Host;
use crate::warmup::WarmupRequest;
use std::collections::BTreeSet;
use std::io;

/// How a server reads its models.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The batch size of models that have a batch dimension and no configuration of it.
    pub default_max_batch_size: i32,
    /// Whether what a configuration leaves out is filled in from the model.
    pub completes: bool,
    /// Whether instances on a GPU are refused where there is none.
    pub strict_instance_kind: bool,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            default_max_batch_size: DEFAULT_MAX_BATCH_SIZE,
            completes: true,
            strict_instance_kind: false,
        }
    }
}

/// A version of a model with its complete configuration.
pub struct FolderVersion {
    /// The configuration, complete and normalised.
    pub config: ModelConfig,
    /// The model.
    pub file: ModelFile,
    /// Labels of its outputs.
    pub labels: Labels,
    /// Whether the batch size is the default one.
    pub defaulted: bool,
    /// The fields of the configuration that ask for a GPU where there is none.
    pub without_gpu: Vec<String>,
}

impl ModelFolder {
    /// The configuration with the model's name and backend, by the files of a version; without a version, as ensembles have it.
    pub fn named(&self, version: Option<u64>) -> Result<ModelConfig, FolderError> {
        let files: Vec<String> = match version {
            Some(version) => {
                let folder = self.folder(version);
                let names = self.contents.names(&folder);
                names.map_err(|source| {
                    let place = self.contents.place(&folder);
                    FolderError::Read { place, source }
                })?
            }
            None => vec![],
        };
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let mut config = self.config.clone();
        let named = config.complete_backend(&self.name, &files);
        named.map_err(|error| self.kept(error)).map(|()| config)
    }

    /// Reads a version and completes its configuration.
    pub fn read(
        &self,
        version: u64,
        hardware: &Hardware,
        options: &ReadOptions,
    ) -> Result<FolderVersion, FolderError> {
        let mut config = self.named(Some(version))?;
        let folder = self.folder(version);
        let files = self.contents.files(&folder);
        let folder = VersionFolder { path: &self.contents.place(&folder), files: &*files };
        let file = ModelFile::read(&config, &folder);
        let file = file.map_err(|error| self.model_fault(error))?;
        let mut defaulted = false;
        if options.completes {
            let completed = config.complete(file.signature(), options.default_max_batch_size);
            defaulted = completed.map_err(|error| self.fault(error))?;
        }
        let host = Host::of(&config, hardware).map_err(|error| self.fault(error))?;
        let without_gpu = self.settle(&mut config, &host, options)?;
        let labels = self.labels(&config)?;
        Ok(FolderVersion { config, file, labels, defaulted, without_gpu })
    }

    /// Chooses the kind of instances, fills in defaults and checks a complete configuration. Returns the fields that ask for a GPU where
    /// there is none.
    pub fn settle(
        &self,
        config: &mut ModelConfig,
        host: &Host,
        options: &ReadOptions,
    ) -> Result<Vec<String>, FolderError> {
        let fault = |error| self.kept(error);
        let without_gpu = config.fall_back(host).map_err(fault)?;
        if options.strict_instance_kind
            && let Some(field) = without_gpu.first()
        {
            return Err(FolderError::InstanceKind { place: self.place_of(field) });
        }
        config.normalize(host);
        config.validate(host).map_err(fault)?;
        Ok(without_gpu)
    }

    /// The labels of a configuration's outputs.
    pub fn labels(&self, config: &ModelConfig) -> Result<Labels, FolderError> {
        Labels::read(config, |file: &str| self.file(file)).map_err(|error| self.fault(error))
    }

    /// The requests that run before the model is ready.
    pub fn warmup(&self, config: &ModelConfig) -> Result<Vec<WarmupRequest>, FolderError> {
        WarmupRequest::read(config, |file: &str| self.file(file)).map_err(|error| self.fault(error))
    }

    /// The content of a file in the folder: labels, a warm-up tensor, the first value of a state.
    pub fn file(&self, name: &str) -> io::Result<Vec<u8>> {
        Ok(self.contents.read(name)?.to_vec())
    }

    /// An error of the model: where the configuration is at fault, its place is named.
    pub fn model_fault(&self, error: ServeError) -> FolderError {
        let field = error.field(&self.config);
        if field.is_none() && !matches!(error, ServeError::Config(_)) {
            return FolderError::Model(Box::new(error));
        }
        let (place, source) = (self.place_of(&field.unwrap_or_default()), Box::new(error));
        FolderError::Config { place, source, is_told: true }
    }

    /// A contradiction in the configuration.
    pub fn fault(&self, error: ConfigError) -> FolderError {
        self.model_fault(error.into())
    }

    /// A contradiction that the Triton Inference Server finds before it loads the model, and writes to its log only.
    fn kept(&self, error: ConfigError) -> FolderError {
        match self.fault(error) {
            FolderError::Config { place, source, .. } => {
                FolderError::Config { place, source, is_told: false }
            }
            error => error,
        }
    }

    /// The folder of a version in this one.
    pub(super) fn folder(&self, version: u64) -> String {
        if self.is_bare { String::new() } else { version.to_string() }
    }
}

impl Host {
    /// The machine as groups of instances see it: its GPUs are those that may run the model.
    pub fn of(config: &ModelConfig, hardware: &Hardware) -> Result<Host, ConfigError> {
        let asked = Accelerators::of(config)?.requested;
        let asked = |name: &str| asked.iter().any(|accelerator| accelerator.name() == name);
        let accelerators = hardware.accelerators.iter().filter(|(name, _)| asked(name));
        let devices = hardware.devices.iter().chain(accelerators.map(|(_, device)| device));
        let names: BTreeSet<&str> = devices.map(|device| &*device.info().name).collect();
        let gpus = names.into_iter().filter(|name| (hardware.is_gpu)(name));
        Ok(Host { gpus: (0..).zip(gpus).map(|(number, _)| number).collect() })
    }
}
