//! Classical machine learning (`ai.onnx.ml`).

mod classes;
mod features;
mod labels;
mod linear;
mod maps;
mod svm;
mod tree;

use crate::kernel::{Entry, Prepared, entry};
use crate::real::read;
use trident_ir::Literal;
use trident_ir::ops::{
    ArrayFeatureExtractor, Binarizer, CastMap, CategoryMapper, DictVectorizer, FeatureVectorizer,
    Imputer, LabelEncoder, LinearClassifier, LinearRegressor, Normalizer, OneHotEncoder,
    SVMClassifier, SVMRegressor, Scaler, TreeEnsemble, TreeEnsembleClassifier,
    TreeEnsembleRegressor, ZipMap,
};
use trident_runtime::{KernelError, Pool, Tensor};

pub(super) const KERNELS: &[Entry] = &[
    entry(ArrayFeatureExtractor::KIND, |cx| Prepared::boxed(cx, features::extract)),
    entry(Binarizer::KIND, features::binarizer),
    entry(CastMap::KIND, maps::cast),
    entry(CategoryMapper::KIND, labels::categories),
    entry(DictVectorizer::KIND, maps::vectorizer),
    entry(FeatureVectorizer::KIND, features::joiner),
    entry(Imputer::KIND, features::imputer),
    entry(LabelEncoder::KIND, labels::encoder),
    entry(LinearClassifier::KIND, linear::classifier),
    entry(LinearRegressor::KIND, linear::regressor),
    entry(Normalizer::KIND, features::normalizer),
    entry(OneHotEncoder::KIND, labels::one_hot),
    entry(Scaler::KIND, features::scaler),
    entry(SVMClassifier::KIND, svm::classifier),
    entry(SVMRegressor::KIND, svm::regressor),
    entry(TreeEnsemble::KIND, tree::ensemble),
    entry(TreeEnsembleClassifier::KIND, tree::classifier),
    entry(TreeEnsembleRegressor::KIND, tree::regressor),
    entry(ZipMap::KIND, maps::zip),
];

/// A tensor as rows of features; a vector is one row.
struct Rows {
    count: usize,
    width: usize,
    values: Vec<f64>,
}

impl Rows {
    fn of(x: &Tensor) -> Result<Rows, KernelError> {
        let (count, width) = match *x.dims() {
            [width] => (1, width),
            [count, width] => (count, width),
            ref other => {
                return Err(KernelError::shape(format!(
                    "an input of dimensions {other:?} is not a table of features"
                )));
            }
        };
        Ok(Rows { count, width, values: read::<f64>(x)?.into_owned() })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..][..self.width]
    }
}

/// The list of an attribute; empty if it is not set.
fn list(values: Option<&[f32]>) -> Vec<f32> {
    values.unwrap_or_default().to_vec()
}

/// An attribute that must not be negative.
fn count(value: i64, name: &'static str) -> Result<usize, KernelError> {
    usize::try_from(value).map_err(|_| KernelError::attr(name, format!("{value} is negative")))
}

/// The elements of an attribute that is a numeric tensor.
fn numbers(literal: &Literal, name: &'static str) -> Result<Vec<f64>, KernelError> {
    let t = Tensor::from_literal(&Pool::new(), literal)?;
    Ok(read::<f64>(&t).map_err(|e| KernelError::attr(name, e.to_string()))?.into_owned())
}
