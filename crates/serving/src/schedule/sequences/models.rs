//! Models of threads that meet at a sequence: its runs, its clients and the clock (`cargo xtask sanitize models`).
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::{SequenceRules, Step};
use crate::failure::RequestError;
use crate::schedule::batching::Batching;
use crate::schedule::model::Schedule;
use crate::schedule::queue::Levels;
use crate::schedule::testing::*;
use crate::sequence::Correlation;
use shuttle::{check_pct, check_random, thread};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SCHEDULES: usize = 500;
const IDLE: Duration = Duration::from_millis(1);

/// A request of a sequence: with a `(` it starts, with a `)` it ends.
fn of(text: &str) -> Ask {
    let id = Correlation::Text(text.trim_matches(['(', ')']).into());
    let step = Step { id, starts: text.starts_with('('), ends: text.ends_with(')') };
    Ask { step: Some(step), ..ask() }
}

fn meet() {
    let bench = Arc::new(Bench::new(2));
    let ran = Arc::new(Mutex::new(vec![]));
    let own = Arc::clone(&ran);
    let sequences = Some(SequenceRules { model: "m".into(), slots: 1, idle: IDLE });
    let batching = Batching { most: 2, ..Batching::default() };
    let schedule = Schedule { sequences, ..schedule(batching, Levels::default()) };
    let model = bench.add(schedule, move |rows, _| {
        own.lock().unwrap().extend(rows.iter().map(|row| row.name));
        thread::yield_now();
    });
    let spawn = |body: fn(&Bench)| {
        let bench = Arc::clone(&bench);
        thread::spawn(move || body(&bench))
    };
    let threads = [
        spawn(|bench| bench.shared.work()),
        spawn(|bench| bench.shared.work()),
        spawn(|bench| bench.shared.keep_time()),
    ];
    // The second sequence waits for the slot of the first one, which ends, idles or is left.
    let pending = ["(a", "a", "a)", "(b", "b)"].map(|text| bench.submit(model, of(text)));
    let client = {
        let bench = Arc::clone(&bench);
        let [_, second, ..] = pending;
        thread::spawn(move || bench.shared.cancel(&second))
    };
    let time = spawn(|bench| {
        bench.clock.advance(IDLE);
        bench.shared.look();
    });
    client.join().unwrap();
    time.join().unwrap();
    while bench.answers().iter().any(Vec::is_empty) {
        thread::yield_now();
    }
    for name in 0..5 {
        match bench.answer(name) {
            Ok(_) => {}
            Err(RequestError::Cancelled) => assert!(name == 1 || name == 2, "request {name}"),
            Err(error) => assert!(name < 3, "request {name}: {error}"),
        }
    }
    // Answers come before the end of their run. A slot that never returns makes this a deadlock.
    while bench.shared.free_slots(model) != 1 {
        thread::yield_now();
    }
    bench.shared.close();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let ran = ran.lock().unwrap();
    assert!(ran.is_sorted(), "{ran:?}");
    assert!(bench.shared.is_quiet(2));
}

#[test]
fn a_slot_returns_once_whoever_ends_its_sequence() {
    check_random(meet, SCHEDULES);
    check_pct(meet, SCHEDULES, 3);
}
