//! Quantiles of the times of the last minute, for the summaries that `--metrics-config` asks for.
//!
//! Times are counted in buckets whose bounds grow by two per cent, so a quantile is within one per cent of the time itself. This is the
//! sketch of C. Masson, J. E. Rim and H. K. Lee, "DDSketch", VLDB 2019. As the summaries of prometheus-cpp, which the Triton
//! Inference Server uses, it forgets times after a minute, in five steps.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The ratio of the bounds of a bucket.
const RATIO: f64 = 1.02;
/// Buckets up to 33 minutes; longer times are in the last one.
const BUCKETS: usize = 1082;
/// The parts of the time that is kept, each with buckets of its own.
const STEPS: usize = 5;
/// The length of such a part.
const STEP: Duration = Duration::from_secs(12);

/// The times of one kind.
pub(super) struct Summary(Mutex<Times>);

struct Times {
    count: u64,
    micros: u64,
    start: Instant,
    /// How many steps of time have begun.
    steps: u64,
    /// The buckets of the last steps, by the number of the step. A step without times has none.
    kept: [Vec<u32>; STEPS],
}

/// A summary as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryReading {
    /// All times since the model was loaded.
    pub count: u64,
    /// Their sum, in microseconds.
    pub micros: u64,
    /// The quantiles of the last minute in microseconds, in the order in which they are asked for; `None` without times.
    pub quantiles: Vec<Option<u64>>,
}

impl Summary {
    pub(super) fn new(now: Instant) -> Summary {
        let kept = Default::default();
        Summary(Mutex::new(Times { count: 0, micros: 0, start: now, steps: 0, kept }))
    }

    pub(super) fn add(&self, time: Duration, now: Instant) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.forget(now);
        times.count += 1;
        times.micros = times.micros.saturating_add(micros);
        let step = (times.steps % STEPS as u64) as usize;
        let buckets = &mut times.kept[step];
        if buckets.is_empty() {
            buckets.resize(BUCKETS, 0);
        }
        let count = &mut buckets[bucket(micros)];
        *count = count.saturating_add(1);
    }

    pub(super) fn read(&self, quantiles: &[f64], now: Instant) -> SummaryReading {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.forget(now);
        let of =
            |at: usize| times.kept.iter().filter_map(move |own| own.get(at)).map(|n| u64::from(*n));
        let counts: Vec<u64> = (0..BUCKETS).map(|at| of(at).sum()).collect();
        let quantiles = quantiles.iter().map(|quantile| at_rank(&counts, *quantile)).collect();
        SummaryReading { count: times.count, micros: times.micros, quantiles }
    }
}

impl Times {
    /// Forgets the steps that are over.
    fn forget(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.start).as_nanos() / STEP.as_nanos();
        let passed = u64::try_from(passed).unwrap_or(u64::MAX);
        let first = (self.steps + 1).max(passed.saturating_sub(STEPS as u64 - 1));
        for step in first..=passed {
            self.kept[(step % STEPS as u64) as usize] = vec![];
        }
        self.steps = self.steps.max(passed);
    }
}

/// The bucket of a time: 0 for less than a microsecond.
fn bucket(micros: u64) -> usize {
    match micros {
        0 => 0,
        _ => (((micros as f64).ln() / RATIO.ln()).floor() as usize + 1).min(BUCKETS - 1),
    }
}

/// The time in microseconds that this part of the times does not exceed.
fn at_rank(counts: &[u64], quantile: f64) -> Option<u64> {
    let all: u64 = counts.iter().sum();
    let rank = ((quantile * all as f64).ceil() as u64).max(1);
    let mut below = 0;
    let at = counts.iter().position(|count| {
        below += count;
        below >= rank
    })?;
    // The middle of the bucket.
    Some(if at == 0 { 0 } else { RATIO.powf(at as f64 - 0.5).round() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_hundredth_of_the_times() {
        let (start, micros) = (Instant::now(), |n: u64| Duration::from_micros(n));
        let summary = Summary::new(start);
        // In an order that is not that of the times.
        (0..10_000u64).for_each(|n| summary.add(micros(100 + 7 * (n * 7919 % 10_000)), start));
        let wanted = [0.0, 0.1, 0.5, 0.9, 0.99, 1.0];
        let read = summary.read(&wanted, start);
        assert_eq!((read.count, read.micros), (10_000, (0..10_000).map(|n| 100 + 7 * n).sum()));
        for (quantile, found) in wanted.iter().zip(read.quantiles) {
            let exact = 100.0 + 7.0 * ((quantile * 10_000.0_f64).ceil() - 1.0).max(0.0);
            let found = found.unwrap() as f64;
            assert!((found - exact).abs() <= 0.011 * exact + 1.0, "{quantile}: {found} {exact}");
        }
    }

    #[test]
    fn extreme_times_have_buckets() {
        let start = Instant::now();
        let summary = Summary::new(start);
        summary.add(Duration::ZERO, start);
        assert_eq!(summary.read(&[0.5], start).quantiles, [Some(0)]);
        summary.add(Duration::MAX, start);
        let read = summary.read(&[0.5, 1.0], start);
        assert_eq!(read.quantiles[0], Some(0));
        assert!(read.quantiles[1].unwrap() > 1_900_000_000, "{read:?}");
        assert_eq!(read.micros, u64::MAX);
    }

    #[test]
    fn times_are_forgotten_after_a_minute_but_counted() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let summary = Summary::new(start);
        summary.add(Duration::from_millis(1), after(1));
        summary.add(Duration::from_millis(9), after(30));
        let read = |seconds| summary.read(&[1.0], after(seconds)).quantiles[0].map(|n| n / 950);
        assert_eq!(summary.read(&[0.0], after(47)).quantiles[0].map(|n| n / 950), Some(1));
        assert_eq!(summary.read(&[0.0], after(61)).quantiles[0].map(|n| n / 950), Some(9));
        assert_eq!(read(83), Some(9));
        assert_eq!(read(100), None);
        // Much later, and after that at once.
        summary.add(Duration::from_millis(1), after(1_000_000));
        assert_eq!(read(1_000_000), Some(1));
        assert_eq!(summary.read(&[], after(1_000_000)).count, 3);
    }
}
