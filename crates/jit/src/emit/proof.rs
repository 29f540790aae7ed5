//! Loops over elements whose accesses are known to be inside memory before the loop begins.
//!
//! One test ([`Corners`](trident_tile_analysis::Corners)) precedes the loop, which is emitted twice: without tests of
//! these accesses, and with all tests in case a corner is outside, because masks may exclude what is there.

use trident_tile_analysis::{Destination, Index, NodeId, Proved};

use super::guard::Numbers;
use super::{Emitter, Result};

impl Emitter<'_, '_> {
    /// Whether the loads of a node are known to be inside.
    pub(super) fn is_proved(&self, load: NodeId) -> bool {
        self.checking.proved.has(Some(load))
    }

    /// Whether the current store is known to be inside.
    pub(super) fn is_store_proved(&self) -> bool {
        self.checking.proved.has(None)
    }

    /// Runs `body` for each index of a block, as [`Emitter::sweep`] does; `to` is the destination and size in bytes of
    /// the elements it stores.
    pub(super) fn sweep_proved(
        &mut self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<(Destination, usize)>,
        body: &dyn Fn(&mut Self, &Index) -> Result<()>,
    ) -> Result<()> {
        if !self.bounded() {
            return self.sweep(dims, roots, body);
        }
        self.force_functions(roots)?;
        let Some(corners) = self.nodes.corners(dims, roots, to) else {
            return self.sweep(dims, roots, body);
        };
        let inside = self.all_hold(&mut Numbers::of(&corners.terms), corners.guards())?;
        let Some(inside) = inside else { return self.sweep(dims, roots, body) };
        let without = |e: &mut Self| {
            e.with_proved(corners.proved(), |e| e.sweep(dims, roots, body))?;
            Ok(vec![])
        };
        let with = |e: &mut Self| e.sweep(dims, roots, body).map(|()| vec![]);
        self.either(inside, without, with).map(drop)
    }

    /// Generates code that omits the tests of these accesses.
    pub(super) fn with_proved(
        &mut self,
        proved: Proved,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let outer = std::mem::replace(&mut self.checking.proved, proved);
        let done = body(self);
        self.checking.proved = outer;
        done
    }
}
