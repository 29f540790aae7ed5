//! Attributes.

use super::Parser;
use super::lexer::Token;
use super::number::{Number, hexadecimal};
use super::types::starts_type;
use crate::ttir::attr::{Dense, signed};
use crate::ttir::{Attr, AttrDict};
use crate::{ErrorKind, Failure, MAX_DEPTH};
use std::borrow::Cow;
use trident_ir::{DType, Type};

impl<'s> Parser<'s, '_> {
    /// `{name = value, …}`, if it stands here.
    pub(super) fn attr_dict(&mut self, attrs: &mut AttrDict) -> Result<(), Failure> {
        match self.is("{") {
            true => self.dict(attrs, 0),
            false => Ok(()),
        }
    }

    /// `<{name = value, …}>`, if it stands here.
    pub(super) fn properties(&mut self, attrs: &mut AttrDict) -> Result<(), Failure> {
        if self.eat("<")? {
            self.dict(attrs, 0)?;
            self.expect(">", "`>`")?;
        }
        Ok(())
    }

    fn dict(&mut self, attrs: &mut AttrDict, depth: usize) -> Result<(), Failure> {
        self.expect("{", "`{`")?;
        let fields = self.list("}", "`,` or `}`", |p| p.field(depth))?;
        attrs.0.extend(fields);
        Ok(())
    }

    fn field(&mut self, depth: usize) -> Result<(Cow<'static, str>, Attr), Failure> {
        let name = match self.token {
            Token::Str(_) => self.string()?,
            _ => Cow::Borrowed(self.word("the name of an attribute")?),
        };
        let name = Cow::Owned(name.into_owned());
        let value = if self.eat("=")? { self.attr(depth + 1)? } else { Attr::Unit };
        Ok((name, value))
    }

    /// The value of an attribute.
    pub(super) fn attr(&mut self, depth: usize) -> Result<Attr, Failure> {
        if depth >= MAX_DEPTH {
            return self.too_deep();
        }
        match self.token {
            Token::Number(_) | Token::Punct("-") => self.number_attr(),
            Token::Str(_) => {
                let text = self.string()?;
                if self.eat(":")? {
                    self.ty()?;
                }
                Ok(Attr::Str(text.into()))
            }
            Token::Symbol(_) => Ok(Attr::Symbol(self.symbol()?.into())),
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
                let at = self.at;
                self.bump()?;
                match (name, self.is("<")) {
                    ("tt.cache_policy", true) => {
                        self.bump()?;
                        let fields = self.list(">", "`,` or `>`", |p| p.field(depth + 1))?;
                        Ok(Attr::Fields(name.into(), AttrDict(fields)))
                    }
                    (_, true) => {
                        self.skip_angles()?;
                        Ok(Attr::Other(self.text_from(at).into()))
                    }
                    (_, false) => Ok(Attr::Alias(name.into())),
                }
            }
            Token::Word(word) => self.word_attr(word, depth),
            Token::Bang(_) => self.ty().map(Attr::Type),
            _ => self.expected("the value of an attribute"),
        }
    }

    fn word_attr(&mut self, word: &'s str, depth: usize) -> Result<Attr, Failure> {
        match word {
            "true" | "false" => self.bump().map(|_| Attr::Bool(word == "true")),
            "unit" => self.bump().map(|_| Attr::Unit),
            "dense" => self.dense(depth),
            "array" => {
                self.bump()?;
                self.expect("<", "`<`")?;
                let ty = self.ty()?;
                let items = match self.eat(":")? {
                    true => self.list(">", "`,` or `>`", |p| p.attr(depth + 1))?,
                    false => self.expect(">", "`:` or `>`").map(|()| vec![])?,
                };
                let whole = items.iter().map(Attr::int).collect::<Option<Vec<_>>>();
                Ok(match (ty.dtype(), whole) {
                    (Some(dtype), Some(numbers)) => Attr::Array(dtype, numbers),
                    _ => Attr::List(items),
                })
            }
            _ if starts_type(&self.token) => self.ty().map(Attr::Type),
            _ => self.bump().map(|_| Attr::Word(word.to_owned().into())),
        }
    }

    /// A number and its sign.
    pub(super) fn signed(&mut self) -> Result<Number<'s>, Failure> {
        let negative = self.eat("-")?;
        let text = self.number("a number")?;
        Ok(Number { negative, text })
    }

    /// A number and its type; `i64` and `f64` are left out in the text. `index` and wide integers occur in attributes
    /// that nothing asks for.
    fn number_attr(&mut self) -> Result<Attr, Failure> {
        let at = self.at;
        let number = self.signed()?;
        let implied = if number.is_integer() { DType::I64 } else { DType::F64 };
        let ty = match self.eat(":")? {
            false => Type::fixed(implied, &[]),
            true if matches!(self.token, Token::Word("index" | "i128")) => {
                self.bump()?;
                return Ok(Attr::Other(self.text_from(at).into()));
            }
            true => self.ty()?,
        };
        match scalar(at, &number, &ty) {
            Ok(value) => Ok(value),
            // Only who asks for the attribute knows whether the number matters.
            Err(_) => Ok(Attr::Other(self.text_from(at).into())),
        }
    }

    /// `dense<…> : T`, the word being the current token.
    fn dense(&mut self, depth: usize) -> Result<Attr, Failure> {
        self.bump()?;
        self.expect("<", "`<`")?;
        let at = self.at;
        let elements = match self.is(">") {
            true => Elements::List(vec![]),
            false => self.elements(depth + 1)?,
        };
        self.expect(">", "`>`")?;
        self.expect(":", "`:`")?;
        let ty = self.ty()?;
        let expected = "numbers";
        let fault = || ErrorKind::Attribute { op: "dense".into(), name: "value", expected };
        let Some(dtype) = ty.dtype() else { return Err(Failure::new(at, fault())) };
        let splat = matches!(elements, Elements::Number(..) | Elements::Bool(..));
        let mut bytes = vec![];
        elements.append(dtype, &mut bytes)?;
        Ok(Attr::Dense(Dense { ty, bytes: bytes.into(), splat }))
    }

    /// One number for all elements, or lists of them.
    fn elements(&mut self, depth: usize) -> Result<Elements<'s>, Failure> {
        if depth >= MAX_DEPTH {
            return self.too_deep();
        }
        let at = self.at;
        match self.token {
            Token::Word(word @ ("true" | "false")) => {
                self.bump()?;
                Ok(Elements::Bool(at, word == "true"))
            }
            Token::Punct("[") => {
                self.bump()?;
                self.list("]", "`,` or `]`", |p| p.elements(depth + 1)).map(Elements::List)
            }
            Token::Str(_) => self.string().map(|digits| Elements::Bytes(at, digits)),
            _ => self.signed().map(|number| Elements::Number(at, number)),
        }
    }
}

/// The elements in `dense<…>`, before their type is known. Each has its place in the text.
enum Elements<'s> {
    Bool(usize, bool),
    Number(usize, Number<'s>),
    /// Pairs of hexadecimal digits.
    Bytes(usize, Cow<'s, str>),
    List(Vec<Elements<'s>>),
}

impl Elements<'_> {
    /// Appends the bytes of all elements. The parser bounds how deep lists nest.
    fn append(&self, dtype: DType, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let (at, expected) = match self {
            Elements::List(items) => return items.iter().try_for_each(|x| x.append(dtype, bytes)),
            Elements::Bool(_, v) if dtype == DType::Bool => {
                bytes.push((*v).into());
                return Ok(());
            }
            Elements::Number(at, number) => {
                return number.element(dtype, bytes).ok_or_else(|| number.fault(*at, dtype));
            }
            Elements::Bytes(at, digits) if dtype != DType::Bool => {
                match hexadecimal(digits, bytes) {
                    Some(()) => return Ok(()),
                    None => (*at, "hexadecimal bytes"),
                }
            }
            Elements::Bytes(at, _) | Elements::Bool(at, _) => (*at, "numbers"),
        };
        let fault = ErrorKind::Attribute { op: "arith.constant".into(), name: "value", expected };
        Err(Failure::new(at, fault))
    }
}

/// A number at byte `at` as an attribute of the type.
pub(super) fn scalar(at: usize, number: &Number<'_>, ty: &Type) -> Result<Attr, Failure> {
    let dtype = ty.dtype().unwrap_or(DType::Str);
    let mut bytes = vec![];
    if number.element(dtype, &mut bytes).is_none() || ty.shape().is_none_or(|s| !s.is_empty()) {
        return Err(number.fault(at, dtype));
    }
    Ok(match dtype {
        DType::Bool => Attr::Bool(bytes.first() == Some(&1)),
        _ if dtype.is_float() => {
            bytes.resize(8, 0);
            Attr::Float(signed(&bytes).cast_unsigned(), dtype)
        }
        _ => Attr::Int(signed(&bytes), dtype),
    })
}
