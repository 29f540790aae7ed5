//! Requests to models that are not loaded. They wait by the rules of their model's queue, and move into it once the model is there.
//!
//! The queues are those of a scheduler without cores: priorities, timeouts, deadlines and the most that may wait have the same code as
//! for models that are loaded. A request keeps the time at which it came.

use super::batching::{Batching, Item};
use super::clock::Clock;
use super::model::{Schedule, Turn};
use super::pending::Pending;
use super::queue::{Levels, Waiting};
use super::shared::{Ran, Runner, Shared};
use super::state::Joining;
use super::{ScheduledModel, Ticket};
use crate::batch::{InferenceRequest, Lengths, Response, own_flag};
use crate::config::{ModelConfig, SchedulingChoice};
use crate::failure::RequestError;
use crate::late::LateTicket;
use crate::sequence::States;
use std::io;
use std::sync::{Arc, Weak};
use trident_engine::Handover;

/// The queues of models that are not loaded.
pub(super) type AbsentModels = Shared<Absence>;

/// Runs nothing.
#[derive(Clone, Copy)]
pub(super) struct Absence;

/// A request that waits for its model.
pub(super) struct AbsentRequest {
    request: InferenceRequest<'static>,
    moved: LateTicket<Ticket>,
}

/// The requests to a model that is not loaded. Requests to a model with sequences do not wait here.
pub struct AbsentQueue {
    shared: Arc<AbsentModels>,
    id: u64,
}

/// A request that was submitted to a model that was not loaded. Dropping it changes nothing.
pub struct AbsentTicket {
    pending: Weak<Pending>,
    shared: Weak<AbsentModels>,
    /// The ticket that the model gives it.
    moved: LateTicket<Ticket>,
}

impl Item for AbsentRequest {
    fn rows(&self) -> usize {
        1
    }

    fn size(&self) -> usize {
        0
    }

    fn joins(&self, _: &Self) -> bool {
        false
    }

    fn lengths(&self) -> Option<Lengths> {
        None
    }

    fn receive(&mut self, _: &States) {}
}

impl Runner for Absence {
    type Item = AbsentRequest;

    /// It is not called: its models have no instances.
    fn run(&self, batch: &mut [AbsentRequest], _: Turn, _: &Arc<dyn Handover>) -> Ran {
        let answers = batch.iter().map(|_| Err(RequestError::Abandoned)).collect();
        Ran { answers, lacking: vec![], rest: None }
    }
}

/// Queues on a clock. Their owner applies timeouts.
pub(super) fn queues(clock: Arc<dyn Clock>) -> AbsentModels {
    Shared::new(1, clock)
}

impl AbsentQueue {
    /// A queue with the policy of a configuration.
    pub(super) fn of(shared: &Arc<AbsentModels>, config: &ModelConfig) -> io::Result<AbsentQueue> {
        let levels = match &config.scheduling {
            SchedulingChoice::Dynamic(dynamic) => Levels::of(dynamic),
            _ => Levels::default(),
        };
        let (batching, groups, sequences) = (Batching::default(), vec![], None);
        let (instances, weight, is_steady, runs_alone) = (0, 1, false, false);
        let schedule = Schedule {
            levels,
            batching,
            instances,
            groups,
            weight,
            is_steady,
            runs_alone,
            sequences,
        };
        // Without limited resources, nothing is refused.
        let id = shared.add(Absence, schedule).map_err(io::Error::other)?;
        Ok(AbsentQueue { shared: Arc::clone(shared), id })
    }

    /// Submits a request. `reply` is called once: by the model after the request has moved, or else as the policy of the queue, the
    /// deadline or the client says.
    pub fn submit(
        &self,
        request: InferenceRequest<'static>,
        reply: impl FnOnce(Result<Response, RequestError>) + Send + 'static,
    ) -> AbsentTicket {
        let InferenceRequest { priority, timeout, deadline, .. } = request;
        let cancel = own_flag(request.cancel.clone());
        let moved = LateTicket::default();
        let item = AbsentRequest { request, moved: moved.clone() };
        let (since, step, may_run_here) = (None, None, false);
        let joining = Joining { priority, timeout, since, step, may_run_here, item };
        let pending = self.shared.submit(self.id, deadline, cancel, Box::new(reply), joining);
        let shared = Arc::downgrade(&self.shared);
        AbsentTicket { pending: Arc::downgrade(&pending), shared, moved }
    }

    /// How many requests wait.
    pub fn waiting(&self) -> usize {
        self.shared.waiting(self.id)
    }

    /// Moves all requests into the queue of the model, in their order.
    pub fn move_to(&self, model: &ScheduledModel) {
        for Waiting { pending, since, item, .. } in self.shared.drain(self.id) {
            let Some(reply) = pending.take_reply() else { continue };
            let AbsentRequest { request, moved } = item;
            moved.give(model.resubmit(request, since, reply));
        }
    }

    /// Answers all requests with an error.
    pub fn refuse(&self, error: &RequestError) {
        for Waiting { pending, .. } in self.shared.drain(self.id) {
            pending.end(error.clone());
        }
    }
}

/// Answers the requests that wait.
impl Drop for AbsentQueue {
    fn drop(&mut self) {
        self.refuse(&RequestError::Closing);
        self.shared.retire(self.id);
    }
}

impl AbsentTicket {
    /// Answers the request with [`RequestError::Cancelled`], unless it is answered. Its run stops if nobody else waits for it.
    pub fn cancel(&self) {
        if self.moved.cancel_given() {
            return;
        }
        if let (Some(pending), Some(shared)) = (self.pending.upgrade(), self.shared.upgrade()) {
            shared.cancel(&pending);
        }
    }
}
