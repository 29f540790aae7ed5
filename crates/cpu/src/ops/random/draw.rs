//! The ops that draw.

use super::philox::Stream;
use crate::kernel::Call;
use crate::real::{Real, in_real, produce, read};
use trident_ir::element::B8;
use trident_ir::{DType, OpKind};
use trident_runtime::KernelError;

/// Elements that one task draws.
const GRAIN: usize = 4096;

/// Fills result 0 with `value(i)`.
fn fill(
    call: &mut Call<'_, '_>,
    dtype: DType,
    dims: &[usize],
    value: impl Fn(usize) -> f64 + Sync,
) -> Result<(), KernelError> {
    let threads = call.threads;
    produce::<f64>(call, 0, dtype, dims, |out| {
        threads.for_chunks_mut(out, GRAIN, |chunk, out| {
            for (i, slot) in out.iter_mut().enumerate() {
                *slot = value(chunk * GRAIN + i);
            }
        });
        Ok(())
    })
}

/// Type and dimensions of a result that is described by attributes or shaped like the operand.
fn described(call: &Call<'_, '_>) -> Result<(DType, Vec<usize>), KernelError> {
    let like = matches!(call.op.kind, OpKind::RandomNormalLike | OpKind::RandomUniformLike);
    let (own, dims) = if like {
        let x = call.value(0).and_then(|v| v.as_tensor()).ok_or(KernelError::Missing(0))?;
        (x.dtype(), x.dims().to_vec())
    } else {
        let dim =
            |&d: &i64| usize::try_from(d).map_err(|_| KernelError::attr("shape", format!("{d}")));
        let shape = call.op.ints("shape").unwrap_or_default();
        (DType::F32, shape.iter().map(dim).collect::<Result<_, _>>()?)
    };
    let dtype = call.op.dtype("dtype").unwrap_or(own);
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Ok((dtype, dims)),
        other => Err(KernelError::Unsupported(other)),
    }
}

fn float(call: &Call<'_, '_>, name: &str, default: f64) -> f64 {
    call.op.float(name).map_or(default, f64::from)
}

pub(super) fn normal(call: &mut Call<'_, '_>, s: Stream) -> Result<(), KernelError> {
    let (dtype, dims) = described(call)?;
    let (mean, scale) = (float(call, "mean", 0.0), float(call, "scale", 1.0));
    fill(call, dtype, &dims, |i| mean + scale * s.normal(i))
}

pub(super) fn uniform(call: &mut Call<'_, '_>, s: Stream) -> Result<(), KernelError> {
    let (dtype, dims) = described(call)?;
    let (low, high) = (float(call, "low", 0.0), float(call, "high", 1.0));
    fill(call, dtype, &dims, |i| low + (high - low) * s.uniform(i))
}

pub(super) fn bernoulli(call: &mut Call<'_, '_>, s: Stream) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let dtype = call.op.dtype("dtype").unwrap_or(x.dtype());
    let p = read::<f64>(&x)?;
    fill(call, dtype, x.dims(), |i| f64::from(u8::from(s.uniform(i) < p[i])))
}

pub(super) fn multinomial(call: &mut Call<'_, '_>, s: Stream) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let &[batch, classes] = x.dims() else {
        return Err(KernelError::shape(format!("{:?} is not [batch, classes]", x.dims())));
    };
    let size = call.op.int("sample_size").unwrap_or(1);
    let size =
        usize::try_from(size).map_err(|_| KernelError::attr("sample_size", format!("{size}")))?;
    let dtype = call.op.dtype("dtype").unwrap_or(DType::I32);
    if !matches!(dtype, DType::I32 | DType::I64) {
        return Err(KernelError::Unsupported(dtype));
    }
    if classes == 0 && batch * size > 0 {
        return Err(KernelError::shape("there are no classes to sample"));
    }
    // Running sums of exp(x − max) for each row.
    let mut sums = read::<f64>(&x)?.into_owned();
    for row in sums.chunks_exact_mut(classes.max(1)) {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for v in row {
            sum += (*v - max).exp();
            *v = sum;
        }
    }
    fill(call, dtype, &[batch, size], |i| {
        let row = &sums[i / size * classes..][..classes];
        let at = s.uniform(i) * row[classes - 1];
        row.partition_point(|&sum| sum <= at).min(classes - 1) as f64
    })
}

pub(super) fn dropout(call: &mut Call<'_, '_>, s: Stream) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let ratio = match call.opt(1)? {
        None => 0.5,
        Some(t) => match read::<f64>(&t)?[..] {
            [r] if (0.0..1.0).contains(&r) => r,
            [r] => return Err(KernelError::domain(format!("a ratio of {r} is not in [0, 1)"))),
            _ => return Err(KernelError::shape("the ratio is one number")),
        },
    };
    let training = call.scalar::<B8>(2)?.is_some_and(bool::from) && ratio > 0.0;
    let kept = |i: usize| !training || s.uniform(i) >= ratio;
    if call.wants(1) {
        let mut mask = call.alloc(1, DType::Bool, x.dims())?;
        call.threads.for_chunks_mut(mask.slice_mut::<B8>()?, GRAIN, |chunk, out| {
            let values = out.iter_mut().enumerate();
            values.for_each(|(i, slot)| *slot = kept(chunk * GRAIN + i).into());
        });
        call.set(1, mask);
    }
    if !training {
        call.set(0, x);
        return Ok(());
    }
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let (values, scale) = (read::<R>(&x)?, R::of(1.0 / (1.0 - ratio)));
        produce::<R>(call, 0, x.dtype(), x.dims(), |out| {
            threads.for_chunks_mut(out, GRAIN, |chunk, out| {
                for (k, slot) in out.iter_mut().enumerate() {
                    let i = chunk * GRAIN + k;
                    *slot = if kept(i) { values[i] * scale } else { R::of(0.0) };
                }
            });
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::element::B8;
    use trident_ir::{Attr, DType, OpKind};

    const SEED: (&str, Attr) = ("seed", Attr::Float(7.0));

    #[test]
    fn moments_and_reproducibility() {
        let n = 20_000;
        let attrs = [SEED, ("shape", Attr::Ints(vec![n])), ("mean", Attr::Float(2.0))];
        let normal = |threads| {
            elements::<f32>(&run_on(threads, OpKind::RandomNormal, &attrs, vec![], 1).unwrap()[0])
        };
        let x = normal(1);
        assert_eq!(x, normal(3));
        let mean = x.iter().sum::<f32>() / n as f32;
        let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / n as f32;
        assert!((mean - 2.0).abs() < 0.03 && (var - 1.0).abs() < 0.03, "{mean} {var}");
        let uniform = run(OpKind::RandomUniformLike, &[SEED], vec![tensor(&[2], &[0.0f64; 2])]);
        let uniform = uniform.unwrap();
        assert_eq!(uniform.as_tensor().unwrap().dtype(), DType::F64);
        assert!(elements::<f64>(&uniform).iter().all(|v| (0.0..1.0).contains(v)));
        let bad = [("shape", Attr::Ints(vec![-1]))];
        assert!(run(OpKind::RandomUniform, &bad, vec![]).is_err());
    }

    #[test]
    fn certain_outcomes() {
        let p = tensor(&[4], &[0.0f32, 1.0, 0.0, 1.0]);
        assert_eq!(
            elements::<f32>(&run(OpKind::Bernoulli, &[], vec![p]).unwrap()),
            [0.0, 1.0, 0.0, 1.0]
        );
        let logits = tensor(&[1, 3], &[f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY]);
        let y = run(OpKind::Multinomial, &[("sample_size", Attr::Int(5))], vec![logits]).unwrap();
        assert_eq!(elements::<i32>(&y), [1; 5]);
    }

    #[test]
    fn dropout_scales_what_it_keeps() {
        let x = || Some(tensor(&[1000], &[1.0f32; 1000]));
        let go = |training: bool| {
            let rest = [Some(tensor(&[], &[0.25f32])), Some(tensor(&[], &[B8::from(training)]))];
            let inputs = std::iter::once(x()).chain(rest).collect();
            run_on(2, OpKind::Dropout, &[("seed", Attr::Int(1))], inputs, 2).unwrap()
        };
        assert_eq!(elements::<f32>(&go(false)[0]), [1.0; 1000]);
        let y = go(true);
        let (values, mask) = (elements::<f32>(&y[0]), elements::<B8>(&y[1]));
        let kept = mask.iter().filter(|m| m.0 == 1).count();
        assert!((650..850).contains(&kept));
        for (v, m) in values.iter().zip(mask) {
            assert!((v - f32::from(m.0) / 0.75).abs() < 1e-6);
        }
    }
}
