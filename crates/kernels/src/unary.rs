//! Activations: the elementwise functions that products, convolutions and row kernels can end with.

use trident_simd::{Arithmetic, Arithmetic32, InOut, Isa, Simd, kernel, map, math};

/// A function of one value. NaN gives NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum UnaryFunction {
    /// The value itself.
    #[default]
    None,
    /// `max(0, x)`.
    Relu,
    /// `min(hi, max(lo, x))`.
    Clip {
        /// The least result.
        lo: f32,
        /// The greatest result.
        hi: f32,
    },
    /// `x`, or `alpha * x` for negative `x`.
    LeakyRelu(f32),
    /// `max(0, min(1, alpha * x + beta))`.
    HardSigmoid {
        /// The slope.
        alpha: f32,
        /// The value at 0.
        beta: f32,
    },
    /// `x * HardSigmoid(1/6, 1/2)(x)`.
    HardSwish,
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// `x * sigmoid(alpha * x)`; SiLU is `alpha = 1`.
    Swish(f32),
    /// `x/2 * (1 + erf(x/√2))`.
    Gelu,
    /// `x/2 * (1 + tanh(√(2/π) * (x + 0.044715 x³)))`.
    GeluTanh,
    /// `x`, or `alpha * (exp(x) - 1)` for negative `x`.
    Elu(f32),
    /// `ln(1 + exp(x))`.
    Softplus,
    /// `x * tanh(softplus(x))`.
    Mish,
    /// The error function.
    Erf,
    /// The exponential function.
    Exp,
}

impl UnaryFunction {
    /// The limits, if limiting is all that it does.
    pub(crate) fn limits(self) -> Option<(f32, f32)> {
        match self {
            UnaryFunction::Relu => Some((0.0, f32::INFINITY)),
            UnaryFunction::Clip { lo, hi } => Some((lo, hi)),
            _ => None,
        }
    }

    /// Applies it to each value in place.
    pub fn apply(self, isa: Isa, values: &mut [f32]) {
        if self != UnaryFunction::None {
            apply(isa, InOut::in_place(values), self);
        }
    }

    /// Applies it to each value of `x`, into `y` of the same length.
    pub fn apply_to(self, isa: Isa, x: &[f32], y: &mut [f32]) {
        if self == UnaryFunction::None {
            y.copy_from_slice(x);
        } else {
            apply(isa, InOut::new(x, y), self);
        }
    }

    /// The function in `f64`.
    #[inline]
    pub fn eval(self, x: f64) -> f64 {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let softplus = |x: f64| if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() };
        // `f64::max` would lose a NaN.
        let clip = |x: f64, lo: f64, hi: f64| {
            if x < lo {
                lo
            } else if x > hi {
                hi
            } else {
                x
            }
        };
        match self {
            UnaryFunction::None => x,
            UnaryFunction::Relu => clip(x, 0.0, f64::INFINITY),
            UnaryFunction::Clip { lo, hi } => {
                let x = if x < lo.into() { lo.into() } else { x };
                if x > hi.into() { hi.into() } else { x }
            }
            UnaryFunction::LeakyRelu(a) => {
                if x < 0.0 {
                    f64::from(a) * x
                } else {
                    x
                }
            }
            UnaryFunction::HardSigmoid { alpha, beta } => {
                clip(f64::from(alpha) * x + f64::from(beta), 0.0, 1.0)
            }
            UnaryFunction::HardSwish => x * clip(x / 6.0 + 0.5, 0.0, 1.0),
            UnaryFunction::Sigmoid => sigmoid(x),
            UnaryFunction::Tanh => x.tanh(),
            UnaryFunction::Swish(a) => x * sigmoid(f64::from(a) * x),
            UnaryFunction::Gelu => 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
            UnaryFunction::GeluTanh => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
                // (1 + tanh(u))/2 is sigmoid(2u), which does not cancel below 0.
                x * sigmoid(2.0 * inner)
            }
            UnaryFunction::Elu(a) => {
                if x < 0.0 {
                    f64::from(a) * x.exp_m1()
                } else {
                    x
                }
            }
            UnaryFunction::Softplus => softplus(x),
            UnaryFunction::Mish => x * softplus(x).tanh(),
            UnaryFunction::Erf => libm::erf(x),
            UnaryFunction::Exp => x.exp(),
        }
    }
}

kernel! {
    fn apply(values: InOut<'_, f32>, activation: UnaryFunction) => apply_lanes
}

#[inline(always)]
fn apply_lanes<S: Simd>(s: S, values: InOut<'_, f32>, activation: UnaryFunction) {
    let zero = s.splat(0.0);
    let one = s.splat(1.0);
    match activation {
        UnaryFunction::None => map!(s, S::F32, values, |x| x),
        UnaryFunction::Relu => map!(s, S::F32, values, |x| zero.max(x)),
        UnaryFunction::Clip { lo, hi } => {
            let (lo, hi) = (s.splat(lo), s.splat(hi));
            map!(s, S::F32, values, |x| hi.min(lo.max(x)))
        }
        UnaryFunction::LeakyRelu(alpha) => {
            let alpha = s.splat(alpha);
            map!(s, S::F32, values, |x| x.select_lt(zero, x.mul(alpha), x))
        }
        UnaryFunction::HardSigmoid { alpha, beta } => {
            let (alpha, beta) = (s.splat(alpha), s.splat(beta));
            map!(s, S::F32, values, |x| one.min(zero.max(x.mul_add(alpha, beta))))
        }
        UnaryFunction::HardSwish => {
            let (alpha, beta) = (s.splat(1.0 / 6.0), s.splat(0.5));
            map!(s, S::F32, values, |x| x.mul(one.min(zero.max(x.mul_add(alpha, beta)))))
        }
        UnaryFunction::Sigmoid => map!(s, S::F32, values, |x| math::sigmoid(x)),
        UnaryFunction::Tanh => map!(s, S::F32, values, |x| math::tanh(x)),
        UnaryFunction::Swish(alpha) => {
            let alpha = s.splat(alpha);
            map!(s, S::F32, values, |x| x.mul(math::sigmoid(x.mul(alpha))))
        }
        UnaryFunction::Gelu => map!(s, S::F32, values, |x| math::gelu(x)),
        UnaryFunction::GeluTanh => map!(s, S::F32, values, |x| math::gelu_tanh(x)),
        UnaryFunction::Elu(alpha) => {
            let alpha = s.splat(alpha);
            map!(s, S::F32, values, |x| x.select_lt(zero, alpha.mul(math::exp_m1(x)), x))
        }
        UnaryFunction::Softplus => map!(s, S::F32, values, |x| math::softplus(x)),
        UnaryFunction::Mish => map!(s, S::F32, values, |x| x.mul(math::tanh(math::softplus(x)))),
        UnaryFunction::Erf => map!(s, S::F32, values, |x| math::erf(x)),
        UnaryFunction::Exp => map!(s, S::F32, values, |x| math::exp(x)),
    }
}
