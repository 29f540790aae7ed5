//! The order of requests of sequences, and when their slots return.

use super::*;
use crate::failure::RequestError;
use crate::schedule::Pending;
use crate::schedule::model::{Schedule, Turn};
use crate::schedule::sequences::{SequenceRules, Step};
use crate::schedule::sequencing;
use crate::sequence::{Correlation, SequenceFault};
use crate::{ModelConfig, SchedulingChoice};
use trident_engine::Handover;

pub(super) const IDLE: u64 = 100;

/// A model with so many slots that records its batches.
fn sequential(bench: &Bench, slots: usize) -> (u64, Ran) {
    let ran = Ran::default();
    let own = Arc::clone(&ran);
    let model = sequential_with(bench, slots, move |rows, _, _| {
        own.lock().unwrap().push(rows.iter().map(|row| row.name).collect());
    });
    (model, ran)
}

/// A model with so many slots.
pub(super) fn sequential_with(
    bench: &Bench,
    slots: usize,
    during: impl Fn(&[Row], Turn, &dyn Handover) + Send + Sync + 'static,
) -> u64 {
    let rules = SequenceRules { model: "m".into(), slots, idle: Duration::from_millis(IDLE) };
    let own = schedule(batching(&[], 0), Levels::default());
    bench.add_with_core(Schedule { sequences: Some(rules), ..own }, during)
}

/// A request of a sequence: `"a"`, with `(` before it if it starts and `)` after it if it ends.
pub(super) fn of(text: &str) -> Ask {
    let id = Correlation::Text(text.trim_matches(['(', ')']).into());
    let step = Step { id, starts: text.starts_with('('), ends: text.ends_with(')') };
    Ask { step: Some(step), ..ask() }
}

fn submit(bench: &Bench, model: u64, texts: &[&str]) -> Vec<Arc<Pending>> {
    texts.iter().map(|text| bench.submit(model, of(text))).collect()
}

fn not_started(id: &str) -> RequestError {
    SequenceFault::NotStarted { model: "m".into(), id: id.into() }.into()
}

#[test]
fn a_sequence_runs_in_order_and_shares_batches() {
    let bench = Bench::new(2);
    let (model, ran) = sequential(&bench, 4);
    submit(&bench, model, &["(a", "a", "(b", "a)", "(c)"]);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [vec![0, 2, 4], vec![1], vec![3]]);
    assert_eq!(bench.shared.free_slots(model), 3);
    submit(&bench, model, &["b)"]);
    run_all(&bench);
    assert!((0..6).all(|name| bench.answer(name).is_ok()));
    assert_eq!(bench.shared.free_slots(model), 4);
    assert!(bench.shared.is_quiet(2));
}

#[test]
fn a_sequence_starts_before_it_goes_on() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["a", "(a)", "a"]);
    run_all(&bench);
    submit(&bench, model, &["a)"]);
    for name in [0, 2, 3] {
        assert_eq!(bench.answer(name), Err(not_started("a")));
    }
    assert_eq!(*ran.lock().unwrap(), [[1]]);
    assert_eq!(
        not_started("7").to_string(),
        "inference request for sequence 7 to model 'm' must specify the START flag on the first request of the sequence"
    );
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_start_on_a_live_sequence_restarts_it_in_its_slot() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["(a", "a", "(a", "a)"]);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [1], [2], [3]]);
    assert_eq!(bench.shared.free_slots(model), 1);
}

#[test]
fn a_sequence_without_a_slot_waits_for_one() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["(a", "(b", "b)", "(c)"]);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0]]);
    // A sequence of the same id that starts after the end waits behind the others.
    submit(&bench, model, &["(b)", "a)"]);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [5], [1], [2], [3], [4]]);
    assert_eq!(bench.shared.free_slots(model), 1);
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn an_idle_sequence_loses_its_slot_but_not_while_it_runs() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["(a", "(b"]);
    bench.advance(2 * IDLE);
    run_all(&bench);
    bench.advance(IDLE - 1);
    submit(&bench, model, &["a"]);
    run_all(&bench);
    bench.advance(IDLE - 1);
    assert!(!bench.shared.run_next());
    bench.advance(1);
    run_all(&bench);
    submit(&bench, model, &["a", "b)"]);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [2], [1], [4]]);
    assert_eq!(bench.answer(3), Err(not_started("a")));
    assert_eq!(bench.shared.free_slots(model), 1);
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_client_that_leaves_ends_its_sequence() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    // The second one leaves: the third one would run without it. The sequence that starts anew goes on.
    let pending = submit(&bench, model, &["(a", "a", "a", "(a", "(b)"]);
    bench.shared.cancel(&pending[1]);
    for name in [1, 2] {
        assert_eq!(bench.answer(name), Err(RequestError::Cancelled));
    }
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [3]]);
    // The first one leaves, while it is in the queue: the sequence ends.
    let pending = submit(&bench, model, &["a", "a"]);
    bench.shared.cancel(&pending[0]);
    submit(&bench, model, &["a"]);
    assert_eq!(bench.answer(6), Err(RequestError::Cancelled));
    assert_eq!(bench.answer(7), Err(not_started("a")));
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [3], [4]]);
    assert_eq!(bench.shared.free_slots(model), 1);
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_deadline_ends_the_sequence_of_a_request_that_waits() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["(a"]);
    run_all(&bench);
    bench.submit(model, Ask { deadline: Some(Duration::from_millis(5)), ..of("a") });
    submit(&bench, model, &["a"]);
    bench.advance(5);
    assert_eq!(bench.answer(1), Err(RequestError::Timeout));
    assert_eq!(bench.answer(2), Err(RequestError::Cancelled));
    assert_eq!(*ran.lock().unwrap(), [[0]]);
    assert_eq!(bench.shared.free_slots(model), 1);
}

#[test]
fn a_client_that_leaves_a_run_leaves_the_sequence_alive() {
    let bench = Arc::new(Bench::new(1));
    let pending = Arc::new(Mutex::new(None::<Arc<Pending>>));
    let (at_run, asked) = (Arc::clone(&bench), Arc::clone(&pending));
    let model = sequential_with(&bench, 1, move |_, _, _| {
        asked.lock().unwrap().take().iter().for_each(|pending| at_run.shared.cancel(pending));
    });
    *pending.lock().unwrap() = submit(&bench, model, &["(a", "a)"]).first().cloned();
    run_all(&bench);
    assert_eq!(bench.answer(0), Err(RequestError::Cancelled));
    assert!(bench.answer(1).is_ok());
    assert_eq!(bench.shared.free_slots(model), 1);
}

#[test]
fn a_sequence_waits_for_a_slot_as_long_as_its_requests_allow() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["(a"]);
    bench.submit(model, Ask { timeout: Some(Duration::from_millis(9)), ..of("(b") });
    bench.submit(model, Ask { timeout: Some(Duration::from_millis(5)), ..of("b") });
    submit(&bench, model, &["(c)"]);
    run_all(&bench);
    bench.advance(4);
    assert!(bench.answers()[1].is_empty());
    bench.advance(1);
    for name in [1, 2] {
        let error = bench.answer(name).unwrap_err();
        assert_eq!(error.to_string(), "timeout of the corresponding sequence has been expired");
        assert_eq!(error.code(), crate::ErrorCode::Unavailable);
    }
    submit(&bench, model, &["b", "a)"]);
    run_all(&bench);
    assert_eq!(bench.answer(4), Err(not_started("b")));
    assert_eq!(*ran.lock().unwrap(), [[0], [5], [3]]);
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_model_that_retires_serves_the_sequences_that_wait() {
    let bench = Bench::new(1);
    let (model, ran) = sequential(&bench, 1);
    submit(&bench, model, &["(a", "(b", "b", "(c"]);
    run_all(&bench);
    bench.shared.retire(model);
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [1], [2], [3]]);
    assert!(bench.shared.is_quiet(1));
    assert_eq!(bench.shared.models(), 0);
}

#[test]
fn a_scheduler_that_closes_answers_the_requests_of_sequences() {
    let bench = Bench::new(1);
    let (model, _) = sequential(&bench, 1);
    submit(&bench, model, &["(a", "a", "(b"]);
    bench.shared.close();
    assert!((0..3).all(|name| bench.answer(name) == Err(RequestError::Closing)));
    assert!(bench.shared.is_quiet(1));
}

fn batching_of(text: &str) -> Batching {
    let config = ModelConfig::from_text(&format!("sequence_batching {{ {text} }}")).unwrap();
    match &config.scheduling {
        SchedulingChoice::Sequence(sequences) => sequencing::batching(sequences, 4),
        _ => unreachable!("the text is of sequences"),
    }
}

#[test]
fn a_direct_batch_waits_until_enough_slots_have_requests() {
    let bench = Bench::new(1);
    for (text, most, waits) in [
        ("direct { max_queue_delay_microseconds: 9000 minimum_slot_utilization: 0.6 }", 4, true),
        ("direct { max_queue_delay_microseconds: 9000 }", 4, false),
        ("direct { minimum_slot_utilization: 0.6 }", 4, false),
        ("", 4, false),
    ] {
        let batching = batching_of(text);
        assert_eq!(batching.most, most);
        let (model, ran) = recorded(&bench, batching, Levels::default());
        bench.submit(model, ask());
        bench.submit(model, ask());
        assert_eq!(bench.shared.run_next(), !waits, "{text}");
        if waits {
            // Three of four are more than 0.6, two are not.
            bench.submit(model, ask());
            assert!(bench.shared.run_next());
            bench.submit(model, ask());
            bench.advance(8);
            assert!(!bench.shared.run_next());
            bench.advance(1);
            assert!(bench.shared.run_next());
            let sizes: Vec<usize> = ran.lock().unwrap().iter().map(Vec::len).collect();
            assert_eq!(sizes, [3, 1]);
        }
    }
}

#[test]
fn an_oldest_batch_waits_for_a_preferred_size() {
    let batching = batching_of(
        "oldest { preferred_batch_size: [ 4, 2 ] max_queue_delay_microseconds: 7000 preserve_ordering: true }",
    );
    assert_eq!((batching.most, batching.ordered), (4, true));
    assert_eq!((batching.preferred, batching.delay), (vec![2, 4], Duration::from_millis(7)));
}
