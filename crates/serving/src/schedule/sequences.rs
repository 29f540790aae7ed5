//! The sequences of one model: each has its requests run in order, one at a time.
//!
//! A sequence that starts takes a slot, or waits for one in the backlog. Only the first request of a sequence with a slot is in the
//! model's queue, where batches take it; the others are held here until its run has ended. So batches have at most one request of a
//! sequence, and sequences share batches.
//!
//! - Both strategies differ only in the number of slots and in when a batch closes. A batch has no rows for slots without a request,
//!   as the states of a sequence do not depend on its row.
//! - A slot returns when the last request has run, when the sequence has been idle for too long, or when a client leaves a request
//!   that waits. In the last case the later requests of the sequence are cancelled, too, because they would run without the one
//!   before. The time of a run does not count as idle, unlike in the server.

#[cfg(all(test, feature = "models"))]
mod models;

use super::batching::Item;
use super::queue::Waiting;
use crate::failure::RequestError;
use crate::sequence::{Correlation, SequenceFault, States};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// A request's place in a sequence of its model.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) id: Correlation,
    /// Whether it may start a sequence.
    pub(super) starts: bool,
    /// Whether no more requests follow.
    pub(super) ends: bool,
}

/// How sequences share a model.
#[derive(Clone, Debug)]
pub(super) struct SequenceRules {
    /// The model's name, for errors.
    pub(super) model: String,
    /// How many sequences are served at a time.
    pub(super) slots: usize,
    /// How long a sequence keeps its slot without requests.
    pub(super) idle: Duration,
}

/// The sequences of a model.
#[derive(Debug)]
pub(super) struct Sequences<T> {
    rules: SequenceRules,
    /// How many slots have no sequence.
    free: usize,
    /// Sequences by their numbers.
    live: BTreeMap<u64, Live<T>>,
    /// The sequences that further requests may join.
    open: HashMap<Correlation, u64>,
    /// The sequences without a slot, in the order in which they started. Each holds a request.
    backlog: VecDeque<u64>,
    /// The sequences of requests, by the ids of the requests.
    of: HashMap<u64, u64>,
    /// When sequences end that are idle, or that wait for a slot.
    timers: BTreeSet<(Instant, u64)>,
    next: u64,
    /// Whether no more requests come.
    is_retired: bool,
    /// The states of sequences that have ended, to be dropped where no lock is held.
    over: Vec<States>,
}

/// A sequence that has not ended.
#[derive(Debug)]
struct Live<T> {
    id: Correlation,
    /// Requests that neither are in the model's queue nor run.
    held: VecDeque<Held<T>>,
    states: States,
    /// Whether a request is in the model's queue or runs.
    is_busy: bool,
    has_slot: bool,
    /// Its entry among the timers.
    timer: Option<Instant>,
}

#[derive(Debug)]
struct Held<T> {
    starts: bool,
    waiting: Waiting<T>,
}

/// Requests that leave the sequences of a model.
#[derive(Debug)]
pub(super) struct Moved<T> {
    /// The next requests of their sequences, which go into the model's queue.
    pub(super) next: Vec<Waiting<T>>,
    /// Requests that end without a run.
    pub(super) ended: Vec<Waiting<T>>,
}

impl<T> Default for Moved<T> {
    fn default() -> Self {
        Moved { next: vec![], ended: vec![] }
    }
}

impl<T: Item> Sequences<T> {
    pub(super) fn new(rules: SequenceRules) -> Sequences<T> {
        Sequences {
            free: rules.slots,
            rules,
            live: BTreeMap::new(),
            open: HashMap::new(),
            backlog: VecDeque::new(),
            of: HashMap::new(),
            timers: BTreeSet::new(),
            next: 0,
            is_retired: false,
            over: vec![],
        }
    }

    /// Adds a request to its sequence. Returns it if it is next.
    pub(super) fn join(
        &mut self,
        step: Step,
        timeout: Option<Duration>,
        waiting: Waiting<T>,
    ) -> Result<Option<Waiting<T>>, RequestError> {
        let Step { id, starts, ends } = step;
        let number = match self.open.get(&id) {
            Some(number) => *number,
            None if starts => self.begin(id),
            None => {
                let (model, id) = (self.rules.model.clone(), id.to_string());
                return Err(SequenceFault::NotStarted { model, id }.into());
            }
        };
        let (request, now) = (waiting.pending.id, waiting.since);
        self.of.insert(request, number);
        if ends {
            self.shut(number);
        }
        let Some(live) = self.live.get_mut(&number) else { return Ok(Some(waiting)) };
        live.held.push_back(Held { starts, waiting });
        if live.has_slot {
            self.set_timer(number, None);
            return Ok(self.next_of(number));
        }
        let expires = timeout.filter(|time| !time.is_zero()).and_then(|time| now.checked_add(time));
        let earlier = live.timer;
        let expires = [expires, earlier].into_iter().flatten().min();
        self.set_timer(number, expires);
        Ok(None)
    }

    /// Begins a sequence, with a slot if one is free.
    fn begin(&mut self, id: Correlation) -> u64 {
        let number = self.next;
        self.next += 1;
        let has_slot = self.free > 0;
        match has_slot {
            true => self.free -= 1,
            false => self.backlog.push_back(number),
        }
        self.open.insert(id.clone(), number);
        let (held, states) = Default::default();
        let live = Live { id, held, states, is_busy: false, has_slot, timer: None };
        self.live.insert(number, live);
        number
    }

    /// Lets no more requests join a sequence.
    fn shut(&mut self, number: u64) {
        let Some(live) = self.live.get(&number) else { return };
        if self.open.get(&live.id) == Some(&number) {
            self.open.remove(&live.id);
        }
    }

    fn is_open(&self, number: u64) -> bool {
        self.live.get(&number).is_some_and(|live| self.open.get(&live.id) == Some(&number))
    }

    fn set_timer(&mut self, number: u64, at: Option<Instant>) {
        let Some(live) = self.live.get_mut(&number) else { return };
        if let Some(earlier) = std::mem::replace(&mut live.timer, at) {
            self.timers.remove(&(earlier, number));
        }
        self.timers.extend(at.map(|at| (at, number)));
    }

    /// The next request of a sequence, if it has a slot and none of its requests is in the queue or runs.
    fn next_of(&mut self, number: u64) -> Option<Waiting<T>> {
        let live = self.live.get_mut(&number).filter(|live| live.has_slot && !live.is_busy)?;
        let Held { starts, mut waiting } = live.held.pop_front()?;
        live.is_busy = true;
        if starts {
            self.over.push(std::mem::take(&mut live.states));
        }
        waiting.item.receive(&live.states);
        Some(waiting)
    }

    /// Notes that a request has run to its end.
    pub(super) fn finish(&mut self, request: u64, now: Instant) -> Moved<T> {
        let Some(number) = self.of.remove(&request) else { return Moved::default() };
        if let Some(live) = self.live.get_mut(&number) {
            live.is_busy = false;
        }
        Moved { next: self.go_on(number, now), ended: vec![] }
    }

    /// Goes on with a sequence, or with the backlog if it has ended.
    fn go_on(&mut self, number: u64, now: Instant) -> Vec<Waiting<T>> {
        let Some(live) = self.live.get(&number) else { return vec![] };
        if live.is_busy {
            return vec![];
        }
        if !live.held.is_empty() {
            return self.next_of(number).into_iter().collect();
        }
        if live.has_slot && self.is_open(number) && !self.is_retired {
            self.set_timer(number, now.checked_add(self.rules.idle));
            return vec![];
        }
        self.end(number);
        self.fill()
    }

    /// Ends a sequence that holds no requests.
    fn end(&mut self, number: u64) {
        self.set_timer(number, None);
        self.shut(number);
        let Some(live) = self.live.remove(&number) else { return };
        match live.has_slot {
            true => self.free += 1,
            false => self.backlog.retain(|other| *other != number),
        }
        self.over.push(live.states);
    }

    /// Gives free slots to sequences of the backlog. Returns their first requests.
    fn fill(&mut self) -> Vec<Waiting<T>> {
        let mut next = vec![];
        while self.free > 0
            && let Some(number) = self.backlog.pop_front()
        {
            self.free -= 1;
            self.set_timer(number, None);
            if let Some(live) = self.live.get_mut(&number) {
                live.has_slot = true;
            }
            next.extend(self.next_of(number));
        }
        next
    }

    /// Removes a request whose client has left before it ran, with the later ones of its sequence. If `is_queued`, it has been in
    /// the model's queue. A sequence of the same id that starts among them goes on.
    pub(super) fn leave(&mut self, request: u64, is_queued: bool, now: Instant) -> Moved<T> {
        let mut moved = Moved::default();
        let Some(number) = self.of.get(&request).copied() else { return moved };
        let Some(live) = self.live.get_mut(&number) else { return moved };
        let first = match is_queued {
            true => 0,
            false => {
                let held = live.held.iter().position(|held| held.waiting.pending.id == request);
                let Some(first) = held else { return moved };
                first
            }
        };
        let after = first + usize::from(!is_queued);
        let mut later = live.held.iter().skip(after);
        let end = later.position(|held| held.starts).map_or(live.held.len(), |at| after + at);
        let restarts = end < live.held.len();
        moved.ended.extend(live.held.drain(first..end).map(|held| held.waiting));
        if is_queued {
            live.is_busy = false;
            self.of.remove(&request);
        }
        for waiting in &moved.ended {
            self.of.remove(&waiting.pending.id);
        }
        if !restarts {
            self.shut(number);
        }
        moved.next = self.go_on(number, now);
        moved
    }

    /// Ends the sequences that have been idle or without a slot for too long.
    pub(super) fn expire(&mut self, now: Instant) -> Moved<T> {
        let mut moved = Moved::default();
        while let Some((at, number)) = self.timers.first().copied()
            && at <= now
        {
            self.timers.pop_first();
            if let Some(live) = self.live.get_mut(&number) {
                live.timer = None;
                moved.ended.extend(live.held.drain(..).map(|held| held.waiting));
            }
            self.end(number);
        }
        for waiting in &moved.ended {
            self.of.remove(&waiting.pending.id);
        }
        moved.next = self.fill();
        moved
    }

    /// When the first timer is due.
    pub(super) fn first_timer(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Ends the sequences without requests, as no more come.
    pub(super) fn retire(&mut self) -> Moved<T> {
        self.is_retired = true;
        let idle = |live: &Live<T>| !live.is_busy && live.held.is_empty();
        let idle = self.live.iter().filter(|(_, live)| idle(live)).map(|(number, _)| *number);
        let idle: Vec<u64> = idle.collect();
        idle.into_iter().for_each(|number| self.end(number));
        Moved { next: self.fill(), ended: vec![] }
    }

    /// Takes all requests, and ends all sequences.
    pub(super) fn drain(&mut self) -> Vec<Waiting<T>> {
        let rules = self.rules.clone();
        let own = std::mem::replace(self, Sequences::new(rules));
        self.over = own.over;
        let mut waiting = vec![];
        for live in own.live.into_values() {
            self.over.push(live.states);
            waiting.extend(live.held.into_iter().map(|held| held.waiting));
        }
        waiting
    }

    /// The states of sequences that have ended.
    pub(super) fn over(&mut self) -> Vec<States> {
        std::mem::take(&mut self.over)
    }

    /// Whether no request waits or runs.
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// How many requests are held.
    pub(super) fn held(&self) -> usize {
        self.live.values().map(|live| live.held.len()).sum()
    }

    /// How many slots are free.
    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.free
    }
}
