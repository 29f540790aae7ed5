//! The clock of the speed examples.

use std::time::{Duration, Instant};

/// The best of many runs, in seconds: on a shared machine the least disturbed run says what the code can do.
pub(crate) fn best(mut f: impl FnMut()) -> f64 {
    f();
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 5 || start.elapsed() < Duration::from_millis(400) {
        let t = Instant::now();
        f();
        best = best.min(t.elapsed());
        runs += 1;
    }
    best.as_secs_f64()
}
