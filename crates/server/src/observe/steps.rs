//! Traces of the requests that an ensemble makes for a traced one.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use trident_serving::{InferenceRequest, RequestWatch, StepAnswer, StepModel};

use super::cut;
use super::points::Clock;
use super::step::TracedStep;
use super::trace::ROOM;
use super::traced::TracedTensor;
use crate::server::Server;

/// The most requests of steps in a trace: a stream has any number of answers, each of which may be a request to the next step.
const MOST_STEPS: usize = 1024;

/// The steps of a traced request, and of ensembles that are steps of it.
pub(super) struct TracedSteps {
    server: Arc<Server>,
    has_tensors: bool,
    state: Mutex<State>,
}

struct State {
    steps: Vec<TracedStep>,
    /// Whether the request has not ended.
    is_open: bool,
    /// The bytes of further tensors that they may have together.
    room: usize,
}

impl TracedSteps {
    pub(super) fn new(server: Arc<Server>, has_tensors: bool) -> Arc<TracedSteps> {
        let state = Mutex::new(State { steps: vec![], is_open: true, room: ROOM });
        Arc::new(TracedSteps { server, has_tensors, state })
    }

    /// The watch over the request itself, whose trace has this number.
    pub(super) fn watch(self: &Arc<Self>, id: u64) -> Arc<dyn RequestWatch> {
        Arc::new(WatchedRequest { steps: Arc::clone(self), id, place: None })
    }

    /// Ends the request: the steps in the order in which they began. Some of a request that has failed may still run.
    pub(super) fn end(&self, clock: &Clock) -> Vec<TracedStep> {
        let mut state = self.lock();
        state.is_open = false;
        let mut steps = std::mem::take(&mut state.steps);
        drop(state);
        // As in the server, requests to ensembles have no times of a computation of their own.
        let parents: BTreeSet<u64> = steps.iter().map(|step| step.parent).collect();
        for step in &mut steps {
            let timing = step.timing.as_ref().filter(|_| !parents.contains(&step.id));
            step.points = clock.of_request(step.submitted, timing);
            step.points.extend(step.answered.map(|answered| clock.point("REQUEST_END", answered)));
        }
        steps
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The watch over a request that is traced, or over one to a step.
struct WatchedRequest {
    steps: Arc<TracedSteps>,
    /// The number of its trace.
    id: u64,
    /// Its place among the steps, if it is one of them.
    place: Option<usize>,
}

impl fmt::Debug for WatchedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedRequest").field("id", &self.id).finish_non_exhaustive()
    }
}

impl RequestWatch for WatchedRequest {
    fn step(
        &self,
        model: &dyn StepModel,
        request: &InferenceRequest<'static>,
    ) -> Arc<dyn RequestWatch> {
        let TracedSteps { server, has_tensors, .. } = &*self.steps;
        let mut step = TracedStep {
            id: server.traces.next(),
            parent: self.id,
            model: cut(&model.config().name).to_owned(),
            version: model.version(),
            submitted: Instant::now(),
            answered: None,
            timing: None,
            points: vec![],
            error: None,
            tensors: vec![],
        };
        let id = step.id;
        let mut state = self.steps.lock();
        let State { steps, is_open, room } = &mut *state;
        let place = (*is_open && steps.len() < MOST_STEPS).then_some(steps.len());
        if place.is_some() {
            if *has_tensors {
                for input in &request.inputs {
                    step.add(TracedTensor::of_step_input(input, *room), room);
                }
            }
            steps.push(step);
        }
        drop(state);
        Arc::new(WatchedRequest { steps: Arc::clone(&self.steps), id, place })
    }

    fn answered(&self, answer: &StepAnswer) {
        let Some(place) = self.place else { return };
        let mut state = self.steps.lock();
        let State { steps, room, .. } = &mut *state;
        let Some(step) = steps.get_mut(place) else { return };
        step.answered = Some(Instant::now());
        match &answer.answer {
            Some(Ok(response)) => {
                step.timing = response.timing.or(step.timing);
                if self.steps.has_tensors {
                    for output in &response.outputs {
                        step.add(TracedTensor::of_step_output(output, *room), room);
                    }
                }
            }
            Some(Err(fault)) => {
                step.error.get_or_insert_with(|| cut(&fault.text).to_owned());
            }
            None => {}
        }
    }
}
