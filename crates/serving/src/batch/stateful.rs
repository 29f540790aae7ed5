//! Runs of requests whose sequences keep states.
//!
//! A batch of one request runs in the states of its sequence, which the engine updates in place. The states of several requests are
//! gathered by rows, and the new ones copied out of the results: a view of one row would keep the memory of the whole batch.
//! A run that fails changes no state, and a batch does not change the states of a request whose client has left.

use super::prepare::Prepared;
use super::run::BatchError;
use super::strings;
use crate::failure::RequestError;
use crate::model::ServedModel;
use crate::sequence::{Kept, StateSpec};
use bytes::Bytes;
use trident_engine::{Profile, RunContext, RunError, State};
use trident_ir::DType;
use trident_runtime::{KernelError, Tensor, Value};

/// Results by the positions of the session's outputs, without states that nobody asks for, and the profile of their run.
type Ran = Result<(Vec<Option<Value>>, Profile), RunError>;

impl ServedModel {
    /// The states of a batch of several requests as inputs, each with a row of each request.
    pub(super) fn states_of(
        &self,
        batch: &[&Prepared<'_>],
    ) -> Result<Vec<(&str, Value)>, BatchError> {
        let Some(Prepared { kept: Some(first), .. }) = batch.first() else { return Ok(vec![]) };
        let input = |spec: &'_ StateSpec| {
            let tensor = self.gathered(batch, spec);
            let tensor =
                tensor.map_err(|source| BatchError::Whole(self.no_input(spec.input, source)))?;
            Ok((&*self.inputs[spec.input].name, Value::Tensor(tensor)))
        };
        first.specs.iter().map(input).collect()
    }

    /// A state with a row of each request.
    fn gathered(&self, batch: &[&Prepared<'_>], spec: &StateSpec) -> Result<Tensor, KernelError> {
        let kept = || batch.iter().filter_map(|request| request.kept.as_ref());
        let values = kept().map(|kept| match kept.states.lock().as_ref() {
            Some(state) => tensor_of(state, spec).cloned(),
            None => None,
        });
        let values = values.map(|value| value.map_or_else(|| self.first(spec), Ok));
        let values = values.collect::<Result<Vec<Tensor>, KernelError>>()?;
        let mut dims = values.first().map_or_else(|| spec.dims.clone(), |own| own.dims().to_vec());
        if let Some(rows) = dims.first_mut() {
            *rows = values.len();
        }
        match spec.dtype {
            DType::Str => {
                let texts = values.iter().map(Tensor::strings).collect::<Result<Vec<_>, _>>()?;
                self.session.strings(&dims, texts.into_iter().flatten().map(String::as_str))
            }
            dtype => {
                let rows = values.iter().map(Tensor::bytes).collect::<Result<Vec<&[u8]>, _>>()?;
                self.session.gather(dtype, &dims, rows)
            }
        }
    }

    /// The first value of a state.
    fn first(&self, spec: &StateSpec) -> Result<Tensor, KernelError> {
        match spec.dtype {
            DType::Str => self.session.strings(&spec.dims, strings::read(&spec.initial)),
            dtype => self.session.adopt(dtype, &spec.dims, spec.initial.clone()),
        }
    }

    /// Gives a sequence its first states, if it has none.
    pub(super) fn begin(&self, kept: &Kept) -> Result<(), BatchError> {
        let mut states = kept.states.lock();
        if states.is_some() {
            return Ok(());
        }
        let mut state = new_state(kept);
        for spec in kept.specs.iter() {
            let tensor = self.first(spec);
            let tensor =
                tensor.map_err(|source| BatchError::Whole(self.no_input(spec.input, source)))?;
            state.set(&spec.input_name, Value::Tensor(tensor));
        }
        *states = Some(state);
        Ok(())
    }

    /// Runs a single request in the states of its sequence, which have begun.
    pub(super) fn run_in_place(
        &self,
        request: &Prepared<'_>,
        kept: &Kept,
        inputs: &[(&str, Value)],
        context: RunContext,
    ) -> Ran {
        let mut states = kept.states.lock();
        let state = states.get_or_insert_with(|| new_state(kept));
        let (named, profile) = self.session.run_in(state, inputs, context)?;
        let mut named = named.into_iter().peekable();
        let asked =
            |at: usize| request.outputs.iter().any(|output| self.outputs[*output].at == Some(at));
        let results = self.session.signature().outputs.iter().enumerate().map(|(at, output)| {
            if let Some((_, value)) = named.next_if(|(name, _)| *name == output.name) {
                return Some(value);
            }
            let spec = kept.specs.iter().find(|spec| spec.result == at && asked(at))?;
            state.get(&spec.input_name).cloned()
        });
        let results = results.collect();
        Ok((results, profile))
    }

    /// An error if a state of a single request does not have one row, as the configuration is wrong. It starts anew then.
    pub(super) fn check_rows(&self, kept: &Kept) -> Result<(), BatchError> {
        if self.largest_batch.is_none() {
            return Ok(());
        }
        let mut states = kept.states.lock();
        let wrong = kept.specs.iter().find_map(|spec| {
            let tensor = states.as_ref().and_then(|state| tensor_of(state, spec))?;
            let wrong = || self.wrong_rows(spec.output_name.clone(), tensor.dims(), 1);
            (tensor.dims().first() != Some(&1)).then(wrong)
        });
        match wrong {
            Some(error) => {
                *states = None;
                Err(BatchError::Whole(error))
            }
            None => Ok(()),
        }
    }

    /// Stores the states of a batch of several requests, except of those whose clients have left. Returns the requests that fail, by
    /// their positions in the batch; their states are as before.
    pub(super) fn keep(
        &self,
        results: &[Option<Value>],
        batch: &[&Prepared<'_>],
    ) -> Vec<(usize, RequestError)> {
        let mut faults = vec![];
        if batch.len() < 2 {
            return faults;
        }
        for (row, request) in batch.iter().enumerate() {
            let Some(kept) = request.kept.as_ref().filter(|_| request.left().is_none()) else {
                continue;
            };
            let next = kept.specs.iter().map(|spec| self.row(results, spec, row, batch.len()));
            match next.collect::<Result<Vec<Value>, RequestError>>() {
                Err(error) => faults.push((row, error)),
                Ok(values) => {
                    let mut states = kept.states.lock();
                    let state = states.get_or_insert_with(|| new_state(kept));
                    for (spec, value) in kept.specs.iter().zip(values) {
                        state.set(&spec.input_name, value);
                    }
                }
            }
        }
        faults
    }

    /// A copy of a row of a state among the results.
    fn row(
        &self,
        results: &[Option<Value>],
        spec: &StateSpec,
        row: usize,
        rows: usize,
    ) -> Result<Value, RequestError> {
        let (model, state) = (|| self.name.clone(), || spec.output_name.clone());
        let value = results.get(spec.result).and_then(Option::as_ref);
        let tensor = value.and_then(Value::as_tensor).ok_or_else(|| {
            let actual = value.map_or_else(|| "missing".into(), Value::describe);
            RequestError::OutputType { model: model(), output: state(), actual }
        })?;
        if tensor.dims().first() != Some(&rows) {
            return Err(self.wrong_rows(state(), tensor.dims(), rows));
        }
        let mut dims = tensor.dims().to_vec();
        dims[0] = 1;
        let copy = || match tensor.dtype() {
            DType::Str => {
                let texts = tensor.strings()?;
                let size = texts.len() / rows;
                let own = texts[row * size..(row + 1) * size].iter();
                self.session.strings(&dims, own.map(String::as_str))
            }
            dtype => {
                let own: Bytes = tensor.rows(row..row + 1)?;
                self.session.gather(dtype, &dims, [&own[..]])
            }
        };
        copy().map(Value::Tensor).map_err(|source| {
            let source = Box::new(source);
            let error = RequestError::State { model: model(), state: state(), source, limit: None };
            error.limited(self.memory_limit)
        })
    }
}

fn new_state(kept: &Kept) -> State {
    State::new(kept.specs.iter().map(|spec| (&*spec.input_name, &*spec.output_name)))
}

fn tensor_of<'s>(state: &'s State, spec: &StateSpec) -> Option<&'s Tensor> {
    state.get(&spec.input_name).and_then(Value::as_tensor)
}
