//! Errors of requests.

use std::fmt::Display;

use trident_serving::ErrorCode;

/// A request that is not answered: the class of the error and the text for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Fault {
    /// The class.
    pub code: ErrorCode,
    /// The text.
    pub text: String,
}

impl Fault {
    /// A fault of the request's contents.
    pub fn invalid(text: impl Display) -> Fault {
        Fault { code: ErrorCode::InvalidArg, text: text.to_string() }
    }

    /// A fault of the request's form. The server counts those as its own.
    pub fn internal(text: impl Display) -> Fault {
        Fault { code: ErrorCode::Internal, text: text.to_string() }
    }
}
