//! Locks from the standard library, or in models of threads (`cargo xtask sanitize`) from `shuttle`.

#[cfg(all(test, feature = "models"))]
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(all(test, feature = "models")))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
