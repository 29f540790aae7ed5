//! Runs that hand their cores over, and workers that leave and join.

use std::time::{Duration, Instant};

use super::*;
use crate::sync::{AtomicBool, AtomicUsize, Ordering};

/// A handover that is due whenever it is asked, and the number of times that the run was suspended.
#[derive(Default)]
struct Always {
    suspended: AtomicUsize,
    /// The most suspensions.
    most: Option<usize>,
}

impl CoreHandover for Always {
    fn is_due(&self) -> bool {
        self.most.is_none_or(|most| self.suspended.load(Ordering::Relaxed) < most)
    }

    fn wait(&self, _: &dyn Fn() -> bool) {
        self.suspended.fetch_add(1, Ordering::Relaxed);
    }
}

fn with_handover(handover: &Arc<Always>) -> ThreadRequest {
    let handover = Some(Arc::clone(handover) as Arc<dyn CoreHandover>);
    ThreadRequest { handover, ..ThreadRequest::default() }
}

#[test]
fn a_run_that_is_suspended_between_all_tasks_does_each_once() {
    for threads in [1, 2, 4] {
        let pool = Threads::own(threads);
        let handover = Arc::new(Always::default());
        let run = pool.enter(with_handover(&handover));
        for count in [1, 2, 3, 50] {
            let hits: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            pool.run(count, |i| {
                // A job inside a task is not suspended where others may wait for the task.
                pool.run(2, |_| give_way());
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(hits.iter().all(|n| n.load(Ordering::Relaxed) == 1), "{threads} threads");
        }
        // Workers may take all tasks but the one of the job that has no other.
        let least = if threads == 1 { 56 } else { 1 };
        assert!(handover.suspended.load(Ordering::Relaxed) >= least, "{threads} threads");
        let before = handover.suspended.load(Ordering::Relaxed);
        give_way();
        checkpoint();
        assert_eq!(handover.suspended.load(Ordering::Relaxed), before + 2);
        drop(run);
        give_way();
        assert_eq!(handover.suspended.load(Ordering::Relaxed), before + 2);
        // The core is free again, and only once.
        let _run = pool.enter(ThreadRequest::default()).unwrap();
        std::thread::scope(|s| _ = s.spawn(|| assert_eq!(pool.try_enter().is_some(), threads > 1)));
    }
}

/// A handover to another thread, which has the only core while the run waits.
struct ToOther<'a> {
    pool: &'a Threads,
    left: AtomicUsize,
}

impl CoreHandover for ToOther<'static> {
    fn is_due(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
        assert!(!has_to_stop());
        let pool = self.pool;
        std::thread::scope(|s| {
            s.spawn(move || {
                let run = pool.enter(ThreadRequest::default());
                assert!(run.is_some());
                pool.run(3, |_| ());
            });
        });
        // Jobs of a run without a core run inline.
        pool.run(3, |_| ());
        self.left.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn the_core_of_a_suspended_run_is_free() {
    for threads in [1, 3] {
        let pool: &'static Threads = Box::leak(Box::new(Threads::own(threads)));
        let handover = Arc::new(ToOther { pool, left: AtomicUsize::new(5) });
        let handover = Some(handover as Arc<dyn CoreHandover>);
        let _run = pool.enter(ThreadRequest { handover, ..ThreadRequest::default() });
        let sum = AtomicUsize::new(0);
        pool.run(100, |i| _ = sum.fetch_add(i, Ordering::Relaxed));
        pool.run(100, |i| _ = sum.fetch_add(i, Ordering::Relaxed));
        assert_eq!(sum.into_inner(), 2 * 4950);
    }
}

/// A handover that lasts until the run has to stop, and begins once another run has the core.
#[derive(Default)]
struct Long {
    other_has_core: AtomicBool,
}

impl CoreHandover for Long {
    fn is_due(&self) -> bool {
        true
    }

    fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
        while !self.other_has_core.load(Ordering::Relaxed) || !has_to_stop() {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_suspended_run_stops_at_its_time_though_another_one_has_its_core() {
    for threads in [1, 3] {
        let pool = Threads::own(threads);
        let end = Instant::now() + Duration::from_millis(20);
        let long = Arc::new(Long::default());
        let handover = Some(Arc::clone(&long) as Arc<dyn CoreHandover>);
        let run =
            pool.enter(ThreadRequest { until: Some(end), handover, ..ThreadRequest::default() });
        let (over, is_over) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|s| {
            // Ends the other run by its drop too: where a check fails.
            let over = over;
            let (pool, long) = (&pool, &long);
            s.spawn(move || {
                let _other = pool.enter(ThreadRequest::default());
                long.other_has_core.store(true, Ordering::Relaxed);
                _ = is_over.recv();
            });
            // More tasks than workers can do until then.
            let tasks = || pool.run(1 << 40, |_| std::thread::sleep(Duration::from_micros(100)));
            assert_eq!(stoppable(tasks), Err(Stopped));
            assert!(Instant::now() >= end);
            drop(over);
        });
        drop(run);
        let run = pool.enter(ThreadRequest::default());
        let sum = AtomicUsize::new(0);
        pool.run(100, |i| _ = sum.fetch_add(i, Ordering::Relaxed));
        assert_eq!(sum.into_inner(), 4950);
        drop(run);
    }
}

#[test]
fn workers_leave_for_other_runs_and_come_back() {
    let pool = Threads::own(2);
    let (stage, deadline) = (AtomicUsize::new(0), Instant::now() + Duration::from_secs(60));
    let run = pool.enter(ThreadRequest::default());
    let caller = std::thread::current().id();
    // Tasks of workers at each stage: alone, beside another run, alone again.
    let helped = [const { AtomicUsize::new(0) }; 4];
    std::thread::scope(|s| {
        s.spawn(|| {
            let wait_for = |n| {
                while stage.load(Ordering::Acquire) < n && Instant::now() < deadline {
                    std::thread::yield_now();
                }
            };
            wait_for(1);
            let other = pool.enter(ThreadRequest::default());
            stage.store(2, Ordering::Release);
            wait_for(3);
            drop(other);
        });
        let beside = AtomicUsize::new(0);
        let go_on = |from: usize| {
            _ = stage.compare_exchange(from, from + 1, Ordering::AcqRel, Ordering::Relaxed);
        };
        let work = || {
            pool.run(1 << 40, |_| {
                let now = stage.load(Ordering::Acquire);
                if std::thread::current().id() != caller {
                    helped[now].fetch_add(1, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_micros(100));
                match now {
                    0 if helped[0].load(Ordering::Relaxed) > 0 => go_on(0),
                    // Long enough for the worker to have left.
                    2 if beside.fetch_add(1, Ordering::Relaxed) >= 100 => go_on(2),
                    3 if helped[3].load(Ordering::Relaxed) > 0 => stop::unwind(),
                    _ => assert!(Instant::now() < deadline, "stage {now}"),
                }
            })
        };
        assert_eq!(stoppable(work), Err(Stopped));
    });
    drop(run);
    assert!(helped[2].load(Ordering::Relaxed) <= 1, "a task that had begun");
}
