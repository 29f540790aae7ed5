//! Contractions: convolutions, matrix products, attention and its relatives.

mod attention;
mod causal_conv;
pub(super) mod conv;
mod conv_transpose;
mod deform_conv;
mod det;
mod einsum;
mod epilogue;
mod linear_attention;
pub(super) mod matmul;
mod packed;
mod rotary;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;
use trident_runtime::Declined;

/// The kernel for a contraction.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Option<Box<dyn Kernel>>, Declined> {
    Ok(Some(match cx.op.kind {
        OpKind::Attention => Plain::boxed("attention", attention::run),
        OpKind::CausalConvWithState => Plain::boxed("causal_conv", causal_conv::run),
        OpKind::Conv | OpKind::FusedConv => conv::kernel(cx)?,
        OpKind::ConvTranspose => conv_transpose::kernel(cx)?,
        OpKind::DeformConv => Plain::boxed("deform_conv", deform_conv::run),
        OpKind::Det => Plain::boxed("det", det::run),
        OpKind::Einsum => Plain::boxed("einsum", einsum::run),
        OpKind::Gemm | OpKind::MatMul | OpKind::FusedMatMul | OpKind::MatMulNBits => {
            matmul::kernel(cx)?
        }
        OpKind::LinearAttention => Plain::boxed("linear_attention", linear_attention::run),
        OpKind::RotaryEmbedding => Plain::boxed("rotary_embedding", rotary::run),
        _ => return Ok(None),
    }))
}
