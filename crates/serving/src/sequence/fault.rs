//! Errors of requests to models with sequences.

use crate::config::DataType;
use crate::failure::ErrorCode;

/// The reason why a request has no place in a sequence. The texts are the server's where the server makes the same check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum SequenceFault {
    /// A request without an id.
    #[error(
        "inference request to model '{model}' must specify a non-zero or non-empty correlation ID"
    )]
    NoId { model: String },
    /// A text that is too long for an id.
    #[error("string correlation ID cannot be longer than 128 characters")]
    LongId,
    /// An id of another type than the model's control.
    #[error(
        "sequence batching control '{control}' data-type is '{}', but model '{model}' expects '{}'",
        given.protocol_name(), expected.protocol_name()
    )]
    IdType { model: String, control: String, given: DataType, expected: DataType },
    /// A number that the model's control cannot hold.
    #[error(
        "sequence {id} is too large for sequence batching control '{control}' of model '{model}', whose data-type is '{}'; \
         hint: use an id below 4294967296",
        expected.protocol_name()
    )]
    IdRange { model: String, control: String, id: u64, expected: DataType },
    /// Another number of rows than one.
    #[error(
        "inference request to model '{model}' must specify batch-size 1 due to requirements of sequence batcher"
    )]
    Rows { model: String },
    /// A sequence that has not started, or has ended.
    #[error(
        "inference request for sequence {id} to model '{model}' must specify the START flag on the first request of the sequence"
    )]
    NotStarted { model: String, id: String },
    /// The time limit of a sequence that waits for a slot.
    #[error("timeout of the corresponding sequence has been expired")]
    Timeout,
}

impl SequenceFault {
    /// The class of the error.
    pub fn code(&self) -> ErrorCode {
        match self {
            SequenceFault::LongId => ErrorCode::Unsupported,
            SequenceFault::Timeout => ErrorCode::Unavailable,
            _ => ErrorCode::InvalidArg,
        }
    }
}
