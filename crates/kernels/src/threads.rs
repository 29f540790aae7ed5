//! Threads: fork-join over numbered tasks, on workers that all runs of a process share.
//!
//! The caller works too; workers that join a job late or not at all cost nothing. A worker spins for a while after a
//! job, because launches follow one another closely, and then parks. Callers that run side by side share the cores: no
//! more runs are active than there are cores, and each has its part of the workers that are left.

mod admission;
mod executor;
mod job;
#[cfg(all(test, feature = "models"))]
mod models;
mod share;
#[cfg(all(test, not(feature = "models")))]
mod tests;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::disjoint::Disjoint;
use crate::sync::{AtomicUsize, Ordering};
use executor::Executor;
pub use executor::RunGuard;
pub use share::Shares;

/// The right to use `n` threads at a time, the caller among them.
///
/// Which thread runs which task is not fixed, so a task must write only what its index determines; then results do not
/// depend on the number of threads, nor on what else runs.
pub struct Threads {
    executor: Arc<Executor>,
    /// Whether the executor ends with this.
    owns: bool,
    count: usize,
}

/// The cores that the system grants this process.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Threads {
    /// `n` threads of the process (at least one). Fewer if the system refuses to start them.
    pub fn new(n: usize) -> Self {
        let executor = Executor::of_process();
        let count = executor.grow(n);
        Self { executor, owns: false, count }
    }

    /// `n` threads that nobody else uses, for models and tests.
    #[cfg(test)]
    fn own(n: usize) -> Self {
        let executor = Executor::new(n);
        let count = executor.grow(n);
        Self { executor, owns: true, count }
    }

    /// The same threads, of which no more than `n` run a job.
    pub fn limited(&self, n: usize) -> Self {
        let (executor, count) = (Arc::clone(&self.executor), self.count.min(n.max(1)));
        Self { executor, owns: false, count }
    }

    /// One thread per core that the system grants this process.
    pub fn all_cores() -> Self {
        Self::new(cores())
    }

    /// Begins a run on this thread: until the guard goes, its jobs have their part of the workers. While as many runs are
    /// active as there are cores, it waits, those of a higher priority less long; `None` if that lasts until `until`.
    /// While a run of a higher priority is active, one of a lower has no workers. A part of a run, on its thread, need not
    /// wait. A run must not wait for another one that waits here.
    pub fn enter(&self, priority: i32, until: Option<Instant>) -> Option<RunGuard> {
        self.executor.enter(priority, until)
    }

    /// As [`enter`](Self::enter), but without a run, and so without workers, where it would have to wait.
    pub fn try_enter(&self) -> Option<RunGuard> {
        self.executor.try_enter()
    }

    /// The number of threads, the caller included.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `task(0)`, …, `task(count - 1)`, each once, and returns when all are done. A panic in a task is passed on
    /// (tasks not yet started are then skipped). Inside a task all run inline.
    pub fn run(&self, count: usize, task: impl Fn(usize) + Sync) {
        self.dispatch(count, &task);
    }

    /// Behind a pointer, so that a kernel's loop is compiled once and not for each way in which it may be called.
    fn dispatch(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        if count <= 1 || self.count == 1 {
            return (0..count).for_each(task);
        }
        let next = Padded(AtomicUsize::new(0));
        self.team(count, &|_| {
            let _stop = Stop(&next.0, count);
            loop {
                let i = next.0.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    break;
                }
                task(i);
            }
        });
    }

    /// Calls `member(0)` here and, on the workers that come before it returns, `member(1)` … `member(size - 1)`. Any of
    /// those may be missing, so member 0 must be able to do everything.
    pub fn team(&self, size: usize, member: &(dyn Fn(usize) + Sync)) {
        let size = size.min(self.count);
        if size <= 1 || !self.executor.team(size, member) {
            member(0);
        }
    }

    /// Whether a team is worth its price if all of it saves `nanos` nanoseconds: a worker that is parked is woken for
    /// much work, or once the run has missed as much in launches that followed one another closely. Never outside a run.
    pub fn worth_waking(&self, size: usize, nanos: u64) -> bool {
        self.executor.worth_waking(size.min(self.count), nanos)
    }

    /// Calls `f` on ranges that together cover `0..len` once; inner boundaries are multiples of `grain`. `f` must
    /// compute each index without regard to the range it came in.
    pub fn for_range(&self, len: usize, grain: usize, f: impl Fn(Range<usize>) + Sync) {
        if len == 0 {
            return;
        }
        let grain = grain.max(1);
        let grains = len.div_ceil(grain);
        // A few ranges per thread even out cores of different speed.
        let parts = if self.count() == 1 { 1 } else { grains.min(4 * self.count()) };
        self.run(parts, |i| {
            let bound = |i: usize| (i * grains / parts).saturating_mul(grain).min(len);
            f(bound(i)..bound(i + 1));
        });
    }

    /// As [`for_range`](Self::for_range) over the rows of `row` elements of `data`, with the rows themselves: `f(first, rows)`;
    /// the last row may be shorter.
    pub fn for_rows_mut<T: Send>(
        &self,
        data: &mut [T],
        row: usize,
        grain: usize,
        f: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let (row, len) = (row.max(1), data.len());
        let data = Disjoint::new(data);
        self.for_range(len.div_ceil(row), grain, |rows| {
            let part = rows.start * row..(rows.end * row).min(len);
            // SAFETY: the ranges do not overlap, and each comes once.
            f(rows.start, unsafe { data.part(part) });
        });
    }

    /// Calls `f(i, chunk)` for the `i`-th piece of `chunk` elements of `data` (the last may be shorter).
    pub fn for_chunks_mut<T: Send>(
        &self,
        data: &mut [T],
        chunk: usize,
        f: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let chunk = chunk.max(1);
        let len = data.len();
        let data = Disjoint::new(data);
        self.run(len.div_ceil(chunk), |i| {
            let start = i * chunk;
            // SAFETY: pieces with different `i` do not overlap, and each `i` comes once.
            f(i, unsafe { data.part(start..start + chunk.min(len - start)) });
        });
    }
}

/// A value with cache lines of its own; two, because processors fetch them in pairs.
#[repr(align(128))]
struct Padded<T>(T);

impl Drop for Threads {
    fn drop(&mut self) {
        if self.owns {
            self.executor.end();
        }
    }
}

impl std::fmt::Debug for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threads").field("count", &self.count()).finish()
    }
}

/// When dropped, by a panic too, leaves no task to take.
struct Stop<'a>(&'a AtomicUsize, usize);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(self.1, Ordering::Relaxed);
    }
}
