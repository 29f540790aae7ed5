//! The counters of a model as its requests change them.
//!
//! A request changes a few atomic numbers, and the first one of a batch the table of batches. Requests that do not fit the model
//! change nothing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use trident_serving::{ModelConfig, RequestError, Response, Timing};

use super::latency::Histogram;
use super::observed::{FirstResponses, Summaries};
use super::{
    BatchTallies, FIRST_RESPONSE_BOUNDS, FailureTallies, Latencies, ModelStatistics,
    RequestTallies, ResponseTallies, Tally, TimeFamilies, Timed,
};

/// The most positions of answers that are counted apart. The last one counts all later answers, too.
const MOST_POSITIONS: u64 = 1024;

/// Counters of one version of a model.
#[derive(Default)]
pub(crate) struct Counters {
    last: AtomicU64,
    inferences: AtomicU64,
    executions: AtomicU64,
    success: Counter,
    fail: Counter,
    queue: Counter,
    input: Counter,
    run: Counter,
    output: Counter,
    cache_hit: Counter,
    cache_miss: Counter,
    queues: Histogram,
    computes: Histogram,
    totals: Histogram,
    rejected: AtomicU64,
    cancelled: AtomicU64,
    backend: AtomicU64,
    other: AtomicU64,
    batches: Mutex<BTreeMap<u64, BatchTallies>>,
    responses: Mutex<BTreeMap<u64, ResponseTallies>>,
    /// The summaries that the server is asked for.
    summaries: Option<Box<Summaries>>,
    first_responses: Option<Box<FirstResponses>>,
}

/// One of several answers to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseKind {
    Success,
    Failure,
    /// No answer, as at the end.
    Empty,
}

/// A tally that several threads add to.
#[derive(Default)]
struct Counter {
    count: AtomicU64,
    ns: AtomicU64,
}

impl Counter {
    fn add(&self, time: Duration) {
        self.count.fetch_add(1, Relaxed);
        self.ns.fetch_add(nanos(time), Relaxed);
    }

    fn tally(&self) -> Tally {
        Tally { count: self.count.load(Relaxed), ns: self.ns.load(Relaxed) }
    }
}

impl Counters {
    /// Counters of a model with this configuration.
    pub(crate) fn new(config: &ModelConfig, families: &TimeFamilies) -> Counters {
        let summaries = families.summaries.clone();
        let is_decoupled =
            config.model_transaction_policy.as_ref().is_some_and(|policy| policy.decoupled);
        let histogram = || Box::new(FirstResponses::new(&first_response_bounds(config)));
        Counters {
            summaries: summaries.map(|quantiles| Box::new(Summaries::new(quantiles))),
            first_responses: (families.histograms && is_decoupled).then(histogram),
            ..Counters::default()
        }
    }

    /// Counts a request that arrived at a time and was answered now, with its rows.
    pub(crate) fn succeed(&self, arrival: Instant, rows: u64, timing: Option<&Timing>) {
        let total = arrival.elapsed();
        self.success.add(total);
        self.totals.add(total);
        let Some(timing) = timing else {
            self.summarize(&[(Timed::Request, total), (Timed::Queue, Duration::ZERO)]);
            self.queues.add(Duration::ZERO);
            return self.queue.add(Duration::ZERO);
        };
        let queue = timing.start.saturating_duration_since(arrival);
        self.summarize(&[
            (Timed::Request, total),
            (Timed::Queue, queue),
            (Timed::Input, timing.input),
            (Timed::Run, timing.run),
            (Timed::Output, timing.output),
        ]);
        self.queue.add(queue);
        self.queues.add(queue);
        self.computes.add(timing.input + timing.run + timing.output);
        self.input.add(timing.input);
        self.run.add(timing.run);
        self.output.add(timing.output);
        self.inferences.fetch_add(rows, Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.last.fetch_max(u64::try_from(now.as_millis()).unwrap_or(u64::MAX), Relaxed);
        if timing.leads {
            self.executions.fetch_add(1, Relaxed);
            let mut batches = lock(&self.batches);
            let batch = batches.entry(timing.rows as u64).or_default();
            add(&mut batch.compute_input, timing.input);
            add(&mut batch.compute_infer, timing.run);
            add(&mut batch.compute_output, timing.output);
        }
    }

    /// Counts a request that arrived at a time and whose answer was in the cache, with the time of the search.
    pub(crate) fn hit(&self, arrival: Instant, search: Duration) {
        self.succeed(arrival, 0, None);
        self.cache_hit.add(search);
        self.summarize(&[(Timed::CacheHit, search)]);
    }

    /// Counts a request whose answer was not in the cache, with the time of the search and of keeping the answer.
    pub(crate) fn miss(&self, time: Duration) {
        self.cache_miss.add(time);
        self.summarize(&[(Timed::CacheMiss, time)]);
    }

    /// Counts a request to an ensemble that was answered to its end now. Without an answer at the end, its answers are counted as
    /// one run.
    pub(crate) fn end(
        &self,
        arrival: Instant,
        rows: u64,
        answer: Option<&Result<Response, RequestError>>,
    ) {
        let timing = match answer {
            Some(Err(error)) => return self.fail(arrival, error),
            Some(Ok(response)) => response.timing,
            None => None,
        };
        let timing = timing.unwrap_or_else(|| {
            let (input, output) = (Duration::ZERO, Duration::ZERO);
            let rows = usize::try_from(rows).unwrap_or(usize::MAX);
            Timing { start: arrival, input, run: arrival.elapsed(), output, rows, leads: true }
        });
        self.succeed(arrival, rows, Some(&timing));
    }

    /// Counts a request that failed, unless it does not fit the model.
    pub(crate) fn fail(&self, arrival: Instant, error: &RequestError) {
        let reason = match error {
            RequestError::Timeout | RequestError::QueueFull => &self.rejected,
            RequestError::Cancelled => &self.cancelled,
            RequestError::Run { .. }
            | RequestError::Input { .. }
            | RequestError::OutputRows { .. }
            | RequestError::OutputType { .. }
            | RequestError::Output { .. }
            | RequestError::Native(_)
            | RequestError::Abandoned => &self.backend,
            RequestError::Closing | RequestError::Step(_) => &self.other,
            _ => return,
        };
        reason.fetch_add(1, Relaxed);
        self.fail.add(arrival.elapsed());
    }

    /// Counts the first answer to a request that arrived at a time.
    pub(crate) fn answer_first(&self, arrival: Instant) {
        if let Some(histogram) = &self.first_responses {
            histogram.add(arrival.elapsed());
        }
    }

    fn summarize(&self, times: &[(Timed, Duration)]) {
        if let Some(summaries) = &self.summaries {
            summaries.add(times);
        }
    }

    /// Counts one of several answers to a request, by its position, and how long it took after the one before.
    pub(crate) fn respond(&self, at: u64, time: Duration, kind: ResponseKind) {
        let mut responses = lock(&self.responses);
        let response = responses.entry(at.min(MOST_POSITIONS - 1)).or_default();
        if kind != ResponseKind::Empty {
            add(&mut response.compute_infer, time);
            add(&mut response.compute_output, Duration::ZERO);
        }
        add(
            match kind {
                ResponseKind::Success => &mut response.success,
                ResponseKind::Failure => &mut response.fail,
                ResponseKind::Empty => &mut response.empty_response,
            },
            time,
        );
    }

    /// The answers of a decoupled model by their position, and the runs by their rows.
    pub(crate) fn tables(&self) -> (BTreeMap<u64, ResponseTallies>, BTreeMap<u64, BatchTallies>) {
        (lock(&self.responses).clone(), lock(&self.batches).clone())
    }

    /// The counters of a version of a model of which so many requests wait, without the tables.
    pub(crate) fn statistics(&self, name: String, version: u64, pending: u64) -> ModelStatistics {
        ModelStatistics {
            name,
            version,
            last_inference: self.last.load(Relaxed),
            inference_count: self.inferences.load(Relaxed),
            execution_count: self.executions.load(Relaxed),
            requests: RequestTallies {
                success: self.success.tally(),
                fail: self.fail.tally(),
                queue: self.queue.tally(),
                compute_input: self.input.tally(),
                compute_infer: self.run.tally(),
                compute_output: self.output.tally(),
                cache_hit: self.cache_hit.tally(),
                cache_miss: self.cache_miss.tally(),
            },
            failures: FailureTallies {
                rejected: self.rejected.load(Relaxed),
                cancelled: self.cancelled.load(Relaxed),
                backend: self.backend.load(Relaxed),
                other: self.other.load(Relaxed),
            },
            latencies: Latencies {
                queue: self.queues.read(),
                compute: self.computes.read(),
                total: self.totals.read(),
            },
            pending,
            responses: BTreeMap::new(),
            batches: BTreeMap::new(),
            memory: vec![],
            summaries: self.summaries.as_ref().map(|own| own.read()),
            first_responses: self.first_responses.as_ref().map(|own| own.read()),
        }
    }
}

/// The bounds that a configuration gives the histogram of first answers, or else the usual ones.
fn first_response_bounds(config: &ModelConfig) -> Vec<f64> {
    let controls = config.model_metrics.iter().flat_map(|metrics| &metrics.metric_control);
    let is_own = |family: &str| family == "nv_inference_first_response_histogram_ms";
    let own = controls.filter(|control| {
        control.metric_identifier.as_ref().is_some_and(|own| is_own(&own.family))
    });
    let mut given = own.filter_map(|control| control.histogram_options.as_ref());
    let last = given.rfind(|options| !options.buckets.is_empty());
    last.map_or_else(|| FIRST_RESPONSE_BOUNDS.to_vec(), |options| options.buckets.clone())
}

fn add(tally: &mut Tally, time: Duration) {
    tally.count += 1;
    tally.ns += nanos(time);
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_answers_share_a_position() {
        let counters = Counters::default();
        for at in (0..MOST_POSITIONS + 10).chain([u64::MAX]) {
            counters.respond(at, Duration::ZERO, ResponseKind::Success);
        }
        let (responses, _) = counters.tables();
        assert_eq!(responses.len() as u64, MOST_POSITIONS);
        let (last, tallies) = responses.last_key_value().unwrap();
        assert_eq!((*last, tallies.success.count), (MOST_POSITIONS - 1, 12));
        assert_eq!(responses[&(MOST_POSITIONS - 2)].success.count, 1);
    }
}
