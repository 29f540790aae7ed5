//! Requests to models that are not loaded.

use crate::batch::{InferenceRequest, Input, Part, Response};
use crate::failure::RequestError;
use crate::native::{NativeModel, NativeRequest, NativeRun};
use crate::{
    AbsentQueue, AbsentTicket, DataType, ManualClock, ModelConfig, Priority, ScheduledModel,
    Scheduler,
};
use bytes::Bytes;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Remembers the first byte of each request.
struct Recording(Arc<Mutex<Vec<u8>>>);

impl NativeModel for Recording {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let bytes = batch.iter().map(|request| request.inputs[0].data[0]);
        self.0.lock().unwrap().extend(bytes);
        NativeRun { answers: batch.iter().map(|_| Ok(vec![])).collect(), ..NativeRun::default() }
    }

    fn is_steady(&self) -> bool {
        false
    }
}

type Answers = Arc<Mutex<Vec<(u8, Option<RequestError>)>>>;

struct World {
    scheduler: Scheduler,
    clock: Arc<ManualClock>,
    config: ModelConfig,
    queue: AbsentQueue,
    /// The names of requests, with their errors, in the order of answers.
    answers: Answers,
    ran: Arc<Mutex<Vec<u8>>>,
}

impl World {
    fn new(batching: &str) -> World {
        let text = format!(
            "name: 'm' backend: 'b' dynamic_batching {{ {batching} }}
             input {{ name: 'x' data_type: TYPE_UINT8 dims: 1 }} output {{ name: 'y' data_type: TYPE_UINT8 dims: 1 }}"
        );
        let config = ModelConfig::from_text(&text).unwrap();
        let clock = Arc::new(ManualClock::new());
        let scheduler = Scheduler::new(1, Arc::clone(&clock) as Arc<_>);
        let queue = scheduler.absent(&config).unwrap();
        let (answers, ran) = Default::default();
        World { scheduler, clock, config, queue, answers, ran }
    }

    fn load(&self) -> ScheduledModel {
        let model = Arc::new(Recording(Arc::clone(&self.ran)));
        self.scheduler.add_native(model, &self.config).unwrap()
    }

    fn request(name: u8) -> InferenceRequest<'static> {
        let data = vec![Part::Shared(Bytes::from(vec![name]))];
        let (data_type, shape) = (DataType::Uint8, vec![1]);
        let input = Input { name: "x".into(), data_type, shape, data };
        InferenceRequest { inputs: vec![input], ..InferenceRequest::default() }
    }

    fn submit(&self, name: u8, request: InferenceRequest<'static>) -> AbsentTicket {
        let answers = Arc::clone(&self.answers);
        self.queue.submit(request, move |answer: Result<Response, _>| {
            answers.lock().unwrap().push((name, answer.err()));
        })
    }

    fn ask(&self, name: u8) -> AbsentTicket {
        self.submit(name, World::request(name))
    }

    fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.scheduler.expire();
    }

    fn run(&self) {
        while self.scheduler.run_next() {}
    }

    fn answers(&self) -> Vec<(u8, Option<RequestError>)> {
        self.answers.lock().unwrap().clone()
    }
}

#[test]
fn the_policy_of_the_queue_holds_while_the_model_is_loaded() {
    let policy =
        "default_timeout_microseconds: 5000 allow_timeout_override: true max_queue_size: 2";
    let world = World::new(&format!("default_queue_policy {{ {policy} }}"));
    world.ask(0);
    let timeout = Some(Duration::from_millis(2));
    world.submit(1, InferenceRequest { timeout, ..World::request(1) });
    world.ask(2);
    assert_eq!(world.answers(), [(2, Some(RequestError::QueueFull))]);
    assert_eq!(world.queue.waiting(), 2);
    world.advance(2);
    assert_eq!(world.answers()[1..], [(1, Some(RequestError::Timeout))]);
    world.ask(3);
    world.advance(3);
    assert_eq!(world.answers()[2..], [(0, Some(RequestError::Timeout))]);
    assert_eq!(world.queue.waiting(), 1);
}

#[test]
fn requests_keep_their_priorities_and_their_time_when_they_move() {
    let policy = "default_queue_policy { default_timeout_microseconds: 5000 max_queue_size: 2 }";
    let world = World::new(&format!("priority_levels: 2 default_priority_level: 2 {policy}"));
    world.ask(0);
    world.advance(3);
    world.ask(1);
    let priority = Priority::level(1);
    world.submit(2, InferenceRequest { priority, ..World::request(2) });
    let model = world.load();
    // A level has as many as may wait; those that have waited before are not refused.
    for name in [3, 4] {
        let request = InferenceRequest { priority, ..World::request(name) };
        model.submit(request, |answer| assert!(answer.is_ok()));
    }
    world.queue.move_to(&model);
    assert_eq!((world.queue.waiting(), model.waiting()), (0, 5));
    world.advance(2);
    assert_eq!(world.answers(), [(0, Some(RequestError::Timeout))]);
    world.run();
    assert_eq!(world.answers()[1..], [(2, None), (1, None)]);
    assert_eq!(*world.ran.lock().unwrap(), [3, 4, 2, 1]);
}

#[test]
fn a_client_leaves_before_or_after_its_request_has_moved() {
    let world = World::new("");
    let (first, second, _third) = (world.ask(0), world.ask(1), world.ask(2));
    first.cancel();
    assert_eq!(world.answers(), [(0, Some(RequestError::Cancelled))]);
    let model = world.load();
    world.queue.move_to(&model);
    second.cancel();
    first.cancel();
    assert_eq!(world.answers()[1..], [(1, Some(RequestError::Cancelled))]);
    world.run();
    assert_eq!(world.answers()[2..], [(2, None)]);
    assert_eq!(*world.ran.lock().unwrap(), [2]);
}

#[test]
fn requests_that_wait_are_answered_at_their_deadline_and_at_the_end() {
    let world = World::new("");
    let deadline = Some(crate::Clock::now(&*world.clock) + Duration::from_millis(4));
    world.submit(0, InferenceRequest { deadline, ..World::request(0) });
    world.ask(1);
    world.advance(4);
    assert_eq!(world.answers(), [(0, Some(RequestError::Timeout))]);
    let error = RequestError::Unloaded { model: "m".into(), cause: "no file".into() };
    world.queue.refuse(&error);
    assert_eq!(world.answers()[1..], [(1, Some(error))]);
    world.ask(2);
    world.scheduler.close();
    world.ask(3);
    let closing = Some(RequestError::Closing);
    assert_eq!(world.answers()[2..], [(2, closing.clone()), (3, closing)]);
}

#[test]
fn a_started_scheduler_keeps_the_time_of_models_that_are_not_loaded() {
    let world = World::new("default_queue_policy { default_timeout_microseconds: 1000 }");
    let scheduler = Scheduler::start(1).unwrap();
    let queue = scheduler.absent(&world.config).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    queue.submit(World::request(0), move |answer| sender.send(answer.err()).unwrap());
    let answer = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(answer, Some(RequestError::Timeout));
}
