//! Matrices of quantised weights, several to a byte.

use super::{GeometryError, invalid};
use crate::ops::MatMulNBits;
use crate::{DType, counted};

/// The weights of `matmul_n_bits`, a matrix [k, n] that is stored column by column. A column is cut into blocks, each with
/// a scale and a zero point; the last one is filled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedWeights {
    /// Rows.
    pub k: usize,
    /// Columns.
    pub n: usize,
    /// Bits of a weight: 2, 4 or 8.
    pub bits: usize,
    /// Weights of a block, which are whole bytes.
    pub block: usize,
}

impl PackedWeights {
    /// The place of the weights among the operands of `matmul_n_bits`.
    pub const WEIGHTS: usize = MatMulNBits::AT.b;
    /// The place of the scales.
    pub const SCALES: usize = MatMulNBits::AT.scales;
    /// The place of the zero points.
    pub const ZEROS: usize = MatMulNBits::AT.zero_points;

    /// As the attributes of an op say.
    pub fn of(op: MatMulNBits<'_>) -> Result<PackedWeights, GeometryError> {
        let size = |name: &str, size: i64| match usize::try_from(size) {
            Ok(size) => Ok(size),
            Err(_) => invalid(format!("attribute `{name}` is {size}, expected a size")),
        };
        let (k, n) = (size("k", op.k())?, size("n", op.n())?);
        PackedWeights::new(k, n, size("bits", op.bits())?, size("block_size", op.block_size())?)
    }

    /// Of these sizes, if blocks are whole bytes and the weights are not too many.
    pub fn new(
        k: usize,
        n: usize,
        bits: usize,
        block: usize,
    ) -> Result<PackedWeights, GeometryError> {
        if !matches!(bits, 2 | 4 | 8) {
            return invalid(format!("attribute `bits` is {bits}, expected 2, 4 or 8"));
        }
        if block == 0 || !block.is_multiple_of(8 / bits) {
            let weights = counted(block, "weight");
            let text = format!("blocks of {weights} of {bits} bits are not whole bytes");
            return invalid(text);
        }
        let padded = k.checked_next_multiple_of(block).and_then(|k| k.checked_mul(n.max(1)));
        match padded.map(isize::try_from) {
            Some(Ok(_)) => Ok(PackedWeights { k, n, bits, block }),
            _ => Err(GeometryError::TooLarge),
        }
    }

    /// Blocks of a column.
    pub fn blocks(&self) -> usize {
        self.k.div_ceil(self.block)
    }

    /// Weights of a column with what fills up its last block.
    pub fn padded(&self) -> usize {
        self.blocks() * self.block
    }

    /// Weights of a byte.
    pub fn each(&self) -> usize {
        8 / self.bits
    }

    /// The dimensions of the stored weights.
    pub fn dims(&self) -> [usize; 3] {
        [self.n, self.blocks(), self.block / self.each()]
    }

    /// Bytes of the zero points of a column where they are packed as the weights are.
    pub fn zero_bytes(&self) -> usize {
        self.blocks().div_ceil(self.each())
    }

    /// The zero point of all weights if there are none.
    pub fn middle(&self) -> u8 {
        1 << (self.bits - 1)
    }

    /// Whether weights, scales and zero points fit, as far as `operand` knows their types.
    pub fn check(
        &self,
        operand: impl Fn(usize) -> Option<(DType, Vec<usize>)>,
    ) -> Result<(), GeometryError> {
        let dims = self.dims();
        if let Some((dtype, given)) = operand(Self::WEIGHTS)
            && (dtype != DType::U8 || given != dims)
        {
            return invalid(format!("weights of type {dtype}{given:?}, expected u8{dims:?}"));
        }
        let count = |i: usize, what: &str, expected: usize| match operand(i) {
            Some((_, given)) if given.iter().product::<usize>() != expected => invalid(format!(
                "{what} of dimensions {given:?}, expected {}",
                counted(expected, "element")
            )),
            _ => Ok(()),
        };
        count(Self::SCALES, "scales", self.n * self.blocks())?;
        let Some((zeros, _)) = operand(Self::ZEROS) else { return Ok(()) };
        if zeros == DType::U8 {
            return count(Self::ZEROS, "packed zero points", self.n * self.zero_bytes());
        }
        if let Some((scales, _)) = operand(Self::SCALES)
            && zeros != scales
        {
            return invalid(format!("zero points of type {zeros}, expected u8 or {scales}"));
        }
        count(Self::ZEROS, "zero points", self.n * self.blocks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValueId;

    fn of([k, n, bits, block]: [i64; 4]) -> Result<PackedWeights, GeometryError> {
        let [a, b, scales] = [0, 1, 2].map(ValueId);
        let op = MatMulNBits::new(a, b, None, None, scales, None);
        let mut op = op.k(k).n(n).bits(bits).block_size(block).into_op();
        op.outputs = vec![Some(ValueId(3))];
        PackedWeights::of(MatMulNBits::of(&op).unwrap())
    }

    #[test]
    fn sizes() {
        let weights = of([33, 3, 4, 16]).unwrap();
        assert_eq!((weights.dims(), weights.zero_bytes()), ([3, 3, 8], 2));
        assert_eq!((weights.padded(), weights.middle()), (48, 8));
        assert_eq!(of([0, 3, 8, 1]).unwrap().dims(), [3, 0, 1]);
        for bad in [[4, 4, 3, 16], [4, 4, 4, 0], [4, 4, 2, 6], [-1, 4, 8, 16], [4, i64::MAX, 8, 16]]
        {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn operands_fit() {
        let weights = of([33, 3, 4, 16]).unwrap();
        let given = |b: DType, scales: usize, zeros: (DType, usize)| {
            weights.check(|i| match i {
                PackedWeights::WEIGHTS => Some((b, vec![3, 3, 8])),
                PackedWeights::SCALES => Some((DType::F32, vec![scales])),
                PackedWeights::ZEROS => Some((zeros.0, vec![zeros.1])),
                _ => None,
            })
        };
        for zeros in [(DType::U8, 6), (DType::F32, 9)] {
            assert_eq!(given(DType::U8, 9, zeros), Ok(()));
        }
        for (b, scales, zeros) in [
            (DType::I8, 9, (DType::U8, 6)),
            (DType::U8, 3, (DType::U8, 6)),
            (DType::U8, 9, (DType::U8, 9)),
            (DType::U8, 9, (DType::F16, 9)),
            (DType::U8, 9, (DType::F32, 6)),
        ] {
            assert!(given(b, scales, zeros).is_err());
        }
    }
}
