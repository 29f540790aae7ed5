//! Weights of a few bits, loaded as bytes and widened in registers.

use trident_ir::geometry::PackedWeights;
use trident_ir::{DType, OpKind as K, ValueId};

use super::product::{Depth, accumulator};
use super::site::Site;
use super::writer::Writer;
use super::{Arg, Result};

/// The matrix of weights of `matmul_n_bits`.
pub(super) struct Weights {
    pub(super) packed: PackedWeights,
    /// The type of the widened weights.
    dtype: DType,
    bytes: ValueId,
    /// Weights of a column, with what fills up its last block.
    padded: ValueId,
    /// Blocks of a column, if there are several.
    blocks: Option<ValueId>,
    scales: ValueId,
    /// Zero points and their type.
    zeros: Option<(ValueId, DType)>,
}

impl Weights {
    pub(super) fn of(site: &Site<'_>, w: &mut Writer, packed: PackedWeights) -> Result<Weights> {
        let dtype = site.dtype(PackedWeights::SCALES)?;
        let zeros = match site.has(PackedWeights::ZEROS) {
            true => {
                let dtype = site.dtype(PackedWeights::ZEROS)?;
                Some((w.array(Arg::Operand(PackedWeights::ZEROS), dtype)?, dtype))
            }
            false => None,
        };
        let blocks = packed.blocks();
        Ok(Weights {
            packed,
            dtype,
            bytes: w.array(Arg::Operand(PackedWeights::WEIGHTS), DType::U8)?,
            padded: w.extent(packed.padded())?,
            blocks: if blocks > 1 { Some(w.size(blocks)?) } else { None },
            scales: w.array(Arg::Operand(PackedWeights::SCALES), dtype)?,
            zeros,
        })
    }

    /// Loads the weights of the `valid` columns along the sum.
    pub(super) fn load(
        &self,
        w: &mut Writer,
        depth: Depth,
        column: ValueId,
        valid: ValueId,
    ) -> Result<ValueId> {
        let inside = w.and(depth.valid, valid)?;
        let start = w.mul(column, self.padded)?;
        let offset = w.add(start, depth.k)?;
        let x = self.number(w, self.bytes, offset, inside)?;
        // Terms that are added at once share a block of weights if blocks are long enough; then the block's number is a
        // scalar.
        let shared = self.packed.block.is_multiple_of(depth.step);
        let (k, mask) = if shared { (depth.first, valid) } else { (depth.k, inside) };
        let block = match self.blocks {
            Some(_) => {
                let each = w.int(self.packed.block)?;
                Some(w.divide(k, each)?.0)
            }
            None => None,
        };
        let at = self.place(w, column, self.blocks, block)?;
        let wide = accumulator(self.dtype);
        let x = match self.zeros {
            Some((zeros, DType::U8)) => {
                let bytes = match self.blocks {
                    Some(_) => Some(w.size(self.packed.zero_bytes() * self.packed.each())?),
                    None => Some(w.int(self.packed.each())?),
                };
                let at = self.place(w, column, bytes, block)?;
                let zero = self.number(w, zeros, at, mask)?;
                let x = w.sub(x, zero)?;
                w.cast(x, wide)?
            }
            Some((zeros, _)) => {
                let zero = w.load_or_zero(zeros, at, mask)?;
                let (x, zero) = (w.cast(x, wide)?, w.cast(zero, wide)?);
                w.sub(x, zero)?
            }
            None => {
                let middle = w.literal(DType::I32, self.packed.middle().into())?;
                let x = w.sub(x, middle)?;
                w.cast(x, wide)?
            }
        };
        let scale = w.load_or_zero(self.scales, at, mask)?;
        let scale = w.cast(scale, wide)?;
        let x = w.mul(x, scale)?;
        let none = w.literal(wide, 0)?;
        let x = w.select(inside, x, none)?;
        w.cast(x, self.dtype)
    }

    /// column·stride + block
    fn place(
        &self,
        w: &mut Writer,
        column: ValueId,
        stride: Option<ValueId>,
        block: Option<ValueId>,
    ) -> Result<ValueId> {
        let start = match stride {
            Some(stride) => w.mul(column, stride)?,
            None => column,
        };
        match block {
            Some(block) => w.add(start, block),
            None => Ok(start),
        }
    }

    /// The packed numbers at these positions, as i32.
    fn number(&self, w: &mut Writer, base: ValueId, at: ValueId, mask: ValueId) -> Result<ValueId> {
        let bits = self.packed.bits;
        if bits == 8 {
            let x = w.load_or_zero(base, at, mask)?;
            return w.cast(x, DType::I32);
        }
        let each = w.int(self.packed.each())?;
        let (byte, place) = w.divide(at, each)?;
        let byte = w.load_or_zero(base, byte, mask)?;
        let (byte, place) = (w.cast(byte, DType::U32)?, w.cast(place, DType::U32)?);
        let width = w.literal(DType::U32, bits as i64)?;
        let by = w.mul(place, width)?;
        let x = w.shift_right(byte, by)?;
        let all = w.literal(DType::U32, (1 << bits) - 1)?;
        let x = w.op(K::BitwiseAnd, &[x, all])?;
        w.cast(x, DType::I32)
    }
}
