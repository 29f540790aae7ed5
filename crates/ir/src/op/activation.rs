//! Activations that fused ops apply to their result.

use super::words::FusedActivation;
use crate::Op;
use crate::ops::{self, Activated};

/// Declares each activation once: its fields, and the attributes of fused ops that hold them.
macro_rules! activations {
    ($( $(#[doc = $doc:literal])+ $name:ident
        $({ $( $(#[doc = $of:literal])+ $field:ident = $attr:ident, )+ })? ; )*) => {
        /// The function at the end of a fused op: an elementwise op of the table, with its parameters. It stands in the op's
        /// attributes `activation`, `alpha` and `beta`.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Activation {
            $( $(#[doc = $doc])+ $name $({ $( $(#[doc = $of])+ $field: f32, )+ })?, )*
        }

        impl Activation {
            /// The activation in the attributes of a fused op.
            pub fn of(op: Activated<'_>) -> Activation {
                match op.activation() {
                    $( FusedActivation::$name => {
                        Activation::$name $({ $( $field: op.$attr(), )+ })?
                    } )*
                }
            }

            fn name(self) -> FusedActivation {
                match self {
                    $( Activation::$name $({ $( $field: _, )+ })? => FusedActivation::$name, )*
                }
            }

            fn parameters(self) -> Parameters {
                let none = Parameters { alpha: 0.0, beta: 0.0 };
                match self {
                    $( Activation::$name $({ $( $field, )+ })? => {
                        #[allow(clippy::needless_update, reason = "some activations have all")]
                        Parameters { $($( $attr: $field, )+)? ..none }
                    } )*
                }
            }
        }
    };
}

/// The attributes that hold an activation's parameters.
struct Parameters {
    alpha: f32,
    beta: f32,
}

activations! {
    /// Nothing.
    None;
    /// `clip` to bounds, which may be infinite.
    Clip {
        /// The least result.
        low = alpha,
        /// The greatest result.
        high = beta,
    };
    /// `elu`.
    Elu {
        /// Its factor.
        alpha = alpha,
    };
    /// `gelu`.
    Gelu;
    /// `gelu` by the tanh formula.
    GeluTanh;
    /// `hard_sigmoid`.
    HardSigmoid {
        /// The slope.
        alpha = alpha,
        /// The value at 0.
        beta = beta,
    };
    /// `hard_swish`.
    HardSwish;
    /// `leaky_relu`.
    LeakyRelu {
        /// The slope below 0.
        alpha = alpha,
    };
    /// `mish`.
    Mish;
    /// `relu`.
    Relu;
    /// `sigmoid`.
    Sigmoid;
    /// `swish` with alpha 1.
    Silu;
    /// `tanh`.
    Tanh;
}

impl Activation {
    /// Sets the attributes of a fused op. Attributes that are 0 may stay absent.
    pub fn write(self, op: &mut Op) {
        let Parameters { alpha, beta } = self.parameters();
        macro_rules! write {
            ($($op:ident)*) => { $(
                if let Some(mut set) = ops::$op::edit(op) {
                    set = set.activation(self.name());
                    if alpha != 0.0 {
                        set = set.alpha(alpha);
                    }
                    if beta != 0.0 {
                        set.beta(beta);
                    }
                    return;
                }
            )* };
        }
        write!(FusedConv FusedMatMul MatMulNBits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValueId;

    #[test]
    fn every_activation_that_is_written_is_read() {
        for activation in [
            Activation::None,
            Activation::Clip { low: -1.0, high: f32::INFINITY },
            Activation::Elu { alpha: 0.5 },
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::HardSigmoid { alpha: 0.25, beta: 0.5 },
            Activation::HardSwish,
            Activation::LeakyRelu { alpha: 0.5 },
            Activation::Mish,
            Activation::Relu,
            Activation::Sigmoid,
            Activation::Silu,
            Activation::Tanh,
        ] {
            let [a, b, y] = [0, 1, 2].map(ValueId);
            let products = [
                ops::FusedConv::new(a, b, None, None).into_op(),
                ops::FusedMatMul::new(a, b, None, None).into_op(),
                ops::MatMulNBits::new(a, b, None, None, b, None).k(2).n(2).block_size(2).into_op(),
            ];
            for mut op in products {
                op.outputs = vec![Some(y)];
                activation.write(&mut op);
                assert_eq!(Activated::of(&op).map(Activation::of), Some(activation));
            }
        }
    }

    #[test]
    fn ops_without_an_activation_stay_as_they_are() {
        let mut gemm = ops::Gemm::new(ValueId(0), ValueId(1), None).into_op();
        let before = gemm.clone();
        Activation::Relu.write(&mut gemm);
        assert_eq!(gemm, before);
        assert!(Activated::of(&gemm).is_none());
    }

    #[test]
    fn ops_are_activations() {
        let of = |op: &Op| Activation::of_op(op, |v| Some([0.0, -1.0, f32::NAN][v.index()]));
        let with_result = |mut op: Op| {
            op.outputs = vec![Some(ValueId(3))];
            op
        };
        let [x, low, high] = [0, 1, 2].map(ValueId);
        let clip = with_result(ops::Clip::new(x, Some(low), Some(high)).into_op());
        let bounds = Activation::Clip { low: -1.0, high: f32::INFINITY };
        assert_eq!(of(&clip), Some(bounds));
        let mut swish = with_result(ops::Swish::new(x).into_op());
        assert_eq!(of(&swish), Some(Activation::Silu));
        swish.attrs.put(ops::Swish::AT.alpha, 2.0);
        assert_eq!(of(&swish), None);
    }
}
