//! Images and regions of interest.

use crate::axes::{self, Axes, OperandAxes};
use crate::op::grammar::ops;
use crate::op::kinds::Int;
use crate::op::view;
use crate::op::words::{AspectRatioPolicy, CoordinateTransform, PixelFormat};
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, dims, nothing, one};
use crate::{AttrName, Dim, counted, geometry};

ops! {
    /// Sampling grid of an affine map `theta`, for a result of shape `size`: the mapped coordinates, −1 … 1, of each
    /// place.
    AffineGrid "affine_grid" Image (theta, size) -> (grid: Elem(0)) { align_corners: Flag = false } onnx "" 20 shape affine_grid axes affine_grid_axes;
    /// Samples `x` by `linear`, `nearest` or `cubic` interpolation at the grid's positions, x first. −1 and 1 are the
    /// outer edges of the corner elements or, with `align_corners`, their centres. Outside, the padding is `zeros`,
    /// `border` or `reflection`.
    GridSample "grid_sample" Image (x, grid) -> (y: Elem(0)) {
        align_corners: Flag = false, mode: Interpolation = Interpolation::Linear, padding_mode: SamplePadding = SamplePadding::Zeros,
    } onnx "" 16 shape grid_sample axes "nc*, n* -> nc*";
    /// Decodes an image file held in a u8 vector to [H, W, C].
    ImageDecoder "image_decoder" Image (stream) -> (image: Is(DType::U8)) { pixel_format: PixelFormat = PixelFormat::Rgb }
        onnx "" 20 shape image_decoder;
    /// Rows [batch, class, box] of the kept boxes, best first. Dropped are boxes below the score threshold, and boxes
    /// whose intersection over union with a kept box is above the other threshold.
    NonMaxSuppression "non_max_suppression" Image (boxes, scores, max_output_boxes_per_class[opt], iou_threshold[opt], score_threshold[opt])
        -> (selected: I64) { center_point_box: Flag = false } onnx "" 10 shape non_max_suppression;
    /// Resamples along the named axes to `sizes`, or by `scales`: `nearest`, `linear` or `cubic`.
    /// `coordinate_transformation_mode` maps positions of the result to the operand: half_pixel (also _symmetric,
    /// pytorch_), align_corners, asymmetric, tf_half_pixel_for_nn, or tf_crop_and_resize, which takes `roi`.
    /// `nearest_mode` is round_prefer_floor, round_prefer_ceil, floor, ceil, or ceil_when_shrinking: the rule of
    /// operator set 10, which takes the element above on axes that shrink and the element below on others.
    Resize "resize" Image (x, roi[opt], scales[opt], sizes[opt]) -> (y: Elem(0)) {
        antialias: Flag = false, axes[opt]: Ints, coordinate_transformation_mode: CoordinateTransform = CoordinateTransform::HalfPixel, cubic_coeff_a: Float = -0.75,
        exclude_outside: Flag = false, extrapolation_value: Float = 0.0, keep_aspect_ratio_policy: AspectRatioPolicy = AspectRatioPolicy::Stretch,
        mode: Interpolation = Interpolation::Nearest, nearest_mode: NearestMode = NearestMode::PreferFloor,
    } onnx "" 10 shape resize axes resize_axes;
    /// Mean or maximum of bilinear samples in each cell of regions [x1, y1, x2, y2] times `spatial_scale`;
    /// `sampling_ratio`² samples, 0 meaning ⌈cell size⌉.
    RoiAlign "roi_align" Image (x: Any T, rois: Any T, batch_indices) -> (y: Elem(0)) {
        coordinate_transformation_mode: RoiTransform = RoiTransform::HalfPixel, mode: RoiPooling = RoiPooling::Average, output_height: Int = 1, output_width: Int = 1,
        sampling_ratio: Int = 0, spatial_scale: Float = 1.0,
    } onnx "" 10 shape roi_align axes "*, r_, r -> r*";
}

/// AffineGrid: from size [N, C, spatial…] the grid [N, spatial…, axes].
fn affine_grid(cx: &View<'_>) -> Shapes {
    let Some(size) = cx.dims_in(1) else { return nothing() };
    if !(4..=5).contains(&size.len()) {
        return Err(cx.error(format!(
            "{} has {}, expected 4 or 5",
            cx.name(1),
            counted(size.len(), "entry")
        )));
    }
    let mut shape = vec![size[0].clone()];
    shape.extend_from_slice(&size[2..]);
    shape.push(Dim::Fixed(size.len() - 2));
    one(shape)
}

/// GridSample.
fn grid_sample(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 3)?;
    let rank = cx.rank(0).or_else(|| cx.rank(1));
    let Some(rank) = rank else { return nothing() };
    cx.expect_rank(0, rank)?;
    cx.expect_rank(1, rank)?;
    let at = |i: usize, j: usize| cx.shape(i).map_or(Dim::Unknown, |s| s[j].clone());
    cx.equal(&at(1, rank - 1), &Dim::Fixed(rank - 2), "coordinates of the grid and spatial axes")?;
    let batch = cx.equal(&at(0, 0), &at(1, 0), "batches of input and grid")?;
    let mut shape = vec![batch, at(0, 1)];
    shape.extend((1..rank - 1).map(|j| at(1, j)));
    one(shape)
}

/// ImageDecoder.
fn image_decoder(cx: &View<'_>) -> Shapes {
    let channels = match ops::ImageDecoder::of(cx.op).map(|op| op.pixel_format()) {
        Some(PixelFormat::Grayscale) => 1,
        _ => 3,
    };
    one(vec![Dim::Unknown, Dim::Unknown, Dim::Fixed(channels)])
}

/// NonMaxSuppression: rows of batch, class and box index.
fn non_max_suppression(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 3)?;
    cx.expect_rank(1, 3)?;
    one(vec![Dim::Unknown, Dim::Fixed(3)])
}

/// RoiAlign.
fn roi_align(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    cx.expect_rank(1, 2)?;
    cx.expect_rank(2, 1)?;
    let names = ops::RoiAlign::AT;
    let at = |i: usize, j: usize| cx.shape(i).map_or(Dim::Unknown, |s| s[j].clone());
    let rois = cx.equal(&at(1, 0), &at(2, 0), "regions and batch indices")?;
    let size = |name: AttrName<Int>| {
        let given = view::set_or_declared(cx.op, name).unwrap_or(1);
        let size = geometry::window_size(name.text(), given);
        size.map(Dim::Fixed).map_err(|e| cx.error(e.to_string()))
    };
    one(vec![rois, at(0, 1), size(names.output_height)?, size(names.output_width)?])
}

/// Longer axes are left to the kernel, which refuses them.
const MAX_LEN: usize = 1 << 53;

/// Resize.
fn resize(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    let all: Vec<i64> = (0..x.len() as i64).collect();
    let Some(op) = ops::Resize::of(cx.op) else { return nothing() };
    let named = op.axes().unwrap_or(&all);
    cx.wrap_all(named, x.len())?;
    let axes: Vec<usize> = named.iter().map(|&a| cx.wrap(a, x.len())).collect::<Result<_, _>>()?;
    let mut shape = x.to_vec();
    let by_sizes = cx.has(3) && cx.count(3) != Some(0);
    if by_sizes {
        let sizes = cx.dims_in(3).unwrap_or_else(|| dims::unknown(axes.len()));
        check_count(cx, sizes.len(), axes.len())?;
        if op.keep_aspect_ratio_policy() == AspectRatioPolicy::Stretch {
            axes.iter().zip(sizes).for_each(|(&axis, size)| shape[axis] = size);
            return one(shape);
        }
        let fixed = |dims: &[Dim]| dims.iter().map(Dim::fixed).collect::<Option<Vec<usize>>>();
        let found = fixed(x).zip(fixed(&sizes)).and_then(|(x, sizes)| {
            let sizes: Vec<i64> = sizes.into_iter().map(|n| n as i64).collect();
            // Which region is cropped does not matter here.
            let roi = vec![0.0; 2 * axes.len()];
            geometry::resize(&geometry::ResizeSpec::of(op), &x, Some(&roi), None, Some(&sizes)).ok()
        });
        for &axis in &axes {
            shape[axis] = found.as_ref().map_or(Dim::Unknown, |all| all[axis].output.into());
        }
        return one(shape);
    }
    let Some(scales) = cx.floats(2) else {
        axes.iter().for_each(|&a| shape[a] = Dim::Unknown);
        return one(shape);
    };
    check_count(cx, scales.len(), axes.len())?;
    for (&axis, scale) in axes.iter().zip(scales) {
        shape[axis] = scaled(&x[axis], scale);
    }
    one(shape)
}

fn check_count(cx: &View<'_>, given: usize, axes: usize) -> Result<(), ShapeError> {
    match given == axes {
        true => Ok(()),
        false => {
            let noun = if cx.has(ops::Resize::AT.sizes) { "size" } else { "scale" };
            let (given, axes) = (counted(given, noun), counted(axes, "axis"));
            Err(cx.error(format!("{given} for {axes}")))
        }
    }
}

/// Length of an axis that is scaled. Of a symbolic length only whole multiples and binary fractions are expressions.
fn scaled(n: &Dim, scale: f64) -> Dim {
    if let Some(n) = n.fixed() {
        let len = geometry::scaled_len(n, scale);
        return if scale > 0.0 && len < MAX_LEN { Dim::Fixed(len) } else { Dim::Unknown };
    }
    if scale >= 1.0 && scale.fract() == 0.0 && scale < 1e6 {
        return dims::times(n, scale as i64);
    }
    let inverse = 1.0 / scale;
    if inverse > 1.0 && inverse.fract() == 0.0 && inverse.log2().fract() == 0.0 && inverse < 1e6 {
        return dims::part(n, inverse as i64);
    }
    Dim::Unknown
}

/// AffineGrid: a map for each entry of the batch.
fn affine_grid_axes(cx: &View<'_>) -> Option<Axes> {
    Some(Axes::pattern(cx, "n__, * -> n*")?.with(ops::AffineGrid::AT.size, OperandAxes::Shape))
}

/// Resize: axes that keep their length are carried, unless a region is cropped.
fn resize_axes(cx: &View<'_>) -> Option<Axes> {
    let (op, at) = (ops::Resize::of(cx.op)?, ops::Resize::AT);
    let listed = axes::listed(cx, at.axes)?;
    let crops = op.coordinate_transformation_mode() == CoordinateTransform::CropAndResize;
    let by_sizes = cx.has(at.sizes) && cx.count(at.sizes) != Some(0);
    let scales = cx.floats(at.scales);
    let is_whole = |place: usize| match by_sizes {
        // Where the aspect ratio is kept, each size depends on all.
        true => op.keep_aspect_ratio_policy() == AspectRatioPolicy::Stretch,
        false => scales.as_ref().and_then(|scales| scales.get(place)) == Some(&1.0),
    };
    let sampled = |i: usize| {
        let place = listed.iter().position(|&axis| axis == i);
        place.is_some_and(|place| crops || !is_whole(place) || !axes::keeps(cx, i))
    };
    let stated = Axes::keeping(cx, sampled)?;
    Some(stated.with(at.sizes, OperandAxes::Sizes(listed)))
}
