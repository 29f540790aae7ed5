//! Normalisation of rows: layer, RMS, skip, instance and group normalisation.
#![allow(unsafe_code)]

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, in_real, narrow, produce, read};
use std::borrow::Cow;
use trident_ir::geometry::{self, broadcast_strides, extent};
use trident_ir::ops::{
    GroupNormalization, InstanceNormalization, LayerNormalization, RMSNormalization,
    SkipLayerNormalization,
};
use trident_ir::{DType, Element, counted};
use trident_kernels::disjoint::Disjoint;
use trident_kernels::parallel::{for_rows, vectorised};
use trident_kernels::rows;
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// The factors and offsets that a row is normalised with.
#[derive(Clone, Copy)]
pub(super) struct RowNorm<'a, R> {
    pub(super) gamma: Option<&'a [R]>,
    pub(super) beta: Option<&'a [R]>,
    pub(super) epsilon: f32,
    /// Without the mean.
    pub(super) rms: bool,
}

/// The row kernels by type; they result in the mean and the reciprocal of the deviation.
pub(super) trait Normalize: Real {
    fn normalize(x: &[Self], how: &RowNorm<'_, Self>, y: &mut [Self]) -> (Self, Self);
}

impl Normalize for f32 {
    fn normalize(x: &[f32], how: &RowNorm<'_, f32>, y: &mut [f32]) -> (f32, f32) {
        let isa = Isa::detect();
        let moments = if how.rms && how.beta.is_none() {
            rows::rms_norm(isa, x, how.gamma, how.epsilon, y)
        } else {
            rows::layer_norm(isa, x, how.gamma, how.beta, how.epsilon, y)
        };
        (moments.mean, moments.inverse)
    }
}

impl Normalize for f64 {
    fn normalize(x: &[f64], how: &RowNorm<'_, f64>, y: &mut [f64]) -> (f64, f64) {
        let n = x.len() as f64;
        let mean = if how.rms { 0.0 } else { x.iter().sum::<f64>() / n };
        let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let inverse = 1.0 / (variance + f64::from(how.epsilon)).sqrt();
        for (i, (y, x)) in y.iter_mut().zip(x).enumerate() {
            *y = (x - mean) * inverse * how.gamma.map_or(1.0, |g| g[i])
                + how.beta.map_or(0.0, |b| b[i]);
        }
        (mean, inverse)
    }
}

/// Each row of `n` elements; mean and reciprocal deviation go to `stats`, two for each row.
fn each_row<R: Normalize>(
    threads: &Threads,
    x: &[R],
    n: usize,
    how: &RowNorm<'_, R>,
    y: &mut [R],
    stats: &mut [[R; 2]],
) {
    if n == 0 {
        return;
    }
    debug_assert_eq!(stats.len() * n, y.len());
    let stats = Disjoint::new(stats);
    for_rows(threads, y, n, 4, |first, piece| {
        let rows = first..first + piece.len() / n;
        // SAFETY: each row has a place of its own in `stats`, and comes once.
        let stats = unsafe { stats.part(rows.clone()) };
        for ((row, y), stats) in rows.zip(piece.chunks_exact_mut(n)).zip(stats) {
            let (mean, inverse) = R::normalize(&x[row * n..(row + 1) * n], how, y);
            *stats = [mean, inverse];
        }
    });
}

/// A factor or summand as it applies to rows of the last dimensions `dims[axis..]`: one row that serves all, or an element
/// for each of `x`.
enum Affine<'a, R: Clone> {
    None,
    Row(Cow<'a, [R]>),
    Full(Vec<R>),
}

fn affine<'a, R: Real>(
    t: Option<&'a Tensor>,
    dims: &[usize],
    axis: usize,
) -> Result<Affine<'a, R>, KernelError> {
    let Some(t) = t else { return Ok(Affine::None) };
    let values = read::<R>(t)?;
    if dims.contains(&0) {
        return Ok(Affine::None);
    }
    if t.dims() == &dims[axis..] {
        return Ok(Affine::Row(values));
    }
    if t.rank() > dims.len() || geometry::broadcast(t.dims(), dims)? != dims {
        return Err(KernelError::shape(format!(
            "an input of dimensions {:?} does not broadcast to {dims:?}",
            t.dims()
        )));
    }
    // Only the part that differs between rows makes a whole copy necessary.
    let strides = broadcast_strides(t.dims(), dims);
    let (to, strides, full) = if strides[..axis].iter().all(|&s| s == 0) {
        (&dims[axis..], &strides[axis..], false)
    } else {
        (dims, &strides[..], true)
    };
    let len = extent(to);
    let spread: Vec<R> = (0..len)
        .map(|flat: usize| {
            let (mut rest, mut at) = (flat, 0);
            for (&d, &s) in to.iter().zip(strides).rev() {
                at += rest % d * s;
                rest /= d;
            }
            values[at]
        })
        .collect();
    Ok(if full { Affine::Full(spread) } else { Affine::Row(Cow::Owned(spread)) })
}

/// The late factor or summand of element `i` of rows of `n`.
fn late<R: Real>(a: &Affine<'_, R>, i: usize, n: usize, absent: f64) -> R {
    match a {
        Affine::None => R::of(absent),
        Affine::Row(r) => r[i % n],
        Affine::Full(f) => f[i],
    }
}

/// Layer normalisation over the axes from `axis` on.
pub(super) fn layer(cx: &Compile<'_>) -> Made {
    let op = cx.view(LayerNormalization::of)?;
    let (axis, epsilon, stash) = (op.axis(), op.epsilon(), op.stash_type());
    Prepared::boxed(cx, move |call| {
        let bias = call.opt(LayerNormalization::AT.b)?;
        normalize(call, axis, epsilon, Summand::Bias { bias, stash })
    })
}

/// RMS normalisation over the axes from `axis` on.
pub(super) fn rms(cx: &Compile<'_>) -> Made {
    let op = cx.view(RMSNormalization::of)?;
    let (axis, epsilon) = (op.axis(), op.epsilon());
    Prepared::boxed(cx, move |call| normalize(call, axis, epsilon, Summand::Nothing))
}

/// The difference between layer and RMS normalisation.
enum Summand {
    /// The mean is subtracted, and the bias, if there is one, added. Mean and reciprocal deviation are results of type `stash`.
    Bias { bias: Option<Tensor>, stash: DType },
    /// Nothing is subtracted or added.
    Nothing,
}

fn normalize(
    call: &mut Call<'_, '_>,
    axis: i64,
    epsilon: f32,
    summand: Summand,
) -> Result<(), KernelError> {
    let place = LayerNormalization::AT;
    let (x, scale) = (call.tensor(place.x)?, call.opt(place.scale)?);
    let (bias, stash) = match summand {
        Summand::Bias { bias, stash } => (bias, Some(stash)),
        Summand::Nothing => (None, None),
    };
    let rms = stash.is_none();
    let axis = geometry::axis(axis, x.rank())?;
    let dims = x.dims().to_vec();
    let n = extent(&dims[axis..]);
    let rows = if x.is_empty() { 0 } else { extent(&dims[..axis]) };
    let to = if rms { scale.as_ref().map_or(x.dtype(), Tensor::dtype) } else { x.dtype() };
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let gamma = affine::<R>(scale.as_ref(), &dims, axis)?;
        let beta = affine::<R>(bias.as_ref(), &dims, axis)?;
        let row = |a: &Affine<'_, R>| match a { Affine::Row(r) => Some(r.to_vec()), _ => None };
        let (g, b) = (row(&gamma), row(&beta));
        let full = matches!(gamma, Affine::Full(_)) || matches!(beta, Affine::Full(_));
        let how = RowNorm {
            gamma: g.as_deref().filter(|_| !full),
            beta: b.as_deref().filter(|_| !full),
            epsilon,
            rms,
        };
        let values = read::<R>(&x)?;
        let mut stats = vec![[R::of(0.0); 2]; rows];
        produce::<R>(call, place.y, to, &dims, |y| {
            each_row(threads, &values, n, &how, y, &mut stats);
            if full {
                for (i, y) in y.iter_mut().enumerate() {
                    *y = *y * late(&gamma, i, n, 1.0) + late(&beta, i, n, 0.0);
                }
            }
            Ok(())
        })?;
        let kept: Vec<usize> = dims.iter().enumerate().map(|(i, &d)| if i < axis { d } else { 1 }).collect();
        for (k, result) in [place.mean, place.inv_std_dev].into_iter().enumerate() {
            if let Some(stash) = stash.filter(|_| call.wants(result)) {
                let t = call.alloc(result, stash, &kept)?;
                let nothing = [R::of(f64::NAN); 2];
                let column: Vec<R> =
                    (0..t.len()).map(|i| stats.get(i).unwrap_or(&nothing)[k]).collect();
                call.set(result, narrow::<R>(&column, t)?);
            }
        }
        Ok(())
    })
}

/// Layer normalisation over the last axis of `x + skip + bias`, and optionally that sum.
pub(super) fn skip(cx: &Compile<'_>) -> Made {
    let epsilon = cx.view(SkipLayerNormalization::of)?.epsilon();
    Prepared::boxed(cx, move |call| add_and_normalize(call, epsilon))
}

fn add_and_normalize(call: &mut Call<'_, '_>, epsilon: f32) -> Result<(), KernelError> {
    let place = SkipLayerNormalization::AT;
    let (x, skip) = (call.tensor(place.x)?, call.tensor(place.skip)?);
    let (scale, beta, bias) =
        (call.tensor(place.scale)?, call.opt(place.b)?, call.opt(place.bias)?);
    let dims = x.dims().to_vec();
    let Some(&n) = dims.last() else {
        return Err(KernelError::shape("its input is a scalar, which has no last axis"));
    };
    if geometry::broadcast(skip.dims(), &dims)? != dims {
        return Err(KernelError::shape(format!(
            "an input of dimensions {:?} does not broadcast to {dims:?}",
            skip.dims()
        )));
    }
    let vectors = [Some(&scale), beta.as_ref(), bias.as_ref()];
    if vectors.into_iter().flatten().any(|t| t.dims() != [n]) {
        return Err(KernelError::shape(format!(
            "scale and biases must have {}",
            counted(n, "element")
        )));
    }
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let (gamma, values, added) = (read::<R>(&scale)?, read::<R>(&x)?, read::<R>(&skip)?);
        let beta = beta.as_ref().map(read::<R>).transpose()?;
        let bias = bias.as_ref().map(read::<R>).transpose()?;
        // A skip of fewer axes repeats; one that is broadcast inside is spread first.
        let added = match affine::<R>(Some(&skip), &dims, 0)? {
            _ if added.len() == values.len() || dims.ends_with(skip.dims()) => added,
            Affine::Row(r) => r,
            Affine::Full(f) => Cow::Owned(f),
            Affine::None => added,
        };
        let how = RowNorm { gamma: Some(&gamma), beta: beta.as_deref(), epsilon, rms: false };
        let mut sum = call.temp(R::DTYPE, &dims)?;
        let period = added.len().max(1);
        for_rows(threads, sum.slice_mut::<R>()?, n, 2, |first, piece| {
            for (i, sum) in piece.chunks_mut(n.max(1)).enumerate() {
                let at = (first + i) * n;
                let (x, skip) = (&values[at..at + n], &added[at % period..at % period + n]);
                match &bias {
                    None => sum.iter_mut().zip(x).zip(skip).for_each(|((s, &x), &k)| *s = x + k),
                    Some(b) => {
                        for (((s, &x), &k), &b) in sum.iter_mut().zip(x).zip(skip).zip(b.iter()) {
                            *s = x + k + b;
                        }
                    }
                }
            }
        });
        let values = sum.slice::<R>()?;
        let mut stats = vec![[R::of(0.0); 2]; values.len().checked_div(n).unwrap_or(0)];
        produce::<R>(call, place.y, x.dtype(), &dims, |y| {
            each_row(threads, values, n, &how, y, &mut stats);
            Ok(())
        })?;
        if call.wants(place.sum) {
            produce::<R>(call, place.sum, x.dtype(), &dims, |y| {
                y.copy_from_slice(values);
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// Instance normalisation: each channel is a group.
pub(super) fn instance(cx: &Compile<'_>) -> Made {
    let epsilon = cx.view(InstanceNormalization::of)?.epsilon();
    Prepared::boxed(cx, move |call| channels(call, None, epsilon))
}

pub(super) fn group(cx: &Compile<'_>) -> Made {
    let op = cx.view(GroupNormalization::of)?;
    let (groups, epsilon) = (usize::try_from(op.num_groups()), op.epsilon());
    let groups = groups.ok().filter(|&g| g > 0);
    let groups = groups.ok_or_else(|| cx.declined("attribute `num_groups` must be at least 1"))?;
    Prepared::boxed(cx, move |call| channels(call, Some(groups), epsilon))
}

/// Normalises rows of whole channels, by default of one each. Each channel is then scaled and shifted.
fn channels(
    call: &mut Call<'_, '_>,
    groups: Option<usize>,
    epsilon: f32,
) -> Result<(), KernelError> {
    let place = GroupNormalization::AT;
    let (x, scale, bias) =
        (call.tensor(place.x)?, call.tensor(place.scale)?, call.tensor(place.bias)?);
    let dims = x.dims().to_vec();
    let &[batch, channels, ..] = &dims[..] else {
        return Err(KernelError::shape(format!(
            "the input has dimensions {dims:?}, expected [N, C, …]"
        )));
    };
    let groups = groups.unwrap_or(channels);
    if !channels.is_multiple_of(groups) {
        let channels = counted(channels, "channel");
        return Err(KernelError::attr("num_groups", format!("it does not divide {channels}")));
    }
    if scale.dims() != [channels] || bias.dims() != [channels] {
        return Err(KernelError::shape(format!(
            "scale and bias must have {}",
            counted(channels, "element")
        )));
    }
    let plane = extent(&dims[2..]);
    let n = if x.is_empty() { 0 } else { channels / groups * plane };
    let rows = if n == 0 { 0 } else { batch * groups };
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let (values, gamma, beta) = (read::<R>(&x)?, read::<R>(&scale)?, read::<R>(&bias)?);
        let how = RowNorm { gamma: None, beta: None, epsilon, rms: false };
        let mut stats = vec![[R::of(0.0); 2]; rows];
        produce::<R>(call, place.y, x.dtype(), &dims, |y| {
            each_row(threads, &values, n, &how, y, &mut stats);
            for_rows(threads, y, plane, 1, |first, piece| {
                for (i, y) in piece.chunks_mut(plane.max(1)).enumerate() {
                    let c = (first + i) % channels;
                    let (g, b) = (gamma[c], beta[c]);
                    vectorised(#[inline(always)] || y.iter_mut().for_each(|v| *v = *v * g + b));
                }
            });
            Ok(())
        })
    })
}
