//! Negative log likelihood and softmax cross entropy.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, in_real, produce, read};
use trident_ir::counted;
use trident_ir::op::words::BatchReduction;
use trident_ir::ops::{
    LossReduction, NegativeLogLikelihoodLoss, NegativeLogLikelihoodLossAt, SoftmaxCrossEntropyLoss,
};
use trident_runtime::{KernelError, Tensor};

/// Classes lie along axis 1: scores are [N, C, d…], targets [N, d…].
struct Layout {
    batch: usize,
    classes: usize,
    inner: usize,
}

fn layout(x: &Tensor, target: &Tensor) -> Result<Layout, KernelError> {
    let (dims, t) = (x.dims(), target.dims());
    let fits = dims.len() >= 2 && t.first() == dims.first() && t[1..] == dims[2..];
    if !fits {
        return Err(KernelError::shape(format!(
            "scores of dimensions {dims:?} do not fit targets of {t:?}"
        )));
    }
    Ok(Layout { batch: dims[0], classes: dims[1], inner: dims[2..].iter().product() })
}

/// The losses of the targets, made one or kept apart.
#[derive(Clone, Copy)]
struct Reducer {
    reduction: BatchReduction,
    /// The target without a loss.
    ignored: Option<i64>,
}

/// Places of the operands and the loss, which both ops have in the same order.
const AT: NegativeLogLikelihoodLossAt = NegativeLogLikelihoodLoss::AT;

impl Reducer {
    fn of(op: LossReduction<'_>) -> Reducer {
        Reducer { reduction: op.reduction(), ignored: op.ignore_index() }
    }

    /// Sets the loss, given log probabilities.
    fn run<R: Real>(
        self,
        call: &mut Call<'_, '_>,
        x: &Tensor,
        log_prob: &[R],
        at: &Layout,
    ) -> Result<(), KernelError> {
        let target = call.tensor(AT.target)?;
        let classes = target.to_i64s()?;
        let weight = call.opt(AT.weight)?;
        let weight = weight.as_ref().map(read::<R>).transpose()?;
        if weight.as_ref().is_some_and(|w| w.len() != at.classes) {
            let weights = counted(weight.map_or(0, |w| w.len()), "weight");
            let classes = counted(at.classes, "class");
            return Err(KernelError::shape(format!("there are {weights} for {classes}")));
        }
        let (mut losses, mut total, mut weights) = (Vec::with_capacity(classes.len()), 0.0, 0.0);
        for (i, &class) in classes.iter().enumerate() {
            if Some(class) == self.ignored {
                losses.push(R::zero());
                continue;
            }
            let c = usize::try_from(class).ok().filter(|&c| c < at.classes).ok_or_else(|| {
                let classes = counted(at.classes, "class");
                KernelError::domain(format!("target {class} is not one of the {classes}"))
            })?;
            let (n, d) = (i / at.inner, i % at.inner);
            let w = weight.as_ref().map_or(R::one(), |w| w[c]);
            let loss = -log_prob[(n * at.classes + c) * at.inner + d] * w;
            total += loss.wide();
            weights += w.wide();
            losses.push(loss);
        }
        let scalar = |v: f64| (vec![], vec![R::of(v)]);
        let (dims, values) = match self.reduction {
            BatchReduction::None => (target.dims().to_vec(), losses),
            BatchReduction::Sum => scalar(total),
            BatchReduction::Mean => scalar(total / weights),
        };
        produce::<R>(call, AT.loss, x.dtype(), &dims, |out| {
            out.copy_from_slice(&values);
            Ok(())
        })
    }
}

/// NegativeLogLikelihoodLoss.
pub(super) fn nll(cx: &Compile<'_>) -> Made {
    let reducer = Reducer::of(cx.view(NegativeLogLikelihoodLoss::of)?.loss_reduction());
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(AT.x)?;
        let at = layout(&x, &call.tensor(AT.target)?)?;
        in_real!(x.dtype(), R => reducer.run::<R>(call, &x, &read::<R>(&x)?, &at))
    })
}

/// SoftmaxCrossEntropyLoss.
pub(super) fn cross_entropy(cx: &Compile<'_>) -> Made {
    let reducer = Reducer::of(cx.view(SoftmaxCrossEntropyLoss::of)?.loss_reduction());
    let result = SoftmaxCrossEntropyLoss::AT.log_prob;
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(AT.x)?;
        let at = layout(&x, &call.tensor(AT.target)?)?;
        in_real!(x.dtype(), R => {
            let log_prob = log_softmax::<R>(&read::<R>(&x)?, &at);
            if call.wants(result) {
                produce::<R>(call, result, x.dtype(), x.dims(), |out| {
                    out.copy_from_slice(&log_prob);
                    Ok(())
                })?;
            }
            reducer.run::<R>(call, &x, &log_prob, &at)
        })
    })
}

/// ln(softmax(x)) over the classes.
fn log_softmax<R: Real>(x: &[R], at: &Layout) -> Vec<R> {
    let mut out = x.to_vec();
    for n in 0..at.batch {
        for d in 0..at.inner {
            let index = |c: usize| (n * at.classes + c) * at.inner + d;
            let column = || (0..at.classes).map(|c| x[index(c)]);
            let max = column().fold(R::neg_infinity(), R::max);
            let sum: f64 = column().map(|v| (v - max).wide().exp()).sum();
            for c in 0..at.classes {
                out[index(c)] = R::of((x[index(c)] - max).wide() - sum.ln());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::testing::{ABSENT, elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    const SCORES: [f32; 12] = [1.0, 2.0, 0.5, -1.0, 3.0, 0.0, 0.2, 0.1, -2.0, 4.0, 1.5, 0.3];

    #[test]
    fn cross_entropy_is_nll_of_log_softmax() {
        let x = || Some(tensor(&[2, 3, 2], &SCORES));
        let labels = || Some(tensor(&[2, 2], &[0i64, 2, 1, 1]));
        let w = || Some(tensor(&[3], &[0.5f32, 1.0, 2.0]));
        let attrs = [("ignore_index", Attr::Int(2))];
        let both = run_on(1, OpKind::SoftmaxCrossEntropyLoss, &attrs, vec![x(), labels(), w()], 2)
            .unwrap();
        let nll = run_on(
            1,
            OpKind::NegativeLogLikelihoodLoss,
            &attrs,
            vec![Some(both[1].clone()), labels(), w()],
            1,
        )
        .unwrap();
        assert_eq!(elements::<f32>(&both[0]), elements::<f32>(&nll[0]));
        // Element [0, :, 0] by hand.
        let (a, b, c) = (1f64.exp(), 0.5f64.exp(), 3f64.exp());
        let expected = (a / (a + b + c)).ln();
        assert!((f64::from(elements::<f32>(&both[1])[0]) - expected).abs() < 1e-6);
    }

    #[test]
    fn targets_outside_the_classes_are_refused() {
        let x = tensor(&[1, 3], &SCORES[..3]);
        let run = |t: i64| {
            run(OpKind::NegativeLogLikelihoodLoss, &[], vec![x.clone(), tensor(&[1], &[t])])
        };
        assert!(run(3).is_err() && run(-1).is_err() && run(2).is_ok());
        let bad = vec![Some(x.clone()), Some(tensor(&[2], &[0i64, 0])), ABSENT];
        assert!(run_on(1, OpKind::NegativeLogLikelihoodLoss, &[], bad, 1).is_err());
    }
}
