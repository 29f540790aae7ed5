//! The thread pool: fork-join over numbered tasks.
//!
//! The caller works too; workers that join a job late or not at all cost nothing. A worker spins for a few tens of
//! microseconds after a job, because a model's kernels follow one another closely, and then parks.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long an idle worker spins before it parks.
const SPIN: Duration = Duration::from_micros(50);

/// `gate` holds the job's number in its upper half, this flag while workers may join, and the count of joined workers.
const OPEN: usize = 1 << 20;
const JOINED: usize = OPEN - 1;
const NEXT_JOB: usize = 1 << 21;

thread_local! {
    /// Whether this thread is inside a task, where a nested job runs inline.
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// A pool of `n` threads, the caller among them.
///
/// Which thread runs which task is not fixed, so a task must write only what its index determines; then results do not
/// depend on the number of threads.
pub struct Threads {
    shared: Option<Arc<Shared>>,
    workers: Vec<JoinHandle<()>>,
}

/// A job's closure with its lifetime erased; the caller of `run` outlives every use.
type Task = dyn Fn(usize) + Sync;

struct Job {
    task: *const Task,
    count: usize,
}

struct Shared {
    gate: AtomicUsize,
    job: UnsafeCell<Job>,
    next: AtomicUsize,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
    stop: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Held by the caller whose job runs; a second caller runs its job inline.
    owner: Mutex<()>,
}

// SAFETY: `job` is written only while the gate is closed and no worker has joined, and read only by joined workers.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `job` is used only as described above; the rest is `Send`.
unsafe impl Send for Shared {}

impl Threads {
    /// A pool of `n` threads (at least one), `n - 1` of which it starts. Fewer run if the system refuses to start them.
    pub fn new(n: usize) -> Self {
        if n <= 1 {
            return Self { shared: None, workers: Vec::new() };
        }
        let shared = Arc::new(Shared {
            gate: AtomicUsize::new(0),
            job: UnsafeCell::new(Job {
                task: std::ptr::null::<fn(usize)>() as *const Task,
                count: 0,
            }),
            next: AtomicUsize::new(0),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
            stop: AtomicBool::new(false),
            panic: Mutex::new(None),
            owner: Mutex::new(()),
        });
        let workers = (1..n.min(JOINED))
            .map_while(|i| {
                let shared = Arc::clone(&shared);
                let name = format!("trident-cpu-{i}");
                std::thread::Builder::new().name(name).spawn(move || shared.work()).ok()
            })
            .collect();
        Self { shared: Some(shared), workers }
    }

    /// One thread per core that the system grants this process.
    pub fn all_cores() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The number of threads, the caller included.
    pub fn count(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `task(0)`, …, `task(count - 1)`, each once, and returns when all are done. A panic in a task is passed on
    /// (tasks not yet started are then skipped). Inside a task, and while another thread's job runs, all run inline.
    pub fn run(&self, count: usize, task: impl Fn(usize) + Sync) {
        self.dispatch(count, &task);
    }

    /// Behind a pointer, so that a kernel's loop is compiled once and not for each way in which it may be called.
    fn dispatch(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        let inline = || (0..count).for_each(task);
        let Some(shared) = &self.shared else { return inline() };
        if count <= 1 || self.workers.is_empty() || IN_TASK.get() {
            return inline();
        }
        let _owner: MutexGuard<'_, ()> = match shared.owner.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => return inline(),
        };
        shared.run(count, task);
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

    /// Calls `f(i, chunk)` for the `i`-th piece of `chunk` elements of `data` (the last may be shorter).
    pub fn for_chunks_mut<T: Send>(
        &self,
        data: &mut [T],
        chunk: usize,
        f: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let chunk = chunk.max(1);
        let len = data.len();
        let base = Disjoint(data.as_mut_ptr());
        self.run(len.div_ceil(chunk), |i| {
            let start = i * chunk;
            let n = chunk.min(len - start);
            // SAFETY: pieces with different `i` are disjoint parts of `data`, which is borrowed mutably for the call.
            f(i, unsafe { std::slice::from_raw_parts_mut(base.get().add(start), n) });
        });
    }
}

/// A pointer that tasks share, each touching its own part.
#[derive(Clone, Copy)]
pub(crate) struct Disjoint<T>(pub(crate) *mut T);
// SAFETY: the users of `Disjoint` hand disjoint parts to the tasks.
unsafe impl<T: Send> Sync for Disjoint<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Disjoint<T> {}

impl<T> Disjoint<T> {
    /// The pointer (a method, so that closures capture the wrapper and not its field).
    pub(crate) fn get(&self) -> *mut T {
        self.0
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let Some(shared) = &self.shared else { return };
        shared.stop.store(true, Ordering::SeqCst);
        {
            let _guard = lock(&shared.sleep);
            shared.wake.notify_all();
        }
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

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn run<'a>(&self, count: usize, task: &'a (dyn Fn(usize) + Sync + 'a)) {
        let task = task as *const (dyn Fn(usize) + Sync + 'a);
        // SAFETY: the gate is closed and nobody is joined, so no thread reads `job`; only the lifetime is changed, and
        // this function returns after the last worker has left.
        unsafe {
            *self.job.get() = Job {
                task: std::mem::transmute::<*const (dyn Fn(usize) + Sync + 'a), *const Task>(task),
                count,
            };
        }
        self.next.store(0, Ordering::Relaxed);
        let number = (self.gate.load(Ordering::Relaxed) & !(OPEN | JOINED)).wrapping_add(NEXT_JOB);
        self.gate.store(number | OPEN, Ordering::SeqCst);
        // Sequential consistency makes the order certain: either the worker sees the open gate before it sleeps, or it
        // is counted here.
        let sleepers = self.sleepers.load(Ordering::SeqCst);
        if sleepers > 0 {
            let _guard = lock(&self.sleep);
            for _ in 0..sleepers.min(count - 1) {
                self.wake.notify_one();
            }
        }
        self.take_part();
        self.gate.fetch_and(!OPEN, Ordering::SeqCst);
        let mut spins = 0u32;
        while self.gate.load(Ordering::Acquire) & JOINED != 0 {
            spins += 1;
            // A worker that lost its core needs ours.
            if spins.is_multiple_of(4096) {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
        }
        let panic = lock(&self.panic).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Runs tasks of the open job until none is left.
    fn take_part(&self) {
        // SAFETY: the caller owns the job or has joined it, so it does not change until this thread leaves.
        let (task, count) = unsafe { ((*self.job.get()).task, (*self.job.get()).count) };
        let outer = IN_TASK.replace(true);
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                break;
            }
            // SAFETY: `run` waits for every joined thread, so the closure is alive.
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| unsafe { (*task)(i) })) {
                self.next.store(count, Ordering::Relaxed);
                lock(&self.panic).get_or_insert(panic);
            }
        }
        IN_TASK.set(outer);
    }

    /// The life of a worker.
    fn work(&self) {
        let mut seen = 0;
        while let Some(gate) = self.next_job(seen) {
            seen = gate & !(OPEN | JOINED);
            if self.join(gate) {
                self.take_part();
                self.gate.fetch_sub(1, Ordering::Release);
            }
        }
    }

    /// Waits for an open job other than `seen`; `None` when the pool stops.
    fn next_job(&self, seen: usize) -> Option<usize> {
        let fresh = || {
            let gate = self.gate.load(Ordering::SeqCst);
            (gate & OPEN != 0 && gate & !(OPEN | JOINED) != seen).then_some(gate)
        };
        let start = Instant::now();
        loop {
            for _ in 0..32 {
                if let Some(gate) = fresh() {
                    return Some(gate);
                }
                std::hint::spin_loop();
            }
            if self.stop.load(Ordering::SeqCst) {
                return None;
            }
            if start.elapsed() > SPIN {
                break;
            }
        }
        let mut guard = lock(&self.sleep);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let found = loop {
            if self.stop.load(Ordering::SeqCst) {
                break None;
            }
            if let Some(gate) = fresh() {
                break Some(gate);
            }
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        };
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        found
    }

    /// Counts this thread in, unless the job has closed meanwhile.
    fn join(&self, mut gate: usize) -> bool {
        let number = gate & !JOINED;
        while gate & !JOINED == number {
            match self.gate.compare_exchange_weak(
                gate,
                gate + 1,
                Ordering::SeqCst,
                Ordering::SeqCst,
            ) {
                Ok(_) => return true,
                Err(now) => gate = now,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once() {
        for n in [1, 2, 3, 7] {
            let pool = Threads::new(n);
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
        let pool = Threads::new(3);
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
        let pool = Threads::new(4);
        let mut data = vec![0usize; 1001];
        pool.for_chunks_mut(&mut data, 10, |i, chunk| {
            pool.run(chunk.len(), |_| ());
            chunk.iter_mut().enumerate().for_each(|(j, x)| *x = i * 10 + j);
        });
        assert!(data.iter().enumerate().all(|(i, &x)| i == x));
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_survives() {
        let pool = Threads::new(2);
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
        let pool = Threads::new(2);
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
}
