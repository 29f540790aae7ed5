//! The limit of requests in each step.

use super::run::{Run, Turn};
use crate::batch::InferenceRequest;
use crate::sync::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// The limit of requests in each step: the others wait in their order.
pub(super) struct Gates {
    /// 0 for no limit.
    most: usize,
    steps: Vec<Mutex<Gate>>,
}

#[derive(Default)]
struct Gate {
    inside: usize,
    waiting: VecDeque<(Arc<Run>, Turn, InferenceRequest<'static>)>,
    /// Whether a thread starts those that wait. Steps may end while they are started, so others leave that to it.
    is_served: bool,
}

impl Gates {
    pub(super) fn new(steps: usize, most: usize) -> Gates {
        Gates { most, steps: (0..steps).map(|_| Mutex::default()).collect() }
    }

    /// Starts a step of a request, now or once fewer others are in it.
    pub(super) fn pass(run: &Arc<Run>, turn: Turn, request: InferenceRequest<'static>) {
        let gates = run.gates();
        if gates.most == 0 {
            return run.start(turn, request);
        }
        gates.lock(turn.step).waiting.push_back((Arc::clone(run), turn, request));
        gates.serve(turn.step);
    }

    /// Notes that a request has left a step.
    pub(super) fn leave(&self, step: usize) {
        if self.most > 0 {
            self.lock(step).inside -= 1;
            self.serve(step);
        }
    }

    /// Starts the requests that wait for a step, as far as the limit allows.
    fn serve(&self, step: usize) {
        let mut gate = self.lock(step);
        if std::mem::replace(&mut gate.is_served, true) {
            return;
        }
        while gate.inside < self.most
            && let Some((run, turn, request)) = gate.waiting.pop_front()
        {
            gate.inside += 1;
            drop(gate);
            run.start(turn, request);
            gate = self.lock(step);
        }
        gate.is_served = false;
    }

    fn lock(&self, step: usize) -> MutexGuard<'_, Gate> {
        self.steps[step].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
