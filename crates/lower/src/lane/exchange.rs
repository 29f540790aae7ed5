//! Elements that another thread holds.

use trident_ir::{Attr, Block, OpKind as K, Space, ValueId};

use super::emit::{Emitter, Result};
use crate::access::{Index, NodeId};

impl Emitter<'_, '_> {
    /// The element of a loaded block with this index, by way of threadgroup memory.
    pub(super) fn from_other_thread(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let array = match self.shared.get(&node) {
            Some(&array) => array,
            None => self.share(node)?,
        };
        let at = self.iota(0, index)?;
        let ptr = self.op(K::PtrAdd, &[array, at], &[])?;
        self.op(K::Load, &[ptr], &[])
    }

    /// Writes a loaded block to threadgroup memory.
    fn share(&mut self, node: NodeId) -> Result<ValueId> {
        let Some((layout, registers)) = self.held.get(&node).cloned() else {
            return Err(self.missing("an element is needed before it is loaded"));
        };
        let (elem, bits) = (self.plan.graph[node].elem, self.plan.graph[node].bits);
        let array = self.op(
            K::Alloc,
            &[],
            &[
                ("space", Attr::Str(Space::Threadgroup.name().into())),
                ("dtype", Attr::DType(elem.dtype())),
                ("len", Attr::Int(1 << bits)),
            ],
        )?;
        let first = self.is_first(&layout)?;
        let places = (0..registers.len()).map(|register| self.iota(0, &layout.at(register)));
        let places = places.collect::<Result<Vec<_>>>()?;
        let outer = std::mem::take(&mut self.block);
        for (&value, place) in registers.iter().zip(places) {
            let ptr = self.op(K::PtrAdd, &[array, place], &[])?;
            self.build("store", |b| b.ops(K::Store, &[Some(ptr), Some(value)], &[], 0))?;
        }
        let stores = std::mem::replace(&mut self.block, outer);
        match first {
            Some(first) => drop(self.branch(first, vec![stores, Block::default()])?),
            None => self.block.ops.extend(stores.ops),
        }
        self.wait("threadgroup")?;
        self.shared.insert(node, array);
        Ok(array)
    }
}
