//! A body of HTTP that is known as a whole.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::HeaderValue;

/// A body of one piece, and trailers.
#[derive(Clone)]
pub(crate) struct Whole {
    data: Option<Bytes>,
    trailers: Option<HeaderMap>,
}

impl Whole {
    pub(crate) fn new(data: Bytes) -> Whole {
        Whole { data: Some(data), trailers: None }
    }

    /// A message of gRPC, with its prefix.
    pub(crate) fn message(data: &[u8]) -> Result<Whole> {
        let size = u32::try_from(data.len()).context("a message has at most 4 GiB")?;
        Ok(Whole::new([&[0], &size.to_be_bytes()[..], data].concat().into()))
    }

    /// The same as the answer to a call of gRPC that succeeds.
    pub(crate) fn success(self) -> Whole {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        Whole { trailers: Some(trailers), ..self }
    }
}

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = self.data.take().map(Frame::data);
        Poll::Ready(data.or_else(|| self.trailers.take().map(Frame::trailers)).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none() && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.trailers {
            Some(_) => SizeHint::default(),
            None => SizeHint::with_exact(self.data.as_ref().map_or(0, Bytes::len) as u64),
        }
    }
}
