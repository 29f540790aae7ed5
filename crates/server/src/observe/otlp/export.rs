//! The way of spans to a collector.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::message::{ExportRequest, Resource, ResourceSpans, Scope, ScopeSpans, Span};
use super::text;
use crate::http::ReplyBody;
use crate::server::VERSION;
use crate::settings::{Collector, ServerLog, Severity, without_user};

/// How long a collector may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same at the end of the server, for all spans that wait.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// Why there is no way to a collector.
#[derive(Debug, thiserror::Error)]
pub enum ExporterError {
    /// The address is not that of HTTP.
    #[error(
        "`{0}` is not the address of a collector; give one such as http://localhost:4318/v1/traces"
    )]
    Url(String),
}

/// Why a batch does not reach its collector.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("{0}")]
    Connect(io::Error),
    #[error("{0}")]
    Http(hyper::Error),
    #[error("the collector answers with status {0}")]
    Status(StatusCode),
    #[error("the collector does not answer within {} s", PATIENCE.as_secs())]
    Late,
}

/// Spans on their way to a collector.
#[derive(Debug)]
pub struct Exporter {
    collector: Collector,
    uri: Uri,
    place: (String, u16),
    waiting: Mutex<Waiting>,
    /// Held while spans are sent, so that the end of the server awaits those that are on their way.
    sending: tokio::sync::Mutex<()>,
    /// Notified when a batch is full.
    is_full: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    spans: Vec<Span>,
    /// The spans that are being sent.
    on_way: usize,
    dropped: u64,
}

impl Exporter {
    /// A way to a collector.
    ///
    /// # Errors
    /// An address that is not one of HTTP.
    pub fn new(collector: Collector) -> Result<Exporter, ExporterError> {
        let collector = Collector { url: without_user(&collector.url), ..collector };
        let wrong = || ExporterError::Url(collector.url.clone());
        let uri: Uri = collector.url.parse().map_err(|_| wrong())?;
        let host = uri.host().filter(|_| uri.scheme_str() == Some("http")).ok_or_else(wrong)?;
        let place = (host.trim_matches(['[', ']']).to_owned(), uri.port_u16().unwrap_or(80));
        let (waiting, sending) = Default::default();
        Ok(Exporter { collector, uri, place, waiting, sending, is_full: Notify::new() })
    }

    /// Adds the spans of a request, or drops them if too many wait. Of more spans than may wait, only the last ones are kept: those of
    /// the request itself are behind those of its steps.
    pub(in crate::observe) fn push(&self, mut spans: Vec<Span>) {
        let mut waiting = self.lock();
        let surplus = spans.len().saturating_sub(self.collector.most_waiting);
        spans.drain(..surplus);
        waiting.dropped += surplus as u64;
        if waiting.spans.len() + spans.len() > self.collector.most_waiting {
            waiting.dropped += spans.len() as u64;
            return;
        }
        waiting.spans.extend(spans);
        if waiting.spans.len() >= self.collector.batch {
            self.is_full.notify_one();
        }
    }

    /// Sends batches for as long as this is awaited.
    pub(crate) async fn run(&self, log: &ServerLog) {
        loop {
            // The end of the pause, or of the wait for a full batch.
            let _ = timeout(self.collector.delay, self.is_full.notified()).await;
            self.flush(log).await;
        }
    }

    /// Sends the spans that wait at the end of the server, as far as the collector is quick, and says how many it does not get.
    pub(crate) async fn finish(&self, log: &ServerLog) {
        // What is left then is counted.
        let _ = timeout(LAST_PATIENCE, self.flush(log)).await;
        let left = {
            let Waiting { spans, on_way, dropped } = &*self.lock();
            (spans.len() + on_way) as u64 + dropped
        };
        if left > 0 {
            let text = format!("{left} spans are dropped: the server ends before they are sent");
            log.write(Severity::Warning, text);
        }
    }

    /// Sends the spans that wait.
    async fn flush(&self, log: &ServerLog) {
        let _sending = self.sending.lock().await;
        loop {
            let (batch, dropped) = {
                let mut waiting = self.lock();
                let count = waiting.spans.len().min(self.collector.batch.max(1));
                let batch: Vec<Span> = waiting.spans.drain(..count).collect();
                waiting.on_way = count;
                (batch, std::mem::take(&mut waiting.dropped))
            };
            if dropped > 0 {
                let text = format!("{dropped} spans are dropped: more than the queue holds");
                log.write(Severity::Warning, text);
            }
            if batch.is_empty() {
                return;
            }
            let count = batch.len();
            let sent = self.send(batch).await;
            self.lock().on_way = 0;
            if let Err(error) = sent {
                let url = &self.collector.url;
                let text = format!("{count} spans do not reach the collector `{url}`: {error}");
                return log.write(Severity::Warning, text);
            }
        }
    }

    async fn send(&self, spans: Vec<Span>) -> Result<(), SendError> {
        let scope = Scope { name: "trident".to_owned(), version: VERSION.to_owned() };
        let attributes = self.collector.resource.iter().map(|(key, value)| text(key, value));
        let resource_spans = ResourceSpans {
            resource: Some(Resource { attributes: attributes.collect() }),
            scope_spans: vec![ScopeSpans { scope: Some(scope), spans }],
        };
        let message = ExportRequest { resource_spans: vec![resource_spans] }.encode_to_vec();
        match timeout(PATIENCE, self.post(message.into())).await {
            Ok(Ok(status)) if status.is_success() => Ok(()),
            Ok(Ok(status)) => Err(SendError::Status(status)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(SendError::Late),
        }
    }

    async fn post(&self, message: Bytes) -> Result<StatusCode, SendError> {
        let (host, port) = &self.place;
        let stream = TcpStream::connect((host.as_str(), *port)).await;
        let stream = TokioIo::new(stream.map_err(SendError::Connect)?);
        let (mut sender, connection) = http1::handshake(stream).await.map_err(SendError::Http)?;
        // Its errors are those of the request.
        let connection = tokio::spawn(async move { drop(connection.await) });
        let path = self.uri.path_and_query().map_or("/v1/traces", |path| path.as_str());
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        let request = Request::post(path)
            .header(HOST, authority)
            .header(CONTENT_TYPE, "application/x-protobuf")
            .body(ReplyBody::from(message));
        let status = match request {
            Ok(request) => sender.send_request(request).await.map(|answer| answer.status()),
            Err(_) => Ok(StatusCode::BAD_REQUEST),
        };
        connection.abort();
        status.map_err(SendError::Http)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::LogSettings;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tempfile::TempDir;

    /// A way to a port of this machine that sends each span alone.
    fn exporter(port: u16) -> Arc<Exporter> {
        let url = format!("http://127.0.0.1:{port}/v1/traces");
        let delay = Duration::from_millis(1);
        Arc::new(Exporter::new(Collector { url, batch: 1, delay, ..Collector::default() }).unwrap())
    }

    fn log(folder: &TempDir) -> Arc<ServerLog> {
        let file = folder.path().join("log").to_str().unwrap().to_owned();
        Arc::new(ServerLog::open(LogSettings { file, ..LogSettings::default() }).unwrap())
    }

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn the_end_awaits_spans_on_their_way() {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (exporter, log) = (exporter(listener.local_addr().unwrap().port()), log(&folder));
        let (has_come, has_answered) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let (coming, answering) = (Arc::clone(&has_come), Arc::clone(&has_answered));
        let collector = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            coming.notify_one();
            std::thread::sleep(Duration::from_millis(300));
            answering.store(true, Ordering::Relaxed);
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        });
        run(async {
            exporter.push(vec![Span::default()]);
            let (sender, its_log) = (Arc::clone(&exporter), Arc::clone(&log));
            tokio::spawn(async move { sender.run(&its_log).await });
            has_come.notified().await;
            exporter.finish(&log).await;
        });
        assert!(has_answered.load(Ordering::Relaxed));
        collector.join().unwrap();
    }

    #[test]
    fn of_too_many_spans_the_last_are_kept() {
        let collector = Collector { url: "http://localhost:1/".into(), ..Collector::default() };
        let exporter = Exporter::new(Collector { most_waiting: 2, ..collector }).unwrap();
        let span = |name: &str| Span { name: name.into(), ..Span::default() };
        exporter.push(["step", "model", "InferRequest"].map(span).to_vec());
        exporter.push(vec![span("other")]);
        let waiting = exporter.lock();
        let names: Vec<_> = waiting.spans.iter().map(|span| &*span.name).collect();
        assert_eq!((names, waiting.dropped), (vec!["model", "InferRequest"], 2));
    }

    #[test]
    fn the_end_says_how_many_spans_are_lost() {
        let folder = tempfile::tempdir().unwrap();
        // Nothing listens on this port any more.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (exporter, log) = (exporter(port), log(&folder));
        exporter.push(vec![Span::default(); 3]);
        run(exporter.finish(&log));
        assert!(log.flush());
        let text = std::fs::read_to_string(folder.path().join("log")).unwrap();
        assert!(text.contains("1 spans do not reach the collector"), "{text}");
        assert!(text.contains("2 spans are dropped: the server ends"), "{text}");
    }
}
