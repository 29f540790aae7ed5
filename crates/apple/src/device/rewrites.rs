//! The rewrites of functions that run on a Metal device.

use trident_passes::RewriteStep;
use trident_passes::fuse::{CHAINS, STAGES, WEIGHTS};

/// A launch, and a pass over memory, cost more than kernels of single ops save: chains of elementwise ops are one op each, and
/// products read weights as they are quantised.
pub(super) const REWRITES: &[RewriteStep] = &[
    RewriteStep::Repeat(STAGES),
    RewriteStep::Once(WEIGHTS),
    RewriteStep::Dequantize(STAGES),
    RewriteStep::Once(CHAINS),
];
