//! Ops of `ai.onnx.ml`.

use crate::shape::dims;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, ops};

/// The number of rows of operand 0: one for each sample.
fn rows(cx: &View<'_>) -> Dim {
    match cx.shape(0) {
        Some([n, _]) => n.clone(),
        Some([] | [_]) => Dim::Fixed(1),
        _ => Dim::Unknown,
    }
}

/// OneHotEncoder: a further axis has the categories.
pub(crate) fn one_hot_categories(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::OneHotEncoder::of(cx.op) else { return nothing() };
    let ints = op.cats_int64s().map(<[_]>::len).filter(|n| *n > 0);
    let count = ints.or(op.cats_strings().map(<[_]>::len)).filter(|n| *n > 0);
    let categories = count.map_or(Dim::Unknown, Dim::Fixed);
    Ok(vec![cx.shape(0).map(|x| [x, &[categories]].concat())])
}

/// LinearRegressor.
pub(crate) fn regression(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::LinearRegressor::of(cx.op) else { return nothing() };
    one(vec![rows(cx), Expr::from(op.targets()).dim()])
}

/// TreeEnsemble, TreeEnsembleRegressor.
pub(crate) fn tree_regression(cx: &View<'_>) -> Shapes {
    let targets = ops::TreeEnsemble::of(cx.op).and_then(|op| op.n_targets());
    let targets =
        targets.or_else(|| ops::TreeEnsembleRegressor::of(cx.op).and_then(|op| op.n_targets()));
    match targets {
        Some(n) => one(vec![rows(cx), Expr::from(n).dim()]),
        None => one(dims::unknown(2)),
    }
}

/// SVMRegressor.
pub(crate) fn regression_of_one(cx: &View<'_>) -> Shapes {
    one(vec![rows(cx), Dim::Fixed(1)])
}

/// Classifiers: a label for each sample, and the scores of its classes.
pub(crate) fn classes(cx: &View<'_>) -> Shapes {
    let rows = rows(cx);
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, Dim::Unknown])])
}
