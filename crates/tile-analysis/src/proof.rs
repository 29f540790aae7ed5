//! Accesses of a loop over elements that are known to be inside memory before the loop begins.
//!
//! Where the pointers of an access are affine in the axes of a block, its lowest and highest address are at two of the
//! corners; for integers that are not affine, such as the indices of a gather, the least and the greatest are computed.

use std::collections::HashSet;

use super::affine::{Affine, Analysis, Axes};
use super::graph::{Graph, Kind, Leaf, NodeId};
use super::guard::{Guard, Unproved};
use super::index::{Index, index_bits, rename};
use super::row::{Destination, Row, Touch};
use super::term::Terms;

/// log2 of the number of elements below which a loop is not worth a test before it.
const FEW: u8 = 4;

/// An access of a loop.
#[derive(Clone, Debug)]
pub struct Access {
    /// The load that performs it; `None` for the store.
    pub user: Option<NodeId>,
    /// The pointers.
    pub ptr: NodeId,
    /// Their index.
    pub index: Index,
    /// Bytes of an element.
    pub size: usize,
    /// The access.
    pub touch: Touch,
}

/// Accesses that need no separate test.
#[derive(Clone, Debug, Default)]
pub struct Proved(HashSet<Option<NodeId>>);

impl Proved {
    /// The users whose accesses are all inside: one load may be read at two indices.
    fn of(accesses: impl IntoIterator<Item = (Option<NodeId>, bool)>) -> Self {
        let (mut known, mut open) = (HashSet::new(), HashSet::new());
        for (user, inside) in accesses {
            if inside { &mut known } else { &mut open }.insert(user);
        }
        Proved(known.difference(&open).copied().collect())
    }

    /// Whether all accesses of a load, or of the store for `None`, are inside.
    pub fn has(&self, user: Option<NodeId>) -> bool {
        self.0.contains(&user)
    }
}

/// The addresses of an access, and the conditions for all of them to be inside.
#[derive(Clone, Debug)]
pub struct Inside<L> {
    /// The addresses.
    pub form: Affine,
    /// The conditions.
    pub guards: Vec<Guard<L>>,
}

/// The known accesses of a loop over the elements of a block.
#[derive(Clone, Debug)]
pub struct Corners<L> {
    /// The terms that forms and guards refer to.
    pub terms: Terms<L>,
    /// The accesses, each with its conditions, or the reason why these are unknown.
    pub accesses: Vec<(Access, Result<Inside<L>, Unproved>)>,
}

impl<L> Corners<L> {
    /// The accesses that are inside where all guards hold.
    pub fn proved(&self) -> Proved {
        Proved::of(self.accesses.iter().map(|(access, inside)| (access.user, inside.is_ok())))
    }

    /// The guards of these accesses.
    pub fn guards(&self) -> impl Iterator<Item = &Guard<L>> {
        self.accesses.iter().filter_map(|(_, inside)| inside.as_ref().ok()).flat_map(|i| &i.guards)
    }
}

impl<L: Leaf> Graph<'_, L> {
    /// The accesses of a loop over the elements of a block of `dims` that evaluates `roots`, where `to` is the
    /// destination and size in bytes of the elements it stores; `None` if the loop is too short to be worth a test.
    pub fn corners(
        &self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<(Destination, usize)>,
    ) -> Option<Corners<L>> {
        if index_bits(dims) < FEW {
            return None;
        }
        let block = Axes::of(dims);
        let mut all = self.accesses(roots.iter().map(|&n| (n, block.index.clone())));
        all.extend(to.map(|(Destination { ptr, site, .. }, size)| {
            let (touch, index) = (Touch { site, writes: true }, block.index.clone());
            Access { user: None, ptr, index, size, touch }
        }));
        let mut terms = Terms::default();
        let mut inside = |access: &Access| {
            let mut a = Analysis::of(self, &mut terms, &block, true)?;
            let form = a.affine(access.ptr, &access.index).map_err(Unproved::Shape)?;
            a.guard_bounds(&form, access.touch, access.size);
            Ok(Inside { form, guards: a.guards })
        };
        let accesses = all.into_iter().map(|access| (inside(&access), access));
        let accesses = accesses.map(|(inside, access)| (access, inside)).collect();
        Some(Corners { terms, accesses })
    }

    /// The accesses of a row, element by element, that its guard already proves to be inside.
    pub fn proved_in(&self, row: &Row) -> Proved {
        let contiguous: HashSet<_> =
            row.loads.iter().map(|load| (load.node, &load.index)).collect();
        let masks = row.masks.iter().map(|mask| (mask.node, mask.index.clone()));
        let pointers = row.spans.iter().map(|span| (span.ptr, span.index.clone()));
        let loads = self.accesses(row.roots.iter().cloned().chain(masks).chain(pointers));
        let loads = loads.iter().filter_map(|access| {
            let load = access.user?;
            Some((Some(load), contiguous.contains(&(load, &access.index))))
        });
        let stores = row.spans.iter().filter(|span| span.touch.writes).map(|_| (None, true));
        Proved::of(loads.chain(stores))
    }

    /// The accesses of the loads that these blocks need at these indices.
    fn accesses(&self, read: impl IntoIterator<Item = (NodeId, Index)>) -> Vec<Access> {
        let mut stack: Vec<(NodeId, Index)> = read.into_iter().collect();
        let mut seen = HashSet::new();
        let mut found = vec![];
        while let Some((node, index)) = stack.pop() {
            let index = self.operand_index(node, &index);
            if !seen.insert((node, index.clone())) {
                continue;
            }
            match &self[node].kind {
                Kind::Apply(_, operands) => {
                    stack.extend(operands.iter().map(|&o| (o, index.clone())));
                }
                Kind::View(of, map) => stack.push((*of, rename(map, &index))),
                Kind::Choose { from, map, .. } => {
                    stack.extend(from.iter().map(|&n| (n, rename(map, &index))));
                }
                Kind::Take { index: which, .. } => stack.push((*which, index)),
                &Kind::Load { ptr, mask, other, site } => {
                    let used = [Some(ptr), mask, other];
                    stack.extend(used.into_iter().flatten().map(|n| (n, index.clone())));
                    let (touch, size) = (Touch { site, writes: false }, self[node].elem.size());
                    found.push(Access { user: Some(node), ptr, index, size, touch });
                }
                Kind::Uniform(_) | Kind::Iota(_) | Kind::Buffer(_) => {}
            }
        }
        found
    }
}
