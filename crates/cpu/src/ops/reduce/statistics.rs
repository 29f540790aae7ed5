//! Normalisation by statistics of whole channels or axes: batch, mean and variance, Lp, local response.

use super::axes::Around;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, in_real, narrow, produce, read};
use trident_ir::ops::{BatchNormalization, LRN, LpNormalization, MeanVarianceNormalization};
use trident_ir::{counted, geometry};
use trident_kernels::lrn::Lrn;
use trident_kernels::parallel::{for_rows, vectorised};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// (x − mean)/√(variance + epsilon)·scale + b per channel.
pub(super) fn batch(cx: &Compile<'_>) -> Made {
    let op = cx.view(BatchNormalization::of)?;
    let (epsilon, momentum) = (f64::from(op.epsilon()), f64::from(op.momentum()));
    let momentum = op.training_mode().then_some(momentum);
    Prepared::boxed(cx, move |call| by_channel(call, epsilon, momentum))
}

/// Normalises by the given statistics or, in training, by the operand's own, which also update the running statistics.
fn by_channel(call: &mut Call<'_, '_>, eps: f64, training: Option<f64>) -> Result<(), KernelError> {
    let place = BatchNormalization::AT;
    let x = call.tensor(place.x)?;
    let dims = x.dims().to_vec();
    let parameters = [place.scale, place.b, place.mean, place.var].map(|i| call.tensor(i));
    let parameters = parameters.into_iter().collect::<Result<Vec<_>, _>>()?;
    let channels = dims.get(1).copied().unwrap_or(1);
    if dims.is_empty() || parameters.iter().any(|p| p.dims() != [channels]) {
        return Err(KernelError::shape(format!(
            "for an input of dimensions {dims:?}, scale, bias, mean and variance must have {}",
            counted(channels, "element")
        )));
    }
    let plane = geometry::extent(dims.get(2..).unwrap_or(&[]));
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let values = read::<R>(&x)?;
        let wide = |t: &Tensor| -> Result<Vec<f64>, KernelError> { Ok(read::<f64>(t)?.into_owned()) };
        let (scale, bias) = (wide(&parameters[0])?, wide(&parameters[1])?);
        let (mut mean, mut variance) = (wide(&parameters[2])?, wide(&parameters[3])?);
        if let Some(momentum) = training.filter(|_| !x.is_empty()) {
            let (old_mean, old_variance) = (mean.clone(), variance.clone());
            let batches = dims[0];
            let count = (batches * plane) as f64;
            let of_channel = |c: usize, f: &dyn Fn(f64) -> f64| -> f64 {
                let planes = (0..batches).map(|b| &values[(b * channels + c) * plane..][..plane]);
                planes.map(|p| p.iter().map(|v| f(v.wide())).sum::<f64>()).sum::<f64>() / count
            };
            for c in 0..channels {
                mean[c] = of_channel(c, &|v| v);
                let m = mean[c];
                variance[c] = of_channel(c, &|v| (v - m) * (v - m));
            }
            for (result, of, old, own) in [
                (place.running_mean, &parameters[2], &old_mean, &mean),
                (place.running_var, &parameters[3], &old_variance, &variance),
            ] {
                if call.wants(result) {
                    let running: Vec<f64> =
                        old.iter().zip(own).map(|(o, n)| o * momentum + n * (1.0 - momentum)).collect();
                    let t = call.alloc(result, of.dtype(), &[channels])?;
                    call.set(result, narrow::<f64>(&running, t)?);
                }
            }
        }
        let factor: Vec<R> = (0..channels).map(|c| R::of(scale[c] / (variance[c] + eps).sqrt())).collect();
        let shift: Vec<R> =
            (0..channels).map(|c| R::of(bias[c] - mean[c] * scale[c] / (variance[c] + eps).sqrt())).collect();
        produce::<R>(call, place.y, x.dtype(), &dims, |y| {
            if plane == 1 {
                for_rows(threads, y, channels, 1, |first, piece| {
                    for (i, y) in piece.chunks_mut(channels).enumerate() {
                        let x = &values[(first + i) * channels..][..channels];
                        for (((y, &x), &f), &s) in y.iter_mut().zip(x).zip(&factor).zip(&shift) {
                            *y = x * f + s;
                        }
                    }
                });
                return Ok(());
            }
            for_rows(threads, y, plane, 1, |first, piece| {
                for (i, y) in piece.chunks_mut(plane.max(1)).enumerate() {
                    let x = &values[(first + i) * plane..][..plane];
                    let (f, s) = (factor[(first + i) % channels], shift[(first + i) % channels]);
                    vectorised(#[inline(always)] || y.iter_mut().zip(x).for_each(|(y, &x)| *y = x * f + s));
                }
            });
            Ok(())
        })
    })
}

/// x/(bias + alpha/size·Σx²)^beta over neighbouring channels.
pub(super) fn lrn(cx: &Compile<'_>) -> Made {
    let op = cx.view(LRN::of)?;
    let size = usize::try_from(op.size()).ok().filter(|&s| s > 0);
    let size = size.ok_or_else(|| cx.declined("attribute `size` must be at least 1"))?;
    let lrn = Lrn { size, alpha: op.alpha(), beta: op.beta(), bias: op.bias() };
    Prepared::boxed(cx, move |call| by_neighbours(call, lrn))
}

fn by_neighbours(call: &mut Call<'_, '_>, lrn: Lrn) -> Result<(), KernelError> {
    let place = LRN::AT;
    let x = call.tensor(place.x)?;
    let (dims, size) = (x.dims().to_vec(), lrn.size);
    let &[_, channels, ref pixels @ ..] = &dims[..] else {
        return Err(KernelError::shape(format!(
            "the input has dimensions {dims:?}, expected [N, C, …]"
        )));
    };
    let pixels = geometry::extent(pixels);
    let threads = call.threads;
    if x.dtype() == trident_ir::DType::F64 {
        let values = x.slice::<f64>()?;
        return produce::<f64>(call, place.y, x.dtype(), &dims, |y| {
            for (i, y) in y.iter_mut().enumerate() {
                let c = i / pixels % channels;
                let (from, to) = (c.saturating_sub((size - 1) / 2), channels.min(c + size / 2 + 1));
                let sum: f64 =
                    (from..to).map(|k| values[i + k * pixels - c * pixels].powi(2)).sum();
                let base = f64::from(lrn.bias) + f64::from(lrn.alpha) / size as f64 * sum;
                *y = values[i] / base.powf(lrn.beta.into());
            }
            Ok(())
        });
    }
    let values = read::<f32>(&x)?;
    produce::<f32>(call, place.y, x.dtype(), &dims, |y| {
        lrn.run(threads, Isa::detect(), channels, pixels, &values, y);
        Ok(())
    })
}

/// x divided by its Lp norm along the axis; 0 where that is 0.
pub(super) fn lp(cx: &Compile<'_>) -> Made {
    let op = cx.view(LpNormalization::of)?;
    let (axis, p) = (op.axis(), op.p());
    if !(1..=2).contains(&p) {
        return Err(cx.declined(format!("attribute `p` is {p}, expected 1 or 2")));
    }
    Prepared::boxed(cx, move |call| by_norm(call, axis, p))
}

fn by_norm(call: &mut Call<'_, '_>, axis: i64, p: i64) -> Result<(), KernelError> {
    let places = LpNormalization::AT;
    let x = call.tensor(places.x)?;
    let at = Around::axis(x.dims(), axis)?;
    let dims = x.dims().to_vec();
    in_real!(x.dtype(), R => {
        let values = read::<R>(&x)?;
        produce::<R>(call, places.y, x.dtype(), &dims, |y| {
            if y.is_empty() {
                return Ok(());
            }
            for i in 0..at.outer * at.inner {
                let place = |k: usize| (i / at.inner * at.n + k) * at.inner + i % at.inner;
                let terms = (0..at.n).map(|k| values[place(k)].wide());
                let norm = if p == 1 { terms.map(f64::abs).sum::<f64>() } else { terms.map(|v| v * v).sum::<f64>().sqrt() };
                for k in 0..at.n {
                    let v = values[place(k)].wide() / norm;
                    y[place(k)] = R::of(if norm == 0.0 { 0.0 } else { v });
                }
            }
            Ok(())
        })
    })
}

/// (x − mean)/(standard deviation + 1e-9) over the axes (0, 2 and 3 by default).
pub(super) fn mean_variance(cx: &Compile<'_>) -> Made {
    let axes = cx.view(MeanVarianceNormalization::of)?.axes().unwrap_or(&[0, 2, 3]).to_vec();
    Prepared::boxed(cx, move |call| by_axes(call, &axes))
}

fn by_axes(call: &mut Call<'_, '_>, axes: &[i64]) -> Result<(), KernelError> {
    let place = MeanVarianceNormalization::AT;
    let x = call.tensor(place.x)?;
    let dims = x.dims().to_vec();
    let axes = geometry::axes(axes, dims.len())?;
    let strides = geometry::strides(&dims);
    // The group of an element: its coordinates along the axes that stay.
    let kept: Vec<(usize, usize)> =
        (0..dims.len()).filter(|a| !axes.contains(a)).map(|a| (dims[a], strides[a])).collect();
    let group = |i: usize| kept.iter().fold(0, |g, &(d, s)| g * d + i / s % d);
    let empty = x.is_empty();
    let groups: usize = if empty { 0 } else { kept.iter().map(|k| k.0).product() };
    let count: usize = if empty { 0 } else { axes.iter().map(|&a| dims[a]).product() };
    in_real!(x.dtype(), R => {
        let values = read::<R>(&x)?;
        let (mut mean, mut variance) = (vec![0.0; groups], vec![0.0; groups]);
        values.iter().enumerate().for_each(|(i, v)| mean[group(i)] += v.wide() / count as f64);
        for (i, v) in values.iter().enumerate() {
            let (g, v) = (group(i), v.wide());
            variance[g] += (v - mean[g]) * (v - mean[g]) / count as f64;
        }
        produce::<R>(call, place.y, x.dtype(), &dims, |y| {
            for (i, y) in y.iter_mut().enumerate() {
                let g = group(i);
                *y = R::of((values[i].wide() - mean[g]) / (variance[g].sqrt() + 1e-9));
            }
            Ok(())
        })
    })
}
