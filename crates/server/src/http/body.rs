//! Bodies of requests and replies.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::StatusCode;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::HttpOptions;
use super::events::Events;
use super::reply::Refusal;

/// The body of a reply.
#[derive(Default)]
pub(crate) enum ReplyBody {
    /// Nothing.
    #[default]
    Empty,
    /// One piece.
    Whole(Bytes),
    /// Several pieces, the first one last.
    Pieces(Vec<Bytes>),
    /// One piece whose length is not announced.
    Chunked(Bytes),
    /// Events as they come.
    Events(Events),
}

impl From<Vec<u8>> for ReplyBody {
    fn from(bytes: Vec<u8>) -> ReplyBody {
        Bytes::from(bytes).into()
    }
}

impl From<Bytes> for ReplyBody {
    fn from(bytes: Bytes) -> ReplyBody {
        if bytes.is_empty() { ReplyBody::Empty } else { ReplyBody::Whole(bytes) }
    }
}

impl ReplyBody {
    /// All bytes; `None` for a body whose parts are not known yet.
    pub(super) fn content(&self) -> Option<Bytes> {
        match self {
            ReplyBody::Empty => Some(Bytes::new()),
            ReplyBody::Whole(piece) | ReplyBody::Chunked(piece) => Some(piece.clone()),
            ReplyBody::Pieces(pieces) => Some(pieces.iter().rev().flatten().copied().collect()),
            ReplyBody::Events(_) => None,
        }
    }

    /// Whether its length is not announced.
    pub(super) fn is_chunked(&self) -> bool {
        matches!(self, ReplyBody::Chunked(_) | ReplyBody::Events(_))
    }

    /// A text and the tensors that follow it.
    pub(super) fn pieces(text: Vec<u8>, mut binary: Vec<Bytes>) -> ReplyBody {
        binary.retain(|piece| !piece.is_empty());
        if binary.is_empty() {
            return text.into();
        }
        binary.reverse();
        binary.push(text.into());
        ReplyBody::Pieces(binary)
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut *self {
            ReplyBody::Empty => None,
            ReplyBody::Whole(piece) | ReplyBody::Chunked(piece) => {
                let piece = std::mem::take(piece);
                *self = ReplyBody::Empty;
                Some(piece)
            }
            ReplyBody::Pieces(pieces) => pieces.pop(),
            ReplyBody::Events(events) => match events.poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(event) => event,
            },
        };
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            ReplyBody::Empty => true,
            ReplyBody::Pieces(pieces) => pieces.is_empty(),
            ReplyBody::Whole(_) | ReplyBody::Chunked(_) | ReplyBody::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        let size = match self {
            ReplyBody::Empty => 0,
            ReplyBody::Whole(piece) => piece.len(),
            ReplyBody::Pieces(pieces) => pieces.iter().map(Bytes::len).sum(),
            ReplyBody::Chunked(_) | ReplyBody::Events(_) => return SizeHint::default(),
        };
        SizeHint::with_exact(size as u64)
    }
}

/// Reads a body. One that comes in one piece is not copied.
///
/// # Errors
/// A body beyond the limit, a client that is too slow, and a connection that breaks.
pub(super) async fn collect(body: &mut Incoming, options: &HttpOptions) -> Result<Bytes, Refusal> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = body.size_hint().exact();
    if announced.is_some_and(|size| size > options.largest_body as u64) {
        return Err(too_large(options.largest_body));
    }
    let mut collected = Collected { first: Bytes::new(), rest: BytesMut::new() };
    // Most bodies have come with their heads, and need no timer.
    let ready = poll_fn(|cx| Poll::Ready(poll(body, &mut collected, options, cx))).await;
    if let Poll::Ready(result) = ready {
        return result.map(|()| collected.whole());
    }
    let expected = announced.unwrap_or(options.largest_body as u64) >> 20;
    let most = options.body_time.saturating_add(Duration::from_secs(expected));
    let rest = poll_fn(|cx| poll(body, &mut collected, options, cx));
    match tokio::time::timeout(most, rest).await {
        Ok(result) => result.map(|()| collected.whole()),
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format_args!("the request's body did not arrive within {} s", most.as_secs()),
        )),
    }
}

/// Reads and drops the rest of a body, as far as a body may go. A connection is closed after a reply to a request whose body has not been
/// read, and its client may see the end before the reply, or send its next request in vain.
pub(super) async fn drain(body: &mut Incoming, options: &HttpOptions) {
    let mut left = options.largest_body;
    let rest = poll_fn(|cx| {
        while let Some(Ok(frame)) = ready!(Pin::new(&mut *body).poll_frame(cx)) {
            match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                Some(rest) => left = rest,
                None => break,
            }
        }
        Poll::Ready(())
    });
    // A client that is too slow for it loses the connection.
    let _ = tokio::time::timeout(options.body_time, rest).await;
}

fn too_large(most: usize) -> Refusal {
    Refusal::new(
        StatusCode::BAD_REQUEST,
        format_args!(
            "request body exceeds the maximum of {most} bytes. Use --http-max-input-size to increase the limit."
        ),
    )
}

struct Collected {
    first: Bytes,
    rest: BytesMut,
}

impl Collected {
    fn push(&mut self, piece: Bytes) {
        if self.first.is_empty() && self.rest.is_empty() {
            self.first = piece;
            return;
        }
        if self.rest.is_empty() {
            self.rest.reserve(self.first.len() + piece.len());
            self.rest.extend_from_slice(&std::mem::take(&mut self.first));
        }
        self.rest.extend_from_slice(&piece);
    }

    fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    fn whole(self) -> Bytes {
        if self.rest.is_empty() { self.first } else { self.rest.freeze() }
    }
}

/// Takes the pieces that are there.
fn poll(
    body: &mut Incoming,
    collected: &mut Collected,
    options: &HttpOptions,
    cx: &mut Context<'_>,
) -> Poll<Result<(), Refusal>> {
    loop {
        let frame = match Pin::new(&mut *body).poll_frame(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(None) => return Poll::Ready(Ok(())),
            Poll::Ready(Some(Ok(frame))) => frame,
            Poll::Ready(Some(Err(error))) => {
                let text = format_args!("the request's body cannot be read: {error}");
                return Poll::Ready(Err(Refusal::new(StatusCode::BAD_REQUEST, text)));
            }
        };
        // Trailers mean nothing here.
        let Ok(piece) = frame.into_data() else { continue };
        if collected.len() + piece.len() > options.largest_body {
            return Poll::Ready(Err(too_large(options.largest_body)));
        }
        collected.push(piece);
    }
}
