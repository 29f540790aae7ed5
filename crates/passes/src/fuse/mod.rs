//! Several ops made one that a device runs faster.
//!
//! A fusion is legal for all values, infinities and NaN included, up to rounding.

mod attention;
mod chains;
mod conv_weights;
mod epilogue;
mod gates;
mod gelu;
mod matching;
mod matmul;
mod norms;
mod pad;
mod quant;
mod weights;

use crate::rewrite::{Named, PassReport, run};
use trident_ir::Func;

/// Rules in the order of their stages: what one stage makes, the next may take further.
const STAGES: &[&[Named<'static>]] = &[
    &[("fold-norm-scale", &conv_weights::norm_scale)],
    &[
        ("quantized-ops", &quant::compute),
        ("quantized-moves", &quant::moves),
        ("fold-batch-norm", &conv_weights::batch_norm),
        ("fold-channel-scale", &conv_weights::scale),
        ("fold-pad", &pad::pad),
        ("gelu", &gelu::gelu),
        ("hard-swish", &gates::hard_swish),
        ("gated-activation", &gates::gate),
        ("normalization", &norms::norm),
        ("normalization-scale", &norms::scale),
        ("normalization-shift", &norms::shift),
        ("attention", &attention::attention),
        ("attention-heads", &attention::heads),
    ],
    &[
        ("gemm-to-matmul", &matmul::gemm),
        ("matmul-transpose", &matmul::transposed),
        ("matmul-operand-scale", &epilogue::operand_scale),
        ("matmul-scale", &epilogue::scale),
        ("matmul-bias", &epilogue::bias),
        ("residual", &epilogue::residual),
        ("activation", &epilogue::activation),
    ],
    &[("skip-layer-norm", &norms::skip)],
];

/// What [`chains`] applies.
const CHAINS: &[Named<'static>] = &[("elementwise-chains", &chains::chain)];

/// What [`weights`] applies.
const WEIGHTS: &[Named<'static>] = &[("quantized-weights", &weights::weights)];

/// Applies all rules once, stage by stage.
pub(crate) fn run_rules(func: &mut Func, enabled: &dyn Fn(&str) -> bool) -> Vec<PassReport> {
    STAGES.iter().flat_map(|stage| run_stage(func, stage, enabled)).collect()
}

fn run_stage(
    func: &mut Func,
    stage: &[Named<'static>],
    enabled: &dyn Fn(&str) -> bool,
) -> Vec<PassReport> {
    let rules: Vec<Named<'_>> = stage.iter().filter(|(n, _)| enabled(n)).copied().collect();
    run(func, &rules)
}

/// Makes chains of elementwise ops one op each. Nothing else matches what is in them then.
pub(crate) fn chains(func: &mut Func, enabled: &dyn Fn(&str) -> bool) -> Vec<PassReport> {
    run_stage(func, CHAINS, enabled)
}

/// Leaves the weights of products quantised. Fusions of products come before it, and constants are folded after it.
pub(crate) fn weights(func: &mut Func, enabled: &dyn Fn(&str) -> bool) -> Vec<PassReport> {
    run_stage(func, WEIGHTS, enabled)
}

/// The names of the rules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    STAGES.iter().copied().chain([CHAINS, WEIGHTS]).flatten().map(|(name, _)| *name)
}
