//! Ops that find their elements by number, and regions that are applied to each element.

use trident_ir::op::words::{AtomicOp, BarrierMemory, MemoryOrder};
use trident_ir::{Block, DType, Op, OpKind as K, ValueId, ops};

use super::banks::Padding;
use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::exchange::{Piece, stored};
use super::layout::Layout;
use trident_tile_analysis::{Bit, Index, NodeId, axes, index_bits, log2};

impl Emitter<'_, '_> {
    /// The elements that a thread needs of an operand, one for each register of a layout.
    pub(super) fn in_registers(&mut self, node: NodeId, layout: &Layout) -> Result<Vec<ValueId>> {
        (0..layout.registers()).map(|register| self.operand(node, &layout.at(register))).collect()
    }

    fn block_of(&self, op: &Op, id: ValueId) -> Result<(ValueId, NodeId, Vec<usize>)> {
        let found = self.plan.node_of(id).zip(self.func.ty(id).dims());
        let found = found.map(|(node, dims)| (id, node, dims));
        found.ok_or_else(|| Unsupported::malformed(op, "takes no block"))
    }

    /// Elements of a block by their place along an axis, by way of threadgroup memory: the block lies there, or one piece of
    /// it after the other.
    pub(super) fn take(&mut self, op: &Op) -> Result<()> {
        let view = self.view(op, ops::TakeAlongAxis::of)?;
        let Some(out) = view.y() else { return Ok(()) };
        let (id, source, dims) = self.block_of(op, view.x())?;
        let (_, which, to) = self.block_of(op, view.indices())?;
        let axis = usize::try_from(view.axis()).ok();
        let of = axis.and_then(|axis| axes(&dims).get(axis).copied());
        let (Some(axis), Some((start, bits))) = (axis, of) else {
            return Err(Unsupported::malformed(op, "has no such axis"));
        };
        let layout = self.plan.layout_of(id);
        let registers = self.in_registers(source, &layout)?;
        let target = self.plan.layout_of(out);
        // Where each element lies in the whole block.
        let mut places = vec![];
        for register in 0..target.registers() {
            let index = target.at(register);
            let mut rest = vec![Bit::Const(false); usize::from(index_bits(&dims))];
            for (i, (from, to)) in axes(&dims).into_iter().zip(axes(&to)).enumerate() {
                for bit in (0..from.1).filter(|_| i != axis) {
                    rest[usize::from(from.0 + bit)] = index[usize::from(to.0 + bit)];
                }
            }
            let rest = self.iota(0, &rest.into())?;
            let number = self.operand(which, &index)?;
            let number = self.cast(number, DType::I32)?;
            // No index leads out of memory.
            let last = self.int((1 << bits) - 1)?;
            let number = self.op(K::BitwiseAnd, &[number, last])?;
            let shift = self.int(start.into())?;
            let along = self.shift_left(number, shift)?;
            places.push(self.op(K::Add, &[rest, along])?);
        }
        let elem = self.plan.graph[source].elem;
        let dtype = stored(elem);
        let total = layout.bits();
        let most = log2((self.memory.limit() / 2 / dtype.size()).max(1).next_power_of_two());
        let kept = total.min(most.into());
        let part = self.part(dtype, 1 << kept)?;
        let mut found: Vec<Option<ValueId>> = vec![None; places.len()];
        for number in 0..1usize << (total - kept) {
            let fixed = (kept..total).map(|at| (at, number >> (at - kept) & 1 == 1)).collect();
            let piece = Piece { node: source, fixed, padding: Padding::NONE, part: part.clone() };
            self.write_piece(&piece, &layout, &registers)?;
            for (found, &place) in found.iter_mut().zip(&places) {
                if total == kept {
                    *found = Some(self.read_shared(&part, place)?);
                    continue;
                }
                let last = self.int((1 << kept) - 1)?;
                let own = self.op(K::BitwiseAnd, &[place, last])?;
                let (first, first_of) = (self.int((number << kept) as i32)?, [place, own]);
                let first_of = self.op(K::Sub, &first_of)?;
                let is_here = self.op(K::Equal, &[first, first_of])?;
                let read = self.read_shared(&part, own)?;
                *found = Some(match *found {
                    Some(before) => self.op(K::Where, &[is_here, read, before])?,
                    None => read,
                });
            }
        }
        self.release(&part);
        let numbers = found.into_iter().flatten();
        let elements =
            numbers.map(|number| self.as_element(number, elem)).collect::<Result<_>>()?;
        self.give(out, &target, elements);
        Ok(())
    }

    /// Counts by atomic ops on threadgroup memory.
    pub(super) fn histogram(&mut self, op: &Op) -> Result<()> {
        let view = self.view(op, ops::Histogram::of)?;
        let Some(out) = view.y() else { return Ok(()) };
        let (id, node, _) = self.block_of(op, view.x())?;
        let mask = view.mask().and_then(|mask| self.plan.node_of(mask));
        let (layout, target) = (self.plan.layout_of(id), self.plan.layout_of(out));
        let part = self.part(DType::I32, 1 << target.bits())?;
        let zero = self.int(0)?;
        let mut places = vec![];
        for register in 0..target.registers() {
            places.push(self.iota(0, &target.at(register))?);
        }
        let first = self.is_first(&target)?;
        let zeros = places.iter().map(|&at| (&part, at, zero)).collect();
        self.write_shared(zeros, first)?;
        let first = self.is_first(&layout)?;
        for register in 0..layout.registers() {
            let index = layout.at(register);
            let value = self.operand(node, &index)?;
            let counts = self.is_number_below(value, target.bits())?;
            let mut who = counts;
            let mask = mask.map(|mask| self.operand(mask, &index)).transpose()?;
            for also in [first, mask].into_iter().flatten() {
                who = self.op(K::And, &[who, also])?;
            }
            let value = self.cast(value, DType::I32)?;
            let then = self.region(vec![], |e| {
                let (one, at) = (e.int(1)?, e.shared_place(&part, value)?);
                let rmw = ops::AtomicRmw::new(at, one, None).op(AtomicOp::Add);
                e.add(rmw.order(MemoryOrder::Relaxed))?;
                Ok(vec![])
            })?;
            self.nest(ops::If::new(who), vec![], vec![then, Block::default()])?;
        }
        self.wait(BarrierMemory::Threadgroup)?;
        let counts = places.into_iter().map(|at| self.read_shared(&part, at));
        let counts = counts.collect::<Result<Vec<ValueId>>>()?;
        self.release(&part);
        self.give(out, &target, counts);
        Ok(())
    }

    /// Whether an integer is not negative and has at most `bits` bits.
    fn is_number_below(&mut self, value: ValueId, bits: usize) -> Result<ValueId> {
        let dtype = self.out.ty(value).dtype().unwrap_or(DType::I32);
        let bytes = |value: u64| value.to_le_bytes()[..dtype.size()].to_vec();
        let zero = self.literal(dtype, bytes(0).into())?;
        let is_signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
        if bits + usize::from(is_signed) >= dtype.bits() {
            return self.op(K::GreaterOrEqual, &[value, zero]);
        }
        let by = self.literal(dtype, bytes(bits as u64).into())?;
        let rest = self.shift_right(value, by)?;
        self.op(K::Equal, &[rest, zero])
    }

    /// Applies a region to runs of elements, which lie in registers of one thread.
    pub(super) fn map(&mut self, op: &Op) -> Result<()> {
        let region =
            op.regions.first().ok_or_else(|| Unsupported::malformed(op, "has no region"))?;
        let pack = self.view(op, ops::Map::of)?.pack();
        let pack = usize::try_from(pack).unwrap_or(1);
        let ids: Vec<ValueId> = op.used().collect();
        let nodes: Option<Vec<NodeId>> = ids.iter().map(|&id| self.plan.node_of(id)).collect();
        let nodes = nodes.ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
        let Some(&first) = ids.first() else { return Ok(()) };
        let dims = self.func.ty(first).dims().unwrap_or_default();
        let (bits, last) = (usize::from(log2(pack)), dims.len().saturating_sub(1));
        let layout = match self.plan.layout_of(first) {
            layout if layout.at(0).iter().take(bits).all(|b| *b == Bit::Const(false)) => layout,
            _ => Layout::blocked(&dims, last, log2(pack), self.plan.threads),
        };
        let mut results: Vec<Vec<Option<ValueId>>> =
            vec![vec![None; layout.registers()]; op.outputs.len()];
        for register in 0..layout.registers() {
            let start = layout.at(register);
            if start.iter().take(bits).any(|bit| *bit != Bit::Const(false)) {
                continue;
            }
            let at = |k: usize| -> Index {
                let own = (0..bits).map(|bit| Bit::Const(k >> bit & 1 == 1));
                own.chain(start.iter().skip(bits).copied()).collect()
            };
            let mut given = vec![];
            for &node in &nodes {
                for k in 0..pack {
                    given.push(self.operand(node, &at(k))?);
                }
            }
            let made = self.apply_region(region, &given)?;
            for (results, made) in results.iter_mut().zip(made.chunks(pack)) {
                for (k, &value) in made.iter().enumerate() {
                    let register = layout.find(&at(k));
                    let place = register.and_then(|register| results.get_mut(register));
                    *place.ok_or_else(|| {
                        Unsupported::new(
                            op,
                            "it moves data between blocks in a way that is not supported",
                        )
                    })? = Some(value);
                }
            }
        }
        for (out, results) in op.outputs.iter().zip(results) {
            if let Some(out) = *out {
                self.give(out, &layout, results.into_iter().flatten().collect());
            }
        }
        Ok(())
    }
}
