//! Models of the scheduler's threads: each runs under many schedules (`cargo xtask sanitize models`).
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::batching::Batching;
use super::queue::Levels;
use super::testing::*;
use crate::failure::RequestError;
use shuttle::{check_pct, check_random, thread};
use std::sync::Arc;
use std::time::Duration;

const SCHEDULES: usize = 500;

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let again = Arc::clone(&model);
    check_random(move || model(), SCHEDULES);
    check_pct(move || again(), SCHEDULES, 3);
}

fn batching() -> Batching {
    Batching { most: 2, preferred: vec![2], ..Batching::default() }
}

/// Starts threads that work, and one that keeps time.
fn start(bench: &Arc<Bench>, workers: usize) -> Vec<thread::JoinHandle<()>> {
    let mut threads = vec![];
    for _ in 0..workers {
        let bench = Arc::clone(bench);
        threads.push(thread::spawn(move || bench.shared.work()));
    }
    let bench = Arc::clone(bench);
    threads.push(thread::spawn(move || bench.shared.keep_time()));
    threads
}

/// Waits until so many requests are answered: a lost wake-up makes this a deadlock, which `shuttle` reports.
fn wait_for(bench: &Bench, count: usize) {
    while bench.answers().iter().filter(|answers| !answers.is_empty()).count() < count {
        thread::yield_now();
    }
}

fn end(bench: &Bench, threads: Vec<thread::JoinHandle<()>>) {
    bench.shared.close();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn requests_of_several_threads_are_all_answered() {
    explore(|| {
        let bench = Arc::new(Bench::new(2));
        let model = bench.add(schedule(batching(), Levels::default()), |_, _| thread::yield_now());
        let threads = start(&bench, 2);
        let clients = [1, 2].map(|shape| {
            let bench = Arc::clone(&bench);
            thread::spawn(move || {
                for lacks in [false, true] {
                    let mut ask = ask();
                    (ask.row.shape, ask.row.lacks) = (shape, lacks);
                    bench.submit(model, ask);
                }
            })
        });
        clients.into_iter().for_each(|client| client.join().unwrap());
        wait_for(&bench, 4);
        assert!((0..4).all(|name| bench.answer(name).is_ok()));
        end(&bench, threads);
        assert!(bench.shared.is_quiet(2));
    });
}

#[test]
fn a_request_is_answered_once_by_its_run_its_timer_its_client_or_the_end() {
    explore(|| {
        let bench = Arc::new(Bench::new(1));
        let model = bench.add(schedule(batching(), Levels::default()), |_, _| thread::yield_now());
        let threads = start(&bench, 1);
        let deadline = Some(Duration::from_millis(1));
        let pending = bench.submit(model, Ask { deadline, ..ask() });
        let second = bench.submit(model, ask());
        let client = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || bench.shared.cancel(&pending))
        };
        let time = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || {
                bench.clock.advance(Duration::from_millis(1));
                bench.shared.look();
            })
        };
        drop(second);
        end(&bench, threads);
        client.join().unwrap();
        time.join().unwrap();
        let possible = |name: usize, error: &RequestError| match error {
            RequestError::Closing => true,
            RequestError::Timeout | RequestError::Cancelled => name == 0,
            _ => false,
        };
        for name in 0..2 {
            if let Err(error) = bench.answer(name) {
                assert!(possible(name, &error), "request {name}: {error}");
            }
        }
        assert!(bench.shared.is_quiet(1));
    });
}
