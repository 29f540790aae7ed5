//! Ops that make tensors.

use super::common::{dims_alone, given, like, no_negative};
use crate::axes::{Axes, OperandAxes, ResultAxes};
use crate::op::grammar::ops;
use crate::op::{Operands, TypeError};
use crate::ops;
use crate::shape::{Elem, Expr, Known, MAX_ELEMS, Shapes, View, elements_of, one};
use crate::tile::{Site, Types};
use crate::{DType, Dim, Literal, Op, Type};

ops! {
    /// The tensor in attribute `value`.
    Constant "constant" Move () -> (output: Fn(constant_type)) { value: Tensor }
        onnx "" 1 cost 0 class Element shape given values constant_values tile constant_types lane constant_types;
    /// A tensor of the shape given by the operand, every element the one in `value` (f32 zero if absent).
    ConstantOfShape "constant_of_shape" Move (shape) -> (output: Fn(filled_type)) { value[opt]: Tensor }
        onnx "" 9 shape filled values filled_values axes filled_axes;
    /// Ones on the k-th diagonal of a matrix shaped as the operand.
    EyeLike "eye_like" Move (x) -> (y: AttrOr(ops::EyeLike::AT.dtype, 0)) { dtype[opt]: DType, k: Int = 0 } onnx "" 9 shape like axes dims_alone;
    /// start + i·delta for all i from 0 until limit is reached.
    Range "range" Move (start: Any T, limit: Any T, delta: Any T) -> (y: Elem(0)) { stash_type: DType = DType::F32 }
        onnx "" 11 shape range values range_values;
}

/// The type of the data, dimensions included.
fn constant_type(op: &Op, _: &Operands<'_>) -> Result<Type, TypeError> {
    let missing = TypeError::Attribute { op: op.decl().name, name: "value", expected: "a tensor" };
    ops::Constant::of(op).map(|op| op.value().ty()).ok_or(missing)
}

/// The element type of the fill value, f32 without one.
fn filled_type(op: &Op, _: &Operands<'_>) -> Result<Type, TypeError> {
    let value = ops::ConstantOfShape::of(op).and_then(|op| op.value());
    Ok(Type::unranked(value.map_or(DType::F32, Literal::dtype)))
}

/// ConstantOfShape.
fn filled(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 1)?;
    no_negative(cx, 0)?;
    Ok(vec![cx.dims_in(0)])
}

/// Range.
fn range(cx: &View<'_>) -> Shapes {
    one(vec![range_len(cx).unwrap_or(Dim::Unknown)])
}

fn range_len(cx: &View<'_>) -> Option<Dim> {
    let elem = |i: usize| cx.known(i)?.elems.first().cloned();
    match (elem(0)?, elem(1)?, elem(2)?) {
        (Elem::Int(start), Elem::Int(limit), Elem::Int(delta)) => {
            let step = delta.constant().filter(|d| *d != 0)?;
            let room = limit.sub(&start)?;
            let room = if step < 0 { room.mul(&Expr::from(-1))? } else { room };
            let count = room.div_ceil(step.checked_abs()?)?;
            match count.constant() {
                Some(n) => Some(Expr::from(n.max(0)).dim()),
                None => count.at_least_zero().then(|| count.dim()),
            }
        }
        // The standard's formula in the operands' precision; only where rounding cannot matter.
        (Elem::Float(start), Elem::Float(limit), Elem::Float(delta)) => {
            let count = (limit - start) / delta;
            let clear = (count - count.round()).abs() > 1e-3 || count == count.round();
            (clear && count.is_finite() && count.abs() < 1e6)
                .then(|| Dim::Fixed(count.ceil().max(0.0) as usize))
        }
        _ => None,
    }
}

fn constant_values(cx: &View<'_>) -> Option<Known> {
    Known::of(ops::Constant::of(cx.op)?.value())
}

/// ConstantOfShape.
fn filled_values(cx: &View<'_>) -> Option<Known> {
    let dims: Vec<usize> =
        cx.ints(0)?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    let fill = match ops::ConstantOfShape::of(cx.op)?.value() {
        Some(value) => Known::of(value)?.elems.first()?.clone(),
        None => Elem::Float(0.0),
    };
    let count = elements_of(&dims)?;
    Known::new(dims, vec![fill; count])
}

/// Range of integers.
fn range_values(cx: &View<'_>) -> Option<Known> {
    let (start, limit, delta) = (cx.int(0)?, cx.int(1)?, cx.int(2)?);
    if delta == 0 {
        return None;
    }
    let mut elems = vec![];
    let mut next = start;
    while (delta > 0 && next < limit) || (delta < 0 && next > limit) {
        elems.push(Elem::Int(Expr::from(next)));
        if elems.len() > MAX_ELEMS {
            return None;
        }
        next = next.checked_add(delta)?;
    }
    Known::vector(elems)
}

/// At levels tile and lane.
fn constant_types(site: &Site<'_>) -> Types {
    crate::tile::one(site.view(ops::Constant::of)?.value().ty())
}

/// ConstantOfShape.
fn filled_axes(_: &View<'_>) -> Option<Axes> {
    Some(Axes { operands: vec![OperandAxes::Shape], results: vec![ResultAxes::Repeated(vec![])] })
}
