//! Single requests to models of one short launch: their answers are those of a run.

use crate::models::*;
use bytes::Bytes;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use trident_ir::DType;
use trident_onnx::proto::GraphProto;
use trident_serving::{
    DataType, Fault, Fill, InferenceRequest, Input, ManualClock, Part, RequestError, Response,
    ScheduledModel, Scheduler, ServedModel,
};

/// A model in a scheduler without threads. Runs that are measured are not direct.
struct Subject {
    scheduler: Scheduler,
    scheduled: ScheduledModel,
    model: Arc<ServedModel>,
}

fn subject(time_operations: &str, graph: GraphProto) -> Subject {
    let every = format!(
        "parameters {{ key: 'time_operations' value {{ string_value: '{time_operations}' }} }}"
    );
    let files = Folder::of([("model.onnx", encoded(graph))]);
    let (file, config) =
        completed(&format!("name: 'm' max_batch_size: 8 {every}"), &files).unwrap();
    let model = Arc::new(ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap());
    let scheduler = Scheduler::new(1, Arc::new(ManualClock::new()));
    let scheduled = scheduler.add(Arc::clone(&model), &config).unwrap();
    Subject { scheduler, scheduled, model }
}

impl Subject {
    fn answer(&self, request: InferenceRequest<'static>) -> Result<Response, RequestError> {
        let (send, receive) = mpsc::channel();
        self.scheduled.submit_or_run(request, move |answer| send.send(answer).unwrap());
        while self.scheduler.run_next() {}
        receive.recv_timeout(Duration::from_secs(10)).unwrap()
    }

    /// Whether an answer lies in the model's memory, as results of runs do.
    fn runs(&self, request: InferenceRequest<'static>) -> bool {
        let before = self.model.memory().live;
        let answer = self.answer(request).unwrap();
        let runs = self.model.memory().live > before;
        drop(answer);
        runs
    }
}

/// Bytes that are written when they are asked for; fewer, if so many are.
struct Written(Vec<u8>, Option<usize>);

impl Fill for Written {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
        match self.1 {
            Some(0) => Err(Fault::invalid("nothing to read")),
            written => {
                to.copy_from_slice(&self.0);
                Ok(written.unwrap_or(to.len()))
            }
        }
    }
}

fn input_of(
    name: &str,
    data_type: DataType,
    shape: &[i64],
    data: Vec<Part<'static>>,
) -> Input<'static> {
    Input { name: name.to_owned().into(), data_type, shape: shape.to_vec(), data }
}

/// The bytes of an input in each of the ways that a request may have.
fn ways(data: &[u8]) -> [Vec<Part<'static>>; 3] {
    let shifted = Bytes::from([&[0], data].concat());
    let (first, last) = data.split_at(data.len() / 3);
    let shared = |data: &[u8]| Part::Shared(data.to_vec().into());
    [
        vec![shared(data)],
        vec![Part::Shared(shifted.slice(1..))],
        vec![shared(first), Part::Fill(Arc::new(Written(last.to_vec(), None)))],
    ]
}

fn outputs(
    answer: Result<Response, RequestError>,
) -> Result<Vec<(String, Vec<i64>, Bytes)>, String> {
    let outputs = answer.map_err(|error| error.to_string())?.outputs;
    Ok(outputs.into_iter().map(|own| (own.name.to_string(), own.shape, own.data)).collect())
}

/// `y = x * w` for rows of 3 numbers and a factor of each row.
fn product() -> GraphProto {
    let inputs = [("x", tensor(DType::I64, "N 3")), ("w", tensor(DType::I64, "N 1"))];
    graph(&inputs, vec![node("y = Mul(x, w)")], &["y"])
}

#[test]
fn answers_are_those_of_runs() {
    let row = [0.5f32, f32::NAN, f32::INFINITY, -0.0, 3e38, -1.25];
    let (direct, run) = (subject("never", add()), subject("all", add()));
    for rows in [0, 1, 2] {
        for data in ways(&bytes(&row[..3 * rows])) {
            let asked =
                || request(vec![input_of("x", DataType::Fp32, &[rows as i64, 3], data.clone())]);
            assert_eq!(outputs(direct.answer(asked())), outputs(run.answer(asked())));
            assert!(rows == 0 || !direct.runs(asked()) && run.runs(asked()));
        }
    }
}

#[test]
fn several_inputs_are_broadcast_in_the_order_of_the_model() {
    let (direct, run) = (subject("never", product()), subject("all", product()));
    for data in ways(&bytes(&[1i64, -2, 3, i64::MAX, 5, 6])) {
        let asked = || {
            let factors = ways(&bytes(&[7i64, 2])).into_iter().next_back().unwrap();
            request(vec![
                input_of("w", DataType::Int64, &[2, 1], factors),
                input_of("x", DataType::Int64, &[2, 3], data.clone()),
            ])
        };
        assert_eq!(outputs(direct.answer(asked())), outputs(run.answer(asked())));
        assert!(!direct.runs(asked()));
    }
}

#[test]
fn requests_at_fault_have_the_errors_of_runs() {
    let (direct, run) = (subject("never", add()), subject("all", add()));
    for written in [Some(0), Some(8)] {
        let fill = || vec![Part::Fill(Arc::new(Written(vec![0; 12], written)) as Arc<dyn Fill>)];
        let asked = || request(vec![input_of("x", DataType::Fp32, &[1, 3], fill())]);
        let error = outputs(direct.answer(asked())).unwrap_err();
        assert_eq!(Err(error), outputs(run.answer(asked())));
    }
}

#[test]
fn long_requests_and_models_of_several_launches_run() {
    let two = graph(
        &[("x", tensor(DType::F32, "N 3"))],
        vec![node("s = Softmax(x)"), node("y = Neg(s)")],
        &["y"],
    );
    let short = vec![Part::Shared(bytes(&[1.0f32, 2.0, 3.0]).into())];
    let asked = request(vec![input_of("x", DataType::Fp32, &[1, 3], short)]);
    assert!(subject("never", two).runs(asked));
    let long = graph(&[("x", tensor(DType::F32, "N K"))], vec![node("y = Neg(x)")], &["y"]);
    let data = vec![Part::Shared(bytes(&vec![1.0f32; 1 << 16]).into())];
    let asked = request(vec![input_of("x", DataType::Fp32, &[1, 1 << 16], data)]);
    assert!(subject("never", long).runs(asked));
}
