//! Forks of the process. A child has only the thread that called `fork`, and memory as it was at that moment: a lock that
//! another thread of the parent held stays locked for good.
//!
//! - Locks of a device's memory are taken before every fork and released after it, in parent and child
//!   (`buffer/forked.rs`), so a child finds memory consistent.
//! - Locks of caches are [`ForkMutex`]: a child that finds one locked begins with an empty cache.
//! - Executors of threads (`trident_kernels::threads`) are made anew in a child.
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

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;
    use crate::Pool;
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    /// Forks; returns whether the child found `body` true before 20 seconds had passed.
    fn child(body: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child calls what is under test and the allocator, and ends without the harness.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0);
        if pid == 0 {
            let right = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
            // SAFETY: it ends the process.
            unsafe { libc::_exit(if right.unwrap_or(false) { 0 } else { 1 }) }
        }
        let (mut status, start) = (0, Instant::now());
        // SAFETY: `status` is a place for the result, and the child is ours.
        while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
            if start.elapsed() > Duration::from_secs(20) {
                // SAFETY: the child has not been waited for.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        status == 0
    }

    #[test]
    fn a_child_keeps_a_cache_unless_it_was_locked() {
        let cache = ForkMutex::<Vec<i32>>::new(Vec::new);
        cache.lock().push(1);
        assert!(child(|| *cache.lock() == [1] && child(|| *cache.lock() == [1])));
        let held = cache.lock();
        // As if another thread held it: the child does not use the guard.
        let in_child = || {
            cache.lock().push(2);
            *cache.lock() == [2] && child(|| *cache.lock() == [2])
        };
        assert!(child(in_child));
        drop(held);
        assert_eq!(*cache.lock(), [1]);
    }

    #[test]
    fn a_child_takes_memory_while_other_threads_do() {
        let (pool, done) = (Pool::new(), AtomicBool::new(false));
        let sizes = [64, 4096, 70 << 10, 3 << 20];
        let traffic = || {
            for (i, size) in (0..).zip(sizes.iter().cycle()) {
                let mut kept = pool.alloc(*size).unwrap();
                kept.bytes_mut()[0] = 1;
                if i % 50 == 0 {
                    pool.empty_cache();
                }
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        };
        let in_child = || {
            let buffers: Vec<_> = (0..5).flat_map(|_| sizes.map(|n| pool.alloc(n))).collect();
            let whole = buffers.iter().all(Option::is_some);
            drop(buffers);
            pool.empty_cache();
            pool.device_stats();
            whole && pool.child("of the child").alloc(100).is_some()
        };
        let right = std::thread::scope(|scope| {
            (0..3).for_each(|_| _ = scope.spawn(traffic));
            let right: Vec<bool> = (0..50).map(|_| child(in_child)).collect();
            done.store(true, Ordering::Relaxed);
            right
        });
        assert_eq!(right, [true; 50]);
    }

    #[test]
    fn a_child_gives_unused_memory_back() {
        let settings =
            crate::PoolSettings { max_unused: 1 << 30, max_age: Duration::from_millis(5) };
        let pool = Pool::with(crate::HostMemory::provider(), settings);
        let is_given_back = || {
            drop(pool.alloc(2 << 20));
            let start = Instant::now();
            while pool.device_stats().given_back.age == 0 && start.elapsed().as_secs() < 10 {
                std::thread::sleep(Duration::from_millis(1));
            }
            pool.device_stats().given_back.age > 0
        };
        drop(pool.alloc(1 << 20));
        // The parent's timer runs, and does not exist in the child.
        assert!(child(is_given_back));
    }
}
