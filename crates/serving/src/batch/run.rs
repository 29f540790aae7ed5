//! Runs a batch: gathers its inputs from the rows of its requests.

use super::Batch;
use super::prepare::{Given, size};
use super::request::{InferenceRequest, Part};
use super::strings;
use crate::failure::RequestError;
use crate::model::ServedModel;
use std::ops::Range;
use std::time::Instant;
use trident_engine::{CancelFlag, RunContext, RunError};
use trident_ir::DType;
use trident_runtime::{KernelError, Tensor, Value};

/// The results of a run, by name.
pub(super) type Results = Vec<(String, Value)>;

/// When the model ran.
#[derive(Default)]
pub(super) struct Clock(Option<Range<Instant>>);

impl Clock {
    fn run(&mut self, start: Instant, end: Instant) {
        let first = self.0.take().map_or(start, |earlier| earlier.start);
        self.0 = Some(first..end);
    }

    /// From the start of the first run to the end of the last. Empty, at the present time, if there was none.
    pub(super) fn span(self) -> Range<Instant> {
        self.0.unwrap_or_else(|| {
            let now = Instant::now();
            now..now
        })
    }
}

impl ServedModel {
    /// Runs a batch.
    pub(super) fn run(
        &self,
        requests: &[InferenceRequest<'_>],
        batch: Batch<'_>,
        clock: &mut Clock,
    ) -> Result<Results, RequestError> {
        let context = self.context(batch.requests.iter().map(|own| &requests[own.at]));
        let inputs = self.gather(batch)?;
        let start = Instant::now();
        let results = self.session.run_with(&inputs, context);
        clock.run(start, Instant::now());
        let (results, profile) = results.map_err(|error| match error {
            RunError::Cancelled { .. } => RequestError::Cancelled,
            RunError::Deadline { .. } => RequestError::Timeout,
            error => {
                let (model, source) = (self.name.clone(), Box::new(error));
                RequestError::Run { model, source, limit: None }.limited(self.memory_limit)
            }
        })?;
        self.operations.add(profile.totals);
        Ok(results)
    }

    /// The context of a batch of these requests: it runs for as long as one of them is waited for.
    fn context<'r>(
        &self,
        requests: impl Iterator<Item = &'r InferenceRequest<'r>> + Clone,
    ) -> RunContext {
        let flags: Option<Vec<CancelFlag>> = requests.clone().map(|r| r.cancel.clone()).collect();
        let deadlines: Option<Vec<Instant>> = requests.clone().map(|r| r.deadline).collect();
        RunContext {
            deadline: deadlines.and_then(|all| all.into_iter().max()),
            cancel: flags
                .map(|flags| CancelFlag::when(move || flags.iter().all(CancelFlag::is_cancelled))),
            priority: requests.map(|r| r.priority).max().unwrap_or(0),
            threads: self.threads,
            profile: self.operations.next(),
            ..RunContext::default()
        }
    }

    /// The inputs of a batch, by name.
    fn gather(&self, batch: Batch<'_>) -> Result<Vec<(&str, Value)>, RequestError> {
        let Batch { requests, rows } = batch;
        let mut inputs: Vec<Gathered<'_>> = vec![];
        // The inputs of its requests agree, and stand in the same order.
        for request in requests {
            for (i, given) in request.inputs.into_iter().enumerate() {
                if i == inputs.len() {
                    let mut dims = given.dims.clone();
                    if self.largest_batch.is_some()
                        && let Some(first) = dims.first_mut()
                    {
                        *first = rows;
                    }
                    inputs.push(Gathered { at: given.at, dims, parts: vec![], strings: vec![] });
                }
                match self.inputs[given.at].dtype {
                    DType::Str => inputs[i].strings.push(self.strings(&given)?),
                    _ => inputs[i].parts.extend(given.parts),
                }
            }
        }
        inputs.into_iter().map(|input| self.tensor(input)).collect()
    }

    fn tensor(&self, input: Gathered<'_>) -> Result<(&str, Value), RequestError> {
        let Gathered { at, dims, parts, strings } = input;
        let spec = &self.inputs[at];
        let tensor = match spec.dtype {
            DType::Str => {
                strings.iter().map(Tensor::bytes).collect::<Result<Vec<&[u8]>, _>>().and_then(
                    |all| self.session.strings(&dims, all.into_iter().flat_map(strings::read)),
                )
            }
            dtype => self.bytes(dtype, &dims, &parts),
        };
        Ok((&spec.name, Value::Tensor(tensor.map_err(|source| self.no_input(at, source))?)))
    }

    /// The bytes of a request's strings, which are that many. They are checked where they no longer change: what they were
    /// read from may be memory that the client still writes to.
    fn strings(&self, given: &Given<'_>) -> Result<Tensor, RequestError> {
        let parts: Vec<&Part<'_>> = given.parts.iter().collect();
        let tensor = self.bytes(DType::U8, &[size(given.parts)], &parts);
        let fault = |source| self.no_input(given.at, source);
        let tensor = tensor.map_err(fault)?;
        let checked = strings::check(tensor.bytes().map_err(fault)?, given.elements);
        checked.map_err(|fault| RequestError::Strings {
            model: self.name.clone(),
            input: self.inputs[given.at].name.clone(),
            fault,
        })?;
        Ok(tensor)
    }

    /// A tensor of bytes, which are copied unless they can be shared.
    fn bytes(
        &self,
        dtype: DType,
        dims: &[usize],
        parts: &[&Part<'_>],
    ) -> Result<Tensor, KernelError> {
        match parts {
            [Part::Shared(bytes)] => self.session.adopt(dtype, dims, bytes.clone()),
            parts => self.session.gather(dtype, dims, parts.iter().copied()),
        }
    }

    fn no_input(&self, at: usize, source: KernelError) -> RequestError {
        let (model, input) = (self.name.clone(), self.inputs[at].name.clone());
        RequestError::Input { model, input, source, limit: None }.limited(self.memory_limit)
    }
}

/// An input of a batch, in the parts that its requests give.
struct Gathered<'r> {
    /// Its position in the model.
    at: usize,
    dims: Vec<usize>,
    parts: Vec<&'r Part<'r>>,
    /// The bytes of each request's strings.
    strings: Vec<Tensor>,
}
