//! Code that classifiers share: transforms of scores and labels of the best class.

use crate::kernel::Call;
use crate::real::produce;
use trident_ir::DType;
use trident_ir::op::words::PostTransform;
use trident_ir::ops::{LinearClassifier, LinearClassifierAt};
use trident_runtime::KernelError;

/// Transforms a row of scores.
pub(super) fn transform(post: PostTransform, row: &mut [f64]) {
    match post {
        PostTransform::None => {}
        PostTransform::Logistic => row.iter_mut().for_each(|v| *v = 1.0 / (1.0 + (-*v).exp())),
        PostTransform::Probit => row.iter_mut().for_each(|v| *v = probit(*v)),
        PostTransform::Softmax | PostTransform::SoftmaxZero => {
            let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for v in row.iter_mut() {
                let zero = post == PostTransform::SoftmaxZero && v.abs() <= 1e-7;
                *v = if zero { *v * (-max).exp() } else { (*v - max).exp() };
            }
            let sum: f64 = row.iter().sum();
            let share = |v: f64| if sum == 0.0 { 0.5 } else { v / sum };
            row.iter_mut().for_each(|v| *v = share(*v));
        }
    }
}

/// √2·erf⁻¹(2p − 1), by Winitzki's approximation of the inverse error function (2008).
fn probit(p: f64) -> f64 {
    let x = 2.0 * p - 1.0;
    let log = ((1.0 - x) * (1.0 + x)).ln();
    let v = 2.0 / (std::f64::consts::PI * 0.147) + 0.5 * log;
    std::f64::consts::SQRT_2 * x.signum() * ((v * v - log / 0.147).sqrt() - v).sqrt()
}

/// Place of the greatest score, the first of equals.
pub(super) fn best(row: &[f64]) -> usize {
    let better = |best: usize, i: usize| if row[i] > row[best] { i } else { best };
    (0..row.len()).reduce(better).unwrap_or(0)
}

/// The class labels of an op.
pub(super) enum Labels {
    Ints(Vec<i64>),
    Strs(Vec<String>),
}

impl Labels {
    /// The labels that are given: strings, or else numbers.
    pub(super) fn new(strings: Option<&[String]>, ints: Option<&[i64]>) -> Labels {
        match strings.filter(|s| !s.is_empty()) {
            Some(s) => Labels::Strs(s.to_vec()),
            None => Labels::Ints(ints.unwrap_or_default().to_vec()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Labels::Ints(v) => v.len(),
            Labels::Strs(v) => v.len(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Labels::Ints(v) => size_of_val(v.as_slice()),
            Labels::Strs(v) => v.iter().map(|s| size_of::<String>() + s.len()).sum(),
        }
    }
}

/// Places of the results, which all classifiers have in the same order.
const AT: LinearClassifierAt = LinearClassifier::AT;

/// Sets the results of a classifier: labels by place (`None`: 0 or an empty string, for "not this class") and scores.
pub(super) fn finish(
    call: &mut Call<'_, '_>,
    labels: &Labels,
    picked: &[Option<usize>],
    scores: &[f64],
) -> Result<(), KernelError> {
    let missing =
        |i: usize| KernelError::shape(format!("class {i} of {} has no label", labels.len()));
    let n = picked.len();
    match labels {
        Labels::Strs(names) => {
            let mut out = call.alloc(AT.y, DType::Str, &[n])?;
            let mut to = out.write_strings()?;
            for i in picked {
                let name = |i: usize| names.get(i).map(String::as_str).ok_or_else(|| missing(i));
                to.push(&[i.map_or(Ok(""), name)?])?;
            }
            call.set(AT.y, out);
        }
        Labels::Ints(numbers) => {
            let mut out = call.alloc(AT.y, DType::I64, &[n])?;
            for (slot, i) in out.slice_mut::<i64>()?.iter_mut().zip(picked) {
                *slot = match i {
                    // Without labels classes are their own numbers.
                    Some(i) if numbers.is_empty() => *i as i64,
                    Some(i) => numbers.get(*i).copied().ok_or_else(|| missing(*i))?,
                    None => 0,
                };
            }
            call.set(AT.y, out);
        }
    }
    let dims = [n, scores.len() / n.max(1)];
    produce::<f64>(call, AT.z, DType::F32, &dims, |out| {
        out.copy_from_slice(scores);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms() {
        let go = |post: PostTransform, row: &[f64]| {
            let mut row = row.to_vec();
            transform(post, &mut row);
            row
        };
        assert_eq!(go(PostTransform::Softmax, &[1.0, 1.0]), [0.5, 0.5]);
        assert_eq!(go(PostTransform::SoftmaxZero, &[0.0, 3.0])[0], 0.0);
        assert_eq!(go(PostTransform::Logistic, &[0.0]), [0.5]);
        assert!((go(PostTransform::Probit, &[0.975])[0] - 1.96).abs() < 0.01);
        assert_eq!(best(&[1.0, 3.0, 3.0]), 1);
    }
}
