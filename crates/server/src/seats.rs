//! The places of a listener's connections. When all are taken, the client that has sent nothing for the longest time is asked to give
//! its place up, which it does once it has its answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use tokio::sync::Notify;

/// The place of one connection.
pub(crate) struct Seat {
    start: Instant,
    /// Milliseconds from the start of the listener to the last bytes that the client sent.
    touched: AtomicU64,
    is_asked: AtomicBool,
    asked: Notify,
}

/// The places of a listener.
pub(crate) struct Seats {
    start: Instant,
    taken: Mutex<Vec<Weak<Seat>>>,
}

impl Seat {
    /// Notes that the client has sent something.
    pub(crate) fn touch(&self) {
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.touched.store(now, Relaxed);
    }

    /// Waits until the place is to be given up.
    pub(crate) async fn asked(&self) {
        self.asked.notified().await;
    }
}

impl Seats {
    /// Places of which none is taken.
    pub(crate) fn new() -> Seats {
        Seats { start: Instant::now(), taken: Mutex::default() }
    }

    /// Takes a place.
    pub(crate) fn take(&self) -> Arc<Seat> {
        let (touched, is_asked, asked) = Default::default();
        let seat = Arc::new(Seat { start: self.start, touched, is_asked, asked });
        seat.touch();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        // Places that were left are looked for only when the list would grow.
        if taken.len() == taken.capacity() {
            taken.retain(|seat| seat.strong_count() > 0);
            let more = taken.len().max(16);
            taken.reserve(more);
        }
        taken.push(Arc::downgrade(&seat));
        seat
    }

    /// Asks the client that has been silent longest, of those that were not asked yet.
    pub(crate) fn ask_longest(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let seats = taken.iter().filter_map(Weak::upgrade);
        let silent = seats.filter(|seat| !seat.is_asked.load(Relaxed));
        if let Some(seat) = silent.min_by_key(|seat| seat.touched.load(Relaxed)) {
            seat.is_asked.store(true, Relaxed);
            seat.asked.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_silent_client_is_asked_first_and_once() {
        let seats = Seats::new();
        let all = [seats.take(), seats.take(), seats.take()];
        for (seat, touched) in all.iter().zip([2, 1, 3]) {
            seat.touched.store(touched, Relaxed);
        }
        let asked = || [0, 1, 2].map(|at| all[at].is_asked.load(Relaxed));
        seats.ask_longest();
        assert_eq!(asked(), [false, true, false]);
        seats.ask_longest();
        assert_eq!(asked(), [true, true, false]);
        for _ in 0..100 {
            drop(seats.take());
        }
        assert!(seats.taken.lock().unwrap().len() < 40, "places that were left are forgotten");
    }
}
