//! Several ops made one that a device runs faster.
//!
//! A fusion is legal for all values, infinities and NaN included, up to rounding.

mod chains;
mod packed;
mod products;
mod quant;
mod skip_norm;
mod transpose;

use crate::rewrite::Named;

/// Arithmetic on quantised tensors.
pub(crate) const QUANTIZED: &[Named<'static>] =
    &[("quantized-ops", &quant::compute), ("quantized-moves", &quant::moves)];

/// What products and convolutions do with their operands and results.
pub(crate) const PRODUCTS: &[Named<'static>] = &[
    ("matmul-transpose", &transpose::transposed),
    ("matmul-operand-scale", &products::operand_scale),
    ("matmul-scale", &products::scale),
    ("matmul-bias", &products::bias),
    ("residual", &products::residual),
    ("activation", &products::activation),
];

/// What normalisations do with their operands, where no product takes it.
pub(crate) const NORMS: &[Named<'static>] = &[("skip-layer-norm", &skip_norm::skip)];

/// Chains of elementwise ops as one op each. Nothing else matches what is in them then.
pub(crate) const CHAINS: &[Named<'static>] = &[("elementwise-chains", &chains::chain)];

/// Weights of products that stay quantised. Fusions of products come before it, and constants are folded after it.
pub(crate) const WEIGHTS: &[Named<'static>] = &[("quantized-weights", &packed::weights)];
