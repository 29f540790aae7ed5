//! Classical machine learning (`ai.onnx.ml`).

mod classes;
mod features;
mod labels;
mod linear;
mod maps;
mod svm;
mod tree;

use crate::kernel::{Call, Compile, Kernel, Plain};
use crate::real::read;
use trident_ir::{Op, OpKind};
use trident_runtime::{Declined, KernelError};

/// The kernel for a classical model.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Option<Box<dyn Kernel>>, Declined> {
    let (op, pool) = (cx.op, cx.unit.pool);
    Ok(Some(match op.kind {
        OpKind::ArrayFeatureExtractor => Plain::boxed("array_feature_extractor", features::extract),
        OpKind::Binarizer => Plain::boxed("binarizer", features::binarize),
        OpKind::CastMap => Plain::boxed("cast_map", maps::cast),
        OpKind::CategoryMapper => {
            let model = labels::Categories::new(op, pool);
            Model::boxed(cx, "category_mapper", model, labels::Categories::run)?
        }
        OpKind::DictVectorizer => Plain::boxed("dict_vectorizer", maps::vectorize),
        OpKind::FeatureVectorizer => Plain::boxed("feature_vectorizer", features::join),
        OpKind::Imputer => Plain::boxed("imputer", features::impute),
        OpKind::LabelEncoder => {
            Model::boxed(cx, "label_encoder", labels::Encoder::new(op, pool), labels::Encoder::run)?
        }
        OpKind::LinearClassifier => Plain::boxed("linear_classifier", linear::classify),
        OpKind::LinearRegressor => Plain::boxed("linear_regressor", linear::regress),
        OpKind::Normalizer => Plain::boxed("normalizer", features::normalize),
        OpKind::OneHotEncoder => Plain::boxed("one_hot_encoder", labels::one_hot),
        OpKind::Scaler => Plain::boxed("scaler", features::scale),
        OpKind::SVMClassifier => Plain::boxed("svm_classifier", svm::classify),
        OpKind::SVMRegressor => Plain::boxed("svm_regressor", svm::regress),
        OpKind::TreeEnsemble => Model::boxed(cx, "tree_ensemble", tree::ensemble(op), tree::run)?,
        OpKind::TreeEnsembleClassifier => {
            Model::boxed(cx, "tree_ensemble_classifier", tree::classifier(op), tree::classify)?
        }
        OpKind::TreeEnsembleRegressor => {
            Model::boxed(cx, "tree_ensemble_regressor", tree::regressor(op), tree::run)?
        }
        OpKind::ZipMap => Plain::boxed("zip_map", maps::zip),
        _ => return Ok(None),
    }))
}

/// A kernel with a model that is read from the attributes once.
struct Model<T> {
    name: &'static str,
    model: Result<T, KernelError>,
    run: fn(&T, &mut Call<'_, '_>) -> Result<(), KernelError>,
}

/// What a model takes of memory.
trait Bytes {
    /// Bytes that are no part of a pool.
    fn bytes(&self) -> usize;
}

impl<T: Bytes + Send + Sync + 'static> Model<T> {
    /// What does not fit into the memory that the model may use is refused; other errors show when it runs.
    fn boxed(
        cx: &Compile<'_>,
        name: &'static str,
        model: Result<T, KernelError>,
        run: fn(&T, &mut Call<'_, '_>) -> Result<(), KernelError>,
    ) -> Result<Box<dyn Kernel>, Declined> {
        match model {
            Err(error @ KernelError::TooLarge { .. }) => Err(cx.declined(error.to_string())),
            model => Ok(Box::new(Model { name, model, run })),
        }
    }
}

impl<T: Bytes + Send + Sync> Kernel for Model<T> {
    fn name(&self) -> &str {
        self.name
    }

    fn packed_bytes(&self) -> usize {
        self.model.as_ref().map_or(0, T::bytes)
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let model = self.model.as_ref().map_err(KernelError::clone)?;
        (self.run)(model, call)
    }
}

/// Operand 0 as rows of features; a vector is one row.
struct Rows {
    count: usize,
    width: usize,
    values: Vec<f64>,
}

impl Rows {
    fn new(call: &Call<'_, '_>) -> Result<Rows, KernelError> {
        let x = call.tensor(0)?;
        let (count, width) = match *x.dims() {
            [width] => (1, width),
            [count, width] => (count, width),
            ref other => {
                return Err(KernelError::shape(format!("{other:?} is no table of features")));
            }
        };
        Ok(Rows { count, width, values: read::<f64>(&x)?.into_owned() })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..][..self.width]
    }
}

/// A list of numbers that may be absent.
fn floats<'a>(op: &'a Op, name: &str) -> &'a [f32] {
    op.floats(name).unwrap_or_default()
}

/// Numbers from a list attribute, or from a tensor attribute that stands for it in double precision.
fn list_or_tensor(
    op: &Op,
    list: &'static str,
    tensor: &'static str,
) -> Result<Vec<f64>, KernelError> {
    match op.attrs.get(tensor) {
        Some(trident_ir::Attr::Tensor(literal)) => numbers(literal, tensor),
        _ => Ok(floats(op, list).iter().map(|&v| v.into()).collect()),
    }
}

/// The elements of a numeric constant.
fn numbers(literal: &trident_ir::Literal, name: &'static str) -> Result<Vec<f64>, KernelError> {
    let t = trident_runtime::Tensor::from_literal(&trident_runtime::Pool::new(), literal)?;
    Ok(read::<f64>(&t).map_err(|e| KernelError::attr(name, e.to_string()))?.into_owned())
}
