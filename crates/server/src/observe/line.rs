//! The line of a request in the log.

use std::fmt;
use std::time::Duration;

use super::Seen;
use crate::settings::Severity;

impl Seen {
    /// Writes the line of the request.
    pub(super) fn log(&self, status: &str, error: Option<&str>) {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let times = self.times();
        let line = Line {
            seen: self,
            status,
            error,
            queue: times.map(|times| micros(times.queue)),
            compute: times.map(|times| micros(times.compute)),
            total: micros(self.start.elapsed()),
        };
        self.server.log.write_event(Severity::Info, &line, |writer| {
            writer.name("event").string(b"request");
            line.members(&mut |name, value| match value {
                Value::Text(text) => writer.name(name).string(text.as_bytes()),
                Value::Number(number) => writer.name(name).integer(number),
            });
        });
    }
}

/// The line of a request.
struct Line<'a> {
    seen: &'a Seen,
    status: &'a str,
    error: Option<&'a str>,
    /// Microseconds, where they are known.
    queue: Option<u64>,
    compute: Option<u64>,
    total: u64,
}

enum Value<'a> {
    Text(&'a str),
    Number(u64),
}

impl Line<'_> {
    /// Gives the members of the line in their order. Facts that are not known are left out.
    fn members(&self, each: &mut dyn FnMut(&str, Value<'_>)) {
        let Line { seen, status, error, queue, compute, total } = self;
        each("protocol", Value::Text(seen.carrier.name()));
        each("model", Value::Text(&seen.model));
        if let Some(version) = seen.version {
            each("version", Value::Text(&version.to_string()));
        }
        if !seen.id.is_empty() {
            each("id", Value::Text(&seen.id));
        }
        each("status", Value::Text(status));
        if let Some(error) = error {
            each("error", Value::Text(error));
        }
        each("answers", Value::Number(seen.answers));
        let times = [("queue_us", *queue), ("compute_us", *compute), ("total_us", Some(*total))];
        for (name, time) in times {
            if let Some(time) = time {
                each(name, Value::Number(time));
            }
        }
        if let Some(client) = seen.client {
            each("client", Value::Text(&client.to_string()));
        }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written = write!(f, "request");
        self.members(&mut |name, value| {
            written = written.and_then(|()| match value {
                // Quotes, and no line breaks of the client's.
                Value::Text(text) => write!(f, " {name}={text:?}"),
                Value::Number(number) => write!(f, " {name}={number}"),
            });
        });
        written
    }
}
