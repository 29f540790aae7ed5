//! Sequences of a model: what its controls get, and requests that have no place in a sequence.

use crate::models::*;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use trident_ir::DType;
use trident_serving::{
    Correlation, DataType, ErrorCode, InferenceRequest, Input, ManualClock, Part, RequestError,
    Response, ScheduledModel, Scheduler, Sequence, ServedModel,
};

type Answer = Result<Response, RequestError>;

/// A model that answers its input and its controls, and its scheduler.
struct Bench {
    scheduler: Scheduler,
    model: ScheduledModel,
}

const FLAGS: &str = "
    control_input { name: 'start' control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 7, 8 ] } }
    control_input { name: 'end' control { kind: CONTROL_SEQUENCE_END fp32_false_true: [ -1, 1.5 ] } }
    control_input { name: 'ready' control { kind: CONTROL_SEQUENCE_READY bool_false_true: [ false, true ] } }";

impl Bench {
    /// With an id of this type, and more in `sequence_batching`.
    fn new(id: DataType, more: &str) -> Bench {
        let inputs = [
            ("x", tensor(DType::F32, "N 3")),
            ("start", tensor(DType::I32, "N 1")),
            ("end", tensor(DType::F32, "N 1")),
            ("ready", tensor(DType::Bool, "N 1")),
            ("id", tensor(id.dtype().unwrap(), "N 1")),
        ];
        let names = ["y", "s", "e", "r", "i"];
        let nodes = inputs.iter().zip(names);
        let nodes = nodes.map(|((input, _), name)| node(&format!("{name} = Identity({input})")));
        let graph = graph(&inputs, nodes.collect(), &names);
        let id = id.name();
        let id = format!(
            "control_input {{ name: 'id' control {{ kind: CONTROL_SEQUENCE_CORRID data_type: {id} }} }}"
        );
        let config =
            format!("name: 'm' max_batch_size: 4 sequence_batching {{ {FLAGS} {id} {more} }}");
        let files = Folder::of([("model.onnx", encoded(graph))]);
        let (file, config) = completed(&config, &files).unwrap();
        let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap();
        let scheduler = Scheduler::new(1, Arc::new(ManualClock::new()));
        let model = scheduler.add(Arc::new(model), &config).unwrap();
        Bench { scheduler, model }
    }

    fn submit(&self, request: InferenceRequest<'static>) -> Receiver<Answer> {
        let (sender, answers) = channel();
        self.model.submit(request, move |answer| drop(sender.send(answer)));
        answers
    }

    fn answer(&self, request: InferenceRequest<'static>) -> Answer {
        let answers = self.submit(request);
        while self.scheduler.run_next() {}
        answers.try_recv().unwrap()
    }

    /// The error of a request.
    fn fault(&self, request: InferenceRequest<'static>) -> (ErrorCode, String) {
        let error = self.answer(request).unwrap_err();
        (error.code(), error.to_string())
    }
}

fn rows(rows: usize) -> Input<'static> {
    let data = vec![Part::Shared(bytes(&vec![0.5f32; 3 * rows]).into())];
    Input { name: "x".into(), data_type: DataType::Fp32, shape: vec![rows as i64, 3], data }
}

/// A request of a sequence. With a `(` it starts, with a `)` it ends.
fn of(id: Correlation, flags: &str) -> InferenceRequest<'static> {
    let sequence = Sequence { id, start: flags.contains('('), end: flags.contains(')') };
    InferenceRequest { sequence, ..request(vec![rows(1)]) }
}

fn number(id: u64, flags: &str) -> InferenceRequest<'static> {
    of(Correlation::Number(id), flags)
}

fn text(id: &str, flags: &str) -> InferenceRequest<'static> {
    of(Correlation::Text(id.to_owned()), flags)
}

/// The bytes of the outputs of the controls: start, end, ready, id.
fn controls(answer: Answer) -> [Vec<u8>; 4] {
    let response = answer.unwrap();
    [1, 2, 3, 4].map(|at| response.outputs[at].data.to_vec())
}

#[test]
fn controls_tell_the_place_in_the_sequence() {
    let bench = Bench::new(DataType::Uint64, "");
    let id = 1u64 << 40;
    let (started, others) = (bench.submit(number(id, "(")), bench.submit(number(3, "()")));
    let (next, last) = (bench.submit(number(id, "")), bench.submit(number(id, ")")));
    while bench.scheduler.run_next() {}
    let expected =
        |start: i32, end: f32, id: u64| [bytes(&[start]), bytes(&[end]), vec![1], bytes(&[id])];
    for (answers, expected) in [
        (started, expected(8, -1.0, id)),
        (others, expected(8, 1.5, 3)),
        (next, expected(7, -1.0, id)),
        (last, expected(7, 1.5, id)),
    ] {
        assert_eq!(controls(answers.try_recv().unwrap()), expected);
    }
}

#[test]
fn ids_have_the_type_of_their_control() {
    for (id, largest, expected) in [
        (DataType::Uint64, u64::MAX, bytes(&[u64::MAX])),
        (DataType::Int64, u64::MAX, bytes(&[-1i64])),
        (DataType::Uint32, 0xffff_ffff, bytes(&[u32::MAX])),
        (DataType::Int32, 0xffff_ffff, bytes(&[-1i32])),
    ] {
        let bench = Bench::new(id, "");
        assert_eq!(controls(bench.answer(number(largest, "()")))[3], expected, "{id:?}");
        let expected = format!(
            "sequence batching control 'id' data-type is 'BYTES', but model 'm' expects '{}'",
            id.protocol_name()
        );
        assert_eq!(bench.fault(text("a", "(")), (ErrorCode::InvalidArg, expected));
        if largest < u64::MAX {
            let (code, error) = bench.fault(number(largest + 1, "("));
            assert_eq!(code, ErrorCode::InvalidArg);
            assert!(
                error.contains(
                    "sequence 4294967296 is too large for sequence batching control 'id'"
                )
            );
        }
    }
    let bench = Bench::new(DataType::String, "");
    assert_eq!(controls(bench.answer(text("s\u{e9}", "()")))[3], strings(&["s\u{e9}".as_bytes()]));
    let expected =
        "sequence batching control 'id' data-type is 'UINT64', but model 'm' expects 'BYTES'";
    assert_eq!(bench.fault(number(1, "(")), (ErrorCode::InvalidArg, expected.into()));
    assert!(bench.answer(text(&"a".repeat(128), "()")).is_ok());
    let expected = "string correlation ID cannot be longer than 128 characters";
    assert_eq!(bench.fault(text(&"a".repeat(129), "(")), (ErrorCode::Unsupported, expected.into()));
}

#[test]
fn requests_without_a_place_in_a_sequence_are_refused() {
    let bench = Bench::new(DataType::Uint64, "");
    let refused = |request, expected: &str| {
        assert_eq!(bench.fault(request), (ErrorCode::InvalidArg, expected.into()));
    };
    let no_id =
        "inference request to model 'm' must specify a non-zero or non-empty correlation ID";
    refused(number(0, "("), no_id);
    let of_two = InferenceRequest { inputs: vec![rows(2)], ..number(1, "(") };
    refused(
        of_two,
        "inference request to model 'm' must specify batch-size 1 due to requirements of sequence batcher",
    );
    refused(
        number(1, ""),
        "inference request for sequence 1 to model 'm' must specify the START flag on the first request of the sequence",
    );
    // The scheduler fills in the controls, clients do not.
    let data = vec![Part::Shared(bytes(&[1i32]).into())];
    let start = Input { name: "start".into(), data_type: DataType::Int32, shape: vec![1, 1], data };
    let given = InferenceRequest { inputs: vec![rows(1), start], ..number(1, "(") };
    refused(given, "unexpected inference input 'start' for model 'm'");
    refused(
        InferenceRequest { inputs: vec![], ..number(1, "(") },
        "expected 1 inputs but got 0 inputs for model 'm'. Got input(s) [], but missing required input(s) ['x']. Please \
         provide all required input(s).",
    );
}

#[test]
fn a_request_for_no_outputs_moves_its_sequence_on() {
    let bench = Bench::new(DataType::Uint64, "");
    let none = |flags| InferenceRequest { outputs: Some(vec![]), ..number(1, flags) };
    let outputs = |request| bench.answer(request).map(|response| response.outputs);
    assert_eq!(outputs(none("(")), Ok(vec![]));
    assert!(bench.answer(number(1, "")).is_ok());
    assert_eq!(outputs(none(")")), Ok(vec![]));
    assert!(bench.answer(number(1, "")).is_err());
}

#[test]
fn each_request_to_an_iterative_model_is_a_sequence() {
    let bench = Bench::new(DataType::Uint64, "iterative_sequence: true");
    let ids = [0, 0, 9].map(|id| controls(bench.answer(number(id, if id > 0 { "(" } else { "" }))));
    let expected = |id: u64| [bytes(&[8i32]), bytes(&[-1.0f32]), vec![1], bytes(&[id])];
    assert_eq!(ids, [expected(1), expected(2), expected(9)]);
    // None of them is left.
    assert!(bench.answer(number(9, "")).is_err());
}
