//! Names of values. Sibling regions reuse names, so a region's definitions are dropped at its end.

use super::{Parser, Use};
use crate::ttir::loc::LocId;
use crate::ttir::tree::Value;
use crate::ttir::{Definition, OpId, ValueId};
use crate::{ErrorKind, Failure};
use std::collections::HashMap;
use trident_ir::Type;

#[derive(Debug, Default)]
pub(super) struct Names<'s> {
    /// The first value of each name, and how many have it.
    known: HashMap<&'s str, (usize, usize)>,
    /// Values of all names, those of one name side by side.
    values: Vec<ValueId>,
    order: Vec<&'s str>,
}

/// A state to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    values: usize,
    order: usize,
}

impl<'s> Names<'s> {
    fn get(&self, name: &str, number: usize) -> Option<ValueId> {
        let &(start, len) = self.known.get(name)?;
        if number < len { self.values.get(start + number).copied() } else { None }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { values: self.values.len(), order: self.order.len() }
    }

    /// Forgets what was defined since.
    pub(super) fn reset(&mut self, mark: Mark) {
        self.values.truncate(mark.values);
        for name in self.order.drain(mark.order..) {
            self.known.remove(name);
        }
    }
}

/// An operand whose value comes later in the text, as blocks may.
#[derive(Debug)]
pub(super) struct Forward<'s> {
    op: OpId,
    operand: usize,
    named: Use<'s>,
    /// The type that the text states.
    ty: Option<Type>,
}

impl<'s> Parser<'s, '_> {
    /// Defines the values that share a name, at byte `at`, and appends them to `made`. Values without a name are those
    /// that no op can use.
    pub(super) fn define(
        &mut self,
        at: usize,
        name: &'s str,
        loc: LocId,
        values: impl Iterator<Item = (Type, Definition)>,
        made: &mut Vec<ValueId>,
    ) -> Result<(), Failure> {
        let (start, kept) = (self.names.values.len(), self.tree.add_name(name));
        for (ty, definition) in values {
            let id = self.tree.add_value(Value { ty, name: kept, loc, definition });
            self.names.values.push(id);
            made.push(id);
        }
        if name.is_empty() {
            self.names.values.truncate(start);
            return Ok(());
        }
        self.names.order.push(name);
        match self.names.known.insert(name, (start, self.names.values.len() - start)) {
            None => Ok(()),
            Some(_) => Err(Failure::new(at, ErrorKind::DefinedTwice(format!("%{name}")))),
        }
    }

    /// Gives an op its operand number `operand`, now or when it is defined.
    pub(super) fn use_value(
        &mut self,
        op: OpId,
        operand: usize,
        named: Use<'s>,
        ty: Option<Type>,
    ) -> Result<(), Failure> {
        match self.names.get(named.name, named.number) {
            Some(value) => self.set_operand(op, operand, value, ty.as_ref()),
            None => {
                self.pending.push(Forward { op, operand, named, ty });
                Ok(())
            }
        }
    }

    fn set_operand(
        &mut self,
        op: OpId,
        operand: usize,
        value: ValueId,
        expected: Option<&Type>,
    ) -> Result<(), Failure> {
        let actual = &self.tree[value].ty;
        if let Some(expected) = expected.filter(|&ty| ty != actual) {
            let fault = ErrorKind::Type {
                op: self.tree[op].name.to_string(),
                what: format!("operand {operand}"),
                actual: actual.to_string(),
                expected: expected.to_string(),
            };
            let (at, loc) = (self.tree[op].at, self.tree[op].loc);
            return Err(Failure { at, loc, fault: Box::new(fault) });
        }
        if let Some(place) = self.tree[op].operands.get_mut(operand) {
            *place = value;
        }
        Ok(())
    }

    /// Looks up the operands that are missing since `from`; those that an outer region may define are left.
    pub(super) fn resolve_pending(&mut self, from: usize) -> Result<(), Failure> {
        let missing: Vec<_> = self.pending.drain(from..).collect();
        for forward in missing {
            let Forward { op, operand, named, ty } = forward;
            self.use_value(op, operand, named, ty)?;
        }
        Ok(())
    }

    /// The error of the first operand that nothing defines.
    pub(super) fn all_defined(&self) -> Result<(), Failure> {
        let Some(Forward { op, named, .. }) = self.pending.first() else { return Ok(()) };
        let name = match named.number {
            0 => named.name.to_owned(),
            n => format!("{}#{n}", named.name),
        };
        let loc = self.tree[*op].loc;
        Err(Failure { at: named.at, loc, fault: Box::new(ErrorKind::Undefined(name)) })
    }
}
