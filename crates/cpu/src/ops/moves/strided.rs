//! Ops whose result is a strided view of the operand.

use super::view::{View, with_elements};
use crate::kernel::Call;
use trident_ir::counted;
use trident_ir::geometry::{self, broadcast_strides, strides};
use trident_ir::literal::checked_len;
use trident_runtime::{KernelError, Tensor};

/// Copies what the view shows of the operand into result 0 of the given dimensions.
fn finish(
    call: &mut Call<'_, '_>,
    x: &Tensor,
    dims: &[usize],
    view: View,
) -> Result<(), KernelError> {
    let mut y = call.alloc(0, x.dtype(), dims)?;
    with_elements!(call, x, y, |src, dst| view.copy(call.threads, src, dst));
    call.set(0, y);
    Ok(())
}

/// Axes in another order.
pub(super) fn transpose(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let perm = geometry::permutation(call.op.ints("perm"), x.rank())?;
    let dims = geometry::transpose(x.dims(), &perm);
    // Moving axes of length 1 moves nothing.
    let real: Vec<usize> = perm.iter().copied().filter(|&a| x.dims()[a] != 1).collect();
    if real.is_sorted() || x.is_empty() {
        drop(x);
        let y = call.take(0)?.reshaped(&dims)?;
        call.set(0, y);
        return Ok(());
    }
    let dense = View::dense(x.dims());
    let view = View { offset: 0, axes: perm.iter().map(|&a| dense.axes[a]).collect() };
    finish(call, &x, &dims, view)
}

/// A tensor with its axes in the order of a checked permutation.
pub(crate) fn transposed(
    call: &Call<'_, '_>,
    x: &Tensor,
    perm: &[usize],
) -> Result<Tensor, KernelError> {
    let dense = View::dense(x.dims());
    let view = View { offset: 0, axes: perm.iter().map(|&a| dense.axes[a]).collect() };
    let mut y = call.temp(x.dtype(), &geometry::transpose(x.dims(), perm))?;
    with_elements!(call, x, y, |src, dst| view.copy(call.threads, src, dst));
    Ok(y)
}

/// A tensor with one axis for each group of axes of one length, which are walked together.
pub(crate) fn diagonal(
    call: &Call<'_, '_>,
    x: &Tensor,
    groups: &[Vec<usize>],
) -> Result<Tensor, KernelError> {
    let own = strides(x.dims());
    let axis = |g: &Vec<usize>| (x.dims()[g[0]], g.iter().map(|&a| own[a]).sum::<usize>() as isize);
    let view = View { offset: 0, axes: groups.iter().map(axis).collect() };
    let dims: Vec<usize> = view.axes.iter().map(|a| a.0).collect();
    let mut y = call.temp(x.dtype(), &dims)?;
    with_elements!(call, x, y, |src, dst| view.copy(call.threads, src, dst));
    Ok(y)
}

/// A strided cut.
pub(super) fn slice(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let starts = call.ints(1)?.ok_or(KernelError::Missing(1))?;
    let ends = call.ints(2)?.ok_or(KernelError::Missing(2))?;
    let (axes, steps) = (call.ints(3)?, call.ints(4)?);
    let cuts = geometry::slices(x.dims(), &starts, &ends, axes.as_deref(), steps.as_deref())?;
    let dims: Vec<usize> = cuts.iter().map(|c| c.len).collect();
    if dims == x.dims() && cuts.iter().all(|c| c.step == 1 || c.len <= 1) {
        call.set(0, x);
        return Ok(());
    }
    let own = strides(x.dims());
    let empty = dims.contains(&0);
    let view = View {
        offset: if empty { 0 } else { cuts.iter().zip(&own).map(|(c, s)| c.start * s).sum() },
        // A step is only taken if there are two elements, so it is less than the dimension.
        axes: cuts
            .iter()
            .zip(&own)
            .map(|(c, &s)| (c.len, if c.len > 1 { c.step as isize * s as isize } else { 0 }))
            .collect(),
    };
    finish(call, &x, &dims, view)
}

/// Broadcasting to a shape.
pub(super) fn expand(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let to = call.ints(1)?.ok_or(KernelError::Missing(1))?;
    let dims = geometry::expand(x.dims(), &to)?;
    if checked_len(&dims) == Some(x.len()) {
        let y = x.reshaped(&dims)?;
        call.set(0, y);
        return Ok(());
    }
    let axes = dims.iter().zip(broadcast_strides(x.dims(), &dims)).map(|(&d, s)| (d, s as isize));
    let view = View { offset: 0, axes: axes.collect() };
    finish(call, &x, &dims, view)
}

/// Repetition along each axis.
pub(super) fn tile(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let repeats = call.ints(1)?.ok_or(KernelError::Missing(1))?;
    if repeats.len() != x.rank() {
        return Err(KernelError::shape(format!("{} repeats for rank {}", repeats.len(), x.rank())));
    }
    let (mut dims, mut axes) = (vec![], vec![]);
    for ((&d, s), &r) in x.dims().iter().zip(strides(x.dims())).zip(&repeats) {
        let r =
            usize::try_from(r).map_err(|_| KernelError::domain("a negative number of repeats"))?;
        dims.push(d.checked_mul(r).ok_or(geometry::GeometryError::TooLarge)?);
        axes.extend([(r, 0), (d, s as isize)]);
    }
    finish(call, &x, &dims, View { offset: 0, axes })
}

fn block_size(call: &Call<'_, '_>) -> Result<usize, KernelError> {
    let size = call
        .op
        .int("blocksize")
        .and_then(|b| usize::try_from(b).ok())
        .filter(|&b| b > 0 && b < 1 << 20);
    size.ok_or_else(|| KernelError::attr("blocksize", "is not a positive number"))
}

fn image(x: &Tensor) -> Result<[usize; 4], KernelError> {
    x.dims()
        .try_into()
        .map_err(|_| KernelError::shape(format!("{:?} is not [N, C, H, W]", x.dims())))
}

fn dcr(call: &Call<'_, '_>) -> Result<bool, KernelError> {
    match call.op.str("mode") {
        Some("DCR") | None => Ok(true),
        Some("CRD") => Ok(false),
        Some(other) => Err(KernelError::attr("mode", format!("`{other}` is neither DCR nor CRD"))),
    }
}

/// The view of `from` dimensions in the order of `perm`.
fn permuted(from: &[usize], perm: &[usize]) -> View {
    let dense = View::dense(from);
    View { offset: 0, axes: perm.iter().map(|&a| dense.axes[a]).collect() }
}

/// Blocks of channels become squares of pixels.
pub(super) fn depth_to_space(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let ([n, c, h, w], b) = (image(&x)?, block_size(call)?);
    if !c.is_multiple_of(b * b) {
        return Err(KernelError::shape(format!(
            "{} in squares of {b}·{b}, which must divide them",
            counted(c, "channel")
        )));
    }
    let depth = c / (b * b);
    let view = if dcr(call)? {
        permuted(&[n, b, b, depth, h, w], &[0, 3, 4, 1, 5, 2])
    } else {
        permuted(&[n, depth, b, b, h, w], &[0, 1, 4, 2, 5, 3])
    };
    let big = |d: usize| d.checked_mul(b).ok_or(geometry::GeometryError::TooLarge);
    finish(call, &x, &[n, depth, big(h)?, big(w)?], view)
}

/// Squares of pixels become blocks of channels.
pub(super) fn space_to_depth(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let ([n, c, h, w], b) = (image(&x)?, block_size(call)?);
    if !h.is_multiple_of(b) || !w.is_multiple_of(b) {
        return Err(KernelError::shape(format!("{h}×{w} pixels are no multiple of {b}")));
    }
    let from = [n, c, h / b, b, w / b, b];
    let view = permuted(&from, if dcr(call)? { &[0, 3, 5, 1, 2, 4] } else { &[0, 1, 3, 5, 2, 4] });
    let depth = c.checked_mul(b * b).ok_or(geometry::GeometryError::TooLarge)?;
    finish(call, &x, &[n, depth, h / b, w / b], view)
}
