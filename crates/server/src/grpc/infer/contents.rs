//! Typed contents of inputs: the message `InferTensorContents`.
//!
//! It is not decoded into lists of numbers. Floating-point numbers are packed as tensors have them, and are used in place. Integers
//! stay varints until they are written into the batch's tensor.

use bytes::{BufMut, Bytes, BytesMut};
use prost::encoding::decode_varint;
use trident_serving::DataType;

use crate::grpc::status::{Code, Status};
use crate::infer::{Data, VarintData};

/// The element type of each field as errors name it, by the field's number less one.
const TYPES: [&str; 8] = ["BOOL", "INT32", "INT64", "UINT32", "UINT64", "FP32", "FP64", "BYTES"];

/// The values of a message's fields.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Packed values of each field. Strings have their lengths (u32) before them.
    fields: [Bytes; 8],
}

impl Contents {
    /// The contents of a message in pieces.
    pub(super) fn parse(pieces: &[Bytes]) -> Result<Contents, Status> {
        let mut contents = Contents::default();
        for piece in pieces {
            let parsed = contents.add(piece);
            parsed.ok_or_else(|| {
                Status::new(
                    Code::Internal,
                    "the bytes of 'contents' are not a message InferTensorContents",
                )
            })?;
        }
        Ok(contents)
    }

    fn add(&mut self, piece: &Bytes) -> Option<()> {
        let mut strings = BytesMut::new();
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let key = decode_varint(&mut rest).ok()?;
            let start = rest;
            let (value, is_packed) = match key & 7 {
                0 => {
                    decode_varint(&mut rest).ok()?;
                    (&start[..start.len() - rest.len()], false)
                }
                1 => (rest.split_off(..8)?, false),
                2 => {
                    let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
                    (rest.split_off(..length)?, true)
                }
                5 => (rest.split_off(..4)?, false),
                _ => return None,
            };
            // The type of the field when it is not packed; strings always have a length.
            let single = match key >> 3 {
                1..=5 => 0,
                6 => 5,
                7 => 1,
                8 if is_packed => {
                    strings.put_u32_le(u32::try_from(value.len()).ok()?);
                    strings.put_slice(value);
                    continue;
                }
                8 => return None,
                _ => continue,
            };
            if !is_packed && key & 7 != single {
                return None;
            }
            append(&mut self.fields[(key >> 3) as usize - 1], piece.slice_ref(value));
        }
        append(&mut self.fields[7], strings.freeze());
        Some(())
    }

    /// The data of an input with this type.
    pub(super) fn data(
        self,
        data_type: DataType,
        input: &str,
        model: &str,
    ) -> Result<Data, Status> {
        let fault = |text| {
            let text = format!(
                "unexpected explicit tensor data for input tensor '{input}' for model '{model}'{text}"
            );
            Err(Status::invalid(text))
        };
        let expected = data_type.protocol_name();
        let mut found = None;
        for (field, bytes) in self.fields.into_iter().enumerate() {
            if bytes.is_empty() {
                continue;
            }
            if found.is_some() {
                return fault(", binary data was already supplied.".to_owned());
            }
            if field != field_of(data_type) {
                let given = TYPES[field];
                return fault(format!(" of type '{given}', expected datatype '{expected}'"));
            }
            found = Some(bytes);
        }
        let bytes = found.unwrap_or_default();
        Ok(match data_type {
            DataType::Fp32 | DataType::Fp64 | DataType::String => Data::Bytes(bytes),
            _ => match VarintData::new(bytes, data_type) {
                Some(varints) => Data::Varints(varints),
                // No field has values of this type, so there are none.
                None => Data::Bytes(Bytes::new()),
            },
        })
    }
}

/// The position of the field that has the elements of a type; none has FP16 and BF16.
fn field_of(data_type: DataType) -> usize {
    match data_type {
        DataType::Bool => 0,
        DataType::Int8 | DataType::Int16 | DataType::Int32 => 1,
        DataType::Int64 => 2,
        DataType::Uint8 | DataType::Uint16 | DataType::Uint32 => 3,
        DataType::Uint64 => 4,
        DataType::Fp32 => 5,
        DataType::Fp64 => 6,
        DataType::String => 7,
        DataType::Fp16 | DataType::Bf16 | DataType::Invalid => TYPES.len(),
    }
}

fn append(field: &mut Bytes, more: Bytes) {
    if field.is_empty() {
        *field = more;
    } else if !more.is_empty() {
        let mut both = BytesMut::from(std::mem::take(field));
        both.extend_from_slice(&more);
        *field = both.freeze();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_serving::Fill;

    fn data(pieces: &[&'static [u8]], data_type: DataType) -> Result<Vec<u8>, String> {
        let pieces: Vec<_> = pieces.iter().map(|piece| Bytes::from_static(piece)).collect();
        let contents = Contents::parse(&pieces).map_err(|status| status.text)?;
        match contents.data(data_type, "I", "m").map_err(|status| status.text)? {
            Data::Bytes(bytes) => Ok(bytes.to_vec()),
            Data::Varints(varints) => {
                let mut to = vec![0; varints.size()];
                varints.fill(&mut to).map(|_| to).map_err(|fault| fault.text)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn packed_and_single_values_are_read() {
        assert_eq!(data(&[&[0x12, 2, 7, 8]], DataType::Int8), Ok(vec![7, 8]));
        assert_eq!(data(&[&[0x10, 7, 0x10, 8]], DataType::Int16), Ok(vec![7, 0, 8, 0]));
        assert_eq!(data(&[&[0x12, 1, 7], &[0x10, 8]], DataType::Int8), Ok(vec![7, 8]));
        const FLOATS: [u8; 11] = [0x32, 4, 0, 0, 128, 63, 0x35, 0, 0, 0, 64];
        let expected = [1f32, 2.0].map(f32::to_le_bytes).concat();
        assert_eq!(data(&[&FLOATS], DataType::Fp32), Ok(expected));
        assert_eq!(
            data(&[&[0x42, 1, b'a', 0x42, 0]], DataType::String),
            Ok(vec![1, 0, 0, 0, b'a', 0, 0, 0, 0])
        );
        // Fields of later versions are skipped.
        assert_eq!(data(&[&[0x4a, 1, 9, 0x12, 1, 3]], DataType::Int8), Ok(vec![3]));
        assert_eq!(data(&[], DataType::Fp16), Ok(vec![]));
    }

    #[test]
    fn wrong_contents_are_errors() {
        let text = |pieces: &[&'static [u8]], data_type| data(pieces, data_type).unwrap_err();
        assert_eq!(
            text(&[&[0x12, 1, 7]], DataType::Fp32),
            "unexpected explicit tensor data for input tensor 'I' for model 'm' of type 'INT32', expected datatype 'FP32'"
        );
        assert_eq!(
            text(&[&[0x12, 1, 7, 0x1a, 1, 7]], DataType::Int8),
            "unexpected explicit tensor data for input tensor 'I' for model 'm', binary data was already supplied."
        );
        for damaged in
            [&[0x12][..], &[0x12, 5, 1], &[0x15, 0, 0, 0, 0], &[0x40, 1], &[0x13], &[0x35, 1, 2]]
        {
            assert!(text(&[damaged], DataType::Int8).contains("not a message"), "{damaged:?}");
        }
    }
}
