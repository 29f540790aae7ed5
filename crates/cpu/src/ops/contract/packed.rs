//! Weights of a few bits: widened while they are packed for products.

use crate::real::{Real, read, round_to};
use std::borrow::Cow;
use std::ops::Range;
use trident_ir::DType;
use trident_ir::geometry::PackedWeights;
use trident_kernels::gemm::Source;
use trident_runtime::{KernelError, Pool, Tensor};

/// The weights of `matmul_n_bits`, read as floats.
pub(super) struct Widened<'a, R: Clone> {
    weights: PackedWeights,
    /// Type that weights are rounded to.
    dtype: DType,
    bytes: &'a [u8],
    /// One for each block.
    scales: Cow<'a, [R]>,
    zeros: Cow<'a, [R]>,
}

impl<'a, R: Real> Widened<'a, R> {
    pub(super) fn new(
        weights: PackedWeights,
        b: &'a Tensor,
        scales: &'a Tensor,
        zeros: Option<&'a Tensor>,
    ) -> Result<Self, KernelError> {
        let ty = |t: &Tensor| (t.dtype(), t.dims().to_vec());
        weights.check(|i| match i {
            PackedWeights::WEIGHTS => Some(ty(b)),
            PackedWeights::SCALES => Some(ty(scales)),
            PackedWeights::ZEROS => zeros.map(ty),
            _ => None,
        })?;
        let each = weights.each();
        let zeros = match zeros {
            None => vec![R::of(weights.middle().into()); scales.len()].into(),
            Some(zeros) if zeros.dtype() == DType::U8 => {
                let columns = zeros.slice::<u8>()?.chunks_exact(weights.zero_bytes().max(1));
                let column = |bytes: &[u8]| -> Vec<R> {
                    (0..weights.blocks()).map(|i| number(weights, bytes[i / each], i)).collect()
                };
                columns.flat_map(column).collect()
            }
            Some(zeros) => read::<R>(zeros)?,
        };
        let (bytes, dtype) = (b.slice::<u8>()?, scales.dtype());
        Ok(Widened { weights, dtype, bytes, scales: read::<R>(scales)?, zeros })
    }

    /// All weights, column by column: a tensor [n, k].
    pub(super) fn columns(&self, pool: &Pool) -> Result<Tensor, KernelError> {
        let PackedWeights { k, n, .. } = self.weights;
        let mut all = Tensor::alloc(pool, R::DTYPE, &[n, k])?;
        for (i, column) in all.slice_mut::<R>()?.chunks_exact_mut(k.max(1)).enumerate() {
            self.pack(i..i + 1, 0..k, 1, column);
        }
        Ok(all)
    }
}

/// Number `i` of a column, in this byte.
fn number<R: Real>(weights: PackedWeights, byte: u8, i: usize) -> R {
    let q = byte >> (i % weights.each() * weights.bits);
    R::of((q & (u8::MAX >> (8 - weights.bits))).into())
}

impl<R: Real> Source<R> for Widened<'_, R> {
    fn pack(&self, outer: Range<usize>, k: Range<usize>, width: usize, dst: &mut [R]) {
        let PackedWeights { block, .. } = self.weights;
        let (each, blocks) = (self.weights.each(), self.weights.blocks());
        let dst = &mut dst[..k.len() * width];
        if outer.len() < width {
            dst.fill(R::zero());
        }
        for (i, column) in outer.enumerate() {
            let bytes = &self.bytes[column * self.weights.padded() / each..];
            let mut p = k.start;
            while p < k.end {
                let at = column * blocks + p / block;
                let end = k.end.min((p / block + 1) * block);
                let (zero, scale) = (self.zeros[at], self.scales[at]);
                let steps = dst[(p - k.start) * width..].iter_mut().skip(i).step_by(width);
                for (p, to) in (p..end).zip(steps) {
                    *to = (number::<R>(self.weights, bytes[p / each], p) - zero) * scale;
                }
                p = end;
            }
        }
        round_to(self.dtype, dst);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use half::f16;
    use trident_ir::{Attr, Element, OpKind};
    use trident_runtime::{KernelError, Value};

    fn product<T: Element>(
        [k, n, bits, block]: [usize; 4],
        operands: Vec<Option<Value>>,
    ) -> Result<Vec<T>, KernelError> {
        let sizes = [("k", k), ("n", n), ("bits", bits), ("block_size", block)];
        let attrs = sizes.map(|(name, n)| (name, Attr::Int(n as i64)));
        Ok(elements(&crate::testing::run_on(1, OpKind::MatMulNBits, &attrs, operands, 1)?[0]))
    }

    /// Numbers that fill columns of bytes.
    fn numbers(len: usize) -> Vec<u8> {
        (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    fn floats(len: usize, seed: u32) -> Vec<f32> {
        let of = |i: u32| (i.wrapping_mul(2_654_435_761) >> 20) as f32 / 2048.0 - 1.0;
        (0..len as u32).map(|i| of(i * 7 + seed)).collect()
    }

    /// a·w in f64, for zero points by block.
    fn expected(
        [k, n, bits, block]: [usize; 4],
        a: &[f32],
        b: &[u8],
        scales: &[f32],
        zeros: &[f64],
    ) -> Vec<f64> {
        let (blocks, each) = (k.div_ceil(block), 8 / bits);
        let weight = |p: usize, j: usize| {
            let (byte, at) = (b[(j * blocks * block + p) / each], j * blocks + p / block);
            let q = u32::from(byte) >> (p % each * bits) & ((1 << bits) - 1);
            (f64::from(q) - zeros[at]) * f64::from(scales[at])
        };
        let rows = a.len() / k;
        let dot = |i: usize, j: usize| (0..k).map(|p| f64::from(a[i * k + p]) * weight(p, j)).sum();
        (0..rows * n).map(|at| dot(at / n, at % n)).collect()
    }

    #[test]
    fn against_a_naive_sum() {
        for sizes @ [k, n, bits, block] in [
            [33_usize, 3, 4, 16],
            [64, 20, 4, 32],
            [300, 7, 8, 256],
            [5, 2, 2, 4],
            [1, 1, 8, 16],
            [40, 65, 8, 1],
            [17, 5, 2, 16],
        ] {
            for m in [1, 3, 17] {
                let blocks = k.div_ceil(block);
                let (a, scales) = (floats(m * k, 1), floats(n * blocks, 2));
                let b = numbers(n * blocks * block * bits / 8);
                let each = 8 / bits;
                let packed = numbers(n * blocks.div_ceil(each));
                let by_block = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                    (0..n * blocks).map(|i| of(i / blocks, i % blocks)).collect()
                };
                let unpacked = by_block(&|j, i| {
                    let byte = packed[j * blocks.div_ceil(each) + i / each];
                    f64::from(u32::from(byte) >> (i % each * bits) & ((1 << bits) - 1))
                });
                let exact = floats(n * blocks, 3);
                let exact_wide = exact.iter().map(|&z| f64::from(z)).collect();
                let dims = [n, blocks, block * bits / 8];
                for (operand, zeros) in [
                    (None, by_block(&|_, _| f64::from(1 << (bits - 1)))),
                    (Some(tensor(&[packed.len()], &packed)), unpacked),
                    (Some(tensor(&[n, blocks], &exact)), exact_wide),
                ] {
                    let operands = vec![
                        Some(tensor(&[m, k], &a)),
                        Some(tensor(&dims, &b)),
                        None,
                        None,
                        Some(tensor(&[n, blocks], &scales)),
                        operand,
                    ];
                    let found: Vec<f32> = product(sizes, operands).unwrap();
                    let expected = expected(sizes, &a, &b, &scales, &zeros);
                    for (x, y) in found.iter().zip(&expected) {
                        let close =
                            (f64::from(*x) - y).abs() <= 2e-7 * f64::from(1 << bits) * k as f64;
                        assert!(close, "{sizes:?} of {m} rows: {x} against {y}");
                    }
                    assert_eq!(found.len(), expected.len());
                }
            }
        }
    }

    #[test]
    fn batches_have_a_bias_and_an_end() {
        let attrs = [
            ("k", Attr::Int(2)),
            ("n", Attr::Int(2)),
            ("block_size", Attr::Int(16)),
            ("activation", Attr::Str("relu".into())),
        ];
        // Weights (1, 2) and (−8, 7) of scale 0.5.
        let mut b = [0u8; 16];
        (b[0], b[8]) = (0xA9, 0xF0);
        let of = |values: &[f32]| values.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
        let operands = vec![
            tensor(&[2, 1, 2], &of(&[1.0, 1.0, -2.0, f32::INFINITY])),
            tensor(&[2, 1, 8], &b),
            tensor(&[2], &of(&[0.25, 1.0])),
            tensor(&[2, 1, 2], &of(&[0.0, 0.0, 1.0, 1.0])),
            tensor(&[2], &of(&[0.5, 0.5])),
        ];
        let y = run(OpKind::MatMulNBits, &attrs, operands).unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [2, 1, 2]);
        assert_eq!(elements::<f16>(&y), of(&[1.75, 0.5, f32::INFINITY, f32::INFINITY]));
    }

    #[test]
    fn nothing_to_sum_and_misfits() {
        let operands = |k: usize, b: &[usize]| {
            let len: usize = b.iter().product();
            let zeros = tensor(b, &vec![0u8; len]);
            let scales = tensor(&[b[0] * b[1]], &vec![1.0f32; b[0] * b[1]]);
            vec![Some(tensor(&[2, k], &vec![1.0f32; 2 * k])), Some(zeros), None, None, Some(scales)]
        };
        let sizes = [0, 3, 4, 16];
        assert_eq!(product::<f32>(sizes, operands(0, &[3, 0, 8])).unwrap(), [0.0; 6]);
        assert!(product::<f32>([16, 0, 4, 16], operands(16, &[0, 1, 8])).unwrap().is_empty());
        for (k, b) in [(16, [3, 1, 4]), (16, [2, 1, 8]), (15, [3, 1, 8])] {
            assert!(product::<f32>([16, 3, 4, 16], operands(k, &b)).is_err(), "{k} {b:?}");
        }
    }
}
