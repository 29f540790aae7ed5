//! The activation that fusion attaches to a convolution or a product.

use trident_ir::{Op, op};
use trident_kernels::Activation;
use trident_runtime::Declined;

/// The kernel of a fused op's activation.
pub(super) fn activation(op: &Op) -> Result<Activation, Declined> {
    let Some(found) = op::Activation::read(op) else {
        let name = op.str("activation").unwrap_or_default();
        return Err(Declined {
            op: op.describe(),
            reason: format!("activation `{name}` is unknown"),
        });
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
