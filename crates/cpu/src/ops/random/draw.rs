//! The ops that draw.

use super::Source;
use super::philox::Stream;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, in_real, produce, read};
use trident_ir::DType;
use trident_ir::element::B8;
use trident_ir::ops::{
    Bernoulli, Dropout, Multinomial, RandomNormal, RandomNormalLike, RandomUniform,
    RandomUniformLike,
};
use trident_runtime::{Declined, KernelError};

/// Elements that one task draws.
const GRAIN: usize = 4096;

/// Fills result `y` with `value(i)`.
fn fill(
    call: &mut Call<'_, '_>,
    y: usize,
    dtype: DType,
    dims: &[usize],
    value: impl Fn(usize) -> f64 + Sync,
) -> Result<(), KernelError> {
    let threads = call.threads;
    produce::<f64>(call, y, dtype, dims, |out| {
        threads.for_chunks_mut(out, GRAIN, |chunk, out| {
            for (i, slot) in out.iter_mut().enumerate() {
                *slot = value(chunk * GRAIN + i);
            }
        });
        Ok(())
    })
}

/// Type and dimensions of a result.
enum Form {
    /// As attributes say.
    Given(DType, Vec<usize>),
    /// The type and dimensions of operand `x`, with the type of an attribute if that is given.
    Like { x: usize, dtype: Option<DType> },
}

impl Form {
    fn given(cx: &Compile<'_>, dtype: DType, shape: &[i64]) -> Result<Form, Declined> {
        float(dtype).map_err(|e| cx.refused(e))?;
        let dim = |&d: &i64| {
            usize::try_from(d).map_err(|_| KernelError::attr("shape", format!("{d} is negative")))
        };
        let dims: Result<_, _> = shape.iter().map(dim).collect();
        Ok(Form::Given(dtype, dims.map_err(|e| cx.refused(e))?))
    }

    /// Fills result `y` of this form with `value(i)`.
    fn fill(
        &self,
        call: &mut Call<'_, '_>,
        y: usize,
        value: impl Fn(usize) -> f64 + Sync,
    ) -> Result<(), KernelError> {
        match self {
            Form::Given(dtype, dims) => fill(call, y, *dtype, dims, value),
            Form::Like { x, dtype } => {
                let x = call.tensor(*x)?;
                let dtype = dtype.unwrap_or(x.dtype());
                float(dtype)?;
                fill(call, y, dtype, x.dims(), value)
            }
        }
    }
}

/// Refuses types other than floats.
fn float(dtype: DType) -> Result<(), KernelError> {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Ok(()),
        other => Err(KernelError::Unsupported(other)),
    }
}

/// RandomNormal.
pub(super) fn normal(cx: &Compile<'_>) -> Made {
    let op = cx.view(RandomNormal::of)?;
    let form = Form::given(cx, op.dtype(), op.shape())?;
    normally(cx, form, Source::of_float(op.seed(), op.y()), op.mean(), op.scale())
}

/// RandomNormalLike.
pub(super) fn normal_like(cx: &Compile<'_>) -> Made {
    let op = cx.view(RandomNormalLike::of)?;
    let form = Form::Like { x: RandomNormalLike::AT.x, dtype: op.dtype() };
    normally(cx, form, Source::of_float(op.seed(), op.y()), op.mean(), op.scale())
}

fn normally(cx: &Compile<'_>, form: Form, source: Source, mean: f32, scale: f32) -> Made {
    let (mean, scale) = (f64::from(mean), f64::from(scale));
    Prepared::boxed(cx, move |call| {
        let s = source.next();
        form.fill(call, RandomNormal::AT.y, |i| mean + scale * s.normal(i))
    })
}

/// RandomUniform.
pub(super) fn uniform(cx: &Compile<'_>) -> Made {
    let op = cx.view(RandomUniform::of)?;
    let form = Form::given(cx, op.dtype(), op.shape())?;
    uniformly(cx, form, Source::of_float(op.seed(), op.y()), op.low(), op.high())
}

/// RandomUniformLike.
pub(super) fn uniform_like(cx: &Compile<'_>) -> Made {
    let op = cx.view(RandomUniformLike::of)?;
    let form = Form::Like { x: RandomUniformLike::AT.x, dtype: op.dtype() };
    uniformly(cx, form, Source::of_float(op.seed(), op.y()), op.low(), op.high())
}

fn uniformly(cx: &Compile<'_>, form: Form, source: Source, low: f32, high: f32) -> Made {
    let (low, high) = (f64::from(low), f64::from(high));
    Prepared::boxed(cx, move |call| {
        let s = source.next();
        form.fill(call, RandomUniform::AT.y, |i| low + (high - low) * s.uniform(i))
    })
}

/// Bernoulli.
pub(super) fn bernoulli(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(Bernoulli::of)?, Bernoulli::AT);
    let (dtype, source) = (op.dtype(), Source::of_float(op.seed(), op.y()));
    Prepared::boxed(cx, move |call| {
        let s = source.next();
        let x = call.tensor(at.x)?;
        let p = read::<f64>(&x)?;
        fill(call, at.y, dtype.unwrap_or(x.dtype()), x.dims(), |i| {
            f64::from(u8::from(s.uniform(i) < p[i]))
        })
    })
}

/// Multinomial.
pub(super) fn multinomial(cx: &Compile<'_>) -> Made {
    let op = cx.view(Multinomial::of)?;
    let size = usize::try_from(op.sample_size())
        .map_err(|_| KernelError::attr("sample_size", format!("{}", op.sample_size())))
        .map_err(|e| cx.refused(e))?;
    let dtype = op.dtype();
    if !matches!(dtype, DType::I32 | DType::I64) {
        return Err(cx.refused(KernelError::Unsupported(dtype)));
    }
    let source = Source::of_float(op.seed(), op.y());
    Prepared::boxed(cx, move |call| sample(call, source.next(), size, dtype))
}

/// Draws `size` classes for each row of log probabilities.
fn sample(
    call: &mut Call<'_, '_>,
    s: Stream,
    size: usize,
    dtype: DType,
) -> Result<(), KernelError> {
    let x = call.tensor(Multinomial::AT.x)?;
    let &[batch, classes] = x.dims() else {
        return Err(KernelError::shape(format!(
            "the input has dimensions {:?}, expected [batch, classes]",
            x.dims()
        )));
    };
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
    fill(call, Multinomial::AT.y, dtype, &[batch, size], |i| {
        let row = &sums[i / size * classes..][..classes];
        let at = s.uniform(i) * row[classes - 1];
        row.partition_point(|&sum| sum <= at).min(classes - 1) as f64
    })
}

/// Dropout.
pub(super) fn dropout(cx: &Compile<'_>) -> Made {
    let op = cx.view(Dropout::of)?;
    let source = Source::new(op.seed().map(|s| s as u64), op.y());
    Prepared::boxed(cx, move |call| drop_out(call, source.next()))
}

fn drop_out(call: &mut Call<'_, '_>, s: Stream) -> Result<(), KernelError> {
    let at = Dropout::AT;
    let x = call.tensor(at.x)?;
    let ratio = match call.opt(at.ratio)? {
        None => 0.5,
        Some(t) => match read::<f64>(&t)?[..] {
            [r] if (0.0..1.0).contains(&r) => r,
            [r] => {
                return Err(KernelError::domain(format!(
                    "`ratio` is {r}, expected at least 0 and less than 1"
                )));
            }
            _ => return Err(KernelError::shape("`ratio` must be one number")),
        },
    };
    let training = call.scalar::<B8>(at.training_mode)?.is_some_and(bool::from) && ratio > 0.0;
    let kept = |i: usize| !training || s.uniform(i) >= ratio;
    if call.wants(at.mask) {
        let mut mask = call.alloc(at.mask, DType::Bool, x.dims())?;
        call.threads.for_chunks_mut(mask.slice_mut::<B8>()?, GRAIN, |chunk, out| {
            let values = out.iter_mut().enumerate();
            values.for_each(|(i, slot)| *slot = kept(chunk * GRAIN + i).into());
        });
        call.set(at.mask, mask);
    }
    if !training {
        call.set(at.y, x);
        return Ok(());
    }
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let (values, scale) = (read::<R>(&x)?, R::of(1.0 / (1.0 - ratio)));
        produce::<R>(call, at.y, x.dtype(), x.dims(), |out| {
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
