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

/// The medians of functions that take turns, in seconds: what disturbs one disturbs the others.
#[allow(dead_code, reason = "not every example compares")]
pub(crate) fn medians<const N: usize>(mut turns: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    turns.iter_mut().for_each(|f| f());
    let start = Instant::now();
    while times[0].len() < 21 || start.elapsed() < Duration::from_millis(600) {
        for (f, times) in turns.iter_mut().zip(&mut times) {
            let t = Instant::now();
            f();
            times.push(t.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    })
}
