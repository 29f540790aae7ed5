//! Functions, blocks and ops.

use super::{Failure, Parser};
use crate::text::lexer::Token;
use crate::text::{MAX_DEPTH, Syntax};
use crate::{Block, DType, Func, Level, Loc, Op, OpKind, Type, ValueId};
use std::borrow::Cow;
use std::collections::HashMap;

/// The facts about a name that were read so far.
struct Slot {
    id: ValueId,
    /// Its definition has been read.
    defined: bool,
    /// Its type is known.
    typed: bool,
    /// Where it occurs first.
    at: usize,
}

/// A function under construction. Values are numbered as they occur first.
struct Body<'p, 's> {
    p: &'p mut Parser<'s>,
    func: Func,
    names: HashMap<Cow<'s, str>, Slot>,
}

/// Reads one function.
pub(super) fn func(p: &mut Parser<'_>) -> Result<Func, Failure> {
    if !p.eat_word("func")? {
        return p.expected("`func`");
    }
    let Token::Func(_) = p.token else { return p.expected("the name of a function, `@…`") };
    let Token::Func(name) = p.bump()? else { return p.expected("the name of a function, `@…`") };
    let level = match p.token {
        Token::Word(word) => Level::by_name(word),
        _ => None,
    };
    let Some(level) = level else { return p.expected("a level: `graph`, `tile` or `lane`") };
    p.bump()?;
    let threads = if p.eat("{")? { Some(threads(p)?) } else { None };
    let func = Func { threads, ..Func::new(name, level) };
    let mut body = Body { p, func, names: HashMap::new() };
    body.p.expect("(", "`(`")?;
    let params = body.params()?;
    let at = body.p.at;
    let declared = if body.p.eat("->")? {
        body.p.expect("(", "`(`")?;
        Some(body.p.list(")", "`,` or `)`", |p| p.ty(0))?)
    } else {
        None
    };
    let block = body.block(params, "return", "an op or `return`", 0)?;
    if let Some((name, slot)) = first(body.names.iter().filter(|(_, slot)| !slot.defined)) {
        return Err((slot.at, Syntax::Undefined(name.clone().into_owned())));
    }
    if let Some(declared) = declared {
        let actual: Vec<&Type> = block.results.iter().map(|&id| body.func.ty(id)).collect();
        if !actual.iter().copied().eq(&declared) {
            return Err((at, Syntax::signature(&declared, &actual)));
        }
    }
    let mut func = body.func;
    func.body = block;
    Ok(func)
}

/// `threads = 128}` of a kernel at level lane, after the brace.
fn threads(p: &mut Parser<'_>) -> Result<u32, Failure> {
    if !p.eat_word("threads")? {
        return p.expected("`threads`");
    }
    p.expect("=", "`=`")?;
    let Token::Number(text) = p.token else { return p.expected("a number of threads") };
    let what = "number of threads";
    let threads = text.parse().map_err(|_| (p.at, Syntax::Number { text: text.into(), what }))?;
    p.bump()?;
    p.expect("}", "`}`")?;
    Ok(threads)
}

/// The entry that occurs first in the text.
fn first<'a, N: 'a>(slots: impl Iterator<Item = (&'a N, &'a Slot)>) -> Option<(&'a N, &'a Slot)> {
    slots.min_by_key(|(_, slot)| slot.at)
}

impl<'s> Body<'_, 's> {
    /// The value under the token, if there is one there.
    fn name(&mut self, expected: &'static str) -> Result<(usize, Cow<'s, str>), Failure> {
        let at = self.p.at;
        let Token::Value(_) = self.p.token else { return self.p.expected(expected) };
        match self.p.bump()? {
            Token::Value(name) => Ok((at, name)),
            _ => self.p.expected(expected),
        }
    }

    fn slot(&mut self, at: usize, name: Cow<'s, str>) -> &mut Slot {
        let func = &mut self.func;
        self.names.entry(name).or_insert_with_key(|name| {
            let id = func.value(name.clone(), Type::unranked(DType::Bool));
            Slot { id, defined: false, typed: false, at }
        })
    }

    /// An operand; it may be defined further on.
    fn operand(&mut self, expected: &'static str) -> Result<ValueId, Failure> {
        let (at, name) = self.name(expected)?;
        Ok(self.slot(at, name).id)
    }

    /// `_` or what `value` reads.
    fn optional<T>(
        &mut self,
        value: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        if self.p.eat_word("_")? { Ok(None) } else { value(self).map(Some) }
    }

    fn define(&mut self, expected: &'static str) -> Result<ValueId, Failure> {
        let (at, name) = self.name(expected)?;
        let slot = self.slot(at, name.clone());
        if std::mem::replace(&mut slot.defined, true) {
            return Err((at, Syntax::DefinedTwice(name.into_owned())));
        }
        Ok(slot.id)
    }

    fn set_type(&mut self, id: ValueId, ty: Type) {
        if let Some(info) = self.func.values.get_mut(id.index()) {
            if let Some(slot) = self.names.get_mut(info.name.as_str()) {
                slot.typed = true;
            }
            info.ty = ty;
        }
    }

    /// `%x: type, …)` after the parenthesis.
    fn params(&mut self) -> Result<Vec<ValueId>, Failure> {
        let mut params = vec![];
        if self.p.eat(")")? {
            return Ok(params);
        }
        loop {
            let id = self.define("a parameter, `%…`")?;
            self.p.expect(":", "`:`")?;
            let ty = self.p.ty(0)?;
            self.set_type(id, ty);
            params.push(id);
            if !self.p.eat(",")? {
                self.p.expect(")", "`,` or `)`")?;
                return Ok(params);
            }
        }
    }

    fn block(
        &mut self,
        params: Vec<ValueId>,
        end: &'static str,
        expected: &'static str,
        depth: usize,
    ) -> Result<Block, Failure> {
        if depth == MAX_DEPTH {
            return Err((self.p.at, Syntax::TooDeep));
        }
        self.p.expect("{", "`{`")?;
        let mut block = Block { params, ..Block::default() };
        while !self.p.eat_word(end)? {
            let op = self.op(expected, depth)?;
            block.ops.push(op);
        }
        if !self.p.is("}") {
            block.results.push(self.operand("a value or `}`")?);
            while self.p.eat(",")? {
                block.results.push(self.operand("a value")?);
            }
        }
        self.p.expect("}", "`,` or `}`")?;
        Ok(block)
    }

    fn op(&mut self, expected: &'static str, depth: usize) -> Result<Op, Failure> {
        let mut outputs = vec![];
        if matches!(self.p.token, Token::Value(_) | Token::Word("_")) {
            outputs.push(self.optional(|b| b.define("a result"))?);
            while self.p.eat(",")? {
                outputs.push(self.optional(|b| b.define("a result or `_`"))?);
            }
            self.p.expect("=", "`,` or `=`")?;
        }
        let start = self.p.at;
        let Token::Word(word) = self.p.token else {
            return self.p.expected(if outputs.is_empty() { expected } else { "an op" });
        };
        let Some(kind) = OpKind::by_name(word) else {
            return Err((start, Syntax::UnknownOp(word.into())));
        };
        self.p.bump()?;
        let mut op = Op::new(kind, vec![], outputs);
        if self.p.eat("(")? && !self.p.eat(")")? {
            op.inputs.push(self.optional(|b| b.operand("an operand, `_` or `)`"))?);
            while self.p.eat(",")? {
                op.inputs.push(self.optional(|b| b.operand("an operand or `_`"))?);
            }
            self.p.expect(")", "`,` or `)`")?;
        }
        if self.p.eat("{")? {
            self.p.attrs(op.decl(), &mut op.attrs)?;
        }
        let types = self.types(&op)?;
        if self.p.eat_word("loc")? {
            self.p.expect("(", "`(`")?;
            op.loc = Some(Loc::of_text(&self.p.string()?));
            self.p.expect(")", "`)`")?;
        }
        while self.p.eat_word("region")? {
            let params = if self.p.eat("(")? { self.params()? } else { vec![] };
            op.regions.push(self.block(params, "yield", "an op or `yield`", depth + 1)?);
        }
        if !types {
            self.infer(&op, start)?;
        }
        Ok(op)
    }

    /// `: type, …` after an op; returns whether it is there.
    fn types(&mut self, op: &Op) -> Result<bool, Failure> {
        let at = self.p.at;
        if !self.p.eat(":")? {
            return Ok(false);
        }
        let mut types = vec![self.p.ty(0)?];
        while self.p.eat(",")? {
            types.push(self.p.ty(0)?);
        }
        let (expected, actual) = (op.defined().count(), types.len());
        if expected != actual {
            return Err((at, Syntax::TypeCount { expected, actual }));
        }
        for (id, ty) in op.defined().zip(types) {
            self.set_type(id, ty);
        }
        Ok(true)
    }

    /// Types the results by the op's rules.
    fn infer(&mut self, op: &Op, at: usize) -> Result<(), Failure> {
        if op.defined().next().is_none() {
            return Ok(());
        }
        let yielded = op.regions.iter().flat_map(|r| r.results.iter().copied());
        for id in op.used().chain(yielded) {
            let name = &self.func.info(id).name;
            if self.names.get(name.as_str()).is_some_and(|slot| !slot.typed) {
                return Err((at, Syntax::UntypedOperand(name.clone())));
            }
        }
        let untyped = |reason| (at, Syntax::Untyped { op: op.decl().name, reason });
        let types = self.func.result_types(op).map_err(untyped)?;
        for (id, ty) in op.outputs.iter().zip(types) {
            match (id, ty) {
                (Some(id), Some(ty)) => self.set_type(*id, ty),
                (Some(_), None) => return Err((at, Syntax::NoRule(op.decl().name))),
                (None, _) => {}
            }
        }
        Ok(())
    }
}
