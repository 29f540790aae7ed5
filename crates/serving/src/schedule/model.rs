//! A model of the scheduler, with its queue.

use super::batching::{Batching, Close, Item};
use super::brief::BriefRuns;
use super::limits::Group;
use super::queue::{Levels, Queue, Waiting};
use super::sequences::{Moved, SequenceRules, Sequences};
use super::shares::Share;
use std::collections::VecDeque;
use std::time::Instant;

/// How a model is scheduled.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) levels: Levels,
    pub(super) batching: Batching,
    /// Most runs at a time.
    pub(super) instances: usize,
    /// Its instances with the resources that they need; empty if they need none.
    pub(super) groups: Vec<Group>,
    /// Its weight among models.
    pub(super) weight: u32,
    /// Whether the time of a run follows from the size of its inputs.
    pub(super) is_steady: bool,
    /// Whether a brief request may run outside of a batch.
    pub(super) runs_alone: bool,
    /// How sequences share it, if its requests belong to sequences.
    pub(super) sequences: Option<SequenceRules>,
}

/// A model with its queue. `R` runs it, `T` are its requests.
pub(super) struct Model<R, T> {
    pub(super) runner: R,
    pub(super) schedule: Schedule,
    pub(super) queue: Queue<T>,
    pub(super) sequences: Option<Sequences<T>>,
    /// Requests that lack memory. Each runs once no other run of the model is under way, and no other run starts before.
    pub(super) lacking: VecDeque<Waiting<T>>,
    /// Whether such a request runs.
    pub(super) is_alone: bool,
    pub(super) share: Share,
    pub(super) brief: BriefRuns,
    /// Whether no more requests come.
    pub(super) is_retired: bool,
}

/// How a batch runs beside others of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Other batches may run at the same time.
    Shared,
    /// The model runs one batch at a time.
    Only,
    /// A request that lacked memory runs again, with no other run of the model under way.
    Again,
}

impl<R, T: Item> Model<R, T> {
    pub(super) fn new(runner: R, schedule: Schedule) -> Model<R, T> {
        let (queue, lacking) = (Queue::new(schedule.levels.clone()), VecDeque::new());
        let share = Share::new(schedule.weight);
        let (brief, is_alone, is_retired) = (BriefRuns::default(), false, false);
        let sequences = schedule.sequences.clone().map(Sequences::new);
        Model { runner, schedule, queue, sequences, lacking, is_alone, share, brief, is_retired }
    }

    /// Takes a request that waits.
    pub(super) fn take(&mut self, id: u64) -> Option<Waiting<T>> {
        let lacking = self.lacking.iter().position(|waiting| waiting.pending.id == id);
        let lacking = lacking.and_then(|at| self.lacking.remove(at));
        lacking.or_else(|| self.queue.remove(id))
    }

    /// Starts a run.
    pub(super) fn start(&mut self, now: Instant) -> Turn {
        let turn = match self.schedule.instances {
            _ if !self.lacking.is_empty() => Turn::Again,
            1 => Turn::Only,
            _ => Turn::Shared,
        };
        self.is_alone = turn == Turn::Again;
        self.share.start(now);
        turn
    }

    pub(super) fn is_idle(&self) -> bool {
        let has_held = self.sequences.as_ref().is_some_and(|sequences| !sequences.is_empty());
        self.queue.is_empty() && self.lacking.is_empty() && self.share.runs() == 0 && !has_held
    }

    /// Changes the sequences, if the model has any. Returns the requests that end without a run.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(&mut Sequences<T>) -> Moved<T>,
    ) -> Vec<Waiting<T>> {
        let moved = self.sequences.as_mut().map(change).unwrap_or_default();
        moved.next.into_iter().for_each(|waiting| self.queue.enter(waiting));
        moved.ended
    }

    /// The request that is part of the next batch.
    pub(super) fn front(&self) -> Option<&Waiting<T>> {
        self.lacking.front().or_else(|| self.queue.iter().next())
    }

    /// How many requests wait for a batch.
    pub(super) fn waiting(&self) -> usize {
        let held = self.sequences.as_ref().map_or(0, Sequences::held);
        self.queue.iter().count() + self.lacking.len() + held
    }

    /// Whether a batch of these requests is known to be brief.
    pub(super) fn is_brief(&self, batch: &[u64]) -> bool {
        let requests = batch.iter().filter_map(|id| self.queue.get(*id));
        self.lacking.is_empty() && self.brief.has(requests.map(|own| own.item.size()).sum())
    }

    /// Whether nothing waits before a request that joins the queue, which then is a batch of its own, and known to be brief.
    pub(super) fn is_brief_alone(&self, item: &T) -> bool {
        self.has_room()
            && self.schedule.is_steady
            && self.schedule.batching.delay.is_zero()
            && self.queue.is_empty()
            && self.lacking.is_empty()
            && self.brief.has(item.size())
    }

    /// The batch that closes next; `None` if none may start now.
    pub(super) fn close(&self, now: Instant) -> Option<Close> {
        match self.lacking.front() {
            _ if !self.may_start() => None,
            Some(first) => Some(Close::Now(vec![first.pending.id])),
            None => self.schedule.batching.close(&self.queue, now),
        }
    }

    /// Whether requests wait, and its runs leave room for one more.
    pub(super) fn may_start(&self) -> bool {
        match self.lacking.is_empty() {
            _ if !self.has_room() => false,
            true => !self.queue.is_empty(),
            false => self.share.runs() == 0,
        }
    }

    /// Whether its runs leave room for one more.
    fn has_room(&self) -> bool {
        !self.is_alone && self.share.runs() < self.schedule.instances
    }

    pub(super) fn is_ready(&self, now: Instant) -> bool {
        matches!(self.close(now), Some(Close::Now(_)))
    }
}
