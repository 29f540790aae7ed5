//! The values of the tree that the block under construction may use, and what was made of them.

use crate::ttir;
use trident_ir::ValueId;

#[derive(Debug, Default)]
pub(super) struct Scope {
    /// By the number of the value in the tree.
    known: Vec<Option<ValueId>>,
    order: Vec<ttir::ValueId>,
}

/// A state to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl Scope {
    /// Blocks that several branches reach are imported again, so a value may be defined a second time.
    pub(super) fn define(&mut self, value: ttir::ValueId, made: ValueId) {
        let place = value.index();
        if self.known.len() <= place {
            self.known.resize(place + 1, None);
        }
        if let Some(known) = self.known.get_mut(place) {
            *known = Some(made);
        }
        self.order.push(value);
    }

    pub(super) fn get(&self, value: ttir::ValueId) -> Option<ValueId> {
        self.known.get(value.index()).copied().flatten()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.order.len())
    }

    /// Forgets what was defined since.
    pub(super) fn reset(&mut self, mark: Mark) {
        for value in self.order.drain(mark.0..) {
            if let Some(known) = self.known.get_mut(value.index()) {
                *known = None;
            }
        }
    }
}
