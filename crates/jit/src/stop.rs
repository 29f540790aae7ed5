//! Launches that are stopped while they run.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use trident_runtime::KernelLaunch;

/// The shortest time between two questions to a launch's watch.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks at the clock between yields while a launch waits for its other threads.
const SPINS: usize = 4096;

/// Whether a launch is to stop. Its watch is asked on the launching thread only.
pub(super) struct Stop {
    caller: ThreadId,
    start: Instant,
    /// When the watch was asked last, in nanoseconds since the start.
    asked: AtomicU64,
    stopped: AtomicBool,
    /// Threads that run programs.
    running: AtomicUsize,
}

impl Stop {
    pub(super) fn new() -> Stop {
        Stop {
            caller: thread::current().id(),
            start: Instant::now(),
            asked: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            running: AtomicUsize::new(0),
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
        let Some(watch) = launch.watch().filter(|_| thread::current().id() == self.caller) else {
            return false;
        };
        let now = self.start.elapsed().as_nanos() as u64;
        if now - self.asked.load(Ordering::Relaxed) < PAUSE.as_nanos() as u64 {
            return false;
        }
        self.asked.store(now, Ordering::Relaxed);
        let stops = watch.asks_to_stop();
        self.stopped.fetch_or(stops, Ordering::Relaxed);
        stops
    }

    /// Runs a thread's share of a launch. The launching thread then waits for the others, as nobody else asks the watch.
    pub(super) fn run(&self, launch: &KernelLaunch<'_>, share: impl FnOnce()) {
        if launch.watch().is_none() {
            return share();
        }
        {
            let _running = Running::new(&self.running);
            share();
        }
        if thread::current().id() != self.caller {
            return;
        }
        let mut spins = 0usize;
        while self.running.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins.is_multiple_of(SPINS) {
                self.is_asked(launch);
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

/// Counts a thread as running while it lives, also where the thread panics.
struct Running<'a>(&'a AtomicUsize);

impl<'a> Running<'a> {
    fn new(count: &'a AtomicUsize) -> Running<'a> {
        count.fetch_add(1, Ordering::Relaxed);
        Running(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
