//! Brief requests that run outside of batches.

use super::*;
use crate::failure::RequestError;
use crate::schedule::alone::Alone;
use crate::schedule::clock::Clock;
use crate::schedule::model::Schedule;
use std::sync::atomic::{AtomicU64, Ordering};

fn alone(instances: usize) -> Schedule {
    let schedule = schedule(Batching::default(), Levels::default());
    Schedule { is_steady: true, runs_alone: true, instances, ..schedule }
}

/// Runs a request alone.
fn run(bench: &Bench, model: u64, row: &Row) -> Option<Alone<Fake>> {
    bench.shared.run_alone(model, &mut row.clone(), None)
}

/// A model, one of whose runs was brief.
fn known(bench: &Bench, schedule: Schedule, micros: &Arc<AtomicU64>) -> u64 {
    let (clock, time) = (Arc::clone(&bench.clock), Arc::clone(micros));
    let model = bench.add(schedule, move |_, _| {
        clock.advance(Duration::from_micros(time.load(Ordering::SeqCst)));
    });
    assert!(run(bench, model, &ask().row).is_none(), "nothing is known");
    bench.submit(model, ask());
    assert!(bench.shared.run_next());
    model
}

#[test]
fn only_runs_that_are_known_to_be_brief_are_alone() {
    let (bench, micros) = (Bench::new(1), Arc::new(AtomicU64::new(20)));
    let model = known(&bench, alone(1), &micros);
    let other = known(&bench, Schedule { runs_alone: false, ..alone(1) }, &micros);
    let row = ask().row;
    assert!(run(&bench, model, &row).is_some_and(|alone| alone.answer.is_ok()));
    assert!(run(&bench, model, &Row { rows: 2, ..row.clone() }).is_none(), "a larger one");
    assert!(run(&bench, other, &row).is_none(), "its schedule says so");
    micros.store(1000, Ordering::SeqCst);
    assert!(run(&bench, model, &row).is_some() && run(&bench, model, &row).is_some());
    assert!(run(&bench, model, &row).is_none(), "two late runs");
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_run_alone_overtakes_nothing() {
    let (bench, micros) = (Bench::new(1), Arc::new(AtomicU64::new(20)));
    let model = known(&bench, alone(1), &micros);
    let row = ask().row;
    let late = Some(bench.clock.now());
    assert!(bench.shared.run_alone(model, &mut row.clone(), late).is_none(), "its time is over");
    let waiting = bench.submit(model, ask());
    assert!(run(&bench, model, &row).is_none() && !waiting.is_answered());
    while bench.shared.run_next() {}
    assert!(waiting.is_answered() && run(&bench, model, &row).is_some());
    bench.shared.close();
    assert!(run(&bench, model, &row).is_none());
}

#[test]
fn a_run_alone_counts_as_an_instance_and_goes_on_with_what_waits() {
    let (bench, own) = (Arc::new(Bench::new(2)), Arc::new(Mutex::new(None::<u64>)));
    let (weak, id) = (Arc::downgrade(&bench), Arc::clone(&own));
    let model = bench.add(alone(1), move |_, _| {
        let (bench, mut id) = (weak.upgrade().unwrap(), id.lock().unwrap());
        if let Some(model) = id.take() {
            assert!(run(&bench, model, &ask().row).is_none(), "there is one instance");
            let pending = bench.submit(model, Ask { may_run_here: true, ..ask() });
            assert!(!pending.is_answered());
        }
    });
    bench.submit(model, ask());
    assert!(bench.shared.run_next());
    *own.lock().unwrap() = Some(model);
    let Alone { answer, next } = run(&bench, model, &ask().row).unwrap();
    assert!(answer.is_ok() && bench.answers()[1].is_empty());
    bench.shared.run(next.unwrap());
    assert!(bench.answer(1).is_ok() && bench.shared.is_quiet(2));
}

#[test]
fn a_request_that_lacks_memory_or_panics_leaves_nothing_behind() {
    let (bench, micros) = (Bench::new(1), Arc::new(AtomicU64::new(20)));
    let model = known(&bench, alone(1), &micros);
    assert!(run(&bench, model, &Row { lacks: true, ..ask().row }).is_none(), "it joins the queue");
    assert!(bench.shared.is_quiet(1));
    assert!(run(&bench, model, &ask().row).is_some());
    let panics = bench.add(alone(1), |rows, _| assert!(rows[0].shape == 0, "a bug of an op"));
    bench.submit(panics, ask());
    assert!(bench.shared.run_next());
    let Alone { answer, .. } = run(&bench, panics, &Row { shape: 1, ..ask().row }).unwrap();
    assert_eq!(answer, Err(RequestError::Abandoned));
    assert!(bench.shared.is_quiet(1) && run(&bench, panics, &ask().row).is_some());
    bench.shared.retire(panics);
    assert_eq!(bench.shared.models(), 1);
}
