//! When a request passed the parts of the server.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use trident_serving::Timing;

/// A name of the Triton Inference Server, and its time in nanoseconds since 1970.
pub(super) type Point = (&'static str, u64);

/// Converts instants to times since 1970.
pub(super) struct Clock {
    now: Instant,
    since: Duration,
}

impl Clock {
    pub(super) fn new() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { now: Instant::now(), since }
    }

    pub(super) fn now(&self) -> Instant {
        self.now
    }

    pub(super) fn point(&self, name: &'static str, instant: Instant) -> Point {
        let time = self.since.saturating_sub(self.now.saturating_duration_since(instant));
        (name, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The times of a request from the moment when its model got it, as far as answers tell.
    pub(super) fn of_request(&self, submitted: Instant, timing: Option<&Timing>) -> Vec<Point> {
        let mut points =
            vec![self.point("REQUEST_START", submitted), self.point("QUEUE_START", submitted)];
        if let Some(&Timing { start, input, run, output, .. }) = timing {
            points.extend([
                self.point("COMPUTE_START", start),
                self.point("COMPUTE_INPUT_END", start + input),
                self.point("COMPUTE_OUTPUT_START", start + input + run),
                self.point("COMPUTE_END", start + input + run + output),
            ]);
        }
        points
    }
}
