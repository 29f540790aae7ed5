//! The pace of a request's answers: a model that gives many of them waits for a client that reads slowly, and stops for one that
//! leaves.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most answers that a client has not read while their model goes on.
const MOST_UNREAD: usize = 32;

/// Goes on with the answers of a request. It must not block.
type GoOn = Box<dyn FnOnce() + Send>;

/// How many requests to a repository's models wait until their clients have read answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldRequests(Arc<AtomicUsize>);

impl HeldRequests {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Relaxed)
    }

    /// Counts one more, until the value is dropped.
    fn add(&self) -> Counted {
        self.0.fetch_add(1, Relaxed);
        Counted(self.clone())
    }
}

/// A giver that waits.
struct Held {
    go_on: GoOn,
    _counted: Counted,
}

/// One of the givers that wait, until it is dropped.
struct Counted(HeldRequests);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// Tells the giver of a request's answers how fast they are read.
#[derive(Default)]
pub struct Pace(Mutex<State>);

#[derive(Default)]
struct State {
    unread: usize,
    /// The giver, while it waits.
    held: Option<Held>,
    has_left: bool,
}

impl Pace {
    /// Notes that an answer has been given.
    pub(crate) fn give(&self) {
        self.lock().unread += 1;
    }

    /// Whether nobody reads answers any more.
    pub(crate) fn has_left(&self) -> bool {
        self.lock().has_left
    }

    /// Returns a giver that may go on now. Otherwise keeps it, as `go_on` makes it, until the client has read answers, and drops it if
    /// the client leaves. Meanwhile it counts as held.
    pub(crate) fn hold<G>(
        &self,
        giver: G,
        held: &HeldRequests,
        go_on: impl FnOnce(G) -> GoOn,
    ) -> Option<G> {
        let mut state = self.lock();
        if state.has_left || state.unread < MOST_UNREAD {
            return Some(giver);
        }
        let before = state.held.replace(Held { go_on: go_on(giver), _counted: held.add() });
        drop(state);
        drop(before);
        None
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { unread, held, has_left } = &*self.lock();
        write!(f, "Pace {{ unread: {unread}, waits: {}, has_left: {has_left} }}", held.is_some())
    }
}

/// The reader's side of a pace. Dropping it says that the client has left, or has all answers.
#[derive(Debug, Default)]
pub struct Reading(Arc<Pace>);

impl Reading {
    /// The giver's side.
    pub fn pace(&self) -> Arc<Pace> {
        Arc::clone(&self.0)
    }

    /// Notes that an answer is on its way to the client. A giver that waits goes on once half of the answers are.
    pub fn read(&self) {
        let mut state = self.0.lock();
        state.unread = state.unread.saturating_sub(1);
        let held = if state.unread <= MOST_UNREAD / 2 { state.held.take() } else { None };
        drop(state);
        if let Some(Held { go_on, .. }) = held {
            go_on();
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.has_left = true;
        let held = state.held.take();
        drop(state);
        drop(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Gives answers up to a number, and counts them.
    fn give(pace: Arc<Pace>, given: Arc<AtomicUsize>, most: usize) {
        while given.load(Relaxed) < most && !pace.has_left() {
            let giver = (Arc::clone(&pace), Arc::clone(&given));
            let held = HeldRequests::default();
            let giver =
                pace.hold(giver, &held, |(pace, given)| Box::new(move || give(pace, given, most)));
            if giver.is_none() {
                assert_eq!(held.count(), 1);
                return;
            }
            given.fetch_add(1, Relaxed);
            pace.give();
        }
    }

    #[test]
    fn a_giver_waits_for_its_reader() {
        let (reading, given) = (Reading::default(), Arc::new(AtomicUsize::new(0)));
        give(reading.pace(), Arc::clone(&given), 1000);
        assert_eq!(given.load(Relaxed), MOST_UNREAD);
        for read in 1..=1000 {
            reading.read();
            let given = given.load(Relaxed);
            assert!(given >= read && given <= read + MOST_UNREAD, "{given} after {read}");
        }
        assert_eq!(given.load(Relaxed), 1000);
    }

    #[test]
    fn a_giver_ends_when_its_reader_leaves() {
        let (reading, given) = (Reading::default(), Arc::new(AtomicUsize::new(0)));
        let pace = reading.pace();
        give(Arc::clone(&pace), Arc::clone(&given), 1000);
        drop(reading);
        assert!(pace.has_left());
        assert_eq!(Arc::strong_count(&given), 1, "the giver is dropped");
        assert_eq!(given.load(Relaxed), MOST_UNREAD);
    }
}
