//! Reproducible random inputs.

use crate::scalar::{self, Scalar};
use trident_ir::DType;
use trident_runtime::Tensor;

/// SplitMix64 (Steele, Lea, Flood 2014): small, seedable, good enough for test data.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Floats are uniform in [0, 1), or powers of two where there are no others. Integers are 0 or 1: they are often indices, for which these are always safe.
    pub(crate) fn tensor(&mut self, dtype: DType, dims: &[usize]) -> Result<Tensor, String> {
        let len = trident_ir::literal::checked_len(dims).filter(|n| *n <= 1 << 32);
        let len = len.ok_or_else(|| format!("a tensor of shape {dims:?} is too large"))?;
        if dtype == DType::F32 {
            let values: Vec<f32> = (0..len).map(|_| self.unit()).collect();
            let made = Tensor::from_slice(&trident_runtime::Pool::new(), dims, &values);
            return made.map_err(|e| e.to_string());
        }
        let values: Vec<Scalar> = (0..len)
            .map(|_| match dtype {
                DType::Str => Scalar::Text(format!("word{}", self.next() % 100)),
                DType::F8E8M0FNU => Scalar::Single(1.0 / (1u64 << (self.next() % 8)) as f32),
                _ if dtype.is_float() => Scalar::Single(self.unit()),
                _ => Scalar::Int((self.next() & 1).into()),
            })
            .collect();
        scalar::tensor(dtype, dims, &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_in_range() {
        let make = |seed| Random::new(seed).tensor(DType::F32, &[1000]).unwrap();
        assert_eq!(make(3).bytes(), make(3).bytes());
        assert_ne!(make(3).bytes(), make(4).bytes());
        let t = make(0);
        let values = t.slice::<f32>().unwrap();
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!(Random::new(0).tensor(DType::I64, &[usize::MAX, 2]).is_err());
    }
}
