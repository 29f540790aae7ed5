//! Traces for collectors of OpenTelemetry: OTLP over HTTP, with messages of Protocol Buffers.
//!
//! The spans have the names, attributes and events of the Triton Inference Server: `InferRequest` from the request's head to its answer,
//! in it the model, and in this `compute`.

mod export;
mod message;

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

pub use export::{Exporter, ExporterError};
use message::{AnyValue, Event, KeyValue, Span, SpanStatus, Value};

use super::points::Point;
use super::record::Record;
use super::step::TracedStep;
use super::trace::{Trace, TraceFacts};

/// `SPAN_KIND_INTERNAL` and `SPAN_KIND_SERVER`.
const INTERNAL: i32 = 1;
const SERVER: i32 = 2;
/// `STATUS_CODE_ERROR`.
const ERROR: i32 = 2;

/// The spans of a request and of its steps. Those of a step are in the span of the model that has it.
pub(super) fn spans(trace: &Trace, facts: &TraceFacts<'_>, steps: &[TracedStep]) -> Vec<Span> {
    let (id, parent, state) = match &trace.parent {
        Some(parent) => (parent.trace.to_vec(), parent.span.to_vec(), parent.state.as_str()),
        None => ([random(), random()].concat(), vec![], ""),
    };
    let tree = Tree { id: &id, state };
    let own = trace.record(facts);
    let mut root = tree.span(&parent, ("InferRequest", SERVER), Level::Request, own.points);
    root.attributes.push(text("triton.status", facts.status));
    root.status = facts.error.map(status);
    let [compute, model] = tree.request(&root.span_id, &own);
    let mut parents = BTreeMap::from([(own.id, model.span_id.clone())]);
    let mut spans = vec![];
    for step in steps {
        let record = step.record(facts.id);
        let parent = record.parent.and_then(|parent| parents.get(&parent));
        let [compute, mut model] = tree.request(parent.unwrap_or(&root.span_id), &record);
        model.status = step.error().map(status);
        parents.insert(record.id, model.span_id.clone());
        spans.extend([compute, model]);
    }
    spans.extend([compute, model, root]);
    // A request that its model never got has no span of the model, and one that did not run none of the computation.
    spans.retain(|span| !span.events.is_empty());
    spans
}

/// The spans of one trace.
struct Tree<'a> {
    id: &'a [u8],
    state: &'a str,
}

impl Tree<'_> {
    /// The spans of a request: that of the computation, and around it that of the model.
    fn request(&self, parent: &[u8], record: &Record<'_>) -> [Span; 2] {
        let mut model = self.span(parent, (record.model, INTERNAL), Level::Model, record.points);
        model.attributes.extend([
            text("triton.model_name", record.model),
            number("triton.model_version", record.version.map_or(-1, u64::cast_signed)),
            number("triton.trace_id", record.id.cast_signed()),
            number("triton.trace_parent_id", record.parent.unwrap_or_default().cast_signed()),
        ]);
        if !record.request.is_empty() {
            model.attributes.push(text("triton.request_id", record.request));
        }
        [self.span(&model.span_id, ("compute", INTERNAL), Level::Compute, record.points), model]
    }

    /// A span from the first to the last of its events: those points that belong to its level.
    fn span(
        &self,
        parent: &[u8],
        (name, kind): (&str, i32),
        level: Level,
        points: &[Point],
    ) -> Span {
        let own = points.iter().filter(|(name, _)| Level::of(name) == level);
        let event = |&(name, time): &Point| Event { time, name: name.to_owned() };
        let events: Vec<Event> = own.map(event).collect();
        Span {
            trace_id: self.id.to_vec(),
            span_id: random().to_vec(),
            trace_state: self.state.to_owned(),
            parent_span_id: parent.to_vec(),
            name: name.to_owned(),
            kind,
            start: events.iter().map(|event| event.time).min().unwrap_or_default(),
            end: events.iter().map(|event| event.time).max().unwrap_or_default(),
            attributes: vec![],
            events,
            status: None,
        }
    }
}

fn status(error: &str) -> SpanStatus {
    SpanStatus { message: error.to_owned(), code: ERROR }
}

/// The span that an event belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Request,
    Model,
    Compute,
}

impl Level {
    fn of(name: &str) -> Level {
        match name {
            "REQUEST_START" | "QUEUE_START" | "REQUEST_END" => Level::Model,
            _ if name.starts_with("COMPUTE_") => Level::Compute,
            _ => Level::Request,
        }
    }
}

fn text(key: &str, value: &str) -> KeyValue {
    let value = Some(AnyValue { value: Some(Value::Text(value.to_owned())) });
    KeyValue { key: key.to_owned(), value }
}

fn number(key: &str, value: i64) -> KeyValue {
    let value = Some(AnyValue { value: Some(Value::Integer(value)) });
    KeyValue { key: key.to_owned(), value }
}

/// Bytes that no other span has: each hasher of the standard library has its own random keys.
fn random() -> [u8; 8] {
    RandomState::new().build_hasher().finish().max(1).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::client_span::ClientSpan;
    use crate::settings::{Sampled, TraceLevel};

    fn trace(points: &[Point]) -> Trace {
        let ticket = Sampled { id: 7, levels: vec![TraceLevel::Timestamps], frequency: 0 };
        let state = "a=1".to_owned();
        let parent = ClientSpan { trace: [1; 16], span: [2; 8], is_sampled: true, state };
        Trace { points: points.to_vec(), ..Trace::new(ticket, Some(parent)) }
    }

    #[test]
    fn spans_belong_to_each_other_and_to_the_client() {
        let trace = trace(&[
            ("HTTP_RECV_START", 10),
            ("HTTP_RECV_END", 20),
            ("REQUEST_START", 20),
            ("QUEUE_START", 20),
            ("COMPUTE_START", 30),
            ("COMPUTE_INPUT_END", 40),
            ("COMPUTE_OUTPUT_START", 50),
            ("COMPUTE_END", 60),
            ("INFER_RESPONSE_COMPLETE", 65),
            ("REQUEST_END", 70),
            ("HTTP_SEND_START", 70),
            ("HTTP_SEND_END", 80),
        ]);
        let facts =
            TraceFacts { id: "r", model: "m", version: Some(1), status: "200", error: None };
        let spans = spans(&trace, &facts, &[]);
        let found: Vec<_> =
            spans.iter().map(|span| (span.name.as_str(), span.start, span.end)).collect();
        assert_eq!(found, [("compute", 30, 60), ("m", 20, 70), ("InferRequest", 10, 80)]);
        let [compute, request, root] = &spans[..] else { panic!("three spans") };
        assert_eq!(compute.parent_span_id, request.span_id);
        assert_eq!(request.parent_span_id, root.span_id);
        assert_eq!(root.parent_span_id, [2; 8]);
        for span in &spans {
            assert_eq!((&span.trace_id[..], &*span.trace_state), (&[1; 16][..], "a=1"));
            assert_eq!(span.span_id.len(), 8);
        }
        assert_ne!(random(), random());
    }

    #[test]
    fn a_refused_request_has_one_span_with_the_error() {
        let trace = trace(&[("HTTP_RECV_START", 10), ("HTTP_RECV_END", 20)]);
        let error = Some("no such model");
        let facts = TraceFacts { id: "", model: "m", version: None, status: "404", error };
        let [root] = &spans(&trace, &facts, &[])[..] else { panic!("one span") };
        let status = SpanStatus { message: "no such model".to_owned(), code: ERROR };
        assert_eq!((root.name.as_str(), &root.status), ("InferRequest", &Some(status)));
    }
}
