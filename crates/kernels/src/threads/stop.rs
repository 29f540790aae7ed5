//! The end of a run in the middle of its work: its thread asks from time to time whether it has to stop.
//!
//! Work that has to stop unwinds with [`Stopped`], as it would by a panic, so that no kernel returns results that it has computed in
//! part. Only the thread of the run asks; workers read its answer. An answer is final: all later work of the run stops, too. A run
//! inside another one stops with the outer one.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ThreadRequest;
use super::executor::Executor;
use super::handover::Suspension;
use crate::sync::{self, AtomicBool, AtomicU64, MODELS, Ordering};

/// Tells whether work has to stop. It is called on the thread of the run.
pub type StopQuestion = Arc<dyn Fn() -> bool + Send + Sync>;

/// The work has ended early, because its run has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// The shortest time between two questions. Time does not pass in models.
const PAUSE: Duration = Duration::from_millis(if MODELS { 0 } else { 5 });

/// The most tasks of a job between two looks at the clock.
const MOST_TASKS: u32 = 32;

sync::thread_local! {
    /// The run that this thread works for, if it can be stopped.
    static HERE: RefCell<Option<Watcher>> = const { RefCell::new(None) };
}

/// Whether a run has to stop.
struct Watch {
    until: Option<Instant>,
    check: Option<StopQuestion>,
    suspension: Option<Suspension>,
    start: Instant,
    /// When the question was asked last, in nanoseconds since the start.
    asked: AtomicU64,
    stopped: AtomicBool,
}

impl Watch {
    fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Asks, unless it has just been asked.
    fn ask(&self) -> bool {
        if self.has_stopped() {
            return true;
        }
        let now = self.start.elapsed();
        let asked = Duration::from_nanos(self.asked.load(Ordering::Relaxed));
        if now.saturating_sub(asked) < PAUSE {
            return false;
        }
        self.asked.store(now.as_nanos() as u64, Ordering::Relaxed);
        let late = self.until.is_some_and(|until| self.start + now >= until);
        let stops = late || self.check.as_ref().is_some_and(|check| check());
        if stops {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stops
    }
}

/// A thread's part in watching a run.
#[derive(Clone)]
pub(super) struct Watcher {
    watch: Arc<Watch>,
    /// Whether this is the run's thread, which asks.
    asks: bool,
}

impl Watcher {
    /// The watcher of a run that begins on this thread; `None` if nothing can stop or suspend the run.
    pub(super) fn new(executor: &Arc<Executor>, request: &ThreadRequest) -> Option<Watcher> {
        let (until, check) = (request.until, request.stop.clone());
        let suspension = Suspension::of(executor, request);
        if until.is_none() && check.is_none() && suspension.is_none() {
            return None;
        }
        let (start, asked, stopped) = (Instant::now(), AtomicU64::new(0), AtomicBool::new(false));
        let watch = Arc::new(Watch { until, check, suspension, start, asked, stopped });
        Some(Watcher { watch, asks: true })
    }

    /// The watcher of the run that this thread works for.
    pub(super) fn of_thread() -> Option<Watcher> {
        HERE.with(|here| here.borrow().clone())
    }

    /// The watcher of a worker of the run.
    pub(super) fn of_worker(&self) -> Watcher {
        Watcher { watch: Arc::clone(&self.watch), asks: false }
    }

    /// Whether the run has been found to have to stop.
    pub(super) fn has_stopped(&self) -> bool {
        self.watch.has_stopped()
    }

    /// Whether the run has to stop. The run's thread asks, unless it has just asked.
    pub(super) fn stops(&self) -> bool {
        if self.asks { self.watch.ask() } else { self.has_stopped() }
    }

    /// Whether this thread has to hand the run's core over.
    pub(super) fn is_due(&self) -> bool {
        self.asks && self.watch.suspension.as_ref().is_some_and(Suspension::is_due)
    }

    /// Suspends the run of this thread, unless it has a job open.
    pub(super) fn give_way(&self) {
        if let Some(suspension) = &self.watch.suspension
            && !suspension.suspend(&|| self.watch.ask())
        {
            self.watch.stopped.store(true, Ordering::Relaxed);
        }
    }
}

/// While it lives, this thread works for a run. It restores what was before.
pub(super) struct Watched(Option<Watcher>);

impl Watched {
    pub(super) fn by(watcher: Watcher) -> Watched {
        Watched(HERE.with(|here| here.replace(Some(watcher))))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let before = self.0.take();
        // At the end of a thread, there may be none.
        let _ = HERE.try_with(|here| here.replace(before));
    }
}

/// Hands the core of this thread's run to another one, if that is due. It does nothing on other threads of the run, and where the run
/// has a job open. No lock may be held that another run needs.
pub fn give_way() {
    // Whatever runs meanwhile on this thread has watchers of its own.
    let due = HERE.with(|here| here.borrow().as_ref().filter(|watcher| watcher.is_due()).cloned());
    due.iter().for_each(Watcher::give_way);
}

/// Whether the run that this thread works for has to stop. It may [give way](give_way). For code that cannot unwind; other long
/// loops call [`checkpoint`].
pub fn has_to_stop() -> bool {
    give_way();
    HERE.with(|here| here.borrow().as_ref().is_some_and(Watcher::stops))
}

/// Ends the work of this thread by unwinding if its run has to stop, and [gives way](give_way) if that is due. For loops that take long and are not spread over threads: it
/// takes about 30 ns.
pub fn checkpoint() {
    if has_to_stop() {
        unwind();
    }
}

pub(super) fn unwind() -> ! {
    resume_unwind(Box::new(Stopped))
}

/// Calls `work`, and returns an error if it was stopped. Panics go on.
pub fn stoppable<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    catch_unwind(AssertUnwindSafe(work)).or_else(|payload| match payload.downcast::<Stopped>() {
        Ok(stopped) => Err(*stopped),
        Err(panic) => resume_unwind(panic),
    })
}

/// How often a member of a job looks at the clock: less and less often while tasks are short.
pub(super) struct Pace<'a> {
    watcher: Option<&'a Watcher>,
    /// Tasks until the next look, and between two looks.
    left: u32,
    between: u32,
}

impl<'a> Pace<'a> {
    pub(super) fn new(watcher: Option<&'a Watcher>) -> Pace<'a> {
        // Nothing has been done before the first task.
        Pace { watcher, left: 2, between: 1 }
    }

    /// Whether to hand the core over.
    pub(super) fn is_due(&self) -> bool {
        self.watcher.is_some_and(Watcher::is_due)
    }

    pub(super) fn give_way(&self) {
        self.watcher.into_iter().for_each(Watcher::give_way);
    }

    /// Whether to stop before the next task.
    pub(super) fn stops(&mut self) -> bool {
        let Some(Watcher { watch, asks }) = self.watcher else { return false };
        self.left = self.left.saturating_sub(1);
        if !asks || self.left > 0 {
            return watch.has_stopped();
        }
        let before = watch.asked.load(Ordering::Relaxed);
        let stops = watch.ask();
        let is_slow = watch.asked.load(Ordering::Relaxed) != before;
        self.between = if is_slow { 1 } else { (2 * self.between).min(MOST_TASKS) };
        self.left = self.between;
        stops
    }
}
