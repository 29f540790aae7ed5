//! Values while code is generated: scalars in registers, blocks as expressions that loops evaluate.

use cranelift_codegen::ir::{Type, Value, types};
use trident_ir::{DType, Op};

use super::index::Rename;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Elem {
    /// An element of a tensor: its bits, of which only those of `f32` and `f64` are in a floating-point register.
    Data(DType),
    /// A pointer to such.
    Ptr(DType),
}

impl Elem {
    /// The type in a register, the same as in memory.
    pub(super) fn clif(self) -> Type {
        match self {
            Elem::Ptr(_) => types::I64,
            Elem::Data(DType::F64) => types::F64,
            Elem::Data(DType::F32) => types::F32,
            Elem::Data(dtype) => match dtype.size() {
                8 => types::I64,
                4 => types::I32,
                2 => types::I16,
                _ => types::I8,
            },
        }
    }

    /// The type of the element, or of the address for a pointer.
    pub(super) fn dtype(self) -> DType {
        match self {
            Elem::Data(dtype) => dtype,
            Elem::Ptr(_) => DType::U64,
        }
    }

    /// Bytes in memory.
    pub(super) fn size(self) -> usize {
        self.clif().bytes() as usize
    }
}

/// Names a node.
pub(super) type NodeId = usize;

/// A function of elements.
#[derive(Clone, Copy)]
pub(super) enum Fun<'m> {
    /// That of an elementwise or pointer op.
    Op(&'m Op),
    /// Sum of 64-bit integers.
    Add,
    /// Product of 64-bit integers.
    Mul,
    /// Sign extension to 64 bits.
    Wide,
    /// Whether 0 ≤ a < b.
    Within,
    /// Both hold.
    Both,
}

/// How the elements of a block come about.
#[derive(Clone)]
pub(super) enum Kind<'m> {
    /// All are this value.
    Uniform(Value),
    /// This, this plus 1, … (`i32`).
    Iota(i64),
    /// They lie in scratch, row-major from this address on.
    Buffer(Value),
    /// A function of those at the same place of other blocks.
    Apply(Fun<'m>, Vec<NodeId>),
    /// Those of another block by another index.
    View(NodeId, Rename),
    /// Those of the first or of the second block, as a bit of the index says, both by this index.
    Choose { bit: u8, from: [NodeId; 2], map: Rename },
    /// What pointers point to, where the mask holds.
    Load { ptr: NodeId, mask: Option<NodeId>, other: Option<NodeId>, site: u64 },
    /// Elements of a block in scratch with some bits of the index, first bit and number, taken from a block of integers.
    Take { src: NodeId, index: NodeId, axis: (u8, u8), of: Rename },
}

/// A block.
#[derive(Clone)]
pub(super) struct Node<'m> {
    pub(super) kind: Kind<'m>,
    pub(super) elem: Elem,
    /// Bits of the index.
    pub(super) bits: u8,
    /// The region in whose code the node was made; only there it may be replaced by a buffer.
    pub(super) region: u32,
    /// Roughly instructions for one element.
    pub(super) cost: u32,
    /// Longest path to a leaf.
    pub(super) depth: u32,
}

/// A value of the function.
#[derive(Clone)]
pub(super) enum Val {
    /// Rank 0.
    Scalar(Value, Elem),
    /// A block and its dimensions.
    Block(NodeId, Vec<usize>),
    /// A descriptor.
    Descriptor(Desc),
}

/// A descriptor: all parts are `i64`.
#[derive(Clone)]
pub(super) struct Desc {
    pub(super) elem: DType,
    pub(super) block: Vec<usize>,
    pub(super) base: Value,
    pub(super) lengths: Vec<Value>,
    pub(super) strides: Vec<Value>,
    /// Bits of the element that stands outside.
    pub(super) padding: Value,
}
