//! Activations of networks.

use super::unary::Unary;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_SIZE, Row};
use trident_ir::op::words::GeluFormula;
use trident_ir::{DType, Literal, ValueId, ops};

signature! {
    Mish (x: ValueId) {
        lambda: f64 = 20.0,
    } -> out
}

signature! {
    Alpha (x: ValueId) { alpha: f64 = 1.0 } -> out
}

signature! {
    Gelu (x: ValueId) { approximate: bool = false } -> out
}

signature! {
    HardShrink (x: ValueId) { threshold: f64 = 0.5 } -> out
}

signature! {
    HardSigmoid (x: ValueId) { slope: f64 = 0.2, offset: f64 = 0.5 } -> out
}

signature! {
    HardSwish (x: ValueId) { threshold: f64 = 6.0, scale: f64 = 6.0, offset: f64 = 3.0 } -> out
}

signature! {
    HardTanh (x: ValueId) { t_min: f64 = 0.0, t_max: f64 = 24.0 } -> out
}

signature! {
    LeakyRelu (x: ValueId) { negative_slope: f64 = 0.02 } -> out
}

signature! {
    LogSoftmax (x: ValueId) { axis: i64 = -1 } -> out
}

signature! {
    Maxout (x: ValueId) { groups: i64, axis: i64 = 1 } -> out
}

signature! {
    Prelu (x: ValueId, alpha: ValueId) { data_format: String = "NCHW", mode: String = "all" } -> out
}

signature! {
    Rrelu (x: ValueId) { lower: f64 = 0.125, upper: f64 = 1.0 / 3.0, is_test: bool = false } -> out
}

signature! {
    Relu6 (x: ValueId) { threshold: f64 = 6.0 } -> out
}

signature! {
    Selu (x: ValueId) { scale: f64 = 1.050_700_987_355_480_5, alpha: f64 = 1.673_263_242_354_377_3 } -> out
}

signature! {
    Softplus (x: ValueId) { beta: f64 = 1.0, threshold: f64 = 20.0 } -> out
}

signature! {
    Stanh (x: ValueId) { scale_a: f64 = 0.67, scale_b: f64 = 1.7159 } -> out
}

signature! {
    Swiglu (x: ValueId, y: Option<ValueId>) {} -> out
}

signature! {
    Swish (x: ValueId) { beta: f64 = 1.0 } -> out
}

signature! {
    ThresholdedRelu (x: ValueId) { threshold: f64 = 1.0, value: f64 = 0.0 } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("celu", Alpha, |c, op| c.add(ops::Celu::new(op.x).alpha(op.alpha as f32))),
    row!("elu", Alpha, |c, op| c.add(ops::Elu::new(op.x).alpha(op.alpha as f32))),
    row!("gelu", Gelu, |c, op| {
        let formula = if op.approximate { GeluFormula::Tanh } else { GeluFormula::Exact };
        c.add(ops::Gelu::new(op.x).approximate(formula))
    }),
    row!("hardshrink", HardShrink, hard_shrink, "hard_shrink": "threshold=.threshold"),
    row!(
        "hardsigmoid",
        HardSigmoid,
        |c, op| {
            c.add(ops::HardSigmoid::new(op.x).alpha(op.slope as f32).beta(op.offset as f32))
        },
        "hard_sigmoid"
    ),
    row!("hardswish", HardSwish, hard_swish, "hard_swish"),
    row!("hardtanh", HardTanh, |c, op| clamped(c, op.x, op.t_min, op.t_max), "brelu"),
    row!("leaky_relu", LeakyRelu, leaky_relu, "leaky_relu": "negative_slope=.alpha"),
    row!("log_softmax", LogSoftmax, |c, op| match c.rank(op.x)? {
        0 => c.number_like(op.x, 0.0),
        _ => c.add(ops::LogSoftmax::new(op.x).axis(op.axis)),
    }),
    row!("logsigmoid", Unary, |c, op| {
        let negative = c.add(ops::Neg::new(op.x))?;
        let soft = c.add(ops::Softplus::new(negative))?;
        c.add(ops::Neg::new(soft))
    }),
    row!("maxout", Maxout, maxout),
    row!(
        "mish",
        Mish,
        |c, op| match op.lambda {
            // From there on Paddle takes x for softplus(x), which is its f32 result.
            20.0 => c.add(ops::Mish::new(op.x)),
            other => c.refuse(format!("`lambda` is {other}, expected 20")),
        },
        "mish": "lambda=.threshold"
    ),
    row!("prelu", Prelu, prelu),
    row!("relu", Unary, |c, op| c.add(ops::Relu::new(op.x))),
    row!("relu6", Relu6, |c, op| clamped(c, op.x, 0.0, op.threshold)),
    row!("rrelu", Rrelu, |c, op| match op.is_test {
        true => c.add(ops::LeakyRelu::new(op.x).alpha(((op.lower + op.upper) / 2.0) as f32)),
        false => c.refuse(
            "it is in training mode, where slopes are random; export the model after `eval()`"
        ),
    }),
    row!("selu", Selu, |c, op| {
        c.add(ops::Selu::new(op.x).alpha(op.alpha as f32).gamma(op.scale as f32))
    }),
    row!("sigmoid", Unary, |c, op| c.add(ops::Sigmoid::new(op.x))),
    row!("silu", Unary, |c, op| c.add(ops::Swish::new(op.x))),
    row!("softmax", LogSoftmax, |c, op| match c.rank(op.x)? {
        0 => c.number_like(op.x, 1.0),
        _ => c.add(ops::Softmax::new(op.x).axis(op.axis)),
    }),
    row!("softplus", Softplus, softplus),
    row!("softshrink", HardShrink, |c, op| {
        let lambd = op.threshold as f32;
        let shrunk = c.add(ops::Shrink::new(op.x).lambd(lambd).bias(lambd))?;
            let is_nan = c.add(ops::IsNaN::new(op.x))?;
            c.add(ops::Where::new(is_nan, op.x, shrunk))
    }, "softshrink": "threshold=.lambda"),
    row!("softsign", Unary, |c, op| c.add(ops::Softsign::new(op.x))),
    row!("stanh", Stanh, |c, op| {
        let (a, b) = (c.number_like(op.x, op.scale_a)?, c.number_like(op.x, op.scale_b)?);
        let x = c.add(ops::Mul::new(op.x, a))?;
        let y = c.add(ops::Tanh::new(x))?;
        c.add(ops::Mul::new(y, b))
    }),
    row!("swiglu", Swiglu, |c, op| match op.y {
        Some(y) => c.add(ops::SwiGLU::new(op.x, y)),
        None => {
            let halves = c.add_all(ops::Split::new(op.x, None).axis(-1).num_outputs(2), 2)?;
            c.add(ops::SwiGLU::new(halves[0], halves[1]))
        }
    }),
    row!("swish", Swish, |c, op| c.add(ops::Swish::new(op.x).alpha(op.beta as f32))),
    row!("tanh_shrink", Unary, |c, op| {
        // The difference of numbers that are almost equal: halves have too few digits for it.
        let dtype = c.dtype(op.x)?;
        let x = if dtype == DType::F64 { op.x } else { c.cast(op.x, DType::F32)? };
        let tanh = c.add(ops::Tanh::new(x))?;
        let shrunk = c.add(ops::Sub::new(x, tanh))?;
        c.cast(shrunk, dtype)
    }),
    row!("thresholded_relu", ThresholdedRelu, |c, op| {
        let (limit, other) = (c.number_like(op.x, op.threshold)?, c.number_like(op.x, op.value)?);
        let below = c.add(ops::LessOrEqual::new(op.x, limit))?;
        c.add(ops::Where::new(below, other, op.x))
    }),
];

fn clamped(c: &mut Call<'_, '_>, x: ValueId, low: f64, high: f64) -> Made {
    let (low, high) = (c.number_like(x, low)?, c.number_like(x, high)?);
    c.add(ops::Clip::new(x, Some(low), Some(high)))
}

/// 0 where |x| < threshold, else x; in Paddle 2, also 0 where |x| = threshold.
fn hard_shrink(c: &mut Call<'_, '_>, op: HardShrink) -> Made {
    let size = c.add(ops::Abs::new(op.x))?;
    let (limit, zero) = (c.number_like(op.x, op.threshold)?, c.number_like(op.x, 0.0)?);
    let inside = match c.is_of_paddle_2() {
        true => c.add(ops::LessOrEqual::new(size, limit))?,
        false => c.add(ops::Less::new(size, limit))?,
    };
    c.add(ops::Where::new(inside, zero, op.x))
}

/// The slope as an attribute is an f32. That of an f64 operand has more digits.
fn leaky_relu(c: &mut Call<'_, '_>, op: LeakyRelu) -> Made {
    let slope = op.negative_slope;
    if c.dtype(op.x)? != DType::F64 || f64::from(slope as f32) == slope {
        return c.add(ops::LeakyRelu::new(op.x).alpha(slope as f32));
    }
    let (slope, zero) = (c.number_like(op.x, slope)?, c.number_like(op.x, 0.0)?);
    let below = c.add(ops::Less::new(op.x, zero))?;
    let scaled = c.add(ops::Mul::new(op.x, slope))?;
    c.add(ops::Where::new(below, scaled, op.x))
}

/// x·min(max(x + offset, 0), threshold)/scale.
fn hard_swish(c: &mut Call<'_, '_>, op: HardSwish) -> Made {
    if (op.threshold, op.scale, op.offset) == (6.0, 6.0, 3.0) {
        return c.add(ops::HardSwish::new(op.x));
    }
    let (offset, scale) = (c.number_like(op.x, op.offset)?, c.number_like(op.x, op.scale)?);
    let gate = c.add(ops::Add::new(op.x, offset))?;
    let gate = clamped(c, gate, 0.0, op.threshold)?;
    let product = c.add(ops::Mul::new(op.x, gate))?;
    c.add(ops::Div::new(product, scale))
}

/// The greatest of each `groups` channels that follow one another.
fn maxout(c: &mut Call<'_, '_>, op: Maxout) -> Made {
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.axis, rank)?;
    let Some(channels) = c.dim(op.x, axis as usize) else {
        return c.refuse("the number of channels is not known");
    };
    c.within("groups", op.groups, 1..=MOST_SIZE)?;
    let head = c.add(ops::Shape::new(op.x).end(axis))?;
    let groups = c.ints(&[channels as i64 / op.groups, op.groups])?;
    let tail = c.add(ops::Shape::new(op.x).start(axis + 1))?;
    let shape = c.concat(&[head, groups, tail], 0)?;
    let parts = c.reshape_to(op.x, shape)?;
    let axes = c.ints(&[axis + 1])?;
    c.add(ops::ReduceMax::new(parts, Some(axes)).keepdims(false))
}

fn prelu(c: &mut Call<'_, '_>, op: Prelu) -> Made {
    let rank = c.rank(op.x)?;
    let slope = match &*op.mode {
        "all" if rank == 0 => c.scalar(op.alpha)?,
        "all" => c.vector(op.alpha)?,
        "channel" if op.data_format == "NHWC" => c.vector(op.alpha)?,
        "channel" => {
            let mut dims = vec![1; rank];
            if let Some(channel) = dims.get_mut(1) {
                *channel = -1;
            }
            c.reshape(op.alpha, &dims)?
        }
        "element" => op.alpha,
        other => return c.refuse(format!("`mode` is `{other}`, expected all, channel or element")),
    };
    c.add(ops::PRelu::new(op.x, slope))
}

/// ln(1 + exp(beta·x))/beta, and x where beta·x > threshold.
fn softplus(c: &mut Call<'_, '_>, op: Softplus) -> Made {
    let beta = c.number_like(op.x, op.beta)?;
    let scaled = if op.beta == 1.0 { op.x } else { c.add(ops::Mul::new(op.x, beta))? };
    let mut soft = c.add(ops::Softplus::new(scaled))?;
    if op.beta != 1.0 {
        soft = c.add(ops::Div::new(soft, beta))?;
    }
    let limit = c.number_like(op.x, op.threshold)?;
    let above = c.add(ops::Greater::new(scaled, limit))?;
    c.add(ops::Where::new(above, op.x, soft))
}

/// A vector of one number, of the element type of `like`.
pub(super) fn single(c: &mut Call<'_, '_>, like: ValueId, value: f64) -> Made {
    let number = Literal::number(c.dtype(like)?, value).with_dims(vec![1]);
    match number {
        Some(number) => c.literal(number),
        None => c.refuse("a constant has too many elements"),
    }
}
