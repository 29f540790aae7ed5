//! Elements of a tensor from nested arrays.

use super::document::{Kind, Numbers};
use super::number;
use super::value::{JsonValue, WrongType, numbers};

/// The deepest nesting of arrays in a tensor's data.
const DEPTH: usize = 100;

/// Why arrays do not give a tensor's elements, with the server's texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    /// An element has another type.
    #[error("Unable to parse 'data': {0}")]
    Type(#[from] WrongType),
    /// An element is not a string.
    #[error("Unable to parse JSON bytes array: {0}")]
    Text(WrongType),
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
pub enum FillType {
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

impl FillType {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            FillType::Bool => 1,
            FillType::Unsigned(size) | FillType::Signed(size) => size,
            FillType::F32 => 4,
            FillType::F64 => 8,
        }
    }
}

impl FillType {
    /// The error for an element of another type.
    fn wrong(self) -> WrongType {
        match self {
            FillType::Bool => WrongType::Boolean,
            FillType::Unsigned(_) => WrongType::Unsigned,
            FillType::Signed(_) => WrongType::Signed,
            FillType::F32 | FillType::F64 => WrongType::Number,
        }
    }

    /// Whether all numbers of a class are of this type; none if each has to be looked at.
    fn holds(self, class: Numbers) -> Option<bool> {
        match (self, class) {
            (FillType::Bool, _) => Some(false),
            (FillType::F32 | FillType::F64, _) => Some(true),
            (FillType::Signed(_) | FillType::Unsigned(_), Numbers::Unsigned) => Some(true),
            (FillType::Signed(_), Numbers::Signed) => Some(true),
            (FillType::Unsigned(_), Numbers::Signed) | (_, Numbers::Any) => None,
        }
    }

    /// Whether a number is of this type.
    fn is(self, text: &[u8]) -> bool {
        match self {
            FillType::Bool => false,
            FillType::F32 | FillType::F64 => true,
            FillType::Signed(_) => number::signed(text).is_some(),
            FillType::Unsigned(_) => number::unsigned(text).is_some(),
        }
    }
}

/// Elements that are left to write.
struct Filler<'a> {
    scalar: FillType,
    rest: &'a mut [u8],
}

impl JsonValue<'_> {
    /// Checks what [`JsonValue::fill`] would write, mostly without a look at single numbers. Returns the number of elements.
    ///
    /// # Errors
    /// Elements of another type, or arrays nested too deeply.
    pub fn check(self, scalar: FillType) -> Result<usize, FillError> {
        self.check_at(scalar, 0)
    }

    fn check_at(self, scalar: FillType, depth: usize) -> Result<usize, FillError> {
        let fits = match self.kind() {
            Kind::Array => {
                let mut count = 0;
                let add = |element: JsonValue<'_>| {
                    count += element.check_at(scalar, depth + 1)?;
                    Ok(())
                };
                return nested(self, depth, add).map(|()| count);
            }
            Kind::Numbers(_) if depth >= DEPTH => return Err(FillError::Depth),
            Kind::Numbers(class) => scalar
                .holds(class)
                .unwrap_or_else(|| numbers(self.text()).all(|text| scalar.is(text))),
            Kind::Number => scalar.is(self.text()),
            _ => scalar == FillType::Bool && self.boolean().is_ok(),
        };
        match (fits, self.kind()) {
            (false, _) => Err(scalar.wrong().into()),
            (true, Kind::Numbers(_)) => Ok(self.count()),
            (true, _) => Ok(1),
        }
    }

    /// Writes the elements of this value, arrays nested in any way, in little-endian bytes over the whole of `bytes`.
    ///
    /// # Errors
    /// Elements of another type, or not as many as fit. `bytes` may have been written in part.
    pub fn fill(self, scalar: FillType, bytes: &mut [u8]) -> Result<(), FillError> {
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
            Kind::Numbers(_) => Err(FillError::Text(WrongType::String)),
            _ => take(&self.string().map_err(FillError::Text)?),
        }
    }
}

fn nested<'a>(
    array: JsonValue<'a>,
    depth: usize,
    each: impl FnMut(JsonValue<'a>) -> Result<(), FillError>,
) -> Result<(), FillError> {
    if depth >= DEPTH {
        return Err(FillError::Depth);
    }
    array.elements()?.try_for_each(each)
}

impl Filler<'_> {
    fn value(&mut self, value: JsonValue<'_>, depth: usize) -> Result<(), FillError> {
        match value.kind() {
            Kind::Array => nested(value, depth, |element| self.value(element, depth + 1)),
            Kind::Numbers(_) if depth >= DEPTH => Err(FillError::Depth),
            Kind::Numbers(_) => self.numbers(value),
            Kind::Number => self.number(value.text()),
            _ => match (self.scalar, value.boolean()) {
                (FillType::Bool, Ok(value)) => self.put(&[value.into()]),
                _ => Err(self.scalar.wrong().into()),
            },
        }
    }

    fn numbers(&mut self, array: JsonValue<'_>) -> Result<(), FillError> {
        if array.count() * self.scalar.size() > self.rest.len() {
            return Err(FillError::More);
        }
        match self.scalar {
            FillType::F32 => {
                number::floats(array.text(), |value| self.put(&(value as f32).to_le_bytes()))
            }
            FillType::F64 => number::floats(array.text(), |value| self.put(&value.to_le_bytes())),
            _ => numbers(array.text()).try_for_each(|text| self.number(text)),
        }
    }

    fn number(&mut self, text: &[u8]) -> Result<(), FillError> {
        match self.scalar {
            FillType::F32 => self.put(&(number::float(text) as f32).to_le_bytes()),
            FillType::F64 => self.put(&number::float(text).to_le_bytes()),
            FillType::Signed(size) => {
                let value = number::signed(text).ok_or(self.scalar.wrong())?;
                self.put(&value.to_le_bytes()[..size])
            }
            FillType::Unsigned(size) => {
                let value = number::unsigned(text).ok_or(self.scalar.wrong())?;
                self.put(&value.to_le_bytes()[..size])
            }
            FillType::Bool => Err(self.scalar.wrong().into()),
        }
    }

    fn put(&mut self, element: &[u8]) -> Result<(), FillError> {
        let rest = std::mem::take(&mut self.rest);
        let (place, rest) = rest.split_at_mut_checked(element.len()).ok_or(FillError::More)?;
        place.copy_from_slice(element);
        self.rest = rest;
        Ok(())
    }
}
