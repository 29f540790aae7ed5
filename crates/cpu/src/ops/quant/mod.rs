//! Quantised arithmetic.

mod conv;
mod dynamic;
mod linear;
mod matmul;
mod params;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for a quantised op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::ConvInteger | OpKind::QLinearConv => conv::kernel(cx),
        OpKind::DequantizeLinear => Plain::boxed("dequantize", linear::dequantize),
        OpKind::DynamicQuantizeLinear => Plain::boxed("dynamic_quantize", dynamic::run),
        OpKind::MatMulInteger | OpKind::QLinearMatMul => matmul::kernel(cx),
        OpKind::QuantizeLinear => Plain::boxed("quantize", linear::quantize),
        _ => return None,
    })
}
