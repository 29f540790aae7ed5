//! Ops whose result is a strided view of the operand.

use super::view::{View, with_elements};
use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::counted;
use trident_ir::geometry::{self, broadcast_strides, strides};
use trident_ir::literal::checked_len;
use trident_ir::op::words::BlockOrder;
use trident_ir::ops::{Blocks, DepthToSpace, Expand, Slice, SpaceToDepth, Tile, Transpose};
use trident_runtime::{Declined, KernelError, Tensor};

/// Copies a view of the operand into result `y`, which has the given dimensions.
fn finish(
    call: &mut Call<'_, '_>,
    y: usize,
    x: &Tensor,
    dims: &[usize],
    view: View,
) -> Result<(), KernelError> {
    let mut to = call.alloc(y, x.dtype(), dims)?;
    with_elements!(call, x, to, |src, dst| view.copy(call.threads, src, dst));
    call.set(y, to);
    Ok(())
}

/// Axes in another order.
pub(super) fn transpose(cx: &Compile<'_>) -> Made {
    let perm = cx.view(Transpose::of)?.perm().map(<[i64]>::to_vec);
    Prepared::boxed(cx, move |call| transpose_by(call, perm.as_deref()))
}

fn transpose_by(call: &mut Call<'_, '_>, perm: Option<&[i64]>) -> Result<(), KernelError> {
    let at = Transpose::AT;
    let x = call.tensor(at.x)?;
    let perm = geometry::permutation(perm, x.rank())?;
    let dims = geometry::transpose(x.dims(), &perm);
    // Moving axes of length 1 moves nothing.
    let real: Vec<usize> = perm.iter().copied().filter(|&a| x.dims()[a] != 1).collect();
    if real.is_sorted() || x.is_empty() {
        drop(x);
        let y = call.take(at.x)?.reshaped(&dims)?;
        call.set(at.y, y);
        return Ok(());
    }
    let view = permuted(x.dims(), &perm);
    finish(call, at.y, &x, &dims, view)
}

/// A tensor with its axes in the order of a checked permutation.
pub(crate) fn transposed(
    call: &Call<'_, '_>,
    x: &Tensor,
    perm: &[usize],
) -> Result<Tensor, KernelError> {
    let view = permuted(x.dims(), perm);
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
pub(super) fn slice(cx: &Compile<'_>) -> Made {
    cx.view(Slice::of)?;
    Prepared::boxed(cx, cut)
}

fn cut(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = Slice::AT;
    let x = call.tensor(at.x)?;
    let (starts, ends) = (call.required_ints(at.starts)?, call.required_ints(at.ends)?);
    let (axes, steps) = (call.ints(at.axes)?, call.ints(at.steps)?);
    let cuts = geometry::slices(x.dims(), &starts, &ends, axes.as_deref(), steps.as_deref())?;
    let dims: Vec<usize> = cuts.iter().map(|c| c.len).collect();
    if dims == x.dims() && cuts.iter().all(|c| c.step == 1 || c.len <= 1) {
        call.set(at.y, x);
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
    finish(call, at.y, &x, &dims, view)
}

/// Broadcasting to a shape.
pub(super) fn expand(cx: &Compile<'_>) -> Made {
    let at = Expand::AT;
    cx.view(Expand::of)?;
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let dims = geometry::expand(x.dims(), &call.required_ints(at.shape)?)?;
        if checked_len(&dims) == Some(x.len()) {
            let y = x.reshaped(&dims)?;
            call.set(at.y, y);
            return Ok(());
        }
        let strides = broadcast_strides(x.dims(), &dims);
        let axes = dims.iter().zip(strides).map(|(&d, s)| (d, s as isize));
        let view = View { offset: 0, axes: axes.collect() };
        finish(call, at.y, &x, &dims, view)
    })
}

/// Repetition along each axis.
pub(super) fn tile(cx: &Compile<'_>) -> Made {
    cx.view(Tile::of)?;
    Prepared::boxed(cx, repeat)
}

fn repeat(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = Tile::AT;
    let (x, repeats) = (call.tensor(at.x)?, call.required_ints(at.repeats)?);
    if repeats.len() != x.rank() {
        return Err(KernelError::shape(format!(
            "`repeats` has {} numbers for an input of rank {}",
            repeats.len(),
            x.rank()
        )));
    }
    let (mut dims, mut axes) = (vec![], vec![]);
    for ((&d, s), &r) in x.dims().iter().zip(strides(x.dims())).zip(&repeats) {
        let r = usize::try_from(r)
            .map_err(|_| KernelError::domain("`repeats` holds a negative number"))?;
        dims.push(d.checked_mul(r).ok_or(geometry::GeometryError::TooLarge)?);
        axes.extend([(r, 0), (d, s as isize)]);
    }
    finish(call, at.y, &x, &dims, View { offset: 0, axes })
}

fn block_size(cx: &Compile<'_>) -> Result<usize, Declined> {
    let size = usize::try_from(cx.view(Blocks::of)?.blocksize()).ok();
    let size = size.filter(|&b| b > 0 && b < 1 << 20);
    size.ok_or_else(|| cx.declined("attribute `blocksize` must be at least 1"))
}

fn image(x: &Tensor) -> Result<[usize; 4], KernelError> {
    x.dims().try_into().map_err(|_| {
        KernelError::shape(format!(
            "the input has dimensions {:?}, expected [N, C, H, W]",
            x.dims()
        ))
    })
}

/// The view of `from` dimensions in the order of `perm`.
fn permuted(from: &[usize], perm: &[usize]) -> View {
    let dense = View::dense(from);
    View { offset: 0, axes: perm.iter().map(|&a| dense.axes[a]).collect() }
}

/// Blocks of channels become squares of pixels.
pub(super) fn depth_to_space(cx: &Compile<'_>) -> Made {
    let (order, b) = (cx.view(DepthToSpace::of)?.mode(), block_size(cx)?);
    Prepared::boxed(cx, move |call| spread_depth(call, order, b))
}

fn spread_depth(call: &mut Call<'_, '_>, order: BlockOrder, b: usize) -> Result<(), KernelError> {
    let at = DepthToSpace::AT;
    let x = call.tensor(at.x)?;
    let [n, c, h, w] = image(&x)?;
    if !c.is_multiple_of(b * b) {
        return Err(KernelError::shape(format!(
            "{} cannot be divided into blocks of {b}·{b}",
            counted(c, "channel")
        )));
    }
    let depth = c / (b * b);
    let view = match order {
        BlockOrder::DepthLast => permuted(&[n, b, b, depth, h, w], &[0, 3, 4, 1, 5, 2]),
        BlockOrder::DepthFirst => permuted(&[n, depth, b, b, h, w], &[0, 1, 4, 2, 5, 3]),
    };
    let big = |d: usize| d.checked_mul(b).ok_or(geometry::GeometryError::TooLarge);
    finish(call, at.y, &x, &[n, depth, big(h)?, big(w)?], view)
}

/// Squares of pixels become blocks of channels.
pub(super) fn space_to_depth(cx: &Compile<'_>) -> Made {
    let (order, b) = (cx.view(SpaceToDepth::of)?.mode(), block_size(cx)?);
    Prepared::boxed(cx, move |call| gather_depth(call, order, b))
}

fn gather_depth(call: &mut Call<'_, '_>, order: BlockOrder, b: usize) -> Result<(), KernelError> {
    let at = SpaceToDepth::AT;
    let x = call.tensor(at.x)?;
    let [n, c, h, w] = image(&x)?;
    if !h.is_multiple_of(b) || !w.is_multiple_of(b) {
        return Err(KernelError::shape(format!("{h}×{w} pixels are not a multiple of {b}")));
    }
    let from = [n, c, h / b, b, w / b, b];
    let view = match order {
        BlockOrder::DepthLast => permuted(&from, &[0, 3, 5, 1, 2, 4]),
        BlockOrder::DepthFirst => permuted(&from, &[0, 1, 3, 5, 2, 4]),
    };
    let depth = c.checked_mul(b * b).ok_or(geometry::GeometryError::TooLarge)?;
    finish(call, at.y, &x, &[n, depth, h / b, w / b], view)
}
