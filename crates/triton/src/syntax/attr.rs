//! Attributes.

use super::parser::Parser;
use super::types::starts_type;
use crate::lexer::Token;
use crate::{Failure, MAX_DEPTH};
use std::borrow::Cow;
use trident_ir::Type;

/// A number as it is written; its type decides how to read it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<'s> {
    pub(crate) negative: bool,
    pub(crate) text: &'s str,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub(crate) enum Attr<'s> {
    /// A name alone.
    Unit,
    Bool(bool),
    Number(Number<'s>),
    Str(Cow<'s, str>),
    /// A keyword: `rtne`, `acq_rel`.
    Word(&'s str),
    Symbol(Cow<'s, str>),
    Type(Type),
    /// `[…]` and `array<i32: …>`.
    List(Vec<Attr<'s>>),
    /// `dense<…>` of a tensor type: one value for all elements, or nested lists.
    Dense(Box<Attr<'s>>, Type),
    /// `{…}`, and the fields of `#tt.cache_policy<…>`.
    Dict(AttrDict<'s>),
    /// `#name`, defined elsewhere in the text.
    Alias(&'s str),
    /// An attribute that nothing here asks for.
    Other,
}

/// Attributes by name, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttrDict<'s>(pub(crate) Vec<(Cow<'s, str>, Attr<'s>)>);

impl<'s> AttrDict<'s> {
    pub(crate) fn get(&self, name: &str) -> Option<&Attr<'s>> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, name: &'static str, value: Attr<'s>) {
        self.0.push((Cow::Borrowed(name), value));
    }
}

impl Number<'_> {
    /// As an integer; decimal or hexadecimal digits.
    pub(crate) fn integer(&self) -> Option<i128> {
        let magnitude = match self.text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => self.text.parse(),
        };
        magnitude.ok().map(|m| if self.negative { -m } else { m })
    }

    /// The number as written, with its sign.
    pub(crate) fn spelling(&self) -> String {
        format!("{}{}", if self.negative { "-" } else { "" }, self.text)
    }
}

impl Attr<'_> {
    /// An integer or truth value.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Attr::Number(n) => n.integer().and_then(|v| v.try_into().ok()),
            Attr::Bool(v) => Some((*v).into()),
            Attr::Unit => Some(1),
            _ => None,
        }
    }

    /// A list of integers.
    pub(crate) fn ints(&self) -> Option<Vec<i64>> {
        match self {
            Attr::List(items) => items.iter().map(Attr::int).collect(),
            _ => None,
        }
    }

    /// A keyword, or a text in quotes.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Attr::Word(word) => Some(word),
            Attr::Str(text) => Some(text),
            _ => None,
        }
    }
}

impl<'s> Parser<'s, '_> {
    /// `{name = value, …}`, if it stands here.
    pub(super) fn attr_dict(&mut self, attrs: &mut AttrDict<'s>) -> Result<(), Failure> {
        match self.is("{") {
            true => self.dict(attrs, 0),
            false => Ok(()),
        }
    }

    /// `<{name = value, …}>`, if it stands here.
    pub(super) fn properties(&mut self, attrs: &mut AttrDict<'s>) -> Result<(), Failure> {
        if self.eat("<")? {
            self.dict(attrs, 0)?;
            self.expect(">", "`>`")?;
        }
        Ok(())
    }

    fn dict(&mut self, attrs: &mut AttrDict<'s>, depth: usize) -> Result<(), Failure> {
        self.expect("{", "`{`")?;
        let fields = self.list("}", "`,` or `}`", |p| p.field(depth))?;
        attrs.0.extend(fields);
        Ok(())
    }

    fn field(&mut self, depth: usize) -> Result<(Cow<'s, str>, Attr<'s>), Failure> {
        let name = match self.token {
            Token::Str(_) => self.string()?,
            _ => Cow::Borrowed(self.word("the name of an attribute")?),
        };
        let value = if self.eat("=")? { self.attr(depth + 1)? } else { Attr::Unit };
        Ok((name, value))
    }

    /// The value of an attribute.
    pub(super) fn attr(&mut self, depth: usize) -> Result<Attr<'s>, Failure> {
        if depth >= MAX_DEPTH {
            return self.too_deep();
        }
        match self.token {
            Token::Number(_) | Token::Punct("-") => {
                let number = self.signed()?;
                if self.eat(":")? {
                    self.number_type()?;
                }
                Ok(Attr::Number(number))
            }
            Token::Str(_) => {
                let text = self.string()?;
                if self.eat(":")? {
                    self.ty()?;
                }
                Ok(Attr::Str(text))
            }
            Token::Symbol(_) => self.symbol().map(Attr::Symbol),
            Token::Punct("[") => {
                self.bump()?;
                let items = self.list("]", "`,` or `]`", |p| p.attr(depth + 1))?;
                Ok(Attr::List(items))
            }
            Token::Punct("{") => {
                let mut attrs = AttrDict::default();
                self.dict(&mut attrs, depth + 1)?;
                Ok(Attr::Dict(attrs))
            }
            Token::Hash(name) => {
                self.bump()?;
                match (name, self.is("<")) {
                    ("tt.cache_policy", true) => {
                        self.bump()?;
                        let fields = self.list(">", "`,` or `>`", |p| p.field(depth + 1))?;
                        Ok(Attr::Dict(AttrDict(fields)))
                    }
                    (_, true) => self.skip_angles().map(|()| Attr::Other),
                    (_, false) => Ok(Attr::Alias(name)),
                }
            }
            Token::Word(word) => self.word_attr(word, depth),
            Token::Bang(_) => self.ty().map(Attr::Type),
            _ => self.expected("the value of an attribute"),
        }
    }

    fn word_attr(&mut self, word: &'s str, depth: usize) -> Result<Attr<'s>, Failure> {
        match word {
            "true" | "false" => self.bump().map(|_| Attr::Bool(word == "true")),
            "unit" => self.bump().map(|_| Attr::Unit),
            "dense" => {
                self.bump()?;
                self.expect("<", "`<`")?;
                let value = match self.is(">") {
                    true => Attr::List(vec![]),
                    false => self.attr(depth + 1)?,
                };
                self.expect(">", "`>`")?;
                self.expect(":", "`:`")?;
                Ok(Attr::Dense(Box::new(value), self.ty()?))
            }
            "array" => {
                self.bump()?;
                self.expect("<", "`<`")?;
                self.ty()?;
                let items = match self.eat(":")? {
                    true => self.list(">", "`,` or `>`", |p| p.attr(depth + 1))?,
                    false => self.expect(">", "`:` or `>`").map(|()| vec![])?,
                };
                Ok(Attr::List(items))
            }
            _ if starts_type(&self.token) => self.ty().map(Attr::Type),
            _ => self.bump().map(|_| Attr::Word(word)),
        }
    }

    /// A number and its sign.
    pub(super) fn signed(&mut self) -> Result<Number<'s>, Failure> {
        let negative = self.eat("-")?;
        let text = self.number("a number")?;
        Ok(Number { negative, text })
    }

    /// The type of a number; `index` and wide integers are allowed too.
    fn number_type(&mut self) -> Result<(), Failure> {
        if let Token::Word("index" | "i128") = self.token {
            return self.bump().map(drop);
        }
        self.ty().map(drop)
    }
}
