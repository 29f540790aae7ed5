//! A model of the scheduler, with its queue.

use super::batching::{Batching, Close, Item};
use super::queue::{Levels, Queue, Waiting};
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
    /// Its weight among models.
    pub(super) weight: u32,
}

/// A model with its queue. `R` runs it, `T` are its requests.
pub(super) struct Model<R, T> {
    pub(super) runner: R,
    pub(super) schedule: Schedule,
    pub(super) queue: Queue<T>,
    /// Requests that lack memory. Each runs once no other run of the model is under way, and no other run starts before.
    pub(super) lacking: VecDeque<Waiting<T>>,
    /// Whether such a request runs.
    pub(super) is_alone: bool,
    pub(super) share: Share,
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
        let (is_alone, is_retired) = (false, false);
        Model { runner, schedule, queue, lacking, is_alone, share, is_retired }
    }

    /// Takes a request that waits.
    pub(super) fn take(&mut self, id: u64) -> Option<Waiting<T>> {
        let lacking = self.lacking.iter().position(|waiting| waiting.pending.id == id);
        let lacking = lacking.and_then(|at| self.lacking.remove(at));
        lacking.or_else(|| self.queue.remove(id))
    }

    /// Starts the batch of the requests with these ids, which [`Model::close`] gave.
    pub(super) fn start(&mut self, ids: Vec<u64>, now: Instant) -> (Vec<Waiting<T>>, Turn) {
        let turn = match self.schedule.instances {
            _ if !self.lacking.is_empty() => Turn::Again,
            1 => Turn::Only,
            _ => Turn::Shared,
        };
        self.is_alone = turn == Turn::Again;
        self.share.start(now);
        (ids.into_iter().filter_map(|id| self.take(id)).collect(), turn)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.lacking.is_empty() && self.share.runs() == 0
    }

    /// The batch that closes next; `None` if none may start now.
    pub(super) fn close(&self, now: Instant) -> Option<Close> {
        if self.is_alone || self.share.runs() >= self.schedule.instances {
            return None;
        }
        if let Some(first) = self.lacking.front() {
            return (self.share.runs() == 0).then(|| Close::Now(vec![first.pending.id]));
        }
        self.schedule.batching.close(&self.queue, now)
    }

    pub(super) fn is_ready(&self, now: Instant) -> bool {
        matches!(self.close(now), Some(Close::Now(_)))
    }
}
