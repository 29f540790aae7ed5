//! Subgraphs of control flow, and operators that are expanded into them.

use super::*;

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
