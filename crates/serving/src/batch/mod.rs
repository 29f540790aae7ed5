//! Execution of requests, in batches of requests that fit together.

mod answers;
mod prepare;
mod request;
mod respond;
mod run;
mod strings;

pub use request::{Execution, InferenceRequest, Input, Output, Part, Response};

use crate::failure::RequestError;
use crate::model::ServedModel;
use answers::{Answer, Answers};
use prepare::Prepared;
use run::Clock;
use std::sync::PoisonError;
use trident_engine::CancelFlag;

/// Requests that run together.
struct Batch<'r> {
    requests: Vec<Prepared<'r>>,
    rows: usize,
}

impl<'r> Batch<'r> {
    fn of(request: Prepared<'r>) -> Batch<'r> {
        Batch { rows: request.rows, requests: vec![request] }
    }
}

impl ServedModel {
    /// Executes requests. Requests whose inputs have the same dimensions, except the batch dimension, run as one batch,
    /// as far as `max_batch_size` allows, unless the model's rows depend on each other
    /// ([`ModelSignature::dependent_rows`]). Batches run one after the other.
    ///
    /// - A request that does not fit the model fails alone.
    /// - If a batch fails, or the bytes of its strings are wrong, its requests run again one by one, so that only those at fault fail.
    /// - A request that lacks memory is tried once more while no other run of the model is under way, after the responses of this
    ///   execution have been moved out of the model's memory. Responses of other executions still count while they exist.
    /// - If an output does not have a row for each row of the batch, all requests of the batch fail: the configuration is wrong.
    /// - A request that is cancelled is answered as such; the rest of its batch runs on.
    ///
    /// [`ModelSignature::dependent_rows`]: crate::Signature::dependent_rows
    pub fn execute(&self, requests: &[InferenceRequest<'_>]) -> Execution {
        let mut answers = Answers::default();
        let mut batches: Vec<Batch<'_>> = vec![];
        for (at, request) in requests.iter().enumerate() {
            let prepared = if is_cancelled(request) {
                Err(RequestError::Cancelled)
            } else {
                self.prepare(at, request)
            };
            // An empty response holds its place until its batch has run. A request for no outputs keeps it.
            answers.push(prepared.map(|prepared| {
                if !prepared.outputs.is_empty() {
                    self.join(&mut batches, prepared);
                }
                Response::default()
            }));
        }
        let mut clock = Clock::default();
        for batch in batches {
            self.serve(requests, batch, &mut answers, &mut clock);
        }
        Execution { responses: answers.into_vec(), computing: clock.span() }
    }

    /// Adds a request to the first batch that it fits.
    fn join<'r>(&self, batches: &mut Vec<Batch<'r>>, request: Prepared<'r>) {
        let open = batches.iter_mut().find(|batch| {
            self.merges
                && self.largest_batch.is_some_and(|largest| batch.rows + request.rows <= largest)
                && batch.requests.first().is_some_and(|other| other.joins(&request))
        });
        match open {
            Some(batch) => {
                batch.rows += request.rows;
                batch.requests.push(request);
            }
            None => batches.push(Batch::of(request)),
        }
    }

    /// Runs a batch and answers its requests; one by one if it fails as a whole.
    fn serve<'r>(
        &self,
        requests: &'r [InferenceRequest<'r>],
        batch: Batch<'r>,
        answers: &mut Answers,
        clock: &mut Clock,
    ) {
        let (several, rows) = (batch.requests.len() > 1, batch.rows);
        let asked = batch.requests.iter().map(|r| (r.at, r.rows, r.outputs.clone()));
        let asked: Vec<(usize, usize, Vec<usize>)> = asked.collect();
        let outcome = {
            let _turn = self.turns.read().unwrap_or_else(PoisonError::into_inner);
            self.run(requests, batch, clock)
        };
        let mut first = 0;
        for (at, own, outputs) in asked {
            let range = first..first + own;
            first = range.end;
            let answer = match &outcome {
                _ if is_cancelled(&requests[at]) => Err(RequestError::Cancelled),
                Ok(results) => answers.kept(self.respond(results, rows, range, &outputs)),
                Err(error) if error.is_memory() => {
                    answers.leave_memory();
                    self.alone(at, requests, several, answers, clock)
                }
                Err(RequestError::Run { .. } | RequestError::Strings { .. }) if several => {
                    self.alone(at, requests, true, answers, clock)
                }
                Err(error) => Err(error.clone()),
            };
            answers.set(at, answer);
        }
    }

    /// Runs a request of a batch that failed: first concurrently with other runs, if that may help. If there is too
    /// little memory, it runs again when no other run is under way.
    fn alone<'r>(
        &self,
        at: usize,
        requests: &'r [InferenceRequest<'r>],
        beside: bool,
        answers: &mut Answers,
        clock: &mut Clock,
    ) -> Answer {
        if beside {
            let _turn = self.turns.read().unwrap_or_else(PoisonError::into_inner);
            match self.attempt(at, requests, answers, clock) {
                Err(error) if error.is_memory() => {}
                answer => return answer,
            }
        }
        answers.leave_memory();
        let _turn = self.turns.write().unwrap_or_else(PoisonError::into_inner);
        self.attempt(at, requests, answers, clock)
    }

    fn attempt<'r>(
        &self,
        at: usize,
        requests: &'r [InferenceRequest<'r>],
        answers: &Answers,
        clock: &mut Clock,
    ) -> Answer {
        let request = self.prepare(at, &requests[at])?;
        let (rows, outputs) = (request.rows, request.outputs.clone());
        let results = self.run(requests, Batch::of(request), clock)?;
        answers.kept(self.respond(&results, rows, 0..rows, &outputs))
    }
}

fn is_cancelled(request: &InferenceRequest<'_>) -> bool {
    request.cancel.as_ref().is_some_and(CancelFlag::is_cancelled)
}
