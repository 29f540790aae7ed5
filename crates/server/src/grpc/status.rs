//! Outcomes of calls.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use trident_serving::{ErrorCode, Fault};

use crate::repository::NoModel;

/// The header and trailer with a call's code.
const STATUS: HeaderName = HeaderName::from_static("grpc-status");
/// The header and trailer with a call's text.
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// Codes of calls, by their numbers in gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The call succeeded.
    Ok = 0,
    /// The client no longer waits.
    Cancelled = 1,
    /// The cause is not known.
    Unknown = 2,
    /// The request is at fault.
    InvalidArgument = 3,
    /// The call took longer than the client allowed.
    DeadlineExceeded = 4,
    /// The request names something that does not exist.
    NotFound = 5,
    /// The request makes something that exists.
    AlreadyExists = 6,
    /// A limit of the server.
    ResourceExhausted = 8,
    /// A method that the server does not have, or a feature.
    Unimplemented = 12,
    /// The server is at fault, or the bytes of the request.
    Internal = 13,
    /// The server does not answer this request now.
    Unavailable = 14,
    /// The client has not said who it is.
    Unauthenticated = 16,
}

/// The outcome of a call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its code.
    pub code: Code,
    /// The reason, for people.
    pub text: String,
}

impl Code {
    /// The code's name in gRPC.
    pub fn name(self) -> &'static str {
        match self {
            Code::Ok => "OK",
            Code::Cancelled => "CANCELLED",
            Code::Unknown => "UNKNOWN",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Code::Unimplemented => "UNIMPLEMENTED",
            Code::Internal => "INTERNAL",
            Code::Unavailable => "UNAVAILABLE",
            Code::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    fn value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Code::Ok => "0",
            Code::Cancelled => "1",
            Code::Unknown => "2",
            Code::InvalidArgument => "3",
            Code::DeadlineExceeded => "4",
            Code::NotFound => "5",
            Code::AlreadyExists => "6",
            Code::ResourceExhausted => "8",
            Code::Unimplemented => "12",
            Code::Internal => "13",
            Code::Unavailable => "14",
            Code::Unauthenticated => "16",
        })
    }
}

impl Status {
    /// A failure with a text.
    pub(super) fn new(code: Code, text: impl Into<String>) -> Status {
        Status { code, text: text.into() }
    }

    /// The failure of a call that took longer than the client waits.
    pub(super) fn deadline_exceeded() -> Status {
        Status::new(Code::DeadlineExceeded, "Deadline Exceeded")
    }

    /// The failure of a request with wrong contents.
    pub(super) fn invalid(text: impl Into<String>) -> Status {
        Status::new(Code::InvalidArgument, text)
    }

    /// Adds the headers or trailers of this outcome.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        headers.insert(STATUS, self.code.value());
        if let Ok(text) = HeaderValue::from_bytes(&percent_encoded(&self.text))
            && !text.is_empty()
        {
            headers.insert(MESSAGE, text);
        }
    }

    /// The trailers of a call with this outcome.
    pub(super) fn trailers(&self) -> HeaderMap {
        let mut trailers = HeaderMap::new();
        self.write(&mut trailers);
        trailers
    }
}

/// The trailers of a call that succeeded.
pub(super) fn success() -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(1);
    trailers.insert(STATUS, Code::Ok.value());
    trailers
}

impl From<NoModel> for Status {
    fn from(error: NoModel) -> Status {
        Fault::from(error).into()
    }
}

impl From<Fault> for Status {
    fn from(fault: Fault) -> Status {
        let code = match fault.code {
            ErrorCode::Unknown => Code::Unknown,
            ErrorCode::Internal => Code::Internal,
            ErrorCode::NotFound => Code::NotFound,
            ErrorCode::InvalidArg => Code::InvalidArgument,
            ErrorCode::Unavailable => Code::Unavailable,
            ErrorCode::Unsupported => Code::Unimplemented,
            ErrorCode::AlreadyExists => Code::AlreadyExists,
            ErrorCode::Cancelled => Code::Cancelled,
        };
        Status { code, text: fault.text }
    }
}

/// A text as header values carry it: bytes other than printable ASCII, and `%`, become `%XX`.
fn percent_encoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => encoded.push(byte),
            _ => {
                let digit = |bits: u8| DIGITS[usize::from(bits & 15)];
                encoded.extend([b'%', digit(byte >> 4), digit(byte)]);
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_percent_encoded() {
        assert_eq!(percent_encoded("a b~"), b"a b~");
        assert_eq!(percent_encoded("100%\n\u{e9}\u{7f}"), b"100%25%0A%C3%A9%7F");
    }

    #[test]
    fn outcomes_are_headers() {
        let mut headers = HeaderMap::new();
        Status::new(Code::NotFound, "no model 'ä'").write(&mut headers);
        assert_eq!(headers["grpc-status"], "5");
        assert_eq!(headers["grpc-message"], "no model '%C3%A4'");
        let mut headers = HeaderMap::new();
        Status::new(Code::Unimplemented, "").write(&mut headers);
        assert_eq!(headers["grpc-status"], "12");
        assert!(!headers.contains_key("grpc-message"));
        assert_eq!(success()["grpc-status"], "0");
    }
}
