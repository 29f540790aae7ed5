//! Elements that another thread holds.

use trident_ir::{Attr, Block, DType, OpKind as K, ValueId};

use super::emit::{Emitter, Result};
use crate::access::{Index, NodeId};

impl Emitter<'_, '_> {
    /// The element of a block in registers with this index, by way of threadgroup memory.
    pub(super) fn of_other_thread(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let array = match self.known(|scope| scope.shared.get(&node).copied()) {
            Some(array) => array,
            None => self.share(node)?,
        };
        let at = self.iota(0, index)?;
        self.read_shared(array, at)
    }

    /// A value of another lane, by one of the shuffles. What they do not take travels as numbers of 32 bits.
    pub(super) fn shuffled(&mut self, kind: K, value: ValueId, by: ValueId) -> Result<ValueId> {
        let to = |dtype| [("to", Attr::DType(dtype))];
        match self.out.ty(value).dtype() {
            Some(DType::Bool) => {
                let number = self.op(K::Cast, &[value], &to(DType::I32))?;
                let other = self.op(kind, &[number, by], &[])?;
                self.op(K::Cast, &[other], &to(DType::Bool))
            }
            Some(dtype) if dtype.size() == 8 && dtype.is_int() => {
                let bits = self.op(K::BitCast, &[value], &to(DType::U64))?;
                let thirty_two = self.literal(DType::U64, 32u64.to_le_bytes().to_vec().into())?;
                let shift = |direction: &str| [("direction", Attr::Str(direction.into()))];
                let high = self.op(K::BitShift, &[bits, thirty_two], &shift("RIGHT"))?;
                let mut halves = vec![];
                for half in [bits, high] {
                    let half = self.op(K::Cast, &[half], &to(DType::U32))?;
                    let other = self.op(kind, &[half, by], &[])?;
                    halves.push(self.op(K::Cast, &[other], &to(DType::U64))?);
                }
                let high = self.op(K::BitShift, &[halves[1], thirty_two], &shift("LEFT"))?;
                let both = self.op(K::BitwiseOr, &[halves[0], high], &[])?;
                self.op(K::BitCast, &[both], &to(dtype))
            }
            _ => self.op(kind, &[value, by], &[]),
        }
    }

    pub(super) fn read_shared(&mut self, array: ValueId, at: ValueId) -> Result<ValueId> {
        let ptr = self.op(K::PtrAdd, &[array, at], &[])?;
        self.op(K::Load, &[ptr], &[])
    }

    /// Writes values to places of an array, in the threads for which a condition holds; then all threads see them.
    pub(super) fn write_shared(
        &mut self,
        array: ValueId,
        values: &[(ValueId, ValueId)],
        first: Option<ValueId>,
    ) -> Result<()> {
        // In a loop others may still read what the iteration before has written.
        if self.is_nested() {
            self.wait("threadgroup")?;
        }
        let write = |e: &mut Self| {
            for &(place, value) in values {
                let ptr = e.op(K::PtrAdd, &[array, place], &[])?;
                e.build("store", |b| b.ops(K::Store, &[Some(ptr), Some(value)], &[], 0))?;
            }
            Ok(vec![])
        };
        match first {
            Some(first) => {
                let then = self.region(vec![], write)?;
                self.nest(K::If, &[first], vec![], vec![then, Block::default()])?;
            }
            None => drop(write(self)?),
        }
        self.wait("threadgroup")
    }

    /// Writes a block in registers to threadgroup memory.
    fn share(&mut self, node: NodeId) -> Result<ValueId> {
        let held = self.known(|scope| scope.held.get(&node).cloned());
        let Some((layout, registers)) = held else {
            return Err(self.missing("an element is needed before it is there"));
        };
        let (elem, bits) = (self.plan.graph[node].elem, self.plan.graph[node].bits);
        let array = self.array(elem.dtype(), 1 << bits)?;
        let first = self.is_first(&layout)?;
        let mut values = vec![];
        for (register, &value) in registers.iter().enumerate() {
            values.push((self.iota(0, &layout.at(register))?, value));
        }
        self.write_shared(array, &values, first)?;
        self.scope().shared.insert(node, array);
        Ok(array)
    }
}
