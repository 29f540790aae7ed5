//! Makes the responses to a batch's requests from its results.

use super::answers::Answers;
use super::prepare::Prepared;
use super::request::{Output, Response};
use super::strings;
use crate::check::list;
use crate::config::DataType;
use crate::failure::RequestError;
use crate::model::ServedModel;
use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;
use trident_ir::DType;
use trident_runtime::{KernelError, Tensor, Value};

impl ServedModel {
    /// Answers the requests of a batch, each with its rows of the results.
    pub(super) fn respond(
        &self,
        results: &[Value],
        batch: &[&Prepared<'_>],
        answers: &mut Answers,
    ) {
        let rows = batch.iter().map(|request| request.rows).sum();
        let mut first = 0;
        for request in batch {
            let range = first..first + request.rows;
            first = range.end;
            let output = |at: &usize| self.output(results, rows, range.clone(), *at);
            let answer = match request.left() {
                Some(error) => Err(error),
                None => request.outputs.iter().map(output).collect(),
            };
            let answer = answer.map(|outputs| Response { outputs });
            answers.set(request.at, answer);
        }
    }

    fn output(
        &self,
        results: &[Value],
        rows: usize,
        range: Range<usize>,
        at: usize,
    ) -> Result<Output, RequestError> {
        let spec = &self.outputs[at];
        let (model, output) = (|| self.name.clone(), || spec.name.to_string());
        let value = spec.at.and_then(|at| results.get(at));
        let unexpected = || {
            let actual = value.map_or_else(|| "missing".into(), Value::describe);
            RequestError::OutputType { model: model(), output: output(), actual }
        };
        let tensor = value.and_then(Value::as_tensor).ok_or_else(unexpected)?;
        let data_type = DataType::of(tensor.dtype()).ok_or_else(unexpected)?;
        let mut shape: Vec<i64> = tensor.dims().iter().map(|dim| size(*dim)).collect();
        let data = if self.largest_batch.is_none() {
            if shape.is_empty() {
                shape.clone_from(&spec.scalar);
            }
            elements(tensor)
        } else if tensor.dims().first() == Some(&rows) {
            shape[0] = size(range.len());
            elements_of(tensor, range)
        } else {
            let item = shape.get(1..).unwrap_or_default();
            let expected: Vec<i64> = [&[size(rows)], item].concat();
            let (actual, expected) = (list(&shape), list(&expected));
            let (model, output) = (model(), output());
            return Err(RequestError::OutputRows { model, output, rows, actual, expected });
        };
        let fault = |source| RequestError::Output { model: model(), output: output(), source };
        let name = Arc::clone(&spec.name);
        Ok(Output { at, name, data_type, shape, data: data.map_err(fault)? })
    }
}

/// All elements, as the protocol sends them.
fn elements(tensor: &Tensor) -> Result<Bytes, KernelError> {
    match tensor.dtype() {
        DType::Str => Ok(strings::encode(tensor.strings()?)),
        _ => tensor.to_bytes(),
    }
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

/// A size in the protocol's type, which holds all sizes of tensors in memory.
fn size(dim: usize) -> i64 {
    i64::try_from(dim).unwrap_or(i64::MAX)
}
