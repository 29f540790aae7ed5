//! Elements of a tensor from nested arrays.

use super::document::Kind;
use super::number;
use super::value::{Value, WrongType, numbers};

/// The deepest nesting of arrays in a tensor's data.
const DEPTH: usize = 100;

/// Why arrays do not give a tensor's elements, with the server's texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    /// An element has another type.
    #[error("Unable to parse 'data': {0}")]
    Type(#[from] WrongType),
    /// There are more elements than the shape has.
    #[error("Unable to parse 'data': Shape does not match true shape of 'data' field")]
    More,
    /// There are fewer elements than the shape has.
    #[error("Failed to parse 'data' field: shape does not match true shape")]
    Fewer,
    /// Arrays are nested too deeply.
    #[error("Unable to parse 'data': JSON nesting depth exceeds maximum allowed limit ({DEPTH})")]
    Depth,
}

/// The type of a tensor's elements, as they stand in JSON and in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `true` and `false`, one byte each.
    Bool,
    /// Unsigned integers of 1, 2, 4 or 8 bytes. Larger ones lose their upper bytes, as in the server.
    Unsigned(usize),
    /// Signed integers of 1, 2, 4 or 8 bytes. Larger ones lose their upper bytes, as in the server.
    Signed(usize),
    /// f32, rounded from f64 as in the server.
    F32,
    /// f64.
    F64,
}

impl Scalar {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Scalar::Bool => 1,
            Scalar::Unsigned(size) | Scalar::Signed(size) => size,
            Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }
}

/// Elements that are left to write.
struct Filler<'a> {
    scalar: Scalar,
    rest: &'a mut [u8],
}

impl Value<'_> {
    /// Writes the elements of this value, arrays nested in any way, in little-endian bytes over the whole of `bytes`.
    ///
    /// # Errors
    /// Elements of another type, or not as many as fit. `bytes` may have been written in part.
    pub fn fill(self, scalar: Scalar, bytes: &mut [u8]) -> Result<(), FillError> {
        let mut filler = Filler { scalar, rest: bytes };
        filler.value(self, 0)?;
        if filler.rest.is_empty() { Ok(()) } else { Err(FillError::Fewer) }
    }

    /// Gives each string of this value, arrays nested in any way, to `take`.
    ///
    /// # Errors
    /// An element that is not a string, or what `take` returns.
    pub fn strings(
        self,
        take: &mut impl FnMut(&[u8]) -> Result<(), FillError>,
    ) -> Result<(), FillError> {
        self.strings_at(take, 0)
    }

    fn strings_at(
        self,
        take: &mut impl FnMut(&[u8]) -> Result<(), FillError>,
        depth: usize,
    ) -> Result<(), FillError> {
        match self.kind() {
            Kind::Array => nested(self, depth, |value| value.strings_at(take, depth + 1)),
            Kind::Numbers => Err(WrongType::String.into()),
            _ => take(&self.string()?),
        }
    }
}

fn nested<'a>(
    array: Value<'a>,
    depth: usize,
    each: impl FnMut(Value<'a>) -> Result<(), FillError>,
) -> Result<(), FillError> {
    if depth >= DEPTH {
        return Err(FillError::Depth);
    }
    array.elements()?.try_for_each(each)
}

impl Filler<'_> {
    fn value(&mut self, value: Value<'_>, depth: usize) -> Result<(), FillError> {
        match value.kind() {
            Kind::Array => nested(value, depth, |element| self.value(element, depth + 1)),
            Kind::Numbers if depth >= DEPTH => Err(FillError::Depth),
            Kind::Numbers => self.numbers(value),
            Kind::Number => self.number(value.text()),
            _ => match (self.scalar, value.boolean()) {
                (Scalar::Bool, Ok(value)) => self.put(&[value.into()]),
                _ => Err(self.wrong().into()),
            },
        }
    }

    fn numbers(&mut self, array: Value<'_>) -> Result<(), FillError> {
        if array.count() * self.scalar.size() > self.rest.len() {
            return Err(FillError::More);
        }
        numbers(array.text()).try_for_each(|text| self.number(text))
    }

    fn number(&mut self, text: &[u8]) -> Result<(), FillError> {
        match self.scalar {
            Scalar::F32 => self.put(&(number::float(text) as f32).to_le_bytes()),
            Scalar::F64 => self.put(&number::float(text).to_le_bytes()),
            Scalar::Signed(size) => {
                let value = number::signed(text).ok_or(WrongType::Signed)?;
                self.put(&value.to_le_bytes()[..size])
            }
            Scalar::Unsigned(size) => {
                let value = number::unsigned(text).ok_or(WrongType::Unsigned)?;
                self.put(&value.to_le_bytes()[..size])
            }
            Scalar::Bool => Err(WrongType::Boolean.into()),
        }
    }

    fn put(&mut self, element: &[u8]) -> Result<(), FillError> {
        let rest = std::mem::take(&mut self.rest);
        let (place, rest) = rest.split_at_mut_checked(element.len()).ok_or(FillError::More)?;
        place.copy_from_slice(element);
        self.rest = rest;
        Ok(())
    }

    fn wrong(&self) -> WrongType {
        match self.scalar {
            Scalar::Bool => WrongType::Boolean,
            Scalar::Unsigned(_) => WrongType::Unsigned,
            Scalar::Signed(_) => WrongType::Signed,
            Scalar::F32 | Scalar::F64 => WrongType::Number,
        }
    }
}
