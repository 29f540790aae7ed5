//! Attributes and tensors.

use super::{Failure, Parser};
use crate::op::AttrDecl;
use crate::text::Syntax;
use crate::text::data;
use crate::text::lexer::Token;
use crate::{Attr, AttrKind, DType, Literal, OpDecl, TensorType, Type};
use bytes::Bytes;

/// A number of an attribute: what it is follows from how it is written.
enum Number {
    Int(i64),
    Float(f32),
}

impl Parser<'_> {
    /// `{name = value, …}` of an op, after the brace.
    pub(super) fn attrs(&mut self, decl: &OpDecl, attrs: &mut crate::Attrs) -> Result<(), Failure> {
        self.list("}", "`,` or `}`", |p| {
            let at = p.at;
            let Token::Word(name) = p.token else { return p.expected("the name of an attribute") };
            let Some(attr) = decl.attr(name) else {
                return Err((at, Syntax::UnknownAttr { op: decl.name, name: name.into() }));
            };
            if attrs.get(attr).is_some() {
                return Err((at, Syntax::SetTwice(name.into())));
            }
            p.bump()?;
            p.expect("=", "`=`")?;
            attrs.set(attr, p.attr(attr)?);
            Ok(())
        })?;
        Ok(())
    }

    fn attr(&mut self, decl: &AttrDecl) -> Result<Attr, Failure> {
        match self.token {
            Token::Str(_) => self.string().map(Attr::Str),
            Token::Punct("[") => {
                self.bump()?;
                self.attr_list(decl)
            }
            Token::Word("seq" | "opt" | "map" | "ptr" | "desc" | "matrix" | "accumulator") => {
                self.ty(0).map(Attr::Type)
            }
            Token::Word(word) if word.parse::<DType>().is_ok() => self.typed(),
            Token::Number(_) | Token::Word("inf" | "nan") => Ok(match self.number()? {
                Number::Int(v) => Attr::Int(v),
                Number::Float(v) => Attr::Float(v),
            }),
            _ => self.expected("a number, string, list, type or tensor"),
        }
    }

    /// An element type, a type, or a tensor: they start alike.
    pub(super) fn typed(&mut self) -> Result<Attr, Failure> {
        let at = self.at;
        let dtype = self.dtype()?;
        if !self.is("[") {
            return Ok(Attr::DType(dtype));
        }
        let ty = Type::Tensor(TensorType { dtype, shape: self.dims()? });
        if !self.eat("(")? {
            return Ok(Attr::Type(ty));
        }
        match ty.dims() {
            Some(dims) => self.tensor(dtype, dims, at).map(Attr::Tensor),
            None => {
                let found = format!("`{ty}`");
                Err((at, Syntax::Expected { expected: "a type with known dimensions", found }))
            }
        }
    }

    fn tensor(&mut self, dtype: DType, dims: Vec<usize>, at: usize) -> Result<Literal, Failure> {
        if self.is("...") {
            return Err((self.at, Syntax::Elided));
        }
        let close = "`,` or `)`";
        let literal = if let Token::Hex(digits) = self.token {
            let bytes = data::unhex(digits)
                .ok_or((self.at, Syntax::Number { text: "0x…".into(), what: "whole bytes" }))?;
            self.bump()?;
            self.expect(")", "`)`")?;
            Literal::from_bytes(dtype, dims, Bytes::from(bytes))
        } else if dtype == DType::Str {
            Literal::from_strings(dims, self.list(")", close, Self::string)?)
        } else {
            let mut bytes = vec![];
            self.list(")", close, |p| match p.token {
                Token::Number(text) | Token::Word(text) => {
                    let element = data::read(dtype, text, &mut bytes);
                    element.ok_or((p.at, Syntax::Element { text: text.into(), dtype }))?;
                    p.bump().map(drop)
                }
                _ => p.expected("an element"),
            })?;
            Literal::from_bytes(dtype, dims, Bytes::from(bytes))
        };
        literal.map_err(|e| (at, e.into()))
    }

    /// A list; an empty one is of the kind that the op declares.
    fn attr_list(&mut self, decl: &AttrDecl) -> Result<Attr, Failure> {
        let close = "`,` or `]`";
        if self.is("...") {
            return Err((self.at, Syntax::Elided));
        }
        if self.eat("]")? {
            return Ok(match decl.kind() {
                AttrKind::Floats => Attr::Floats(vec![]),
                AttrKind::Strs => Attr::Strs(vec![]),
                _ => Attr::Ints(vec![]),
            });
        }
        if let Token::Str(_) = self.token {
            return self.list("]", close, Self::string).map(Attr::Strs);
        }
        let (mut ints, mut floats) = (vec![], vec![]);
        self.list("]", close, |p| {
            let (at, token) = (p.at, p.token.describe());
            match p.number()? {
                Number::Int(v) if floats.is_empty() => ints.push(v),
                Number::Float(v) if ints.is_empty() => floats.push(v),
                Number::Int(_) => {
                    return Err((at, Syntax::Expected { expected: "a float", found: token }));
                }
                Number::Float(_) => {
                    return Err((at, Syntax::Expected { expected: "an integer", found: token }));
                }
            }
            Ok(())
        })?;
        Ok(if floats.is_empty() { Attr::Ints(ints) } else { Attr::Floats(floats) })
    }

    fn number(&mut self) -> Result<Number, Failure> {
        let at = self.at;
        let (Token::Number(text) | Token::Word(text @ ("inf" | "nan"))) = self.token else {
            return self.expected("a number");
        };
        self.bump()?;
        if text == "nan" && self.eat("(")? {
            let Token::Hex(digits) = self.token else {
                return self.expected("the bits of the number");
            };
            let bits = u32::from_str_radix(digits, 16).ok().map(f32::from_bits);
            let value = bits.filter(|v| v.is_nan()).ok_or((
                self.at,
                Syntax::Number { text: format!("0x{digits}"), what: "bit pattern of a NaN" },
            ))?;
            self.bump()?;
            self.expect(")", "`)`")?;
            return Ok(Number::Float(value));
        }
        // A float has a point or an exponent, or is one of inf, -inf, nan, -nan.
        let float = text.contains(['.', 'e', 'n']);
        let number = match float {
            true => data::parse_float(text).map(Number::Float),
            false => text.parse().ok().map(Number::Int),
        };
        let what = if float { "32-bit float" } else { "64-bit integer" };
        number.ok_or((at, Syntax::Number { text: text.into(), what }))
    }
}
