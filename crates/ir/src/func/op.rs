//! Ops and their attributes, as they stand in a block.

use super::{Block, ValueId};
use crate::{Attrs, Loc, OpDecl, OpKind, OpName};
use std::collections::HashMap;

/// One op of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Which op.
    pub kind: OpKind,
    /// Operands; `None` for an optional one that is left out.
    pub inputs: Vec<Option<ValueId>>,
    /// Results; `None` for an unused one.
    pub outputs: Vec<Option<ValueId>>,
    /// Attributes that are set.
    pub attrs: Attrs,
    /// Nested blocks, for control flow.
    pub regions: Vec<Block>,
    /// The place that it comes from, where known.
    pub loc: Option<Loc>,
}

impl Op {
    /// An op without attributes, regions and place.
    pub fn new(kind: OpKind, inputs: Vec<Option<ValueId>>, outputs: Vec<Option<ValueId>>) -> Op {
        Op { kind, inputs, outputs, attrs: Attrs::default(), regions: vec![], loc: None }
    }

    /// An op of the same kind with the same attributes on other operands; without results, regions and place.
    pub fn on(&self, inputs: Vec<Option<ValueId>>) -> Op {
        Op { attrs: self.attrs.clone(), ..Op::new(self.kind, inputs, vec![]) }
    }

    /// The op's declaration.
    pub fn decl(&self) -> &'static OpDecl {
        self.kind.decl()
    }

    /// Operand `i`, `None` if left out.
    pub fn input(&self, i: usize) -> Option<ValueId> {
        self.inputs.get(i).copied().flatten()
    }

    /// Result `i`, `None` if it is unused.
    pub fn output(&self, i: usize) -> Option<ValueId> {
        self.outputs.get(i).copied().flatten()
    }

    /// All operands that are present.
    pub fn used(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.inputs.iter().copied().flatten()
    }

    /// All results that are in use.
    pub fn defined(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.outputs.iter().copied().flatten()
    }

    /// Puts values in the place of others, here and in all regions.
    pub fn rename(&mut self, names: &HashMap<ValueId, ValueId>) {
        for id in self.inputs.iter_mut().chain(&mut self.outputs).flatten() {
            *id = names.get(id).copied().unwrap_or(*id);
        }
        for region in &mut self.regions {
            region.ops.iter_mut().for_each(|op| op.rename(names));
            for id in &mut region.results {
                *id = names.get(id).copied().unwrap_or(*id);
            }
        }
    }

    /// The op's name in errors.
    pub fn name(&self) -> OpName {
        OpName { kind: self.kind, loc: self.loc.clone() }
    }

    /// The op's name in errors, as a text: its kind, and its place where known.
    pub fn describe(&self) -> String {
        self.name().to_string()
    }
}
