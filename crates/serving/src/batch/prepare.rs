//! Checks a request against the model, alone, before it joins a batch.

use super::part::{Part, size};
use super::request::{InferenceRequest, Input};
use crate::check::list;
use crate::failure::RequestError;
use crate::model::{InputSpec, ServedModel};
use std::borrow::Cow;
use std::time::Instant;
use trident_engine::CancelFlag;

/// A request that fits the model.
pub(crate) struct Prepared<'r> {
    /// Its position among the answers.
    pub(crate) at: usize,
    /// Its size along the batch dimension; 1 if the model has none.
    pub(crate) rows: usize,
    /// Its inputs, in the model's order.
    pub(super) inputs: Vec<Given<'r>>,
    /// Positions of the outputs that it asks for, ascending.
    pub(crate) outputs: Vec<usize>,
    /// Set when the client no longer waits.
    pub(crate) cancel: Option<CancelFlag>,
    /// When the client stops to wait.
    pub(crate) deadline: Option<Instant>,
}

/// An input of a request that fits the model.
pub(crate) struct Given<'r> {
    /// Its position in the model.
    pub(super) at: usize,
    /// Its dimensions as the model has them.
    pub(super) dims: Vec<usize>,
    /// The number of elements.
    pub(super) elements: usize,
    /// The elements. Strings are not checked yet.
    pub(super) parts: Vec<Part<'r>>,
}

impl Prepared<'_> {
    /// Whether two requests can be one batch: they give the same inputs, with the same dimensions except the first.
    /// This is an equivalence relation, so comparing with one request of a batch is enough.
    pub(crate) fn joins(&self, other: &Prepared<'_>) -> bool {
        self.inputs.len() == other.inputs.len()
            && self
                .inputs
                .iter()
                .zip(&other.inputs)
                .all(|(own, other)| own.at == other.at && own.dims.get(1..) == other.dims.get(1..))
    }

    /// The reason why nobody waits for the answer any more.
    pub(super) fn left(&self) -> Option<RequestError> {
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
        let InferenceRequest { inputs: given, outputs, cancel, deadline, .. } = request;
        let model = || self.name.clone();
        let mut inputs: Vec<Given<'r>> = Vec::with_capacity(given.len());
        for input in given {
            let known = self.inputs.iter().position(|spec| spec.name == input.name);
            let Some(at) = known else {
                let input = input.name.into_owned();
                return Err(RequestError::UnexpectedInput { model: model(), input });
            };
            if inputs.iter().any(|given| given.at == at) {
                return Err(RequestError::Twice { input: input.name.into_owned() });
            }
            inputs.push(self.given(at, input)?);
        }
        let missing = |(at, spec): (usize, &InputSpec)| {
            (spec.required && !inputs.iter().any(|given| given.at == at)).then(|| spec.name.clone())
        };
        let missing: Vec<String> = self.inputs.iter().enumerate().filter_map(missing).collect();
        if !missing.is_empty() {
            return Err(RequestError::Missing {
                model: model(),
                expected: self.inputs.iter().filter(|spec| spec.required).count(),
                given: inputs.iter().map(|given| self.inputs[given.at].name.clone()).collect(),
                missing,
            });
        }
        inputs.sort_unstable_by_key(|given| given.at);
        let rows = self.rows(&inputs)?;
        let outputs = self.wanted(outputs.as_deref())?;
        Ok(Prepared { at, rows, inputs, outputs, cancel, deadline })
    }

    /// Checks a single input.
    fn given<'r>(&self, at: usize, input: Input<'r>) -> Result<Given<'r>, RequestError> {
        let spec = &self.inputs[at];
        let (model, name) = (|| self.name.clone(), || spec.name.clone());
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
        Ok(Given { at, dims, elements, parts: input.data })
    }

    /// The size along the batch dimension, which all inputs share.
    fn rows(&self, inputs: &[Given<'_>]) -> Result<usize, RequestError> {
        let Some(largest) = self.largest_batch else { return Ok(1) };
        let first = |given: &Given<'_>| given.dims.first().copied();
        let rows = inputs.first().and_then(first).unwrap_or(1);
        if let Some(other) = inputs.iter().find(|given| first(given) != Some(rows)) {
            let (model, input) = (self.name.clone(), self.inputs[other.at].name.clone());
            return Err(RequestError::BatchSize { model, input });
        }
        match rows <= largest {
            true => Ok(rows),
            false => Err(RequestError::TooManyRows { model: self.name.clone(), largest }),
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
                model: self.name.clone(),
                output: name.clone().into_owned(),
            })
        };
        let mut outputs = names.iter().map(find).collect::<Result<Vec<usize>, _>>()?;
        outputs.sort_unstable();
        outputs.dedup();
        Ok(outputs)
    }
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
