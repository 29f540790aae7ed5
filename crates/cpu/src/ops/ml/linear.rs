//! Linear models.

use super::classes::{Labels, Post, best, finish};
use super::{Rows, floats};
use crate::kernel::Call;
use crate::real::produce;
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// Scores of each row: one for each of `outputs` rows of coefficients.
fn scores(call: &Call<'_, '_>, rows: &Rows, outputs: usize) -> Result<Vec<f64>, KernelError> {
    let (weights, bias) = (floats(call.op, "coefficients"), floats(call.op, "intercepts"));
    let fits = outputs.checked_mul(rows.width) == Some(weights.len());
    if !fits || !(bias.is_empty() || bias.len() == outputs) {
        return Err(KernelError::shape(format!(
            "{} and {} for {} of {}",
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
            let dot: f64 = rows.row(i).iter().zip(weights).map(|(x, &w)| x * f64::from(w)).sum();
            all.push(dot + bias.get(o).copied().map_or(0.0, f64::from));
        }
    }
    Ok(all)
}

/// LinearRegressor.
pub(super) fn regress(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (rows, post) = (Rows::new(call)?, Post::new(call.op)?);
    let targets = call.op.int("targets").unwrap_or(1);
    let targets =
        usize::try_from(targets).map_err(|_| KernelError::attr("targets", format!("{targets}")))?;
    let mut all = scores(call, &rows, targets)?;
    all.chunks_exact_mut(targets.max(1)).for_each(|row| post.apply(row));
    produce::<f64>(call, 0, DType::F32, &[rows.count, targets], |out| {
        out.copy_from_slice(&all);
        Ok(())
    })
}

/// LinearClassifier. One row of coefficients for two classes scores the second.
pub(super) fn classify(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (rows, post) = (Rows::new(call)?, Post::new(call.op)?);
    let labels = Labels::new(call.op, "classlabels_ints");
    let weights = floats(call.op, "coefficients").len();
    let outputs = weights.checked_div(rows.width).unwrap_or(labels.len());
    let raw = scores(call, &rows, outputs)?;
    let mut all: Vec<f64> = match (outputs, labels.len()) {
        (1, 2) => raw.iter().flat_map(|&s| [-s, s]).collect(),
        _ => raw,
    };
    let width = all.len() / rows.count.max(1);
    let threshold = if post == Post::None { 0.0 } else { 0.5 };
    let picked: Vec<_> = all
        .chunks_exact_mut(width.max(1))
        .map(|row| {
            post.apply(row);
            if width == 1 { (row[0] >= threshold).then_some(0) } else { Some(best(row)) }
        })
        .collect();
    finish(call, &labels, &picked, &all)
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
