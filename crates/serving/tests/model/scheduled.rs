//! Models whose requests are queued by a scheduler.

use crate::models::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use trident_ir::{DType, Literal};
use trident_serving::{
    CancelFlag, DataType, ErrorCode, InferenceRequest, Input, ManualClock, ModelConfig, Part,
    RequestError, Response, ScheduledModel, Scheduler, SchedulingChoice, ServeError, ServedModel,
};

type Answer = Result<Response, RequestError>;

/// A model with its configuration, as a scheduler takes them.
fn served(config: &str, graph: trident_onnx::proto::GraphProto) -> (Arc<ServedModel>, ModelConfig) {
    let files = Folder::of([("model.onnx", encoded(graph))]);
    let (file, config) = completed(config, &files).unwrap();
    let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap();
    (Arc::new(model), config)
}

const DYNAMIC: &str = "name: 'm' max_batch_size: 8 dynamic_batching {}
    parameters { key: 'time_operations' value { string_value: 'all' } }";

fn scheduled(scheduler: &Scheduler, config: &str) -> ScheduledModel {
    let (model, config) = served(config, add());
    scheduler.add(model, &config).unwrap()
}

/// A request that owns its rows of 3 numbers.
fn owned(values: &[f32]) -> InferenceRequest<'static> {
    let data = vec![Part::Shared(bytes(values).into())];
    let shape = vec![values.len() as i64 / 3, 3];
    let x = Input { name: "x".to_owned().into(), data_type: DataType::Fp32, shape, data };
    request(vec![x])
}

/// Where a reply sends the answer, with a name.
fn to(sender: &Sender<(usize, Answer)>, name: usize) -> impl FnOnce(Answer) + Send + 'static {
    let sender = sender.clone();
    move |answer| drop(sender.send((name, answer)))
}

fn next(answers: &Receiver<(usize, Answer)>) -> (usize, Answer) {
    answers.recv_timeout(Duration::from_secs(60)).unwrap()
}

#[test]
fn requests_of_many_threads_get_their_own_answers() {
    let scheduler = Scheduler::start(2).unwrap();
    let model = scheduled(&scheduler, DYNAMIC);
    let (sender, answers) = channel();
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (model, sender) = (&model, sender.clone());
            scope.spawn(move || {
                for i in 0..100 {
                    let name = client * 100 + i;
                    let rows = 1 + name % 3;
                    model.submit(owned(&vec![name as f32; 3 * rows]), to(&sender, name));
                }
            });
        }
    });
    let mut seen = vec![false; 400];
    for _ in 0..400 {
        let (name, answer) = next(&answers);
        let values = floats(&answer.unwrap().outputs[0].data);
        let expected = [10.0, 20.0, 30.0].map(|w| name as f32 + w).repeat(1 + name % 3);
        assert_eq!(values, expected);
        assert!(!std::mem::replace(&mut seen[name], true), "{name} is answered twice");
    }
}

#[test]
fn requests_that_wait_become_one_batch() {
    let clock = Arc::new(ManualClock::new());
    let scheduler = Scheduler::new(1, clock);
    let model = scheduled(&scheduler, DYNAMIC);
    let (sender, answers) = channel();
    for name in 0..3 {
        model.submit(owned(&[name as f32; 3]), to(&sender, name));
    }
    assert_eq!(model.waiting(), 3);
    assert!(scheduler.run_next() && !scheduler.run_next());
    let named = [next(&answers), next(&answers), next(&answers)];
    for (name, (answered, answer)) in named.into_iter().enumerate() {
        assert_eq!(answered, name, "answers come in the order of the batch");
        assert_eq!(floats(&answer.unwrap().outputs[0].data)[0], name as f32 + 10.0);
    }
    assert!(model.model().unwrap().operations().iter().all(|op| op.count == 1), "one run");
}

#[test]
fn a_request_that_does_not_fit_is_answered_at_once() {
    let scheduler = Scheduler::new(1, Arc::new(ManualClock::new()));
    let model = scheduled(&scheduler, DYNAMIC);
    let (sender, answers) = channel();
    model.submit(request(vec![]), to(&sender, 0));
    model.submit(InferenceRequest { outputs: Some(vec![]), ..owned(&[1.0; 3]) }, to(&sender, 1));
    assert_eq!(next(&answers).1.unwrap_err().code(), ErrorCode::InvalidArg);
    assert_eq!(next(&answers).1, Ok(Response::default()));
    assert!(!scheduler.run_next());
}

#[test]
fn deadlines_are_kept_beside_a_run_that_does_not_end() {
    let scheduler = Scheduler::start(1).unwrap();
    let model = scheduled(&scheduler, DYNAMIC);
    let (sender, answers) = channel();
    // The run asks this flag, and goes on only when the test says so.
    let (go, gate) = channel::<()>();
    let gate = Mutex::new(gate);
    let held = CancelFlag::when(move || {
        let _ = gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
        false
    });
    model.submit(InferenceRequest { cancel: Some(held), ..owned(&[1.0; 3]) }, to(&sender, 0));
    let start = Instant::now();
    let deadline = Some(start + Duration::from_millis(20));
    model.submit(InferenceRequest { deadline, ..owned(&[2.0; 3]) }, to(&sender, 1));
    let cancelled = model.submit(owned(&[3.0; 3]), to(&sender, 2));
    cancelled.cancel();
    let mut ended = [next(&answers), next(&answers)];
    ended.sort_by_key(|(name, _)| *name);
    assert_eq!(ended, [(1, Err(RequestError::Timeout)), (2, Err(RequestError::Cancelled))]);
    assert!(start.elapsed() >= Duration::from_millis(20));
    drop(go);
    let (name, answer) = next(&answers);
    assert_eq!((name, floats(&answer.unwrap().outputs[0].data)[0]), (0, 11.0));
}

#[test]
fn a_run_that_nobody_waits_for_stops() {
    let scheduler = Scheduler::new(1, Arc::new(ManualClock::new()));
    // Two ops at least: before the first one the client leaves, before the second one the run stops.
    let x = ("x", tensor(DType::F32, "N 3"));
    let nodes = vec![node("p = MatMul(x, w)"), node_with("y = ArgMax(p)", "axis", -1)];
    let mut graph = graph(&[x], nodes, &["y"]);
    let weight = Literal::vector(&[1.0f32; 9]).with_dims(vec![3, 3]).unwrap();
    constant(&mut graph, "w", weight);
    let (model, config) = served(DYNAMIC, graph);
    let model = scheduler.add(model, &config).unwrap();
    let (sender, answers) = channel();
    let ticket = Arc::new(Mutex::new(None::<trident_serving::Ticket>));
    let own = Arc::clone(&ticket);
    let leaves = CancelFlag::when(move || {
        let ticket = own.lock().unwrap_or_else(PoisonError::into_inner).take();
        ticket.iter().for_each(trident_serving::Ticket::cancel);
        false
    });
    let asked = InferenceRequest { cancel: Some(leaves), ..owned(&[1.0; 3]) };
    let made = model.submit(asked, to(&sender, 0));
    *ticket.lock().unwrap() = Some(made);
    assert!(scheduler.run_next());
    assert_eq!(next(&answers), (0, Err(RequestError::Cancelled)));
    assert!(answers.try_recv().is_err(), "one answer");
    assert!(model.model().unwrap().operations().is_empty(), "the run has not ended");
}

#[test]
fn requests_that_lack_memory_beside_others_run_again() {
    let x = ("x", tensor(DType::F32, "N 32768"));
    let concat = node_with("y = Concat(x, x)", "axis", 1);
    let graph = graph(&[x], vec![concat], &["y"]);
    // A request takes 384 KiB: two of them do not run at the same time.
    let limit = "parameters { key: 'memory_limit' value { string_value: '600K' } }";
    let group = "instance_group { kind: KIND_CPU count: 4 }";
    let (model, config) = served(&format!("name: 'm' max_batch_size: 1 {group} {limit}"), graph);
    let scheduler = Scheduler::start(4).unwrap();
    let model = scheduler.add(model, &config).unwrap();
    let (sender, answers) = channel();
    let row: bytes::Bytes = bytes(&[0.5f32; 1 << 15]).into();
    for name in 0..40 {
        // Bytes that are divided are copied into the model's memory.
        let data = vec![Part::Shared(row.slice(..4)), Part::Shared(row.slice(4..))];
        let shape = vec![1, 1 << 15];
        let x = Input { name: "x".into(), data_type: DataType::Fp32, shape, data };
        let sender = sender.clone();
        // The reply drops the response, and with it its memory.
        model.submit(request(vec![x]), move |answer: Answer| {
            let answer = answer.map(|response| {
                assert_eq!(response.outputs[0].data.len(), 2 * (4 << 15));
                Response::default()
            });
            drop(sender.send((name, answer)));
        });
    }
    for _ in 0..40 {
        let (name, answer) = next(&answers);
        answer.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(model.model().unwrap().memory().peak <= 600 << 10);
}

#[test]
fn a_scheduler_that_ends_answers_all_and_drops_its_models() {
    let scheduler = Scheduler::start(2).unwrap();
    let (model, config) = served(DYNAMIC, add());
    let weak = Arc::downgrade(&model);
    let scheduled = scheduler.add(model, &config).unwrap();
    let (sender, answers) = channel();
    for name in 0..50 {
        scheduled.submit(owned(&[1.0; 3]), to(&sender, name));
    }
    drop(scheduler);
    scheduled.submit(owned(&[1.0; 3]), to(&sender, 50));
    drop(sender);
    let all: Vec<(usize, Answer)> = answers.iter().collect();
    assert_eq!(all.len(), 51);
    assert!(
        all.iter().all(|(_, answer)| { answer.is_ok() || *answer == Err(RequestError::Closing) })
    );
    assert_eq!(all.last(), Some(&(50, Err(RequestError::Closing))));
    drop(scheduled);
    assert!(weak.upgrade().is_none());
}

#[test]
fn models_that_need_another_scheduler_are_refused_by_name() {
    let scheduler = Scheduler::new(1, Arc::new(ManualClock::new()));
    let (model, mut config) = served("name: 'm'", add());
    config.scheduling = SchedulingChoice::Ensemble(Default::default());
    let error = scheduler.add(model, &config).err().unwrap();
    let field = "ensemble_scheduling";
    assert!(matches!(error, ServeError::Unsupported { field: own, .. } if own == field), "{error}");
    let share = "name: 'm' parameters { key: 'share' value { string_value: 'all' } }";
    let (model, config) = served(share, add());
    let error = scheduler.add(model, &config).err().unwrap().to_string();
    assert!(error.contains("'share'") && error.contains("1 to 10000"), "{error}");
}
