//! Images: resampling, regions of interest, box selection, decoding.

mod affine_grid;
#[cfg(feature = "image-decoder")]
mod decode;
mod grid_sample;
mod nms;
mod resize;
mod roi_align;

use crate::kernel::{Entry, entry};
#[cfg(feature = "image-decoder")]
use trident_ir::ops::ImageDecoder;
use trident_ir::ops::{AffineGrid, GridSample, NonMaxSuppression, Resize, RoiAlign};

pub(super) const KERNELS: &[Entry] = &[
    entry(AffineGrid::KIND, affine_grid::affine_grid),
    entry(GridSample::KIND, grid_sample::grid_sample),
    #[cfg(feature = "image-decoder")]
    entry(ImageDecoder::KIND, decode::image_decoder),
    entry(NonMaxSuppression::KIND, nms::non_max_suppression),
    entry(Resize::KIND, resize::resize),
    entry(RoiAlign::KIND, roi_align::roi_align),
];
