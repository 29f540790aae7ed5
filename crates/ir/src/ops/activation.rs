//! Activations of networks.

use super::common::like;
use crate::decompose::{Composite, Expr};
use crate::op::Activation;
use crate::op::grammar::ops;
use crate::op::words::GeluFormula;
use crate::{DType, Op, OpKind, ValueId, ops};
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

ops! {
    /// x where x ≥ 0, else alpha·(exp(x/alpha) − 1).
    Celu "celu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 12 composite celu;
    /// x where x ≥ 0, else alpha·(exp(x) − 1).
    Elu "elu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 1 composite elu;
    /// x·Φ(x) with the normal distribution Φ; `approximate = "tanh"` uses the tanh formula. At −∞ it is NaN, the product
    /// of −∞ and 0.
    Gelu "gelu" Elementwise (x: Float) -> (y: Elem(0)) { approximate: GeluFormula = GeluFormula::Exact }
        onnx "" 20 composite gelu;
    /// `gelu` of x + bias, broadcast.
    BiasGelu "bias_gelu" Elementwise (x: Float T, bias[weight]: Float T) -> (y: Elem(0)) {}
        onnx "com.microsoft" 1 composite bias_gelu;
    /// `gelu` by the tanh formula of x + bias, broadcast.
    FastGelu "fast_gelu" Elementwise (x: Float T, bias[opt weight]: Float T) -> (y: Elem(0)) {}
        onnx "com.microsoft" 1 composite fast_gelu;
    /// x·sigmoid(alpha·x), the form of GELU in CLIP.
    QuickGelu "quick_gelu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.702 }
        onnx "com.microsoft" 1 composite quick_gelu;
    /// alpha·x + beta, clamped to 0 … 1.
    HardSigmoid "hard_sigmoid" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 0.2, beta: Float = 0.5 }
        onnx "" 1 composite hard_sigmoid;
    /// x·(x/6 + 1/2), the second factor clamped to 0 … 1. At −∞ it is NaN, the product of −∞ and 0.
    HardSwish "hard_swish" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 14 composite hard_swish;
    /// x where x ≥ 0, else alpha·x.
    LeakyRelu "leaky_relu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 0.01 } onnx "" 1 composite leaky_relu;
    /// x·tanh(ln(1 + exp(x))).
    Mish "mish" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 18 composite mish;
    /// x where x ≥ 0, else slope·x; the slope broadcasts to x.
    PRelu "prelu" Elementwise (x: Number T, slope: Number T) -> (y: Elem(0)) {} onnx "" 1 composite prelu shape like;
    /// 0 where x < 0, else x: NaN and −0 stay.
    Relu "relu" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 1 composite relu;
    /// gamma·x where x > 0, else gamma·(alpha·exp(x) − alpha).
    Selu "selu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.673_263_2, gamma: Float = 1.050_701 }
        onnx "" 1 composite selu;
    /// x + bias below −lambd, x − bias above lambd, else 0, NaN included; of integers computed in f64.
    Shrink "shrink" Elementwise (x: Number) -> (y: Elem(0)) { bias: Float = 0.0, lambd: Float = 0.5 } onnx "" 9 composite shrink;
    /// 1/(1 + exp(−x)).
    Sigmoid "sigmoid" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite sigmoid;
    /// ln(1 + exp(x)), without overflow.
    Softplus "softplus" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite softplus;
    /// x/(1 + |x|).
    Softsign "softsign" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite softsign;
    /// a·sigmoid(alpha·a)·b, the gate first; the shapes are equal, nothing broadcasts.
    SwiGLU "swiglu" Elementwise (a: Float T, b: Float T) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 28 composite swiglu;
    /// x·sigmoid(alpha·x).
    Swish "swish" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 24 composite swish;
    /// x where x > alpha, else 0, NaN included.
    ThresholdedRelu "thresholded_relu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 }
        onnx "" 10 composite thresholded_relu;
}

impl Activation {
    /// The activation that an elementwise op is; `number` gives the value of an operand that is a constant scalar.
    pub fn of_op(op: &Op, number: impl Fn(ValueId) -> Option<f32>) -> Option<Activation> {
        let bound = |operand: Option<ValueId>, default: f32| match operand {
            None => Some(default),
            // A bound that is NaN is none.
            Some(v) => number(v).map(|b| if b.is_nan() { default } else { b }),
        };
        Some(match op.kind {
            OpKind::Clip => {
                let op = ops::Clip::of(op)?;
                let (low, high) = (op.min(), op.max());
                let low = bound(low, f32::NEG_INFINITY)?;
                Activation::Clip { low, high: bound(high, f32::INFINITY)? }
            }
            OpKind::Elu => Activation::Elu { alpha: ops::Elu::of(op)?.alpha() },
            OpKind::Gelu => match ops::Gelu::of(op)?.approximate() {
                GeluFormula::Exact => Activation::Gelu,
                GeluFormula::Tanh => Activation::GeluTanh,
            },
            OpKind::HardSigmoid => {
                let op = ops::HardSigmoid::of(op)?;
                Activation::HardSigmoid { alpha: op.alpha(), beta: op.beta() }
            }
            OpKind::HardSwish => Activation::HardSwish,
            OpKind::LeakyRelu => Activation::LeakyRelu { alpha: ops::LeakyRelu::of(op)?.alpha() },
            OpKind::Mish => Activation::Mish,
            OpKind::Relu => Activation::Relu,
            OpKind::Sigmoid => Activation::Sigmoid,
            OpKind::Swish if ops::Swish::of(op)?.alpha() == 1.0 => Activation::Silu,
            OpKind::Tanh => Activation::Tanh,
            _ => return None,
        })
    }
}

fn celu<'a>(op: ops::Celu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Celu::AT.x);
    let alpha = op.alpha();
    x.lt(0.0).select(alpha * (x / alpha).expm1(), x)
}

fn elu<'a>(op: ops::Elu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Elu::AT.x);
    x.lt(0.0).select(op.alpha() * x.expm1(), x)
}

fn gelu<'a>(op: ops::Gelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Gelu::AT.x);
    match op.approximate() {
        GeluFormula::Exact => x * x.normcdf(),
        GeluFormula::Tanh => tanh_gelu_of(x),
    }
}

fn bias_gelu<'a>(_: ops::BiasGelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::BiasGelu::AT.x) + e.operand(ops::BiasGelu::AT.bias);
    x * x.normcdf()
}

fn fast_gelu<'a>(_: ops::FastGelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::FastGelu::AT.x);
    tanh_gelu_of(e.optional(ops::FastGelu::AT.bias).map_or(x, |bias| x + bias))
}

fn quick_gelu<'a>(op: ops::QuickGelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::QuickGelu::AT.x);
    x * sigmoid_of(op.alpha() * x)
}

/// x·(1 + tanh(u))/2; that is sigmoid(2u), which does not cancel below 0.
fn tanh_gelu_of(x: Expr<'_>) -> Expr<'_> {
    let u = FRAC_2_SQRT_PI / SQRT_2 * (x + 0.044_715 * (x * x * x));
    x * sigmoid_of(2.0 * u)
}

fn hard_sigmoid<'a>(op: ops::HardSigmoid<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::HardSigmoid::AT.x);
    within_unit(op.alpha() * x + op.beta())
}

fn hard_swish<'a>(_: ops::HardSwish<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::HardSwish::AT.x);
    x * within_unit(x / 6.0 + 0.5)
}

fn leaky_relu<'a>(op: ops::LeakyRelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::LeakyRelu::AT.x);
    x.lt(0.0).select(op.alpha() * x, x)
}

fn mish<'a>(_: ops::Mish<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Mish::AT.x);
    x * softplus_of(x).tanh()
}

fn prelu<'a>(_: ops::PRelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let (x, slope) = (e.operand(ops::PRelu::AT.x), e.operand(ops::PRelu::AT.slope));
    x.lt(0.0).select(slope * x, x)
}

fn relu<'a>(_: ops::Relu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Relu::AT.x);
    x.lt(0.0).select(0.0, x)
}

fn selu<'a>(op: ops::Selu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Selu::AT.x);
    op.gamma() * x.gt(0.0).select(x, op.alpha() * x.expm1())
}

fn shrink<'a>(op: ops::Shrink<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Shrink::AT.x);
    // The bounds need not be integers where the operand is one.
    let real = if x.dtype().is_int() { x.cast(DType::F64) } else { x };
    let (bias, lambd) = (op.bias(), op.lambd());
    let above = real.gt(lambd).select(real - bias, real.number(0.0));
    real.lt(-lambd).select(real + bias, above).cast(x.dtype())
}

fn sigmoid<'a>(_: ops::Sigmoid<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    sigmoid_of(e.operand(ops::Sigmoid::AT.x))
}

fn softplus<'a>(_: ops::Softplus<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    softplus_of(e.operand(ops::Softplus::AT.x))
}

fn softsign<'a>(_: ops::Softsign<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Softsign::AT.x);
    x / (1.0 + x.abs())
}

fn swiglu<'a>(op: ops::SwiGLU<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let (a, b) = (e.operand(ops::SwiGLU::AT.a), e.operand(ops::SwiGLU::AT.b));
    a * sigmoid_of(op.alpha() * a) * b
}

fn swish<'a>(op: ops::Swish<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::Swish::AT.x);
    x * sigmoid_of(op.alpha() * x)
}

fn thresholded_relu<'a>(op: ops::ThresholdedRelu<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::ThresholdedRelu::AT.x);
    x.gt(op.alpha()).select(x, x.number(0.0))
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
