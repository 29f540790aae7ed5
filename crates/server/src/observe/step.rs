//! The trace of one request that an ensemble makes.

use std::time::Instant;

use trident_serving::Timing;

use super::points::Point;
use super::record::Record;
use super::traced::TracedTensor;

/// A request to a model as a step.
pub(super) struct TracedStep {
    pub(super) id: u64,
    pub(super) parent: u64,
    pub(super) model: String,
    pub(super) version: u64,
    pub(super) submitted: Instant,
    pub(super) answered: Option<Instant>,
    pub(super) timing: Option<Timing>,
    pub(super) points: Vec<Point>,
    pub(super) error: Option<String>,
    pub(super) tensors: Vec<TracedTensor>,
}

impl TracedStep {
    /// The step as traces show it, for a request of this name.
    pub(super) fn record<'a>(&'a self, request: &'a str) -> Record<'a> {
        Record {
            id: self.id,
            parent: Some(self.parent),
            model: &self.model,
            version: Some(self.version),
            request,
            points: &self.points,
            tensors: &self.tensors,
        }
    }

    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    pub(super) fn add(&mut self, tensor: Option<TracedTensor>, room: &mut usize) {
        let Some(tensor) = tensor else { return };
        *room = room.saturating_sub(tensor.size());
        self.tensors.push(tensor);
    }
}
