//! The activation that fusion attaches to a convolution or a product.

use crate::kernel::Compile;
use trident_ir::op;
use trident_ir::ops::Activated;
use trident_kernels::Activation;
use trident_runtime::Declined;

/// The numeric function of a fused op's activation.
pub(super) fn activation(cx: &Compile<'_>, op: Activated<'_>) -> Result<Activation, Declined> {
    let Some(found) = op::Activation::read(cx.op) else {
        return Err(cx.declined(format!("activation `{}` is unknown", op.activation())));
    };
    Ok(match found {
        op::Activation::None => Activation::None,
        op::Activation::Clip { low, high } => Activation::Clip { lo: low, hi: high },
        op::Activation::Elu { alpha } => Activation::Elu(alpha),
        op::Activation::Gelu => Activation::Gelu,
        op::Activation::GeluTanh => Activation::GeluTanh,
        op::Activation::HardSigmoid { alpha, beta } => Activation::HardSigmoid { alpha, beta },
        op::Activation::HardSwish => Activation::HardSwish,
        op::Activation::LeakyRelu { alpha } => Activation::LeakyRelu(alpha),
        op::Activation::Mish => Activation::Mish,
        op::Activation::Relu => Activation::Relu,
        op::Activation::Sigmoid => Activation::Sigmoid,
        op::Activation::Silu => Activation::Swish(1.0),
        op::Activation::Tanh => Activation::Tanh,
    })
}
