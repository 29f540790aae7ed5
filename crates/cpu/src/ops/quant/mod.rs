//! Quantised arithmetic.

mod conv;
mod dynamic;
mod linear;
mod matmul;
mod params;

use crate::kernel::{Entry, entry};
use trident_ir::ops::{
    BlockedQLinearConv, ConvInteger, DequantizeLinear, DynamicQuantizeLinear, MatMulInteger,
    QLinearConv, QLinearMatMul, QuantizeLinear,
};

pub(super) const KERNELS: &[Entry] = &[
    entry(BlockedQLinearConv::KIND, conv::blocked_qlinear_conv),
    entry(ConvInteger::KIND, conv::conv_integer),
    entry(DequantizeLinear::KIND, linear::dequantize),
    entry(DynamicQuantizeLinear::KIND, dynamic::dynamic_quantize),
    entry(MatMulInteger::KIND, matmul::matmul_integer),
    entry(QLinearConv::KIND, conv::qlinear_conv),
    entry(QLinearMatMul::KIND, matmul::qlinear_matmul),
    entry(QuantizeLinear::KIND, linear::quantize),
];
