//! Blocks that a loop carries without registers for their elements: unchanged blocks, and blocks whose elements all
//! grow by the same integer, such as advancing pointers.

use std::collections::HashMap;

use trident_ir::{DType, Func, Op, OpKind as K, ValueId};

use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::plan::LanePlan;
use trident_tile_analysis::{Bit, Carried, Elem, Fun, Kind, LaneBits, NodeId, index_bits};

/// How a loop carries a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Carry {
    /// It never changes.
    Same,
    /// Its first elements plus a scalar, the sum of what has been added to all of them.
    Offset {
        /// The type of the scalar.
        dtype: DType,
        /// The number that an iteration adds.
        by: ValueId,
    },
}

/// The blocks of a function that loops carry so, by the parameters of their regions.
pub(super) type Carries = HashMap<ValueId, Carry>;

impl<'m> LanePlan<'m> {
    /// Whether all elements of the block are the same.
    fn is_uniform(&self, node: NodeId) -> bool {
        match &self.graph[node].kind {
            Kind::Uniform(_) => true,
            Kind::View(of, _) => self.is_uniform(*of),
            Kind::Apply(_, operands) => operands.iter().all(|&operand| self.is_uniform(operand)),
            _ => self.graph[node].bits == 0,
        }
    }

    /// Plans a loop.
    pub(super) fn counted(
        &mut self,
        func: &'m Func,
        op: &'m Op,
    ) -> std::result::Result<(), Unsupported> {
        let (Some(region), [_, _, _, init @ ..]) = (op.regions.first(), &op.inputs[..]) else {
            return Err(Unsupported::malformed(op, "has no region"));
        };
        let Some((&counter, carried)) = region.params.split_first() else {
            return Err(Unsupported::malformed(op, "has no counter"));
        };
        self.held(func, counter);
        let mut offsets = vec![];
        for (i, &param) in carried.iter().enumerate() {
            let out = op.output(i);
            let targets = std::iter::once(param).chain(out);
            let first = init.get(i).copied().flatten().and_then(|id| self.nodes.get(&id).cloned());
            let (Some(&next), Some((first, dims))) = (region.results.get(i), first) else {
                return Err(Unsupported::malformed(op, "carries what is not a block"));
            };
            let is_uniform = |id| self.node_of(id).is_some_and(|node| self.is_uniform(node));
            match Carried::of(func, region, param, next, &is_uniform) {
                Carried::Same if !dims.is_empty() => {
                    self.carries.insert(param, Carry::Same);
                    self.nodes.extend(targets.map(|id| (id, (first, dims.clone()))));
                }
                Carried::Offset { add, dtype } if !dims.is_empty() => {
                    let elem = self.graph[first].elem;
                    // Addresses are sums of 64 bits, however short the integers are that are added to them.
                    let dtype = if matches!(elem, Elem::Ptr(_)) { DType::I64 } else { dtype };
                    let by = add.used().find(|&id| id != param).unwrap_or(param);
                    self.carries.insert(param, Carry::Offset { dtype, by });
                    offsets.push((by, param, out));
                    let bits = index_bits(&dims);
                    for id in targets {
                        let offset = self.graph.uniform(id, Elem::Data(dtype), bits);
                        let operands = vec![first, offset];
                        let kind = Kind::Apply(Fun::Op(add), operands.clone());
                        let node = self.graph.make(kind, elem, bits, 1, &operands);
                        self.nodes.insert(id, (node, dims.clone()));
                    }
                }
                _ => targets.for_each(|id| self.held(func, id)),
            }
        }
        self.block(func, region)?;
        for (by, param, out) in offsets {
            let Some(by) = self.node_of(by) else { continue };
            let zeros = self.graph.vector_zeros(by, LaneBits { start: 0, bits: 0 });
            std::iter::once(param).chain(out).for_each(|id| self.graph.promise_zeros(id, zeros));
        }
        Ok(())
    }
}

impl Emitter<'_, '_> {
    /// The carried part of a block when an iteration begins, or with `next` when it ends.
    pub(super) fn carried(
        &mut self,
        target: ValueId,
        carry: Carry,
        next: bool,
    ) -> Result<Option<ValueId>> {
        let Carry::Offset { dtype, by } = carry else { return Ok(None) };
        if !next {
            return self.literal(dtype, vec![0; dtype.size()].into()).map(Some);
        }
        let node = self.plan.node_of(by).ok_or_else(|| self.malformed("a step is not a block"))?;
        let anywhere = Bit::Const(false);
        let index = std::iter::repeat_n(anywhere, self.plan.graph[node].bits.into()).collect();
        let by = self.operand(node, &index)?;
        let by = match self.out.ty(by).dtype() == Some(dtype) {
            true => by,
            false => self.cast(by, dtype)?,
        };
        let before = self.env.get(&target).copied();
        let before = before.ok_or_else(|| self.malformed("an offset has no value"))?;
        self.op(K::Add, &[before, by]).map(Some)
    }
}
