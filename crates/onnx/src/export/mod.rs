//! Functions of the IR to ONNX files.
//!
//! [`export`] writes a model as the standard's operators: most graph ops are one, because their rows have its operands
//! and attributes. [`lower`] rewrites the others, and an op without a form in ONNX is an error.
//! [`operators`] finds the oldest operator set that has every node in its present meaning; the model declares it, so
//! that older runtimes read the file as well.
//!
//! Constants become initializers. [`OnnxFile::write`] sends them to the file one by one: beside the graph, only one
//! weight is encoded in memory at a time.

mod error;
mod file;
mod graph;
mod lower;
mod names;
mod operators;
mod stored;

pub use error::ExportError;
pub use file::{ExternalWeights, OnnxFile};

use crate::Info;
use crate::proto::{ModelProto, OperatorSetIdProto, StringStringEntryProto};
use bytes::Bytes;
use graph::Graphs;
use operators::Versions;
use prost::Message;
use trident_ir::{Level, Module, ValueInfo};

/// The choices of an export.
#[derive(Clone, Debug, Default)]
pub struct ExportSettings {
    /// The version of `ai.onnx` to declare; without it, the oldest one that has all operators of the model.
    pub opset: Option<i64>,
    /// Which weights go to a file of their own.
    pub external: ExternalWeights,
    /// The name of that file, which the model refers to. It is in the model's folder.
    pub data_name: String,
}

/// The producer that exported models name.
const PRODUCER: &str = "trident";

/// Whether a file is an exported model with weights in a file called `data_name`.
pub fn has_data_in(model: &[u8], data_name: &str) -> bool {
    let Ok(model) = ModelProto::decode(model) else { return false };
    let weights = model.graph.map(|graph| graph.initializer).unwrap_or_default();
    let mut entries = weights.iter().flat_map(|weight| &weight.external_data);
    model.producer_name == PRODUCER
        && entries.any(|entry| entry.key == "location" && entry.value == data_name)
}

/// Writes a module as an ONNX model. `optional` are the inputs that a caller may leave out, as in
/// [`OnnxModel::optional`](crate::OnnxModel::optional). The file names Trident as its producer; other facts are those of `info`.
///
/// # Errors
/// If an op has no form in ONNX, or none in the demanded operator set, and if weights do not fit in the file.
pub fn export(
    module: &Module,
    optional: &[ValueInfo],
    info: &Info,
    settings: &ExportSettings,
) -> Result<OnnxFile, ExportError> {
    let [func] = &module.funcs[..] else {
        return Err(ExportError::Functions { found: module.funcs.len() });
    };
    if func.level != Level::Graph {
        return Err(ExportError::Level { found: func.level });
    }
    let func = lower::lowered(func, operators::limit(settings.opset)?)?;
    let versions = Versions::of(&func, settings.opset)?;
    let mut graphs = Graphs::new(&func, &versions);
    let (mut graph, weights) = graphs.main(optional, &info.outputs)?;
    if !info.graph_name.is_empty() {
        graph.name.clone_from(&info.graph_name);
    }
    graph.doc_string = Bytes::copy_from_slice(info.graph_doc.as_bytes());
    let metadata = module.metadata.iter();
    let model = ModelProto {
        ir_version: versions.ir_version(),
        producer_name: PRODUCER.to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        domain: info.domain.clone(),
        model_version: info.model_version,
        doc_string: Bytes::copy_from_slice(info.doc.as_bytes()),
        graph: Some(graph),
        opset_import: versions
            .iter()
            .map(|(domain, version)| OperatorSetIdProto { domain: domain.to_owned(), version })
            .collect(),
        metadata_props: metadata
            .map(|(key, value)| StringStringEntryProto { key: key.clone(), value: value.clone() })
            .collect(),
        functions: vec![],
    };
    OnnxFile::new(model, weights, settings)
}
