//! The shapes of results from those of operands: one small rule for each op or family, which rows of the op table name.

mod attention;
mod contain;
mod conv;
mod image;
mod matmul;
mod misc;
mod ml;
mod moves;
mod pool;
mod recurrent;
mod reduce;
mod reshape;
mod signal;
mod slice;
mod window;

pub(super) use contain::container;
pub(super) use moves::shape_bounds;
pub(super) use slice::axes_in;

// The rules that rows of the op table name.
pub(crate) use attention::{attention, causal_conv, linear_attention};
pub(crate) use conv::{conv, deform_conv, integer_conv, qlinear_conv, transposed_conv};
pub(crate) use image::{
    affine_grid, col2im, grid_sample, image_decoder, non_max_suppression, resize, roi_align,
};
pub(crate) use matmul::{det, einsum, fused_matmul, gemm, matmul, n_bits, qlinear_matmul};
pub(crate) use misc::{
    dynamic_quantize, loss, multinomial, optimizer, random, same_for_all, string_normalizer,
    string_split, tf_idf,
};
pub(crate) use ml::{classes, one_hot_categories, regression, regression_of_one, tree_regression};
pub(crate) use moves::{
    concat, depth_to_space, expand, filled, gather, gather_elements, gather_nd, non_zero, one_hot,
    range, shape, space_to_depth, tile, transpose,
};
pub(crate) use pool::{global_pool, max_roi_pool, max_unpool, pool};
pub(crate) use recurrent::recurrent;
pub(crate) use reduce::{
    along_axis, arg_reduce, batch_norm, layer_norm, reduce, skip_layer_norm, top_k, unique,
};
pub(crate) use reshape::{flatten, reshape, squeeze, unsqueeze};
pub(crate) use signal::{dft, mel_weights, signal_window, stft};
pub(crate) use slice::{center_crop_pad, compress, pad, slice, split};

use super::error::ShapeError;
use super::view::{Shapes, View, nothing, one};
use crate::counted;

/// The types of the results are whole by the table's rule.
pub(crate) fn given(_: &View<'_>) -> Shapes {
    nothing()
}

/// The first result has the shape of operand 0.
pub(crate) fn like(cx: &View<'_>) -> Shapes {
    Ok(vec![cx.shape(0).map(<[_]>::to_vec)])
}

/// The result is a scalar.
pub(crate) fn scalar(_: &View<'_>) -> Shapes {
    one(vec![])
}

/// All operands broadcast together.
pub(crate) fn broadcast(cx: &View<'_>) -> Shapes {
    let present: Vec<usize> = (0..cx.op.inputs.len()).filter(|&i| cx.has(i)).collect();
    Ok(vec![cx.broadcast(&present)?])
}

/// The error for an attribute list of the wrong length.
fn expect_len(cx: &View<'_>, name: &str, list: &[i64], len: usize) -> Result<(), ShapeError> {
    if list.len() == len {
        return Ok(());
    }
    Err(cx.error(format!("`{name}` has {}, expected {len}", counted(list.len(), "entry"))))
}
