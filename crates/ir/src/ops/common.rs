//! Rules that rows of several families name, and parts of rules that families share.

use crate::axes::{self, Axes, OperandAxes, ResultAxes};
use crate::op::Unchanged;
use crate::op::kinds::Ints;
use crate::shape::{ShapeError, Shapes, View, nothing, one};
use crate::tile::{Site, Types};
use crate::{AttrName, Dim, Shape, counted, ops};

/// The types of the results are whole by the row's rules for types.
pub(super) fn given(_: &View<'_>) -> Shapes {
    nothing()
}

/// The first result has the shape of operand 0.
pub(super) fn like(cx: &View<'_>) -> Shapes {
    Ok(vec![cx.shape(0).map(<[_]>::to_vec)])
}

/// All results have the shape of operand 0.
pub(super) fn same_for_all(cx: &View<'_>) -> Shapes {
    let shape = cx.shape(0).map(<[Dim]>::to_vec);
    Ok(vec![shape; cx.op.outputs.len()])
}

/// The result is a scalar.
pub(super) fn scalar(_: &View<'_>) -> Shapes {
    one(vec![])
}

/// All operands broadcast together.
pub(crate) fn broadcast(cx: &View<'_>) -> Shapes {
    let present: Vec<usize> = (0..cx.op.inputs.len()).filter(|&i| cx.has(i)).collect();
    Ok(vec![cx.broadcast(&present)?])
}

/// The op never changes anything.
pub(super) fn always(_: &Unchanged<'_>) -> Option<bool> {
    Some(true)
}

/// The op changes nothing where it has one operand.
pub(super) fn lone(cx: &Unchanged<'_>) -> Option<bool> {
    Some(cx.op.used().count() == 1)
}

/// The op changes nothing where the dimensions stay.
pub(super) fn same_dims(cx: &Unchanged<'_>) -> Option<bool> {
    Some(cx.keeps_shape())
}

/// The dimensions without these axes, or with 1 in their places.
pub(super) fn without(shape: &[Dim], axes: &[usize], keep: bool) -> Shape {
    let kept = shape.iter().enumerate().filter_map(|(i, d)| match axes.contains(&i) {
        false => Some(d.clone()),
        true => keep.then_some(Dim::Fixed(1)),
    });
    kept.collect()
}

/// The error for an attribute list of the wrong length.
pub(super) fn expect_len(
    cx: &View<'_>,
    name: AttrName<Ints>,
    list: &[i64],
    len: usize,
) -> Result<(), ShapeError> {
    if list.len() == len {
        return Ok(());
    }
    Err(cx.error(format!("`{}` has {}, expected {len}", name.text(), counted(list.len(), "entry"))))
}

/// Fails if an operand that holds dimensions holds a negative one.
pub(super) fn no_negative(cx: &View<'_>, i: usize) -> Result<(), ShapeError> {
    let negative = |e: &crate::shape::Elem| e.constant().is_some_and(|n| n < 0);
    match cx.known(i).is_some_and(|k| k.elems.iter().any(negative)) {
        true => Err(cx.error(format!("{} holds a negative dimension", cx.name(i)))),
        false => Ok(()),
    }
}

/// At levels tile and lane: the types of all results are those that the function says.
pub(super) fn open(site: &Site<'_>) -> Types {
    Ok(vec![None; site.op.outputs.len()])
}

/// Likewise, for an operand that is a block.
pub(super) fn block(site: &Site<'_>) -> Types {
    site.dims(0).map(|_| vec![None])
}

/// Only dimensions of operands are read.
pub(super) fn dims_alone(cx: &View<'_>) -> Option<Axes> {
    let operands = vec![OperandAxes::Dims; cx.op.inputs.len()];
    Some(Axes { operands, results: vec![ResultAxes::Labels(vec![]); cx.op.outputs.len()] })
}

/// All axes of operand 0 are carried but the one that `axis` names.
pub(super) fn all_but_axis(cx: &View<'_>) -> Option<Axes> {
    let axis = axes::axis(cx, ops::Softmax::AT.axis)?;
    Axes::keeping(cx, |i| i == axis)
}

/// The same for every operand.
pub(super) fn joined_along(cx: &View<'_>, axis: usize) -> Option<Axes> {
    let stated = Axes::keeping(cx, |i| i == axis)?;
    let operands = vec![stated.operands.first()?.clone(); cx.op.inputs.len()];
    Some(Axes { operands, ..stated })
}
