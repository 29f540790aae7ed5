//! Functions of models.

use super::*;

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
