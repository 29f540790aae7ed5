//! Constant tensors inside a function.

use crate::{DType, Element, Type};
use bytes::Bytes;
use std::sync::Arc;

/// Data of a constant: bytes shared with wherever they came from (a memory-mapped file, a decoded
/// message), or strings.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralData {
    /// Elements in row-major order, little endian, each [`DType::size`] bytes; no alignment is promised.
    Bytes(Bytes),
    /// Elements of a string tensor.
    Strings(Arc<[String]>),
}

/// A tensor known before the program runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    dtype: DType,
    dims: Vec<usize>,
    data: LiteralData,
}

/// The data of a literal do not fit its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiteralError {
    /// Byte count against what type and dimensions ask for.
    #[error("a constant of type {dtype}{dims:?} needs {expected} bytes, its data have {actual}")]
    Size {
        /// Element type.
        dtype: DType,
        /// Dimensions.
        dims: Vec<usize>,
        /// Bytes needed.
        expected: usize,
        /// Bytes given.
        actual: usize,
    },
    /// The number of elements overflows.
    #[error("a constant of dimensions {dims:?} has too many elements")]
    TooLarge {
        /// Dimensions.
        dims: Vec<usize>,
    },
    /// Strings for a numeric type, or the reverse.
    #[error("string data and element type {dtype} do not go together")]
    Kind {
        /// Element type.
        dtype: DType,
    },
}

/// Product of dimensions, `None` if it overflows `isize` (the limit of an allocation).
pub fn checked_len(dims: &[usize]) -> Option<usize> {
    if dims.contains(&0) {
        return Some(0);
    }
    let len = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?;
    isize::try_from(len).ok().map(|_| len)
}

impl Literal {
    /// A literal over raw element bytes.
    pub fn from_bytes(
        dtype: DType,
        dims: Vec<usize>,
        data: Bytes,
    ) -> Result<Literal, LiteralError> {
        if dtype == DType::Str {
            return Err(LiteralError::Kind { dtype });
        }
        let expected = checked_len(&dims).and_then(|n| n.checked_mul(dtype.size()));
        let Some(expected) = expected else { return Err(LiteralError::TooLarge { dims }) };
        if expected != data.len() {
            return Err(LiteralError::Size { dtype, dims, expected, actual: data.len() });
        }
        Ok(Literal { dtype, dims, data: LiteralData::Bytes(data) })
    }

    /// A literal of strings.
    pub fn from_strings(dims: Vec<usize>, data: Vec<String>) -> Result<Literal, LiteralError> {
        match checked_len(&dims) {
            Some(n) if n == data.len() => {
                Ok(Literal { dtype: DType::Str, dims, data: LiteralData::Strings(data.into()) })
            }
            Some(expected) => {
                Err(LiteralError::Size { dtype: DType::Str, dims, expected, actual: data.len() })
            }
            None => Err(LiteralError::TooLarge { dims }),
        }
    }

    /// A rank-1 literal.
    pub fn vector<T: Element>(values: &[T]) -> Literal {
        Literal {
            dtype: T::DTYPE,
            dims: vec![values.len()],
            data: LiteralData::Bytes(Bytes::copy_from_slice(bytemuck::cast_slice(values))),
        }
    }

    /// A rank-0 literal.
    pub fn scalar<T: Element>(value: T) -> Literal {
        Literal { dims: vec![], ..Literal::vector(&[value]) }
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Dimensions.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements.
    pub fn data(&self) -> &LiteralData {
        &self.data
    }

    /// The type of the constant.
    pub fn ty(&self) -> Type {
        Type::fixed(self.dtype, &self.dims)
    }

    /// The elements as `T`, if that is the element type. Copies, as no alignment is promised.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        match &self.data {
            LiteralData::Bytes(bytes) if T::DTYPE == self.dtype => {
                Some(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
            }
            _ => None,
        }
    }

    /// The elements widened to `i64`, if the element type is an integer of at most 64 bits that fits.
    pub fn to_i64s(&self) -> Option<Vec<i64>> {
        macro_rules! widen {
            ($t:ty) => {
                self.to_vec::<$t>().map(|v| v.into_iter().map(i64::from).collect())
            };
        }
        match self.dtype {
            DType::I64 => self.to_vec::<i64>(),
            DType::I32 => widen!(i32),
            DType::I16 => widen!(i16),
            DType::I8 => widen!(i8),
            DType::U8 => widen!(u8),
            DType::U16 => widen!(u16),
            DType::U32 => widen!(u32),
            _ => None,
        }
    }

    /// The same elements with other dimensions; `None` if the counts differ.
    pub fn with_dims(&self, dims: Vec<usize>) -> Option<Literal> {
        (checked_len(&dims) == Some(self.len())).then(|| Literal { dims, ..self.clone() })
    }
}
