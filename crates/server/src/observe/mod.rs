//! Single requests, as operators see them: lines of the log, and traces.
//!
//! A front end begins an [`Observed`] for each inference, and notes there what happens to it. If nobody wants to know, that is an empty
//! box and costs nothing.

mod client_span;
mod line;
mod otlp;
mod points;
mod record;
mod step;
mod steps;
#[cfg(test)]
mod tests;
mod trace;
mod trace_file;
mod traced;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use trident_serving::{Fault, Timing};

use crate::infer::{InferAnswer, InferRequest};
use crate::server::Server;
use crate::settings::TraceMode;
use client_span::ClientSpan;
pub use otlp::{Exporter, ExporterError};
use points::{Clock, Point};
use step::TracedStep;
use trace::{Trace, TraceFacts};
pub(crate) use trace_file::TraceWriter;
use trace_file::WrittenTrace;

/// The most characters of a client's text in the log and in traces.
const LONGEST_TEXT: usize = 1024;

/// The protocol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    Http,
    Grpc,
}

impl Carrier {
    fn name(self) -> &'static str {
        match self {
            Carrier::Http => "HTTP",
            Carrier::Grpc => "gRPC",
        }
    }
}

/// A request that somebody wants to know about, or nothing. If it is dropped before its end, its client has left.
#[derive(Default)]
pub(crate) struct Observed(Option<Box<Seen>>);

/// The facts about a request.
struct Seen {
    server: Arc<Server>,
    carrier: Carrier,
    client: Option<SocketAddr>,
    /// The name in the request; empty if it could not be read.
    model: String,
    version: Option<u64>,
    id: String,
    /// When its head arrived.
    start: Instant,
    /// When its model got it.
    submitted: Option<Instant>,
    /// When its last answer came.
    answered: Option<Instant>,
    answers: u64,
    timing: Option<Timing>,
    /// The times of its parts before the one that its model has now, if it is sent in several.
    earlier: Option<PartTimes>,
    /// The status and the text of the first failure.
    failure: Option<(String, String)>,
    trace: Option<Trace>,
}

impl Server {
    /// Begins to observe an inference whose head has come, if it may be logged or traced.
    pub(crate) fn observe(
        self: &Arc<Self>,
        carrier: Carrier,
        client: Option<SocketAddr>,
    ) -> Observed {
        if !self.options.log_requests && !self.traces.is_on() {
            return Observed(None);
        }
        Observed(Some(Box::new(Seen {
            server: Arc::clone(self),
            carrier,
            client,
            model: String::new(),
            version: None,
            id: String::new(),
            start: Instant::now(),
            submitted: None,
            answered: None,
            answers: 0,
            timing: None,
            earlier: None,
            failure: None,
            trace: None,
        })))
    }
}

impl Observed {
    /// Whether somebody wants to know.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// Notes the model that the request is for. A collector gets the traces of refused requests, too, so that its requests are chosen here.
    pub(crate) fn names(&mut self, model: &str, headers: &HeaderMap) {
        let Some(seen) = &mut self.0 else { return };
        cut(model).clone_into(&mut seen.model);
        if seen.server.has_collector() {
            self.sample(ClientSpan::of(headers));
        }
    }

    /// Decides whether the request is traced. If nobody wants to know of it then, it is forgotten.
    fn sample(&mut self, parent: Option<ClientSpan>) {
        let Some(seen) = &mut self.0 else { return };
        seen.trace = Trace::of(&seen.server.traces, &seen.model, parent);
        if seen.trace.is_none() && !seen.server.options.log_requests {
            self.0 = None;
        }
    }

    /// Notes that a model gets the request now. Its answers will have times.
    pub(crate) fn submits(&mut self, request: &mut InferRequest) {
        // The files have only requests that a model gets. Those in several parts are chosen by their first one.
        let is_chosen_now = |seen: &Seen| seen.submitted.is_none() && !seen.server.has_collector();
        if self.0.as_deref().is_some_and(is_chosen_now) {
            self.sample(None);
        }
        let Some(seen) = &mut self.0 else { return };
        cut(&request.id).clone_into(&mut seen.id);
        seen.earlier = seen.times();
        (seen.submitted, seen.timing) = (Some(Instant::now()), None);
        request.is_timed = true;
        if let Some(trace) = &mut seen.trace {
            trace.add_inputs(&request.inputs, &seen.server.regions);
            request.watch = Some(trace.watch(&seen.server));
        }
    }

    /// Notes an answer of the model.
    pub(crate) fn answered(&mut self, answer: &Result<InferAnswer, Fault>) {
        let Some(seen) = &mut self.0 else { return };
        seen.answered = Some(Instant::now());
        let Ok(answer) = answer else { return };
        seen.answers += 1;
        seen.version = Some(answer.version);
        seen.timing = answer.timing.as_deref().copied().or(seen.timing);
        if let Some(trace) = &mut seen.trace {
            trace.add_outputs(&answer.outputs);
        }
    }

    /// Notes a failure, after which other answers may follow. The first one is that of the request, whatever its end says.
    pub(crate) fn fails(&mut self, status: &str, error: &str) {
        let Some(seen) = &mut self.0 else { return };
        seen.failure.get_or_insert_with(|| (status.to_owned(), cut(error).to_owned()));
    }

    /// Ends the request with its status, and its error if it has failed. Further ends have no effect.
    pub(crate) fn end(&mut self, status: &str, error: Option<&str>) {
        let Some(mut seen) = self.0.take() else { return };
        match seen.failure.take() {
            Some((status, error)) => seen.end(&status, Some(&error)),
            None => seen.end(status, error),
        }
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        if let Some(seen) = self.0.take() {
            seen.end("cancelled", Some("the client has left"));
        }
    }
}

/// How long the parts of a request waited, and how long they ran.
#[derive(Clone, Copy, Debug, Default)]
struct PartTimes {
    queue: Duration,
    compute: Duration,
}

impl Seen {
    /// The times of all parts, as far as answers tell.
    fn times(&self) -> Option<PartTimes> {
        let Some((timing, submitted)) = self.timing.zip(self.submitted) else {
            return self.earlier;
        };
        let PartTimes { queue, compute } = self.earlier.unwrap_or_default();
        let own = timing.input + timing.run + timing.output;
        let queue = queue + timing.start.saturating_duration_since(submitted);
        Some(PartTimes { queue, compute: compute + own })
    }

    fn end(mut self, status: &str, error: Option<&str>) {
        let error = error.map(cut);
        if self.server.options.log_requests {
            self.log(status, error);
        }
        if let Some(mut trace) = self.trace.take() {
            let clock = Clock::new();
            let steps = trace.end_steps(&clock);
            trace.points = self.points(&clock, self.timing.as_ref().filter(|_| steps.is_empty()));
            let Seen { server, id, model, version, .. } = &self;
            let facts = TraceFacts { id, model, version: *version, status, error };
            server.write_trace(&trace, &facts, &steps);
        }
    }

    /// When the request passed the parts of the server.
    fn points(&self, clock: &Clock, timing: Option<&Timing>) -> Vec<Point> {
        let (receive, send) = match self.carrier {
            Carrier::Http => {
                (["HTTP_RECV_START", "HTTP_RECV_END"], ["HTTP_SEND_START", "HTTP_SEND_END"])
            }
            Carrier::Grpc => {
                (["GRPC_WAITREAD_START", "GRPC_WAITREAD_END"], ["GRPC_SEND_START", "GRPC_SEND_END"])
            }
        };
        let now = clock.now();
        let mut points = vec![
            clock.point(receive[0], self.start),
            clock.point(receive[1], self.submitted.unwrap_or(now)),
        ];
        if let Some(submitted) = self.submitted {
            points.extend(clock.of_request(submitted, timing));
            let answered = self.answered.unwrap_or(now);
            let ends = ["INFER_RESPONSE_COMPLETE", "REQUEST_END", send[0]];
            points.extend(ends.map(|name| clock.point(name, answered)));
            points.push(clock.point(send[1], now));
        }
        points
    }
}

/// The start of a client's text, which may be as long as a message.
fn cut(text: &str) -> &str {
    text.char_indices().nth(LONGEST_TEXT).map_or(text, |(end, _)| &text[..end])
}

impl Server {
    /// Whether traces go to a collector, and not to files.
    fn has_collector(&self) -> bool {
        self.traces.options().mode == TraceMode::OpenTelemetry
    }

    /// Writes a trace to its place.
    fn write_trace(&self, trace: &Trace, facts: &TraceFacts<'_>, steps: &[TracedStep]) {
        if let Some(exporter) = &self.exporter {
            return exporter.push(otlp::spans(trace, facts, steps));
        }
        let path = self.traces.options().file.clone();
        let (frequency, objects) = (trace.ticket.frequency, trace.json(facts, steps));
        self.trace_writer.push(WrittenTrace { path, frequency, objects });
    }
}
