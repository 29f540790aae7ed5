//! The shares of models in the cores.
//!
//! Each model has a *virtual time*: the time that its runs have taken, divided by its weight. The model whose virtual time is least
//! is furthest behind its share, and goes next. A model that was idle does not save up time: it starts where the others are.

use crate::config::{ModelConfig, ModelPriority};
use crate::invalid::ConfigError;
use std::time::Instant;

/// The weight of a model without a share of its own.
const USUAL: u32 = 100;

/// The largest weight.
const MOST: u32 = 10_000;

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

/// The time that a model has had.
#[derive(Debug)]
pub(super) struct Share {
    weight: u32,
    /// Nanoseconds of virtual time, without the runs that have not ended.
    virtual_time: f64,
    /// When the runs that have not ended started.
    runs: Vec<Instant>,
}

impl Share {
    pub(super) fn new(weight: u32) -> Share {
        Share { weight, virtual_time: 0.0, runs: vec![] }
    }

    /// How many runs have not ended.
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The virtual time, with the runs that have not ended.
    pub(super) fn virtual_time(&self, now: Instant) -> f64 {
        let runs = self.runs.iter().map(|start| self.scaled(*start, now));
        self.virtual_time + runs.sum::<f64>()
    }

    /// Forgets the time that an idle model did not use.
    pub(super) fn catch_up(&mut self, to: f64) {
        self.virtual_time = self.virtual_time.max(to);
    }

    pub(super) fn start(&mut self, now: Instant) {
        self.runs.push(now);
    }

    /// Ends the run that started then.
    pub(super) fn end(&mut self, start: Instant, now: Instant) {
        if let Some(at) = self.runs.iter().position(|run| *run == start) {
            self.runs.swap_remove(at);
            self.virtual_time += self.scaled(start, now);
        }
    }

    fn scaled(&self, start: Instant, now: Instant) -> f64 {
        now.saturating_duration_since(start).as_nanos() as f64 / f64::from(self.weight)
    }
}
