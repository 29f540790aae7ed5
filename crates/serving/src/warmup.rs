//! Requests that run before a model is ready.

use crate::batch::encode_strings;
use crate::check::control_type;
use crate::config::{
    DataType, ModelConfig, ModelWarmup, ModelWarmupInput, SequenceControlInput,
    SequenceControlKind, WarmupData,
};
use crate::invalid::ConfigError;
use crate::sequence::{InitialStates, control_values};
use std::io;
use trident_ir::counted;

/// The most bytes that an input of a warm-up request may have: its data is made, or read, at once.
const MAX_BYTES: usize = 1 << 30;

/// The most bytes that all inputs of a configuration's requests may have.
const MAX_TOTAL: usize = 4 << 30;
const TOO_MUCH: &str = "the data of all requests must be at most 4 GiB";

/// A request that runs before the model is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmupRequest {
    /// The name of its declaration.
    pub name: String,
    /// The number of times that it runs.
    pub count: u32,
    /// Its inputs.
    pub inputs: Vec<WarmupTensor>,
}

/// An input of a warm-up request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmupTensor {
    /// The input's name.
    pub name: String,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions; the first is the batch if the model has batches.
    pub shape: Vec<i64>,
    /// Its elements as the protocol sends them: in little-endian order, and strings after their lengths (u32).
    pub data: Vec<u8>,
}

impl WarmupRequest {
    /// Makes the requests that a configuration declares, except those turned off by a batch size of 0. `read` gives the
    /// content of a file in the model's folder. Random data is the same at every load. All data is at most 4 GiB.
    ///
    /// Requests to a model with sequences are the first ones of sequences: they have the controls and the first states that they do not
    /// declare themselves.
    pub fn read(
        config: &ModelConfig,
        mut read: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<Vec<WarmupRequest>, ConfigError> {
        let mut left = MAX_TOTAL;
        let declared = config.model_warmup.iter().filter(|warmup| warmup.batch_size > 0);
        let given = match config.model_warmup.is_empty() {
            true => vec![],
            false => of_sequences(config, &mut read)?,
        };
        let request = |warmup: &ModelWarmup| {
            let input = |(name, input): (&String, &ModelWarmupInput)| {
                let data = tensor(config, warmup, name, input, &mut left, &mut read);
                data.map_err(|fault| ConfigError::Warmup {
                    model: config.name.clone(),
                    request: warmup.name.clone(),
                    tensor: name.clone(),
                    fault,
                })
            };
            let mut inputs = warmup.inputs.iter().map(input).collect::<Result<Vec<_>, _>>()?;
            let missing = given.iter().filter(|own| !warmup.inputs.contains_key(&own.name));
            for own in missing {
                let rows = if config.max_batch_size > 0 { warmup.batch_size as usize } else { 1 };
                let size = own.data.len().saturating_mul(rows);
                left = left.checked_sub(size).ok_or_else(|| ConfigError::Warmup {
                    model: config.name.clone(),
                    request: warmup.name.clone(),
                    tensor: own.name.clone(),
                    fault: TOO_MUCH.to_owned(),
                })?;
                inputs.push(own.repeated(config, warmup.batch_size));
            }
            Ok(WarmupRequest { name: warmup.name.clone(), count: warmup.count.max(1), inputs })
        };
        declared.map(request).collect()
    }
}

impl WarmupTensor {
    /// A row as often as a batch has it.
    fn repeated(&self, config: &ModelConfig, rows: u32) -> WarmupTensor {
        let mut tensor = self.clone();
        if config.max_batch_size > 0 {
            tensor.shape.insert(0, rows.into());
            tensor.data = self.data.repeat(rows as usize);
        }
        tensor
    }
}

/// The inputs that a scheduler gives to the first request of a sequence, without a batch dimension.
fn of_sequences(
    config: &ModelConfig,
    read: impl FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<Vec<WarmupTensor>, ConfigError> {
    let Some(batching) = config.sequences() else { return Ok(vec![]) };
    let control = |input: &SequenceControlInput| {
        let control = input.control.first()?;
        let (name, data_type) = (input.name.clone(), control_type(control)?);
        let [no, yes] = control_values(control);
        let data = match control.kind {
            SequenceControlKind::Start | SequenceControlKind::Ready => yes.to_vec(),
            SequenceControlKind::End => no.to_vec(),
            SequenceControlKind::Corrid if data_type == DataType::String => {
                encode_strings(&["1".to_owned()]).to_vec()
            }
            SequenceControlKind::Corrid => 1u64.to_le_bytes()[..data_type.byte_size()?].to_vec(),
        };
        Some(WarmupTensor { name, data_type, shape: vec![1], data })
    };
    let mut given: Vec<WarmupTensor> = batching.control_input.iter().filter_map(control).collect();
    let states = InitialStates::read(config, read)?;
    given.extend(states.0.into_iter().zip(&batching.state).map(|(state, declared)| WarmupTensor {
        name: state.input,
        data_type: declared.data_type,
        shape: state.dims.iter().map(|dim| i64::try_from(*dim).unwrap_or(i64::MAX)).collect(),
        data: state.data.to_vec(),
    }));
    Ok(given)
}

/// Makes an input; `left` is the number of bytes that it and the following ones may have.
fn tensor(
    config: &ModelConfig,
    warmup: &ModelWarmup,
    name: &str,
    input: &ModelWarmupInput,
    left: &mut usize,
    read: &mut impl FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<WarmupTensor, String> {
    let data_type = input.data_type;
    if data_type == DataType::Invalid {
        return Err("must specify 'data_type'".into());
    }
    let largest = config.max_batch_size.max(1).unsigned_abs();
    if warmup.batch_size > largest {
        return Err(format!("batch size {} exceeds the largest, {largest}", warmup.batch_size));
    }
    let dims = input.dims.iter();
    let elements =
        dims.map(|dim| usize::try_from(*dim).ok()).try_fold(1, |n: usize, dim| n.checked_mul(dim?));
    // A string is at least its length.
    let width = data_type.byte_size().unwrap_or(4);
    let batch = if config.max_batch_size > 0 { warmup.batch_size } else { 1 };
    let bytes = elements.and_then(|n| n.checked_mul(width)?.checked_mul(batch as usize));
    let bytes = bytes.filter(|bytes| *bytes <= MAX_BYTES);
    let Some(bytes) = bytes else {
        return Err("'dims' must be sizes of a tensor of at most 1 GiB".into());
    };
    let mut take = |bytes: usize| {
        *left = left.checked_sub(bytes).ok_or(TOO_MUCH)?;
        Ok::<_, String>(bytes)
    };
    let mut shape = input.dims.clone();
    if config.max_batch_size > 0 {
        shape.insert(0, i64::from(batch));
    }
    let data = match &input.data {
        WarmupData::Zero(_) => vec![0; take(bytes)?],
        WarmupData::Random(_) => random(data_type, take(bytes)?, name),
        WarmupData::File(file) => {
            let path = format!("warmup/{file}");
            let item = read(&path).map_err(|e| format!("failed to read '{path}': {e}"))?;
            let expected = bytes / batch as usize;
            if data_type != DataType::String && item.len() != expected {
                return Err(format!(
                    "expects {} for an item of the batch, '{path}' has {}",
                    counted(expected, "byte"),
                    item.len()
                ));
            }
            if data_type == DataType::String && strings(&item) != elements {
                return Err(format!("'{path}' does not hold the strings of an item of the batch"));
            }
            let bytes = item.len().saturating_mul(batch as usize);
            if bytes > MAX_BYTES {
                return Err(format!("'{path}' is too large"));
            }
            take(bytes)?;
            item.repeat(batch as usize)
        }
        WarmupData::Unset => {
            return Err("must specify one of 'zero_data', 'random_data', 'input_data_file'".into());
        }
    };
    Ok(WarmupTensor { name: name.to_owned(), data_type, shape, data })
}

/// The number of strings in these bytes, each after its length.
fn strings(mut bytes: &[u8]) -> Option<usize> {
    let mut count = 0;
    while let Some((length, rest)) = bytes.split_first_chunk() {
        bytes = rest.get(u32::from_le_bytes(*length) as usize..)?;
        count += 1;
    }
    bytes.is_empty().then_some(count)
}

/// Elements with random bits; floats of moderate size, truth values, and empty strings.
fn random(data_type: DataType, bytes: usize, name: &str) -> Vec<u8> {
    // FNV-1a of the name, then splitmix64.
    let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let width = data_type.byte_size().unwrap_or(4);
    let mut element = || {
        let bits = next();
        // Random mantissas below the exponent of 1: values from 1 to 2.
        match data_type {
            DataType::String => 0,
            DataType::Bool => bits & 1,
            DataType::Fp16 => 0x3c00 | bits & 0x3ff,
            DataType::Bf16 => 0x3f80 | bits & 0x7f,
            DataType::Fp32 => 0x3f80_0000 | bits & 0x7f_ffff,
            DataType::Fp64 => 0x3ff0_0000_0000_0000 | bits >> 12,
            _ => bits,
        }
    };
    (0..bytes / width).flat_map(|_| element().to_le_bytes().into_iter().take(width)).collect()
}
