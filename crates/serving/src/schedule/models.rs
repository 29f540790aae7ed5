//! Models of the scheduler's threads: each runs under many schedules (`cargo xtask sanitize models`).
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::batching::Batching;
use super::limits::{Group, RateLimits};
use super::model::Schedule;
use super::queue::Levels;
use super::resting::Rest;
use super::testing::*;
use crate::failure::RequestError;
use shuttle::sync::Mutex;
use shuttle::{check_pct, check_random, thread};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Three requests to a model whose batches rest for 1 ms, of which a client leaves the first.
fn resting(bench: &Arc<Bench>, holds_answers: bool) -> thread::JoinHandle<()> {
    let rest = Rest { time: Duration::from_millis(1), holds_answers };
    let schedule = Schedule { instances: 1, ..schedule(batching(), Levels::default()) };
    let model = bench.add_resting(schedule, rest, |_| thread::yield_now());
    let first = bench.submit(model, ask());
    (0..2).for_each(|_| drop(bench.submit(model, ask())));
    let bench = Arc::clone(bench);
    thread::spawn(move || bench.shared.cancel(&first))
}

#[test]
fn rests_end_by_their_time_or_by_their_clients() {
    for holds_answers in [false, true] {
        explore(move || {
            let bench = Arc::new(Bench::new(1));
            let threads = start(&bench, 1);
            let client = resting(&bench, holds_answers);
            while bench.answers().iter().any(Vec::is_empty) {
                bench.clock.advance(Duration::from_millis(1));
                bench.shared.look();
                thread::yield_now();
            }
            client.join().unwrap();
            let first = bench.answer(0).err();
            assert!(first.is_none_or(|error| error == RequestError::Cancelled));
            assert!((1..3).all(|name| bench.answer(name).is_ok()));
            end(&bench, threads);
            assert!(bench.shared.is_quiet(1));
        });
    }
}

#[test]
fn rests_end_when_the_scheduler_closes() {
    for holds_answers in [false, true] {
        explore(move || {
            let bench = Arc::new(Bench::new(1));
            let threads = start(&bench, 1);
            let client = resting(&bench, holds_answers);
            end(&bench, threads);
            client.join().unwrap();
            for name in 0..3 {
                let error = bench.answer(name).err();
                let is_left = |error| name == 0 && error == RequestError::Cancelled;
                assert!(error.is_none_or(|e| e == RequestError::Closing || is_left(e)));
            }
            assert!(bench.shared.is_quiet(1));
        });
    }
}

type Threads = Arc<Mutex<Vec<thread::JoinHandle<()>>>>;

/// Starts a thread that works. Others are added as runs are suspended.
fn growing(bench: &Bench) -> Threads {
    let threads = Threads::default();
    let (shared, own) = (Arc::downgrade(&bench.shared), Arc::clone(&threads));
    let add_thread = move || {
        let shared = shared.upgrade().unwrap();
        own.lock().unwrap().push(thread::spawn(move || shared.work()));
        true
    };
    add_thread();
    bench.shared.suspend_runs(1, Box::new(add_thread));
    threads
}

fn end_growing(bench: &Bench, threads: &Threads) {
    bench.shared.close();
    let next = || threads.lock().unwrap().pop();
    while let Some(thread) = next() {
        thread.join().unwrap();
    }
}

#[test]
fn runs_hand_their_core_over_and_all_go_on() {
    explore(|| {
        let bench = Arc::new(Bench::new(1));
        let threads = growing(&bench);
        // At most one run has the core at any time.
        let active = Arc::new(AtomicUsize::new(0));
        let models = [0, 1].map(|_| {
            let (active, clock) = (Arc::clone(&active), Arc::clone(&bench.clock));
            bench.add_with_core(schedule(batching(), Levels::default()), move |_, _, core| {
                for _ in 0..2 {
                    assert_eq!(active.fetch_add(1, Ordering::SeqCst), 0);
                    thread::yield_now();
                    clock.advance(Duration::from_secs(1));
                    active.fetch_sub(1, Ordering::SeqCst);
                    if core.is_due() {
                        core.wait(&|| {
                            thread::yield_now();
                            false
                        });
                    }
                }
            })
        });
        let client = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || drop(bench.submit(models[0], ask())))
        };
        bench.submit(models[1], ask());
        client.join().unwrap();
        wait_for(&bench, 2);
        assert!((0..2).all(|name| bench.answer(name).is_ok()));
        end_growing(&bench, &threads);
        assert!(bench.shared.is_quiet(1));
    });
}

#[test]
fn runs_that_need_the_same_resource_never_overlap_and_all_end() {
    explore(|| {
        let bench = Arc::new(Bench::new(2));
        bench.shared.limit(RateLimits::default());
        let threads = growing(&bench);
        let active = Arc::new(AtomicUsize::new(0));
        let limited = [0, 1].map(|_| {
            let (active, clock) = (Arc::clone(&active), Arc::clone(&bench.clock));
            let text = "name: 'm' instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: 'r' count: 1 } } }";
            let groups = Group::of(&crate::ModelConfig::from_text(text).unwrap());
            let own = Schedule { groups, ..schedule(Batching::default(), Levels::default()) };
            bench.add_with_core(own, move |_, _, core| {
                // Also a run that is suspended keeps what it has.
                assert_eq!(active.fetch_add(1, Ordering::SeqCst), 0);
                clock.advance(Duration::from_secs(1));
                if core.is_due() {
                    core.wait(&|| {
                        thread::yield_now();
                        false
                    });
                }
                assert_eq!(active.fetch_sub(1, Ordering::SeqCst), 1);
            })
        });
        let free = bench.add(schedule(batching(), Levels::default()), |_, _| thread::yield_now());
        let client = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || {
                bench.submit(limited[0], ask());
                drop(bench.submit(free, ask()));
            })
        };
        bench.submit(limited[1], ask());
        client.join().unwrap();
        wait_for(&bench, 3);
        assert!((0..3).all(|name| bench.answer(name).is_ok()));
        end_growing(&bench, &threads);
        assert!(bench.shared.is_quiet(2));
    });
}

#[test]
fn a_suspended_run_ends_once_whether_its_client_leaves_or_the_scheduler_closes() {
    explore(|| {
        let bench = Arc::new(Bench::new(1));
        let threads = growing(&bench);
        let clock = Arc::clone(&bench.clock);
        let long =
            bench.add_with_core(schedule(batching(), Levels::default()), move |_, _, core| {
                for _ in 0..2 {
                    clock.advance(Duration::from_secs(1));
                    if core.is_due() {
                        core.wait(&|| false);
                    }
                }
            });
        let short = bench.add(schedule(batching(), Levels::default()), |_, _| thread::yield_now());
        let pending = bench.submit(long, ask());
        let client = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || bench.shared.cancel(&pending))
        };
        bench.submit(short, ask());
        end_growing(&bench, &threads);
        client.join().unwrap();
        for (name, answers) in bench.answers().iter().enumerate() {
            assert_eq!(answers.len(), 1, "request {name}: {answers:?}");
        }
        assert!(bench.shared.is_quiet(1));
    });
}

#[test]
fn a_suspended_run_goes_on_though_a_client_has_its_core_while_the_scheduler_closes() {
    explore(|| {
        let bench = Arc::new(Bench::new(1));
        let threads = growing(&bench);
        let clock = Arc::clone(&bench.clock);
        let long =
            bench.add_with_core(schedule(batching(), Levels::default()), move |_, _, core| {
                clock.advance(Duration::from_secs(1));
                if core.is_due() {
                    core.wait(&|| false);
                }
            });
        let brief = Schedule { is_steady: true, ..schedule(batching(), Levels::default()) };
        let brief = bench.add(brief, |_, _| thread::yield_now());
        bench.submit(long, ask());
        let client = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || {
                for _ in 0..3 {
                    bench.submit(brief, Ask { may_run_here: true, ..ask() });
                }
            })
        };
        thread::yield_now();
        end_growing(&bench, &threads);
        client.join().unwrap();
        assert!(bench.shared.is_quiet(1));
    });
}
