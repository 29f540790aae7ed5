//! Ops that move elements by their places alone.

use super::common::{joined_along, lone, no_negative, same_dims};
use crate::axes::{self, Axes, Axis, Label, OperandAxes, ResultAxes};
use crate::op::Unchanged;
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::values::gathered;
use crate::shape::{Elem, Expr, Known, ShapeError, Shapes, View, dims, nothing, one};
use crate::{Dim, Shape, counted, geometry};

ops! {
    /// Operands joined along the axis.
    Concat "concat" Move (xs[many]: Any T) -> (y: Elem(0)) { axis: Int } onnx "" 1 shape concat values concat_values moves xs identity lone axes concat_axes;
    /// Moves channels into blocks of space; the block's place is the outer part of the channel (`DCR`) or the inner one
    /// (`CRD`).
    DepthToSpace "depth_to_space" Move (x) -> (y: Elem(0)) { blocksize: Int, mode: BlockOrder = BlockOrder::DepthLast }
        onnx "" 1 shape depth_to_space moves x axes "n___ -> n___";
    /// Broadcasts `x` and `shape` against each other.
    Expand "expand" Move (x, shape: I64) -> (y: Elem(0)) {} onnx "" 8 shape expand values expand_values moves x identity same_dims axes expand_axes;
    /// Moves blocks of space into channels; the block's place becomes the outer part of the channel (`DCR`) or the
    /// inner one (`CRD`).
    SpaceToDepth "space_to_depth" Move (x) -> (y: Elem(0)) { blocksize: Int, mode: BlockOrder = BlockOrder::DepthLast }
        onnx "" 1 shape space_to_depth moves x axes "n___ -> n___";
    /// Cuts along the axis into parts of the given sizes, or of equal ones, the last being smaller.
    Split "split" Move (x, split[opt]: I64) -> (ys[many]: Elem(0)) { axis: Int = 0, num_outputs[opt]: Int }
        onnx "" 1 shape split values split_values identity one_part axes split_axes;
    /// Repeats the operand along each axis.
    Tile "tile" Move (x, repeats: I64) -> (y: Elem(0)) {} onnx "" 1 shape tile values tile_values moves x identity once axes tile_axes;
    /// Permutes axes; reverses them without `perm`.
    Transpose "transpose" Move (x[form]) -> (y: Elem(0)) { perm[opt]: Ints }
        onnx "" 1 shape transpose values transpose_values moves x identity in_order axes transpose_axes;
}

/// Split changes nothing where there is one part.
fn one_part(cx: &Unchanged<'_>) -> Option<bool> {
    Some(cx.op.outputs.len() == 1)
}

/// Tile changes nothing where each axis is there once.
fn once(cx: &Unchanged<'_>) -> Option<bool> {
    Some(cx.is_all(ops::Tile::of(cx.op)?.repeats(), 1))
}

/// Transpose changes nothing where the axes stay in order.
fn in_order(cx: &Unchanged<'_>) -> Option<bool> {
    Some(match ops::Transpose::of(cx.op)?.perm() {
        None => cx.shape().is_some_and(|shape| shape.len() <= 1),
        Some(perm) => perm.iter().enumerate().all(|(i, axis)| *axis == i as i64),
    })
}

/// Concat.
fn concat(cx: &View<'_>) -> Shapes {
    let count = cx.op.inputs.len();
    let Some(rank) = (0..count).find_map(|i| cx.rank(i)) else { return nothing() };
    let axis = cx.axis(ops::Concat::AT.axis, rank)?;
    let mut shape = dims::unknown(rank);
    shape[axis] = Dim::Fixed(0);
    for i in 0..count {
        cx.expect_rank(i, rank)?;
        let Some(x) = cx.shape(i) else {
            shape[axis] = Dim::Unknown;
            continue;
        };
        for (j, (to, from)) in shape.iter_mut().zip(x).enumerate() {
            *to = if j == axis {
                dims::add(to, from)
            } else {
                cx.equal(to, from, format_args!("axis {j} of {}", cx.name_shape(i)))?
            };
        }
    }
    one(shape)
}

/// DepthToSpace.
fn depth_to_space(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    let block = block_size(cx)?;
    let Some([n, c, h, w]) = cx.shape(0) else { return one(dims::unknown(4)) };
    let area = block.checked_mul(block).unwrap_or(i64::MAX);
    divides(cx, c, area)?;
    one(vec![n.clone(), dims::part(c, area), dims::times(h, block), dims::times(w, block)])
}

/// SpaceToDepth.
fn space_to_depth(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    let block = block_size(cx)?;
    let Some([n, c, h, w]) = cx.shape(0) else { return one(dims::unknown(4)) };
    divides(cx, h, block)?;
    divides(cx, w, block)?;
    let area = block.checked_mul(block).unwrap_or(i64::MAX);
    one(vec![n.clone(), dims::times(c, area), dims::part(h, block), dims::part(w, block)])
}

fn block_size(cx: &View<'_>) -> Result<i64, ShapeError> {
    match ops::Blocks::of(cx.op).map(|op| op.blocksize()) {
        Some(b) if b > 0 => Ok(b),
        other => Err(cx.error(format!("`blocksize` is {}", other.unwrap_or(0)))),
    }
}

fn divides(cx: &View<'_>, dim: &Dim, k: i64) -> Result<(), ShapeError> {
    match dim.fixed() {
        Some(n) if n as i64 % k != 0 => {
            Err(cx.error(format!("{n} of {} is not a multiple of {k}", cx.name_shape(0))))
        }
        _ => Ok(()),
    }
}

/// Expand.
fn expand(cx: &View<'_>) -> Shapes {
    cx.expect_rank(1, 1)?;
    no_negative(cx, 1)?;
    let (Some(x), Some(to)) = (cx.shape(0), cx.dims_in(1)) else { return nothing() };
    let shape = dims::broadcast(x, &to);
    one(shape.ok_or_else(|| {
        cx.error(format!("{} does not expand to {}", cx.name_shape(0), dims::show(&to)))
    })?)
}

/// Tile.
fn tile(cx: &View<'_>) -> Shapes {
    cx.expect_rank(1, 1)?;
    no_negative(cx, 1)?;
    let Some(x) = cx.shape(0) else {
        return Ok(vec![cx.count(1).map(dims::unknown)]);
    };
    let Some(repeats) = cx.dims_in(1) else { return one(dims::unknown(x.len())) };
    if repeats.len() != x.len() {
        let (x, count) = (cx.name_shape(0), repeats.len());
        return Err(cx.error(format!("{count} repeats for {x}")));
    }
    one(x.iter().zip(&repeats).map(|(d, k)| dims::mul(d, k)).collect())
}

/// Transpose.
fn transpose(cx: &View<'_>) -> Shapes {
    let perm = ops::Transpose::of(cx.op).and_then(|op| op.perm());
    let Some(x) = cx.shape(0) else {
        return Ok(vec![perm.map(|p| dims::unknown(p.len()))]);
    };
    let Some(perm) = perm else { return one(x.iter().rev().cloned().collect()) };
    let axes = cx.wrap_all(perm, x.len())?;
    if axes.len() != x.len() {
        let given = counted(axes.len(), "axis");
        return Err(cx.error(format!("`perm` has {given} for {}", cx.name_shape(0))));
    }
    let permuted: Result<Shape, _> =
        perm.iter().map(|&p| cx.wrap(p, x.len()).map(|p| x[p].clone())).collect();
    one(permuted?)
}

/// Split.
fn split(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis(ops::Split::AT.axis, x.len())?;
    let parts = cx.op.outputs.len();
    let part = |size: Dim| {
        let mut shape = x.to_vec();
        shape[axis] = size;
        Some(shape)
    };
    let sizes: Vec<Dim> = if cx.has(1) {
        let sizes = cx.dims_in(1).unwrap_or_else(|| dims::unknown(parts));
        if sizes.len() != parts {
            return Err(cx.error(format!(
                "{} for {}",
                counted(sizes.len(), "size"),
                counted(parts, "part")
            )));
        }
        let total = sizes.iter().fold(Dim::Fixed(0), |n, d| dims::add(&n, d));
        cx.equal(
            &x[axis],
            &total,
            format_args!("axis {axis} of {} and its parts", cx.name_shape(0)),
        )?;
        sizes
    } else {
        // Equal parts, rounded up; the last one is what remains.
        let count = ops::Split::of(cx.op).and_then(|op| op.num_outputs());
        let count = count.unwrap_or(parts as i64);
        if count < 1 || count as usize != parts {
            return Err(cx.error(format!("`num_outputs` is {count} for {parts} parts")));
        }
        if let Some(n) = x[axis].fixed() {
            let sizes = geometry::split(n, None, parts).map_err(|e| cx.error(e.to_string()))?;
            return Ok(sizes.into_iter().map(|n| part(Dim::Fixed(n))).collect());
        }
        let size = dims::map(&x[axis], |n| n.div_ceil(count));
        let taken = dims::times(&size, count - 1);
        let last = dims::combine(&x[axis], &taken, Expr::sub);
        let mut sizes = vec![size; parts];
        sizes[parts - 1] = last;
        sizes
    };
    Ok(sizes.into_iter().map(part).collect())
}

/// Concat along the first axis. Of an operand whose contents are unknown, only the length counts.
fn concat_values(cx: &View<'_>) -> Option<Known> {
    if cx.op.inputs.is_empty() || cx.rank(0)? != 1 {
        return None;
    }
    let mut elems = vec![];
    for i in 0..cx.op.inputs.len() {
        match cx.known(i) {
            Some(known) => elems.extend_from_slice(&known.elems),
            None => elems.resize(elems.len().checked_add(cx.count(i)?)?, Elem::Unknown),
        }
    }
    Known::vector(elems)
}

/// Expand.
fn expand_values(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let to: Vec<usize> =
        cx.ints(1)?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    let dims = geometry::broadcast(&x.dims, &to).ok()?;
    let strides = geometry::broadcast_strides(&x.dims, &dims);
    gathered(x, dims, |index| Some(index.iter().zip(&strides).map(|(i, s)| i * s).sum()))
}

/// Tile.
fn tile_values(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let repeats: Vec<usize> =
        cx.ints(1)?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    if repeats.len() != x.dims.len() {
        return None;
    }
    let dims =
        x.dims.iter().zip(&repeats).map(|(n, k)| n.checked_mul(*k)).collect::<Option<_>>()?;
    let own = geometry::strides(&x.dims);
    gathered(x, dims, |index| {
        Some(index.iter().enumerate().map(|(d, i)| i % x.dims[d] * own[d]).sum())
    })
}

/// Transpose.
fn transpose_values(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let rank = x.dims.len();
    let perm: Vec<usize> = match ops::Transpose::of(cx.op)?.perm() {
        Some(p) => p.iter().map(|&p| geometry::axis(p, rank).ok()).collect::<Option<_>>()?,
        None => (0..rank).rev().collect(),
    };
    if perm.len() != rank {
        return None;
    }
    let own = geometry::strides(&x.dims);
    let dims = perm.iter().map(|&p| x.dims[p]).collect();
    gathered(x, dims, |index| Some(index.iter().zip(&perm).map(|(i, &p)| i * own[p]).sum()))
}

/// Split of a vector.
fn split_values(cx: &View<'_>) -> Option<Vec<Option<Known>>> {
    let x = cx.known(0)?;
    if x.dims.len() != 1 {
        return None;
    }
    let mut rest = x.elems.as_slice();
    let shapes = split(cx).ok()?;
    let parts = shapes.iter().map(|shape| {
        let n = shape.as_ref()?.first()?.fixed()?;
        let (part, left) = rest.split_at_checked(n)?;
        rest = left;
        Known::vector(part.to_vec())
    });
    let parts: Option<Vec<_>> = parts.map(|p| p.map(Some)).collect();
    parts
}

/// Concat.
fn concat_axes(cx: &View<'_>) -> Option<Axes> {
    joined_along(cx, axes::axis(cx, ops::Concat::AT.axis)?)
}

/// Split.
fn split_axes(cx: &View<'_>) -> Option<Axes> {
    let axis = axes::axis(cx, ops::Split::AT.axis)?;
    let sizes = OperandAxes::Sizes(vec![axis; cx.op.outputs.len()]);
    Some(Axes::keeping(cx, |i| i == axis)?.with(ops::Split::AT.split, sizes))
}

/// Expand: axes that are new or have length 1 repeat.
fn expand_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let result = cx.op.output(0).and_then(|y| Some(cx.func.ty(y).shape()?.len()))?;
    let labels: Vec<_> = (0..result).rev().map(Label::from_end).collect();
    let own = labels.get(result.checked_sub(rank)?..)?.iter();
    let own = own.map(|&label| Axis::Carried { label, broadcasts: true }).collect();
    let labels: Vec<_> = labels
        .iter()
        .enumerate()
        .map(|(i, label)| (i >= result - rank).then_some(*label))
        .collect();
    let stated = Axes::of(cx, own, vec![]).with(ops::Expand::AT.shape, OperandAxes::Shape);
    Some(Axes { results: vec![ResultAxes::Repeated(labels)], ..stated })
}

/// Tile: axes that are there once are carried.
fn tile_axes(cx: &View<'_>) -> Option<Axes> {
    let repeats = cx.exprs(ops::Tile::AT.repeats)?;
    let is_once =
        |i: usize| repeats.get(i).cloned().flatten().and_then(|e| e.constant()) == Some(1);
    let stated = Axes::keeping(cx, |i| !is_once(i))?;
    let labels = (0..repeats.len()).map(|i| stated.operands.first()?.axis(i).label()).collect();
    let sizes = OperandAxes::Sizes((0..repeats.len()).collect());
    let stated = stated.with(ops::Tile::AT.repeats, sizes);
    Some(Axes { results: vec![ResultAxes::Repeated(labels)], ..stated })
}

/// Transpose.
fn transpose_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let perm: Vec<usize> = match ops::Transpose::of(cx.op)?.perm() {
        Some(perm) => perm.iter().map(|&axis| cx.wrap(axis, rank).ok()).collect::<Option<_>>()?,
        None => (0..rank).rev().collect(),
    };
    let stated = Axes::keeping(cx, |_| false)?;
    let source = stated.operands.first()?;
    let labels = perm.iter().map(|&axis| source.axis(axis).label()).collect();
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}
