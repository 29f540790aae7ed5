//! Ops that move elements and do not change them.

mod create;
mod gather;
mod join;
mod pad;
mod reshape;
mod scatter;
mod strided;
#[cfg(test)]
mod tests;
mod view;

use crate::kernel::{Compile, Kernel, Plain};
pub(super) use gather::rows as gather_rows;
pub(super) use strided::{diagonal, transposed};
use trident_ir::OpKind;

/// The kernel for a moving op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    use OpKind::*;
    let run = match cx.op.kind {
        Identity => reshape::identity,
        Reshape | Squeeze | Unsqueeze | Flatten => reshape::run,
        Shape => reshape::shape,
        Size => reshape::size,
        Transpose => strided::transpose,
        Slice => strided::slice,
        Expand => strided::expand,
        Tile => strided::tile,
        DepthToSpace => strided::depth_to_space,
        SpaceToDepth => strided::space_to_depth,
        Concat => join::concat,
        Split => join::split,
        Gather => gather::gather,
        GatherElements => gather::gather_elements,
        GatherND => gather::gather_nd,
        Compress => gather::compress,
        NonZero => gather::non_zero,
        ReverseSequence => gather::reverse_sequence,
        OneHot => gather::one_hot,
        ScatterElements => scatter::elements,
        ScatterND => scatter::nd,
        TensorScatter => scatter::cache,
        Col2Im => scatter::col2im,
        Pad => pad::pad,
        CenterCropPad => pad::center,
        Constant => create::constant,
        ConstantOfShape => create::filled,
        EyeLike => create::eye_like,
        Range => create::range,
        Trilu => create::trilu,
        _ => return None,
    };
    Some(Plain::boxed(cx.op.decl().name, run))
}
