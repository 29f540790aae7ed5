//! Files of exported models: the message, and a file of weights beside it.

use super::ExportSettings;
use super::error::ExportError;
use super::graph::Weight;
use super::stored::{RAW_DATA, Stored, field, field_len};
use crate::proto::{GraphProto, ModelProto};
use prost::Message;
use std::io::{self, Write};
use trident_ir::DType;

/// The greatest size of a protobuf message.
const MOST: u64 = (1 << 31) - 1;

/// Weights below this many bytes stay in the model unless a threshold is given: they are shapes and axes, which runtimes
/// need to infer shapes.
const SMALL: u64 = 1024;

/// Lists of integers up to this many bytes stay in the model whatever the threshold: they may be shapes.
const LIST: u64 = 64 << 10;

/// The beginning of each external weight is a multiple of this, so that runtimes can map the file.
const ALIGNMENT: u64 = 4096;

/// Numbers of fields of the messages that are written piece by piece.
const GRAPH: u32 = 7;
const INITIALIZER: u32 = 5;

/// The weights that go to a file of their own, by their size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExternalWeights {
    /// Weights from 1 KiB on if the model would be larger than a protobuf message can be, which is 2 GiB; otherwise no weights.
    #[default]
    Auto,
    /// Weights from 1 KiB on.
    Always,
    /// No weights.
    Never,
    /// Weights of at least this size.
    From(u64),
}

/// An exported model.
pub struct OnnxFile {
    /// The message without the constants of its main graph.
    model: ModelProto,
    weights: Vec<Stored>,
    data_bytes: u64,
    bytes: u64,
}

impl OnnxFile {
    pub(super) fn new(
        model: ModelProto,
        weights: Vec<Weight>,
        settings: &ExportSettings,
    ) -> Result<OnnxFile, ExportError> {
        let weights = weights.into_iter();
        let weights =
            weights.map(|weight| Stored { weight, external: None, location: None }).collect();
        let mut file = OnnxFile { model, weights, data_bytes: 0, bytes: 0 };
        file.bytes = file.len();
        let least = match settings.external {
            ExternalWeights::Auto if file.bytes <= MOST => None,
            ExternalWeights::Never => None,
            ExternalWeights::Auto | ExternalWeights::Always => Some(SMALL),
            ExternalWeights::From(least) => Some(least.max(1)),
        };
        if let Some(least) = least {
            file.move_out(least, &settings.data_name);
            file.bytes = file.len();
        }
        match file.bytes > MOST {
            true => Err(ExportError::TooLarge { bytes: file.bytes, limit: MOST }),
            false => Ok(file),
        }
    }

    /// Gives weights from this size on a place in the file of weights.
    fn move_out(&mut self, least: u64, location: &str) {
        for stored in &mut self.weights {
            let length = stored.parts().1.map_or(0, |data| data.len() as u64);
            let value = &stored.weight.value;
            let is_list =
                matches!(value.dtype(), DType::I32 | DType::I64) && value.dims().len() <= 1;
            if length >= least && !(is_list && length <= LIST) {
                let offset = self.data_bytes.next_multiple_of(ALIGNMENT);
                stored.external = Some((offset, length));
                stored.location = Some(location.to_owned());
                self.data_bytes = offset + length;
            }
        }
    }

    fn graph(&self) -> GraphProto {
        self.model.graph.clone().unwrap_or_default()
    }

    fn graph_len(&self) -> u64 {
        let weights = self.weights.iter().map(|weight| field_len(INITIALIZER, weight.len()));
        let graph = self.model.graph.as_ref().map_or(0, Message::encoded_len);
        graph as u64 + weights.sum::<u64>()
    }

    fn len(&self) -> u64 {
        let graph = self.model.graph.as_ref().map_or(0, Message::encoded_len) as u64;
        let head = self.model.encoded_len() as u64 - field_len(GRAPH, graph);
        head + field_len(GRAPH, self.graph_len())
    }

    /// The number of bytes of the model.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of bytes of the file of weights; 0 if there is none.
    pub fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    /// The version of the file format that the model declares.
    pub fn ir_version(&self) -> i64 {
        self.model.ir_version
    }

    /// The operator sets that the model declares, with their versions.
    pub fn opsets(&self) -> impl Iterator<Item = (&str, i64)> {
        let imports = self.model.opset_import.iter();
        imports.map(|import| (crate::catalog::display(&import.domain), import.version))
    }

    /// The number of nodes of the main graph.
    pub fn nodes(&self) -> usize {
        self.model.graph.as_ref().map_or(0, |graph| graph.node.len())
    }

    /// The number of constants of the main graph.
    pub fn weights(&self) -> usize {
        self.weights.len()
    }

    /// Writes the model, and reports the number of bytes that are written so far.
    ///
    /// # Errors
    /// If `out` gives one.
    pub fn write(&self, out: &mut dyn Write, report: &dyn Fn(u64)) -> io::Result<()> {
        let head = ModelProto { graph: None, ..self.model.clone() };
        let head = head.encode_to_vec();
        out.write_all(&head)?;
        field(GRAPH, self.graph_len(), out)?;
        let graph = self.graph().encode_to_vec();
        out.write_all(&graph)?;
        let mut written = (head.len() + graph.len()) as u64;
        for stored in &self.weights {
            let (message, data) = stored.parts();
            let len = stored.len();
            field(INITIALIZER, len, out)?;
            out.write_all(&message.encode_to_vec())?;
            if let Some(data) = data.filter(|_| stored.external.is_none()) {
                field(RAW_DATA, data.len() as u64, out)?;
                out.write_all(&data)?;
            }
            written += len;
            report(written);
        }
        Ok(())
    }

    /// Writes the file of weights, and reports the number of bytes that are written so far.
    ///
    /// # Errors
    /// If `out` gives one.
    pub fn write_data(&self, out: &mut dyn Write, report: &dyn Fn(u64)) -> io::Result<()> {
        let mut written = 0;
        for stored in &self.weights {
            let Some((offset, length)) = stored.external else { continue };
            let gap = usize::try_from(offset - written).unwrap_or_default();
            out.write_all(&[0; ALIGNMENT as usize][..gap])?;
            out.write_all(&stored.parts().1.unwrap_or_default())?;
            written = offset + length;
            report(written);
        }
        Ok(())
    }
}
