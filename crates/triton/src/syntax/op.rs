//! One operation: its results, its name, and either the generic form or the custom one of its name.

use super::form::{self, Custom};
use super::parser::Parser;
use super::{Op, Pack, Successor, Use};
use crate::lexer::Token;
use crate::{ErrorKind, Failure};
use std::borrow::Cow;

impl<'s> Parser<'s, '_> {
    pub(super) fn op(&mut self) -> Result<Op<'s>, Failure> {
        let results = match self.token {
            Token::Value(_) => self.results()?,
            _ => vec![],
        };
        let at = self.at;
        let mut op = match self.token {
            Token::Str(_) => self.generic(at)?,
            Token::Word(name) => {
                let custom = match (form::custom(name), form::refused(name)) {
                    (_, Some(reason)) => {
                        return self.fail(ErrorKind::Refused { op: name.into(), reason });
                    }
                    (None, None) => return self.fail(ErrorKind::UnknownOp(name.into())),
                    (Some(custom), None) => custom,
                };
                self.bump()?;
                let mut op = Op::new(at, name);
                match custom {
                    Custom::Form(items, types) => self.form(&mut op, items, types)?,
                    Custom::Own(parse) => parse(self, &mut op)?,
                }
                op
            }
            _ => return self.expected("an operation"),
        };
        op.loc = self.trailing_loc()?;
        let (actual, expected) =
            (results.iter().map(|r| r.count).sum::<usize>(), op.result_types.len());
        if !results.is_empty() && actual != expected {
            let fault =
                ErrorKind::Count { op: op.name.into(), what: "result name", actual, expected };
            return Err(Failure { at, loc: op.loc, fault: Box::new(fault) });
        }
        op.results = results;
        Ok(op)
    }

    /// `%a, %b:2 =`.
    fn results(&mut self) -> Result<Vec<Pack<'s>>, Failure> {
        let mut results = vec![];
        loop {
            let name = self.value_name("a result")?;
            let count = if self.eat(":")? { self.index("number of results")? } else { 1 };
            // Their sum is compared with the types, so it must not overflow.
            let count = u16::try_from(count).map_or(usize::from(u16::MAX), usize::from);
            results.push(Pack { name, count });
            if !self.eat(",")? {
                self.expect("=", "`=`")?;
                return Ok(results);
            }
        }
    }

    pub(super) fn value_name(&mut self, expected: &'static str) -> Result<&'s str, Failure> {
        match self.token {
            Token::Value(name) => self.bump().map(|_| name),
            _ => self.expected(expected),
        }
    }

    /// `%name` or `%name#1`.
    pub(super) fn operand(&mut self) -> Result<Use<'s>, Failure> {
        let at = self.at;
        let name = self.value_name("an operand, `%…`")?;
        let number = match self.token {
            Token::Hash(digits) => {
                let Ok(number) = digits.parse() else {
                    return self.expected("the number of a result");
                };
                self.bump()?;
                number
            }
            _ => 0,
        };
        Ok(Use { at, name, number })
    }

    /// Operands with commas between them, none if there is none. A comma in front of something else is taken too.
    pub(super) fn operands(&mut self) -> Result<Vec<Use<'s>>, Failure> {
        let mut operands = vec![];
        while let Token::Value(_) = self.token {
            operands.push(self.operand()?);
            if !self.eat(",")? {
                break;
            }
        }
        Ok(operands)
    }

    /// `^block`, with arguments and their types in parentheses if it takes any.
    pub(super) fn successor(&mut self) -> Result<Successor<'s>, Failure> {
        let at = self.at;
        let Token::Block(block) = self.token else { return self.expected("a block, `^…`") };
        self.bump()?;
        let mut args = vec![];
        if self.eat("(")? {
            args = self.operands()?;
            if self.eat(":")? {
                self.types()?;
            }
            self.expect(")", "`)`")?;
        }
        Ok(Successor { at, block, args })
    }

    /// `"name"(operands)[successors] <{properties}> ({regions}) {attributes} : (types) -> types`.
    fn generic(&mut self, at: usize) -> Result<Op<'s>, Failure> {
        let name = match self.string()? {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => return Err(Failure::new(at, ErrorKind::UnknownOp(name))),
        };
        let mut op = Op::new(at, name);
        self.expect("(", "`(`")?;
        op.operands = self.operands()?;
        self.expect(")", "`)`")?;
        if self.eat("[")? {
            op.successors = self.list("]", "`,` or `]`", Self::successor)?;
        }
        self.properties(&mut op.dict)?;
        if self.eat("(")? {
            op.regions = self.list(")", "`,` or `)`", |p| p.region(vec![]))?;
        }
        self.attr_dict(&mut op.dict)?;
        self.expect(":", "`:`")?;
        op.operand_types = self.type_list()?;
        self.expect("->", "`->`")?;
        op.result_types = self.arrow_types()?;
        if op.operand_types.len() != op.operands.len() {
            let (actual, expected) = (op.operand_types.len(), op.operands.len());
            let fault =
                ErrorKind::Count { op: name.into(), what: "operand type", actual, expected };
            return Err(Failure::new(at, fault));
        }
        Ok(op)
    }
}
