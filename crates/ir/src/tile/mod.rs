//! Type rules of the tile level, where every dimension is a number.
//!
//! Rules are next to the rows of ops, in `ops`. [`infer`] checks the operands and attributes of an op and gives the
//! types of its results as far as they follow; [`declared`] checks types that only the function states, such as the
//! dimensions of a `splat`. [`signature`] gives the parameters and results of an op's regions. Level lane uses them
//! too.

mod elementwise;
mod origin;
pub(crate) mod region;
mod site;

pub(crate) use elementwise::alike;
pub use origin::{Origin, Origins};
pub(crate) use region::signature;
pub(crate) use site::Site;

use crate::literal::checked_len;
use crate::op::TypeError;
use crate::types::{DescriptorType, PointerType, TensorType};
use crate::{DType, Func, Op, Shape, Type};

/// Most elements of a block.
pub const MAX_ELEMENTS: usize = 1 << 20;

/// Most axes of a block.
pub const MAX_RANK: usize = 32;

/// Types of results; `None` where only the function tells.
pub(crate) type Types = Result<Vec<Option<Type>>, TypeError>;

/// A rule for operands, attributes and the types of results.
pub(crate) type TypesRule = fn(&Site<'_>) -> Types;

/// A rule for the types of results that only the function tells.
pub(crate) type CheckRule = fn(&Site<'_>) -> Result<(), TypeError>;

/// Checks operands and attributes of `op` by the rule of its row and gives the types of its results as far as they follow
/// from these; at levels tile and lane.
pub(crate) fn infer(func: &Func, op: &Op) -> Types {
    let site = Site { func, op };
    site.flags()?;
    let decl = op.decl();
    // The verifier has the better error for an op of another level.
    match decl.exact(func.level).or(decl.tile).or(decl.lane) {
        Some(rule) => (rule.infer)(&site),
        None => Ok(vec![None; op.outputs.len()]),
    }
}

/// Checks the types of results that do not follow, at levels tile and lane.
pub(crate) fn declared(func: &Func, op: &Op) -> Result<(), TypeError> {
    let check = op.decl().exact(func.level).and_then(|rule| rule.check);
    check.map_or(Ok(()), |check| check(&Site { func, op }))
}

/// Whether elements of this type live in blocks: floats from 8 bits on, integers of whole bytes, truth values.
pub fn is_element(dtype: DType) -> bool {
    match dtype {
        DType::F8E8M0FNU | DType::F4E2M1FN => false,
        DType::Bool => true,
        _ => (dtype.is_float() || dtype.is_int()) && dtype.bits() >= 8,
    }
}

/// Checks the type of a value at level tile; the error says what is wrong with it.
pub(crate) fn check_type(ty: &Type) -> Result<(), &'static str> {
    let (dtype, dims) = match ty {
        Type::Tensor(TensorType { dtype, shape }) => (*dtype, fixed(shape)),
        Type::Pointer(PointerType { space, .. }) if space.is_local() => {
            return Err("pointers are to device or constant memory");
        }
        Type::Pointer(PointerType { to, shape, .. }) => (*to, fixed(shape)),
        Type::Descriptor(DescriptorType { dtype, block }) => {
            if block.is_empty() {
                return Err("blocks of descriptors have at least one axis");
            }
            (*dtype, Some(block.clone()))
        }
        _ => return Err("values are blocks, pointers or descriptors"),
    };
    if !is_element(dtype) {
        return Err("elements are floats and integers of whole bytes, or truth values");
    }
    let Some(dims) = dims else { return Err("every dimension is a number") };
    if !dims.iter().all(|n| n.is_power_of_two()) {
        return Err("every dimension is a power of two");
    }
    if dims.len() > MAX_RANK || checked_len(&dims).is_none_or(|n| n > MAX_ELEMENTS) {
        return Err("blocks have at most 1048576 elements and 32 axes");
    }
    Ok(())
}

fn fixed(shape: &Option<Shape>) -> Option<Vec<usize>> {
    shape.as_ref()?.iter().map(crate::Dim::fixed).collect()
}

/// The type with these dimensions.
pub(crate) fn with_dims(ty: &Type, dims: &[usize]) -> Type {
    ty.with_shape(Some(dims.iter().map(|&n| n.into()).collect()))
}

/// One result whose type follows.
pub(crate) fn one(ty: Type) -> Types {
    Ok(vec![Some(ty)])
}

#[cfg(test)]
mod tests;
