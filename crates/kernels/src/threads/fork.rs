//! Forks of the process: a child has only the thread that called `fork`, so the workers and the other runs of its parent
//! do not exist there.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use super::executor::Executor;

/// Number of forks between the first process that used an executor and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The generation of this process: it differs between a parent and its child.
pub(super) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Sees to it that children of this process notice that they were forked.
pub(super) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler stays loaded, as this is part of the library or program that registers it, and it calls
        // nothing that another thread might have been in at the fork: it writes to atomics and to a variable of its
        // thread that has no destructor. A failure, for lack of memory, leaves children as they were before.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    Executor::forget_of_process();
}
