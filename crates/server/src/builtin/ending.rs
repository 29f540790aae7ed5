//! The end of a request to a built-in model before its last answer: its client leaves, or its time is over.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use trident_serving::{Cancel, RequestError, Ticket};

use crate::infer::{Replies, Reply};
use crate::model::{HostedModel, fault};

/// The receiver of a request's answers, which its model, its client and its deadline share.
pub(super) struct Receiver {
    model: Arc<HostedModel>,
    id: String,
    arrival: Instant,
    /// `None` while an answer is given, and after the last one.
    replies: Mutex<Option<Replies>>,
    /// Whether the request has to end before its last answer.
    has_left: AtomicBool,
    is_late: AtomicBool,
}

impl Receiver {
    pub(super) fn new(
        model: Arc<HostedModel>,
        id: String,
        arrival: Instant,
        replies: Replies,
    ) -> Arc<Receiver> {
        let (has_left, is_late) = Default::default();
        let replies = Mutex::new(Some(replies));
        Arc::new(Receiver { model, id, arrival, replies, has_left, is_late })
    }

    /// Gives an answer, unless the last one is given. Its model calls it, one answer after the other.
    pub(super) fn give(&self, reply: Reply) {
        let Some(mut replies) = self.lock().take() else { return };
        let is_last = reply.is_last;
        replies(reply);
        if !is_last {
            *self.lock() = Some(replies);
            if self.is_ending() {
                self.end();
            }
        }
    }

    /// Whether the last answer is given.
    pub(super) fn has_ended(&self) -> bool {
        self.lock().is_none()
    }

    /// Ends the request because its client has left.
    pub(super) fn leave(&self) {
        self.has_left.store(true, Relaxed);
        self.end();
    }

    /// Ends the request because its time is over.
    pub(super) fn expire(&self) {
        self.is_late.store(true, Relaxed);
        self.end();
    }

    /// Ends the request with an error before its turn, unless it has ended.
    pub(super) fn fail(&self, error: &RequestError) {
        let Some(replies) = self.lock().take() else { return };
        self.refuse(replies, error);
    }

    fn is_ending(&self) -> bool {
        self.has_left.load(Relaxed) || self.is_late.load(Relaxed)
    }

    /// Gives the error that ends the request, unless its last answer is given, or another one just now: then its giver ends it.
    fn end(&self) {
        let Some(replies) = self.lock().take() else { return };
        let error = match self.has_left.load(Relaxed) {
            true => RequestError::Cancelled,
            false => RequestError::Timeout,
        };
        self.refuse(replies, &error);
    }

    fn refuse(&self, mut replies: Replies, error: &RequestError) {
        self.model.counters().fail(self.arrival, error);
        replies(Reply::only(Err(fault(&self.id, error))));
    }

    fn lock(&self) -> MutexGuard<'_, Option<Replies>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cancels a request to a built-in model. Dropping it changes nothing.
pub struct PlayTicket {
    receiver: Weak<Receiver>,
    /// Its place in the queue, before its turn.
    turn: Ticket,
}

impl PlayTicket {
    pub(super) fn of(receiver: &Arc<Receiver>, turn: Ticket) -> PlayTicket {
        PlayTicket { receiver: Arc::downgrade(receiver), turn }
    }
}

impl Cancel for PlayTicket {
    fn cancel(&self) {
        if let Some(receiver) = self.receiver.upgrade() {
            receiver.leave();
        }
        self.turn.cancel();
    }
}
