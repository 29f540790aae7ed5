//! Backend `trident_tokenizer`: texts become the numbers of their tokens, as the file `tokenizer.json` of a model says.
//!
//! The file lies in the version's folder, or in the model's. Rows are padded to the longest of their request, or to the length that the
//! configuration gives. Outputs are any of `input_ids`, `attention_mask`, `token_type_ids`, and `token_count`, the tokens of each text.

use std::fmt::Display;
use std::io;

use bytes::Bytes;
use tokenizers::{Encoding, PaddingDirection, Tokenizer, TruncationParams};
use trident_serving::{
    DataType, Fault, ModelConfig, ModelOutput, NativeInput, NativeModel, NativeRequest, NativeRun,
    Output, RunCheckpoint,
};

use super::room::RequestRoom;
use super::{Files, number, only_parameters, unfit};
use crate::infer::strings;

/// The file, unless the parameter `file` names another one.
const FILE: &str = "tokenizer.json";

/// Tokens that pad rows if neither the file nor the parameter `pad_token` names one.
const PADS: [&str; 2] = ["[PAD]", "<pad>"];

const COUNT: &str = "token_count";

/// About the bytes that the library takes for each byte of a text while it finds the tokens.
const TEXT_BYTE: u64 = 128;

/// The bytes of a number of a token until the answer is written.
const NUMBER: u64 = size_of::<u32>() as u64;

const OUTPUTS: &str = "outputs of type TYPE_INT64 or TYPE_INT32, of the names 'input_ids', 'attention_mask', 'token_type_ids' and \
                       'token_count'";

pub(super) struct Texts {
    tokenizer: Tokenizer,
    pad: Pad,
    has_batch: bool,
    /// The length of all rows, if the configuration gives it.
    length: Option<usize>,
    outputs: Vec<Numbers>,
    room: RequestRoom,
}

/// The token that fills rows.
struct Pad {
    id: u32,
    type_id: u32,
    direction: PaddingDirection,
}

/// An output.
struct Numbers {
    name: String,
    data_type: DataType,
    of: Source,
}

/// The numbers of an output: one for each token, fillers included, unless they are counts.
#[derive(Clone, Copy)]
enum Source {
    Ids,
    /// 1 for a token, and 0 for a filler.
    Mask,
    Types,
    /// The number of tokens without fillers.
    Count,
}

impl Texts {
    pub(super) fn of(
        config: &ModelConfig,
        files: &Files<'_>,
        memory_limit: Option<u64>,
    ) -> Result<Texts, Fault> {
        only_parameters(config, &["file", "max_length", "memory_limit", "pad_token"])?;
        let room = RequestRoom::of(config, memory_limit)?;
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
        Ok(Texts { tokenizer, pad, has_batch, length, outputs, room })
    }

    /// The outputs of a request.
    fn answer(&self, request: &NativeRequest<'_>) -> Result<Vec<Output>, Fault> {
        let [given] = &request.inputs[..] else {
            return Err(Fault::internal("trident_tokenizer takes one input"));
        };
        let rows = self.encode(given, &request.checkpoint)?;
        let length = self.row_length(&rows)?;
        // With a batch dimension, the other one has a single text.
        let texts = if self.has_batch { &given.shape[..1] } else { &given.shape[..] };
        let output = |(at, numbers): (usize, &Numbers)| {
            let shape = match numbers.of {
                Source::Count => given.shape.clone(),
                _ => [texts, &[length as i64]].concat(),
            };
            let (name, data_type) = (numbers.name.as_str().into(), numbers.data_type);
            request.checkpoint.pass()?;
            let data = numbers.bytes(&rows, at, length, &self.pad);
            Ok(Output { at, name, data_type, shape, data })
        };
        self.outputs.iter().enumerate().map(output).collect()
    }

    /// The tokens of each text.
    fn encode(
        &self,
        given: &NativeInput<'_>,
        checkpoint: &RunCheckpoint,
    ) -> Result<Vec<Row>, Fault> {
        let (name, mut rows, mut held) = (given.name, vec![], 0u64);
        for (at, text) in strings(&given.data).enumerate() {
            checkpoint.pass()?;
            let text = str::from_utf8(text).map_err(|_| {
                Fault::invalid(format_args!("element {at} of input '{name}' is not UTF-8 text"))
            })?;
            let most = held.saturating_add(TEXT_BYTE.saturating_mul(text.len() as u64));
            self.room.hold(most, format_args!("element {at} of input '{name}'"))?;
            let tokens = self.tokenizer.encode_fast(text, true).map_err(|error| {
                Fault::internal(format_args!("cannot tokenize element {at} of '{name}': {error}"))
            })?;
            if let Some(length) = self.length.filter(|length| *length < tokens.len()) {
                return Err(Fault::internal(format_args!(
                    "element {at} of input '{name}' has {} tokens, and a row has {length}",
                    tokens.len()
                )));
            }
            let row = Row::of(&tokens, &self.outputs);
            held = held.saturating_add(row.size());
            rows.push(row);
        }
        Ok(rows)
    }

    /// The length of rows that are padded.
    ///
    /// # Errors
    /// Outputs of this length take more memory than a request may.
    fn row_length(&self, rows: &[Row]) -> Result<usize, Fault> {
        let longest = rows.iter().map(|row| row.length).max().unwrap_or(0);
        let length = self.length.unwrap_or(longest);
        let row = self.outputs.iter().map(|output| output.row_size(length)).sum::<u64>();
        let (count, held) = (rows.len() as u64, rows.iter().map(Row::size).sum::<u64>());
        let outputs = format_args!("outputs of {count} rows of {length} tokens");
        self.room.hold(row.saturating_mul(count).saturating_add(held), outputs)?;
        Ok(length)
    }
}

/// The tokens of a text.
struct Row {
    length: usize,
    /// The numbers of each output that has one for each token.
    numbers: Vec<Vec<u32>>,
}

impl Row {
    fn of(tokens: &Encoding, outputs: &[Numbers]) -> Row {
        let numbers = |output: &Numbers| match output.of {
            Source::Ids => tokens.get_ids().to_vec(),
            Source::Mask => tokens.get_attention_mask().to_vec(),
            Source::Types => tokens.get_type_ids().to_vec(),
            Source::Count => vec![],
        };
        Row { length: tokens.len(), numbers: outputs.iter().map(numbers).collect() }
    }

    /// The bytes of its numbers.
    fn size(&self) -> u64 {
        let own = self.numbers.iter().map(|numbers| NUMBER * numbers.len() as u64).sum::<u64>();
        own + (size_of::<Row>() + size_of_val(&self.numbers[..])) as u64
    }
}

impl NativeModel for Texts {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let answers = batch.iter().map(|request| self.answer(request)).collect();
        NativeRun { answers, ..NativeRun::default() }
    }

    fn is_steady(&self) -> bool {
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
            "input_ids" => Source::Ids,
            "attention_mask" => Source::Mask,
            "token_type_ids" => Source::Types,
            COUNT => Source::Count,
            _ => return None,
        };
        let rank = match of {
            Source::Ids | Source::Mask | Source::Types if !has_batch => 2,
            _ => 1,
        };
        let fits = matches!(output.data_type, DataType::Int32 | DataType::Int64);
        let (name, data_type) = (output.name.clone(), output.data_type);
        (fits && output.dims.len() == rank).then_some(Numbers { name, data_type, of })
    }

    /// The bytes of a row of so many tokens.
    fn row_size(&self, length: usize) -> u64 {
        let count = if matches!(self.of, Source::Count) { 1 } else { length as u64 };
        count.saturating_mul(self.data_type.byte_size().unwrap_or(size_of::<i64>()) as u64)
    }

    /// The output at a position, in rows of so many tokens.
    fn bytes(&self, rows: &[Row], at: usize, length: usize, pad: &Pad) -> Bytes {
        let size = usize::try_from(self.row_size(length)).unwrap_or(0).saturating_mul(rows.len());
        let mut bytes = Vec::with_capacity(size);
        let filler = match self.of {
            Source::Ids => pad.id,
            Source::Types => pad.type_id,
            Source::Mask | Source::Count => 0,
        };
        for row in rows {
            if matches!(self.of, Source::Count) {
                self.write(&[u32::try_from(row.length).unwrap_or(u32::MAX)], &mut bytes);
                continue;
            }
            let fill = |bytes: &mut Vec<u8>| {
                (row.length..length).for_each(|_| self.write(&[filler], bytes));
            };
            match pad.direction {
                PaddingDirection::Left => {
                    fill(&mut bytes);
                    self.write(&row.numbers[at], &mut bytes);
                }
                PaddingDirection::Right => {
                    self.write(&row.numbers[at], &mut bytes);
                    fill(&mut bytes);
                }
            }
        }
        bytes.into()
    }

    fn write(&self, numbers: &[u32], to: &mut Vec<u8>) {
        match self.data_type {
            DataType::Int32 => {
                numbers.iter().for_each(|number| to.extend_from_slice(&number.to_le_bytes()));
            }
            _ => numbers
                .iter()
                .for_each(|number| to.extend_from_slice(&i64::from(*number).to_le_bytes())),
        }
    }
}

impl Pad {
    /// The token of the parameter `pad_token`, else of the file, else one with a usual name.
    fn of(config: &ModelConfig, tokenizer: &Tokenizer) -> Result<Pad, Fault> {
        let by_name = |token: &str| {
            let id = tokenizer.token_to_id(token)?;
            Some(Pad { id, type_id: 0, direction: PaddingDirection::Right })
        };
        if let Some(token) = config.parameter("pad_token") {
            let unknown = format!("the token '{token}' is not in the file");
            return by_name(token).ok_or_else(|| parameter(config, "pad_token", &unknown));
        }
        if let Some(own) = tokenizer.get_padding() {
            let (id, type_id) = (own.pad_id, own.pad_type_id);
            return Ok(Pad { id, type_id, direction: own.direction });
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
