//! Points on streams that work passes.
//!
//! A stream's launches are numbered in the order in which they are submitted, and they end in that order: one number
//! for each stream, its [`Timeline`], tells how far it has come. A [`Fence`] is a stream with a number. That of a
//! launch which was over when it was submitted is on no stream and costs nothing.

use crate::KernelError;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// How far a stream has come. Devices make one for each stream and tell it when launches begin and end.
#[derive(Debug, Default)]
pub struct Timeline {
    /// Launches that have ended.
    passed: AtomicU64,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    submitted: u64,
    /// Launches that failed, by number.
    failed: BTreeMap<u64, KernelError>,
}

impl Timeline {
    /// The timeline of a stream that nothing was submitted to.
    pub fn new() -> Arc<Timeline> {
        Arc::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers one more launch and gives the fence behind it.
    pub fn submit(self: &Arc<Timeline>) -> Fence {
        let mut state = self.state();
        state.submitted += 1;
        Fence(Some((self.clone(), state.submitted)))
    }

    /// The fence behind all that was submitted so far.
    pub fn last(self: &Arc<Timeline>) -> Fence {
        let submitted = self.state().submitted;
        Fence((submitted > 0).then(|| (self.clone(), submitted)))
    }

    /// The next launch has ended. What it wrote and what it fails to give must be in place by now.
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

/// A point behind a launch on a stream. It is passed when the launch has ended, well or not.
#[derive(Clone, Debug, Default)]
pub struct Fence(Option<(Arc<Timeline>, u64)>);

impl Fence {
    /// A fence that is passed: behind what a synchronous device does.
    pub const PASSED: Fence = Fence(None);

    /// Whether the launch has ended.
    pub fn is_passed(&self) -> bool {
        match &self.0 {
            None => true,
            Some((timeline, number)) => timeline.passed.load(Ordering::Acquire) >= *number,
        }
    }

    /// Whether the fence is on this stream, so that what follows there comes after it anyway.
    pub fn is_on(&self, timeline: &Arc<Timeline>) -> bool {
        self.0.as_ref().is_some_and(|(own, _)| Arc::ptr_eq(own, timeline))
    }

    /// How the launch ended; `None` while it has not.
    pub fn outcome(&self) -> Option<Result<(), KernelError>> {
        let Some((timeline, number)) = &self.0 else { return Some(Ok(())) };
        if !self.is_passed() {
            return None;
        }
        Some(timeline.state().failed.get(number).cloned().map_or(Ok(()), Err))
    }

    /// Waits until the launch has ended, and tells how.
    pub fn wait(&self) -> Result<(), KernelError> {
        let Some((timeline, number)) = &self.0 else { return Ok(()) };
        let mut state = timeline.state();
        while timeline.passed.load(Ordering::Acquire) < *number {
            state = timeline.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.failed.get(number).cloned().map_or(Ok(()), Err)
    }

    /// As [`Fence::wait`], but no longer than until `deadline`: `None` if the launch has not ended by then.
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
