//! A spinner on standard error for work that takes longer than a second.

use crate::render::escape;
use indicatif::ProgressBar;
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Runs `work`, which loads a model; if it takes longer than a second, a spinner shows on a terminal beside the model's name.
pub fn while_loading<T>(model: &str, work: impl FnOnce() -> T) -> T {
    with_progress(|progress| {
        progress(format!("loading {}", escape(model)));
        work()
    })
}

/// Runs `work`; if it takes longer than a second, a spinner shows on a terminal, beside the last message of `work`.
pub(crate) fn with_progress<T>(work: impl FnOnce(&dyn Fn(String)) -> T) -> T {
    if !stderr().is_terminal() {
        return work(&|_| {});
    }
    let message = Mutex::new(String::new());
    let said = || message.lock().unwrap_or_else(PoisonError::into_inner);
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner();
            while wait.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                spinner.set_message(said().clone());
                spinner.tick();
            }
            spinner.finish_and_clear();
        });
        let result = work(&|text| *said() = text);
        drop(done);
        result
    })
}
