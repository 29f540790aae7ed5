//! Tests of the scheduler on a clock that tests advance, without threads.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

mod absent;
mod alone;
mod batches;
mod brief;
mod endings;
mod limits;
mod native;
mod random;
mod resting;
mod sequences;
mod shares;
mod streams;
mod suspended;

use super::batching::Batching;
use super::queue::Levels;
use super::testing::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Batches of up to 4 rows, with these preferred sizes and this delay.
fn batching(preferred: &[usize], delay: u64) -> Batching {
    let delay = Duration::from_millis(delay);
    Batching { most: 4, preferred: preferred.to_vec(), delay, ordered: false }
}

/// The batches that ran, as the names of their requests.
type Ran = Arc<Mutex<Vec<Vec<usize>>>>;

/// A model that records its batches.
fn recorded(bench: &Bench, batching: Batching, levels: Levels) -> (u64, Ran) {
    let ran = Ran::default();
    let own = Arc::clone(&ran);
    let model = bench.add(schedule(batching, levels), move |rows, _| {
        own.lock().unwrap().push(rows.iter().map(|row| row.name).collect());
    });
    (model, ran)
}

fn rows(rows: usize) -> Ask {
    let mut ask = ask();
    ask.row.rows = rows;
    ask
}

fn shape(shape: u32) -> Ask {
    let mut ask = ask();
    ask.row.shape = shape;
    ask
}

/// The levels of a configuration in text form.
fn levels(text: &str) -> Levels {
    let text = format!("dynamic_batching {{ {text} }}");
    let config = crate::ModelConfig::from_text(&text).unwrap();
    match config.scheduling {
        crate::SchedulingChoice::Dynamic(dynamic) => Levels::of(&dynamic),
        _ => unreachable!("the text is of dynamic batching"),
    }
}

fn run_all(bench: &Bench) {
    while bench.shared.run_next() {}
}
