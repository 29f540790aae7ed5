//! The values of states before the first request of a sequence.

use crate::config::{
    DataType, InitialState as Declared, InitialStateData, ModelConfig, SequenceState,
};
use crate::invalid::ConfigError;
use bytes::Bytes;
use std::io;

/// The most bytes of a state's first value.
const MAX_BYTES: usize = 1 << 30;

/// The first values of a model's states.
#[derive(Debug, Default)]
pub(crate) struct InitialStates(pub(crate) Vec<InitialState>);

/// The first value of a state.
#[derive(Debug)]
pub(crate) struct InitialState {
    pub(crate) input: String,
    pub(crate) output: String,
    /// Its dimensions without the batch dimension.
    pub(crate) dims: Vec<usize>,
    /// Its elements; strings follow their lengths.
    pub(crate) data: Bytes,
}

/// A declaration of a state that has no first value. The texts are the server's where the server makes the same check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum StateFault {
    #[error(
        "initial_state field for state input '{state}' must contain exactly one or zero element. Found '{count}' elements."
    )]
    Several { state: String, count: usize },
    #[error(
        "The data type used for 'initial_state' field of state '{state}' does not match the state data type."
    )]
    Type { state: String },
    #[error("Field 'name' must be set when using initial_state for state input '{state}'.")]
    NoName { state: String },
    #[error(
        "Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input '{state}'. \
         {given} != {expected}"
    )]
    Rank { state: String, given: usize, expected: usize },
    #[error("'initial_state' field for state input name '{state}' contains variable dimensions.")]
    Variable { state: String },
    #[error(
        "'initial_state' dim for input name '{state}' doesn't match 'state' dim description. {given} != {expected}"
    )]
    Dim { state: String, given: i64, expected: i64 },
    #[error("initial_state setting expects state'{state}' to have state_data set")]
    NoData { state: String },
    #[error(
        "initial_state setting expects {expected} bytes, but the data provided from {file}only has {given} bytes."
    )]
    Short { file: String, expected: usize, given: usize },
    #[error(
        "initial_state of state '{state}' expects {expected} strings, which '{file}' does not hold"
    )]
    Strings { state: String, file: String, expected: usize },
    #[error("the dimensions of state '{state}' must be sizes of a tensor of at most 1 GiB")]
    TooLarge { state: String },
}

impl InitialStates {
    /// Makes the first values that a configuration declares; a state without a declaration starts with zeros, and with a size of 1
    /// for each variable dimension. `read` gives the content of a file in the model's folder.
    pub(crate) fn read(
        config: &ModelConfig,
        mut read: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<InitialStates, ConfigError> {
        let states = config.states().map(|state| {
            let (input, output) = (state.input_name.clone(), state.output_name.clone());
            let fault = |fault| ConfigError::State { model: config.name.clone(), fault };
            let dims = dims(state).map_err(fault)?;
            let size = size(state, &dims).map_err(fault)?;
            let data = match state.initial_state.first().map(|initial| &initial.data) {
                None | Some(InitialStateData::Zero(_)) => vec![0; size],
                Some(InitialStateData::File(file)) => {
                    let path = format!("initial_state/{file}");
                    let bytes = read(&path).map_err(|error| {
                        let (model, cause) = (config.name.clone(), error.to_string());
                        ConfigError::File { model, file: path.clone(), cause }
                    })?;
                    of_file(state, file, bytes, size).map_err(fault)?
                }
                Some(InitialStateData::Unset) => {
                    return Err(fault(StateFault::NoData { state: input }));
                }
            };
            Ok(InitialState { input, output, dims, data: data.into() })
        });
        Ok(InitialStates(states.collect::<Result<_, _>>()?))
    }
}

/// The dimensions of a state's first value.
fn dims(state: &SequenceState) -> Result<Vec<usize>, StateFault> {
    let name = || state.input_name.clone();
    let first = match &*state.initial_state {
        [] => None,
        [initial] => Some(initial),
        several => return Err(StateFault::Several { state: name(), count: several.len() }),
    };
    let declared = match first {
        None => state.dims.iter().map(|dim| if *dim == -1 { 1 } else { *dim }).collect(),
        Some(initial) => {
            agree(state, initial)?;
            initial.dims.clone()
        }
    };
    let sizes: Option<Vec<usize>> = declared.iter().map(|dim| usize::try_from(*dim).ok()).collect();
    sizes.ok_or_else(|| StateFault::TooLarge { state: name() })
}

/// An error unless a declared first value fits its state.
fn agree(state: &SequenceState, initial: &Declared) -> Result<(), StateFault> {
    let name = || state.input_name.clone();
    if initial.data_type != state.data_type {
        return Err(StateFault::Type { state: name() });
    }
    if initial.name.is_empty() {
        return Err(StateFault::NoName { state: name() });
    }
    let (given, expected) = (initial.dims.len(), state.dims.len());
    if given != expected {
        return Err(StateFault::Rank { state: name(), given, expected });
    }
    for (given, expected) in initial.dims.iter().zip(&state.dims) {
        match (*given, *expected) {
            (-1, _) => return Err(StateFault::Variable { state: name() }),
            (given, expected) if expected != -1 && given != expected => {
                return Err(StateFault::Dim { state: name(), given, expected });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Bytes of a first value; of strings, if they are empty.
fn size(state: &SequenceState, dims: &[usize]) -> Result<usize, StateFault> {
    // A string is at least its length.
    let width = state.data_type.byte_size().unwrap_or(4);
    let size = dims.iter().try_fold(width, |size, dim| size.checked_mul(*dim));
    let size = size.filter(|size| *size <= MAX_BYTES);
    size.ok_or_else(|| StateFault::TooLarge { state: state.input_name.clone() })
}

/// The elements in a file. As in the server, more bytes than needed are left out.
fn of_file(
    state: &SequenceState,
    file: &str,
    mut bytes: Vec<u8>,
    expected: usize,
) -> Result<Vec<u8>, StateFault> {
    let file = file.to_owned();
    if state.data_type == DataType::String {
        let expected = expected / 4;
        return match crate::batch::check_strings(&bytes, expected) {
            Ok(()) => Ok(bytes),
            Err(_) => Err(StateFault::Strings { state: state.input_name.clone(), file, expected }),
        };
    }
    let given = bytes.len();
    if given < expected {
        return Err(StateFault::Short { file, expected, given });
    }
    bytes.truncate(expected);
    Ok(bytes)
}
