//! Nodes: their operators, their order, their operands and results.

use super::*;

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
