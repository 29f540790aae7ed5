//! Answers on their way to a client.

use trident_serving::{AbsentTicket, Cancel, EnsembleTicket, LateTicket, Ticket};

use super::{Fault, InferAnswer, PlayTicket};

/// One of a request's answers.
#[derive(Debug)]
pub struct Reply {
    /// The answer; `None` for an end without one, which only decoupled models have.
    pub answer: Option<Result<InferAnswer, Fault>>,
    /// Whether no other one follows.
    pub is_last: bool,
}

/// Receives the answers to a request, in their order, on any thread; the last one says so. It must not block.
pub type Replies = Box<dyn FnMut(Reply) + Send>;

impl Reply {
    /// The only answer to a request.
    pub fn only(answer: Result<InferAnswer, Fault>) -> Reply {
        Reply { answer: Some(answer), is_last: true }
    }
}

/// Cancels a request. Dropping it changes nothing.
pub enum RunTicket {
    /// A request that a scheduler has.
    Scheduled(Ticket),
    /// A request whose model has to be loaded first.
    Absent(AbsentTicket),
    /// A request that begins on another thread.
    Deferred(LateTicket<RunTicket>),
    /// A request to a built-in model with decoupled answers.
    BuiltIn(PlayTicket),
    /// A request to an ensemble.
    Ensemble(EnsembleTicket),
    /// A request that is answered, or cannot be cancelled.
    Answered,
}

impl Cancel for RunTicket {
    fn cancel(&self) {
        match self {
            RunTicket::Scheduled(ticket) => ticket.cancel(),
            RunTicket::Absent(ticket) => ticket.cancel(),
            RunTicket::Deferred(ticket) => ticket.cancel(),
            RunTicket::BuiltIn(ticket) => ticket.cancel(),
            RunTicket::Ensemble(ticket) => ticket.cancel(),
            RunTicket::Answered => {}
        }
    }
}

/// Cancels a run whose client leaves.
pub(crate) struct CancelOnDrop(pub(crate) RunTicket);

impl CancelOnDrop {
    /// Leaves the run alone: it has ended.
    pub(crate) fn keep(&mut self) {
        self.0 = RunTicket::Answered;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
