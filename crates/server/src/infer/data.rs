//! Elements of inputs.

use std::sync::Arc;

use bytes::Bytes;
use trident_serving::{DataType, Fault, Fill, Part};

use super::VarintData;
use crate::json::{Document, FillType, JsonPlace};

/// Elements of an input.
#[derive(Debug)]
pub enum Data {
    /// Row-major and little-endian; strings follow their lengths (u32).
    Bytes(Bytes),
    /// Numbers or truth values of a JSON text.
    Json(JsonData),
    /// Integers or truth values that protobuf has packed.
    Varints(VarintData),
    /// A part of a registered region of shared memory.
    Shared(SharedRegion),
    /// Any of these, as a step of an ensemble gets them.
    Parts(Vec<Part<'static>>),
}

/// The strings of a tensor's bytes, each after its length. The bytes have been checked, or are the engine's own, so that no length goes
/// beyond them.
pub(crate) fn strings(mut data: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = data.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (string, rest) = rest.split_at(length.min(rest.len()));
        data = rest;
        Some(string)
    })
}

/// A part of a region of shared memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedRegion {
    /// The region's name.
    pub name: String,
    /// Bytes before the part.
    pub offset: u64,
    /// Bytes of the part.
    pub size: u64,
}

/// Arrays of numbers or truth values in a JSON text, which have been checked.
#[derive(Debug)]
pub struct JsonData {
    /// The text.
    pub document: Arc<Document>,
    /// The arrays in it.
    pub place: JsonPlace,
    /// The type of the elements.
    pub scalar: FillType,
    /// The number of elements.
    pub count: usize,
}

impl Fill for JsonData {
    fn size(&self) -> usize {
        self.count * self.scalar.size()
    }

    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
        let size = to.len();
        let value = self.document.at(self.place);
        value.fill(self.scalar, to).map(|()| size).map_err(Fault::internal)
    }
}

impl FillType {
    /// The elements of a data type; `None` if JSON does not carry it as numbers or truth values.
    pub fn of(data_type: DataType) -> Option<FillType> {
        Some(match data_type {
            DataType::Bool => FillType::Bool,
            DataType::Fp32 => FillType::F32,
            DataType::Fp64 => FillType::F64,
            DataType::Uint8 => FillType::Unsigned(1),
            DataType::Uint16 => FillType::Unsigned(2),
            DataType::Uint32 => FillType::Unsigned(4),
            DataType::Uint64 => FillType::Unsigned(8),
            DataType::Int8 => FillType::Signed(1),
            DataType::Int16 => FillType::Signed(2),
            DataType::Int32 => FillType::Signed(4),
            DataType::Int64 => FillType::Signed(8),
            DataType::String | DataType::Fp16 | DataType::Bf16 | DataType::Invalid => return None,
        })
    }
}
