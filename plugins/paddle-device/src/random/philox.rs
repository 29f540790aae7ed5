//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).

/// The random numbers of a key, by their positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    key: [u32; 2],
}

fn halves(wide: u64) -> [u32; 2] {
    [wide as u32, (wide >> 32) as u32]
}

/// Ten rounds on a counter.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        }
        let [low, high] = halves(u64::from(counter[0]) * 0xd251_1f53);
        let [other_low, other_high] = halves(u64::from(counter[2]) * 0xcd9e_8d57);
        let [_, b, _, d] = counter;
        counter = [other_high ^ b ^ key[0], other_low, high ^ d ^ key[1], low];
    }
    counter
}

/// A number in [0, 1) of the `bits` highest bits.
fn unit(word: u64, bits: u32) -> f64 {
    (word >> (64 - bits)) as f64 / (1u64 << bits) as f64
}

impl Stream {
    /// The stream of a key.
    pub(crate) fn new(key: u64) -> Stream {
        Stream { key: halves(key) }
    }

    /// Two words: those of the positions `2 * at` and `2 * at + 1` of a round.
    fn pair(&self, at: u64, round: u64) -> [u64; 2] {
        let ([a, b], [c, d]) = (halves(at), halves(round));
        let [a, b, c, d] = philox([a, b, c, d], self.key);
        [u64::from(b) << 32 | u64::from(a), u64::from(d) << 32 | u64::from(c)]
    }

    /// The word at a position.
    pub(crate) fn word(&self, at: usize) -> u64 {
        self.pair(at as u64 / 2, 0)[at % 2]
    }

    /// A number, uniform in [0, 1), of so many bits (1 to 53).
    pub(crate) fn uniform(&self, at: usize, bits: u32) -> f64 {
        unit(self.word(at), bits)
    }

    /// A whole number below `count`, which is not 0.
    pub(crate) fn below(&self, at: usize, count: u64) -> u64 {
        ((u128::from(self.word(at)) * u128::from(count)) >> 64) as u64
    }

    /// A number of the standard normal distribution (Box and Muller 1958). Two positions share a pair of words.
    pub(crate) fn normal(&self, at: usize) -> f64 {
        let [u, v] = self.pair(at as u64 / 2, 0).map(|word| unit(word, 53));
        let (radius, angle) = ((-2.0 * (1.0 - u).ln()).sqrt(), std::f64::consts::TAU * v);
        radius * if at.is_multiple_of(2) { angle.cos() } else { angle.sin() }
    }

    /// Two numbers, uniform in [0, 1): those of a position in a round of its own. Rounds begin at 1.
    pub(crate) fn trial(&self, at: usize, round: u64) -> [f64; 2] {
        self.pair(at as u64, round).map(|word| unit(word, 53))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_authors() {
        // From the authors' known-answer tests.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let expected = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), expected);
    }

    #[test]
    fn numbers_depend_on_key_and_position() {
        let stream = Stream::new(5);
        let words: Vec<u64> = (0..100).map(|at| stream.word(at)).collect();
        let distinct: std::collections::BTreeSet<&u64> = words.iter().collect();
        assert_eq!((distinct.len(), Stream::new(5).word(99)), (100, words[99]));
        assert_ne!(Stream::new(6).word(0), words[0]);
        assert_ne!(stream.trial(0, 1), stream.trial(0, 2));
        assert!((0..100).all(|at| stream.below(at, 7) < 7 && stream.uniform(at, 8) < 1.0));
    }
}
