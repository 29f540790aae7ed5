//! The layouts of 8-bit convolutions' images and results.

use super::depthwise::EXACT_TAPS;
use crate::conv::ConvSpec;

/// Which sides of a convolution are channel-blocked: `batch × channels / 4 × extents × 4` instead of
/// `batch × channels × extents`, as [`BlockedChannels`](crate::blocked::BlockedChannels) packs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConvLayout8 {
    /// Whether the images are blocked.
    pub blocked_image: bool,
    /// Whether the results are blocked.
    pub blocked_result: bool,
}

impl ConvLayout8 {
    /// The channels of a block.
    pub const BLOCK: usize = 4;
    /// Both sides dense.
    pub const DENSE: Self = Self { blocked_image: false, blocked_result: false };

    /// Whether a convolution can have this layout: the channels of a group on each blocked side are a multiple of four, or groups
    /// have one channel on both sides and there is a multiple of four of them.
    pub fn fits(self, spec: &ConvSpec) -> bool {
        let fours = |channels: usize| channels.is_multiple_of(Self::BLOCK);
        let depthwise = is_direct(spec) && spec.out_channels == spec.groups && fours(spec.groups);
        let group = |channels: usize| fours(channels / spec.groups);
        spec.is_valid()
            && (depthwise
                || (!self.blocked_image || group(spec.in_channels))
                    && (!self.blocked_result || group(spec.out_channels)))
    }
}

/// Whether a convolution has a direct kernel: its groups have one input channel, and its sums stay exact.
pub(super) fn is_direct(spec: &ConvSpec) -> bool {
    spec.in_channels == spec.groups && spec.groups > 1 && spec.taps() <= EXACT_TAPS
}
