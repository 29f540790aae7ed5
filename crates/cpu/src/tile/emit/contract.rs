//! Products of blocks, by routines.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::{DType, Op};

use super::index::axes;
use super::node::{Elem, Kind, NodeId};
use super::op::bits_of;
use super::{Emitter, Result, malformed};
use crate::tile::routine::{
    Dot, DotScaled, Factor, Routine, ScaledFactor, dot_scaled_scratch_bytes, dot_scratch_bytes,
};

/// Batch, rows and columns.
fn matrix(op: &Op, dims: &[usize]) -> Result<[usize; 3]> {
    match *dims {
        [m, n] => Ok([1, m, n]),
        [batch, m, n] => Ok([batch, m, n]),
        _ => Err(malformed(op, "takes blocks of rank 2 or 3")),
    }
}

impl<'m> Emitter<'m, '_> {
    /// Writes a field of the operands of a routine.
    pub(super) fn put(&mut self, record: Value, offset: usize, value: Value) {
        let flags = self.flags();
        self.b.ins().store(flags, value, record, offset as i32);
    }

    fn put_int(&mut self, record: Value, offset: usize, value: usize) {
        let value = self.int(value as i64);
        self.put(record, offset, value);
    }

    /// The elements of a factor with the distances of its matrices, rows and columns. What only renames indices of a block
    /// in scratch, as a transposition does, becomes distances.
    fn strided(&mut self, op: &Op, node: NodeId, dims: &[usize]) -> Result<(Value, [i64; 3])> {
        let [_, m, n] = matrix(op, dims)?;
        if let Kind::View(of, map) = self.nodes[node].kind.clone() {
            let distance = |(start, bits): (u8, u8)| -> Option<i64> {
                if bits == 0 {
                    return Some(0);
                }
                let to = |bit: u8| {
                    map.iter().position(|b| *b == super::index::own(bit)).map(|k| k as u8)
                };
                let first = to(start)?;
                (0..bits).all(|k| to(start + k) == Some(first + k)).then_some(1i64 << first)
            };
            let found: Option<Vec<i64>> = axes(dims).into_iter().map(distance).collect();
            let constant = map.iter().any(|b| matches!(b, super::index::Bit::Const(true)));
            if let (Some(found), false) = (found, constant) {
                let of_dims = [1usize << self.nodes[of].bits];
                let address = self.address(of, &of_dims)?;
                let batch = if found.len() == 3 { found[0] } else { 0 };
                return Ok((address, [batch, found[found.len() - 2], found[found.len() - 1]]));
            }
        }
        let address = self.address(node, dims)?;
        Ok((address, [(m * n) as i64, n as i64, 1]))
    }

    pub(super) fn dot(&mut self, op: &'m Op) -> Result<()> {
        let ((a, a_dims), (b, b_dims), (c, dims)) =
            (self.tile(op, 0)?, self.tile(op, 1)?, self.tile(op, 2)?);
        let ([batch, m, k], [_, _, n]) = (matrix(op, &a_dims)?, matrix(op, &b_dims)?);
        let dtypes = [a, b, c].map(|node| self.nodes[node].elem.dtype());
        let elem = self.nodes[c].elem;
        let (a_at, a_far) = self.strided(op, a, &a_dims)?;
        let (b_at, b_far) = self.strided(op, b, &b_dims)?;
        let out = self.reserve(elem.size() << bits_of(&dims));
        self.fill(&dims, &[(c, out)])?;
        let bytes = dot_scratch_bytes(dtypes, m, n, k);
        let bytes = bytes.ok_or_else(|| malformed(op, "needs too much memory"))?;
        let top = self.top;
        let record = self.reserve(size_of::<Dot>());
        let scratch = self.reserve(bytes);
        self.top = top;
        for (offset, value) in [
            (offset_of!(Dot, batch), batch),
            (offset_of!(Dot, m), m),
            (offset_of!(Dot, n), n),
            (offset_of!(Dot, k), k),
            (offset_of!(Dot, a_batch), a_far[0] as usize),
            (offset_of!(Dot, a_row), a_far[1] as usize),
            (offset_of!(Dot, a_col), a_far[2] as usize),
            (offset_of!(Dot, b_batch), b_far[0] as usize),
            (offset_of!(Dot, b_row), b_far[1] as usize),
            (offset_of!(Dot, b_col), b_far[2] as usize),
            (offset_of!(Dot, c_batch), m * n),
            (offset_of!(Dot, c_row), n),
        ] {
            self.put_int(record, offset, value);
        }
        self.put(record, offset_of!(Dot, a), a_at);
        self.put(record, offset_of!(Dot, b), b_at);
        self.put(record, offset_of!(Dot, c), out);
        self.put(record, offset_of!(Dot, scratch), scratch);
        let [a, b, c] = dtypes;
        self.call_routine(op, Routine::Dot { a, b, c }, &[record])?;
        let node = self.node(Kind::Buffer(out), elem, bits_of(&dims), 1, 0);
        self.give_block(op, 0, node, dims)
    }

    pub(super) fn dot_scaled(&mut self, op: &'m Op) -> Result<()> {
        let ((a, a_dims), (b, b_dims), (c, dims)) =
            (self.tile(op, 0)?, self.tile(op, 1)?, self.tile(op, 2)?);
        let elem = self.nodes[c].elem;
        if elem != Elem::Data(DType::F32) {
            return Err(malformed(op, "has native code for sums in f32 only"));
        }
        let [batch, m, n] = matrix(op, &dims)?;
        let [_, _, columns] = matrix(op, &a_dims)?;
        let packed = op.str("a_format") == Some("e2m1") && op.flag("a_k_pack");
        let k = if packed { 2 * columns } else { columns };
        let out = self.reserve(elem.size() << bits_of(&dims));
        self.fill(&dims, &[(c, out)])?;
        let (a, b) = (self.address(a, &a_dims)?, self.address(b, &b_dims)?);
        let mut scales = vec![];
        for i in [3, 4] {
            scales.push(match op.input(i) {
                Some(_) => {
                    let (node, dims) = self.tile(op, i)?;
                    let groups = dims.last().copied().unwrap_or(1).max(1);
                    let e4m3 = self.nodes[node].elem == Elem::Data(DType::F8E4M3FN);
                    (self.address(node, &dims)?, k / groups, usize::from(e4m3))
                }
                None => (self.int(0), 32, 0),
            });
        }
        let bytes = dot_scaled_scratch_bytes(m, n, k);
        let bytes = bytes.ok_or_else(|| malformed(op, "needs too much memory"))?;
        let top = self.top;
        let record = self.reserve(size_of::<DotScaled>());
        let scratch = self.reserve(bytes);
        self.top = top;
        for (offset, value) in [
            (offset_of!(DotScaled, batch), batch),
            (offset_of!(DotScaled, m), m),
            (offset_of!(DotScaled, n), n),
            (offset_of!(DotScaled, k), k),
        ] {
            self.put_int(record, offset, value);
        }
        let factors = [
            (offset_of!(DotScaled, a), a, "a_format", "a_k_pack", scales[0]),
            (offset_of!(DotScaled, b), b, "b_format", "b_k_pack", scales[1]),
        ];
        for (at, data, format, k_pack, (scale, group, scale_format)) in factors {
            let format = match op.str(format) {
                Some("e4m3") => Factor::E4M3,
                Some("e5m2") => Factor::E5M2,
                Some("e2m1") => Factor::E2M1,
                Some("bf16") => Factor::BF16,
                Some("fp16") => Factor::FP16,
                other => return Err(malformed(op, format!("has no format {other:?}"))),
            };
            self.put(record, at + offset_of!(ScaledFactor, data), data);
            self.put(record, at + offset_of!(ScaledFactor, scale), scale);
            for (offset, value) in [
                (offset_of!(ScaledFactor, format), format as i64),
                (offset_of!(ScaledFactor, k_pack), i64::from(op.flag(k_pack))),
                (offset_of!(ScaledFactor, group), group as i64),
                (offset_of!(ScaledFactor, scale_format), scale_format as i64),
            ] {
                let value = self.b.ins().iconst(types::I32, value);
                self.put(record, at + offset, value);
            }
        }
        self.put(record, offset_of!(DotScaled, c), out);
        self.put(record, offset_of!(DotScaled, scratch), scratch);
        self.call_routine(op, Routine::DotScaled, &[record])?;
        let node = self.node(Kind::Buffer(out), elem, bits_of(&dims), 1, 0);
        self.give_block(op, 0, node, dims)
    }
}
