//! Brief runs of single requests, outside of batches: on the thread that submits the request, which nobody can cancel, suspend or
//! overtake meanwhile. They need neither a place in a queue nor a run that other threads see.

use super::batching::Item;
use super::pending::Answer;
use super::shared::{Runner, Shared};
use super::state::{Job, State};
use crate::failure::RequestError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A request that ran alone.
pub(super) struct Alone<R: Runner> {
    pub(super) answer: Answer,
    /// The next batch, if it is brief.
    pub(super) next: Option<Job<R, R::Item>>,
}

impl<R: Runner> Shared<R> {
    /// Runs a request of a model on this thread, if its run is known to be brief and nothing else is next. `None` if it has to join the
    /// queue.
    pub(super) fn run_alone(
        &self,
        model: u64,
        request: &mut R::Item,
        deadline: Option<Instant>,
    ) -> Option<Alone<R>> {
        let mut state = self.lock();
        let start = self.clock.now();
        let runner = state.start_alone(model, request, deadline, start)?;
        drop(state);
        // A panic is a bug of an op. It must not take a core away from the other models.
        let ran = catch_unwind(AssertUnwindSafe(|| runner.run_alone(request)));
        let answer = ran.unwrap_or(Some(Err(RequestError::Abandoned)));
        let now = self.clock.now();
        let mut state = self.lock();
        state.end_alone(model, answer.is_some().then(|| request.size()), start, now);
        let next = answer.as_ref().and_then(|_| state.start_brief(model, now));
        let (has_work, is_closed) = (state.has_work(), state.is_closed());
        Self::unlock(state);
        match is_closed {
            true => self.notify_all(),
            false if has_work => self.notify(),
            false => {}
        }
        Some(Alone { answer: answer?, next })
    }
}

impl<R: Clone, T: Item> State<R, T> {
    /// Starts such a run.
    fn start_alone(
        &mut self,
        id: u64,
        request: &T,
        deadline: Option<Instant>,
        now: Instant,
    ) -> Option<R> {
        let is_known = self.models.get(&id).is_some_and(|model| model.schedule.runs_alone);
        if !is_known || !self.is_next(id, request, deadline, now) {
            return None;
        }
        self.catch_up(id, now);
        let model = self.models.get_mut(&id)?;
        self.last = self.last.max(model.share.virtual_time(now));
        model.start(now);
        Some(model.runner.clone())
    }

    /// Ends such a run. `size` is that of the request, if it is answered.
    fn end_alone(&mut self, id: u64, size: Option<usize>, start: Instant, now: Instant) {
        let Some(model) = self.models.get_mut(&id) else { return };
        model.share.end(start, now);
        if let Some(size) = size {
            model.brief.record(size, now.saturating_duration_since(start));
        }
        self.remove_if_over(id);
    }
}
