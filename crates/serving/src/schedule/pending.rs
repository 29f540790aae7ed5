//! Requests that wait for their answer, which each gets once.

use crate::batch::Response;
use crate::failure::RequestError;
use crate::sync::Mutex;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::Instant;
use trident_engine::CancelFlag;

/// The answer to a request.
pub(super) type Answer = Result<Response, RequestError>;

/// Receives an answer.
pub(super) type Reply = Box<dyn FnOnce(Answer) + Send>;

/// A request that waits for its answer.
pub(super) struct Pending {
    pub(super) id: u64,
    /// The id of its model.
    pub(super) model: u64,
    /// When its client stops to wait.
    pub(super) deadline: Option<Instant>,
    /// Stops its run, unless others of its batch are waited for. Set when the request is answered before its run ends.
    pub(super) cancel: CancelFlag,
    /// `None` once it is answered.
    reply: Mutex<Option<Reply>>,
}

impl Pending {
    pub(super) fn new(
        id: u64,
        model: u64,
        deadline: Option<Instant>,
        cancel: CancelFlag,
        reply: Reply,
    ) -> Pending {
        Pending { id, model, deadline, cancel, reply: Mutex::new(Some(reply)) }
    }

    /// Answers the request, unless it is answered. No lock is held while the answer is received.
    pub(super) fn answer(&self, answer: Answer) {
        self.answer_after(answer, || {});
    }

    /// The same. Unless the request is answered, `before` is called first.
    pub(super) fn answer_after(&self, answer: Answer, before: impl FnOnce()) {
        if let Some(reply) = self.take_reply() {
            before();
            // The caller's code. Its panic must neither end a thread of the scheduler nor keep others from their answers.
            let _ = catch_unwind(AssertUnwindSafe(|| reply(answer)));
        }
    }

    /// Takes the receiver of the answer, unless the request is answered. Somebody else answers it then.
    pub(super) fn take_reply(&self) -> Option<Reply> {
        self.reply.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Answers the request before its run ends.
    pub(super) fn end(&self, error: RequestError) {
        self.cancel.cancel();
        self.answer(Err(error));
    }

    pub(super) fn is_answered(&self) -> bool {
        self.reply.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// A request that is dropped unanswered, because of a panic, is answered with an error.
impl Drop for Pending {
    fn drop(&mut self) {
        self.answer(Err(RequestError::Abandoned));
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("id", &self.id).field("model", &self.model).finish()
    }
}
