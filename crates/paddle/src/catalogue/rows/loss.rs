//! Losses.

use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Outputs, Row};
use trident_ir::op::words::BatchReduction;
use trident_ir::{DType, ValueId, ops};

signature! {
    CrossEntropy (input: ValueId, label: ValueId) {
        soft_label: bool = false, use_softmax: bool = true, ignore_index: i64 = -100, axis: i64 = -1,
    } -> softmax loss
}

signature! {
    BinaryCrossEntropy (input: ValueId, label: ValueId) {} -> out
}

signature! {
    SigmoidCrossEntropy (x: ValueId, label: ValueId, pos_weight: Option<ValueId>) {
        normalize: bool = false, ignore_index: i64 = -100,
    } -> out
}

signature! {
    Huber (input: ValueId, label: ValueId) { delta: f64 = 1.0 } -> out residual
}

signature! {
    KlDivergence (x: ValueId, label: ValueId) { reduction: String = "mean", log_target: bool = false } -> out
}

signature! {
    LogLoss (input: ValueId, label: ValueId) { epsilon: f64 = 1e-4 } -> out
}

signature! {
    LabelSmooth (label: ValueId, prior_dist: Option<ValueId>) { epsilon: f64 = 0.0 } -> out
}

signature! {
    Nll (input: ValueId, label: ValueId, weight: Option<ValueId>) {
        ignore_index: i64 = -100, reduction: String = "mean",
    } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("bce_loss", BinaryCrossEntropy, bce, "bce_loss": "input=X"),
    row!("cross_entropy_with_softmax", CrossEntropy, cross_entropy, "softmax_with_cross_entropy": "input=Logits"),
    row!("huber_loss", Huber, huber, "huber_loss": "input=X label=Y"),
    row!("kldiv_loss", KlDivergence, kl_divergence, "kldiv_loss": "label=Target out=Loss"),
    row!("label_smooth", LabelSmooth, label_smooth, "label_smooth": "label=X"),
    row!("log_loss", LogLoss, log_loss, "log_loss": "input=Predicted label=Labels out=Loss"),
    row!("nll_loss", Nll, nll, "nll_loss": "input=X"),
    row!("sigmoid_cross_entropy_with_logits", SigmoidCrossEntropy, sigmoid_cross_entropy),
];

/// The softmax, and the negative logarithm of its element at the label, or its sum with soft labels as weights.
fn cross_entropy(c: &mut Call<'_, '_>, op: CrossEntropy) -> Made<Outputs> {
    let rank = c.rank(op.input)?;
    let axis = c.axis(op.axis, rank)?;
    let (softmax, log) = match op.use_softmax {
        true => {
            let softmax = c.add(ops::Softmax::new(op.input).axis(axis))?;
            (softmax, c.add(ops::LogSoftmax::new(op.input).axis(axis))?)
        }
        false => {
            // Infinite logarithms are great numbers.
            let log = c.add(ops::Log::new(op.input))?;
            let (low, high) = (c.number_like(log, -1e20)?, c.number_like(log, 1e20)?);
            (op.input, c.add(ops::Clip::new(log, Some(low), Some(high)))?)
        }
    };
    if op.soft_label {
        let product = c.add(ops::Mul::new(log, op.label))?;
        let axes = c.ints(&[axis])?;
        let sum = c.add(ops::ReduceSum::new(product, Some(axes)))?;
        let loss = c.add(ops::Neg::new(sum))?;
        return Ok([softmax, loss].into());
    }
    let label = c.cast(op.label, DType::I64)?;
    let label = if c.rank(label)? < rank { c.unsqueeze(label, &[axis])? } else { label };
    let (ignored, zero) =
        (c.number(DType::I64, op.ignore_index as f64)?, c.number(DType::I64, 0.0)?);
    let is_ignored = c.add(ops::Equal::new(label, ignored))?;
    let safe = c.add(ops::Where::new(is_ignored, zero, label))?;
    let picked = c.add(ops::GatherElements::new(log, safe).axis(axis))?;
    let loss = c.add(ops::Neg::new(picked))?;
    let none = c.number_like(loss, 0.0)?;
    let loss = c.add(ops::Where::new(is_ignored, none, loss))?;
    Ok([softmax, loss].into())
}

/// A logarithm that is at least −100.
fn log_above(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    let (log, least) = (c.add(ops::Log::new(x))?, c.number_like(x, -100.0)?);
    c.add(ops::Max::new(&[log, least]))
}

/// −label·ln(x) − (1 − label)·ln(1 − x).
fn two_sided(c: &mut Call<'_, '_>, label: ValueId, log: ValueId, other: ValueId) -> Made {
    let one = c.number_like(label, 1.0)?;
    let rest = c.add(ops::Sub::new(one, label))?;
    let (a, b) = (c.add(ops::Mul::new(label, log))?, c.add(ops::Mul::new(rest, other))?);
    let sum = c.add(ops::Add::new(a, b))?;
    c.add(ops::Neg::new(sum))
}

fn bce(c: &mut Call<'_, '_>, op: BinaryCrossEntropy) -> Made {
    let one = c.number_like(op.input, 1.0)?;
    let rest = c.add(ops::Sub::new(one, op.input))?;
    let (log, other) = (log_above(c, op.input)?, log_above(c, rest)?);
    two_sided(c, op.label, log, other)
}

fn log_loss(c: &mut Call<'_, '_>, op: LogLoss) -> Made {
    let (one, epsilon) = (c.number_like(op.input, 1.0)?, c.number_like(op.input, op.epsilon)?);
    let x = c.add(ops::Add::new(op.input, epsilon))?;
    let rest = c.add(ops::Sub::new(one, op.input))?;
    let rest = c.add(ops::Add::new(rest, epsilon))?;
    let (log, other) = (c.add(ops::Log::new(x))?, c.add(ops::Log::new(rest))?);
    two_sided(c, op.label, log, other)
}

/// max(x, 0) − x·label + ln(1 + exp(−|x|)), 0 where the label is the ignored one.
fn sigmoid_cross_entropy(c: &mut Call<'_, '_>, op: SigmoidCrossEntropy) -> Made {
    let size = c.add(ops::Abs::new(op.x))?;
    let negative = c.add(ops::Neg::new(size))?;
    let soft = c.add(ops::Softplus::new(negative))?;
    let (zero, one) = (c.number_like(op.x, 0.0)?, c.number_like(op.x, 1.0)?);
    let loss = match op.pos_weight {
        None => {
            let positive = c.add(ops::Max::new(&[op.x, zero]))?;
            let product = c.add(ops::Mul::new(op.x, op.label))?;
            let difference = c.add(ops::Sub::new(positive, product))?;
            c.add(ops::Add::new(difference, soft))?
        }
        // In Paddle 2, the weight is that of the logarithm alone: max(x, 0) − x·label + weight·ln(1 + exp(−|x|)).
        Some(weight) if c.is_of_paddle_2() => {
            let positive = c.add(ops::Max::new(&[op.x, zero]))?;
            let product = c.add(ops::Mul::new(op.x, op.label))?;
            let difference = c.add(ops::Sub::new(positive, product))?;
            let weighted = c.add(ops::Mul::new(soft, weight))?;
            c.add(ops::Add::new(difference, weighted))?
        }
        Some(weight) => {
            // (1 − label)·x + weight·(ln(1 + exp(−|x|)) + max(−x, 0)): the program has put the label into the weight.
            let minus = c.add(ops::Neg::new(op.x))?;
            let below = c.add(ops::Max::new(&[minus, zero]))?;
            let log = c.add(ops::Add::new(soft, below))?;
            let rest = c.add(ops::Sub::new(one, op.label))?;
            let (a, b) = (c.add(ops::Mul::new(rest, op.x))?, c.add(ops::Mul::new(weight, log))?);
            c.add(ops::Add::new(a, b))?
        }
    };
    let ignored = c.number_like(op.label, op.ignore_index as f64)?;
    let is_ignored = c.add(ops::Equal::new(op.label, ignored))?;
    let loss = c.add(ops::Where::new(is_ignored, zero, loss))?;
    if !op.normalize {
        return Ok(loss);
    }
    let counted = c.add(ops::Not::new(is_ignored))?;
    let dtype = c.dtype(loss)?;
    let counted = c.cast(counted, dtype)?;
    let count = c.add(ops::ReduceSum::new(counted, None).keepdims(false))?;
    let least = c.number_like(loss, 1e-5)?;
    let count = c.add(ops::Max::new(&[count, least]))?;
    c.add(ops::Div::new(loss, count))
}

/// r²/2 up to delta, and delta·(|r| − delta/2) beyond, for r = label − input; and r.
fn huber(c: &mut Call<'_, '_>, op: Huber) -> Made<Outputs> {
    let residual = c.add(ops::Sub::new(op.label, op.input))?;
    let size = c.add(ops::Abs::new(residual))?;
    let (half, delta) = (c.number_like(size, 0.5)?, c.number_like(size, op.delta)?);
    let half_delta = c.number_like(size, 0.5 * op.delta)?;
    let square = c.add(ops::Mul::new(residual, residual))?;
    let square = c.add(ops::Mul::new(half, square))?;
    let beyond = c.add(ops::Sub::new(size, half_delta))?;
    let beyond = c.add(ops::Mul::new(delta, beyond))?;
    let near = c.add(ops::LessOrEqual::new(size, delta))?;
    let loss = c.add(ops::Where::new(near, square, beyond))?;
    Ok([loss, residual].into())
}

/// label·(ln(label) − x), 0 where the label is not positive; or exp(label)·(label − x) with logarithms as labels.
fn kl_divergence(c: &mut Call<'_, '_>, op: KlDivergence) -> Made {
    let zero = c.number_like(op.label, 0.0)?;
    let loss = match op.log_target {
        true => {
            let label = c.add(ops::Exp::new(op.label))?;
            let difference = c.add(ops::Sub::new(op.label, op.x))?;
            c.add(ops::Mul::new(label, difference))?
        }
        false => {
            let log = c.add(ops::Log::new(op.label))?;
            let difference = c.add(ops::Sub::new(log, op.x))?;
            let product = c.add(ops::Mul::new(op.label, difference))?;
            let positive = c.add(ops::Greater::new(op.label, zero))?;
            c.add(ops::Where::new(positive, product, zero))?
        }
    };
    match &*op.reduction {
        "none" => Ok(loss),
        "sum" => c.add(ops::ReduceSum::new(loss, None).keepdims(false)),
        "mean" => c.add(ops::ReduceMean::new(loss, None).keepdims(false)),
        "batchmean" => {
            let sum = c.add(ops::ReduceSum::new(loss, None).keepdims(false))?;
            let (batch, dtype) = (c.dim_of(op.x, 0)?, c.dtype(sum)?);
            let batch = c.scalar(batch)?;
            let batch = c.cast(batch, dtype)?;
            c.add(ops::Div::new(sum, batch))
        }
        other => {
            c.refuse(format!("`reduction` is `{other}`, expected none, sum, mean or batchmean"))
        }
    }
}

/// (1 − epsilon)·label + epsilon·prior, where the prior is 1/classes unless it is given.
fn label_smooth(c: &mut Call<'_, '_>, op: LabelSmooth) -> Made {
    let last = c.rank(op.label)?.saturating_sub(1);
    // Paddle's difference is an f32.
    let keep = 1.0 - op.epsilon as f32;
    let (keep, epsilon) =
        (c.number_like(op.label, keep.into())?, c.number_like(op.label, op.epsilon)?);
    let kept = c.add(ops::Mul::new(op.label, keep))?;
    let spread = match op.prior_dist {
        Some(prior) => {
            let prior = c.vector(prior)?;
            c.add(ops::Mul::new(prior, epsilon))?
        }
        None => {
            // Paddle's quotient is an f32, too.
            let (classes, dtype) = (c.dim_of(op.label, last)?, c.dtype(op.label)?);
            let classes = c.cast(classes, DType::F32)?;
            let epsilon = c.number(DType::F32, op.epsilon)?;
            let share = c.add(ops::Div::new(epsilon, classes))?;
            c.cast(share, dtype)?
        }
    };
    c.add(ops::Add::new(kept, spread))
}

fn nll(c: &mut Call<'_, '_>, op: Nll) -> Made {
    let reduction = match &*op.reduction {
        "none" => BatchReduction::None,
        "sum" => BatchReduction::Sum,
        "mean" => BatchReduction::Mean,
        other => return c.refuse(format!("`reduction` is `{other}`, expected none, sum or mean")),
    };
    let label = c.cast(op.label, DType::I64)?;
    c.add(
        ops::NegativeLogLikelihoodLoss::new(op.input, label, op.weight)
            .ignore_index(op.ignore_index)
            .reduction(reduction),
    )
}
