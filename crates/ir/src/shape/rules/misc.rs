//! Strings, random numbers, losses, optimisers, classical machine learning.

use crate::op::words::BatchReduction;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, OpKind as K, ops};

/// DynamicQuantizeLinear: scale and zero point are scalars.
pub(crate) fn dynamic_quantize(cx: &View<'_>) -> Shapes {
    Ok(vec![cx.shape(0).map(<[Dim]>::to_vec), Some(vec![]), Some(vec![])])
}

/// StringNormalizer drops strings from the last axis.
pub(crate) fn string_normalizer(cx: &View<'_>) -> Shapes {
    match cx.shape(0) {
        None => nothing(),
        Some([_]) => one(vec![Dim::Unknown]),
        Some([n, _]) => one(vec![n.clone(), Dim::Unknown]),
        Some(_) => Err(cx.error(format!("{} has neither rank 1 nor 2", cx.name_shape(0)))),
    }
}

/// StringSplit.
pub(crate) fn string_split(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    Ok(vec![Some([x, &[Dim::Unknown]].concat()), Some(x.to_vec())])
}

/// TfIdfVectorizer: the last axis becomes one of n-grams.
pub(crate) fn tf_idf(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::TfIdfVectorizer::of(cx.op) else { return nothing() };
    let width = op.ngram_indexes().iter().max().map_or(0, |m| m.saturating_add(1));
    let width = Expr::from(width).dim();
    match cx.shape(0) {
        None => nothing(),
        Some([] | [_]) => one(vec![width]),
        Some([n, _]) => one(vec![n.clone(), width]),
        Some(_) => Err(cx.error(format!("{} has rank above 2", cx.name_shape(0)))),
    }
}

/// All results have the shape of operand 0.
pub(crate) fn same_for_all(cx: &View<'_>) -> Shapes {
    let shape = cx.shape(0).map(<[Dim]>::to_vec);
    Ok(vec![shape; cx.op.outputs.len()])
}

/// Multinomial.
pub(crate) fn multinomial(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 2)?;
    let batch = cx.shape(0).map_or(Dim::Unknown, |x| x[0].clone());
    let Some(op) = ops::Multinomial::of(cx.op) else { return nothing() };
    one(vec![batch, Expr::from(op.sample_size()).dim()])
}

/// RandomNormal, RandomUniform.
pub(crate) fn random(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::Sampled::of(cx.op) else { return nothing() };
    let shape = op.shape();
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return Err(cx.error(format!("`shape` holds {n}")));
    }
    one(shape.iter().map(|&n| Expr::from(n).dim()).collect())
}

/// Losses: a scalar, or one value a target; the log probabilities keep the shape of the scores.
pub(crate) fn loss(cx: &View<'_>) -> Shapes {
    let loss = match ops::LossReduction::of(cx.op).map(|op| op.reduction()) {
        Some(BatchReduction::None) => cx.shape(1).map(<[Dim]>::to_vec),
        _ => Some(vec![]),
    };
    Ok(vec![loss, cx.shape(0).map(<[Dim]>::to_vec)])
}

/// Optimisers: `n` parameters, their gradients and states in; parameters and states out.
pub(crate) fn optimizer(cx: &View<'_>) -> Shapes {
    let parts = if cx.op.kind == K::Adam { 4 } else { 3 };
    let tensors = cx.op.inputs.len().saturating_sub(2);
    if !tensors.is_multiple_of(parts) {
        return Err(
            cx.error(format!("the number of tensors, {tensors}, is not a multiple of {parts}"))
        );
    }
    let n = tensors / parts;
    let source = |i: usize| 2 + if i < n { i } else { n + i };
    let shapes = (0..cx.op.outputs.len()).map(|i| cx.shape(source(i)).map(<[Dim]>::to_vec));
    Ok(shapes.collect())
}
