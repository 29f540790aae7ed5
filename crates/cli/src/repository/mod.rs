//! Models in a repository of the Triton Inference Server: a folder with a configuration, and one for each version.

mod overview;
mod served;

pub(crate) use overview::Overview;
pub(crate) use served::Served;

use crate::failure::Failure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use trident_model::{Model, program_in};
use trident_serving::{
    FolderError, FolderVersion, Hardware, LogLevel, ModelFolder, ReadOptions, Setup,
};

/// The kinds of paths that users inspect.
pub(crate) enum Given {
    /// A model's file, or the folder of a Paddle model.
    File,
    /// A model's folder.
    Model(Box<ModelFolder>),
    /// The folders in a repository of models, in the order of their names.
    Repository(Vec<PathBuf>),
}

/// Finds out what a path is. A folder that has nothing to do with repositories is an error.
pub(crate) fn find(path: &Path) -> Result<Given, Failure> {
    let is_program = || !ModelFolder::is_model(path) && program_in(path).is_ok();
    if !path.is_dir() || is_program() {
        return Ok(Given::File);
    }
    if let Some(folder) = ModelFolder::open(path, None)? {
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
    match folders.iter().any(|folder| ModelFolder::is_model(folder)) {
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

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        Failure::usage(error)
    }
}

/// The devices that a model's configuration names.
pub(crate) fn device(folder: &ModelFolder) -> Option<&str> {
    folder.config().parameter("device")
}

/// Reads a version and checks it with the configuration. Warnings are added to `warnings`.
pub(crate) fn load(
    folder: &ModelFolder,
    version: u64,
    hardware: &Hardware,
    warnings: &mut Vec<String>,
) -> Result<(Model, Served), Failure> {
    let FolderVersion { config, file, defaulted, without_gpu, .. } =
        folder.read(version, hardware, &ReadOptions::default())?;
    let mut log = |level, line: &str| {
        if level == LogLevel::Warning {
            warnings.push(line.to_owned());
        }
    };
    let setup = Setup::of(&config, file.signature(), hardware, &mut log);
    let setup = setup.map_err(|error| folder.model_fault(error))?;
    let devices = setup.placement.devices.join(", ");
    warnings.extend(without_gpu.iter().map(|field| no_gpu(folder, field, &devices)));
    Ok((file.into_model(), Served { config, version, filled: defaulted, setup }))
}

/// The warning that a field of a configuration asks for a GPU.
fn no_gpu(folder: &ModelFolder, field: &str, devices: &str) -> String {
    let place = folder.place_of(field);
    format!(
        "{place} asks for a GPU, and there is none here: the model runs on {devices}; a Triton Inference Server without a GPU \
         of NVIDIA refuses such a group: use KIND_CPU or KIND_MODEL there"
    )
}
