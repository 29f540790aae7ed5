//! Requests that wait for a model which was unloaded while idle.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trident_serving::{Cancel, InferenceRequest, RequestError, Response, ScheduledModel, Ticket};

/// Receives an answer.
type Reply = Box<dyn FnOnce(Result<Response, RequestError>) + Send>;

/// A request that waits for its model.
pub(super) struct Waiting(Mutex<Stage>);

enum Stage {
    /// It waits.
    Here(Box<InferenceRequest<'static>>, Reply),
    /// It is on its way to the model, or answered.
    Gone,
    /// The model has it.
    Submitted(Ticket),
    /// Its client has left.
    Left,
}

impl Waiting {
    pub(super) fn new(request: InferenceRequest<'static>, reply: Reply) -> Arc<Waiting> {
        Arc::new(Waiting(Mutex::new(Stage::Here(Box::new(request), reply))))
    }

    /// Whether it waits still.
    pub(super) fn is_here(&self) -> bool {
        matches!(*self.stage(), Stage::Here(..))
    }

    /// Submits it to the model, or answers it with the cause of its absence, unless its client has left.
    pub(super) fn settle(&self, loaded: Result<&Arc<ScheduledModel>, &RequestError>) {
        let (request, reply) = match self.change(Stage::Gone) {
            Stage::Here(request, reply) => (*request, reply),
            Stage::Gone | Stage::Submitted(_) | Stage::Left => return,
        };
        let model = match loaded {
            Ok(model) => model,
            Err(error) => return reply(Err(error.clone())),
        };
        let ticket = model.submit(request, reply);
        let mut stage = self.stage();
        if matches!(*stage, Stage::Left) {
            drop(stage);
            ticket.cancel();
        } else {
            *stage = Stage::Submitted(ticket);
        }
    }

    fn change(&self, stage: Stage) -> Stage {
        std::mem::replace(&mut *self.stage(), stage)
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cancels a request that waits for its model, or that its model has by then. Dropping it changes nothing.
pub struct WaitTicket(Arc<Waiting>);

impl WaitTicket {
    pub(super) fn of(waiting: &Arc<Waiting>) -> WaitTicket {
        WaitTicket(Arc::clone(waiting))
    }
}

impl Cancel for WaitTicket {
    fn cancel(&self) {
        match self.0.change(Stage::Left) {
            Stage::Here(_, reply) => reply(Err(RequestError::Cancelled)),
            Stage::Submitted(ticket) => ticket.cancel(),
            Stage::Gone | Stage::Left => {}
        }
    }
}
