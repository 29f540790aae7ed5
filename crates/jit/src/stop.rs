//! Launches that are stopped while they run.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use trident_runtime::KernelLaunch;

/// The shortest time between two questions to a launch's watch.
const PAUSE: Duration = Duration::from_millis(20);

thread_local! {
    /// Its address identifies the thread, which is faster to get than its number.
    static HERE: u8 = const { 0 };
}

fn this_thread() -> usize {
    HERE.with(|here| ptr::from_ref(here).addr())
}

/// Whether a launch is to stop. Its watch is asked on the launching thread only.
pub(super) struct Stop {
    /// The launching thread.
    caller: usize,
    /// When the question first came up. Most launches end before.
    start: OnceLock<Instant>,
    /// When the watch was asked last, in nanoseconds since the start.
    asked: AtomicU64,
    stopped: AtomicBool,
}

impl Stop {
    pub(super) fn new() -> Stop {
        Stop {
            caller: this_thread(),
            start: OnceLock::new(),
            asked: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// Whether the launch has been stopped.
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the launch is to stop. On the launching thread, this asks its watch from time to time.
    pub(super) fn is_asked(&self, launch: &KernelLaunch<'_>) -> bool {
        if self.has_stopped() {
            return true;
        }
        let Some(watch) = launch.watch().filter(|_| this_thread() == self.caller) else {
            return false;
        };
        let now = self.start.get_or_init(Instant::now).elapsed().as_nanos() as u64;
        if now - self.asked.load(Ordering::Relaxed) < PAUSE.as_nanos() as u64 {
            return false;
        }
        self.asked.store(now, Ordering::Relaxed);
        // A launch whose watch panics stops, too.
        let on_panic = StopOnPanic(&self.stopped);
        let stops = watch.asks_to_stop();
        drop(on_panic);
        self.stopped.fetch_or(stops, Ordering::Relaxed);
        stops
    }
}

/// Stops a launch when it is dropped by a panic.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
