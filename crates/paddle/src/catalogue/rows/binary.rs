//! Functions of two elements. Operands broadcast; of older programs from the axis that `axis` names.

use crate::catalogue::field::Number;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::op::words::ShiftDirection;
use trident_ir::{DType, ValueId, ops};

signature! {
    /// A function of two tensors. `axis` is the axis of x that the first one of y belongs to; −1 aligns the last ones.
    Binary (x: ValueId, y: ValueId) { axis: i64 = -1 } -> out
}

signature! {
    Shift (x: ValueId, y: ValueId) { is_arithmetic: bool = true } -> out
}

signature! {
    Lerp (x: ValueId, y: ValueId, weight: ValueId) {} -> out
}

signature! {
    Many (inputs: Vec<ValueId>) {} -> out
}

signature! {
    /// An operand and a mask.
    MaskedFill (x: ValueId, mask: ValueId, value: ValueId) {} -> out
}

signature! {
    DivScale (x: ValueId, scale: Number) {} -> out
}

signature! {
    Where (condition: ValueId, x: ValueId, y: ValueId) {} -> out
}

signature! {
    Fill (x: ValueId, value: Number = 0.0) {} -> out
}

pub(super) static ROWS: &[Row] = &[
    row!(
        "add",
        Binary,
        |c, op| both(c, op, |c, a, b| match c.dtype(a)? {
            DType::Bool => c.add(ops::Or::new(a, b)),
            _ => c.add(ops::Add::new(a, b)),
        }),
        "elementwise_add",
        "grad_add"
    ),
    row!("add_n", Many, |c, op| c.add(ops::Sum::new(&op.inputs)), "sum": "inputs=X"),
    row!("atan2", Binary, |c, op| both(c, op, atan2), "atan2": "x=X1 y=X2"),
    row!("bitwise_and", Binary, |c, op| both(c, op, |c, a, b| match c.dtype(a)? {
        DType::Bool => c.add(ops::And::new(a, b)),
        _ => c.add(ops::BitwiseAnd::new(a, b)),
    })),
    row!("bitwise_left_shift", Shift, |c, op| {
        c.add(ops::BitShift::new(op.x, op.y).direction(ShiftDirection::Left))
    }),
    row!("bitwise_or", Binary, |c, op| both(c, op, |c, a, b| match c.dtype(a)? {
        DType::Bool => c.add(ops::Or::new(a, b)),
        _ => c.add(ops::BitwiseOr::new(a, b)),
    })),
    row!("bitwise_right_shift", Shift, |c, op| {
        let dtype = c.dtype(op.x)?;
        // A logical shift fills in zeros, as that of an unsigned number does.
        let shifted = match dtype {
            _ if op.is_arithmetic => dtype,
            DType::I8 => DType::U8,
            DType::I16 => DType::U16,
            DType::I32 => DType::U32,
            DType::I64 => DType::U64,
            other => other,
        };
        let (x, y) = (c.cast(op.x, shifted)?, c.cast(op.y, shifted)?);
        let moved = c.add(ops::BitShift::new(x, y).direction(ShiftDirection::Right))?;
        c.cast(moved, dtype)
    }),
    row!("bitwise_xor", Binary, |c, op| both(c, op, |c, a, b| match c.dtype(a)? {
        DType::Bool => c.add(ops::Xor::new(a, b)),
        _ => c.add(ops::BitwiseXor::new(a, b)),
    })),
    row!(
        "divide",
        Binary,
        |c, op| both(c, op, |c, a, b| c.add(ops::Div::new(a, b))),
        "elementwise_div"
    ),
    row!("div_scale", DivScale, |c, op| {
        // The number of half precision would be rounded.
        let dtype = c.dtype(op.x)?;
        let wide = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
        let (x, scale) = (c.cast(op.x, wide)?, op.scale.value(c, wide)?);
        let quotient = c.add(ops::Div::new(x, scale))?;
        c.cast(quotient, dtype)
    }),
    row!("elementwise_pow", Binary, |c, op| both(c, op, |c, a, b| c.add(ops::Pow::new(a, b)))),
    row!(
        "fill",
        Fill,
        |c, op| {
            let (shape, dtype) = (c.shape_of(op.x)?, c.dtype(op.x)?);
            let value = op.value.value(c, dtype)?;
            c.expand(value, shape)
        },
        "fill_any"
    ),
    row!("floor_divide", Binary, |c, op| both(c, op, floor_divide), "elementwise_floordiv"),
    row!(
        "fmax",
        Binary,
        |c, op| both(c, op, |c, a, b| match c.dtype(a)?.is_float() {
            true => c.add(ops::MaxNum::new(a, b)),
            false => c.add(ops::Max::new(&[a, b])),
        }),
        "elementwise_fmax"
    ),
    row!(
        "fmin",
        Binary,
        |c, op| both(c, op, |c, a, b| match c.dtype(a)?.is_float() {
            true => c.add(ops::MinNum::new(a, b)),
            false => c.add(ops::Min::new(&[a, b])),
        }),
        "elementwise_fmin"
    ),
    row!("heaviside", Binary, |c, op| both(c, op, heaviside), "elementwise_heaviside"),
    row!("lerp", Lerp, |c, op| {
        let span = c.add(ops::Sub::new(op.y, op.x))?;
        let part = c.add(ops::Mul::new(op.weight, span))?;
        c.add(ops::Add::new(op.x, part))
    }),
    row!("masked_fill", MaskedFill, |c, op| c.add(ops::Where::new(op.mask, op.value, op.x))),
    row!(
        "maximum",
        Binary,
        |c, op| both(c, op, |c, a, b| c.add(ops::Max::new(&[a, b]))),
        "elementwise_max"
    ),
    row!(
        "minimum",
        Binary,
        |c, op| both(c, op, |c, a, b| c.add(ops::Min::new(&[a, b]))),
        "elementwise_min"
    ),
    row!(
        "multiply",
        Binary,
        |c, op| both(c, op, |c, a, b| match c.dtype(a)? {
            DType::Bool => c.add(ops::And::new(a, b)),
            _ => c.add(ops::Mul::new(a, b)),
        }),
        "elementwise_mul"
    ),
    row!("remainder", Binary, |c, op| both(c, op, remainder), "elementwise_mod"),
    row!(
        "subtract",
        Binary,
        |c, op| both(c, op, |c, a, b| c.add(ops::Sub::new(a, b))),
        "elementwise_sub"
    ),
    row!("where", Where, |c, op| {
        let condition = c.cast(op.condition, DType::Bool)?;
        c.add(ops::Where::new(condition, op.x, op.y))
    }),
];

/// Aligns the operands, and applies a function that broadcasts.
pub(super) fn both(
    c: &mut Call<'_, '_>,
    op: Binary,
    f: impl FnOnce(&mut Call<'_, '_>, ValueId, ValueId) -> Made,
) -> Made {
    let (x, y) = aligned(c, op)?;
    f(c, x, y)
}

/// The operands, where axes of length 1 follow those of the operand with fewer axes.
fn aligned(c: &mut Call<'_, '_>, op: Binary) -> Made<(ValueId, ValueId)> {
    let Binary { x, y, axis } = op;
    if axis == -1 {
        return Ok((x, y));
    }
    let (rank_x, rank_y) = (c.rank(x)?, c.rank(y)?);
    let (long, short) = (rank_x.max(rank_y), rank_x.min(rank_y));
    let end = c.axis(axis, long)? as usize + short;
    // Paddle ignores axes of length 1 at the end of y.
    if end >= long {
        return Ok((x, y));
    }
    let axes: Vec<i64> = (short..short + long - end).map(|axis| axis as i64).collect();
    match rank_x >= rank_y {
        true => Ok((x, c.unsqueeze(y, &axes)?)),
        false => Ok((c.unsqueeze(x, &axes)?, y)),
    }
}

/// The quotient rounded down. Floats follow Python: the quotient of a − (a mod b) and b, which is whole but for rounding.
fn floor_divide(c: &mut Call<'_, '_>, a: ValueId, b: ValueId) -> Made {
    let zero = c.number_like(a, 0.0)?;
    let rest = c.add(ops::Mod::new(a, b).fmod(true))?;
    let fix = differs(c, rest, b, zero)?;
    let dtype = c.dtype(a)?;
    let fix = c.cast(fix, dtype)?;
    if !dtype.is_float() {
        let quotient = c.add(ops::Div::new(a, b))?;
        return c.add(ops::Sub::new(quotient, fix));
    }
    let whole = c.add(ops::Sub::new(a, rest))?;
    let quotient = c.add(ops::Div::new(whole, b))?;
    let quotient = c.add(ops::Sub::new(quotient, fix))?;
    let floor = c.add(ops::Floor::new(quotient))?;
    let (half, one) = (c.number_like(a, 0.5)?, c.number_like(a, 1.0)?);
    let above = c.add(ops::Sub::new(quotient, floor))?;
    let missed = c.add(ops::Greater::new(above, half))?;
    let next = c.add(ops::Add::new(floor, one))?;
    let rounded = c.add(ops::Where::new(missed, next, floor))?;
    let by_zero = c.add(ops::Equal::new(b, zero))?;
    let plain = c.add(ops::Div::new(a, b))?;
    c.add(ops::Where::new(by_zero, plain, rounded))
}

/// The remainder with the sign of the divisor.
fn remainder(c: &mut Call<'_, '_>, a: ValueId, b: ValueId) -> Made {
    if !c.dtype(a)?.is_float() {
        return c.add(ops::Mod::new(a, b));
    }
    let zero = c.number_like(a, 0.0)?;
    let rest = c.add(ops::Mod::new(a, b).fmod(true))?;
    let fix = differs(c, rest, b, zero)?;
    let turned = c.add(ops::Add::new(rest, b))?;
    c.add(ops::Where::new(fix, turned, rest))
}

/// Whether a remainder is not 0 and has another sign than the divisor.
fn differs(c: &mut Call<'_, '_>, rest: ValueId, b: ValueId, zero: ValueId) -> Made {
    let (is_zero, below) =
        (c.add(ops::Equal::new(rest, zero))?, c.add(ops::Less::new(rest, zero))?);
    let some = c.add(ops::Not::new(is_zero))?;
    let negative = c.add(ops::Less::new(b, zero))?;
    let apart = c.add(ops::Xor::new(below, negative))?;
    c.add(ops::And::new(some, apart))
}

/// 0 where x < 0, y where x = 0, else 1.
fn heaviside(c: &mut Call<'_, '_>, x: ValueId, y: ValueId) -> Made {
    let (zero, one) = (c.number_like(x, 0.0)?, c.number_like(x, 1.0)?);
    let (is_zero, above) = (c.add(ops::Equal::new(x, zero))?, c.add(ops::Greater::new(x, zero))?);
    let step = c.add(ops::Where::new(above, one, zero))?;
    c.add(ops::Where::new(is_zero, y, step))
}

/// The angle of the point (x, y), which is in the quadrant that the signs state; zeros have signs, too.
fn atan2(c: &mut Call<'_, '_>, y: ValueId, x: ValueId) -> Made {
    if !c.dtype(y)?.is_float() {
        // Of integers, Paddle gives f64 with the digits of f32.
        let (y, x) = (c.cast(y, DType::F32)?, c.cast(x, DType::F32)?);
        let angle = atan2(c, y, x)?;
        return c.cast(angle, DType::F64);
    }
    let dtype = c.dtype(y)?;
    let (zero, one) = (c.number(dtype, 0.0)?, c.number(dtype, 1.0)?);
    let (height, width) = (c.add(ops::Abs::new(y))?, c.add(ops::Abs::new(x))?);
    let slope = c.add(ops::Div::new(height, width))?;
    // Quotients of two infinities or two zeros are not numbers.
    let (far_y, far_x) = (c.add(ops::IsInf::new(y))?, c.add(ops::IsInf::new(x))?);
    let far = c.add(ops::And::new(far_y, far_x))?;
    let slope = c.add(ops::Where::new(far, one, slope))?;
    let (no_y, no_x) = (c.add(ops::Equal::new(y, zero))?, c.add(ops::Equal::new(x, zero))?);
    let origin = c.add(ops::And::new(no_y, no_x))?;
    let slope = c.add(ops::Where::new(origin, zero, slope))?;
    let angle = c.add(ops::Atan::new(slope))?;
    let (left, below) = (is_negative(c, x)?, is_negative(c, y)?);
    let half_turn = c.number(dtype, std::f64::consts::PI)?;
    let turned = c.add(ops::Sub::new(half_turn, angle))?;
    let angle = c.add(ops::Where::new(left, turned, angle))?;
    let mirrored = c.add(ops::Neg::new(angle))?;
    c.add(ops::Where::new(below, mirrored, angle))
}

/// Whether a number has the negative sign, also −0.
fn is_negative(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    let zero = c.number_like(x, 0.0)?;
    let inverse = c.add(ops::Reciprocal::new(x))?;
    let (below, beyond) = (c.add(ops::Less::new(x, zero))?, c.add(ops::Less::new(inverse, zero))?);
    c.add(ops::Or::new(below, beyond))
}
