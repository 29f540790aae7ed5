//! The answers to a request on their way, one after the other.

use std::iter::Peekable;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trident_serving::{ErrorCode, Fault, Timing};

use super::ending::Receiver;
use super::{Alarm, Outcome, Steps, Wanted};
use crate::infer::{AnswerTensor, InferAnswer, Pace, Reply};
use crate::model::HostedModel;
use crate::statistics::ResponseKind;

/// The most steps of a request that a thread makes before others have their turn. Steps that give nothing are not held by a pace.
const MOST_AT_ONCE: usize = 1024;

/// The answers that a request has not got yet. If it is dropped before the last one, the request fails.
pub(super) struct Play {
    model: Arc<HostedModel>,
    id: String,
    wanted: Wanted,
    steps: Peekable<Steps>,
    receiver: Arc<Receiver>,
    /// How fast the client reads them.
    pace: Option<Arc<Pace>>,
    /// Answers given.
    count: u64,
    /// When the request arrived, and when its answers were known.
    times: (Instant, Instant),
    /// When the last answer was given.
    last: Instant,
    rows: u64,
    /// Whether answers tell how the run went so far.
    is_timed: bool,
}

impl Play {
    /// The answers to a request of so many rows that arrived, and left the queue, at these times.
    pub(super) fn new(
        model: Arc<HostedModel>,
        id: String,
        wanted: Wanted,
        steps: Steps,
        (receiver, pace): (Arc<Receiver>, Option<Arc<Pace>>),
        times: (Instant, Instant),
        (rows, is_timed): (u64, bool),
    ) -> Play {
        let (steps, count, last) = (steps.peekable(), 0, Instant::now());
        Play { model, id, wanted, steps, receiver, pace, count, times, last, rows, is_timed }
    }

    /// Gives the answers that are due, and has the alarm give the others. A client that reads slowly is waited for. The answers for one
    /// that has left are dropped.
    pub(super) fn go(mut self, alarm: &Arc<Alarm>) {
        for _ in 0..MOST_AT_ONCE {
            if let Some(pace) = self.pace.clone() {
                let again = Arc::clone(alarm);
                let held = self.model.held_requests().clone();
                let play = pace.hold(self, &held, |play| Box::new(move || play.go(&again)));
                let Some(play) = play.filter(|_| !pace.has_left()) else { return };
                self = play;
            }
            if self.receiver.has_ended() {
                return;
            }
            let Some(step) = self.steps.peek_mut() else { return self.end() };
            if !step.after.is_zero() {
                let at = self.last.checked_add(std::mem::take(&mut step.after));
                let at = at.unwrap_or(self.last);
                return self.go_on_at(at, alarm);
            }
            let Some(step) = self.steps.next() else { return self.end() };
            self.give(step.outcome);
        }
        self.go_on_at(Instant::now(), alarm);
    }

    /// Has the alarm go on. Without a thread for it, dropping the request answers it.
    fn go_on_at(self, at: Instant, alarm: &Arc<Alarm>) {
        let again = Arc::clone(alarm);
        alarm.set(at, Box::new(move || self.go(&again)));
    }

    fn give(&mut self, outcome: Outcome) {
        let (now, counters) = (Instant::now(), self.model.counters());
        let time = now.saturating_duration_since(self.last);
        let (answer, kind) = match outcome {
            Outcome::Outputs(outputs) => {
                let mut answer = self.model.placed(&self.id, &self.wanted, outputs);
                if let Ok(answer) = &mut answer {
                    answer.timing = self.is_timed.then(|| Box::new(self.timing()));
                }
                (Some(answer), ResponseKind::Success)
            }
            Outcome::Failure(fault) => (Some(Err(fault)), ResponseKind::Failure),
            Outcome::Nothing => (None, ResponseKind::Empty),
        };
        if self.count == 0 && answer.is_some() {
            counters.answer_first(self.times.0);
        }
        counters.respond(self.count, time, kind);
        (self.last, self.count) = (now, self.count + 1);
        if answer.is_some() {
            self.reply(Reply { answer, is_last: false });
        }
    }

    /// Ends the answers.
    fn end(mut self) {
        if !self.receiver.has_ended() {
            let time = self.last.elapsed();
            self.model.counters().respond(self.count, time, ResponseKind::Empty);
            self.succeed();
            self.reply(Reply { answer: None, is_last: true });
        }
    }

    fn reply(&mut self, reply: Reply) {
        if let Some(pace) = &self.pace {
            pace.give();
        }
        self.receiver.give(reply);
    }

    fn succeed(&self) {
        let (arrival, _) = self.times;
        self.model.counters().succeed(arrival, self.rows, Some(&self.timing()));
    }

    /// The run so far.
    fn timing(&self) -> Timing {
        let (_, start) = self.times;
        let (input, output) = (Duration::ZERO, Duration::ZERO);
        let rows = usize::try_from(self.rows).unwrap_or(usize::MAX);
        Timing { start, input, run: start.elapsed(), output, rows, leads: true }
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        let has_left = self.pace.as_ref().is_some_and(|pace| pace.has_left());
        if has_left {
            self.receiver.leave();
        } else if !self.receiver.has_ended() {
            let fault = Fault { code: ErrorCode::Unavailable, text: "Server exiting".to_owned() };
            self.reply(Reply::only(Err(fault)));
        }
    }
}

impl HostedModel {
    /// The answer of these outputs, as far as a request asks for them. Outputs with places are written there.
    fn placed(
        &self,
        id: &str,
        wanted: &Wanted,
        outputs: Vec<AnswerTensor>,
    ) -> Result<InferAnswer, Fault> {
        let mut given = vec![];
        for mut output in outputs {
            let place = wanted.iter().find(|(name, _)| *name == output.name);
            match place {
                None if !wanted.is_empty() => continue,
                Some((name, Some(part))) => {
                    part.write(name, &output.data.take().unwrap_or_default())?;
                }
                _ => {}
            }
            given.push(output);
        }
        let (id, model) = (id.to_owned(), self.name().to_owned());
        let version = self.version();
        Ok(InferAnswer { id, model, version, outputs: given, ..InferAnswer::default() })
    }
}
