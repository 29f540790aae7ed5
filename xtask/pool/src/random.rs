//! Pseudo-random numbers from SplitMix64.

pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    /// From 1 to `most`, which is a power of two; each power as likely as any other.
    pub(crate) fn size(&mut self, most: usize) -> usize {
        let power = 1 << self.below(most.ilog2() as usize + 1);
        (power / 2 + self.below(power) + 1).min(most)
    }
}
