//! Execution of requests, in batches of requests that fit together.

mod answers;
mod direct;
mod made;
mod padded;
mod part;
mod prepare;
mod prove;
mod request;
mod respond;
mod run;
mod scatter;
mod stateful;
mod strings;

pub use part::{Fill, Part};
pub use request::{Execution, InferenceRequest, Input, Output, Response, Timing};

pub(crate) use answers::Answers;
pub(crate) use direct::DirectModel;
pub(crate) use made::MadeInput;
pub(crate) use padded::Lengths;
pub(crate) use prepare::{Given, Merge, Prepared};
pub(crate) use request::{batch_flag, own_flag};
pub(crate) use run::RunSpan;
pub(crate) use scatter::Scatter;
pub use strings::check_bytes;
pub(crate) use strings::{check as check_strings, encode as encode_strings};

use crate::failure::RequestError;
use crate::model::ServedModel;
use run::BatchError;
use std::sync::PoisonError;

/// Requests that run together.
struct Batch<'r> {
    requests: Vec<Prepared<'r>>,
    rows: usize,
    /// The lengths of its requests, if they are padded.
    lengths: Option<Lengths>,
}

impl ServedModel {
    /// Executes requests. Requests whose inputs have the same dimensions, except the batch dimension, run as one batch,
    /// as far as `max_batch_size` allows, and so do those of similar length if they are padded, unless the model's rows depend on each other
    /// ([`ModelSignature::dependent_rows`]). Batches run one after the other.
    ///
    /// - A request that does not fit the model fails alone, and so does one whose bytes are wrong or cannot be written.
    /// - If a batch fails, its requests run again one by one, so that only those at fault fail.
    /// - A request that lacks memory is tried once more while no other run of the model is under way, after the responses of this
    ///   execution have been moved out of the model's memory. Responses of other executions still count while they exist.
    /// - If an output does not have a row for each row of the batch, all requests of the batch fail: the configuration is wrong.
    /// - A request that is cancelled or whose time is over is answered as such; the rest of its batch runs on.
    ///
    /// [`ModelSignature::dependent_rows`]: crate::ModelSignature::dependent_rows
    pub fn execute<'r>(
        &self,
        requests: impl IntoIterator<Item = InferenceRequest<'r>>,
    ) -> Execution {
        let mut answers = Answers::default();
        let mut batches: Vec<Batch<'r>> = vec![];
        for (at, request) in requests.into_iter().enumerate() {
            let prepared = self.prepare(at, request);
            let prepared = prepared.and_then(|prepared| prepared.left().map_or(Ok(prepared), Err));
            // An empty response holds its place until its batch has run. A request for no outputs keeps it.
            answers.push(prepared.map(|prepared| {
                if !prepared.outputs.is_empty() {
                    self.join(&mut batches, prepared);
                }
                Response::default()
            }));
        }
        let mut span = RunSpan::default();
        for Batch { requests, .. } in batches {
            for request in self.serve(&requests, &mut answers, &mut span) {
                self.serve_alone(request, &mut answers, &mut span);
            }
        }
        Execution { responses: answers.into_vec(), computing: span.range() }
    }

    /// Adds a request to the first batch that it fits.
    fn join<'r>(&self, batches: &mut Vec<Batch<'r>>, request: Prepared<'r>) {
        let lengths = request.lengths();
        let open = batches.iter_mut().find_map(|batch| {
            let fits = self.merges
                && self.largest_batch.is_some_and(|largest| batch.rows + request.rows <= largest)
                && batch.requests.first().is_some_and(|other| other.joins(&request));
            let together = Lengths::join(batch.lengths, lengths).filter(|_| fits)?;
            Some((batch, together))
        });
        match open {
            Some((batch, together)) => {
                batch.rows += request.rows;
                batch.lengths = together;
                batch.requests.push(request);
            }
            None => batches.push(Batch { rows: request.rows, requests: vec![request], lengths }),
        }
    }

    /// Runs requests as one batch beside other runs of the model, and answers them. Returns the requests that lack memory, whose
    /// answers say so: they may be served alone.
    pub(crate) fn serve<'b, 'r>(
        &self,
        batch: &'b [Prepared<'r>],
        answers: &mut Answers,
        span: &mut RunSpan,
    ) -> Vec<&'b Prepared<'r>> {
        let _turn = self.turns.read().unwrap_or_else(PoisonError::into_inner);
        self.attempt(batch.iter().collect(), answers, span)
    }

    /// Runs a request once no other run of the model is under way, and answers it.
    pub(crate) fn serve_alone(
        &self,
        request: &Prepared<'_>,
        answers: &mut Answers,
        span: &mut RunSpan,
    ) {
        answers.leave_memory();
        let _turn = self.turns.write().unwrap_or_else(PoisonError::into_inner);
        self.attempt(vec![request], answers, span);
    }

    /// Runs requests as one batch, and one by one if it fails as a whole. Returns those that lack memory.
    fn attempt<'b, 'r>(
        &self,
        mut batch: Vec<&'b Prepared<'r>>,
        answers: &mut Answers,
        span: &mut RunSpan,
    ) -> Vec<&'b Prepared<'r>> {
        while !batch.is_empty() {
            match self.run(&batch, span) {
                Ok(results) => {
                    let faults = self.keep(&results, &batch);
                    self.respond(&results, &batch, answers);
                    return unkept(&batch, faults, answers);
                }
                // The others run without the requests at fault.
                Err(BatchError::Requests(faults)) => {
                    let faulty = |at: usize| faults.iter().any(|(fault, _)| *fault == at);
                    let rest = batch.iter().enumerate().filter(|(at, _)| !faulty(*at));
                    let rest = rest.map(|(_, request)| *request).collect();
                    for (fault, error) in faults {
                        answers.set(batch[fault].at, Err(error));
                    }
                    batch = rest;
                }
                Err(BatchError::Whole(error)) => return self.failed(batch, error, answers, span),
            }
        }
        vec![]
    }

    /// Answers the requests of a batch that failed as a whole. Returns those that lack memory.
    fn failed<'b, 'r>(
        &self,
        batch: Vec<&'b Prepared<'r>>,
        error: RequestError,
        answers: &mut Answers,
        span: &mut RunSpan,
    ) -> Vec<&'b Prepared<'r>> {
        if error.is_memory() {
            answers.leave_memory();
        }
        match (&error, batch.len()) {
            (RequestError::Run { .. } | RequestError::Input { .. }, 2..) => {
                let alone = |request| self.attempt(vec![request], answers, span);
                batch.into_iter().flat_map(alone).collect()
            }
            _ => {
                for request in &batch {
                    answers.set(request.at, Err(request.left().unwrap_or_else(|| error.clone())));
                }
                if error.is_memory() { batch } else { vec![] }
            }
        }
    }
}

/// Answers the requests of a batch whose states were not kept. Returns those that lack memory.
fn unkept<'b, 'r>(
    batch: &[&'b Prepared<'r>],
    faults: Vec<(usize, RequestError)>,
    answers: &mut Answers,
) -> Vec<&'b Prepared<'r>> {
    let mut lacking = vec![];
    for (at, error) in faults {
        if error.is_memory() {
            lacking.push(batch[at]);
        }
        answers.set(batch[at].at, Err(error));
    }
    lacking
}
