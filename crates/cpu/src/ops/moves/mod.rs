//! Ops that move elements and do not change them.

mod blocks;
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

use crate::kernel::{Entry, entry};
pub(super) use gather::rows as gather_rows;
pub(super) use strided::{diagonal, transposed};
use trident_ir::ops::*;

pub(super) const KERNELS: &[Entry] = &[
    entry(Identity::KIND, reshape::identity),
    entry(Reshape::KIND, reshape::reshape),
    entry(Squeeze::KIND, reshape::squeeze),
    entry(Unsqueeze::KIND, reshape::unsqueeze),
    entry(Flatten::KIND, reshape::flatten),
    entry(Shape::KIND, reshape::shape),
    entry(Size::KIND, reshape::size),
    entry(Transpose::KIND, strided::transpose),
    entry(Slice::KIND, strided::slice),
    entry(Expand::KIND, strided::expand),
    entry(Tile::KIND, strided::tile),
    entry(DepthToSpace::KIND, strided::depth_to_space),
    entry(SpaceToDepth::KIND, strided::space_to_depth),
    entry(Pack::KIND, blocks::pack),
    entry(Unpack::KIND, blocks::unpack),
    entry(Concat::KIND, join::concat),
    entry(Split::KIND, join::split),
    entry(Gather::KIND, gather::gather),
    entry(GatherElements::KIND, gather::gather_elements),
    entry(GatherND::KIND, gather::gather_nd),
    entry(Compress::KIND, gather::compress),
    entry(NonZero::KIND, gather::non_zero),
    entry(ReverseSequence::KIND, gather::reverse_sequence),
    entry(OneHot::KIND, gather::one_hot),
    entry(ScatterElements::KIND, scatter::elements),
    entry(ScatterND::KIND, scatter::nd),
    entry(TensorScatter::KIND, scatter::cache),
    entry(Col2Im::KIND, scatter::col2im),
    entry(Pad::KIND, pad::pad),
    entry(CenterCropPad::KIND, pad::center),
    entry(Constant::KIND, create::constant),
    entry(ConstantOfShape::KIND, create::filled),
    entry(EyeLike::KIND, create::eye_like),
    entry(Range::KIND, create::range),
    entry(Trilu::KIND, create::trilu),
];
