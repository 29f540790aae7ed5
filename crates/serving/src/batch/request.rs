//! Requests and responses.

use super::part::Part;
use crate::config::DataType;
use crate::failure::RequestError;
use crate::schedule::Priority;
use bytes::Bytes;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_engine::CancelFlag;

/// A request to a model. Shapes are those of the model: with the batch dimension if the configuration's `max_batch_size` is
/// above 0, and with `reshape` applied.
#[derive(Clone, Debug, Default)]
pub struct InferenceRequest<'a> {
    /// The inputs, with those that the scheduler fills in: controls and states.
    pub inputs: Vec<Input<'a>>,
    /// Names of the outputs, and of states' outputs, that the response shall have; `None` for all outputs of the configuration.
    /// If the list is empty, the model does not run for this request.
    pub outputs: Option<Vec<Cow<'a, str>>>,
    /// Set when the client no longer waits.
    pub cancel: Option<CancelFlag>,
    /// When the client stops to wait. The request is answered then, also if its batch still runs.
    pub deadline: Option<Instant>,
    /// The request's level among those of its model; `None` for the model's default. It has an effect where requests are queued
    /// ([`ScheduledModel::submit`](crate::ScheduledModel::submit)).
    pub priority: Option<Priority>,
    /// How long it may be queued, if the model's queue policy limits this time and allows to shorten it.
    pub timeout: Option<Duration>,
}

/// An input of a request.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// Its elements, row-major and little-endian, in any number of parts, which may divide elements. Each string
    /// follows its length (u32).
    pub data: Vec<Part<'a>>,
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
    /// Its position in [`ServedModel::results`](crate::ServedModel::results).
    pub at: usize,
    /// Its name.
    pub name: Arc<str>,
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
