//! Admission of runs to the cores: at most one run per core at a time; the others wait in the order of their arrival.
//!
//! A run has one thread, its caller's. Workers are distributed among the active runs, so that callers and workers
//! together never exceed the cores, or the requested number of threads if that is greater.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::{CoreHandover, Padded, StopQuestion};
use crate::sync::{AtomicU64, AtomicUsize, Condvar, MODELS, Mutex, Ordering};

/// Maximum number of concurrent runs: each has a bit; few in models.
pub(super) const MOST_RUNS: usize = if MODELS { 4 } else { u64::BITS as usize };

/// The runs that are active and those that wait.
pub(super) struct Admission {
    /// One bit for each place taken by a run.
    active: Padded<AtomicU64>,
    /// The active runs that use a single thread.
    alone: AtomicU64,
    /// Maximum number of runs at a time.
    cores: usize,
    /// Maximum number of threads that may compute at a time.
    threads: AtomicUsize,
    /// Number of entries in `queue`, for those that only need to know whether anyone waits.
    waiting: AtomicUsize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// The resources that a run asks for.
#[derive(Clone, Default)]
pub struct ThreadRequest {
    /// Most threads that the run uses; 0 for all. One that uses a single thread has no workers that others could have.
    pub threads: usize,
    /// When it gives up, or stops.
    pub until: Option<Instant>,
    /// Whether it has to give up or to stop: asked every millisecond while it waits, and every few milliseconds while it works.
    pub stop: Option<StopQuestion>,
    /// When it hands its core to others; `None` if it never does.
    pub handover: Option<Arc<dyn CoreHandover>>,
}

impl ThreadRequest {
    fn is_given_up(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
            || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// How long it may wait before it looks whether it has to give up; `None` if it need not look.
    fn pause(&self) -> Option<Duration> {
        const LOOK: Duration = Duration::from_millis(1);
        let rest = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        [rest, self.stop.as_ref().map(|_| LOOK)].into_iter().flatten().min()
    }
}

/// The runs that wait, by their numbers: the one that goes first has the least.
#[derive(Default)]
struct Queue {
    tickets: BTreeSet<u64>,
    next: u64,
}

/// The workers of one active run: every `runs`-th, starting with the `rank`-th.
#[derive(Clone, Copy)]
pub(super) struct Deal {
    pub(super) runs: usize,
    pub(super) rank: usize,
    /// Number of workers of this run.
    pub(super) workers: usize,
}

impl Deal {
    /// The worker, counted from 1, that is this member of a team; member 0 is the caller.
    pub(super) fn worker(self, member: usize) -> usize {
        (member - 1) * self.runs + self.rank + 1
    }

    /// The team member that a worker is, if any.
    pub(super) fn member(self, worker: usize) -> Option<usize> {
        let member = 1 + (worker - 1) / self.runs;
        ((worker - 1) % self.runs == self.rank).then_some(member)
    }
}

impl Admission {
    pub(super) fn new(cores: usize) -> Admission {
        Admission {
            active: Padded(AtomicU64::new(0)),
            alone: AtomicU64::new(0),
            cores,
            threads: AtomicUsize::new(cores),
            waiting: AtomicUsize::new(0),
            queue: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Lets at least this many threads compute at a time, in no more runs than before.
    pub(super) fn allow(&self, threads: usize) {
        self.threads.fetch_max(threads, Ordering::Relaxed);
    }

    /// A place for a run, if one is free and no other run waits for it; [`enter`](Self::enter) waits for one.
    pub(super) fn try_enter(&self, alone: bool) -> Option<usize> {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            return None;
        }
        self.take(alone)
    }

    /// A place for a run; `None` if it has to be given up before one is free.
    pub(super) fn enter(&self, request: &ThreadRequest) -> Option<usize> {
        let alone = request.threads == 1;
        if let Some(place) = self.try_enter(alone) {
            return Some(place);
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = queue.next;
        queue.next += 1;
        queue.tickets.insert(ticket);
        // Before it looks for a place: a run that leaves either sees this or leaves the place before the look.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let place = loop {
            if queue.tickets.first() == Some(&ticket)
                && let Some(place) = self.take(alone)
            {
                break Some(place);
            }
            if request.is_given_up() {
                break None;
            }
            queue = match request.pause() {
                None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(pause) => {
                    let waited = self.changed.wait_timeout(queue, pause);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        let was_first = queue.tickets.first() == Some(&ticket);
        queue.tickets.remove(&ticket);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        if was_first {
            // The next one may find a place too.
            self.changed.notify_all();
        }
        place
    }

    fn take(&self, alone: bool) -> Option<usize> {
        let mut active = self.active.0.load(Ordering::SeqCst);
        loop {
            let place = active.trailing_ones() as usize;
            let full = active.count_ones() as usize >= self.cores;
            if full || place >= MOST_RUNS {
                return None;
            }
            let taken = active | 1 << place;
            match self.active.0.compare_exchange_weak(
                active,
                taken,
                Ordering::SeqCst,
                Ordering::SeqCst,
            ) {
                Ok(_) => {
                    // Until this is visible, workers may be distributed as for the previous run, which affects speed
                    // only.
                    let bit = 1 << place;
                    if (self.alone.load(Ordering::Relaxed) & bit != 0) != alone {
                        self.alone.fetch_xor(bit, Ordering::Relaxed);
                    }
                    return Some(place);
                }
                Err(now) => active = now,
            }
        }
    }

    /// Ends a run.
    pub(super) fn leave(&self, place: usize) {
        self.active.0.fetch_and(!(1 << place), Ordering::SeqCst);
        self.notify();
    }

    /// Has those that wait look again.
    fn notify(&self) {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            // Under the lock, so that no one is between looking and waiting.
            drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }

    /// The active runs, one bit each.
    pub(super) fn active(&self) -> u64 {
        self.active.0.load(Ordering::Relaxed)
    }

    /// The number of workers that may compute alongside the callers.
    pub(super) fn workers(&self) -> usize {
        self.workers_beside(self.active())
    }

    /// The number of workers that may compute alongside the callers of these runs.
    fn workers_beside(&self, active: u64) -> usize {
        let callers = active.count_ones().max(1) as usize;
        self.threads.load(Ordering::Relaxed).saturating_sub(callers)
    }

    /// The workers of the run in a place.
    pub(super) fn deal(&self, place: usize) -> Deal {
        let active = self.active();
        let alone = self.alone.load(Ordering::Relaxed);
        if alone >> place & 1 == 1 {
            return Deal { runs: 1, rank: 0, workers: 0 };
        }
        let others = active & !alone & !(1 << place);
        let runs = 1 + others.count_ones() as usize;
        let rank = (others & ((1 << place) - 1)).count_ones() as usize;
        let workers = self.workers_beside(active).saturating_sub(rank).div_ceil(runs);
        Deal { runs, rank, workers }
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn runs_that_can_be_stopped_keep_their_order() {
        let admission = Admission::new(1);
        let active = admission.enter(&ThreadRequest::default()).unwrap();
        let order = Mutex::new(vec![]);
        let stopped = Arc::new(AtomicBool::new(false));
        std::thread::scope(|s| {
            for i in 0..5 {
                let (admission, order, stopped) = (&admission, &order, Arc::clone(&stopped));
                s.spawn(move || {
                    let stop = move || i == 2 && stopped.load(Ordering::SeqCst);
                    let stop: Option<StopQuestion> = Some(Arc::new(stop));
                    let request = ThreadRequest { stop, ..ThreadRequest::default() };
                    if let Some(place) = admission.enter(&request) {
                        order.lock().unwrap().push(i);
                        admission.leave(place);
                    }
                });
                while admission.waiting.load(Ordering::SeqCst) <= i {
                    std::thread::yield_now();
                }
            }
            stopped.store(true, Ordering::SeqCst);
            while admission.waiting.load(Ordering::SeqCst) > 4 {
                std::thread::yield_now();
            }
            // Long enough for each to ask several times whether it has to give up.
            std::thread::sleep(Duration::from_millis(10));
            assert!(order.lock().unwrap().is_empty());
            admission.leave(active);
        });
        assert_eq!(*order.lock().unwrap(), [0, 1, 3, 4]);
    }
}
