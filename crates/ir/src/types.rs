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

    /// The type with every shape in it forgotten.
    pub fn unshaped(&self) -> Type {
        match self {
            Type::Tensor(t) => Type::unranked(t.dtype),
            Type::Seq(item) => Type::Seq(Box::new(item.unshaped())),
            Type::Optional(inner) => Type::Optional(Box::new(inner.unshaped())),
            Type::Map(key, value) => Type::Map(*key, Box::new(value.unshaped())),
        }
    }

    /// Whether one value could have both types: they differ at most in dimensions of which at least one is unknown.
    pub fn agrees(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Tensor(a), Type::Tensor(b)) => {
                let shapes = match (&a.shape, &b.shape) {
                    (Some(a), Some(b)) => {
                        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.may_be(b))
                    }
                    _ => true,
                };
                a.dtype == b.dtype && shapes
            }
            (Type::Seq(a), Type::Seq(b)) | (Type::Optional(a), Type::Optional(b)) => a.agrees(b),
            (Type::Map(k, a), Type::Map(l, b)) => k == l && a.agrees(b),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_agree_where_shapes_do_not_contradict() {
        let f32 = |dims: &[Dim]| Type::tensor(DType::F32, dims.to_vec());
        let (two, three) = ([Dim::Fixed(2)], [Dim::Fixed(3)]);
        let (n, unknown) = ([Dim::sym("N")], [Dim::Unknown]);
        assert!(f32(&two).agrees(&f32(&n)) && f32(&n).agrees(&f32(&unknown)));
        assert!(f32(&[]).agrees(&Type::unranked(DType::F32)));
        assert!(!f32(&[]).agrees(&f32(&two)) && !f32(&two).agrees(&f32(&three)));
        assert!(!f32(&[]).agrees(&Type::unranked(DType::F16)));
        let seq = |t: Type| Type::Seq(Box::new(t));
        assert!(seq(f32(&two)).agrees(&seq(f32(&two)).unshaped()));
        assert!(!seq(f32(&two)).agrees(&seq(f32(&three))) && !seq(f32(&two)).agrees(&f32(&two)));
    }
}
