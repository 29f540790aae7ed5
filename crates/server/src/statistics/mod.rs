//! Counters of a model, as the protocols report them.

mod counters;
mod latency;
mod observed;
mod summary;

use std::collections::BTreeMap;

pub(crate) use counters::{Counters, ResponseKind};
pub(crate) use latency::BOUNDS;
pub use latency::{Latencies, TimeHistogram};
pub(crate) use observed::{FIRST_RESPONSE_BOUNDS, Timed};
pub use observed::{FirstResponseReading, QUANTILES, SummaryReadings, TimeFamilies};
pub use summary::SummaryReading;

/// A number of events and the time that they took together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number.
    pub count: u64,
    /// The time, in nanoseconds.
    pub ns: u64,
}

/// The counters of one version of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelStatistics {
    /// The model's name.
    pub name: String,
    /// The version.
    pub version: u64,
    /// When it ran last, in milliseconds since 1970; 0 for never.
    pub last_inference: u64,
    /// Rows of requests that it has answered.
    pub inference_count: u64,
    /// Runs.
    pub execution_count: u64,
    /// Requests, by what happened to them.
    pub requests: RequestTallies,
    /// Requests that failed, by the reason.
    pub failures: FailureTallies,
    /// Histograms of the times of requests.
    pub latencies: Latencies,
    /// Requests that wait to be run.
    pub pending: u64,
    /// Answers of decoupled models, by their position among a request's answers.
    pub responses: BTreeMap<u64, ResponseTallies>,
    /// Runs, by their rows.
    pub batches: BTreeMap<u64, BatchTallies>,
    /// Memory of the model.
    pub memory: Vec<MemoryUse>,
    /// Summaries of times, if the server is asked for them.
    pub summaries: Option<SummaryReadings>,
    /// The times until first answers, for decoupled models, if the server is asked for them.
    pub first_responses: Option<FirstResponseReading>,
}

/// Tallies of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestTallies {
    /// From arrival to answer.
    pub success: Tally,
    /// From arrival to the error.
    pub fail: Tally,
    /// Waiting for a batch.
    pub queue: Tally,
    /// Inputs being gathered.
    pub compute_input: Tally,
    /// The run itself.
    pub compute_infer: Tally,
    /// Answers being made.
    pub compute_output: Tally,
    /// Answers found in the cache.
    pub cache_hit: Tally,
    /// Answers looked for in the cache, and put there.
    pub cache_miss: Tally,
}

/// Numbers of requests that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailureTallies {
    /// The queue was full, or the time in it was over.
    pub rejected: u64,
    /// The client left.
    pub cancelled: u64,
    /// The run failed.
    pub backend: u64,
    /// Another reason.
    pub other: u64,
}

/// Tallies of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseTallies {
    /// From the answer before to this one.
    pub compute_infer: Tally,
    /// The answer being sent.
    pub compute_output: Tally,
    /// Answers.
    pub success: Tally,
    /// Errors.
    pub fail: Tally,
    /// Ends without an answer.
    pub empty_response: Tally,
    /// Answers that nobody waited for.
    pub cancel: Tally,
}

/// Tallies of the runs of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchTallies {
    /// Inputs being gathered.
    pub compute_input: Tally,
    /// The run itself.
    pub compute_infer: Tally,
    /// Answers being made.
    pub compute_output: Tally,
}

/// A kind of memory that a model uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The kind: `CPU`.
    pub kind: String,
    /// The number of the device.
    pub id: i64,
    /// Its bytes.
    pub bytes: u64,
}
