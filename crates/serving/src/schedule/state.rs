//! The state of a scheduler: queues, timers and free cores. It decides, and neither runs nor waits.

use super::batching::{Close, Item};
use super::model::{Model, Schedule, Turn};
use super::pending::Pending;
use super::priority::Priority;
use super::queue::{Expired, Waiting};
use crate::failure::RequestError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The two reasons for a timer, of one request each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
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
    since: Vec<Instant>,
    model: u64,
    start: Instant,
}

/// A request that ends before it runs, or before its run does. Its item is dropped where no lock is held.
pub(super) struct Ended<T> {
    pub(super) pending: Arc<Pending>,
    pub(super) error: RequestError,
    _item: Option<T>,
}

pub(super) struct State<R, T> {
    models: BTreeMap<u64, Model<R, T>>,
    timers: BTreeMap<(Instant, u64, Timer), Arc<Pending>>,
    /// Cores on which nothing runs.
    free: usize,
    next: u64,
    /// The virtual time at which models start that were idle.
    floor: f64,
    is_closed: bool,
    /// Models whose requests are all answered, to be dropped where no lock is held.
    retired: Vec<Model<R, T>>,
}

/// A request that joins a queue.
pub(super) struct Joining<T> {
    pub(super) priority: Option<Priority>,
    /// Its own timeout in the queue.
    pub(super) timeout: Option<Duration>,
    pub(super) item: T,
}

impl<R: Clone, T: Item> State<R, T> {
    pub(super) fn new(cores: usize) -> State<R, T> {
        let (models, timers, retired) = Default::default();
        let free = cores.max(1);
        State { models, timers, free, next: 0, floor: 0.0, is_closed: false, retired }
    }

    /// A number that no other model or request has.
    pub(super) fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn add(&mut self, runner: R, schedule: Schedule) -> u64 {
        let id = self.id();
        self.models.insert(id, Model::new(runner, schedule));
        id
    }

    /// Removes a model once its requests are answered. No more come.
    pub(super) fn retire(&mut self, model: u64) {
        if let Some(own) = self.models.get_mut(&model) {
            own.is_retired = true;
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
        let floor = self.floor;
        let model = self.models.get_mut(&pending.model).ok_or(RequestError::Closing)?;
        if model.is_idle() {
            model.share.catch_up(floor);
        }
        let Joining { priority, timeout, item } = joining;
        let levels = model.queue.levels();
        let priority = levels.priority(priority);
        let expires = levels.policy(priority).expires(now, timeout);
        let waiting = Waiting { pending: Arc::clone(pending), since: now, expires, item };
        model.queue.push(priority, waiting).map_err(|_| RequestError::QueueFull)?;
        for (at, timer) in [(expires, Timer::Queue), (deadline, Timer::Deadline)] {
            if let Some(at) = at {
                self.timers.insert((at, pending.id, timer), Arc::clone(pending));
            }
        }
        Ok(())
    }

    /// Takes a request out of its queue, if it is there, and removes its timers.
    pub(super) fn take(&mut self, pending: &Pending) -> Option<Waiting<T>> {
        let model = self.models.get_mut(&pending.model);
        let waiting = model.and_then(|model| model.take(pending.id));
        self.forget(pending, waiting.as_ref().and_then(|waiting| waiting.expires));
        self.remove_if_over(pending.model);
        waiting
    }

    /// Removes a model that is retired, once nothing waits or runs.
    fn remove_if_over(&mut self, model: u64) {
        if self.models.get(&model).is_some_and(|model| model.is_retired && model.is_idle()) {
            self.retired.extend(self.models.remove(&model));
        }
    }

    /// The models that are no longer needed.
    pub(super) fn retired(&mut self) -> Vec<Model<R, T>> {
        std::mem::take(&mut self.retired)
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
        self.timers.first_key_value().map(|((at, ..), _)| *at)
    }

    /// The requests whose time is over.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<Ended<T>> {
        let mut ended = vec![];
        while let Some(entry) = self.timers.first_entry().filter(|entry| entry.key().0 <= now) {
            let (_, id, timer) = *entry.key();
            let pending = entry.remove();
            let item = match timer {
                Timer::Deadline => self.take(&pending),
                Timer::Queue => {
                    let model = self.models.get_mut(&pending.model);
                    match model.map_or(Expired::Gone, |model| model.queue.expire(id)) {
                        Expired::Rejected(waiting) => {
                            self.take(&pending);
                            Some(waiting)
                        }
                        Expired::Delayed | Expired::Gone => continue,
                    }
                }
            };
            let (error, item) = (RequestError::Timeout, item.map(|waiting| waiting.item));
            ended.push(Ended { pending, error, _item: item });
        }
        ended
    }

    /// Starts the next batch, if a core is free for it.
    pub(super) fn start(&mut self, now: Instant) -> Option<Job<R, T>> {
        if self.free == 0 {
            return None;
        }
        let ready = self.models.iter().filter_map(|(id, model)| match model.close(now) {
            Some(Close::Now(batch)) => Some((*id, batch, model.share.virtual_time(now))),
            _ => None,
        });
        let (id, batch, time) = ready.min_by(|(_, _, a), (_, _, b)| a.total_cmp(b))?;
        self.floor = self.floor.max(time);
        let model = self.models.get_mut(&id)?;
        let (batch, turn) = model.start(batch, now);
        self.free -= 1;
        let runner = model.runner.clone();
        for waiting in &batch {
            if let Some(at) = waiting.expires {
                self.timers.remove(&(at, waiting.pending.id, Timer::Queue));
            }
        }
        let (mut pending, mut items, mut since) = (vec![], vec![], vec![]);
        for waiting in batch {
            pending.push(waiting.pending);
            items.push(waiting.item);
            since.push(waiting.since);
        }
        Some(Job { runner, pending, items, turn, since, model: id, start: now })
    }

    /// When a batch closes if no more requests come; `None` if nothing waits for others, or no core is free.
    pub(super) fn next_close(&self, now: Instant) -> Option<Instant> {
        let closes = |model: &Model<R, T>| match model.close(now) {
            Some(Close::At(at)) => Some(at),
            _ => None,
        };
        self.models.values().filter(|_| self.free > 0).filter_map(closes).min()
    }

    /// Whether a batch may start.
    pub(super) fn has_ready(&self, now: Instant) -> bool {
        self.free > 0 && self.models.values().any(|model| model.is_ready(now))
    }

    /// Whether an idle thread has a reason to look for a batch.
    pub(super) fn has_work(&self) -> bool {
        let waits = |model: &Model<R, T>| !model.queue.is_empty() || !model.lacking.is_empty();
        self.free > 0 && self.models.values().any(waits)
    }

    /// Ends a batch. The requests at the positions that lack memory run again, alone, unless nobody waits for them. The others are
    /// returned, to be dropped where no lock is held.
    pub(super) fn finish(
        &mut self,
        job: Job<R, T>,
        lacking: &[usize],
        now: Instant,
    ) -> Vec<(Arc<Pending>, T)> {
        let Job { pending, items, since, model: id, start, .. } = job;
        self.free += 1;
        let mut over = vec![];
        let Some(model) = self.models.get_mut(&id) else { return over };
        model.share.end(start, now);
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
        over.iter().for_each(|(pending, _)| self.forget(pending, None));
        self.remove_if_over(id);
        over
    }

    /// Ends the requests that wait. No more are accepted.
    pub(super) fn close(&mut self) -> Vec<Ended<T>> {
        self.is_closed = true;
        let mut waiting = vec![];
        for model in self.models.values_mut() {
            waiting.extend(model.queue.drain().chain(model.lacking.drain(..)));
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
        self.free == cores && self.timers.is_empty()
    }

    /// How many requests wait for a batch.
    pub(super) fn waiting(&self, model: u64) -> usize {
        self.models.get(&model).map_or(0, |model| model.queue.iter().count() + model.lacking.len())
    }
}
