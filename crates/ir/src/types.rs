//! Types of values.

use crate::{DType, Dim, Shape};
use std::fmt;

/// Element type and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Element type.
    pub dtype: DType,
    /// Dimensions; `None` while not even the rank is known.
    pub shape: Option<Shape>,
}

/// A pointer or, with dimensions, a block of pointers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PointerType {
    /// The element type that is pointed to.
    pub to: DType,
    /// In which memory.
    pub space: Space,
    /// Dimensions of the block; `None` while not even the rank is known.
    pub shape: Option<Shape>,
}

/// The memory that pointers point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Memory of the device: the arrays of a launch, which every thread sees.
    Device,
    /// Likewise, and never written.
    Constant,
    /// Memory that the threads of a threadgroup share (level lane).
    Threadgroup,
    /// Memory of one thread (level lane).
    Thread,
}

impl Space {
    /// Every space.
    pub const ALL: &'static [Space] =
        &[Space::Device, Space::Constant, Space::Threadgroup, Space::Thread];

    /// The name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Device => "device",
            Space::Constant => "constant",
            Space::Threadgroup => "threadgroup",
            Space::Thread => "thread",
        }
    }

    /// The space with this name.
    pub fn by_name(name: &str) -> Option<Space> {
        Space::ALL.iter().copied().find(|space| space.name() == name)
    }

    /// Whether the memory is a threadgroup's or a thread's own: it comes from `alloc` and lives no longer than they.
    pub const fn is_local(self) -> bool {
        matches!(self, Space::Threadgroup | Space::Thread)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Rows, and columns, of a [`Type::Matrix`].
pub const MATRIX: usize = 8;

/// Rows, and columns, of a [`Type::Accumulator`], and how many products each multiplication adds to each of its elements.
pub const ACCUMULATOR: usize = 32;

/// The factors whose products a [`Type::Accumulator`] sums: GPUs hold sums differently for different factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccumulatorType {
    /// Element type of the factors.
    pub factor: DType,
    /// For each factor whether neighbours in memory are neighbours in a column, instead of those in a row.
    pub transposed: [bool; 2],
}

impl AccumulatorType {
    /// For each factor `n`, or `t` if it is transposed, as in BLAS.
    pub const fn letters(self) -> &'static str {
        match self.transposed {
            [false, false] => "nn",
            [false, true] => "nt",
            [true, false] => "tn",
            [true, true] => "tt",
        }
    }

    /// The type with these letters.
    pub fn by_letters(factor: DType, letters: &str) -> Option<AccumulatorType> {
        let transposed = [[false, false], [false, true], [true, false], [true, true]];
        let types = transposed.map(|transposed| AccumulatorType { factor, transposed });
        types.into_iter().find(|ty| ty.letters() == letters)
    }
}

/// A descriptor of a tensor in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DescriptorType {
    /// Element type; integers are signed or unsigned as reductions take them.
    pub dtype: DType,
    /// Dimensions of the blocks that are read and written.
    pub block: Vec<usize>,
}

/// The type of a value.
///
/// A block of elements in a `tile` function is a tensor whose dimensions are all numbers; a scalar has rank 0. The short
/// vector of a `lane` function is one of rank 1.
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
    /// Pointers.
    Pointer(PointerType),
    /// A descriptor of a tensor in memory.
    Descriptor(DescriptorType),
    /// An 8×8 matrix whose elements the threads of a simdgroup hold together, no one knows where (level lane).
    Matrix(DType),
    /// A 32×32 matrix of f32 sums, whose elements the threads of a simdgroup hold together likewise (level lane).
    Accumulator(AccumulatorType),
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

    /// A block of pointers with the given dimensions.
    pub fn pointer(to: DType, dims: &[usize]) -> Type {
        let shape = Some(dims.iter().map(|&n| Dim::Fixed(n)).collect());
        Type::Pointer(PointerType { to, space: Space::Device, shape })
    }

    /// Dimensions, if this is a tensor or a block of pointers of known rank.
    pub fn shape(&self) -> Option<&[Dim]> {
        match self {
            Type::Tensor(t) => t.shape.as_deref(),
            Type::Pointer(p) => p.shape.as_deref(),
            _ => None,
        }
    }

    /// The type with other dimensions, where it has any.
    pub fn with_shape(&self, shape: Option<Shape>) -> Type {
        match self {
            Type::Tensor(t) => Type::Tensor(TensorType { dtype: t.dtype, shape }),
            Type::Pointer(p) => Type::Pointer(PointerType { shape, ..p.clone() }),
            other => other.clone(),
        }
    }

    /// All dimensions as numbers, if every one is known.
    pub fn dims(&self) -> Option<Vec<usize>> {
        self.shape()?.iter().map(Dim::fixed).collect()
    }

    /// The type with every shape in it forgotten.
    pub fn unshaped(&self) -> Type {
        match self {
            Type::Tensor(_) | Type::Pointer(_) => self.with_shape(None),
            Type::Descriptor(_) | Type::Matrix(_) | Type::Accumulator(_) => self.clone(),
            Type::Seq(item) => Type::Seq(Box::new(item.unshaped())),
            Type::Optional(inner) => Type::Optional(Box::new(inner.unshaped())),
            Type::Map(key, value) => Type::Map(*key, Box::new(value.unshaped())),
        }
    }

    /// Whether one value could have both types: dimensions may differ only where at least one of them is unknown.
    pub fn agrees(&self, other: &Type) -> bool {
        let shapes = |a: &Option<Shape>, b: &Option<Shape>| match (a, b) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.may_be(b)),
            _ => true,
        };
        match (self, other) {
            (Type::Tensor(a), Type::Tensor(b)) => a.dtype == b.dtype && shapes(&a.shape, &b.shape),
            (Type::Pointer(a), Type::Pointer(b)) => {
                a.to == b.to && a.space == b.space && shapes(&a.shape, &b.shape)
            }
            (Type::Descriptor(a), Type::Descriptor(b)) => a == b,
            (Type::Matrix(a), Type::Matrix(b)) => a == b,
            (Type::Accumulator(a), Type::Accumulator(b)) => a == b,
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
