//! Requests with their answers, written down in the form of the recordings in `conformance/server`.
//!
//! At most so many requests a second are recorded; the first one of a span is taken. Requests with shared memory are not, because
//! nobody could repeat them, nor are those with long bodies. Of headers, only those that change an answer are written: keys of
//! clients are not.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::base64::encode;
use crate::json::Writer;

/// The longest body of a request or an answer that is recorded.
pub(crate) const LONGEST: usize = 1 << 20;

/// The file stops growing here.
const FULL: u64 = 1 << 30;

/// Headers of requests that are recorded.
pub(crate) const REQUEST_HEADERS: [&str; 6] = [
    "content-type",
    "content-encoding",
    "accept",
    "accept-encoding",
    "inference-header-content-length",
    "endpoint-load-metrics-format",
];

/// Headers of answers that are recorded.
pub(crate) const ANSWER_HEADERS: [&str; 5] = [
    "content-type",
    "content-encoding",
    "accept-encoding",
    "inference-header-content-length",
    "endpoint-load-metrics",
];

/// A file that requests are recorded to.
pub struct Recorder {
    file: Mutex<File>,
    /// Nanoseconds between two requests that are recorded.
    span: u64,
    start: Instant,
    /// From this time on, the next request is recorded.
    next: AtomicU64,
    written: AtomicU64,
    count: AtomicU64,
}

/// A request over HTTP, or the answer to one.
pub(crate) struct HttpPart<'a> {
    /// The members before the headers: method and path, or the status.
    pub(crate) first: Vec<(&'a str, HttpValue<'a>)>,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) body: &'a [u8],
}

pub(crate) enum HttpValue<'a> {
    Text(&'a str),
    Number(u16),
}

/// The answer to a call of gRPC.
pub(crate) enum GrpcAnswer<'a> {
    Message(&'a [u8]),
    Failure { code: &'a str, details: &'a str },
}

impl Recorder {
    /// Appends to a file, at most `rate` requests a second.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn open(path: &Path, rate: u32) -> io::Result<Recorder> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let written = AtomicU64::new(file.metadata()?.len());
        Ok(Recorder {
            file: Mutex::new(file),
            span: 1_000_000_000 / u64::from(rate.max(1)),
            start: Instant::now(),
            next: AtomicU64::new(0),
            written,
            count: AtomicU64::new(0),
        })
    }

    /// Whether the request that comes now is recorded.
    pub(crate) fn takes(&self) -> bool {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let next = self.next.load(Relaxed);
        now >= next
            && self.written.load(Relaxed) < FULL
            && self.next.compare_exchange(next, now + self.span, Relaxed, Relaxed).is_ok()
    }

    /// Records a request over HTTP.
    pub(crate) fn http(&self, request: &HttpPart<'_>, answer: &HttpPart<'_>) {
        if is_repeatable(request.body) && answer.body.len() <= LONGEST {
            self.write("http", |writer| {
                writer.name("request").object(|writer| part(writer, request));
                writer.name("response").object(|writer| part(writer, answer));
            });
        }
    }

    /// Records a call of gRPC: a method's path, its message and the answer.
    pub(crate) fn grpc(&self, path: &str, message: &[u8], answer: &GrpcAnswer<'_>) {
        let is_short = |answer: &GrpcAnswer<'_>| match answer {
            GrpcAnswer::Message(message) => message.len() <= LONGEST,
            GrpcAnswer::Failure { .. } => true,
        };
        if is_repeatable(message) && is_short(answer) {
            self.write("grpc", |writer| {
                writer.name("rpc").string(path.as_bytes());
                writer.name("request_b64").string(encode(message).as_bytes());
                writer.name("response").object(|writer| match answer {
                    GrpcAnswer::Message(message) => {
                        writer.name("response_b64").string(encode(message).as_bytes());
                        writer.name("code").string(b"OK");
                    }
                    GrpcAnswer::Failure { code, details } => {
                        writer.name("code").string(code.as_bytes());
                        writer.name("details").string(details.as_bytes());
                    }
                });
            });
        }
    }

    /// Writes a line.
    fn write(&self, protocol: &str, members: impl FnOnce(&mut Writer)) {
        let number = self.count.fetch_add(1, Relaxed) + 1;
        let mut writer = Writer::new(vec![]);
        writer.object(|writer| {
            writer.name("case").string(format!("{protocol}_{number}").as_bytes());
            writer.name("group").string(b"recorded");
            members(writer);
        });
        let mut line = writer.finish();
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk ends the recording, not the server.
        let written = match file.write_all(&line) {
            Ok(()) => line.len() as u64,
            Err(error) => {
                let report = format!("the recording of requests has ended: {error}\n");
                // Nobody else hears of it.
                let _ = io::stderr().write_all(report.as_bytes());
                FULL
            }
        };
        self.written.fetch_add(written, Relaxed);
    }
}

/// Whether a body is short, and its request has no shared memory.
fn is_repeatable(body: &[u8]) -> bool {
    const REGION: &[u8] = b"shared_memory_region";
    body.len() <= LONGEST && !body.windows(REGION.len()).any(|window| window == REGION)
}

fn part(writer: &mut Writer, part: &HttpPart<'_>) {
    for (name, value) in &part.first {
        writer.name(name);
        match value {
            HttpValue::Text(text) => writer.string(text.as_bytes()),
            HttpValue::Number(number) => writer.integer(*number),
        }
    }
    writer.name("headers").object(|writer| {
        for (name, value) in &part.headers {
            writer.name(name).string(value.as_bytes());
        }
    });
    let is_text = !part.body.iter().any(|byte| *byte < 32 && !b"\r\n\t".contains(byte));
    match std::str::from_utf8(part.body) {
        Ok(text) if is_text => writer.name("body").string(text.as_bytes()),
        _ => writer.name("body_b64").string(encode(part.body).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn requests_have_the_form_of_the_recordings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let recorder = Recorder::open(&path, 1_000_000).unwrap();
        let text = |name, value| (name, HttpValue::Text(value));
        let request = |body| HttpPart {
            first: vec![text("method", "POST"), text("path", "/v2/models/m/infer")],
            headers: vec![("content-type", "application/json")],
            body,
        };
        let answer = HttpPart {
            first: vec![("status", HttpValue::Number(200))],
            headers: vec![],
            body: b"\x00\xff",
        };
        recorder.http(&request(b"{\"a\":\"\xc3\xa4\"}"), &answer);
        recorder.http(&request(b"{\"parameters\":{\"shared_memory_region\":\"r\"}}"), &answer);
        recorder.http(&request(&vec![b' '; LONGEST + 1]), &answer);
        recorder.grpc("/s/M", b"abc", &GrpcAnswer::Failure { code: "NOT_FOUND", details: "no" });
        let lines = lines(&path);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0],
            serde_json::json!({
                "case": "http_1", "group": "recorded",
                "request": {"method": "POST", "path": "/v2/models/m/infer",
                            "headers": {"content-type": "application/json"}, "body": "{\"a\":\"ä\"}"},
                "response": {"status": 200, "headers": {}, "body_b64": "AP8="},
            })
        );
        assert_eq!(
            lines[1],
            serde_json::json!({
                "case": "grpc_2", "group": "recorded", "rpc": "/s/M", "request_b64": "YWJj",
                "response": {"code": "NOT_FOUND", "details": "no"},
            })
        );
    }

    #[test]
    fn at_most_so_many_requests_a_second_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let recorder = Recorder::open(&folder.path().join("r"), 1).unwrap();
        assert_eq!([(); 3].map(|()| recorder.takes()), [true, false, false]);
        recorder.next.store(0, Relaxed);
        assert!(recorder.takes());
        recorder.written.store(FULL, Relaxed);
        recorder.next.store(0, Relaxed);
        assert!(!recorder.takes(), "the file is full");
    }
}
