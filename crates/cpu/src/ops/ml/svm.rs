//! Support vector machines, in the layout of LIBSVM (Chang and Lin 2011).

use super::classes::{Labels, best, finish, transform};
use super::{Rows, count, list};
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::produce;
use trident_ir::DType;
use trident_ir::op::words::{PostTransform, SvmKernel};
use trident_ir::ops::{SVMClassifier, SVMRegressor};
use trident_runtime::KernelError;

/// A kernel function with gamma, coef0 and degree.
struct Kernel(SvmKernel, [f64; 3]);

impl Kernel {
    const LINEAR: Kernel = Kernel(SvmKernel::Linear, [0.0; 3]);

    fn new(kind: SvmKernel, params: Option<&[f32]>) -> Kernel {
        let params = params.unwrap_or_default();
        Kernel(kind, std::array::from_fn(|i| params.get(i).copied().map_or(0.0, f64::from)))
    }

    fn eval(&self, x: &[f64], v: &[f32]) -> f64 {
        let Kernel(kind, [gamma, coef0, degree]) = *self;
        let pairs = || x.iter().zip(v).map(|(&a, &b)| (a, f64::from(b)));
        let dot = || pairs().map(|(a, b)| a * b).sum::<f64>();
        match kind {
            SvmKernel::Linear => dot(),
            SvmKernel::Poly => (gamma * dot() + coef0).powf(degree.trunc()),
            SvmKernel::Sigmoid => (gamma * dot() + coef0).tanh(),
            SvmKernel::Rbf => (-gamma * pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp(),
        }
    }
}

fn misfit(what: &str, got: usize, want: usize) -> KernelError {
    KernelError::shape(format!("there are {got} {what}, expected {want}"))
}

/// Refuses a list of another length than is needed; `None` is more than any list has.
fn check(what: &str, got: usize, want: Option<usize>) -> Result<(), KernelError> {
    match want == Some(got) {
        true => Ok(()),
        false => Err(misfit(what, got, want.unwrap_or(usize::MAX))),
    }
}

/// The kernel of row `i` with each of `n` support vectors.
fn kernels(rows: &Rows, i: usize, kernel: &Kernel, vectors: &[f32], n: usize) -> Vec<f64> {
    let vector = |j: usize| &vectors[j * rows.width..][..rows.width];
    (0..n).map(|j| kernel.eval(rows.row(i), vector(j))).collect()
}

/// SVMRegressor.
pub(super) fn regressor(cx: &Compile<'_>) -> Made {
    let op = cx.view(SVMRegressor::of)?;
    let coefficients = list(op.coefficients());
    let n = usize::try_from(op.n_supports()).unwrap_or(0);
    // Without support vectors the model is linear.
    let (vectors, weights, kernel) = match n {
        0 => (coefficients, vec![1.0], Kernel::LINEAR),
        _ => {
            let kernel = Kernel::new(op.kernel_type(), op.kernel_params());
            (list(op.support_vectors()), coefficients, kernel)
        }
    };
    if n != 0 && weights.len() != n {
        return Err(cx.refused(misfit("coefficients", weights.len(), n)));
    }
    let rho = op.rho().and_then(|rho| rho.first()).copied().map_or(0.0, f64::from);
    let (one_class, post) = (op.one_class(), op.post_transform());
    let bytes = size_of_val(vectors.as_slice()) + size_of_val(weights.as_slice());
    Prepared::holding(cx, bytes, move |call| {
        let at = SVMRegressor::AT;
        let rows = Rows::of(&call.tensor(at.x)?)?;
        if Some(vectors.len()) != weights.len().checked_mul(rows.width) {
            let want = weights.len().saturating_mul(rows.width);
            return Err(misfit("support vector elements", vectors.len(), want));
        }
        produce::<f64>(call, at.y, DType::F32, &[rows.count, 1], |out| {
            for (i, slot) in out.iter_mut().enumerate() {
                let terms = kernels(&rows, i, &kernel, &vectors, weights.len());
                let sum: f64 = terms.iter().zip(&weights).map(|(k, &w)| k * f64::from(w)).sum();
                *slot = sum + rho;
                if one_class {
                    *slot = if *slot > 0.0 { 1.0 } else { -1.0 };
                }
                transform(post, std::slice::from_mut(slot));
            }
            Ok(())
        })
    })
}

/// A classifier: decisions between every two classes, or without support vectors a linear score for each class.
struct Classifier {
    labels: Labels,
    post: PostTransform,
    kernel: Kernel,
    vectors: Vec<f32>,
    weights: Vec<f32>,
    rho: Vec<f32>,
    /// First support vector and number of them, for each class.
    classes: Vec<(usize, usize)>,
    /// Support vectors of all classes.
    total: usize,
    /// Factors and offsets of the decisions, from which probabilities follow.
    proba: Option<(Vec<f32>, Vec<f32>)>,
}

impl Classifier {
    fn new(op: SVMClassifier<'_>) -> Result<Classifier, KernelError> {
        let mut total = 0usize;
        let mut classes = Vec::new();
        for &n in op.vectors_per_class().unwrap_or_default() {
            let n = count(n, "vectors_per_class")?;
            classes.push((total, n));
            total = total.checked_add(n).ok_or_else(|| misfit("support vectors", usize::MAX, 0))?;
        }
        let proba = op.prob_a().filter(|a| !a.is_empty());
        let model = Classifier {
            labels: Labels::new(op.classlabels_strings(), op.classlabels_ints()),
            post: op.post_transform(),
            kernel: Kernel::new(op.kernel_type(), op.kernel_params()),
            vectors: list(op.support_vectors()),
            weights: list(op.coefficients()),
            rho: list(op.rho()),
            classes,
            total,
            proba: proba.map(|a| (a.to_vec(), list(op.prob_b()))),
        };
        if total == 0 {
            return Ok(model);
        }
        let k = model.classes.len();
        let pairs = k * k.saturating_sub(1) / 2;
        check("coefficients", model.weights.len(), total.checked_mul(k.saturating_sub(1)))?;
        check("elements of rho", model.rho.len(), Some(pairs))?;
        check("class labels", model.labels.len(), Some(k))?;
        if let Some((a, b)) = &model.proba {
            check("elements of prob_a", a.len(), Some(pairs))?;
            check("elements of prob_b", b.len(), Some(pairs))?;
        }
        Ok(model)
    }

    fn bytes(&self) -> usize {
        let Classifier { vectors, weights, rho, classes, .. } = self;
        let lists = size_of_val(vectors.as_slice()) + size_of_val(weights.as_slice());
        lists
            + size_of_val(rho.as_slice())
            + size_of_val(classes.as_slice())
            + self.proba.as_ref().map_or(0, |(a, b)| size_of_val(&a[..]) + size_of_val(&b[..]))
            + self.labels.bytes()
    }

    /// The decision for each pair of classes, and the votes for each class.
    fn decide(&self, kernels: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut scores, mut votes) = (Vec::new(), vec![0.0; self.classes.len()]);
        for (i, &(si, ni)) in self.classes.iter().enumerate() {
            for (j, &(sj, nj)) in self.classes.iter().enumerate().skip(i + 1) {
                let part = |row: usize, start: usize, n: usize| -> f64 {
                    let weights = &self.weights[row * self.total + start..][..n];
                    weights.iter().zip(&kernels[start..]).map(|(&w, k)| f64::from(w) * k).sum()
                };
                let rho = f64::from(self.rho[scores.len()]);
                let score = rho + part(j - 1, si, ni) + part(i, sj, nj);
                votes[if score > 0.0 { i } else { j }] += 1.0;
                scores.push(score);
            }
        }
        (scores, votes)
    }

    /// Class probabilities from pairwise decisions (Wu, Lin, Weng 2004, second method, as LIBSVM computes it).
    fn probabilities(&self, scores: &[f64], (a, b): (&[f32], &[f32])) -> Vec<f64> {
        let k = self.classes.len();
        let mut pair = vec![0.0; k * k];
        let mut n = 0;
        for i in 0..k {
            for j in i + 1..k {
                let v = scores[n] * f64::from(a[n]) + f64::from(b[n]);
                let p = (1.0 / (1.0 + v.exp())).clamp(1e-7, 1.0 - 1e-7);
                (pair[i * k + j], pair[j * k + i]) = (p, 1.0 - p);
                n += 1;
            }
        }
        let r = |i: usize, j: usize| pair[i * k + j];
        let q = |t: usize, j: usize| match t == j {
            true => (0..k).filter(|&i| i != t).map(|i| r(i, t) * r(i, t)).sum::<f64>(),
            false => -r(j, t) * r(t, j),
        };
        let mut p = vec![1.0 / k as f64; k];
        for _ in 0..k.max(100) {
            let mut qp: Vec<f64> = (0..k).map(|t| (0..k).map(|j| q(t, j) * p[j]).sum()).collect();
            let mut pqp: f64 = p.iter().zip(&qp).map(|(a, b)| a * b).sum();
            let error = qp.iter().map(|v| (v - pqp).abs()).fold(0.0, f64::max);
            if error < 0.005 / k as f64 {
                break;
            }
            for t in 0..k {
                let diff = (pqp - qp[t]) / q(t, t);
                p[t] += diff;
                pqp = (pqp + diff * (diff * q(t, t) + 2.0 * qp[t])) / (1.0 + diff).powi(2);
                for j in 0..k {
                    qp[j] = (qp[j] + diff * q(t, j)) / (1.0 + diff);
                    p[j] /= 1.0 + diff;
                }
            }
        }
        p
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let rows = Rows::of(&call.tensor(SVMClassifier::AT.x)?)?;
        match self.total {
            0 => self.run_linear(call, &rows),
            _ => self.run_pairs(call, &rows),
        }
    }

    fn run_linear(&self, call: &mut Call<'_, '_>, rows: &Rows) -> Result<(), KernelError> {
        let k = self.labels.len().max(1);
        check("coefficients", self.weights.len(), k.checked_mul(rows.width))?;
        let rho = self.rho.first().copied().map_or(0.0, f64::from);
        let (mut scores, mut picked) = (Vec::new(), Vec::new());
        for i in 0..rows.count {
            let terms = kernels(rows, i, &Kernel::LINEAR, &self.weights, k);
            let mut row: Vec<f64> = terms.into_iter().map(|s| s + rho).collect();
            let class = if k == 1 { (row[0] > 0.0).then_some(0) } else { Some(best(&row)) };
            picked.push(class);
            transform(self.post, &mut row);
            scores.extend(row);
        }
        finish(call, &self.labels, &picked, &scores)
    }

    fn run_pairs(&self, call: &mut Call<'_, '_>, rows: &Rows) -> Result<(), KernelError> {
        let elements = self.total.checked_mul(rows.width);
        check("support vector elements", self.vectors.len(), elements)?;
        let (mut scores, mut picked) = (Vec::new(), Vec::new());
        for i in 0..rows.count {
            let terms = kernels(rows, i, &self.kernel, &self.vectors, self.total);
            let (decisions, votes) = self.decide(&terms);
            picked.push(Some(best(&votes)));
            let mut row = match &self.proba {
                Some((a, b)) => self.probabilities(&decisions, (a, b)),
                // A single decision is shown for both classes.
                None if self.classes.len() == 2 && self.post != PostTransform::Probit => {
                    vec![-decisions[0], decisions[0]]
                }
                None => decisions,
            };
            transform(self.post, &mut row);
            scores.extend(row);
        }
        finish(call, &self.labels, &picked, &scores)
    }
}

/// SVMClassifier.
pub(super) fn classifier(cx: &Compile<'_>) -> Made {
    let model = Classifier::new(cx.view(SVMClassifier::of)?).map_err(|e| cx.refused(e))?;
    Prepared::holding(cx, model.bytes(), move |call| model.run(call))
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn regression_with_support_vectors() {
        let attrs = [
            ("kernel_type", Attr::Str("RBF".into())),
            ("kernel_params", Attr::Floats(vec![0.5, 0.0, 0.0])),
            ("n_supports", Attr::Int(2)),
            ("support_vectors", Attr::Floats(vec![0.0, 0.0, 1.0, 1.0])),
            ("coefficients", Attr::Floats(vec![2.0, -1.0])),
            ("rho", Attr::Floats(vec![0.25])),
        ];
        let y = run(OpKind::SVMRegressor, &attrs, vec![tensor(&[1, 2], &[0.0f32, 1.0])]).unwrap();
        let expected = (2.0 - 1.0) * (-0.5f32).exp() + 0.25;
        assert!((elements::<f32>(&y)[0] - expected).abs() < 1e-6);
        assert!(run(OpKind::SVMRegressor, &attrs, vec![tensor(&[1, 3], &[0.0f32; 3])]).is_err());
    }

    #[test]
    fn two_classes_share_a_decision_whatever_the_signs_of_the_coefficients() {
        let go = |second: f32, post: &str| {
            let attrs = [
                ("classlabels_ints", Attr::Ints(vec![5, 6])),
                ("vectors_per_class", Attr::Ints(vec![1, 1])),
                ("support_vectors", Attr::Floats(vec![1.0, 2.0])),
                ("coefficients", Attr::Floats(vec![0.5, second])),
                ("rho", Attr::Floats(vec![0.25])),
                ("post_transform", Attr::Str(post.into())),
            ];
            let x = Some(tensor(&[2, 1], &[1.0f32, -1.0]));
            let y = run_on(1, OpKind::SVMClassifier, &attrs, vec![x], 2).unwrap();
            (elements::<i64>(&y[0]), elements::<f32>(&y[1]))
        };
        assert_eq!(go(0.75, "NONE"), (vec![5, 6], vec![-2.25, 2.25, 1.75, -1.75]));
        assert_eq!(go(-0.75, "NONE"), (vec![6, 5], vec![0.75, -0.75, -1.25, 1.25]));
        let (_, scores) = go(0.75, "LOGISTIC");
        assert!((scores[1] - 1.0 / (1.0 + (-2.25f32).exp())).abs() < 1e-6);
        assert!((scores[0] + scores[1] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_table_without_features_has_scores() {
        let go = |attrs: &[(&'static str, Attr)]| {
            let x = Some(tensor::<f32>(&[2, 0], &[]));
            let y = run_on(1, OpKind::SVMClassifier, attrs, vec![x], 2).unwrap();
            (elements::<i64>(&y[0]), elements::<f32>(&y[1]))
        };
        let rho = ("rho", Attr::Floats(vec![0.25]));
        let one = [("classlabels_ints", Attr::Ints(vec![5])), rho.clone()];
        assert_eq!(go(&one), (vec![5, 5], vec![0.25, 0.25]));
        let two = [
            ("classlabels_ints", Attr::Ints(vec![5, 6])),
            ("vectors_per_class", Attr::Ints(vec![1, 1])),
            ("coefficients", Attr::Floats(vec![0.5, 0.75])),
            rho,
        ];
        assert_eq!(go(&two), (vec![5, 5], vec![-0.25, 0.25, -0.25, 0.25]));
    }

    #[test]
    fn three_classes_vote_and_have_probabilities() {
        // One support vector for each class, on a line.
        let attrs = [
            ("classlabels_ints", Attr::Ints(vec![5, 6, 7])),
            ("vectors_per_class", Attr::Ints(vec![1, 1, 1])),
            ("support_vectors", Attr::Floats(vec![-1.0, 0.5, 2.0])),
            ("coefficients", Attr::Floats(vec![1.0, -1.0, -1.0, 1.0, 1.0, -1.0])),
            ("rho", Attr::Floats(vec![0.0, 0.5, 1.5])),
            ("prob_a", Attr::Floats(vec![-1.0; 3])),
            ("prob_b", Attr::Floats(vec![0.0; 3])),
        ];
        let x = Some(tensor(&[3, 1], &[-2.0f32, 0.5, 3.0]));
        let y = run_on(1, OpKind::SVMClassifier, &attrs, vec![x], 2).unwrap();
        assert_eq!(elements::<i64>(&y[0]), [5, 6, 7]);
        for (i, row) in elements::<f32>(&y[1]).chunks(3).enumerate() {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(row.iter().all(|&p| p <= row[i]), "{row:?}");
        }
    }
}
