//! Fences: points on a stream that are passed as work completes.
//!
//! A stream's launches are numbered in the order of submission and end in that order, so one number per stream, its
//! [`Timeline`], records its progress. A [`Fence`] is a stream with a number. The fence of a launch that had already
//! ended when its submission returned refers to no stream and costs nothing.

use crate::KernelError;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// The progress of a stream. A device creates one for each stream and reports submitted and ended launches to it.
#[derive(Debug, Default)]
pub struct Timeline {
    /// Number of launches that have ended.
    passed: AtomicU64,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    submitted: u64,
    /// Errors of failed launches, by number.
    failed: BTreeMap<u64, KernelError>,
}

impl Timeline {
    /// The timeline of a stream without submissions.
    pub fn new() -> Arc<Timeline> {
        Arc::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements, so a panic elsewhere does not invalidate it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers one more launch and returns its fence.
    pub fn submit(self: &Arc<Timeline>) -> Fence {
        let mut state = self.state();
        state.submitted += 1;
        Fence(Some((self.clone(), state.submitted)))
    }

    /// The fence after everything submitted so far.
    pub fn last(self: &Arc<Timeline>) -> Fence {
        let submitted = self.state().submitted;
        Fence((submitted > 0).then(|| (self.clone(), submitted)))
    }

    /// Records that the next launch has ended. Everything it wrote, and its error if it failed, must be in place.
    pub fn end(&self, outcome: Result<(), KernelError>) {
        let mut state = self.state();
        let number = self.passed.load(Ordering::Relaxed) + 1;
        debug_assert!(number <= state.submitted, "a launch ends that was not submitted");
        if let Err(error) = outcome {
            state.failed.insert(number, error);
        }
        self.passed.store(number, Ordering::Release);
        drop(state);
        self.ended.notify_all();
    }
}

/// A point after a launch on a stream. It is passed when the launch has ended, successfully or not.
#[derive(Clone, Debug, Default)]
pub struct Fence(Option<(Arc<Timeline>, u64)>);

impl Fence {
    /// A fence that has been passed, as after the work of a synchronous device.
    pub const PASSED: Fence = Fence(None);

    /// Whether the launch has ended.
    pub fn is_passed(&self) -> bool {
        match &self.0 {
            None => true,
            Some((timeline, number)) => timeline.passed.load(Ordering::Acquire) >= *number,
        }
    }

    /// Whether the fence is on this stream, so that later submissions there follow it anyway.
    pub fn is_on(&self, timeline: &Arc<Timeline>) -> bool {
        self.0.as_ref().is_some_and(|(own, _)| Arc::ptr_eq(own, timeline))
    }

    /// The launch's outcome; `None` while it has not ended.
    pub fn outcome(&self) -> Option<Result<(), KernelError>> {
        let Some((timeline, number)) = &self.0 else { return Some(Ok(())) };
        if !self.is_passed() {
            return None;
        }
        Some(timeline.state().failed.get(number).cloned().map_or(Ok(()), Err))
    }

    /// Waits until the launch has ended, and returns its outcome.
    pub fn wait(&self) -> Result<(), KernelError> {
        let Some((timeline, number)) = &self.0 else { return Ok(()) };
        let mut state = timeline.state();
        while timeline.passed.load(Ordering::Acquire) < *number {
            state = timeline.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.failed.get(number).cloned().map_or(Ok(()), Err)
    }

    /// Like [`Fence::wait`], but only until `deadline`: `None` if the launch has not ended by then.
    pub fn wait_until(&self, deadline: Instant) -> Option<Result<(), KernelError>> {
        let Some((timeline, number)) = &self.0 else { return Some(Ok(())) };
        let mut state = timeline.state();
        while timeline.passed.load(Ordering::Acquire) < *number {
            let left = deadline.checked_duration_since(Instant::now()).filter(|t| !t.is_zero())?;
            let wait = timeline.ended.wait_timeout(state, left);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(state.failed.get(number).cloned().map_or(Ok(()), Err))
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_fence_passes_when_its_launch_ends_and_keeps_the_outcome() {
        let timeline = Timeline::new();
        assert!(timeline.last().is_passed());
        let fences = [timeline.submit(), timeline.submit(), timeline.submit()];
        assert!(fences.iter().all(|f| !f.is_passed() && f.outcome().is_none()));
        let soon = Instant::now() + Duration::from_millis(2);
        assert_eq!(fences[0].wait_until(soon), None);
        timeline.end(Ok(()));
        timeline.end(Err(KernelError::shape("wrong")));
        assert_eq!(fences[0].outcome(), Some(Ok(())));
        assert_eq!(fences[1].wait(), Err(KernelError::shape("wrong")));
        assert!(!fences[2].is_passed() && !timeline.last().is_passed());
        timeline.end(Ok(()));
        assert_eq!(fences[2].wait(), Ok(()));
        assert!(fences[0].is_on(&timeline) && !fences[0].is_on(&Timeline::new()));
        assert!(Fence::PASSED.is_passed() && Fence::PASSED.wait().is_ok());
    }

    #[test]
    fn waiting_threads_are_woken() {
        let timeline = Timeline::new();
        let fences = [timeline.submit(), timeline.submit()];
        std::thread::scope(|scope| {
            for fence in &fences {
                scope.spawn(|| fence.wait().unwrap());
            }
            timeline.end(Ok(()));
            timeline.end(Ok(()));
        });
    }
}
