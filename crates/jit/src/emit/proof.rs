//! Loops over elements whose accesses are known to be inside before the loop begins.
//!
//! Where the pointers of an access are affine in the axes of a block, its least and its greatest address are two of the
//! corners; integers that are not, as those of a gather, are looked through for their ends. One test stands before the
//! loop, which is emitted twice: without a test of each such access, and with all tests for when a corner is outside,
//! because masks may leave out what is there.

use std::collections::HashSet;

use cranelift_codegen::ir::InstBuilder;
use trident_lower::access::{Destination, Index, NodeId, Touch, index_bits, rename};

use super::affine::Block;
use super::node::Kind;
use super::{Emitter, Result};

/// Bits of the number of elements below which a loop is not worth a second version.
const FEW: u8 = 4;

/// An access of a loop.
pub(super) struct Access {
    ptr: NodeId,
    pub(super) index: Index,
    /// Bytes of an element.
    size: usize,
    touch: Touch,
}

/// Whose access it is: that of a load, or of what is being stored.
pub(super) type User = Option<NodeId>;

/// Accesses that need no test of their own.
#[derive(Clone, Default)]
pub(super) struct Proved(HashSet<User>);

impl Proved {
    /// Those of users all of whose accesses are inside: one load may be read by two indices.
    pub(super) fn of(accesses: impl IntoIterator<Item = (User, bool)>) -> Self {
        let (mut known, mut open) = (HashSet::new(), HashSet::new());
        for (user, inside) in accesses {
            if inside { &mut known } else { &mut open }.insert(user);
        }
        Proved(known.difference(&open).copied().collect())
    }
}

impl<'m> Emitter<'m, '_> {
    /// Whether the loads of a node are known to be inside.
    pub(super) fn is_proved(&self, load: NodeId) -> bool {
        self.proved.0.contains(&Some(load))
    }

    /// Whether what is being stored is known to go inside.
    pub(super) fn is_store_proved(&self) -> bool {
        self.proved.0.contains(&None)
    }

    /// Runs `body` for each index of a block, as [`Emitter::sweep`] does, where `to` says what it stores of elements of
    /// so many bytes.
    pub(super) fn sweep_proved(
        &mut self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<(Destination, usize)>,
        body: &dyn Fn(&mut Self, &Index) -> Result<()>,
    ) -> Result<()> {
        let bits = index_bits(dims);
        if !self.bounded() || bits < FEW {
            return self.sweep(dims, roots, body);
        }
        self.force_functions(roots)?;
        let block = Block::new(dims);
        let read = roots.iter().map(|&n| (n, block.index().clone()));
        let mut accesses: Vec<(User, Access)> =
            self.loads_of(read).into_iter().map(|(load, access)| (Some(load), access)).collect();
        if let Some((Destination { ptr, site, .. }, size)) = to {
            let touch = Touch { site, writes: true };
            accesses.push((None, Access { ptr, index: block.index().clone(), size, touch }));
        }
        let (mut guard, mut told) = (None, vec![]);
        for (user, Access { ptr, index, size, touch }) in accesses {
            let holds = self.corners_inside((ptr, &index), &block, touch, size)?;
            told.push((user, holds.is_some()));
            if let Some(holds) = holds {
                guard = Some(guard.map_or(holds, |all| self.b.ins().band(all, holds)));
            }
        }
        match guard {
            Some(guard) => {
                let without = |e: &mut Self| {
                    e.with_proved(Proved::of(told), |e| e.sweep(dims, roots, body))?;
                    Ok(vec![])
                };
                let with = |e: &mut Self| e.sweep(dims, roots, body).map(|()| vec![]);
                self.either(guard, without, with).map(drop)
            }
            None => self.sweep(dims, roots, body),
        }
    }

    /// Generates code in which these accesses have no tests.
    pub(super) fn with_proved(
        &mut self,
        proved: Proved,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let outer = std::mem::replace(&mut self.proved, proved);
        let done = body(self);
        self.proved = outer;
        done
    }

    /// The loads that the elements of some blocks at indices need.
    pub(super) fn loads_of(
        &self,
        read: impl IntoIterator<Item = (NodeId, Index)>,
    ) -> Vec<(NodeId, Access)> {
        let mut stack: Vec<(NodeId, Index)> = read.into_iter().collect();
        let mut seen = HashSet::new();
        let mut found = vec![];
        while let Some((node, index)) = stack.pop() {
            let index = self.nodes.operand_index(node, &index);
            if !seen.insert((node, index.clone())) {
                continue;
            }
            match &self.nodes[node].kind {
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
                    let touch = Touch { site, writes: false };
                    let size = self.nodes[node].elem.size();
                    found.push((node, Access { ptr, index, size, touch }));
                }
                Kind::Uniform(_) | Kind::Iota(_) | Kind::Buffer(_) => {}
            }
        }
        found
    }
}
