//! A job: the work of a team for a run's caller, and how it is announced, joined and ended.

use std::any::Any;
use std::cell::UnsafeCell;
use std::sync::PoisonError;

use super::admission::Deal;
use super::{Padded, fork};
use crate::sync::{self, AtomicU64, MODELS, Mutex, Ordering};

/// A gate is a number. From the lowest bits upward: the joined workers, the team's size, the rank and number of runs of
/// the deal that determines its workers, this flag while workers may join, and the job's number.
const JOINED: u32 = 10;
const DEAL: u32 = 7;
const OPEN: u64 = 1 << (2 * JOINED + 2 * DEAL);
const NEXT_JOB: u64 = OPEN << 1;

/// Maximum number of threads in a team; few in models, where all are objects of the model.
pub(super) const MOST_MEMBERS: usize = if MODELS { 8 } else { (1 << JOINED) - 1 };

/// The function that each member of a team calls with its number.
pub(super) type Member = dyn Fn(usize) + Sync;

/// Where a run's jobs are announced.
pub(super) struct Slot {
    job: Padded<Announced>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The data that caller and workers exchange for every job, together in one cache line.
struct Announced {
    gate: AtomicU64,
    /// The job's closure with its lifetime erased; the caller outlives every use.
    member: UnsafeCell<*const Member>,
}

// SAFETY: `member` is written only while the gate is closed and no worker has joined, by the run that owns the slot,
// and read only by that caller and by joined workers.
unsafe impl Sync for Slot {}
// SAFETY: the pointer in `member` is used only as described above; the rest is `Send`.
unsafe impl Send for Slot {}

/// A job's properties, as encoded in its gate.
#[derive(Clone, Copy)]
pub(super) struct Gate(u64);

impl Gate {
    pub(super) fn is_open(self) -> bool {
        self.0 & OPEN != 0
    }

    pub(super) fn number(self) -> u64 {
        self.0 / NEXT_JOB
    }

    fn field(self, from: u32, bits: u32) -> usize {
        (self.0 >> from) as usize & ((1 << bits) - 1)
    }

    fn joined(self) -> usize {
        self.field(0, JOINED)
    }

    pub(super) fn size(self) -> usize {
        self.field(JOINED, JOINED)
    }

    /// Whose workers may join.
    pub(super) fn deal(self) -> Deal {
        let rank = self.field(2 * JOINED, DEAL);
        let runs = self.field(2 * JOINED + DEAL, DEAL);
        Deal { runs, rank, workers: self.size() - 1 }
    }

    /// The team member that a worker is, if any.
    pub(super) fn member(self, worker: usize) -> Option<usize> {
        self.deal().member(worker).filter(|&member| member < self.size())
    }
}

impl Slot {
    pub(super) fn new() -> Slot {
        let nobody = std::ptr::null::<fn(usize)>() as *const Member;
        let job = Announced { gate: AtomicU64::new(0), member: UnsafeCell::new(nobody) };
        Slot { job: Padded(job), panic: Mutex::new(None) }
    }

    pub(super) fn gate(&self, order: Ordering) -> Gate {
        Gate(self.job.0.gate.load(order))
    }

    /// Announces a job. It must be [closed](Self::close) before the lifetime of `member` ends.
    ///
    /// # Safety
    /// The caller owns the slot, and its previous job is closed.
    pub(super) unsafe fn open(
        &self,
        member: &(dyn Fn(usize) + Sync),
        size: usize,
        deal: Deal,
    ) -> Gate {
        // SAFETY: the gate is closed, no worker is joined and the slot belongs to the caller, so no thread reads or
        // writes `member`. Only the lifetime changes, and the caller closes the job before it ends.
        unsafe {
            *self.job.0.member.get() =
                std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const Member>(member);
        }
        let number = self.gate(Ordering::Relaxed).number().wrapping_add(1).wrapping_mul(NEXT_JOB);
        let deal = (deal.runs << DEAL | deal.rank) << JOINED;
        let gate = number | OPEN | ((deal | size) << JOINED) as u64;
        self.job.0.gate.store(gate, Ordering::SeqCst);
        Gate(gate)
    }

    /// Prevents further joins, waits for joined workers, and propagates the panic of a member or of `idle`, which is
    /// called from time to time meanwhile until it panics. `process` is the [`generation`](fork::generation) in which the job was opened.
    pub(super) fn close(&self, process: u32, idle: &(dyn Fn() + Sync)) {
        self.job.0.gate.fetch_and(!OPEN, Ordering::SeqCst);
        let (mut spins, mut idle) = (0u32, Some(idle));
        while self.gate(Ordering::Acquire).joined() != 0 {
            spins += 1;
            if !spins.is_multiple_of(4096) {
                sync::spin_loop();
                continue;
            }
            // The work of joined workers is lost, because they exist only in the parent.
            assert!(
                fork::generation() == process,
                "the process was forked inside a task of a run, and the child continued the run"
            );
            // The caller must not leave before the workers do.
            let call =
                idle.map(|idle| std::panic::catch_unwind(std::panic::AssertUnwindSafe(idle)));
            if let Some(Err(panic)) = call {
                self.keep(panic);
                idle = None;
            }
            // A worker that lost its core needs this one.
            sync::yield_now();
        }
        let panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            std::panic::resume_unwind(panic);
        }
    }

    /// Registers a worker, unless the job has closed in the meantime.
    pub(super) fn join(&self, mut gate: Gate) -> bool {
        // The number alone would not do: it wraps around.
        let job = gate.0 >> JOINED;
        while gate.is_open() && gate.0 >> JOINED == job {
            match self.job.0.gate.compare_exchange_weak(
                gate.0,
                gate.0 + 1,
                Ordering::SeqCst,
                Ordering::SeqCst,
            ) {
                Ok(_) => return true,
                Err(now) => gate = Gate(now),
            }
        }
        false
    }

    /// Unregisters a worker.
    pub(super) fn leave(&self) {
        self.job.0.gate.fetch_sub(1, Ordering::Release);
    }

    /// Performs the work of one member.
    ///
    /// # Safety
    /// The caller has opened the job, or has joined it and not left.
    pub(super) unsafe fn call(&self, member: usize) {
        // SAFETY: the caller has opened or joined the job, so the pointer does not change meanwhile.
        let call = unsafe { *self.job.0.member.get() };
        // SAFETY: the closure is alive, as the job's caller waits for every joined thread.
        let call = std::panic::AssertUnwindSafe(|| unsafe { (*call)(member) });
        if let Err(panic) = std::panic::catch_unwind(call) {
            self.keep(panic);
        }
    }

    /// Keeps the first panic of a job.
    fn keep(&self, panic: Box<dyn Any + Send>) {
        let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        match *first {
            None => *first = Some(panic),
            // Dropping it might panic again, while workers are in the job.
            Some(_) => std::mem::forget(panic),
        }
    }
}
