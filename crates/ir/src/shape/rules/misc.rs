//! Strings, random numbers, losses, optimisers, classical machine learning.

use super::like;
use crate::shape::dims;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, OpKind as K};

/// DynamicQuantizeLinear: scale and zero point are scalars.
pub(super) fn dynamic_quantize(cx: &View<'_>) -> Shapes {
    Ok(vec![cx.shape(0).map(<[Dim]>::to_vec), Some(vec![]), Some(vec![])])
}

/// StringNormalizer drops strings from the last axis.
pub(super) fn string_normalizer(cx: &View<'_>) -> Shapes {
    match cx.shape(0) {
        None => nothing(),
        Some([_]) => one(vec![Dim::Unknown]),
        Some([n, _]) => one(vec![n.clone(), Dim::Unknown]),
        Some(_) => Err(cx.error(format!("{} has neither rank 1 nor 2", cx.name_shape(0)))),
    }
}

/// StringSplit.
pub(super) fn string_split(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    Ok(vec![Some([x, &[Dim::Unknown]].concat()), Some(x.to_vec())])
}

/// TfIdfVectorizer: the last axis becomes one of n-grams.
pub(super) fn tf_idf(cx: &View<'_>) -> Shapes {
    let width =
        cx.op.ints("ngram_indexes").and_then(|i| i.iter().max()).map_or(0, |m| m.saturating_add(1));
    let width = Expr::from(width).dim();
    match cx.shape(0) {
        None => nothing(),
        Some([] | [_]) => one(vec![width]),
        Some([n, _]) => one(vec![n.clone(), width]),
        Some(_) => Err(cx.error(format!("{} has rank above 2", cx.name_shape(0)))),
    }
}

/// All results have the shape of operand 0.
pub(super) fn same_for_all(cx: &View<'_>) -> Shapes {
    let shape = cx.shape(0).map(<[Dim]>::to_vec);
    Ok(vec![shape; cx.op.outputs.len()])
}

/// Multinomial.
pub(super) fn multinomial(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 2)?;
    let batch = cx.shape(0).map_or(Dim::Unknown, |x| x[0].clone());
    one(vec![batch, Expr::from(cx.op.int("sample_size").unwrap_or(1)).dim()])
}

/// RandomNormal, RandomUniform.
pub(super) fn random(cx: &View<'_>) -> Shapes {
    let shape = cx.op.ints("shape").unwrap_or_default();
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return Err(cx.error(format!("`shape` holds {n}")));
    }
    one(shape.iter().map(|&n| Expr::from(n).dim()).collect())
}

/// Losses: a scalar, or one value a target; the log probabilities keep the shape of the scores.
pub(super) fn loss(cx: &View<'_>) -> Shapes {
    let loss = match cx.op.str("reduction") {
        Some("none") => cx.shape(1).map(<[Dim]>::to_vec),
        _ => Some(vec![]),
    };
    Ok(vec![loss, cx.shape(0).map(<[Dim]>::to_vec)])
}

/// Optimisers: `n` parameters, their gradients and states in; parameters and states out.
pub(super) fn optimizer(cx: &View<'_>) -> Shapes {
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

/// Ops of `ai.onnx.ml`.
pub(super) fn ml(cx: &View<'_>) -> Shapes {
    let x = cx.shape(0);
    let rows = match x {
        Some([n, _]) => n.clone(),
        Some([] | [_]) => Dim::Fixed(1),
        _ => Dim::Unknown,
    };
    let count = |name: &str| cx.op.int(name).map_or(Dim::Unknown, |n| Expr::from(n).dim());
    let len = |names: [&str; 2]| {
        let [ints, strs] = names;
        let n = cx.op.ints(ints).map(<[_]>::len).filter(|n| *n > 0);
        n.or(cx.op.strs(strs).map(<[_]>::len)).filter(|n| *n > 0)
    };
    match cx.op.kind {
        K::Binarizer
        | K::CategoryMapper
        | K::Imputer
        | K::LabelEncoder
        | K::Normalizer
        | K::Scaler => like(cx, 0),
        K::OneHotEncoder => {
            let categories = len(["cats_int64s", "cats_strings"]).map_or(Dim::Unknown, Dim::Fixed);
            Ok(vec![x.map(|x| [x, &[categories]].concat())])
        }
        K::LinearRegressor => one(vec![rows, count("targets")]),
        K::TreeEnsemble | K::TreeEnsembleRegressor => match cx.op.int("n_targets") {
            Some(n) => one(vec![rows, Expr::from(n).dim()]),
            None => one(dims::unknown(2)),
        },
        K::SVMRegressor => one(vec![rows, Dim::Fixed(1)]),
        K::TreeEnsembleClassifier | K::LinearClassifier | K::SVMClassifier => {
            Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, Dim::Unknown])])
        }
        _ => nothing(),
    }
}
