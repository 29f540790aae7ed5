//! Comparisons and logic.

use super::binary::{Binary, both};
use crate::catalogue::field::Number;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::{DType, ValueId, ops};

signature! {
    Close (x: ValueId, y: ValueId, rtol: Number = 1e-5, atol: Number = 1e-8) { equal_nan: bool = false } -> out
}

signature! {
    EqualAll (x: ValueId, y: ValueId) {} -> out
}

signature! {
    IsEmpty (x: ValueId) {} -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("allclose", Close, |c, op| {
        let close = is_close(c, op)?;
        all(c, close)
    }, "allclose": "x=Input y=Other rtol=Rtol,.rtol atol=Atol,.atol"),
    row!("equal", Binary, |c, op| both(c, op, equal)),
    row!("equal_all", EqualAll, |c, op| {
        if c.ty(op.x).dims() != c.ty(op.y).dims() || c.ty(op.x).dims().is_none() {
            return c.refuse("the shapes of the operands are not known to be equal");
        }
        let equal = c.add(ops::Equal::new(op.x, op.y))?;
        all(c, equal)
    }),
    row!("greater_equal", Binary, |c, op| both(c, op, |c, a, b| c
        .add(ops::GreaterOrEqual::new(a, b)))),
    row!("greater_than", Binary, |c, op| both(c, op, |c, a, b| c.add(ops::Greater::new(a, b)))),
    row!("is_empty", IsEmpty, |c, op| {
        let (size, zero) = (c.add(ops::Size::new(op.x))?, c.number(DType::I64, 0.0)?);
        c.add(ops::Equal::new(size, zero))
    }),
    row!("isclose", Close, is_close, "isclose": "x=Input y=Other rtol=Rtol,.rtol atol=Atol,.atol"),
    row!("less_equal", Binary, |c, op| both(c, op, |c, a, b| c.add(ops::LessOrEqual::new(a, b)))),
    row!("less_than", Binary, |c, op| both(c, op, |c, a, b| c.add(ops::Less::new(a, b)))),
    row!("logical_and", Binary, |c, op| truths(c, op, |c, a, b| c.add(ops::And::new(a, b)))),
    row!("logical_or", Binary, |c, op| truths(c, op, |c, a, b| c.add(ops::Or::new(a, b)))),
    row!("logical_xor", Binary, |c, op| truths(c, op, |c, a, b| c.add(ops::Xor::new(a, b)))),
    row!("not_equal", Binary, |c, op| both(c, op, |c, a, b| {
        let equal = equal(c, a, b)?;
        c.add(ops::Not::new(equal))
    })),
];

/// Floats that are less than 1e-15 apart are equal, in Paddle 2 less than 1e-8.
fn equal(c: &mut Call<'_, '_>, a: ValueId, b: ValueId) -> Made {
    let equal = c.add(ops::Equal::new(a, b))?;
    if !c.dtype(a)?.is_float() {
        return Ok(equal);
    }
    let apart = c.add(ops::Sub::new(a, b))?;
    let apart = c.cast(apart, DType::F64)?;
    let apart = c.add(ops::Abs::new(apart))?;
    let least = if c.is_of_paddle_2() { 1e-8 } else { 1e-15 };
    let least = c.number(DType::F64, least)?;
    let near = c.add(ops::Less::new(apart, least))?;
    c.add(ops::Or::new(equal, near))
}

/// Numbers count as true unless they are 0.
fn truths(
    c: &mut Call<'_, '_>,
    op: Binary,
    f: impl FnOnce(&mut Call<'_, '_>, ValueId, ValueId) -> Made,
) -> Made {
    both(c, op, |c, a, b| {
        let (a, b) = (c.cast(a, DType::Bool)?, c.cast(b, DType::Bool)?);
        f(c, a, b)
    })
}

/// Whether all elements hold.
pub(super) fn all(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    let failing = c.add(ops::Not::new(x))?;
    let numbers = c.cast(failing, DType::I32)?;
    let count = c.add(ops::ReduceSum::new(numbers, None).keepdims(false))?;
    let some = c.cast(count, DType::Bool)?;
    c.add(ops::Not::new(some))
}

/// |x − y| ≤ atol + rtol·|y|; equal infinities are close, and NaN to NaN if `equal_nan`.
fn is_close(c: &mut Call<'_, '_>, op: Close) -> Made {
    let (dtype, wide) = (c.dtype(op.x)?, DType::F64);
    let (x, y) = (c.cast(op.x, wide)?, c.cast(op.y, wide)?);
    let (rtol, atol) = (op.rtol.value(c, wide)?, op.atol.value(c, wide)?);
    let difference = c.add(ops::Sub::new(x, y))?;
    let difference = c.add(ops::Abs::new(difference))?;
    let size = c.add(ops::Abs::new(y))?;
    let relative = c.add(ops::Mul::new(rtol, size))?;
    let limit = c.add(ops::Add::new(atol, relative))?;
    // Paddle's kernel forgives a rounding error of the limit.
    let slack = c.number(wide, 1e-15)?;
    let limit = c.add(ops::Add::new(limit, slack))?;
    let near = c.add(ops::LessOrEqual::new(difference, limit))?;
    let equal = c.add(ops::Equal::new(x, y))?;
    let mut close = c.add(ops::Or::new(near, equal))?;
    if op.equal_nan && dtype.is_float() {
        let (a, b) = (c.add(ops::IsNaN::new(x))?, c.add(ops::IsNaN::new(y))?);
        let nans = c.add(ops::And::new(a, b))?;
        close = c.add(ops::Or::new(close, nans))?;
    }
    Ok(close)
}
