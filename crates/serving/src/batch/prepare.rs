//! Checks a request against the model, alone, before it joins a batch.

use super::padded::Lengths;
use super::part::{Part, size};
use super::request::{InferenceRequest, Input};
use crate::check::list;
use crate::failure::RequestError;
use crate::model::{InputSpec, Interface, ServedModel};
use crate::sequence::Kept;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;
use trident_engine::{CancelFlag, Handover};

/// A request that fits the model.
pub(crate) struct Prepared<'r> {
    /// Its position among the answers.
    pub(crate) at: usize,
    /// Its size along the batch dimension; 1 if the model has none.
    pub(crate) rows: usize,
    /// Its inputs, in the model's order.
    pub(crate) inputs: Vec<Given<'r>>,
    /// Positions of the outputs that it asks for, ascending.
    pub(crate) outputs: Vec<usize>,
    /// Set when the client no longer waits.
    pub(crate) cancel: Option<CancelFlag>,
    /// When the client stops to wait.
    pub(crate) deadline: Option<Instant>,
    /// The states of its sequence, if the model has states that the scheduler keeps.
    pub(crate) kept: Option<Kept>,
    /// Has its run hand its core to others.
    pub(crate) core: Option<Arc<dyn Handover>>,
    /// Its length along the axes of inputs that are padded, if there are any.
    pub(crate) length: Option<usize>,
}

/// An input of a request that fits the model.
pub(crate) struct Given<'r> {
    /// Its position in the model.
    pub(crate) at: usize,
    /// Its dimensions as the model has them.
    pub(crate) dims: Vec<usize>,
    /// The number of elements.
    pub(crate) elements: usize,
    /// The elements. Strings are not checked yet.
    pub(crate) parts: Vec<Part<'r>>,
    /// How it becomes one with those of other requests.
    pub(crate) merge: Merge,
}

/// How the inputs of several requests become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Their rows follow each other, so all other dimensions are the same.
    Rows,
    /// Their elements follow each other, in a single dimension.
    Ragged,
    /// Their rows follow each other, padded at the end of this axis to the same length.
    Padded(usize),
}

impl Given<'_> {
    /// Whether the two can become one.
    fn joins(&self, other: &Given<'_>) -> bool {
        self.at == other.at
            && self.merge == other.merge
            && match self.merge {
                Merge::Rows => self.dims.get(1..) == other.dims.get(1..),
                Merge::Ragged => true,
                Merge::Padded(axis) => {
                    let is_alike = |at: usize| at == axis || self.dims[at] == other.dims[at];
                    self.dims.len() == other.dims.len() && (1..self.dims.len()).all(is_alike)
                }
            }
    }
}

impl Prepared<'_> {
    /// The bytes of its inputs.
    pub(crate) fn size(&self) -> usize {
        self.inputs.iter().flat_map(|input| &input.parts).map(Part::size).sum()
    }

    /// Whether two requests can be one batch: they give the same inputs, with the same dimensions except the first, and any dimensions
    /// of ragged inputs. Inputs that are padded may differ in length, as far as [`Lengths`] allow.
    /// This is an equivalence relation, so comparing with one request of a batch is enough.
    pub(crate) fn joins(&self, other: &Prepared<'_>) -> bool {
        let kept = match (&self.kept, &other.kept) {
            (Some(own), Some(other)) => own.joins(other),
            (None, None) => true,
            _ => false,
        };
        kept && self.inputs.len() == other.inputs.len()
            && self.inputs.iter().zip(&other.inputs).all(|(own, other)| own.joins(other))
    }

    /// Its lengths as a batch of its own, if it may be padded.
    pub(crate) fn lengths(&self) -> Option<Lengths> {
        self.length.map(|length| Lengths::of(length, self.rows))
    }

    /// The input at a position of the model.
    pub(super) fn given(&self, at: usize) -> Option<&Given<'_>> {
        self.inputs.iter().find(|given| given.at == at)
    }

    /// The reason why nobody waits for the answer any more.
    pub(crate) fn left(&self) -> Option<RequestError> {
        if self.cancel.as_ref().is_some_and(CancelFlag::is_cancelled) {
            return Some(RequestError::Cancelled);
        }
        self.deadline.filter(|end| *end <= Instant::now()).map(|_| RequestError::Timeout)
    }
}

impl ServedModel {
    /// Checks the request at a position.
    pub(crate) fn prepare<'r>(
        &self,
        at: usize,
        request: InferenceRequest<'r>,
    ) -> Result<Prepared<'r>, RequestError> {
        self.interface().prepare_beside(at, request, &[])
    }
}

impl Interface<'_> {
    /// Checks the request at a position, to which inputs are added later: those at these positions of the model.
    pub(crate) fn prepare_beside<'r>(
        &self,
        at: usize,
        request: InferenceRequest<'r>,
        added: &[usize],
    ) -> Result<Prepared<'r>, RequestError> {
        let InferenceRequest { inputs: given, outputs, cancel, deadline, .. } = request;
        let model = || self.name.to_owned();
        let mut inputs: Vec<Given<'r>> = Vec::with_capacity(given.len());
        for input in given {
            let known = self.inputs.iter().position(|spec| spec.name == input.name);
            let Some(at) = known.filter(|at| !added.contains(at) && !self.inputs[*at].is_made)
            else {
                let input = input.name.into_owned();
                return Err(RequestError::UnexpectedInput { model: model(), input });
            };
            if inputs.iter().any(|given| given.at == at) {
                return Err(RequestError::Twice { input: input.name.into_owned() });
            }
            inputs.push(self.given(at, input)?);
        }
        let required = |at: usize, spec: &InputSpec| spec.required && !added.contains(&at);
        let missing = |(at, spec): (usize, &InputSpec)| {
            let is_missing = required(at, spec) && !inputs.iter().any(|given| given.at == at);
            is_missing.then(|| spec.name.clone())
        };
        let specs = || self.inputs.iter().enumerate();
        let missing: Vec<String> = specs().filter_map(missing).collect();
        if !missing.is_empty() {
            return Err(RequestError::Missing {
                model: model(),
                expected: specs().filter(|(at, spec)| required(*at, spec)).count(),
                given: inputs.iter().map(|given| self.inputs[given.at].name.clone()).collect(),
                missing,
            });
        }
        inputs.sort_unstable_by_key(|given| given.at);
        let rows = self.rows(&inputs)?;
        let outputs = self.wanted(outputs.as_deref())?;
        let length = length(&mut inputs);
        let (kept, core) = (None, None);
        Ok(Prepared { at, rows, inputs, outputs, cancel, deadline, kept, core, length })
    }

    /// Checks a single input.
    fn given<'r>(&self, at: usize, input: Input<'r>) -> Result<Given<'r>, RequestError> {
        let spec = &self.inputs[at];
        let (model, name) = (|| self.name.to_owned(), || spec.name.clone());
        if input.data_type != spec.data_type {
            let (given, expected) = (input.data_type, spec.data_type);
            return Err(RequestError::DataType { model: model(), input: name(), given, expected });
        }
        let shape = || {
            let (given, dims) = (list(&input.shape), spec.dims.as_deref());
            let expected = dims.map_or_else(|| "any".into(), list);
            RequestError::Shape { model: model(), input: name(), expected, given }
        };
        let dims = dims(spec, &input.shape).ok_or_else(shape)?;
        let elements = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim));
        let elements = elements.ok_or_else(shape)?;
        if let Some(width) = input.data_type.byte_size() {
            let expected = elements.checked_mul(width).ok_or_else(shape)?;
            let given = size(&input.data);
            if given != expected {
                let (model, input) = (model(), name());
                return Err(RequestError::ByteSize { model, input, expected, given });
            }
        }
        Ok(Given { at, dims, elements, parts: input.data, merge: spec.merge })
    }

    /// The size along the batch dimension, which all inputs share.
    fn rows(&self, inputs: &[Given<'_>]) -> Result<usize, RequestError> {
        let Some(largest) = self.largest_batch else { return Ok(1) };
        let first = |given: &Given<'_>| given.dims.first().copied();
        let rows = inputs.first().and_then(first).unwrap_or(1);
        if let Some(other) = inputs.iter().find(|given| first(given) != Some(rows)) {
            let (model, input) = (self.name.to_owned(), self.inputs[other.at].name.clone());
            return Err(RequestError::BatchSize { model, input });
        }
        match rows <= largest {
            true => Ok(rows),
            false => Err(RequestError::TooManyRows { model: self.name.to_owned(), largest }),
        }
    }

    /// Positions of the outputs of these names, ascending.
    fn wanted(&self, names: Option<&[Cow<'_, str>]>) -> Result<Vec<usize>, RequestError> {
        let Some(names) = names else {
            let usual = |at: &usize| self.outputs[*at].usual;
            return Ok((0..self.outputs.len()).filter(usual).collect());
        };
        let find = |name: &Cow<'_, str>| {
            let at = self.outputs.iter().position(|spec| *spec.name == **name);
            at.ok_or_else(|| RequestError::UnexpectedOutput {
                model: self.name.to_owned(),
                output: name.clone().into_owned(),
            })
        };
        let mut outputs = names.iter().map(find).collect::<Result<Vec<usize>, _>>()?;
        outputs.sort_unstable();
        outputs.dedup();
        Ok(outputs)
    }
}

/// The length that all padded inputs of a request have. If they have different ones, the request is not padded.
fn length(inputs: &mut [Given<'_>]) -> Option<usize> {
    let lengths = inputs.iter().filter_map(|given| match given.merge {
        Merge::Padded(axis) => given.dims.get(axis).copied(),
        Merge::Rows | Merge::Ragged => None,
    });
    let mut lengths = lengths.collect::<Vec<usize>>().into_iter();
    let first = lengths.next()?;
    if lengths.all(|other| other == first) {
        return Some(first);
    }
    for given in inputs.iter_mut().filter(|given| matches!(given.merge, Merge::Padded(_))) {
        given.merge = Merge::Rows;
    }
    None
}

/// A request's dimensions as the model has them; `None` if they do not fit.
fn dims(spec: &InputSpec, shape: &[i64]) -> Option<Vec<usize>> {
    let sizes: Vec<usize> =
        shape.iter().map(|dim| usize::try_from(*dim).ok()).collect::<Option<_>>()?;
    match spec.dims.as_deref() {
        None => Some(sizes),
        // Requests have no tensors without dimensions.
        Some([]) => sizes.iter().all(|dim| *dim == 1).then(Vec::new),
        Some(dims) => {
            let fits = |(own, given): (&i64, &i64)| *own == -1 || own == given;
            (dims.len() == shape.len() && dims.iter().zip(shape).all(fits)).then_some(sizes)
        }
    }
}
