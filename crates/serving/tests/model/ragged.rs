//! Ragged batches: requests of different shapes in one batch.

use crate::batches::Random;
use crate::models::*;
use trident_ir::{DType, Literal};
use trident_onnx::proto::GraphProto;
use trident_serving::{DataType, ErrorCode, InferenceRequest, RequestError, Response, ServedModel};

/// `sum` has the sum of each request's elements of the ragged `x`, `twice` its elements doubled, and `told` what each kind of
/// `batch_input` tells about it: the number of its elements, their sum up to it, the same before it, the largest number of elements, and
/// its item's shape by either kind.
fn told() -> GraphProto {
    let i32 = |name| (name, tensor(DType::I32, "?"));
    let inputs = [
        ("x", tensor(DType::F32, "?")),
        ("count", tensor(DType::F32, "?")),
        i32("end"),
        i32("border"),
        ("most", tensor(DType::F32, "?")),
        ("item", tensor(DType::I32, "? 2")),
        i32("flat"),
    ];
    let nodes = vec![
        node("twice = Add(x, x)"),
        node("sums = CumSum(x, first)"),
        node("all = Concat(zero, sums)"),
        node("start = Slice(border, begin, last, first)"),
        node("after = Gather(all, end)"),
        node("before = Gather(all, start)"),
        node("own = Sub(after, before)"),
        node("sum = Unsqueeze(own, axis)"),
        node_with("counts = Cast(count)", "to", 6),
        node("counted = Unsqueeze(counts, axis)"),
        node("ends = Unsqueeze(end, axis)"),
        node("starts = Unsqueeze(start, axis)"),
        node("length = Shape(most)"),
        node_with("largest = Cast(length)", "to", 6),
        node("none = Sub(counted, counted)"),
        node("mosts = Add(none, largest)"),
        node("items = Reshape(flat, pairs)"),
        node_with("told = Concat(counted, ends, starts, mosts, item, items)", "axis", 1),
    ];
    let nodes = nodes.into_iter().map(|mut node| {
        if node.output == ["all"] {
            node.attribute = node_with("a = B(c)", "axis", 0).attribute;
        }
        node
    });
    let mut graph = graph(&inputs, nodes.collect(), &["sum", "twice", "told"]);
    constant(&mut graph, "zero", Literal::vector(&[0.0f32]));
    for (name, value) in [("begin", 0i64), ("last", -1), ("axis", 1)] {
        constant(&mut graph, name, Literal::vector(&[value]));
    }
    constant(&mut graph, "first", Literal::vector(&[0i64]));
    constant(&mut graph, "pairs", Literal::vector(&[-1i64, 2]));
    graph
}

const TOLD: &str = "name: 'm' max_batch_size: 16 dynamic_batching { }
    input { name: 'x' data_type: TYPE_FP32 dims: [ -1, -1 ] allow_ragged_batch: true }
    output { name: 'sum' data_type: TYPE_FP32 dims: [ 1 ] }
    output { name: 'twice' data_type: TYPE_FP32 dims: [ -1, -1 ] }
    output { name: 'told' data_type: TYPE_INT32 dims: [ 8 ] }
    batch_input { kind: BATCH_ELEMENT_COUNT target_name: 'count' data_type: TYPE_FP32 source_input: 'x' }
    batch_input { kind: BATCH_ACCUMULATED_ELEMENT_COUNT target_name: 'end' data_type: TYPE_INT32 source_input: 'x' }
    batch_input { kind: BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO target_name: 'border' data_type: TYPE_INT32 source_input: 'x' }
    batch_input { kind: BATCH_MAX_ELEMENT_COUNT_AS_SHAPE target_name: 'most' data_type: TYPE_FP32 source_input: 'x' }
    batch_input { kind: BATCH_ITEM_SHAPE target_name: 'item' data_type: TYPE_INT32 source_input: 'x' }
    batch_input { kind: BATCH_ITEM_SHAPE_FLATTEN target_name: 'flat' data_type: TYPE_INT32 source_input: 'x' }
    batch_output { kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: 'twice' source_input: 'x' }";

fn ragged<'a>(shape: &[i64], data: &'a [u8]) -> InferenceRequest<'a> {
    request(vec![input("x", DataType::Fp32, shape, &[data])])
}

fn numbers(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn requests_of_all_shapes_share_a_batch_and_each_gets_its_own() {
    let model = load(TOLD, told()).unwrap();
    let mut random = Random(11);
    for _ in 0..50 {
        let count = 1 + random.below(12);
        let items: Vec<([i64; 3], Vec<f32>)> = (0..count)
            .map(|_| {
                let (height, width) = (random.below(5), 1 + random.below(6));
                // Small whole numbers have exact sums in any order.
                let values = (0..height * width).map(|_| random.below(100) as f32 - 50.0);
                ([1, height as i64, width as i64], values.collect())
            })
            .collect();
        let data: Vec<Vec<u8>> = items.iter().map(|(_, values)| bytes(values)).collect();
        let requests: Vec<InferenceRequest<'_>> =
            items.iter().zip(&data).map(|((shape, _), data)| ragged(shape, data)).collect();
        let together = model.execute(requests.clone());
        let most = items.iter().map(|(_, values)| values.len()).max().unwrap() as i32;
        let mut start = 0;
        for (i, response) in together.responses.into_iter().enumerate() {
            let response: Response = response.unwrap();
            let [sum, twice, told] = &response.outputs[..] else { panic!("{response:?}") };
            let (shape, values) = &items[i];
            let size = values.len() as i32;
            assert_eq!(floats(&sum.data), [values.iter().sum::<f32>()]);
            assert_eq!((&*twice.shape, &*sum.shape), (&shape[..], &[1, 1][..]));
            assert_eq!(floats(&twice.data), values.iter().map(|v| v * 2.0).collect::<Vec<_>>());
            let item = [shape[1] as i32, shape[2] as i32];
            let expected = [&[size, start + size, start, most], &item[..], &item[..]].concat();
            assert_eq!((numbers(&told.data), &*told.shape), (expected, &[1, 8][..]));
            start += size;
            // Alone, it gets the same but for what is told about the batch.
            let alone = answer(&model, requests[i].clone()).unwrap();
            assert_eq!(alone.outputs[..2], response.outputs[..2]);
        }
    }
}

#[test]
fn a_request_of_several_rows_has_one_count_and_several_shapes() {
    let graph = || {
        let inputs = [("x", tensor(DType::F32, "?")), ("item", tensor(DType::I32, "? 2"))];
        graph(&inputs, vec![node("y = Identity(item)"), node("z = Neg(x)")], &["y", "z"])
    };
    let config = "name: 'm' max_batch_size: 8
        input { name: 'x' data_type: TYPE_FP32 dims: [ -1, 2 ] allow_ragged_batch: true }
        output { name: 'y' data_type: TYPE_INT32 dims: [ 2 ] }
        output { name: 'z' data_type: TYPE_FP32 dims: [ 2, -1 ] }
        batch_input { kind: BATCH_ITEM_SHAPE target_name: 'item' data_type: TYPE_INT32 source_input: 'x' }
        batch_output { kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: 'z' source_input: 'x' }";
    let model = load(config, graph()).unwrap();
    let (first, second) = (bytes(&[1.0f32; 12]), bytes(&[2.0f32; 4]));
    let requests = [ragged(&[2, 3, 2], &first), ragged(&[1, 2, 2], &second)];
    let all = |response: &Result<Response, RequestError>| {
        let outputs = &response.as_ref().unwrap().outputs;
        (numbers(&outputs[0].data), outputs[1].shape.clone(), floats(&outputs[1].data))
    };
    // Dimension 2 of `z` is that of `x`, and dimension 1 is what the configuration says.
    let responses = model.execute(requests.clone()).responses;
    let error = responses[0].as_ref().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Internal);
    let text =
        "output 'z' of model 'm' has 16 elements, but 'batch_output' divides 12 among the requests";
    assert!(error.to_string().starts_with(text), "{error}");
    let config = config.replace("[ 2, -1 ]", "[ -1, 2 ]");
    let model = load(&config, graph()).unwrap();
    let responses = model.execute(requests).responses;
    assert_eq!(all(&responses[0]), (vec![3, 2, 3, 2], vec![2, 3, 2], vec![-1.0; 12]));
    assert_eq!(all(&responses[1]), (vec![2, 2], vec![1, 2, 2], vec![-2.0; 4]));
}

#[test]
fn strings_may_be_ragged() {
    let x = ("x", tensor(DType::Str, "?"));
    let graph = graph(&[x], vec![node("y = Identity(x)")], &["y"]);
    let config = "name: 'm' max_batch_size: 8
        input { name: 'x' data_type: TYPE_STRING dims: [ -1 ] allow_ragged_batch: true }
        output { name: 'y' data_type: TYPE_STRING dims: [ -1 ] }
        batch_output { kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: 'y' source_input: 'x' }";
    let model = load(config, graph).unwrap();
    let data = [strings(&[b"a", b"bc", b""]), strings(&[]), strings(&[b"d"])];
    let request = |(count, data): (i64, &'static [u8])| {
        request(vec![input("x", DataType::String, &[1, count], &[data])])
    };
    let data: Vec<&'static [u8]> = data.into_iter().map(|data| &*data.leak()).collect();
    let requests = [3, 0, 1].into_iter().zip(data.iter().copied()).map(request);
    for (response, expected) in model.execute(requests).responses.into_iter().zip(data) {
        assert_eq!(response.unwrap().outputs[0].data, expected);
    }
}

/// A model whose inputs are `x` of any shape and `n`.
fn made(config: &str, ty: DType, dims: &str) -> Result<ServedModel, String> {
    let inputs = [("x", tensor(DType::F32, "?")), ("n", tensor(ty, dims))];
    let nodes = vec![node("y = Neg(x)"), node("z = Identity(n)")];
    let text = format!("name: 'm' max_batch_size: 8 {config}");
    load(&text, graph(&inputs, nodes, &["y", "z"])).map_err(|error| error.to_string())
}

#[test]
fn contradictions_are_refused_by_name() {
    let x = "input { name: 'x' data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }";
    let out = "output { name: 'z' data_type: TYPE_INT32 dims: [ 1 ] reshape { } }";
    let count = |fields: &str| {
        format!("{x} {out} batch_input {{ kind: BATCH_ELEMENT_COUNT target_name: 'n' {fields} }}")
    };
    let good = "data_type: TYPE_INT32 source_input: 'x'";
    made(&count(good), DType::I32, "?").map(drop).unwrap();
    let scatter = |fields: &str| {
        let out = "output { name: 'y' data_type: TYPE_FP32 dims: [ -1 ] }";
        let rule = "kind: BATCH_SCATTER_WITH_INPUT_SHAPE";
        format!("{} {out} batch_output {{ {rule} {fields} }}", count(good))
    };
    let fine = scatter("target_name: 'y' source_input: 'x'");
    made(&fine, DType::I32, "?").map(drop).unwrap();
    let cases = [
        (count("data_type: TYPE_INT32 source_input: 'z'"), "unknown source input name 'z' for m"),
        (
            count("data_type: TYPE_INT64 source_input: 'x'"),
            "batch input data type must be TYPE_INT32 or TYPE_FP32 for m",
        ),
        (
            count("data_type: TYPE_INT32"),
            "batch input kind 'BATCH_ELEMENT_COUNT' expects 1 source input, got 0 for m",
        ),
        (
            count(good).replace("target_name: 'n'", ""),
            "batch input kind 'BATCH_ELEMENT_COUNT' expects at least 1 target_name, got 0 for m",
        ),
        (
            count(good).replace("'n'", "'k'"),
            "unable to load model 'm', configuration specified batch input 'k', but model does not provide that input",
        ),
        (
            count("data_type: TYPE_FP32 source_input: 'x'"),
            "unable to load model 'm', configuration expects datatype TYPE_FP32 for batch input 'n', model provides TYPE_INT32",
        ),
        (
            format!(
                "{} {}",
                count(good),
                "batch_input { kind: BATCH_ITEM_SHAPE target_name: 'n' data_type: TYPE_INT32 source_input: 'x' }"
            ),
            "unable to load model 'm', configuration expects 3 inputs, model provides 2",
        ),
        (
            count(good).replace("BATCH_ELEMENT_COUNT", "BATCH_ITEM_SHAPE"),
            "batch input 'n' of kind 'BATCH_ITEM_SHAPE' has shape [-1,1], but the model expects [-1] for m",
        ),
        (scatter("target_name: 'k' source_input: 'x'"), "unknown target output name 'k' for m"),
        (
            scatter("target_name: [ 'y', 'y' ] source_input: 'x'"),
            "target output name 'y' can only be specified once for m",
        ),
        (
            scatter("target_name: 'y'"),
            "batch output kind 'BATCH_SCATTER_WITH_INPUT_SHAPE' expects 1 source input, got 0 for m",
        ),
        (
            fine.replace("FP32 dims: [ -1 ] }", "FP32 dims: [ 2, -1 ] }"),
            "dimension 2 of batch output 'y' is variable, but its source input 'x' has shape [-1,-1]; hint: the size comes from the \
             same dimension of the source for m",
        ),
    ];
    for (config, expected) in cases {
        assert_eq!(made(&config, DType::I32, "?").err().as_deref(), Some(expected), "{config}");
    }
    let only = fine.replace(out, "");
    let error = made(&only, DType::I32, "? 3").err().unwrap();
    let text = "batch input 'n' of kind 'BATCH_ELEMENT_COUNT' has shape [-1], but the model expects [-1,3] for m";
    assert_eq!(error, text);
    let rows = graph(&[("x", tensor(DType::F32, "N 3"))], vec![node("y = Neg(x)")], &["y"]);
    let out = "output { name: 'y' data_type: TYPE_FP32 dims: [ 3 ] }";
    let config = format!("name: 'm' max_batch_size: 8 {x} {out}");
    let error = load(&config, rows.clone()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "configuration expects model provides input with shape [-1] for ragged input 'x', model provides [-1,3] for m"
    );
    let error = load(&config.replace("max_batch_size: 8", ""), rows).err().unwrap();
    assert_eq!(error.code(), ErrorCode::InvalidArg);
    assert_eq!(
        error.to_string(),
        "'allow_ragged_batch' of input 'x' needs batches, so 'max_batch_size' must be at least 1 for m"
    );
}

#[test]
fn requests_neither_give_nor_leave_out_what_a_batch_is_made_of() {
    let model = load(TOLD, told()).unwrap();
    let data = bytes(&[1.0f32; 4]);
    let mut both = ragged(&[1, 2, 2], &data);
    both.inputs.push(input("count", DataType::Fp32, &[1], &[&data[..4]]));
    let error = answer(&model, both).unwrap_err();
    assert!(error.contains("unexpected inference input 'count' for model 'm'"), "{error}");
    let error = answer(&model, request(vec![])).unwrap_err();
    assert!(error.contains("expected 1 inputs but got 0 inputs for model 'm'"), "{error}");
    let error = answer(&model, ragged(&[1, 4], &data)).unwrap_err();
    assert!(
        error.contains(
            "unexpected shape for input 'x' for model 'm'. Expected [-1,-1,-1], got [1,4]"
        ),
        "{error}"
    );
}

#[test]
fn requests_that_shall_keep_their_bits_do_not_share_a_ragged_batch() {
    let config =
        format!("{TOLD} parameters {{ key: 'same_bits' value {{ string_value: 'required' }} }}");
    let (model, log) = load_on(&config, told(), &hardware()).unwrap();
    assert!(
        log.iter().any(|line| line.contains("nothing is known of the bits of ragged batches")),
        "{log:?}"
    );
    let data = bytes(&[1.0f32; 6]);
    let requests = [ragged(&[1, 1, 2], &data[..8]), ragged(&[1, 3, 2], &data)];
    for (response, most) in model.execute(requests).responses.into_iter().zip([2, 6]) {
        assert_eq!(numbers(&response.unwrap().outputs[2].data)[3], most);
    }
}
