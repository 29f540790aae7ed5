//! States that sequences keep: compared with sums and lists that the tests keep themselves.

use crate::models::*;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use trident_ir::DType;
use trident_onnx::proto::GraphProto;
use trident_serving::{
    CancelFlag, Clock, Correlation, DataType, ErrorCode, Fault, Fill, InferenceRequest, Input,
    ManualClock, Part, RequestError, Response, ScheduledModel, Scheduler, Sequence, ServeError,
    ServedModel,
};

type Answer = Result<Response, RequestError>;

struct Bench {
    scheduler: Scheduler,
    model: ScheduledModel,
    clock: Arc<ManualClock>,
}

/// `sum = x + old`, which is the next `old`; `y` is the sum, too.
fn sums() -> GraphProto {
    let inputs = [("x", tensor(DType::F32, "N 2")), ("old", tensor(DType::F32, "N 2"))];
    let nodes = vec![node("sum = Add(x, old)"), node("y = Identity(sum)")];
    graph(&inputs, nodes, &["y", "sum"])
}

const SUM: &str = "input_name: 'old' output_name: 'sum' data_type: TYPE_FP32 dims: 2";

/// A model's configuration with a state.
fn config(state: &str, more: &str) -> String {
    let all = "parameters { key: 'time_operations' value { string_value: 'all' } }";
    format!("name: 'm' {all} {more} sequence_batching {{ state {{ {state} }} }}")
}

fn scheduled(
    config: &str,
    graph: GraphProto,
    read: impl FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<Bench, ServeError> {
    let files = Folder::of([("model.onnx", encoded(graph))]);
    let (file, config) = completed(config, &files)?;
    let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {})?;
    let clock = Arc::new(ManualClock::new());
    let scheduler = Scheduler::new(1, Arc::clone(&clock) as Arc<dyn Clock>);
    let model = scheduler.add_with(Arc::new(model), &config, read)?;
    Ok(Bench { scheduler, model, clock })
}

fn no_file(_: &str) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::NotFound.into())
}

fn bench(state: &str, more: &str) -> Bench {
    scheduled(&config(state, more), sums(), no_file).unwrap()
}

impl Bench {
    fn submit(&self, request: InferenceRequest<'static>) -> Receiver<Answer> {
        let (sender, answers) = channel();
        self.model.submit(request, move |answer| drop(sender.send(answer)));
        answers
    }

    fn run(&self) {
        while self.scheduler.run_next() {}
    }

    fn answer(&self, request: InferenceRequest<'static>) -> Answer {
        let answers = self.submit(request);
        self.run();
        answers.try_recv().unwrap()
    }

    /// How many runs there were.
    fn runs(&self) -> u64 {
        self.model.model().unwrap().operations().iter().map(|op| op.count).max().unwrap_or(0)
    }
}

/// A request of a sequence. With a `(` it starts, with a `)` it ends.
fn of(id: u64, flags: &str, values: &[f32]) -> InferenceRequest<'static> {
    let sequence = Sequence {
        id: Correlation::Number(id),
        start: flags.contains('('),
        end: flags.contains(')'),
    };
    let data = vec![Part::Shared(bytes(values).into())];
    let shape = vec![1, values.len() as i64];
    let x = Input { name: "x".into(), data_type: DataType::Fp32, shape, data };
    InferenceRequest { sequence, ..request(vec![x]) }
}

fn first(answer: &Answer) -> Vec<f32> {
    floats(&answer.as_ref().unwrap().outputs[0].data)
}

#[test]
fn sequences_of_a_batch_keep_their_own_states() {
    let bench = bench(SUM, "max_batch_size: 4");
    let mut sums: HashMap<u64, [f32; 2]> = HashMap::new();
    // In each round, other sequences start anew, so that batches are of one to four.
    for round in 0..40u64 {
        let before = bench.runs();
        let mut answers = vec![];
        for id in 1..=4 {
            let starts = round % (id + 2) == 0 || !sums.contains_key(&id);
            let ends = round % (id + 3) == id;
            if round % 7 == id {
                continue;
            }
            let own = [id as f32 + round as f32, 0.5 * id as f32];
            let sum = sums.entry(id).or_default();
            if starts {
                *sum = [0.0; 2];
            }
            *sum = [sum[0] + own[0], sum[1] + own[1]];
            let flags = [if starts { "(" } else { "" }, if ends { ")" } else { "" }].concat();
            answers.push((bench.submit(of(id, &flags, &own)), *sum));
            if ends {
                sums.remove(&id);
            }
        }
        bench.run();
        for (answer, sum) in answers {
            assert_eq!(first(&answer.try_recv().unwrap()), sum);
        }
        assert_eq!(bench.runs(), before + 1, "one batch");
    }
}

#[test]
fn a_model_without_batches_keeps_states() {
    let inputs = [("x", tensor(DType::F32, "1 2")), ("old", tensor(DType::F32, "1 2"))];
    let nodes = vec![node("sum = Add(x, old)"), node("y = Identity(sum)")];
    let state = "input_name: 'old' output_name: 'sum' data_type: TYPE_FP32 dims: [ 1, 2 ]";
    let bench =
        scheduled(&config(state, ""), graph(&inputs, nodes, &["y", "sum"]), no_file).unwrap();
    assert_eq!(first(&bench.answer(of(1, "(", &[1.0, 2.0]))), [1.0, 2.0]);
    assert_eq!(first(&bench.answer(of(1, "", &[1.0, 2.0]))), [2.0, 4.0]);
    assert_eq!(first(&bench.answer(of(1, "(", &[1.0, 2.0]))), [1.0, 2.0]);
}

/// Bytes that cannot be written.
struct Unreadable;

impl Fill for Unreadable {
    fn size(&self) -> usize {
        8
    }

    fn fill(&self, _: &mut [u8]) -> Result<usize, Fault> {
        Err(Fault { code: ErrorCode::InvalidArg, text: "the region shrank".into() })
    }
}

#[test]
fn runs_that_fail_or_are_cancelled_change_no_state() {
    let bench = bench(SUM, "max_batch_size: 4");
    for id in [1, 2] {
        assert!(bench.answer(of(id, "(", &[1.0, 1.0])).is_ok());
    }
    let failing = || {
        let mut request = of(1, "", &[0.0; 2]);
        request.inputs[0].data = vec![Part::Fill(Arc::new(Unreadable))];
        request
    };
    let cancelled = |id| {
        let cancel = Some(CancelFlag::when(|| true));
        InferenceRequest { cancel, ..of(id, "", &[5.0, 5.0]) }
    };
    // Alone.
    assert_eq!(bench.answer(failing()).unwrap_err().code(), ErrorCode::InvalidArg);
    assert_eq!(bench.answer(cancelled(1)), Err(RequestError::Cancelled));
    // In a batch, whose other request moves on.
    for (number, other) in [failing(), cancelled(1)].into_iter().enumerate() {
        let (lost, kept) = (bench.submit(other), bench.submit(of(2, "", &[1.0, 1.0])));
        bench.run();
        assert!(lost.try_recv().unwrap().is_err());
        assert_eq!(first(&kept.try_recv().unwrap()), [number as f32 + 2.0; 2]);
    }
    assert_eq!(first(&bench.answer(of(1, ")", &[1.0, 1.0]))), [2.0, 2.0]);
}

/// server#7117: a sequence gets the state of another client.
#[test]
fn sequences_never_get_the_state_of_another_client() {
    let bench = bench(SUM, "max_batch_size: 1 instance_group { kind: KIND_CPU count: 1 }");
    assert!(bench.answer(of(1, "(", &[7.0, 7.0])).is_ok());
    // The first sequence is idle for too long, and another one gets its slot. A later request of the first one is refused.
    let waiting = bench.submit(of(2, "(", &[1.0, 1.0]));
    bench.clock.advance(Duration::from_secs(1));
    bench.scheduler.expire();
    bench.run();
    assert_eq!(first(&waiting.try_recv().unwrap()), [1.0, 1.0]);
    assert!(bench.answer(of(1, "", &[0.0, 0.0])).is_err());
    assert_eq!(first(&bench.answer(of(2, ")", &[1.0, 1.0]))), [2.0, 2.0]);
    // The same id begins with zeros, also if the sequence before did not end.
    assert_eq!(first(&bench.answer(of(1, "(", &[3.0, 3.0]))), [3.0, 3.0]);
    assert_eq!(first(&bench.answer(of(1, "(", &[4.0, 4.0]))), [4.0, 4.0]);
}

#[test]
fn states_are_copied_out_of_batches_and_leave_with_their_sequence() {
    // Rows of 64 KiB.
    let inputs = [("x", tensor(DType::F32, "N 16384")), ("old", tensor(DType::F32, "N 16384"))];
    let nodes = vec![node("sum = Add(x, old)"), node("y = ReduceMax(sum)")];
    let mut graph = graph(&inputs, nodes, &["y", "sum"]);
    let axes = trident_ir::Literal::vector(&[1i64]);
    constant(&mut graph, "axes", axes);
    graph.node[1].input.push("axes".into());
    let state = "input_name: 'old' output_name: 'sum' data_type: TYPE_FP32 dims: 16384";
    let bench = scheduled(&config(state, "max_batch_size: 8"), graph, no_file).unwrap();
    let live = || bench.model.model().unwrap().memory().live;
    let before = live();
    let row = vec![1.0; 16384];
    let all = |flags: &str| {
        let answers: Vec<_> = (1..=8).map(|id| bench.submit(of(id, flags, &row))).collect();
        bench.run();
        answers.iter().for_each(|answer| drop(answer.try_recv().unwrap().unwrap()));
    };
    all("(");
    all("");
    let kept = 8 << 16;
    assert!((kept..kept + (kept >> 3)).contains(&(live() - before)), "{} bytes", live() - before);
    // Seven of eight end: a view of the batch would keep all of it.
    for id in 2..=8 {
        bench.answer(of(id, ")", &row)).unwrap();
    }
    let one = 1 << 16;
    assert!((one..2 * one).contains(&(live() - before)), "{} bytes", live() - before);
    bench.answer(of(1, ")", &row)).unwrap();
    assert_eq!(live(), before);
}

#[test]
fn states_of_different_sizes_do_not_share_a_batch() {
    let x = ("x", tensor(DType::F32, "N 1"));
    let old = ("old", tensor(DType::F32, "N L"));
    let nodes = vec![node_with("list = Concat(old, x)", "axis", 1), node("y = Identity(list)")];
    let graph = graph(&[x, old], nodes, &["y", "list"]);
    // A variable dimension is 1 at first, and the first value zero.
    let state = "input_name: 'old' output_name: 'list' data_type: TYPE_FP32 dims: -1";
    let bench = scheduled(&config(state, "max_batch_size: 4"), graph, no_file).unwrap();
    let mut lists: Vec<Vec<f32>> = vec![vec![0.0]; 3];
    for round in 0..30 {
        let mut answers = vec![];
        for (at, list) in lists.iter_mut().enumerate() {
            // The third one is sometimes ahead, sometimes behind.
            if at == 2 && (5..15).contains(&round) {
                continue;
            }
            let value = (10 * round + at) as f32;
            list.push(value);
            let flags = if round == 0 { "(" } else { "" };
            answers.push((bench.submit(of(at as u64 + 1, flags, &[value])), list.clone()));
        }
        let before = bench.runs();
        bench.run();
        for (answer, list) in answers {
            assert_eq!(first(&answer.try_recv().unwrap()), list);
        }
        let batches = if round < 15 { 1 } else { 2 };
        assert_eq!(bench.runs(), before + batches);
    }
}

#[test]
fn texts_are_kept() {
    let inputs = [("x", tensor(DType::Str, "N 1")), ("old", tensor(DType::Str, "N 1"))];
    let nodes = vec![node("next = StringConcat(old, x)"), node("y = Identity(next)")];
    let graph = graph(&inputs, nodes, &["y", "next"]);
    let state = "input_name: 'old' output_name: 'next' data_type: TYPE_STRING dims: 1
        initial_state { name: 'i' data_type: TYPE_STRING dims: 1 data_file: 'text' }";
    let read = |file: &str| match file {
        "initial_state/text" => Ok(strings(&[b">"])),
        _ => no_file(file),
    };
    let bench = scheduled(&config(state, "max_batch_size: 4"), graph, read).unwrap();
    let text = |id, flags: &str, text: &str| {
        let mut request = of(id, flags, &[]);
        let data = vec![Part::Shared(strings(&[text.as_bytes()]).into())];
        let (name, data_type) = ("x".into(), DataType::String);
        request.inputs = vec![Input { name, data_type, shape: vec![1, 1], data }];
        request
    };
    for (flags, next, expected) in [("(", "a", ">a"), ("", "b", ">ab"), (")", "c", ">abc")] {
        let answers = [1, 2].map(|id| bench.submit(text(id, flags, &format!("{next}{id}"))));
        bench.run();
        for (id, answer) in answers.iter().enumerate() {
            let data = answer.try_recv().unwrap().unwrap().outputs[0].data.to_vec();
            let number = (id + 1).to_string();
            let expected: String = expected
                .chars()
                .map(|c| if c == '>' { c.into() } else { format!("{c}{number}") })
                .collect();
            assert_eq!(data, strings(&[expected.as_bytes()]));
        }
    }
}

#[test]
fn a_state_may_be_an_output() {
    let ends = "input { name: 'x' data_type: TYPE_FP32 dims: 2 }
        output { name: 'sum' data_type: TYPE_FP32 dims: 2 }";
    let bench = bench(SUM, &format!("max_batch_size: 4 {ends}"));
    let mut responses = vec![];
    for value in 1..=3 {
        let flags = if value == 1 { "(" } else { "" };
        responses.push(bench.answer(of(1, flags, &[value as f32, 0.0])));
    }
    // Later runs do not change earlier answers.
    let sums: Vec<Vec<f32>> = responses.iter().map(first).collect();
    assert_eq!(sums, [[1.0, 0.0], [3.0, 0.0], [6.0, 0.0]]);
}

#[test]
fn a_state_is_neither_given_nor_asked_for() {
    let bench = bench(SUM, "max_batch_size: 4");
    let mut given = of(1, "(", &[1.0; 2]);
    let old = Input { name: "old".into(), ..given.inputs[0].clone() };
    given.inputs.push(old);
    let error = bench.answer(given).unwrap_err();
    assert_eq!(error.to_string(), "unexpected inference input 'old' for model 'm'");
    let asked = InferenceRequest { outputs: Some(vec!["sum".into()]), ..of(1, "(", &[1.0; 2]) };
    let error = bench.answer(asked).unwrap_err();
    assert_eq!(error.to_string(), "unexpected inference output 'sum' for model 'm'");
}

#[test]
fn first_values_come_from_files() {
    let initial = |text: &str| format!("{SUM} initial_state {{ {text} }}");
    let read = |file: &str| match file {
        "initial_state/two" => Ok(bytes(&[10.0f32, 20.0])),
        "initial_state/one" => Ok(bytes(&[10.0f32])),
        _ => no_file(file),
    };
    let of_file = initial("name: 'i' data_type: TYPE_FP32 dims: 2 data_file: 'two'");
    let bench = scheduled(&config(&of_file, "max_batch_size: 4"), sums(), read).unwrap();
    for flags in ["(", "("] {
        assert_eq!(first(&bench.answer(of(1, flags, &[1.0, 2.0]))), [11.0, 22.0]);
    }
    assert_eq!(first(&bench.answer(of(1, "", &[1.0, 2.0]))), [12.0, 24.0]);
    for (text, expected) in [
        (
            "name: 'i' data_type: TYPE_FP32 dims: 2 data_file: 'one'",
            "initial_state setting expects 8 bytes, but the data provided from oneonly has 4 bytes.",
        ),
        (
            "name: 'i' data_type: TYPE_FP32 dims: 2 data_file: 'no'",
            "failed to read 'initial_state/no'",
        ),
        (
            "name: 'i' data_type: TYPE_INT32 dims: 2 zero_data: true",
            "The data type used for 'initial_state' field of state 'old' does not match the state data type.",
        ),
        (
            "data_type: TYPE_FP32 dims: 2 zero_data: true",
            "Field 'name' must be set when using initial_state for state input 'old'.",
        ),
        (
            "name: 'i' data_type: TYPE_FP32 dims: [ 2, 1 ] zero_data: true",
            "Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input 'old'. 2 != 1",
        ),
        (
            "name: 'i' data_type: TYPE_FP32 dims: -1 zero_data: true",
            "'initial_state' field for state input name 'old' contains variable dimensions.",
        ),
        (
            "name: 'i' data_type: TYPE_FP32 dims: 3 zero_data: true",
            "'initial_state' dim for input name 'old' doesn't match 'state' dim description. 3 != 2",
        ),
        (
            "name: 'i' data_type: TYPE_FP32 dims: 2",
            "initial_state setting expects state'old' to have state_data set",
        ),
    ] {
        let config = config(&initial(text), "max_batch_size: 4");
        let error = scheduled(&config, sums(), read).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
