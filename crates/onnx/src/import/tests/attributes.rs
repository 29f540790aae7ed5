//! Attributes, declared types and constants.

use super::*;

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
