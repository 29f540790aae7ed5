//! Values of a run.

use crate::literal::LiteralData;
use crate::{DType, Element, Literal, Type};
use bytes::Bytes;
use std::sync::Arc;

/// A block of elements or pointers, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Element type; pointers are addresses, `u64`.
    pub dtype: DType,
    /// Dimensions.
    pub dims: Arc<[usize]>,
    /// The bits of each element, upper ones 0.
    pub bits: Arc<[u64]>,
}

/// A tensor in memory, as a descriptor describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Element type.
    pub dtype: DType,
    /// Dimensions of the blocks that are read and written.
    pub block: Vec<usize>,
    /// Address of the first element.
    pub base: u64,
    /// Length of each axis.
    pub dims: Vec<i64>,
    /// Elements from one place of each axis to the next.
    pub strides: Vec<i64>,
    /// Whether reads outside give NaN instead of 0.
    pub nan: bool,
}

/// The value that an id of a function stands for while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterpValue {
    /// A block of elements or pointers; a scalar has rank 0. Also a matrix of a simdgroup, which each thread holds
    /// whole.
    Block(Block),
    /// A descriptor.
    Descriptor(Arc<Descriptor>),
}

impl Block {
    /// A block of these elements.
    pub(super) fn new(dtype: DType, dims: &[usize], bits: Vec<u64>) -> Block {
        debug_assert_eq!(dims.iter().product::<usize>(), bits.len());
        Block { dtype, dims: dims.into(), bits: bits.into() }
    }

    /// A scalar.
    pub(super) fn one(dtype: DType, bits: u64) -> Block {
        Block::new(dtype, &[], vec![bits])
    }

    /// The first element.
    pub(super) fn first(&self) -> u64 {
        self.bits.first().copied().unwrap_or(0)
    }

    /// The same elements under other dimensions.
    pub(super) fn reshaped(&self, dims: &[usize]) -> Block {
        Block { dims: dims.into(), ..self.clone() }
    }

    /// The block in a literal; `None` for strings and elements wider than 8 bytes.
    pub fn from_literal(literal: &Literal) -> Option<Block> {
        let (size, dtype) = (literal.dtype().size(), literal.dtype());
        let LiteralData::Bytes(bytes) = literal.data() else { return None };
        if !(1..=8).contains(&size) {
            return None;
        }
        let element = |chunk: &[u8]| {
            let mut bytes = [0; 8];
            bytes[..size].copy_from_slice(chunk);
            let bits = u64::from_le_bytes(bytes);
            if dtype == DType::Bool { u64::from(bits != 0) } else { bits }
        };
        Some(Block::new(dtype, literal.dims(), bytes.chunks_exact(size).map(element).collect()))
    }

    /// The block as a literal.
    pub fn to_literal(&self) -> Option<Literal> {
        let size = self.dtype.size();
        let bytes: Vec<u8> =
            self.bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect();
        Literal::from_bytes(self.dtype, self.dims.to_vec(), Bytes::from(bytes)).ok()
    }
}

impl InterpValue {
    /// A scalar.
    ///
    /// # Panics
    /// Never: elements of blocks have at most 8 bytes, wider ones become 0.
    pub fn scalar<T: Element>(value: T) -> InterpValue {
        let block = Block::from_literal(&Literal::scalar(value));
        InterpValue::Block(block.unwrap_or_else(|| Block::one(T::DTYPE, 0)))
    }

    /// A pointer.
    pub fn address(address: u64) -> InterpValue {
        InterpValue::Block(Block::one(DType::U64, address))
    }

    /// Whether this is a value of the type.
    pub fn is_of(&self, ty: &Type) -> bool {
        match (self, ty) {
            (InterpValue::Descriptor(d), Type::Descriptor(t)) => {
                d.dtype == t.dtype && d.block == t.block
            }
            (InterpValue::Block(b), Type::Tensor(t)) => {
                b.dtype == t.dtype && ty.dims().as_deref() == Some(&b.dims)
            }
            (InterpValue::Block(b), Type::Matrix(dtype)) => {
                b.dtype == *dtype && b.dims[..] == [crate::types::MATRIX; 2]
            }
            (InterpValue::Block(b), Type::Accumulator(_)) => {
                b.dtype == DType::F32 && b.dims[..] == [crate::types::ACCUMULATOR; 2]
            }
            (InterpValue::Block(b), Type::Pointer(_)) => {
                b.dtype == DType::U64 && ty.dims().as_deref() == Some(&b.dims)
            }
            _ => false,
        }
    }

    /// How errors name the value: its type.
    pub(super) fn describe(&self) -> String {
        match self {
            InterpValue::Block(b) => Type::fixed(b.dtype, &b.dims).to_string(),
            InterpValue::Descriptor(d) => format!("desc<{}>{:?}", d.dtype, d.block),
        }
    }
}

impl From<Block> for InterpValue {
    fn from(block: Block) -> InterpValue {
        InterpValue::Block(block)
    }
}
