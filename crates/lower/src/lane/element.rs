//! Elements of blocks, computed where they are needed.

use trident_ir::{Attr, Op, OpKind as K, Type, ValueId};

use super::emit::{Emitter, Result};
use super::exchange::stored;
use super::layout::THREAD;
use crate::access::{Bit, Elem, Fun, Index, Kind, NodeId, rename};

impl<'m> Emitter<'_, 'm> {
    /// The element of an operand; that of a scalar has no index.
    pub(super) fn operand(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let index = self.plan.graph.operand_index(node, index);
        self.element(node, &index)
    }

    pub(super) fn element(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        if let Kind::Uniform(scalar) = self.plan.graph[node].kind {
            let found = self.env.get(&scalar).copied();
            return found.ok_or_else(|| self.missing("a scalar has no value"));
        }
        let key = (node, index.clone());
        if let Some(known) = self.known(|scope| scope.elements.get(&key).copied()) {
            return Ok(known);
        }
        let value = self.compute(node, index)?;
        self.scope().elements.insert(key, value);
        Ok(value)
    }

    fn compute(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let plan = self.plan;
        match &plan.graph[node].kind {
            Kind::Iota(start) => self.iota(*start, index),
            Kind::View(of, map) => self.element(*of, &rename(map, index)),
            Kind::Apply(Fun::Op(op), operands) => self.apply(op, node, operands, index),
            Kind::Choose { bit, from, map } => {
                let at = rename(map, index);
                match index.get(usize::from(*bit)).copied() {
                    Some(Bit::Of { bit, .. }) => {
                        let first = self.has_none_of(1 << bit)?;
                        let (a, b) = (self.element(from[0], &at)?, self.element(from[1], &at)?);
                        self.op(K::Where, &[first, a, b], &[])
                    }
                    Some(Bit::Const(true)) => self.element(from[1], &at),
                    _ => self.element(from[0], &at),
                }
            }
            Kind::Load { .. } | Kind::Buffer(_) => {
                let own = self.known(|scope| {
                    let (layout, registers) = scope.held.get(&node)?;
                    Some(layout.find(index).and_then(|at| registers.get(at)).copied())
                });
                match own {
                    Some(Some(own)) => Ok(own),
                    Some(None) => self.of_other_thread(node, index),
                    None => Err(self.missing("an element is needed before it is there")),
                }
            }
            Kind::Take { .. } | Kind::Apply(..) | Kind::Uniform(_) => {
                Err(self.missing("elements chosen by an index have no form at level lane"))
            }
        }
    }

    fn apply(
        &mut self,
        op: &'m Op,
        node: NodeId,
        operands: &[NodeId],
        index: &Index,
    ) -> Result<ValueId> {
        let inputs =
            operands.iter().map(|&x| self.operand(x, index)).collect::<Result<Vec<_>>>()?;
        let elem = self.plan.graph[node].elem;
        if op.kind == K::Poison {
            // Any value will do.
            let dtype = stored(elem);
            let zero = self.literal(dtype, vec![0; dtype.size()].into())?;
            return self.as_element(zero, elem);
        }
        let loc = std::mem::replace(&mut self.loc, op.loc.clone());
        let attrs: Vec<_> = op.attrs.iter().map(|(name, value)| (name, value.clone())).collect();
        let value = match (op.kind, elem) {
            (K::PtrCast | K::IntToPtr, Elem::Ptr(to)) => {
                let ty = Type::pointer(to, &[]);
                self.build(op.decl().name, |b| b.declared(op.kind, &inputs, &attrs, &[ty]))
                    .map(|made| made[0])
            }
            _ => self.op(op.kind, &inputs, &attrs),
        };
        self.loc = loc;
        value
    }

    pub(super) fn thread(&mut self) -> Result<ValueId> {
        if let Some(thread) = self.known(|scope| scope.thread) {
            return Ok(thread);
        }
        let thread = self.op(K::ThreadIndex, &[], &[])?;
        self.scope().thread = Some(thread);
        Ok(thread)
    }

    /// Some bits of the thread's number, as an integer.
    fn bits_of_thread(&mut self, start: u8, bits: u8) -> Result<ValueId> {
        let mut value = self.thread()?;
        if start > 0 {
            let start = self.int(start.into())?;
            let right = Attr::Str("RIGHT".into());
            value = self.op(K::BitShift, &[value, start], &[("direction", right)])?;
        }
        if start + bits < self.plan.threads {
            let mask = self.int((1 << bits) - 1)?;
            value = self.op(K::BitwiseAnd, &[value, mask], &[])?;
        }
        Ok(value)
    }

    /// The number at an index of the integers from `start` on.
    pub(super) fn iota(&mut self, start: i64, index: &Index) -> Result<ValueId> {
        let ones = index.iter().enumerate().map(|(at, bit)| match bit {
            Bit::Const(one) => i64::from(*one) << at,
            Bit::Of { .. } => 0,
        });
        let fixed = start + ones.sum::<i64>();
        let fixed = i32::try_from(fixed).map_err(|_| self.missing("an index beyond 32 bits"))?;
        let Some(place) = self.place(index)? else { return self.int(fixed) };
        if fixed == 0 {
            return Ok(place);
        }
        let fixed = self.int(fixed)?;
        self.op(K::Add, &[place, fixed], &[])
    }

    /// The part of an index that depends on the thread; `None` if no bit does.
    fn place(&mut self, index: &Index) -> Result<Option<ValueId>> {
        let varies = |bit: &Bit| matches!(bit, Bit::Of { var: THREAD, .. });
        let key: Index =
            index.iter().map(|b| if varies(b) { *b } else { Bit::Const(false) }).collect();
        if let Some(known) = self.known(|scope| scope.places.get(&key).copied()) {
            return Ok(Some(known));
        }
        let mut sum: Option<ValueId> = None;
        let mut at = 0;
        while let Some(bit) = key.get(at) {
            let Bit::Of { bit: first, .. } = *bit else {
                at += 1;
                continue;
            };
            let follows = |&(n, bit): &(usize, &Bit)| matches!(bit, Bit::Of { bit, .. } if usize::from(*bit) == usize::from(first) + n);
            let count = key.iter().skip(at).enumerate().take_while(follows).count();
            let mut part = self.bits_of_thread(first, count as u8)?;
            if at > 0 {
                let by = self.int(at as i32)?;
                let left = Attr::Str("LEFT".into());
                part = self.op(K::BitShift, &[part, by], &[("direction", left)])?;
            }
            sum = Some(match sum {
                Some(sum) => self.op(K::Add, &[sum, part], &[])?,
                None => part,
            });
            at += count;
        }
        if let Some(sum) = sum {
            self.scope().places.insert(key, sum);
        }
        Ok(sum)
    }
}
