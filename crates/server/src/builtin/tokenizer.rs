//! Backend `trident_tokenizer`: texts become the numbers of their tokens, as the file `tokenizer.json` of a model says.
//!
//! The file lies in the version's folder, or in the model's. Rows are padded to the longest of their request, or to the length that the
//! configuration gives. Outputs are any of `input_ids`, `attention_mask`, `token_type_ids`, and `token_count`, the tokens of each text.

use std::fmt::Display;
use std::io;

use bytes::Bytes;
use tokenizers::{Encoding, PaddingDirection, Tokenizer, TruncationParams};
use trident_serving::{
    DataType, Fault, ModelConfig, ModelOutput, NativeModel, NativeRequest, NativeRun, Output,
};

use super::{Files, number, only_parameters, unfit};
use crate::infer::strings;

/// The file, unless the parameter `file` names another one.
const FILE: &str = "tokenizer.json";

/// Tokens that pad rows if neither the file nor the parameter `pad_token` names one.
const PADS: [&str; 2] = ["[PAD]", "<pad>"];

const COUNT: &str = "token_count";

const OUTPUTS: &str = "outputs of type TYPE_INT64 or TYPE_INT32, of the names 'input_ids', 'attention_mask', 'token_type_ids' and \
                       'token_count'";

pub(super) struct Texts {
    tokenizer: Tokenizer,
    pad: Pad,
    has_batch: bool,
    /// The length of all rows, if the configuration gives it.
    length: Option<usize>,
    outputs: Vec<Numbers>,
}

/// The token that fills rows.
struct Pad {
    id: u32,
    type_id: u32,
    token: String,
    direction: PaddingDirection,
}

/// An output.
struct Numbers {
    name: String,
    data_type: DataType,
    of: Source,
}

/// The numbers of an output.
#[derive(Clone, Copy)]
enum Source {
    /// One for each token, fillers included.
    Each(fn(&Encoding) -> &[u32]),
    /// The number of tokens without fillers.
    Count,
}

impl Texts {
    pub(super) fn of(config: &ModelConfig, files: &Files<'_>) -> Result<Texts, Fault> {
        only_parameters(config, &["file", "max_length", "pad_token"])?;
        let has_batch = config.max_batch_size > 0;
        let fits = |dims: &[i64]| if has_batch { dims == [1] } else { dims.len() == 1 };
        match &config.input[..] {
            [input] if input.data_type == DataType::String && fits(&input.dims) => {}
            _ if has_batch => {
                return Err(unfit(config, "one input of type TYPE_STRING and dims [ 1 ]"));
            }
            _ => return Err(unfit(config, "one input of type TYPE_STRING with one dimension")),
        }
        let outputs = config.output.iter().map(|output| Numbers::of(output, has_batch));
        let outputs = outputs.collect::<Option<Vec<_>>>().filter(|outputs| !outputs.is_empty());
        let outputs = outputs.ok_or_else(|| unfit(config, OUTPUTS))?;
        let length = length(config)?;
        let mut tokenizer = read(config, files)?;
        let pad = Pad::of(config, &tokenizer)?;
        tokenizer.with_padding(None);
        let most = match config.parameter("max_length") {
            Some(_) => Some(usize::try_from(number(config, "max_length")?).unwrap_or(usize::MAX)),
            None => None,
        };
        if let Some(length) = length.filter(|length| most.is_some_and(|most| most > *length)) {
            let reason = format!("rows have {length} tokens");
            return Err(parameter(config, "max_length", &reason));
        }
        if let Some(max_length) = most.or(length) {
            let own = tokenizer.get_truncation().cloned().unwrap_or_default();
            let truncation = TruncationParams { max_length, ..own };
            let set = tokenizer.with_truncation(Some(truncation));
            set.map_err(|error| parameter(config, "max_length", &error.to_string()))?;
        }
        Ok(Texts { tokenizer, pad, has_batch, length, outputs })
    }

    /// The outputs of a request.
    fn answer(&self, request: &NativeRequest<'_>) -> Result<Vec<Output>, Fault> {
        let [given] = &request.inputs[..] else {
            return Err(Fault::internal("trident_tokenizer takes one input"));
        };
        let rows = self.encode(given.name, &given.data)?;
        let length = rows.first().map_or(0, Encoding::len) as i64;
        // With a batch dimension, the other one has a single text.
        let texts = if self.has_batch { &given.shape[..1] } else { &given.shape[..] };
        let output = |(at, numbers): (usize, &Numbers)| {
            let shape = match numbers.of {
                Source::Each(_) => [texts, &[length]].concat(),
                Source::Count => given.shape.clone(),
            };
            let (name, data_type) = (numbers.name.as_str().into(), numbers.data_type);
            Output { at, name, data_type, shape, data: numbers.bytes(&rows) }
        };
        Ok(self.outputs.iter().enumerate().map(output).collect())
    }

    /// The tokens of each text, in rows of the same length.
    fn encode(&self, name: &str, data: &[u8]) -> Result<Vec<Encoding>, Fault> {
        let mut rows = vec![];
        for (at, text) in strings(data).enumerate() {
            let text = str::from_utf8(text).map_err(|_| {
                Fault::invalid(format_args!("element {at} of input '{name}' is not UTF-8 text"))
            })?;
            let row = self.tokenizer.encode_fast(text, true);
            rows.push(row.map_err(|error| {
                Fault::internal(format_args!("cannot tokenize element {at} of '{name}': {error}"))
            })?);
        }
        let longest = rows.iter().map(Encoding::len).max().unwrap_or(0);
        let length = self.length.unwrap_or(longest);
        let Pad { id, type_id, token, direction } = &self.pad;
        rows.iter_mut().for_each(|row| row.pad(length, *id, *type_id, token, *direction));
        Ok(rows)
    }
}

impl NativeModel for Texts {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let answers = batch.iter().map(|request| self.answer(request)).collect();
        NativeRun { answers, ..NativeRun::default() }
    }

    fn is_instant(&self) -> bool {
        true
    }
}

/// The length of rows, if a configuration gives it.
fn length(config: &ModelConfig) -> Result<Option<usize>, Fault> {
    let rows = config.output.iter().filter(|output| output.name != COUNT);
    let mut lengths = rows.filter_map(|output| output.dims.last().copied());
    let first = lengths.next().unwrap_or(-1);
    match lengths.all(|length| length == first) {
        true => Ok(usize::try_from(first).ok()),
        false => Err(unfit(config, "the same last dimension in all outputs but 'token_count'")),
    }
}

impl Numbers {
    /// The numbers of an output; `None` for one that has none.
    fn of(output: &ModelOutput, has_batch: bool) -> Option<Numbers> {
        let of = match &*output.name {
            "input_ids" => Source::Each(Encoding::get_ids),
            "attention_mask" => Source::Each(Encoding::get_attention_mask),
            "token_type_ids" => Source::Each(Encoding::get_type_ids),
            COUNT => Source::Count,
            _ => return None,
        };
        let rank = match of {
            Source::Each(_) if !has_batch => 2,
            Source::Each(_) | Source::Count => 1,
        };
        let fits = matches!(output.data_type, DataType::Int32 | DataType::Int64);
        let (name, data_type) = (output.name.clone(), output.data_type);
        (fits && output.dims.len() == rank).then_some(Numbers { name, data_type, of })
    }

    fn bytes(&self, rows: &[Encoding]) -> Bytes {
        let numbers: Vec<u32> = match self.of {
            Source::Each(of) => rows.iter().flat_map(of).copied().collect(),
            Source::Count => rows.iter().map(|row| row.get_attention_mask().iter().sum()).collect(),
        };
        match self.data_type {
            DataType::Int32 => numbers.into_iter().flat_map(u32::to_le_bytes).collect(),
            _ => numbers.into_iter().flat_map(|number| i64::from(number).to_le_bytes()).collect(),
        }
    }
}

impl Pad {
    /// The token of the parameter `pad_token`, else of the file, else one with a usual name.
    fn of(config: &ModelConfig, tokenizer: &Tokenizer) -> Result<Pad, Fault> {
        let by_name = |token: &str| {
            let id = tokenizer.token_to_id(token)?;
            let (token, direction) = (token.to_owned(), PaddingDirection::Right);
            Some(Pad { id, type_id: 0, token, direction })
        };
        if let Some(token) = config.parameter("pad_token") {
            let unknown = format!("the token '{token}' is not in the file");
            return by_name(token).ok_or_else(|| parameter(config, "pad_token", &unknown));
        }
        if let Some(own) = tokenizer.get_padding() {
            let (id, type_id) = (own.pad_id, own.pad_type_id);
            let (token, direction) = (own.pad_token.clone(), own.direction);
            return Ok(Pad { id, type_id, token, direction });
        }
        PADS.into_iter().find_map(by_name).ok_or_else(|| {
            parameter(config, "pad_token", "the file names no token that fills shorter rows")
        })
    }
}

/// Reads the file.
fn read(config: &ModelConfig, files: &Files<'_>) -> Result<Tokenizer, Fault> {
    let name = config.parameter("file").unwrap_or(FILE);
    let unread = |error: &dyn Display| {
        Fault::invalid(format_args!(
            "cannot read '{name}' of model '{}': {error}; hint: put the file into the version's folder",
            config.name
        ))
    };
    let content = files(name).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            unread(&"it is neither in the version's folder nor in the model's")
        }
        _ => unread(&error),
    })?;
    Tokenizer::from_bytes(content).map_err(|error| {
        Fault::invalid(format_args!(
            "'{name}' of model '{}' is not a tokenizer: {error}",
            config.name
        ))
    })
}

/// The fault of a parameter.
fn parameter(config: &ModelConfig, key: &str, reason: &str) -> Fault {
    Fault::invalid(format_args!("parameter '{key}' of model '{}': {reason}", config.name))
}

#[cfg(test)]
mod tests;
