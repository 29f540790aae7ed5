//! Replies: statuses, headers, and errors with the server's texts.

use std::fmt::Display;

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Response, StatusCode, header};
use trident_serving::{ErrorCode, Fault};

use super::body::ReplyBody;
use crate::json::Writer;
use crate::repository::NoModel;

/// The head and body of a reply.
pub(super) type Reply = Response<ReplyBody>;

/// The length of the JSON text before binary tensors.
pub(super) const HEADER_LENGTH: HeaderName =
    HeaderName::from_static("inference-header-content-length");

/// The content type of a reply that has no better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// `application/json`.
    Json,
    /// `text/plain`, for health, and for errors before the body is parsed and from execution. The body is JSON nevertheless.
    Plain,
}

/// An error on its way to the client.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    text: String,
    media: Media,
    /// Encodings that the server takes, if the body has another one.
    accepts: Option<&'static str>,
}

impl Refusal {
    /// An error with a status of its own.
    pub(super) fn new(status: StatusCode, text: impl Display) -> Refusal {
        Refusal { status, text: text.to_string(), media: Media::Json, accepts: None }
    }

    /// The same with the content type `text/plain`.
    pub(super) fn plain(mut self) -> Refusal {
        self.media = Media::Plain;
        self
    }

    /// The same with the encodings that the server takes.
    pub(super) fn accepts(mut self, encodings: &'static str) -> Refusal {
        self.accepts = Some(encodings);
        self
    }

    /// The status.
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The status and the text.
    pub(super) fn into_parts(self) -> (StatusCode, String) {
        (self.status, self.text)
    }

    /// The reply.
    pub(super) fn reply(self) -> Reply {
        let mut reply = respond(self.status, self.media, error_text(&self.text).into());
        challenge(&mut reply);
        let headers = reply.headers_mut();
        if let Some(encodings) = self.accepts {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(encodings));
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            let reason = hyper::ext::ReasonPhrase::from_static(b"Not Allowed");
            reply.extensions_mut().insert(reason);
        }
        reply
    }
}

impl From<NoModel> for Refusal {
    fn from(error: NoModel) -> Refusal {
        Fault::from(error).into()
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::new(status(fault.code), fault.text)
    }
}

/// Says in a reply to a client without a key how it sends one.
pub(super) fn challenge(reply: &mut Reply) {
    if reply.status() == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        reply.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    }
}

/// The status of a class of errors.
pub(super) fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Unsupported => StatusCode::NOT_IMPLEMENTED,
        ErrorCode::Unknown
        | ErrorCode::InvalidArg
        | ErrorCode::AlreadyExists
        | ErrorCode::Cancelled => StatusCode::BAD_REQUEST,
    }
}

/// `{"error":"<text>"}`.
pub(super) fn error_text(text: &str) -> Vec<u8> {
    object(|writer| writer.name("error").string(text.as_bytes()))
}

/// The text of an object with these members.
pub(super) fn object(members: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new(vec![]);
    writer.object(members);
    writer.finish()
}

/// A success with a JSON text.
pub(super) fn json(text: impl Into<Bytes>) -> Reply {
    respond(StatusCode::OK, Media::Json, text.into().into())
}

/// A success without a text.
pub(super) fn empty(media: Media) -> Reply {
    respond(StatusCode::OK, media, ReplyBody::default())
}

/// A reply without further headers.
pub(super) fn respond(status: StatusCode, media: Media, body: ReplyBody) -> Reply {
    let media = match media {
        Media::Json => "application/json",
        Media::Plain => "text/plain",
    };
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    reply
}
