//! How a launch is spread over threads.

use std::iter;
use std::ops::Range;
use std::time::Instant;

use std::sync::atomic::{AtomicU64, Ordering};
use trident_kernels::threads::{Shares, Threads, give_way};

/// The cost of handing work to another thread, in nanoseconds.
const HAND_OVER: u64 = 1_000;

/// The minimum duration of a piece where possible, in nanoseconds.
const PIECE: u64 = 500;

/// The duration of a piece on one thread, in nanoseconds.
const ALONE: u64 = 500_000;

/// The work of each thread of a launch: running the programs in the ranges it receives.
pub(super) type Work<'a> = dyn Fn(&mut dyn Iterator<Item = Range<usize>>) + Sync + 'a;

/// Recent durations of a kernel's programs; they affect only the speed of launches.
#[derive(Default)]
pub(super) struct LaunchCost {
    /// Picoseconds per program; 0 before the first launch.
    program: AtomicU64,
}

impl LaunchCost {
    /// Expected nanoseconds for this many programs on one thread.
    fn expected(&self, programs: usize) -> u64 {
        match self.program.load(Ordering::Relaxed) {
            0 => u64::MAX,
            picos => picos.saturating_mul(programs as u64) / 1000,
        }
    }

    /// Pieces of about [`ALONE`] for one thread, between which its run may hand its core over.
    fn alone(&self, mut programs: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let pieces = match self.expected(programs.len()) {
            u64::MAX => 1,
            expected => expected / ALONE + 1,
        };
        let piece = programs.len().div_ceil(usize::try_from(pieces).unwrap_or(usize::MAX));
        let mut is_first = true;
        iter::from_fn(move || {
            let now = programs.start..programs.end.min(programs.start + piece);
            if now.is_empty() {
                return None;
            }
            if !std::mem::take(&mut is_first) {
                give_way();
            }
            programs.start = now.end;
            Some(now)
        })
    }

    fn learn(&self, start: Instant, programs: usize) {
        if programs > 0 {
            let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let picos = nanos.saturating_mul(1000) / programs as u64;
            self.program.store(picos.max(1), Ordering::Relaxed);
        }
    }

    /// Runs programs `0..programs` on as many threads as reduce latency. A program may wait only for earlier ones.
    /// While the calling thread waits for the others, it calls `idle` from time to time.
    pub(super) fn spread(
        &self,
        threads: &Threads,
        programs: usize,
        work: &Work<'_>,
        idle: &(dyn Fn() + Sync),
    ) {
        let most = threads.count().min(programs);
        if most <= 1 {
            return work(&mut self.alone(0..programs));
        }
        // For this launch only, unless it is part of a run: without workers if all cores are busy.
        let _run = threads.try_enter();
        let expected = self.expected(programs);
        let saved = expected - expected / most as u64;
        let mut rest = 0..programs;
        if saved < HAND_OVER || !threads.worth_waking(most, saved) {
            // Arguments vary between launches: the first quarter shows whether this launch is as short as the last.
            rest.start = programs.div_ceil(4);
            let start = Instant::now();
            work(&mut iter::once(0..rest.start));
            self.learn(start, rest.start);
            if self.expected(rest.len()) <= expected {
                return work(&mut self.alone(rest));
            }
        }
        let expected = self.expected(rest.len());
        let members = usize::try_from(expected / HAND_OVER).unwrap_or(most).clamp(2, most);
        let least = (rest.len() as u64).saturating_mul(PIECE) / expected.max(1);
        let shares = Shares::new(rest, members, least as usize);
        let member = |member| {
            let start = (member == 0).then(Instant::now);
            let mut done = 0;
            work(&mut iter::from_fn(|| shares.take(member).inspect(|piece| done += piece.len())));
            start.into_iter().for_each(|start| self.learn(start, done));
        };
        threads.watched_team(members, &member, idle);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Spreads programs and asserts that each runs once.
    fn each_once(
        cost: &LaunchCost,
        threads: &Threads,
        programs: usize,
        run: impl Fn(usize) + Sync,
    ) {
        let hits: Vec<AtomicUsize> = (0..programs).map(|_| AtomicUsize::new(0)).collect();
        let work = |pieces: &mut dyn Iterator<Item = Range<usize>>| {
            pieces.flatten().for_each(|i| {
                run(i);
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
        };
        cost.spread(threads, programs, &work, &|| ());
        assert!(hits.iter().all(|h| h.load(Ordering::Relaxed) == 1), "{programs} programs");
    }

    /// Launch costs that lead to either outcome of a launch's first decision, whatever its programs take.
    fn costs() -> [LaunchCost; 3] {
        [0, 1, 1 << 50].map(|picos| LaunchCost { program: AtomicU64::new(picos) })
    }

    #[test]
    fn every_program_runs_once() {
        for threads in [1, 2, 3, 7] {
            let threads = Threads::new(threads);
            for programs in [1, 2, 3, 8, 100, 10_000] {
                for cost in costs() {
                    (0..3).for_each(|_| each_once(&cost, &threads, programs, |_| ()));
                }
            }
        }
    }

    #[test]
    fn uneven_programs_run_once() {
        let threads = Threads::new(3);
        let busy = |n: usize| (0..n).for_each(|i| _ = std::hint::black_box(i));
        for cost in costs() {
            each_once(&cost, &threads, 300, |i| busy(i * 30));
            each_once(&cost, &threads, 300, |i| busy((300 - i) * 30));
            each_once(&cost, &threads, 300, |i| busy(if i % 100 == 7 { 50_000 } else { 0 }));
        }
    }

    #[test]
    fn a_program_may_wait_for_all_before_it() {
        for threads in [1, 2, 5] {
            let threads = Threads::new(threads);
            for cost in costs() {
                for _ in 0..20 {
                    let next = AtomicUsize::new(0);
                    each_once(&cost, &threads, 50, |i| {
                        while next.load(Ordering::Acquire) != i {
                            std::thread::yield_now();
                        }
                        next.store(i + 1, Ordering::Release);
                    });
                }
            }
        }
    }

    #[test]
    fn callers_on_several_threads_share_a_pool_and_a_pace() {
        let (threads, cost) = (Threads::new(2), LaunchCost::default());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..200).for_each(|n| each_once(&cost, &threads, n + 1, |_| ())));
            }
        });
    }

    #[test]
    fn a_panic_is_passed_on() {
        let threads = Threads::new(3);
        for cost in costs() {
            for at in [0, 70, 99] {
                let run = |i| assert!(i != at, "program {i}");
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    cost.spread(&threads, 100, &|pieces| pieces.flatten().for_each(run), &|| ());
                }));
                assert_eq!(
                    *caught.unwrap_err().downcast::<String>().unwrap(),
                    format!("program {at}")
                );
            }
            each_once(&cost, &threads, 100, |_| ());
        }
    }
}
