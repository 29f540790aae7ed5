//! Synchronisation from the standard library, or from `shuttle` in model checks (`cargo xtask sanitize`). `shuttle`
//! tries rare orders of events.

/// Whether this is built for models.
pub(crate) const MODELS: bool = cfg!(all(test, feature = "models"));

#[cfg(not(all(test, feature = "models")))]
mod real {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    pub(crate) use std::sync::{Condvar, Mutex};
    pub(crate) use std::thread::{Builder, JoinHandle, Thread, current, park, yield_now};
    pub(crate) use std::thread_local;
    use std::time::{Duration, Instant};

    /// Looks at a thing in a row before it is asked whether patience has ended.
    pub(crate) const LOOKS: usize = 32;

    /// How long a thread goes on looking.
    pub(crate) struct Patience(Instant, Duration);

    impl Patience {
        pub(crate) fn of(time: Duration) -> Patience {
            Patience(Instant::now(), time)
        }

        pub(crate) fn has_ended(&mut self) -> bool {
            self.0.elapsed() >= self.1
        }
    }
}

#[cfg(all(test, feature = "models"))]
mod model {
    pub(crate) use shuttle::hint::spin_loop;
    pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    pub(crate) use shuttle::sync::{Condvar, Mutex};
    pub(crate) use shuttle::thread::{Builder, JoinHandle, Thread, current, park, yield_now};
    pub(crate) use shuttle::thread_local;
    use std::time::Duration;

    pub(crate) const LOOKS: usize = 1;

    /// Time does not pass in models: a thread looks twice.
    pub(crate) struct Patience(u32);

    impl Patience {
        pub(crate) fn of(_: Duration) -> Patience {
            Patience(2)
        }

        pub(crate) fn has_ended(&mut self) -> bool {
            self.0 = self.0.saturating_sub(1);
            self.0 == 0
        }
    }
}

#[cfg(all(test, feature = "models"))]
pub(crate) use model::*;
#[cfg(not(all(test, feature = "models")))]
pub(crate) use real::*;
