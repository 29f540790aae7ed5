//! A tensor seen as [outer, n, inner] around the axes that an op works along.

use crate::kernel::Call;
use crate::ops::moves::transposed;
use trident_ir::geometry::{self, extent};
use trident_runtime::{KernelError, Tensor};

/// Extents around the axis or axes of length `n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Around {
    pub(super) outer: usize,
    pub(super) n: usize,
    pub(super) inner: usize,
}

impl Around {
    /// Around one axis, which may be negative.
    pub(super) fn axis(dims: &[usize], axis: i64) -> Result<Around, KernelError> {
        let axis = geometry::axis(axis, dims.len())?;
        let (outer, n, inner) = (extent(&dims[..axis]), dims[axis], extent(&dims[axis + 1..]));
        Ok(Around { outer, n, inner })
    }
}

/// The tensor as outer × reduced × inner elements for the given sorted axes. Axes that are not adjacent are first
/// transposed to the end.
pub(super) fn around(
    call: &Call<'_, '_>,
    x: Tensor,
    axes: &[usize],
) -> Result<(Tensor, Around), KernelError> {
    let dims = x.dims().to_vec();
    // Axes of length 1 do not stand between others.
    let real: Vec<usize> = (0..dims.len()).filter(|&a| dims[a] != 1).collect();
    let places: Vec<usize> = (0..real.len()).filter(|&i| axes.contains(&real[i])).collect();
    let part = |p: &[usize]| p.iter().fold(1, |n: usize, &a| n.saturating_mul(dims[a]));
    let n = part(axes);
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
        return Ok((x, Around { outer: 1, n, inner: extent(&dims) }));
    };
    if last - first + 1 == places.len() {
        let outer = part(&real[..first]);
        return Ok((x, Around { outer, n, inner: part(&real[last + 1..]) }));
    }
    let kept: Vec<usize> = (0..dims.len()).filter(|a| !axes.contains(a)).collect();
    let outer = part(&kept);
    let perm: Vec<usize> = kept.into_iter().chain(axes.iter().copied()).collect();
    Ok((transposed(call, &x, &perm)?, Around { outer, n, inner: 1 }))
}
