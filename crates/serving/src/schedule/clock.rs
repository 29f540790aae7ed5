//! The time by which requests expire and batches close.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A clock. It never goes back.
pub trait Clock: Send + Sync {
    /// The present time.
    fn now(&self) -> Instant;
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// A clock that is advanced by hand, for tests.
#[derive(Debug)]
pub struct ManualClock(Mutex<Instant>);

impl ManualClock {
    /// A clock that stands still.
    pub fn new() -> ManualClock {
        ManualClock(Mutex::new(Instant::now()))
    }

    /// Moves the clock on.
    pub fn advance(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        ManualClock::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
