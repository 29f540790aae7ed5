//! Models made for tests, in folders that exist in memory only.

use bytes::Bytes;
use prost::Message;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_ir::{DType, Dim, Literal, Type};
use trident_onnx::files::{FileSource, Files};
use trident_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, ValueInfoProto,
};
use trident_onnx::{tensor_proto, type_proto};
use trident_runtime::Device;
use trident_serving::{
    DataType, Hardware, Host, InferenceRequest, Input, ModelConfig, ModelFile, Part, Response,
    ServeError, ServedModel, VersionFolder,
};

/// A folder in memory. Names with a `/` at their end are folders.
#[derive(Default)]
pub(crate) struct Folder(pub(crate) HashMap<String, Bytes>);

impl Files for Folder {
    fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        if self.0.contains_key(&format!("{name}/")) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let found = self.0.get(name).cloned().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(found))
    }
}

impl Folder {
    pub(crate) fn of<const N: usize>(files: [(&str, Bytes); N]) -> Folder {
        Folder(files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect())
    }
}

/// A tensor type: `dims` are numbers, names, or `?`.
pub(crate) fn tensor(dtype: DType, dims: &str) -> Type {
    let dim = |text: &str| match text.parse() {
        Ok(n) => Dim::Fixed(n),
        Err(_) if text == "?" => Dim::Unknown,
        Err(_) => Dim::sym(text),
    };
    Type::tensor(dtype, dims.split_whitespace().map(dim).collect::<Vec<_>>())
}

/// `"y, z = Add(a, b)"`.
pub(crate) fn node(text: &str) -> NodeProto {
    let (output, call) = text.split_once('=').unwrap();
    let (op, input) = call.trim().strip_suffix(')').unwrap().split_once('(').unwrap();
    let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect();
    NodeProto {
        input: names(input),
        output: names(output),
        op_type: op.into(),
        ..Default::default()
    }
}

/// A node with an attribute that is an integer.
pub(crate) fn node_with(text: &str, attribute: &str, value: i64) -> NodeProto {
    let attribute =
        AttributeProto { name: attribute.into(), r#type: 2, i: Some(value), ..Default::default() };
    NodeProto { attribute: vec![attribute], ..node(text) }
}

/// A graph. Types of outputs follow from the inputs.
pub(crate) fn graph(
    inputs: &[(&str, Type)],
    nodes: Vec<NodeProto>,
    outputs: &[&str],
) -> GraphProto {
    let input = |(name, ty): &(&str, Type)| ValueInfoProto {
        name: (*name).into(),
        r#type: Some(type_proto(ty)),
    };
    let output = |name: &&str| ValueInfoProto { name: (*name).into(), r#type: None };
    GraphProto {
        name: "main_graph".into(),
        input: inputs.iter().map(input).collect(),
        node: nodes,
        output: outputs.iter().map(output).collect(),
        ..Default::default()
    }
}

pub(crate) fn constant(graph: &mut GraphProto, name: &str, value: Literal) {
    graph.initializer.push(tensor_proto(name, &value));
}

pub(crate) fn encoded(graph: GraphProto) -> Bytes {
    let opset = OperatorSetIdProto { domain: String::new(), version: 21 };
    let model = ModelProto {
        ir_version: 10,
        graph: Some(graph),
        opset_import: vec![opset],
        ..Default::default()
    };
    model.encode_to_vec().into()
}

/// One CPU with two threads.
pub(crate) fn hardware() -> Hardware {
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(2));
    Hardware {
        devices: vec![Arc::clone(&cpu)],
        folder: cpu,
        accelerators: vec![],
        is_gpu: |_| false,
    }
}

/// A configuration with what loading fills in, from the model too.
pub(crate) fn completed(
    text: &str,
    files: &dyn Files,
) -> Result<(ModelFile, ModelConfig), ServeError> {
    let mut config = ModelConfig::from_text(text).unwrap();
    config.complete_backend(&config.name.clone(), &["model.onnx"]).unwrap();
    let file = ModelFile::read(&config, &VersionFolder { path: "models/m/1", files })?;
    config.complete(file.signature(), 0)?;
    config.normalize(&Host::default());
    config.validate(&Host::default())?;
    Ok((file, config))
}

/// A model whose configuration is completed from the graph.
pub(crate) fn load(config: &str, graph: GraphProto) -> Result<ServedModel, ServeError> {
    load_on(config, graph, &hardware()).map(|(model, _)| model)
}

/// The same on other hardware, with the log.
pub(crate) fn load_on(
    config: &str,
    graph: GraphProto,
    hardware: &Hardware,
) -> Result<(ServedModel, Vec<String>), ServeError> {
    let files = Folder::of([("model.onnx", encoded(graph))]);
    let (file, config) = completed(config, &files)?;
    let mut log = vec![];
    let model = ServedModel::new(file, &config, hardware, &mut |level, line| {
        log.push(format!("{level:?}: {line}"));
    })?;
    Ok((model, log))
}

/// `y = x + w` for rows of 3 numbers; `w` is 10, 20, 30.
pub(crate) fn add() -> GraphProto {
    let x = ("x", tensor(DType::F32, "N 3"));
    let mut graph = graph(&[x], vec![node("y = Add(x, w)")], &["y"]);
    constant(&mut graph, "w", Literal::vector(&[10.0f32, 20.0, 30.0]));
    graph
}

/// Little-endian bytes of numbers.
pub(crate) fn bytes<T: bytemuck::Pod>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

pub(crate) fn strings(values: &[&[u8]]) -> Vec<u8> {
    let length = |value: &[u8]| u32::try_from(value.len()).unwrap().to_le_bytes();
    values.iter().flat_map(|value| [&length(value)[..], value].concat()).collect()
}

pub(crate) fn input<'a>(
    name: &'a str,
    data_type: DataType,
    shape: &[i64],
    parts: &[&'a [u8]],
) -> Input<'a> {
    let data = parts.iter().map(|part| Part::Borrowed(part)).collect();
    Input { name: name.into(), data_type, shape: shape.to_vec(), data }
}

pub(crate) fn request(inputs: Vec<Input<'_>>) -> InferenceRequest<'_> {
    InferenceRequest { inputs, ..InferenceRequest::default() }
}

/// The response to the only request.
pub(crate) fn answer(
    model: &ServedModel,
    request: InferenceRequest<'_>,
) -> Result<Response, String> {
    let mut execution = model.execute([request]);
    assert_eq!(execution.responses.len(), 1);
    execution.responses.remove(0).map_err(|error| format!("{:?}: {error}", error.code()))
}
