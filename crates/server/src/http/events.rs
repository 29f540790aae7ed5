//! Server-sent events: the answers of a model as they come.

use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use trident_serving::Fault;

use super::answers::Answers;
use super::body::ReplyBody;
use super::generate::flat;
use super::reply::{self, error_text};
use crate::infer::{InferAnswer, Reply};
use crate::observe::Observed;

/// The texts of events.
pub(super) trait EventForm: Send {
    /// The event of an answer or error; empty if it has none.
    fn event(&mut self, answer: Result<InferAnswer, Fault>) -> Bytes;

    /// The events after the last answer; empty if there are none.
    fn end(&mut self) -> Bytes;
}

/// The events of a request. When this is dropped before the last answer, the request is cancelled.
pub(crate) struct Events {
    /// The first answer, which has come already.
    first: Option<Reply>,
    answers: Answers,
    /// The status of the reply.
    status: StatusCode,
    observed: Observed,
    form: Box<dyn EventForm>,
    has_ended: bool,
}

impl Events {
    /// The events of answers, of which one has come.
    pub(super) fn new(
        status: StatusCode,
        first: Reply,
        answers: Answers,
        form: Box<dyn EventForm>,
        observed: Observed,
    ) -> Events {
        Events { first: Some(first), answers, status, observed, form, has_ended: false }
    }

    /// The reply with these events.
    pub(super) fn reply(self) -> reply::Reply {
        let status = self.status;
        let mut reply = Response::new(ReplyBody::Events(self));
        *reply.status_mut() = status;
        let media = HeaderValue::from_static("text/event-stream; charset=utf-8");
        reply.headers_mut().insert(CONTENT_TYPE, media);
        reply
    }

    /// The next events; `None` after the last one.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        while !self.has_ended {
            let reply = match self.first.take() {
                Some(first) => Ok(first),
                None => ready!(self.answers.poll_next(cx)),
            };
            let (answer, is_last) = match reply {
                Ok(Reply { answer, is_last }) => (answer, is_last),
                Err(fault) => (Some(Err(fault)), true),
            };
            self.has_ended = is_last;
            self.observe(answer.as_ref());
            let mut events = answer.map(|answer| self.form.event(answer)).unwrap_or_default();
            if is_last {
                let end = self.form.end();
                events = if end.is_empty() { events } else { [events, end].concat().into() };
            }
            if !events.is_empty() {
                return Poll::Ready(Some(events));
            }
        }
        Poll::Ready(None)
    }

    fn observe(&mut self, answer: Option<&Result<InferAnswer, Fault>>) {
        if let Some(answer) = answer {
            self.observed.answered(answer);
        }
        if let Some(Err(fault)) = answer {
            self.observed.fails(self.status.as_str(), &fault.text);
        }
        if self.has_ended {
            self.observed.end(self.status.as_str(), None);
        }
    }
}

/// The event of a JSON text.
pub(super) fn event_of(text: &[u8]) -> Bytes {
    [b"data: ", text, b"\n\n"].concat().into()
}

/// Events as `generate_stream` has them: answers as flat objects.
pub(super) struct FlatForm;

impl EventForm for FlatForm {
    fn event(&mut self, answer: Result<InferAnswer, Fault>) -> Bytes {
        let text = answer.and_then(|answer| flat(&answer));
        event_of(&text.unwrap_or_else(|fault| error_text(&fault.text)))
    }

    fn end(&mut self) -> Bytes {
        Bytes::new()
    }
}
