//! Ops of `ai.onnx.ml`: classical machine learning.

use super::common::{given, like};
use crate::op::grammar::ops;
use crate::op::words::MapCast;
use crate::op::{Operands, TypeError};
use crate::ops;
use crate::shape::{Expr, Shapes, View, dims, nothing, one};
use crate::{DType, Dim, Literal, Op, Type};

ops! {
    /// Elements of the last axis at the given indices.
    ArrayFeatureExtractor "array_feature_extractor" Ml (x, y) -> (z: Elem(0)) {} onnx "ai.onnx.ml" 1 shape given axes "_, * -> __ | .._, * -> .._";
    /// 1 above the threshold, else 0.
    Binarizer "binarizer" Ml (x) -> (y: Elem(0)) { threshold: Float = 0.0 } onnx "ai.onnx.ml" 1 shape like axes ".. -> ..";
    /// The values of a map by ascending key, as a row. The keys of a `SPARSE` map are positions below `max_map`; other
    /// elements are 0.
    CastMap "cast_map" Ml (x: Value) -> (y: Fn(cast_map_type)) { cast_to: MapCast = MapCast::Float, map_form: MapForm = MapForm::Dense, max_map: Int = 1 }
        onnx "ai.onnx.ml" 1 shape given;
    /// Category names to numbers or back.
    CategoryMapper "category_mapper" Ml (x) -> (y: Fn(category_type)) {
        cats_int64s[opt]: Ints, cats_strings[opt]: Strs, default_int64: Int = -1, default_string: Str = "_Unused",
    } onnx "ai.onnx.ml" 1 shape like axes ".. -> ..";
    /// The values of a map in the order of a vocabulary.
    DictVectorizer "dict_vectorizer" Ml (x: Value) -> (y: Fn(map_values_type)) { int64_vocabulary[opt]: Ints, string_vocabulary[opt]: Strs }
        onnx "ai.onnx.ml" 1 shape given;
    /// Columns of all operands side by side, as f32.
    FeatureVectorizer "feature_vectorizer" Ml (xs[many]) -> (y: F32) { inputdimensions[opt]: Ints }
        onnx "ai.onnx.ml" 1 shape given axes "n_ -> n_";
    /// Replaces one value (NaN too) by another, per column or the same for all.
    Imputer "imputer" Ml (x) -> (y: Elem(0)) {
        imputed_value_floats[opt]: Floats, imputed_value_int64s[opt]: Ints, replaced_value_float: Float = 0.0, replaced_value_int64: Int = 0,
    } onnx "ai.onnx.ml" 1 shape like axes ".._ -> .._";
    /// Maps keys to the values at the same places, others to the default.
    LabelEncoder "label_encoder" Ml (x) -> (y: Fn(label_values_type)) {
        default_float: Float = -0.0, default_int64: Int = -1, default_string: Str = "_Unused", default_tensor[opt]: Tensor,
        keys_floats[opt]: Floats, keys_int64s[opt]: Ints, keys_strings[opt]: Strs, keys_tensor[opt]: Tensor,
        values_floats[opt]: Floats, values_int64s[opt]: Ints, values_strings[opt]: Strs, values_tensor[opt]: Tensor,
    } onnx "ai.onnx.ml" 1 shape like axes ".. -> ..";
    /// The label of the best class, and the scores coefficients·x + intercepts after `post_transform`.
    LinearClassifier "linear_classifier" Ml (x) -> (y: Fn(class_labels_type), z: F32) {
        classlabels_ints[opt]: Ints, classlabels_strings[opt]: Strs, coefficients: Floats, intercepts[opt]: Floats,
        multi_class: Int = 0, post_transform: PostTransform = PostTransform::None,
    } onnx "ai.onnx.ml" 1 shape classes axes "n_ -> n, n_";
    /// coefficients·x + intercepts for each target, after `post_transform`.
    LinearRegressor "linear_regressor" Ml (x) -> (y: F32) {
        coefficients[opt]: Floats, intercepts[opt]: Floats, post_transform: PostTransform = PostTransform::None, targets: Int = 1,
    } onnx "ai.onnx.ml" 1 shape regression axes "n_ -> n_";
    /// Rows divided by their greatest magnitude (`MAX`), sum of magnitudes (`L1`) or Euclidean norm (`L2`).
    Normalizer "normalizer" Ml (x) -> (y: F32) { norm: RowNorm = RowNorm::Max } onnx "ai.onnx.ml" 1 shape like axes "_ -> _ | n_ -> n_";
    /// One-hot vectors of categories in an additional axis. An unknown category gives all zeros, or an error without
    /// `zeros`.
    OneHotEncoder "one_hot_encoder" Ml (x) -> (y: F32) { cats_int64s[opt]: Ints, cats_strings[opt]: Strs, zeros: Flag = true }
        onnx "ai.onnx.ml" 1 shape one_hot_categories axes ".. -> .._";
    /// (x − offset)·scale per column.
    Scaler "scaler" Ml (x) -> (y: F32) { offset[opt]: Floats, scale[opt]: Floats } onnx "ai.onnx.ml" 1 shape like axes ".._ -> .._";
    /// Support vector classification: the label that wins the votes between pairs of classes (or linear scores), and
    /// the scores, by `prob_a` and `prob_b` as probabilities. Kernels are LINEAR, POLY, RBF and SIGMOID of gamma,
    /// coef0, degree.
    SVMClassifier "svm_classifier" Ml (x) -> (y: Fn(class_labels_type), z: F32) {
        classlabels_ints[opt]: Ints, classlabels_strings[opt]: Strs, coefficients[opt]: Floats, kernel_params[opt]: Floats,
        kernel_type: SvmKernel = SvmKernel::Linear, post_transform: PostTransform = PostTransform::None, prob_a[opt]: Floats, prob_b[opt]: Floats, rho[opt]: Floats,
        support_vectors[opt]: Floats, vectors_per_class[opt]: Ints,
    } onnx "ai.onnx.ml" 1 shape classes axes "n_ -> n, n_";
    /// Support vector regression with the kernels of `svm_classifier`; `one_class` gives the sign.
    SVMRegressor "svm_regressor" Ml (x) -> (y: F32) {
        coefficients[opt]: Floats, kernel_params[opt]: Floats, kernel_type: SvmKernel = SvmKernel::Linear, n_supports: Int = 0, one_class: Flag = false,
        post_transform: PostTransform = PostTransform::None, rho[opt]: Floats, support_vectors[opt]: Floats,
    } onnx "ai.onnx.ml" 1 shape regression_of_one axes "n_ -> n_";
    /// Leaf weights of decision trees, per target the mean, sum, least or greatest (`aggregate_function` 0 to 3). A
    /// node compares its feature by ≤, <, ≥, >, =, ≠ or membership (`nodes_modes` 0 to 6); NaN goes where
    /// `nodes_missing_value_tracks_true` says.
    TreeEnsemble "tree_ensemble" Ml (x) -> (y: Elem(0)) {
        aggregate_function: Int = 1, leaf_targetids: Ints, leaf_weights: Tensor,
        membership_values[opt]: Tensor, n_targets[opt]: Int, nodes_falseleafs: Ints,
        nodes_falsenodeids: Ints, nodes_featureids: Ints, nodes_hitrates[opt]: Tensor,
        nodes_missing_value_tracks_true[opt]: Ints, nodes_modes: Tensor, nodes_splits: Tensor,
        nodes_trueleafs: Ints, nodes_truenodeids: Ints, post_transform: Int = 0,
        tree_roots: Ints,
    } onnx "ai.onnx.ml" 5 shape tree_regression axes "n_ -> n_";
    /// The label of the best class, and the scores that the leaves of decision trees add up to. Where all leaves vote for
    /// the first of two classes, the sum is the score of the second, and the first gets its complement (its negative, if a
    /// vote is negative or a transform follows); where all vote for the second, it wins from a sum above a half (above 0,
    /// if a vote is negative).
    TreeEnsembleClassifier "tree_ensemble_classifier" Ml (x) -> (y: Fn(class_labels_type), z: F32) {
        base_values[opt]: Floats, base_values_as_tensor[opt]: Tensor, class_ids[opt]: Ints, class_nodeids[opt]: Ints, class_treeids[opt]: Ints,
        class_weights[opt]: Floats, class_weights_as_tensor[opt]: Tensor, classlabels_int64s[opt]: Ints, classlabels_strings[opt]: Strs,
        nodes_falsenodeids[opt]: Ints, nodes_featureids[opt]: Ints, nodes_hitrates[opt]: Floats, nodes_hitrates_as_tensor[opt]: Tensor,
        nodes_missing_value_tracks_true[opt]: Ints, nodes_modes[opt]: Strs, nodes_nodeids[opt]: Ints, nodes_treeids[opt]: Ints,
        nodes_truenodeids[opt]: Ints, nodes_values[opt]: Floats, nodes_values_as_tensor[opt]: Tensor, post_transform: PostTransform = PostTransform::None,
    } onnx "ai.onnx.ml" 1 shape classes axes "n_ -> n, n_";
    /// Per target the sum, mean, least or greatest weight of the leaves of decision trees.
    TreeEnsembleRegressor "tree_ensemble_regressor" Ml (x) -> (y: F32) {
        aggregate_function: TreeAggregate = TreeAggregate::Sum, base_values[opt]: Floats, base_values_as_tensor[opt]: Tensor, n_targets[opt]: Int,
        nodes_falsenodeids[opt]: Ints, nodes_featureids[opt]: Ints, nodes_hitrates[opt]: Floats, nodes_hitrates_as_tensor[opt]: Tensor,
        nodes_missing_value_tracks_true[opt]: Ints, nodes_modes[opt]: Strs, nodes_nodeids[opt]: Ints, nodes_treeids[opt]: Ints,
        nodes_truenodeids[opt]: Ints, nodes_values[opt]: Floats, nodes_values_as_tensor[opt]: Tensor, post_transform: PostTransform = PostTransform::None,
        target_ids[opt]: Ints, target_nodeids[opt]: Ints, target_treeids[opt]: Ints, target_weights[opt]: Floats, target_weights_as_tensor[opt]: Tensor,
    } onnx "ai.onnx.ml" 1 shape tree_regression axes "n_ -> n_";
    /// Rows of scores as maps from class to score.
    ZipMap "zip_map" Ml (x) -> (z: Fn(zip_map_type)) { classlabels_int64s[opt]: Ints, classlabels_strings[opt]: Strs }
        onnx "ai.onnx.ml" 1 shape given;
}

/// Strings where the classes have names, else i64.
fn class_labels_type(op: &Op, _: &Operands<'_>) -> Result<Type, TypeError> {
    let strings = labels(op).is_some_and(|s| !s.is_empty());
    Ok(Type::unranked(if strings { DType::Str } else { DType::I64 }))
}

/// The names of classes.
fn labels(op: &Op) -> Option<&[String]> {
    let linear = ops::LinearClassifier::of(op).map(|op| op.classlabels_strings());
    let svm = || ops::SVMClassifier::of(op).map(|op| op.classlabels_strings());
    let tree = || ops::TreeEnsembleClassifier::of(op).map(|op| op.classlabels_strings());
    let map = || ops::ZipMap::of(op).map(|op| op.classlabels_strings());
    linear.or_else(svm).or_else(tree).or_else(map)?
}

/// One map per row, from the label of a class to its score.
fn zip_map_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    let key = class_labels_type(op, operands)?.dtype().unwrap_or(DType::I64);
    Ok(Type::Seq(Box::new(Type::Map(key, Box::new(Type::fixed(DType::F32, &[]))))))
}

/// By the name of the cast.
fn cast_map_type(op: &Op, _: &Operands<'_>) -> Result<Type, TypeError> {
    let to = crate::ops::CastMap::of(op).map_or(MapCast::Float, |op| op.cast_to());
    Ok(Type::unranked(match to {
        MapCast::Str => DType::Str,
        MapCast::Int => DType::I64,
        MapCast::Float => DType::F32,
    }))
}

/// Names become numbers and numbers names.
fn category_type(_: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    let strings = operands(0).and_then(Type::dtype) == Some(DType::Str);
    Ok(Type::unranked(if strings { DType::I64 } else { DType::Str }))
}

/// The type of the values that the op may return.
fn label_values_type(op: &Op, _: &Operands<'_>) -> Result<Type, TypeError> {
    let dtype = ops::LabelEncoder::of(op).and_then(|op| {
        let tensor = op.values_tensor().map(Literal::dtype);
        let strings = op.values_strings().map(|_| DType::Str);
        let ints = op.values_int64s().map(|_| DType::I64);
        tensor.or(strings).or(ints).or(op.values_floats().map(|_| DType::F32))
    });
    dtype.map(Type::unranked).ok_or(TypeError::Attribute {
        op: op.decl().name,
        name: "values_tensor",
        expected: "one of the values_* attributes",
    })
}

/// The type of the values of the map.
fn map_values_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    match operands(0) {
        Some(Type::Map(_, value)) => Ok(Type::unranked(value.dtype().unwrap_or(DType::F32))),
        other => Err(TypeError::Operand {
            op: op.decl().name,
            name: "x",
            index: 0,
            actual: other.map_or("absent".into(), Type::to_string),
            expected: "a map".into(),
        }),
    }
}

/// The number of rows of operand 0: one for each sample.
fn rows(cx: &View<'_>) -> Dim {
    match cx.shape(0) {
        Some([n, _]) => n.clone(),
        Some([] | [_]) => Dim::Fixed(1),
        _ => Dim::Unknown,
    }
}

/// OneHotEncoder: a further axis has the categories.
fn one_hot_categories(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::OneHotEncoder::of(cx.op) else { return nothing() };
    let ints = op.cats_int64s().map(<[_]>::len).filter(|n| *n > 0);
    let count = ints.or(op.cats_strings().map(<[_]>::len)).filter(|n| *n > 0);
    let categories = count.map_or(Dim::Unknown, Dim::Fixed);
    Ok(vec![cx.shape(0).map(|x| [x, &[categories]].concat())])
}

/// LinearRegressor.
fn regression(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::LinearRegressor::of(cx.op) else { return nothing() };
    one(vec![rows(cx), Expr::from(op.targets()).dim()])
}

/// TreeEnsemble, TreeEnsembleRegressor.
fn tree_regression(cx: &View<'_>) -> Shapes {
    let targets = ops::TreeEnsemble::of(cx.op).and_then(|op| op.n_targets());
    let targets =
        targets.or_else(|| ops::TreeEnsembleRegressor::of(cx.op).and_then(|op| op.n_targets()));
    match targets {
        Some(n) => one(vec![rows(cx), Expr::from(n).dim()]),
        None => one(dims::unknown(2)),
    }
}

/// SVMRegressor.
fn regression_of_one(cx: &View<'_>) -> Shapes {
    one(vec![rows(cx), Dim::Fixed(1)])
}

/// Classifiers: a label for each sample, and the scores of its classes.
fn classes(cx: &View<'_>) -> Shapes {
    let rows = rows(cx);
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, Dim::Unknown])])
}
