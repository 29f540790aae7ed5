//! Requests of different lengths that share a batch by padding (server#8156, server#7777).

use crate::batches::Random;
use crate::models::*;
use trident_ir::{DType, Literal};
use trident_onnx::proto::GraphProto;
use trident_serving::{
    DataType, ErrorCode, InferenceRequest, Response, ServedModel, WarmupRequest, WarmupTensor,
};

/// Attention over the positions of `x`, of which `mask` tells the real ones: `y` has a row for each position, `mean` one for all.
fn attention() -> GraphProto {
    let inputs = [("x", tensor(DType::F32, "N S 8")), ("mask", tensor(DType::I64, "N S"))];
    let nodes = vec![
        node("k = MatMul(x, w)"),
        node_with("m = Cast(mask)", "to", 1),
        node("wide = Unsqueeze(m, one)"),
        node("off = Sub(wide, unit)"),
        node("low = Mul(off, large)"),
        node("kt = Transpose(k)"),
        node("raw = MatMul(x, kt)"),
        node("scores = Add(raw, low)"),
        node_with("p = Softmax(scores)", "axis", -1),
        node("y = MatMul(p, x)"),
        node("tall = Unsqueeze(m, two)"),
        node("real = Mul(y, tall)"),
        node("mean = ReduceSum(real, one)"),
    ];
    let nodes = nodes.into_iter().map(|mut node| {
        if node.op_type == "Transpose" {
            node.attribute = vec![trident_onnx::proto::AttributeProto {
                name: "perm".into(),
                r#type: 7,
                ints: vec![0, 2, 1],
                ..Default::default()
            }];
        }
        if node.op_type == "ReduceSum" {
            node.attribute = node_with("a = B(c)", "keepdims", 0).attribute;
        }
        node
    });
    let mut graph = graph(&inputs, nodes.collect(), &["y", "mean"]);
    let mut random = Random(3);
    let weights: Vec<f32> = (0..64).map(|_| random.float()).collect();
    constant(&mut graph, "w", Literal::vector(&weights).with_dims(vec![8, 8]).unwrap());
    constant(&mut graph, "one", Literal::vector(&[1i64]));
    constant(&mut graph, "two", Literal::vector(&[2i64]));
    constant(&mut graph, "unit", Literal::vector(&[1.0f32]));
    constant(&mut graph, "large", Literal::vector(&[10000.0f32]));
    graph
}

fn config(pad: &str) -> String {
    format!(
        "name: 'm' max_batch_size: 16 parameters {{ key: 'pad' value {{ string_value: '{pad}' }} }}"
    )
}

const PAD: &str = "x=0, mask=0";

fn proven(pad: &str, graph: GraphProto) -> Result<ServedModel, String> {
    let mut model = load(&config(pad), graph).map_err(|error| error.to_string())?;
    model.prove_padding(&[]).map_err(|error| error.to_string())?;
    Ok(model)
}

#[test]
fn requests_of_similar_length_get_what_they_get_alone() {
    let model = proven(PAD, attention()).unwrap();
    let alone = load(&config(PAD), attention()).unwrap();
    let mut random = Random(5);
    for _ in 0..40 {
        let lengths: Vec<(usize, usize)> = (0..1 + random.below(12))
            .map(|_| (1 + random.below(3), 1 + random.below(12)))
            .collect();
        let data: Vec<[Vec<u8>; 2]> = lengths
            .iter()
            .map(|(rows, length)| {
                let x: Vec<f32> = (0..rows * length * 8).map(|_| random.float()).collect();
                [bytes(&x), bytes(&vec![1i64; rows * length])]
            })
            .collect();
        let requests: Vec<InferenceRequest<'_>> = lengths
            .iter()
            .zip(&data)
            .map(|((rows, length), [x, mask])| {
                let (rows, length) = (*rows as i64, *length as i64);
                let parts = random.split(x);
                request(vec![
                    input("mask", DataType::Int64, &[rows, length], &[mask]),
                    input("x", DataType::Fp32, &[rows, length, 8], &parts),
                ])
            })
            .collect();
        let together = model.execute(requests.clone());
        for ((request, response), (rows, length)) in
            requests.iter().zip(together.responses).zip(&lengths)
        {
            let response: Response = response.unwrap();
            let exact = answer(&alone, request.clone()).unwrap();
            let (rows, length) = (*rows as i64, *length as i64);
            assert_eq!(response.outputs[0].shape, [rows, length, 8]);
            assert_eq!(response.outputs[1].shape, [rows, 8]);
            for (own, exact) in response.outputs.iter().zip(&exact.outputs) {
                let (own, exact) = (floats(&own.data), floats(&exact.data));
                let largest = exact.iter().fold(0.0f32, |most, value| most.max(value.abs()));
                for (own, exact) in own.iter().zip(&exact) {
                    assert!((own - exact).abs() <= 1e-5 * largest, "{own} {exact}");
                }
                assert_eq!(own.len(), exact.len());
            }
        }
    }
}

/// A model that tells the size of its batch: `y` is the length of the padded axis.
fn told() -> GraphProto {
    let x = ("x", tensor(DType::F32, "N S"));
    let nodes = vec![node("y = Neg(x)"), node("s = Shape(x)"), node("z = Mul(x, x)")];
    graph(&[x], nodes, &["y", "z"])
}

#[test]
fn results_are_cut_back_to_the_bit_where_positions_are_apart() {
    let model = proven("x=nan", told()).unwrap();
    let data: Vec<Vec<f32>> =
        [7usize, 8, 8, 6, 100].iter().map(|n| (0..*n).map(|i| i as f32 + 0.5).collect()).collect();
    let encoded: Vec<Vec<u8>> = data.iter().map(|values| bytes(values)).collect();
    let requests = encoded.iter().map(|data| {
        request(vec![input("x", DataType::Fp32, &[1, data.len() as i64 / 4], &[data])])
    });
    let responses = model.execute(requests).responses;
    for (values, response) in data.iter().zip(responses) {
        let outputs = response.unwrap().outputs;
        assert_eq!(floats(&outputs[0].data), values.iter().map(|v| -v).collect::<Vec<_>>());
        assert_eq!(floats(&outputs[1].data), values.iter().map(|v| v * v).collect::<Vec<_>>());
        assert_eq!(outputs[0].shape, [1, values.len() as i64]);
    }
}

#[test]
fn padding_that_changes_results_is_refused_with_the_difference() {
    let error = proven("x=0, mask=1", attention()).err().unwrap();
    let start = "parameter 'pad' of model 'm': padding changes results: on synthetic inputs of length 1, padded to 2, element ";
    assert!(error.starts_with(start), "{error}");
    assert!(error.contains("of output 'y' is ") && error.contains("; allowed is "), "{error}");
    // A sum over all positions is one of the padding, too.
    let x = || ("x", tensor(DType::F32, "N S"));
    let sum = || {
        let mut graph = graph(&[x()], vec![node("y = ReduceSum(x, one)")], &["y"]);
        constant(&mut graph, "one", Literal::vector(&[1i64]));
        graph
    };
    assert!(proven("x=0", sum()).is_ok());
    let error = proven("x=2", sum()).err().unwrap();
    assert!(error.contains("padding changes results"), "{error}");
    // Only the warm-up request shows it: the largest value is that of the padding.
    let most = || graph(&[x()], vec![node("y = ReduceMax(x, one)")], &["y"]);
    let with_axis = || {
        let mut graph = most();
        constant(&mut graph, "one", Literal::vector(&[1i64]));
        graph
    };
    let warmup = |value: f32| WarmupRequest {
        name: "real".into(),
        count: 1,
        inputs: vec![WarmupTensor {
            name: "x".into(),
            data_type: DataType::Fp32,
            shape: vec![1, 6],
            data: bytes(&[value; 6]),
        }],
    };
    let mut model = load(&config("x=-5"), with_axis()).unwrap();
    model.prove_padding(&[warmup(1.0)]).unwrap();
    let mut model = load(&config("x=-5"), with_axis()).unwrap();
    let error = model.prove_padding(&[warmup(-9.0)]).err().unwrap();
    assert_eq!(error.code(), ErrorCode::InvalidArg);
    assert_eq!(
        error.to_string(),
        "parameter 'pad' of model 'm': padding changes results: on warm-up request 'real' of length 3, padded to 6, element 0 of output \
         'y' is -5 padded and -9 exact, which differ by 4.000e0; allowed is 9.000e-5"
    );
    // The model is not padded then.
    let data = [bytes(&[-9.0f32; 8]), bytes(&[-9.0f32; 7])];
    for (response, data) in model
        .execute(data.iter().map(|data| {
            request(vec![input("x", DataType::Fp32, &[1, data.len() as i64 / 4], &[data])])
        }))
        .responses
        .into_iter()
        .zip(&data)
    {
        assert_eq!(floats(&response.unwrap().outputs[0].data), [-9.0], "{}", data.len());
    }
}

#[test]
fn what_cannot_be_padded_is_refused_by_name() {
    let refused = |pad: &str, graph: GraphProto| {
        let error = proven(pad, graph).err().unwrap();
        error.strip_prefix("parameter 'pad' of model 'm': ").unwrap_or(&error).to_owned()
    };
    for (pad, expected) in [
        (
            "x",
            "'x' is not of the form INPUT=VALUE; entries are separated by commas, as in 'input_ids=0, attention_mask=0'",
        ),
        (
            "x=0,",
            "'' is not of the form INPUT=VALUE; entries are separated by commas, as in 'input_ids=0, attention_mask=0'",
        ),
        ("k=0", "'k' is not an input that every request gives"),
        ("x=0, x=1", "input 'x' is named twice"),
        ("x=0, mask=0.5", "'0.5' is not a value of input 'mask' of type TYPE_INT64"),
        (
            "x=0",
            "results of a padded run could not be cut back: input `mask` has the padded dimension as its axis 1, so it must be padded, too",
        ),
    ] {
        assert_eq!(refused(pad, attention()), expected, "{pad}");
    }
    let pixels = || graph(&[("x", tensor(DType::F32, "N A B"))], vec![node("y = Neg(x)")], &["y"]);
    assert_eq!(
        refused("x=0", pixels()),
        "input 'x' has shape [-1,-1,-1], but one variable dimension is expected after that of the batch"
    );
    let x = ("x", tensor(DType::F32, "N S"));
    let ranks = graph(&[x], vec![node_with("y = Softmax(x)", "axis", -1)], &["y"]);
    let error = refused("x=0", ranks);
    let start = "results of a padded run could not be cut back: axis 1 of output `y` depends on the padded length, but not entry by entry: softmax";
    assert!(error.starts_with(start), "{error}");
    for value in ["required", "Required"] {
        let same_bits =
            format!("parameters {{ key: 'same_bits' value {{ string_value: '{value}' }} }}");
        let error = load(&format!("{} {same_bits}", config(PAD)), attention()).err().unwrap();
        assert_eq!(
            error.to_string(),
            "parameter 'pad' of model 'm': it cannot be combined with 'same_bits'"
        );
    }
    let small = config(PAD).replace("16", "1");
    let error = load(&small, attention()).unwrap().prove_padding(&[]).err().unwrap();
    assert!(error.to_string().ends_with("run one by one, so padding would have no effect"));
}
