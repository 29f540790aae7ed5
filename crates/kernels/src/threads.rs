//! Threads: fork-join over numbered tasks, on workers shared by all runs of a process.
//!
//! The caller works too; workers that join a job late or not at all cost nothing. A worker spins for a while after a
//! job, because launches follow one another closely, and then parks. Concurrent callers share the cores: no more runs
//! are active than there are cores, and each gets a share of the remaining workers. A forked child has none of the
//! threads, so it gets a new executor.

mod admission;
mod crew;
mod dispatch;
mod executor;
mod fork;
mod handover;
mod job;
#[cfg(all(test, feature = "models"))]
mod models;
mod role;
mod share;
mod stop;
#[cfg(all(test, not(feature = "models")))]
mod suspension_tests;
#[cfg(all(test, not(feature = "models")))]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use crate::disjoint::Disjoint;
pub use admission::ThreadRequest;
use executor::Executor;
pub use executor::RunGuard;
pub use handover::CoreHandover;
pub use share::Shares;
pub use stop::{StopQuestion, Stopped, checkpoint, give_way, has_to_stop, stoppable};

/// The right to use `n` threads at a time, including the caller.
///
/// Tasks are not assigned to fixed threads, so a task must write only what its index determines; results then do not
/// depend on the number of threads or on other load.
pub struct Threads {
    /// `None` for the executor of the process, which changes after a fork.
    executor: Option<Arc<Executor>>,
    /// Whether dropping this ends the executor.
    owns: bool,
    count: usize,
}

/// The number of cores that the system grants this process.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The longest range of [`Threads::for_range`], in grains: most take some tens of microseconds. A run stops or is suspended between
/// ranges.
const MOST_GRAINS: usize = 1 << 5;

impl Threads {
    /// `n` threads of the process (at least one), or fewer if the system refuses to start them.
    pub fn new(n: usize) -> Self {
        Self { executor: None, owns: false, count: Executor::grow_of_process(n) }
    }

    fn executor(&self) -> &Arc<Executor> {
        self.executor.as_ref().unwrap_or_else(|| Executor::of_process())
    }

    /// `n` threads not shared with anyone else, for models and tests.
    #[cfg(test)]
    fn own(n: usize) -> Self {
        let executor = Executor::new(n);
        let count = executor.grow(n);
        Self { executor: Some(executor), owns: true, count }
    }

    /// The same threads, but with at most `n` per job.
    pub fn limited(&self, n: usize) -> Self {
        let (executor, count) = (self.executor.clone(), self.count.min(n.max(1)));
        Self { executor, owns: false, count }
    }

    /// One thread per core that the system grants this process.
    pub fn all_cores() -> Self {
        Self::new(cores())
    }

    /// Begins a run on this thread: until the guard is dropped, its jobs get their share of the workers. While as many
    /// runs are active as there are cores, it waits, after those that came before; `None` if it gives up, as the request
    /// says. A nested run on the same thread does not wait. A run must not wait for another run that waits here. The guard has to be dropped
    /// outside of the run's tasks; otherwise its slot stays occupied.
    pub fn enter(&self, request: ThreadRequest) -> Option<RunGuard> {
        let threads = match request.threads {
            0 => self.count,
            n => n.min(self.count),
        };
        self.executor().enter(&ThreadRequest { threads, ..request })
    }

    /// Like [`enter`](Self::enter), but returns `None` instead of waiting.
    pub fn try_enter(&self) -> Option<RunGuard> {
        self.executor().try_enter()
    }

    /// The number of threads, including the caller.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `task(0)`, …, `task(count - 1)`, each once, and returns when all are done. A panic in a task is propagated
    /// (tasks not yet started are then skipped). So is the end of a run that has to stop: between tasks, its thread asks
    /// ([`ThreadRequest::stop`]), and then unwinds with [`Stopped`]. There it also hands its core over, if that is due
    /// ([`ThreadRequest::handover`]), and workers leave or join as other runs begin and end. Inside a task, all calls run inline.
    pub fn run(&self, count: usize, task: impl Fn(usize) + Sync) {
        self.dispatch(count, &task);
    }

    /// Calls `member(0)` on this thread and, on the workers that arrive before it returns, `member(1)` …
    /// `member(size - 1)`. Any of these may be missing, so member 0 must be able to do everything.
    pub fn team(&self, size: usize, member: &(dyn Fn(usize) + Sync)) {
        self.watched_team(size, member, &|| ());
    }

    /// Like [`team`](Self::team). While this thread waits for the workers, it calls `idle` several times a millisecond.
    pub fn watched_team(
        &self,
        size: usize,
        member: &(dyn Fn(usize) + Sync),
        idle: &(dyn Fn() + Sync),
    ) {
        let size = size.min(self.count);
        if size <= 1 || !self.executor().team(size, member, idle) {
            member(0);
        }
    }

    /// Whether waking workers pays off if the whole team saves `nanos` nanoseconds: a parked worker is woken for much
    /// work, or once the run has missed as much in launches that followed one another closely. Never outside a run.
    pub fn worth_waking(&self, size: usize, nanos: u64) -> bool {
        self.executor().worth_waking(size.min(self.count), nanos)
    }

    /// Calls `f` on ranges that together cover `0..len` once; inner boundaries are multiples of `grain`. The result of
    /// `f` for an index must not depend on the range that contains it.
    pub fn for_range(&self, len: usize, grain: usize, f: impl Fn(Range<usize>) + Sync) {
        if len == 0 {
            return;
        }
        let grain = grain.max(1);
        let grains = len.div_ceil(grain);
        // A few ranges per thread balance cores of different speed.
        let parts = if self.count() == 1 { 1 } else { grains.min(4 * self.count()) };
        let parts = parts.max(grains.div_ceil(MOST_GRAINS));
        self.run(parts, |i| {
            let bound = |i: usize| (i * grains / parts).saturating_mul(grain).min(len);
            f(bound(i)..bound(i + 1));
        });
    }

    /// Like [`for_range`](Self::for_range) over the rows of `row` elements of `data`, passing the rows themselves:
    /// `f(first, rows)`; the last row may be shorter.
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
            // SAFETY: the ranges do not overlap, and each is passed once.
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
            // SAFETY: pieces with different `i` do not overlap, and each `i` is passed once.
            f(i, unsafe { data.part(start..start + chunk.min(len - start)) });
        });
    }
}

/// A value with exclusive cache lines; two, because processors fetch them in pairs.
#[repr(align(128))]
struct Padded<T>(T);

impl Drop for Threads {
    fn drop(&mut self) {
        if self.owns {
            self.executor().end();
        }
    }
}

impl std::fmt::Debug for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threads").field("count", &self.count()).finish()
    }
}
