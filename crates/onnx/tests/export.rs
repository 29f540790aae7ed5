//! Exported models: what they declare, and that they read back as they were.
#![allow(clippy::unwrap_used)] // what fails there fails the test

mod common;

use common::normal;
use prost::Message;
use trident_ir::{Builder, DType, Dim, Literal, Module, OpKind, Type, ValueId, ValueInfo};
use trident_onnx::export::{ExportError, ExportSettings, ExternalWeights, export};
use trident_onnx::files::{self, Disk};
use trident_onnx::proto::{GraphProto, ModelProto, NodeProto};
use trident_onnx::{Info, OnnxModel, load_from};

/// A module of one function in the text form.
fn module(text: &str) -> Module {
    let module: Module = text.parse().unwrap();
    module.verify().unwrap();
    module
}

fn exported(module: &Module, settings: &ExportSettings) -> Result<Vec<u8>, ExportError> {
    let file = export(module, &[], &Info::default(), settings)?;
    let mut bytes = vec![];
    file.write(&mut bytes, &|_| {}).unwrap();
    assert_eq!(bytes.len() as u64, file.bytes(), "the size that was foretold");
    Ok(bytes)
}

fn message(text: &str) -> ModelProto {
    let bytes = exported(&module(text), &ExportSettings::default()).unwrap();
    ModelProto::decode(&bytes[..]).unwrap()
}

fn fault(text: &str, opset: Option<i64>) -> String {
    let settings = ExportSettings { opset, ..ExportSettings::default() };
    exported(&module(text), &settings).unwrap_err().to_string()
}

fn graph(model: &ModelProto) -> &GraphProto {
    model.graph.as_ref().unwrap()
}

/// `y, z = Op(a, b)` of each node; subgraphs in braces.
fn nodes(graph: &GraphProto) -> Vec<String> {
    let node = |node: &NodeProto| {
        let subgraphs = node.attribute.iter().filter_map(|a| a.g.as_ref());
        let inner: String =
            subgraphs.map(|graph| format!(" {{ {} }}", nodes(graph).join("; "))).collect();
        let (output, input) = (node.output.join(", "), node.input.join(", "));
        format!("{output} = {}({input}){inner}", node.op_type)
    };
    graph.node.iter().map(node).collect()
}

fn read_back(module: &Module) -> OnnxModel {
    let bytes = exported(module, &ExportSettings::default()).unwrap();
    let back = trident_onnx::parse(bytes.into()).unwrap();
    back.module.verify().unwrap();
    back
}

#[test]
fn a_module_reads_back_as_it_was() {
    let text = "func @net graph (%x: f32[N, 3, 4], %w: f16[?, 2]) {
        %axes = constant {value = i64[1](1)} loc(\"axes\")
        %k = constant {value = i64[1](2)} loc(\"k\")
        %words = constant {value = str[2](\"a\", \"\")} loc(\"words\")
        %none = constant {value = f32[0, 3]()} loc(\"none\")
        %half = constant {value = bf16[2](1, 2)} loc(\"half\")
        %nibbles = constant {value = i4[3](-1, 0, 7)} loc(\"nibbles\")
        %sum = reduce_sum(%x, %axes) {keepdims = 0} : f32[N, 4] loc(\"sum\")
        %best, %place = topk(%sum, %k) {largest = 0} : f32[N, 2], i64[N, 2] loc(\"best\")
        %wide = cast(%w) {to = f32} : f32[?, 2] loc(\"wide\")
        %y = gemm(%best, %wide) {trans_b = 1, alpha = 0.5} : f32[N, ?] loc(\"y\")
        %a = identity(%words) : str[2] loc(\"a\")
        %b = identity(%none) : f32[0, 3] loc(\"b\")
        %c = identity(%half) : bf16[2] loc(\"c\")
        %d = identity(%nibbles) : i4[3] loc(\"d\")
        return %y, %place, %a, %b, %c, %d
    }";
    let module = module(text);
    let back = read_back(&module);
    assert_eq!(normal(&back.module.funcs[0]), normal(&module.funcs[0]));
    assert_eq!(back.info.producer_name, "trident");
    // Values of 4 bits came with version 21, and version 10 of the file format.
    assert_eq!((back.info.opsets, back.info.ir_version), (vec![("ai.onnx".into(), 21)], 10));
    let places: Vec<String> =
        back.module.funcs[0].body.ops.iter().map(|op| op.describe()).collect();
    assert!(places.contains(&"gemm `y`".to_owned()), "{places:?}");
}

#[test]
fn the_oldest_operator_set_is_declared_that_has_every_op_as_it_is() {
    let declared = |body: &str| {
        let model = message(&format!("func @f graph (%x: f32[2], %i: i32[2]) {{ {body} }}"));
        (model.opset_import[0].version, model.ir_version)
    };
    assert_eq!(declared("%y = relu(%x) return %y"), (13, 7));
    // The element type decides, then the number of operands, then a text.
    assert_eq!(declared("%y = relu(%i) return %y"), (14, 7));
    let axes = "%a = constant {value = i64[1](0)}";
    assert_eq!(declared(&format!("{axes} %y = reduce_max(%x, %a) return %y")), (18, 8));
    let pads = "%p = constant {value = i64[2](1, 1)}";
    let pad = |mode: &str| format!("{pads} %y = pad(%x, %p) {{mode = \"{mode}\"}} return %y");
    assert_eq!([declared(&pad("edge")), declared(&pad("wrap"))], [(13, 7), (19, 9)]);
    assert_eq!(declared("%y = gelu(%x) return %y"), (20, 9));
    // The remainder of floats with the sign of the divisor was not defined for long.
    let remainder = |x: &str, fmod| format!("%y = mod({x}, {x}) {{fmod = {fmod}}} return %y");
    assert_eq!(declared(&remainder("%i", 0)), (13, 7));
    assert_eq!([declared(&remainder("%x", 1)), declared(&remainder("%x", 0))], [(13, 7), (28, 14)]);
    // Optional values came with version 15, and their copies with 16.
    let copied = "%o = optional(%x) %p = identity(%o) %y = optional_get_element(%p) return %y";
    assert_eq!(declared(copied), (16, 8));
    // A copy of a sequence, which came with version 14, is made for a result of a region that is none of its own.
    let passed = "%n = constant {value = i64[](2)} %s = sequence_construct(%x) \
        %t = loop(%n, _, %s) region (%k: i64[], %go: bool[], %v: seq<f32[*]>) { yield %go, %v } \
        %at = constant {value = i64[](0)} %y = sequence_at(%t, %at) return %y";
    assert_eq!(declared(passed), (14, 7));
}

#[test]
fn element_types_that_must_agree_in_some_versions_decide_too() {
    let scaled = |x: &str, scale: &str| {
        let model = message(&format!(
            "func @f graph (%x: {x}[2], %s: {scale}[]) {{ %y = quantize_linear(%x, %s) : u8[2] return %y }}"
        ));
        model.opset_import[0].version
    };
    assert_eq!([scaled("f32", "f32"), scaled("f16", "f16"), scaled("f16", "f32")], [13, 19, 23]);
    let normalized = |x: &str, scale: &str| {
        let model = message(&format!(
            "func @f graph (%x: {x}[2, 2], %s: {scale}[2]) {{
                %y = batch_normalization(%x, %s, %s, %s, %s) : {x}[2, 2] return %y
            }}"
        ));
        model.opset_import[0].version
    };
    assert_eq!([normalized("f16", "f16"), normalized("f16", "f32")], [14, 15]);
}

#[test]
fn a_demanded_operator_set_is_declared_or_refused() {
    let text = "func @f graph (%x: i32[2]) { %y = relu(%x) loc(\"layer\") return %y }";
    let settings = ExportSettings { opset: Some(17), ..ExportSettings::default() };
    let bytes = exported(&module(text), &settings).unwrap();
    let model = ModelProto::decode(&bytes[..]).unwrap();
    assert_eq!((model.opset_import[0].version, model.ir_version), (17, 8));
    let old = fault(text, Some(13));
    assert!(old.contains("relu `layer`") && old.contains("needs version 14"), "{old}");
    for opset in [12, 29, -1] {
        assert!(fault(text, Some(opset)).contains("versions 13 to 28"));
    }
}

#[test]
fn ops_that_the_standard_lacks_are_written_as_operators() {
    let swish = "func @f graph (%x: f16[2]) { %y = swish(%x) {alpha = 2.0} return %y }";
    let model = message(swish);
    let ops: Vec<&str> = graph(&model).node.iter().map(|node| &*node.op_type).collect();
    assert_eq!((ops, model.opset_import[0].version), (vec!["Mul", "Sigmoid", "Mul"], 13));
    let settings = ExportSettings { opset: Some(24), ..ExportSettings::default() };
    let bytes = exported(&module(swish), &settings).unwrap();
    assert_eq!(nodes(graph(&ModelProto::decode(&bytes[..]).unwrap())), ["y = Swish(x)"]);

    let rsqrt = message("func @f graph (%x: f32[2]) { %y = rsqrt(%x) return %y }");
    let ops: Vec<&str> = graph(&rsqrt).node.iter().map(|node| &*node.op_type).collect();
    assert_eq!(ops, ["Sqrt", "Div"]);
    let max = message("func @f graph (%x: f32[2]) { %y = max_num(%x, %x) return %y }");
    let ops: Vec<&str> = graph(&max).node.iter().map(|node| &*node.op_type).collect();
    assert_eq!(ops, ["IsNaN", "IsNaN", "Where", "Where", "Max"]);
}

#[test]
fn ops_without_a_form_are_refused_with_their_place() {
    let exp2 = fault("func @f graph (%x: f32[2]) { %y = exp2(%x) loc(\"layer\") return %y }", None);
    assert!(exp2.starts_with("exp2 `layer`: ONNX has no operator for it; hint: "), "{exp2}");
    let fused = "func @f graph (%x: f32[2, 2]) { %y = fused_matmul(%x, %x) return %y }";
    assert!(fault(fused, None).contains("fused_matmul"));
    let gone = "func @f graph (%x: f32[1, 1, 2, 2], %s: f32[4]) {
        %y = resize(%x, _, %s) {coordinate_transformation_mode = \"tf_half_pixel_for_nn\"} : f32[*] return %y
    }";
    assert!(fault(gone, None).contains("`tf_half_pixel_for_nn` from version 13 on"));
    let nibbles = "func @f graph (%x: u4[2]) { %y = add(%x, %x) loc(\"layer\") return %y }";
    let told = fault(nibbles, None);
    assert!(told.starts_with("add `layer`: no version of the ONNX operator Add takes operand 0"));
    assert!(told.contains("(`x`) as u4[2]; hint: "), "{told}");
}

#[test]
fn regions_become_subgraphs_with_results_of_their_own() {
    let text = "func @f graph (%n: i64[], %c: bool[], %x: f32[2]) {
        %y = if(%c) region { %one = constant {value = f32[2](1, 1)} yield %one } region { yield %x }
        %last, %all = loop(%n, %c, %y) region (%i: i64[], %go: bool[], %v: f32[2]) {
            %w = add(%v, %x)
            yield %go, %w, %w
        }
        return %last, %all
    }";
    let model = message(text);
    assert_eq!(
        nodes(graph(&model)),
        [
            "y = If(c) { one.1 = Identity(one) } { x.1 = Identity(x) }",
            "last, all = Loop(n, c, y) { w = Add(v, x); go.1 = Identity(go); w.1 = Identity(w) }",
        ]
    );
    let back = read_back(&module(text));
    let kinds: Vec<OpKind> = back.module.funcs[0].body.ops.iter().map(|op| op.kind).collect();
    assert_eq!(kinds, [OpKind::If, OpKind::Loop]);
}

#[test]
fn runtimes_know_the_shapes_within_a_scan() {
    let text = "func @f graph (%x: f32[3, 2]) {
        %y = scan(%x) {num_scan_inputs = 1} region (%v: f32[2]) { %w = neg(%v) : f32[2] yield %w }
        return %y
    }";
    let model = message(text);
    let body = graph(&model).node[0].attribute.iter().find_map(|a| a.g.as_ref()).unwrap();
    let ty = body.output[0].r#type.as_ref();
    assert_eq!(ty, Some(&trident_onnx::type_proto(&Type::tensor(DType::F32, [Dim::Fixed(2)]))));
}

#[test]
fn many_layers_of_one_name_are_told_apart() {
    let ops: String =
        (0..20_000).map(|i| format!("%v{} = neg(%v{i}) loc(\"layer\")\n", i + 1)).collect();
    let text = format!("func @f graph (%v0: f32[1]) {{ {ops} return %v20000 }}");
    let model = message(&text);
    assert_eq!(graph(&model).node[19_999].name, "layer.19999");
}

#[test]
fn nodes_have_names_of_their_own_and_unused_results_too() {
    let text = "func @f graph (%x: f32[4]) {
        %k = constant {value = i64[1](2)}
        %a = neg(%x) loc(\"layer\")
        _, %place = topk(%a, %k) loc(\"layer\")
        %b, _ = dropout(%a) loc(\"other\")
        return %place, %b
    }";
    let model = message(text);
    let names: Vec<&str> = graph(&model).node.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["layer", "layer.1", "other"]);
    assert_eq!(graph(&model).node[1].output, ["unused.1", "place"]);
    assert_eq!(graph(&model).node[2].output, ["b"]);
}

#[test]
fn inputs_that_may_be_left_out_stay_so() {
    let text = "func @f graph (%x: f32[N]) {
        %scale = constant {value = f32[1](3)}
        %y = mul(%x, %scale)
        return %y
    }";
    let optional =
        [ValueInfo { name: "scale".into(), ty: Type::tensor(DType::F32, [Dim::sym("S")]) }];
    let file = export(&module(text), &optional, &Info::default(), &ExportSettings::default());
    let mut bytes = vec![];
    file.unwrap().write(&mut bytes, &|_| {}).unwrap();
    let back = trident_onnx::parse(bytes.into()).unwrap();
    assert_eq!(back.optional, optional);
}

#[test]
fn large_weights_go_to_a_file_of_their_own() {
    let mut func = module("func @f graph (%x: f32[1, 1000]) { return %x }");
    let f = &mut func.funcs[0];
    let mut b = Builder::new(f);
    let weight =
        |n: usize, k: f32| Literal::vector(&(0..n).map(|i| i as f32 * k).collect::<Vec<_>>());
    let x = ValueId(0);
    let values = [weight(1000, 1.0), weight(1, 2.0), weight(1000, 0.5)].map(|w| b.literal(w));
    let mut y = x;
    for value in values {
        y = b.op(OpKind::Add, &[y, value]).unwrap();
    }
    f.body.ops = b.finish().ops;
    f.body.results = vec![y];
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model.onnx");
    let write = |external| {
        let settings =
            ExportSettings { external, data_name: "model.onnx.data".into(), opset: None };
        let file = export(&func, &[], &Info::default(), &settings).unwrap();
        let (mut model, mut data) = (vec![], vec![]);
        file.write(&mut model, &|_| {}).unwrap();
        file.write_data(&mut data, &|_| {}).unwrap();
        assert_eq!((model.len() as u64, data.len() as u64), (file.bytes(), file.data_bytes()));
        std::fs::write(&place, &model).unwrap();
        std::fs::write(folder.path().join("model.onnx.data"), &data).unwrap();
        let source = files::open(&place).unwrap();
        let back = load_from(&*source, Some(&Disk::beside(&place))).unwrap();
        assert_eq!(normal(&back.module.funcs[0]), normal(&func.funcs[0]));
        data.len()
    };
    // The second weight begins at the next page.
    assert_eq!(write(ExternalWeights::Always), 4096 + 4000);
    assert_eq!(write(ExternalWeights::From(1)), 8192 + 4000);
    assert_eq!(write(ExternalWeights::From(4001)), 0);
    assert_eq!(write(ExternalWeights::Auto), 0);
    assert_eq!(write(ExternalWeights::Never), 0);
}

#[test]
fn lists_of_integers_stay_in_the_file() {
    let sizes = vec!["1"; 200].join(", ");
    let text = format!(
        "func @f graph (%x: f32[200]) {{
            %sizes = constant {{value = i64[200]({sizes})}}
            %y = expand(%x, %sizes) : f32[*]
            return %y
        }}"
    );
    let settings = ExportSettings {
        external: ExternalWeights::From(1),
        data_name: "d".into(),
        ..ExportSettings::default()
    };
    let file = export(&module(&text), &[], &Info::default(), &settings).unwrap();
    assert_eq!(file.data_bytes(), 0);
}

#[test]
fn a_file_that_would_be_too_large_is_refused() {
    // Many views of one buffer: the constants take its memory once.
    let mut module = module("func @f graph (%x: f32[1]) { return %x }");
    let f = &mut module.funcs[0];
    let mut b = Builder::new(f);
    let large = Literal::from_bytes(DType::F32, vec![1 << 24], vec![0u8; 1 << 26].into()).unwrap();
    let mut y = ValueId(0);
    for _ in 0..33 {
        let w = b.literal(large.clone());
        y = b.op(OpKind::Add, &[y, w]).unwrap();
    }
    f.body.ops = b.finish().ops;
    f.body.results = vec![y];
    let file = |external| {
        let settings = ExportSettings { external, data_name: "d".into(), opset: None };
        export(&module, &[], &Info::default(), &settings)
    };
    let error = file(ExternalWeights::Never).err().unwrap().to_string();
    assert!(error.contains("--external-data"), "{error}");
    let auto = file(ExternalWeights::Auto).unwrap();
    assert_eq!(auto.data_bytes(), 33 << 26);
    assert!(auto.bytes() < 1 << 14);
}
