//! Runs of the models that the scheduler serves.

use super::batching::Item;
use super::model::Turn;
use super::pending::Answer;
use super::resting::Rest;
use super::shared::{Ran, Runner};
use crate::batch::{Answers, Lengths, Prepared, Response, RunSpan, Timing};
use crate::model::{Interface, ServedModel};
use crate::native::{Native, NativeOutcome};
use crate::sequence::States;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_engine::Handover;

impl Item for Prepared<'static> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn size(&self) -> usize {
        Prepared::size(self)
    }

    fn joins(&self, other: &Self) -> bool {
        Prepared::joins(self, other)
    }

    fn lengths(&self) -> Option<Lengths> {
        Prepared::lengths(self)
    }

    fn receive(&mut self, states: &States) {
        if let Some(kept) = &mut self.kept {
            kept.receive(states);
        }
    }

    fn keep(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.keep();
        }
    }
}

/// A model of a scheduler.
#[derive(Clone)]
pub(super) enum Served {
    /// A model that was read from a file.
    Loaded(Arc<ServedModel>),
    /// A model that is the program's own code.
    Native(Arc<Native>),
}

impl Served {
    pub(super) fn interface(&self) -> Interface<'_> {
        match self {
            Served::Loaded(model) => model.interface(),
            Served::Native(model) => model.interface(),
        }
    }

    /// Whether requests may run as one batch.
    pub(super) fn merges(&self) -> bool {
        match self {
            Served::Loaded(model) => model.merges,
            Served::Native(_) => true,
        }
    }

    /// Whether a request may run outside of a batch.
    pub(super) fn runs_alone(&self) -> bool {
        matches!(self, Served::Loaded(_))
    }

    /// Whether the time of a run follows from the size of its inputs.
    pub(super) fn is_steady(&self) -> bool {
        match self {
            Served::Loaded(model) => model.is_steady,
            Served::Native(model) => model.is_steady(),
        }
    }
}

impl Runner for Served {
    type Item = Prepared<'static>;

    fn run_alone(&self, request: &mut Prepared<'static>) -> Option<Answer> {
        match self {
            Served::Loaded(model) => model.answer_alone(request),
            Served::Native(_) => None,
        }
    }

    fn run(&self, batch: &mut [Prepared<'static>], turn: Turn, core: &Arc<dyn Handover>) -> Ran {
        match self {
            Served::Loaded(model) => model.ran(batch, turn, Some(core)),
            Served::Native(model) => run_native(model, batch, core),
        }
    }
}

/// Runs a batch of a native model.
fn run_native(model: &Native, batch: &mut [Prepared<'static>], core: &Arc<dyn Handover>) -> Ran {
    let (start, rows) = (Instant::now(), batch.iter().map(|request| request.rows).sum());
    let NativeOutcome { mut answers, time, answers_at_start } = model.run(batch, core);
    let (input, output) = (Duration::ZERO, Duration::ZERO);
    let run = start.elapsed().saturating_add(time);
    tell(&mut answers, Timing { start, input, run, output, rows, leads: true });
    let rest = Rest { time, holds_answers: !answers_at_start };
    Ran { answers, lacking: vec![], rest: (!time.is_zero()).then_some(rest) }
}

impl ServedModel {
    /// Runs a brief request, which keeps its core. `None` if it lacks memory.
    fn answer_alone(&self, request: &mut Prepared<'static>) -> Option<Answer> {
        if let Some(response) = self.direct(request) {
            return Some(Ok(response));
        }
        let ran = self.ran(std::slice::from_mut(request), Turn::Shared, None);
        let Ran { mut answers, lacking, .. } = ran;
        answers.pop().filter(|_| lacking.is_empty())
    }

    /// Runs a batch that a scheduler has formed.
    fn ran(
        &self,
        batch: &mut [Prepared<'static>],
        turn: Turn,
        core: Option<&Arc<dyn Handover>>,
    ) -> Ran {
        if let ([request], Turn::Shared | Turn::Only) = (&*batch, turn)
            && let Some(response) = self.direct(request)
        {
            return Ran { answers: vec![Ok(response)], lacking: vec![], rest: None };
        }
        let (mut answers, mut span) = (Answers::default(), RunSpan::default());
        let (start, rows) = (Instant::now(), batch.iter().map(|request| request.rows).sum());
        for (at, request) in batch.iter_mut().enumerate() {
            request.at = at;
            request.core = core.cloned();
            answers.push(Ok(Response::default()));
        }
        let mut lacking = match turn {
            Turn::Again => batch.iter().collect(),
            Turn::Shared | Turn::Only => self.serve(batch, &mut answers, &mut span),
        };
        if turn != Turn::Shared {
            for request in lacking.drain(..) {
                self.serve_alone(request, &mut answers, &mut span);
            }
        }
        let lacking = lacking.iter().map(|request| request.at).collect();
        let mut answers = answers.into_vec();
        let (run, end) = (span.range(), Instant::now());
        let timing = Timing {
            start,
            input: run.start.saturating_duration_since(start),
            run: run.end.saturating_duration_since(run.start),
            output: end.saturating_duration_since(run.end),
            rows,
            leads: true,
        };
        tell(&mut answers, timing);
        Ran { answers, lacking, rest: None }
    }
}

/// Tells responses how their batch went.
fn tell(answers: &mut [Answer], mut timing: Timing) {
    for response in answers.iter_mut().flatten() {
        response.timing = Some(timing);
        timing.leads = false;
    }
}
