//! Makes the responses to a batch's requests from its results.

use super::answers::Answers;
use super::padded::cut;
use super::prepare::Prepared;
use super::request::{Output, Response};
use super::run::longest;
use super::strings;
use crate::check::list;
use crate::config::DataType;
use crate::failure::RequestError;
use crate::model::{OutputSpec, ServedModel};
use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;
use trident_ir::DType;
use trident_runtime::{KernelError, Tensor, Value};

/// The share of a request in a batch.
pub(super) struct Share<'b, 'r> {
    pub(super) batch: &'b [&'b Prepared<'r>],
    /// The position of the request.
    pub(super) position: usize,
    /// The rows of the batch.
    pub(super) rows: usize,
    /// The rows of the request.
    pub(super) range: Range<usize>,
    /// The length to which inputs were padded, if they are.
    pub(super) longest: Option<usize>,
}

impl ServedModel {
    /// Answers the requests of a batch, each with its rows of the results.
    pub(super) fn respond(
        &self,
        results: &[Option<Value>],
        batch: &[&Prepared<'_>],
        answers: &mut Answers,
    ) {
        let rows = batch.iter().map(|request| request.rows).sum();
        let longest = longest(batch);
        let mut first = 0;
        for (position, request) in batch.iter().enumerate() {
            let range = first..first + request.rows;
            first = range.end;
            let output = |at: &usize| {
                let share = Share { batch, position, rows, range: range.clone(), longest };
                self.output(results, share, *at)
            };
            let answer = match request.left() {
                Some(error) => Err(error),
                None => request.outputs.iter().map(output).collect(),
            };
            let answer = answer.map(|outputs| Response { outputs, timing: None });
            answers.set(request.at, answer);
        }
    }

    pub(super) fn output(
        &self,
        results: &[Option<Value>],
        share: Share<'_, '_>,
        at: usize,
    ) -> Result<Output, RequestError> {
        let spec = &self.outputs[at];
        let (model, output) = (|| self.name.clone(), || spec.name.to_string());
        let value = spec.at.and_then(|at| results.get(at)?.as_ref());
        let unexpected = || {
            let actual = value.map_or_else(|| "missing".into(), Value::describe);
            RequestError::OutputType { model: model(), output: output(), actual }
        };
        let tensor = value.and_then(Value::as_tensor).ok_or_else(unexpected)?;
        let data_type = DataType::of(tensor.dtype()).ok_or_else(unexpected)?;
        if let Some(scatter) = &spec.scatter {
            let Share { batch, position, .. } = share;
            return self.scattered(spec, scatter, batch, position, tensor, (at, data_type));
        }
        let Share { batch, position, rows, range, longest } = share;
        let lengths = longest.zip(batch[position].length);
        let padded = lengths.filter(|(longest, own)| longest > own && !spec.cuts.is_empty());
        let mut shape: Vec<i64> = tensor.dims().iter().map(|dim| size(*dim)).collect();
        let data = if self.largest_batch.is_none() {
            if shape.is_empty() {
                shape.clone_from(&spec.scalar);
            }
            elements(tensor)
        } else if tensor.dims().first() == Some(&rows) {
            shape[0] = size(range.len());
            match padded {
                None => elements_of(tensor, range),
                Some((longest, own)) => {
                    self.check_length(spec, tensor.dims(), longest)?;
                    spec.cuts.iter().for_each(|axis| shape[*axis] = size(own));
                    cut_back(tensor, range, &spec.cuts, own)
                }
            }
        } else {
            return Err(self.wrong_rows(output(), tensor.dims(), rows));
        };
        let fault = |source| RequestError::Output { model: model(), output: output(), source };
        let name = Arc::clone(&spec.name);
        Ok(Output { at, name, data_type, shape, data: data.map_err(fault)? })
    }

    /// An error unless an output has the length of a padded batch where it is cut back.
    fn check_length(
        &self,
        spec: &OutputSpec,
        dims: &[usize],
        expected: usize,
    ) -> Result<(), RequestError> {
        match spec.cuts.iter().find(|axis| dims.get(**axis) != Some(&expected)) {
            None => Ok(()),
            Some(&axis) => {
                let (model, output) = (self.name.clone(), spec.name.to_string());
                let actual: Vec<i64> = dims.iter().map(|dim| size(*dim)).collect();
                let actual = list(&actual);
                Err(RequestError::OutputLength { model, output, axis, expected, actual })
            }
        }
    }

    /// The error of an output of these dimensions that does not have a row for each of `rows`.
    pub(super) fn wrong_rows(&self, output: String, dims: &[usize], rows: usize) -> RequestError {
        let actual: Vec<i64> = dims.iter().map(|dim| size(*dim)).collect();
        let item = actual.get(1..).unwrap_or_default();
        let expected: Vec<i64> = [&[size(rows)], item].concat();
        let (actual, expected) = (list(&actual), list(&expected));
        RequestError::OutputRows { model: self.name.clone(), output, rows, actual, expected }
    }
}

/// All elements, as the protocol sends them.
fn elements(tensor: &Tensor) -> Result<Bytes, KernelError> {
    match tensor.dtype() {
        DType::Str => Ok(strings::encode(tensor.strings()?)),
        _ => tensor.to_bytes(),
    }
}

/// The elements of a range.
pub(super) fn all_of(tensor: &Tensor, range: Range<usize>) -> Result<Bytes, KernelError> {
    if tensor.dtype() == DType::Str {
        return Ok(strings::encode(&tensor.strings()?[range]));
    }
    let bytes = tensor.to_bytes()?;
    let width = bytes.len().checked_div(tensor.len()).unwrap_or(0);
    Ok(bytes.slice(range.start * width..range.end * width))
}

/// The elements of a range of rows.
fn elements_of(tensor: &Tensor, rows: Range<usize>) -> Result<Bytes, KernelError> {
    if tensor.dtype() != DType::Str {
        return tensor.rows(rows);
    }
    let strings = tensor.strings()?;
    let count = tensor.dims().first().copied().unwrap_or(0);
    let row = strings.len().checked_div(count).unwrap_or(0);
    Ok(strings::encode(&strings[rows.start * row..rows.end * row]))
}

/// The elements of a range of rows, of which the first ones along axes are kept. They are shared if they lie together.
fn cut_back(
    tensor: &Tensor,
    rows: Range<usize>,
    axes: &[usize],
    kept: usize,
) -> Result<Bytes, KernelError> {
    let mut dims = [&[rows.len()], tensor.dims().get(1..).unwrap_or_default()].concat();
    if tensor.dtype() == DType::Str {
        let texts = tensor.strings()?;
        let row = texts.len().checked_div(tensor.dims()[0]).unwrap_or(0);
        let mut texts = texts[rows.start * row..rows.end * row].to_vec();
        for &axis in axes {
            texts = cut(&texts, dims[..axis].iter().product(), dims[axis], kept);
            dims[axis] = kept;
        }
        return Ok(strings::encode(&texts));
    }
    let mut bytes = tensor.rows(rows)?;
    for &axis in axes {
        let count = dims[..axis].iter().product();
        bytes = match count {
            1 => bytes.slice(..bytes.len() / dims[axis] * kept),
            _ => cut(&bytes, count, dims[axis], kept).into(),
        };
        dims[axis] = kept;
    }
    Ok(bytes)
}

/// A size in the protocol's type, which holds all sizes of tensors in memory.
pub(super) fn size(dim: usize) -> i64 {
    i64::try_from(dim).unwrap_or(i64::MAX)
}
