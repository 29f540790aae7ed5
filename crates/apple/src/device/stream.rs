//! Streams: launches are collected into batches, which a queue runs in order.
//!
//! A batch is committed as soon as few enough are in flight; launches submitted meanwhile become the next one. So the
//! first launches start at once, and a busy GPU gets many at a time. No launch waits for another on the CPU: a fence
//! passes when the batch completes.
#![allow(unsafe_code)] // commits batches

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trident_runtime::{Fence, KernelError, Stream, Tensor, Timeline};

use crate::metal::{Batch, Dispatch, MetalError, Queue};

/// Batches on their way: one runs while the next is made ready.
const IN_FLIGHT: usize = 2;

/// The work that a launch leaves for the time after it has run.
pub(super) struct Launched {
    /// The tensors that its dispatches read and write.
    pub(super) holds: Vec<Tensor>,
    /// One `i32` that is not 0 if the operands were wrong, and the error's message.
    pub(super) fault: Option<(Tensor, &'static str)>,
}

impl Launched {
    /// Releases the memory of a launch that has run, and tells its outcome.
    fn outcome(self, result: &Result<(), KernelError>) -> Result<(), KernelError> {
        let Launched { holds, fault } = self;
        drop(holds);
        result.clone()?;
        match fault {
            Some((flag, message)) if flag.slice::<i32>()? != [0] => {
                Err(KernelError::domain(message))
            }
            _ => Ok(()),
        }
    }
}

/// A queue of a Metal device with its fences.
pub(super) struct GpuStream(Arc<Shared>);

/// How a batch ended.
type Outcome = Result<(), KernelError>;

struct Shared {
    queue: Result<Arc<dyn Queue>, MetalError>,
    timeline: Arc<Timeline>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Launches that are not committed, and their dispatches.
    open: Batch,
    waiting: Vec<Launched>,
    /// Committed batches in order: their launches, and their results once they have completed.
    flying: VecDeque<(Vec<Launched>, Option<Outcome>)>,
    /// Number of the first of those.
    first: u64,
    is_committing: bool,
    is_cancelled: bool,
}

impl GpuStream {
    pub(super) fn new(queue: Result<Arc<dyn Queue>, MetalError>) -> GpuStream {
        let (timeline, state) = (Timeline::new(), Mutex::default());
        GpuStream(Arc::new(Shared { queue, timeline, state }))
    }

    pub(super) fn timeline(&self) -> &Arc<Timeline> {
        &self.0.timeline
    }

    /// Submits a launch, whose fence passes when it has run.
    ///
    /// # Safety
    /// The dispatches access no memory but that of the tensors that the launch holds. Nothing else writes these, and
    /// nothing reads what is written there, until the fence has passed.
    pub(super) unsafe fn submit(&self, dispatches: Vec<Dispatch>, launched: Launched) -> Fence {
        let mut state = self.0.state();
        let fence = self.0.timeline.submit();
        state.open.dispatches.extend(dispatches);
        state.waiting.push(launched);
        drop(state);
        self.0.advance();
        fence
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits what waits, if few enough batches are on their way.
    fn advance(self: &Arc<Shared>) {
        loop {
            let mut state = self.state();
            if state.is_committing || state.waiting.is_empty() || state.flying.len() >= IN_FLIGHT {
                return;
            }
            state.is_committing = true;
            let (batch, launches) =
                (std::mem::take(&mut state.open), std::mem::take(&mut state.waiting));
            let number = state.first + state.flying.len() as u64;
            state.flying.push_back((launches, None));
            let is_cancelled = state.is_cancelled;
            drop(state);
            match (is_cancelled, &self.queue) {
                (true, _) => self.completed(number, Err(KernelError::Cancelled)),
                (_, Err(error)) => self.completed(number, Err(failed(error))),
                // SAFETY: `submit` was promised that the dispatches access only tensors of their launches, which nothing else
                // writes before the fence has passed. `flying` holds these tensors until the batch has completed.
                (_, Ok(queue)) => match unsafe { queue.commit(batch) } {
                    Err(error) => self.completed(number, Err(failed(&error))),
                    Ok(completion) => {
                        let shared = Arc::clone(self);
                        completion.on_completed(Box::new(move |result| {
                            let result = result.as_ref().map(drop).map_err(failed);
                            shared.completed(number, result);
                            shared.advance();
                        }));
                    }
                },
            }
            self.state().is_committing = false;
        }
    }

    /// Ends the launches of a batch, after those of all batches before it.
    fn completed(&self, number: u64, result: Result<(), KernelError>) {
        let mut state = self.state();
        let place = number.checked_sub(state.first).and_then(|at| usize::try_from(at).ok());
        if let Some((_, outcome)) = place.and_then(|at| state.flying.get_mut(at)) {
            *outcome = Some(result);
        }
        while let Some((launches, Some(result))) =
            state.flying.pop_front_if(|(_, done)| done.is_some())
        {
            state.first += 1;
            for launched in launches {
                self.timeline.end(launched.outcome(&result));
            }
        }
    }
}

fn failed(error: &MetalError) -> KernelError {
    KernelError::domain(error.to_string())
}

impl Stream for GpuStream {
    fn fence(&self) -> Fence {
        self.0.timeline.last()
    }

    fn is_synchronous(&self) -> bool {
        false
    }

    fn cancel(&self) {
        self.0.state().is_cancelled = true;
    }
}
