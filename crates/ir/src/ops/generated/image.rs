// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{AspectRatioPolicy, CoordinateTransform, Interpolation, NearestMode, PixelFormat, RoiPooling, RoiTransform, SamplePadding};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::AffineGrid`].
#[derive(Clone, Copy)]
pub struct AffineGrid<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::AffineGrid`], and names of its attributes.
pub struct AffineGridAt { pub theta: usize, pub size: usize, pub grid: usize, pub align_corners: AttrName<kinds::Flag> }

impl<'a> AffineGrid<'a> {
    pub const KIND: OpKind = OpKind::AffineGrid;
    pub const AT: AffineGridAt = AffineGridAt { theta: 0, size: 1, grid: 0, align_corners: AttrName::new("align_corners") };
    #[inline] pub fn of(op: &'a Op) -> Option<AffineGrid<'a>> { view::fits(op, Self::KIND).then_some(AffineGrid(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn theta(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn size(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn grid(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn align_corners(self) -> bool { view::attr(self.0, Self::AT.align_corners) }
}

impl AffineGrid<'static> {
    pub fn new(theta: ValueId, size: ValueId) -> New<Self> {
        view::new(OpKind::AffineGrid, vec![Some(theta), Some(size)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::AffineGrid) }
}

impl<O: BorrowMut<Op>> Set<AffineGrid<'static>, O> {
    #[inline] pub fn align_corners(self, value: bool) -> Self { self.put(AffineGrid::AT.align_corners, value) }
}

/// A view of [`OpKind::GridSample`].
#[derive(Clone, Copy)]
pub struct GridSample<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::GridSample`], and names of its attributes.
pub struct GridSampleAt { pub x: usize, pub grid: usize, pub y: usize, pub align_corners: AttrName<kinds::Flag>, pub mode: AttrName<Interpolation>, pub padding_mode: AttrName<SamplePadding> }

impl<'a> GridSample<'a> {
    pub const KIND: OpKind = OpKind::GridSample;
    pub const AT: GridSampleAt = GridSampleAt { x: 0, grid: 1, y: 0, align_corners: AttrName::new("align_corners"), mode: AttrName::new("mode"), padding_mode: AttrName::new("padding_mode") };
    #[inline] pub fn of(op: &'a Op) -> Option<GridSample<'a>> { view::fits(op, Self::KIND).then_some(GridSample(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn grid(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn align_corners(self) -> bool { view::attr(self.0, Self::AT.align_corners) }
    #[inline] pub fn mode(self) -> Interpolation { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn padding_mode(self) -> SamplePadding { view::attr(self.0, Self::AT.padding_mode) }
}

impl GridSample<'static> {
    pub fn new(x: ValueId, grid: ValueId) -> New<Self> {
        view::new(OpKind::GridSample, vec![Some(x), Some(grid)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::GridSample) }
}

impl<O: BorrowMut<Op>> Set<GridSample<'static>, O> {
    #[inline] pub fn align_corners(self, value: bool) -> Self { self.put(GridSample::AT.align_corners, value) }
    #[inline] pub fn mode(self, value: Interpolation) -> Self { self.put(GridSample::AT.mode, value) }
    #[inline] pub fn padding_mode(self, value: SamplePadding) -> Self { self.put(GridSample::AT.padding_mode, value) }
}

/// A view of [`OpKind::ImageDecoder`].
#[derive(Clone, Copy)]
pub struct ImageDecoder<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ImageDecoder`], and names of its attributes.
pub struct ImageDecoderAt { pub stream: usize, pub image: usize, pub pixel_format: AttrName<PixelFormat> }

impl<'a> ImageDecoder<'a> {
    pub const KIND: OpKind = OpKind::ImageDecoder;
    pub const AT: ImageDecoderAt = ImageDecoderAt { stream: 0, image: 0, pixel_format: AttrName::new("pixel_format") };
    #[inline] pub fn of(op: &'a Op) -> Option<ImageDecoder<'a>> { view::fits(op, Self::KIND).then_some(ImageDecoder(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn stream(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn image(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn pixel_format(self) -> PixelFormat { view::attr(self.0, Self::AT.pixel_format) }
}

impl ImageDecoder<'static> {
    pub fn new(stream: ValueId) -> New<Self> {
        view::new(OpKind::ImageDecoder, vec![Some(stream)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ImageDecoder) }
}

impl<O: BorrowMut<Op>> Set<ImageDecoder<'static>, O> {
    #[inline] pub fn pixel_format(self, value: PixelFormat) -> Self { self.put(ImageDecoder::AT.pixel_format, value) }
}

/// A view of [`OpKind::NonMaxSuppression`].
#[derive(Clone, Copy)]
pub struct NonMaxSuppression<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::NonMaxSuppression`], and names of its attributes.
pub struct NonMaxSuppressionAt { pub boxes: usize, pub scores: usize, pub max_output_boxes_per_class: usize, pub iou_threshold: usize, pub score_threshold: usize, pub selected: usize, pub center_point_box: AttrName<kinds::Flag> }

impl<'a> NonMaxSuppression<'a> {
    pub const KIND: OpKind = OpKind::NonMaxSuppression;
    pub const AT: NonMaxSuppressionAt = NonMaxSuppressionAt { boxes: 0, scores: 1, max_output_boxes_per_class: 2, iou_threshold: 3, score_threshold: 4, selected: 0, center_point_box: AttrName::new("center_point_box") };
    #[inline] pub fn of(op: &'a Op) -> Option<NonMaxSuppression<'a>> { view::fits(op, Self::KIND).then_some(NonMaxSuppression(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn boxes(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn scores(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn max_output_boxes_per_class(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn iou_threshold(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn score_threshold(self) -> Option<ValueId> { self.0.input(4) }
    #[inline] pub fn selected(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn center_point_box(self) -> bool { view::attr(self.0, Self::AT.center_point_box) }
}

impl NonMaxSuppression<'static> {
    pub fn new(boxes: ValueId, scores: ValueId, max_output_boxes_per_class: Option<ValueId>, iou_threshold: Option<ValueId>, score_threshold: Option<ValueId>) -> New<Self> {
        view::new(OpKind::NonMaxSuppression, vec![Some(boxes), Some(scores), max_output_boxes_per_class, iou_threshold, score_threshold], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::NonMaxSuppression) }
}

impl<O: BorrowMut<Op>> Set<NonMaxSuppression<'static>, O> {
    #[inline] pub fn center_point_box(self, value: bool) -> Self { self.put(NonMaxSuppression::AT.center_point_box, value) }
}

/// A view of [`OpKind::Resize`].
#[derive(Clone, Copy)]
pub struct Resize<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Resize`], and names of its attributes.
pub struct ResizeAt { pub x: usize, pub roi: usize, pub scales: usize, pub sizes: usize, pub y: usize, pub antialias: AttrName<kinds::Flag>, pub axes: AttrName<kinds::Ints>, pub coordinate_transformation_mode: AttrName<CoordinateTransform>, pub cubic_coeff_a: AttrName<kinds::Float>, pub exclude_outside: AttrName<kinds::Flag>, pub extrapolation_value: AttrName<kinds::Float>, pub keep_aspect_ratio_policy: AttrName<AspectRatioPolicy>, pub mode: AttrName<Interpolation>, pub nearest_mode: AttrName<NearestMode> }

impl<'a> Resize<'a> {
    pub const KIND: OpKind = OpKind::Resize;
    pub const AT: ResizeAt = ResizeAt { x: 0, roi: 1, scales: 2, sizes: 3, y: 0, antialias: AttrName::new("antialias"), axes: AttrName::new("axes"), coordinate_transformation_mode: AttrName::new("coordinate_transformation_mode"), cubic_coeff_a: AttrName::new("cubic_coeff_a"), exclude_outside: AttrName::new("exclude_outside"), extrapolation_value: AttrName::new("extrapolation_value"), keep_aspect_ratio_policy: AttrName::new("keep_aspect_ratio_policy"), mode: AttrName::new("mode"), nearest_mode: AttrName::new("nearest_mode") };
    #[inline] pub fn of(op: &'a Op) -> Option<Resize<'a>> { view::fits(op, Self::KIND).then_some(Resize(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn roi(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn scales(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn sizes(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn antialias(self) -> bool { view::attr(self.0, Self::AT.antialias) }
    #[inline] pub fn axes(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.axes) }
    #[inline] pub fn coordinate_transformation_mode(self) -> CoordinateTransform { view::attr(self.0, Self::AT.coordinate_transformation_mode) }
    #[inline] pub fn cubic_coeff_a(self) -> f32 { view::attr(self.0, Self::AT.cubic_coeff_a) }
    #[inline] pub fn exclude_outside(self) -> bool { view::attr(self.0, Self::AT.exclude_outside) }
    #[inline] pub fn extrapolation_value(self) -> f32 { view::attr(self.0, Self::AT.extrapolation_value) }
    #[inline] pub fn keep_aspect_ratio_policy(self) -> AspectRatioPolicy { view::attr(self.0, Self::AT.keep_aspect_ratio_policy) }
    #[inline] pub fn mode(self) -> Interpolation { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn nearest_mode(self) -> NearestMode { view::attr(self.0, Self::AT.nearest_mode) }
}

impl Resize<'static> {
    pub fn new(x: ValueId, roi: Option<ValueId>, scales: Option<ValueId>, sizes: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Resize, vec![Some(x), roi, scales, sizes], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Resize) }
}

impl<O: BorrowMut<Op>> Set<Resize<'static>, O> {
    #[inline] pub fn antialias(self, value: bool) -> Self { self.put(Resize::AT.antialias, value) }
    #[inline] pub fn axes(self, value: Vec<i64>) -> Self { self.put(Resize::AT.axes, value) }
    #[inline] pub fn coordinate_transformation_mode(self, value: CoordinateTransform) -> Self { self.put(Resize::AT.coordinate_transformation_mode, value) }
    #[inline] pub fn cubic_coeff_a(self, value: f32) -> Self { self.put(Resize::AT.cubic_coeff_a, value) }
    #[inline] pub fn exclude_outside(self, value: bool) -> Self { self.put(Resize::AT.exclude_outside, value) }
    #[inline] pub fn extrapolation_value(self, value: f32) -> Self { self.put(Resize::AT.extrapolation_value, value) }
    #[inline] pub fn keep_aspect_ratio_policy(self, value: AspectRatioPolicy) -> Self { self.put(Resize::AT.keep_aspect_ratio_policy, value) }
    #[inline] pub fn mode(self, value: Interpolation) -> Self { self.put(Resize::AT.mode, value) }
    #[inline] pub fn nearest_mode(self, value: NearestMode) -> Self { self.put(Resize::AT.nearest_mode, value) }
}

/// A view of [`OpKind::RoiAlign`].
#[derive(Clone, Copy)]
pub struct RoiAlign<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RoiAlign`], and names of its attributes.
pub struct RoiAlignAt { pub x: usize, pub rois: usize, pub batch_indices: usize, pub y: usize, pub coordinate_transformation_mode: AttrName<RoiTransform>, pub mode: AttrName<RoiPooling>, pub output_height: AttrName<kinds::Int>, pub output_width: AttrName<kinds::Int>, pub sampling_ratio: AttrName<kinds::Int>, pub spatial_scale: AttrName<kinds::Float> }

impl<'a> RoiAlign<'a> {
    pub const KIND: OpKind = OpKind::RoiAlign;
    pub const AT: RoiAlignAt = RoiAlignAt { x: 0, rois: 1, batch_indices: 2, y: 0, coordinate_transformation_mode: AttrName::new("coordinate_transformation_mode"), mode: AttrName::new("mode"), output_height: AttrName::new("output_height"), output_width: AttrName::new("output_width"), sampling_ratio: AttrName::new("sampling_ratio"), spatial_scale: AttrName::new("spatial_scale") };
    #[inline] pub fn of(op: &'a Op) -> Option<RoiAlign<'a>> { view::fits(op, Self::KIND).then_some(RoiAlign(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn rois(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn batch_indices(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn coordinate_transformation_mode(self) -> RoiTransform { view::attr(self.0, Self::AT.coordinate_transformation_mode) }
    #[inline] pub fn mode(self) -> RoiPooling { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn output_height(self) -> i64 { view::attr(self.0, Self::AT.output_height) }
    #[inline] pub fn output_width(self) -> i64 { view::attr(self.0, Self::AT.output_width) }
    #[inline] pub fn sampling_ratio(self) -> i64 { view::attr(self.0, Self::AT.sampling_ratio) }
    #[inline] pub fn spatial_scale(self) -> f32 { view::attr(self.0, Self::AT.spatial_scale) }
}

impl RoiAlign<'static> {
    pub fn new(x: ValueId, rois: ValueId, batch_indices: ValueId) -> New<Self> {
        view::new(OpKind::RoiAlign, vec![Some(x), Some(rois), Some(batch_indices)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RoiAlign) }
}

impl<O: BorrowMut<Op>> Set<RoiAlign<'static>, O> {
    #[inline] pub fn coordinate_transformation_mode(self, value: RoiTransform) -> Self { self.put(RoiAlign::AT.coordinate_transformation_mode, value) }
    #[inline] pub fn mode(self, value: RoiPooling) -> Self { self.put(RoiAlign::AT.mode, value) }
    #[inline] pub fn output_height(self, value: i64) -> Self { self.put(RoiAlign::AT.output_height, value) }
    #[inline] pub fn output_width(self, value: i64) -> Self { self.put(RoiAlign::AT.output_width, value) }
    #[inline] pub fn sampling_ratio(self, value: i64) -> Self { self.put(RoiAlign::AT.sampling_ratio, value) }
    #[inline] pub fn spatial_scale(self, value: f32) -> Self { self.put(RoiAlign::AT.spatial_scale, value) }
}
