//! Tensor arrays, which ops of PIR write in place.
//!
//! The result of such an op is the array itself, and its operand has the new item from then on. So a block that writes
//! an array of a block around it gives the array to its owner.

use super::Import;
use crate::catalogue::Bound;
use crate::program::{Args, Block, Op, Var};
use std::collections::{HashMap, HashSet};

/// The array that an op writes in place.
fn written(op: &Op) -> Option<Var> {
    match (&op.operands, &*op.name) {
        (Args::Positions(_), "array_write_") => op.operands.at(0),
        _ => None,
    }
}

impl Import<'_> {
    /// The variable that stands for an array.
    fn array(&self, var: Var) -> Var {
        self.same.get(&var).copied().unwrap_or(var)
    }

    /// Gives other names of arrays among an op's operands the arrays' present values.
    pub(super) fn refresh_arrays(&mut self, op: &Op) {
        for var in op.operands.iter() {
            let array = self.array(var);
            if array != var {
                self.bound[var.index()] = self.bound[array.index()].clone();
            }
        }
    }

    /// Makes the result of a write the value of the array.
    pub(super) fn note_written_array(&mut self, op: &Op) {
        if let (Some(array), Some(result)) = (written(op), op.results.at(0)) {
            let array = self.array(array);
            self.same.insert(result, array);
            self.bound[array.index()] = self.bound[result.index()].clone();
        }
    }

    /// The arrays of blocks around that these blocks write, each once.
    pub(super) fn outer_arrays(&self, blocks: &[Block]) -> Vec<Var> {
        let (mut found, mut seen) = (vec![], HashSet::new());
        let mut pending: Vec<&Block> = blocks.iter().collect();
        // Results of writes within the blocks, which are other names of their operands.
        let mut same = HashMap::new();
        while let Some(block) = pending.pop() {
            for op in &block.ops {
                pending.extend(&op.blocks);
                let Some(array) = written(op) else { continue };
                let array = same.get(&array).copied().unwrap_or_else(|| self.array(array));
                if let Some(result) = op.results.at(0) {
                    same.insert(result, array);
                }
                let is_outer = matches!(self.bound[array.index()], Some(Bound::Value(_)));
                if is_outer && seen.insert(array) {
                    found.push(array);
                }
            }
        }
        found
    }
}
