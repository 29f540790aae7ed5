//! The workers of an open job, while runs begin and end beside it.

use super::executor::Executor;
use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// The workers of one job. Cores that other runs take are left, and cores that become idle join.
pub(super) struct Crew<'a> {
    executor: &'a Executor,
    /// The place of the job's run.
    place: usize,
    /// The workers that the job asks for.
    most: usize,
    /// The workers that it was opened for.
    workers: usize,
    /// How many of them have left it.
    left: AtomicUsize,
    /// The active runs when the run's thread looked last.
    seen: AtomicU64,
}

impl<'a> Crew<'a> {
    /// The workers of the job that this thread's run opens next, at most `most`; `None` outside a run.
    pub(super) fn of(executor: &'a Executor, most: usize) -> Option<Crew<'a>> {
        let place = executor.place()?;
        let seen = AtomicU64::new(executor.admission.active());
        let workers = executor.admission.deal(place).workers.min(most);
        Some(Crew { executor, place, most, workers, left: AtomicUsize::new(0), seen })
    }

    /// Whether this member of the team, a worker, has to leave, as other runs need its core.
    pub(super) fn leaves(&self, member: usize) -> bool {
        let worker = self.executor.slots[self.place].gate(Ordering::Relaxed).deal().worker(member);
        let deal = self.executor.admission.deal(self.place);
        let leaves = deal.member(worker).is_none_or(|member| member > deal.workers);
        // Asked before each task: a write would take the cache line from the run's thread.
        if leaves {
            self.left.fetch_add(1, Ordering::Relaxed);
        }
        leaves
    }

    /// Whether the job would have more workers if it was opened again. The run's thread asks.
    pub(super) fn can_grow(&self) -> bool {
        let active = self.executor.admission.active();
        if active == self.seen.load(Ordering::Relaxed) {
            return false;
        }
        self.seen.store(active, Ordering::Relaxed);
        let workers = self.executor.admission.deal(self.place).workers.min(self.most);
        workers > self.workers.saturating_sub(self.left.load(Ordering::Relaxed))
    }
}
