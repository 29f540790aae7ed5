//! Convolutions.

use crate::catalogue::field::Ints;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_SIZE, Row};
use trident_ir::op::words::AutoPad;
use trident_ir::{ValueId, ops};

signature! {
    Conv (input: ValueId, filter: ValueId, bias: Option<ValueId>) {
        strides: Vec<i64> = [1, 1],
        paddings: Vec<i64> = [0, 0],
        padding_algorithm: String = "EXPLICIT",
        dilations: Vec<i64> = [1, 1],
        groups: i64 = 1,
        data_format: String = "NCHW",
    } -> out
}

signature! {
    ConvTranspose (x: ValueId, filter: ValueId, output_size: Option<Ints>) {
        strides: Vec<i64> = [1, 1],
        paddings: Vec<i64> = [0, 0],
        output_padding: Vec<i64> = [],
        padding_algorithm: String = "EXPLICIT",
        groups: i64 = 1,
        dilations: Vec<i64> = [1, 1],
        data_format: String = "NCHW",
    } -> out
}

signature! {
    DeformConv (x: ValueId, offset: ValueId, filter: ValueId, mask: Option<ValueId>) {
        strides: Vec<i64> = [1, 1],
        paddings: Vec<i64> = [0, 0],
        dilations: Vec<i64> = [1, 1],
        deformable_groups: i64 = 1,
        groups: i64 = 1,
    } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("conv2d", Conv, conv, "conv2d": "input=Input out=Output"),
    row!("conv2d_transpose", ConvTranspose, conv_transpose, "conv2d_transpose": "x=Input out=Output"),
    row!("conv3d", Conv, conv, "conv3d": "input=Input out=Output"),
    row!("conv3d_transpose", ConvTranspose, conv_transpose, "conv3d_transpose": "x=Input out=Output"),
    row!("deformable_conv", DeformConv, deform_conv, "deformable_conv": "x=Input out=Output", "deformable_conv_v1": "x=Input out=Output"),
    row!("depthwise_conv2d", Conv, conv, "depthwise_conv2d": "input=Input out=Output"),
    row!("depthwise_conv2d_transpose", ConvTranspose, conv_transpose, "depthwise_conv2d_transpose": "x=Input out=Output"),
];

/// Whether a format has the channels last.
pub(super) fn is_channels_last(format: &str) -> bool {
    matches!(format, "NHWC" | "NDHWC" | "NLC" | "NWC")
}

/// A tensor whose last axis, that of channels, becomes axis 1.
pub(super) fn channels_first(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    let rank = c.rank(x)? as i64;
    let perm: Vec<i64> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    c.transpose(x, &perm)
}

/// The inverse of [`channels_first`].
pub(super) fn channels_last(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    let rank = c.rank(x)? as i64;
    let perm: Vec<i64> = [0].into_iter().chain(2..rank).chain([1]).collect();
    c.transpose(x, &perm)
}

/// Applies a function of a tensor with the channels in axis 1 to one with this format.
pub(super) fn in_format(
    c: &mut Call<'_, '_>,
    x: ValueId,
    format: &str,
    f: impl FnOnce(&mut Call<'_, '_>, ValueId) -> Made,
) -> Made {
    if !is_channels_last(format) || c.rank(x)? < 3 {
        return f(c, x);
    }
    let x = channels_first(c, x)?;
    let y = f(c, x)?;
    channels_last(c, y)
}

/// The pads at the beginning of each axis, then those at the end. Paddle lists one pad for each axis, two for each axis,
/// or two for each dimension of the whole tensor.
pub(super) fn pads(c: &Call<'_, '_>, given: &[i64], axes: usize) -> Made<Vec<i64>> {
    let pairs = |pads: &[i64]| {
        let begin = pads.iter().step_by(2).copied();
        begin.chain(pads.iter().skip(1).step_by(2).copied()).collect()
    };
    for &n in given {
        c.within("paddings", n, -MOST_SIZE..=MOST_SIZE)?;
    }
    match given.len() {
        1 => Ok(vec![given[0]; 2 * axes]),
        n if n == axes => Ok([given, given].concat()),
        n if n == 2 * axes => Ok(pairs(given)),
        n => c.refuse(format!("`paddings` has {n} entries for {axes} axes")),
    }
}

/// Pads and dilations by `padding_algorithm`: with SAME, Paddle sets dilations to 1.
pub(super) fn padding(
    c: &Call<'_, '_>,
    algorithm: &str,
    given: &[i64],
    dilations: Vec<i64>,
) -> Made<(AutoPad, Vec<i64>, Vec<i64>)> {
    let axes = dilations.len();
    match algorithm {
        "EXPLICIT" => Ok((AutoPad::NotSet, pads(c, given, axes)?, dilations)),
        "VALID" => Ok((AutoPad::NotSet, vec![0; 2 * axes], dilations)),
        "SAME" => Ok((AutoPad::SameUpper, vec![0; 2 * axes], vec![1; axes])),
        other => {
            c.refuse(format!("`padding_algorithm` is `{other}`, expected EXPLICIT, SAME or VALID"))
        }
    }
}

fn conv(c: &mut Call<'_, '_>, op: Conv) -> Made {
    let axes = c.rank(op.filter)?.saturating_sub(2);
    let strides = c.each("strides", &op.strides, axes, 1)?;
    let dilations = c.each("dilations", &op.dilations, axes, 1)?;
    let (auto, pads, dilations) = padding(c, &op.padding_algorithm, &op.paddings, dilations)?;
    in_format(c, op.input, &op.data_format, |c, x| {
        let mut conv = ops::Conv::new(x, op.filter, op.bias)
            .group(op.groups)
            .strides(strides)
            .dilations(dilations)
            .auto_pad(auto);
        if auto == AutoPad::NotSet {
            conv = conv.pads(pads);
        }
        c.add(conv)
    })
}

fn conv_transpose(c: &mut Call<'_, '_>, op: ConvTranspose) -> Made {
    let axes = c.rank(op.filter)?.saturating_sub(2);
    let strides = c.each("strides", &op.strides, axes, 1)?;
    let dilations = c.each("dilations", &op.dilations, axes, 1)?;
    let (auto, mut pads, dilations) = padding(c, &op.padding_algorithm, &op.paddings, dilations)?;
    in_format(c, op.x, &op.data_format, |c, x| {
        if auto != AutoPad::NotSet {
            pads = same_pads(c, x, op.filter, &strides)?;
        }
        let size =
            op.output_size.filter(|size| !matches!(size, Ints::Known(sizes) if sizes.is_empty()));
        // An output size adds less than a stride at the end of each axis.
        let extra = match &size {
            Some(_) => strides.iter().map(|stride| stride - 1).collect(),
            None if op.output_padding.is_empty() => vec![],
            None => c.each("output_padding", &op.output_padding, axes, 0)?,
        };
        let mut conv = ops::ConvTranspose::new(x, op.filter, None)
            .group(op.groups)
            .strides(strides)
            .dilations(dilations)
            .pads(pads);
        if !extra.is_empty() {
            conv = conv.output_padding(extra);
        }
        let y = c.add(conv)?;
        let Some(size) = size else { return Ok(y) };
        let size = match size {
            Ints::Known(sizes) => Ints::Known(c.each("output_size", &sizes, axes, 0)?),
            computed => computed,
        };
        let (starts, ends) = (c.ints(&vec![0; axes])?, size.value(c)?);
        let spatial: Vec<i64> = (2..axes as i64 + 2).collect();
        let spatial = c.ints(&spatial)?;
        c.add(ops::Slice::new(y, starts, ends, Some(spatial), None))
    })
}

/// The pads of SAME for a transposed convolution, which Paddle computes from the sizes of its operand.
fn same_pads(c: &Call<'_, '_>, x: ValueId, filter: ValueId, strides: &[i64]) -> Made<Vec<i64>> {
    let (mut begin, mut end) = (vec![], vec![]);
    for (axis, &stride) in strides.iter().enumerate() {
        let (Some(n), Some(k)) = (c.dim(x, axis + 2), c.dim(filter, axis + 2)) else {
            return c.refuse("`padding_algorithm` SAME needs fixed sizes");
        };
        let places = (n as i64 + stride - 1) / stride;
        let sum = ((places - 1) * stride + k as i64 - n as i64).max(0);
        begin.push(sum / 2);
        end.push(sum - sum / 2);
    }
    Ok([begin, end].concat())
}

fn deform_conv(c: &mut Call<'_, '_>, op: DeformConv) -> Made {
    let pads = pads(c, &op.paddings, 2)?;
    let strides = c.each("strides", &op.strides, 2, 1)?;
    let dilations = c.each("dilations", &op.dilations, 2, 1)?;
    c.add(
        ops::DeformConv::new(op.x, op.filter, op.offset, None, op.mask)
            .group(op.groups)
            .offset_group(op.deformable_groups)
            .strides(strides)
            .dilations(dilations)
            .pads(pads),
    )
}
