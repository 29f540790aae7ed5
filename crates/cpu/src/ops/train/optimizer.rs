//! One optimiser step for any number of parameters: operands are the rate, the update count, all parameters, all
//! gradients, then each state for all parameters. Results are all new parameters, then each new state.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{produce, read};
use trident_ir::op::words::MomentumMode;
use trident_ir::ops::{Adagrad, Adam, AdamAt, Momentum};
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// Places of the operands and results, which all optimisers have in the same order.
const AT: AdamAt = Adam::AT;

/// Learning rate and update count.
fn progress(call: &Call<'_, '_>) -> Result<(f64, f64), KernelError> {
    let rate = call.tensor(AT.r)?;
    let one = |n: usize| {
        if n == 1 {
            Ok(())
        } else {
            Err(KernelError::shape("`R` and `T` must each have one element"))
        }
    };
    one(rate.len())?;
    let count = call.tensor(AT.t)?.to_i64s()?;
    one(count.len())?;
    Ok((read::<f64>(&rate)?[0], count[0] as f64))
}

/// Applies `update(x, gradient, states) -> (x, states)` to each element of each parameter.
fn step<const STATES: usize>(
    call: &mut Call<'_, '_>,
    update: impl Fn(f64, f64, [f64; STATES]) -> (f64, [f64; STATES]),
) -> Result<(), KernelError> {
    let per = 2 + STATES;
    let n = call.inputs().saturating_sub(AT.xs) / per;
    if n == 0 || call.inputs() != AT.xs + n * per {
        let got = counted(call.inputs(), "operand");
        return Err(KernelError::shape(format!(
            "there are {got}, expected 2 and {per} for each tensor"
        )));
    }
    for i in 0..n {
        let tensors =
            (0..per).map(|k| call.tensor(AT.xs + k * n + i)).collect::<Result<Vec<_>, _>>()?;
        let (dtype, dims) = (tensors[0].dtype(), tensors[0].dims());
        if !matches!(dtype, DType::F32 | DType::F64) {
            return Err(KernelError::Unsupported(dtype));
        }
        if let Some(t) = tensors.iter().find(|t| t.dims() != dims || t.dtype() != dtype) {
            let (want, got) = (tensors[0].ty(), t.ty());
            return Err(KernelError::shape(format!(
                "a parameter of type {want} does not fit a tensor of {got}"
            )));
        }
        let parts = tensors.iter().map(read::<f64>).collect::<Result<Vec<_>, _>>()?;
        let mut results = vec![vec![0.0; tensors[0].len()]; 1 + STATES];
        for e in 0..tensors[0].len() {
            let (x, states) =
                update(parts[0][e], parts[1][e], std::array::from_fn(|s| parts[2 + s][e]));
            results[0][e] = x;
            states.iter().enumerate().for_each(|(s, &v)| results[1 + s][e] = v);
        }
        for (k, result) in results.iter().enumerate() {
            produce::<f64>(call, AT.ys + k * n + i, dtype, dims, |out| {
                out.copy_from_slice(result);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Adagrad (Duchi, Hazan, Singer 2011).
pub(super) fn adagrad(cx: &Compile<'_>) -> Made {
    let op = cx.view(Adagrad::of)?;
    let [norm, decay, epsilon] =
        [op.norm_coefficient(), op.decay_factor(), op.epsilon()].map(f64::from);
    Prepared::boxed(cx, move |call| {
        let (rate, count) = progress(call)?;
        let rate = rate / (1.0 + count * decay);
        step::<1>(call, |x, g, [h]| {
            let g = norm * x + g;
            let h = h + g * g;
            (x - rate * g / (h.sqrt() + epsilon), [h])
        })
    })
}

/// Adam (Kingma, Ba 2014).
pub(super) fn adam(cx: &Compile<'_>) -> Made {
    let op = cx.view(Adam::of)?;
    let [alpha, beta, epsilon] = [op.alpha(), op.beta(), op.epsilon()].map(f64::from);
    let [norm, post] = [op.norm_coefficient(), op.norm_coefficient_post()].map(f64::from);
    Prepared::boxed(cx, move |call| {
        let (rate, count) = progress(call)?;
        let rate = match count > 0.0 {
            true => rate * (1.0 - beta.powf(count)).sqrt() / (1.0 - alpha.powf(count)),
            false => rate,
        };
        step::<2>(call, |x, g, [v, h]| {
            let g = norm * x + g;
            let v = alpha * v + (1.0 - alpha) * g;
            let h = beta * h + (1.0 - beta) * g * g;
            ((1.0 - post) * (x - rate * v / (h.sqrt() + epsilon)), [v, h])
        })
    })
}

/// Gradient descent with momentum.
pub(super) fn momentum(cx: &Compile<'_>) -> Made {
    let op = cx.view(Momentum::of)?;
    let [alpha, later_beta, norm] = [op.alpha(), op.beta(), op.norm_coefficient()].map(f64::from);
    let nesterov = op.mode() == MomentumMode::Nesterov;
    Prepared::boxed(cx, move |call| {
        let (rate, count) = progress(call)?;
        let beta = if count > 0.0 { later_beta } else { 1.0 };
        step::<1>(call, |x, g, [v]| {
            let g = norm * x + g;
            let v = alpha * v + beta * g;
            (x - rate * if nesterov { g + alpha * v } else { v }, [v])
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn two_parameters_step_alike() {
        let t = |v: f32| Some(tensor(&[1], &[v]));
        let (r, count) = (Some(tensor(&[], &[0.1f32])), Some(tensor(&[], &[0i64])));
        let attrs = [
            ("alpha", Attr::Float(0.5)),
            ("beta", Attr::Float(0.25)),
            ("mode", Attr::Str("nesterov".into())),
            ("norm_coefficient", Attr::Float(0.0)),
        ];
        let inputs = vec![r.clone(), count.clone(), t(1.0), t(2.0), t(4.0), t(4.0), t(2.0), t(2.0)];
        let ys = run_on(1, OpKind::Momentum, &attrs, inputs, 4).unwrap();
        // v = 0.5·2 + 1·4 = 5, x = 1 − 0.1·(4 + 0.5·5).
        assert_eq!(elements::<f32>(&ys[2]), [5.0]);
        assert!((elements::<f32>(&ys[0])[0] - 0.35).abs() < 1e-6);
        assert!((elements::<f32>(&ys[1])[0] - 1.35).abs() < 1e-6);
        let too_few = vec![r, count, t(1.0)];
        assert!(run_on(1, OpKind::Momentum, &attrs, too_few, 1).is_err());
    }
}
