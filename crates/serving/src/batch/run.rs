//! Runs a batch: gathers its inputs from the rows of its requests.

use super::part::{Faults, Part, Source, size};
use super::prepare::{Given, Prepared};
use super::strings;
use crate::failure::RequestError;
use crate::model::ServedModel;
use std::ops::Range;
use std::time::Instant;
use trident_engine::{CancelFlag, RunContext, RunError};
use trident_ir::DType;
use trident_runtime::{KernelError, Tensor, Value};

/// From the start of the model's first run to the end of its last.
#[derive(Default)]
pub(crate) struct RunSpan(Option<Range<Instant>>);

impl RunSpan {
    fn add(&mut self, start: Instant, end: Instant) {
        let first = self.0.take().map_or(start, |earlier| earlier.start);
        self.0 = Some(first..end);
    }

    /// Empty, at the present time, if there was no run.
    pub(crate) fn range(self) -> Range<Instant> {
        self.0.unwrap_or_else(|| {
            let now = Instant::now();
            now..now
        })
    }
}

/// The reason why a batch has no results.
pub(super) enum BatchError {
    /// Requests at fault, by their positions in the batch. There is at least one.
    Requests(Vec<(usize, RequestError)>),
    /// It is not known which request is at fault.
    Whole(RequestError),
}

impl ServedModel {
    /// Runs a batch. The results have the order of the session's outputs.
    pub(super) fn run(
        &self,
        batch: &[&Prepared<'_>],
        span: &mut RunSpan,
    ) -> Result<Vec<Value>, BatchError> {
        let inputs = self.gather(batch)?;
        let context = self.context(batch);
        let start = Instant::now();
        let results = self.session.run_unnamed(inputs, context);
        span.add(start, Instant::now());
        let (results, profile) = results.map_err(|error| {
            BatchError::Whole(match error {
                RunError::Cancelled { .. } => RequestError::Cancelled,
                RunError::Deadline { .. } => RequestError::Timeout,
                error => {
                    let (model, source) = (self.name.clone(), Box::new(error));
                    RequestError::Run { model, source, limit: None }.limited(self.memory_limit)
                }
            })
        })?;
        self.operations.add(profile.totals);
        Ok(results)
    }

    /// The context of a batch of these requests: it runs for as long as one of them is waited for.
    fn context(&self, batch: &[&Prepared<'_>]) -> RunContext {
        let flags: Option<Vec<CancelFlag>> = batch.iter().map(|r| r.cancel.clone()).collect();
        let deadlines: Option<Vec<Instant>> = batch.iter().map(|r| r.deadline).collect();
        RunContext {
            deadline: deadlines.and_then(|all| all.into_iter().max()),
            cancel: flags
                .map(|flags| CancelFlag::when(move || flags.iter().all(CancelFlag::is_cancelled))),
            threads: self.threads,
            profile: self.operations.next(),
            ..RunContext::default()
        }
    }

    /// The inputs of a batch, by name.
    fn gather(&self, batch: &[&Prepared<'_>]) -> Result<Vec<(&str, Value)>, BatchError> {
        let Some(first) = batch.first() else { return Ok(vec![]) };
        let rows = batch.iter().map(|request| request.rows).sum();
        let faults = Faults::default();
        // The inputs of its requests agree, and have the same order.
        let inputs = first.inputs.iter().enumerate().map(|(index, first)| {
            let mut dims = first.dims.clone();
            if self.largest_batch.is_some()
                && let Some(first) = dims.first_mut()
            {
                *first = rows;
            }
            let given: Vec<&Given<'_>> =
                batch.iter().map(|request| &request.inputs[index]).collect();
            let spec = &self.inputs[first.at];
            let tensor = match spec.dtype {
                DType::Str => self.texts(&dims, &given, &faults),
                dtype => self.numbers(dtype, &dims, &given, &faults),
            };
            Ok((
                &*spec.name,
                Value::Tensor(tensor.map_err(|source| self.no_input(first.at, source))?),
            ))
        });
        let inputs = inputs.collect::<Result<_, _>>();
        match faults.into_vec() {
            faults if faults.is_empty() => inputs.map_err(BatchError::Whole),
            faults => Err(BatchError::Requests(faults)),
        }
    }

    /// A tensor of the elements that requests give, which are copied unless they can be shared.
    fn numbers(
        &self,
        dtype: DType,
        dims: &[usize],
        given: &[&Given<'_>],
        faults: &Faults,
    ) -> Result<Tensor, KernelError> {
        if let [Given { parts, .. }] = given
            && let [Part::Shared(bytes)] = &**parts
        {
            return self.session.adopt(dtype, dims, bytes.clone());
        }
        let sources = |(request, given)| self.sources(request, given, faults);
        let parts = given.iter().copied().enumerate().flat_map(sources);
        self.session.gather(dtype, dims, parts)
    }

    /// A tensor of the strings that requests give. They are checked where they no longer change: they may have been read
    /// from memory that the client still writes to.
    fn texts(
        &self,
        dims: &[usize],
        given: &[&Given<'_>],
        faults: &Faults,
    ) -> Result<Tensor, KernelError> {
        let mut encoded = Vec::with_capacity(given.len());
        for (request, given) in given.iter().copied().enumerate() {
            let parts = self.sources(request, given, faults);
            let tensor = self.session.gather(DType::U8, &[size(&given.parts)], parts)?;
            if let Err(fault) = strings::check(tensor.bytes()?, given.elements) {
                let (model, input) = (self.name.clone(), self.inputs[given.at].name.clone());
                faults.add(request, RequestError::Strings { model, input, fault });
            }
            encoded.push(tensor);
        }
        let bytes = encoded.iter().map(Tensor::bytes).collect::<Result<Vec<&[u8]>, _>>()?;
        self.session.strings(dims, bytes.into_iter().flat_map(strings::read))
    }

    /// The parts of an input of the request at a position of its batch.
    fn sources<'p>(
        &'p self,
        request: usize,
        given: &'p Given<'_>,
        faults: &'p Faults,
    ) -> impl Iterator<Item = Source<'p>> {
        let (model, input) = (&*self.name, &*self.inputs[given.at].name);
        given.parts.iter().map(move |part| Source { part, request, model, input, faults })
    }

    fn no_input(&self, at: usize, source: KernelError) -> RequestError {
        let (model, input) = (self.name.clone(), self.inputs[at].name.clone());
        RequestError::Input { model, input, source, limit: None }.limited(self.memory_limit)
    }
}
