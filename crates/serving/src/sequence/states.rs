//! States that a sequence keeps from one request to the next.
//!
//! The sequence owns them: the scheduler makes [`States`] when a sequence starts, lends them to the one request that is next, and
//! drops them when the sequence ends. Their tensors lie in the model's memory and count towards its limit.

use super::initial::InitialStates;
use crate::model::ServedModel;
use bytes::Bytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trident_engine::State;
use trident_ir::DType;
use trident_runtime::Value;

/// The states of one sequence. Only one request of a sequence runs at a time, so nobody waits for the locks.
#[derive(Clone, Debug, Default)]
pub(crate) struct States(Arc<Values>);

#[derive(Debug, Default)]
struct Values {
    /// The values of a model's states; `None` before its first run.
    state: Mutex<Option<State>>,
    /// The bytes that a native model keeps.
    bytes: Mutex<Vec<u8>>,
}

impl States {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes that a native model keeps; empty before its first run.
    pub(crate) fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether both are the states of one sequence.
    #[cfg(all(test, not(feature = "models")))]
    pub(crate) fn is_same(&self, other: &States) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A state of a model.
#[derive(Debug)]
pub(crate) struct StateSpec {
    /// The position of the model's input that gets it.
    pub(crate) input: usize,
    /// Its name.
    pub(crate) input_name: String,
    /// The position of the result that replaces it.
    pub(crate) result: usize,
    /// Its name.
    pub(crate) output_name: String,
    pub(crate) dtype: DType,
    /// The dimensions of its first value, with those of a single row.
    pub(crate) dims: Vec<usize>,
    /// The elements of its first value; strings follow their lengths.
    pub(crate) initial: Bytes,
}

/// The states of a request's sequence, and how the model has them.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) specs: Arc<[StateSpec]>,
    pub(crate) states: States,
    /// The bytes that a native model has left, which the sequence gets once the request is answered.
    pub(crate) left: Option<Vec<u8>>,
    /// The dimensions of each state when the request became the next one. Requests with other dimensions do not share its batch.
    dims: Vec<Vec<usize>>,
}

impl Kept {
    pub(crate) fn new(specs: &Arc<[StateSpec]>) -> Kept {
        Kept { specs: Arc::clone(specs), states: States::default(), left: None, dims: vec![] }
    }

    /// Gives the sequence the bytes that a native model has left.
    pub(crate) fn keep(&mut self) {
        if let Some(left) = self.left.take() {
            *self.states.bytes() = left;
        }
    }

    /// Gives the request the states of its sequence.
    pub(crate) fn receive(&mut self, states: &States) {
        self.states = states.clone();
        let own = states.lock();
        let dims = |spec: &StateSpec| {
            let value = own.as_ref().and_then(|state| state.get(&spec.input_name));
            let tensor = value.and_then(Value::as_tensor);
            tensor.map_or_else(|| spec.dims.clone(), |tensor| tensor.dims().to_vec())
        };
        self.dims = self.specs.iter().map(dims).collect();
    }

    pub(crate) fn joins(&self, other: &Kept) -> bool {
        self.dims == other.dims
    }
}

impl StateSpec {
    /// The states of a model whose configuration has been compared with it.
    pub(crate) fn of(model: &ServedModel, initial: InitialStates) -> Arc<[StateSpec]> {
        let spec = |state: super::initial::InitialState| {
            let input = model.inputs.iter().position(|spec| spec.name == state.input)?;
            let mut results = model.session.signature().outputs.iter();
            let result = results.position(|result| result.name == state.output)?;
            let mut dims = state.dims;
            if model.largest_batch.is_some() {
                dims.insert(0, 1);
            } else if model.inputs[input].dims.as_ref().is_some_and(Vec::is_empty) {
                dims.clear();
            }
            Some(StateSpec {
                input,
                input_name: state.input,
                result,
                output_name: state.output,
                dtype: model.inputs[input].dtype,
                dims,
                initial: state.data,
            })
        };
        initial.0.into_iter().filter_map(spec).collect()
    }
}
