//! Runs on the threads that submit their requests.

use super::*;
use crate::failure::RequestError;
use crate::schedule::model::Schedule;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A request of so many rows, which the test's thread may run.
fn here(rows: usize) -> Ask {
    Ask { row: Row { rows, ..ask().row }, may_run_here: true, ..ask() }
}

fn steady() -> Schedule {
    Schedule { is_steady: true, ..schedule(Batching::default(), Levels::default()) }
}

/// A bench with a model of this schedule, and the microseconds that its runs take.
fn bench(schedule: Schedule) -> (Bench, u64, Arc<AtomicU64>) {
    let (bench, micros) = (Bench::new(1), Arc::new(AtomicU64::new(20)));
    let (clock, time) = (Arc::clone(&bench.clock), Arc::clone(&micros));
    let model = bench.add_with_core(schedule, move |_, _, core| {
        clock.advance(Duration::from_micros(time.load(Ordering::SeqCst)));
        assert!(!core.is_due());
    });
    (bench, model, micros)
}

/// Submits a request; whether that ran it. If not, it runs afterwards.
fn runs_here(bench: &Bench, model: u64, ask: Ask) -> bool {
    let pending = bench.submit(model, ask);
    let is_answered = pending.is_answered();
    assert!(is_answered || bench.shared.run_next());
    assert!(pending.is_answered());
    is_answered
}

#[test]
fn a_thread_runs_its_request_if_that_is_known_to_be_brief() {
    let (bench, model, micros) = bench(steady());
    assert!(!runs_here(&bench, model, here(4)), "nothing is known");
    assert!(runs_here(&bench, model, here(4)));
    assert!(runs_here(&bench, model, here(3)));
    assert!(!runs_here(&bench, model, ask()), "it may not");
    micros.store(1000, Ordering::SeqCst);
    assert!(!runs_here(&bench, model, here(5)), "larger than any before");
    assert!(runs_here(&bench, model, here(4)), "the larger one tells nothing");
    assert!(runs_here(&bench, model, here(4)), "once may be chance");
    assert!(!runs_here(&bench, model, here(4)));
    micros.store(20, Ordering::SeqCst);
    assert!(!runs_here(&bench, model, here(4)));
    assert!(runs_here(&bench, model, here(4)));
}

#[test]
fn the_time_of_some_models_is_never_known() {
    let (bench, model, _) = bench(schedule(Batching::default(), Levels::default()));
    for _ in 0..3 {
        assert!(!runs_here(&bench, model, here(1)));
    }
}

#[test]
fn a_thread_does_not_overtake_what_waits() {
    let (bench, model, _) = bench(steady());
    runs_here(&bench, model, here(1));
    // Another model goes first, which has had less of the core.
    let other = bench.add(steady(), |_, _| ());
    let first = bench.submit(other, ask());
    let second = bench.submit(model, here(1));
    assert!(!first.is_answered() && !second.is_answered());
    assert!(bench.shared.run_next() && first.is_answered() && !second.is_answered());
    assert!(bench.shared.run_next() && second.is_answered());
}

#[test]
fn a_request_that_runs_at_once_leaves_nothing_behind() {
    let (bench, model, _) = bench(steady());
    let limited = || Ask { deadline: Some(Duration::from_secs(1)), ..here(1) };
    assert!(!runs_here(&bench, model, limited()), "nothing is known");
    assert!(runs_here(&bench, model, limited()));
    assert!(bench.shared.is_quiet(1) && bench.shared.waiting(model) == 0);
    let late = bench.submit(model, Ask { deadline: Some(Duration::ZERO), ..here(1) });
    assert!(late.is_answered());
    assert_eq!(bench.answer(2).unwrap_err(), RequestError::Timeout);
    bench.shared.close();
    assert!(runs_here(&bench, model, limited()));
    assert_eq!(bench.answer(3).unwrap_err(), RequestError::Closing);
}

#[test]
fn a_thread_goes_on_with_brief_runs_for_a_while() {
    let (bench, own, runs) = (Bench::new(1), Arc::new(Mutex::new(None)), AtomicUsize::new(0));
    let (clock, submit) = (Arc::clone(&bench.clock), Arc::clone(&own));
    let model = bench.add(steady(), move |_, _| {
        clock.advance(Duration::from_micros(20));
        // The core is taken, so that the next request waits.
        let submit: std::sync::MutexGuard<'_, Option<Box<dyn Fn() + Send>>> =
            submit.lock().unwrap();
        if let Some(submit) = submit.as_ref().filter(|_| runs.fetch_add(1, Ordering::SeqCst) < 6) {
            submit();
        }
    });
    runs_here(&bench, model, here(1));
    let bench = Arc::new(bench);
    let weak = Arc::downgrade(&bench);
    *own.lock().unwrap() = Some(Box::new(move || {
        let bench = weak.upgrade().unwrap();
        assert!(!bench.submit(model, here(1)).is_answered());
    }));
    bench.submit(model, here(1));
    let answered = || bench.answers().iter().filter(|answers| answers.len() == 1).count();
    // After 60 µs it leaves the next one to a thread of the scheduler.
    assert_eq!((answered(), bench.answers().len()), (4, 5));
    while bench.shared.run_next() {}
    assert_eq!(answered(), 8);
}
