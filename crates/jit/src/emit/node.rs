//! Values during code generation: scalars in registers, blocks as expressions that loops evaluate.

use cranelift_codegen::ir::{Type, Value, types};
use trident_ir::DType;
use trident_tile_analysis::{self as analysis, Elem, NodeId};

/// How a block's elements are obtained; run-time scalars are Cranelift values.
pub(super) type Kind<'m> = analysis::Kind<'m, Value>;

/// Register types.
pub(super) trait Register {
    /// The type of an element in a register, the same as in memory. An element of a tensor is held as its bits; only
    /// `f32` and `f64` are in floating-point registers.
    fn clif(self) -> Type;
}

impl Register for Elem {
    fn clif(self) -> Type {
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
}

/// A value of the function.
#[derive(Clone)]
pub(super) enum Val {
    /// Rank 0.
    Scalar(Value, Elem),
    /// A block with its dimensions.
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
    /// Bits of the element that replaces elements outside.
    pub(super) padding: Value,
}
