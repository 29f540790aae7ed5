//! Regions and their blocks.

use super::parser::Parser;
use super::{AttrDict, Block, Param, Region};
use crate::lexer::Token;
use crate::{ErrorKind, Failure, MAX_BLOCKS, MAX_DEPTH};

impl<'s> Parser<'s, '_> {
    /// `{ … }`. The parameters of the entry block are outside, or after its label.
    pub(super) fn region(&mut self, params: Vec<Param<'s>>) -> Result<Region<'s>, Failure> {
        if self.depth == MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let mut block = Block { at: self.at, label: "", params, ops: vec![] };
        let mut region = Region::default();
        self.expect("{", "`{`")?;
        while !self.eat("}")? {
            let Token::Block(label) = self.token else {
                block.ops.push(self.op()?);
                continue;
            };
            let at = self.at;
            self.bump()?;
            let params = if self.eat("(")? { self.params()? } else { vec![] };
            self.expect(":", "`:`")?;
            let next = Block { at, label, params, ops: vec![] };
            // A label in front of everything names the entry itself.
            if region.blocks.is_empty() && block.ops.is_empty() && block.params.is_empty() {
                block = next;
            } else {
                region.blocks.push(std::mem::replace(&mut block, next));
            }
            if region.blocks.len() == MAX_BLOCKS {
                return self.fail(ErrorKind::Blocks(MAX_BLOCKS + 1));
            }
        }
        region.blocks.push(block);
        self.depth -= 1;
        Ok(region)
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
            p.trailing_loc()?;
            Ok(Param { at, name, ty, dict })
        })
    }
}
