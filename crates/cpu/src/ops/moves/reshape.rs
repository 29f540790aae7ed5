//! Ops that change dimensions but not elements, and ops that return dimensions.

use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::geometry;
use trident_ir::ops::{Flatten, Identity, Reshape, Shape, Size, Squeeze, Unsqueeze};
use trident_runtime::{KernelError, Tensor};

/// Sets result `y` to operand `x` with other dimensions, which `dims` computes from the call and the operand's
/// dimensions. Nothing is copied.
fn reshaped(
    call: &mut Call<'_, '_>,
    (x, y): (usize, usize),
    dims: impl FnOnce(&[usize], &Call<'_, '_>) -> Result<Vec<usize>, KernelError>,
) -> Result<(), KernelError> {
    let x = call.take(x)?;
    let dims = dims(x.dims(), call)?;
    call.set(y, x.reshaped(&dims)?);
    Ok(())
}

pub(super) fn reshape(cx: &Compile<'_>) -> Made {
    let (at, allowzero) = (Reshape::AT, cx.view(Reshape::of)?.allowzero());
    Prepared::boxed(cx, move |call| {
        reshaped(call, (at.x, at.y), |dims, call| {
            Ok(geometry::reshape(dims, &call.required_ints(at.shape)?, allowzero)?)
        })
    })
}

pub(super) fn squeeze(cx: &Compile<'_>) -> Made {
    let at = Squeeze::AT;
    cx.view(Squeeze::of)?;
    Prepared::boxed(cx, move |call| {
        reshaped(call, (at.x, at.y), |dims, call| {
            Ok(geometry::squeeze(dims, call.ints(at.axes)?.as_deref())?)
        })
    })
}

pub(super) fn unsqueeze(cx: &Compile<'_>) -> Made {
    let at = Unsqueeze::AT;
    cx.view(Unsqueeze::of)?;
    Prepared::boxed(cx, move |call| {
        reshaped(call, (at.x, at.y), |dims, call| {
            Ok(geometry::unsqueeze(dims, &call.required_ints(at.axes)?)?)
        })
    })
}

pub(super) fn flatten(cx: &Compile<'_>) -> Made {
    let (at, axis) = (Flatten::AT, cx.view(Flatten::of)?.axis());
    Prepared::boxed(cx, move |call| {
        reshaped(call, (at.x, at.y), |dims, _| Ok(geometry::flatten(dims, axis)?.to_vec()))
    })
}

/// The operand itself.
pub(super) fn identity(cx: &Compile<'_>) -> Made {
    let at = Identity::AT;
    cx.view(Identity::of)?;
    Prepared::boxed(cx, move |call| {
        let value = call.value(at.x).cloned().ok_or(KernelError::Missing(at.x))?;
        call.set(at.y, value);
        Ok(())
    })
}

/// Dimensions from `start` to `end`.
pub(super) fn shape(cx: &Compile<'_>) -> Made {
    let (at, op) = (Shape::AT, cx.view(Shape::of)?);
    let (start, end) = (op.start(), op.end());
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let (start, end) = geometry::shape_bounds(start, end, x.rank());
        let dims: Vec<i64> = x.dims()[start..end].iter().map(|&d| d as i64).collect();
        let y = Tensor::from_slice(call.pool(), &[dims.len()], &dims)?;
        call.set(at.y, y);
        Ok(())
    })
}

/// The number of elements.
pub(super) fn size(cx: &Compile<'_>) -> Made {
    let at = Size::AT;
    cx.view(Size::of)?;
    Prepared::boxed(cx, move |call| {
        let n = call.tensor(at.x)?.len() as i64;
        let y = Tensor::from_slice(call.pool(), &[], &[n])?;
        call.set(at.y, y);
        Ok(())
    })
}
