//! Models of the pool: each runs under many schedules, and none may lose work, wait forever or outlive its job.
//!
//! `cargo xtask sanitize` runs them. A failure prints the schedule; `shuttle::replay` runs that one again.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize as Count, Ordering};
use std::sync::{Arc, Mutex};

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::Barrier;
use shuttle::{Config, Runner, thread};

use super::*;

/// Number of schedules of each kind that a model runs under.
const SCHEDULES: usize = 1000;

/// Changes of priority in schedules that are otherwise in order; few suffice to expose bugs.
const DEPTH: usize = 3;

fn explore(model: impl Fn() + Send + Sync + 'static) {
    fn run(scheduler: impl Scheduler + 'static, model: Arc<dyn Fn() + Send + Sync>) {
        let mut config = Config::new();
        config.stack_size = 1 << 18;
        Runner::new(scheduler, config).run(move || model());
    }
    let model: Arc<dyn Fn() + Send + Sync> = Arc::new(model);
    run(RandomScheduler::new(SCHEDULES), model.clone());
    run(PctScheduler::new(DEPTH, SCHEDULES), model);
}

fn counts(n: usize) -> Vec<Count> {
    (0..n).map(|_| Count::new(0)).collect()
}

fn assert_each_once(hits: &[Count]) {
    let hits: Vec<usize> = hits.iter().map(|n| n.load(Ordering::Relaxed)).collect();
    assert!(hits.iter().all(|&n| n == 1), "{hits:?}");
}

#[test]
fn every_task_runs_once() {
    explore(|| {
        let pool = Threads::own(3);
        for count in [4, 1, 2] {
            let hits = counts(count);
            pool.run(count, |i| {
                thread::yield_now();
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
            assert_each_once(&hits);
        }
    });
}

#[test]
fn nobody_is_in_a_job_that_has_ended() {
    explore(|| {
        let pool = Threads::own(3);
        let strays = Arc::new(Count::new(0));
        for _ in 0..2 {
            let (open, inside) = (Arc::new(AtomicBool::new(true)), Arc::new(Count::new(0)));
            pool.team(3, &|_| {
                inside.fetch_add(1, Ordering::Relaxed);
                thread::yield_now();
                if !open.load(Ordering::Relaxed) {
                    strays.fetch_add(1, Ordering::Relaxed);
                }
                inside.fetch_sub(1, Ordering::Relaxed);
            });
            assert_eq!(inside.load(Ordering::Relaxed), 0);
            open.store(false, Ordering::Relaxed);
        }
        drop(pool);
        assert_eq!(strays.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn a_parked_worker_hears_of_every_job() {
    explore(|| {
        let pool = Threads::own(2);
        for _ in 0..2 {
            // The caller stays in the job until the worker has arrived: a lost wake-up is a deadlock.
            let both = Barrier::new(2);
            pool.team(2, &|_| {
                both.wait();
            });
        }
    });
}

#[test]
fn a_whole_team_comes_though_each_wakes_but_two() {
    explore(|| {
        let pool = Threads::own(4);
        let all = Barrier::new(4);
        pool.team(4, &|_| {
            all.wait();
        });
    });
}

#[test]
fn no_member_beyond_the_team_comes() {
    explore(|| {
        let pool = Threads::own(4);
        let hits = counts(4);
        pool.team(2, &|member| {
            hits[member].fetch_add(1, Ordering::Relaxed);
        });
        pool.team(3, &|member| {
            hits[member].fetch_add(1, Ordering::Relaxed);
        });
        let hits: Vec<usize> = hits.into_iter().map(Count::into_inner).collect();
        assert!(hits[0] == 2 && hits[1] <= 2 && hits[2] <= 1 && hits[3] == 0, "{hits:?}");
    });
}

#[test]
fn a_panic_reaches_its_caller_after_all_tasks_have_ended() {
    explore(|| {
        let pool = Threads::own(3);
        let inside = Count::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool.run(3, |i| {
                if i == 1 {
                    resume_unwind(Box::new("task 1"));
                }
                inside.fetch_add(1, Ordering::Relaxed);
                thread::yield_now();
                inside.fetch_sub(1, Ordering::Relaxed);
            });
        }));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"task 1"));
        assert_eq!(inside.load(Ordering::Relaxed), 0);
        let hits = counts(2);
        pool.run(2, |i| {
            hits[i].fetch_add(1, Ordering::Relaxed);
        });
        assert_each_once(&hits);
    });
}

#[test]
fn jobs_inside_tasks_run_inline() {
    explore(|| {
        let pool = Threads::own(2);
        let hits = counts(4);
        pool.run(2, |i| {
            let here = thread::current().id();
            pool.run(2, |j| {
                assert_eq!(thread::current().id(), here);
                hits[2 * i + j].fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_each_once(&hits);
    });
}

#[test]
fn callers_on_several_threads_share_a_pool() {
    explore(|| {
        let pool = Arc::new(Threads::own(2));
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let pool = pool.clone();
                thread::spawn(move || {
                    let hits = counts(3);
                    pool.run(3, |i| {
                        hits[i].fetch_add(1, Ordering::Relaxed);
                        thread::yield_now();
                    });
                    assert_each_once(&hits);
                })
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
    });
}

#[test]
fn runs_side_by_side_have_workers_of_their_own() {
    explore(|| {
        // Two callers with one worker each.
        let pool = Arc::new(Threads::own(4));
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let pool = pool.clone();
                thread::spawn(move || {
                    let _run = pool.enter(ThreadRequest::default());
                    for _ in 0..2 {
                        let members = counts(4);
                        pool.team(4, &|member| {
                            members[member].fetch_add(1, Ordering::Relaxed);
                            thread::yield_now();
                        });
                        let members: Vec<usize> =
                            members.into_iter().map(Count::into_inner).collect();
                        assert!(members[0] == 1 && members.iter().all(|&n| n <= 1), "{members:?}");
                    }
                })
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
    });
}

#[test]
fn every_run_is_admitted_and_no_more_than_there_are_cores() {
    explore(|| {
        let (pool, active) = (Arc::new(Threads::own(1)), Arc::new(Count::new(0)));
        let callers: Vec<_> = (0..3)
            .map(|_| {
                let (pool, active) = (pool.clone(), active.clone());
                thread::spawn(move || {
                    for _ in 0..2 {
                        let _run = pool.enter(ThreadRequest::default());
                        assert_eq!(active.fetch_add(1, Ordering::Relaxed), 0);
                        thread::yield_now();
                        active.fetch_sub(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
    });
}

#[test]
fn a_pool_ends_whatever_its_workers_do() {
    explore(|| drop(Threads::own(3)));
    explore(|| {
        let pool = Threads::own(2);
        let callers = [0, 1].map(|_| {
            let pool = pool.limited(2);
            thread::spawn(move || drop(pool.enter(ThreadRequest::default())))
        });
        drop(pool);
        callers.into_iter().for_each(|caller| caller.join().unwrap());
    });
    explore(|| {
        let pool = Threads::own(3);
        pool.team(3, &|_| thread::yield_now());
    });
}

#[test]
fn chunks_belong_to_one_task_each() {
    explore(|| {
        let pool = Threads::own(3);
        let mut data = vec![0; 5];
        pool.for_chunks_mut(&mut data, 2, |i, chunk| {
            for x in chunk {
                let before = *x;
                thread::yield_now();
                *x = before + i + 1;
            }
        });
        assert_eq!(data, [1, 1, 2, 2, 3]);
    });
}

#[test]
fn shares_give_out_each_number_once() {
    explore(|| {
        let shares = Arc::new(Shares::new(0..9, 3, 1));
        let taken = Arc::new(Mutex::new(vec![]));
        let members: Vec<_> = (0..3)
            .map(|member| {
                let (shares, taken) = (shares.clone(), taken.clone());
                thread::spawn(move || {
                    while let Some(piece) = shares.take(member) {
                        assert!(!piece.is_empty());
                        taken.lock().unwrap().extend(piece);
                    }
                })
            })
            .collect();
        members.into_iter().for_each(|member| member.join().unwrap());
        let mut taken = taken.lock().unwrap().clone();
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..9));
    });
}

#[test]
fn a_piece_may_wait_for_all_before_it() {
    explore(|| {
        let pool = Threads::own(3);
        let shares = Shares::new(0..6, 3, 1);
        let next = crate::sync::AtomicUsize::new(0);
        pool.team(3, &|member| {
            while let Some(piece) = shares.take(member) {
                for i in piece {
                    while next.load(Ordering::Acquire) != i {
                        crate::sync::yield_now();
                    }
                    next.store(i + 1, Ordering::Release);
                }
            }
        });
        assert_eq!(next.load(Ordering::Relaxed), 6);
    });
}

#[test]
fn a_run_that_stops_has_nobody_in_its_job_and_the_next_one_is_whole() {
    explore(|| {
        let pool = Threads::own(3);
        let (asked, inside) = (Arc::new(Count::new(0)), Count::new(0));
        let questions = Arc::clone(&asked);
        let stop: StopQuestion = Arc::new(move || questions.fetch_add(1, Ordering::Relaxed) >= 1);
        let run = pool.enter(ThreadRequest { stop: Some(stop), ..ThreadRequest::default() });
        let outcome = stoppable(|| {
            let hits = counts(6);
            pool.run(6, |i| {
                inside.fetch_add(1, Ordering::Relaxed);
                thread::yield_now();
                // Work within a task, which the workers do not ask for.
                pool.run(2, |_| checkpoint());
                hits[i].fetch_add(1, Ordering::Relaxed);
                inside.fetch_sub(1, Ordering::Relaxed);
            });
            assert_each_once(&hits);
        });
        if outcome == Err(Stopped) {
            // A task that was left in the middle did not count itself out.
            assert!(asked.load(Ordering::Relaxed) >= 2);
            assert_eq!(stoppable(checkpoint), Err(Stopped));
        }
        drop(run);
        let hits = counts(3);
        let _run = pool.enter(ThreadRequest::default());
        pool.run(3, |i| {
            checkpoint();
            hits[i].fetch_add(1, Ordering::Relaxed);
        });
        assert_each_once(&hits);
    });
}

/// A handover that lets other threads have the core while the run waits for them to have had it.
struct Lends {
    suspended: Count,
    waits: bool,
}

impl CoreHandover for Lends {
    fn is_due(&self) -> bool {
        self.suspended.load(Ordering::Relaxed) < 2
    }

    fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
        self.suspended.fetch_add(1, Ordering::Relaxed);
        thread::yield_now();
        while self.waits && !has_to_stop() {
            thread::yield_now();
        }
    }
}

#[test]
fn a_suspended_run_lends_its_core_and_loses_no_task() {
    // Two runs for one core, or with workers; both are suspended.
    [1, 3].into_iter().for_each(|cores| {
        explore(move || {
            let (pool, active) = (Arc::new(Threads::own(cores)), Arc::new(Count::new(0)));
            let callers: Vec<_> = (0..2)
                .map(|_| {
                    let (pool, active) = (pool.clone(), active.clone());
                    thread::spawn(move || {
                        let lends = Arc::new(Lends { suspended: Count::new(0), waits: false });
                        let handover = Some(lends.clone() as Arc<dyn CoreHandover>);
                        let run =
                            pool.enter(ThreadRequest { handover, ..ThreadRequest::default() });
                        let hits = counts(5);
                        pool.run(5, |i| {
                            // One core computes one task at a time. Of several, workers leave only after their tasks.
                            let before = active.fetch_add(1, Ordering::Relaxed);
                            assert!(before == 0 || cores > 1);
                            thread::yield_now();
                            active.fetch_sub(1, Ordering::Relaxed);
                            hits[i].fetch_add(1, Ordering::Relaxed);
                        });
                        assert_each_once(&hits);
                        give_way();
                        assert!(lends.suspended.load(Ordering::Relaxed) > 0);
                        drop(run);
                    })
                })
                .collect();
            callers.into_iter().for_each(|caller| caller.join().unwrap());
        })
    });
}

#[test]
fn a_suspended_run_that_has_to_stop_ends_without_a_core() {
    explore(|| {
        let pool = Arc::new(Threads::own(2));
        let stopped = Arc::new(AtomicBool::new(false));
        let caller = {
            let (pool, stopped) = (pool.clone(), stopped.clone());
            thread::spawn(move || {
                let lends = Arc::new(Lends { suspended: Count::new(0), waits: true });
                let stop: StopQuestion = Arc::new(move || stopped.load(Ordering::Relaxed));
                let (stop, handover) = (Some(stop), Some(lends as Arc<dyn CoreHandover>));
                let request = ThreadRequest { stop, handover, ..ThreadRequest::default() };
                let run = pool.enter(request);
                assert_eq!(stoppable(|| pool.run(3, |_| ())), Err(Stopped));
                drop(run);
            })
        };
        // Both cores' runs come and go meanwhile.
        for _ in 0..2 {
            let _run = pool.enter(ThreadRequest::default());
            let hits = counts(3);
            pool.run(3, |i| {
                hits[i].fetch_add(1, Ordering::Relaxed);
                thread::yield_now();
            });
            assert_each_once(&hits);
        }
        stopped.store(true, Ordering::Relaxed);
        caller.join().unwrap();
        let _runs = pool.enter(ThreadRequest::default());
        let other = pool.clone();
        thread::spawn(move || assert!(other.try_enter().is_some())).join().unwrap();
    });
}
