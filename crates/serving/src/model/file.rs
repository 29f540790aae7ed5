//! Reading a model's file.

use crate::complete::Signature;
use crate::config::ModelConfig;
use crate::failure::LoadError;
use std::collections::HashMap;
use std::io;
use std::path::{Component, Path};
use trident_onnx::files::{Files, Source};
use trident_onnx::{Model as Loaded, load_from};

/// The file that a version has if its configuration names none. A folder of this name has such a file in it.
const DEFAULT_FILE: &str = "model.onnx";

/// The folder of one version of a model.
pub struct VersionFolder<'a> {
    /// Its path, as error messages name it.
    pub path: &'a str,
    /// Finds its files. [`Disk::repository`](trident_onnx::files::Disk::repository) does for a folder of the local disk.
    pub files: &'a dyn Files,
}

/// A model's file that was read: what a configuration is completed from, and what is planned next.
pub struct ModelFile {
    pub(super) model: Loaded,
    pub(super) signature: Signature,
}

impl ModelFile {
    /// Reads the file that the configuration names, by default `model.onnx`.
    pub fn read(config: &ModelConfig, folder: &VersionFolder<'_>) -> Result<ModelFile, LoadError> {
        let name = match &*config.default_model_filename {
            "" => DEFAULT_FILE,
            name => name,
        };
        if !is_inside(name) {
            let (model, file) = (config.name.clone(), name.to_owned());
            return Err(LoadError::Outside { model, file });
        }
        let place = |name: &str| format!("{}/{name}", folder.path.trim_end_matches('/'));
        let fault = |name: &str, error: io::Error| {
            let (model, path) = (config.name.clone(), place(name));
            match error.kind() {
                io::ErrorKind::NotFound => LoadError::NotFound { model, path },
                _ => LoadError::Read { model, path, source: error },
            }
        };
        let (model, path) = match folder.files.open(name) {
            Ok(source) => (load(&*source, folder.files), place(name)),
            // A folder of this name holds the model, with its data files.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                let inner = format!("{name}/{DEFAULT_FILE}");
                let source = folder.files.open(&inner).map_err(|error| fault(&inner, error))?;
                let files = Inner { files: folder.files, folder: name };
                (load(&*source, &files), place(&inner))
            }
            Err(error) => return Err(fault(name, error)),
        };
        let name = || config.name.clone();
        let model = model.map_err(|source| LoadError::File {
            model: name(),
            path: path.clone(),
            source: Box::new(source),
        })?;
        let signature = signature(&config.name, &model, path)?;
        Ok(ModelFile { model, signature })
    }

    /// The model's own inputs and outputs, for [`ModelConfig::complete`] and [`ModelConfig::check`].
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

/// Whether a name stands for a file in the folder: clients may send configurations.
fn is_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Loads a model from its file: the place where a format of another kind is told apart.
fn load(source: &dyn Source, files: &dyn Files) -> Result<Loaded, trident_onnx::LoadError> {
    load_from(source, Some(files))
}

/// A folder within a folder.
struct Inner<'a> {
    files: &'a dyn Files,
    folder: &'a str,
}

impl Files for Inner<'_> {
    fn open(&self, name: &str) -> io::Result<Box<dyn Source>> {
        self.files.open(&format!("{}/{name}", self.folder))
    }
}

/// The signature, with shapes as they follow from the inputs.
fn signature(name: &str, model: &Loaded, path: String) -> Result<Signature, LoadError> {
    let Some(func) = model.module.entry() else { return Ok(Signature::default()) };
    // Shapes may follow from defaults of optional inputs, which the function to be planned must not rely on.
    let declared = Signature::of(name, func, &model.optional);
    let mut func = func.clone();
    trident_ir::shape::infer(&mut func, &HashMap::new()).map_err(|source| LoadError::Shapes {
        model: name.to_owned(),
        path,
        source: Box::new(source),
    })?;
    let mut signature = Signature::of(name, &func, &model.optional)?;
    // What is not inferred, the file may say.
    let declared = declared.map_or(vec![], |declared| declared.outputs);
    for (output, declared) in signature.outputs.iter_mut().zip(declared) {
        match (&mut output.dims, declared.dims) {
            (Some(own), Some(declared)) if own.len() == declared.len() => {
                let sizes = own.iter_mut().zip(declared).filter(|(own, _)| **own == -1);
                sizes.for_each(|(own, declared)| *own = declared);
            }
            (own @ None, declared) => *own = declared,
            _ => {}
        }
    }
    Ok(signature)
}
