//! Loads that a store may overlap. All elements are read before the first is written.

use std::collections::HashSet;

use trident_ir::OpKind;

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::Index;
use super::row::{Destination, Row, start};

/// A load and a store of a row that overlap, if at all, in the very same elements, unless a guard tells otherwise: that the
/// distance of their memory is 0, if as much is read as written, or at least the bytes of the lower one.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The pointers of the load.
    pub load: NodeId,
    /// Bytes that are read.
    pub read: usize,
    /// Bytes that are written.
    pub written: usize,
    /// Two pointers of the same distance: one for the store's first element, and one for the load's.
    pub distance: [(NodeId, Index); 2],
}

impl<L: Leaf> Graph<'_, L> {
    /// The loads of a row, the only one of its block, that storing the row group by group may overlap. A load whose
    /// pointers are those of the store reads only what the same element's store overwrites.
    pub fn overlaps(&self, row: &Row, to: NodeId) -> Vec<Overlap> {
        let others = row.loads.iter().filter(|load| !self.same(load.ptr, to));
        let bytes = |ptr: NodeId| match self[ptr].elem {
            Elem::Ptr(to) => to.size() * row.len(),
            Elem::Data(_) => 0,
        };
        let overlap = |load: &super::Load| Overlap {
            load: load.ptr,
            read: bytes(load.ptr),
            written: bytes(to),
            distance: self.distance((to, start(&row.index())), (load.ptr, start(&load.index))),
        };
        others.map(overlap).collect()
    }

    /// Two pointers of the same distance as these. That of pointers with the same offset is one of their bases.
    fn distance(&self, a: (NodeId, Index), b: (NodeId, Index)) -> [(NodeId, Index); 2] {
        if let (Kind::Apply(Fun::Op(f), x), Kind::Apply(Fun::Op(g), y)) =
            (&self[a.0].kind, &self[b.0].kind)
            && let ([x, by], [y, other]) = (&x[..], &y[..])
            && f.kind == OpKind::PtrAdd
            && g.kind == OpKind::PtrAdd
            && a.1 == b.1
            && self[a.0].elem == self[b.0].elem
            && self.same(*by, *other)
        {
            let [at_x, at_y] = [(*x, &a.1), (*y, &b.1)].map(|(n, at)| self.operand_index(n, at));
            return self.distance((*x, at_x), (*y, at_y));
        }
        [a, b]
    }

    /// Blocks that a store's value, pointers and mask need and that have to be evaluated before it, because it may
    /// overwrite what they are loaded from; but for the loads in `spared`.
    pub fn read_before(
        &self,
        Destination { ptr, mask, .. }: Destination,
        value: NodeId,
        spared: &HashSet<NodeId>,
    ) -> Vec<NodeId> {
        let mut stack = vec![value];
        let mut found: Vec<NodeId> = [Some(ptr), mask].into_iter().flatten().collect();
        let mut seen = HashSet::new();
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &self[node].kind {
                Kind::Load { ptr: from, mask, other, .. } if self.same(*from, ptr) => {
                    stack.extend([*mask, *other].into_iter().flatten());
                }
                Kind::Load { .. } if spared.contains(&node) => {}
                Kind::Apply(_, operands) => stack.extend(operands),
                Kind::Uniform(_) | Kind::Iota(_) | Kind::Buffer(_) => {}
                Kind::Load { .. } | Kind::View(..) | Kind::Choose { .. } | Kind::Take { .. } => {
                    found.push(node);
                }
            }
        }
        found
    }
}
