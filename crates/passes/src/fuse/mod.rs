//! Several ops made one that some devices run faster. Devices list the rules that they want.
//!
//! A fusion is legal for all values, infinities and NaN included, up to rounding.

mod chains;
mod packed;
mod products;
mod quant;
mod skip_norm;
mod transpose;

use crate::pipeline::{RewriteStep, Rules, Stages};

/// Arithmetic on quantised tensors.
pub const QUANTIZED: Rules =
    Rules(&[("quantized-ops", &quant::compute), ("quantized-moves", &quant::moves)]);

/// Rules for the operands and results of products and convolutions.
pub const PRODUCTS: Rules = Rules(&[
    ("matmul-transpose", &transpose::transposed),
    ("matmul-operand-scale", &products::operand_scale),
    ("matmul-scale", &products::scale),
    ("matmul-bias", &products::bias),
    ("residual", &products::residual),
    ("activation", &products::activation),
]);

/// Rules for the operands of normalisations, where no product takes them.
pub const NORMS: Rules = Rules(&[("skip-layer-norm", &skip_norm::skip)]);

/// Chains of elementwise ops as one op each. Other rules do not match ops in a chain.
pub const CHAINS: Rules = Rules(&[("elementwise-chains", &chains::chain)]);

/// Weights of products that stay quantised. Fusions of products come before it, and constants are folded after it.
pub const WEIGHTS: Rules = Rules(&[("quantized-weights", &packed::weights)]);

/// The stages of fusions that most devices take.
pub const STAGES: Stages = &[&[QUANTIZED], &[PRODUCTS], &[NORMS]];

/// Every fusion, in the order that their dependencies ask for.
pub const ALL: &[RewriteStep] = &[
    RewriteStep::Repeat(STAGES),
    RewriteStep::Once(WEIGHTS),
    RewriteStep::Dequantize(STAGES),
    RewriteStep::Once(CHAINS),
];
