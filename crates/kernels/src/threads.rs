//! The thread pool: fork-join over numbered tasks.
//!
//! The caller works too; workers that join a job late or not at all cost nothing. A worker spins for a while after a
//! job, because launches follow one another closely, and then parks.

mod crew;
#[cfg(all(test, feature = "models"))]
mod models;
mod share;
#[cfg(all(test, not(feature = "models")))]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use crate::disjoint::Disjoint;
use crate::sync::{AtomicUsize, Builder, JoinHandle, Ordering};
use crew::{Crew, Turn};
pub use share::Shares;

/// A pool of `n` threads, the caller among them.
///
/// Which thread runs which task is not fixed, so a task must write only what its index determines; then results do not
/// depend on the number of threads.
pub struct Threads {
    crew: Option<Arc<Crew>>,
    /// Those of a pool that shares another one's are that one's.
    workers: Vec<JoinHandle<()>>,
    count: usize,
}

impl Threads {
    /// A pool of `n` threads (at least one), `n - 1` of which it starts. Fewer run if the system refuses to start them.
    pub fn new(n: usize) -> Self {
        if n <= 1 {
            return Self { crew: None, workers: Vec::new(), count: 1 };
        }
        let n = n.min(crew::JOINED as usize);
        let crew = Arc::new(Crew::new(n - 1));
        let workers: Vec<_> = (1..n)
            .map_while(|i| {
                let crew = Arc::clone(&crew);
                let name = format!("trident-cpu-{i}");
                Builder::new().name(name).spawn(move || crew.work(i)).ok()
            })
            .collect();
        let count = workers.len() + 1;
        Self { crew: Some(crew), workers, count }
    }

    /// The same threads, of which no more than `n` run a job.
    pub fn limited(&self, n: usize) -> Self {
        let count = self.count.min(n.max(1));
        Self { crew: self.crew.clone().filter(|_| count > 1), workers: Vec::new(), count }
    }

    /// One thread per core that the system grants this process.
    pub fn all_cores() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The number of threads, the caller included.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `task(0)`, …, `task(count - 1)`, each once, and returns when all are done. A panic in a task is passed on
    /// (tasks not yet started are then skipped). Inside a task, and while another thread's job runs, all run inline.
    pub fn run(&self, count: usize, task: impl Fn(usize) + Sync) {
        self.dispatch(count, &task);
    }

    /// Behind a pointer, so that a kernel's loop is compiled once and not for each way in which it may be called.
    fn dispatch(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        let Some(turn) = self.turn(count) else { return (0..count).for_each(task) };
        let next = Padded(AtomicUsize::new(0));
        turn.run(count.min(self.count()), &|_| {
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
        match self.turn(size) {
            Some(turn) => turn.run(size.min(self.count()), member),
            None => member(0),
        }
    }

    /// The right to run a job of this many threads.
    fn turn(&self, size: usize) -> Option<Turn<'_>> {
        self.crew.as_ref().filter(|_| size.min(self.count()) > 1)?.turn()
    }

    /// Whether a team is worth its price if all of it saves `nanos` nanoseconds: a worker that is parked is woken for
    /// much work, or once callers have missed as much in launches that followed one another closely.
    pub fn worth_waking(&self, size: usize, nanos: u64) -> bool {
        let size = size.min(self.count());
        self.crew.as_ref().is_some_and(|crew| crew.worth_waking(size, nanos))
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
        let Some(crew) = self.crew.as_ref().filter(|_| !self.workers.is_empty()) else { return };
        crew.stop();
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its tasks, so joining cannot fail.
            let _ = worker.join();
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
