//! Types of values.

use crate::{DType, Dim, Shape};

/// Element type and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Element type.
    pub dtype: DType,
    /// Dimensions; `None` while not even the rank is known.
    pub shape: Option<Shape>,
}

/// The type of a value.
///
/// `tile` and `lane` functions will add blocks, pointers and vectors as further variants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A tensor.
    Tensor(TensorType),
    /// A list of values of one type.
    Seq(Box<Type>),
    /// A value or nothing.
    Optional(Box<Type>),
    /// A dictionary with keys of an integer or string type.
    Map(DType, Box<Type>),
}

impl Type {
    /// A tensor of unknown rank.
    pub fn unranked(dtype: DType) -> Type {
        Type::Tensor(TensorType { dtype, shape: None })
    }

    /// A tensor with the given dimensions.
    pub fn tensor(dtype: DType, shape: impl IntoIterator<Item = Dim>) -> Type {
        Type::Tensor(TensorType { dtype, shape: Some(shape.into_iter().collect()) })
    }

    /// A tensor whose dimensions are all numbers.
    pub fn fixed(dtype: DType, dims: &[usize]) -> Type {
        Type::tensor(dtype, dims.iter().map(|&n| Dim::Fixed(n)))
    }

    /// Element type, if this is a tensor.
    pub fn dtype(&self) -> Option<DType> {
        self.as_tensor().map(|t| t.dtype)
    }

    /// The tensor type, if this is one.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(t) => Some(t),
            _ => None,
        }
    }

    /// Dimensions, if this is a tensor of known rank.
    pub fn shape(&self) -> Option<&[Dim]> {
        self.as_tensor()?.shape.as_deref()
    }

    /// All dimensions as numbers, if every one is known.
    pub fn dims(&self) -> Option<Vec<usize>> {
        self.shape()?.iter().map(Dim::fixed).collect()
    }
}
