//! The shares of models in the cores.
//!
//! Each model has a *virtual time*: the time that its runs have taken, divided by its weight. The model whose virtual time is least
//! is furthest behind its share, and goes next. A model that was idle does not save up time: it starts where the others are, with a
//! small credit, so that short runs of a model that needs less than its share do not wait. A run whose model is ahead of a waiting
//! one hands its core over.

use crate::config::{ModelConfig, ModelPriority};
use crate::invalid::ConfigError;
use std::time::{Duration, Instant};

/// The weight of a model without a share of its own.
const USUAL: u32 = 100;

/// The largest weight.
const MOST: u32 = 10_000;

/// The nanoseconds of a core by which a model may be ahead of a waiting one until its runs are suspended. Two saturated models then take
/// turns of twice this time, in which they fill the caches again.
const SLACK: f64 = 5e6;

/// The nanoseconds of a core that a model has in advance which was idle. More than the slack, so that it goes at once.
const CREDIT: f64 = 4.0 * SLACK;

/// How long a model may be idle without losing what it is behind.
const MOMENT: Duration = Duration::from_secs(1);

/// The weight of a model: the parameter `share`, or else that of `optimization.priority`.
pub(super) fn weight(config: &ModelConfig) -> Result<u32, ConfigError> {
    if let Some(value) = config.parameter("share") {
        let share = value.parse().ok().filter(|share| (1..=MOST).contains(share));
        return share.ok_or_else(|| ConfigError::Parameter {
            model: config.name.clone(),
            key: "share".into(),
            value: value.into(),
            ty: "a whole number from 1 to 10000",
        });
    }
    let priority = config.optimization.as_ref().map(|optimization| optimization.priority);
    Ok(match priority.unwrap_or_default() {
        ModelPriority::Max => 4 * USUAL,
        ModelPriority::Default => USUAL,
        ModelPriority::Min => USUAL / 4,
    })
}

/// The share of a model in the cores, and the time that it has had of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreUse {
    /// The weight of its share, 1 to 10000: among models that always have requests, time is divided in proportion to it.
    pub weight: u32,
    /// How long its runs have had cores since it was loaded, with the runs that have not ended. It does not count the cores without
    /// other work that join a run.
    pub time: Duration,
}

/// The time that a model has had.
#[derive(Debug)]
pub(super) struct Share {
    weight: u32,
    /// The time of the runs that have ended, and of the ended turns of those that were suspended.
    time: Duration,
    /// Nanoseconds of virtual time, without the runs that have not ended.
    virtual_time: f64,
    /// Since when the runs that have not ended have their cores.
    runs: Vec<Instant>,
    /// How many runs are suspended.
    suspended: usize,
    /// When a run ended last.
    ended: Option<Instant>,
}

impl Share {
    pub(super) fn new(weight: u32) -> Share {
        Share {
            weight,
            time: Duration::ZERO,
            virtual_time: 0.0,
            runs: vec![],
            suspended: 0,
            ended: None,
        }
    }

    /// Its weight, and the time of cores so far.
    pub(super) fn core_use(&self, now: Instant) -> CoreUse {
        let runs = self.runs.iter().map(|start| now.saturating_duration_since(*start));
        CoreUse { weight: self.weight, time: self.time + runs.sum::<Duration>() }
    }

    /// How many runs have not ended.
    pub(super) fn runs(&self) -> usize {
        self.runs.len() + self.suspended
    }

    /// The time until the virtual time is this, if the model keeps its cores; `None` if it has none.
    pub(super) fn time_until(&self, then: f64, now: Instant) -> Option<Duration> {
        let rest = (then - self.virtual_time(now)) * f64::from(self.weight);
        let runs = (!self.runs.is_empty()).then_some(self.runs.len() as f64)?;
        // A little more, so that it is ahead by then.
        Some(Duration::from_nanos(if rest <= 0.0 { 0 } else { (rest / runs) as u64 + 1000 }))
    }

    /// The virtual time, with the runs that have not ended.
    pub(super) fn virtual_time(&self, now: Instant) -> f64 {
        let runs = self.runs.iter().map(|start| self.scaled(*start, now));
        self.virtual_time + runs.sum::<f64>()
    }

    /// Whether its last run ended a moment ago.
    pub(super) fn is_back(&self, now: Instant) -> bool {
        self.ended.is_some_and(|ended| now.saturating_duration_since(ended) < MOMENT)
    }

    /// Forgets the time that an idle model did not use, but for its credit.
    pub(super) fn catch_up(&mut self, to: f64) {
        self.virtual_time = self.virtual_time.max(to - CREDIT / f64::from(self.weight));
    }

    /// The virtual time by which it may be ahead of another model that waits. It is that of the larger weight: with less, turns would be
    /// too short, and with more, a model of a large weight would wait for one of a small weight.
    pub(super) fn slack(&self, other: &Share) -> f64 {
        SLACK / f64::from(self.weight.max(other.weight))
    }

    pub(super) fn start(&mut self, now: Instant) {
        self.runs.push(now);
    }

    /// Ends the run that has had its core since then.
    pub(super) fn end(&mut self, start: Instant, now: Instant) {
        if let Some(at) = self.runs.iter().position(|run| *run == start) {
            self.runs.swap_remove(at);
            self.virtual_time += self.scaled(start, now);
            self.time += now.saturating_duration_since(start);
            self.ended = Some(now);
        }
    }

    /// Suspends the run that has had its core since then.
    pub(super) fn suspend(&mut self, since: Instant, now: Instant) {
        self.end(since, now);
        self.suspended += 1;
    }

    /// Gives a suspended run a core.
    pub(super) fn resume(&mut self, now: Instant) {
        self.suspended -= 1;
        self.start(now);
    }

    /// Ends a run that was suspended.
    pub(super) fn wake(&mut self) {
        self.suspended -= 1;
    }

    fn scaled(&self, start: Instant, now: Instant) -> f64 {
        now.saturating_duration_since(start).as_nanos() as f64 / f64::from(self.weight)
    }
}
