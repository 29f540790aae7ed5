//! A request that fails takes no other with it.

use crate::models::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use trident_ir::DType;
use trident_serving::{
    CancelFlag, DataType, ErrorCode, InferenceRequest, RequestError, ServedModel,
};

#[test]
fn requests_that_do_not_fit_fail_alone() {
    let inputs = [("x", tensor(DType::F32, "N 3")), ("z", tensor(DType::F32, "N 3"))];
    let model = graph(&inputs, vec![node("y = Add(x, z)")], &["y"]);
    let model = load("name: 'm' max_batch_size: 2", model).unwrap();
    let data = bytes(&[1.0f32; 12]);
    let part = |floats: usize| &data[..floats * 4];
    let of = |name, shape: &[i64], floats| input(name, DataType::Fp32, shape, &[part(floats)]);
    let x = || of("x", &[1, 3], 3);
    let z = || of("z", &[1, 3], 3);
    let cases = [
        (
            vec![x()],
            "expected 2 inputs but got 1 inputs for model 'm'. Got input(s) ['x'], but missing required input(s) ['z']. Please \
             provide all required input(s).",
        ),
        (vec![x(), z(), of("w", &[1], 1)], "unexpected inference input 'w' for model 'm'"),
        (vec![x(), z(), x()], "input 'x' already exists in request"),
        (
            vec![input("x", DataType::Int32, &[1, 3], &[part(3)]), z()],
            "inference input 'x' data-type is 'INT32', but model 'm' expects 'FP32'",
        ),
        (
            vec![of("x", &[1, 4], 4), z()],
            "unexpected shape for input 'x' for model 'm'. Expected [-1,3], got [1,4]",
        ),
        (
            vec![of("x", &[-1, 3], 3), z()],
            "unexpected shape for input 'x' for model 'm'. Expected [-1,3], got [-1,3]",
        ),
        (
            vec![of("x", &[3], 3), z()],
            "unexpected shape for input 'x' for model 'm'. Expected [-1,3], got [3]",
        ),
        (
            vec![of("x", &[2, 3], 6), z()],
            "input 'z' batch size does not match other inputs for 'm'",
        ),
        (
            vec![of("x", &[3, 3], 9), of("z", &[3, 3], 9)],
            "inference request batch-size must be <= 2 for 'm'",
        ),
        (
            vec![x(), of("z", &[1, 3], 2)],
            "input byte size mismatch for input 'z' for model 'm'. Expected 12, got 8",
        ),
        (
            vec![of("x", &[i64::MAX, 3], 3), z()],
            "unexpected shape for input 'x' for model 'm'. Expected [-1,3], got [9223372036854775807,3]",
        ),
    ];
    for (inputs, text) in cases {
        let right = || request(vec![x(), z()]);
        let responses = model.execute([right(), request(inputs), right()]).responses;
        let error = responses[1].as_ref().unwrap_err();
        assert_eq!((error.to_string(), error.code()), (text.into(), ErrorCode::InvalidArg));
        for response in [&responses[0], &responses[2]] {
            assert_eq!(floats(&response.as_ref().unwrap().outputs[0].data), [2.0; 3]);
        }
    }
    let unknown =
        InferenceRequest { outputs: Some(vec!["y".into(), "w".into()]), ..request(vec![x(), z()]) };
    let error = answer(&model, unknown).unwrap_err();
    assert_eq!(error, "InvalidArg: unexpected inference output 'w' for model 'm'");
}

/// `y[n] = x[n, i[n]]`, which fails for indices that are none.
fn pick() -> ServedModel {
    let inputs = [("x", tensor(DType::F32, "N 3")), ("i", tensor(DType::I64, "N 1"))];
    let node = node_with("y = GatherElements(x, i)", "axis", 1);
    load("name: 'm' max_batch_size: 8", graph(&inputs, vec![node], &["y"])).unwrap()
}

#[test]
fn only_the_request_that_a_run_fails_for_fails() {
    let model = pick();
    let x = bytes(&[5.0f32, 6.0, 7.0]);
    let indices = [2i64, 0, 99, 1, -100].map(|i| bytes(&[i]));
    let requests: Vec<InferenceRequest<'_>> = indices
        .iter()
        .map(|i| {
            let x = input("x", DataType::Fp32, &[1, 3], &[&x]);
            request(vec![x, input("i", DataType::Int64, &[1, 1], &[i])])
        })
        .collect();
    let responses = model.execute(requests).responses;
    for (response, expected) in responses.iter().zip([Some(7.0), Some(5.0), None, Some(6.0), None])
    {
        match (response, expected) {
            (Ok(response), Some(value)) => assert_eq!(floats(&response.outputs[0].data), [value]),
            (Err(error), None) => {
                assert!(error.to_string().starts_with("failed to run model 'm': "), "{error}");
                assert_eq!(error.code(), ErrorCode::Internal);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn results_without_rows_for_the_batch_name_both_shapes() {
    let x = ("x", tensor(DType::F32, "N 3"));
    let mut graph = graph(&[x], vec![node("y = ReduceSum(x, axes)")], &["y"]);
    constant(&mut graph, "axes", trident_ir::Literal::vector(&[0i64]));
    let config = "name: 'm' max_batch_size: 8 input { name: 'x' data_type: TYPE_FP32 dims: [ 3 ] }
        output { name: 'y' data_type: TYPE_FP32 dims: [ 3 ] }";
    let refused = load(config, graph.clone()).err().unwrap();
    assert!(refused.to_string().contains("first dimension must be -1"), "{refused}");
    // A model whose shapes are known only when it runs.
    graph.node = vec![node("s = Cast(rows)"), node("t = Reshape(x, s)")];
    let cast = trident_onnx::proto::AttributeProto {
        name: "to".into(),
        r#type: 2,
        i: Some(7),
        ..Default::default()
    };
    graph.node[0].attribute.push(cast);
    graph.node.push(node("y = Identity(t)"));
    graph.input.push(trident_onnx::proto::ValueInfoProto {
        name: "rows".into(),
        r#type: Some(trident_onnx::type_proto(&tensor(DType::F32, "M"))),
    });
    graph.initializer.clear();
    let config = "name: 'm' max_batch_size: 8
        input { name: 'x' data_type: TYPE_FP32 dims: [ 3 ] }
        input { name: 'rows' data_type: TYPE_FP32 dims: [ 1 ] reshape { shape: [ ] } }
        output { name: 'y' data_type: TYPE_FP32 dims: [ -1 ] }";
    let model = load(config, graph).unwrap_or_else(|error| panic!("{error}"));
    let (x, rows) = (bytes(&[1.0f32; 6]), bytes(&[3.0f32, 2.0]));
    let x = input("x", DataType::Fp32, &[2, 3], &[&x]);
    let wrong = request(vec![x, input("rows", DataType::Fp32, &[2], &[&rows])]);
    let error = answer(&model, wrong).unwrap_err();
    assert!(
        error.starts_with(
            "Internal: output 'y' of model 'm' has shape [3,2], but [2,2] is expected for a batch of 2"
        ),
        "{error}"
    );
}

#[test]
fn cancelled_requests_leave_the_rest_of_their_batch() {
    let model = load("name: 'm' max_batch_size: 8", add()).unwrap();
    let data = bytes(&[1.0f32, 2.0, 3.0]);
    let with = |cancel: Option<CancelFlag>| InferenceRequest {
        cancel,
        ..request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])])
    };
    let set = CancelFlag::new();
    set.cancel();
    // Set while the batch runs: the first question comes before it, the second from within.
    let asked = Arc::new(AtomicUsize::new(0));
    let late = {
        let asked = Arc::clone(&asked);
        CancelFlag::when(move || asked.fetch_add(1, Ordering::Relaxed) > 0)
    };
    let flags = [None, Some(set), Some(late), Some(CancelFlag::new())];
    let responses = model.execute(flags.map(with)).responses;
    let outcomes: Vec<Result<Vec<f32>, RequestError>> = responses
        .into_iter()
        .map(|response| response.map(|response| floats(&response.outputs[0].data)))
        .collect();
    let sum = vec![11.0, 22.0, 33.0];
    assert_eq!(
        outcomes,
        [Ok(sum.clone()), Err(RequestError::Cancelled), Err(RequestError::Cancelled), Ok(sum)]
    );
    assert_eq!(asked.load(Ordering::Relaxed), 2, "no further question once it is set");
}

#[test]
fn a_run_stops_when_nobody_waits_for_it() {
    let model = load("name: 'm' max_batch_size: 8", add()).unwrap();
    let data = bytes(&[1.0f32, 2.0, 3.0]);
    let x = || request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])]);
    let flag = || {
        let asked = AtomicUsize::new(0);
        CancelFlag::when(move || asked.fetch_add(1, Ordering::Relaxed) > 0)
    };
    let requests = [0, 1].map(|_| InferenceRequest { cancel: Some(flag()), ..x() });
    let responses = model.execute(requests).responses;
    assert!(responses.iter().all(|r| *r == Err(RequestError::Cancelled)), "{responses:?}");

    let past = Instant::now();
    let requests = [0, 1].map(|_| InferenceRequest { deadline: Some(past), ..x() });
    let responses = model.execute(requests).responses;
    assert!(responses.iter().all(|r| *r == Err(RequestError::Timeout)), "{responses:?}");
}

#[test]
fn a_request_whose_time_ends_is_answered_so_and_the_rest_of_its_batch_runs_on() {
    let model = load("name: 'm' max_batch_size: 8", add()).unwrap();
    let data = bytes(&[1.0f32, 2.0, 3.0]);
    let x = || request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])]);
    let soon = Instant::now() + Duration::from_millis(20);
    // The run asks this flag, and goes on only after the time of the first request.
    let slow = CancelFlag::when(move || {
        std::thread::sleep(soon.saturating_duration_since(Instant::now()));
        false
    });
    let later = soon + Duration::from_secs(600);
    let first = InferenceRequest { deadline: Some(soon), cancel: Some(CancelFlag::new()), ..x() };
    let second = InferenceRequest { deadline: Some(later), cancel: Some(slow), ..x() };
    let responses = model.execute([first, second]).responses;
    assert_eq!(responses[0], Err(RequestError::Timeout));
    assert_eq!(floats(&responses[1].as_ref().unwrap().outputs[0].data), [11.0, 22.0, 33.0]);
}

#[test]
fn no_requests_are_no_run() {
    let model = load("name: 'm' max_batch_size: 8", add()).unwrap();
    let execution = model.execute([]);
    assert!(execution.responses.is_empty());
    assert_eq!(execution.computing.start, execution.computing.end);
}
