//! Tests of operators of ONNX Runtime: the ops that they become, and the forms that are refused. The edge suite compares their
//! results with ONNX Runtime.

use crate::OnnxErrorKind;
use crate::proto::{AttributeProto, GraphProto};
use crate::testing::{attr, fault, graph, imported, info, load, model, node, untyped};
use trident_ir::op::words::GeluFormula;
use trident_ir::{DType, Func, Op, Type, ops};

/// A graph of one operator of ONNX Runtime whose operands have these types, and whose results are not typed.
fn single(text: &str, attrs: Vec<AttributeProto>, types: &[Type]) -> GraphProto {
    let (results, call) = text.split_once(" = ").unwrap();
    let node = node(&format!("{results} = com.microsoft.{call}"), attrs);
    let results: Vec<_> = node.output.iter().filter(|name| !name.is_empty()).cloned().collect();
    let mut graph = untyped(graph("", vec![node.clone()], &results.join(" ")));
    let inputs = node.input.iter().filter(|name| !name.is_empty());
    graph.input = inputs.zip(types).map(|(name, ty)| info(name, ty)).collect();
    graph
}

fn f32s<const N: usize>(dims: [&[usize]; N]) -> [Type; N] {
    dims.map(|dims| Type::fixed(DType::F32, dims))
}

/// The function that a graph becomes, and its ops.
fn becomes(graph: GraphProto) -> (Func, String) {
    let (model, text) = imported(21, graph);
    (model.module.entry().unwrap().clone(), text)
}

/// The only op that has this view.
fn only<'f, V>(func: &'f Func, of: impl Fn(&'f Op) -> Option<V>) -> V {
    func.body.ops.iter().find_map(of).unwrap()
}

fn names(func: &Func, op: &Op) -> Vec<String> {
    op.inputs.iter().map(|v| v.map_or(String::new(), |v| func.info(v).name.clone())).collect()
}

#[test]
fn gelu_by_the_error_function() {
    let (func, text) = becomes(single("y = Gelu(x)", vec![], &f32s([&[2, 3]])));
    assert_eq!(text, "gelu");
    assert_eq!(only(&func, ops::Gelu::of).approximate(), GeluFormula::Exact);
}

#[test]
fn a_normalisation_in_the_set_of_the_standard() {
    let attrs = vec![attr("axis", -1), attr("epsilon", 1e-6f32), attr("stash_type", 1)];
    let mut graph = graph("x g", vec![node("y = SimplifiedLayerNormalization(x, g)", attrs)], "y");
    let (func, text) = becomes(graph.clone());
    assert_eq!(text, "rms_normalization");
    let norm = only(&func, ops::RMSNormalization::of);
    assert_eq!((norm.axis(), norm.epsilon(), norm.stash_type()), (-1, 1e-6, DType::F32));
    let mut wrong = graph.clone();
    wrong.node[0].attribute[2] = attr("stash_type", 7);
    assert!(matches!(fault(&model(21, wrong)), OnnxErrorKind::AttributeValue { .. }));
    graph.node[0].output.push("d".into());
    let error = load(&model(21, graph)).unwrap_err().to_string();
    assert!(error.contains("output `inv_std_var`"), "{error}");
}

#[test]
fn transposed_products() {
    let of = |attrs, types: &[Type]| becomes(single("y = FusedMatMul(a, b)", attrs, types));
    let types = f32s([&[2, 3, 4], &[2, 5, 4]]);
    let attrs = vec![attr("transB", 1), attr("alpha", 0.5f32)];
    let (func, text) = of(attrs, &types);
    assert_eq!(text, "transpose matmul mul");
    assert_eq!(only(&func, ops::Transpose::of).perm(), Some(&[0i64, 2, 1][..]));
    assert_eq!(of(vec![], &types).1, "matmul");
    // A vector has no axes to swap.
    assert_eq!(of(vec![attr("transA", 1)], &f32s([&[4], &[4, 5]])).1, "matmul");

    let unranked = [Type::unranked(DType::F32), Type::unranked(DType::F32)];
    for (attrs, types, part) in [
        (vec![attr("transA", 1)], &unranked, "inputs of unknown rank"),
        (vec![attr("transBatchA", 1)], &types, "`transBatchA`"),
        (vec![attr("fast", 1)], &types, "`fast`"),
    ] {
        let graph = single("y = FusedMatMul(a, b)", attrs, types);
        let error = load(&model(21, graph)).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("FusedMatMul `y`"), "{error}");
    }
}

#[test]
fn rotary_embeddings() {
    let types = |x: &[usize], ids: &[usize]| {
        let caches = || Type::fixed(DType::F32, &[16, 4]);
        [Type::fixed(DType::F32, x), Type::fixed(DType::I64, ids), caches(), caches()]
    };
    let text = "y = RotaryEmbedding(x, p, c, s)";
    let by_row = single(text, vec![attr("interleaved", 1)], &types(&[2, 3, 24], &[2, 3]));
    let (func, found) = becomes(by_row);
    assert_eq!(found, "rotary_embedding");
    let rotated = only(&func, ops::RotaryEmbedding::of);
    assert_eq!(names(&func, rotated.as_op()), ["x", "c", "s", "p"]);
    assert_eq!((rotated.num_heads(), rotated.interleaved()), (Some(3), true));
    let by_first = single(text, vec![], &types(&[2, 3, 5, 8], &[1]));
    let (func, found) = becomes(by_first);
    assert!(found.ends_with("expand rotary_embedding"), "{found}");
    assert_eq!(only(&func, ops::RotaryEmbedding::of).num_heads(), None);

    let open = |x: Type| {
        let mut all = types(&[2, 3, 24], &[2, 3]);
        all[0] = x;
        all
    };
    let known = open(Type::fixed(DType::F32, &[2, 3, 24]));
    let hidden = open(crate::testing::f32s(3));
    let unranked = open(Type::unranked(DType::F32));
    for (attrs, types, part) in [
        (vec![attr("scale", 2f32)], &known, "`scale`"),
        (vec![attr("is_packed_batching", 1)], &known, "`is_packed_batching`"),
        (vec![], &hidden, "`num_heads`"),
        (vec![], &unranked, "`input`"),
    ] {
        let error = load(&model(21, single(text, attrs, types))).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("RotaryEmbedding `y`"), "{error}");
    }
}

#[test]
fn quantised_arithmetic() {
    let [x, scale] = f32s([&[2, 3], &[]]);
    let bytes = |dims: &[usize]| Type::fixed(DType::U8, dims);
    let dynamic = [x, bytes(&[3, 4]), scale.clone(), bytes(&[])];
    let (_, text) = becomes(single("y = DynamicQuantizeMatMul(a, b, s, z)", vec![], &dynamic));
    assert_eq!(text, "dynamic_quantize_linear matmul_integer cast mul mul");
    let widened = [bytes(&[2, 3]), bytes(&[3, 4]), scale.clone(), scale.clone()];
    let (_, text) = becomes(single("y = MatMulIntegerToFloat(a, b, s, t)", vec![], &widened));
    assert_eq!(text, "matmul_integer cast mul mul");
    let part = [bytes(&[2, 3]), scale.clone(), bytes(&[])];
    let types: Vec<_> = [&part[..], &part, &[scale, bytes(&[])]].concat();
    for (op, ops) in [("QLinearAdd", "add"), ("QLinearMul", "mul")] {
        let text = format!("y = {op}(a, s, z, b, t, w, u, v)");
        let expected = format!("dequantize_linear dequantize_linear {ops} quantize_linear");
        assert_eq!(becomes(single(&text, vec![], &types)).1, expected);
    }
    let short = single("y = QLinearAdd(a, s, z, b, t, w, u)", vec![], &types);
    let (func, _) = becomes(short);
    assert_eq!(func.ty(func.body.results[0]).dtype(), Some(DType::U8));
}

#[test]
fn operators_on_quantised_tensors() {
    let bytes = |dims: &[usize]| Type::fixed(DType::U8, dims);
    let [scale] = f32s([&[]]);
    let part = |dims: &[usize]| vec![bytes(dims), scale.clone(), bytes(&[])];
    let of_one = [part(&[1, 2, 4, 4]), vec![scale.clone(), bytes(&[])]].concat();
    let window = || vec![attr("kernel_shape", &[2i64, 2][..])];
    let softmax = |opset: i64| vec![attr("axis", 1), attr("opset", opset)];
    for (op, attrs, ops) in [
        ("QLinearAveragePool", window(), "average_pool"),
        ("QLinearGlobalAveragePool", vec![], "global_average_pool"),
        ("QLinearLeakyRelu", vec![], "leaky_relu"),
        ("QLinearSigmoid", vec![], "sigmoid"),
        ("QLinearSoftmax", softmax(13), "softmax"),
        ("QLinearSoftmax", softmax(12), "shape flatten softmax reshape"),
    ] {
        let (_, text) = becomes(single(&format!("y = {op}(x, s, z, t, w)"), attrs, &of_one));
        assert_eq!(text, format!("dequantize_linear {ops} quantize_linear"), "{op}");
    }
    let nhwc = single(
        "y = QLinearGlobalAveragePool(x, s, z, t, w)",
        vec![attr("channels_last", 1)],
        &of_one,
    );
    let error = load(&model(21, nhwc)).unwrap_err().to_string();
    assert!(error.contains("`channels_last`"), "{error}");

    let joined = [vec![scale.clone(), bytes(&[])], part(&[2, 3]), part(&[4, 3])].concat();
    let text = "y = QLinearConcat(t, w, x, s, z, a, b, c)";
    let (_, text) = becomes(single(text, vec![attr("axis", 0)], &joined));
    assert_eq!(text, "dequantize_linear dequantize_linear concat quantize_linear");
    let condition = vec![Type::fixed(DType::Bool, &[2, 3])];
    let chosen = [condition, part(&[2, 3]), part(&[3]), vec![scale.clone(), bytes(&[])]].concat();
    let (_, text) = becomes(single("y = QLinearWhere(q, x, s, z, a, b, c, t, w)", vec![], &chosen));
    assert_eq!(text, "dequantize_linear dequantize_linear where quantize_linear");
}

#[test]
fn quantised_products_with_a_bias() {
    let bytes = |dims: &[usize]| Type::fixed(DType::U8, dims);
    let [scale] = f32s([&[]]);
    let sums = Type::fixed(DType::I32, &[4]);
    let operands = [bytes(&[3, 2]), scale.clone(), bytes(&[]), bytes(&[4, 3]), scale.clone()];
    let types = [&operands[..], &[bytes(&[]), sums, scale, bytes(&[])]].concat();
    let transposed = vec![attr("transA", 1), attr("transB", 1)];
    let text = "y = QGemm(a, s, z, b, t, w, c, u, v)";
    let (func, text) = becomes(single(text, transposed, &types));
    assert_eq!(text, "transpose transpose matmul_integer add cast mul div mul quantize_linear");
    assert_eq!(func.ty(func.body.results[0]).dtype(), Some(DType::U8));
    let (func, _) = becomes(single("y = QGemm(a, s, z, b, t, w)", vec![attr("transA", 1)], &types));
    assert_eq!(func.ty(func.body.results[0]).dtype(), Some(DType::F32));
}

#[test]
fn embeddings() {
    let ids = || Type::fixed(DType::I32, &[2, 3]);
    let [words, positions, segments, row] = f32s([&[9, 8], &[5, 8], &[2, 8], &[8]]);
    let types = [ids(), ids(), words, positions, segments, row.clone(), row, ids()];
    let text = "y, m, s = EmbedLayerNormalization(i, j, w, p, g, a, b, k)";
    let (_, text) = becomes(single(text, vec![attr("epsilon", 1e-5f32)], &types));
    assert!(text.ends_with("add add layer_normalization equal cast reduce_sum"), "{text}");
    let alone = [&types[..1], &types[2..4], &types[5..7]].concat();
    let text = "y = EmbedLayerNormalization(i, , w, p, , a, b)";
    let (_, text) = becomes(single(text, vec![], &alone));
    assert!(text.ends_with("gather gather add layer_normalization"), "{text}");
    let graph = single("y = EmbedLayerNormalization(i, j, w, p, , a, b)", vec![], &types);
    let error = load(&model(21, graph)).unwrap_err().to_string();
    assert!(error.contains("without `segment_embedding`"), "{error}");
}

#[test]
fn packed_weights_are_a_fused_product() {
    let sizes = |bits: i64| {
        let all = [("K", 20), ("N", 3), ("bits", bits), ("block_size", 16), ("accuracy_level", 4)];
        all.map(|(name, n)| attr(name, n)).to_vec()
    };
    let types = [DType::F32, DType::U8, DType::F32, DType::F32].map(Type::unranked);
    let of = |operands: &str, attrs| single(&format!("y = MatMulNBits({operands})"), attrs, &types);
    let graph = of("a, b, s, , , c", sizes(8));
    let (func, text) = becomes(graph);
    assert_eq!(text, "matmul_n_bits");
    let product = only(&func, ops::MatMulNBits::of);
    assert_eq!(names(&func, product.as_op()), ["a", "b", "c", "", "s"]);
    let found = [product.k(), product.n(), product.bits(), product.block_size()];
    assert_eq!(found, [20, 3, 8, 16]);

    let without = |name: &str| sizes(4).into_iter().filter(|a| a.name != name).collect();
    let with = |name: &str| [sizes(4), vec![attr(name, 1i64)]].concat();
    for (operands, attrs, part) in [
        ("a, b, s, , g", sizes(4), "`g_idx`"),
        ("a, b, s", sizes(3), "attribute `bits`"),
        ("a, b, s", with("weight_prepacked"), "`weight_prepacked`"),
        ("a, b, s", with("rotated"), "`rotated`"),
        // The op has this attribute for fusion; the operator does not.
        ("a, b, s", with("alpha"), "no attribute `alpha`"),
        ("a, b, s", without("K"), "`K`"),
        ("a, b, s", without("block_size"), "`block_size`"),
        ("a, b", sizes(4), "scales"),
    ] {
        let error = load(&model(21, of(operands, attrs))).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("MatMulNBits `y`"), "{error}");
    }
}
