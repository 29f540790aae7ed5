//! Reductions and scans along axes.

use crate::catalogue::field::{Ints, Number};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::op::New;
use trident_ir::{DType, ValueId, ops};

signature! {
    /// A reduction; without axes, over all of them.
    Reduce (x: ValueId, axis: Option<Ints>) { keepdim: bool = false, reduce_all: bool = false } -> out
}

signature! {
    Frobenius (x: ValueId, axis: Option<Ints>) { keep_dim: bool = false, reduce_all: bool = false } -> out
}

signature! {
    Sum (x: ValueId, axis: Option<Ints>) {
        dtype: Option<DType>, keepdim: bool = false, reduce_all: bool = false,
    } -> out
}

signature! {
    Whole (x: ValueId) {} -> out
}

signature! {
    ArgReduce (x: ValueId, axis: Number = -1i64) {
        keepdims: bool = false, flatten: bool = false, dtype: Option<DType>,
    } -> out
}

signature! {
    CumSum (x: ValueId, axis: Number = -1i64) {
        flatten: bool = false, exclusive: bool = false, reverse: bool = false,
    } -> out
}

signature! {
    CumProd (x: ValueId) { dim: i64, exclusive: bool = false, reverse: bool = false } -> out
}

signature! {
    PNorm (x: ValueId) {
        porder: f64 = 2.0, axis: i64 = -1, epsilon: f64 = 1e-12, keepdim: bool = false, asvector: bool = false,
    } -> out
}

signature! {
    Dist (x: ValueId, y: ValueId) { p: f64 = 2.0 } -> out
}

/// The places of older programs.
macro_rules! reduce {
    ($name:literal, $signature:ty, $build:expr, $old:literal) => {
        row!($name, $signature, $build, $old: "axis=.dim keepdim=.keep_dim dtype=.out_dtype")
    };
}

pub(super) static ROWS: &[Row] = &[
    reduce!(
        "all",
        Reduce,
        |c, op| {
            // Some element does not hold.
            let truth = c.cast(op.x, DType::Bool)?;
            let x = c.add(ops::Not::new(truth))?;
            let found = any(c, Reduce { x, ..op })?;
            c.add(ops::Not::new(found))
        },
        "reduce_all"
    ),
    reduce!(
        "amax",
        Reduce,
        |c, op| reduced(c, op, None, None, ops::ReduceMax::new, |n, k| n.keepdims(k)),
        "reduce_amax"
    ),
    reduce!(
        "amin",
        Reduce,
        |c, op| reduced(c, op, None, None, ops::ReduceMin::new, |n, k| n.keepdims(k)),
        "reduce_amin"
    ),
    reduce!("any", Reduce, any, "reduce_any"),
    row!(
        "argmax",
        ArgReduce,
        |c, op| arg_reduced(c, op, f64::NEG_INFINITY, |c, x, axis| c
            .add(ops::ArgMax::new(x).axis(axis))),
        "arg_max"
    ),
    row!(
        "argmin",
        ArgReduce,
        |c, op| arg_reduced(c, op, f64::INFINITY, |c, x, axis| c
            .add(ops::ArgMin::new(x).axis(axis))),
        "arg_min"
    ),
    row!("cumprod", CumProd, |c, op| scan(c, op.x, Number::Int(op.dim), false, |c, x, axis| {
        let axis = c.number(DType::I64, axis as f64)?;
        c.add(ops::CumProd::new(x, axis).exclusive(op.exclusive).reverse(op.reverse))
    })),
    row!("cumsum", CumSum, |c, op| scan(c, op.x, op.axis, op.flatten, |c, x, axis| {
        let axis = c.number(DType::I64, axis as f64)?;
        c.add(ops::CumSum::new(x, axis).exclusive(op.exclusive).reverse(op.reverse))
    })),
    row!("dist", Dist, |c, op| {
        let difference = c.add(ops::Sub::new(op.x, op.y))?;
        p_norm(
            c,
            PNorm {
                x: difference,
                porder: op.p,
                axis: -1,
                epsilon: 0.0,
                keepdim: false,
                asvector: true,
            },
        )
    }),
    row!("frobenius_norm", Frobenius, |c, op| {
        let Frobenius { x, axis, keep_dim: keepdim, reduce_all } = op;
        let op = Reduce { x, axis, keepdim, reduce_all };
        reduced(c, op, None, None, ops::ReduceL2::new, |n, k| n.keepdims(k))
    }, "frobenius_norm": "axis=.dim keep_dim=.keep_dim"),
    row!("l1_norm", Whole, |c, op| c.add(ops::ReduceL1::new(op.x, None).keepdims(false))),
    row!("logcumsumexp", CumSum, log_cum_sum_exp),
    row!("logsumexp", Reduce, |c, op| reduced(
        c,
        op,
        None,
        None,
        ops::ReduceLogSumExp::new,
        |n, k| n.keepdims(k)
    )),
    reduce!(
        "max",
        Reduce,
        |c, op| reduced(c, op, None, None, ops::ReduceMax::new, |n, k| n.keepdims(k)),
        "reduce_max"
    ),
    reduce!(
        "mean",
        Reduce,
        |c, op| reduced(c, op, None, None, ops::ReduceMean::new, |n, k| n.keepdims(k)),
        "reduce_mean"
    ),
    row!(
        "mean_all",
        Whole,
        |c, op| c.add(ops::ReduceMean::new(op.x, None).keepdims(false)),
        "mean"
    ),
    reduce!(
        "min",
        Reduce,
        |c, op| reduced(c, op, None, None, ops::ReduceMin::new, |n, k| n.keepdims(k)),
        "reduce_min"
    ),
    row!("numel", Whole, |c, op| c.add(ops::Size::new(op.x)), "size": "x=Input"),
    row!("p_norm", PNorm, |c, op| {
        let (x, of_nothing) = (op.x, op.porder < 0.0);
        let norm = p_norm(c, op)?;
        // Of no elements, each norm is 0.
        if !of_nothing || c.ty(x).dims().is_some_and(|dims| !dims.contains(&0)) {
            return Ok(norm);
        }
        let (size, none) = (c.add(ops::Size::new(x))?, c.number(DType::I64, 0.0)?);
        let (is_empty, zero) = (c.add(ops::Equal::new(size, none))?, c.number_like(x, 0.0)?);
        c.add(ops::Where::new(is_empty, zero, norm))
    }),
    reduce!(
        "prod",
        Reduce,
        |c, op| {
            let dtype = c.declared_dtype();
            reduced(c, op, dtype, None, ops::ReduceProd::new, |n, k| n.keepdims(k))
        },
        "reduce_prod"
    ),
    row!("squared_l2_norm", Whole, |c, op| {
        let sum = c.add(ops::ReduceSumSquare::new(op.x, None).keepdims(false))?;
        c.reshape(sum, &[1])
    }),
    reduce!("sum", Sum, sum, "reduce_sum"),
];

/// A reduction in element type `wide`, with the result converted to type `to`.
fn reduced<V>(
    c: &mut Call<'_, '_>,
    op: Reduce,
    wide: Option<DType>,
    to: Option<DType>,
    new: impl FnOnce(ValueId, Option<ValueId>) -> New<V>,
    keep: impl FnOnce(New<V>, bool) -> New<V>,
) -> Made {
    let rank = c.rank(op.x)?;
    let axes = match op.axis {
        _ if op.reduce_all => None,
        None => None,
        Some(Ints::Known(axes)) if axes.is_empty() => None,
        Some(Ints::Known(axes)) => {
            let axes = c.axes(&axes, rank)?;
            Some(c.ints(&axes)?)
        }
        Some(Ints::Computed(axes)) => Some(axes),
    };
    let x = match wide {
        // Truth of numbers first, so that small fractions count.
        Some(DType::I32) if to == Some(DType::Bool) => {
            let truth = c.cast(op.x, DType::Bool)?;
            c.cast(truth, DType::I32)?
        }
        Some(wide) => c.cast(op.x, wide)?,
        None => op.x,
    };
    // A scalar has one axis in Paddle, and no axis to reduce here.
    let axes = axes.filter(|_| rank > 0);
    let y = c.add(keep(new(x, axes), op.keepdim))?;
    match to {
        Some(to) => c.cast(y, to),
        None => Ok(y),
    }
}

/// Whether an element holds; of none, false.
fn any(c: &mut Call<'_, '_>, op: Reduce) -> Made {
    let (to, new) = (Some(DType::Bool), |x, axes| ops::ReduceSum::new(x, axes));
    reduced(c, op, Some(DType::I32), to, new, |n, k| n.keepdims(k))
}

/// Truth values and integers of 32 bits have sums of 64 bits, unless the op states another type.
fn sum(c: &mut Call<'_, '_>, op: Sum) -> Made {
    let wide = match (op.dtype.or(c.declared_dtype()), c.dtype(op.x)?) {
        (Some(dtype), _) => dtype,
        (None, DType::Bool | DType::I32) => DType::I64,
        (None, own) => own,
    };
    let Sum { x, axis, keepdim, reduce_all, .. } = op;
    let op = Reduce { x, axis, keepdim, reduce_all };
    reduced(c, op, Some(wide), None, ops::ReduceSum::new, |n, k| n.keepdims(k))
}

fn arg_reduced(
    c: &mut Call<'_, '_>,
    op: ArgReduce,
    worst: f64,
    find: impl FnOnce(&mut Call<'_, '_>, ValueId, i64) -> Made,
) -> Made {
    let rank = c.rank(op.x)?;
    let dtype = op.dtype.unwrap_or(DType::I64);
    let is_flat = op.flatten || rank == 0;
    let (x, axis) = flat(c, op.x, op.axis, op.flatten)?;
    let x = match c.dtype(x)? {
        DType::Bool => c.cast(x, DType::I32)?,
        dtype if dtype.is_float() => {
            // Paddle does not pick NaN. If every element is NaN, it picks the first.
            let (nan, worst) = (c.add(ops::IsNaN::new(x))?, c.number_like(x, worst)?);
            c.add(ops::Where::new(nan, worst, x))?
        }
        _ => x,
    };
    let found = find(c, x, axis)?;
    let found = c.cast(found, dtype)?;
    match (is_flat, op.keepdims) {
        // Of a scalar along its one axis, Paddle gives a vector.
        (true, true) if !op.flatten => c.reshape(found, &[1]),
        (true, true) => c.reshape(found, &vec![1; rank]),
        (true, false) => c.reshape(found, &[]),
        (false, true) => Ok(found),
        (false, false) => c.squeeze(found, &[axis]),
    }
}

/// A scan along an axis. A scalar has one axis, and stays a scalar unless it is flattened.
fn scan(
    c: &mut Call<'_, '_>,
    x: ValueId,
    axis: Number,
    flatten: bool,
    along: impl FnOnce(&mut Call<'_, '_>, ValueId, i64) -> Made,
) -> Made {
    let is_scalar = c.rank(x)? == 0 && !flatten;
    let (x, axis) = flat(c, x, axis, flatten)?;
    let y = along(c, x, axis)?;
    if is_scalar { c.reshape(y, &[]) } else { Ok(y) }
}

/// The operand of an op on one axis, and the axis: flattened if that is asked for.
fn flat(c: &mut Call<'_, '_>, x: ValueId, axis: Number, flatten: bool) -> Made<(ValueId, i64)> {
    let rank = c.rank(x)?;
    if flatten || rank == 0 {
        return Ok((c.reshape(x, &[-1])?, 0));
    }
    Ok((x, c.axis(axis.int("axis")?, rank)?))
}

/// ln(Σ exp(x)) of the elements up to each one of an axis. Step by step each element is joined with the one that is 1,
/// 2, 4 … places before it, which by then stands for as many elements.
fn log_cum_sum_exp(c: &mut Call<'_, '_>, op: CumSum) -> Made {
    if op.exclusive || op.reverse {
        return c.refuse("`exclusive` and `reverse` are not supported");
    }
    scan(c, op.x, op.axis, op.flatten, log_cum_sum_exp_along)
}

fn log_cum_sum_exp_along(c: &mut Call<'_, '_>, x: ValueId, axis: i64) -> Made {
    let Some(length) = c.dim(x, axis as usize) else {
        return c.refuse("the length of its axis is not known");
    };
    if c.ty(x).dims().is_some_and(|dims| dims.iter().all(|&n| n == 1)) {
        return c.add(ops::Identity::new(x));
    }
    let mut y = x;
    let none = c.number_like(y, f64::NEG_INFINITY)?;
    let axes = c.ints(&[axis])?;
    let mut places = 1i64;
    while places < length as i64 {
        let pads = c.ints(&[places, -places])?;
        let before = c.add(ops::Pad::new(y, pads, Some(none), Some(axes)))?;
        y = log_add_exp(c, y, before)?;
        places *= 2;
    }
    // Paddle begins with the least finite number.
    let least = match c.dtype(y)? {
        DType::F32 => f32::MIN.into(),
        DType::F64 => f64::MIN,
        other => return c.refuse(format!("element type {} is not supported", other.name())),
    };
    let least = c.number_like(y, least)?;
    c.add(ops::Max::new(&[y, least]))
}

/// ln(exp(a) + exp(b)), as the greater number and a correction.
fn log_add_exp(c: &mut Call<'_, '_>, a: ValueId, b: ValueId) -> Made {
    let most = c.add(ops::Max::new(&[a, b]))?;
    let distance = c.add(ops::Sub::new(a, b))?;
    let distance = c.add(ops::Abs::new(distance))?;
    let distance = c.add(ops::Neg::new(distance))?;
    let correction = c.add(ops::Softplus::new(distance))?;
    let sum = c.add(ops::Add::new(most, correction))?;
    // The distance of equal infinities is NaN.
    let is_infinite = c.add(ops::IsInf::new(most))?;
    c.add(ops::Where::new(is_infinite, most, sum))
}

/// (Σ|x|^p)^(1/p); with p infinite the greatest or least magnitude, with p = 0 the number of elements that are not 0.
fn p_norm(c: &mut Call<'_, '_>, op: PNorm) -> Made {
    let rank = c.rank(op.x)?;
    let axes = match op.asvector || rank == 0 {
        true => None,
        false => {
            let axis = c.axis(op.axis, rank)?;
            Some(c.ints(&[axis])?)
        }
    };
    let size = |c: &mut Call<'_, '_>| c.add(ops::Abs::new(op.x));
    if op.porder == f64::INFINITY {
        let size = size(c)?;
        return c.add(ops::ReduceMax::new(size, axes).keepdims(op.keepdim));
    }
    if op.porder == f64::NEG_INFINITY {
        let size = size(c)?;
        return c.add(ops::ReduceMin::new(size, axes).keepdims(op.keepdim));
    }
    if op.porder == 1.0 {
        return c.add(ops::ReduceL1::new(op.x, axes).keepdims(op.keepdim));
    }
    if op.porder == 2.0 {
        return c.add(ops::ReduceL2::new(op.x, axes).keepdims(op.keepdim));
    }
    if op.porder == 0.0 {
        let truth = c.cast(op.x, DType::Bool)?;
        let dtype = c.dtype(op.x)?;
        let ones = c.cast(truth, dtype)?;
        return c.add(ops::ReduceSum::new(ones, axes).keepdims(op.keepdim));
    }
    // Paddle's root is an f32.
    let root = f64::from(1.0 / op.porder as f32);
    let (power, root) = (c.number_like(op.x, op.porder)?, c.number_like(op.x, root)?);
    let size = size(c)?;
    let powers = c.add(ops::Pow::new(size, power))?;
    let sum = c.add(ops::ReduceSum::new(powers, axes).keepdims(op.keepdim))?;
    c.add(ops::Pow::new(sum, root))
}
