//! Locks and threads: the standard library's, or in models (`cargo xtask sanitize`) those of `shuttle`.

#[cfg(all(test, feature = "models"))]
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic};
#[cfg(all(test, feature = "models"))]
pub(crate) use shuttle::thread::{Builder, sleep};
#[cfg(not(all(test, feature = "models")))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};
#[cfg(not(all(test, feature = "models")))]
pub(crate) use std::thread::{Builder, sleep};
