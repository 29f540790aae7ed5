//! Runs a batch: gathers its inputs from the rows of its requests.

use super::padded::Padded;
use super::part::{Faults, Part, Source, size};
use super::prepare::{Given, Merge, Prepared};
use super::request::batch_flag;
use super::strings;
use crate::failure::RequestError;
use crate::model::ServedModel;
use std::ops::Range;
use std::time::Instant;
use trident_engine::{RunContext, RunError};
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

/// The length of the longest request, if they are padded.
pub(super) fn longest(batch: &[&Prepared<'_>]) -> Option<usize> {
    batch.iter().filter_map(|request| request.length).max()
}

impl ServedModel {
    /// Runs a batch. The results have the order of the session's outputs.
    pub(super) fn run(
        &self,
        batch: &[&Prepared<'_>],
        span: &mut RunSpan,
    ) -> Result<Vec<Option<Value>>, BatchError> {
        self.run_to(batch, longest(batch), span)
    }

    /// The same with inputs that are padded to a length, at least that of the longest request.
    pub(super) fn run_to(
        &self,
        batch: &[&Prepared<'_>],
        length: Option<usize>,
        span: &mut RunSpan,
    ) -> Result<Vec<Option<Value>>, BatchError> {
        let mut inputs = self.gather(batch, length)?;
        inputs.extend(self.made(batch)?);
        let single = match batch {
            [request] => request.kept.as_ref().map(|kept| (request, kept)),
            _ => None,
        };
        match single {
            Some((_, kept)) => self.begin(kept)?,
            None => inputs.extend(self.states_of(batch)?),
        }
        let context = self.context(batch);
        let start = Instant::now();
        let results = match single {
            Some((request, kept)) => self.run_in_place(request, kept, &inputs, context),
            None => {
                let ran = self.session.run_unnamed(inputs, context);
                ran.map(|(results, profile)| (results.into_iter().map(Some).collect(), profile))
            }
        };
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
        if let Some((_, kept)) = single {
            self.check_rows(kept)?;
        }
        Ok(results)
    }

    /// The context of a batch of these requests: it runs for as long as one of them is waited for.
    fn context(&self, batch: &[&Prepared<'_>]) -> RunContext {
        let deadlines: Option<Vec<Instant>> = batch.iter().map(|r| r.deadline).collect();
        RunContext {
            deadline: deadlines.and_then(|all| all.into_iter().max()),
            cancel: batch_flag(batch.iter().copied()),
            handover: batch.first().and_then(|request| request.core.clone()),
            threads: self.threads,
            profile: self.operations.next(),
            ..RunContext::default()
        }
    }

    /// The inputs of a batch, by name.
    fn gather(
        &self,
        batch: &[&Prepared<'_>],
        length: Option<usize>,
    ) -> Result<Vec<(&str, Value)>, BatchError> {
        let Some(first) = batch.first() else { return Ok(vec![]) };
        let rows = batch.iter().map(|request| request.rows).sum();
        let faults = Faults::default();
        // The inputs of its requests agree, and have the same order.
        let inputs = first.inputs.iter().enumerate().map(|(index, first)| {
            let given: Vec<&Given<'_>> =
                batch.iter().map(|request| &request.inputs[index]).collect();
            let dims = self.merged(&given, rows, length);
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

    /// The dimensions of an input of so many rows.
    fn merged(&self, given: &[&Given<'_>], rows: usize, length: Option<usize>) -> Vec<usize> {
        let Some(first) = given.first() else { return vec![] };
        match first.merge {
            Merge::Rows | Merge::Padded(_) => {
                let mut dims = first.dims.clone();
                if self.largest_batch.is_some()
                    && let Some(first) = dims.first_mut()
                {
                    *first = rows;
                }
                if let (Merge::Padded(axis), Some(length)) = (first.merge, length) {
                    dims[axis] = length;
                }
                dims
            }
            Merge::Ragged => {
                let elements = given.iter().map(|given| given.elements);
                vec![elements.fold(0, usize::saturating_add)]
            }
        }
    }

    /// A tensor of the elements that requests give, which are copied unless they can be shared, and padded where their dimensions
    /// are less.
    fn numbers(
        &self,
        dtype: DType,
        dims: &[usize],
        given: &[&Given<'_>],
        faults: &Faults,
    ) -> Result<Tensor, KernelError> {
        let padding = given.iter().find_map(|given| match given.merge {
            Merge::Padded(axis) if given.dims[axis] != dims[axis] => Some(axis),
            _ => None,
        });
        if padding.is_none()
            && let [Given { parts, .. }] = given
            && let [Part::Shared(bytes)] = &**parts
        {
            return self.session.adopt(dtype, dims, bytes.clone());
        }
        let sources = |(request, given)| self.sources(request, given, faults);
        let given = given.iter().copied().enumerate();
        match padding {
            None => self.session.gather(dtype, dims, given.flat_map(sources)),
            Some(axis) => {
                let mut parts = vec![];
                for (request, given) in given {
                    parts.push(self.padded((request, given), axis, dims[axis], faults));
                }
                self.session.gather(dtype, dims, parts)
            }
        }
    }

    /// An input of the request at a position of its batch, padded to a length.
    fn padded<'p>(
        &'p self,
        (request, given): (usize, &'p Given<'p>),
        axis: usize,
        length: usize,
        faults: &'p Faults,
    ) -> Padded<'p> {
        let element = &*self.inputs[given.at].pad;
        let inner: usize = given.dims[axis + 1..].iter().product();
        let width = inner * element.len();
        Padded {
            sources: self.sources(request, given, faults).collect(),
            count: given.dims[..axis].iter().product(),
            real: given.dims[axis] * width,
            padded: length * width,
            element,
        }
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

    pub(super) fn no_input(&self, at: usize, source: KernelError) -> RequestError {
        let (model, input) = (self.name.clone(), self.inputs[at].name.clone());
        RequestError::Input { model, input, source, limit: None }.limited(self.memory_limit)
    }
}
