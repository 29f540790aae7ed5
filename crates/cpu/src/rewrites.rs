//! The rewrites of functions that run on the CPU.

use crate::layouts::BLOCKS;
use trident_passes::RewriteStep;
use trident_passes::fuse::STAGES;

/// Elementwise ops stay as they are: a pass over memory in cache costs less than a compiled chain saves. Products of float tensors
/// with quantised weights run on dequantised ones, which are packed once. Convolutions are brought into blocks last, when they are known.
pub(crate) const REWRITES: &[RewriteStep] =
    &[RewriteStep::Repeat(STAGES), RewriteStep::Dequantize(STAGES), RewriteStep::Layout(&BLOCKS)];
