//! Numbers that no release of Paddle writes: each is an error that names it, and takes little time and memory.
#![allow(clippy::unwrap_used)] // a failure is what the tests look for

mod common;

use common::*;
use trident_ir::{Dim, Type};
use trident_paddle::load_from;

/// Attributes from text: `name=3`, `name=0.5`, `name=word`, `name=[1,2]`.
fn attrs(text: &str) -> String {
    let one = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap();
        match value {
            list if list.starts_with('[') => pir_attr(name, "1.a_intarray", list),
            int if int.parse::<i64>().is_ok() => pir_attr(name, "0.a_i64", int),
            float if float.parse::<f64>().is_ok() => pir_attr(name, "0.a_f32", float),
            text => pir_attr(name, "0.a_str", &format!("\"{text}\"")),
        }
    };
    text.split_whitespace().map(one).collect::<Vec<_>>().join(",")
}

/// A program with one op on an input of dimensions `dims`, each operand of which is the input.
fn one_op(name: &str, dims: &str, operands: usize, given: &str) -> Memory {
    let x = attrs("name=x shape=[]") + "," + &pir_attr("dtype", "1.a_dtype", "\"float32\"");
    let out = attrs("name=out col=0");
    let ops = [
        pir_op("1.data", &[], &[(1, dims)], &x),
        pir_op(&format!("1.{name}"), &vec![1; operands], &[(2, "-1")], &attrs(given)),
        pir_op("1.fetch", &[2], &[(3, "-1")], &out),
    ];
    Memory::of([("inference.json", pir_text(4, &ops).into_bytes())])
}

#[test]
fn numbers_beyond_reason_are_named() {
    let pool = "pooling_type=max data_format=NCHW";
    let window = |text: &str| format!("{pool} {text}");
    let cases: &[(&str, &str, usize, &str, &str)] = &[
        ("conv2d", "1,2,8,8", 2, "strides=[0,1]", "`strides` is 0, expected 1 to 2147483647"),
        ("conv2d", "1,2,8,8", 2, "strides=[1,1,1]", "`strides` has 3 numbers for 2 axes"),
        (
            "conv2d",
            "1,2,8,8",
            2,
            "dilations=[-9223372036854775808]",
            "`dilations` is -9223372036854775808",
        ),
        (
            "conv2d",
            "1,2,8,8",
            2,
            "paddings=[9223372036854775807]",
            "`paddings` is 9223372036854775807",
        ),
        ("conv2d_transpose", "1,2,8,8", 2, "strides=[0] padding_algorithm=SAME", "`strides` is 0"),
        ("pool2d", "1,2,8,8", 1, &window("kernel_size=[2] strides=[0]"), "`strides` is 0"),
        ("pool2d", "1,2,8,8", 1, &window("kernel_size=[]"), "`kernel_size` has 0 numbers"),
        ("pool2d", "1,2,8,8", 1, &window("kernel_size=[2] padding_algorithm=NEW"), "`NEW`"),
        (
            "pool2d",
            "1,2,-1,8",
            1,
            &window("kernel_size=[9999999,1] adaptive=1"),
            "`kernel_size` is 9999999",
        ),
        ("unfold", "1,2,8,8", 1, "kernel_sizes=[3,3,3]", "`kernel_sizes` has 3 numbers"),
        (
            "unfold",
            "1,2,8,8",
            1,
            "kernel_sizes=[2147483647]",
            "windows have 4611686014132420609 elements",
        ),
        ("shuffle_channel", "1,2,8,8", 1, "group=0", "`groups` is 0"),
        ("temporal_shift", "1,2,8,8", 1, "seg_num=0", "`seg_num` is 0"),
        ("temporal_shift", "1,2,8,8", 1, "seg_num=1 shift_ratio=1e30", "`shift_ratio` is 1"),
        ("maxout", "1,2,8,8", 1, "groups=0", "`groups` is 0"),
        ("spectral_norm", "2,2", 3, "power_iters=4000000000", "`power_iters` is 4000000000"),
        (
            "rnn",
            "2,2,2",
            3,
            "num_layers=4611686018427387904",
            "`num_layers` is 4611686018427387904",
        ),
        (
            "rnn",
            "2,2,2",
            3,
            "hidden_size=9223372036854775807",
            "`hidden_size` is 9223372036854775807",
        ),
        ("unbind", "1099511627776,2", 1, "axis=0", "the number of slices is not known"),
        ("unbind", "2000000,2", 1, "axis=0", "it has 2000000 results, expected 0 to 1024"),
        (
            "split_with_num",
            "8,2",
            1,
            "axis=0 num=1099511627776",
            "it has 1099511627776 results, expected 0 to 1024",
        ),
        (
            "split",
            "8,2",
            1,
            "sections=[9223372036854775807,9223372036854775807,-1]",
            "`sections` is",
        ),
        ("diagonal", "8,2", 1, "offset=-9223372036854775808", "`offset` is -9223372036854775808"),
        ("diagonal", "8,2", 1, "axis1=1 axis2=-1", "`axis1` and `axis2` are both 1"),
        ("diag_embed", "8,2", 1, "offset=-9223372036854775808", "`offset` is -9223372036854775808"),
        ("diag_embed", "8,2", 1, "dim1=0 dim2=0", "`dim1` and `dim2` are both 0"),
        ("kthvalue", "8,2", 1, "k=-9223372036854775808", "`k` is -9223372036854775808"),
        ("median", "8,2", 1, "mode=avg axis=[0,1]", "`axis` is [0, 1], expected one axis"),
        ("median", "8,2", 1, "mode=max axis=[0]", "`mode` is `max`, expected avg or min"),
        ("cumprod", "8,2", 1, "dim=9223372036854775807", "axis 9223372036854775807"),
        ("full_batch_size_like", "8,2", 1, "shape=[1,2] input_dim_idx=-1", "`input_dim_idx` is -1"),
        ("full_batch_size_like", "8,2", 1, "shape=[1,2] output_dim_idx=7", "`output_dim_idx` is 7"),
    ];
    for &(name, dims, operands, given, expected) in cases {
        let error = load_from(&one_op(name, dims, operands, given), "inference.json").unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected), "{name} {given}: {text}");
        assert!(text.contains(&format!("pd_op.{name}")), "{text}");
    }
}

#[test]
fn an_empty_tensor_is_reshaped_as_others_are() {
    let shape = |dims: &str, shape: &str| {
        let files = one_op("reshape", dims, 1, &format!("shape={shape}"));
        let model = load_from(&files, "inference.json").unwrap();
        let func = model.module.entry().unwrap();
        func.ty(func.body.results[0]).clone()
    };
    let of = |dims: [Dim; 2]| Type::tensor(trident_ir::DType::F32, dims);
    assert_eq!(shape("0,3,4", "[0,-1]"), of([Dim::Fixed(0), Dim::Fixed(12)]));
    assert_eq!(shape("2,3,4", "[-1,6]"), of([Dim::Fixed(4), Dim::Fixed(6)]));
    let rows = shape("-1,3,4", "[0,-1]");
    assert_eq!(rows.shape().unwrap()[1], Dim::Fixed(12));
}

/// Halves of integers would be 0.
#[test]
fn a_median_of_integers_is_a_quotient() {
    let mut files = one_op("median", "4", 1, "mode=avg axis=[]");
    for file in files.0.values_mut() {
        let text = String::from_utf8(file.to_vec()).unwrap();
        *file = text.replace("float32", "int32").replace("0.t_f32", "0.t_i32").into();
    }
    let text = load_from(&files, "inference.json").unwrap().module.to_string();
    assert!(text.contains("i32[](2)") && !text.contains("i32[](0)"), "{text}");
}

/// The dimensions of the result of an op on f32.
fn dims_of(name: &str, dims: &str, operands: usize, given: &str) -> Vec<Dim> {
    let model = load_from(&one_op(name, dims, operands, given), "inference.json").unwrap();
    let func = model.module.entry().unwrap();
    func.ty(func.body.results[0]).shape().unwrap().to_vec()
}

/// Paddle rounds what a window lacks of an axis, in strides, towards zero.
#[test]
fn a_window_may_lack_less_than_a_stride_of_its_axis() {
    let fixed = |dims: &[usize]| dims.iter().map(|&n| Dim::Fixed(n)).collect::<Vec<_>>();
    for kind in ["max", "avg"] {
        let given = |text: &str| format!("pooling_type={kind} data_format=NCHW {text}");
        let pool = |text: &str| dims_of("pool2d", "3,1,10,10", 1, &given(text));
        let one = fixed(&[3, 1, 1, 1]);
        assert_eq!(pool("kernel_size=[20,20] strides=[20,20] paddings=[2,2]"), one);
        assert_eq!(pool("kernel_size=[20,10] strides=[11,3]"), one);
        let refused = one_op("pool2d", "3,1,10,10", 1, &given("kernel_size=[20,9] strides=[10,1]"));
        assert!(load_from(&refused, "inference.json").is_err(), "{kind}");
    }
}

#[test]
fn a_median_has_the_dimensions_of_a_reduction() {
    let fixed = |dims: &[usize]| dims.iter().map(|&n| Dim::Fixed(n)).collect::<Vec<_>>();
    assert_eq!(dims_of("median", "3,4,5", 1, "mode=avg axis=[]"), fixed(&[]));
    assert_eq!(dims_of("median", "3,4,5", 1, "mode=min axis=[-2]"), fixed(&[3, 5]));
    assert_eq!(dims_of("median", "3,4,5", 1, "mode=avg axis=[1] keepdim=1"), fixed(&[3, 1, 5]));
}

#[test]
fn older_programs_have_attributes_of_other_names() {
    let number = Message::new().bytes(1, "iou_threshold").int(2, 1).float(4, 0.5);
    let vars = [var("x", 5, &[3, 4], false), var("out", 3, &[-1], false)];
    let ops =
        [feed("x", 0), op("nms", &["Boxes=x"], &["KeepBoxesIdxs=out"], &[number]), fetch("out", 0)];
    let files = Memory::of([("model.pdmodel", program(&[block(&vars, &ops)]))]);
    let model = load_from(&files, "model.pdmodel").unwrap();
    let text = model.module.to_string();
    assert!(text.contains("f32[](0.5)"), "{text}");
}
