//! What classifiers share: transforms of scores and labels of the best class.

use crate::kernel::Call;
use crate::real::produce;
use trident_ir::{DType, Op};
use trident_runtime::KernelError;

/// A transform of a row of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Post {
    None,
    Softmax,
    Logistic,
    /// Softmax over the scores that are not 0.
    SoftmaxZero,
    Probit,
}

impl Post {
    /// As `post_transform` names it, or numbers it for TreeEnsemble.
    pub(super) fn new(op: &Op) -> Result<Post, KernelError> {
        const NAMES: [(&str, Post); 5] = [
            ("NONE", Post::None),
            ("SOFTMAX", Post::Softmax),
            ("LOGISTIC", Post::Logistic),
            ("SOFTMAX_ZERO", Post::SoftmaxZero),
            ("PROBIT", Post::Probit),
        ];
        let name = op.str("post_transform");
        let by_number = op.int("post_transform").and_then(|i| NAMES.get(usize::try_from(i).ok()?));
        let found = by_number.or_else(|| NAMES.iter().find(|(n, _)| Some(*n) == name));
        found
            .map(|&(_, post)| post)
            .ok_or_else(|| KernelError::attr("post_transform", format!("unknown: {name:?}")))
    }

    pub(super) fn apply(self, row: &mut [f64]) {
        match self {
            Post::None => {}
            Post::Logistic => row.iter_mut().for_each(|v| *v = 1.0 / (1.0 + (-*v).exp())),
            Post::Probit => row.iter_mut().for_each(|v| *v = probit(*v)),
            Post::Softmax | Post::SoftmaxZero => {
                let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                for v in row.iter_mut() {
                    let zero = self == Post::SoftmaxZero && v.abs() <= 1e-7;
                    *v = if zero { *v * (-max).exp() } else { (*v - max).exp() };
                }
                let sum: f64 = row.iter().sum();
                let share = |v: f64| if sum == 0.0 { 0.5 } else { v / sum };
                row.iter_mut().for_each(|v| *v = share(*v));
            }
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
pub(super) enum Labels<'a> {
    Ints(&'a [i64]),
    Strs(&'a [String]),
}

impl<'a> Labels<'a> {
    pub(super) fn new(op: &'a Op, ints: &str) -> Labels<'a> {
        match op.strs("classlabels_strings").filter(|s| !s.is_empty()) {
            Some(s) => Labels::Strs(s),
            None => Labels::Ints(op.ints(ints).unwrap_or_default()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Labels::Ints(v) => v.len(),
            Labels::Strs(v) => v.len(),
        }
    }
}

/// Sets the results of a classifier: labels by place (`None`: 0 or an empty string, for "not this class") and scores.
pub(super) fn finish(
    call: &mut Call<'_, '_>,
    labels: &Labels<'_>,
    picked: &[Option<usize>],
    scores: &[f64],
) -> Result<(), KernelError> {
    let missing =
        |i: usize| KernelError::shape(format!("class {i} of {} has no label", labels.len()));
    let n = picked.len();
    match labels {
        Labels::Strs(names) => {
            let mut out = call.alloc(0, DType::Str, &[n])?;
            let mut to = out.write_strings()?;
            for i in picked {
                let name = |i: usize| names.get(i).map(String::as_str).ok_or_else(|| missing(i));
                to.push(&[i.map_or(Ok(""), name)?])?;
            }
            call.set(0, out);
        }
        Labels::Ints(numbers) => {
            let mut out = call.alloc(0, DType::I64, &[n])?;
            for (slot, i) in out.slice_mut::<i64>()?.iter_mut().zip(picked) {
                *slot = match i {
                    // Without labels classes are their own numbers.
                    Some(i) if numbers.is_empty() => *i as i64,
                    Some(i) => numbers.get(*i).copied().ok_or_else(|| missing(*i))?,
                    None => 0,
                };
            }
            call.set(0, out);
        }
    }
    let dims = [n, scores.len() / n.max(1)];
    produce::<f64>(call, 1, DType::F32, &dims, |out| {
        out.copy_from_slice(scores);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms() {
        let go = |post: Post, row: &[f64]| {
            let mut row = row.to_vec();
            post.apply(&mut row);
            row
        };
        assert_eq!(go(Post::Softmax, &[1.0, 1.0]), [0.5, 0.5]);
        assert_eq!(go(Post::SoftmaxZero, &[0.0, 3.0])[0], 0.0);
        assert_eq!(go(Post::Logistic, &[0.0]), [0.5]);
        assert!((go(Post::Probit, &[0.975])[0] - 1.96).abs() < 0.01);
        assert_eq!(best(&[1.0, 3.0, 3.0]), 1);
    }
}
