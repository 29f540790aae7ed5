//! When a batch closes, and which requests it takes.

use super::queue::{Queue, Waiting};
use crate::batch::Lengths;
use crate::config::ModelDynamicBatching;
use crate::sequence::States;
use std::time::{Duration, Instant};

/// How many requests that do not fit a batch are passed over in search of others that do.
const PASSED_OVER: usize = 64;

/// A request as a batch takes it.
pub(super) trait Item {
    /// Its size along the batch dimension.
    fn rows(&self) -> usize;
    /// The bytes of its inputs.
    fn size(&self) -> usize;
    /// Whether it may run with another one; an equivalence relation.
    fn joins(&self, other: &Self) -> bool;
    /// Its lengths, if it may be padded to share a batch with longer ones.
    fn lengths(&self) -> Option<Lengths>;
    /// Gives it the states of its sequence, before it is the next one.
    fn receive(&mut self, states: &States);
    /// Has its sequence keep what its run has left, because its client gets the answer.
    fn keep(&mut self) {}
}

/// How the requests of a model become batches.
#[derive(Clone, Debug, Default)]
pub(super) struct Batching {
    /// The most rows of a batch; 0 if requests run one by one.
    pub(super) most: usize,
    /// Sizes that run without waiting for more, ascending.
    pub(super) preferred: Vec<usize>,
    /// How long a request waits for others while a core is free.
    pub(super) delay: Duration,
    /// Whether batches have the order of requests.
    pub(super) ordered: bool,
}

/// The fate of the requests at the front of a queue when a core is free.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// The requests with these ids are a batch.
    Now(Vec<u64>),
    /// A batch closes then, if no more requests come.
    At(Instant),
}

impl Batching {
    pub(super) fn of(config: &ModelDynamicBatching, most: usize) -> Batching {
        let sizes = config.preferred_batch_size.iter();
        let mut preferred: Vec<usize> =
            sizes.filter_map(|size| usize::try_from(*size).ok()).collect();
        preferred.sort_unstable();
        let delay = Duration::from_micros(config.max_queue_delay_microseconds);
        Batching { most, preferred, delay, ordered: config.preserve_ordering }
    }

    /// The batch that a queue gives at a time; `None` if it is empty. The front request is always part of it.
    ///
    /// As in the server, a batch takes as many requests as fit. If its rows reach a preferred size before the delay is over, it takes
    /// those and no more. It does not wait for others if the next request does not fit it.
    pub(super) fn close<T: Item>(&self, queue: &Queue<T>, now: Instant) -> Option<Close> {
        let mut waiting = queue.iter();
        let first = waiting.next()?;
        let id = |waiting: &Waiting<T>| waiting.pending.id;
        if self.most == 0 {
            return Some(Close::Now(vec![id(first)]));
        }
        let largest = self.preferred.last().copied().unwrap_or(self.most);
        let (mut ids, mut rows) = (vec![id(first)], first.item.rows().max(1));
        let (mut oldest, mut is_full, mut passed_over) = (first.since, false, 0);
        let mut lengths = first.item.lengths();
        let mut best = self.preferred.contains(&rows).then_some(1);
        for other in waiting {
            let more = rows + other.item.rows().max(1);
            if more > largest && best.is_none() {
                best = Some(ids.len());
            }
            if more > self.most {
                is_full = true;
                break;
            }
            let together = Lengths::join(lengths, other.item.lengths());
            let together = together.filter(|_| other.item.joins(&first.item));
            let Some(together) = together else {
                is_full = true;
                passed_over += 1;
                if self.ordered || passed_over > PASSED_OVER {
                    break;
                }
                continue;
            };
            lengths = together;
            ids.push(id(other));
            (rows, oldest) = (more, oldest.min(other.since));
            if self.preferred.contains(&rows) {
                best = Some(ids.len());
            }
        }
        let closes = oldest.checked_add(self.delay).filter(|_| !self.delay.is_zero());
        let is_over = closes.is_some_and(|at| at <= now);
        match (best, closes) {
            (Some(best), _) if !is_over => {
                ids.truncate(best);
                Some(Close::Now(ids))
            }
            (_, Some(at)) if !is_full && !is_over && rows < largest => Some(Close::At(at)),
            _ => Some(Close::Now(ids)),
        }
    }
}
