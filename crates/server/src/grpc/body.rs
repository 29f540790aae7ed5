//! Bodies of answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, SizeHint};

use super::outgoing::Outgoing;
use super::status::{Status, success};

/// The body of an answer: messages, then trailers with the call's outcome.
pub enum GrpcBody {
    /// No messages. The headers have the outcome.
    Empty,
    /// One message, and the trailers.
    One(OneMessage),
    /// Any number of messages.
    Stream(MessageStream),
}

/// The body of an answer to a single call.
#[derive(Debug)]
pub struct OneMessage {
    pub(super) message: Outgoing,
    pub(super) trailers: Option<HeaderMap>,
}

/// Messages that come one after the other.
pub(super) trait MessageSource: Send {
    /// The next message; `None` at the end of the call.
    fn poll_message(&mut self, context: &mut Context<'_>)
    -> Poll<Result<Option<Outgoing>, Status>>;
}

/// The body of an answer to a call with any number of messages.
pub struct MessageStream {
    /// The messages; `None` after the end of the call.
    source: Option<Box<dyn MessageSource>>,
    /// The message that is being sent.
    sending: Option<Outgoing>,
}

impl MessageStream {
    pub(super) fn new(source: impl MessageSource + 'static) -> MessageStream {
        MessageStream { source: Some(Box::new(source)), sending: None }
    }

    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Frame<Bytes>>> {
        loop {
            if let Some(piece) = self.sending.as_mut().and_then(Outgoing::next) {
                return Poll::Ready(Some(Frame::data(piece)));
            }
            self.sending = None;
            let Some(source) = &mut self.source else { return Poll::Ready(None) };
            let trailers = match ready!(source.poll_message(context)) {
                Ok(Some(message)) => {
                    self.sending = Some(message);
                    continue;
                }
                Ok(None) => success(),
                Err(status) => status.trailers(),
            };
            // Runs whose answers nobody will get are cancelled.
            self.source = None;
            return Poll::Ready(Some(Frame::trailers(trailers)));
        }
    }
}

impl Body for GrpcBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            GrpcBody::Empty => Poll::Ready(None),
            GrpcBody::One(one) => {
                let data = one.message.next().map(Frame::data);
                Poll::Ready(data.or_else(|| one.trailers.take().map(Frame::trailers)).map(Ok))
            }
            GrpcBody::Stream(stream) => stream.poll_frame(context).map(|frame| frame.map(Ok)),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            GrpcBody::Empty => true,
            GrpcBody::One(one) => one.trailers.is_none(),
            GrpcBody::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            GrpcBody::Empty => SizeHint::with_exact(0),
            GrpcBody::One(_) | GrpcBody::Stream(_) => SizeHint::new(),
        }
    }
}
