use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::*;
use crate::sync::{AtomicUsize, Ordering};

#[test]
fn every_task_runs_once() {
    for n in [1, 2, 3, 7] {
        let pool = Threads::own(n);
        for count in [0, 1, 2, 5, 100, 1000] {
            let hits: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            pool.run(count, |i| {
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(
                hits.iter().all(|h| h.load(Ordering::Relaxed) == 1),
                "{n} threads, {count} tasks"
            );
        }
    }
}

#[test]
fn ranges_cover_with_boundaries_on_the_grain() {
    let pool = Threads::own(3);
    for (len, grain) in [(0, 4), (1, 4), (103, 4), (7, 100), (1000, 1)] {
        let hits: Vec<AtomicUsize> = (0..len).map(|_| AtomicUsize::new(0)).collect();
        pool.for_range(len, grain, |r| {
            assert!(r.start % grain == 0 && (r.end % grain == 0 || r.end == len));
            r.for_each(|i| {
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
        });
        assert!(hits.iter().all(|h| h.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn chunks_are_disjoint_and_nested_jobs_run_inline() {
    let pool = Threads::own(4);
    let mut data = vec![0usize; 1001];
    pool.for_chunks_mut(&mut data, 10, |i, chunk| {
        pool.run(chunk.len(), |_| ());
        chunk.iter_mut().enumerate().for_each(|(j, x)| *x = i * 10 + j);
    });
    assert!(data.iter().enumerate().all(|(i, &x)| i == x));
}

#[test]
fn a_panic_reaches_the_caller_and_the_pool_survives() {
    let pool = Threads::own(2);
    for at in [0, 17, 99] {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool.run(100, |i| assert!(i != at, "task {i}"));
        }));
        let message = caught.unwrap_err();
        assert_eq!(*message.downcast::<String>().unwrap(), format!("task {at}"));
    }
    let sum = AtomicUsize::new(0);
    pool.run(10, |i| {
        sum.fetch_add(i, Ordering::Relaxed);
    });
    assert_eq!(sum.into_inner(), 45);
}

#[test]
fn callers_on_several_threads_share_a_pool() {
    let pool = Threads::own(2);
    let sum = AtomicUsize::new(0);
    std::thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| {
                for _ in 0..500 {
                    pool.run(4, |i| {
                        sum.fetch_add(i, Ordering::Relaxed);
                    });
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 3 * 500 * 6);
}

#[test]
fn shares_hand_out_every_number_once_and_each_from_its_front() {
    for (range, members, least) in [(0..0, 1, 1), (3..4, 2, 1), (5..105, 3, 4), (0..1000, 7, 900)] {
        let shares = Shares::new(range.clone(), members, least);
        let mut seen = vec![];
        // The last member is alone: it takes its own share first, then the others' from the first.
        while let Some(piece) = shares.take(members - 1) {
            assert!(!piece.is_empty());
            seen.extend(piece);
        }
        assert!((0..members).all(|m| shares.take(m).is_none()));
        assert!(seen.windows(2).filter(|w| w[0] + 1 != w[1]).count() <= 1);
        seen.sort_unstable();
        assert!(seen.into_iter().eq(range));
    }
}

#[test]
fn a_piece_is_a_part_of_a_share() {
    let shares = Shares::new(0..64, 2, 100);
    assert_eq!(shares.take(1), Some(32..48));
    assert_eq!(shares.take(0), Some(0..16));
}

#[test]
fn a_team_has_its_caller_and_some_workers() {
    let pool = Threads::own(4);
    for size in [1, 2, 3, 9] {
        let hits: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
        let jobs = 1000;
        for _ in 0..jobs {
            pool.team(size, &|member| {
                hits[member].fetch_add(1, Ordering::Relaxed);
            });
        }
        assert_eq!(hits[0].load(Ordering::Relaxed), jobs);
        assert!(hits[1..].iter().all(|h| h.load(Ordering::Relaxed) <= jobs));
        assert!(hits.iter().skip(size).all(|h| h.load(Ordering::Relaxed) == 0));
    }
}

#[test]
fn workers_that_parked_are_woken() {
    let pool = Threads::own(3);
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(2));
        let come = AtomicUsize::new(0);
        pool.team(3, &|_| {
            come.fetch_add(1, Ordering::Relaxed);
            // Ends when all members have arrived.
            while come.load(Ordering::Relaxed) < 3 {
                std::thread::yield_now();
            }
        });
    }
}

#[test]
fn waking_is_worth_it_for_much_work_or_many_launches() {
    let pool = Threads::own(2);
    let second = 1_000_000_000;
    assert!(!pool.worth_waking(2, second), "outside a run");
    let _run = pool.try_enter();
    assert!(pool.worth_waking(2, second));
    assert!(!Threads::own(1).worth_waking(2, second));
}

#[test]
fn runs_share_the_workers() {
    let pool = Threads::own(4);
    let first = pool.enter(ThreadRequest::default());
    let come = |pool: &Threads| {
        let come = AtomicUsize::new(0);
        let start = Instant::now();
        pool.team(4, &|_| {
            come.fetch_add(1, Ordering::Relaxed);
            while come.load(Ordering::Relaxed) < 4 && start.elapsed() < Duration::from_millis(50) {
                std::thread::yield_now();
            }
        });
        come.into_inner()
    };
    assert_eq!(come(&pool), 4);
    std::thread::scope(|s| {
        s.spawn(|| {
            // Two workers remain for two runs.
            let _second = pool.enter(ThreadRequest::default());
            assert_eq!(come(&pool), 2);
        });
    });
    assert_eq!(come(&pool), 4);
    drop(first);
}

#[test]
fn a_nested_run_does_not_wait_and_another_one_gives_up_at_its_time() {
    let pool = Threads::own(1);
    let soon = || Some(Instant::now() + Duration::from_millis(5));
    let _run = pool.enter(ThreadRequest::default()).unwrap();
    let nested = ThreadRequest { until: Some(Instant::now()), ..ThreadRequest::default() };
    assert!(pool.enter(nested).is_some());
    std::thread::scope(|s| {
        s.spawn(|| {
            let request = ThreadRequest { until: soon(), ..ThreadRequest::default() };
            assert!(pool.enter(request).is_none());
        });
    });
}

#[test]
fn a_guard_dropped_inside_a_task_keeps_its_place() {
    thread_local! {
        static GUARD: std::cell::RefCell<Option<RunGuard>> = const { std::cell::RefCell::new(None) };
    }
    let pool = Threads::own(2);
    GUARD.set(pool.enter(ThreadRequest::default()));
    pool.team(2, &|member| {
        if member == 0 {
            drop(GUARD.take());
        }
    });
    // This thread is still in its run, and another one gets another place.
    std::thread::scope(|s| {
        s.spawn(|| assert!(pool.try_enter().is_some()));
    });
    let hits = AtomicUsize::new(0);
    pool.run(10, |_| _ = hits.fetch_add(1, Ordering::Relaxed));
    assert_eq!(hits.into_inner(), 10);
}

#[test]
fn a_run_of_one_thread_leaves_the_workers_to_others() {
    let pool = Threads::own(3);
    let _alone = pool.enter(ThreadRequest { threads: 1, ..ThreadRequest::default() });
    assert!(!pool.worth_waking(3, u64::MAX));
    std::thread::scope(|s| {
        s.spawn(|| {
            let _run = pool.enter(ThreadRequest::default());
            assert!(pool.worth_waking(3, u64::MAX));
        });
    });
}

#[test]
fn more_threads_than_cores_let_no_more_runs_in() {
    let pool = Threads::own(2);
    assert_eq!(pool.executor().grow(5), 5);
    let _one = pool.enter(ThreadRequest { threads: 1, ..ThreadRequest::default() });
    std::thread::scope(|s| {
        s.spawn(|| {
            let _other = pool.enter(ThreadRequest::default());
            // But the runs there are have more workers.
            let wide = Threads { executor: pool.executor.clone(), owns: false, count: 5 };
            let (members, start) = (AtomicUsize::new(0), Instant::now());
            wide.team(5, &|_| {
                members.fetch_add(1, Ordering::Relaxed);
                // Until all have come.
                while members.load(Ordering::Relaxed) < 4 && start.elapsed().as_secs() < 60 {
                    std::thread::yield_now();
                }
            });
            assert_eq!(members.into_inner(), 4);
            std::thread::scope(|s| _ = s.spawn(|| assert!(pool.try_enter().is_none())));
        });
    });
}

/// A run of `pool` that has to stop as soon as it asks, and what became of its work.
fn stopped_at_once(pool: &Threads, work: impl FnOnce()) -> Result<(), Stopped> {
    let stop: StopQuestion = Arc::new(|| true);
    let run = pool.enter(ThreadRequest { stop: Some(stop), ..ThreadRequest::default() });
    assert!(run.is_some());
    stoppable(work)
}

#[test]
fn a_run_stops_between_its_tasks() {
    for threads in [1, 3] {
        let pool = Threads::own(threads);
        let done = AtomicUsize::new(0);
        let work = || {
            pool.run(10_000, |_| {
                std::thread::sleep(Duration::from_millis(1));
                done.fetch_add(1, Ordering::Relaxed);
            });
        };
        assert_eq!(stopped_at_once(&pool, work), Err(Stopped));
        assert!((1..1000).contains(&done.load(Ordering::Relaxed)));
        // Ranges are short enough, also on one thread.
        let longest = AtomicUsize::new(0);
        let work = || {
            pool.for_range(1 << 30, 1, |range| {
                std::thread::sleep(Duration::from_millis(1));
                longest.fetch_max(range.len(), Ordering::Relaxed);
            });
        };
        assert_eq!(stopped_at_once(&pool, work), Err(Stopped));
        assert!((1..1 << 13).contains(&longest.load(Ordering::Relaxed)));
        let work = || (0..1u64 << 40).for_each(|_| checkpoint());
        assert_eq!(stopped_at_once(&pool, work), Err(Stopped));
        // Later runs and jobs without a run are whole.
        let sum = AtomicUsize::new(0);
        let run = pool.enter(ThreadRequest::default());
        pool.run(100, |i| _ = sum.fetch_add(i, Ordering::Relaxed));
        drop(run);
        pool.run(100, |i| _ = sum.fetch_add(i, Ordering::Relaxed));
        checkpoint();
        assert_eq!(sum.into_inner(), 2 * 4950);
    }
}

#[test]
fn tasks_on_workers_stop_with_their_run() {
    let pool = Threads::own(2);
    let work = || {
        // The caller waits for the worker, if that has come, and asks meanwhile.
        pool.run(2, |_| {
            let until = Instant::now() + Duration::from_secs(60);
            while Instant::now() < until {
                checkpoint();
            }
            unreachable!("nothing has stopped this task");
        });
    };
    assert_eq!(stopped_at_once(&pool, work), Err(Stopped));
}

#[test]
fn a_run_stops_at_its_time() {
    let pool = Threads::own(2);
    let until = Some(Instant::now() + Duration::from_millis(20));
    let _run = pool.enter(ThreadRequest { until, ..ThreadRequest::default() }).unwrap();
    let work = || pool.run(10_000, |_| std::thread::sleep(Duration::from_millis(1)));
    assert_eq!(stoppable(work), Err(Stopped));
}
