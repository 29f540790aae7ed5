//! The trace of a request.

use std::sync::Arc;

use trident_serving::RequestWatch;

use super::client_span::ClientSpan;
use super::points::{Clock, Point};
use super::record::Record;
use super::step::TracedStep;
use super::steps::TracedSteps;
use super::traced::TracedTensor;
use crate::infer::{AnswerTensor, InferInput};
use crate::json::Writer;
use crate::memory::Regions;
use crate::server::Server;
use crate::settings::{Sampled, TraceLevel, Traces};

/// The bytes of tensors that a trace may have. Streams have any number of answers.
pub(super) const ROOM: usize = 1 << 20;

/// The trace of a request.
pub(super) struct Trace {
    pub(super) ticket: Sampled,
    /// The client's span that the request belongs to.
    pub(super) parent: Option<ClientSpan>,
    /// When the request passed the parts of the server: names, and nanoseconds since 1970.
    pub(super) points: Vec<Point>,
    pub(super) tensors: Vec<TracedTensor>,
    /// The bytes of further tensors that it may have.
    pub(super) room: usize,
    /// The steps of the request, from the time when its model gets it.
    pub(super) steps: Option<Arc<TracedSteps>>,
}

/// The facts about a request that its trace shows.
pub(super) struct TraceFacts<'a> {
    pub(super) id: &'a str,
    pub(super) model: &'a str,
    pub(super) version: Option<u64>,
    pub(super) status: &'a str,
    pub(super) error: Option<&'a str>,
}

impl Trace {
    /// The trace of a request for a model, if it is its turn.
    pub(super) fn of(traces: &Traces, model: &str, parent: Option<ClientSpan>) -> Option<Trace> {
        let ticket = traces.sample(model, parent.as_ref().map(|parent| parent.is_sampled))?;
        Some(Trace::new(ticket, parent))
    }

    pub(super) fn new(ticket: Sampled, parent: Option<ClientSpan>) -> Trace {
        Trace { ticket, parent, points: vec![], tensors: vec![], room: ROOM, steps: None }
    }

    /// Whether it has contents of this kind.
    pub(super) fn shows(&self, level: TraceLevel) -> bool {
        self.ticket.levels.contains(&level)
    }

    /// A watch over the request.
    pub(super) fn watch(&mut self, server: &Arc<Server>) -> Arc<dyn RequestWatch> {
        let has_tensors = self.shows(TraceLevel::Tensors);
        let new = || TracedSteps::new(Arc::clone(server), has_tensors);
        self.steps.get_or_insert_with(new).watch(self.ticket.id)
    }

    /// The requests to steps, once the request has ended.
    pub(super) fn end_steps(&self, clock: &Clock) -> Vec<TracedStep> {
        self.steps.as_ref().map(|steps| steps.end(clock)).unwrap_or_default()
    }

    pub(super) fn add_inputs(&mut self, inputs: &[InferInput], regions: &Regions) {
        if self.shows(TraceLevel::Tensors) {
            for input in inputs {
                self.add(TracedTensor::of_input(input, regions, self.room));
            }
        }
    }

    pub(super) fn add_outputs(&mut self, outputs: &[AnswerTensor]) {
        if self.shows(TraceLevel::Tensors) {
            for output in outputs {
                self.add(TracedTensor::of_output(output, self.room));
            }
        }
    }

    fn add(&mut self, tensor: Option<TracedTensor>) {
        let Some(tensor) = tensor else { return };
        self.room = self.room.saturating_sub(tensor.size());
        self.tensors.push(tensor);
    }

    /// The objects of the trace and of those of its steps in the form of the Triton Inference Server, separated by commas.
    pub(super) fn json(&self, facts: &TraceFacts<'_>, steps: &[TracedStep]) -> Vec<u8> {
        let mut writer = Writer::new(vec![]);
        let has_times = self.shows(TraceLevel::Timestamps);
        self.record(facts).write(&mut writer, has_times);
        for step in steps {
            step.record(facts.id).write(&mut writer, has_times);
        }
        writer.finish()
    }

    /// The request itself.
    pub(super) fn record<'a>(&'a self, facts: &TraceFacts<'a>) -> Record<'a> {
        let TraceFacts { id: request, model, version, .. } = *facts;
        let Trace { points, tensors, .. } = self;
        Record { id: self.ticket.id, parent: None, model, version, request, points, tensors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_serving::DataType;

    #[test]
    fn tensors_have_little_room() {
        let ticket = Sampled { id: 1, levels: vec![TraceLevel::Tensors], frequency: 0 };
        let mut trace = Trace::new(ticket, None);
        let output = |count: usize| AnswerTensor {
            name: "OUT".to_owned(),
            data_type: DataType::Uint8,
            shape: vec![count as i64],
            data: Some(vec![7; count].into()),
        };
        trace.add_outputs(&[output(2), output(ROOM + 1), output(3)]);
        let facts = TraceFacts { id: "", model: "m", version: None, status: "", error: None };
        let text = format!("[{}]", String::from_utf8(trace.json(&facts, &[])).unwrap());
        let objects: serde_json::Value = serde_json::from_str(&text).unwrap();
        let data = [1, 2, 3].map(|at: usize| objects[at]["tensor"]["data"].as_str().unwrap());
        assert_eq!(data, ["7,7", "", "7,7,7"]);
        for _ in 0..ROOM / 64 {
            trace.add_outputs(&[output(1)]);
        }
        assert!(trace.tensors.len() < ROOM / 64 && trace.room < 128, "{}", trace.room);
    }
}
