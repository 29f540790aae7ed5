//! Checks that functions keep the rules of the IR.
//!
//! * Every value is defined once, before its uses, by the block of the use or one around it; names are unique.
//! * Ops belong to the level of the function, with the operands, results, attributes and regions that the table
//!   declares.
//! * The types of results agree with the type rules; the parameters and results of a region agree with its op.
//!
//! These rules hold at every level. The rules of a single level are in separate modules, called from `Verifier::op`.
//! Limits of devices and kernels are not checked here: [`Type`]s that no rule relates are left to them. Importers,
//! parsers and passes may build broken functions, and must verify a function before they pass it on.

mod call;
mod error;
mod lane;
mod op;
mod region;
mod tile;

pub use error::{VerifyError, Violation};
pub(crate) use op::{attributes, operands};

use crate::text::MAX_DEPTH;
use crate::{Block, Func, FuncPart, Level, Module, Op, Type, ValueId};
use std::collections::{HashMap, HashSet};

impl Module {
    /// Checks every function, and that there is one and their names differ.
    pub fn verify(&self) -> Result<(), VerifyError> {
        if self.funcs.is_empty() {
            return Err(VerifyError::Empty);
        }
        let mut names = HashSet::new();
        for func in &self.funcs {
            if !names.insert(&func.name) {
                return Err(VerifyError::FuncTwice(func.name.clone()));
            }
            func.verify()?;
        }
        call::verify(self)
    }
}

impl Func {
    /// Checks the function; the first broken rule is the error.
    pub fn verify(&self) -> Result<(), VerifyError> {
        lane::kernel(self).map_err(|(at, fault)| VerifyError::Func {
            func: self.name.clone(),
            at: at.to_owned().into(),
            fault,
        })?;
        let n = self.values.len();
        let state = vec![State::Unseen; n];
        let mut verifier = Verifier { func: self, state, names: HashMap::with_capacity(n) };
        verifier.block(&self.body, 0, &|| "parameters".into(), &|| "return".into())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Its definition has not come yet.
    Unseen,
    /// May be used here.
    Visible,
    /// Was defined in a block that has ended.
    Hidden,
}

struct Verifier<'f> {
    func: &'f Func,
    state: Vec<State>,
    names: HashMap<&'f str, ValueId>,
}

impl<'f> Verifier<'f> {
    fn fail<T>(&self, at: impl Into<FuncPart>, fault: Violation) -> Result<T, VerifyError> {
        Err(VerifyError::Func {
            func: self.func.name.clone(),
            at: at.into(),
            fault: Box::new(fault),
        })
    }

    /// `start` and `end` tell how errors name the places of the block's parameters and results.
    fn block(
        &mut self,
        block: &'f Block,
        depth: usize,
        start: &dyn Fn() -> String,
        end: &dyn Fn() -> String,
    ) -> Result<(), VerifyError> {
        if depth == MAX_DEPTH {
            return self.fail(start(), Violation::TooDeep);
        }
        for &id in &block.params {
            self.define(id).or_else(|fault| self.fail(start(), fault))?;
        }
        for op in &block.ops {
            self.op(op, depth)?;
        }
        for &id in &block.results {
            self.used(id).or_else(|fault| self.fail(end(), fault))?;
        }
        let defined = block.params.iter().copied().chain(block.ops.iter().flat_map(Op::defined));
        for id in defined {
            self.state[id.index()] = State::Hidden;
        }
        Ok(())
    }

    fn define(&mut self, id: ValueId) -> Result<(), Violation> {
        let func = self.func;
        let Some(info) = func.values.get(id.index()) else {
            return Err(Violation::NoSuchValue(id.0));
        };
        let fits = match func.level {
            Level::Graph => Ok(()),
            Level::Tile => crate::tile::check_type(&info.ty),
            Level::Lane => crate::lane::check_type(&info.ty),
        };
        if let Err(reason) = fits {
            return Err(Violation::LevelType {
                level: func.level,
                value: info.name.clone(),
                ty: info.ty.clone(),
                reason,
            });
        }
        if self.state[id.index()] != State::Unseen {
            return Err(Violation::DefinedTwice(info.name.clone()));
        }
        if self.names.insert(&info.name, id).is_some() {
            return Err(Violation::NameTwice(info.name.clone()));
        }
        self.state[id.index()] = State::Visible;
        Ok(())
    }

    fn used(&self, id: ValueId) -> Result<(), Violation> {
        match self.state.get(id.index()) {
            None => Err(Violation::NoSuchValue(id.0)),
            Some(State::Visible) => Ok(()),
            Some(_) => {
                let name = self.func.info(id).name.clone();
                let mut defined = false;
                self.func.body.walk(&mut |op| {
                    defined |= op.defined().any(|d| d == id);
                    defined |= op.regions.iter().any(|region| region.params.contains(&id));
                });
                Err(if defined { Violation::OutOfScope(name) } else { Violation::Undefined(name) })
            }
        }
    }

    fn op(&mut self, op: &'f Op, depth: usize) -> Result<(), VerifyError> {
        let at = || op.name();
        op::declared(self.func.level, op).or_else(|fault| self.fail(at(), fault))?;
        for id in op.used() {
            self.used(id).or_else(|fault| self.fail(at(), fault))?;
        }
        for (i, region) in op.regions.iter().enumerate() {
            let place = |what: &str| format!("{} of region {i} of {}", what, at());
            let (start, end) = (|| place("parameters"), || place("yield"));
            self.block(region, depth + 1, &start, &end)?;
        }
        for id in op.defined() {
            self.define(id).or_else(|fault| self.fail(at(), fault))?;
        }
        let rules = match self.func.level {
            Level::Tile => tile::op(self.func, op),
            Level::Lane => lane::op(self.func, op, depth),
            Level::Graph => region::agree(self.func, op).and_then(|()| op::typed(self.func, op)),
        };
        rules.or_else(|fault| self.fail(at(), fault))
    }
}

/// Whether a type is the required one, as far as both are known.
fn expect(
    actual: &Type,
    expected: Type,
    fault: impl FnOnce(Type, Type) -> Violation,
) -> Result<(), Violation> {
    if actual.agrees(&expected) { Ok(()) } else { Err(fault(expected, actual.clone())) }
}

#[cfg(test)]
mod tests;
