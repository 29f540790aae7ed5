//! The role of a thread: outside of runs, in a run, or in a job.

use std::cell::Cell;

use crate::sync;

sync::thread_local! {
    /// The current role of this thread.
    pub(super) static HERE: Cell<Here> = const { Cell::new(Here::Outside) };

    /// The number of runs that have begun on this thread.
    pub(super) static RUNS: Cell<u64> = const { Cell::new(0) };
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Here {
    Outside,
    Run(InRun),
    /// In a job: inside a task, or the run's thread while the job is open. Nested jobs run inline.
    Job,
}

/// A run on its thread, while it has no job open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct InRun {
    /// The address of its executor.
    pub(super) executor: usize,
    /// Its number among the runs of this thread.
    pub(super) number: u64,
    /// Its place in the admission; `None` while it has handed its core to others.
    pub(super) place: Option<usize>,
}

/// While it lives, this thread is in a job.
pub(super) struct InJob(Here);

impl InJob {
    pub(super) fn enter() -> InJob {
        InJob(HERE.with(|here| here.replace(Here::Job)))
    }
}

impl Drop for InJob {
    fn drop(&mut self) {
        HERE.with(|here| here.set(self.0));
    }
}
