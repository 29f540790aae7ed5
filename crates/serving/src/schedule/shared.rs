//! The scheduler's state behind its lock, and the loops of its threads.

use super::batching::Item;
use super::clock::Clock;
use super::model::{Schedule, Turn};
use super::pending::{Answer, Pending, Reply};
use super::state::{Ended, Job, Joining, State};
use crate::failure::RequestError;
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use trident_engine::CancelFlag;

/// Runs the batches of a model.
pub(super) trait Runner: Clone {
    /// A request of the model.
    type Item: Item;

    /// Runs a batch.
    fn run(&self, batch: &mut [Self::Item], turn: Turn) -> Ran;
}

/// The outcome of a batch.
pub(super) struct Ran {
    /// The answers, in the order of the batch.
    pub(super) answers: Vec<Answer>,
    /// The positions of requests that lacked memory, and that may have enough when they run alone.
    pub(super) lacking: Vec<usize>,
}

pub(super) struct Shared<R: Runner> {
    state: Mutex<State<R, R::Item>>,
    /// Notified when a batch may start.
    work: Condvar,
    /// Notified when the first timer changes.
    timers: Condvar,
    clock: Arc<dyn Clock>,
}

impl<R: Runner> Shared<R> {
    pub(super) fn new(cores: usize, clock: Arc<dyn Clock>) -> Shared<R> {
        let state = Mutex::new(State::new(cores));
        Shared { state, work: Condvar::new(), timers: Condvar::new(), clock }
    }

    fn lock(&self) -> MutexGuard<'_, State<R, R::Item>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, runner: R, schedule: Schedule) -> u64 {
        self.lock().add(runner, schedule)
    }

    /// Releases the lock, and then drops the models that are no longer needed.
    fn unlock(mut state: MutexGuard<'_, State<R, R::Item>>) {
        let retired = state.retired();
        drop(state);
        drop(retired);
    }

    pub(super) fn retire(&self, model: u64) {
        let mut state = self.lock();
        state.retire(model);
        Self::unlock(state);
    }

    pub(super) fn waiting(&self, model: u64) -> usize {
        self.lock().waiting(model)
    }

    pub(super) fn submit(
        &self,
        model: u64,
        deadline: Option<Instant>,
        cancel: CancelFlag,
        reply: Reply,
        joining: Joining<R::Item>,
    ) -> Arc<Pending> {
        let mut state = self.lock();
        let pending = Arc::new(Pending::new(state.id(), model, deadline, cancel, reply));
        let first = state.first_timer();
        let refused = state.submit(&pending, joining, self.clock.now()).err();
        let sooner = state.first_timer() != first;
        drop(state);
        match refused {
            Some(error) => pending.answer(Err(error)),
            None => self.work.notify_one(),
        }
        if sooner {
            self.timers.notify_one();
        }
        pending
    }

    /// Answers a request whose client has left.
    pub(super) fn cancel(&self, pending: &Pending) {
        let mut state = self.lock();
        let waiting = state.take(pending);
        Self::unlock(state);
        drop(waiting);
        pending.end(RequestError::Cancelled);
    }

    /// Answers the requests whose time is over.
    pub(super) fn expire(&self) {
        let mut state = self.lock();
        let ended = state.expire(self.clock.now());
        Self::unlock(state);
        self.end(ended);
    }

    fn end(&self, ended: Vec<Ended<R::Item>>) {
        ended.into_iter().for_each(|Ended { pending, error, .. }| pending.end(error));
    }

    /// Runs the next batch on this thread, if a core is free for it; whether it did.
    pub(super) fn run_next(&self) -> bool {
        let mut state = self.lock();
        let job = state.start(self.clock.now());
        let has_more = job.is_some() && state.has_work();
        drop(state);
        if has_more {
            self.work.notify_one();
        }
        let Some(job) = job else { return false };
        self.run(job);
        true
    }

    fn run(&self, mut job: Job<R, R::Item>) {
        let runner = job.runner.clone();
        let run = || runner.run(&mut job.items, job.turn);
        // A panic is a bug of an op. It must not take a core away from the other models.
        let ran = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            let answers = job.pending.iter().map(|_| Err(RequestError::Abandoned)).collect();
            Ran { answers, lacking: vec![] }
        });
        for (at, (pending, answer)) in job.pending.iter().zip(ran.answers).enumerate() {
            if !ran.lacking.contains(&at) {
                pending.answer(answer);
            }
        }
        let mut state = self.lock();
        let over = state.finish(job, &ran.lacking, self.clock.now());
        let (has_work, is_closed) = (state.has_work(), state.is_closed());
        Self::unlock(state);
        // Those that lack memory while the scheduler closes do not run again.
        over.into_iter().for_each(|(pending, _)| pending.answer(Err(RequestError::Closing)));
        if has_work {
            self.work.notify_one();
        }
        if is_closed {
            self.timers.notify_all();
        }
    }

    /// Runs batches until the scheduler is closed.
    pub(super) fn work(&self) {
        loop {
            if self.run_next() {
                continue;
            }
            let state = self.lock();
            if state.is_closed() {
                return;
            }
            let now = self.clock.now();
            // A request may have come since.
            if state.has_ready(now) {
                continue;
            }
            match state.next_close(now) {
                None => drop(self.work.wait(state).unwrap_or_else(PoisonError::into_inner)),
                Some(at) => {
                    let pause = at.saturating_duration_since(now);
                    let waited = self.work.wait_timeout(state, pause);
                    drop(waited.unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    /// Answers requests at the time when it is over, until the scheduler is closed and nothing runs.
    pub(super) fn keep_time(&self) {
        loop {
            self.expire();
            let state = self.lock();
            if state.is_closed() && state.first_timer().is_none() {
                return;
            }
            let now = self.clock.now();
            match state.first_timer() {
                None => drop(self.timers.wait(state).unwrap_or_else(PoisonError::into_inner)),
                Some(at) if at <= now => {}
                Some(at) => {
                    let pause = at.saturating_duration_since(now);
                    let waited = self.timers.wait_timeout(state, pause);
                    drop(waited.unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    /// Answers the requests that wait, and accepts no more.
    pub(super) fn close(&self) {
        let ended = self.lock().close();
        self.end(ended);
        self.work.notify_all();
        self.timers.notify_all();
    }

    /// Whether all cores are free, and no timer is left.
    #[cfg(test)]
    pub(super) fn is_quiet(&self, cores: usize) -> bool {
        self.lock().is_quiet(cores)
    }

    /// Has the threads look at the clock again.
    #[cfg(all(test, feature = "models"))]
    pub(super) fn look(&self) {
        drop(self.lock());
        self.timers.notify_all();
        self.work.notify_all();
    }
}
