//! How long values live: positions of ops, and of the last op that needs each value.

use std::collections::HashMap;

use trident_ir::{Block, Func, Op, ValueId};

/// Lifetimes of a function's values.
pub(super) struct Lifetimes {
    /// The position of the last op that needs the value; for a use inside a loop, the position of the loop's end.
    last: Vec<u32>,
    /// Number of regions around the value's definition.
    pub(super) depth: Vec<u32>,
    positions: HashMap<*const Op, u32>,
    /// Values used in each open region.
    used: Vec<Vec<ValueId>>,
    at: u32,
}

impl Lifetimes {
    pub(super) fn of(func: &Func) -> Self {
        let n = func.values.len();
        let (last, depth) = (vec![0; n], vec![0; n]);
        let mut found = Lifetimes { last, depth, positions: HashMap::new(), used: vec![], at: 0 };
        found.block(&func.body);
        found
    }

    /// Whether an op after `op` needs the value.
    pub(super) fn outlives(&self, id: ValueId, op: &Op) -> bool {
        let at = self.positions.get(&std::ptr::from_ref(op)).copied().unwrap_or(0);
        self.last.get(id.index()).is_some_and(|&last| last > at)
    }

    fn define(&mut self, id: ValueId) {
        if let Some(depth) = self.depth.get_mut(id.index()) {
            *depth = self.used.len() as u32;
        }
    }

    fn touch(&mut self, id: ValueId) {
        if let Some(last) = self.last.get_mut(id.index()) {
            *last = (*last).max(self.at);
        }
        if let Some(used) = self.used.last_mut() {
            used.push(id);
        }
    }

    fn block(&mut self, block: &Block) {
        block.params.iter().for_each(|&p| self.define(p));
        for op in &block.ops {
            self.at += 1;
            self.positions.insert(std::ptr::from_ref(op), self.at);
            op.used().for_each(|v| self.touch(v));
            op.defined().for_each(|v| self.define(v));
            if op.regions.is_empty() {
                continue;
            }
            self.used.push(vec![]);
            op.regions.iter().for_each(|region| self.block(region));
            self.at += 1;
            let mut used = self.used.pop().unwrap_or_default();
            let depth = self.used.len() as u32;
            used.sort_unstable();
            used.dedup();
            for id in used {
                if self.depth.get(id.index()).is_some_and(|&d| d <= depth) {
                    self.touch(id);
                }
            }
        }
        self.at += 1;
        block.results.iter().for_each(|&r| self.touch(r));
    }
}
