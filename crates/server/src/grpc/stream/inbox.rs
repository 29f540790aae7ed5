//! Answers of runs on their way to the stream that sends them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use crate::infer::Reply;

/// Answers that have arrived, by the numbers of their requests.
pub(super) struct Inbox {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    arrived: VecDeque<(u64, Reply)>,
    /// Wakes the stream.
    waker: Option<Waker>,
    /// Whether an answer had no place.
    is_over: bool,
}

impl Inbox {
    /// An inbox for at most so many answers.
    pub(super) fn new(most: usize) -> Inbox {
        Inbox { most, state: Mutex::default() }
    }

    /// Adds an answer, or drops it if there are too many.
    pub(super) fn push(&self, number: u64, reply: Reply) {
        let mut state = self.lock();
        if state.arrived.len() < self.most {
            state.arrived.push_back((number, reply));
        } else {
            state.is_over = true;
        }
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Takes what has arrived; the next answer wakes the task. Returns false if an answer was dropped.
    pub(super) fn take(&self, context: &Context<'_>, mut each: impl FnMut(u64, Reply)) -> bool {
        let mut state = self.lock();
        state.waker = Some(context.waker().clone());
        let arrived = std::mem::take(&mut state.arrived);
        let is_whole = !state.is_over;
        drop(state);
        arrived.into_iter().for_each(|(number, reply)| each(number, reply));
        is_whole
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
