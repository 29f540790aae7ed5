//! The activation that fusion attaches to a convolution or a product.

use crate::Activation;
use trident_ir::Op;
use trident_runtime::Declined;

/// Attribute `activation` with its parameters `alpha` and `beta`.
pub(super) fn activation(op: &Op) -> Result<Activation, Declined> {
    let (alpha, beta) = (op.float("alpha").unwrap_or(0.0), op.float("beta").unwrap_or(0.0));
    Ok(match op.str("activation").unwrap_or("none") {
        "none" => Activation::None,
        "relu" => Activation::Relu,
        "clip" => Activation::Clip { lo: alpha, hi: beta },
        "leaky_relu" => Activation::LeakyRelu(alpha),
        "hard_swish" => Activation::HardSwish,
        "hard_sigmoid" => Activation::HardSigmoid { alpha, beta },
        "sigmoid" => Activation::Sigmoid,
        "tanh" => Activation::Tanh,
        "silu" => Activation::Swish(1.0),
        "gelu" => Activation::Gelu,
        "gelu_tanh" => Activation::GeluTanh,
        "elu" => Activation::Elu(alpha),
        "mish" => Activation::Mish,
        other => {
            let reason = format!("activation `{other}` is unknown");
            return Err(Declined { op: op.describe(), reason });
        }
    })
}
