//! Regions and their blocks.

use super::lexer::Token;
use super::{Param, Parser};
use crate::ttir::{AttrDict, Block, BlockId, Definition, Region, RegionId};
use crate::{ErrorKind, Failure, MAX_BLOCKS, MAX_DEPTH};
use std::collections::HashMap;

/// The blocks of a region under construction, by label.
#[derive(Debug, Default)]
pub(super) struct Labels<'s>(HashMap<&'s str, Label>);

#[derive(Debug)]
struct Label {
    block: BlockId,
    /// The byte of the first branch to it.
    at: usize,
    defined: bool,
}

impl<'s> Parser<'s, '_> {
    /// `{ … }`. The parameters of the entry block are outside, or after its label.
    pub(super) fn region(&mut self, params: Vec<Param<'s>>) -> Result<RegionId, Failure> {
        if self.depth == MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.labels);
        let (names, pending) = (self.names.mark(), self.pending.len());
        let mut at_entry = params.is_empty();
        let entry = self.tree.add_block(Block { at: self.at, ..Block::default() });
        self.define_params(entry, params)?;
        let mut region = Region { blocks: vec![entry] };
        let mut block = entry;
        self.expect("{", "`{`")?;
        while !self.eat("}")? {
            let Token::Block(label) = self.token else {
                let op = self.op()?;
                self.tree[block].ops.push(op);
                at_entry = false;
                continue;
            };
            let at = self.at;
            self.bump()?;
            let params = if self.eat("(")? { self.params()? } else { vec![] };
            self.expect(":", "`:`")?;
            // A label in front of everything names the entry itself.
            block = self.define_block(label, at, at_entry.then_some(entry))?;
            self.define_params(block, params)?;
            if !std::mem::take(&mut at_entry) {
                region.blocks.push(block);
            }
            if region.blocks.len() > MAX_BLOCKS {
                return self.fail(ErrorKind::Blocks(MAX_BLOCKS + 1));
            }
        }
        self.resolve_pending(pending)?;
        self.names.reset(names);
        let labels = std::mem::replace(&mut self.labels, outer);
        if let Some((name, label)) =
            labels.0.into_iter().filter(|(_, l)| !l.defined).min_by_key(|(_, l)| l.at)
        {
            return Err(Failure::new(label.at, ErrorKind::NoBlock(name.to_owned())));
        }
        self.depth -= 1;
        Ok(self.tree.add_region(region))
    }

    /// The block of a branch at byte `at`; it may come later in the text.
    pub(super) fn labelled(&mut self, name: &'s str, at: usize) -> BlockId {
        let tree = &mut *self.tree;
        let label = self.labels.0.entry(name).or_insert_with(|| Label {
            block: tree.add_block(Block::default()),
            at,
            defined: false,
        });
        label.block
    }

    /// The block that starts at byte `at`: `known`, or a new one.
    fn define_block(
        &mut self,
        name: &'s str,
        at: usize,
        known: Option<BlockId>,
    ) -> Result<BlockId, Failure> {
        if let Some(block) = known {
            self.labels.0.insert(name, Label { block, at, defined: true });
        }
        let block = self.labelled(name, at);
        if let Some(label) = self.labels.0.get_mut(name)
            && std::mem::replace(&mut label.defined, true)
            && known.is_none()
        {
            return Err(Failure::new(at, ErrorKind::DefinedTwice(format!("^{name}"))));
        }
        self.tree[block].at = at;
        self.tree[block].label = name.into();
        Ok(block)
    }

    fn define_params(&mut self, block: BlockId, params: Vec<Param<'s>>) -> Result<(), Failure> {
        for param in params {
            let definition = Definition::Param { dict: param.dict };
            let mut made = std::mem::take(&mut self.tree[block].params);
            let value = std::iter::once((param.ty, definition));
            self.define(param.at, param.name, param.loc, value, &mut made)?;
            self.tree[block].params = made;
        }
        Ok(())
    }

    /// `%a: f32, %b: i32 {attributes})` after the parenthesis.
    pub(super) fn params(&mut self) -> Result<Vec<Param<'s>>, Failure> {
        self.list(")", "`,` or `)`", |p| {
            let at = p.at;
            let name = p.value_name("a parameter, `%…`")?;
            p.expect(":", "`:`")?;
            let ty = p.ty()?;
            let mut dict = AttrDict::default();
            p.attr_dict(&mut dict)?;
            let loc = p.trailing_loc()?;
            Ok(Param { at, name, ty, dict, loc })
        })
    }
}
