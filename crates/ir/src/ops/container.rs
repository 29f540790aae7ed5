//! Sequences and optional values: rules that give whole types.

use super::common::{dims_alone, given, scalar};
use crate::axes::{self, Axes, Axis, ResultAxes};
use crate::op::grammar::ops;
use crate::op::{Operands, TypeError};
use crate::ops;
use crate::shape::{Expr, ShapeError, View, join};
use crate::{DType, Dim, Op, TensorType, Type};

ops! {
    /// All tensors of a sequence joined along an axis, or stacked along a further one.
    ConcatFromSequence "concat_from_sequence" Container (xs: Value) -> (y: Fn(joined_type)) { axis: Int, new_axis: Flag = false }
        onnx "" 11 shape given whole concat axes concat_axes;
    /// An optional value that holds the operand, or nothing.
    Optional "optional" Container (x[opt]: Value) -> (y: Fn(optional_type)) { elem_type[opt]: Type } onnx "" 15 shape given axes ".. -> ..";
    /// The value inside an optional; nothing inside is an error.
    OptionalGetElement "optional_get_element" Container (x: Value) -> (y: InnerOf(0)) {} onnx "" 15 shape given axes ".. -> ..";
    /// Whether there is a value.
    OptionalHasElement "optional_has_element" Container (x[opt]: Value) -> (y: BOOL) {} onnx "" 15 shape scalar axes dims_alone;
    /// The item at a position (negative from the end).
    SequenceAt "sequence_at" Container (xs: Value, position) -> (y: ItemOf(0)) {} onnx "" 11 shape given axes ".., * -> ..";
    /// A sequence of the operands.
    SequenceConstruct "sequence_construct" Container (xs[many]: Value) -> (y: SeqOf(0)) {}
        onnx "" 11 shape given whole construct axes ".. -> ..";
    /// A sequence without items.
    SequenceEmpty "sequence_empty" Container () -> (y: Fn(empty_sequence_type)) { dtype[opt]: DType } onnx "" 11 shape given;
    /// The sequence without the item at a position (the last by default).
    SequenceErase "sequence_erase" Container (xs: Value, position[opt]) -> (y: Same(0)) {} onnx "" 11 shape given axes ".., * -> ..";
    /// The sequence with a tensor inserted before a position (at the end by default).
    SequenceInsert "sequence_insert" Container (xs: Value, x, position[opt]) -> (y: Rule::Like(0)) {}
        onnx "" 11 shape given whole insert axes ".., .., * -> ..";
    /// The number of items.
    SequenceLength "sequence_length" Container (xs: Value) -> (y: I64) {} onnx "" 11 shape scalar axes dims_alone;
    /// A tensor divided along an axis into a sequence: by a vector of sizes, into parts of one size (rank 0), or into
    /// slices. For slices, `keepdims = 0` removes the axis.
    SplitToSequence "split_to_sequence" Container (x, split[opt]) -> (y: SeqOf(0)) { axis: Int = 0, keepdims: Flag = true }
        onnx "" 11 shape given whole split axes split_axes;
}

/// The element type of a sequence's tensors; joined, they have other dimensions.
fn joined_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    match operands(0) {
        Some(Type::Seq(item)) => Ok(item.unshaped()),
        other => Err(TypeError::Operand {
            op: op.decl().name,
            name: "xs",
            index: 0,
            actual: other.map_or("absent".into(), Type::to_string),
            expected: "a sequence".into(),
        }),
    }
}

/// Of tensors of unknown rank, f32 unless the attribute says otherwise.
fn empty_sequence_type(op: &Op, _: &Operands<'_>) -> Result<Type, TypeError> {
    Ok(Type::Seq(Box::new(Type::unranked(
        ops::SequenceEmpty::of(op).and_then(|op| op.dtype()).unwrap_or(DType::F32),
    ))))
}

/// The type of the value that is put in, or where there is none, the type that the attribute names.
fn optional_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    let declared = ops::Optional::of(op).and_then(|op| op.elem_type());
    let inner = match (operands(0), declared) {
        (Some(ty), _) | (None, Some(ty)) => ty.clone(),
        _ => {
            let (op, name) = (op.decl().name, "elem_type");
            return Err(TypeError::Attribute { op, name, expected: "a type" });
        }
    };
    Ok(Type::Optional(Box::new(inner)))
}

fn mixed(cx: &View<'_>, a: &Type, b: &Type) -> ShapeError {
    cx.error(format!("items of types {a} and {b} in one sequence"))
}

fn construct(cx: &View<'_>) -> Result<Option<Type>, ShapeError> {
    let mut item: Option<Type> = None;
    for i in 0..cx.op.inputs.len() {
        let Some(ty) = cx.ty(i) else { continue };
        item = Some(match &item {
            None => ty.clone(),
            Some(item) => join(item, ty).ok_or_else(|| mixed(cx, item, ty))?,
        });
    }
    Ok(item.map(|t| Type::Seq(Box::new(t))))
}

fn insert(cx: &View<'_>) -> Result<Option<Type>, ShapeError> {
    let (Some(Type::Seq(item)), Some(ty)) = (cx.ty(0), cx.ty(1)) else { return Ok(None) };
    let joined = join(item, ty).ok_or_else(|| mixed(cx, item, ty))?;
    // The item type of an empty sequence carries no information, but empty sequences cannot be recognised here.
    Ok(Some(Type::Seq(Box::new(joined))))
}

fn split(cx: &View<'_>) -> Result<Option<Type>, ShapeError> {
    let Some(Type::Tensor(TensorType { dtype, shape: Some(x) })) = cx.ty(0) else {
        return Ok(None);
    };
    let axis = cx.axis(ops::SplitToSequence::AT.axis, x.len())?;
    let mut shape = x.clone();
    if cx.has(1) {
        // One number cuts parts of that size, the last one smaller.
        let sizes = cx.ints(1);
        let total = x[axis].fixed().map(|n| n as i64);
        let scalar = cx.rank(1) == Some(0);
        shape[axis] = match sizes.as_deref() {
            Some([k]) if scalar && *k > 0 && total.is_some_and(|n| n % k == 0) => {
                Expr::from(*k).dim()
            }
            Some([first, rest @ ..]) if !scalar && rest.iter().all(|k| k == first) => {
                Expr::from(*first).dim()
            }
            _ => Dim::Unknown,
        };
    } else if ops::SplitToSequence::of(cx.op).is_some_and(|op| op.keepdims()) {
        shape[axis] = Dim::Fixed(1);
    } else {
        shape.remove(axis);
    }
    Ok(Some(Type::Seq(Box::new(Type::tensor(*dtype, shape)))))
}

fn concat(cx: &View<'_>) -> Result<Option<Type>, ShapeError> {
    let Some(Type::Seq(item)) = cx.ty(0) else { return Ok(None) };
    let Type::Tensor(TensorType { dtype, shape: Some(x) }) = &**item else { return Ok(None) };
    let stack = ops::ConcatFromSequence::of(cx.op).is_some_and(|op| op.new_axis());
    let axis = cx.axis(ops::ConcatFromSequence::AT.axis, x.len() + usize::from(stack))?;
    let mut shape = x.clone();
    if stack {
        shape.insert(axis, Dim::Unknown);
    } else {
        shape[axis] = Dim::Unknown;
    }
    Ok(Some(Type::tensor(*dtype, shape)))
}

/// ConcatFromSequence: an axis is new, or joined.
fn concat_axes(cx: &View<'_>) -> Option<Axes> {
    let op = ops::ConcatFromSequence::of(cx.op)?;
    let rank = axes::rank(cx, 0)?;
    let axis = cx.axis(ops::ConcatFromSequence::AT.axis, rank + usize::from(op.new_axis())).ok()?;
    if !op.new_axis() {
        return Axes::keeping(cx, |i| i == axis);
    }
    let stated = Axes::keeping(cx, |_| false)?;
    let mut labels: Vec<_> = (0..rank).map(|i| Axis::carried(i).label()).collect();
    labels.insert(axis, None);
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}

/// SplitToSequence: the axis is divided, or goes.
fn split_axes(cx: &View<'_>) -> Option<Axes> {
    let axis = axes::axis(cx, ops::SplitToSequence::AT.axis)?;
    let goes = !cx.has(1) && !ops::SplitToSequence::of(cx.op)?.keepdims();
    let stated = Axes::keeping(cx, |i| i == axis)?;
    let kept = (0..axes::rank(cx, 0)?).filter(|&i| !goes || i != axis);
    let labels = kept.map(|i| if i == axis { None } else { Axis::carried(i).label() }).collect();
    Some(Axes { results: vec![ResultAxes::Labels(labels)], ..stated })
}
