//! One operation: its results, its name, and either the generic form or the custom one of its name.

use super::lexer::Token;
use super::{Draft, Pack, Parser, Use, special};
use crate::ttir::form::{self, Form};
use crate::ttir::words;
use crate::ttir::{BlockId, Definition, Op, OpId, Successor, ValueId};
use crate::{ErrorKind, Failure};
use std::borrow::Cow;

impl<'s> Parser<'s, '_> {
    pub(super) fn op(&mut self) -> Result<OpId, Failure> {
        let results = match self.token {
            Token::Value(_) => self.results()?,
            _ => vec![],
        };
        let at = self.at;
        let draft = match self.token {
            Token::Str(_) => self.generic(at)?,
            Token::Word(name) => {
                if let Some(reason) = form::refused(name) {
                    return self.fail(ErrorKind::Refused { op: name.into(), reason });
                }
                let arithmetic = name.starts_with("arith.") || name.starts_with("math.");
                let (name, form) = match form::form(name) {
                    Some((name, form)) => (Cow::Borrowed(name), form),
                    None if arithmetic => (name.to_owned().into(), form::OTHER_ARITHMETIC),
                    None => return self.fail(ErrorKind::UnknownOp(name.into())),
                };
                if let Form::Generic(_) = form {
                    return self.fail(ErrorKind::UnknownOp(name.into()));
                }
                self.bump()?;
                let mut draft = Draft::new(at, name);
                match form {
                    Form::Items(items, types) => self.form(&mut draft, items, types)?,
                    Form::Own(own) => special::own(self, own, &mut draft)?,
                    Form::Generic(_) => {}
                }
                draft
            }
            _ => return self.expected("an operation"),
        };
        self.finish(draft, &results)
    }

    /// Makes an op of what was read of it.
    fn finish(&mut self, draft: Draft<'s>, results: &[Pack<'s>]) -> Result<OpId, Failure> {
        let Draft { at, name, mut dict, regions, .. } = draft;
        words::spell(&name, &mut dict);
        let loc = self.trailing_loc()?;
        let (actual, expected) =
            (results.iter().map(|r| r.count).sum::<usize>(), draft.result_types.len());
        if !results.is_empty() && actual != expected {
            let fault = ErrorKind::Count { op: name.into(), what: "result name", actual, expected };
            return Err(Failure { at, loc, fault: Box::new(fault) });
        }
        let successors = draft.successors.iter();
        let op = self.tree.add_op(Op {
            at,
            name,
            operands: vec![],
            results: vec![],
            dict,
            successors: successors
                .map(|(block, args)| Successor { block: *block, args: args.len() })
                .collect(),
            regions,
            loc,
        });
        let handed = draft.successors.into_iter().flat_map(|(_, args)| args);
        let count =
            draft.operands.len() + self.tree[op].successors.iter().map(|s| s.args).sum::<usize>();
        self.tree[op].operands = vec![ValueId::UNDEFINED; count];
        let mut types = draft.operand_types.into_iter();
        for (i, named) in draft.operands.into_iter().chain(handed).enumerate() {
            self.use_value(op, i, named, types.next())?;
        }
        let mut types = draft.result_types.into_iter();
        let unnamed = [Pack { name: "", count: expected }];
        let mut made = Vec::with_capacity(expected);
        for pack in if results.is_empty() { &unnamed } else { results } {
            let definition = |number| Definition::Result { number, of: pack.count };
            let values = (0..pack.count).zip(types.by_ref());
            let values = values.map(|(number, ty)| (ty, definition(number)));
            self.define(at, pack.name, loc, values, &mut made)?;
        }
        self.tree[op].results = made;
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
    pub(super) fn successor(&mut self) -> Result<(BlockId, Vec<Use<'s>>), Failure> {
        let at = self.at;
        let Token::Block(name) = self.token else { return self.expected("a block, `^…`") };
        self.bump()?;
        let mut args = vec![];
        if self.eat("(")? {
            args = self.operands()?;
            if self.eat(":")? {
                self.types()?;
            }
            self.expect(")", "`)`")?;
        }
        Ok((self.labelled(name, at), args))
    }

    /// `"name"(operands)[successors] <{properties}> ({regions}) {attributes} : (types) -> types`.
    fn generic(&mut self, at: usize) -> Result<Draft<'s>, Failure> {
        let name = self.string()?;
        let name = match form::form(&name) {
            Some((name, _)) => Cow::Borrowed(name),
            None => Cow::Owned(name.into_owned()),
        };
        let mut op = Draft::new(at, name);
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
                ErrorKind::Count { op: op.name.into(), what: "operand type", actual, expected };
            return Err(Failure::new(at, fault));
        }
        Ok(op)
    }
}
