//! Tickets of requests that are on their way to a queue.

use crate::ensemble::Cancel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The ticket of a request that gets its own ticket later. Dropping it changes nothing.
pub struct LateTicket<T>(Arc<Mutex<Place<T>>>);

/// The place of a request.
enum Place<T> {
    /// It is on its way.
    Awaited,
    /// It has its ticket.
    Given(T),
    /// Its client has left.
    Left,
}

impl<T> Default for LateTicket<T> {
    fn default() -> LateTicket<T> {
        LateTicket(Arc::new(Mutex::new(Place::Awaited)))
    }
}

impl<T> Clone for LateTicket<T> {
    fn clone(&self) -> LateTicket<T> {
        LateTicket(Arc::clone(&self.0))
    }
}

impl<T: Cancel> LateTicket<T> {
    /// Whether the client has left.
    pub fn has_left(&self) -> bool {
        matches!(*self.lock(), Place::Left)
    }

    /// Hands the request its own ticket. If the client has left, the ticket cancels the request.
    pub fn give(&self, ticket: T) {
        let mut place = self.lock();
        if matches!(*place, Place::Left) {
            drop(place);
            ticket.cancel();
        } else {
            *place = Place::Given(ticket);
        }
    }

    /// Cancels the request by its own ticket, now or when it gets one. Whether it has one.
    pub fn cancel_given(&self) -> bool {
        let before = std::mem::replace(&mut *self.lock(), Place::Left);
        match before {
            Place::Given(ticket) => {
                ticket.cancel();
                true
            }
            Place::Awaited | Place::Left => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Place<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Cancel> Cancel for LateTicket<T> {
    fn cancel(&self) {
        self.cancel_given();
    }
}
