//! Batches that have run, and keep their place among the runs of their model for a time: they need neither a core nor a thread.

use super::batching::Item;
use super::pending::Answer;
use super::state::{Job, State};
use crate::failure::RequestError;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How a batch rests after its run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// How long.
    pub(super) time: Duration,
    /// Whether its answers are given at the end, and not before.
    pub(super) holds_answers: bool,
}

/// A batch that rests.
pub(super) struct Rested<R, T> {
    pub(super) job: Job<R, T>,
    /// The answers that it holds, in the order of its requests.
    answers: Vec<Answer>,
}

/// The batches that rest, by the time of their end.
pub(super) struct Resting<R, T>(BTreeMap<(Instant, u64), Rested<R, T>>);

impl<R, T> Resting<R, T> {
    pub(super) fn new() -> Resting<R, T> {
        Resting(BTreeMap::new())
    }

    /// When the first rest ends.
    pub(super) fn first(&self) -> Option<Instant> {
        self.0.first_key_value().map(|((at, _), _)| *at)
    }
}

impl<R, T: Item> Rested<R, T> {
    /// Whether nobody waits for the answers that it holds.
    fn is_left(&self) -> bool {
        !self.answers.is_empty() && self.job.pending.iter().all(|pending| pending.is_answered())
    }

    /// Gives the answers that it holds.
    pub(super) fn answer(&mut self) {
        self.job.answer(std::mem::take(&mut self.answers), &[]);
    }
}

impl<R: Clone, T: Item> State<R, T> {
    /// Has a batch that holds these answers rest until a time. Its core is free.
    pub(super) fn rest(
        &mut self,
        mut job: Job<R, T>,
        answers: Vec<Answer>,
        until: Instant,
        now: Instant,
    ) {
        if let Some(since) = self.cores.end(&job.run)
            && let Some(model) = self.models.get_mut(&job.run.model)
        {
            model.share.suspend(since, now);
            job.rests = true;
        }
        let number = self.id();
        self.resting.0.insert((until, number), Rested { job, answers });
    }

    /// Takes the batches whose rest is over, because of the time or because nobody waits for them. Each keeps its instance, and so its
    /// model, until it is finished.
    pub(super) fn rested(&mut self, now: Instant) -> Vec<Rested<R, T>> {
        let is_closed = self.is_closed();
        let is_over =
            |at: Instant, rested: &Rested<R, T>| is_closed || at <= now || rested.is_left();
        let over = self.resting.0.iter().filter(|((at, _), rested)| is_over(*at, rested));
        let over: Vec<(Instant, u64)> = over.map(|(key, _)| *key).collect();
        let mut taken = vec![];
        for key in over {
            let Some(mut rested) = self.resting.0.remove(&key) else { continue };
            if is_closed && key.0 > now {
                rested.answers.fill(Err(RequestError::Closing));
            }
            taken.push(rested);
        }
        taken
    }
}
