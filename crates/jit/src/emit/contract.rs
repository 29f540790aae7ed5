//! Products of blocks, by routines.
//!
//! A factor loaded from rows and columns in memory is read in place if all of it may be read, which is tested at run
//! time; otherwise it is copied to scratch. A sum that a loop carries is updated in place.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::op::words::ScaledFormat;
use trident_ir::{DType, Op, ops};
use trident_runtime::Checks;
use trident_tile_analysis::{Bit, Elem, NodeId, axes, index_bits, own};

use super::guard::Numbers;
use super::node::Kind;
use super::{Emitter, Result, refused, view};
use crate::routine::{
    Dot, DotScaled, Factor, Format, Routine, ScaledFactor, dot_scaled_scratch_bytes,
    dot_scratch_bytes,
};

/// A factor in memory: the address of its first element and the strides of matrices, rows and columns, in elements.
struct Matrices {
    address: Value,
    steps: [Value; 3],
}

/// The matrices given by an address and three strides.
fn matrices(op: &Op, values: &[Value]) -> Result<Matrices> {
    match *values {
        [address, batch, row, column] => Ok(Matrices { address, steps: [batch, row, column] }),
        _ => Err(refused(op, "it takes blocks of rank 2 or 3")),
    }
}

/// The dimensions as batch, rows and columns.
fn matrix(op: &Op, dims: &[usize]) -> Result<[usize; 3]> {
    match *dims {
        [m, n] => Ok([1, m, n]),
        [batch, m, n] => Ok([batch, m, n]),
        _ => Err(refused(op, "it takes blocks of rank 2 or 3")),
    }
}

impl<'m> Emitter<'m, '_> {
    /// Writes a field of a routine's operand record.
    pub(super) fn put(&mut self, record: Value, offset: usize, value: Value) {
        let flags = self.flags();
        self.b.ins().store(flags, value, record, offset as i32);
    }

    fn put_int(&mut self, record: Value, offset: usize, value: usize) {
        let value = self.int(value as i64);
        self.put(record, offset, value);
    }

    /// The elements of a factor, read in place if they lie in memory in rows and columns.
    fn factor(&mut self, op: &Op, node: NodeId, dims: &[usize]) -> Result<Matrices> {
        // With all accesses checked, each element is accessed individually.
        let strided = match self.checking.checks {
            Checks::All => return self.in_scratch(op, node, dims),
            Checks::None | Checks::Bounds => self.nodes.strided(node, dims, self.bounded()),
        };
        let Ok(memory) = strided else { return self.in_scratch(op, node, dims) };
        let mut numbers = Numbers::of(&memory.terms);
        let holds = self.all_hold(&mut numbers, &memory.guards)?;
        let mut there = vec![self.number(&mut numbers, memory.form.base)?];
        there.extend((memory.steps.len() == 2).then(|| self.int(0)));
        for &step in &memory.steps {
            there.push(self.number(&mut numbers, step)?);
        }
        let Some(holds) = holds else { return matrices(op, &there) };
        let found = self.either(
            holds,
            |_| Ok(there),
            |e| {
                let Matrices { address, steps } = e.in_scratch(op, node, dims)?;
                Ok([&[address], &steps[..]].concat())
            },
        )?;
        matrices(op, &found)
    }

    /// The elements of a factor in scratch. A view that only renames indices, such as a transposition, becomes strides.
    fn in_scratch(&mut self, op: &Op, node: NodeId, dims: &[usize]) -> Result<Matrices> {
        let [_, m, n] = matrix(op, dims)?;
        let (address, far) = match self.renamed(node, dims) {
            Some((of, of_dims, far)) => (self.address(of, &of_dims)?, far),
            None => (self.address(node, dims)?, [(m * n) as i64, n as i64, 1]),
        };
        Ok(Matrices { address, steps: far.map(|far| self.int(far)) })
    }

    /// The block that `node` is a view of, its dimensions, and the strides of matrices, rows and columns in elements.
    fn renamed(&self, node: NodeId, dims: &[usize]) -> Option<(NodeId, Vec<usize>, [i64; 3])> {
        let Kind::View(of, map) = &self.nodes[node].kind else { return None };
        let distance = |(start, bits): (u8, u8)| -> Option<i64> {
            if bits == 0 {
                return Some(0);
            }
            let to = |bit: u8| map.iter().position(|b| *b == own(bit)).map(|k| k as u8);
            let first = to(start)?;
            (0..bits).all(|k| to(start + k) == Some(first + k)).then_some(1i64 << first)
        };
        let found: Option<Vec<i64>> = axes(dims).into_iter().map(distance).collect();
        let found = found.filter(|_| !map.contains(&Bit::Const(true)))?;
        let mut outward: Vec<(i64, usize)> =
            found.iter().copied().zip(dims.iter().copied()).filter(|d| d.1 > 1).collect();
        outward.sort_unstable_by(|a, b| b.cmp(a));
        let of_bits = self.nodes[*of].bits;
        let mut of_dims: Vec<usize> = outward.iter().map(|d| d.1).collect();
        if index_bits(&of_dims) != of_bits {
            of_dims = vec![1 << of_bits];
        }
        let batch = if found.len() == 3 { found[0] } else { 0 };
        Some((*of, of_dims, [batch, found[found.len() - 2], found[found.len() - 1]]))
    }

    /// Whether all elements are known to be zero with all bits clear.
    fn is_zero(&self, node: NodeId) -> bool {
        let Kind::Uniform(value) = self.nodes[node].kind else { return false };
        self.nodes.constant(value) == Some(0)
    }

    /// Where a product is accumulated, and whether that memory counts as zero without having been written.
    fn summed_in(&mut self, op: &'m Op, c: NodeId, dims: &[usize]) -> Result<(Value, bool)> {
        let bytes = self.nodes[c].elem.size() << index_bits(dims);
        let at = self.scratch.sums.get(&std::ptr::from_ref(op)).copied();
        if at.is_none() && self.is_zero(c) {
            return Ok((self.reserve(bytes), true));
        }
        let out = at.unwrap_or_else(|| self.reserve(bytes));
        let there = matches!(self.nodes[c].kind, Kind::Buffer(address) if address == out);
        if !there {
            self.fill(dims, &[(c, out)])?;
        }
        Ok((out, false))
    }

    pub(super) fn dot(&mut self, op: &'m Op) -> Result<()> {
        let at = ops::Dot::AT;
        let ((a, a_dims), (b, b_dims), (c, dims)) =
            (self.tile(op, at.a)?, self.tile(op, at.b)?, self.tile(op, at.c)?);
        let ([batch, m, k], [_, _, n]) = (matrix(op, &a_dims)?, matrix(op, &b_dims)?);
        let dtypes = [a, b, c].map(|node| self.nodes[node].elem.dtype());
        let elem = self.nodes[c].elem;
        let (formats, wide) = Format::of(dtypes).ok_or_else(|| {
            let [a, b, c] = dtypes;
            refused(op, format!("the types {a} × {b} + {c} are not supported"))
        })?;
        let a = self.factor(op, a, &a_dims)?;
        let b = self.factor(op, b, &b_dims)?;
        let (out, fresh) = self.summed_in(op, c, &dims)?;
        let bytes = dot_scratch_bytes(dtypes, m, n, k);
        let bytes = bytes
            .ok_or_else(|| refused(op, "its blocks need too much memory; use smaller blocks"))?;
        let top = self.scratch.top;
        let record = self.reserve(size_of::<Dot>());
        let scratch = self.reserve(bytes);
        self.scratch.top = top;
        for (offset, value) in [
            (offset_of!(Dot, batch), batch),
            (offset_of!(Dot, m), m),
            (offset_of!(Dot, n), n),
            (offset_of!(Dot, k), k),
            (offset_of!(Dot, a_format), formats[0] as usize),
            (offset_of!(Dot, b_format), formats[1] as usize),
            (offset_of!(Dot, c_format), formats[2] as usize),
            (offset_of!(Dot, c_batch), m * n),
            (offset_of!(Dot, c_row), n),
            (offset_of!(Dot, fresh), usize::from(fresh)),
        ] {
            self.put_int(record, offset, value);
        }
        for (offset, value) in [
            (offset_of!(Dot, a), a.address),
            (offset_of!(Dot, a_batch), a.steps[0]),
            (offset_of!(Dot, a_row), a.steps[1]),
            (offset_of!(Dot, a_col), a.steps[2]),
            (offset_of!(Dot, b), b.address),
            (offset_of!(Dot, b_batch), b.steps[0]),
            (offset_of!(Dot, b_row), b.steps[1]),
            (offset_of!(Dot, b_col), b.steps[2]),
            (offset_of!(Dot, c), out),
            (offset_of!(Dot, scratch), scratch),
        ] {
            self.put(record, offset, value);
        }
        self.call_routine(op, Routine::Dot { wide }, &[record])?;
        let node = self.node(Kind::Buffer(out), elem, index_bits(&dims), 1, 0);
        self.give_block(op, 0, node, dims)
    }

    pub(super) fn dot_scaled(&mut self, op: &'m Op) -> Result<()> {
        let (dot, at) = (view(op, ops::DotScaled::of)?, ops::DotScaled::AT);
        let ((a, a_dims), (b, b_dims), (c, dims)) =
            (self.tile(op, at.a)?, self.tile(op, at.b)?, self.tile(op, at.c)?);
        let elem = self.nodes[c].elem;
        if elem != Elem::Data(DType::F32) {
            return Err(refused(op, "only sums in f32 are supported"));
        }
        let [batch, m, n] = matrix(op, &dims)?;
        let [_, _, columns] = matrix(op, &a_dims)?;
        let packed = dot.a_format() == ScaledFormat::E2M1 && dot.a_k_pack();
        let k = if packed { 2 * columns } else { columns };
        let (out, fresh) = self.summed_in(op, c, &dims)?;
        if fresh {
            self.fill(&dims, &[(c, out)])?;
        }
        let (a, b) = (self.address(a, &a_dims)?, self.address(b, &b_dims)?);
        let mut scales = vec![];
        for i in [at.a_scale, at.b_scale] {
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
        let bytes = bytes
            .ok_or_else(|| refused(op, "its blocks need too much memory; use smaller blocks"))?;
        let top = self.scratch.top;
        let record = self.reserve(size_of::<DotScaled>());
        let scratch = self.reserve(bytes);
        self.scratch.top = top;
        for (offset, value) in [
            (offset_of!(DotScaled, batch), batch),
            (offset_of!(DotScaled, m), m),
            (offset_of!(DotScaled, n), n),
            (offset_of!(DotScaled, k), k),
        ] {
            self.put_int(record, offset, value);
        }
        let factors = [
            (offset_of!(DotScaled, a), a, dot.a_format(), dot.a_k_pack(), scales[0]),
            (offset_of!(DotScaled, b), b, dot.b_format(), dot.b_k_pack(), scales[1]),
        ];
        for (at, data, format, k_pack, (scale, group, scale_format)) in factors {
            let format = match format {
                ScaledFormat::E4M3 => Factor::E4M3,
                ScaledFormat::E5M2 => Factor::E5M2,
                ScaledFormat::E2M1 => Factor::E2M1,
                ScaledFormat::Bf16 => Factor::BF16,
                ScaledFormat::Fp16 => Factor::FP16,
            };
            self.put(record, at + offset_of!(ScaledFactor, data), data);
            self.put(record, at + offset_of!(ScaledFactor, scale), scale);
            for (offset, value) in [
                (offset_of!(ScaledFactor, format), format as i64),
                (offset_of!(ScaledFactor, k_pack), i64::from(k_pack)),
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
        let node = self.node(Kind::Buffer(out), elem, index_bits(&dims), 1, 0);
        self.give_block(op, 0, node, dims)
    }
}
