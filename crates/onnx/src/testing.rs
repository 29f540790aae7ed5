//! Models for unit tests.

use crate::proto::{
    AttributeProto, AttributeType, FunctionProto, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, TensorProto, ValueInfoProto,
};
use crate::{OnnxError, OnnxErrorKind, OnnxModel, tensor_proto, type_proto};
use bytes::Bytes;
use prost::Message;
use trident_ir::{Block, DType, Dim, Literal, OpKind, Type};

/// An attribute of any kind.
pub(crate) fn attr(name: &str, value: impl Into<AttributeProto>) -> AttributeProto {
    AttributeProto { name: name.into(), ..value.into() }
}

macro_rules! attr_from {
    ($($from:ty => $kind:ident, $field:ident: $value:expr;)*) => { $(
        impl From<$from> for AttributeProto {
            fn from(v: $from) -> AttributeProto {
                let value: fn($from) -> _ = $value;
                let r#type = AttributeType::$kind.into();
                AttributeProto { r#type, $field: value(v), ..Default::default() }
            }
        }
    )* };
}

attr_from! {
    i64 => Int, i: Some;
    f32 => Float, f: Some;
    &str => String, s: |v| Some(Bytes::copy_from_slice(v.as_bytes()));
    &[i64] => Ints, ints: |v| v.to_vec();
    &[f32] => Floats, floats: |v| v.to_vec();
    &[&str] => Strings, strings: |v| {
        v.iter().map(|s| Bytes::copy_from_slice(s.as_bytes())).collect()
    };
    GraphProto => Graph, g: |v| Some(Box::new(v));
    TensorProto => Tensor, t: |v| Some(Box::new(v));
}

/// A reference to an attribute of the function around a node.
pub(crate) fn attr_ref(name: &str, of: &str, kind: AttributeType) -> AttributeProto {
    let (name, ref_attr_name) = (name.into(), of.into());
    AttributeProto { name, ref_attr_name, r#type: kind.into(), ..Default::default() }
}

/// `"y, z = Add(a, b)"`; `domain.Op` for other operator sets.
pub(crate) fn node(text: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    let (output, call) = text.split_once('=').unwrap();
    let (op, input) = call.trim().strip_suffix(')').unwrap().split_once('(').unwrap();
    let (domain, op_type) = op.rsplit_once('.').unwrap_or(("", op));
    let names = |list: &str| match list.trim() {
        "" => vec![],
        list => list.split(',').map(|n| n.trim().to_owned()).collect(),
    };
    NodeProto {
        input: names(input),
        output: names(output),
        op_type: op_type.into(),
        domain: domain.into(),
        attribute,
        ..Default::default()
    }
}

/// A declaration of a value.
pub(crate) fn info(name: &str, ty: &Type) -> ValueInfoProto {
    ValueInfoProto { name: name.into(), r#type: Some(type_proto(ty)) }
}

/// An f32 tensor of this rank and unknown dimensions.
pub(crate) fn f32s(rank: usize) -> Type {
    Type::tensor(DType::F32, vec![Dim::Unknown; rank])
}

/// A graph; inputs and outputs are f32 tensors of unknown rank.
pub(crate) fn graph(inputs: &str, nodes: Vec<NodeProto>, outputs: &str) -> GraphProto {
    let infos = |names: &str| {
        let names = names.split_ascii_whitespace();
        names.map(|n| info(n, &Type::unranked(DType::F32))).collect()
    };
    GraphProto {
        name: "g".into(),
        node: nodes,
        input: infos(inputs),
        output: infos(outputs),
        ..Default::default()
    }
}

/// The same graph with no types declared for its outputs.
pub(crate) fn untyped(mut graph: GraphProto) -> GraphProto {
    graph.output.iter_mut().for_each(|o| o.r#type = None);
    graph
}

/// An initializer.
pub(crate) fn constant(name: &str, value: Literal) -> TensorProto {
    tensor_proto(name, &value)
}

/// A model of this graph in a version of `ai.onnx`; the other operator sets are imported as well.
pub(crate) fn model(opset: i64, graph: GraphProto) -> ModelProto {
    let import = |domain: &str, version| OperatorSetIdProto { domain: domain.into(), version };
    ModelProto {
        ir_version: 8,
        graph: Some(graph),
        opset_import: vec![
            import("", opset),
            import("ai.onnx.ml", 1),
            import("ai.onnx.preview", 1),
            import("ai.onnx.preview.training", 1),
            import("local", 1),
            import("com.microsoft", 1),
        ],
        ..Default::default()
    }
}

/// A function of domain `local`.
pub(crate) fn function(text: &str, nodes: Vec<NodeProto>) -> FunctionProto {
    let head = node(text, vec![]);
    FunctionProto {
        name: head.op_type,
        domain: "local".into(),
        input: head.input,
        output: head.output,
        node: nodes,
        opset_import: model(18, GraphProto::default()).opset_import,
        ..Default::default()
    }
}

pub(crate) fn load(model: &ModelProto) -> Result<OnnxModel, OnnxError> {
    crate::parse(model.encode_to_vec().into())
}

/// Why a model does not load.
pub(crate) fn fault(model: &ModelProto) -> OnnxErrorKind {
    load(model).unwrap_err().fault
}

/// The ops of a block in order, without constants; ops of regions are in braces.
pub(crate) fn ops(block: &Block) -> String {
    let ops = block.ops.iter().filter(|op| op.kind != OpKind::Constant);
    let text = |op: &trident_ir::Op| {
        let regions = op.regions.iter().map(|r| format!(" {{ {} }}", self::ops(r)));
        op.decl().name.to_owned() + &regions.collect::<String>()
    };
    ops.map(text).collect::<Vec<_>>().join(" ")
}

/// The ops that a graph becomes in a version of `ai.onnx`; the module is verified.
pub(crate) fn imported(opset: i64, graph: GraphProto) -> (OnnxModel, String) {
    let model = load(&model(opset, graph)).unwrap();
    model.module.verify().unwrap();
    let text = ops(&model.module.entry().unwrap().body);
    (model, text)
}
