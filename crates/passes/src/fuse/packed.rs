//! Products with quantised weights that stay as they are until they are used.

use super::products::fused;
use crate::rewrite::{Change, Rewriter, placed};
use trident_ir::dtype::Class;
use trident_ir::geometry::{self, PackedWeights};
use trident_ir::literal::LiteralData;
use trident_ir::op::Activation;
use trident_ir::{DType, Literal, Op, OpKind as K, ops};

/// Columns of one block are filled up to a multiple of this many weights, which are whole bytes.
const FILLED: usize = 16;

/// MatMul or FusedMatMul with a dequantised constant as MatMulNBits.
pub(super) fn weights(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let fused = fused(op)?;
    let product = ops::FusedMatMul::of(&fused)?;
    let (a, b) = (product.a(), product.b());
    // Scales of f64 are rounded to f32 where weights are dequantised on their own.
    if product.trans_a()
        || cx.rank(a) < Some(2)
        || product.y().and_then(|y| cx.dtype(y)) == Some(DType::F64)
        || cx.dtype(a) != cx.dtype(b)
    {
        return None;
    }
    let dequantize = cx.only(b, K::DequantizeLinear)?;
    let dequantize = ops::DequantizeLinear::of(&dequantize)?;
    let found = Quantised::of(cx, dequantize, product.trans_b())?;
    let scales = found.scales(product.scale())?;
    let (bytes, zeros) = (found.bytes()?, found.zeros()?);
    let PackedWeights { k, n, bits, block } = found.packed;
    let size = |n: usize| i64::try_from(n).ok();
    let (k, n, bits, block) = (size(k)?, size(n)?, size(bits)?, size(block)?);
    let b = cx.literal("weights", bytes);
    let scales = cx.literal("scales", scales);
    let zeros = zeros.map(|zeros| cx.literal("zero_points", zeros));
    let new = ops::MatMulNBits::new(a, b, product.bias(), product.residual(), scales, zeros);
    let mut new = placed(op, new.k(k).n(n).bits(bits).block_size(block).into_op());
    match Activation::of(ops::Activated::of(&fused)?) {
        Activation::None => {}
        activation => activation.write(&mut new),
    }
    Some(Change::Op(new))
}

/// A constant matrix that is dequantised, read as columns of weights.
struct Quantised {
    packed: PackedWeights,
    /// One byte for each weight, row by row.
    x: Literal,
    /// Distances of neighbours along k and of columns.
    strides: [usize; 2],
    scale: Literal,
    /// Distances of scales of neighbouring blocks and columns.
    scale_strides: [usize; 2],
    zero: Option<Literal>,
}

impl Quantised {
    fn of(cx: &Rewriter<'_>, op: ops::DequantizeLinear<'_>, transposed: bool) -> Option<Quantised> {
        let (x, scale) = (cx.constant(op.x())?.clone(), cx.constant(op.x_scale())?.clone());
        let zero = match op.x_zero_point() {
            Some(zero) => Some(cx.constant(zero)?.clone()),
            None => None,
        };
        let &[rows, columns] = x.dims() else { return None };
        if x.is_empty() {
            return None;
        }
        let (k, n) = if transposed { (columns, rows) } else { (rows, columns) };
        let strides = if transposed { [1, columns] } else { [columns, 1] };
        let bits = match x.dtype() {
            DType::I8 | DType::U8 => 8,
            DType::I4 | DType::U4 => 4,
            DType::I2 | DType::U2 => 2,
            _ => return None,
        };
        let along_k = geometry::axis(op.axis(), 2).ok()? == usize::from(transposed);
        let block = usize::try_from(op.block_size()).ok()?;
        let one = k.checked_next_multiple_of(FILLED)?;
        let blocks = if block == 0 { 1 } else { k.div_ceil(block) };
        let (block, scale_strides) = match *scale.dims() {
            _ if block == 0 && scale.len() == 1 => (one, [0, 0]),
            [all] if block == 0 && !along_k && all == n => (one, [0, 1]),
            [r, c] if block != 0 && along_k => match transposed {
                true if [r, c] == [n, blocks] => (block.min(one), [1, blocks]),
                false if [r, c] == [blocks, n] => (block.min(one), [n, 1]),
                _ => return None,
            },
            _ => return None,
        };
        let fits = scale.dtype() == cx.dtype(op.y()?)?;
        if !fits || zero.as_ref().is_some_and(|z| z.len() != scale.len()) {
            return None;
        }
        let packed = PackedWeights::new(k, n, bits, block).ok()?;
        Some(Quantised { packed, x, strides, scale, scale_strides, zero })
    }

    /// The mask that turns numbers of the weights' type into unsigned ones.
    fn flip(&self) -> u8 {
        if self.x.dtype().class() == Class::Int { self.packed.middle() } else { 0 }
    }

    /// Numbers by column, `count` of each, each column in whole bytes: `width` of them.
    fn pack(
        &self,
        of: &Literal,
        [along, across]: [usize; 2],
        count: usize,
        width: usize,
    ) -> Option<Vec<u8>> {
        let PackedWeights { n, bits, .. } = self.packed;
        let numbers = bytes(of)?;
        let (each, flip, all) = (self.packed.each(), self.flip(), u8::MAX >> (8 - bits));
        let mut packed = vec![0u8; n * width];
        for (column, to) in packed.chunks_exact_mut(width.max(1)).enumerate() {
            for i in 0..count {
                let number = (numbers.get(i * along + column * across)? ^ flip) & all;
                to[i / each] |= number << (i % each * bits);
            }
        }
        Some(packed)
    }

    fn bytes(&self) -> Option<Literal> {
        let dims = self.packed.dims();
        let packed = self.pack(&self.x, self.strides, self.packed.k, dims[1] * dims[2])?;
        Literal::from_bytes(DType::U8, dims.to_vec(), packed.into()).ok()
    }

    /// The zero points, if they differ from the default.
    fn zeros(&self) -> Option<Option<Literal>> {
        let (blocks, width) = (self.packed.blocks(), self.packed.zero_bytes());
        let packed = match &self.zero {
            Some(zero) => self.pack(zero, self.scale_strides, blocks, width)?,
            None if self.flip() != 0 => return Some(None),
            None => vec![0; self.packed.n * width],
        };
        Literal::from_bytes(DType::U8, vec![self.packed.n, width], packed.into()).ok().map(Some)
    }

    /// The scales by column, multiplied with a factor of the product.
    fn scales(&self, factor: f32) -> Option<Literal> {
        let (dtype, blocks) = (self.scale.dtype(), self.packed.blocks());
        let (given, size) = (bytes(&self.scale)?, dtype.size());
        let [along, across] = self.scale_strides;
        let mut all = Vec::with_capacity(self.packed.n * blocks * size);
        for at in 0..self.packed.n * blocks {
            let at = (at % blocks * along + at / blocks * across) * size;
            all.extend_from_slice(given.get(at..at + size)?);
        }
        let dims = vec![self.packed.n, blocks];
        let scales = Literal::from_bytes(dtype, dims.clone(), all.into()).ok()?;
        if factor == 1.0 {
            return Some(scales);
        }
        let scaled: Option<Vec<f32>> =
            scales.to_vec::<f32>().map(|all| all.iter().map(|scale| scale * factor).collect());
        // A scale that overflows or vanishes would make infinities and NaN of numbers.
        let scaled = scaled.filter(|all| all.iter().all(|scale| scale.is_normal()))?;
        Literal::vector(&scaled).with_dims(dims)
    }
}

fn bytes(literal: &Literal) -> Option<&[u8]> {
    match literal.data() {
        LiteralData::Bytes(bytes) => Some(bytes),
        LiteralData::Strings(_) => None,
    }
}
