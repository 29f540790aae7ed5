//! Random numbers.

use super::common::{like, same_for_all};
use crate::Dim;
use crate::axes::Axes;
use crate::op::Unchanged;
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{Expr, Shapes, View, nothing, one};

ops! {
    /// 1 with the probability that the operand gives, else 0.
    Bernoulli "bernoulli" Random (x) -> (y: AttrOr(ops::Bernoulli::AT.dtype, 0)) { dtype[opt]: DType, seed[opt]: Float } onnx "" 15 shape like;
    /// In training mode zeroes elements with probability `ratio` (1/2 if absent), and scales the others, which the mask
    /// marks, by 1/(1 − ratio). Otherwise the operand itself.
    Dropout "dropout" Random (x, ratio[opt], training_mode[opt]) -> (y: Elem(0), mask[opt]: BOOL) { seed[opt]: Int }
        onnx "" 1 shape same_for_all identity keeps_all axes dropout_axes;
    /// Samples class indices by unnormalised log probabilities.
    Multinomial "multinomial" Random (x) -> (y: Rule::Attr(ops::Multinomial::AT.dtype)) { dtype: DType = DType::I32, sample_size: Int = 1, seed[opt]: Float }
        onnx "" 7 shape multinomial;
    /// Normally distributed numbers.
    RandomNormal "random_normal" Random () -> (y: Rule::Attr(ops::RandomNormal::AT.dtype)) {
        dtype: DType = DType::F32, mean: Float = 0.0, scale: Float = 1.0, seed[opt]: Float, shape: Ints,
    } onnx "" 1 shape random;
    /// Normally distributed numbers in the shape of the operand.
    RandomNormalLike "random_normal_like" Random (x) -> (y: AttrOr(ops::RandomNormalLike::AT.dtype, 0)) { dtype[opt]: DType, mean: Float = 0.0, scale: Float = 1.0, seed[opt]: Float }
        onnx "" 1 shape like;
    /// Uniformly distributed numbers.
    RandomUniform "random_uniform" Random () -> (y: Rule::Attr(ops::RandomUniform::AT.dtype)) {
        dtype: DType = DType::F32, high: Float = 1.0, low: Float = 0.0, seed[opt]: Float, shape: Ints,
    } onnx "" 1 shape random;
    /// Uniformly distributed numbers in the shape of the operand.
    RandomUniformLike "random_uniform_like" Random (x) -> (y: AttrOr(ops::RandomUniformLike::AT.dtype, 0)) { dtype[opt]: DType, high: Float = 1.0, low: Float = 0.0, seed[opt]: Float }
        onnx "" 1 shape like;
}

/// Dropout changes nothing outside of training; nobody may ask for the mask.
fn keeps_all(cx: &Unchanged<'_>) -> Option<bool> {
    let op = ops::Dropout::of(cx.op)?;
    Some(op.mask().is_none() && op.training_mode().is_none_or(|mode| cx.is_false(mode)))
}

/// Multinomial.
fn multinomial(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 2)?;
    let batch = cx.shape(0).map_or(Dim::Unknown, |x| x[0].clone());
    let Some(op) = ops::Multinomial::of(cx.op) else { return nothing() };
    one(vec![batch, Expr::from(op.sample_size()).dim()])
}

/// RandomNormal, RandomUniform.
fn random(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::Sampled::of(cx.op) else { return nothing() };
    let shape = op.shape();
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return Err(cx.error(format!("`shape` holds {n}")));
    }
    one(shape.iter().map(|&n| Expr::from(n).dim()).collect())
}

/// Dropout: outside of training nothing is random.
fn dropout_axes(cx: &View<'_>) -> Option<Axes> {
    let at = ops::Dropout::AT.training_mode;
    let trains = cx.has(at) && cx.int(at) != Some(0);
    if trains { None } else { Axes::pattern(cx, ".., * -> ..") }
}
