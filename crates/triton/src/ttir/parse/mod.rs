//! Text to a tree: one token of lookahead over the lexer. Values are looked up as they are read, since names are
//! local to regions.

mod attr;
mod form;
mod lexer;
mod loc;
mod number;
mod op;
mod region;
mod scope;
mod special;
mod types;

use super::loc::LocId;
use super::{AttrDict, BlockId, RegionId, Tree};
use crate::{ErrorKind, Failure};
use lexer::{Lexer, Token};
use region::Labels;
use scope::{Forward, Names};
use std::borrow::Cow;
use trident_ir::Type;

/// Reads a text. What was read before an error stays in `tree`: the error refers to its locations.
pub(crate) fn parse(text: &str, tree: &mut Tree) -> Result<(), Failure> {
    Parser::new(text, tree)?.module()
}

struct Parser<'s, 't> {
    lexer: Lexer<'s>,
    token: Token<'s>,
    /// Where `token` starts.
    at: usize,
    tree: &'t mut Tree,
    names: Names<'s>,
    pending: Vec<Forward<'s>>,
    labels: Labels<'s>,
    /// Regions around this place.
    depth: usize,
}

/// An op under construction: its values have names only.
#[derive(Debug)]
struct Draft<'s> {
    at: usize,
    name: Cow<'static, str>,
    operands: Vec<Use<'s>>,
    /// Types of the first operands; a printed form need not state all of them.
    operand_types: Vec<Type>,
    result_types: Vec<Type>,
    dict: AttrDict,
    /// Blocks to branch to, and what their parameters get.
    successors: Vec<(BlockId, Vec<Use<'s>>)>,
    regions: Vec<RegionId>,
}

/// `%name:count` on the left of an operation.
#[derive(Clone, Copy, Debug)]
struct Pack<'s> {
    name: &'s str,
    count: usize,
}

/// `%name#number` as an operand.
#[derive(Clone, Copy, Debug)]
struct Use<'s> {
    at: usize,
    name: &'s str,
    number: usize,
}

/// A parameter of a block or function.
#[derive(Debug)]
struct Param<'s> {
    at: usize,
    name: &'s str,
    ty: Type,
    dict: AttrDict,
    loc: LocId,
}

impl<'s> Draft<'s> {
    fn new(at: usize, name: Cow<'static, str>) -> Draft<'s> {
        Draft {
            at,
            name,
            operands: vec![],
            operand_types: vec![],
            result_types: vec![],
            dict: AttrDict::default(),
            successors: vec![],
            regions: vec![],
        }
    }
}

impl<'s, 't> Parser<'s, 't> {
    fn new(text: &'s str, tree: &'t mut Tree) -> Result<Parser<'s, 't>, Failure> {
        let mut lexer = Lexer::new(text);
        let (at, token) = lexer.next()?;
        Ok(Parser {
            lexer,
            token,
            at,
            tree,
            names: Names::default(),
            pending: vec![],
            labels: Labels::default(),
            depth: 0,
        })
    }

    /// Takes the token and reads the next.
    fn bump(&mut self) -> Result<Token<'s>, Failure> {
        let (at, next) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// Reads on from a byte inside the current token.
    fn reread(&mut self, at: usize) -> Result<(), Failure> {
        self.lexer.seek(at);
        self.bump().map(drop)
    }

    /// The text from a byte to the current token.
    fn text_from(&self, at: usize) -> &'s str {
        self.lexer.slice(at, self.at).trim_end()
    }

    /// The text from a byte on.
    fn rest(&self, at: usize) -> &'s str {
        self.lexer.slice(at, usize::MAX)
    }

    fn expected<T>(&self, expected: &'static str) -> Result<T, Failure> {
        self.fail(ErrorKind::Expected { expected, found: self.token.describe() })
    }

    fn fail<T>(&self, fault: ErrorKind) -> Result<T, Failure> {
        Err(Failure::new(self.at, fault))
    }

    fn too_deep<T>(&self) -> Result<T, Failure> {
        self.fail(ErrorKind::TooDeep)
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.token, Token::Punct(p) if p == punct)
    }

    fn eat(&mut self, punct: &str) -> Result<bool, Failure> {
        let found = self.is(punct);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    /// `described` is the punctuation in quotes, as the error names it.
    fn expect(&mut self, punct: &str, described: &'static str) -> Result<(), Failure> {
        if self.eat(punct)? { Ok(()) } else { self.expected(described) }
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    fn eat_word(&mut self, word: &str) -> Result<bool, Failure> {
        let found = self.is_word(word);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn expect_word(&mut self, word: &str, described: &'static str) -> Result<(), Failure> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(described) }
    }

    fn word(&mut self, expected: &'static str) -> Result<&'s str, Failure> {
        match self.token {
            Token::Word(word) => self.bump().map(|_| word),
            _ => self.expected(expected),
        }
    }

    fn number(&mut self, expected: &'static str) -> Result<&'s str, Failure> {
        match self.token {
            Token::Number(text) => self.bump().map(|_| text),
            _ => self.expected(expected),
        }
    }

    /// A number that counts or numbers something.
    fn index(&mut self, expected: &'static str) -> Result<usize, Failure> {
        let at = self.at;
        let text = self.number(expected)?;
        text.parse().map_err(|_| {
            Failure::new(at, ErrorKind::Number { text: text.into(), what: expected.into() })
        })
    }

    fn string(&mut self) -> Result<Cow<'s, str>, Failure> {
        if let Token::Str(_) = self.token
            && let Token::Str(text) = self.bump()?
        {
            return Ok(text);
        }
        self.expected("a string")
    }

    fn symbol(&mut self) -> Result<Cow<'s, str>, Failure> {
        if let Token::Symbol(_) = self.token
            && let Token::Symbol(name) = self.bump()?
        {
            return Ok(name);
        }
        self.expected("a symbol, `@…`")
    }

    /// Items with commas between them, up to `close`, which is taken too.
    fn list<T>(
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
    fn skip_angles(&mut self) -> Result<(), Failure> {
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
    fn module(&mut self) -> Result<(), Failure> {
        loop {
            match self.token {
                Token::End => return self.all_defined(),
                Token::Hash(name) => {
                    self.bump()?;
                    self.expect("=", "`=`")?;
                    if self.eat_word("loc")? {
                        self.loc_alias(name)?;
                    } else {
                        let value = self.attr(0)?;
                        self.tree.aliases.push((name.into(), value));
                    }
                }
                _ => {
                    let op = self.op()?;
                    match &*self.tree[op].name {
                        "builtin.module" | "module" => {
                            self.tree.loc = self.tree[op].loc;
                            let regions = std::mem::take(&mut self.tree[op].regions);
                            for region in regions {
                                for block in std::mem::take(&mut self.tree[region].blocks) {
                                    let ops = std::mem::take(&mut self.tree[block].ops);
                                    self.tree.top.extend(ops);
                                }
                            }
                        }
                        _ => self.tree.top.push(op),
                    }
                }
            }
        }
    }
}
