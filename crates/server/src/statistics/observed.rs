//! The families of times that `--metrics-config` asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::summary::{Summary, SummaryReading};

/// The families of times on the page of metrics, as `--metrics-config` names them.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeFamilies {
    /// Sums of times (`counter_latencies`).
    pub counters: bool,
    /// Summaries (`summary_latencies`) with these quantiles (`summary_quantiles`), 0 to 1; `None` for no summaries.
    pub summaries: Option<Arc<[f64]>>,
    /// Histograms of the times until the first answer of decoupled models (`histogram_latencies`).
    pub histograms: bool,
}

impl Default for TimeFamilies {
    fn default() -> TimeFamilies {
        TimeFamilies { counters: true, summaries: None, histograms: false }
    }
}

/// The quantiles of summaries, unless others are asked for.
pub const QUANTILES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 0.999];

/// The upper bounds of the histogram's buckets in milliseconds, unless a model's configuration has others.
pub(crate) const FIRST_RESPONSE_BOUNDS: [f64; 4] = [100.0, 500.0, 2000.0, 5000.0];

/// The kinds of times that have summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timed {
    Request,
    Queue,
    Input,
    Run,
    Output,
    CacheHit,
    CacheMiss,
}

/// How many kinds there are.
const KINDS: usize = 7;

/// The summaries of a model.
pub(super) struct Summaries {
    kinds: [Summary; KINDS],
    quantiles: Arc<[f64]>,
}

/// The summaries of a model as they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryReadings([SummaryReading; KINDS]);

impl SummaryReadings {
    /// The summary of one kind of times.
    pub(crate) fn of(&self, kind: Timed) -> &SummaryReading {
        &self.0[kind as usize]
    }
}

impl Summaries {
    pub(super) fn new(quantiles: Arc<[f64]>) -> Summaries {
        let now = Instant::now();
        Summaries { kinds: std::array::from_fn(|_| Summary::new(now)), quantiles }
    }

    /// Adds times that ended now.
    pub(super) fn add(&self, times: &[(Timed, Duration)]) {
        let now = Instant::now();
        times.iter().for_each(|(kind, time)| self.kinds[*kind as usize].add(*time, now));
    }

    pub(super) fn read(&self) -> SummaryReadings {
        let now = Instant::now();
        SummaryReadings(self.kinds.each_ref().map(|own| own.read(&self.quantiles, now)))
    }
}

/// A histogram of the times until first answers.
pub(super) struct FirstResponses {
    /// The upper bounds of the buckets, in milliseconds; a last bucket has all longer times.
    bounds: Box<[f64]>,
    counts: Box<[AtomicU64]>,
    /// In microseconds.
    sum: AtomicU64,
}

/// A histogram of the times until first answers, as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstResponseReading {
    /// The upper bounds of the buckets in milliseconds.
    pub bounds: Vec<f64>,
    /// How many times are in each bucket and in no lower one; the last has the times above all bounds.
    pub counts: Vec<u64>,
    /// All times together, in microseconds.
    pub micros: u64,
}

impl FirstResponses {
    /// A histogram with these bounds, which rise.
    pub(super) fn new(bounds: &[f64]) -> FirstResponses {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        FirstResponses { bounds: bounds.into(), counts, sum: AtomicU64::new(0) }
    }

    pub(super) fn add(&self, time: Duration) {
        let millis = time.as_secs_f64() * 1e3;
        let at = self.bounds.partition_point(|bound| *bound < millis);
        self.counts[at].fetch_add(1, Relaxed);
        self.sum.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn read(&self) -> FirstResponseReading {
        FirstResponseReading {
            bounds: self.bounds.to_vec(),
            counts: self.counts.iter().map(|count| count.load(Relaxed)).collect(),
            micros: self.sum.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_answer_is_in_the_bucket_that_it_does_not_exceed() {
        let histogram = FirstResponses::new(&[1.0, 20.0]);
        for micros in [0, 1000, 1001, 20_000, 20_001] {
            histogram.add(Duration::from_micros(micros));
        }
        let read = histogram.read();
        assert_eq!((read.counts, read.micros), (vec![2, 2, 1], 42_002));
    }

    #[test]
    fn each_kind_of_time_has_its_summary() {
        let summaries = Summaries::new([0.5].into());
        let millis = Duration::from_millis;
        summaries.add(&[(Timed::Request, millis(3)), (Timed::CacheMiss, millis(1))]);
        let read = summaries.read();
        let count = |kind| read.of(kind).count;
        assert_eq!(
            (count(Timed::Request), count(Timed::Queue), count(Timed::CacheMiss)),
            (1, 0, 1)
        );
        assert_eq!(read.of(Timed::Request).micros, 3000);
    }
}
