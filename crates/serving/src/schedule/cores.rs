//! The cores, the runs that have them, and the runs that are suspended.

use crate::sync::{Condvar, MutexGuard};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The most suspended runs at a time. Each has a thread, and keeps its memory. Beyond it, runs keep their cores.
const MOST_SUSPENDED: usize = 64;

/// Never due.
const NEVER: u64 = u64::MAX;

/// A run, as its thread sees it.
#[derive(Debug)]
pub(super) struct Run {
    id: u64,
    /// The id of its model.
    pub(super) model: u64,
    /// When it started.
    pub(super) start: Instant,
    /// Whether it keeps its core to its end, which is near: its thread has other work.
    pub(super) is_brief: bool,
    /// When it has to hand its core over, in nanoseconds of the scheduler's time.
    due: AtomicU64,
    /// Notified when it may go on.
    goes_on: Condvar,
}

impl Run {
    /// Whether it may have to hand its core over at any time.
    pub(super) fn is_contested(&self) -> bool {
        !self.is_brief && self.due.load(Ordering::Relaxed) != NEVER
    }

    /// Whether it has to hand its core over.
    pub(super) fn is_due(&self, since_start: Duration) -> bool {
        u128::from(self.due.load(Ordering::Relaxed)) <= since_start.as_nanos()
    }

    /// Sets when it has to hand its core over, in the scheduler's time.
    pub(super) fn set_due(&self, at: Option<Duration>) {
        let nanos = at.map_or(NEVER, |at| u64::try_from(at.as_nanos()).unwrap_or(NEVER));
        self.due.store(nanos, Ordering::Relaxed);
    }

    /// Has it keep its core until then.
    pub(super) fn postpone(&self, until: Duration) {
        let nanos = u64::try_from(until.as_nanos()).unwrap_or(NEVER);
        // Only the scheduler sets it, under its lock.
        self.due.store(self.due.load(Ordering::Relaxed).max(nanos), Ordering::Relaxed);
    }

    pub(super) fn notify(&self) {
        self.goes_on.notify_one();
    }

    /// Waits until it is notified, for a while at most.
    pub(super) fn pause<'a, T>(
        &self,
        state: MutexGuard<'a, T>,
        time: Duration,
    ) -> MutexGuard<'a, T> {
        self.goes_on.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The runs by the cores that they have.
pub(super) struct Cores {
    count: usize,
    /// The runs that have a core, with the time since when.
    running: Vec<(Arc<Run>, Instant)>,
    /// By age: numbers grow.
    suspended: BTreeMap<u64, Arc<Run>>,
    /// The threads that run batches.
    threads: usize,
}

impl Cores {
    pub(super) fn new(count: usize) -> Cores {
        let (running, suspended) = Default::default();
        Cores { count: count.max(1), running, suspended, threads: 0 }
    }

    pub(super) fn has_free(&self) -> bool {
        // A suspended run that ends early has one core too many for a moment.
        self.running.len() < self.count
    }

    /// Whether nothing runs, and nothing is suspended.
    #[cfg(test)]
    pub(super) fn are_free(&self, count: usize) -> bool {
        self.count == count && self.running.is_empty() && self.suspended.is_empty()
    }

    pub(super) fn start(&mut self, id: u64, model: u64, is_brief: bool, now: Instant) -> Arc<Run> {
        let (due, goes_on) = (AtomicU64::new(NEVER), Condvar::new());
        let run = Arc::new(Run { id, model, start: now, is_brief, due, goes_on });
        self.running.push((Arc::clone(&run), now));
        run
    }

    /// Ends a run. The time since when it has had its core.
    pub(super) fn end(&mut self, run: &Run) -> Option<Instant> {
        self.take(run).map(|(_, since)| since)
    }

    /// Takes a run's core away.
    fn take(&mut self, run: &Run) -> Option<(Arc<Run>, Instant)> {
        let at = self.running.iter().position(|(other, _)| other.id == run.id)?;
        Some(self.running.swap_remove(at))
    }

    /// Takes the core of a run. The time since when the run has had it.
    pub(super) fn suspend(&mut self, run: &Run) -> Option<Instant> {
        let (run, since) = self.take(run)?;
        run.set_due(None);
        self.suspended.insert(run.id, run);
        Some(since)
    }

    /// Gives a suspended run a core.
    pub(super) fn resume(&mut self, run: &Run, now: Instant) -> bool {
        let run = self.suspended.remove(&run.id);
        let is_suspended = run.is_some();
        self.running.extend(run.map(|run| (run, now)));
        is_suspended
    }

    pub(super) fn is_suspended(&self, run: &Run) -> bool {
        self.suspended.contains_key(&run.id)
    }

    pub(super) fn running(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.running.iter().map(|(run, _)| run)
    }

    pub(super) fn suspended(&self) -> impl ExactSizeIterator<Item = &Arc<Run>> {
        self.suspended.values()
    }

    /// The model whose runs have all the cores that are taken.
    pub(super) fn only_model(&self) -> Option<u64> {
        let mut models = self.running().map(|run| run.model);
        let first = models.next()?;
        models.all(|model| model == first).then_some(first)
    }

    /// Whether one more run may be suspended.
    pub(super) fn may_suspend(&self) -> bool {
        self.suspended.len() < MOST_SUSPENDED
    }

    /// Whether there are too few threads for all cores once one more run is suspended.
    pub(super) fn lack_thread(&self) -> bool {
        self.threads < self.count + self.suspended.len() + 1
    }

    pub(super) fn add_thread(&mut self) {
        self.threads += 1;
    }
}
