//! The rewrites of functions that run on a Metal device.

use trident_passes::Step;
use trident_passes::fuse::{CHAINS, STAGES, WEIGHTS};

/// A launch, and a pass over memory, cost more than kernels of single ops save: chains of elementwise ops are one op each, and
/// products read weights as they are quantised.
pub(super) const REWRITES: &[Step] =
    &[Step::Repeat(STAGES), Step::Once(WEIGHTS), Step::Dequantize(STAGES), Step::Once(CHAINS)];
