//! Ops that change dimensions but keep elements and their order, and ops that return dimensions.

use super::common::{always, dims_alone, given, same_dims, scalar};
use crate::axes::{self, Axes, ResultAxes};
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{Elem, Expr, Known, Shapes, View, dims, nothing, one};
use crate::{Dim, Shape, geometry};

ops! {
    /// A matrix: the axes before `axis` as rows, the others as columns.
    Flatten "flatten" Move (x[view]) -> (y: Elem(0)) { axis: Int = 1 }
        onnx "" 1 shape flatten values reshaped_values moves x identity same_dims axes reshaped;
    /// The operand itself, of any type.
    Identity "identity" Move (x[view]: Value) -> (y: Same(0)) {} onnx "" 1 cost 0 class View shape given values same_values identity always axes ".. -> ..";
    /// The same elements in other dimensions: 0 copies one (unless `allowzero`), −1 is inferred.
    Reshape "reshape" Move (x[view], shape: I64) -> (y: Elem(0)) { allowzero: Flag = false }
        onnx "" 1 shape reshape values reshaped_values moves x identity same_dims axes reshaped;
    /// The dimensions of the operand from `start` to `end`.
    Shape "shape" Move (x) -> (y: I64) { start: Int = 0, end[opt]: Int } onnx "" 1 shape shape values shape_values axes dims_alone;
    /// The number of elements, rank 0.
    Size "size" Move (x) -> (y: I64) {} onnx "" 1 shape scalar values size_values axes dims_alone;
    /// Removes the named axes, which have length 1; all such axes without `axes`.
    Squeeze "squeeze" Move (x[view], axes[opt]: I64) -> (y: Elem(0)) {}
        onnx "" 1 shape squeeze values reshaped_values moves x identity same_dims axes squeeze_axes;
    /// Inserts axes of length 1 at these places of the result.
    Unsqueeze "unsqueeze" Move (x[view], axes: I64) -> (y: Elem(0)) {}
        onnx "" 1 shape unsqueeze values reshaped_values moves x identity same_dims axes unsqueeze_axes;
}

/// Reshape.
fn reshape(cx: &View<'_>) -> Shapes {
    cx.expect_rank(1, 1)?;
    let Some(wanted) = cx.exprs(1) else {
        return Ok(vec![cx.count(1).map(dims::unknown)]);
    };
    let x = cx.shape(0);
    let Some(op) = ops::Reshape::of(cx.op) else { return nothing() };
    let keep_zero = op.allowzero();
    let mut shape = Shape::new();
    let mut inferred = None;
    for (i, size) in wanted.iter().enumerate() {
        shape.push(match size.as_ref().map(|e| (e, e.constant())) {
            None => Dim::Unknown,
            Some((_, Some(-1))) => {
                if inferred.replace(i).is_some() {
                    return Err(cx.error(format!("{} holds −1 twice", cx.name(1))));
                }
                Dim::Unknown
            }
            Some((_, Some(0))) if !keep_zero => match x {
                Some(x) => x.get(i).cloned().ok_or_else(|| {
                    cx.error(format!("{} copies axis {i} of {}", cx.name(1), cx.name_shape(0)))
                })?,
                None => Dim::Unknown,
            },
            Some((_, Some(n))) if n < 0 => {
                return Err(cx.error(format!("{} holds {n}", cx.name(1))));
            }
            // Equal to the name except for empty tensors, where a size of 0 would copy an axis.
            Some((e, _)) => e.dim(),
        });
    }
    let Some(x) = x else { return one(shape) };
    let total = dims::product(x);
    if let Some(i) = inferred {
        let (from, to) = cancel(x, &shape, i);
        shape[i] = rest(&from, &to).unwrap_or(Dim::Unknown);
        if let (Some(from), Some(to)) = (from.fixed(), to.fixed())
            && to > 0
            && from % to != 0
        {
            return Err(cx.error(format!(
                "{} does not divide into {}",
                cx.name_shape(0),
                dims::show(&shape)
            )));
        }
    } else if let (Some(a), Some(b)) = (total.fixed(), dims::product(&shape).fixed())
        && a != b
    {
        let x = cx.name_shape(0);
        return Err(cx.error(format!("{x} does not reshape to {}", dims::show(&shape))));
    }
    one(shape)
}

/// Products of the dimensions of `x` and of `shape` (without place `skip`), after taking out the
/// dimensions that both have: unknown ones elsewhere then do not matter.
fn cancel(x: &[Dim], shape: &[Dim], skip: usize) -> (Dim, Dim) {
    let mut from: Vec<Dim> = x.to_vec();
    let mut to = Vec::new();
    for (i, d) in shape.iter().enumerate().filter(|(i, _)| *i != skip) {
        // An unknown dimension that was copied is the same number on both sides.
        let same = |f: &Dim| f.same(d) && *f != Dim::Fixed(0);
        match from.iter().position(same) {
            Some(at) => {
                from.remove(at);
            }
            None => to.push((i, d.clone())),
        }
    }
    let to: Vec<Dim> = to.into_iter().map(|(_, d)| d).collect();
    (dims::product(&from), dims::product(&to))
}

fn rest(from: &Dim, to: &Dim) -> Option<Dim> {
    let (from, to) = (Expr::of(from)?, Expr::of(to)?);
    match (from.constant(), to.constant()) {
        (_, Some(0)) => None,
        (Some(a), Some(b)) => (a % b == 0).then(|| Expr::from(a / b).dim()),
        // The reshape only succeeds if the division leaves no remainder.
        _ => from.div_exact(&to).or_else(|| from.div_floor(&to)).map(|e| e.dim()),
    }
}

/// Flatten.
fn flatten(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return one(dims::unknown(2)) };
    let rank = x.len() as i64;
    let Some(op) = ops::Flatten::of(cx.op) else { return nothing() };
    let axis = op.axis();
    let at = if axis < 0 { axis.saturating_add(rank) } else { axis };
    if !(0..=rank).contains(&at) {
        return Err(cx.error(format!("axis {axis} is outside {}", cx.name_shape(0))));
    }
    let (rows, columns) = x.split_at(at as usize);
    one(vec![dims::product(rows), dims::product(columns)])
}

/// Squeeze.
fn squeeze(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let axes = if cx.has(1) {
        match cx.ints(1) {
            Some(axes) => cx.wrap_all(&axes, x.len())?,
            None => {
                let left = cx.count(1).and_then(|n| x.len().checked_sub(n));
                return Ok(vec![left.map(dims::unknown)]);
            }
        }
    } else {
        // All axes of length 1: which they are must be known.
        if x.iter().any(|d| d.fixed().is_none()) {
            return nothing();
        }
        (0..x.len()).filter(|&i| x[i] == Dim::Fixed(1)).collect()
    };
    for &axis in &axes {
        cx.equal(&x[axis], &Dim::Fixed(1), format_args!("axis {axis} of {}", cx.name_shape(0)))?;
    }
    let kept = x.iter().enumerate().filter(|(i, _)| !axes.contains(i));
    one(kept.map(|(_, d)| d.clone()).collect())
}

/// Unsqueeze.
fn unsqueeze(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let Some(axes) = cx.ints(1) else {
        return Ok(vec![cx.count(1).map(|n| dims::unknown(x.len() + n))]);
    };
    let rank = x.len() + axes.len();
    let mut rest = x.iter();
    let axes = cx.wrap_all(&axes, rank)?;
    let dim = |i: usize| match axes.contains(&i) {
        true => Dim::Fixed(1),
        false => rest.next().cloned().unwrap_or(Dim::Unknown),
    };
    one((0..rank).map(dim).collect())
}

/// Shape.
fn shape(cx: &View<'_>) -> Shapes {
    let Some(rank) = cx.rank(0) else { return one(vec![Dim::Unknown]) };
    let (start, end) = shape_bounds(cx, rank);
    one(vec![Dim::Fixed(end.saturating_sub(start))])
}

/// The first axis that a Shape op returns, and the one after the last.
fn shape_bounds(cx: &View<'_>, rank: usize) -> (usize, usize) {
    let (start, end) = ops::Shape::of(cx.op).map_or((0, None), |op| (op.start(), op.end()));
    geometry::shape_bounds(start, end, rank)
}

fn same_values(cx: &View<'_>) -> Option<Known> {
    cx.known(0).cloned()
}

fn shape_values(cx: &View<'_>) -> Option<Known> {
    let x = cx.shape(0)?;
    let (start, end) = shape_bounds(cx, x.len());
    let dims = x.get(start..end.max(start))?;
    Known::vector(dims.iter().map(|d| Elem::from(Expr::of(d))).collect())
}

fn size_values(cx: &View<'_>) -> Option<Known> {
    Some(Known::scalar(Expr::of(&dims::product(cx.shape(0)?)).into()))
}

/// The same elements in the dimensions that the shape rule gives.
fn reshaped_values(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let shapes = cx.op.decl().shape?(cx).ok()?;
    let dims = shapes.first()?.as_ref()?.iter().map(|d| d.fixed()).collect::<Option<Vec<_>>>()?;
    Known::new(dims, x.elems.clone())
}

/// Reshape, Flatten.
fn reshaped(cx: &View<'_>) -> Option<Axes> {
    Axes::reshaped(cx)
}

/// Squeeze: axes that go mix, as their length must be 1.
fn squeeze_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let gone = match cx.has(1) {
        true => cx.wrap_all(&cx.ints(1)?, rank).ok()?,
        false => {
            let dims = cx.shape(0)?.iter().map(Dim::fixed).collect::<Option<Vec<_>>>()?;
            (0..rank).filter(|&i| dims[i] == 1).collect()
        }
    };
    let stated = Axes::keeping(cx, |i| gone.contains(&i))?;
    let source = stated.operands.first()?;
    let kept = (0..rank).filter(|i| !gone.contains(i));
    let labels = kept.map(|i| source.axis(i).label()).collect();
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// Unsqueeze.
fn unsqueeze_axes(cx: &View<'_>) -> Option<Axes> {
    let axes = cx.ints(ops::Unsqueeze::AT.axes)?;
    let rank = axes::rank(cx, 0)? + axes.len();
    let new = cx.wrap_all(&axes, rank).ok()?;
    let stated = Axes::keeping(cx, |_| false)?;
    let mut labels = vec![None; rank];
    let kept = (0..rank).filter(|i| !new.contains(i));
    for (from, to) in kept.enumerate() {
        labels[to] = stated.operands.first()?.axis(from).label();
    }
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}
