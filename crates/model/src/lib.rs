//! Compiled models, `.mps` files, and loading of ONNX and compiled models by their contents.
//!
//! [`load`] reads an ONNX model or a compiled one, and [`Model::session`] prepares either to run. [`Compiled::new`]
//! runs the passes over an ONNX model, [`Compiled::write`] stores the outcome. A compiled model loads without passes
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
mod record;
mod weights;

pub use error::{LoadError, LoadErrorKind};
pub use interface::Interface;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use trident_engine::{Optimized, Options, PlanError, Session};
use trident_onnx::Info;
use trident_onnx::files::{self, Disk, FileSource, Files};
use trident_runtime::Device;

/// A model of either form.
#[derive(Clone, Debug)]
pub enum Model {
    /// An ONNX model.
    Onnx(trident_onnx::OnnxModel),
    /// A model after its passes.
    Compiled(Compiled),
}

/// A model after its passes, as `.mps` files hold it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The functions.
    pub optimized: Optimized,
    /// The ONNX file's facts about itself.
    pub info: Info,
    /// Version of the Trident that compiled it.
    pub trident: String,
}

/// Loads a model of either form from the local disk; data files of an ONNX model are in its folder.
pub fn load(path: impl AsRef<Path>) -> Result<Model, LoadError> {
    let path = path.as_ref();
    let source =
        files::open(path).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    load_from(&*source, path, Some(&Disk::beside(path)))
}

/// Loads an ONNX or compiled model from any source; its content decides which it is. `name` is for errors. `files`
/// finds the data files of an ONNX model.
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
    let loaded = trident_onnx::load_from(source, files).map(Model::Onnx);
    loaded.map_err(|error| match named_compiled {
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
            Model::Onnx(trident_onnx::OnnxModel { module, optional, .. }) => {
                Session::with_optional(module, optional, devices, options)
            }
            Model::Compiled(Compiled { optimized, .. }) => {
                Session::from_optimized(optimized, devices, options)
            }
        }
    }

    /// The ONNX file's facts about itself, also where the model was compiled from it.
    pub fn info(&self) -> &Info {
        match self {
            Model::Onnx(model) => &model.info,
            Model::Compiled(model) => &model.info,
        }
    }
}

impl Compiled {
    /// Runs the passes over an ONNX model, for sessions with these devices and options.
    pub fn new(
        model: trident_onnx::OnnxModel,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Compiled, PlanError> {
        let trident_onnx::OnnxModel { module, optional, info } = model;
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
