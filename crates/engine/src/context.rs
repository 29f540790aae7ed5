//! Parameters of a run besides its inputs.

use crate::error::PlanError;
use crate::profile::Profiling;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trident_runtime::{Handover, LaunchLimits, Tensor, Value};

/// How one run is executed. By default it has no time limit and uses all threads.
#[derive(Clone, Default)]
pub struct RunContext {
    /// Maximum duration, from the start of the run.
    pub time_limit: Option<Duration>,
    /// When the run must end; the earlier of both limits applies. Limits are checked between ops, between iterations,
    /// where the run waits, and by the CPU every few milliseconds within an op whose work is spread over threads or a loop of steps.
    pub deadline: Option<Instant>,
    /// Stops the run from outside; checked where limits are.
    pub cancel: Option<CancelFlag>,
    /// Has the run hand its core to others in the middle, and go on later, to the same bits. On the CPU, at most one run per core
    /// computes at a time, and the others wait. A suspended run keeps its memory; limits and [`RunContext::cancel`] still end it.
    /// It is asked before each op, and within an op where limits are checked.
    pub handover: Option<Arc<dyn Handover>>,
    /// Maximum number of threads; 0 for all threads of a device. Results do not depend on it.
    pub threads: usize,
    /// Memory for results, by name: the run writes results there and returns these tensors. They must not be shared, must not overlap
    /// inputs or each other, and must have the result's type. They may lie in memory of other owners ([`Tensor::in_foreign`]).
    pub outputs: Vec<(String, Tensor)>,
    /// Receives results before the run ends, except those that a [`State`](crate::State) stores.
    pub sink: Option<Arc<dyn Sink>>,
    /// The measurements of the run.
    pub profile: Profiling,
}

impl RunContext {
    /// A context with a time limit.
    pub fn within(limit: Duration) -> RunContext {
        RunContext { time_limit: Some(limit), ..RunContext::default() }
    }

    /// A context that measures each step.
    pub fn profiled() -> RunContext {
        RunContext { profile: Profiling::Steps, ..RunContext::default() }
    }

    /// The deadline if the run starts now; `None` without a limit.
    pub(crate) fn until(&self) -> Option<Deadline> {
        if self.time_limit.is_none() && self.deadline.is_none() {
            return None;
        }
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
        LaunchLimits { threads: self.threads }
    }
}

impl fmt::Debug for RunContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs: Vec<&String> = self.outputs.iter().map(|(name, _)| name).collect();
        f.debug_struct("RunContext")
            .field("time_limit", &self.time_limit)
            .field("deadline", &self.deadline)
            .field("cancel", &self.cancel)
            .field("handover", &self.handover.is_some())
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

/// A switch that stops runs; clones share its state.
#[derive(Clone, Default)]
pub struct CancelFlag(Arc<Flag>);

#[derive(Default)]
struct Flag {
    set: AtomicBool,
    /// Asked as long as the flag is not set.
    asked: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl CancelFlag {
    /// A flag that is not set.
    pub fn new() -> CancelFlag {
        CancelFlag::default()
    }

    /// A flag that is also set once `asked` returns true: for callers who keep the state elsewhere. A run asks before each op,
    /// and every millisecond while it waits.
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> CancelFlag {
        CancelFlag(Arc::new(Flag { set: AtomicBool::new(false), asked: Some(Box::new(asked)) }))
    }

    /// Stops the runs that use it.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Relaxed);
    }

    /// Whether it is set.
    pub fn is_cancelled(&self) -> bool {
        let Flag { set, asked } = &*self.0;
        if set.load(Ordering::Relaxed) {
            return true;
        }
        let now = asked.as_ref().is_some_and(|asked| asked());
        if now {
            self.cancel();
        }
        now
    }
}

impl fmt::Debug for CancelFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelFlag").field(&self.0.set.load(Ordering::Relaxed)).finish()
    }
}

/// An error if the flag is set.
pub(crate) fn go_on(cancel: Option<&CancelFlag>) -> Result<(), PlanError> {
    match cancel.is_some_and(CancelFlag::is_cancelled) {
        true => Err(PlanError::Cancelled),
        false => Ok(()),
    }
}

/// Receives results of a run as they become available, on the run's thread, which keeps its core meanwhile: a sink must
/// not wait for a run of another thread. To stop the run early, it sets the run's [`CancelFlag`].
pub trait Sink: Send + Sync {
    /// Called with part of the result of this name. Reading a tensor waits for its elements.
    fn partial(&self, output: &str, part: Partial<'_>);
}

/// Part of a result.
#[derive(Clone, Copy, Debug)]
pub enum Partial<'a> {
    /// The whole result.
    Whole(&'a Value),
    /// The output of one iteration of a loop or scan, for a result that stacks such slices.
    Slice {
        /// The iteration, starting at 0.
        iteration: usize,
        /// The slice.
        value: &'a Value,
    },
}
