//! The queue of one model: requests sorted by priority, with the policy of each level.
//!
//! The rules are those of the Triton Inference Server, but a timer applies them at their time, not the next batch.

use super::pending::Pending;
use super::priority::Priority;
use crate::config::{ModelDynamicBatching, ModelQueuePolicy, TimeoutAction};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A request in a queue.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    pub(super) pending: Arc<Pending>,
    /// When it joined the queue.
    pub(super) since: Instant,
    /// When the policy of its level applies to it.
    pub(super) expires: Option<Instant>,
    pub(super) item: T,
}

/// How the requests of one level wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    action: TimeoutAction,
    timeout: Option<Duration>,
    /// Whether a request may give a shorter time.
    overridable: bool,
    /// How many may wait.
    most: Option<usize>,
}

/// The levels of a model, and their policies.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// How many levels there are; without any, all requests have the same.
    count: u64,
    default: Option<Priority>,
    policy: Policy,
    own: BTreeMap<u64, Policy>,
}

impl Policy {
    fn of(config: &ModelQueuePolicy) -> Policy {
        let micros = config.default_timeout_microseconds;
        let most = config.max_queue_size;
        Policy {
            action: config.timeout_action,
            timeout: (micros > 0).then(|| Duration::from_micros(micros)),
            overridable: config.allow_timeout_override,
            most: (most > 0).then_some(most as usize),
        }
    }

    /// When a request that joins now, with its own timeout, expires. As in the server, its own timeout only shortens that of the
    /// policy.
    pub(super) fn expires(&self, now: Instant, own: Option<Duration>) -> Option<Instant> {
        let timeout = self.timeout?;
        let own = own.filter(|own| self.overridable && !own.is_zero() && *own < timeout);
        now.checked_add(own.unwrap_or(timeout))
    }
}

impl Levels {
    pub(super) fn of(config: &ModelDynamicBatching) -> Levels {
        let policies = config.priority_queue_policy.iter();
        Levels {
            count: config.priority_levels,
            default: Priority::level(config.default_priority_level),
            policy: config.default_queue_policy.as_ref().map(Policy::of).unwrap_or_default(),
            own: policies.map(|(level, policy)| (*level, Policy::of(policy))).collect(),
        }
    }

    /// The priority of a request: the model's default if it gives none, or a level that the model does not have.
    pub(super) fn priority(&self, asked: Option<Priority>) -> Priority {
        if self.count == 0 {
            return Priority::HIGHEST;
        }
        let known = asked.filter(|asked| asked.number() <= self.count);
        known.or(self.default).unwrap_or(Priority::HIGHEST)
    }

    pub(super) fn policy(&self, priority: Priority) -> &Policy {
        let own = self.own.get(&priority.number()).filter(|_| self.count > 0);
        own.unwrap_or(&self.policy)
    }
}

/// A place in a queue. The least one goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    priority: Reverse<Priority>,
    /// Requests that were delayed go after all others of their level.
    delayed: bool,
    number: u64,
}

/// The outcome of a timeout in a queue.
pub(super) enum Expired<T> {
    /// The request has left the queue.
    Rejected(Waiting<T>),
    /// The request has moved to the end of its level.
    Delayed,
    /// The request was no longer in the queue.
    Gone,
}

/// Requests that wait for a batch.
#[derive(Debug)]
pub(super) struct Queue<T> {
    levels: Levels,
    waiting: BTreeMap<Place, Waiting<T>>,
    /// Places by the ids of requests.
    places: HashMap<u64, Place>,
    sizes: HashMap<Priority, usize>,
    next: u64,
}

impl<T> Queue<T> {
    pub(super) fn new(levels: Levels) -> Queue<T> {
        let (waiting, places, sizes) = Default::default();
        Queue { levels, waiting, places, sizes, next: 0 }
    }

    pub(super) fn levels(&self) -> &Levels {
        &self.levels
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a request at the end of a level. Returns it if as many wait as may.
    pub(super) fn push(
        &mut self,
        priority: Priority,
        waiting: Waiting<T>,
    ) -> Result<(), Waiting<T>> {
        let most = self.levels.policy(priority).most;
        let size = self.sizes.get(&priority).copied().unwrap_or(0);
        if most.is_some_and(|most| size >= most) {
            return Err(waiting);
        }
        self.admit(priority, waiting);
        Ok(())
    }

    /// Adds a request at the end of a level, however many wait.
    pub(super) fn admit(&mut self, priority: Priority, waiting: Waiting<T>) {
        *self.sizes.entry(priority).or_default() += 1;
        self.insert(priority, false, waiting);
    }

    /// The same at the end of the default level.
    pub(super) fn enter(&mut self, waiting: Waiting<T>) {
        self.admit(self.levels.priority(None), waiting);
    }

    fn insert(&mut self, priority: Priority, delayed: bool, waiting: Waiting<T>) {
        let place = Place { priority: Reverse(priority), delayed, number: self.next };
        self.next += 1;
        self.places.insert(waiting.pending.id, place);
        self.waiting.insert(place, waiting);
    }

    /// Takes a request out of the queue.
    pub(super) fn remove(&mut self, id: u64) -> Option<Waiting<T>> {
        let place = self.places.remove(&id)?;
        if let Some(size) = self.sizes.get_mut(&place.priority.0) {
            *size -= 1;
        }
        self.waiting.remove(&place)
    }

    /// Applies the policy of its level to a request that has expired.
    pub(super) fn expire(&mut self, id: u64) -> Expired<T> {
        let Some(place) = self.places.get(&id).copied() else { return Expired::Gone };
        match self.levels.policy(place.priority.0).action {
            TimeoutAction::Reject => self.remove(id).map_or(Expired::Gone, Expired::Rejected),
            TimeoutAction::Delay => match self.waiting.remove(&place) {
                Some(waiting) => {
                    self.insert(place.priority.0, true, waiting);
                    Expired::Delayed
                }
                None => Expired::Gone,
            },
        }
    }

    /// The request of an id.
    pub(super) fn get(&self, id: u64) -> Option<&Waiting<T>> {
        self.waiting.get(self.places.get(&id)?)
    }

    /// The requests in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting<T>> {
        self.waiting.values()
    }

    /// Takes all requests.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Waiting<T>> + use<T> {
        self.places.clear();
        self.sizes.clear();
        std::mem::take(&mut self.waiting).into_values()
    }
}
