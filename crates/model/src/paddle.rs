//! Paddle models: their files, and their facts in the form that ONNX models have.

use crate::SourceModel;
use crate::error::LoadError;
use bytes::Bytes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use trident_onnx::Info;
use trident_onnx::files::{FileSource, Files};
use trident_paddle::{
    PaddleError, PaddleErrorKind, PaddleFolder, PaddleInfo, PaddleModel, program_names,
};

/// The name of a program that has none, such as bytes in memory.
const UNNAMED: &str = "model";

/// Whether a file is a program of Paddle, by its name and its first bytes.
pub(crate) fn is_program(source: &dyn FileSource, name: &Path) -> Result<bool, LoadError> {
    let start = source.read(0..source.size().min(8)).map_err(LoadError::Read)?;
    Ok(trident_paddle::is_program(&name.to_string_lossy(), &start))
}

/// Loads the Paddle model of a program. `files` finds its parameters.
pub(crate) fn load(
    source: &dyn FileSource,
    name: &Path,
    files: Option<&dyn Files>,
) -> Result<SourceModel, LoadError> {
    let file = name.file_name().map_or(UNNAMED.into(), |name| name.to_string_lossy());
    let folder = Folder { program: &file, source, files, opened: RefCell::default() };
    let loaded = trident_paddle::load_from(&folder, &file);
    // Contradictions may be due to files that changed while they were read.
    folder.check().map_err(LoadError::Read)?;
    let PaddleModel { module, info } = loaded.map_err(LoadError::Paddle)?;
    Ok(SourceModel { module, optional: vec![], info: facts(info) })
}

/// The facts about a Paddle model: its format stands in the place of an operator set.
fn facts(info: PaddleInfo) -> Info {
    let PaddleInfo { format, format_version, paddle_version } = info;
    Info {
        opsets: vec![(format.to_owned(), format_version)],
        producer_name: "PaddlePaddle".to_owned(),
        producer_version: paddle_version.unwrap_or_default(),
        ..Info::default()
    }
}

/// The program of the Paddle model in a folder of the local disk: the file with a name that Paddle gives to programs, or
/// else the only one with the extension of one.
pub fn program_in(folder: &Path) -> Result<PathBuf, LoadError> {
    let named = program_names().iter().map(|name| folder.join(name));
    if let Some(found) = named.into_iter().find(|path| path.is_file()) {
        return Ok(found);
    }
    let open = |source| LoadError::Open { path: folder.to_owned(), source };
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).map_err(open)? {
        let path = entry.map_err(open)?.path();
        let is_program = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pdmodel") => true,
            // Folders of models have JSON files of other kinds, too.
            Some("json") => path.with_extension("pdiparams").is_file(),
            _ => false,
        };
        if is_program {
            found.push(path);
        }
    }
    found.sort();
    match &found[..] {
        [path] => Ok(path.clone()),
        [] => Err(LoadError::Paddle(PaddleError {
            file: folder.display().to_string(),
            place: None,
            fault: PaddleErrorKind::NoProgram {
                names: program_names().iter().map(|name| (*name).to_owned()).collect(),
            },
        })),
        _ => {
            let name = |path: &PathBuf| path.file_name().unwrap_or_default().display().to_string();
            Err(LoadError::Several { files: found.iter().map(name).collect() })
        }
    }
}

/// The files of a Paddle model. Each is opened once.
struct Folder<'a> {
    program: &'a str,
    source: &'a dyn FileSource,
    files: Option<&'a dyn Files>,
    opened: RefCell<HashMap<String, Rc<dyn FileSource>>>,
}

impl Folder<'_> {
    fn open(&self, name: &str) -> io::Result<Rc<dyn FileSource>> {
        if let Some(file) = self.opened.borrow().get(name) {
            return Ok(file.clone());
        }
        // Old models name a file for each parameter.
        let mut parts = Path::new(name).components();
        if name.is_empty() || !parts.all(|part| matches!(part, Component::Normal(_))) {
            let text = "it leads out of the model's folder";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        let files = self.files.ok_or(io::ErrorKind::NotFound)?;
        let file: Rc<dyn FileSource> = files.open(name)?.into();
        self.opened.borrow_mut().insert(name.to_owned(), file.clone());
        Ok(file)
    }

    /// An error if a file changed while parts of it were read.
    fn check(&self) -> io::Result<()> {
        self.source.check()?;
        self.opened.borrow().values().try_for_each(|file| file.check())
    }
}

impl PaddleFolder for Folder<'_> {
    fn size(&self, name: &str) -> io::Result<u64> {
        match name == self.program {
            true => Ok(self.source.size()),
            false => self.open(name).map(|file| file.size()),
        }
    }

    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Bytes> {
        match name == self.program {
            true => self.source.read(range),
            false => self.open(name)?.read(range),
        }
    }
}
