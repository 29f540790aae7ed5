//! The scheduler's state behind its lock, and the loops of its threads.

use super::batching::Item;
use super::brief::BRIEF;
use super::clock::Clock;
use super::contest::Next;
use super::handover::CoreOfRun;
use super::limits::{Limiter, RateLimits};
use super::model::{Schedule, Turn};
use super::pending::{Answer, Pending, Reply};
use super::queue::Waiting;
use super::resting::Rest;
use super::shares::CoreUse;
use super::state::{Ended, Job, Joining, State};
use crate::failure::RequestError;
use crate::invalid::ConfigError;
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;
use trident_engine::{CancelFlag, Handover};

/// Runs the batches of a model.
pub(super) trait Runner: Clone + Send + Sync + 'static {
    /// A request of the model.
    type Item: Item + Send;

    /// Runs a request outside of a batch, where its run is known to be brief ([`Schedule::runs_alone`]). `None` if it has to join the
    /// queue after all, because it lacks memory.
    fn run_alone(&self, _request: &mut Self::Item) -> Option<Answer> {
        None
    }

    /// Runs a batch, which hands its core to others when it is asked to.
    fn run(&self, batch: &mut [Self::Item], turn: Turn, core: &Arc<dyn Handover>) -> Ran;
}

/// Starts a thread that runs batches; whether it did.
pub(super) type AddThread = Box<dyn Fn() -> bool + Send + Sync>;

/// The outcome of a batch.
pub(super) struct Ran {
    /// The answers, in the order of the batch.
    pub(super) answers: Vec<Answer>,
    /// The positions of requests that lacked memory, and that may have enough when they run alone.
    pub(super) lacking: Vec<usize>,
    /// The rest of the batch, if it has one and no request lacked memory.
    pub(super) rest: Option<Rest>,
}

pub(super) struct Shared<R: Runner> {
    state: Mutex<State<R, R::Item>>,
    /// Notified when a batch may start.
    work: Condvar,
    /// Notified when the first timer becomes due earlier.
    timers: Condvar,
    pub(super) clock: Arc<dyn Clock>,
    /// From when the times count at which runs hand their cores over.
    pub(super) start: Instant,
    /// Without it, runs keep their cores.
    add_thread: OnceLock<AddThread>,
}

impl<R: Runner> Shared<R> {
    pub(super) fn new(cores: usize, clock: Arc<dyn Clock>) -> Shared<R> {
        let start = clock.now();
        let state = Mutex::new(State::new(cores, start));
        let (work, timers, add_thread) = Default::default();
        Shared { state, work, timers, clock, start, add_thread }
    }

    /// Lets runs be suspended: others run on threads that `add_thread` starts, beside those that there are.
    pub(super) fn suspend_runs(&self, threads: usize, add_thread: AddThread) {
        let mut state = self.lock();
        (0..threads).for_each(|_| state.add_thread());
        drop(state);
        // It is set once.
        let _ = self.add_thread.set(add_thread);
    }

    /// Starts a thread that runs batches; whether it did.
    pub(super) fn add_thread(&self) -> bool {
        self.add_thread.get().is_some_and(|add_thread| add_thread())
    }

    /// Has all threads look at the state, which is closed.
    pub(super) fn notify_all(&self) {
        self.work.notify_all();
        self.timers.notify_all();
    }

    /// Has a thread look for a batch.
    pub(super) fn notify(&self) {
        self.work.notify_one();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<R, R::Item>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limits the resources that runs need, before any model is added.
    pub(super) fn limit(&self, limits: RateLimits) {
        self.lock().limiter = Some(Limiter::new(limits));
    }

    /// An error if the model's instances need resources that there will never be.
    pub(super) fn add(&self, runner: R, schedule: Schedule) -> Result<u64, ConfigError> {
        self.lock().add(runner, schedule)
    }

    /// Releases the lock, and then drops the models that are no longer needed.
    pub(super) fn unlock(mut state: MutexGuard<'_, State<R, R::Item>>) {
        let retired = state.retired();
        drop(state);
        drop(retired);
    }

    pub(super) fn retire(&self, model: u64) {
        let mut state = self.lock();
        state.retire(model);
        self.unlock_with_work(state);
    }

    /// The same after requests of sequences may have moved into a queue.
    fn unlock_with_work(&self, mut state: MutexGuard<'_, State<R, R::Item>>) {
        state.contest(self.clock.now());
        let has_work = state.has_work();
        Self::unlock(state);
        if has_work {
            self.work.notify_one();
        }
    }

    /// How many runs are suspended.
    pub(super) fn suspended(&self) -> usize {
        self.lock().suspended()
    }

    pub(super) fn waiting(&self, model: u64) -> usize {
        self.lock().waiting(model)
    }

    pub(super) fn core_use(&self, model: u64) -> Option<CoreUse> {
        let now = self.clock.now();
        self.lock().core_use(model, now)
    }

    pub(super) fn submit(
        self: &Arc<Self>,
        model: u64,
        deadline: Option<Instant>,
        cancel: CancelFlag,
        reply: Reply,
        joining: Joining<R::Item>,
    ) -> Arc<Pending> {
        let mut state = self.lock();
        let pending = Arc::new(Pending::new(state.id(), model, deadline, cancel, reply));
        let first = state.first_timer();
        let now = self.clock.now();
        let (refused, job) = match state.start_at_once(&pending, joining, now) {
            Ok(job) => (None, Some(job)),
            Err(joining) => {
                let may_run_here = joining.may_run_here;
                let refused = state.submit(&pending, joining, now).err();
                (refused, may_run_here.then(|| state.start_brief(model, now)).flatten())
            }
        };
        let sooner = is_sooner(state.first_timer(), first);
        // Without a free core, a run hands its own over, or the first one that ends looks for more.
        let has_work = state.has_work();
        drop(state);
        match refused {
            Some(error) => pending.answer(Err(error)),
            None if has_work => self.work.notify_one(),
            None => {}
        }
        if sooner {
            self.timers.notify_one();
        }
        job.into_iter().for_each(|job| self.run(job));
        pending
    }

    /// Takes the requests out of a model's queue, in their order.
    pub(super) fn drain(&self, model: u64) -> Vec<Waiting<R::Item>> {
        self.lock().drain(model)
    }

    /// Answers a request whose client has left.
    pub(super) fn cancel(&self, pending: &Arc<Pending>) {
        let mut state = self.lock();
        let ended = state.leave(pending, RequestError::Cancelled, self.clock.now());
        self.unlock_with_work(state);
        self.end(ended);
        self.wake();
        // A sequence may have become idle.
        self.timers.notify_one();
    }

    /// Answers the requests whose time is over.
    pub(super) fn expire(&self) {
        let mut state = self.lock();
        let ended = state.expire(self.clock.now());
        self.unlock_with_work(state);
        self.end(ended);
        self.wake();
    }

    /// Ends the batches whose rest is over.
    fn wake(&self) {
        let rested = self.lock().rested(self.clock.now());
        for mut rested in rested {
            rested.answer();
            let mut state = self.lock();
            let over = state.finish(rested.job, &[], self.clock.now());
            self.unlock_with_work(state);
            drop(over);
        }
    }

    fn end(&self, ended: Vec<Ended<R::Item>>) {
        ended.into_iter().for_each(|Ended { pending, error, .. }| pending.end(error));
    }

    /// Runs the next batch on this thread, or has a suspended run go on, if a core is free for it; whether it did.
    pub(super) fn run_next(self: &Arc<Self>) -> bool {
        let mut state = self.lock();
        let next = state.start(self.clock.now());
        let has_more = next.is_some() && state.has_work();
        drop(state);
        if has_more {
            self.work.notify_one();
        }
        match next {
            None => return false,
            Some(Next::GoesOn(run)) => run.notify(),
            Some(Next::Batch(job)) => self.run(job),
        }
        true
    }

    /// Runs a batch, and after a brief one those brief ones that have become possible.
    pub(super) fn run(self: &Arc<Self>, job: Job<R, R::Item>) {
        let (mut next, start) = (Some(job), self.clock.now());
        while let Some(job) = next {
            next = self.run_one(job, start);
        }
    }

    /// Runs a batch. Returns the next one if both are brief, and this thread has begun to run at a time that is not long ago.
    fn run_one(
        self: &Arc<Self>,
        mut job: Job<R, R::Item>,
        begun: Instant,
    ) -> Option<Job<R, R::Item>> {
        let runner = job.runner.clone();
        let core = CoreOfRun::of(self, &job.run);
        let run = || runner.run(&mut job.items, job.turn, &core);
        // A panic is a bug of an op. It must not take a core away from the other models.
        let ran = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            let answers = job.pending.iter().map(|_| Err(RequestError::Abandoned)).collect();
            Ran { answers, lacking: vec![], rest: None }
        });
        let Ran { mut answers, lacking, rest } = ran;
        // A rest without an end is none.
        let rest = rest.filter(|rest| self.clock.now().checked_add(rest.time).is_some());
        if !rest.is_some_and(|rest| rest.holds_answers) {
            job.answer(std::mem::take(&mut answers), &lacking);
        }
        let (model, is_brief) = (job.run.model, job.run.is_brief);
        let mut state = self.lock();
        let (first, now) = (state.first_timer(), self.clock.now());
        // Its clients may have left during the run.
        let is_left = !answers.is_empty() && job.pending.iter().all(|own| own.is_answered());
        let rest = rest.filter(|_| !is_left && !state.is_closed());
        let until = rest.and_then(|rest| now.checked_add(rest.time));
        let over = match until {
            Some(until) => {
                state.rest(job, std::mem::take(&mut answers), until, now);
                vec![]
            }
            None => state.finish(job, &lacking, now),
        };
        let may_go_on = is_brief && now.saturating_duration_since(begun) <= BRIEF;
        let next = may_go_on.then(|| state.start_brief(model, now)).flatten();
        let (has_work, is_closed) = (state.has_work(), state.is_closed());
        // A sequence without requests has a timer.
        let sooner = is_sooner(state.first_timer(), first);
        Self::unlock(state);
        over.iter().zip(answers).for_each(|((pending, _), answer)| pending.answer(answer));
        // Those that lack memory while the scheduler closes do not run again.
        over.into_iter().for_each(|(pending, _)| pending.answer(Err(RequestError::Closing)));
        if is_closed {
            // Threads end once no run is suspended.
            self.notify_all();
        } else {
            if has_work {
                self.work.notify_one();
            }
            if sooner {
                self.timers.notify_one();
            }
        }
        next
    }

    /// Runs batches until the scheduler is closed.
    pub(super) fn work(self: &Arc<Self>) {
        loop {
            if self.run_next() {
                continue;
            }
            let state = self.lock();
            // Suspended runs go on once cores are free; the thread of a brief run does not see to that.
            if state.is_closed() && state.suspended() == 0 {
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
        self.wake();
        self.notify_all();
    }

    /// Whether all cores are free, and no timer is left.
    #[cfg(test)]
    pub(super) fn is_quiet(&self, cores: usize) -> bool {
        self.lock().is_quiet(cores)
    }

    /// How many slots of a model have no sequence.
    #[cfg(test)]
    pub(super) fn free_slots(&self, model: u64) -> usize {
        self.lock().free_slots(model)
    }

    /// How many models there are.
    #[cfg(all(test, not(feature = "models")))]
    pub(super) fn models(&self) -> usize {
        self.lock().models()
    }

    /// Has the threads look at the clock again.
    #[cfg(all(test, feature = "models"))]
    pub(super) fn look(&self) {
        drop(self.lock());
        self.timers.notify_all();
        self.work.notify_all();
    }
}

/// Whether the first timer is due earlier than the one before. If it is due later, the thread that keeps time finds that out itself.
fn is_sooner(first: Option<Instant>, before: Option<Instant>) -> bool {
    first.is_some_and(|first| before.is_none_or(|before| first < before))
}
