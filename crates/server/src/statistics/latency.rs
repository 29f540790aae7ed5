//! Histograms of times.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The upper bounds of a histogram's buckets, in microseconds; a last bucket has all longer times.
pub(crate) const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

/// A histogram that several threads add to.
#[derive(Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    /// In nanoseconds.
    sum: AtomicU64,
}

/// Numbers of times, by bucket, and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeHistogram {
    /// How many times are in each bucket, and in no lower one.
    pub buckets: [u64; BOUNDS.len() + 1],
    /// All times together, in nanoseconds.
    pub ns: u64,
}

/// Histograms of the requests that were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    /// From arrival to the start of the batch.
    pub queue: TimeHistogram,
    /// From the start of the batch to the answer.
    pub compute: TimeHistogram,
    /// From arrival to the answer.
    pub total: TimeHistogram,
}

impl Histogram {
    pub(super) fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        // A time of exactly a bound belongs to the bucket below it. Parts of a microsecond count as a whole one.
        let micros = micros.saturating_add(u64::from(!time.subsec_nanos().is_multiple_of(1000)));
        let at = BOUNDS.partition_point(|bound| *bound < micros);
        self.buckets[at].fetch_add(1, Relaxed);
        self.sum.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn read(&self) -> TimeHistogram {
        let buckets = std::array::from_fn(|at| self.buckets[at].load(Relaxed));
        TimeHistogram { buckets, ns: self.sum.load(Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_first_bucket_that_it_does_not_exceed() {
        let histogram = Histogram::default();
        let nanos = [0, 100_000, 100_001, 250_000, 1_000_000_000, 10_000_000_000, 10_000_000_001];
        nanos.into_iter().for_each(|ns| histogram.add(Duration::from_nanos(ns)));
        let read = histogram.read();
        let mut expected = [0; 17];
        (expected[0], expected[1], expected[12], expected[15], expected[16]) = (2, 2, 1, 1, 1);
        assert_eq!(read, TimeHistogram { buckets: expected, ns: nanos.iter().sum() });
    }
}
