//! Runs of native models that end early, or hand their cores over.

use crate::batch::{InferenceRequest, Input, Part};
use crate::failure::RequestError;
use crate::native::{NativeModel, NativeRequest, NativeRun};
use crate::{DataType, ErrorCode, ManualClock, ModelConfig, ScheduledModel, Scheduler, Ticket};
use bytes::Bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Runs what a test says.
struct Code<F>(F);

impl<F: Fn(&mut [NativeRequest<'_>]) + Send + Sync> NativeModel for Code<F> {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        (self.0)(batch);
        NativeRun { answers: batch.iter().map(|_| Ok(vec![])).collect(), ..NativeRun::default() }
    }

    fn is_steady(&self) -> bool {
        false
    }
}

fn add(
    scheduler: &Scheduler,
    code: impl Fn(&mut [NativeRequest<'_>]) + Send + Sync + 'static,
) -> ScheduledModel {
    let text = "name: 'm' backend: 'b' max_batch_size: 2 dynamic_batching {}
        input { name: 'x' data_type: TYPE_UINT8 dims: 1 } output { name: 'y' data_type: TYPE_UINT8 dims: 1 }";
    scheduler.add_native(Arc::new(Code(code)), &ModelConfig::from_text(text).unwrap()).unwrap()
}

fn request() -> InferenceRequest<'static> {
    let data = vec![Part::Shared(Bytes::from_static(&[0]))];
    let (data_type, shape) = (DataType::Uint8, vec![1, 1]);
    let input = Input { name: "x".into(), data_type, shape, data };
    InferenceRequest { inputs: vec![input], ..InferenceRequest::default() }
}

#[test]
fn a_run_learns_which_of_its_clients_have_left() {
    let scheduler = Scheduler::new(1, Arc::new(ManualClock::new()));
    let first = Arc::new(Mutex::new(None::<Ticket>));
    let (own, seen) = (Arc::clone(&first), Arc::new(Mutex::new(vec![])));
    let all = Arc::clone(&seen);
    let model = add(&scheduler, move |batch| {
        let left = || batch.iter().map(|own| own.checkpoint.pass().err().map(|fault| fault.code));
        all.lock().unwrap().extend(left());
        own.lock().unwrap().take().unwrap().cancel();
        all.lock().unwrap().extend(left());
    });
    let (sender, receiver) = mpsc::channel();
    for name in 0..2 {
        let sender = sender.clone();
        let ticket = model.submit(request(), move |answer| {
            sender.send((name, answer.err())).unwrap();
        });
        first.lock().unwrap().get_or_insert(ticket);
    }
    assert!(scheduler.run_next());
    assert_eq!(*seen.lock().unwrap(), [None, None, Some(ErrorCode::Cancelled), None]);
    let answers: Vec<_> = receiver.try_iter().collect();
    assert_eq!(answers, [(0, Some(RequestError::Cancelled)), (1, None)]);
}

#[test]
fn a_long_run_hands_its_core_to_another_model() {
    let scheduler = Scheduler::start(1).unwrap();
    let has_run = Arc::new(AtomicBool::new(false));
    let (sees, sets) = (Arc::clone(&has_run), Arc::clone(&has_run));
    let (started, starts) = mpsc::channel();
    let long = add(&scheduler, move |batch| {
        started.send(()).unwrap();
        let start = Instant::now();
        while !sees.load(Ordering::Relaxed) && start.elapsed() < Duration::from_secs(60) {
            batch.iter().for_each(|own| own.checkpoint.pass().unwrap());
        }
    });
    let short = add(&scheduler, move |_| sets.store(true, Ordering::Relaxed));
    let (sender, receiver) = mpsc::channel();
    let told = sender.clone();
    long.submit(request(), move |answer| told.send(("long", answer.is_ok())).unwrap());
    starts.recv().unwrap();
    short.submit(request(), move |answer| sender.send(("short", answer.is_ok())).unwrap());
    let answers: Vec<_> = (0..2).map(|_| receiver.recv().unwrap()).collect();
    assert_eq!(answers, [("short", true), ("long", true)]);
}
