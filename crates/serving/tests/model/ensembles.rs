//! Ensembles of models of one scheduler.

use crate::models::*;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trident_ir::{DType, Literal};
use trident_onnx::proto::GraphProto;
use trident_serving::{
    Cancel, Clock, DataType, Ensemble, ErrorCode, Fault, InferenceRequest, Input, ManualClock,
    ModelConfig, Part, RequestError, Response, ScheduledModel, Scheduler, ServedModel, StepAnswer,
    StepModel, StepModels, StepReply,
};

type Answer = Result<Response, RequestError>;

/// A model of a step.
struct Local {
    config: ModelConfig,
    scheduled: ScheduledModel,
}

impl StepModel for Local {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn version(&self) -> u64 {
        1
    }

    fn submit(
        &self,
        id: &str,
        request: InferenceRequest<'static>,
        mut reply: StepReply,
    ) -> Box<dyn Cancel> {
        let id = id.to_owned();
        let named = move |error: RequestError| Fault {
            code: error.code(),
            text: format!("[request id: {id}] {error}"),
        };
        let reply = move |answer: Answer| reply(StepAnswer::only(answer.map_err(named)));
        Box::new(self.scheduled.submit(request, reply))
    }
}

/// An ensemble as a step of another one.
struct Nested(Arc<Ensemble>);

impl StepModel for Nested {
    fn config(&self) -> &ModelConfig {
        self.0.config()
    }

    fn version(&self) -> u64 {
        1
    }

    fn submit(
        &self,
        id: &str,
        request: InferenceRequest<'static>,
        mut reply: StepReply,
    ) -> Box<dyn Cancel> {
        let fault = |error: RequestError| Fault { code: error.code(), text: error.to_string() };
        Box::new(self.0.submit(id, request, move |StepAnswer { answer, is_last }| {
            reply(StepAnswer { answer: answer.map(|answer| answer.map_err(fault)), is_last });
        }))
    }
}

#[derive(Default)]
struct Models(Mutex<HashMap<String, Arc<dyn StepModel>>>);

impl StepModels for Models {
    fn find(&self, name: &str, version: i64) -> Result<Arc<dyn StepModel>, Fault> {
        assert_eq!(version, -1);
        self.0.lock().unwrap().get(name).cloned().ok_or_else(|| Fault {
            code: ErrorCode::NotFound,
            text: format!("Request for unknown model: '{name}' is not found"),
        })
    }
}

/// `y = x * k`, or `y = a + b`.
fn scaled(k: f32) -> GraphProto {
    let x = ("x", tensor(DType::F32, "N 2"));
    let mut graph = graph(&[x], vec![node("y = Mul(x, k)")], &["y"]);
    constant(&mut graph, "k", Literal::vector(&[k]));
    graph
}

fn added() -> GraphProto {
    let inputs = [("a", tensor(DType::F32, "N 2")), ("b", tensor(DType::F32, "N 2"))];
    graph(&inputs, vec![node("y = Add(a, b)")], &["y"])
}

pub(super) struct Bench {
    scheduler: Scheduler,
    clock: Arc<ManualClock>,
    models: Arc<Models>,
    locals: HashMap<String, Arc<Local>>,
}

/// `y = 2 x + 10 x`, by three models: the first two run at the same time.
const DIAMOND: &str = "name: 'e' platform: 'ensemble' max_batch_size: 4
    input { name: 'X' data_type: TYPE_FP32 dims: 2 }
    output { name: 'Y' data_type: TYPE_FP32 dims: 2 }
    ensemble_scheduling {
      step { model_name: 'two' model_version: -1 input_map { key: 'x' value: 'X' } output_map { key: 'y' value: 'P' } }
      step { model_name: 'ten' model_version: -1 input_map { key: 'x' value: 'X' } output_map { key: 'y' value: 'Q' } }
      step { model_name: 'sum' input_map { key: 'a' value: 'P' } input_map { key: 'b' value: 'Q' }
             output_map { key: 'y' value: 'Y' } }
      LIMIT
    }";

impl Bench {
    pub(super) fn new() -> Bench {
        let clock = Arc::new(ManualClock::new());
        let scheduler = Scheduler::new(1, Arc::clone(&clock) as Arc<dyn Clock>);
        let models = Arc::new(Models::default());
        let mut bench = Bench { scheduler, clock, models, locals: HashMap::new() };
        bench.add("two", scaled(2.0));
        bench.add("ten", scaled(10.0));
        bench.add("sum", added());
        bench
    }

    fn add(&mut self, name: &str, graph: GraphProto) {
        let files = Folder::of([("model.onnx", encoded(graph))]);
        let all = "parameters { key: 'time_operations' value { string_value: 'all' } }";
        let text = format!("name: '{name}' max_batch_size: 4 dynamic_batching {{}} {all}");
        let (file, config) = completed(&text, &files).unwrap();
        let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap();
        let scheduled = self.scheduler.add(Arc::new(model), &config).unwrap();
        let local = Arc::new(Local { config, scheduled });
        self.locals.insert(name.to_owned(), Arc::clone(&local));
        self.models.0.lock().unwrap().insert(name.to_owned(), local);
    }

    /// An ensemble, or the reason why it is refused.
    fn ensemble(&self, text: &str) -> Result<Arc<Ensemble>, String> {
        let mut config = ModelConfig::from_text(text).unwrap();
        config.complete_backend(&config.name.clone(), &[]).map_err(|e| e.to_string())?;
        config.normalize(&trident_serving::Host::default());
        config.validate(&trident_serving::Host::default()).map_err(|e| e.to_string())?;
        let models = Arc::clone(&self.models) as Arc<dyn StepModels>;
        Ensemble::new(config, models).map(Arc::new).map_err(|e| e.to_string())
    }

    fn diamond(&self, limit: &str) -> Arc<Ensemble> {
        self.ensemble(&DIAMOND.replace("LIMIT", limit)).unwrap()
    }

    /// How many requests wait for a model, and how many runs it has had.
    fn counts(&self, model: &str) -> (usize, u64) {
        let scheduled = &self.locals[model].scheduled;
        let runs =
            scheduled.model().unwrap().operations().iter().map(|op| op.count).max().unwrap_or(0);
        (scheduled.waiting(), runs)
    }

    pub(super) fn run(&self) {
        while self.scheduler.run_next() {}
    }
}

pub(super) fn of(values: &[f32]) -> InferenceRequest<'static> {
    let data = vec![Part::Shared(bytes(values).into())];
    let shape = vec![values.len() as i64 / 2, 2];
    request(vec![Input { name: "X".into(), data_type: DataType::Fp32, shape, data }])
}

/// Sends the only answer.
fn only(sender: Sender<Answer>) -> impl FnMut(StepAnswer<RequestError>) + Send + 'static {
    move |StepAnswer { answer, is_last }| {
        assert!(is_last);
        drop(sender.send(answer.unwrap()));
    }
}

pub(super) fn submit(
    ensemble: &Arc<Ensemble>,
    request: InferenceRequest<'static>,
) -> Receiver<Answer> {
    let (sender, answers) = channel();
    ensemble.submit("r", request, only(sender));
    answers
}

pub(super) fn values(answers: &Receiver<Answer>) -> Vec<f32> {
    floats(&answers.try_recv().unwrap().unwrap().outputs[0].data)
}

#[test]
fn ready_steps_run_together_and_share_batches() {
    let bench = Bench::new();
    let ensemble = bench.diamond("");
    let answers: Vec<_> = (0..3).map(|n| submit(&ensemble, of(&[n as f32, 1.0]))).collect();
    assert_eq!(["two", "ten", "sum"].map(|model| bench.counts(model).0), [3, 3, 0]);
    bench.run();
    for (n, answers) in answers.iter().enumerate() {
        assert_eq!(values(answers), [12.0 * n as f32, 12.0]);
    }
    assert_eq!(["two", "ten", "sum"].map(|model| bench.counts(model)), [(0, 1); 3]);
    let response = submit(&ensemble, of(&[1.0, 2.0, 3.0, 4.0]));
    bench.run();
    let output = &response.try_recv().unwrap().unwrap().outputs[0];
    assert_eq!(
        (&*output.name, output.data_type, &*output.shape),
        ("Y", DataType::Fp32, &[2, 2][..])
    );
    assert_eq!(floats(&output.data), [12.0, 24.0, 36.0, 48.0]);
}

#[test]
fn an_ensemble_is_a_step_of_another_one() {
    let bench = Bench::new();
    let outer = bench.nested();
    let answers = submit(&outer, of(&[1.0, 2.0]));
    bench.run();
    let response = answers.try_recv().unwrap().unwrap();
    let outputs = response.outputs.iter().map(|output| (&*output.name, floats(&output.data)));
    assert_eq!(outputs.collect::<Vec<_>>(), [("Y", vec![24.0, 48.0]), ("M", vec![12.0, 24.0])]);
    let one =
        submit(&outer, InferenceRequest { outputs: Some(vec!["M".into()]), ..of(&[1.0, 2.0]) });
    bench.run();
    assert_eq!(one.try_recv().unwrap().unwrap().outputs.len(), 1);
}

#[test]
fn the_error_of_a_step_ends_the_request_and_its_other_steps() {
    let bench = Bench::new();
    let ensemble = bench.diamond("");
    bench.models.0.lock().unwrap().remove("ten");
    let answers = submit(&ensemble, of(&[1.0, 2.0]));
    let error = answers.try_recv().unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    let expected = "in ensemble 'e', Request for unknown model: 'ten' is not found";
    assert_eq!(error.to_string(), expected);
    assert_eq!(bench.counts("two"), (0, 0));
    // The step finds out that bytes are missing.
    let mut short = of(&[1.0, 2.0]);
    short.inputs[0].data = vec![Part::Shared(vec![0; 4].into())];
    let error = submit(&bench.diamond_again(), short).try_recv().unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArg);
    let expected = "in ensemble 'e', [request id: r] input byte size mismatch for input 'x' for model 'two'. Expected 8, got 4";
    assert_eq!(error.to_string(), expected);
}

impl Bench {
    /// `y = 2 m` after `m = 2 x + 10 x`, whose three models are an ensemble of their own.
    pub(super) fn nested(&self) -> Arc<Ensemble> {
        let inner = self.diamond("");
        self.models.0.lock().unwrap().insert("e".into(), Arc::new(Nested(inner)));
        self.ensemble(
            "name: 'outer' platform: 'ensemble' max_batch_size: 4
             input { name: 'X' data_type: TYPE_FP32 dims: 2 }
             output { name: 'Y' data_type: TYPE_FP32 dims: 2 }
             output { name: 'M' data_type: TYPE_FP32 dims: 2 }
             ensemble_scheduling {
               step { model_name: 'e' input_map { key: 'X' value: 'X' } output_map { key: 'Y' value: 'M' } }
               step { model_name: 'two' input_map { key: 'x' value: 'M' } output_map { key: 'y' value: 'Y' } }
             }",
        )
        .unwrap()
    }

    /// The ensemble after a model has been loaded again.
    pub(super) fn diamond_again(&self) -> Arc<Ensemble> {
        let ten = Arc::clone(&self.locals["ten"]);
        self.models.0.lock().unwrap().insert("ten".into(), ten);
        self.diamond("")
    }
}

#[test]
fn cancellation_and_deadline_reach_all_steps() {
    let bench = Bench::new();
    let ensemble = bench.diamond("");
    let (sender, answers) = channel();
    let ticket = ensemble.submit("r", of(&[1.0, 2.0]), only(sender));
    ticket.cancel();
    assert_eq!(answers.try_recv().unwrap(), Err(RequestError::Cancelled));
    assert_eq!(["two", "ten"].map(|model| bench.counts(model)), [(0, 0); 2]);
    let start = bench.clock.now();
    let deadline = Some(start + Duration::from_millis(5));
    let late = submit(&ensemble, InferenceRequest { deadline, ..of(&[1.0, 2.0]) });
    bench.clock.advance(Duration::from_millis(5));
    bench.scheduler.expire();
    let error = late.try_recv().unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unavailable);
    assert_eq!(error.to_string(), "in ensemble 'e', [request id: r] Request timeout expired");
    assert_eq!(["two", "ten"].map(|model| bench.counts(model)), [(0, 0); 2]);
}

#[test]
fn a_limit_lets_some_requests_into_a_step() {
    let bench = Bench::new();
    let ensemble = bench.diamond("max_inflight_requests: 2");
    let mut answers: Vec<_> = (0..5).map(|n| submit(&ensemble, of(&[n as f32, 1.0]))).collect();
    assert_eq!(bench.counts("two").0, 2);
    // A request that is cancelled while it waits takes no place.
    let (sender, cancelled) = channel();
    let ticket = ensemble.submit("r", of(&[9.0, 9.0]), only(sender));
    answers.push(submit(&ensemble, of(&[5.0, 1.0])));
    ticket.cancel();
    assert_eq!(cancelled.try_recv().unwrap(), Err(RequestError::Cancelled));
    bench.run();
    for (n, answers) in answers.iter().enumerate() {
        assert_eq!(values(answers), [12.0 * n as f32, 12.0]);
    }
    assert_eq!(bench.counts("two"), (0, 3));
}

#[test]
fn requests_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    let ensemble = bench.diamond("");
    let refused = |request: InferenceRequest<'static>, expected: &str| {
        let error = submit(&ensemble, request).try_recv().unwrap().unwrap_err();
        assert_eq!((error.code(), &*error.to_string()), (ErrorCode::InvalidArg, expected));
    };
    let with = |change: &dyn Fn(&mut Input<'static>)| {
        let mut request = of(&[1.0, 2.0]);
        change(&mut request.inputs[0]);
        request
    };
    refused(with(&|x| x.name = "x".into()), "unexpected inference input 'x' for model 'e'");
    refused(
        with(&|x| x.data_type = DataType::Int32),
        "inference input 'X' data-type is 'INT32', but model 'e' expects 'FP32'",
    );
    refused(
        with(&|x| x.shape = vec![1, 3]),
        "unexpected shape for input 'X' for model 'e'. Expected [-1,2], got [1,3]",
    );
    refused(of(&[0.0; 10]), "inference request batch-size must be <= 4 for 'e'");
    refused(
        request(vec![]),
        "expected 1 inputs but got 0 inputs for model 'e'. Got input(s) [], but missing required input(s) ['X']. Please provide \
         all required input(s).",
    );
    let asked = InferenceRequest { outputs: Some(vec!["P".into()]), ..of(&[1.0, 2.0]) };
    refused(asked, "unexpected inference output 'P' for model 'e'");
}

#[test]
fn ensembles_whose_maps_do_not_fit_are_refused() {
    let bench = Bench::new();
    let fault = |from: &str, to: &str| {
        assert!(DIAMOND.contains(from), "{from}");
        let text = DIAMOND.replace(from, to).replace("LIMIT", "");
        bench.ensemble(&text).err().unwrap_or_default()
    };
    for (from, to, expected) in [
        (
            "LIMIT\n    }",
            "} instance_group { count: 1 }",
            "instance group should not be specified for ensemble 'e'",
        ),
        ("model_name: 'two'", "", "must specify 'model_name' in step 0 of ensemble 'e'"),
        (
            "input_map { key: 'x' value: 'X' } output_map { key: 'y' value: 'Q' }",
            "output_map { key: 'y' value: 'Q' }",
            "must specify 'input_map' in step 1 of ensemble 'e'",
        ),
        (
            "output_map { key: 'y' value: 'Y' }",
            "",
            "must specify 'output_map' in step 2 of ensemble 'e'",
        ),
        (
            "value: 'Q' } }\n",
            "value: 'P' } }\n",
            "ensemble tensor 'P' can appear in an output map only once for ensemble 'e' step 1",
        ),
        (
            "input { name: 'X'",
            "input { name: 'Z' data_type: TYPE_FP32 dims: 2 } input { name: 'X'",
            "ensemble input 'Z' for ensemble e is not used",
        ),
        (
            "output { name: 'Y'",
            "output { name: 'Z'",
            "ensemble output 'Z' for ensemble e is not used",
        ),
        (
            "input_map { key: 'a' value: 'P' }",
            "input_map { key: 'a' value: 'R' }",
            "output 'Y' for ensemble 'e' is not written: at least one of its depending tensors, 'R', is not connected",
        ),
        // A cycle.
        (
            "model_version: -1 input_map { key: 'x' value: 'X' } output_map { key: 'y' value: 'Q' }",
            "input_map { key: 'x' value: 'Y' } output_map { key: 'y' value: 'Q' }",
            "output 'Y' for ensemble 'e' is not written",
        ),
        (
            "input_map { key: 'b' value: 'Q' }",
            "input_map { key: 'b' value: 'P' }",
            "ensemble tensor 'Q' is unused in ensemble 'e'",
        ),
        (
            "max_batch_size: 4",
            "max_batch_size: 8",
            "ensemble e allows maximum batch size 8, but it contains model two which only allows maximum batch size to be 4",
        ),
        (
            "key: 'b'",
            "key: 'c'",
            "in ensemble e, ensemble tensor Q is mapping to non-existing input c in model sum",
        ),
        (
            "output_map { key: 'y' value: 'Y' }",
            "output_map { key: 'z' value: 'Y' }",
            "in ensemble e, ensemble tensor Y is mapped from non-existing output z in model sum",
        ),
        (
            "name: 'X' data_type: TYPE_FP32",
            "name: 'X' data_type: TYPE_INT8",
            "in ensemble e, ensemble tensor X: inconsistent data type: TYPE_INT8 is inferred from model e while TYPE_FP32 is \
             inferred from model two",
        ),
        (
            "name: 'Y' data_type: TYPE_FP32 dims: 2",
            "name: 'Y' data_type: TYPE_FP32 dims: 3",
            "in ensemble e, ensemble tensor Y: inconsistent shape: [-1,3] is inferred from model e while [-1,2] is inferred from \
             model sum",
        ),
        ("'ten'", "'no'", "in ensemble e, Request for unknown model: 'no' is not found"),
    ] {
        let found = fault(from, to);
        assert!(found.starts_with(expected), "{to}: {found}");
    }
    let steps = DIAMOND.split("ensemble_scheduling").next().unwrap();
    let none = bench.ensemble(&format!("{steps} ensemble_scheduling {{}}")).err().unwrap();
    assert_eq!(none, "must specify 'step' for ensemble 'e'");
}
