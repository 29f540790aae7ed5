//! Requests and responses.

use super::part::Part;
use super::prepare::Prepared;
use crate::config::DataType;
use crate::ensemble::RequestWatch;
use crate::failure::RequestError;
use crate::schedule::Priority;
use crate::sequence::Sequence;
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
    /// The inputs. For [`ServedModel::execute`](crate::ServedModel::execute) also those that a scheduler fills in: controls and
    /// states.
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
    /// How long it may be queued, if the model's queue policy limits this time and allows to shorten it, or if its sequence waits for
    /// a slot.
    pub timeout: Option<Duration>,
    /// Its place in a sequence. It has an effect where requests are queued.
    pub sequence: Sequence,
    /// Sees the requests that an ensemble makes for this one. Other models do not use it.
    pub watch: Option<Arc<dyn RequestWatch>>,
}

/// A flag of one request, which is also set when the client's flag is: that one may belong to other requests, too.
pub(crate) fn own_flag(asked: Option<CancelFlag>) -> CancelFlag {
    match asked {
        Some(asked) => CancelFlag::when(move || asked.is_cancelled()),
        None => CancelFlag::new(),
    }
}

/// A flag that is set when those of all requests of a batch are; `None` if one of them has none. A request alone has its own.
pub(crate) fn batch_flag<'b, 'r: 'b>(
    mut batch: impl Iterator<Item = &'b Prepared<'r>>,
) -> Option<CancelFlag> {
    let first = batch.next()?.cancel.clone()?;
    let others: Vec<CancelFlag> =
        batch.map(|request| request.cancel.clone()).collect::<Option<_>>()?;
    if others.is_empty() {
        return Some(first);
    }
    Some(CancelFlag::when(move || {
        first.is_cancelled() && others.iter().all(CancelFlag::is_cancelled)
    }))
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
    /// How the batch went that a scheduler ran for the request.
    pub timing: Option<Timing>,
}

/// The times of a batch that a scheduler ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// When it left the queue.
    pub start: Instant,
    /// How long inputs were gathered.
    pub input: Duration,
    /// How long the model ran.
    pub run: Duration,
    /// How long responses were made.
    pub output: Duration,
    /// The rows of all its requests.
    pub rows: usize,
    /// Whether this is the first of its responses, so that a batch can be counted once.
    pub leads: bool,
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
