//! The families of metrics that each version of a model has.

use crate::statistics::{FailureTallies, ModelStatistics, RequestTallies};

/// A family: one value for each version of each model.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
    pub(super) value: Value,
}

/// The kinds of metrics, as the page names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
    Summary,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
            Kind::Summary => "summary",
        }
    }
}

/// Where a value comes from.
pub(super) enum Value {
    Count(fn(&ModelStatistics) -> u64),
    /// A time, which the page gives in microseconds.
    Time(fn(&RequestTallies) -> u64),
    /// A line for each reason.
    Reasons,
}

/// A reason for failures: its name on the page, and how many failures have it.
pub(super) struct Reason {
    pub(super) name: &'static str,
    pub(super) count: fn(&FailureTallies) -> u64,
}

/// The reasons for failures, in the order of the server's page.
pub(super) const REASONS: [Reason; 4] = [
    Reason { name: "BACKEND", count: |failures| failures.backend },
    Reason { name: "REJECTED", count: |failures| failures.rejected },
    Reason { name: "OTHER", count: |failures| failures.other },
    Reason { name: "CANCELED", count: |failures| failures.cancelled },
];

use Kind::{Counter, Gauge};
use Value::{Count, Reasons, Time};

const fn family(name: &'static str, kind: Kind, value: Value, help: &'static str) -> Family {
    Family { name, help, kind, value }
}

/// All families, in the order of the server's page and with its texts.
pub(super) const FAMILIES: [Family; 10] = [
    family(
        "nv_inference_request_success",
        Counter,
        Count(|model| model.requests.success.count),
        "Number of successful inference requests, all batch sizes",
    ),
    family(
        "nv_inference_request_failure",
        Counter,
        Reasons,
        "Number of failed inference requests, all batch sizes",
    ),
    family(
        "nv_inference_count",
        Counter,
        Count(|model| model.inference_count),
        "Number of inferences performed (does not include cached requests)",
    ),
    family(
        "nv_inference_exec_count",
        Counter,
        Count(|model| model.execution_count),
        "Number of model executions performed (does not include cached requests)",
    ),
    family(
        "nv_inference_request_duration_us",
        Counter,
        Time(|requests| requests.success.ns),
        "Cumulative inference request duration in microseconds (includes cached requests)",
    ),
    family(
        "nv_inference_queue_duration_us",
        Counter,
        Time(|requests| requests.queue.ns),
        "Cumulative inference queuing duration in microseconds (includes cached requests)",
    ),
    family(
        "nv_inference_compute_input_duration_us",
        Counter,
        Time(|requests| requests.compute_input.ns),
        "Cumulative compute input duration in microseconds (does not include cached requests)",
    ),
    family(
        "nv_inference_compute_infer_duration_us",
        Counter,
        Time(|requests| requests.compute_infer.ns),
        "Cumulative compute inference duration in microseconds (does not include cached requests)",
    ),
    family(
        "nv_inference_compute_output_duration_us",
        Counter,
        Time(|requests| requests.compute_output.ns),
        "Cumulative inference compute output duration in microseconds (does not include cached requests)",
    ),
    family(
        "nv_inference_pending_request_count",
        Gauge,
        Count(|model| model.pending),
        "Instantaneous number of pending requests awaiting execution per-model.",
    ),
];

/// The families of models whose answers are kept.
pub(super) const CACHE_FAMILIES: [Family; 4] = [
    family(
        "nv_cache_num_hits_per_model",
        Counter,
        Count(|model| model.requests.cache_hit.count),
        "Number of cache hits per model",
    ),
    family(
        "nv_cache_num_misses_per_model",
        Counter,
        Count(|model| model.requests.cache_miss.count),
        "Number of cache misses per model",
    ),
    family(
        "nv_cache_hit_duration_per_model",
        Counter,
        Time(|requests| requests.cache_hit.ns),
        "Total cache hit duration per model, in microseconds",
    ),
    family(
        "nv_cache_miss_duration_per_model",
        Counter,
        Time(|requests| requests.cache_miss.ns),
        "Total cache miss duration per model, in microseconds",
    ),
];
