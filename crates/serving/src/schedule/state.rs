//! The state of a scheduler: queues, timers and free cores. It decides, and neither runs nor waits.

use super::batching::{Close, Item};
use super::cores::{Cores, Run};
use super::limits::{Limiter, Openings};
use super::model::{Model, Schedule, Turn};
use super::pending::{Answer, Pending};
use super::priority::Priority;
use super::queue::{Expired, Waiting};
use super::resting::Resting;
use super::sequences::{Sequences, Step};
use super::shares::CoreUse;
use crate::failure::RequestError;
use crate::invalid::ConfigError;
use crate::sequence::{SequenceFault, States};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The two reasons for a timer, of one request each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The timeout of the queue.
    Queue,
    /// The client stops to wait.
    Deadline,
}

/// A batch that runs.
pub(super) struct Job<R, T> {
    pub(super) runner: R,
    pub(super) pending: Vec<Arc<Pending>>,
    pub(super) items: Vec<T>,
    pub(super) turn: Turn,
    pub(super) run: Arc<Run>,
    /// The group of its instance, if the model needs limited resources.
    pub(super) group: Option<usize>,
    pub(super) since: Vec<Instant>,
    /// Whether it rests, and so counts as suspended.
    pub(super) rests: bool,
}

/// A request that ends before it runs, or before its run does. Its item is dropped where no lock is held.
pub(super) struct Ended<T> {
    pub(super) pending: Arc<Pending>,
    pub(super) error: RequestError,
    _item: Option<T>,
}

pub(super) struct State<R, T> {
    pub(super) models: BTreeMap<u64, Model<R, T>>,
    pub(super) timers: BTreeMap<(Instant, u64, Timer), Arc<Pending>>,
    pub(super) cores: Cores,
    /// Batches that have run, and are not over.
    pub(super) resting: Resting<R, T>,
    /// Without it, nothing is limited.
    pub(super) limiter: Option<Limiter>,
    /// The time from which runs count when they are due.
    pub(super) start: Instant,
    next: u64,
    /// The virtual time of a model at the last start of a run.
    pub(super) last: f64,
    is_closed: bool,
    /// Models whose requests are all answered, to be dropped where no lock is held.
    retired: Vec<Model<R, T>>,
}

/// A request that joins a queue.
pub(super) struct Joining<T> {
    pub(super) priority: Option<Priority>,
    /// Its own timeout in the queue.
    pub(super) timeout: Option<Duration>,
    /// When it joined the queue of its model before that was loaded. There it was one of the requests that may wait.
    pub(super) since: Option<Instant>,
    /// Its place in a sequence, if the model has sequences.
    pub(super) step: Option<Step>,
    /// Whether the thread that submits it may run it, if that is known to be brief.
    pub(super) may_run_here: bool,
    pub(super) item: T,
}

impl<R, T: Item> Job<R, T> {
    /// Answers the requests, except those at the positions that lack memory. The sequences of those that succeed go on.
    pub(super) fn answer(&mut self, answers: Vec<Answer>, lacking: &[usize]) {
        let requests = self.pending.iter().zip(&mut self.items).zip(answers).enumerate();
        for (_, ((pending, item), answer)) in requests.filter(|(at, _)| !lacking.contains(at)) {
            match answer.is_ok() {
                true => pending.answer_after(answer, || item.keep()),
                false => pending.answer(answer),
            }
        }
    }
}

impl<T> Ended<T> {
    /// A request that has left its queue.
    fn of(waiting: Waiting<T>, error: RequestError) -> Ended<T> {
        Ended { pending: waiting.pending, error, _item: Some(waiting.item) }
    }
}

impl<R: Clone, T: Item> State<R, T> {
    pub(super) fn new(cores: usize, start: Instant) -> State<R, T> {
        let (models, timers, retired) = Default::default();
        let (cores, resting, limiter) = (Cores::new(cores), Resting::new(), None);
        let (next, last, is_closed) = (0, 0.0, false);
        State { models, timers, cores, resting, limiter, start, next, last, is_closed, retired }
    }

    /// A number that no other model or request has.
    pub(super) fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// An error if its instances need resources that there will never be.
    pub(super) fn add(&mut self, runner: R, schedule: Schedule) -> Result<u64, ConfigError> {
        let id = self.id();
        if let Some(limiter) = &mut self.limiter {
            limiter.add(id, schedule.groups.clone())?;
        }
        self.models.insert(id, Model::new(runner, schedule));
        Ok(id)
    }

    /// Removes a model once its requests are answered. No more come.
    pub(super) fn retire(&mut self, model: u64) {
        if let Some(own) = self.models.get_mut(&model) {
            own.is_retired = true;
            own.change(Sequences::retire);
        }
        self.remove_if_over(model);
    }

    /// Adds a request to its model's queue. An error if it has to be answered at once.
    pub(super) fn submit(
        &mut self,
        pending: &Arc<Pending>,
        joining: Joining<T>,
        now: Instant,
    ) -> Result<(), RequestError> {
        if self.is_closed {
            return Err(RequestError::Closing);
        }
        let deadline = pending.deadline;
        if deadline.is_some_and(|end| end <= now) {
            return Err(RequestError::Timeout);
        }
        self.catch_up(pending.model, now);
        let model = self.models.get_mut(&pending.model).ok_or(RequestError::Closing)?;
        let Joining { priority, timeout, since: earlier, step, item, .. } = joining;
        let since = earlier.unwrap_or(now);
        let mut waiting = Waiting { pending: Arc::clone(pending), since, expires: None, item };
        let mut expires = None;
        if let (Some(sequences), Some(step)) = (&mut model.sequences, step) {
            let next = sequences.join(step, timeout, waiting)?;
            next.into_iter().for_each(|waiting| model.queue.enter(waiting));
        } else {
            let levels = model.queue.levels();
            let priority = levels.priority(priority);
            expires = levels.policy(priority).expires(since, timeout);
            waiting.expires = expires;
            match earlier {
                Some(_) => model.queue.admit(priority, waiting),
                None => {
                    let pushed = model.queue.push(priority, waiting);
                    pushed.map_err(|_| RequestError::QueueFull)?;
                }
            }
        }
        for (at, timer) in [(expires, Timer::Queue), (deadline, Timer::Deadline)] {
            if let Some(at) = at {
                self.timers.insert((at, pending.id, timer), Arc::clone(pending));
            }
        }
        self.contest(now);
        Ok(())
    }

    /// Takes a request out of its queue, if it is there, and removes its timers. The requests that are returned end: the request
    /// itself, with the later ones of its sequence.
    pub(super) fn leave(
        &mut self,
        pending: &Arc<Pending>,
        error: RequestError,
        now: Instant,
    ) -> Vec<Ended<T>> {
        let mut waiting = None;
        let mut later = vec![];
        if let Some(model) = self.models.get_mut(&pending.model) {
            waiting = model.take(pending.id);
            let is_queued = waiting.is_some();
            later = model.change(|sequences| sequences.leave(pending.id, is_queued, now));
        }
        self.forget(pending, waiting.as_ref().and_then(|waiting| waiting.expires));
        let own = Ended { pending: Arc::clone(pending), error, _item: waiting.map(|own| own.item) };
        let mut ended = vec![own];
        for waiting in later {
            self.forget(&waiting.pending, None);
            // If the request itself was held, it is among them, and has ended by then.
            ended.push(Ended::of(waiting, RequestError::Cancelled));
        }
        self.remove_if_over(pending.model);
        ended
    }

    /// Removes a model that is retired, once nothing waits or runs.
    pub(super) fn remove_if_over(&mut self, model: u64) {
        if self.models.get(&model).is_some_and(|model| model.is_retired && model.is_idle()) {
            self.retired.extend(self.models.remove(&model));
            if let Some(limiter) = &mut self.limiter {
                limiter.remove(model);
            }
        }
    }

    /// The models and the states of sequences that are no longer needed.
    pub(super) fn retired(&mut self) -> (Vec<Model<R, T>>, Vec<States>) {
        let sequences = self.models.values_mut().filter_map(|model| model.sequences.as_mut());
        let states = sequences.flat_map(Sequences::over).collect();
        (std::mem::take(&mut self.retired), states)
    }

    fn forget(&mut self, pending: &Pending, expires: Option<Instant>) {
        for (at, timer) in [(expires, Timer::Queue), (pending.deadline, Timer::Deadline)] {
            if let Some(at) = at {
                self.timers.remove(&(at, pending.id, timer));
            }
        }
    }

    /// When the first timer is due.
    pub(super) fn first_timer(&self) -> Option<Instant> {
        let sequences = self.models.values().filter_map(|model| model.sequences.as_ref());
        let sequences = sequences.filter_map(Sequences::first_timer);
        let requests = self.timers.first_key_value().map(|((at, ..), _)| *at);
        sequences.chain(requests).chain(self.resting.first()).min()
    }

    /// The requests whose time is over.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<Ended<T>> {
        let mut ended = vec![];
        while let Some(entry) = self.timers.first_entry().filter(|entry| entry.key().0 <= now) {
            let (_, id, timer) = *entry.key();
            let pending = entry.remove();
            match timer {
                Timer::Deadline => {
                    ended.extend(self.leave(&pending, RequestError::Timeout, now));
                }
                Timer::Queue => {
                    let model = self.models.get_mut(&pending.model);
                    let expired = model.map_or(Expired::Gone, |model| model.queue.expire(id));
                    if let Expired::Rejected(waiting) = expired {
                        self.forget(&pending, None);
                        self.remove_if_over(pending.model);
                        ended.push(Ended::of(waiting, RequestError::Timeout));
                    }
                }
            }
        }
        self.expire_sequences(now, &mut ended);
        ended
    }

    /// Ends the sequences whose time is over.
    fn expire_sequences(&mut self, now: Instant, ended: &mut Vec<Ended<T>>) {
        let mut over = vec![];
        let models = self.models.iter_mut();
        for (id, model) in models.filter(|(_, model)| model.sequences.is_some()) {
            over.extend(
                model.change(|sequences| sequences.expire(now)).into_iter().map(|w| (*id, w)),
            );
        }
        for (id, waiting) in over {
            self.forget(&waiting.pending, None);
            ended.push(Ended::of(waiting, SequenceFault::Timeout.into()));
            self.remove_if_over(id);
        }
    }

    /// Has a model that was idle begin where the others are. One that was idle for a moment only, because its clients wait for answers,
    /// keeps what it is behind.
    pub(super) fn catch_up(&mut self, model: u64, now: Instant) {
        let Some(idle) = self.models.get(&model).filter(|model| model.is_idle()) else { return };
        let others = if idle.share.is_back(now) { self.last } else { self.least_time(now) };
        let to = self.last.max(others);
        if let Some(model) = self.models.get_mut(&model) {
            model.share.catch_up(to);
        }
    }

    /// The least virtual time of models that have requests.
    fn least_time(&self, now: Instant) -> f64 {
        let busy = self.models.values().filter(|model| !model.is_idle());
        busy.map(|model| model.share.virtual_time(now)).min_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// When a batch closes if no more requests come; `None` if nothing waits for others, or no core is free.
    pub(super) fn next_close(&self, now: Instant) -> Option<Instant> {
        let closes = |model: &Model<R, T>| match model.close(now) {
            Some(Close::At(at)) => Some(at),
            _ => None,
        };
        let models = self.models.values().filter(|_| self.cores.has_free());
        models.filter_map(closes).min()
    }

    /// The models for whose batches resources are free. Without a limiter, this costs nothing.
    pub(super) fn openings(&self, now: Instant) -> Openings {
        let Some(limiter) = &self.limiter else { return Openings::default() };
        let limited = self.models.iter().filter(|(id, _)| limiter.limits(**id));
        let ready = limited.filter(|(_, model)| model.is_ready(now));
        let since = ready.filter_map(|(id, model)| Some((*id, model.front()?.since)));
        limiter.openings(since.collect())
    }

    /// Whether a batch may start, or a run go on.
    pub(super) fn has_ready(&self, now: Instant) -> bool {
        let has_batch = || {
            let openings = self.openings(now);
            let mut models = self.models.iter().filter(|(id, _)| openings.are_for(**id));
            models.any(|(_, model)| model.is_ready(now))
        };
        self.cores.has_free() && (self.cores.suspended().next().is_some() || has_batch())
    }

    /// Whether an idle thread has a reason to look for a batch.
    pub(super) fn has_work(&self) -> bool {
        self.cores.has_free()
            && (self.cores.suspended().next().is_some()
                || self.models.values().any(Model::may_start))
    }

    /// Ends a batch. The requests at the positions that lack memory run again, alone, unless nobody waits for them. The others are
    /// returned, to be dropped where no lock is held.
    pub(super) fn finish(
        &mut self,
        job: Job<R, T>,
        lacking: &[usize],
        now: Instant,
    ) -> Vec<(Arc<Pending>, T)> {
        let Job { pending, items, since, run, group, rests, .. } = job;
        let (id, had_core) = (run.model, self.cores.end(&run));
        let mut over = vec![];
        if let Some(limiter) = &mut self.limiter {
            limiter.give_back(id, group);
        }
        let Some(model) = self.models.get_mut(&id) else {
            // Models stay while they run, so this does not happen. Timers would keep the scheduler from its end.
            pending.iter().for_each(|pending| self.forget(pending, None));
            return pending.into_iter().zip(items).collect();
        };
        match had_core {
            Some(since) => model.share.end(since, now),
            None if rests => model.share.wake(),
            None => {}
        }
        if model.schedule.is_steady {
            let size = items.iter().map(Item::size).sum();
            model.brief.record(size, now.saturating_duration_since(run.start));
        }
        model.is_alone = false;
        for (at, ((pending, item), since)) in pending.into_iter().zip(items).zip(since).enumerate()
        {
            if lacking.contains(&at) && !pending.is_answered() && !self.is_closed {
                let waiting = Waiting { pending, since, expires: None, item };
                model.lacking.push_back(waiting);
            } else {
                over.push((pending, item));
            }
        }
        for (pending, _) in &over {
            model.change(|sequences| sequences.finish(pending.id, now));
        }
        over.iter().for_each(|(pending, _)| self.forget(pending, None));
        self.remove_if_over(id);
        over
    }

    /// Takes the requests out of a model's queue, in their order.
    pub(super) fn drain(&mut self, model: u64) -> Vec<Waiting<T>> {
        let model = self.models.get_mut(&model);
        let waiting: Vec<_> = model.into_iter().flat_map(|model| model.queue.drain()).collect();
        waiting.iter().for_each(|waiting| self.forget(&waiting.pending, waiting.expires));
        waiting
    }

    /// Ends the requests that wait. No more are accepted.
    pub(super) fn close(&mut self) -> Vec<Ended<T>> {
        self.is_closed = true;
        let mut waiting = vec![];
        for model in self.models.values_mut() {
            let held = model.sequences.as_mut().map(Sequences::drain).unwrap_or_default();
            waiting
                .extend(held.into_iter().chain(model.queue.drain()).chain(model.lacking.drain(..)));
        }
        let ended = waiting.into_iter().map(|Waiting { pending, expires, item, .. }| {
            self.forget(&pending, expires);
            Ended { pending, error: RequestError::Closing, _item: Some(item) }
        });
        ended.collect()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    #[cfg(test)]
    pub(super) fn is_quiet(&self, cores: usize) -> bool {
        self.cores.are_free(cores) && self.first_timer().is_none()
    }

    #[cfg(test)]
    pub(super) fn free_slots(&self, model: u64) -> usize {
        let model = self.models.get(&model);
        model.and_then(|model| model.sequences.as_ref()).map_or(0, Sequences::free)
    }

    #[cfg(all(test, not(feature = "models")))]
    pub(super) fn models(&self) -> usize {
        self.models.len()
    }

    /// A model's share of the cores; `None` if there is no such model.
    pub(super) fn core_use(&self, model: u64, now: Instant) -> Option<CoreUse> {
        Some(self.models.get(&model)?.share.core_use(now))
    }

    /// How many requests wait for a batch.
    pub(super) fn waiting(&self, model: u64) -> usize {
        self.models.get(&model).map_or(0, Model::waiting)
    }
}
