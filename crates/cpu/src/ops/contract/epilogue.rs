//! The activation that fusion attaches to a convolution or a product.

use trident_ir::op::Activation;
use trident_ir::ops::Activated;
use trident_kernels::UnaryFunction;

/// The numeric function of a fused op's activation.
pub(super) fn activation(op: Activated<'_>) -> UnaryFunction {
    match Activation::of(op) {
        Activation::None => UnaryFunction::None,
        Activation::Clip { low, high } => UnaryFunction::Clip { lo: low, hi: high },
        Activation::Elu { alpha } => UnaryFunction::Elu(alpha),
        Activation::Gelu => UnaryFunction::Gelu,
        Activation::GeluTanh => UnaryFunction::GeluTanh,
        Activation::HardSigmoid { alpha, beta } => UnaryFunction::HardSigmoid { alpha, beta },
        Activation::HardSwish => UnaryFunction::HardSwish,
        Activation::LeakyRelu { alpha } => UnaryFunction::LeakyRelu(alpha),
        Activation::Mish => UnaryFunction::Mish,
        Activation::Relu => UnaryFunction::Relu,
        Activation::Sigmoid => UnaryFunction::Sigmoid,
        Activation::Silu => UnaryFunction::Swish(1.0),
        Activation::Tanh => UnaryFunction::Tanh,
    }
}
