//! Reductions, scans and maps: their regions are scalar code inside loops.

use cranelift_codegen::ir::{InstBuilder, Value};
use trident_ir::{DType, Op, OpKind, Type, ops};
use trident_tile_analysis::{Bit, Elem, Index, NodeId, axes, counter, index_bits, log2};

use super::node::{Kind, Register, Val};
use super::{Emitter, Result, block_type, malformed, view};
use crate::routine::{Reduction, Routine};

/// The operands, their common dimensions, the axis, and the axis' first bit and number of bits in an index.
type Reduced = (Vec<NodeId>, Vec<usize>, usize, (u8, u8));

impl<'m> Emitter<'m, '_> {
    /// The operands and their common dimensions.
    fn operands(&mut self, op: &Op) -> Result<(Vec<NodeId>, Vec<usize>)> {
        let mut nodes = vec![];
        let mut dims = vec![];
        for i in 0..op.inputs.len() {
            let (node, of) = self.tile(op, i)?;
            nodes.push(node);
            dims = of;
        }
        Ok((nodes, dims))
    }

    fn reduced(&mut self, op: &Op, axis: i64) -> Result<Reduced> {
        let (nodes, dims) = self.operands(op)?;
        let axis = usize::try_from(axis).map_err(|_| malformed(op, "no such axis"))?;
        let bits = *axes(&dims).get(axis).ok_or_else(|| malformed(op, "no such axis"))?;
        Ok((nodes, dims, axis, bits))
    }

    fn combine(
        &mut self,
        op: &'m Op,
        left: &[Value],
        right: &[Value],
        elems: &[Elem],
    ) -> Result<Vec<Value>> {
        let region = op.regions.first().ok_or_else(|| malformed(op, "has no region"))?;
        let vals = left.iter().chain(right).zip(elems.iter().cycle());
        let vals = vals.map(|(&v, &e)| Val::Scalar(v, e)).collect();
        let yields = self.block(region, vals)?;
        yields
            .into_iter()
            .map(|val| match val {
                Val::Scalar(value, _) => Ok(value),
                _ => Err(malformed(op, "yields no scalar")),
            })
            .collect()
    }

    /// The index with the bits of an axis inserted at `start`.
    fn with_axis(rest: &[Bit], start: u8, axis: &[Bit]) -> Index {
        let (low, high) = rest.split_at(usize::from(start).min(rest.len()));
        [low, axis, high].concat().into()
    }

    pub(super) fn reduce(&mut self, op: &'m Op) -> Result<()> {
        let axis = view(op, ops::Reduce::of)?.axis();
        let (nodes, dims, axis, (start, bits)) = self.reduced(op, axis)?;
        let elems: Vec<Elem> = nodes.iter().map(|&n| self.nodes[n].elem).collect();
        let mut rest = dims.clone();
        rest.remove(axis);
        let total = index_bits(&rest);
        if let (Some(routine), [node], 0) =
            (reduce_routine(op, elems[0].dtype()), &nodes[..], start)
        {
            let out = self.reserve(elems[0].size() << total);
            let found = plain(op).map(|how| self.reduce_wide(op, how, *node, &dims, out));
            if !found.transpose()?.unwrap_or(false) {
                let x = self.source(*node, &dims)?;
                let (rows, n) = (self.int(1 << total), self.int(1 << bits));
                self.call_routine(op, routine, &[out, x, rows, n, n])?;
            }
            let node = self.node(Kind::Buffer(out), elems[0], total, 1, 0);
            return self.give_block(op, 0, node, rest);
        }
        self.force_functions(&nodes)?;
        let buffers: Vec<Value> = match rest.is_empty() {
            true => vec![],
            false => elems.iter().map(|e| self.reserve(e.size() << total)).collect(),
        };
        let top = self.scratch.top;
        let lines: Vec<Value> = match bits == 0 || plain(op).is_some() {
            true => vec![],
            false => elems.iter().map(|e| self.reserve(e.size() << (bits + 1))).collect(),
        };
        let mut last = vec![];
        self.repeat(total, &[], |e, outer, _| {
            let place: Index = counter(outer, total).collect();
            let results = match lines.is_empty() {
                true => e.reduce_line(op, &nodes, &elems, &place, (start, bits))?,
                false => e.reduce_tree(op, &nodes, &elems, &place, (start, bits), &lines)?,
            };
            for ((&buffer, &value), elem) in buffers.iter().zip(&results).zip(&elems) {
                let at = e.element_address(buffer, &place, elem.size());
                let flags = e.flags();
                e.b.ins().store(flags, value, at, 0);
            }
            last = results;
            Ok(vec![])
        })?;
        self.scratch.top = top;
        for (i, &elem) in elems.iter().enumerate() {
            let Some(id) = op.output(i) else { continue };
            let val = match (buffers.get(i), last.get(i)) {
                (Some(&buffer), _) => {
                    Val::Block(self.node(Kind::Buffer(buffer), elem, total, 1, 0), rest.clone())
                }
                (None, Some(&value)) => Val::Scalar(value, elem),
                (None, None) => return Err(malformed(op, "yields too little")),
            };
            self.calls.define(id, val);
        }
        Ok(())
    }

    /// Reduces the elements along the axis for one position of the result, first to last.
    fn reduce_line(
        &mut self,
        op: &'m Op,
        nodes: &[NodeId],
        elems: &[Elem],
        place: &Index,
        (start, bits): (u8, u8),
    ) -> Result<Vec<Value>> {
        let first = vec![Bit::Const(false); usize::from(bits)];
        let first = Self::with_axis(place, start, &first);
        let mut init = vec![];
        for &node in nodes {
            init.push(self.eval(node, &first)?);
        }
        if bits == 0 {
            return Ok(init);
        }
        // The first element is the initial value, as combining may have no neutral element; the loop covers the others.
        self.repeat_from_one(bits, &init, |e, var, left| {
            let axis: Vec<Bit> = counter(var, bits).collect();
            let at = Self::with_axis(place, start, &axis);
            let right: Result<Vec<Value>> = nodes.iter().map(|&n| e.eval(n, &at)).collect();
            e.combine(op, left, &right?, elems)
        })
    }

    /// Reduces the elements along the axis for one position of the result as a tree: adjacent elements, then adjacent
    /// results and so on, as the reference interpreter does. Dependency chains stay short, and regions that are
    /// associative only up to NaN or rounding, such as that of `argmax`, give the same results as upstream's trees.
    ///
    /// Each of `lines` has room for the elements, followed by all results of the tree in the order in which they are
    /// consumed.
    fn reduce_tree(
        &mut self,
        op: &'m Op,
        nodes: &[NodeId],
        elems: &[Elem],
        place: &Index,
        (start, bits): (u8, u8),
        lines: &[Value],
    ) -> Result<Vec<Value>> {
        self.repeat(bits, &[], |e, var, _| {
            let axis: Vec<Bit> = counter(var, bits).collect();
            let at = Self::with_axis(place, start, &axis);
            for ((&node, elem), &line) in nodes.iter().zip(elems).zip(lines) {
                let value = e.eval(node, &at)?;
                let address = e.element_address(line, &axis.clone().into(), elem.size());
                let flags = e.flags();
                e.b.ins().store(flags, value, address, 0);
            }
            Ok(vec![])
        })?;
        let flags = self.flags();
        // Result number `var` combines elements 2 var - 2 and 2 var - 1.
        self.repeat_from_one(bits, &[], |e, var, _| {
            let (mut left, mut right, mut to) = (vec![], vec![], vec![]);
            let result: Index = counter(var, bits).collect();
            let pair = [&[Bit::Const(false)], &result[..]].concat().into();
            for (elem, &line) in elems.iter().zip(lines) {
                let size = elem.size() as i32;
                let from = e.element_address(line, &pair, elem.size());
                left.push(e.b.ins().load(elem.clif(), flags, from, -2 * size));
                right.push(e.b.ins().load(elem.clif(), flags, from, -size));
                to.push(e.element_address(line, &result, elem.size()));
            }
            let results = e.combine(op, &left, &right, elems)?;
            for ((elem, to), value) in elems.iter().zip(to).zip(results) {
                e.b.ins().store(flags, value, to, elem.size() as i32 * ((1 << bits) - 1));
            }
            Ok(vec![])
        })?;
        let last = |(elem, &line): (&Elem, &Value)| {
            let at = elem.size() as i32 * ((2 << bits) - 2);
            self.b.ins().load(elem.clif(), flags, line, at)
        };
        Ok(elems.iter().zip(lines).map(last).collect())
    }

    pub(super) fn prefix_scan(&mut self, op: &'m Op) -> Result<()> {
        let scan = view(op, ops::PrefixScan::of)?;
        let (nodes, dims, axis, (start, bits)) = self.reduced(op, scan.axis())?;
        let elems: Vec<Elem> = nodes.iter().map(|&n| self.nodes[n].elem).collect();
        let mut rest = dims.clone();
        rest.remove(axis);
        let (outer_bits, total) = (index_bits(&rest), index_bits(&dims));
        let buffers: Vec<Value> = elems.iter().map(|e| self.reserve(e.size() << total)).collect();
        let reverse = scan.reverse();
        self.force_functions(&nodes)?;
        self.repeat(outer_bits, &[], |e, outer, _| {
            let place: Vec<Bit> = counter(outer, outer_bits).collect();
            let put = |e: &mut Self, at: &Index, values: &[Value]| {
                for ((&buffer, &value), elem) in buffers.iter().zip(values).zip(&elems) {
                    let address = e.element_address(buffer, at, elem.size());
                    let flags = e.flags();
                    e.b.ins().store(flags, value, address, 0);
                }
            };
            let first = vec![Bit::Const(reverse); usize::from(bits)];
            let first = Self::with_axis(&place, start, &first);
            let init: Result<Vec<Value>> = nodes.iter().map(|&n| e.eval(n, &first)).collect();
            let init = init?;
            put(e, &first, &init);
            if bits == 0 {
                return Ok(vec![]);
            }
            e.repeat_from_one(bits, &init, |e, var, left| {
                let var = if reverse { e.mirrored(var, bits) } else { var };
                let axis: Vec<Bit> = counter(var, bits).collect();
                let at = Self::with_axis(&place, start, &axis);
                let right: Result<Vec<Value>> = nodes.iter().map(|&n| e.eval(n, &at)).collect();
                let next = e.combine(op, left, &right?, &elems)?;
                put(e, &at, &next);
                Ok(next)
            })?;
            Ok(vec![])
        })?;
        for (i, (&buffer, &elem)) in buffers.iter().zip(&elems).enumerate() {
            let node = self.node(Kind::Buffer(buffer), elem, total, 1, 0);
            self.give_block(op, i, node, dims.clone())?;
        }
        Ok(())
    }

    /// A counter that counts down.
    fn mirrored(&mut self, var: u16, bits: u8) -> u16 {
        let value = self.sweeps.counter(var);
        let last = self.int((1 << bits) - 1);
        let mirrored = self.b.ins().isub(last, value);
        self.name(mirrored)
    }

    pub(super) fn map(&mut self, op: &'m Op) -> Result<()> {
        let region = op.regions.first().ok_or_else(|| malformed(op, "has no region"))?;
        let pack = view(op, ops::Map::of)?.pack().max(1) as usize;
        let (nodes, dims) = self.operands(op)?;
        let total = index_bits(&dims);
        let mut outs = vec![];
        for (i, &id) in region.results.iter().step_by(pack).enumerate() {
            let ty: &Type = self.calls.func().ty(id);
            let (elem, _) =
                block_type(ty).ok_or_else(|| malformed(op, format!("yields a {ty} ({i})")))?;
            outs.push((self.reserve(elem.size() << total), elem));
        }
        let low = log2(pack);
        // The region's effects may overwrite memory that the operands are loaded from.
        if op.effect() == trident_ir::op::Effect::Write {
            self.force(nodes.clone())?;
        }
        self.force_functions(&nodes)?;
        self.repeat(total.saturating_sub(low), &[], |e, var, _| {
            let at = |j: usize| -> Index {
                let bit = |k: u8| Bit::Const(j >> k & 1 == 1);
                (0..low).map(bit).chain(counter(var, total - low)).collect()
            };
            let mut params = vec![];
            for &node in &nodes {
                let elem = e.nodes[node].elem;
                for j in 0..pack {
                    params.push(Val::Scalar(e.eval(node, &at(j))?, elem));
                }
            }
            let yields = e.block(region, params)?;
            for (i, val) in yields.into_iter().enumerate() {
                let (Val::Scalar(value, _), Some(&(buffer, elem))) = (val, outs.get(i / pack))
                else {
                    return Err(malformed(op, "yields no scalar"));
                };
                let address = e.element_address(buffer, &at(i % pack), elem.size());
                let flags = e.flags();
                e.b.ins().store(flags, value, address, 0);
            }
            Ok(vec![])
        })?;
        for (i, &(buffer, elem)) in outs.iter().enumerate() {
            let node = self.node(Kind::Buffer(buffer), elem, total, 1, 0);
            self.give_block(op, i, node, dims.clone())?;
        }
        Ok(())
    }
}

/// The operation of a reduction or scan whose region is a single op supported by a routine.
fn plain(op: &Op) -> Option<Reduction> {
    let [region] = &op.regions[..] else { return None };
    let ([only], [a, b], [result]) = (&region.ops[..], &region.params[..], &region.results[..])
    else {
        return None;
    };
    let operands: Vec<_> = only.used().collect();
    let both = operands == [*a, *b] || operands == [*b, *a];
    if !both || only.defined().next() != Some(*result) {
        return None;
    }
    Some(match only.kind {
        OpKind::Add => Reduction::Sum,
        OpKind::Mul => Reduction::Prod,
        OpKind::Max => Reduction::Max,
        OpKind::Min => Reduction::Min,
        OpKind::MaxNum => Reduction::MaxNum,
        OpKind::MinNum => Reduction::MinNum,
        OpKind::BitwiseAnd => Reduction::And,
        OpKind::BitwiseOr => Reduction::Or,
        OpKind::BitwiseXor => Reduction::Xor,
        _ => return None,
    })
}

/// The routine for a reduction. These operations commute and may be combined in any order, so the routine may choose
/// it.
fn reduce_routine(op: &Op, dtype: DType) -> Option<Routine> {
    let routine = Routine::Reduce { op: plain(op)?, dtype };
    routine.slot().map(|_| routine)
}
