//! Protobuf messages read field by field: no message is ever held as a whole beside the bytes of its file.
//!
//! The messages are Paddle's (`framework.proto`). A message of two bytes would take a hundred as a structure, and a
//! hostile file may have any number of them.

use crate::error::PaddleErrorKind;
use prost::encoding::{WireType, decode_key, decode_varint};

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wire<'a> {
    /// A number or truth value.
    Varint(u64),
    /// Four bytes, as floats have.
    Fixed32([u8; 4]),
    /// Eight bytes, as wide floats have.
    Fixed64([u8; 8]),
    /// A text, a message, or a packed list.
    Bytes(&'a [u8]),
}

/// The fields of a message in the order of the file, each with its number.
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Wire<'a>), PaddleErrorKind>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<(u32, Wire<'a>), PaddleErrorKind> {
        let (number, kind) = decode_key(&mut self.0).map_err(PaddleErrorKind::Wire)?;
        let value = match kind {
            WireType::Varint => {
                Wire::Varint(decode_varint(&mut self.0).map_err(PaddleErrorKind::Wire)?)
            }
            WireType::ThirtyTwoBit => Wire::Fixed32(self.array()?),
            WireType::SixtyFourBit => Wire::Fixed64(self.array()?),
            WireType::LengthDelimited => {
                let len = decode_varint(&mut self.0).map_err(PaddleErrorKind::Wire)?;
                let len = usize::try_from(len).ok().filter(|len| *len <= self.0.len());
                let (bytes, rest) = self.0.split_at(len.ok_or_else(truncated)?);
                self.0 = rest;
                Wire::Bytes(bytes)
            }
            WireType::StartGroup | WireType::EndGroup => {
                return Err(malformed(number, "a group"));
            }
        };
        Ok((number, value))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PaddleErrorKind> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(truncated)?;
        self.0 = rest;
        Ok(*bytes)
    }
}

fn truncated() -> PaddleErrorKind {
    PaddleErrorKind::Truncated
}

fn malformed(number: u32, found: &str) -> PaddleErrorKind {
    PaddleErrorKind::Malformed(format!("field {number} of a message has {found}"))
}

impl<'a> Wire<'a> {
    /// The bytes of a message or text.
    pub(crate) fn bytes(self) -> Result<&'a [u8], PaddleErrorKind> {
        match self {
            Wire::Bytes(bytes) => Ok(bytes),
            _ => Err(PaddleErrorKind::Malformed("a number stands where a message should".into())),
        }
    }

    /// A text.
    pub(crate) fn text(self) -> Result<&'a str, PaddleErrorKind> {
        std::str::from_utf8(self.bytes()?)
            .map_err(|_| PaddleErrorKind::Malformed("a text is not valid UTF-8".into()))
    }

    /// The fields of a message.
    pub(crate) fn fields(self) -> Result<Fields<'a>, PaddleErrorKind> {
        self.bytes().map(Fields)
    }

    /// An integer. Negative ones of 32 bits are stored with 64.
    pub(crate) fn int(self) -> Result<i64, PaddleErrorKind> {
        match self {
            Wire::Varint(value) => Ok(value.cast_signed()),
            _ => Err(PaddleErrorKind::Malformed("a number is not an integer".into())),
        }
    }

    /// A float of either width.
    pub(crate) fn float(self) -> Result<f64, PaddleErrorKind> {
        match self {
            Wire::Fixed32(bytes) => Ok(f32::from_le_bytes(bytes).into()),
            Wire::Fixed64(bytes) => Ok(f64::from_le_bytes(bytes)),
            _ => Err(PaddleErrorKind::Malformed("a number is not a float".into())),
        }
    }

    /// Adds the integers of a field to a list: one, or a packed list.
    pub(crate) fn ints_to(self, list: &mut Vec<i64>) -> Result<(), PaddleErrorKind> {
        let Wire::Bytes(mut packed) = self else {
            list.push(self.int()?);
            return Ok(());
        };
        while !packed.is_empty() {
            let value = decode_varint(&mut packed).map_err(PaddleErrorKind::Wire)?;
            list.push(value.cast_signed());
        }
        Ok(())
    }

    /// Adds the floats of a field to a list: one, or a packed list of floats of `width` bytes.
    pub(crate) fn floats_to(
        self,
        list: &mut Vec<f64>,
        width: usize,
    ) -> Result<(), PaddleErrorKind> {
        let Wire::Bytes(packed) = self else {
            list.push(self.float()?);
            return Ok(());
        };
        if !packed.len().is_multiple_of(width) {
            return Err(truncated());
        }
        list.extend(packed.chunks_exact(width).map(|chunk| match chunk.first_chunk::<8>() {
            Some(bytes) => f64::from_le_bytes(*bytes),
            None => chunk.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes).into()),
        }));
        Ok(())
    }
}

/// Element type and dimensions of a message `TensorDesc`; the number of a type that is not ours stays one.
pub(crate) struct TensorDesc {
    /// Number of the element type.
    pub dtype: i64,
    /// Dimensions.
    pub dims: Vec<i64>,
}

impl TensorDesc {
    pub(crate) fn read(message: &[u8]) -> Result<TensorDesc, PaddleErrorKind> {
        let (mut dtype, mut dims) = (None, vec![]);
        for field in Fields(message) {
            match field? {
                (1, value) => dtype = Some(value.int()?),
                (2, value) => value.ints_to(&mut dims)?,
                _ => {}
            }
        }
        let missing = || PaddleErrorKind::Malformed("a tensor has no element type".into());
        Ok(TensorDesc { dtype: dtype.ok_or_else(missing)?, dims })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_order_and_damage_ends_them() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 0, 0, 0x80, 0x3f];
        let fields: Result<Vec<_>, _> = Fields(&message).collect();
        let expected = [
            (1, Wire::Varint(150)),
            (2, Wire::Bytes(b"hi")),
            (3, Wire::Fixed32([0, 0, 0x80, 0x3f])),
        ];
        assert_eq!(fields.unwrap(), expected);
        for end in [1, 2, 4, 5, 8, 11] {
            assert!(Fields(&message[..end]).any(|field| field.is_err()), "{end}");
        }
        // A group, field 0, a length beyond the end, a number of more than 64 bits.
        for damaged in [&[0x0b][..], &[0x00, 1], &[0x0a, 0xff, 0xff, 0x03], &[0xff; 12]] {
            assert_eq!(Fields(damaged).filter(|field| field.is_err()).count(), 1);
        }
    }

    #[test]
    fn lists_may_be_packed() {
        let mut ints = vec![];
        Wire::Varint(3).ints_to(&mut ints).unwrap();
        Wire::Bytes(&[4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])
            .ints_to(&mut ints)
            .unwrap();
        assert_eq!(ints, [3, 4, -1]);
        let mut floats = vec![];
        Wire::Fixed32(1.5f32.to_le_bytes()).floats_to(&mut floats, 4).unwrap();
        Wire::Bytes(&0.1f64.to_le_bytes()).floats_to(&mut floats, 8).unwrap();
        Wire::Bytes(&2.0f32.to_le_bytes()).floats_to(&mut floats, 4).unwrap();
        assert_eq!(floats, [1.5, 0.1, 2.0]);
        assert!(Wire::Bytes(&[1, 2, 3]).floats_to(&mut floats, 4).is_err());
        assert!(Wire::Bytes(&[0x80]).ints_to(&mut ints).is_err());
    }
}
