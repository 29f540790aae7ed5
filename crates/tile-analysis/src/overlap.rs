//! Loads that a store may overlap. A store must behave as if all elements were read before the first is written.

use std::collections::HashSet;

use trident_ir::OpKind;

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::Index;
use super::row::{Destination, Row, start};

/// A load that the store of a row may overlap. Storing group by group is safe if the two access exactly the same
/// elements (distance 0, with as many bytes read as written) or disjoint memory (a distance of at least the size in
/// bytes of the lower one).
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The pointers of the load.
    pub load: NodeId,
    /// Number of bytes read.
    pub read: usize,
    /// Number of bytes written.
    pub written: usize,
    /// Two pointers whose distance is that between the store's first element and the load's.
    pub distance: [(NodeId, Index); 2],
}

impl<L: Leaf> Graph<'_, L> {
    /// The loads that storing a row group by group may overlap; the row is the only one of its block. Loads through the
    /// store's own pointers are left out: each element they read is overwritten by its own store only.
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

    /// Two pointers with the same distance as these. Pointers with equal offsets are as far apart as their bases.
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

    /// Blocks that a store's value, pointers and mask need and that must be evaluated before it, because it may
    /// overwrite what they are loaded from; the loads in `spared` are left out.
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
