//! Shapes and ranks as values; constants where they are known.

use crate::error::LoadError;
use trident_ir::{Attr, Builder, Literal, OpKind, ValueId};

/// The dimensions of a tensor, an i64 vector.
pub(crate) fn shape(b: &mut Builder<'_>, x: ValueId) -> Result<ValueId, LoadError> {
    match b.func.ty(x).dims() {
        Some(dims) => {
            let dims: Vec<i64> = dims.into_iter().map(|d| d as i64).collect();
            Ok(ints(b, &dims))
        }
        None => Ok(b.op(OpKind::Shape, &[x], &[])?),
    }
}

/// The rank of a tensor, an i64 vector of one element.
pub(crate) fn rank(b: &mut Builder<'_>, x: ValueId) -> Result<ValueId, LoadError> {
    match b.func.ty(x).shape().map(<[_]>::len) {
        Some(rank) => Ok(ints(b, &[rank as i64])),
        None => {
            let shape = b.op(OpKind::Shape, &[x], &[])?;
            Ok(b.op(OpKind::Shape, &[shape], &[])?)
        }
    }
}

/// An i64 vector.
pub(crate) fn ints(b: &mut Builder<'_>, values: &[i64]) -> ValueId {
    b.literal(Literal::vector(values))
}

/// `count` ones; `count` is an i64 vector of one element, and less than none counts as none.
pub(crate) fn ones(b: &mut Builder<'_>, count: ValueId) -> Result<ValueId, LoadError> {
    let zero = ints(b, &[0]);
    let count = b.op(OpKind::Max, &[count, zero], &[])?;
    let one = Attr::Tensor(Literal::vector(&[1i64]));
    Ok(b.op(OpKind::ConstantOfShape, &[count], &[("value", one)])?)
}

/// `x` with its shape followed by `count` ones.
pub(crate) fn append_ones(
    b: &mut Builder<'_>,
    x: ValueId,
    count: ValueId,
) -> Result<ValueId, LoadError> {
    let (shape, ones) = (shape(b, x)?, ones(b, count)?);
    let shape = b.op(OpKind::Concat, &[shape, ones], &[("axis", Attr::Int(0))])?;
    reshape(b, x, shape)
}

/// `x` in another shape, where a dimension of 0 stands for itself.
pub(crate) fn reshape(
    b: &mut Builder<'_>,
    x: ValueId,
    shape: ValueId,
) -> Result<ValueId, LoadError> {
    Ok(b.op(OpKind::Reshape, &[x, shape], &[("allowzero", Attr::Int(1))])?)
}
