//! Support vector machines, in the layout of LIBSVM (Chang and Lin 2011).

use super::classes::{Labels, Post, best, finish};
use super::{Rows, floats};
use crate::kernel::Call;
use crate::real::produce;
use trident_ir::{DType, Op};
use trident_runtime::KernelError;

#[derive(Clone, Copy)]
enum KernelFn {
    Linear,
    Poly,
    Rbf,
    Sigmoid,
}

/// A kernel function with gamma, coef0 and degree.
struct Kernel(KernelFn, [f64; 3]);

impl Kernel {
    fn new(op: &Op) -> Result<Kernel, KernelError> {
        let kind = match op.str("kernel_type") {
            Some("LINEAR") | None => KernelFn::Linear,
            Some("POLY") => KernelFn::Poly,
            Some("RBF") => KernelFn::Rbf,
            Some("SIGMOID") => KernelFn::Sigmoid,
            Some(other) => {
                return Err(KernelError::attr("kernel_type", format!("unknown: {other}")));
            }
        };
        let params = floats(op, "kernel_params");
        Ok(Kernel(kind, std::array::from_fn(|i| params.get(i).copied().map_or(0.0, f64::from))))
    }

    fn eval(&self, x: &[f64], v: &[f32]) -> f64 {
        let Kernel(kind, [gamma, coef0, degree]) = *self;
        let pairs = || x.iter().zip(v).map(|(&a, &b)| (a, f64::from(b)));
        let dot = || pairs().map(|(a, b)| a * b).sum::<f64>();
        match kind {
            KernelFn::Linear => dot(),
            KernelFn::Poly => (gamma * dot() + coef0).powf(degree.trunc()),
            KernelFn::Sigmoid => (gamma * dot() + coef0).tanh(),
            KernelFn::Rbf => (-gamma * pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp(),
        }
    }
}

fn misfit(what: &str, got: usize, want: usize) -> KernelError {
    KernelError::shape(format!("{got} {what} where {want} are needed"))
}

/// The kernel of a row with each of `count` support vectors.
fn kernels(rows: &Rows, i: usize, kernel: &Kernel, vectors: &[f32]) -> Vec<f64> {
    vectors.chunks_exact(rows.width.max(1)).map(|v| kernel.eval(rows.row(i), v)).collect()
}

/// SVMRegressor.
pub(super) fn regress(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (rows, kernel, post) = (Rows::new(call)?, Kernel::new(call.op)?, Post::new(call.op)?);
    let weights = floats(call.op, "coefficients");
    let rho = floats(call.op, "rho").first().copied().map_or(0.0, f64::from);
    let n = usize::try_from(call.op.int("n_supports").unwrap_or(0)).unwrap_or(0);
    let vectors = floats(call.op, "support_vectors");
    // Without support vectors the model is linear.
    let (vectors, weights, kernel) = match n {
        0 => (weights, &[1.0][..], Kernel(KernelFn::Linear, [0.0; 3])),
        _ => (vectors, weights, kernel),
    };
    if Some(vectors.len()) != weights.len().checked_mul(rows.width) || n != 0 && weights.len() != n
    {
        return Err(misfit("support vector elements", vectors.len(), n * rows.width));
    }
    let one_class = call.op.flag("one_class");
    produce::<f64>(call, 0, DType::F32, &[rows.count, 1], |out| {
        for (i, slot) in out.iter_mut().enumerate() {
            let terms = kernels(&rows, i, &kernel, vectors);
            let sum: f64 = terms.iter().zip(weights).map(|(k, &w)| k * f64::from(w)).sum();
            *slot = sum + rho;
            if one_class {
                *slot = if *slot > 0.0 { 1.0 } else { -1.0 };
            }
            post.apply(std::slice::from_mut(slot));
        }
        Ok(())
    })
}

/// A classifier: decisions between every two classes.
struct Classifier<'a> {
    kernel: Kernel,
    vectors: &'a [f32],
    weights: &'a [f32],
    rho: &'a [f32],
    /// First support vector and number of them, for each class.
    classes: Vec<(usize, usize)>,
    /// Support vectors of all classes.
    total: usize,
    proba: Option<(&'a [f32], &'a [f32])>,
}

impl Classifier<'_> {
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
}

/// SVMClassifier; without support vectors a linear score for each class.
pub(super) fn classify(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (rows, post) = (Rows::new(call)?, Post::new(call.op)?);
    let labels = Labels::new(call.op, "classlabels_ints");
    let (weights, rho) = (floats(call.op, "coefficients"), floats(call.op, "rho"));
    let per_class = call.op.ints("vectors_per_class").unwrap_or_default();
    let mut total = 0usize;
    let mut classes = Vec::new();
    for &n in per_class {
        let n = usize::try_from(n)
            .map_err(|_| KernelError::attr("vectors_per_class", format!("{n}")))?;
        classes.push((total, n));
        total = total.checked_add(n).ok_or_else(|| misfit("support vectors", usize::MAX, 0))?;
    }
    let (mut scores, mut picked) = (Vec::new(), Vec::new());
    if total == 0 {
        let k = labels.len().max(1);
        if k.checked_mul(rows.width) != Some(weights.len()) {
            return Err(misfit("coefficients", weights.len(), k.saturating_mul(rows.width)));
        }
        let rho = rho.first().copied().map_or(0.0, f64::from);
        let linear = Kernel(KernelFn::Linear, [0.0; 3]);
        for i in 0..rows.count {
            let mut row: Vec<f64> =
                kernels(&rows, i, &linear, weights).into_iter().map(|s| s + rho).collect();
            let class = if k == 1 { (row[0] > 0.0).then_some(0) } else { Some(best(&row)) };
            picked.push(class);
            post.apply(&mut row);
            scores.extend(row);
        }
        return finish(call, &labels, &picked, &scores);
    }
    let k = classes.len();
    let pairs = k * k.saturating_sub(1) / 2;
    let (a, b) = (floats(call.op, "prob_a"), floats(call.op, "prob_b"));
    let vectors = floats(call.op, "support_vectors");
    let check = |what, got: usize, want: Option<usize>| match want == Some(got) {
        true => Ok(()),
        false => Err(misfit(what, got, want.unwrap_or(usize::MAX))),
    };
    check("support vector elements", vectors.len(), total.checked_mul(rows.width))?;
    check("coefficients", weights.len(), total.checked_mul(k.saturating_sub(1)))?;
    check("elements of rho", rho.len(), Some(pairs))?;
    check("class labels", labels.len(), Some(k))?;
    if !a.is_empty() {
        check("elements of prob_a", a.len(), Some(pairs))?;
        check("elements of prob_b", b.len(), Some(pairs))?;
    }
    let proba = (!a.is_empty()).then_some((a, b));
    let kernel = Kernel::new(call.op)?;
    let model = Classifier { kernel, vectors, weights, rho, classes, total, proba };
    for i in 0..rows.count {
        let terms = kernels(&rows, i, &model.kernel, model.vectors);
        let (decisions, votes) = model.decide(&terms);
        picked.push(Some(best(&votes)));
        match model.proba {
            Some(proba) => {
                let mut row = model.probabilities(&decisions, proba);
                post.apply(&mut row);
                scores.extend(row);
            }
            // A single decision is shown for both classes.
            None if k == 2 && post != Post::Probit => {
                let s = decisions[0];
                let mut row = [-s, s];
                post.apply(&mut row);
                scores.extend(row);
            }
            None => {
                let mut row = decisions;
                post.apply(&mut row);
                scores.extend(row);
            }
        }
    }
    finish(call, &labels, &picked, &scores)
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
