//! Elements of blocks, computed where they are needed.

use trident_ir::{Op, OpKind as K, Type, ValueId};

use super::emit::{Emitter, Result};
use super::exchange::stored;
use super::layout::{STEP, THREAD};
use trident_tile_analysis::{Bit, Elem, Fun, Index, Kind, NodeId, rename};

impl<'m> Emitter<'_, 'm> {
    /// The element of an operand; that of a scalar has no index.
    pub(super) fn operand(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let index = self.plan.graph.operand_index(node, index);
        self.element(node, &index)
    }

    pub(super) fn element(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        if let Kind::Uniform(scalar) = self.plan.graph[node].kind {
            let found = self.env.get(&scalar).copied();
            return found.ok_or_else(|| self.malformed("a scalar has no value"));
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
                    Some(Bit::Of { var, bit }) => {
                        let first = self.is_zero(var, bit)?;
                        let (a, b) = (self.element(from[0], &at)?, self.element(from[1], &at)?);
                        self.op(K::Where, &[first, a, b])
                    }
                    Some(Bit::Const(true)) => self.element(from[1], &at),
                    _ => self.element(from[0], &at),
                }
            }
            Kind::Load { .. } | Kind::Buffer(_) => {
                if let Some(access) = plan.late_load(node) {
                    return self.read_late(access, node, index);
                }
                let own = self.known(|scope| {
                    let (layout, registers) = scope.held.get(&node)?;
                    Some(layout.find(index).and_then(|at| registers.get(at)).copied())
                });
                match own {
                    Some(Some(own)) => Ok(own),
                    Some(None) => self.of_other_thread(node, index),
                    None => Err(self.malformed("an element is needed before it is there")),
                }
            }
            Kind::Take { .. } | Kind::Apply(..) | Kind::Uniform(_) => {
                Err(self.missing("choosing elements by this index is not supported on GPUs"))
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
        let own = op.on(inputs.into_iter().map(Some).collect());
        let value = match (op.kind, elem) {
            (K::PtrCast | K::IntToPtr, Elem::Ptr(to)) => {
                let ty = Type::pointer(to, &[]);
                self.build(op.decl().name, |b| b.append_as(own, &[ty])).map(|made| made[0])
            }
            _ => self.append(own),
        };
        self.loc = loc;
        value
    }

    pub(super) fn thread(&mut self) -> Result<ValueId> {
        if let Some(thread) = self.known(|scope| scope.thread) {
            return Ok(thread);
        }
        let thread = self.op(K::ThreadIndex, &[])?;
        self.scope().thread = Some(thread);
        Ok(thread)
    }

    /// The number of the thread, or of the step of the loop that is open.
    fn counter(&mut self, var: u16) -> Result<ValueId> {
        match var {
            STEP => {
                let step = self.known(|scope| scope.step);
                step.ok_or_else(|| self.malformed("a step of no loop is asked for"))
            }
            _ => self.thread(),
        }
    }

    /// Whether a bit of a counter is 0.
    fn is_zero(&mut self, var: u16, bit: u8) -> Result<ValueId> {
        let (counter, one, zero) = (self.counter(var)?, self.int(1 << bit)?, self.int(0)?);
        let which = self.op(K::BitwiseAnd, &[counter, one])?;
        self.op(K::Equal, &[which, zero])
    }

    /// Some bits of a counter, as an integer.
    fn bits_of(&mut self, var: u16, start: u8, bits: u8) -> Result<ValueId> {
        let mut value = self.counter(var)?;
        if start > 0 {
            let start = self.int(start.into())?;
            value = self.shift_right(value, start)?;
        }
        if var == STEP || start + bits < self.plan.threads {
            let mask = self.int((1 << bits) - 1)?;
            value = self.op(K::BitwiseAnd, &[value, mask])?;
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
        let fixed = i32::try_from(fixed).map_err(|_| self.missing("an index exceeds 32 bits"))?;
        let Some(place) = self.place(index)? else { return self.int(fixed) };
        if fixed == 0 {
            return Ok(place);
        }
        let fixed = self.int(fixed)?;
        self.op(K::Add, &[place, fixed])
    }

    /// The part of an index that depends on counters; `None` if no bit does.
    fn place(&mut self, index: &Index) -> Result<Option<ValueId>> {
        let mut sum = None;
        for counter in [THREAD, STEP] {
            let bits = index.iter().enumerate().filter_map(|(at, bit)| match *bit {
                Bit::Of { var, bit } if var == counter => Some((bit, 1 << at)),
                _ => None,
            });
            let part = self.weighted_by(counter, &bits.collect::<Vec<_>>())?;
            sum = match (sum, part) {
                (Some(sum), Some(part)) => Some(self.op(K::Add, &[sum, part])?),
                (sum, part) => sum.or(part),
            };
        }
        Ok(sum)
    }

    /// The sum of bits of the thread's number, each times its own weight; `None` if there are none.
    pub(super) fn weighted(&mut self, bits: &[(u8, usize)]) -> Result<Option<ValueId>> {
        self.weighted_by(THREAD, bits)
    }

    fn weighted_by(&mut self, counter: u16, bits: &[(u8, usize)]) -> Result<Option<ValueId>> {
        let key = (counter, bits.to_vec());
        if let Some(known) = self.known(|scope| scope.places.get(&key).copied()) {
            return Ok(Some(known));
        }
        let (mut sum, mut rest): (Option<ValueId>, _) = (None, bits);
        while let Some(&(first, weight)) = rest.first() {
            let follows = |&(n, (bit, other)): &(usize, &(u8, usize))| {
                usize::from(*bit) == usize::from(first) + n && *other == weight << n
            };
            let count = rest.iter().enumerate().take_while(follows).count();
            rest = &rest[count..];
            let mut part = self.bits_of(counter, first, count as u8)?;
            if weight > 1 {
                let is_power = weight.is_power_of_two();
                let by = if is_power { weight.ilog2() as usize } else { weight };
                let by = i32::try_from(by).map_err(|_| self.missing("an index exceeds 32 bits"))?;
                let by = self.int(by)?;
                part = match is_power {
                    true => self.shift_left(part, by)?,
                    false => self.op(K::Mul, &[part, by])?,
                };
            }
            sum = Some(match sum {
                Some(sum) => self.op(K::Add, &[sum, part])?,
                None => part,
            });
        }
        if let Some(sum) = sum {
            self.scope().places.insert(key, sum);
        }
        Ok(sum)
    }
}
