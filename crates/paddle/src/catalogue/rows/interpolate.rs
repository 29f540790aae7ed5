//! Interpolation of images.
//!
//! Paddle computes the ratio of an axis as 1/scale if a scale is given, else as length/size, and a position as a product
//! with it. A resize divides by the scale instead. Where that could choose another neighbour, nearest elements are
//! gathered by Paddle's own indices.

use super::conv::in_format;
use crate::catalogue::field::Ints;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::op::words::{CoordinateTransform, Interpolation, NearestMode};
use trident_ir::{DType, Literal, ValueId, ops};

signature! {
    Interpolate (
        x: ValueId, out_size: Option<Ints>, size_tensor: Option<Ints>, scale_tensor: Option<ValueId>,
    ) {
        data_format: String = "NCHW",
        out_d: i64 = 0,
        out_h: i64 = 0,
        out_w: i64 = 0,
        scale: Vec<f64> = [],
        align_corners: bool = true,
        align_mode: i64 = 1,
    } -> output
}

/// The places of older programs.
macro_rules! interpolate {
    ($name:literal, $mode:expr, $($old:literal),+) => {
        row!($name, Interpolate, |c, op| interpolate(c, op, $mode) $(, $old: "data_format=.data_layout scale_tensor=Scale scale=.scale output=Out")+)
    };
}

pub(super) static ROWS: &[Row] = &[
    interpolate!("bicubic_interp", Interpolation::Cubic, "bicubic_interp_v2", "bicubic_interp"),
    interpolate!("bilinear_interp", Interpolation::Linear, "bilinear_interp_v2", "bilinear_interp"),
    interpolate!("linear_interp", Interpolation::Linear, "linear_interp_v2", "linear_interp"),
    interpolate!("nearest_interp", Interpolation::Nearest, "nearest_interp_v2", "nearest_interp"),
    interpolate!(
        "trilinear_interp",
        Interpolation::Linear,
        "trilinear_interp_v2",
        "trilinear_interp"
    ),
];

/// The sizes of the result.
enum Target {
    /// A vector of sizes.
    Sizes(Ints),
    /// Factors of the operand's sizes.
    Scales(Vec<f64>),
}

fn interpolate(c: &mut Call<'_, '_>, op: Interpolate, mode: Interpolation) -> Made {
    let axes = c.rank(op.x)?.saturating_sub(2);
    if axes == 0 {
        return c.refuse("the operand has no spatial axes");
    }
    let target = target(c, &op, axes)?;
    in_format(c, op.x, &op.data_format, |c, x| {
        if keeps_lengths(c, x, &target) {
            return c.add(ops::Identity::new(x));
        }
        if mode == Interpolation::Nearest && !is_exact(c, x, &target, op.align_corners) {
            return nearest(c, x, &target, op.align_corners);
        }
        resized(c, x, &target, mode, &op)
    })
}

/// Whether factors give each axis its own length: Paddle copies the operand then, though the factors may be above 1.
fn keeps_lengths(c: &Call<'_, '_>, x: ValueId, target: &Target) -> bool {
    let Target::Scales(scales) = target else { return false };
    scales
        .iter()
        .enumerate()
        .all(|(i, &scale)| c.dim(x, i + 2).is_some_and(|n| (n as f32 * scale as f32) as usize == n))
}

/// A list of sizes comes first, then a tensor of sizes, then scales, then the sizes of attributes.
fn target(c: &mut Call<'_, '_>, op: &Interpolate, axes: usize) -> Made<Target> {
    let is_given = |ints: &Option<Ints>| matches!(ints, Some(ints) if !matches!(ints, Ints::Known(sizes) if sizes.is_empty()));
    if is_given(&op.size_tensor) {
        return Ok(Target::Sizes(op.size_tensor.clone().unwrap_or(Ints::Known(vec![]))));
    }
    if is_given(&op.out_size) {
        return Ok(Target::Sizes(op.out_size.clone().unwrap_or(Ints::Known(vec![]))));
    }
    let mut scales = op.scale.clone();
    if let Some(tensor) = op.scale_tensor {
        match c.facts.literal(c.b.func, tensor).and_then(|literal| literal.to_f64s()) {
            Some(known) => scales = known,
            None => {
                return c
                    .refuse("the scale is computed by the model; only constants are supported");
            }
        }
    }
    if let [one] = scales[..] {
        scales = vec![one; axes];
    }
    if scales.len() == axes && scales.iter().all(|&scale| scale > 0.0) {
        return Ok(Target::Scales(scales));
    }
    let sizes = match axes {
        1 => vec![op.out_w],
        2 => vec![op.out_h, op.out_w],
        _ => vec![op.out_d, op.out_h, op.out_w],
    };
    match sizes.iter().all(|&size| size > 0) {
        true => Ok(Target::Sizes(Ints::Known(sizes))),
        false => c.refuse(format!(
            "neither sizes nor scales are given: sizes {sizes:?}, scales {scales:?}"
        )),
    }
}

/// Whether products with ratios and quotients by scales certainly give the same nearest elements: ratios are powers of
/// two.
fn is_exact(c: &Call<'_, '_>, x: ValueId, target: &Target, align_corners: bool) -> bool {
    let is_power = |ratio: f64| ratio > 0.0 && ratio.log2().fract() == 0.0;
    if align_corners {
        return false;
    }
    match target {
        Target::Scales(scales) => scales.iter().all(|&scale| is_power(scale)),
        Target::Sizes(Ints::Known(sizes)) => sizes.iter().enumerate().all(|(i, &size)| {
            c.dim(x, i + 2).is_some_and(|n| size > 1 && is_power(n as f64 / size as f64))
        }),
        Target::Sizes(Ints::Computed(_)) => false,
    }
}

/// The size of an axis of the result, as a vector of one i64, and the ratio of its positions as f32 of rank 0.
fn axis_of(
    c: &mut Call<'_, '_>,
    x: ValueId,
    target: &Target,
    axis: usize,
    corners: bool,
) -> Made<(ValueId, ValueId)> {
    let length = c.dim_of(x, axis + 2)?;
    let wide = c.cast(length, DType::F32)?;
    let (size, scale) = match target {
        Target::Scales(scales) => {
            let scale = c.literal(Literal::vector(&[scales[axis] as f32]))?;
            let size = c.add(ops::Mul::new(wide, scale))?;
            (c.cast(size, DType::I64)?, Some(scales[axis] as f32))
        }
        Target::Sizes(sizes) => {
            let sizes = sizes.value(c)?;
            (c.slice(sizes, 0, axis as i64, axis as i64 + 1)?, None)
        }
    };
    let one = c.literal(Literal::vector(&[1f32]))?;
    let out = c.cast(size, DType::F32)?;
    let ratio = match (corners, scale) {
        (true, _) => {
            let (a, b) = (c.add(ops::Sub::new(wide, one))?, c.add(ops::Sub::new(out, one))?);
            // A size of 1 has the ratio 0.
            let b = c.add(ops::Max::new(&[b, one]))?;
            c.add(ops::Div::new(a, b))?
        }
        (false, Some(scale)) => c.literal(Literal::vector(&[1.0 / scale]))?,
        (false, None) => c.add(ops::Div::new(wide, out))?,
    };
    Ok((size, ratio))
}

/// Elements at ⌊ratio·i⌋, or at the nearest whole number with `align_corners`.
fn nearest(c: &mut Call<'_, '_>, x: ValueId, target: &Target, corners: bool) -> Made {
    let axes = c.rank(x)? - 2;
    let mut y = x;
    for axis in 0..axes {
        let (size, ratio) = axis_of(c, x, target, axis, corners)?;
        let places = c.range(size)?;
        let places = c.cast(places, DType::F32)?;
        let mut at = c.add(ops::Mul::new(places, ratio))?;
        if corners {
            let half = c.literal(Literal::vector(&[0.5f32]))?;
            at = c.add(ops::Add::new(at, half))?;
        }
        let index = c.cast(at, DType::I64)?;
        let (last, one) = (c.dim_of(x, axis + 2)?, c.ints(&[1])?);
        let last = c.add(ops::Sub::new(last, one))?;
        let index = c.add(ops::Min::new(&[index, last]))?;
        y = c.add(ops::Gather::new(y, index).axis(axis as i64 + 2))?;
    }
    Ok(y)
}

fn resized(
    c: &mut Call<'_, '_>,
    x: ValueId,
    target: &Target,
    mode: Interpolation,
    op: &Interpolate,
) -> Made {
    let axes = c.rank(x)? - 2;
    let transform = match (op.align_corners, mode, op.align_mode) {
        (true, ..) => CoordinateTransform::AlignCorners,
        (false, Interpolation::Linear, 1) | (false, Interpolation::Nearest, _) => {
            CoordinateTransform::Asymmetric
        }
        (false, Interpolation::Cubic, _) => CoordinateTransform::HalfPixel,
        // An axis of size 1 is at 0.
        (false, ..) => CoordinateTransform::PytorchHalfPixel,
    };
    let (scales, sizes) = match target {
        Target::Scales(scales) => {
            let scales: Vec<f32> = scales.iter().map(|&scale| scale as f32).collect();
            (Some(c.literal(Literal::vector(&scales))?), None)
        }
        Target::Sizes(sizes) => (None, Some(sizes.value(c)?)),
    };
    let y = c.add(
        ops::Resize::new(x, None, scales, sizes)
            .axes((2..axes as i64 + 2).collect())
            .mode(mode)
            .nearest_mode(NearestMode::Floor)
            .coordinate_transformation_mode(transform),
    )?;
    if mode == Interpolation::Cubic && !op.align_corners && c.is_of_paddle_2() {
        check_lengths(c, [x, y], target)?;
    }
    Ok(y)
}

/// Refuses axes of a bicubic result `y` whose length is 1, or may be: Paddle 2 takes a position before the first element
/// there. An operand of one element gives that element at each position.
fn check_lengths(c: &Call<'_, '_>, [x, y]: [ValueId; 2], target: &Target) -> Made<()> {
    for axis in 2..c.rank(x)? {
        // With a factor of 1 or more, only an operand of length 1 has a result of length 1.
        let is_longer = matches!(target, Target::Scales(scales) if scales[axis - 2] >= 1.0);
        match c.dim(y, axis) {
            _ if is_longer || c.dim(x, axis) == Some(1) => {}
            Some(1) => {
                return c.refuse("a bicubic result of length 1 is not supported for Paddle 2");
            }
            Some(_) => {}
            None => {
                return c.refuse(format!(
                    "axis {axis} of a bicubic result may have length 1, which is not supported for Paddle 2: \
                     export the model with a fixed size"
                ));
            }
        }
    }
    Ok(())
}
