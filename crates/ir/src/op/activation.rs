//! Activations that fused ops apply to their result.

use super::OpKind as K;
use crate::{Attr, Op, ValueId};

/// The activation of `fused_conv` and `fused_matmul`: an elementwise op of the table, with its parameters. It stands in the
/// op's attributes `activation`, `alpha` and `beta`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// Nothing.
    None,
    /// `clip` to bounds, which may be infinite.
    Clip {
        /// The least result.
        low: f32,
        /// The greatest result.
        high: f32,
    },
    /// `elu`.
    Elu {
        /// Its factor.
        alpha: f32,
    },
    /// `gelu`.
    Gelu,
    /// `gelu` by the tanh formula.
    GeluTanh,
    /// `hard_sigmoid`.
    HardSigmoid {
        /// The slope.
        alpha: f32,
        /// The value at 0.
        beta: f32,
    },
    /// `hard_swish`.
    HardSwish,
    /// `leaky_relu`.
    LeakyRelu {
        /// The slope below 0.
        alpha: f32,
    },
    /// `mish`.
    Mish,
    /// `relu`.
    Relu,
    /// `sigmoid`.
    Sigmoid,
    /// `swish` with alpha 1.
    Silu,
    /// `tanh`.
    Tanh,
}

impl Activation {
    /// The activation that an elementwise op is; `number` gives the value of an operand that is a constant scalar.
    pub fn of_op(op: &Op, number: impl Fn(ValueId) -> Option<f32>) -> Option<Activation> {
        let bound = |i: usize, default: f32| match op.input(i) {
            None => Some(default),
            // A bound that is NaN is none.
            Some(v) => number(v).map(|b| if b.is_nan() { default } else { b }),
        };
        let alpha = || op.float("alpha");
        Some(match op.kind {
            K::Clip => Activation::Clip {
                low: bound(1, f32::NEG_INFINITY)?,
                high: bound(2, f32::INFINITY)?,
            },
            K::Elu => Activation::Elu { alpha: alpha()? },
            K::Gelu if op.str("approximate") == Some("tanh") => Activation::GeluTanh,
            K::Gelu => Activation::Gelu,
            K::HardSigmoid => Activation::HardSigmoid { alpha: alpha()?, beta: op.float("beta")? },
            K::HardSwish => Activation::HardSwish,
            K::LeakyRelu => Activation::LeakyRelu { alpha: alpha()? },
            K::Mish => Activation::Mish,
            K::Relu => Activation::Relu,
            K::Sigmoid => Activation::Sigmoid,
            K::Swish if alpha() == Some(1.0) => Activation::Silu,
            K::Tanh => Activation::Tanh,
            _ => return None,
        })
    }

    /// The activation in an op's attributes, [`Activation::None`] of one that cannot have any; `None` if it is unknown.
    pub fn read(op: &Op) -> Option<Activation> {
        let Some(name) = op.str("activation") else { return Some(Activation::None) };
        let of = |attr| op.float(attr).unwrap_or_default();
        let (alpha, beta) = (of("alpha"), of("beta"));
        let all = [
            Activation::None,
            Activation::Clip { low: alpha, high: beta },
            Activation::Elu { alpha },
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::HardSigmoid { alpha, beta },
            Activation::HardSwish,
            Activation::LeakyRelu { alpha },
            Activation::Mish,
            Activation::Relu,
            Activation::Sigmoid,
            Activation::Silu,
            Activation::Tanh,
        ];
        all.into_iter().find(|a| a.parts().0 == name)
    }

    /// Sets the attributes of a fused op.
    pub fn write(self, op: &mut Op) {
        let (name, alpha, beta) = self.parts();
        op.attrs.set("activation", Attr::Str(name.to_owned()));
        for (attr, value) in [("alpha", alpha), ("beta", beta)] {
            if value != 0.0 {
                op.attrs.set(attr, Attr::Float(value));
            }
        }
    }

    /// The name and what `alpha` and `beta` are.
    fn parts(self) -> (&'static str, f32, f32) {
        match self {
            Activation::None => ("none", 0.0, 0.0),
            Activation::Clip { low, high } => ("clip", low, high),
            Activation::Elu { alpha } => ("elu", alpha, 0.0),
            Activation::Gelu => ("gelu", 0.0, 0.0),
            Activation::GeluTanh => ("gelu_tanh", 0.0, 0.0),
            Activation::HardSigmoid { alpha, beta } => ("hard_sigmoid", alpha, beta),
            Activation::HardSwish => ("hard_swish", 0.0, 0.0),
            Activation::LeakyRelu { alpha } => ("leaky_relu", alpha, 0.0),
            Activation::Mish => ("mish", 0.0, 0.0),
            Activation::Relu => ("relu", 0.0, 0.0),
            Activation::Sigmoid => ("sigmoid", 0.0, 0.0),
            Activation::Silu => ("silu", 0.0, 0.0),
            Activation::Tanh => ("tanh", 0.0, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
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
            let mut op = Op::new(K::FusedConv, vec![], vec![]);
            activation.write(&mut op);
            assert_eq!(Activation::read(&op), Some(activation));
        }
        let mut op = Op::new(K::FusedMatMul, vec![], vec![]);
        assert_eq!(Activation::read(&op), Some(Activation::None));
        op.attrs.set("activation", Attr::Str("sine".into()));
        assert_eq!(Activation::read(&op), None);
        let gemm = Op::new(K::Gemm, vec![], vec![]);
        assert_eq!(Activation::read(&gemm), Some(Activation::None));
    }

    #[test]
    fn ops_are_activations() {
        let of = |op: &Op| Activation::of_op(op, |v| Some([0.0, -1.0, f32::NAN][v.index()]));
        let clip = Op::new(K::Clip, [0, 1, 2].map(|v| Some(ValueId(v))).to_vec(), vec![]);
        let bounds = Activation::Clip { low: -1.0, high: f32::INFINITY };
        assert_eq!(of(&clip), Some(bounds));
        let mut swish = Op::new(K::Swish, vec![Some(ValueId(0))], vec![]);
        assert_eq!(of(&swish), Some(Activation::Silu));
        swish.attrs.set("alpha", Attr::Float(2.0));
        assert_eq!(of(&swish), None);
    }
}
