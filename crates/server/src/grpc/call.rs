//! Calls: the headers of requests, and the messages in their bodies.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::Body;
use prost::Message;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

use super::compress;
use super::frame::{Frame, FrameError, Frames};
use super::outgoing::Packing;
use super::status::{Code, Status};
use super::timeout;
use crate::compress::{Begun, Compression, DecompressError, Decompression, Encoding};

/// The headers of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// How the client compresses messages.
    encoding: Option<Encoding>,
    /// How answers are compressed.
    pub(super) packing: Packing,
    /// When the client stops to wait.
    pub(super) deadline: Option<Instant>,
}

impl Call {
    /// Reads the headers. Answers are compressed if the client accepts it and `level` is set.
    pub(super) fn of(headers: &HeaderMap, level: Option<Compression>) -> Result<Call, Status> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let encoding = match text("grpc-encoding") {
            None => None,
            Some(name) => compress::of(name).ok_or_else(|| {
                let names = compress::NAMES;
                let text = format!("messages are compressed by '{name}', expected one of: {names}");
                Status::new(Code::Unimplemented, text)
            })?,
        };
        let packing = level
            .and_then(|level| Some((compress::accepted(text("grpc-accept-encoding")?)?, level)));
        let deadline = match headers.get("grpc-timeout") {
            None => None,
            Some(value) => {
                let time = timeout::read(value.as_bytes()).ok_or_else(|| {
                    let text = "the header 'grpc-timeout' is not up to eight digits and a unit: H, M, S, m, u or n";
                    Status::new(Code::Internal, text)
                })?;
                Instant::now().checked_add(time)
            }
        };
        Ok(Call { encoding, packing, deadline })
    }

    /// The outcome of a run that failed: after the deadline, the deadline is the reason.
    pub(super) fn failed(&self, status: Status) -> Status {
        let is_late = self.deadline.is_some_and(|deadline| deadline <= Instant::now());
        match status.code {
            Code::Unavailable | Code::Cancelled if is_late => Status::deadline_exceeded(),
            _ => status,
        }
    }
}

/// The messages of a request.
pub(super) struct Messages<B> {
    body: B,
    frames: Frames,
    encoding: Option<Encoding>,
    limit: usize,
    /// The bytes that have come.
    received: u64,
    /// The message that another thread decompresses.
    inflating: Option<JoinHandle<Result<Bytes, DecompressError>>>,
}

impl<B: Body<Data = Bytes> + Unpin> Messages<B> {
    pub(super) fn new(body: B, call: &Call, limit: usize) -> Messages<B> {
        let (frames, encoding) = (Frames::new(limit), call.encoding);
        Messages { body, frames, encoding, limit, received: 0, inflating: None }
    }

    /// The next message. The body may end with a failure of the connection; then nobody waits for an answer.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, Status>> {
        loop {
            if let Some(task) = &mut self.inflating {
                let content = ready!(Pin::new(task).poll(context));
                self.inflating = None;
                return Poll::Ready(inflated(content).map(Some));
            }
            if let Some(frame) = self.frames.next()? {
                match self.inflate(frame)? {
                    Begun::Whole(message) => return Poll::Ready(Ok(Some(message))),
                    Begun::Long(rest) => self.inflating = Some(spawn_blocking(|| rest.rest())),
                }
                continue;
            }
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.received += data.len() as u64;
                        self.frames.push(data);
                    }
                }
                Some(Err(_)) => {
                    let status = Status::new(Code::Cancelled, "the client has left");
                    return Poll::Ready(Err(status));
                }
                None => {
                    self.frames.finish()?;
                    return Poll::Ready(Ok(None));
                }
            }
        }
    }

    /// The only message.
    /// The client has so much time to send it, and a second more for each mebibyte.
    pub(super) async fn only(&mut self, time: Duration) -> Result<Bytes, Status> {
        let mut start = None;
        let count = |text| Status::new(Code::Internal, text);
        let message = self.next_within(&mut start, time).await?;
        let message = message.ok_or_else(|| count("the request has no message, expected one"))?;
        match self.next_within(&mut start, time).await? {
            None => Ok(message),
            Some(_) => Err(count("the request has several messages, expected one")),
        }
    }

    /// The next message, which must have come within a time, and a second more for each mebibyte. The time begins when a message is not
    /// there yet.
    async fn next_within(
        &mut self,
        start: &mut Option<tokio::time::Instant>,
        time: Duration,
    ) -> Result<Option<Bytes>, Status> {
        // Most messages have come with their heads, and need no timer.
        if let Poll::Ready(next) = poll_fn(|cx| Poll::Ready(self.poll_next(cx))).await {
            return next;
        }
        let start = *start.get_or_insert_with(tokio::time::Instant::now);
        let mut allowed = time;
        loop {
            let next = poll_fn(|context| self.poll_next(context));
            match tokio::time::timeout_at(start + allowed, next).await {
                Ok(next) => return next,
                Err(_) => {
                    let earned = time.saturating_add(Duration::from_secs(self.received >> 20));
                    if earned <= allowed {
                        let text = format!(
                            "the request's message did not arrive within {} s",
                            allowed.as_secs()
                        );
                        return Err(Status::new(Code::DeadlineExceeded, text));
                    }
                    allowed = earned;
                }
            }
        }
    }

    /// The message of a frame. A long one that is compressed takes time.
    fn inflate(&self, frame: Frame) -> Result<Begun, Status> {
        match self.encoding {
            _ if !frame.is_compressed => Ok(Begun::Whole(frame.message)),
            Some(encoding) => {
                let decompression = Decompression::new(encoding, frame.message, self.limit);
                decompression.begin().map_err(Status::from)
            }
            None => Err(Status::new(
                Code::Internal,
                "a message is compressed, but the header 'grpc-encoding' does not say how",
            )),
        }
    }
}

/// The message that a thread has decompressed.
fn inflated(content: Result<Result<Bytes, DecompressError>, JoinError>) -> Result<Bytes, Status> {
    let content = content.map_err(|panic| Status::new(Code::Internal, panic.to_string()))?;
    content.map_err(Status::from)
}

impl From<DecompressError> for Status {
    fn from(error: DecompressError) -> Status {
        match error {
            DecompressError::TooLarge(limit) => {
                let text = format!(
                    "Received message larger than max (over {limit} bytes when decompressed)"
                );
                Status::new(Code::ResourceExhausted, text)
            }
            DecompressError::Damaged(error) => {
                let text = format!("a message cannot be decompressed: {error}");
                Status::new(Code::Internal, text)
            }
        }
    }
}

impl From<FrameError> for Status {
    fn from(error: FrameError) -> Status {
        let code = match error {
            FrameError::TooLong { .. } => Code::ResourceExhausted,
            _ => Code::Internal,
        };
        Status::new(code, error.to_string())
    }
}

/// Decodes a request's message.
pub(super) fn decode<M: Message + Default>(message: Bytes) -> Result<M, Status> {
    M::decode(message).map_err(|error| {
        Status::new(Code::Internal, format!("the request's message cannot be read: {error}"))
    })
}
