//! Locations.

use super::Parser;
use super::lexer::Token;
use crate::ttir::loc::{Entry, LocId};
use crate::{Failure, MAX_DEPTH};

impl<'s> Parser<'s, '_> {
    /// `loc(…)`, if it stands here.
    pub(super) fn trailing_loc(&mut self) -> Result<LocId, Failure> {
        match self.eat_word("loc")? {
            true => self.parenthesised_loc(),
            false => Ok(LocId::UNKNOWN),
        }
    }

    /// `= loc(…)` after `#name`.
    pub(super) fn loc_alias(&mut self, name: &'s str) -> Result<(), Failure> {
        let id = self.parenthesised_loc()?;
        self.tree.locs.aliases.insert(name.into(), id);
        Ok(())
    }

    fn parenthesised_loc(&mut self) -> Result<LocId, Failure> {
        self.expect("(", "`(`")?;
        let id = self.loc(0)?;
        self.expect(")", "`)`")?;
        Ok(id)
    }

    fn loc(&mut self, depth: usize) -> Result<LocId, Failure> {
        if depth == MAX_DEPTH {
            return self.too_deep();
        }
        match &self.token {
            Token::Str(_) => {
                let file = self.string()?;
                if self.eat("(")? {
                    let child = self.loc(depth + 1)?;
                    self.expect(")", "`)`")?;
                    return Ok(self.tree.locs.add(Entry::Name { name: file.into(), child }));
                }
                if !self.eat(":")? {
                    let (name, child) = (file.into(), LocId::UNKNOWN);
                    return Ok(self.tree.locs.add(Entry::Name { name, child }));
                }
                let line = self.number("a line number")?;
                self.expect(":", "`:`")?;
                let column = self.number("a column number")?;
                if self.eat_word("to")? {
                    while matches!(self.token, Token::Number(_) | Token::Punct(":")) {
                        self.bump()?;
                    }
                }
                // No file has lines of other numbers.
                let (Ok(line), Ok(column)) = (line.parse(), column.parse()) else {
                    return Ok(LocId::UNKNOWN);
                };
                Ok(self.tree.locs.add(Entry::File { file: file.into(), line, column }))
            }
            Token::Hash(name) => {
                let name = *name;
                self.bump()?;
                Ok(self.tree.locs.add(Entry::Alias(name.into())))
            }
            Token::Word("unknown") => {
                self.bump()?;
                Ok(LocId::UNKNOWN)
            }
            Token::Word("callsite") => {
                self.bump()?;
                self.expect("(", "`(`")?;
                let callee = self.loc(depth + 1)?;
                self.expect_word("at", "`at`")?;
                let caller = self.loc(depth + 1)?;
                self.expect(")", "`)`")?;
                Ok(self.tree.locs.add(Entry::Call { callee, caller }))
            }
            Token::Word("fused") => {
                self.bump()?;
                if self.is("<") {
                    self.skip_angles()?;
                }
                self.expect("[", "`[`")?;
                let parts = self.list("]", "`,` or `]`", |p| p.loc(depth + 1))?;
                Ok(self.tree.locs.add(Entry::Fused(parts.into())))
            }
            _ => self.expected("a location"),
        }
    }
}
