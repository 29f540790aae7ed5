//! Locations: where in the Python source an operation came from.

use super::parser::Parser;
use crate::lexer::Token;
use crate::{Failure, MAX_DEPTH};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A location of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocId(u32);

impl LocId {
    /// Nothing is known; entry 0 of the table.
    pub(crate) const UNKNOWN: LocId = LocId(0);
}

#[derive(Clone, Debug)]
enum Loc<'s> {
    Unknown,
    File { file: Cow<'s, str>, line: &'s str, column: &'s str },
    Alias(&'s str),
}

/// All locations of a text. Aliases may be defined before and after their uses, so they are looked up at the end.
#[derive(Debug)]
pub(crate) struct Locs<'s> {
    table: Vec<Loc<'s>>,
    aliases: HashMap<&'s str, LocId>,
}

impl Default for Locs<'_> {
    fn default() -> Self {
        Locs { table: vec![Loc::Unknown], aliases: HashMap::new() }
    }
}

impl<'s> Locs<'s> {
    fn add(&mut self, loc: Loc<'s>) -> LocId {
        self.table.push(loc);
        LocId(u32::try_from(self.table.len() - 1).unwrap_or(0))
    }

    /// `file:line:column`, if the location leads to one.
    pub(crate) fn resolve(&self, mut id: LocId) -> Option<Arc<str>> {
        // Each step follows one alias; more steps than aliases go round in a circle.
        for _ in 0..=self.aliases.len() {
            match self.table.get(id.0 as usize)? {
                Loc::Unknown => return None,
                Loc::File { file, line, column } => {
                    return Some(format!("{file}:{line}:{column}").into());
                }
                Loc::Alias(name) => id = *self.aliases.get(name)?,
            }
        }
        None
    }
}

/// The place in the source of the op on the line around byte `at`, for a text that could not be read to its end, where
/// most locations are defined.
pub(crate) fn of_line(text: &str, at: usize) -> Option<Arc<str>> {
    let line = text.get(at..)?.lines().next()?;
    let mut loc = &line[line.rfind("loc(")?..];
    // As in `resolve`, definitions may go round in a circle.
    for _ in 0..MAX_DEPTH {
        if let Some(place) = file_in(loc) {
            return Some(place.into());
        }
        let name = &loc[loc.find('#')?..];
        let name = &name[..name.find([')', ' ', ',', ']']).unwrap_or(name.len())];
        let defined = |l: &&str| l.strip_prefix(name).is_some_and(|l| l.starts_with(" = loc("));
        loc = text.lines().find(defined)?.split_once(" = ")?.1;
    }
    None
}

/// `file:line:column` from the first `"file":line:column` of a location.
fn file_in(loc: &str) -> Option<String> {
    let (_, rest) = loc.split_once('"')?;
    let (file, rest) = rest.split_once("\":")?;
    let (line, rest) = rest.split_once(':')?;
    let column = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    (digits(line) && digits(column)).then(|| format!("{file}:{line}:{column}"))
}

impl<'s> Parser<'s, '_> {
    /// `loc(…)`, if it stands here.
    pub(super) fn trailing_loc(&mut self) -> Result<LocId, Failure> {
        match self.eat_word("loc")? {
            true => self.parenthesised_loc(),
            false => Ok(LocId::UNKNOWN),
        }
    }

    /// `= loc(…)` behind `#name`.
    pub(super) fn loc_alias(&mut self, name: &'s str) -> Result<(), Failure> {
        let id = self.parenthesised_loc()?;
        self.locs.aliases.insert(name, id);
        Ok(())
    }

    fn parenthesised_loc(&mut self) -> Result<LocId, Failure> {
        self.expect("(", "`(`")?;
        let id = self.loc(0)?;
        self.expect(")", "`)`")?;
        Ok(id)
    }

    /// Of nested locations the innermost counts: of a call site the callee, of fused ones the first that is known.
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
                    return Ok(child);
                }
                if !self.eat(":")? {
                    return Ok(LocId::UNKNOWN);
                }
                let line = self.number("a line number")?;
                self.expect(":", "`:`")?;
                let column = self.number("a column number")?;
                if self.eat_word("to")? {
                    while matches!(self.token, Token::Number(_) | Token::Punct(":")) {
                        self.bump()?;
                    }
                }
                Ok(self.locs.add(Loc::File { file, line, column }))
            }
            Token::Hash(name) => {
                let name = *name;
                self.bump()?;
                Ok(self.locs.add(Loc::Alias(name)))
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
                self.loc(depth + 1)?;
                self.expect(")", "`)`")?;
                Ok(callee)
            }
            Token::Word("fused") => {
                self.bump()?;
                if self.is("<") {
                    self.skip_angles()?;
                }
                self.expect("[", "`[`")?;
                let parts = self.list("]", "`,` or `]`", |p| p.loc(depth + 1))?;
                Ok(parts.into_iter().find(|&l| l != LocId::UNKNOWN).unwrap_or(LocId::UNKNOWN))
            }
            _ => self.expected("a location"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_that_ends_the_reading_is_placed_by_definitions_behind_it() {
        let text = "  %1 = tt.noise \"a\" : i32 loc(#loc3)\n\
                    #loc1 = loc(\"k.py\":7:12)\n\
                    #loc2 = loc(\"y\"(#loc1))\n\
                    #loc3 = loc(callsite(#loc2 at #loc9))\n";
        assert_eq!(of_line(text, 7).as_deref(), Some("k.py:7:12"));
        let direct = "tt.noise loc(\"k.py\":1:2 to :8)";
        assert_eq!(of_line(direct, 0).as_deref(), Some("k.py:1:2"));
        for lost in
            ["tt.noise", "x loc(#a)", "x loc(#a)\n#a = loc(#a)", "x loc(\"k.py\":1)", "x loc("]
        {
            assert_eq!(of_line(lost, 0), None, "{lost}");
        }
    }
}
