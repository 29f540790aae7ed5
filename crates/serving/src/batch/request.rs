//! Requests and responses.

use crate::config::DataType;
use bytes::Bytes;
use std::ops::Range;
use std::time::Instant;
use trident_engine::CancelFlag;
use trident_runtime::{ByteSource, ForeignBytes};

use crate::failure::RequestError;

/// A request to a model. Shapes are those of the model: with the batch dimension if the configuration's `max_batch_size` is
/// above 0, and with `reshape` applied.
#[derive(Clone, Debug, Default)]
pub struct InferenceRequest<'a> {
    /// The inputs, with those that the scheduler fills in: controls and states.
    pub inputs: Vec<Input<'a>>,
    /// Names of the outputs, and of states' outputs, that the response shall have; `None` for all outputs of the configuration.
    /// Where they are none, the model does not run for this request.
    pub outputs: Option<Vec<&'a str>>,
    /// Set when the client no longer waits.
    pub cancel: Option<CancelFlag>,
    /// When the client stops to wait.
    pub deadline: Option<Instant>,
    /// Among batches that wait for a device, higher numbers go first.
    pub priority: i32,
}

/// An input of a request.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// Its elements, row-major and little-endian, in any number of parts, which may divide elements. Each string
    /// follows its length (u32).
    pub data: Vec<Part<'a>>,
}

/// Bytes of an input.
#[derive(Clone, Debug)]
pub enum Part<'a> {
    /// Bytes that are copied.
    Borrowed(&'a [u8]),
    /// Bytes that the client may still write to. They are copied once, and only the copy is looked at.
    Foreign(ForeignBytes<'a>),
    /// Bytes that the model may read in place.
    Shared(Bytes),
}

impl ByteSource for &Part<'_> {
    fn size(&self) -> usize {
        match self {
            Part::Borrowed(bytes) => bytes.len(),
            Part::Foreign(bytes) => bytes.size(),
            Part::Shared(bytes) => bytes.len(),
        }
    }

    fn copy_to(&self, to: &mut [u8]) {
        match self {
            Part::Borrowed(bytes) => to.copy_from_slice(bytes),
            Part::Foreign(bytes) => bytes.copy_to(to),
            Part::Shared(bytes) => to.copy_from_slice(bytes),
        }
    }
}

/// A model's answer to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The outputs asked for, in the configuration's order; states that are not outputs come last.
    pub outputs: Vec<Output>,
}

/// An output of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// Its elements as in [`Input::data`]: a view of the model's result, whose memory is free when all views have been dropped.
    /// Strings are a copy, and so are all elements if requests of the execution lacked memory.
    pub data: Bytes,
}

/// The outcome of requests that were executed together.
#[derive(Debug)]
pub struct Execution {
    /// For each request, in their order.
    pub responses: Vec<Result<Response, RequestError>>,
    /// From the start of the model's first run to the end of its last. Before it inputs are gathered, after it responses are
    /// made. Both ends are now if the model did not run.
    pub computing: Range<Instant>,
}
