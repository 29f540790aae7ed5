//! The composites, each in primitives. Where the standard has a function body for one, this is that body, up to rounding:
//! forms that cancel or overflow are replaced by equal ones that do not.

use super::{Composite, Expr};
use crate::DType;
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

pub(crate) fn celu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let (x, alpha) = (op.operand(0), op.float("alpha"));
    x.lt(0.0).select(alpha * (x / alpha).expm1(), x)
}

pub(crate) fn clamp<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let (x, low, high) = (op.operand(0), op.operand(1), op.operand(2));
    match op.flag("propagate_nan") {
        true => x.max(low).min(high),
        false => x.max_num(low).min_num(high),
    }
}

pub(crate) fn clip<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    let raised = op.optional(1).map_or(x, |low| x.lt(low).select(low, x));
    op.optional(2).map_or(raised, |high| raised.gt(high).select(high, raised))
}

pub(crate) fn elu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x.lt(0.0).select(op.float("alpha") * x.expm1(), x)
}

pub(crate) fn gelu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    if op.str("approximate") != Some("tanh") {
        return x * x.normcdf();
    }
    // (1 + tanh(u))/2 is sigmoid(2u), which does not cancel below 0.
    let u = FRAC_2_SQRT_PI / SQRT_2 * (x + 0.044_715 * (x * x * x));
    x * sigmoid_of(2.0 * u)
}

pub(crate) fn hard_sigmoid<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    within_unit(op.float("alpha") * op.operand(0) + op.float("beta"))
}

pub(crate) fn hard_swish<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x * within_unit(x / 6.0 + 0.5)
}

pub(crate) fn is_inf<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    match (op.flag("detect_positive"), op.flag("detect_negative")) {
        (true, true) => x.abs().equals(f64::INFINITY),
        (true, false) => x.equals(f64::INFINITY),
        (false, true) => x.equals(f64::NEG_INFINITY),
        // Nothing is asked for, and nothing is less than itself.
        (false, false) => x.lt(x),
    }
}

pub(crate) fn leaky_relu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x.lt(0.0).select(op.float("alpha") * x, x)
}

pub(crate) fn mean<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    sum(op) / op.count() as f64
}

pub(crate) fn mish<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x * softplus_of(x).tanh()
}

pub(crate) fn prelu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let (x, slope) = (op.operand(0), op.operand(1));
    x.lt(0.0).select(slope * x, x)
}

pub(crate) fn reciprocal<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    1.0 / op.operand(0)
}

pub(crate) fn relu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x.lt(0.0).select(0.0, x)
}

pub(crate) fn rsqrt<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    1.0 / op.operand(0).sqrt()
}

pub(crate) fn selu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    op.float("gamma") * x.gt(0.0).select(x, op.float("alpha") * x.expm1())
}

pub(crate) fn shrink<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    // The bounds need not be integers where the operand is one.
    let real = if x.dtype().is_int() { x.cast(DType::F64) } else { x };
    let (bias, lambd) = (op.float("bias"), op.float("lambd"));
    let above = real.gt(lambd).select(real - bias, real.number(0.0));
    real.lt(-lambd).select(real + bias, above).cast(x.dtype())
}

pub(crate) fn sigmoid<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    sigmoid_of(op.operand(0))
}

pub(crate) fn sign<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    let zero_or_nan = x.equals(0.0).select(0.0, x);
    x.gt(0.0).select(1.0, x.lt(0.0).select(-1.0, zero_or_nan))
}

pub(crate) fn softplus<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    softplus_of(op.operand(0))
}

pub(crate) fn softsign<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x / (1.0 + x.abs())
}

pub(crate) fn sum<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    (1..op.count()).fold(op.operand(0), |sum, i| sum + op.operand(i))
}

pub(crate) fn swiglu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let (a, b) = (op.operand(0), op.operand(1));
    a * sigmoid_of(op.float("alpha") * a) * b
}

pub(crate) fn swish<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x * sigmoid_of(op.float("alpha") * x)
}

pub(crate) fn thresholded_relu<'a>(op: &'a Composite<'a>) -> Expr<'a> {
    let x = op.operand(0);
    x.gt(op.float("alpha")).select(x, x.number(0.0))
}

fn sigmoid_of(x: Expr<'_>) -> Expr<'_> {
    1.0 / (1.0 + (-x).exp())
}

/// ln(1 + exp(x)): the exponential of what is above 0 would overflow.
fn softplus_of(x: Expr<'_>) -> Expr<'_> {
    x.max(0.0) + (-x.abs()).exp().log1p()
}

/// max(0, min(1, x)); NaN and −0 stay.
fn within_unit(x: Expr<'_>) -> Expr<'_> {
    let raised = x.lt(0.0).select(0.0, x);
    raised.gt(1.0).select(1.0, raised)
}
