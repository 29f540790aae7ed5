//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).

/// Numbers indexed by position.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    key: [u32; 2],
    nth: u64,
}

fn halves(v: u64) -> [u32; 2] {
    [v as u32, (v >> 32) as u32]
}

/// Ten rounds on a counter.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        }
        let [lo0, hi0] = halves(u64::from(counter[0]) * 0xd251_1f53);
        let [lo1, hi1] = halves(u64::from(counter[2]) * 0xcd9e_8d57);
        counter = [hi1 ^ counter[1] ^ key[0], lo1, hi0 ^ counter[3] ^ key[1], lo0];
    }
    counter
}

impl Stream {
    /// The `nth` stream of a key.
    pub(super) fn new(key: u64, nth: u64) -> Stream {
        Stream { key: halves(key), nth }
    }

    /// Two independent numbers in [0, 1), of 53 bits.
    fn pair(&self, i: usize) -> [f64; 2] {
        let ([i0, i1], [n0, n1]) = (halves(i as u64), halves(self.nth));
        let [a, b, c, d] = philox([i0, i1, n0, n1], self.key);
        let unit = |lo: u32, hi: u32| {
            let bits = u64::from(hi) << 32 | u64::from(lo);
            (bits >> 11) as f64 / (1u64 << 53) as f64
        };
        [unit(a, b), unit(c, d)]
    }

    /// The `i`-th number, uniform in [0, 1).
    pub(super) fn uniform(&self, i: usize) -> f64 {
        self.pair(i)[0]
    }

    /// The `i`-th number of the standard normal distribution (Box and Muller 1958).
    pub(super) fn normal(&self, i: usize) -> f64 {
        let [u, v] = self.pair(i);
        (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // From the authors' known-answer tests.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let expected = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), expected);
    }
}
