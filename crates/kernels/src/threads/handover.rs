//! Runs that hand their core to another run, and go on later.
//!
//! A run can be suspended where it has no job open: between ops, between the tasks of a job, and at a [`checkpoint`](super::checkpoint)
//! of a loop on one thread. It leaves its place in the admission, waits, and enters again as a new run does. It has computed whole
//! tasks only, and a task's result depends on its number only, so results keep their bits. Inside a task of a job with workers nothing
//! is suspended: workers may wait for what the task makes. A run that waits still asks whether it has to stop.

use std::sync::Arc;

use super::ThreadRequest;
use super::executor::Executor;

/// Decides when a run hands its core to others, and when it goes on.
pub trait CoreHandover: Send + Sync {
    /// Whether the run has to hand its core over. It is asked between all tasks, so it must take little time.
    fn is_due(&self) -> bool;

    /// Returns when the run may go on. It is called on the thread of the run, which has no core meanwhile. It has to call
    /// `has_to_stop` every few milliseconds, and to return soon after that is true.
    fn wait(&self, has_to_stop: &dyn Fn() -> bool);
}

/// The way in which a run is suspended.
pub(super) struct Suspension {
    executor: Arc<Executor>,
    handover: Arc<dyn CoreHandover>,
    /// How it enters again.
    request: ThreadRequest,
}

impl Suspension {
    pub(super) fn of(executor: &Arc<Executor>, request: &ThreadRequest) -> Option<Suspension> {
        let handover = Arc::clone(request.handover.as_ref()?);
        Some(Suspension { executor: Arc::clone(executor), handover, request: request.clone() })
    }

    pub(super) fn is_due(&self) -> bool {
        self.handover.is_due()
    }

    /// Suspends the run of this thread. False if it did not get a core again, because it has to stop.
    pub(super) fn suspend(&self, has_to_stop: &dyn Fn() -> bool) -> bool {
        self.executor.hand_over(&self.request, || self.handover.wait(has_to_stop))
    }
}
