//! Compiled models, `.mps` files, and loading of ONNX, Paddle and compiled models by their contents.
//!
//! [`load`] reads a model of any of these formats, and [`Model::session`] prepares it to run. [`Compiled::new`]
//! runs the passes over a model, [`Compiled::write`] stores the outcome. A compiled model loads without passes
//! and gives the same bits.
//!
//! A file is, in this order and with numbers in little endian:
//!
//! | bytes | hold |
//! |---|---|
//! | 128 | the header: mark, version of the layout, digest of the op table, sizes, digest of the header and the graph (`header.rs`) |
//! | any number | the graph: what is known of the model, its functions in the text form of [`trident_ir`] without their weights, a list of blocks (`graph.rs`) |
//! | multiples of 4096 | blocks of weights, each with its digest in the list (`blocks.rs`) |
//!
//! The digests (XXH3, 128 bits) cover every byte, so a file that was damaged is an error. They prove nothing about who wrote it: a
//! compiled model is as trustworthy as its source, like an ONNX file.

mod blocks;
mod error;
mod graph;
mod header;
mod interface;
mod paddle;
mod record;
mod warnings;
mod weights;

pub use error::{LoadError, LoadErrorKind};
pub use interface::Interface;
pub use paddle::program_in;
pub use warnings::{ContradictedOutput, warnings};

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use trident_engine::{Optimized, Options, PlanError, Session};
use trident_ir::{Module, ValueInfo};
use trident_onnx::files::{self, Disk, FileSource, Files};
use trident_onnx::{Info, OnnxModel};
use trident_runtime::Device;

/// A model of any format.
#[derive(Clone, Debug)]
pub enum Model {
    /// A model before its passes, from an ONNX file or Paddle's files.
    Source(SourceModel),
    /// A model after its passes.
    Compiled(Compiled),
}

/// A model as an importer gives it.
#[derive(Clone, Debug)]
pub struct SourceModel {
    /// A module with one function, and the model's metadata.
    pub module: Module,
    /// Inputs that a caller may leave out, with their declared types, as in [`OnnxModel::optional`].
    pub optional: Vec<ValueInfo>,
    /// The file's facts about itself. Those of a Paddle model name its format where ONNX has operator sets.
    pub info: Info,
}

impl From<OnnxModel> for SourceModel {
    fn from(model: OnnxModel) -> SourceModel {
        let OnnxModel { module, optional, info } = model;
        SourceModel { module, optional, info }
    }
}

/// A model after its passes, as `.mps` files hold it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The functions.
    pub optimized: Optimized,
    /// The facts about itself that the original file states.
    pub info: Info,
    /// Version of the Trident that compiled it.
    pub trident: String,
}

/// Loads a model of any format from the local disk. Data files of an ONNX model and parameters of a Paddle model are
/// in the folder of the file. The path may also be a folder that has a Paddle model in it.
pub fn load(path: impl AsRef<Path>) -> Result<Model, LoadError> {
    let path = path.as_ref();
    if path.is_dir() {
        return load(program_in(path)?);
    }
    let source =
        files::open(path).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    load_from(&*source, path, Some(&Disk::beside(path)))
}

/// Loads a model from any source. Its content decides whether it is a compiled model, and content and `name` whether it
/// is an ONNX or a Paddle model. `files` finds the data files of an ONNX model and the parameters of a Paddle model.
pub fn load_from(
    source: &dyn FileSource,
    name: impl AsRef<Path>,
    files: Option<&dyn Files>,
) -> Result<Model, LoadError> {
    let named_compiled = name.as_ref().extension().is_some_and(|e| e.eq_ignore_ascii_case("mps"));
    if source.size() == 0 {
        return Err(match named_compiled {
            true => LoadError::malformed("it is empty"),
            false => LoadError::Empty,
        });
    }
    if is_compiled(source)? {
        return Compiled::read(source).map(Model::Compiled);
    }
    if paddle::is_program(source, name.as_ref())? {
        return paddle::load(source, name.as_ref(), files).map(Model::Source);
    }
    let loaded = trident_onnx::load_from(source, files);
    loaded.map(|model| Model::Source(model.into())).map_err(|error| match named_compiled {
        true => LoadError::Neither(error),
        false => LoadError::Onnx(error),
    })
}

/// Whether a file starts as compiled models do, whatever its name is.
pub fn is_compiled(source: &dyn FileSource) -> Result<bool, LoadError> {
    let len = source.size().min(header::MARK.len() as u64);
    let start = source.read(0..len).map_err(LoadError::Read)?;
    Ok(start == header::MARK[..])
}

impl Model {
    /// Prepares the model to run. For a compiled model, devices and options must need the form that it was compiled in.
    pub fn session(
        self,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        match self {
            Model::Source(SourceModel { module, optional, .. }) => {
                Session::with_optional(module, optional, devices, options)
            }
            Model::Compiled(Compiled { optimized, .. }) => {
                Session::from_optimized(optimized, devices, options)
            }
        }
    }

    /// The facts about itself that the model's file states, also where the model was compiled from it.
    pub fn info(&self) -> &Info {
        match self {
            Model::Source(model) => &model.info,
            Model::Compiled(model) => &model.info,
        }
    }
}

impl Compiled {
    /// Runs the passes over a model, for sessions with these devices and options.
    pub fn new(
        model: SourceModel,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Compiled, PlanError> {
        let SourceModel { module, optional, info } = model;
        let optimized = Optimized::new(module, optional, devices, options)?;
        Ok(Compiled { optimized, info, trident: env!("CARGO_PKG_VERSION").to_owned() })
    }

    /// Writes the file. Equal models give equal files.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (graph, weights) = graph::encode(self).map_err(io::Error::other)?;
        let size = header::SIZE as u64 + graph.len() as u64 + weights.size();
        out.write_all(&header::Header::of(&graph, size).encode())?;
        out.write_all(&graph)?;
        weights.write(out)
    }

    /// Reads a file that [`Compiled::write`] has written.
    pub fn read(source: &dyn FileSource) -> Result<Compiled, LoadError> {
        let header = header::decode(source)?;
        let graph = header.graph(source)?;
        let compiled = graph::decode(&graph, &header, source);
        // Contradictions may be due to a file that changed while it was read.
        source.check().map_err(LoadError::Read)?;
        compiled
    }
}
