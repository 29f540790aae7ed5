//! UnaryFunction functions by name.

use super::cell::Cell;
use crate::real::Real;
use trident_kernels::UnaryFunction;
use trident_runtime::KernelError;

/// An activation of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    Common(UnaryFunction),
    Affine { alpha: f32, beta: f32 },
    Thresholded { alpha: f32 },
    ScaledTanh { alpha: f32, beta: f32 },
    Softsign,
}

impl Function {
    pub(super) fn apply<R: Real>(self, values: &mut [R]) {
        let real = |v: f32| R::of(v.into());
        let each =
            |values: &mut [R], f: &dyn Fn(R) -> R| values.iter_mut().for_each(|v| *v = f(*v));
        match self {
            Function::Common(activation) => R::apply(activation, values),
            Function::Affine { alpha, beta } => each(values, &|v| real(alpha) * v + real(beta)),
            Function::Thresholded { alpha } => {
                each(values, &|v| if v >= real(alpha) { v } else { R::zero() });
            }
            Function::ScaledTanh { alpha, beta } => {
                each(values, &|v| v * real(beta));
                R::apply(UnaryFunction::Tanh, values);
                each(values, &|v| v * real(alpha));
            }
            Function::Softsign => each(values, &|v| v / (R::one() + v.abs())),
        }
    }
}

/// The functions as attributes name them, with parameters in the order of the functions that have some.
pub(super) struct Named<'a> {
    names: &'a [String],
    alphas: &'a [f32],
    betas: &'a [f32],
}

impl<'a> Named<'a> {
    pub(super) fn of(
        names: Option<&'a [String]>,
        alphas: Option<&'a [f32]>,
        betas: Option<&'a [f32]>,
    ) -> Named<'a> {
        let (alphas, betas) = (alphas.unwrap_or_default(), betas.unwrap_or_default());
        Named { names: names.unwrap_or_default(), alphas, betas }
    }
}

/// The functions of all directions.
pub(super) struct Functions {
    per_direction: usize,
    all: Vec<Function>,
}

impl Functions {
    /// The named functions, or the cell's own if there are no names.
    pub(super) fn new(
        named: Named<'_>,
        cell: Cell,
        directions: usize,
    ) -> Result<Functions, KernelError> {
        let defaults = cell.default_functions();
        let names: Vec<&str> = match named.names {
            [] => defaults.repeat(directions),
            names => names.iter().map(String::as_str).collect(),
        };
        if names.len() != defaults.len() * directions {
            let n = names.len();
            return Err(KernelError::attr(
                "activations",
                format!("{n} functions for {directions} directions"),
            ));
        }
        let (mut alphas, mut betas) = (named.alphas.iter().copied(), named.betas.iter().copied());
        let function = |name: &str| {
            let mut alpha = |default: f32| alphas.next().unwrap_or(default);
            let mut beta = |default: f32| betas.next().unwrap_or(default);
            Ok(match name.to_ascii_lowercase().as_str() {
                "relu" => Function::Common(UnaryFunction::Relu),
                "tanh" => Function::Common(UnaryFunction::Tanh),
                "sigmoid" => Function::Common(UnaryFunction::Sigmoid),
                "softplus" => Function::Common(UnaryFunction::Softplus),
                "leakyrelu" => Function::Common(UnaryFunction::LeakyRelu(alpha(0.01))),
                "elu" => Function::Common(UnaryFunction::Elu(alpha(1.0))),
                "hardsigmoid" => {
                    let (alpha, beta) = (alpha(0.2), beta(0.5));
                    Function::Common(UnaryFunction::HardSigmoid { alpha, beta })
                }
                "affine" => Function::Affine { alpha: alpha(1.0), beta: beta(0.0) },
                "thresholdedrelu" => Function::Thresholded { alpha: alpha(1.0) },
                "scaledtanh" => Function::ScaledTanh { alpha: alpha(1.0), beta: beta(1.0) },
                "softsign" => Function::Softsign,
                other => return Err(KernelError::attr("activations", format!("unknown: {other}"))),
            })
        };
        let all = names.into_iter().map(function).collect::<Result<_, _>>()?;
        Ok(Functions { per_direction: defaults.len(), all })
    }

    pub(super) fn of(&self, direction: usize) -> &[Function] {
        &self.all[direction * self.per_direction..][..self.per_direction]
    }
}
