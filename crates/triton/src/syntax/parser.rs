//! The common part of the parser: one token of lookahead over the lexer, and the text's outermost level.

use super::{Locs, Module};
use crate::lexer::{Lexer, Token};
use crate::{ErrorKind, Failure};
use std::borrow::Cow;

pub(super) struct Parser<'s, 'l> {
    lexer: Lexer<'s>,
    pub(super) token: Token<'s>,
    /// Where `token` starts.
    pub(super) at: usize,
    pub(super) locs: &'l mut Locs<'s>,
    /// Regions around this place.
    pub(super) depth: usize,
}

impl<'s, 'l> Parser<'s, 'l> {
    pub(super) fn new(text: &'s str, locs: &'l mut Locs<'s>) -> Result<Parser<'s, 'l>, Failure> {
        let mut lexer = Lexer::new(text);
        let (at, token) = lexer.next()?;
        Ok(Parser { lexer, token, at, locs, depth: 0 })
    }

    /// Takes the token and reads the next.
    pub(super) fn bump(&mut self) -> Result<Token<'s>, Failure> {
        let (at, next) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// Reads on from a byte inside the current token.
    pub(super) fn reread(&mut self, at: usize) -> Result<(), Failure> {
        self.lexer.seek(at);
        self.bump().map(drop)
    }

    /// The text from a byte to the current token.
    pub(super) fn text_from(&self, at: usize) -> &'s str {
        self.lexer.slice(at, self.at).trim_end()
    }

    /// The text from a byte on.
    pub(super) fn rest(&self, at: usize) -> &'s str {
        self.lexer.slice(at, usize::MAX)
    }

    pub(super) fn expected<T>(&self, expected: &'static str) -> Result<T, Failure> {
        self.fail(ErrorKind::Expected { expected, found: self.token.describe() })
    }

    pub(super) fn fail<T>(&self, fault: ErrorKind) -> Result<T, Failure> {
        Err(Failure::new(self.at, fault))
    }

    pub(super) fn too_deep<T>(&self) -> Result<T, Failure> {
        self.fail(ErrorKind::TooDeep)
    }

    pub(super) fn is(&self, punct: &str) -> bool {
        matches!(self.token, Token::Punct(p) if p == punct)
    }

    pub(super) fn eat(&mut self, punct: &str) -> Result<bool, Failure> {
        let found = self.is(punct);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    /// `described` is the punctuation in quotes, as the error names it.
    pub(super) fn expect(&mut self, punct: &str, described: &'static str) -> Result<(), Failure> {
        if self.eat(punct)? { Ok(()) } else { self.expected(described) }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Result<bool, Failure> {
        let found = self.is_word(word);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    pub(super) fn expect_word(
        &mut self,
        word: &str,
        described: &'static str,
    ) -> Result<(), Failure> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(described) }
    }

    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'s str, Failure> {
        match self.token {
            Token::Word(word) => self.bump().map(|_| word),
            _ => self.expected(expected),
        }
    }

    pub(super) fn number(&mut self, expected: &'static str) -> Result<&'s str, Failure> {
        match self.token {
            Token::Number(text) => self.bump().map(|_| text),
            _ => self.expected(expected),
        }
    }

    /// A number that counts or numbers something.
    pub(super) fn index(&mut self, expected: &'static str) -> Result<usize, Failure> {
        let at = self.at;
        let text = self.number(expected)?;
        text.parse().map_err(|_| {
            Failure::new(at, ErrorKind::Number { text: text.into(), what: expected.into() })
        })
    }

    pub(super) fn string(&mut self) -> Result<Cow<'s, str>, Failure> {
        if let Token::Str(_) = self.token
            && let Token::Str(text) = self.bump()?
        {
            return Ok(text);
        }
        self.expected("a string")
    }

    pub(super) fn symbol(&mut self) -> Result<Cow<'s, str>, Failure> {
        if let Token::Symbol(_) = self.token
            && let Token::Symbol(name) = self.bump()?
        {
            return Ok(name);
        }
        self.expected("a symbol, `@…`")
    }

    /// Items with commas between them, up to `close`, which is taken too.
    pub(super) fn list<T>(
        &mut self,
        close: &'static str,
        described: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let mut items = vec![];
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(",")? {
                self.expect(close, described)?;
                return Ok(items);
            }
        }
    }

    /// Skips from `<` to the `>` that closes it.
    pub(super) fn skip_angles(&mut self) -> Result<(), Failure> {
        let mut open = 0usize;
        loop {
            match self.token {
                Token::Punct("<" | "(" | "[" | "{") => open += 1,
                Token::Punct(">" | ")" | "]" | "}") => open = open.saturating_sub(1),
                Token::End => return self.expected("`>`"),
                _ => {}
            }
            self.bump()?;
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// The whole text: aliases and operations. The enclosing `module` may be missing.
    pub(super) fn module(&mut self) -> Result<Module<'s>, Failure> {
        let mut module = Module::default();
        loop {
            match self.token {
                Token::End => return Ok(module),
                Token::Hash(name) => {
                    self.bump()?;
                    self.expect("=", "`=`")?;
                    if self.eat_word("loc")? {
                        self.loc_alias(name)?;
                    } else {
                        let value = self.attr(0)?;
                        module.aliases.insert(name, value);
                    }
                }
                _ => {
                    let op = self.op()?;
                    match op.name {
                        "builtin.module" | "module" => {
                            let blocks = op.regions.into_iter().flat_map(|r| r.blocks);
                            module.ops.extend(blocks.flat_map(|b| b.ops));
                        }
                        _ => module.ops.push(op),
                    }
                }
            }
        }
    }
}
