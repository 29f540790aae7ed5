//! Products of blocks: the factors go through threadgroup memory, a slice along k at a time, and each thread sums the elements
//! of the result that it holds.

use trident_ir::{Attr, Block, DType, Op, OpKind as K, Type, ValueId};

use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::layout::{Layout, THREAD};
use crate::access::{Bit, Index, NodeId, axes, index_bits, log2};

/// A factor on its way to threadgroup memory.
struct Factor {
    node: NodeId,
    layout: Layout,
    /// The bits of its index that tell k.
    k: (u8, u8),
    /// The array of a slice, its elements in the order of the block's.
    array: ValueId,
}

impl Factor {
    /// The index in a slice of an element with this index in the block.
    fn within(&self, index: &Index, slice: u8) -> Index {
        let (start, bits) = self.k;
        let outside = usize::from(start + slice)..usize::from(start + bits);
        index.iter().enumerate().filter(|(at, _)| !outside.contains(at)).map(|(_, b)| *b).collect()
    }
}

/// The rows or columns of factors that a thread multiplies.
struct Line {
    array: ValueId,
    /// The index of the first factor of each along k, and the pointer to it.
    firsts: Vec<(Index, ValueId)>,
}

impl Line {
    fn new(array: ValueId) -> Line {
        Line { array, firsts: vec![] }
    }

    /// Which row or column this is.
    fn place(&mut self, e: &mut Emitter<'_, '_>, index: Index) -> Result<usize> {
        if let Some(known) = self.firsts.iter().position(|(first, _)| *first == index) {
            return Ok(known);
        }
        let place = e.iota(0, &index)?;
        let ptr = e.op(K::PtrAdd, &[self.array, place], &[])?;
        self.firsts.push((index, ptr));
        Ok(self.firsts.len() - 1)
    }

    /// The factors of all, this far from their first.
    fn load(&self, e: &mut Emitter<'_, '_>, by: ValueId, dtype: DType) -> Result<Vec<ValueId>> {
        let load = |(_, ptr): &(Index, ValueId)| {
            let value = e.read_shared(*ptr, by)?;
            e.converted(value, dtype)
        };
        self.firsts.iter().map(load).collect()
    }
}

impl Emitter<'_, '_> {
    pub(super) fn dot(&mut self, op: &Op) -> Result<()> {
        let (Some(a), Some(b), Some(c), Some(out)) =
            (op.input(0), op.input(1), op.input(2), op.output(0))
        else {
            return Err(Unsupported::new(op, "lacks an operand"));
        };
        let dims = |e: &Self, id| e.func.ty(id).dims().unwrap_or_default();
        let (a_dims, b_dims, dims) = (dims(self, a), dims(self, b), dims(self, out));
        let (Some(&depth), Some(sum)) = (a_dims.last(), self.func.ty(c).dtype()) else {
            return Err(Unsupported::new(op, "takes no blocks"));
        };
        // Sums of floats are of f32 whatever the result is rounded to; of integers only the result's bits count.
        let dtype = if sum.is_float() && sum.size() < 4 { DType::F32 } else { sum };
        let slice = self.slice(op, &a_dims, &b_dims)?;
        let a = self.factor(op, a, &a_dims, a_dims.len() - 1, slice)?;
        let b = self.factor(op, b, &b_dims, b_dims.len() - 2, slice)?;

        let layout = self.plan.layout_of(out);
        let node = self.plan.node_of(c).ok_or_else(|| Unsupported::new(op, "adds to no block"))?;
        let mut sums = vec![];
        for register in 0..layout.registers() {
            let value = self.operand(node, &layout.at(register))?;
            sums.push(self.converted(value, dtype)?);
        }
        for part in 0..depth >> slice {
            self.wait("threadgroup")?;
            self.stage(&a, slice, part)?;
            self.stage(&b, slice, part)?;
            self.wait("threadgroup")?;
            sums = self.sum(&a, &b, slice, &layout, &dims, sums)?;
        }
        let sums = sums.into_iter().map(|value| self.converted(value, sum));
        let sums = sums.collect::<Result<Vec<_>>>()?;
        if let Some(node) = self.plan.node_of(out) {
            self.scope().held.insert(node, (layout, sums));
        }
        Ok(())
    }

    /// log2 of how much of k is in threadgroup memory at a time.
    fn slice(&self, op: &Op, a: &[usize], b: &[usize]) -> Result<u8> {
        let k = a.last().copied().unwrap_or(1);
        let bytes = |dims: &[usize], i| {
            let size = op.input(i).and_then(|id| self.func.ty(id).dtype()).map_or(4, DType::size);
            dims.iter().product::<usize>() / k.max(1) * size
        };
        let bytes = bytes(a, 0) + bytes(b, 1);
        let slices = (0..=log2(k)).rev();
        let fits = |slice: &u8| bytes << slice <= self.plan.staging;
        slices.into_iter().find(fits).ok_or_else(|| {
            let most = self.plan.staging;
            Unsupported::new(op, format!("a slice of its factors takes {bytes} bytes of {most}"))
        })
    }

    fn factor(
        &mut self,
        op: &Op,
        id: ValueId,
        dims: &[usize],
        axis: usize,
        slice: u8,
    ) -> Result<Factor> {
        let found = (self.plan.node_of(id), self.func.ty(id).dtype());
        let (Some(node), Some(dtype)) = found else {
            return Err(Unsupported::new(op, "takes no block"));
        };
        let k = axes(dims)[axis];
        let array = self.array(dtype, 1 << (index_bits(dims) - k.1 + slice))?;
        Ok(Factor { node, layout: self.plan.layout_of(id), k, array })
    }

    /// Writes the elements of a slice to threadgroup memory.
    fn stage(&mut self, factor: &Factor, slice: u8, part: usize) -> Result<()> {
        let first = self.is_first(&factor.layout)?;
        let (start, bits) = factor.k;
        let (mut places, mut inside) = (vec![], None);
        for register in 0..factor.layout.registers() {
            let index = factor.layout.at(register);
            let mut own = true;
            let (mut mask, mut value) = (0, 0);
            for bit in slice..bits {
                let one = part >> (bit - slice) & 1;
                match index.get(usize::from(start + bit)) {
                    Some(Bit::Const(is_one)) => own &= usize::from(*is_one) == one,
                    Some(Bit::Of { var: THREAD, bit }) => {
                        mask |= 1 << bit;
                        value |= (one as i32) << bit;
                    }
                    _ => {}
                }
            }
            if own {
                places.push(index);
                inside = (mask != 0).then_some((mask, value));
            }
        }
        let condition = match inside {
            Some((mask, value)) => {
                let (thread, mask, value) = (self.thread()?, self.int(mask)?, self.int(value)?);
                let which = self.op(K::BitwiseAnd, &[thread, mask], &[])?;
                let inside = self.op(K::Equal, &[which, value], &[])?;
                match first {
                    Some(first) => Some(self.op(K::And, &[first, inside], &[])?),
                    None => Some(inside),
                }
            }
            None => first,
        };
        let mut values = vec![];
        for index in places {
            let value = self.operand(factor.node, &index)?;
            values.push((self.iota(0, &factor.within(&index, slice))?, value));
        }
        let write = |e: &mut Self| {
            for &(place, value) in &values {
                let ptr = e.op(K::PtrAdd, &[factor.array, place], &[])?;
                e.build("store", |b| b.ops(K::Store, &[Some(ptr), Some(value)], &[], 0))?;
            }
            Ok(vec![])
        };
        match condition {
            Some(condition) => {
                let then = self.region(vec![], write)?;
                self.nest(K::If, &[condition], vec![], vec![then, Block::default()]).map(drop)
            }
            None => write(self).map(drop),
        }
    }

    /// Adds the products of a slice to the sums.
    fn sum(
        &mut self,
        a: &Factor,
        b: &Factor,
        slice: u8,
        layout: &Layout,
        dims: &[usize],
        sums: Vec<ValueId>,
    ) -> Result<Vec<ValueId>> {
        let places = axes(dims);
        let columns = places.last().map_or(0, |axis| axis.1);
        let rows = places.get(dims.len() - 2).map_or(0, |axis| axis.1);
        let split = usize::from(columns);
        let zeros = |count| std::iter::repeat_n(Bit::Const(false), usize::from(count));
        let (mut lefts, mut rights) = (Line::new(a.array), Line::new(b.array));
        let mut pairs = vec![];
        for register in 0..layout.registers() {
            let index = layout.at(register);
            let batch = index[split + usize::from(rows)..].iter().copied();
            let row = zeros(slice).chain(index[split..].iter().copied()).collect();
            let column = index[..split].iter().copied().chain(zeros(slice)).chain(batch).collect();
            pairs.push((lefts.place(self, row)?, rights.place(self, column)?));
        }
        let Some(dtype) = sums.first().and_then(|&sum| self.out.ty(sum).dtype()) else {
            return Ok(sums);
        };
        let types = vec![Type::fixed(dtype, &[]); sums.len()];
        let mut inputs = vec![self.int(0)?, self.int(1 << slice)?, self.int(1)?];
        inputs.extend(&sums);
        let k = self.out.value("k", Type::fixed(DType::I32, &[]));
        let carried = types.iter().map(|ty| self.out.value("sum", ty.clone())).collect::<Vec<_>>();
        let params = std::iter::once(k).chain(carried.iter().copied()).collect();
        let stride = self.int(1 << columns)?;
        let body = self.region(params, |e| {
            let down = e.op(K::Mul, &[k, stride], &[])?;
            let (left, right) = (lefts.load(e, k, dtype)?, rights.load(e, down, dtype)?);
            let mut results = vec![];
            for (&(row, column), sum) in pairs.iter().zip(carried) {
                let (x, y) = (left[row], right[column]);
                results.push(match dtype.is_float() {
                    true => e.op(K::Fma, &[x, y, sum], &[])?,
                    false => {
                        let product = e.op(K::Mul, &[x, y], &[])?;
                        e.op(K::Add, &[sum, product], &[])?
                    }
                });
            }
            Ok(results)
        })?;
        self.nest(K::For, &inputs, types, vec![body])
    }

    fn converted(&mut self, value: ValueId, to: DType) -> Result<ValueId> {
        match self.out.ty(value).dtype() == Some(to) {
            true => Ok(value),
            false => self.op(K::Cast, &[value], &[("to", Attr::DType(to))]),
        }
    }
}
