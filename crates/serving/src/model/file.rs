//! Reading a model's file.

use crate::complete::ModelSignature;
use crate::config::ModelConfig;
use crate::failure::ServeError;
use crate::normalize::PADDLE;
use std::io;
use std::path::{Component, Path};
use trident_model::{Model as Loaded, load_from};
use trident_onnx::files::{FileSource, Files};

/// The files that a version may have, in order of preference, if its configuration names no file or the first one,
/// which servers fill in for ONNX Runtime's models. If the first name is a folder, the file is in it.
/// `__model__` and `model.pdmodel` are the names of Triton's Paddle backend; newer Paddle writes the others.
pub const DEFAULT_FILES: [&str; 7] = [
    "model.onnx",
    "model.mps",
    "__model__",
    "model.pdmodel",
    "model.json",
    "inference.json",
    "inference.pdmodel",
];

/// The files that a version of a Paddle model may have.
pub(crate) const PADDLE_FILES: &[&str] = DEFAULT_FILES.split_at(2).1;

/// The folder of one version of a model.
pub struct VersionFolder<'a> {
    /// Its path, as error messages name it.
    pub path: &'a str,
    /// Finds its files. [`Disk::repository`](trident_onnx::files::Disk::repository) does for a folder of the local disk.
    pub files: &'a dyn Files,
}

/// A model's file after reading. A configuration is completed from it, and a session planned from it.
pub struct ModelFile {
    pub(super) model: Loaded,
    pub(super) signature: ModelSignature,
}

impl ModelFile {
    /// Reads the file that the configuration names, by default the first of [`DEFAULT_FILES`] that is there. An ONNX model or a compiled
    /// one may have either's name.
    pub fn read(config: &ModelConfig, folder: &VersionFolder<'_>) -> Result<ModelFile, ServeError> {
        let names = match &*config.default_model_filename {
            "" if config.backend == PADDLE => PADDLE_FILES,
            name if name.is_empty() || name == DEFAULT_FILES[0] => &DEFAULT_FILES[..],
            name => &[name],
        };
        let model = || config.name.clone();
        if let Some(file) = names.iter().find(|name| !is_inside(name)) {
            return Err(ServeError::Outside { model: model(), file: (*file).to_owned() });
        }
        let place = |name: &str| format!("{}/{name}", folder.path.trim_end_matches('/'));
        let fault = |name: &str, error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => ServeError::NotFound { model: model(), path: place(name) },
            _ => ServeError::Read { model: model(), path: place(name), source: error },
        };
        let found = names.iter().find_map(|&name| match folder.files.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some((name, opened)),
        });
        let (name, opened) = found.unwrap_or((names[0], Err(io::ErrorKind::NotFound.into())));
        let (loaded, path) = match opened {
            Ok(source) => (load_from(&*source, name, Some(folder.files)), place(name)),
            // A folder of this name holds the model, with its data files.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                let inner = format!("{name}/{}", DEFAULT_FILES[0]);
                let source = folder.files.open(&inner).map_err(|error| fault(&inner, error))?;
                let files = Inner { files: folder.files, folder: name };
                (load_from(&*source, &inner, Some(&files)), place(&inner))
            }
            Err(error) => return Err(fault(name, error)),
        };
        let loaded = loaded.map_err(|source| ServeError::File {
            model: model(),
            path: path.clone(),
            source: Box::new(source),
        })?;
        let interface = loaded.interface().map_err(|source| ServeError::Shapes {
            model: model(),
            path,
            source: Box::new(source),
        })?;
        let mut signature = ModelSignature::of(&config.name, &interface)?;
        signature.mixed_rows = loaded.independent_rows().err();
        Ok(ModelFile { model: loaded, signature })
    }

    /// The model itself.
    pub fn into_model(self) -> Loaded {
        self.model
    }

    /// The model's own inputs and outputs, for [`ModelConfig::complete`] and [`ModelConfig::check`].
    pub fn signature(&self) -> &ModelSignature {
        &self.signature
    }
}

/// Whether a name stands for a file in the folder: clients may send configurations.
fn is_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// A folder within a folder.
struct Inner<'a> {
    files: &'a dyn Files,
    folder: &'a str,
}

impl Files for Inner<'_> {
    fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        self.files.open(&format!("{}/{name}", self.folder))
    }
}
