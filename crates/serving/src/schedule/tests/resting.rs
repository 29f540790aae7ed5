//! Batches that rest after their runs.

use super::*;
use crate::failure::RequestError;
use crate::schedule::RateLimits;
use crate::schedule::clock::Clock;
use crate::schedule::limits::Group;
use crate::schedule::model::Schedule;
use crate::schedule::pending::Answer;
use crate::schedule::resting::Rest;
use crate::schedule::state::Joining;
use trident_engine::CancelFlag;

/// A model that runs a request at a time, each of which rests for 10 ms.
fn resting(bench: &Bench, levels: Levels, holds_answers: bool) -> (u64, Ran) {
    let ran = Ran::default();
    let own = Arc::clone(&ran);
    let schedule = Schedule { instances: 1, ..schedule(Batching::default(), levels) };
    let rest = Rest { time: Duration::from_millis(10), holds_answers };
    let model = bench.add_resting(schedule, rest, move |rows| {
        own.lock().unwrap().push(rows.iter().map(|row| row.name).collect());
    });
    (model, ran)
}

#[test]
fn a_batch_that_rests_keeps_its_instance_and_no_core() {
    for holds_answers in [false, true] {
        let bench = Bench::new(1);
        let (model, ran) = resting(&bench, Levels::default(), holds_answers);
        let (other, ran_beside) = recorded(&bench, batching(&[], 0), Levels::default());
        bench.submit(model, ask());
        bench.submit(model, ask());
        bench.submit(other, ask());
        run_all(&bench);
        assert_eq!(*ran.lock().unwrap(), [[0]]);
        assert_eq!(*ran_beside.lock().unwrap(), [[2]]);
        assert_eq!(bench.answers()[0].len(), usize::from(!holds_answers));
        bench.advance(9);
        assert!(!bench.shared.run_next());
        bench.advance(1);
        assert!(bench.answer(0).is_ok());
        run_all(&bench);
        assert_eq!(*ran.lock().unwrap(), [[0], [1]]);
        bench.advance(10);
        assert!(bench.answer(1).is_ok());
        assert!(bench.shared.is_quiet(1));
    }
}

#[test]
fn a_rest_ends_when_nobody_waits_for_its_answers() {
    let bench = Bench::new(1);
    let (model, ran) = resting(&bench, Levels::default(), true);
    let first = bench.submit(model, ask());
    let deadline = Some(Duration::from_millis(5));
    bench.submit(model, Ask { deadline, ..ask() });
    bench.submit(model, ask());
    run_all(&bench);
    bench.shared.cancel(&first);
    assert_eq!(bench.answer(0), Err(RequestError::Cancelled));
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [1]]);
    bench.advance(5);
    assert_eq!(bench.answer(1), Err(RequestError::Timeout));
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [1], [2]]);
}

#[test]
fn a_rest_after_the_answers_goes_on_without_clients() {
    let bench = Bench::new(1);
    let (model, ran) = resting(&bench, Levels::default(), false);
    let first = bench.submit(model, ask());
    bench.submit(model, ask());
    run_all(&bench);
    bench.shared.cancel(&first);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0]]);
    bench.advance(10);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [1]]);
}

#[test]
fn queues_fill_while_a_batch_rests() {
    let bench = Bench::new(2);
    let levels = levels("default_queue_policy { max_queue_size: 1 }");
    let (model, _) = resting(&bench, levels, true);
    bench.submit(model, ask());
    run_all(&bench);
    bench.submit(model, ask());
    bench.submit(model, ask());
    assert_eq!(bench.answer(2), Err(RequestError::QueueFull));
    assert!(bench.answers()[..2].iter().all(Vec::is_empty));
}

#[test]
fn a_scheduler_that_closes_ends_rests_and_a_model_that_goes_does_not() {
    let bench = Bench::new(1);
    let (going, _) = resting(&bench, Levels::default(), true);
    let (closed, _) = resting(&bench, Levels::default(), true);
    bench.submit(going, ask());
    run_all(&bench);
    bench.shared.retire(going);
    assert_eq!(bench.shared.models(), 2);
    bench.advance(10);
    assert!(bench.answer(0).is_ok());
    assert_eq!(bench.shared.models(), 1);
    bench.submit(closed, ask());
    run_all(&bench);
    bench.shared.close();
    assert_eq!(bench.answer(1), Err(RequestError::Closing));
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_model_that_goes_with_the_answer_of_its_rest_leaves_nothing() {
    let bench = Bench::new(1);
    let mut limits = RateLimits::default();
    limits.add("r:1").unwrap();
    bench.shared.limit(limits);
    let needing = || {
        let text = "name: 'm' instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: 'r' count: 1 } } }";
        let groups = Group::of(&crate::ModelConfig::from_text(text).unwrap());
        let schedule = schedule(Batching::default(), Levels::default());
        Schedule { instances: 1, groups, ..schedule }
    };
    let rest = Rest { time: Duration::from_millis(10), holds_answers: true };
    let going = bench.add_resting(needing(), rest, |_| {});
    let other = bench.add_resting(needing(), rest, |_| {});
    let joining = || Joining {
        priority: None,
        timeout: None,
        since: None,
        step: None,
        may_run_here: false,
        item: ask().row,
    };
    let deadline = Some(bench.clock.now() + Duration::from_secs(3600));
    let (shared, answered) = (Arc::downgrade(&bench.shared), Arc::new(Mutex::new(None)));
    let own = Arc::clone(&answered);
    let reply = Box::new(move |answer: Answer| {
        shared.upgrade().unwrap().retire(going);
        *own.lock().unwrap() = Some(answer.is_ok());
    });
    bench.shared.submit(going, deadline, CancelFlag::new(), reply, joining());
    run_all(&bench);
    bench.submit(other, ask());
    bench.advance(10);
    assert_eq!(*answered.lock().unwrap(), Some(true));
    assert_eq!(bench.shared.models(), 1);
    run_all(&bench);
    bench.advance(10);
    assert!(bench.answer(0).is_ok(), "the resource is free again");
    assert!(bench.shared.is_quiet(1), "its timer is gone");
}

#[test]
fn a_batch_whose_clients_leave_during_its_run_does_not_rest() {
    let bench = Arc::new(Bench::new(1));
    let (shared, flag) = (Arc::downgrade(&bench.shared), Arc::new(Mutex::new(None)));
    let leaving = Arc::clone(&flag);
    let rest = Rest { time: Duration::from_secs(60), holds_answers: true };
    let schedule = Schedule { instances: 1, ..schedule(Batching::default(), Levels::default()) };
    let model = bench.add_resting(schedule, rest, move |_| {
        if let Some(pending) = leaving.lock().unwrap().take() {
            shared.upgrade().unwrap().cancel(&pending);
        }
    });
    let first = bench.submit(model, ask());
    *flag.lock().unwrap() = Some(first);
    bench.submit(model, ask());
    run_all(&bench);
    assert_eq!(bench.answer(0), Err(RequestError::Cancelled));
    bench.advance(60_000);
    assert!(bench.answer(1).is_ok(), "it began at once");
}
