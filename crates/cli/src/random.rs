//! Reproducible random inputs.

use crate::limits;
use crate::scalar::{self, Scalar};
use trident_ir::DType;
use trident_runtime::{KernelError, Pool, Tensor};

/// Elements that are made at once: as scalars they take far more memory than in a tensor.
const PART: usize = 4096;

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

    /// Floats are uniform in [0, 1), or powers of two for types that have no other values. Integers are 0 or 1: they
    /// are often indices, for which these are always safe.
    pub(crate) fn tensor(
        &mut self,
        pool: &Pool,
        dtype: DType,
        dims: &[usize],
    ) -> Result<Tensor, String> {
        let text = |e: KernelError| e.to_string();
        let mut tensor = limits::alloc(pool, dtype, dims)?;
        if dtype == DType::Str {
            let count = tensor.len();
            let mut words = tensor.write_strings().map_err(text)?;
            for _ in 0..count {
                words.push(&["word", &(self.next() % 100).to_string()]).map_err(text)?;
            }
            return Ok(tensor);
        }
        for part in tensor.bytes_mut().map_err(text)?.chunks_mut(PART * dtype.size()) {
            let values: Vec<Scalar> =
                (0..part.len() / dtype.size()).map(|_| self.element(dtype)).collect();
            let made = scalar::tensor(&Pool::new(), dtype, &[values.len()], &values)?;
            part.copy_from_slice(made.bytes().map_err(text)?);
        }
        Ok(tensor)
    }

    fn element(&mut self, dtype: DType) -> Scalar {
        match dtype {
            DType::F8E8M0FNU => Scalar::Single(1.0 / (1u64 << (self.next() % 8)) as f32),
            _ if dtype.is_float() => Scalar::Single(self.unit()),
            _ => Scalar::Int((self.next() & 1).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_in_range() {
        let make = |seed| Random::new(seed).tensor(&Pool::new(), DType::F32, &[1000]).unwrap();
        assert_eq!(make(3).bytes(), make(3).bytes());
        assert_ne!(make(3).bytes(), make(4).bytes());
        let t = make(0);
        let values = t.slice::<f32>().unwrap();
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        let refused =
            |dims: &[usize]| Random::new(0).tensor(&Pool::new(), DType::I64, dims).unwrap_err();
        assert_eq!(refused(&[usize::MAX, 2]), "there is no memory for the elements of one tensor");
        assert_eq!(refused(&[1 << 59]), "there is no memory for 4.00 EiB");
    }

    #[test]
    fn every_type_is_filled_to_the_end() {
        for &dtype in DType::ALL {
            let t = Random::new(0).tensor(&Pool::new(), dtype, &[3, PART]).unwrap();
            let rows = [0, 1, 2].map(|row| {
                let elements = (0..PART).map(|i| Scalar::get(&t, row * PART + i).unwrap());
                elements.collect::<Vec<_>>()
            });
            assert!(rows[0] != rows[1] && rows[1] != rows[2], "{dtype}");
            assert!(Random::new(0).tensor(&Pool::new(), dtype, &[0, 2]).unwrap().is_empty());
        }
    }
}
