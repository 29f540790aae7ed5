//! Contractions: convolutions, matrix products, attention and its relatives.

mod attention;
mod causal_conv;
pub(super) mod conv;
mod conv_transpose;
mod deform_conv;
mod det;
mod einsum;
mod epilogue;
pub(super) mod extents;
mod integers;
mod linear_attention;
mod matmul;
mod packed;
mod rotary;

use crate::kernel::{Entry, entry};
use trident_ir::ops::{
    Attention, CausalConvWithState, Conv, ConvTranspose, DeformConv, Det, Einsum, FusedConv,
    FusedMatMul, Gemm, LinearAttention, MatMul, MatMulNBits, RotaryEmbedding,
};

pub(super) const KERNELS: &[Entry] = &[
    entry(Attention::KIND, attention::attention),
    entry(CausalConvWithState::KIND, causal_conv::causal_conv),
    entry(Conv::KIND, conv::conv),
    entry(ConvTranspose::KIND, conv_transpose::conv_transpose),
    entry(DeformConv::KIND, deform_conv::deform_conv),
    entry(Det::KIND, det::det),
    entry(Einsum::KIND, einsum::einsum),
    entry(FusedConv::KIND, conv::fused),
    entry(FusedMatMul::KIND, matmul::fused_matmul),
    entry(Gemm::KIND, matmul::gemm_kernel),
    entry(LinearAttention::KIND, linear_attention::linear_attention),
    entry(MatMul::KIND, matmul::matmul),
    entry(MatMulNBits::KIND, matmul::matmul_n_bits),
    entry(RotaryEmbedding::KIND, rotary::rotary_embedding),
];
