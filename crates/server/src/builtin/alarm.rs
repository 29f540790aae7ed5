//! A thread that does things at their time.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Something to do. It must not block.
type Job = Box<dyn FnOnce() + Send>;

/// Does things at their time, on a thread that starts with the first of them and ends with the alarm.
#[derive(Default)]
pub(crate) struct Alarm {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    jobs: Mutex<Jobs>,
    /// Notified when the first job changes, or the alarm ends.
    changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    /// By time; jobs of the same time have the order in which they came.
    waiting: BTreeMap<(Instant, u64), Job>,
    next: u64,
    has_thread: bool,
    has_ended: bool,
}

impl Alarm {
    /// Does something at a time. Without a thread for it, or after the end, it is dropped.
    pub(super) fn set(&self, at: Instant, job: Job) {
        let mut jobs = self.state.lock();
        if !jobs.has_thread {
            let state = Arc::clone(&self.state);
            let thread = thread::Builder::new().name("serving alarm".into());
            jobs.has_thread = thread.spawn(move || state.run()).is_ok();
        }
        if jobs.has_ended || !jobs.has_thread {
            drop(jobs);
            return drop(job);
        }
        jobs.next += 1;
        let key = (at, jobs.next);
        jobs.waiting.insert(key, job);
        drop(jobs);
        self.state.changed.notify_one();
    }

    /// Drops all that waits and all that comes later. The jobs may own the alarm, so its owner has to say when it ends.
    pub(crate) fn end(&self) {
        let mut jobs = self.state.lock();
        jobs.has_ended = true;
        let waiting = std::mem::take(&mut jobs.waiting);
        drop(jobs);
        self.state.changed.notify_all();
        drop(waiting);
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is due, until the end.
    fn run(&self) {
        loop {
            let mut jobs = self.lock();
            if jobs.has_ended {
                return;
            }
            let now = Instant::now();
            match jobs.waiting.first_entry() {
                Some(first) if first.key().0 <= now => {
                    let job = first.remove();
                    drop(jobs);
                    job();
                }
                Some(first) => {
                    let pause = first.key().0 - now;
                    let waited = self.changed.wait_timeout(jobs, pause);
                    drop(waited.unwrap_or_else(PoisonError::into_inner));
                }
                None => drop(self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner)),
            }
        }
    }
}
