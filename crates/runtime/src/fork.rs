//! Forks of the process. A child has only the thread that called `fork`, and memory as it was at that moment: a lock that
//! another thread of the parent held stays locked for good.
//!
//! - Locks of a device's memory are taken before every fork and released after it, in parent and child
//!   (`buffer/forked.rs`), so a child finds memory consistent.
//! - Locks of caches are [`ForkMutex`]: a child that finds one locked begins with an empty cache.
//! - Executors of threads (`trident_kernels::threads`) are made again in a child.
#![allow(unsafe_code)]

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};

/// Number of forks between the first process that used this crate and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Sees to it that children of this process notice that they were forked.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        use crate::buffer::{after_fork, before_fork, in_forked_child};
        extern "C" fn prepare() {
            before_fork();
        }
        extern "C" fn parent() {
            after_fork();
        }
        extern "C" fn child() {
            GENERATION.fetch_add(1, Ordering::Relaxed);
            in_forked_child();
        }
        // SAFETY: the handlers are part of the library or program that registers them. In a child they only release locks
        // that `prepare` took, write to atomics and free memory, which the C library allows there. A failure, for lack of
        // memory, leaves children as they were before.
        unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
    });
}

/// A lock for a cache. A forked child takes it even if another thread of its parent held it at the fork: then the value
/// might be incomplete, and the child begins with a fresh one.
pub struct ForkMutex<T> {
    /// Never null. A value that a child has replaced is never freed.
    current: AtomicPtr<Held<T>>,
    fresh: fn() -> T,
    owns: PhantomData<Held<T>>,
}

struct Held<T> {
    /// The [`GENERATION`] that uses it.
    generation: u32,
    value: Mutex<T>,
}

impl<T> ForkMutex<T> {
    /// A lock for the value that `fresh` makes.
    pub fn new(fresh: fn() -> T) -> ForkMutex<T> {
        watch();
        let current = AtomicPtr::new(Held::boxed(fresh()));
        ForkMutex { current, fresh, owns: PhantomData }
    }

    /// Waits for the lock. A panic of a thread that held it does not invalidate the value.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        // SAFETY: a value is freed only with `self`, which is borrowed.
        let held = unsafe { &*self.current.load(Ordering::Acquire) };
        let own = held.generation == GENERATION.load(Ordering::Relaxed);
        let held = if own { held } else { self.inherit(held) };
        held.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This child's value in place of its parent's. If several threads come here at once, one of their values is kept.
    #[cold]
    fn inherit<'a>(&'a self, parents: &'a Held<T>) -> &'a Held<T> {
        let fresh = (self.fresh)();
        let value = match parents.value.try_lock() {
            Ok(mut value) => std::mem::replace(&mut *value, fresh),
            Err(TryLockError::Poisoned(value)) => {
                std::mem::replace(&mut *value.into_inner(), fresh)
            }
            Err(TryLockError::WouldBlock) => fresh,
        };
        let (old, own) = (std::ptr::from_ref(parents).cast_mut(), Held::boxed(value));
        match self.current.compare_exchange(old, own, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: the value was just made, and is freed only with `self`.
            Ok(_) => unsafe { &*own },
            Err(first) => {
                // SAFETY: no other thread has seen this value. The other one is freed only with `self`.
                unsafe {
                    drop(Box::from_raw(own));
                    &*first
                }
            }
        }
    }
}

impl<T> Held<T> {
    fn boxed(value: T) -> *mut Held<T> {
        let generation = GENERATION.load(Ordering::Relaxed);
        Box::into_raw(Box::new(Held { generation, value: Mutex::new(value) }))
    }
}

impl<T> Drop for ForkMutex<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nobody else has it, as `self` is being dropped.
        drop(unsafe { Box::from_raw(*self.current.get_mut()) });
    }
}

impl<T> fmt::Debug for ForkMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForkMutex").finish_non_exhaustive()
    }
}
