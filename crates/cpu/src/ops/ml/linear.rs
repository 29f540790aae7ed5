//! Linear models.

use super::classes::{Labels, best, finish, transform};
use super::{Rows, count, list};
use crate::kernel::{Compile, Made, Prepared};
use crate::real::produce;
use trident_ir::op::words::PostTransform;
use trident_ir::ops::{LinearClassifier, LinearRegressor};
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// Rows of coefficients, and an intercept for each or none.
struct Linear {
    coefficients: Vec<f32>,
    intercepts: Vec<f32>,
}

impl Linear {
    fn bytes(&self) -> usize {
        size_of_val(self.coefficients.as_slice()) + size_of_val(self.intercepts.as_slice())
    }

    /// Scores of each row: one for each of `outputs` rows of coefficients.
    fn scores(&self, rows: &Rows, outputs: usize) -> Result<Vec<f64>, KernelError> {
        let (weights, bias) = (&self.coefficients, &self.intercepts);
        let fits = outputs.checked_mul(rows.width) == Some(weights.len());
        if !fits || !(bias.is_empty() || bias.len() == outputs) {
            return Err(KernelError::shape(format!(
                "there are {} and {} for {} of {}",
                counted(weights.len(), "coefficient"),
                counted(bias.len(), "intercept"),
                counted(outputs, "output"),
                counted(rows.width, "feature")
            )));
        }
        let mut all = Vec::with_capacity(rows.count * outputs);
        for i in 0..rows.count {
            for o in 0..outputs {
                let weights = &weights[o * rows.width..][..rows.width];
                let dot: f64 =
                    rows.row(i).iter().zip(weights).map(|(x, &w)| x * f64::from(w)).sum();
                all.push(dot + bias.get(o).copied().map_or(0.0, f64::from));
            }
        }
        Ok(all)
    }
}

/// LinearRegressor.
pub(super) fn regressor(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(LinearRegressor::of)?, LinearRegressor::AT);
    let model = Linear { coefficients: list(op.coefficients()), intercepts: list(op.intercepts()) };
    let targets = count(op.targets(), "targets").map_err(|e| cx.refused(e))?;
    let post = op.post_transform();
    Prepared::holding(cx, model.bytes(), move |call| {
        let rows = Rows::of(&call.tensor(at.x)?)?;
        let mut all = model.scores(&rows, targets)?;
        all.chunks_exact_mut(targets.max(1)).for_each(|row| transform(post, row));
        produce::<f64>(call, at.y, DType::F32, &[rows.count, targets], |out| {
            out.copy_from_slice(&all);
            Ok(())
        })
    })
}

/// LinearClassifier. One row of coefficients for two classes scores the second.
pub(super) fn classifier(cx: &Compile<'_>) -> Made {
    let op = cx.view(LinearClassifier::of)?;
    let model =
        Linear { coefficients: op.coefficients().to_vec(), intercepts: list(op.intercepts()) };
    let labels = Labels::new(op.classlabels_strings(), op.classlabels_ints());
    let post = op.post_transform();
    let threshold = if post == PostTransform::None { 0.0 } else { 0.5 };
    Prepared::holding(cx, model.bytes() + labels.bytes(), move |call| {
        let rows = Rows::of(&call.tensor(LinearClassifier::AT.x)?)?;
        let weights = model.coefficients.len();
        let outputs = weights.checked_div(rows.width).unwrap_or(labels.len());
        let raw = model.scores(&rows, outputs)?;
        let mut all: Vec<f64> = match (outputs, labels.len()) {
            (1, 2) => raw.iter().flat_map(|&s| [-s, s]).collect(),
            _ => raw,
        };
        let width = all.len() / rows.count.max(1);
        let picked: Vec<_> = all
            .chunks_exact_mut(width.max(1))
            .map(|row| {
                transform(post, row);
                if width == 1 { (row[0] >= threshold).then_some(0) } else { Some(best(row)) }
            })
            .collect();
        finish(call, &labels, &picked, &all)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn regression_and_classes() {
        let x = || tensor(&[2, 2], &[1.0f32, 2.0, 3.0, -4.0]);
        let model = [
            ("coefficients", Attr::Floats(vec![1.0, 1.0])),
            ("intercepts", Attr::Floats(vec![0.5])),
        ];
        let y = run(OpKind::LinearRegressor, &model, vec![x()]).unwrap();
        assert_eq!(elements::<f32>(&y), [3.5, -0.5]);
        let attrs = [&model[..], &[("classlabels_ints", Attr::Ints(vec![10, 20]))]].concat();
        let y = run_on(1, OpKind::LinearClassifier, &attrs, vec![Some(x())], 2).unwrap();
        assert_eq!(elements::<i64>(&y[0]), [20, 10]);
        assert_eq!(elements::<f32>(&y[1]), [-3.5, 3.5, 0.5, -0.5]);
        let bad = [("coefficients", Attr::Floats(vec![1.0; 3]))];
        assert!(run(OpKind::LinearRegressor, &bad, vec![x()]).is_err());
    }
}
