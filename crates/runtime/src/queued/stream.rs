//! A thread that runs launches in order.

use super::Random;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Builder, Condvar, Mutex, MutexGuard, sleep};
use crate::{Fence, KernelError, Stream, Submitted, Timeline};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Maximum number of waiting launches; further submissions block, because waiting launches hold memory.
const MAX_WAITING: usize = 64;

/// Runs a launch on a stream of the inner device.
type Task = Box<dyn FnOnce(&dyn Stream) -> Result<(), KernelError> + Send>;

/// The queue of a [`Queued`](super::Queued) device. Its thread ends when the stream is dropped and all launches have
/// run.
pub struct QueuedStream(Arc<Shared>);

struct Shared {
    timeline: Arc<Timeline>,
    /// The inner device's stream, on which launches run.
    inner: Arc<dyn Stream>,
    queue: Mutex<Queue>,
    changed: Condvar,
    cancelled: AtomicBool,
}

struct Queue {
    tasks: VecDeque<Task>,
    random: Random,
    max_delay: Duration,
    /// Whether a thread takes tasks.
    served: bool,
    closed: bool,
}

impl QueuedStream {
    pub(super) fn start(inner: Arc<dyn Stream>, random: Random, max_delay: Duration) -> Self {
        let queue =
            Queue { tasks: VecDeque::new(), random, max_delay, served: false, closed: false };
        let shared = Arc::new(Shared {
            timeline: Timeline::new(),
            inner,
            queue: Mutex::new(queue),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
        });
        let worker = shared.clone();
        let started = Builder::new().name("trident-queued".into()).spawn(move || worker.work());
        // If the system refuses to start a thread, launches run when they are submitted.
        shared.queue().served = started.is_ok();
        QueuedStream(shared)
    }

    /// Numbers a launch and appends it to the queue; `make` gets its fence and returns what to run.
    pub(super) fn submit(&self, make: impl FnOnce(Fence) -> (Task, Submitted)) -> Submitted {
        let shared = &self.0;
        let mut queue = shared.queue();
        while queue.tasks.len() >= MAX_WAITING {
            queue = shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let (task, submitted) = make(shared.timeline.submit());
        if queue.served {
            queue.tasks.push_back(task);
            drop(queue);
            shared.changed.notify_all();
        } else {
            shared.run(task);
        }
        submitted
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        loop {
            let mut queue = self.queue();
            let task = loop {
                match queue.tasks.pop_front() {
                    Some(task) => break task,
                    None if queue.closed => return,
                    None => {
                        queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                    }
                }
            };
            let most = u64::try_from(queue.max_delay.as_nanos()).unwrap_or(u64::MAX);
            // About half of the launches follow at once, so that both prompt and delayed ones are tested.
            let delay = queue.random.below(2) * queue.random.below(most);
            drop(queue);
            self.changed.notify_all();
            if delay > 0 && !self.cancelled.load(Ordering::Relaxed) {
                sleep(Duration::from_nanos(delay));
            }
            self.run(task);
        }
    }

    /// Runs a task, or drops it if the stream is cancelled. Everything it holds is released before its fence is passed.
    fn run(&self, task: Task) {
        let outcome = match self.cancelled.load(Ordering::Relaxed) {
            true => {
                drop(task);
                Err(KernelError::Cancelled)
            }
            false => KernelError::caught(|| task(&*self.inner)),
        };
        self.timeline.end(outcome);
    }
}

impl Stream for QueuedStream {
    fn fence(&self) -> Fence {
        self.0.timeline.last()
    }

    fn is_synchronous(&self) -> bool {
        false
    }

    fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
        self.0.inner.cancel();
    }
}

impl Drop for QueuedStream {
    fn drop(&mut self) {
        self.0.queue().closed = true;
        self.0.changed.notify_all();
    }
}
