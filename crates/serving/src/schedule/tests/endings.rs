//! Requests that end before their batch does.

use super::*;
use crate::failure::RequestError;
use crate::schedule::model::Turn;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};

/// A model whose runs take this long, and during which timers are applied.
fn slow(bench: &Bench, millis: u64, levels: Levels) -> u64 {
    let (clock, shared) = (Arc::clone(&bench.clock), Arc::downgrade(&bench.shared));
    bench.add(schedule(batching(&[4], 0), levels), move |_, _| {
        clock.advance(Duration::from_millis(millis));
        Weak::upgrade(&shared).unwrap().expire();
    })
}

const REJECT: &str = "default_queue_policy {
    timeout_action: REJECT default_timeout_microseconds: 5000 allow_timeout_override: true }";

#[test]
fn queue_timeouts_fire_while_the_instance_is_busy() {
    // triton-inference-server/server#7512
    let bench = Bench::new(1);
    let answered_in_time = Arc::new(AtomicBool::new(false));
    let (answers, seen) = (Arc::clone(&bench.answers), Arc::clone(&answered_in_time));
    let (clock, shared) = (Arc::clone(&bench.clock), Arc::downgrade(&bench.shared));
    let watched = bench.add(schedule(batching(&[4], 0), Levels::default()), move |_, _| {
        clock.advance(Duration::from_micros(4999));
        shared.upgrade().unwrap().expire();
        assert!(answers.lock().unwrap()[1].is_empty());
        clock.advance(Duration::from_micros(1));
        shared.upgrade().unwrap().expire();
        seen.store(answers.lock().unwrap()[1] == [Err(RequestError::Timeout)], Ordering::SeqCst);
    });
    let model = slow(&bench, 0, levels(REJECT));
    bench.submit(watched, ask());
    bench.submit(model, ask());
    run_all(&bench);
    assert!(answered_in_time.load(Ordering::SeqCst));
    assert!(bench.answer(0).is_ok());
    assert_eq!(bench.answer(1), Err(RequestError::Timeout));
}

#[test]
fn a_request_may_shorten_the_timeout_of_its_queue_where_the_policy_allows_it() {
    let millis = |n| Some(Duration::from_millis(n));
    // The policy, the request's own timeout, and when it is over.
    let cases = [
        (REJECT, None, 5),
        (REJECT, millis(2), 2),
        (REJECT, millis(0), 5),
        (REJECT, millis(9), 5),
        ("default_queue_policy { default_timeout_microseconds: 5000 }", millis(2), 5),
        // As in the server: what is not limited cannot be shortened.
        ("default_queue_policy { allow_timeout_override: true }", millis(2), u64::MAX),
    ];
    for (policy, timeout, end) in cases {
        let bench = Bench::new(1);
        let model = slow(&bench, 0, levels(policy));
        bench.submit(model, Ask { timeout, ..ask() });
        for now in 1..20 {
            bench.advance(1);
            let expected = if now >= end { vec![Err(RequestError::Timeout)] } else { vec![] };
            assert_eq!(bench.answers()[0], expected, "{policy} {timeout:?} {now}");
        }
    }
}

#[test]
fn delayed_requests_go_behind_the_others_of_their_level() {
    let bench = Bench::new(1);
    let levels = levels(
        "priority_levels: 2 default_priority_level: 1 default_queue_policy {
         timeout_action: DELAY default_timeout_microseconds: 5000 }",
    );
    let (model, ran) = recorded(&bench, Batching::default(), levels);
    bench.submit(model, ask());
    bench.submit(model, Ask { priority: 2, ..ask() });
    bench.advance(5);
    bench.submit(model, ask());
    bench.submit(model, ask());
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[2], [3], [0], [1]]);
}

#[test]
fn deadlines_end_requests_that_wait_and_requests_that_run() {
    let bench = Bench::new(1);
    let model = slow(&bench, 10, Levels::default());
    let until = |millis| Ask { deadline: Some(Duration::from_millis(millis)), ..ask() };
    let first = bench.submit(model, until(5));
    bench.submit(model, Ask { row: shape(1).row, ..until(8) });
    bench.submit(model, ask());
    assert!(bench.shared.run_next());
    // The first one ran with the third, the second one waited.
    assert_eq!(bench.answer(0), Err(RequestError::Timeout));
    assert!(first.cancel.is_cancelled());
    assert_eq!(bench.answer(1), Err(RequestError::Timeout));
    assert!(bench.answer(2).is_ok());
    assert!(!bench.shared.run_next());
    // One that comes too late is not queued.
    bench.submit(model, until(0));
    assert_eq!(bench.answer(3), Err(RequestError::Timeout));
}

#[test]
fn a_client_that_leaves_is_answered_at_once() {
    let bench = Bench::new(1);
    let cancelled = Arc::new(Mutex::new(None));
    let (own, shared) = (Arc::clone(&cancelled), Arc::downgrade(&bench.shared));
    let model = bench.add(schedule(batching(&[4], 0), Levels::default()), move |_, _| {
        let pending: Option<Arc<crate::schedule::Pending>> = own.lock().unwrap().take();
        pending.iter().for_each(|pending| shared.upgrade().unwrap().cancel(pending));
    });
    let waits = bench.submit(model, ask());
    bench.shared.cancel(&waits);
    bench.shared.cancel(&waits);
    assert_eq!(bench.answer(0), Err(RequestError::Cancelled));
    assert!(!bench.shared.run_next());
    let runs = bench.submit(model, ask());
    bench.submit(model, ask());
    *cancelled.lock().unwrap() = Some(Arc::clone(&runs));
    assert!(bench.shared.run_next());
    assert_eq!(bench.answer(1), Err(RequestError::Cancelled));
    assert!(runs.cancel.is_cancelled());
    assert!(bench.answer(2).is_ok());
}

#[test]
fn a_request_that_lacks_memory_runs_again_once_no_other_run_is_under_way() {
    let bench = Bench::new(2);
    let (ran, inner) = (Arc::new(Mutex::new(vec![])), Arc::downgrade(&bench.shared));
    let own = Arc::clone(&ran);
    let nested = AtomicBool::new(false);
    let model = bench.add(schedule(batching(&[4], 0), Levels::default()), move |rows, turn| {
        own.lock().unwrap().push((rows[0].name, turn));
        if rows[0].name == 0 && !nested.swap(true, Ordering::SeqCst) {
            // While this runs, a second core takes the second request, which lacks memory, and then waits.
            let shared = inner.upgrade().unwrap();
            assert!(shared.run_next());
            assert!(
                !shared.run_next(),
                "the third one does not overtake the one that lacks memory"
            );
        }
    });
    let lacks = |shape, lacks| {
        let mut ask = self::shape(shape);
        ask.row.lacks = lacks;
        ask
    };
    for ask in [lacks(0, false), lacks(1, true), lacks(2, false)] {
        bench.submit(model, ask);
    }
    run_all(&bench);
    let expected = [(0, Turn::Shared), (1, Turn::Shared), (1, Turn::Again), (2, Turn::Shared)];
    assert_eq!(*ran.lock().unwrap(), expected);
    assert!((0..3).all(|name| bench.answer(name).is_ok()));
}

#[test]
fn a_panic_of_a_run_answers_its_requests_and_frees_its_core() {
    let bench = Bench::new(1);
    let model = bench.add(schedule(batching(&[4], 0), Levels::default()), |rows, _| {
        assert!(rows[0].shape != 1, "a test asks for it");
    });
    bench.submit(model, shape(1));
    bench.submit(model, shape(2));
    run_all(&bench);
    assert_eq!(bench.answer(0), Err(RequestError::Abandoned));
    assert!(bench.answer(1).is_ok());
}

#[test]
fn a_scheduler_that_closes_answers_the_requests_that_wait() {
    let bench = Bench::new(1);
    let shared = Arc::downgrade(&bench.shared);
    let model = bench.add(schedule(batching(&[4], 0), Levels::default()), move |_, _| {
        shared.upgrade().unwrap().close();
    });
    bench.submit(model, shape(1));
    bench.submit(model, shape(2));
    run_all(&bench);
    bench.submit(model, shape(3));
    assert!(bench.answer(0).is_ok());
    for name in [1, 2] {
        assert_eq!(bench.answer(name), Err(RequestError::Closing));
    }
    // Without timers and work, the loops of threads end.
    bench.shared.work();
    bench.shared.keep_time();
}

#[test]
fn a_model_that_is_retired_answers_its_requests_first() {
    let bench = Bench::new(1);
    let (model, ran) = recorded(&bench, Batching::default(), Levels::default());
    let held = Arc::strong_count(&ran);
    bench.submit(model, ask());
    let left = bench.submit(model, ask());
    bench.shared.retire(model);
    assert!(bench.shared.run_next());
    assert!(bench.answer(0).is_ok());
    assert_eq!(Arc::strong_count(&ran), held);
    bench.shared.cancel(&left);
    assert_eq!(Arc::strong_count(&ran), held - 1, "the model is dropped");
}
