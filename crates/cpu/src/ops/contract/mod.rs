//! Contractions: attention and its relatives, deformable convolution.

mod attention;
mod causal_conv;
mod deform_conv;
mod linear_attention;
mod rotary;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for a contraction.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::Attention => Plain::boxed("attention", attention::run),
        OpKind::CausalConvWithState => Plain::boxed("causal_conv", causal_conv::run),
        OpKind::DeformConv => Plain::boxed("deform_conv", deform_conv::run),
        OpKind::LinearAttention => Plain::boxed("linear_attention", linear_attention::run),
        OpKind::RotaryEmbedding => Plain::boxed("rotary_embedding", rotary::run),
        _ => return None,
    })
}
