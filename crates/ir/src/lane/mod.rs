//! Type rules of the lane level, where a function is what one thread of a threadgroup runs.
//!
//! Values are scalars, vectors of 2, 3 or 4 elements, single pointers, and the 8×8 matrices and 32×32 accumulators of a
//! simdgroup. The rules of ops stand with their rows, in `ops`.

use crate::op::words::LocalSpace;
use crate::tile::is_element;
use crate::types::{PointerType, TensorType};
use crate::{DType, Func, Op, Type, ops};

/// Threads of a simdgroup.
pub const SIMDGROUP: usize = 32;

/// Most threads of a threadgroup; a device may allow a kernel fewer.
pub const MAX_THREADS: u32 = 1024;

/// Most elements of a vector.
pub const MAX_WIDTH: usize = 4;

/// Most elements of an array; a device has less memory than this allows.
pub const MAX_ARRAY: usize = 1 << 16;

/// Checks the type of a value at level lane; the error says what is wrong with it.
pub(crate) fn check_type(ty: &Type) -> Result<(), &'static str> {
    const ELEMENTS: &str = "elements are floats and integers of whole bytes, or truth values";
    match ty {
        Type::Tensor(TensorType { dtype, .. }) => match ty.dims().as_deref() {
            _ if !is_element(*dtype) => Err(ELEMENTS),
            Some([] | [2..=MAX_WIDTH]) => Ok(()),
            _ => Err("values are scalars or vectors of 2, 3 or 4 elements"),
        },
        Type::Pointer(PointerType { to, shape, .. }) => match shape.as_deref() {
            _ if !is_element(*to) => Err(ELEMENTS),
            Some([]) => Ok(()),
            _ => Err("pointers are single, of rank 0"),
        },
        Type::Matrix(dtype) if is_factor(*dtype) => Ok(()),
        Type::Matrix(_) => Err("matrices are of f16, bf16 or f32"),
        Type::Accumulator(ty) if matches!(ty.factor, DType::F16 | DType::BF16) => Ok(()),
        Type::Accumulator(_) => Err("the factors of accumulators are of f16 or bf16"),
        _ => Err("values are scalars, vectors, pointers, matrices or accumulators"),
    }
}

/// Whether matrices have elements of this type.
pub(crate) fn is_factor(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16 | DType::F32)
}

/// Bytes of threadgroup memory that the arrays of a kernel take, each from a multiple of 16 on: a device has about 32 KiB.
pub fn threadgroup_bytes(func: &Func) -> usize {
    const ALIGN: usize = 16;
    let arrays = func.body.ops.iter().filter(|op| is_shared_array(op));
    let bytes = |op: &Op| {
        let Some(op) = ops::Alloc::of(op) else { return 0 };
        let (len, size) = (usize::try_from(op.len()).unwrap_or(0), op.dtype().size());
        len.saturating_mul(size).checked_next_multiple_of(ALIGN).unwrap_or(usize::MAX)
    };
    arrays.map(bytes).fold(0, usize::saturating_add)
}

/// Whether the op makes an array that all threads of a threadgroup share.
pub(crate) fn is_shared_array(op: &Op) -> bool {
    ops::Alloc::of(op).is_some_and(|op| op.space() == LocalSpace::Threadgroup)
}

#[cfg(test)]
mod tests;
