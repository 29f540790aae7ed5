//! Requests that run as one batch get what they get alone.

use crate::models::*;
use std::ops::Range;
use trident_ir::{DType, Literal};
use trident_serving::{DataType, ForeignBytes, InferenceRequest, Part, Response, ServedModel};

/// Pseudo-random numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 8_388_608.0 - 1.0
    }

    /// The bytes in up to 4 parts, some of which may be empty.
    pub(crate) fn split<'a>(&mut self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut parts = vec![];
        let mut rest = bytes;
        for _ in 0..self.below(4) {
            let (part, behind) = rest.split_at(self.below(rest.len() + 1));
            parts.push(part);
            rest = behind;
        }
        parts.push(rest);
        parts
    }
}

/// Two layers, softmax over the features, and the index of the largest; any number of features in the sequence axis.
fn network() -> ServedModel {
    let x = ("x", tensor(DType::F32, "N S 24"));
    let nodes = vec![
        node("h = MatMul(x, a)"),
        node("r = Gelu(h)"),
        node("z = MatMul(r, b)"),
        node_with("p = Softmax(z)", "axis", -1),
        node_with("top = ArgMax(p)", "axis", -1),
    ];
    let mut graph = graph(&[x], nodes, &["p", "top"]);
    let mut random = Random(7);
    for (name, rows, columns) in [("a", 24, 40), ("b", 40, 11)] {
        let values: Vec<f32> = (0..rows * columns).map(|_| random.float()).collect();
        let literal = Literal::vector(&values).with_dims(vec![rows, columns]).unwrap();
        constant(&mut graph, name, literal);
    }
    load("name: 'm' max_batch_size: 9", graph).unwrap()
}

#[test]
fn a_batch_gives_the_bits_of_single_runs() {
    let model = network();
    let mut random = Random(1);
    for round in 0..60 {
        let count = 1 + random.below(9);
        let inputs: Vec<(Vec<i64>, Vec<u8>)> = (0..count)
            .map(|_| {
                let rows = random.below(if round % 3 == 0 { 10 } else { 4 });
                let length = 1 + random.below(3);
                let values: Vec<f32> = (0..rows * length * 24).map(|_| random.float()).collect();
                (vec![rows as i64, length as i64, 24], bytes(&values))
            })
            .collect();
        let requests: Vec<InferenceRequest<'_>> = inputs
            .iter()
            .map(|(shape, data)| {
                let parts = random.split(data);
                let mut request = request(vec![input("x", DataType::Fp32, shape, &parts)]);
                if random.below(4) == 0 {
                    request.outputs = Some(vec!["top".into()]);
                }
                request
            })
            .collect();
        let together = model.execute(requests.clone());
        for ((request, response), (shape, _)) in
            requests.iter().zip(together.responses).zip(&inputs)
        {
            let response: Response = response.unwrap();
            assert_eq!(answer(&model, request.clone()).unwrap(), response);
            let top = response.outputs.last().unwrap();
            assert_eq!((&*top.name, top.data_type), ("top", DataType::Int64));
            assert_eq!(top.shape, [shape[0], shape[1], 1]);
            assert_eq!(top.data.len() as i64, shape[0] * shape[1] * 8);
            assert_eq!(response.outputs.len(), if request.outputs.is_some() { 1 } else { 2 });
        }
    }
}

#[test]
fn results_are_those_of_the_formula_in_the_order_of_requests() {
    let model = load("name: 'm' max_batch_size: 4", add()).unwrap();
    let data: Vec<(i64, Vec<f32>)> = (0..7)
        .map(|i: u8| {
            let rows = 1 + usize::from(i) % 3;
            (rows as i64, (0..rows * 3).map(|k| f32::from(i) * 100.0 + k as f32).collect())
        })
        .collect();
    let encoded: Vec<Vec<u8>> = data.iter().map(|(_, values)| bytes(values)).collect();
    let requests: Vec<InferenceRequest<'_>> = data
        .iter()
        .zip(&encoded)
        .map(|((rows, _), bytes)| request(vec![input("x", DataType::Fp32, &[*rows, 3], &[bytes])]))
        .collect();
    let execution = model.execute(requests);
    assert!(execution.computing.start <= execution.computing.end);
    for ((rows, values), response) in data.iter().zip(execution.responses) {
        let output = &response.unwrap().outputs[0];
        let expected: Vec<f32> =
            values.iter().enumerate().map(|(k, v)| v + 10.0 * (1 + k % 3) as f32).collect();
        assert_eq!((&*output.name, &*output.shape), ("y", &[*rows, 3][..]));
        assert_eq!(floats(&output.data), expected);
    }
}

#[test]
fn bytes_that_are_shared_are_read_in_place_and_stay_as_they_are() {
    let model = load("name: 'm' max_batch_size: 4", add()).unwrap();
    let mut shared = bytes::Bytes::from(bytes(&[0.0f32, 1.0, 2.0, 3.0, 4.0]));
    for aligned in [true, false] {
        // One byte further on, elements are not aligned.
        if !aligned {
            shared = [&[0u8][..], &*shared].concat().into();
        }
        let part = shared.slice(usize::from(!aligned)..usize::from(!aligned) + 12);
        let before = part.to_vec();
        let mut x = input("x", DataType::Fp32, &[1, 3], &[]);
        x.data = vec![Part::Shared(part.clone())];
        let response = answer(&model, request(vec![x])).unwrap();
        assert_eq!(floats(&response.outputs[0].data), [10.0, 21.0, 32.0]);
        assert_eq!(part, before);
    }
}

#[test]
fn bytes_that_a_client_may_write_to_are_gathered_with_others() {
    let memory = bytes(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let foreign = |part: Range<usize>| Part::Foreign(ForeignBytes::from(&memory[part]));
    let model = load("name: 'm' max_batch_size: 4", add()).unwrap();
    // A part divides an element, and another kind of bytes follows.
    let last = bytes(&[50.0f32]);
    let mut x = input("x", DataType::Fp32, &[2, 3], &[]);
    x.data = vec![foreign(0..6), foreign(6..20), Part::Borrowed(&last)];
    let response = answer(&model, request(vec![x])).unwrap();
    assert_eq!(floats(&response.outputs[0].data), [10.0, 21.0, 32.0, 13.0, 24.0, 80.0]);
}

#[test]
fn strings_in_the_memory_of_a_client_are_checked() {
    let graph = graph(&[("s", tensor(DType::Str, "N"))], vec![node("y = Identity(s)")], &["y"]);
    let model = load("name: 'm'", graph).unwrap();
    // The first length is right, too large for the part, and far too large.
    for length in [2, 3, 255] {
        let mut memory = strings(&[b"ab", b"cde"]);
        memory[0] = length;
        let mut s = input("s", DataType::String, &[2], &[]);
        s.data = vec![Part::Foreign(ForeignBytes::from(&memory[..]))];
        match answer(&model, request(vec![s])) {
            Ok(response) => {
                assert_eq!(length, 2);
                assert_eq!(*response.outputs[0].data, strings(&[b"ab", b"cde"]));
            }
            Err(error) => assert!(length != 2 && error.contains("'s'"), "{error}"),
        }
    }
}

#[test]
fn models_without_a_batch_dimension_run_requests_one_by_one() {
    let model = load("name: 'm'", add()).unwrap();
    let data = [bytes(&[1.0f32, 2.0, 3.0]), bytes(&[0.0f32; 6]), vec![]];
    let requests: Vec<InferenceRequest<'_>> = data
        .iter()
        .map(|data| {
            let rows = data.len() as i64 / 12;
            request(vec![input("x", DataType::Fp32, &[rows, 3], &[data])])
        })
        .collect();
    let responses = model.execute(requests).responses;
    let values: Vec<Vec<f32>> =
        responses.into_iter().map(|r| floats(&r.unwrap().outputs[0].data)).collect();
    assert_eq!(values[0], [11.0, 22.0, 33.0]);
    assert_eq!(values[1], [10.0, 20.0, 30.0, 10.0, 20.0, 30.0]);
    assert!(values[2].is_empty());
}

#[test]
fn scalars_have_the_shape_that_the_configuration_gives_them() {
    let scalar = || ("x", tensor(DType::F32, ""));
    let graph = graph(&[scalar()], vec![node("y = Neg(x)")], &["y"]);
    let config = "name: 'm' input { name: 'x' data_type: TYPE_FP32 dims: [ 1 ] }
        output { name: 'y' data_type: TYPE_FP32 dims: [ 1, 1 ] }";
    let model = load(config, graph).unwrap();
    let data = bytes(&[2.5f32]);
    for shape in [&[1][..], &[], &[1, 1]] {
        let x = input("x", DataType::Fp32, shape, &[&data]);
        let response = answer(&model, request(vec![x])).unwrap();
        assert_eq!(response.outputs[0].shape, [1, 1]);
        assert_eq!(floats(&response.outputs[0].data), [-2.5]);
    }
    let wrong = input("x", DataType::Fp32, &[2], &[&data]);
    let error = answer(&model, request(vec![wrong])).unwrap_err();
    assert!(error.contains("Expected [], got [2]"), "{error}");
}

#[test]
fn scalars_of_a_rank_that_is_known_only_in_a_run_are_one_element() {
    let inputs = [("x", tensor(DType::F32, "1")), ("s", tensor(DType::I64, "K"))];
    let graph = graph(&inputs, vec![node("y = Reshape(x, s)")], &["y"]);
    let config = "name: 'm' input { name: 'x' data_type: TYPE_FP32 dims: [ 1 ] }
        input { name: 's' data_type: TYPE_INT64 dims: [ -1 ] }
        output { name: 'y' data_type: TYPE_FP32 dims: [ -1 ] }";
    let model = load(config, graph).unwrap();
    let (x, sizes) = (bytes(&[2.5f32]), bytes(&[1i64, 1]));
    for (rank, shape) in [(0, &[1][..]), (1, &[1]), (2, &[1, 1])] {
        let sizes = input("s", DataType::Int64, &[rank as i64], &[&sizes[..8 * rank]]);
        let x = input("x", DataType::Fp32, &[1], &[&x]);
        let response = answer(&model, request(vec![x, sizes])).unwrap();
        assert_eq!(
            (&*response.outputs[0].shape, &*response.outputs[0].data),
            (shape, &*bytes(&[2.5f32]))
        );
    }
}

#[test]
fn a_request_that_wants_no_output_gets_none() {
    let model = load("name: 'm' max_batch_size: 4", add()).unwrap();
    let data = bytes(&[1.0f32, 2.0, 3.0]);
    let x = || request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])]);
    let nothing = || InferenceRequest { outputs: Some(vec![]), ..x() };
    let responses = model.execute([nothing(), x(), nothing()]).responses;
    let counts = responses.iter().map(|r| r.as_ref().unwrap().outputs.len());
    assert_eq!(counts.collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(floats(&responses[1].as_ref().unwrap().outputs[0].data), [11.0, 22.0, 33.0]);
    // Nothing runs, but a fault is one all the same.
    let execution = model.execute([nothing()]);
    assert_eq!(execution.responses, [Ok(Response::default())]);
    assert_eq!(execution.computing.start, execution.computing.end);
    let wrong = InferenceRequest { outputs: Some(vec![]), ..request(vec![]) };
    assert!(answer(&model, wrong).unwrap_err().contains("missing required input(s) ['x']"));
}

#[test]
fn optional_inputs_may_be_given() {
    let (x, b) = (tensor(DType::F32, "N 3"), tensor(DType::F32, "3"));
    let mut graph = graph(&[("x", x), ("b", b)], vec![node("y = Add(x, b)")], &["y"]);
    constant(&mut graph, "b", Literal::vector(&[1.0f32, 1.0, 1.0]));
    let model = load("name: 'm'", graph).unwrap();
    let (x, b) = (bytes(&[1.0f32, 2.0, 3.0]), bytes(&[0.5f32, 0.0, -1.0]));
    let x = || input("x", DataType::Fp32, &[1, 3], &[&x]);
    let b = || input("b", DataType::Fp32, &[3], &[&b]);
    let values = |inputs| floats(&answer(&model, request(inputs)).unwrap().outputs[0].data);
    assert_eq!(values(vec![x()]), [2.0, 3.0, 4.0]);
    assert_eq!(values(vec![b(), x()]), [1.5, 2.0, 2.0]);
    // Together, though they give different inputs.
    let responses = model.execute([request(vec![x(), b()]), request(vec![x()])]).responses;
    let values: Vec<f32> =
        responses.into_iter().flat_map(|r| floats(&r.unwrap().outputs[0].data)).collect();
    assert_eq!(values, [1.5, 2.0, 2.0, 2.0, 3.0, 4.0]);
}

#[test]
fn states_and_controls_are_tensors_of_requests() {
    let inputs = ["x", "sum_in", "start"].map(|name| (name, tensor(DType::F32, "N 1")));
    let nodes = vec![
        node("one = Identity(one_)"),
        node("kept = Sub(one, start)"),
        node("old = Mul(sum_in, kept)"),
        node("sum_out = Add(old, x)"),
        node("y = Neg(sum_out)"),
    ];
    let mut graph = graph(&inputs, nodes, &["y", "sum_out"]);
    constant(&mut graph, "one_", Literal::vector(&[1.0f32]));
    let config = "name: 'm' max_batch_size: 4
        input { name: 'x' data_type: TYPE_FP32 dims: [ 1 ] }
        output { name: 'y' data_type: TYPE_FP32 dims: [ 1 ] }
        sequence_batching {
          control_input { name: 'start' control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } }
          state { input_name: 'sum_in' output_name: 'sum_out' data_type: TYPE_FP32 dims: [ 1 ] }
        }";
    let model = load(config, graph).unwrap();
    let data = [1.0f32, 100.0, 0.0, 7.0, 100.0, 1.0].map(|value| bytes(&[value]));
    let made = |at: usize| {
        let part = |i: usize| &data[at * 3 + i][..];
        let input = |name, i| input(name, DataType::Fp32, &[1, 1], &[part(i)]);
        request(vec![input("x", 0), input("sum_in", 1), input("start", 2)])
    };
    // Without names, the configuration's outputs; states only where they are asked for.
    let usual = answer(&model, made(0)).unwrap();
    assert_eq!(usual.outputs.iter().map(|o| &*o.name).collect::<Vec<_>>(), ["y"]);
    let requests: Vec<InferenceRequest<'_>> = [0, 1]
        .map(|at| InferenceRequest {
            outputs: Some(vec!["sum_out".into(), "y".into()]),
            ..made(at)
        })
        .into();
    let responses = model.execute(requests).responses;
    let values = |at: usize| -> Vec<(String, f32)> {
        let outputs = &responses[at].as_ref().unwrap().outputs;
        outputs.iter().map(|o| (o.name.to_string(), floats(&o.data)[0])).collect()
    };
    let expected = |sum: f32| vec![("y".to_owned(), -sum), ("sum_out".to_owned(), sum)];
    assert_eq!((values(0), values(1)), (expected(101.0), expected(7.0)));
}

/// `y[M] = a[N][b[M]]`, with these names of the first dimensions.
fn gather(config: &str, first: [&str; 2]) -> (ServedModel, Vec<String>) {
    let inputs = [("a", tensor(DType::F32, first[0])), ("b", tensor(DType::I64, first[1]))];
    let graph = graph(&inputs, vec![node("y = Gather(a, b)")], &["y"]);
    load_on(config, graph, &hardware()).unwrap()
}

/// The inputs that a batch of two requests with these inputs would share, as answers tell.
fn gathered(model: &ServedModel) -> [Vec<f32>; 2] {
    let (first, second, zero) = (bytes(&[1.0f32]), bytes(&[2.0f32]), bytes(&[0i64]));
    let of = |a| {
        let b = input("b", DataType::Int64, &[1], &[&zero]);
        request(vec![input("a", DataType::Fp32, &[1], &[a]), b])
    };
    let responses = model.execute([of(&first), of(&second)]).responses;
    let mut values = responses.into_iter().map(|r| floats(&r.unwrap().outputs[0].data));
    [values.next().unwrap(), values.next().unwrap()]
}

#[test]
fn requests_whose_rows_depend_on_each_other_are_not_merged() {
    let told = "requests of model 'm' are not merged into batches, because their rows depend on each other: dimension 1 of 'a' is N, \
                dimension 1 of 'b' is M";
    for (config, level) in
        [("max_batch_size: 4", "Info"), ("max_batch_size: 4 dynamic_batching {}", "Warning")]
    {
        let (model, log) = gather(&format!("name: 'm' {config}"), ["N", "M"]);
        assert_eq!(gathered(&model), [[1.0], [2.0]], "{config}");
        assert_eq!(log, [format!("{level}: {told}")]);
    }
    // Without names, the ops tell.
    for first in [["?", "?"], ["unk__1", "unk__2"], ["N", "?"]] {
        let (model, log) = gather("name: 'm' max_batch_size: 4 dynamic_batching {}", first);
        assert_eq!(gathered(&model), [[1.0], [2.0]], "{first:?}");
        let [line] = &log[..] else { panic!("{first:?}: {log:?}") };
        assert!(line.contains("computes across axis 0 of `a`, which has the rows"), "{line}");
    }
    let inputs = [("a", tensor(DType::F32, "N K")), ("b", tensor(DType::F32, "K M"))];
    let product = graph(&inputs, vec![node("y = MatMul(a, b)")], &["y"]);
    let model = load("name: 'm' max_batch_size: 4 dynamic_batching {}", product).unwrap();
    let (a, b) = (bytes(&[1.0f32]), [bytes(&[5.0f32]), bytes(&[7.0f32])]);
    let of = |b| {
        let b = input("b", DataType::Fp32, &[1, 1], &[b]);
        request(vec![input("a", DataType::Fp32, &[1, 1], &[&a]), b])
    };
    let responses = model.execute([of(&b[0]), of(&b[1])]).responses;
    let values = responses.into_iter().flat_map(|r| floats(&r.unwrap().outputs[0].data));
    assert_eq!(values.collect::<Vec<f32>>(), [5.0, 7.0]);
}

#[test]
fn requests_of_inputs_with_one_name_are_merged() {
    let inputs = ["a", "b"].map(|name| (name, tensor(DType::F32, "N 2")));
    let nodes = vec![node("t = Add(a, b)"), node("y = ReduceSum(t, axes)")];
    let mut graph = graph(&inputs, nodes, &["y"]);
    constant(&mut graph, "axes", Literal::vector(&[1i64]));
    let every = "parameters { key: 'time_operations' value { string_value: 'all' } }";
    let config = format!("name: 'm' max_batch_size: 4 dynamic_batching {{}} {every}");
    let (model, log) = load_on(&config, graph, &hardware()).unwrap();
    assert!(log.is_empty(), "{log:?}");
    let data = bytes(&[1.0f32, 2.0]);
    let of =
        || request(["a", "b"].map(|name| input(name, DataType::Fp32, &[1, 2], &[&data])).into());
    let responses = model.execute([of(), of(), of()]).responses;
    assert!(responses.into_iter().all(|r| floats(&r.unwrap().outputs[0].data) == [6.0]));
    assert!(model.operations().iter().all(|op| op.count == 1), "one run: {:?}", model.operations());
}
