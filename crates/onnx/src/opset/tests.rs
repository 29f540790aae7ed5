//! Tests of older forms of operators: what they become, and with which operands and attributes.

use super::{CHANGES, Change};
use crate::OnnxErrorKind;
use crate::proto::{AttributeProto, GraphProto};
use crate::testing::{attr, constant, f32s, fault, graph, imported, info, model, node, untyped};
use trident_ir::op::words::{CoordinateTransform, Interpolation, NearestMode, RoiTransform};
use trident_ir::{DType, Func, Literal, Op, OpKind, Type, ValueId, ops};

/// A graph of one node with operands `a b c …` of rank 4 and untyped results.
fn single(text: &str, attrs: Vec<AttributeProto>) -> GraphProto {
    let node = node(text, attrs);
    let results = node.output.join(" ");
    let mut graph = untyped(graph("", vec![node.clone()], &results));
    graph.input = node.input.iter().filter(|i| !i.is_empty()).map(|i| info(i, &f32s(4))).collect();
    graph
}

/// The only op of a kind.
fn find(func: &Func, kind: OpKind) -> &Op {
    let mut found = func.body.ops.iter().filter(|op| op.kind == kind);
    let op = found.next().unwrap();
    assert!(found.next().is_none(), "more than one {kind:?}");
    op
}

/// The value of an operand that is a constant, through casts.
fn operand(func: &Func, op: &Op, i: usize) -> Option<Literal> {
    let mut value: ValueId = op.input(i)?;
    loop {
        let made = func.body.ops.iter().find(|o| o.defined().any(|v| v == value))?;
        match (ops::Constant::of(made), ops::Cast::of(made)) {
            (Some(constant), _) => return Some(constant.value().clone()),
            (_, Some(cast)) => value = cast.x(),
            _ => return None,
        }
    }
}

/// Imports a node, checks what it becomes, and hands out the op of this kind.
fn becomes(opset: i64, graph: GraphProto, ops: &str, kind: OpKind) -> (Func, Op) {
    let (model, found) = imported(opset, graph);
    assert_eq!(found, ops);
    let func = model.module.entry().unwrap().clone();
    let op = find(&func, kind).clone();
    (func, op)
}

fn ints(v: &[i64]) -> Option<Literal> {
    Some(Literal::vector(v))
}

#[test]
fn attributes_become_operands() {
    let axes = || attr("axes", &[0i64, -1][..]);
    for (opset, op, kind) in [
        (11, "Squeeze", OpKind::Squeeze),
        (11, "Unsqueeze", OpKind::Unsqueeze),
        (11, "ReduceSum", OpKind::ReduceSum),
        (17, "ReduceMean", OpKind::ReduceMean),
    ] {
        let graph = single(&format!("y = {op}(a)"), vec![axes()]);
        let (func, made) = becomes(opset, graph, kind.decl().name, kind);
        assert_eq!(operand(&func, &made, 1), ints(&[0, -1]), "{op}");
        assert!(made.attrs.is_empty());
    }
    let empty = single("y = ReduceMax(a)", vec![attr("axes", &[0i64; 0][..])]);
    assert_eq!(becomes(12, empty, "reduce_max", OpKind::ReduceMax).1.inputs.len(), 1);

    let slice = vec![attr("starts", &[1i64][..]), attr("ends", &[9i64][..])];
    let (func, op) = becomes(9, single("y = Slice(a)", slice), "slice", OpKind::Slice);
    assert_eq!((operand(&func, &op, 1), operand(&func, &op, 2)), (ints(&[1]), ints(&[9])));
    assert_eq!(op.inputs.len(), 3);

    let (func, op) = becomes(1, single("y, i = TopK(a)", vec![attr("k", 3)]), "topk", OpKind::TopK);
    assert_eq!(operand(&func, &op, 1), ints(&[3]));

    let shape = vec![attr("shape", &[0i64, -1][..]), attr("consumed_inputs", &[0i64][..])];
    let (func, op) = becomes(4, single("y = Reshape(a)", shape), "reshape", OpKind::Reshape);
    assert_eq!(operand(&func, &op, 1), ints(&[0, -1]));
    let (func, op) = becomes(4, single("y = Reshape(a)", vec![]), "reshape", OpKind::Reshape);
    assert_eq!(operand(&func, &op, 1), ints(&[]));

    let pads = &[0i64, 1, 2, 3][..];
    let attrs = vec![attr("paddings", pads), attr("value", 0.5f32)];
    let (func, op) = becomes(1, single("y = Pad(a)", attrs), "pad", OpKind::Pad);
    assert_eq!(operand(&func, &op, 1), ints(pads));
    assert_eq!(operand(&func, &op, 2), Some(Literal::scalar(0.5f32)));

    let (func, op) = becomes(17, single("y = DFT(a)", vec![]), "dft", OpKind::DFT);
    assert_eq!((op.input(1), operand(&func, &op, 2)), (None, Some(Literal::scalar(1i64))));
}

#[test]
fn attributes_become_operands_of_their_name() {
    for (kinds, _, change) in CHANGES {
        let Change::Operand(name, place) = change else { continue };
        for kind in *kinds {
            assert_eq!(kind.decl().operands[*place].name, *name, "{kind:?}");
        }
    }
}

#[test]
fn an_operand_in_both_forms_is_refused() {
    let split = single("y, z = Split(a, b)", vec![attr("split", &[2i64, 2][..])]);
    assert!(matches!(fault(&model(1, split)), OnnxErrorKind::AttributeTwice { .. }));
}

#[test]
fn split_by_the_number_of_results() {
    let (_, op) = becomes(2, single("x, y, z = Split(a)", vec![]), "split", OpKind::Split);
    assert_eq!(ops::Split::of(&op).unwrap().num_outputs(), Some(3));
    let sizes = vec![attr("split", &[3i64, 1][..])];
    let (func, op) = becomes(11, single("y, z = Split(a)", sizes), "split", OpKind::Split);
    assert_eq!(ops::Split::of(&op).unwrap().num_outputs(), None);
    assert_eq!(operand(&func, &op, 1), ints(&[3, 1]));
    let (_, op) = becomes(18, single("y, z = Split(a, b)", vec![]), "split", OpKind::Split);
    assert_eq!(ops::Split::of(&op).unwrap().num_outputs(), None);
}

#[test]
fn clip_bounds() {
    let clip = |attrs| single("y = Clip(a)", attrs);
    let (func, op) = becomes(6, clip(vec![attr("max", 6f32)]), "clip", OpKind::Clip);
    assert_eq!(operand(&func, &op, 1), Some(Literal::scalar(f32::MIN)));
    assert_eq!(operand(&func, &op, 2), Some(Literal::scalar(6f32)));
    let (_, op) = becomes(1, clip(vec![]), "clip", OpKind::Clip);
    assert_eq!(op.inputs.len(), 1);
    let mut half = clip(vec![attr("min", 0f32), attr("max", 1f32)]);
    half.input = vec![info("a", &Type::unranked(DType::F16))];
    let (func, op) = becomes(10, half, "cast cast clip", OpKind::Clip);
    assert_eq!(func.ty(op.input(1).unwrap()).dtype(), Some(DType::F16));
}

#[test]
fn defaults_that_changed() {
    let (_, op) = becomes(3, single("y = Concat(a, b)", vec![]), "concat", OpKind::Concat);
    assert_eq!(ops::Concat::of(&op).unwrap().axis(), 1);
    let (_, op) = becomes(1, single("y = Selu(a)", vec![]), "selu", OpKind::Selu);
    let selu = ops::Selu::of(&op).unwrap();
    assert_eq!((selu.alpha(), selu.gamma()), (1.6732, 1.0507));
    let own = single("y = Selu(a)", vec![attr("alpha", 2f32)]);
    let (_, op) = becomes(1, own, "selu", OpKind::Selu);
    let selu = ops::Selu::of(&op).unwrap();
    assert_eq!((selu.alpha(), selu.gamma()), (2.0, 1.0507));
    let (_, op) = becomes(10, roi_align(), "roi_align", OpKind::RoiAlign);
    let align = ops::RoiAlign::of(&op).unwrap();
    assert_eq!(align.coordinate_transformation_mode(), RoiTransform::OutputHalfPixel);
    let (_, op) = becomes(16, roi_align(), "roi_align", OpKind::RoiAlign);
    let align = ops::RoiAlign::of(&op).unwrap();
    assert_eq!(align.coordinate_transformation_mode(), RoiTransform::HalfPixel);
    let p = vec![attr("p", 3f32), attr("kernel_shape", &[2i64, 2][..])];
    let (_, op) = becomes(1, single("y = LpPool(a)", p), "lp_pool", OpKind::LpPool);
    assert_eq!(ops::LpPool::of(&op).unwrap().p(), 3);
    let p = vec![attr("p", 2.5f32)];
    let broken = model(1, single("y = GlobalLpPool(a)", p));
    assert!(matches!(fault(&broken), OnnxErrorKind::AttributeValue { .. }));
    let mode = vec![attr("mode", "bicubic")];
    let (_, op) =
        becomes(16, single("y = GridSample(a, b)", mode), "grid_sample", OpKind::GridSample);
    assert_eq!(ops::GridSample::of(&op).unwrap().mode(), Interpolation::Cubic);
}

fn roi_align() -> GraphProto {
    single("y = RoiAlign(a, b, c)", vec![])
}

#[test]
fn broadcasting_at_an_axis() {
    let at = |axis| vec![attr("broadcast", 1), attr("axis", axis)];
    let with_b = |attrs, rank| {
        let mut graph = single("y = Add(a, b)", attrs);
        graph.input[1] = info("b", &f32s(rank));
        graph
    };
    let aligned = "sub shape max constant_of_shape concat reshape add";
    becomes(6, with_b(vec![attr("broadcast", 1)], 2), "add", OpKind::Add);
    becomes(6, with_b(vec![attr("axis", 1)], 2), "add", OpKind::Add);
    becomes(6, with_b(at(-2), 1), aligned, OpKind::Add);
    let positive = format!("sub {aligned}");
    becomes(6, with_b(at(1), 1), &positive, OpKind::Add);
    let mut unranked = with_b(at(1), 1);
    unranked.input[0] = info("a", &Type::unranked(DType::F32));
    becomes(6, unranked, &format!("shape shape {positive}"), OpKind::Add);
    let slope = "sub shape max constant_of_shape concat reshape prelu";
    let mut prelu = single("y = PRelu(a, b)", vec![]);
    prelu.input[1] = info("b", &f32s(1));
    becomes(6, prelu.clone(), slope, OpKind::PRelu);
    becomes(9, prelu, "prelu", OpKind::PRelu);
    let gemm = single("y = Gemm(a, b, c)", vec![attr("broadcast", 1), attr("transB", 1)]);
    let (_, op) = becomes(6, gemm, "gemm", OpKind::Gemm);
    let gemm = ops::Gemm::of(&op).unwrap();
    assert_eq!((gemm.trans_b(), gemm.trans_a()), (true, false));
}

#[test]
fn softmax_over_all_axes_behind_one() {
    let softmax = |op: &str, attrs| single(&format!("y = {op}(a)"), attrs);
    let flat = |name: &str| format!("shape flatten {name} reshape");
    let axis = |op: &Op| match op.kind {
        OpKind::Softmax => ops::Softmax::of(op).map(|op| op.axis()),
        OpKind::LogSoftmax => ops::LogSoftmax::of(op).map(|op| op.axis()),
        _ => ops::Hardmax::of(op).map(|op| op.axis()),
    };
    for (op, kind) in [
        ("Softmax", OpKind::Softmax),
        ("LogSoftmax", OpKind::LogSoftmax),
        ("Hardmax", OpKind::Hardmax),
    ] {
        let name = kind.decl().name;
        let (func, _) = becomes(12, softmax(op, vec![]), &flat(name), kind);
        assert_eq!(ops::Flatten::of(find(&func, OpKind::Flatten)).unwrap().axis(), 1);
        let (_, made) = becomes(13, softmax(op, vec![]), name, kind);
        assert_eq!(axis(&made), Some(-1));
        let (_, made) = becomes(11, softmax(op, vec![attr("axis", 3)]), name, kind);
        assert_eq!(axis(&made), Some(-1));
    }
}

#[test]
fn resampling() {
    let scales = &[1f32, 1., 2., 2.][..];
    let old = single("y = Upsample(a)", vec![attr("scales", scales), attr("mode", "linear")]);
    let (func, op) = becomes(7, old, "resize", OpKind::Resize);
    assert_eq!((op.input(1), operand(&func, &op, 2)), (None, Some(Literal::vector(scales))));
    let resize = ops::Resize::of(&op).unwrap();
    assert_eq!(resize.coordinate_transformation_mode(), CoordinateTransform::Asymmetric);
    assert_eq!((resize.mode(), resize.nearest_mode()), (Interpolation::Linear, NearestMode::Floor));
    let sides = vec![attr("height_scale", 3f32), attr("width_scale", 2f32)];
    let (func, op) = becomes(1, single("y = Upsample(a)", sides), "resize", OpKind::Resize);
    assert_eq!(operand(&func, &op, 2), Some(Literal::vector(&[1f32, 1., 3., 2.])));
    let (_, op) = becomes(9, single("y = Upsample(a, b)", vec![]), "resize", OpKind::Resize);
    assert_eq!((op.input(1), op.inputs.len()), (None, 3));
    let (_, op) = becomes(10, single("y = Resize(a, b)", vec![]), "resize", OpKind::Resize);
    assert_eq!((op.input(1), op.inputs.len()), (None, 3));
    let resize = ops::Resize::of(&op).unwrap();
    assert_eq!(resize.coordinate_transformation_mode(), CoordinateTransform::Asymmetric);
    assert_eq!(resize.nearest_mode(), NearestMode::CeilWhenShrinking);
    let mut sizes = single("y = Resize(a, r, s, b)", vec![]);
    sizes.input.retain(|i| i.name != "r" && i.name != "s");
    sizes.initializer = ["r", "s"].map(|n| constant(n, Literal::vector::<f32>(&[]))).to_vec();
    let (_, op) = becomes(11, sizes, "resize", OpKind::Resize);
    assert_eq!((op.input(1), op.input(2)), (None, None));
    assert!(op.input(3).is_some());
}

#[test]
fn batch_normalization_before_its_training_mode() {
    let norm = |outputs: &str, attrs| {
        single(&format!("{outputs} = BatchNormalization(a, b, c, d, e)"), attrs)
    };
    let name = "batch_normalization";
    let kind = OpKind::BatchNormalization;
    let (_, op) = becomes(9, norm("y", vec![]), name, kind);
    assert!(!ops::BatchNormalization::of(&op).unwrap().training_mode());
    let (_, op) = becomes(9, norm("y, m, v", vec![]), name, kind);
    assert!(ops::BatchNormalization::of(&op).unwrap().training_mode());
    let test = vec![attr("is_test", 1), attr("consumed_inputs", &[0i64][..])];
    becomes(1, norm("y", test), name, kind);
    let (_, op) =
        becomes(7, norm("y", vec![attr("spatial", 0)]), "add sqrt sub div mul add", OpKind::Sqrt);
    assert_eq!(op.inputs.len(), 1);
    let saved = norm("y, m, v, s, t", vec![]);
    assert!(matches!(fault(&model(9, saved)), OnnxErrorKind::Unsupported { .. }));
}

#[test]
fn group_normalization_per_group() {
    let norm = |groups| single("y = GroupNormalization(a, b, c)", vec![attr("num_groups", groups)]);
    let ops = "shape div concat reshape expand reshape reshape expand reshape group_normalization";
    let (_, op) = becomes(18, norm(2), ops, OpKind::GroupNormalization);
    assert_eq!(ops::GroupNormalization::of(&op).unwrap().num_groups(), 2);
    becomes(21, norm(2), "group_normalization", OpKind::GroupNormalization);
}

#[test]
fn dropout_before_its_training_mode() {
    let dropout = |outputs: &str, attrs| single(&format!("{outputs} = Dropout(a)"), attrs);
    becomes(6, dropout("y", vec![attr("is_test", 1)]), "identity", OpKind::Identity);
    becomes(7, dropout("y", vec![attr("ratio", 0.1f32)]), "identity", OpKind::Identity);
    let (func, op) = becomes(7, dropout("y, m", vec![]), "dropout cast", OpKind::Dropout);
    assert_eq!(operand(&func, &op, 1), Some(Literal::scalar(0.5f32)));
    becomes(10, dropout("y, m", vec![]), "dropout", OpKind::Dropout);
    let (func, op) = becomes(6, dropout("y", vec![]), "dropout cast", OpKind::Dropout);
    let training = trident_ir::element::B8(1);
    assert_eq!(operand(&func, &op, 2), Some(Literal::scalar(training)));
}

#[test]
fn other_old_forms() {
    let to = |name: &str| single("y = Cast(a)", vec![attr("to", name)]);
    let (_, op) = becomes(1, to("INT64"), "cast", OpKind::Cast);
    assert_eq!(ops::Cast::of(&op).unwrap().to(), DType::I64);
    assert!(matches!(fault(&model(1, to("WORD"))), OnnxErrorKind::AttributeValue { .. }));
    let tile = "cast reshape cast reshape max constant_of_shape scatter_elements tile";
    becomes(1, single("y = Tile(a, b, c)", vec![]), tile, OpKind::Tile);
    let scatter = single("y = Scatter(a, b, c)", vec![attr("axis", 1)]);
    let (_, op) = becomes(9, scatter, "scatter_elements", OpKind::ScatterElements);
    assert_eq!(ops::ScatterElements::of(&op).unwrap().axis(), 1);
    let labels = |ty: DType| {
        let classes = vec![attr("classes_strings", &["x", "y"][..])];
        let mut graph = single("y = ai.onnx.ml.LabelEncoder(a)", classes);
        graph.input = vec![info("a", &Type::unranked(ty))];
        becomes(9, graph, "label_encoder", OpKind::LabelEncoder)
    };
    let (func, op) = labels(DType::Str);
    assert_eq!(ops::LabelEncoder::of(&op).unwrap().values_int64s(), Some(&[0i64, 1][..]));
    assert_eq!(func.ty(op.output(0).unwrap()).dtype(), Some(DType::I64));
    let (func, op) = labels(DType::I64);
    assert_eq!(ops::LabelEncoder::of(&op).unwrap().keys_int64s(), Some(&[0i64, 1][..]));
    assert_eq!(func.ty(op.output(0).unwrap()).dtype(), Some(DType::Str));
}
