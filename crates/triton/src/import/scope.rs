//! Names of values. Sibling regions reuse names, so a region's definitions are dropped at its end.

use std::collections::HashMap;
use trident_ir::ValueId;

#[derive(Default)]
pub(super) struct Scope<'s> {
    names: HashMap<&'s str, (usize, usize)>,
    /// Values of all names, those of one name side by side.
    values: Vec<ValueId>,
    order: Vec<&'s str>,
}

/// A state to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    values: usize,
    order: usize,
}

impl<'s> Scope<'s> {
    /// Whether the name was free.
    pub(super) fn define(&mut self, name: &'s str, ids: &[ValueId]) -> bool {
        let start = self.values.len();
        self.values.extend(ids);
        self.order.push(name);
        self.names.insert(name, (start, ids.len())).is_none()
    }

    pub(super) fn get(&self, name: &str, number: usize) -> Option<ValueId> {
        let &(start, len) = self.names.get(name)?;
        if number < len { self.values.get(start + number).copied() } else { None }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { values: self.values.len(), order: self.order.len() }
    }

    /// Forgets what was defined since.
    pub(super) fn reset(&mut self, mark: Mark) {
        self.values.truncate(mark.values);
        for name in self.order.drain(mark.order..) {
            self.names.remove(name);
        }
    }
}
