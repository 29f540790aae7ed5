//! Integers and truth values as protobuf packs them.

use bytes::Bytes;
use prost::encoding::decode_varint;
use trident_serving::{DataType, Fault, Fill};

/// Packed varints that become elements of a tensor.
#[derive(Debug)]
pub struct VarintData {
    bytes: Bytes,
    count: usize,
    /// Bytes of an element.
    element: usize,
    is_bool: bool,
}

impl VarintData {
    /// The varints of a tensor. `None` if elements of this type are not integers or truth values.
    pub fn new(bytes: Bytes, data_type: DataType) -> Option<VarintData> {
        let is_bool = data_type == DataType::Bool;
        let is_integer = matches!(
            data_type,
            DataType::Int8
                | DataType::Int16
                | DataType::Int32
                | DataType::Int64
                | DataType::Uint8
                | DataType::Uint16
                | DataType::Uint32
                | DataType::Uint64
        );
        let element = data_type.byte_size().filter(|_| is_bool || is_integer)?;
        // The last byte of a varint has no top bit.
        let count = bytes.iter().filter(|byte| **byte < 0x80).count();
        Some(VarintData { bytes, count, element, is_bool })
    }

    fn write<const N: usize>(&self, to: &mut [u8]) -> Result<usize, Fault> {
        let (elements, _) = to.as_chunks_mut::<N>();
        let mut bytes = &self.bytes[..];
        for element in elements {
            let value = decode_varint(&mut bytes).map_err(|_| damaged())?;
            let value = if self.is_bool { u64::from(value != 0) } else { value };
            // Integers wrap, as they do in the protocol's other forms.
            if let Some(low) = value.to_le_bytes().first_chunk() {
                *element = *low;
            }
        }
        if bytes.is_empty() { Ok(self.size()) } else { Err(damaged()) }
    }
}

impl Fill for VarintData {
    fn size(&self) -> usize {
        self.count * self.element
    }

    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
        match self.element {
            1 => self.write::<1>(to),
            2 => self.write::<2>(to),
            4 => self.write::<4>(to),
            _ => self.write::<8>(to),
        }
    }
}

fn damaged() -> Fault {
    Fault::invalid("typed contents are not integers as protobuf packs them")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(bytes: &'static [u8], data_type: DataType) -> Result<Vec<u8>, Fault> {
        let data = VarintData::new(Bytes::from_static(bytes), data_type).unwrap();
        let mut to = vec![0xaa; data.size()];
        data.fill(&mut to).map(|written| {
            assert_eq!(written, to.len());
            to
        })
    }

    #[test]
    fn varints_become_elements() {
        // 1, 300 and -1.
        const BYTES: &[u8] = &[1, 0xac, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(filled(BYTES, DataType::Int8).unwrap(), [1, 44, 255]);
        assert_eq!(filled(BYTES, DataType::Bool).unwrap(), [1, 1, 1]);
        assert_eq!(filled(BYTES, DataType::Uint16).unwrap(), [1, 0, 44, 1, 255, 255]);
        let wide: Vec<u8> = [1i64, 300, -1].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(filled(BYTES, DataType::Int64).unwrap(), wide);
        assert_eq!(filled(&[], DataType::Int32).unwrap(), Vec::<u8>::new());
        assert!(VarintData::new(Bytes::new(), DataType::Fp32).is_none());
    }

    #[test]
    fn damaged_varints_are_errors() {
        for bytes in [
            &[0x80][..],
            &[1, 0x80],
            &[0xff; 11],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
        ] {
            assert!(filled(bytes, DataType::Int32).is_err(), "{bytes:?}");
        }
    }
}
