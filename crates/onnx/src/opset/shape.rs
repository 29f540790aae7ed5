//! Shapes and ranks as values; constants where they are known.

use crate::error::OnnxError;
use trident_ir::{Builder, Literal, ValueId, ops};

/// The dimensions of a tensor, an i64 vector.
pub(crate) fn shape(b: &mut Builder<'_>, x: ValueId) -> Result<ValueId, OnnxError> {
    match b.func.ty(x).dims() {
        Some(dims) => {
            let dims: Vec<i64> = dims.into_iter().map(|d| d as i64).collect();
            Ok(ints(b, &dims))
        }
        None => Ok(b.add(ops::Shape::new(x))?),
    }
}

/// The rank of a tensor, an i64 vector of one element.
pub(crate) fn rank(b: &mut Builder<'_>, x: ValueId) -> Result<ValueId, OnnxError> {
    match b.func.ty(x).shape().map(<[_]>::len) {
        Some(rank) => Ok(ints(b, &[rank as i64])),
        None => {
            let shape = b.add(ops::Shape::new(x))?;
            Ok(b.add(ops::Shape::new(shape))?)
        }
    }
}

/// An i64 vector.
pub(crate) fn ints(b: &mut Builder<'_>, values: &[i64]) -> ValueId {
    b.literal(Literal::vector(values))
}

/// `count` ones; `count` is an i64 vector of one element, and less than none counts as none.
pub(crate) fn ones(b: &mut Builder<'_>, count: ValueId) -> Result<ValueId, OnnxError> {
    let zero = ints(b, &[0]);
    let count = b.add(ops::Max::new(&[count, zero]))?;
    Ok(b.add(ops::ConstantOfShape::new(count).value(Literal::vector(&[1i64])))?)
}

/// `x` with its shape followed by `count` ones.
pub(crate) fn append_ones(
    b: &mut Builder<'_>,
    x: ValueId,
    count: ValueId,
) -> Result<ValueId, OnnxError> {
    let (shape, ones) = (shape(b, x)?, ones(b, count)?);
    let shape = b.add(ops::Concat::new(&[shape, ones]).axis(0))?;
    reshape(b, x, shape)
}

/// `x` in another shape, where a dimension of 0 stands for itself.
pub(crate) fn reshape(
    b: &mut Builder<'_>,
    x: ValueId,
    shape: ValueId,
) -> Result<ValueId, OnnxError> {
    Ok(b.add(ops::Reshape::new(x, shape).allowzero(true))?)
}
