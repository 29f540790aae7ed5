//! ONNX files to graph functions, and back.
//!
//! [`load`] reads a model of any released operator set into one function of the IR. Older forms of operators are
//! translated to their newest form, functions of the model are expanded, and each large weight is read into separate
//! memory. [`export::export`] writes a model.

mod catalog;
mod contrib;
pub mod dtype;
mod error;
mod expand;
pub mod export;
mod external;
pub mod files;
mod import;
mod opset;
pub mod proto;
mod reader;
mod tensor;
#[cfg(test)]
mod testing;
mod types;
mod value;

pub use error::{ExternalFault, OnnxError, OnnxErrorKind, Place, TensorFault};
pub use tensor::tensor_proto;
pub use types::type_proto;
pub use value::{PbValue, read_tensor, read_value, write_value};

use bytes::Bytes;
use external::Folder;
use files::{Disk, FileSource, Files};
use prost::Message;
use reader::Reader;
use std::path::Path;
use trident_ir::{Module, Type, ValueInfo};

/// The oldest and the newest version of the file format that is read.
const IR_VERSIONS: (i64, i64) = (3, 14);

/// From this version of the file format on an input with an initializer is one that may be left out. Before, all
/// initializers had to be listed among the inputs; they are constants.
const OVERRIDABLE_FROM: i64 = 4;

/// A model that was loaded.
#[derive(Clone, Debug)]
pub struct OnnxModel {
    /// A module with one function, the model's graph, and the model's metadata.
    pub module: Module,
    /// Inputs that a caller may leave out, with their declared types: by these names the function has constants, which
    /// are the defaults.
    pub optional: Vec<ValueInfo>,
    /// The file's facts about itself.
    pub info: Info,
}

/// The facts that a model's file states about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Version of the file format.
    pub ir_version: i64,
    /// Imported operator sets and their versions.
    pub opsets: Vec<(String, i64)>,
    /// The program that wrote the file.
    pub producer_name: String,
    /// That program's version.
    pub producer_version: String,
    /// Reverse domain name of the model's owner.
    pub domain: String,
    /// Version of the model itself.
    pub model_version: i64,
    /// Documentation.
    pub doc: String,
    /// Name of the graph.
    pub graph_name: String,
    /// Documentation of the graph.
    pub graph_doc: String,
    /// The declared types of the first function's results, in their order. Element types agree with the function's, but sizes are
    /// the file's promise: they may be known where inference finds none, and a run may give others.
    pub outputs: Vec<Option<Type>>,
}

/// Loads a model of the local disk, whose data files are in its folder.
pub fn load(path: impl AsRef<Path>) -> Result<OnnxModel, OnnxError> {
    let path = path.as_ref();
    let source = files::open(path)
        .map_err(|source| OnnxErrorKind::Read { path: path.to_owned(), source })?;
    load_from(&*source, Some(&Disk::beside(path)))
}

/// Loads a model from the contents of its file. Data in other files are out of reach.
pub fn parse(bytes: Bytes) -> Result<OnnxModel, OnnxError> {
    load_from(&bytes, None)
}

/// Loads a model from wherever it is; `files` finds its data files.
pub fn load_from(
    source: &dyn FileSource,
    files: Option<&dyn Files>,
) -> Result<OnnxModel, OnnxError> {
    let mut reader = Reader::new(source);
    let decoded = proto::ModelProto::decode(&mut reader);
    // An error of reading looks like a file that ends too early.
    reader.finish().and_then(|()| source.check()).map_err(OnnxErrorKind::Source)?;
    let model = decoded.map_err(|source| OnnxErrorKind::Decode { what: "ONNX model", source })?;
    let folder = Folder::new(files);
    let model = convert(model, &folder)?;
    folder.check()?;
    Ok(model)
}

fn convert(model: proto::ModelProto, folder: &Folder<'_>) -> Result<OnnxModel, OnnxError> {
    let (oldest, newest) = IR_VERSIONS;
    if !(oldest..=newest).contains(&model.ir_version) {
        return Err(OnnxErrorKind::IrVersion { found: model.ir_version, oldest, newest }.into());
    }
    let graph = model.graph.as_ref().ok_or(OnnxErrorKind::NoGraph)?;
    let overridable = model.ir_version >= OVERRIDABLE_FROM;
    let (func, optional) =
        import::entry(graph, &model.opset_import, &model.functions, folder, overridable)?;
    let outputs = import::declared_outputs(graph)?;
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    let (graph_name, graph_doc) = (graph.name.clone(), text(&graph.doc_string));
    let metadata = model.metadata_props.iter().map(|e| (e.key.clone(), e.value.clone())).collect();
    let shown = |domain: &str| catalog::display(catalog::canonical(domain)).to_owned();
    Ok(OnnxModel {
        module: Module { funcs: vec![func], metadata },
        optional,
        info: Info {
            ir_version: model.ir_version,
            opsets: model.opset_import.iter().map(|o| (shown(&o.domain), o.version)).collect(),
            producer_name: model.producer_name,
            producer_version: model.producer_version,
            domain: model.domain,
            model_version: model.model_version,
            doc: text(&model.doc_string),
            graph_name,
            graph_doc,
            outputs,
        },
    })
}
