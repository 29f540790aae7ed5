//! Recording of inferences over HTTP.

use std::sync::OnceLock;

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::http::request::Parts;

use super::HttpFront;
use super::reply::{Refusal, Reply};
use crate::compress::{Decompression, Encoding};
use crate::record::{ANSWER_HEADERS, HttpPart, HttpValue, LONGEST, REQUEST_HEADERS, Recorder};

/// A request that is recorded.
pub(super) struct Recording<'a> {
    recorder: &'a Recorder,
    body: OnceLock<Bytes>,
}

impl Recording<'_> {
    /// The recording of a request, if it is an inference. It is recorded if its body is read when it is its turn: a request that is
    /// refused before has not reached a model.
    pub(super) fn of<'a>(front: &'a HttpFront, parts: &Parts) -> Option<Recording<'a>> {
        let recorder = front.server.recorder.as_ref()?;
        let path = parts.uri.path();
        let is_inference = path.ends_with("/infer") || path.ends_with("/generate");
        is_inference.then(|| Recording { recorder, body: OnceLock::new() })
    }

    /// Writes the request with its answer.
    pub(super) fn write(&self, parts: &Parts, reply: &Reply) {
        let Some(body) = self.body.get() else { return };
        let Some(content) = content(reply) else { return };
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let request = HttpPart {
            first: vec![
                ("method", HttpValue::Text(parts.method.as_str())),
                ("path", HttpValue::Text(path)),
            ],
            headers: chosen(&REQUEST_HEADERS, &parts.headers),
            body,
        };
        let mut headers = chosen(&ANSWER_HEADERS, reply.headers());
        if reply.body().is_chunked() {
            headers.push(("transfer-encoding", "chunked"));
        }
        let status = HttpValue::Number(reply.status().as_u16());
        let answer = HttpPart { first: vec![("status", status)], headers, body: &content };
        self.recorder.http(&request, &answer);
    }
}

/// A body that is kept for the recording, if there is one.
pub(super) async fn kept(
    recording: Option<&Recording<'_>>,
    body: impl Future<Output = Result<Bytes, Refusal>>,
) -> Result<Bytes, Refusal> {
    let bytes = body.await?;
    if let Some(recording) = recording.filter(|recording| recording.recorder.takes()) {
        // A body is read once.
        let _ = recording.body.set(bytes.clone());
    }
    Ok(bytes)
}

/// The body of a reply without compression; `None` for one that is too long.
fn content(reply: &Reply) -> Option<Bytes> {
    let bytes = reply.body().content()?;
    let encoding = reply.headers().get("content-encoding").and_then(|value| value.to_str().ok());
    let known = [Encoding::Gzip, Encoding::Deflate];
    match known.into_iter().find(|known| Some(known.name()) == encoding) {
        None => Some(bytes),
        Some(encoding) => Decompression::new(encoding, bytes, LONGEST).rest().ok(),
    }
}

fn chosen<'a>(names: &[&'a str], headers: &'a HeaderMap) -> Vec<(&'a str, &'a str)> {
    let value = |name: &&'a str| Some((*name, headers.get(*name)?.to_str().ok()?));
    names.iter().filter_map(value).collect()
}
