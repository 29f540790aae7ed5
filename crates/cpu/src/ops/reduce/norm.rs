//! Normalisation of rows: layer, RMS, skip, instance and group normalisation.
#![allow(unsafe_code)]

use super::axes::axis_of;
use crate::kernel::Call;
use crate::real::{Real, in_real, narrow, produce, read};
use std::borrow::Cow;
use trident_ir::geometry::{self, broadcast_strides, extent};
use trident_ir::{DType, Element, OpKind, counted};
use trident_kernels::disjoint::Disjoint;
use trident_kernels::parallel::{for_rows, vectorised};
use trident_kernels::rows;
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// What a row is normalised with.
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

pub(super) fn epsilon(call: &Call<'_, '_>) -> f32 {
    call.op.float("epsilon").unwrap_or(1e-5)
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
        return Err(KernelError::shape(format!("{:?} does not broadcast to {dims:?}", t.dims())));
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

/// Layer and RMS normalisation over the axes from `axis` on.
pub(super) fn layer(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let rms = call.op.kind == OpKind::RMSNormalization;
    let (x, scale, bias) = (call.tensor(0)?, call.opt(1)?, if rms { None } else { call.opt(2)? });
    let axis = geometry::axis(axis_of(call, -1), x.rank())?;
    let dims = x.dims().to_vec();
    let n = extent(&dims[axis..]);
    let rows = if x.is_empty() { 0 } else { extent(&dims[..axis]) };
    let to = if rms { scale.as_ref().map_or(x.dtype(), Tensor::dtype) } else { x.dtype() };
    let stash = call.op.dtype("stash_type").unwrap_or(DType::F32);
    let (threads, eps) = (call.threads, epsilon(call));
    in_real!(x.dtype(), R => {
        let gamma = affine::<R>(scale.as_ref(), &dims, axis)?;
        let beta = affine::<R>(bias.as_ref(), &dims, axis)?;
        let row = |a: &Affine<'_, R>| match a { Affine::Row(r) => Some(r.to_vec()), _ => None };
        let (g, b) = (row(&gamma), row(&beta));
        let full = matches!(gamma, Affine::Full(_)) || matches!(beta, Affine::Full(_));
        let how = RowNorm {
            gamma: g.as_deref().filter(|_| !full),
            beta: b.as_deref().filter(|_| !full),
            epsilon: eps,
            rms,
        };
        let values = read::<R>(&x)?;
        let mut stats = vec![[R::of(0.0); 2]; rows];
        produce::<R>(call, 0, to, &dims, |y| {
            each_row(threads, &values, n, &how, y, &mut stats);
            if full {
                for (i, y) in y.iter_mut().enumerate() {
                    *y = *y * late(&gamma, i, n, 1.0) + late(&beta, i, n, 0.0);
                }
            }
            Ok(())
        })?;
        let kept: Vec<usize> = dims.iter().enumerate().map(|(i, &d)| if i < axis { d } else { 1 }).collect();
        for k in 0..2 {
            if !rms && call.wants(k + 1) {
                let t = call.alloc(k + 1, stash, &kept)?;
                let nothing = [R::of(f64::NAN); 2];
                let column: Vec<R> =
                    (0..t.len()).map(|i| stats.get(i).unwrap_or(&nothing)[k]).collect();
                call.set(k + 1, narrow::<R>(&column, t)?);
            }
        }
        Ok(())
    })
}

/// Layer normalisation over the last axis of `x + skip + bias`, and optionally that sum.
pub(super) fn skip(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, skip) = (call.tensor(0)?, call.tensor(1)?);
    let (scale, beta, bias) = (call.tensor(2)?, call.opt(3)?, call.opt(4)?);
    let dims = x.dims().to_vec();
    let Some(&n) = dims.last() else { return Err(KernelError::shape("a scalar has no last axis")) };
    if geometry::broadcast(skip.dims(), &dims)? != dims {
        return Err(KernelError::shape(format!(
            "{:?} does not broadcast to {dims:?}",
            skip.dims()
        )));
    }
    let vectors = [Some(&scale), beta.as_ref(), bias.as_ref()];
    if vectors.into_iter().flatten().any(|t| t.dims() != [n]) {
        return Err(KernelError::shape(format!("scale and biases need {}", counted(n, "element"))));
    }
    let (threads, eps, wants_sum) = (call.threads, epsilon(call), call.wants(1));
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
        let how = RowNorm { gamma: Some(&gamma), beta: beta.as_deref(), epsilon: eps, rms: false };
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
        produce::<R>(call, 0, x.dtype(), &dims, |y| {
            each_row(threads, values, n, &how, y, &mut stats);
            Ok(())
        })?;
        if wants_sum {
            produce::<R>(call, 1, x.dtype(), &dims, |y| {
                y.copy_from_slice(values);
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// Instance and group normalisation: rows of whole channels, each channel then scaled and shifted.
pub(super) fn channels(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, scale, bias) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let dims = x.dims().to_vec();
    let &[batch, channels, ..] = &dims[..] else {
        return Err(KernelError::shape(format!("{dims:?} is not [N, C, …]")));
    };
    let groups = match call.op.kind {
        OpKind::GroupNormalization => {
            let groups = call.op.int("num_groups").and_then(|g| usize::try_from(g).ok());
            groups.filter(|&g| g > 0 && channels.is_multiple_of(g)).ok_or_else(|| {
                let channels = counted(channels, "channel");
                KernelError::attr("num_groups", format!("does not divide {channels}"))
            })?
        }
        _ => channels,
    };
    if scale.dims() != [channels] || bias.dims() != [channels] {
        return Err(KernelError::shape(format!(
            "scale and bias need {}",
            counted(channels, "element")
        )));
    }
    let plane = extent(&dims[2..]);
    let n = if x.is_empty() { 0 } else { channels / groups * plane };
    let rows = if n == 0 { 0 } else { batch * groups };
    let (threads, eps) = (call.threads, epsilon(call));
    in_real!(x.dtype(), R => {
        let (values, gamma, beta) = (read::<R>(&x)?, read::<R>(&scale)?, read::<R>(&bias)?);
        let how = RowNorm { gamma: None, beta: None, epsilon: eps, rms: false };
        let mut stats = vec![[R::of(0.0); 2]; rows];
        produce::<R>(call, 0, x.dtype(), &dims, |y| {
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
