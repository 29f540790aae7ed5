//! Ops on images and their channels.

use super::conv::{in_format, pads};
use crate::catalogue::field::Ints;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_PARTS, MOST_SIZE, Row};
use trident_ir::op::words::{BlockOrder, Interpolation, RoiTransform, SamplePadding};
use trident_ir::{DType, ValueId, ops};

signature! {
    PixelShuffle (x: ValueId) { upscale_factor: i64 = 1, data_format: String = "NCHW" } -> out
}

signature! {
    PixelUnshuffle (x: ValueId) { downscale_factor: i64 = 1, data_format: String = "NCHW" } -> out
}

signature! {
    ChannelShuffle (x: ValueId) { groups: i64 = 1, data_format: String = "NCHW" } -> out
}

signature! {
    ShuffleChannel (x: ValueId) { group: i64 = 1 } -> out
}

signature! {
    TemporalShift (x: ValueId) { seg_num: i64, shift_ratio: f64 = 0.25, data_format: String = "NCHW" } -> out
}

signature! {
    AffineGrid (input: ValueId, output_shape: Ints = []) { align_corners: bool = true } -> output
}

signature! {
    GridSample (x: ValueId, grid: ValueId) {
        mode: String = "bilinear", padding_mode: String = "zeros", align_corners: bool = true,
    } -> out
}

signature! {
    Unfold (x: ValueId) {
        kernel_sizes: Vec<i64>, strides: Vec<i64> = [1, 1], paddings: Vec<i64> = [0, 0], dilations: Vec<i64> = [1, 1],
    } -> out
}

signature! {
    Fold (x: ValueId) {
        output_sizes: Vec<i64>, kernel_sizes: Vec<i64>, strides: Vec<i64> = [1, 1], paddings: Vec<i64> = [0, 0],
        dilations: Vec<i64> = [1, 1],
    } -> out
}

signature! {
    RoiAlign (x: ValueId, boxes: ValueId, boxes_num: Option<ValueId>) {
        pooled_height: i64 = 1, pooled_width: i64 = 1, spatial_scale: f64 = 1.0, sampling_ratio: i64 = -1,
        aligned: bool = false,
    } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("affine_grid", AffineGrid, |c, op| {
        let size = op.output_shape.value(c)?;
        c.add(ops::AffineGrid::new(op.input, size).align_corners(op.align_corners))
    }, "affine_grid": "input=Theta output_shape=OutputShape,.output_shape output=Output"),
    row!("channel_shuffle", ChannelShuffle, shuffled),
    row!("fold", Fold, |c, op| {
        let pads = plane_pads(c, &op.paddings)?;
        let image = c.each("output_sizes", &op.output_sizes, 2, 0)?;
        let block = c.each("kernel_sizes", &op.kernel_sizes, 2, 1)?;
        let strides = c.each("strides", &op.strides, 2, 1)?;
        let dilations = c.each("dilations", &op.dilations, 2, 1)?;
        let (image, block) = (c.ints(&image)?, c.ints(&block)?);
        c.add(
            ops::Col2Im::new(op.x, image, block).pads(pads).strides(strides).dilations(dilations),
        )
    }, "fold": "out=Y"),
    row!("grid_sample", GridSample, grid_sample, "grid_sampler": "out=Output"),
    row!("pixel_shuffle", PixelShuffle, |c, op| in_format(c, op.x, &op.data_format, |c, x| {
        c.add(ops::DepthToSpace::new(x).blocksize(op.upscale_factor).mode(BlockOrder::DepthFirst))
    })),
    row!("pixel_unshuffle", PixelUnshuffle, |c, op| in_format(c, op.x, &op.data_format, |c, x| {
        c.add(ops::SpaceToDepth::new(x).blocksize(op.downscale_factor).mode(BlockOrder::DepthFirst))
    })),
    row!("roi_align", RoiAlign, roi_align, "roi_align": "boxes=ROIs boxes_num=RoisNum"),
    row!("shuffle_channel", ShuffleChannel, |c, op| {
        shuffled(c, ChannelShuffle { x: op.x, groups: op.group, data_format: "NCHW".to_owned() })
    }),
    row!("temporal_shift", TemporalShift, temporal_shift),
    row!("unfold", Unfold, unfold, "unfold": "out=Y"),
];

/// Swaps the place of a channel within its group with its group.
fn shuffled(c: &mut Call<'_, '_>, op: ChannelShuffle) -> Made {
    in_format(c, op.x, &op.data_format, |c, x| {
        let Some(channels) = c.dim(x, 1) else {
            return c.refuse("the number of channels is not known");
        };
        c.within("groups", op.groups, 1..=MOST_SIZE)?;
        let (head, tail) = (c.dim_of(x, 0)?, c.add(ops::Shape::new(x).start(2))?);
        let groups = c.ints(&[op.groups, channels as i64 / op.groups])?;
        let shape = c.concat(&[head, groups, tail], 0)?;
        let parts = c.reshape_to(x, shape)?;
        let rank = c.rank(parts)? as i64;
        let perm: Vec<i64> = [0, 2, 1].into_iter().chain(3..rank).collect();
        let parts = c.transpose(parts, &perm)?;
        let own = c.shape_of(x)?;
        c.reshape_to(parts, own)
    })
}

/// The first channels come from the frame before, the next ones from the frame after; there are zeros outside.
fn temporal_shift(c: &mut Call<'_, '_>, op: TemporalShift) -> Made {
    in_format(c, op.x, &op.data_format, |c, x| {
        let Some(channels) = c.dim(x, 1) else {
            return c.refuse("the number of channels is not known");
        };
        if !(0.0..=0.5).contains(&op.shift_ratio) {
            return c.refuse(format!("`shift_ratio` is {}, expected 0 to 0.5", op.shift_ratio));
        }
        let first = (channels as f32 * op.shift_ratio as f32) as i64;
        let second = (channels as f32 * 2.0 * op.shift_ratio as f32) as i64;
        let frames = c.within("seg_num", op.seg_num, 1..=MOST_SIZE)?;
        let (own, frames) = (c.shape_of(x)?, c.ints(&[frames])?);
        let batch = c.dim_of(x, 0)?;
        let count = c.add(ops::Div::new(batch, frames))?;
        let tail = c.add(ops::Shape::new(x).start(1))?;
        let shape = c.concat(&[count, frames, tail], 0)?;
        let clips = c.reshape_to(x, shape)?;
        let shift = |c: &mut Call<'_, '_>, part: ValueId, pads: [i64; 2]| {
            let (pads, axis) = (c.ints(&pads)?, c.ints(&[1])?);
            c.add(ops::Pad::new(part, pads, None, Some(axis)))
        };
        let before = c.slice(clips, 2, 0, first)?;
        let after = c.slice(clips, 2, first, second)?;
        let same = c.slice(clips, 2, second, i64::MAX)?;
        // A negative pad cuts the frame that would leave the clip.
        let (before, after) = (shift(c, before, [1, -1])?, shift(c, after, [-1, 1])?);
        let joined = c.concat(&[before, after, same], 2)?;
        c.reshape_to(joined, own)
    })
}

fn grid_sample(c: &mut Call<'_, '_>, op: GridSample) -> Made {
    let mode = match &*op.mode {
        "bilinear" => Interpolation::Linear,
        "nearest" => Interpolation::Nearest,
        other => return c.refuse(format!("`mode` is `{other}`, expected bilinear or nearest")),
    };
    let padding = match &*op.padding_mode {
        "zeros" => SamplePadding::Zeros,
        "border" => SamplePadding::Border,
        "reflection" => SamplePadding::Reflection,
        other => {
            return c.refuse(format!(
                "`padding_mode` is `{other}`, expected zeros, border or reflection"
            ));
        }
    };
    let is_volume = c.rank(op.x)? == 5;
    if c.is_of_paddle_2() && is_volume && (&*op.mode, &*op.padding_mode) == ("nearest", "zeros") {
        // Paddle 2 finds elements outside that are within the volume.
        return c.refuse(
            "the nearest elements of volumes with zeros outside are not supported for Paddle 2",
        );
    }
    c.add(
        ops::GridSample::new(op.x, op.grid)
            .mode(mode)
            .padding_mode(padding)
            .align_corners(op.align_corners),
    )
}

/// Pads of a plane as `unfold` and `fold` list them: those at the begins, then those at the ends.
fn plane_pads(c: &Call<'_, '_>, given: &[i64]) -> Made<Vec<i64>> {
    let pads = pads(c, given, 2)?;
    Ok(if given.len() == 4 { given.to_vec() } else { pads })
}

/// The elements of every window as a column: [N, C·kernel, windows].
fn unfold(c: &mut Call<'_, '_>, op: Unfold) -> Made {
    let pads = plane_pads(c, &op.paddings)?;
    let kernel = c.each("kernel_sizes", &op.kernel_sizes, 2, 1)?;
    let strides = c.each("strides", &op.strides, 2, 1)?;
    let dilations = c.each("dilations", &op.dilations, 2, 1)?;
    let area = kernel[0] * kernel[1];
    if area > MOST_PARTS {
        return c.refuse(format!("windows have {area} elements, expected 1 to {MOST_PARTS}"));
    }
    let (pads, axes) = (c.ints(&pads)?, c.ints(&[2, 3])?);
    let x = c.add(ops::Pad::new(op.x, pads, None, Some(axes)))?;
    let steps = c.ints(&strides)?;
    let mut taps = vec![];
    for i in 0..kernel[0] {
        for j in 0..kernel[1] {
            let starts = [i * dilations[0], j * dilations[1]];
            // The last place from which a window still fits.
            let ends = [(kernel[0] - 1 - i) * dilations[0], (kernel[1] - 1 - j) * dilations[1]];
            let ends = ends.map(|end| if end == 0 { i64::MAX } else { -end });
            let (starts, ends) = (c.ints(&starts)?, c.ints(&ends)?);
            let tap = c.add(ops::Slice::new(x, starts, ends, Some(axes), Some(steps)))?;
            taps.push(c.unsqueeze(tap, &[2])?);
        }
    }
    let taps = c.concat(&taps, 2)?;
    let Some(channels) = c.dim(op.x, 1) else {
        return c.refuse("the number of channels is not known");
    };
    let windows = c.add(ops::Shape::new(taps).start(3))?;
    let windows = c.add(ops::ReduceProd::new(windows, None).keepdims(true))?;
    let (batch, rows) = (c.dim_of(taps, 0)?, c.ints(&[channels as i64 * area])?);
    let shape = c.concat(&[batch, rows, windows], 0)?;
    c.reshape_to(taps, shape)
}

fn roi_align(c: &mut Call<'_, '_>, op: RoiAlign) -> Made {
    // The image of each box, from the number of boxes in each image.
    let Some(counts) = op.boxes_num else { return c.refuse("`boxes_num` is missing") };
    let counts = c.cast(counts, DType::I64)?;
    let zero = c.number(DType::I64, 0.0)?;
    let ends = c.add(ops::CumSum::new(counts, zero))?;
    let total = c.dim_of(op.boxes, 0)?;
    let places = c.range(total)?;
    let (ends, places) = (c.unsqueeze(ends, &[0])?, c.unsqueeze(places, &[1])?);
    let passed = c.add(ops::LessOrEqual::new(ends, places))?;
    let passed = c.cast(passed, DType::I64)?;
    let axes = c.ints(&[1])?;
    let image = c.add(ops::ReduceSum::new(passed, Some(axes)).keepdims(false))?;
    let transform =
        if op.aligned { RoiTransform::HalfPixel } else { RoiTransform::OutputHalfPixel };
    c.add(
        ops::RoiAlign::new(op.x, op.boxes, image)
            .output_height(op.pooled_height)
            .output_width(op.pooled_width)
            .spatial_scale(op.spatial_scale as f32)
            .sampling_ratio(op.sampling_ratio.max(0))
            .coordinate_transformation_mode(transform),
    )
}
