//! Times of a model's operations.

use crate::config::ModelConfig;
use crate::invalid::ConfigError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use trident_engine::{OpTotal, Profiling};

/// The time from one measured run to the next, in milliseconds, where not all runs are measured.
const INTERVAL: u64 = 1000;

/// Which runs are measured: the parameter `time_operations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measured {
    Never,
    /// At most one in [`INTERVAL`], as a run that is measured waits for each step.
    Sampled,
    All,
}

/// Measures a model's operations.
#[derive(Debug)]
pub(crate) struct Operations {
    measured: Measured,
    start: Instant,
    /// When the next run is to be measured, in milliseconds after `start`.
    next: AtomicU64,
    totals: Mutex<Vec<OpTotal>>,
}

impl Operations {
    /// As the parameter says.
    pub(super) fn of(config: &ModelConfig) -> Result<Operations, ConfigError> {
        let choices =
            [("never", Measured::Never), ("sampled", Measured::Sampled), ("all", Measured::All)];
        let given = config.choice("time_operations", &choices, "`never`, `sampled` or `all`")?;
        let measured = given.unwrap_or(Measured::Sampled);
        let (start, next, totals) = (Instant::now(), AtomicU64::new(0), Mutex::default());
        Ok(Operations { measured, start, next, totals })
    }

    /// The measurements of the run that starts now.
    pub(crate) fn next(&self) -> Profiling {
        let now = || self.start.elapsed().as_millis() as u64;
        let is_due = |now| {
            let next = self.next.load(Relaxed);
            // If several runs start at the same time, one is measured.
            let claim = || self.next.compare_exchange(next, now + INTERVAL, Relaxed, Relaxed);
            next <= now && claim().is_ok()
        };
        match self.measured {
            Measured::All => Profiling::Totals,
            Measured::Sampled if is_due(now()) => Profiling::Totals,
            Measured::Sampled | Measured::Never => Profiling::Off,
        }
    }

    /// Whether a run that starts at this time is measured.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        let time = || now.saturating_duration_since(self.start).as_millis() as u64;
        match self.measured {
            Measured::All => true,
            Measured::Sampled => self.next.load(Relaxed) <= time(),
            Measured::Never => false,
        }
    }

    /// Adds a measured run.
    pub(crate) fn add(&self, run: Vec<OpTotal>) {
        if run.is_empty() {
            return;
        }
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        for OpTotal { op, device, count, duration } in run {
            OpTotal::add(&mut totals, op, &device, count, duration);
        }
    }

    /// The measurements so far.
    pub(super) fn totals(&self) -> Vec<OpTotal> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
