//! Failures to load a model or to answer a request, in the words that clients see.

use crate::config::DataType;
use crate::ensemble::StepError;
use crate::invalid::ConfigError;
use crate::model::PadFault;
use crate::sequence::SequenceFault;
use std::fmt::Display;
use trident_engine::{PlanError, RunError};
use trident_ir::counted;
use trident_ir::shape::ShapeError;
use trident_runtime::KernelError;

/// The server's classes of errors. Protocols have a status for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The cause is not known.
    Unknown,
    /// The server or a model is at fault.
    Internal,
    /// A name or a version that the server does not have.
    NotFound,
    /// The configuration or a request is at fault.
    InvalidArg,
    /// Something is missing, or there is not enough memory or time for it.
    Unavailable,
    /// The model asks for what this program does not do.
    Unsupported,
    /// A name that is given twice.
    AlreadyExists,
    /// The client no longer waits.
    Cancelled,
}

/// A class and a text: an error in the form in which clients see it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Fault {
    /// The class of the error.
    pub code: ErrorCode,
    /// The text.
    pub text: String,
}

impl Fault {
    /// A fault of the request's contents.
    pub fn invalid(text: impl Display) -> Fault {
        Fault { code: ErrorCode::InvalidArg, text: text.to_string() }
    }

    /// A fault of the request's form, which servers count as their own, or of the server itself.
    pub fn internal(text: impl Display) -> Fault {
        Fault { code: ErrorCode::Internal, text: text.to_string() }
    }
}

impl ConfigError {
    /// The class of the error.
    pub fn code(&self) -> ErrorCode {
        match self {
            ConfigError::File { .. } => ErrorCode::Internal,
            _ => ErrorCode::InvalidArg,
        }
    }
}

/// The end of errors for lack of memory, if the model has a limit: without it, users would look for the cause in the machine.
fn allowed(limit: Option<usize>) -> String {
    let text = |limit| {
        format!("; the model parameter \"memory_limit\" allows {}", counted::<usize>(limit, "byte"))
    };
    limit.map(text).unwrap_or_default()
}

/// The reason why a model is not loaded. `limit` is its memory limit, if it ran out of memory.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum ServeError {
    /// The configuration contradicts itself or the model.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file does not exist.
    #[error("unable to find '{path}' for model instance '{model}'")]
    NotFound { model: String, path: String },
    /// The configuration names a file elsewhere.
    #[error(
        "'default_model_filename' of model '{model}' leads out of the version's folder: '{file}'"
    )]
    Outside { model: String, file: String },
    /// The model's file cannot be read.
    #[error("failed to read '{path}' for model '{model}': {source}")]
    Read { model: String, path: String, source: std::io::Error },
    /// The model's file is not a model that can be run.
    #[error("failed to load '{path}' for model '{model}': {source}")]
    File { model: String, path: String, source: Box<trident_model::LoadError> },
    /// The shapes in the model contradict each other.
    #[error("failed to load '{path}' for model '{model}': {source}")]
    Shapes { model: String, path: String, source: Box<ShapeError> },
    /// No device runs the model.
    #[error("failed to plan model '{model}': {source}{}", allowed(*limit))]
    Plan { model: String, source: Box<PlanError>, limit: Option<usize> },
    /// An accelerator is not there, and the model runs on nothing else.
    #[error(
        "Execution Accelerator '{accelerator}' is requested for model '{model}' and not available here; hint: without the \
         model's parameter 'fallback', other hardware runs it"
    )]
    Accelerator { model: String, accelerator: &'static str },
    /// Requests cannot be padded as the configuration asks for.
    #[error("parameter 'pad' of model '{model}': {fault}")]
    Padding { model: String, fault: Box<PadFault> },
    /// A field of the configuration that asks for more than this program does.
    #[error("model '{model}' specifies '{field}', which is not supported")]
    Unsupported { model: String, field: &'static str },
}

impl ServeError {
    /// The class of the error.
    pub fn code(&self) -> ErrorCode {
        match self {
            ServeError::Config(error) => error.code(),
            ServeError::NotFound { .. } | ServeError::Accelerator { .. } => ErrorCode::Unavailable,
            ServeError::Outside { .. } | ServeError::Padding { .. } => ErrorCode::InvalidArg,
            ServeError::Read { .. } | ServeError::File { .. } | ServeError::Shapes { .. } => {
                ErrorCode::Internal
            }
            ServeError::Plan { source, .. } => match **source {
                PlanError::Unsupported { .. } => ErrorCode::Unsupported,
                PlanError::Memory { .. } => ErrorCode::Unavailable,
                _ => ErrorCode::Internal,
            },
            ServeError::Unsupported { .. } => ErrorCode::Unsupported,
        }
    }
}

/// The reason why a request fails. The texts are the server's where the server makes the same check. `limit` is the
/// model's memory limit, if it ran out of memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum RequestError {
    /// Inputs are missing.
    #[error(
        "expected {expected} inputs but got {} inputs for model '{model}'. Got input(s) [{}], but missing required input(s) \
         [{}]. Please provide all required input(s).",
        given.len(), quoted(given), quoted(missing)
    )]
    Missing { model: String, expected: usize, given: Vec<String>, missing: Vec<String> },
    /// An input that the model does not have.
    #[error("unexpected inference input '{input}' for model '{model}'")]
    UnexpectedInput { model: String, input: String },
    /// An output that the model does not have.
    #[error("unexpected inference output '{output}' for model '{model}'")]
    UnexpectedOutput { model: String, output: String },
    /// An input is given twice.
    #[error("input '{input}' already exists in request")]
    Twice { input: String },
    /// An input of another type.
    #[error(
        "inference input '{input}' data-type is '{}', but model '{model}' expects '{}'",
        given.protocol_name(), expected.protocol_name()
    )]
    DataType { model: String, input: String, given: DataType, expected: DataType },
    /// An input of another shape.
    #[error(
        "unexpected shape for input '{input}' for model '{model}'. Expected {expected}, got {given}"
    )]
    Shape { model: String, input: String, expected: String, given: String },
    /// Inputs of different batch sizes.
    #[error("input '{input}' batch size does not match other inputs for '{model}'")]
    BatchSize { model: String, input: String },
    /// More rows than a batch may have.
    #[error("inference request batch-size must be <= {largest} for '{model}'")]
    TooManyRows { model: String, largest: usize },
    /// More or fewer bytes than the shape asks for.
    #[error(
        "input byte size mismatch for input '{input}' for model '{model}'. Expected {expected}, got {given}"
    )]
    ByteSize { model: String, input: String, expected: usize, given: usize },
    /// Bytes that are not the strings that the shape asks for.
    #[error("{} for model '{model}'{}", fault.first(input), fault.second())]
    Strings { model: String, input: String, fault: StringsFault },
    /// The bytes of an input cannot be written.
    #[error("failed to read input '{input}' for model '{model}': {source}")]
    Fill { model: String, input: String, source: Fault },
    /// Memory for an input could not be allocated.
    #[error("failed to make input '{input}' for model '{model}': {source}{}", allowed(*limit))]
    Input { model: String, input: String, source: KernelError, limit: Option<usize> },
    /// Memory for a state could not be allocated.
    #[error("failed to keep state '{state}' of model '{model}': {source}{}", allowed(*limit))]
    State { model: String, state: String, source: Box<KernelError>, limit: Option<usize> },
    /// The model did not run to its end.
    #[error("failed to run model '{model}': {source}{}", allowed(*limit))]
    Run { model: String, source: Box<RunError>, limit: Option<usize> },
    /// A result that has no row for each row of the batch.
    #[error(
        "output '{output}' of model '{model}' has shape {actual}, but {expected} is expected for a batch of {rows}; hint: a \
         model whose outputs have no batch dimension needs 'max_batch_size: 0'"
    )]
    OutputRows { model: String, output: String, rows: usize, actual: String, expected: String },
    /// A result with more or fewer elements than the shapes of requests ask for.
    #[error(
        "output '{output}' of model '{model}' has {}, but 'batch_output' divides {expected} among the requests, by the shapes of \
         input '{input}'",
        counted::<usize>(*given, "element")
    )]
    OutputElements { model: String, output: String, input: String, expected: usize, given: usize },
    /// A result that cannot be cut back to the length of a request.
    #[error(
        "output '{output}' of model '{model}' has shape {actual}, but its dimension {axis} should be {expected}, the length of the padded \
         batch"
    )]
    OutputLength { model: String, output: String, axis: usize, expected: usize, actual: String },
    /// A number of elements that the type of an input does not hold.
    #[error(
        "batch input '{input}' of model '{model}' is of type INT32, which does not hold the numbers of elements of the batch"
    )]
    Count { model: String, input: String },
    /// A result that the protocol has no type for.
    #[error("output '{output}' of model '{model}' is {actual}, which no response can have")]
    OutputType { model: String, output: String, actual: String },
    /// A result whose elements are lost.
    #[error("failed to read output '{output}' of model '{model}': {source}")]
    Output { model: String, output: String, source: KernelError },
    /// The time limit has passed.
    #[error("Request timeout expired")]
    Timeout,
    /// The client no longer waits.
    #[error("request cancelled")]
    Cancelled,
    /// As many requests of its priority wait as the model's queue policy allows.
    #[error("Exceeds maximum queue size")]
    QueueFull,
    /// A step of an ensemble has failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// An error that a native model gives.
    #[error(transparent)]
    Native(Fault),
    /// A request without a place in a sequence.
    #[error(transparent)]
    Sequence(#[from] SequenceFault),
    /// A model that was unloaded while nobody asked for it, and cannot be loaded again.
    #[error("model '{model}' was unloaded while it was idle, and cannot be loaded again: {cause}")]
    Unloaded { model: String, cause: String },
    /// No more requests are accepted.
    #[error("Server exiting")]
    Closing,
    /// A panic has ended the run of the request.
    #[error(
        "internal error: a run panicked; this is a bug in Trident, please report it with the model"
    )]
    Abandoned,
}

/// A fault in the bytes of strings. Each string follows its length, of 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringsFault {
    /// More strings than the shape asks for.
    TooMany {
        /// A lower bound of the number of strings.
        given: usize,
        /// The number of strings that the shape asks for.
        expected: usize,
    },
    /// Fewer strings than the shape asks for.
    TooFew {
        /// The number of strings.
        given: usize,
        /// The number of strings that the shape asks for.
        expected: usize,
    },
    /// The bytes end in a length.
    Length {
        /// Bytes of the length.
        available: usize,
    },
    /// The bytes end in a string.
    Data {
        /// The string's length.
        length: usize,
        /// Bytes of the string.
        available: usize,
    },
    /// A string that is not text.
    Utf8 {
        /// Its index.
        element: usize,
        /// The first byte that is wrong.
        byte: usize,
    },
}

impl StringsFault {
    /// The text before the model's name.
    fn first(self, input: &str) -> String {
        match self {
            StringsFault::TooMany { given, .. } => {
                format!(
                    "unexpected number of string elements {given} for inference input '{input}'"
                )
            }
            StringsFault::TooFew { expected, .. } => {
                format!("expected {expected} string elements for inference input '{input}'")
            }
            StringsFault::Length { .. } => {
                format!("incomplete string length indicator for inference input '{input}'")
            }
            StringsFault::Data { .. } => {
                format!("incomplete string data for inference input '{input}'")
            }
            StringsFault::Utf8 { element, .. } => {
                format!("string element {element} of inference input '{input}' is not valid UTF-8")
            }
        }
    }

    /// The text after it.
    fn second(self) -> String {
        match self {
            StringsFault::TooMany { expected, .. } => format!(", expecting {expected}"),
            StringsFault::TooFew { given, .. } => format!(", got {given}"),
            StringsFault::Length { available } => {
                format!(", expecting 4 bytes but only {available} bytes available")
            }
            StringsFault::Data { length, available } => {
                format!(
                    ", expecting string of length {length} but only {available} bytes available"
                )
            }
            StringsFault::Utf8 { byte, .. } => {
                format!(", at its byte {byte}; strings of ONNX models are texts in UTF-8")
            }
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(",")
}

impl RequestError {
    /// The class of the error.
    pub fn code(&self) -> ErrorCode {
        match self {
            RequestError::Timeout
            | RequestError::QueueFull
            | RequestError::Unloaded { .. }
            | RequestError::Closing => ErrorCode::Unavailable,
            RequestError::Abandoned => ErrorCode::Internal,
            RequestError::Fill { source, .. } => source.code,
            RequestError::Sequence(fault) => fault.code(),
            RequestError::Step(error) => error.code,
            RequestError::Native(fault) => fault.code,
            _ if self.is_memory() => ErrorCode::Unavailable,
            RequestError::Input { .. } | RequestError::State { .. } => ErrorCode::Internal,
            RequestError::Run { source, .. } => match **source {
                RunError::Input { .. } => ErrorCode::InvalidArg,
                _ => ErrorCode::Internal,
            },
            RequestError::OutputRows { .. }
            | RequestError::OutputElements { .. }
            | RequestError::OutputLength { .. }
            | RequestError::OutputType { .. }
            | RequestError::Output { .. } => ErrorCode::Internal,
            RequestError::Cancelled => ErrorCode::Cancelled,
            _ => ErrorCode::InvalidArg,
        }
    }

    /// The same with the model's limit, if there was too little memory.
    pub(crate) fn limited(mut self, most: Option<usize>) -> RequestError {
        let is_memory = self.is_memory();
        if let RequestError::Input { limit, .. }
        | RequestError::State { limit, .. }
        | RequestError::Run { limit, .. } = &mut self
        {
            *limit = most.filter(|_| is_memory);
        }
        self
    }

    /// Whether there was too little memory.
    pub(crate) fn is_memory(&self) -> bool {
        match self {
            RequestError::Input { source, .. } => source.lacks_memory(),
            RequestError::State { source, .. } => source.lacks_memory(),
            RequestError::Run { source, .. } => source.lacks_memory(),
            _ => false,
        }
    }
}
