//! What tests share.

pub(super) use crate::queued::Random;

/// A number below `n`.
pub(super) fn below(random: &mut Random, n: usize) -> usize {
    random.below(n as u64) as usize
}
