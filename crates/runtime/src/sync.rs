//! Locks: the standard library's, or in models (`cargo xtask sanitize`) those of `shuttle`.

#[cfg(all(test, feature = "models"))]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
#[cfg(not(all(test, feature = "models")))]
pub(crate) use std::sync::{Mutex, MutexGuard};
