//! Constant tensors inside a function.

use crate::element::{I2, I4, U2, U4};
use crate::interp::number::{from_float, from_int};
use crate::{DType, Element, Type, counted};
use bytes::Bytes;
use std::sync::Arc;

/// Data of a constant: bytes shared with wherever they came from (a decoded message, a
/// buffer), or strings.
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
    #[error(
        "a constant of type {dtype}{dims:?} needs {}, its data have {actual}",
        counted(*expected, "byte")
    )]
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

    /// A rank-1 literal that keeps the vector, without a copy.
    pub fn from_vec<T: Element>(values: Vec<T>) -> Literal {
        struct Owner<T>(Vec<T>);
        impl<T: Element> AsRef<[u8]> for Owner<T> {
            fn as_ref(&self) -> &[u8] {
                bytemuck::cast_slice(&self.0)
            }
        }
        let dims = vec![values.len()];
        let data = LiteralData::Bytes(Bytes::from_owner(Owner(values)));
        Literal { dtype: T::DTYPE, dims, data }
    }

    /// A rank-0 literal.
    pub fn scalar<T: Element>(value: T) -> Literal {
        Literal { dims: vec![], ..Literal::vector(&[value]) }
    }

    /// A rank-0 literal of the number that is nearest to `value`, for types of at most 8 bytes.
    pub fn number(dtype: DType, value: f64) -> Literal {
        let bits = match dtype.is_float() {
            true => from_float(dtype, value),
            false => from_int(dtype, value as i128),
        };
        let bytes = &bits.to_le_bytes()[..dtype.size().min(8)];
        Literal { dtype, dims: vec![], data: LiteralData::Bytes(Bytes::copy_from_slice(bytes)) }
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether there is an element and all others have the same bits.
    pub fn is_splat(&self) -> bool {
        let size = self.dtype().size();
        match self.data() {
            LiteralData::Bytes(b) if size > 0 => {
                let first = b.get(..size);
                first.is_some() && b.chunks_exact(size).all(|c| Some(c) == first)
            }
            _ => false,
        }
    }

    /// Dimensions.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        // Beside a 0, the product of the others may overflow.
        if self.dims.contains(&0) { 0 } else { self.dims.iter().product() }
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

    /// The elements in row-major order, if `T` is their type.
    pub fn elements<T: Element>(&self) -> Option<impl ExactSizeIterator<Item = T>> {
        match &self.data {
            LiteralData::Bytes(bytes) if T::DTYPE == self.dtype => {
                Some(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned))
            }
            _ => None,
        }
    }

    /// The elements as `T`, if that is the element type. Copies, as no alignment is promised.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        Some(self.elements()?.collect())
    }

    /// The elements widened to `i64`, if they are integers that fit.
    pub fn to_i64s(&self) -> Option<Vec<i64>> {
        macro_rules! widen {
            ($t:ty, $wide:expr) => {
                self.elements::<$t>()?.map($wide).collect()
            };
        }
        match self.dtype {
            DType::I64 => self.to_vec(),
            DType::I32 => widen!(i32, |v| Some(v.into())),
            DType::I16 => widen!(i16, |v| Some(v.into())),
            DType::I8 => widen!(i8, |v| Some(v.into())),
            DType::I4 => widen!(I4, |v| Some(v.0.into())),
            DType::I2 => widen!(I2, |v| Some(v.0.into())),
            DType::U64 => widen!(u64, |v| v.try_into().ok()),
            DType::U32 => widen!(u32, |v| Some(v.into())),
            DType::U16 => widen!(u16, |v| Some(v.into())),
            DType::U8 => widen!(u8, |v| Some(v.into())),
            DType::U4 => widen!(U4, |v| Some(v.0.into())),
            DType::U2 => widen!(U2, |v| Some(v.0.into())),
            _ => None,
        }
    }

    /// The elements widened to `f64`, if they are floats of 16 bits or more.
    pub fn to_f64s(&self) -> Option<Vec<f64>> {
        fn widen<T: Element + Into<f64>>(literal: &Literal) -> Option<Vec<f64>> {
            Some(literal.elements::<T>()?.map(Into::into).collect())
        }
        match self.dtype {
            DType::F64 => self.to_vec(),
            DType::F32 => widen::<f32>(self),
            DType::F16 => widen::<half::f16>(self),
            DType::BF16 => widen::<half::bf16>(self),
            _ => None,
        }
    }

    /// The same elements with other dimensions; `None` if the counts differ.
    pub fn with_dims(&self, dims: Vec<usize>) -> Option<Literal> {
        (checked_len(&dims) == Some(self.len())).then(|| Literal { dims, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(dtype: DType, dims: &[usize], n: usize) -> Result<Literal, LiteralError> {
        Literal::from_bytes(dtype, dims.to_vec(), Bytes::from(vec![1; n]))
    }

    #[test]
    fn data_fit_the_type() {
        assert_eq!(bytes(DType::F16, &[2, 3], 12).unwrap().len(), 6);
        assert_eq!(bytes(DType::I4, &[3], 3).unwrap().ty(), Type::fixed(DType::I4, &[3]));
        assert!(bytes(DType::F32, &[], 4).is_ok());
        assert!(matches!(
            bytes(DType::F32, &[2], 4),
            Err(LiteralError::Size { expected: 8, actual: 4, .. })
        ));
        assert!(matches!(
            bytes(DType::U8, &[usize::MAX, 2], 4),
            Err(LiteralError::TooLarge { .. })
        ));
        assert!(matches!(
            bytes(DType::F64, &[usize::MAX / 4], 4),
            Err(LiteralError::TooLarge { .. })
        ));
        assert_eq!(bytes(DType::Str, &[0], 0), Err(LiteralError::Kind { dtype: DType::Str }));
        assert!(Literal::from_strings(vec![2], vec!["a".into()]).is_err());
    }

    #[test]
    fn floats_are_widened() {
        let (short, long) = (half::f16::from_f32(0.5), f64::MAX);
        assert_eq!(Literal::vector(&[short, -short]).to_f64s(), Some(vec![0.5, -0.5]));
        assert_eq!(Literal::vector(&[half::bf16::INFINITY]).to_f64s(), Some(vec![f64::INFINITY]));
        assert_eq!(Literal::vector(&[1.5f32]).to_f64s(), Some(vec![1.5]));
        assert_eq!(Literal::vector(&[long]).to_f64s(), Some(vec![long]));
        assert_eq!(Literal::vector(&[1i32]).to_f64s(), None);
    }

    #[test]
    fn no_elements_beside_huge_dimensions() {
        let empty = bytes(DType::F32, &[usize::MAX, 2, 0], 0).unwrap();
        assert!(empty.is_empty());
        assert_eq!(empty.to_vec::<f32>(), Some(vec![]));
    }

    #[test]
    fn elements_are_read_at_any_alignment() {
        let data = Bytes::from_static(&[0, 1, 0, 0, 0, 2, 0, 0, 0]).slice(1..);
        let literal = Literal::from_bytes(DType::I32, vec![2], data).unwrap();
        assert_eq!(literal.to_vec::<i32>(), Some(vec![1, 2]));
        assert_eq!(literal.to_vec::<u32>(), None);
        assert_eq!(literal.with_dims(vec![1, 2]).unwrap().dims(), [1, 2]);
        assert_eq!(literal.with_dims(vec![3]), None);
    }

    #[test]
    fn integers_widen_if_they_fit() {
        assert_eq!(Literal::vector(&[-1i8, 2]).to_i64s(), Some(vec![-1, 2]));
        assert_eq!(Literal::vector(&[I4(-8)]).to_i64s(), Some(vec![-8]));
        assert_eq!(Literal::vector(&[u64::MAX >> 1]).to_i64s(), Some(vec![i64::MAX]));
        assert_eq!(Literal::vector(&[u64::MAX]).to_i64s(), None);
        assert_eq!(Literal::scalar(1f32).to_i64s(), None);
    }
}
