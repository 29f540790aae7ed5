//! Ops that give the same elements other dimensions, and those that tell dimensions.

use crate::kernel::Call;
use trident_ir::{OpKind, geometry};
use trident_runtime::{KernelError, Tensor};

/// Reshape, Squeeze, Unsqueeze, Flatten: nothing is copied.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.take(0)?;
    let ints = call.ints(1)?;
    let need = || KernelError::Missing(1);
    let dims = match call.op.kind {
        OpKind::Reshape => {
            geometry::reshape(x.dims(), &ints.ok_or_else(need)?, call.op.flag("allowzero"))?
        }
        OpKind::Squeeze => geometry::squeeze(x.dims(), ints.as_deref())?,
        OpKind::Unsqueeze => geometry::unsqueeze(x.dims(), &ints.ok_or_else(need)?)?,
        _ => geometry::flatten(x.dims(), call.op.int("axis").unwrap_or(1))?.to_vec(),
    };
    call.set(0, x.reshaped(&dims)?);
    Ok(())
}

/// The operand itself.
pub(super) fn identity(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let value = call.value(0).cloned().ok_or(KernelError::Missing(0))?;
    call.set(0, value);
    Ok(())
}

/// Dimensions from `start` to `end`.
pub(super) fn shape(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let (start, end) =
        geometry::shape_bounds(call.op.int("start").unwrap_or(0), call.op.int("end"), x.rank());
    let dims: Vec<i64> = x.dims()[start..end].iter().map(|&d| d as i64).collect();
    let y = Tensor::from_slice(call.pool(), &[dims.len()], &dims)?;
    call.set(0, y);
    Ok(())
}

/// The number of elements.
pub(super) fn size(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let n = call.tensor(0)?.len() as i64;
    let y = Tensor::from_slice(call.pool(), &[], &[n])?;
    call.set(0, y);
    Ok(())
}
