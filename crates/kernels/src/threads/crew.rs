//! The threads of a pool: how a job is announced, joined and ended, and how idle workers wait.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::Padded;
use crate::sync::{
    self, AtomicBool, AtomicU64, LOOKS, Mutex, MutexGuard, Ordering, Patience, Thread,
};

/// How long an idle worker spins before it parks: longer than Python takes from one launch to the next, because a thread
/// that wakes another loses about ten microseconds to the system.
const SPIN: Duration = Duration::from_micros(200);

/// What waking costs, in nanoseconds: the caller's call of the system, and the worker's way to the job.
const WAKE: u64 = 25_000;

/// `gate` holds the job's number in its upper bits, this flag while workers may join, the size of the team, and the
/// count of joined workers.
const OPEN: u64 = 1 << 32;
const SIZE: u32 = 16;
pub(super) const JOINED: u64 = (1 << SIZE) - 1;
const NEXT_JOB: u64 = OPEN << 1;

sync::thread_local! {
    /// Whether this thread is inside a task, where a nested job runs inline.
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// What each member of a team calls, with its number.
type Member = dyn Fn(usize) + Sync;

/// What the caller and the workers exchange at every job, together in a line.
struct Job {
    gate: AtomicU64,
    /// The job's closure with its lifetime erased; the caller outlives every use.
    member: UnsafeCell<*const Member>,
}

#[derive(Default)]
struct Worker {
    parked: AtomicBool,
    /// Set before it parks first.
    thread: OnceLock<Thread>,
}

/// What the threads of a pool share.
pub(super) struct Crew {
    job: Padded<Job>,
    /// The first of them is member 1 of every team.
    workers: Vec<Worker>,
    stop: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Held by the caller whose job runs.
    owner: Mutex<()>,
    missed: Missed,
}

/// The right to run a job.
pub(super) struct Turn<'a> {
    crew: &'a Crew,
    _owner: MutexGuard<'a, ()>,
}

/// What callers lost since they last woke workers because they did not.
struct Missed {
    since: Instant,
    /// When, in nanoseconds of `since`, a caller was last here.
    last: AtomicU64,
    nanos: AtomicU64,
}

// SAFETY: `member` is written only while the gate is closed and no worker has joined, and read only by joined workers.
unsafe impl Sync for Crew {}
// SAFETY: the pointer in `member` is used only as described above; the rest is `Send`.
unsafe impl Send for Crew {}

impl Missed {
    /// Adds what is about to be missed; whether it is enough for waking somebody.
    fn add(&self, nanos: u64) -> bool {
        let now = self.since.elapsed().as_nanos() as u64;
        let pause = now.saturating_sub(self.last.swap(now, Ordering::Relaxed));
        // After a longer pause the workers would be parked again.
        let before =
            if pause < SPIN.as_nanos() as u64 { self.nanos.load(Ordering::Relaxed) } else { 0 };
        let missed = before.saturating_add(nanos);
        let enough = missed >= WAKE;
        self.nanos.store(if enough { 0 } else { missed }, Ordering::Relaxed);
        enough
    }
}

impl Turn<'_> {
    /// Calls `member(0)` here and `member(i)` on each worker `i < size` that comes before it returns.
    pub(super) fn run<'a>(self, size: usize, member: &'a (dyn Fn(usize) + Sync + 'a)) {
        let crew = self.crew;
        let member = member as *const (dyn Fn(usize) + Sync + 'a);
        // SAFETY: it is this caller's turn, the gate is closed and nobody is joined, so no thread reads `member`; only
        // the lifetime is changed, and this function returns after the last worker has left.
        unsafe {
            *crew.job.0.member.get() =
                std::mem::transmute::<*const (dyn Fn(usize) + Sync + 'a), *const Member>(member);
        }
        let number = crew.gate().load(Ordering::Relaxed) / NEXT_JOB;
        let number = number.wrapping_add(1).wrapping_mul(NEXT_JOB);
        crew.gate().store(number | OPEN | (size as u64) << SIZE, Ordering::SeqCst);
        crew.take_part(0, size);
        crew.gate().fetch_and(!OPEN, Ordering::SeqCst);
        let mut spins = 0u32;
        while crew.gate().load(Ordering::Acquire) & JOINED != 0 {
            spins += 1;
            // A worker that lost its core needs ours.
            if spins.is_multiple_of(4096) { sync::yield_now() } else { sync::spin_loop() }
        }
        let panic = lock(&crew.panic).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Crew {
    /// A crew of this many workers, whose threads the pool starts.
    pub(super) fn new(workers: usize) -> Self {
        let nobody = std::ptr::null::<fn(usize)>() as *const Member;
        let (last, nanos) = (AtomicU64::new(0), AtomicU64::new(0));
        Self {
            job: Padded(Job { gate: AtomicU64::new(0), member: UnsafeCell::new(nobody) }),
            workers: (0..workers).map(|_| Worker::default()).collect(),
            stop: AtomicBool::new(false),
            panic: Mutex::new(None),
            owner: Mutex::new(()),
            missed: Missed { since: Instant::now(), last, nanos },
        }
    }

    /// The caller's turn, unless it is inside a task or another's job runs.
    pub(super) fn turn(&self) -> Option<Turn<'_>> {
        if IN_TASK.with(Cell::get) {
            return None;
        }
        let owner = match self.owner.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Turn { crew: self, _owner: owner })
    }

    /// Whether a team of this size is worth its price if it saves `nanos` nanoseconds.
    pub(super) fn worth_waking(&self, size: usize, nanos: u64) -> bool {
        let mut team = self.workers.iter().take(size.saturating_sub(1));
        !team.any(|w| w.parked.load(Ordering::Relaxed)) || self.missed.add(nanos)
    }

    /// Ends the life of all workers.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        (0..self.workers.len()).for_each(|i| self.wake(i));
    }

    fn gate(&self) -> &AtomicU64 {
        &self.job.0.gate
    }

    /// Does the part of a member of the open job.
    fn take_part(&self, i: usize, size: usize) {
        // Each wakes two more, because waking takes long.
        (2 * i + 1..(2 * i + 3).min(size)).for_each(|other| self.wake(other - 1));
        // SAFETY: the caller owns the job or has joined it, so it does not change until this thread leaves.
        let member = unsafe { *self.job.0.member.get() };
        let outer = IN_TASK.with(|inside| inside.replace(true));
        // SAFETY: `run` waits for every joined thread, so the closure is alive.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| unsafe { (*member)(i) })) {
            lock(&self.panic).get_or_insert(panic);
        }
        IN_TASK.with(|inside| inside.set(outer));
    }

    /// Wakes a worker that is parked. Sequential consistency makes the order certain: either the worker sees what
    /// happened before it parks, or it is seen here.
    fn wake(&self, worker: usize) {
        let worker = &self.workers[worker];
        if worker.parked.load(Ordering::SeqCst)
            && worker.parked.swap(false, Ordering::SeqCst)
            && let Some(thread) = worker.thread.get()
        {
            thread.unpark();
        }
    }

    /// The life of member `i`.
    pub(super) fn work(&self, i: usize) {
        let _ = self.workers[i - 1].thread.set(sync::current());
        let mut seen = 0;
        while let Some(gate) = self.next_job(i, seen) {
            seen = gate / NEXT_JOB;
            if self.join(gate) {
                self.take_part(i, team(gate));
                self.gate().fetch_sub(1, Ordering::Release);
            }
        }
    }

    /// Waits for an open job other than `seen` that wants member `i`; `None` when the pool stops.
    fn next_job(&self, i: usize, seen: u64) -> Option<u64> {
        let fresh = || {
            let gate = self.gate().load(Ordering::SeqCst);
            (gate & OPEN != 0 && gate / NEXT_JOB != seen && i < team(gate)).then_some(gate)
        };
        let parked = &self.workers[i - 1].parked;
        loop {
            let mut patience = Patience::of(SPIN);
            while !patience.has_ended() {
                for _ in 0..LOOKS {
                    if let Some(gate) = fresh() {
                        return Some(gate);
                    }
                    sync::spin_loop();
                }
                if self.stop.load(Ordering::SeqCst) {
                    return None;
                }
            }
            parked.store(true, Ordering::SeqCst);
            // Whoever clears the flag wakes this thread; it clears it itself if something came meanwhile.
            while parked.load(Ordering::SeqCst) {
                if self.stop.load(Ordering::SeqCst) || fresh().is_some() {
                    parked.store(false, Ordering::SeqCst);
                } else {
                    sync::park();
                }
            }
        }
    }

    /// Counts this thread in, unless the job has closed meanwhile.
    fn join(&self, mut gate: u64) -> bool {
        let number = gate & !JOINED;
        while gate & !JOINED == number {
            match self.gate().compare_exchange_weak(
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

/// The size of the team that a gate lets in.
fn team(gate: u64) -> usize {
    (gate >> SIZE & JOINED) as usize
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
