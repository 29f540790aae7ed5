//! Normalisations.

use super::activation::single;
use super::conv::in_format;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_PARTS, Outputs, Row};
use trident_ir::{DType, ValueId, ops};

signature! {
    BatchNorm (
        x: ValueId, mean: ValueId, variance: ValueId, scale: Option<ValueId>, bias: Option<ValueId>,
    ) {
        is_test: bool = false,
        epsilon: f64 = 1e-5,
        data_format: String = "NCHW",
        use_global_stats: bool = false,
        trainable_statistics: bool = false,
    } -> out
}

signature! {
    LayerNorm (x: ValueId, scale: Option<ValueId>, bias: Option<ValueId>) {
        epsilon: f64 = 1e-5, begin_norm_axis: i64 = 1,
    } -> out
}

signature! {
    GroupNorm (x: ValueId, scale: Option<ValueId>, bias: Option<ValueId>) {
        epsilon: f64 = 1e-5, groups: i64 = -1, data_format: String = "NCHW",
    } -> y
}

signature! {
    InstanceNorm (x: ValueId, scale: Option<ValueId>, bias: Option<ValueId>) { epsilon: f64 = 1e-5 } -> y
}

signature! {
    Norm (x: ValueId) { axis: i64 = -1, epsilon: f64 = 1e-10 } -> out norm
}

signature! {
    SpectralNorm (weight: ValueId, u: ValueId, v: ValueId) {
        dim: i64 = 0, power_iters: i64 = 1, eps: f64 = 1e-12,
    } -> out
}

signature! {
    AffineChannel (x: ValueId, scale: ValueId, bias: ValueId) { data_layout: String = "NCHW" } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("affine_channel", AffineChannel, |c, op| in_format(c, op.x, &op.data_layout, |c, x| {
        let axes: Vec<i64> = (1..c.rank(x)? as i64 - 1).collect();
        let (scale, bias) = (c.unsqueeze(op.scale, &axes)?, c.unsqueeze(op.bias, &axes)?);
        let y = c.add(ops::Mul::new(x, scale))?;
        c.add(ops::Add::new(y, bias))
    })),
    row!("batch_norm", BatchNorm, batch_norm, "batch_norm": "data_format=.data_layout out=Y"),
    row!("group_norm", GroupNorm, group_norm, "group_norm": "data_format=.data_layout"),
    row!("instance_norm", InstanceNorm, instance_norm, "instance_norm"),
    row!("layer_norm", LayerNorm, layer_norm, "layer_norm": "out=Y"),
    row!("norm", Norm, norm),
    row!("spectral_norm", SpectralNorm, spectral_norm),
    row!("sync_batch_norm", BatchNorm, batch_norm, "sync_batch_norm": "data_format=.data_layout out=Y"),
];

/// A vector with a number for each channel: as given, or with all elements equal.
fn per_channel(c: &mut Call<'_, '_>, given: Option<ValueId>, like: ValueId, value: f64) -> Made {
    match given {
        Some(given) => Ok(given),
        None => {
            let (shape, number) = (c.shape_of(like)?, single(c, like, value)?);
            c.expand(number, shape)
        }
    }
}

fn batch_norm(c: &mut Call<'_, '_>, op: BatchNorm) -> Made {
    // Statistics of the batch itself are used in training only.
    if !op.is_test && !op.use_global_stats || op.trainable_statistics {
        return c.refuse("it is in training mode; export the model after `eval()`");
    }
    let scale = per_channel(c, op.scale, op.mean, 1.0)?;
    let bias = per_channel(c, op.bias, op.mean, 0.0)?;
    in_format(c, op.x, &op.data_format, |c, x| {
        // Paddle computes in the type of the statistics.
        let (own, wide) = (c.dtype(x)?, c.dtype(op.mean)?);
        let x = c.cast(x, wide)?;
        let (scale, bias) = (c.cast(scale, wide)?, c.cast(bias, wide)?);
        let norm = ops::BatchNormalization::new(x, scale, bias, op.mean, op.variance);
        let y = c.add(norm.epsilon(op.epsilon as f32))?;
        c.cast(y, own)
    })
}

/// Scale and bias are vectors over all axes from `begin_norm_axis` on.
fn layer_norm(c: &mut Call<'_, '_>, op: LayerNorm) -> Made<Outputs> {
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.begin_norm_axis, rank)?;
    let own = c.dtype(op.x)?;
    let shaped = |c: &mut Call<'_, '_>, given: Option<ValueId>| -> Made<Option<ValueId>> {
        let Some(given) = given else { return Ok(None) };
        let given = c.cast(given, own)?;
        if rank as i64 - axis == 1 {
            return Ok(Some(given));
        }
        let shape = c.add(ops::Shape::new(op.x).start(axis))?;
        c.reshape_to(given, shape).map(Some)
    };
    let (scale, bias) = (shaped(c, op.scale)?, shaped(c, op.bias)?);
    let scale = match scale {
        Some(scale) => scale,
        None => single(c, op.x, 1.0)?,
    };
    let norm = ops::LayerNormalization::new(op.x, scale, bias);
    let y = c.add(norm.axis(axis).epsilon(op.epsilon as f32))?;
    Ok(y.into())
}

fn channels(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    c.dim_of(x, 1)
}

fn filled(c: &mut Call<'_, '_>, given: Option<ValueId>, x: ValueId, value: f64) -> Made {
    match given {
        Some(given) => {
            let dtype = c.dtype(x)?;
            c.cast(given, dtype)
        }
        None => {
            let (shape, number) = (channels(c, x)?, single(c, x, value)?);
            c.expand(number, shape)
        }
    }
}

fn group_norm(c: &mut Call<'_, '_>, op: GroupNorm) -> Made {
    in_format(c, op.x, &op.data_format, |c, x| {
        let (scale, bias) = (filled(c, op.scale, x, 1.0)?, filled(c, op.bias, x, 0.0)?);
        let norm = ops::GroupNormalization::new(x, scale, bias).num_groups(op.groups);
        c.add(norm.epsilon(op.epsilon as f32))
    })
}

fn instance_norm(c: &mut Call<'_, '_>, op: InstanceNorm) -> Made {
    let (scale, bias) = (filled(c, op.scale, op.x, 1.0)?, filled(c, op.bias, op.x, 0.0)?);
    let norm = ops::InstanceNormalization::new(op.x, scale, bias);
    c.add(norm.epsilon(op.epsilon as f32))
}

/// x divided by √(Σx² + epsilon) along an axis; and the divisor.
fn norm(c: &mut Call<'_, '_>, op: Norm) -> Made<Outputs> {
    let axes = c.ints(&[op.axis])?;
    let sum = c.add(ops::ReduceSumSquare::new(op.x, Some(axes)))?;
    let epsilon = c.number_like(op.x, op.epsilon)?;
    let sum = c.add(ops::Add::new(sum, epsilon))?;
    let norm = c.add(ops::Sqrt::new(sum))?;
    let y = c.add(ops::Div::new(op.x, norm))?;
    Ok([y, norm].into())
}

/// The weight divided by its greatest singular value, which power iterations of ten ops each approximate.
fn spectral_norm(c: &mut Call<'_, '_>, op: SpectralNorm) -> Made {
    let rank = c.rank(op.weight)?;
    let dim = c.axis(op.dim, rank)?;
    let perm: Vec<i64> =
        [dim].into_iter().chain((0..rank as i64).filter(|&axis| axis != dim)).collect();
    let matrix = c.transpose(op.weight, &perm)?;
    let matrix = c.reshape(matrix, &[0, -1])?;
    let turned = c.transpose(matrix, &[1, 0])?;
    let (mut u, mut v) = (c.reshape(op.u, &[-1, 1])?, c.reshape(op.v, &[-1, 1])?);
    let unit = |c: &mut Call<'_, '_>, x: ValueId| {
        let size = c.add(ops::ReduceL2::new(x, None).keepdims(false))?;
        let eps = c.number_like(x, op.eps)?;
        let size = c.add(ops::Add::new(size, eps))?;
        c.add(ops::Div::new(x, size))
    };
    for _ in 0..c.within("power_iters", op.power_iters, 0..=MOST_PARTS / 16)? {
        let next = c.add(ops::MatMul::new(turned, u))?;
        v = unit(c, next)?;
        let next = c.add(ops::MatMul::new(matrix, v))?;
        u = unit(c, next)?;
    }
    let product = c.add(ops::MatMul::new(matrix, v))?;
    let product = c.add(ops::Mul::new(u, product))?;
    let sigma = c.add(ops::ReduceSum::new(product, None).keepdims(false))?;
    let dtype: DType = c.dtype(op.weight)?;
    let sigma = c.cast(sigma, dtype)?;
    c.add(ops::Div::new(op.weight, sigma))
}
