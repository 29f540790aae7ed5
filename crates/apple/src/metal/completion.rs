//! The state of a batch that was committed.

use super::{Completion, CompletionHandler, GpuTimes, MetalError};
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

type Result = std::result::Result<GpuTimes, MetalError>;

/// A batch that runs. Its device calls [`Pending::finish`] once, from any thread.
#[derive(Default)]
pub struct Pending {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Default)]
struct State {
    result: Option<Result>,
    handlers: Vec<CompletionHandler>,
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").field("result", &self.lock().result).finish()
    }
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports that the batch has completed, to waiting threads and then to the handlers.
    pub fn finish(&self, result: Result) {
        let mut state = self.lock();
        state.result = Some(result.clone());
        let handlers = std::mem::take(&mut state.handlers);
        drop(state);
        self.done.notify_all();
        for handler in handlers {
            handler(&result);
        }
    }
}

impl Completion for Pending {
    fn wait(&self) -> Result {
        let mut state = self.lock();
        loop {
            if let Some(result) = &state.result {
                return result.clone();
            }
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn poll(&self) -> Option<Result> {
        self.lock().result.clone()
    }

    fn on_completed(&self, handler: CompletionHandler) {
        let mut state = self.lock();
        let Some(result) = state.result.clone() else {
            state.handlers.push(handler);
            return;
        };
        drop(state);
        handler(&result);
    }
}
