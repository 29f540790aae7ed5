//! Runs a batch: gathers its inputs from the rows of its requests.

use super::Batch;
use super::prepare::Data;
use super::request::{Part, Request};
use super::strings;
use crate::failure::RequestError;
use crate::model::Model;
use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;
use trident_engine::{CancelFlag, RunContext, RunError};
use trident_ir::DType;
use trident_runtime::Value;

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

    /// From the start of the first run to the end of the last; nothing, now, if there was none.
    pub(super) fn span(self) -> Range<Instant> {
        self.0.unwrap_or_else(|| {
            let now = Instant::now();
            now..now
        })
    }
}

impl Model {
    /// Runs a batch.
    pub(super) fn run(
        &self,
        requests: &[Request<'_>],
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
            error => RequestError::Run { model: self.name.clone(), source: Box::new(error) },
        })?;
        self.operations.add(profile.totals);
        Ok(results)
    }

    /// How a batch of these requests runs: for as long as somebody waits for it.
    fn context<'r>(&self, requests: impl Iterator<Item = &'r Request<'r>> + Clone) -> RunContext {
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
                    let mut dims = given.dims;
                    if self.largest_batch.is_some()
                        && let Some(first) = dims.first_mut()
                    {
                        *first = rows;
                    }
                    inputs.push(Gathered { at: given.at, dims, parts: vec![], strings: vec![] });
                }
                match given.data {
                    Data::Parts(parts) => inputs[i].parts.extend(parts),
                    Data::Strings(strings) => inputs[i].strings.push(strings),
                }
            }
        }
        inputs.into_iter().map(|input| self.tensor(input)).collect()
    }

    fn tensor(&self, input: Gathered<'_>) -> Result<(&str, Value), RequestError> {
        let Gathered { at, dims, parts, strings } = input;
        let spec = &self.inputs[at];
        let tensor = match (spec.dtype, &*parts) {
            (DType::Str, _) => {
                self.session.strings(&dims, strings.iter().flat_map(|part| strings::read(part)))
            }
            (dtype, [Part::Shared(bytes)]) => self.session.adopt(dtype, &dims, bytes.clone()),
            (dtype, parts) => {
                self.session.gather(dtype, &dims, parts.iter().map(|part| part.as_ref()))
            }
        };
        let fault = |source| RequestError::Input {
            model: self.name.clone(),
            input: spec.name.clone(),
            source,
        };
        Ok((&spec.name, Value::Tensor(tensor.map_err(fault)?)))
    }
}

/// An input of a batch, in the parts that its requests give.
struct Gathered<'r> {
    /// Its position in the model.
    at: usize,
    dims: Vec<usize>,
    parts: Vec<&'r Part<'r>>,
    strings: Vec<Cow<'r, [u8]>>,
}
