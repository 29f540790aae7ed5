//! Finding models in the folders of a repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use trident_serving::{Fault, ModelConfig, ModelFolder};

use super::{LoadOptions, Look, Repository};

/// The longest name of a file or folder.
const LONGEST: usize = 255;

impl Repository {
    /// The names of all models that have folders, as far as the repository can be read.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.look().names
    }

    /// Looks for the folders of models.
    pub(super) fn look(&self) -> Look {
        let mut look = Look::default();
        for folder in &self.options.folders {
            match self.bare(folder) {
                Some(name) => drop(look.names.insert(name)),
                None => look.add(folder),
            }
        }
        look
    }

    /// The name of the model whose file is in a repository's folder itself.
    fn bare(&self, folder: &Path) -> Option<String> {
        // This is asked for each model, so that a repository's folder is listed only if it may be a model's.
        if !ModelFolder::has_file(folder) {
            return None;
        }
        let opened = ModelFolder::open(folder, None).ok().flatten()?;
        let name = || self.options.bare_name.clone();
        opened.is_bare().then(|| name().unwrap_or_else(|| opened.name().to_owned()))
    }

    /// The folder of a model.
    fn path(&self, name: &str) -> Result<Option<PathBuf>, String> {
        let mut paths = vec![];
        for folder in &self.options.folders {
            match self.bare(folder) {
                Some(bare) if bare == name => paths.push(folder.clone()),
                Some(_) => {}
                None => paths.push(folder.join(name)),
            }
        }
        paths.retain(|path| path.is_dir());
        match &*paths {
            [] => Ok(None),
            [path] => Ok(Some(path.clone())),
            [first, second, ..] => Err(format!(
                "model '{name}' is in two repositories, `{}` and `{}`",
                first.display(),
                second.display()
            )),
        }
    }

    /// The folder of a model on the disk; `None` if there is none.
    pub(super) fn folder(&self, name: &str) -> Result<Option<ModelFolder>, Fault> {
        let Some(path) = self.path(name).map_err(Fault::internal)? else { return Ok(None) };
        let opened = ModelFolder::open(&path, self.options.config_name.as_deref());
        let opened =
            opened.map_err(|error| Fault { code: error.code(), text: error.to_string() })?;
        let missing = || {
            let place = path.display();
            Fault::internal(format_args!(
                "`{place}` has neither a `config.pbtxt` nor versions such as `1`, nor a model's file such as `model.onnx`"
            ))
        };
        opened.map(|folder| Some(folder.renamed(name))).ok_or_else(missing)
    }
}

/// The folder of a model with the parts that a client has sent, beside the folder on the disk.
pub(super) fn sent(
    name: &str,
    options: LoadOptions,
    on_disk: Result<Option<ModelFolder>, Fault>,
) -> Result<ModelFolder, String> {
    let Some(config) = &options.config else {
        return Err("files were sent without a configuration: add the parameter `config`".into());
    };
    let config = ModelConfig::from_json(config);
    let config = config.map_err(|error| format!("the configuration that was sent: {error}"))?;
    let missing = || "the repository has no folder of this name".to_owned();
    if options.files.is_empty() {
        let folder = on_disk.map_err(|fault| fault.text)?;
        return folder.map(|folder| folder.with_config(config)).ok_or_else(missing);
    }
    let mut files = BTreeMap::new();
    for (path, bytes) in options.files {
        let path = path.strip_prefix("file:").unwrap_or(&path).to_owned();
        check_path(&path)?;
        files.insert(path, bytes);
    }
    let folder = ModelFolder::in_memory(name, files).map_err(|error| error.to_string())?;
    let missing = || "no file of a version was sent, such as `file:1/model.onnx`".to_owned();
    folder.map(|folder| folder.with_config(config)).ok_or_else(missing)
}

/// An error unless a model's name is the name of a folder in the repository.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    check_path(name)?;
    match name.contains('/') {
        true => Err(format!("'{name}' is not the name of a folder")),
        false => Ok(()),
    }
}

/// An error unless a path stays in its folder, and may exist.
fn check_path(path: &str) -> Result<(), String> {
    let parts = Path::new(path).components();
    let is_inner = |part: Component<'_>| matches!(part, Component::Normal(_));
    if path.is_empty() || path.contains('\0') || !parts.clone().all(is_inner) {
        return Err(format!("'{path}' does not name a file or folder inside of the repository"));
    }
    match path.split('/').find(|part| part.len() > LONGEST) {
        Some(part) => Err(format!("a name of {} bytes is too long for a file", part.len())),
        None => Ok(()),
    }
}
