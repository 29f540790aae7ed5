//! Tests of graphs, functions and subgraphs, and of the errors for those that do not hold together.

mod attributes;
mod functions;
mod nodes;
mod subgraphs;

use crate::proto::{AttributeType, GraphProto, ModelProto, NodeProto};
use crate::testing::{
    attr, attr_ref, constant, f32s, fault, function, graph, imported, info, load, model, node, ops,
    untyped,
};
use crate::{OnnxErrorKind, proto};
use bytes::Bytes;
use trident_ir::op::TypeError;
use trident_ir::{DType, Literal, Loc, OpKind, Type};

fn plain(text: &str) -> NodeProto {
    node(text, vec![])
}

fn fault_of(nodes: Vec<NodeProto>, result: &str) -> OnnxErrorKind {
    fault(&model(18, graph("a b", nodes, result)))
}

#[test]
fn a_model_and_what_it_tells_of_itself() {
    let mut m = model(18, graph("a b", vec![plain("c = Add(a, b)"), plain("y = Relu(c)")], "y"));
    m.producer_name = "writer".into();
    m.doc_string = Bytes::from_static(b"caf\xe9");
    let (key, value) = ("author".into(), "me".into());
    m.metadata_props.push(proto::StringStringEntryProto { key, value });
    let loaded = load(&m).unwrap();
    let func = loaded.module.entry().unwrap();
    assert_eq!(ops(&func.body), "add relu");
    assert_eq!(func.info(func.body.results[0]).name, "y");
    assert_eq!(func.body.ops[0].loc, Some(Loc::node("c")));
    assert_eq!(loaded.module.metadata["author"], "me");
    assert_eq!(
        (loaded.info.producer_name.as_str(), loaded.info.doc.as_str()),
        ("writer", "caf\u{fffd}")
    );
    assert_eq!(loaded.info.opsets[0], ("ai.onnx".to_owned(), 18));
}

#[test]
fn initializers_among_the_inputs_are_defaults() {
    let mut g = graph("w a", vec![plain("y = Add(a, w)")], "y");
    g.initializer = vec![constant("w", Literal::scalar(2f32))];
    let (loaded, text) = imported(18, g.clone());
    assert_eq!(text, "add");
    let func = loaded.module.entry().unwrap();
    assert_eq!(func.body.params.len(), 1);
    let constant = trident_ir::ops::Constant::of(&func.body.ops[0]).unwrap();
    assert_eq!(*constant.value(), Literal::scalar(2f32));
    assert_eq!(func.info(func.body.ops[0].outputs[0].unwrap()).ty, Type::fixed(DType::F32, &[]));
    let [w] = &loaded.optional[..] else { panic!() };
    assert_eq!((w.name.as_str(), &w.ty), ("w", &Type::unranked(DType::F32)));
    // Where every initializer has to be listed, they are constants.
    let mut old = model(8, g.clone());
    old.ir_version = 3;
    assert_eq!(load(&old).unwrap().optional, []);
    g.input[0] = info("w", &f32s(1));
    assert!(
        matches!(fault(&model(18, g.clone())), OnnxErrorKind::Declared { tensor, .. } if tensor == "w")
    );
    g.input[0] = info("w", &Type::fixed(DType::I64, &[]));
    assert!(matches!(fault(&model(18, g.clone())), OnnxErrorKind::Declared { .. }));
    g.input[0].r#type = None;
    g.initializer.push(g.initializer[0].clone());
    assert!(matches!(fault(&model(18, g)), OnnxErrorKind::DefinedTwice { .. }));
}

#[test]
fn results_keep_their_names() {
    let mut g = graph("a", vec![plain("b = Relu(a)")], "a b b");
    g.output[2].name = "b".into();
    let (model, text) = imported(18, g);
    assert_eq!(text, "relu identity");
    let func = model.module.entry().unwrap();
    let names: Vec<_> = func.body.results.iter().map(|v| func.info(*v).name.as_str()).collect();
    assert_eq!(names, ["a", "b", "b.1"]);
}

#[test]
fn versions_outside_what_is_known() {
    let good = || model(18, graph("a", vec![plain("y = Relu(a)")], "y"));
    let mut m = good();
    m.ir_version = 15;
    assert!(matches!(fault(&m), OnnxErrorKind::IrVersion { found: 15, oldest: 3, newest: 14 }));
    m.ir_version = 0;
    assert!(matches!(fault(&m), OnnxErrorKind::IrVersion { .. }));
    for version in [0, 29, -1, i64::MAX] {
        let m = model(version, graph("a", vec![plain("y = Relu(a)")], "y"));
        assert!(matches!(fault(&m), OnnxErrorKind::Opset { newest: 28, .. }));
    }
    // Only the standard's operator sets have versions that are known.
    let mut m = good();
    for import in m.opset_import.iter_mut().filter(|i| i.domain == "com.microsoft") {
        import.version = 7;
    }
    load(&m).unwrap();
    let mut m = good();
    m.graph = None;
    assert!(matches!(fault(&m), OnnxErrorKind::NoGraph));
    let error = crate::parse(Bytes::from_static(b"\x0a\xff")).unwrap_err();
    assert!(
        matches!(error.fault, OnnxErrorKind::Decode { .. })
            && error.to_string().contains("complete")
    );
    let error = crate::load("no/such/file.onnx").unwrap_err();
    assert!(matches!(error.fault, OnnxErrorKind::Read { .. }));
}

#[test]
fn constants_are_kept_as_they_are() {
    let mut g = graph("a", vec![plain("y = Add(a, w)")], "y");
    g.initializer = vec![constant("w", Literal::vector(&[1f32, 2.0]))];
    let (model, _) = imported(18, g);
    let func = model.module.entry().unwrap();
    let op = func.body.ops.iter().find(|op| op.kind == OpKind::Constant).unwrap();
    let constant = trident_ir::ops::Constant::of(op).unwrap();
    assert_eq!(*constant.value(), Literal::vector(&[1f32, 2.0]));
    assert_eq!(func.info(op.output(0).unwrap()).name, "w");
}
