//! Code that tests share.

use super::{HostMemory, MemoryProvider, PAGE};
pub(super) use crate::queued::Random;

/// Whether the host's memory goes back in parts, or only in whole regions.
pub(super) fn parts_go_back() -> bool {
    HostMemory.pages(PAGE).is_some_and(|pages| pages.can_discard())
}

/// A number below `n`.
pub(super) fn below(random: &mut Random, n: usize) -> usize {
    random.below(n as u64) as usize
}
