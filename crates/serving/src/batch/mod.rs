//! Executes requests: those that fit together as one batch.

mod prepare;
mod request;
mod strings;

pub use request::{Execution, Input, Output, Part, Request, Response};

use crate::complete::list;
use crate::config::DataType;
use crate::failure::RequestError;
use crate::model::Model;
use prepare::{Data, Prepared};
use std::ops::Range;
use std::time::Instant;
use trident_engine::{CancelFlag, RunContext, RunError};
use trident_runtime::{KernelError, Tensor, Value};

/// Requests that run together.
struct Batch<'r> {
    requests: Vec<Prepared<'r>>,
    rows: usize,
}

/// The results of a run, by name.
type Results = Vec<(String, Value)>;

impl Model {
    /// Executes requests. Those whose inputs have the same dimensions, but for the batch dimension, run as one batch, as far as
    /// `max_batch_size` allows; the others run one after the other.
    ///
    /// A request that does not fit the model fails alone. If a batch fails, its requests run one by one, so that only those fail
    /// that are to blame; results that have no row for each request are not, and fail all of them. A request that is cancelled
    /// is answered as such, while the rest of its batch runs on.
    pub fn execute(&self, requests: &[Request<'_>]) -> Execution {
        let mut responses: Vec<Option<Result<Response, RequestError>>> = vec![];
        responses.resize_with(requests.len(), || None);
        let mut computing: Option<Range<Instant>> = None;
        for batch in self.batches(requests, &mut responses) {
            self.serve(requests, batch, &mut responses, &mut computing);
        }
        let now = Instant::now();
        // Each request is in one batch, or failed before.
        let responses =
            responses.into_iter().map(|response| response.unwrap_or(Err(RequestError::Cancelled)));
        Execution { responses: responses.collect(), computing: computing.unwrap_or(now..now) }
    }

    /// Checks requests and makes batches of them.
    fn batches<'r>(
        &self,
        requests: &'r [Request<'r>],
        responses: &mut [Option<Result<Response, RequestError>>],
    ) -> Vec<Batch<'r>> {
        let mut batches: Vec<Batch<'r>> = vec![];
        for (at, request) in requests.iter().enumerate() {
            let prepared = match self.prepare(at, request) {
                _ if cancelled(request) => Err(RequestError::Cancelled),
                prepared => prepared,
            };
            let prepared = match prepared {
                Ok(prepared) => prepared,
                Err(error) => {
                    responses[at] = Some(Err(error));
                    continue;
                }
            };
            let open = batches.iter_mut().find(|batch| {
                let fits = |largest| batch.rows + prepared.rows <= largest;
                self.largest_batch.is_some_and(fits)
                    && batch.requests.first().is_some_and(|first| first.joins(&prepared))
            });
            match open {
                Some(batch) => {
                    batch.rows += prepared.rows;
                    batch.requests.push(prepared);
                }
                None => batches.push(Batch { rows: prepared.rows, requests: vec![prepared] }),
            }
        }
        batches
    }

    /// Runs a batch and answers its requests; one by one if it fails as a whole.
    fn serve<'r>(
        &self,
        requests: &'r [Request<'r>],
        batch: Batch<'r>,
        responses: &mut [Option<Result<Response, RequestError>>],
        computing: &mut Option<Range<Instant>>,
    ) {
        let several = batch.requests.len() > 1;
        let rows = batch.rows;
        let asked: Vec<(usize, usize, Vec<usize>)> =
            batch.requests.iter().map(|r| (r.at, r.rows, r.outputs.clone())).collect();
        let results = self.run(requests, batch, computing);
        let mut first = 0;
        for (at, own, outputs) in asked {
            let range = first..first + own;
            first += own;
            responses[at] = Some(match &results {
                _ if cancelled(&requests[at]) => Err(RequestError::Cancelled),
                Ok(results) => self.respond(results, rows, range, &outputs),
                Err(error) if several && may_pass_alone(error) => {
                    let prepared = self.prepare(at, &requests[at]);
                    prepared.and_then(|prepared| {
                        let alone = Batch { rows: own, requests: vec![prepared] };
                        let results = self.run(requests, alone, computing)?;
                        self.respond(&results, own, 0..own, &outputs)
                    })
                }
                Err(error) => Err(error.clone()),
            });
        }
    }

    /// Runs a batch.
    fn run(
        &self,
        requests: &[Request<'_>],
        batch: Batch<'_>,
        computing: &mut Option<Range<Instant>>,
    ) -> Result<Results, RequestError> {
        let own: Vec<&Request<'_>> = batch.requests.iter().map(|r| &requests[r.at]).collect();
        let inputs = self.gather(batch)?;
        let inputs: Vec<(&str, Value)> =
            inputs.into_iter().map(|(at, value)| (&*self.inputs[at].name, value)).collect();
        let flags: Option<Vec<CancelFlag>> =
            own.iter().map(|request| request.cancel.clone()).collect();
        // The run goes on for as long as somebody waits for it.
        let deadlines: Option<Vec<Instant>> = own.iter().map(|request| request.deadline).collect();
        let context = RunContext {
            deadline: deadlines.and_then(|all| all.into_iter().max()),
            cancel: flags
                .map(|flags| CancelFlag::when(move || flags.iter().all(CancelFlag::is_cancelled))),
            priority: own.iter().map(|request| request.priority).max().unwrap_or(0),
            threads: self.threads,
            ..RunContext::default()
        };
        let start = Instant::now();
        let results = self.session.run_with(&inputs, context);
        let end = Instant::now();
        *computing = Some(computing.take().map_or(start, |earlier| earlier.start)..end);
        results.map(|(results, _)| results).map_err(|error| match error {
            RunError::Cancelled { .. } => RequestError::Cancelled,
            RunError::Deadline { .. } => RequestError::Timeout,
            error => RequestError::Run { model: self.name.clone(), source: Box::new(error) },
        })
    }

    /// The inputs of a batch by their position, with the rows of its requests.
    fn gather(&self, batch: Batch<'_>) -> Result<Vec<(usize, Value)>, RequestError> {
        let Batch { mut requests, rows } = batch;
        let count = requests.first().map_or(0, |first| first.inputs.len());
        let mut values = Vec::with_capacity(count);
        for i in 0..count {
            let first = &requests[0].inputs[i];
            let (at, mut dims) = (first.at, first.dims.clone());
            let spec = &self.inputs[at];
            if self.largest_batch.is_some()
                && let Some(dim) = dims.first_mut()
            {
                *dim = rows;
            }
            let mut strings = vec![];
            let mut parts = vec![];
            for request in &mut requests {
                match &mut request.inputs[i].data {
                    Data::Parts(own) => parts.extend(own.iter()),
                    Data::Strings(own) => strings.append(own),
                }
            }
            let tensor = match (spec.data_type, &*parts) {
                (DataType::String, _) => Tensor::from_strings(&dims, strings),
                (_, [Part::Shared(bytes)]) => self.session.adopt(spec.dtype, &dims, bytes.clone()),
                (_, parts) => {
                    let parts = parts.iter().map(|part| part.as_ref());
                    self.session.gather(spec.dtype, &dims, parts)
                }
            };
            let tensor = tensor.map_err(|source| RequestError::Input {
                model: self.name.clone(),
                input: spec.name.clone(),
                source,
            })?;
            values.push((at, Value::Tensor(tensor)));
        }
        Ok(values)
    }

    /// The response to a request, which has a range of the rows.
    fn respond(
        &self,
        results: &Results,
        rows: usize,
        range: Range<usize>,
        outputs: &[usize],
    ) -> Result<Response, RequestError> {
        let output = |at: &usize| self.output(results, rows, &range, *at);
        Ok(Response { outputs: outputs.iter().map(output).collect::<Result<_, _>>()? })
    }

    /// The rows of an output.
    fn output(
        &self,
        results: &Results,
        rows: usize,
        range: &Range<usize>,
        at: usize,
    ) -> Result<Output, RequestError> {
        let spec = &self.outputs[at];
        let (model, output) = (|| self.name.clone(), || spec.name.clone());
        let value = results.iter().find(|(name, _)| *name == spec.name).map(|(_, value)| value);
        let unexpected = || RequestError::OutputType {
            model: model(),
            output: output(),
            actual: value.map_or_else(|| "missing".into(), Value::describe),
        };
        let tensor = value.and_then(Value::as_tensor).ok_or_else(unexpected)?;
        let data_type = DataType::of(tensor.dtype()).ok_or_else(unexpected)?;
        // Sizes of tensors in memory are within the protocol's integers.
        let size = |dim: &usize| i64::try_from(*dim).unwrap_or(i64::MAX);
        let mut shape: Vec<i64> = tensor.dims().iter().map(size).collect();
        let data = if self.largest_batch.is_some() {
            if tensor.dims().first() != Some(&rows) {
                let mut expected = shape.clone();
                match expected.first_mut() {
                    Some(first) => *first = size(&rows),
                    None => expected.push(size(&rows)),
                }
                let (actual, expected) = (list(&shape), list(&expected));
                let (model, output) = (model(), output());
                return Err(RequestError::OutputRows { model, output, rows, actual, expected });
            }
            shape[0] = size(&range.len());
            elements(tensor, range.clone())
        } else {
            if shape.is_empty() {
                shape.clone_from(&spec.scalar);
            }
            all(tensor)
        };
        let data = data.map_err(|source| RequestError::Output {
            model: model(),
            output: output(),
            source,
        })?;
        Ok(Output { name: output(), data_type, shape, data })
    }
}

/// The elements of a range of rows.
fn elements(tensor: &Tensor, rows: Range<usize>) -> Result<bytes::Bytes, KernelError> {
    if tensor.dtype() != trident_ir::DType::Str {
        return tensor.rows(rows);
    }
    let row: usize = tensor.dims()[1..].iter().product();
    Ok(strings::encode(&tensor.strings()?[rows.start * row..rows.end * row]))
}

/// All elements.
fn all(tensor: &Tensor) -> Result<bytes::Bytes, KernelError> {
    match tensor.dtype() {
        trident_ir::DType::Str => Ok(strings::encode(tensor.strings()?)),
        _ => tensor.to_bytes(),
    }
}

fn cancelled(request: &Request<'_>) -> bool {
    request.cancel.as_ref().is_some_and(CancelFlag::is_cancelled)
}

/// Whether a request of a batch that failed may succeed alone. One of them is to blame, or they need too much memory together.
fn may_pass_alone(error: &RequestError) -> bool {
    matches!(error, RequestError::Run { .. } | RequestError::Input { .. })
}
