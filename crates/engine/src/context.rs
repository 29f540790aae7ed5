//! What a run is given beside its inputs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trident_runtime::{LaunchLimits, Tensor, Value};

/// How one run is made. By default it takes as long as it takes, on all threads.
#[derive(Clone, Default)]
pub struct RunContext {
    /// Longest time from the start of the run.
    pub time_limit: Option<Duration>,
    /// When the run has to be over; the earlier of both limits counts. They are looked at between ops, between iterations
    /// and where the run waits.
    pub deadline: Option<Instant>,
    /// Stops the run from outside, where limits are looked at.
    pub cancel: Option<CancelFlag>,
    /// Of the runs that wait for a device, those of a higher number go first. On the CPU as many runs compute at a time as
    /// there are cores, and while one of a higher number does, the others have a single thread each.
    pub priority: i32,
    /// Most threads to use; 0 for all of a device. Results do not depend on it.
    pub threads: usize,
    /// Memory for results, by name: the run writes them there and gives these tensors back. Nobody else may hold them,
    /// and they must be of the result's type.
    pub outputs: Vec<(String, Tensor)>,
    /// Gets results before the run is over.
    pub sink: Option<Arc<dyn Sink>>,
    /// Whether to take the time of each step. The run then waits for each.
    pub profile: bool,
}

impl RunContext {
    /// A context with a time limit.
    pub fn within(limit: Duration) -> RunContext {
        RunContext { time_limit: Some(limit), ..RunContext::default() }
    }

    /// A context that takes the time of each step.
    pub fn profiled() -> RunContext {
        RunContext { profile: true, ..RunContext::default() }
    }

    /// When the run has to be over, if it starts now.
    pub(crate) fn until(&self) -> Option<Deadline> {
        let now = Instant::now();
        let limited = self.time_limit.and_then(|limit| now.checked_add(limit));
        let at = [limited, self.deadline].into_iter().flatten().min()?;
        let limit = match self.time_limit {
            Some(limit) if limited == Some(at) => limit,
            _ => at.saturating_duration_since(now),
        };
        Some(Deadline { at, limit })
    }

    pub(crate) fn launch_limits(&self) -> LaunchLimits {
        LaunchLimits { threads: self.threads, priority: self.priority }
    }
}

impl fmt::Debug for RunContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs: Vec<&String> = self.outputs.iter().map(|(name, _)| name).collect();
        f.debug_struct("RunContext")
            .field("time_limit", &self.time_limit)
            .field("deadline", &self.deadline)
            .field("cancel", &self.cancel)
            .field("priority", &self.priority)
            .field("threads", &self.threads)
            .field("outputs", &outputs)
            .field("sink", &self.sink.is_some())
            .field("profile", &self.profile)
            .finish()
    }
}

/// A time limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) limit: Duration,
}

/// A switch that stops runs; clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// A flag that is not set.
    pub fn new() -> CancelFlag {
        CancelFlag::default()
    }

    /// Stops the runs that have it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Gets results of a run as they come, on the thread of the run, which waits meanwhile and keeps its core: a sink must not
/// wait for a run of another thread. To stop the run early, it sets the run's [`CancelFlag`].
pub trait Sink: Send + Sync {
    /// Part of the result of this name. Reading a tensor waits for its elements.
    fn partial(&self, output: &str, part: Partial<'_>);
}

/// Part of a result.
#[derive(Clone, Copy, Debug)]
pub enum Partial<'a> {
    /// All of it.
    Whole(&'a Value),
    /// What one iteration of a loop or scan yields for a result that stacks such slices.
    Slice {
        /// The iteration, from 0.
        iteration: usize,
        /// The slice.
        value: &'a Value,
    },
}
