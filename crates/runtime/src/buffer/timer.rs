//! The thread that returns memory to the system if it is unused for too long. It runs while there is unused memory.

use super::heap::Heap;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::Thread;
use std::time::Duration;

/// The timer's thread. Where it panics, another one can be started.
struct Running(Weak<Heap>);

impl Drop for Running {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(heap) = self.0.upgrade()
        {
            heap.timer.runs.store(false, Ordering::SeqCst);
        }
    }
}

/// Of a heap.
#[derive(Debug, Default)]
pub(super) struct Timer {
    /// Whether there is a thread.
    runs: AtomicBool,
    thread: Mutex<Option<Thread>>,
}

impl Timer {
    /// Ensures that the free memory of `heap` is returned in time.
    pub(super) fn watch(heap: &Arc<Heap>) {
        let runs = &heap.timer.runs;
        // Models have no time, and call what the thread does themselves.
        if cfg!(all(test, feature = "models")) || runs.load(Ordering::SeqCst) {
            return;
        }
        if runs.swap(true, Ordering::SeqCst) {
            return;
        }
        let weak = Arc::downgrade(heap);
        let first = Duration::from_millis(heap.age().into());
        let started = std::thread::Builder::new().name("trident-pool".into()).spawn(move || {
            let running = Running(weak);
            std::thread::park_timeout(first);
            while let Some(heap) = running.0.upgrade() {
                let due = heap.sweep();
                let Some(due) = due.or_else(|| heap.timer.ends(&heap)) else { return };
                drop(heap);
                std::thread::park_timeout(due);
            }
        });
        match started {
            Ok(handle) => *heap.timer.thread() = Some(handle.thread().clone()),
            // The next block that is given back tries again.
            Err(_) => runs.store(false, Ordering::SeqCst),
        }
    }

    /// The thread ends, unless something became free meanwhile: then it goes on, if no other one was started.
    fn ends(&self, heap: &Heap) -> Option<Duration> {
        self.runs.store(false, Ordering::SeqCst);
        let due = heap.sweep()?;
        (!self.runs.swap(true, Ordering::SeqCst)).then_some(due)
    }

    /// There is no thread in this process.
    #[cfg(not(all(test, feature = "models")))]
    pub(super) fn lose(&self) {
        self.runs.store(false, Ordering::SeqCst);
    }

    pub(super) fn thread(&self) -> std::sync::MutexGuard<'_, Option<Thread>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the thread when the heap is dropped, so that it ends.
    pub(super) fn end(&self) {
        self.thread().take().iter().for_each(Thread::unpark);
    }
}
