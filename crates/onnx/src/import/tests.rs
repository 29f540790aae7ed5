//! Tests of graphs, functions and subgraphs, and of the errors for those that do not hold together.

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
fn operators_that_are_not_there() {
    let unknown = fault_of(vec![plain("y = Fancy(a)")], "y");
    assert!(matches!(unknown, OnnxErrorKind::UnknownOp { version: 18, .. }));
    // Ops of the IR that the standard does not have cannot be named by a model.
    assert!(matches!(
        fault_of(vec![plain("y = FusedConv(a, b)")], "y"),
        OnnxErrorKind::UnknownOp { .. }
    ));
    // Nor are the standard's operators and the IR's own those of another operator set.
    for text in [
        "y = ai.onnx.ml.Abs(a)",
        "y = com.microsoft.Attention(a, b, a)",
        "y = SkipLayerNormalization(a, b, a)",
        "y = FusedMatMul(a, b)",
        "y = MatMulNBits(a, b, a)",
        "y = com.microsoft.CastLike(a, b)",
    ] {
        let fault = fault_of(vec![plain(text)], "y");
        assert!(matches!(fault, OnnxErrorKind::UnknownOp { .. }), "{text}");
    }
    let newer = fault_of(vec![plain("y = Swish(a)")], "y");
    assert!(matches!(newer, OnnxErrorKind::TooNew { version: 18, since: 24, .. }));
    let absent = fault_of(vec![plain("y = elsewhere.Op(a)")], "y");
    assert!(matches!(absent, OnnxErrorKind::NotImported { .. }));
    let gradient = fault_of(vec![plain("y = ai.onnx.preview.training.Gradient(a)")], "y");
    assert!(matches!(gradient, OnnxErrorKind::Unsupported { .. }));
    let error = load(&model(18, graph("a", vec![plain("y = com.microsoft.Conv(a)")], "y")));
    let text = error.unwrap_err().to_string();
    for part in ["Conv `y` in `g`", "`com.microsoft` version 1", "ONNX Runtime"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn values_that_are_missing_or_defined_twice() {
    let missing = fault_of(vec![plain("y = Add(a, q)")], "y");
    assert!(matches!(missing, OnnxErrorKind::Undefined { tensor } if tensor == "q"));
    assert!(matches!(fault_of(vec![plain("y = Relu(a)")], "z"), OnnxErrorKind::Undefined { .. }));
    let twice = fault_of(vec![plain("y = Relu(a)"), plain("y = Relu(b)")], "y");
    assert!(matches!(twice, OnnxErrorKind::DefinedTwice { tensor } if tensor == "y"));
    assert!(matches!(
        fault_of(vec![plain("a = Relu(b)")], "a"),
        OnnxErrorKind::DefinedTwice { .. }
    ));
    assert!(matches!(
        fault_of(vec![plain("y, y = Split(a)")], "y"),
        OnnxErrorKind::DefinedTwice { .. }
    ));
    let inputs = fault(&model(18, graph("a a", vec![], "a")));
    assert!(matches!(inputs, OnnxErrorKind::DefinedTwice { .. }));
    let mut g = graph("a", vec![], "a");
    g.initializer = vec![constant("w", Literal::scalar(1f32)); 2];
    assert!(matches!(fault(&model(18, g)), OnnxErrorKind::DefinedTwice { .. }));
}

#[test]
fn nodes_are_put_in_order() {
    let text = |nodes: Vec<NodeProto>, result: &str| imported(18, graph("a b", nodes, result)).1;
    let late = vec![plain("y = Relu(c)"), plain("e = Exp(a)"), plain("c = Neg(e)")];
    assert_eq!(text(late, "y"), "exp neg relu");
    // What may stay where it is does.
    let independent = vec![plain("c = Neg(a)"), plain("d = Exp(b)"), plain("y = Add(d, c)")];
    assert_eq!(text(independent, "y"), "neg exp add");
    // In subgraphs, and for what these take from around them.
    let yes = graph("", vec![plain("r = Abs(q)"), plain("q = Neg(late)")], "r");
    let no = graph("", vec![plain("s = Neg(a)")], "s");
    let branches = vec![attr("then_branch", yes), attr("else_branch", no)];
    let choice = node("y = If(c)", branches);
    let nodes =
        vec![choice, plain("late = Exp(a)"), plain("c = IsNaN(z)"), plain("z = ReduceMax(a)")];
    assert_eq!(text(nodes, "y"), "exp reduce_max is_nan if { neg abs } { neg }");
    // In functions.
    let mut m = model(18, graph("a", vec![plain("y = local.f(a)")], "y"));
    m.functions = vec![function("v = f(u)", vec![plain("v = Exp(w)"), plain("w = Abs(u)")])];
    assert_eq!(ops(&load(&m).unwrap().module.entry().unwrap().body), "abs exp");
}

#[test]
fn cycles_are_told_by_their_nodes() {
    let nodes = vec![
        plain("z = Relu(y)"),
        plain("y = Relu(c)"),
        plain("d = Relu(y)"),
        plain("c = Add(a, d)"),
    ];
    let error = load(&model(18, graph("a", nodes, "z"))).unwrap_err();
    let text = error.to_string();
    assert_eq!(text, "Relu `d` in `g`: the graph has a cycle through nodes d -> c -> y -> d");
    let own = fault_of(vec![plain("y = Relu(y)")], "y");
    assert!(matches!(own, OnnxErrorKind::Cycle { nodes } if nodes == ["y", "y"]));
    let branch = || graph("", vec![plain("r = Abs(y)")], "r");
    let branches = vec![attr("then_branch", branch()), attr("else_branch", branch())];
    let own = fault_of(vec![plain("c = IsNaN(a)"), node("y = If(c)", branches)], "y");
    assert!(matches!(own, OnnxErrorKind::Cycle { nodes } if nodes == ["y", "y"]));
}

#[test]
fn operands_and_results_are_counted() {
    let many = fault_of(vec![plain("y = Relu(a, b)")], "y");
    assert!(matches!(many, OnnxErrorKind::Arity { what: "operand", found: 2, least: 1, most: 1 }));
    let few = fault_of(vec![plain("y = Add(a)")], "y");
    assert!(matches!(few, OnnxErrorKind::Type(TypeError::MissingOperand { index: 1, .. })));
    let skipped = fault_of(vec![plain("y = Add(, b)")], "y");
    assert!(matches!(skipped, OnnxErrorKind::Type(TypeError::MissingOperand { index: 0, .. })));
    let within = fault_of(vec![node("y = Concat(a, , b)", vec![attr("axis", 0)])], "y");
    assert!(matches!(within, OnnxErrorKind::Type(TypeError::MissingOperand { index: 1, .. })));
    let none = fault_of(vec![plain("y = Sum()")], "y");
    assert!(matches!(none, OnnxErrorKind::Type(TypeError::MissingOperand { .. })));
    let results = fault_of(vec![plain("y, z = Relu(a)")], "y");
    assert!(matches!(results, OnnxErrorKind::Arity { what: "result", .. }));
    let (_, text) = imported(18, graph("a", vec![plain("y = Clip(a, , )")], "y"));
    assert_eq!(text, "clip");
    // Results that a node does not ask for at the end stay in place, unnamed.
    let k = node("k = Constant()", vec![attr("value_ints", &[1i64][..])]);
    let (model, _) = imported(18, graph("a", vec![k, plain("y = TopK(a, k)")], "y"));
    let results = &model.module.entry().unwrap().body.ops[1].outputs;
    assert!(matches!(results[..], [Some(_), None]));
}

#[test]
fn attributes_are_checked() {
    let with = |text: &str, attrs| fault_of(vec![node(text, attrs)], "y");
    let unknown = with("y = Relu(a)", vec![attr("slope", 1)]);
    assert!(matches!(unknown, OnnxErrorKind::UnknownAttribute { name } if name == "slope"));
    // Attributes that only passes set, and one whose name in the file is `type`.
    for (text, attr) in [
        ("y = Cast(a)", attr("rounding", "rtz")),
        ("y = Attention(a, a, a)", attr("plain_mask", 1)),
        ("y = Optional(a)", attr("elem_type", 1)),
    ] {
        let name = attr.name.clone();
        let fault = fault(&model(24, graph("a", vec![node(text, vec![attr])], "y")));
        assert!(matches!(fault, OnnxErrorKind::UnknownAttribute { name: n } if n == name));
    }
    let kind = with("y = Softmax(a)", vec![attr("axis", 1f32)]);
    assert!(matches!(kind, OnnxErrorKind::AttributeKind { expected: "INT", .. }));
    let kind = with("y = Slice(a, b, b)", vec![attr("axes", GraphProto::default())]);
    assert!(matches!(kind, OnnxErrorKind::UnknownAttribute { .. }));
    let twice = with("y = Softmax(a)", vec![attr("axis", 1), attr("axis", 1)]);
    assert!(matches!(twice, OnnxErrorKind::AttributeTwice { .. }));
    let missing = with("y = Cast(a)", vec![]);
    assert!(matches!(missing, OnnxErrorKind::MissingAttribute { name } if name == "to"));
    let dtype = with("y = Cast(a)", vec![attr("to", 99)]);
    assert!(matches!(dtype, OnnxErrorKind::AttributeValue { .. }));
    let word = with("y = Conv(a, b)", vec![attr("auto_pad", "FOO")]);
    assert_eq!(
        word.to_string(),
        "attribute `auto_pad` is `FOO`, expected one of NOTSET, VALID, SAME_UPPER, SAME_LOWER"
    );
    for (text, name) in [
        ("y = Resize(a, , b)", "coordinate_transformation_mode"),
        ("y = Resize(a, , b)", "keep_aspect_ratio_policy"),
        ("y = Resize(a, , b)", "mode"),
        ("y = Resize(a, , b)", "nearest_mode"),
        ("y = GridSample(a, b)", "padding_mode"),
        ("y = RoiAlign(a, b, b)", "coordinate_transformation_mode"),
        ("y = RoiAlign(a, b, b)", "mode"),
        ("y = LSTM(a, b, b)", "direction"),
    ] {
        let word = with(text, vec![attr(name, "FOO")]).to_string();
        let expected = format!("attribute `{name}` is `FOO`, expected one of ");
        assert!(word.starts_with(&expected), "{text}: {word}");
    }
    // Some exporters write no text for the default.
    let nodes = vec![node("y = Conv(a, b)", vec![attr("auto_pad", "")])];
    let (model, _) = imported(18, graph("a b", nodes, "y"));
    assert!(model.module.entry().unwrap().body.ops[0].attrs.is_empty());
    let outside = with("y = Softmax(a)", vec![attr_ref("axis", "axis", AttributeType::Int)]);
    assert!(matches!(outside, OnnxErrorKind::AttributeValue { .. }));
    let mut text = attr("direction", "LEFT");
    text.s = Some(Bytes::from_static(b"\xff"));
    assert!(matches!(with("y = BitShift(a, b)", vec![text]), OnnxErrorKind::AttributeKind { .. }));
    // Old writers leave the kind to the field that is filled.
    let mut untold = attr("axis", 1);
    untold.r#type = 0;
    imported(18, graph("a", vec![node("y = Softmax(a)", vec![untold])], "y"));
}

#[test]
fn declared_types_are_checked() {
    let mut g = graph("a", vec![node("y = Cast(a)", vec![attr("to", 7)])], "y");
    let OnnxErrorKind::Declared { tensor, declared, actual } = fault(&model(18, g.clone())) else {
        panic!()
    };
    assert_eq!(tensor, "y");
    let place = load(&model(18, g.clone())).unwrap_err().place.unwrap();
    assert_eq!((place.op.as_str(), place.node.as_str()), ("Cast", "y"));
    assert_eq!((declared.dtype(), actual.dtype()), (Some(DType::F32), Some(DType::I64)));
    g = untyped(g);
    imported(18, g.clone());
    g.input[0].r#type = None;
    assert!(matches!(fault(&model(18, g.clone())), OnnxErrorKind::BadType { .. }));
    g.input[0] = info("a", &f32s(1));
    let Some(ty) = &mut g.input[0].r#type else { panic!() };
    let Some(proto::TypeValue::Tensor(t)) = &mut ty.value else { panic!() };
    let dim = &mut t.shape.as_mut().unwrap().dim[0];
    dim.value = Some(proto::DimensionValue::Value(-1));
    let (loaded, _) = imported(18, g);
    let func = loaded.module.entry().unwrap();
    assert_eq!(func.ty(func.body.params[0]), &f32s(1));
}

#[test]
fn constants_in_all_forms() {
    let forms = vec![
        attr("value", constant("", Literal::scalar(1u8))),
        attr("value_int", 1),
        attr("value_ints", &[1i64, 2][..]),
        attr("value_float", 1f32),
        attr("value_floats", &[1f32][..]),
        attr("value_string", "s"),
        attr("value_strings", &["s", "t"][..]),
    ];
    let types = [
        Type::fixed(DType::U8, &[]),
        Type::fixed(DType::I64, &[]),
        Type::fixed(DType::I64, &[2]),
        Type::fixed(DType::F32, &[]),
        Type::fixed(DType::F32, &[1]),
        Type::fixed(DType::Str, &[]),
        Type::fixed(DType::Str, &[2]),
    ];
    for (form, ty) in forms.into_iter().zip(types) {
        let g = untyped(graph("", vec![node("y = Constant()", vec![form])], "y"));
        let (model, _) = imported(13, g);
        let func = model.module.entry().unwrap();
        assert_eq!(*func.ty(func.body.results[0]), ty);
    }
    let both = vec![attr("value_int", 1), attr("value_float", 1f32)];
    assert!(matches!(
        fault_of(vec![node("y = Constant()", both)], "y"),
        OnnxErrorKind::AttributeTwice { .. }
    ));
    let none = fault_of(vec![plain("y = Constant()")], "y");
    assert!(matches!(none, OnnxErrorKind::MissingAttribute { .. }));
}

#[test]
fn branches_see_outer_values() {
    let branch = |text| untyped(graph("", vec![plain(text)], "r"));
    let choose = |no: GraphProto| {
        let attrs = vec![attr("then_branch", branch("r = Relu(h)")), attr("else_branch", no)];
        let nodes = vec![plain("h = Neg(a)"), plain("c = IsNaN(b)"), node("y = If(c)", attrs)];
        model(18, graph("a b", nodes, "y"))
    };
    let loaded = load(&choose(branch("r = Abs(h)"))).unwrap();
    loaded.module.verify().unwrap();
    let func = loaded.module.entry().unwrap();
    assert_eq!(ops(&func.body), "neg is_nan if { relu } { abs }");
    assert!(matches!(fault(&choose(branch("r = Abs(q)"))), OnnxErrorKind::Undefined { .. }));
    assert!(matches!(
        fault(&choose(branch("r = IsNaN(h)"))),
        OnnxErrorKind::Type(TypeError::Region { .. })
    ));
    // A subgraph's nodes may not hide values around it.
    let hiding = untyped(graph("", vec![plain("h = Abs(a)")], "h"));
    assert!(matches!(fault(&choose(hiding)), OnnxErrorKind::DefinedTwice { .. }));
    let wide = untyped(graph("", vec![plain("r = Abs(h)")], "r r"));
    assert!(matches!(fault(&choose(wide)), OnnxErrorKind::Subgraph { what: "output", .. }));
    let nothing = fault_of(vec![plain("c = IsNaN(a)"), plain("y = If(c)")], "y");
    assert!(matches!(nothing, OnnxErrorKind::MissingAttribute { .. }));
}

/// A loop's body from `x` to this result.
fn body(nodes: Vec<NodeProto>, inputs: &str, outputs: &str) -> GraphProto {
    let mut g = untyped(graph(inputs, nodes, outputs));
    g.input.iter_mut().for_each(|i| i.r#type = None);
    g
}

#[test]
fn loops_carry_values() {
    let repeat = |body| {
        let nodes = vec![node("y, s = Loop(, , a)", vec![attr("body", body)])];
        model(18, graph("a", nodes, "y s"))
    };
    let good = body(vec![plain("z = Add(x, a)")], "i c x", "c z z");
    let loaded = load(&repeat(good)).unwrap();
    loaded.module.verify().unwrap();
    assert_eq!(ops(&loaded.module.entry().unwrap().body), "loop { add }");
    let short = body(vec![plain("z = Add(x, a)")], "i c", "c z z");
    assert!(matches!(fault(&repeat(short)), OnnxErrorKind::Subgraph { what: "input", .. }));
    let short = body(vec![plain("z = Add(x, a)")], "i c x", "c z");
    assert!(matches!(fault(&repeat(short)), OnnxErrorKind::Subgraph { what: "output", .. }));
    let other = body(vec![plain("z = IsNaN(x)"), plain("w = Abs(x)")], "i c x", "c z w");
    assert!(matches!(fault(&repeat(other)), OnnxErrorKind::Declared { .. }));
}

#[test]
fn scans_in_both_forms() {
    let step = || body(vec![plain("t = Add(s, x)")], "s x", "t t");
    let scan = |text: &str, count: i64| {
        let attrs = vec![attr("body", step()), attr("num_scan_inputs", count)];
        graph("a b", vec![node(text, attrs)], "y z")
    };
    let (_, text) = imported(9, scan("y, z = Scan(a, b)", 1));
    assert_eq!(text, "scan { add }");
    let batched = "shape reshape loop { gather gather scan { add } }";
    assert_eq!(imported(8, scan("y, z = Scan(, a, b)", 1)).1, batched);
    let mut lengths = scan("y, z = Scan(n, a, b)", 1);
    lengths.input.push(info("n", &Type::unranked(DType::I64)));
    let sliced = "shape reshape loop { gather gather shape gather cast reshape slice sub scan { add } \
                  concat pad }";
    assert_eq!(imported(8, lengths).1, sliced);
    for count in [0, 3, -1, i64::MIN] {
        let wrong = fault(&model(9, scan("y, z = Scan(a, b)", count)));
        assert!(matches!(wrong, OnnxErrorKind::AttributeValue { .. }));
    }
}

#[test]
fn operators_without_an_op_are_expanded() {
    let like = graph("a b", vec![plain("i = IsNaN(b)"), plain("y = CastLike(a, i)")], "y");
    let (model, text) = imported(15, untyped(like));
    assert_eq!(text, "is_nan cast");
    let func = model.module.entry().unwrap();
    assert_eq!(func.ty(func.body.results[0]).dtype(), Some(DType::Bool));

    let add = untyped(graph("x t", vec![plain("z = Add(x, t)")], "z"));
    let nodes = vec![
        plain("s = SequenceConstruct(a, b)"),
        node("m = SequenceMap(s, b)", vec![attr("body", add)]),
        node("y = ConcatFromSequence(m)", vec![attr("axis", 0)]),
    ];
    let (_, text) = imported(18, graph("a b", nodes, "y"));
    let expected = "sequence_construct sequence_length sequence_empty \
                    loop { sequence_at add sequence_insert } concat_from_sequence";
    assert_eq!(text, expected);

    let scale = untyped(graph("p", vec![plain("z = Neg(p)")], "z"));
    let mut g = graph(
        "",
        vec![node(
            "y = ai.onnx.preview.FlexAttention(q, k, v)",
            vec![attr("score_mod", scale), attr("scale", 0.25f32)],
        )],
        "y",
    );
    let heads = |n| Type::fixed(DType::F32, &[1, n, 3, 4]);
    g.input = vec![info("q", &heads(2)), info("k", &heads(2)), info("v", &heads(2))];
    assert_eq!(imported(26, g.clone()).1, "mul mul transpose matmul neg softmax matmul");
    g.input[1] = info("k", &heads(1));
    let repeated = "shape shape shape shape div concat concat unsqueeze expand reshape";
    assert!(imported(26, g).1.starts_with(repeated));
}

fn with_functions(g: GraphProto, functions: Vec<proto::FunctionProto>) -> ModelProto {
    ModelProto { functions, ..model(18, g) }
}

#[test]
fn functions_are_expanded() {
    let inner = {
        let by = attr_ref("alpha", "slope", AttributeType::Float);
        let mut f = function("o = Inner(x)", vec![node("o = LeakyRelu(x)", vec![by])]);
        f.attribute_proto = vec![attr("slope", 0.5f32)];
        f
    };
    let mut outer = function(
        "o = Outer(x, w)",
        vec![
            node("t = local.Inner(x)", vec![attr_ref("slope", "slope", AttributeType::Float)]),
            plain("u = Clip(t, w)"),
            plain("o = local.Inner(u)"),
        ],
    );
    outer.attribute = vec!["slope".into()];
    let call = vec![attr("slope", 0.25f32)];
    let nodes = vec![node("y = local.Outer(a)", call), plain("t = Neg(y)")];
    let m = with_functions(graph("a", nodes, "y t"), vec![inner.clone(), outer.clone()]);
    let loaded = load(&m).unwrap();
    loaded.module.verify().unwrap();
    let func = loaded.module.entry().unwrap();
    assert_eq!(ops(&func.body), "leaky_relu clip leaky_relu neg");
    let slope = |i: usize| trident_ir::ops::LeakyRelu::of(&func.body.ops[i]).map(|op| op.alpha());
    assert_eq!((slope(0), slope(2)), (Some(0.25), Some(0.5)));
    assert_eq!(func.body.ops[1].inputs.len(), 1, "an operand that the call leaves out");
    let names: std::collections::HashSet<_> = func.values.iter().map(|v| &v.name).collect();
    assert_eq!(names.len(), func.values.len());

    let fault_with = |text: &str, attrs, functions| {
        fault(&with_functions(graph("a", vec![node(text, attrs)], "y"), functions))
    };
    let both = || vec![inner.clone(), outer.clone()];
    let missing = fault_with("y = local.Outer(a)", vec![], both());
    assert!(matches!(missing, OnnxErrorKind::MissingAttribute { name } if name == "slope"));
    let unknown = fault_with("y = local.Inner(a)", vec![attr("tilt", 1)], both());
    assert!(matches!(unknown, OnnxErrorKind::UnknownAttribute { .. }));
    let many = fault_with("y = local.Inner(a, a)", vec![], both());
    assert!(matches!(many, OnnxErrorKind::Arity { what: "operand", .. }));
    let results = fault_with("y, z = local.Inner(a)", vec![], both());
    assert!(matches!(results, OnnxErrorKind::Arity { what: "result", .. }));
    let twice = fault_with("y = local.Inner(a)", vec![], vec![inner.clone(), inner.clone()]);
    assert!(matches!(twice, OnnxErrorKind::FunctionTwice { .. }));
    let mut other = inner.clone();
    other.overload = "other".into();
    let m = with_functions(graph("a", vec![plain("y = local.Inner(a)")], "y"), vec![inner, other]);
    load(&m).unwrap();
}

#[test]
fn recursion_and_expansion_are_bounded() {
    let cyclic = vec![
        function("o = F(x)", vec![plain("o = local.G(x)")]),
        function("o = G(x)", vec![plain("o = local.F(x)")]),
    ];
    let call = || graph("a", vec![plain("y = local.F(a)")], "y");
    assert!(matches!(fault(&with_functions(call(), cyclic)), OnnxErrorKind::Recursion { .. }));
    // Each function calls the next: too deep. Each does so ten times: too many.
    let chain = |times: usize, length: usize| {
        let next = |i: usize| match i + 1 == length {
            true => "Relu".to_owned(),
            false => format!("local.F{}", i + 1),
        };
        let nodes = |i| {
            let step = |j| plain(&format!("v{} = {}(v{j})", j + 1, next(i)));
            (0..times).map(step).collect()
        };
        let head = |i: usize| match i {
            0 => format!("v{times} = F(v0)"),
            _ => format!("v{times} = F{i}(v0)"),
        };
        (0..length).map(|i| function(&head(i), nodes(i))).collect::<Vec<_>>()
    };
    assert!(load(&with_functions(call(), chain(1, 40))).is_ok());
    assert!(matches!(
        fault(&with_functions(call(), chain(1, 5000))),
        OnnxErrorKind::TooDeep { .. }
    ));
    assert!(matches!(
        fault(&with_functions(call(), chain(10, 9))),
        OnnxErrorKind::TooManyNodes { .. }
    ));
    // Subgraphs within subgraphs, as deep as the decoder lets through.
    let mut g = untyped(graph("", vec![plain("r = Relu(a)")], "r"));
    for depth in 0..40 {
        let attrs = vec![
            attr("then_branch", g.clone()),
            attr(
                "else_branch",
                GraphProto { node: vec![plain("r = Relu(a)")], ..untyped(graph("", vec![], "r")) },
            ),
        ];
        let name = if depth % 2 == 0 { "s" } else { "r" };
        g = untyped(graph(
            "",
            vec![plain("c = IsNaN(a)"), node(&format!("{name} = If(c)"), attrs)],
            name,
        ));
        let mut main = g.clone();
        main.input = graph("a", vec![], "").input;
        // Names of subgraphs hide each other here; only the way down matters.
        match load(&model(18, main)) {
            Ok(loaded) => loaded.module.verify().unwrap(),
            Err(error) => assert!(
                matches!(
                    error.fault,
                    OnnxErrorKind::Decode { .. }
                        | OnnxErrorKind::TooDeep { .. }
                        | OnnxErrorKind::DefinedTwice { .. }
                ),
                "{error}"
            ),
        }
    }
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
