//! Layouts other than row-major: a tensor in blocks is an ordinary tensor with one more axis.
//!
//! Devices rewrite ops to these in their regions (`docs/design/layouts.md`). Importers make none of them.

use super::common::all_but_axis;
use crate::axes::{self, Axes};
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, dims, nothing, one};
use crate::{Dim, Shape};

ops! {
    /// Divides an axis into blocks of `block` elements, and moves the place within a block to a new last axis: with `axis` 1,
    /// [N, C, H, W] becomes [N, C/block, H, W, block].
    Pack "pack" Move (x[form]: Any T) -> (y: Elem(0)) { axis: Int = 1, block: Int } shape pack axes pack_axes;
    /// The inverse of `pack`: the last axis, of length `block`, becomes the inner part of the result's axis `axis`.
    Unpack "unpack" Move (x[form]: Any T) -> (y: Elem(0)) { axis: Int = 1, block: Int } shape unpack axes unpack_axes;
}

/// Pack.
fn pack(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::Pack::of(cx.op) else { return nothing() };
    match cx.shape(ops::Pack::AT.x) {
        Some(x) => one(packed(cx, x, op.axis(), op.block())?),
        None => nothing(),
    }
}

/// Unpack.
fn unpack(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::Unpack::of(cx.op) else { return nothing() };
    match cx.shape(ops::Unpack::AT.x) {
        Some(x) => one(unpacked(cx, x, op.axis(), op.block())?),
        None => nothing(),
    }
}

/// The dimensions of a tensor of these dimensions whose axis `axis` is divided into blocks.
pub(super) fn packed(
    cx: &View<'_>,
    dense: &[Dim],
    axis: i64,
    block: i64,
) -> Result<Shape, ShapeError> {
    let axis = cx.wrap(axis, dense.len())?;
    let size = size(cx, block)?;
    if let Some(n) = dense[axis].fixed()
        && !n.is_multiple_of(size)
    {
        let shape = dims::show(dense);
        return Err(
            cx.error(format!("axis {axis} of {shape} does not divide into blocks of {block}"))
        );
    }
    let mut shape = dense.to_vec();
    shape[axis] = dims::part(&dense[axis], block);
    shape.push(Dim::Fixed(size));
    Ok(shape)
}

/// The dimensions of a tensor that has these dimensions in blocks.
pub(super) fn unpacked(
    cx: &View<'_>,
    packed: &[Dim],
    axis: i64,
    block: i64,
) -> Result<Shape, ShapeError> {
    let Some((last, outer)) = packed.split_last() else {
        return Err(cx.error("a scalar is not in blocks"));
    };
    let axis = cx.wrap(axis, outer.len())?;
    cx.equal(last, &Dim::Fixed(size(cx, block)?), "last axis and `block`")?;
    let mut shape = outer.to_vec();
    shape[axis] = dims::times(&outer[axis], block);
    Ok(shape)
}

fn size(cx: &View<'_>, block: i64) -> Result<usize, ShapeError> {
    match usize::try_from(block) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(cx.error(format!("`block` is {block}, expected at least 1"))),
    }
}

/// Pack: all axes but the one that is divided.
fn pack_axes(cx: &View<'_>) -> Option<Axes> {
    all_but_axis(cx)
}

/// Unpack: all axes but that of blocks, which is the last one, and the one that they go to.
fn unpack_axes(cx: &View<'_>) -> Option<Axes> {
    let dense = axes::rank(cx, 0)?.checked_sub(1)?;
    let axis = cx.axis(ops::Unpack::AT.axis, dense).ok()?;
    Axes::keeping(cx, |i| i == axis || i == dense)
}
