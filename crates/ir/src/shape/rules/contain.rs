//! Sequences and optional values: rules that give whole types.

use crate::shape::error::ShapeError;
use crate::shape::view::View;
use crate::shape::{Expr, join};
use crate::{Dim, OpKind as K, TensorType, Type, ops};

/// The type of the only result, for ops whose rule is one of types; `None` for all others.
pub(crate) fn container(cx: &View<'_>) -> Result<Option<Type>, ShapeError> {
    Ok(match cx.op.kind {
        K::SequenceConstruct => construct(cx)?,
        K::SequenceInsert => insert(cx)?,
        K::SplitToSequence => split(cx)?,
        K::ConcatFromSequence => concat(cx)?,
        _ => None,
    })
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
    // Items of an empty sequence say nothing, but they are not told apart from others here.
    Ok(Some(Type::Seq(Box::new(joined))))
}

fn split(cx: &View<'_>) -> Result<Option<Type>, ShapeError> {
    let Some(Type::Tensor(TensorType { dtype, shape: Some(x) })) = cx.ty(0) else {
        return Ok(None);
    };
    let axis = cx.axis("axis", x.len())?;
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
    let axis = cx.axis("axis", x.len() + usize::from(stack))?;
    let mut shape = x.clone();
    if stack {
        shape.insert(axis, Dim::Unknown);
    } else {
        shape[axis] = Dim::Unknown;
    }
    Ok(Some(Type::tensor(*dtype, shape)))
}
