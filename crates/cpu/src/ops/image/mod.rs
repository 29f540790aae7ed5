//! Images: resampling, regions of interest, box selection, decoding.

mod affine_grid;
#[cfg(feature = "image-decoder")]
mod decode;
mod grid_sample;
mod nms;
mod resize;
mod roi_align;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for an image op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::AffineGrid => Plain::boxed("affine_grid", affine_grid::run),
        OpKind::GridSample => Plain::boxed("grid_sample", grid_sample::run),
        #[cfg(feature = "image-decoder")]
        OpKind::ImageDecoder => Plain::boxed("image_decoder", decode::run),
        OpKind::NonMaxSuppression => Plain::boxed("non_max_suppression", nms::run),
        OpKind::Resize => Plain::boxed("resize", resize::run),
        OpKind::RoiAlign => Plain::boxed("roi_align", roi_align::run),
        _ => return None,
    })
}
