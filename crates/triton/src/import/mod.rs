//! Ops of the tree to ops of the table: one file for each family of ops.

mod arith;
mod blocks;
mod cast;
mod constant;
mod control;
mod descriptor;
mod dot;
mod effect;
mod emit;
mod func;
mod library;
mod math;
mod pointer;
mod reduce;
mod scope;
mod shape;

use crate::ttir::{self, Definition, LocId, Op, Tree};
use crate::{ErrorKind, Failure};
use func::Signature;
use scope::Scope;
use std::collections::HashMap;
use trident_ir::{Block, Func, Level, Loc, Type, ValueId};

pub(crate) use func::module;

/// State that the functions of a module share.
struct Context<'a> {
    tree: &'a Tree,
    signatures: HashMap<&'a str, Signature>,
}

/// The import of one function.
struct Import<'a> {
    context: &'a Context<'a>,
    func: Func,
    /// The block under construction.
    block: Block,
    scope: Scope,
    /// Blocks around `block`.
    depth: usize,
    /// Ops and blocks that the function has.
    expected: usize,
    /// Ops and blocks imported so far; structuring may copy some.
    imported: usize,
    /// The operation under import: its place in the text and in the source.
    at: usize,
    loc_id: LocId,
    loc: Option<Loc>,
}

/// The results of an operation.
type Lowered = Result<Vec<ValueId>, Failure>;

impl<'a> Import<'a> {
    fn new(context: &'a Context<'a>, name: &str) -> Import<'a> {
        Import {
            context,
            func: Func::new(name, Level::Tile),
            block: Block::default(),
            scope: Scope::default(),
            depth: 0,
            expected: 0,
            imported: 0,
            at: 0,
            loc_id: LocId::UNKNOWN,
            loc: None,
        }
    }

    fn failure(&self, fault: ErrorKind) -> Failure {
        Failure { at: self.at, loc: self.loc_id, fault: Box::new(fault) }
    }

    fn fail<T>(&self, fault: ErrorKind) -> Result<T, Failure> {
        Err(self.failure(fault))
    }

    fn ty(&self, id: ValueId) -> &Type {
        self.func.ty(id)
    }

    /// Makes an operation the current one; `leave` restores the former one.
    fn enter(&mut self, op: &Op) -> (usize, LocId, Option<Loc>) {
        let loc = if op.loc == self.loc_id {
            self.loc.clone()
        } else {
            self.context.tree.locs.resolve(op.loc)
        };
        let former = (self.at, self.loc_id, std::mem::replace(&mut self.loc, loc));
        (self.at, self.loc_id) = (op.at, op.loc);
        former
    }

    fn leave(&mut self, former: (usize, LocId, Option<Loc>)) {
        (self.at, self.loc_id, self.loc) = former;
    }

    /// Imports an operation that is not a terminator.
    fn op(&mut self, op: &'a Op) -> Result<(), Failure> {
        let former = self.enter(op);
        self.count(op.at)?;
        let operands = self.values(&op.operands)?;
        let mut results = self.lower(op, &operands)?;
        self.counted(op, "result", results.len(), op.results.len())?;
        for (i, (&id, ty)) in results.iter().zip(&self.result_types(op)).enumerate() {
            self.typed(op, || format!("result {i}"), self.ty(id), ty)?;
        }
        if let [result] = &mut results[..] {
            *result = self.hinted(&op.name, *result, &op.dict)?;
        }
        for (&id, &result) in results.iter().zip(&op.results) {
            self.define(result, id);
        }
        self.leave(former);
        Ok(())
    }

    /// Binds a value of the tree, whose name the made one gets.
    fn define(&mut self, value: ttir::ValueId, made: ValueId) {
        let known = &mut self.func.values[made.index()].name;
        if known.is_empty() {
            let name = self.context.tree.shared_name(value);
            *known = match self.context.tree[value].definition {
                Definition::Result { number, of: 2.. } => format!("{name}.{number}"),
                _ => name.to_owned(),
            };
        }
        self.scope.define(value, made);
    }

    fn value(&self, value: ttir::ValueId) -> Result<ValueId, Failure> {
        self.scope
            .get(value)
            .ok_or_else(|| self.failure(ErrorKind::Undefined(self.context.tree.name(value))))
    }

    fn values(&self, values: &[ttir::ValueId]) -> Lowered {
        values.iter().map(|&value| self.value(value)).collect()
    }

    /// The types that the tree states for the results of an operation.
    fn result_types(&self, op: &Op) -> Vec<Type> {
        self.context.tree.types(&op.results).cloned().collect()
    }

    fn typed(
        &self,
        op: &Op,
        what: impl FnOnce() -> String,
        actual: &Type,
        expected: &Type,
    ) -> Result<(), Failure> {
        if actual == expected {
            return Ok(());
        }
        self.wrong_type(op, what(), actual, expected.to_string())
    }

    fn wrong_type<T>(
        &self,
        op: &Op,
        what: impl Into<String>,
        actual: &Type,
        expected: impl Into<String>,
    ) -> Result<T, Failure> {
        self.fail(ErrorKind::Type {
            op: op.name.to_string(),
            what: what.into(),
            actual: actual.to_string(),
            expected: expected.into(),
        })
    }

    fn counted(
        &self,
        op: &Op,
        what: &'static str,
        actual: usize,
        expected: usize,
    ) -> Result<(), Failure> {
        if actual == expected {
            return Ok(());
        }
        self.fail(ErrorKind::Count { op: op.name.to_string(), what, actual, expected })
    }

    fn attribute<T>(
        &self,
        op: &Op,
        name: &'static str,
        expected: &'static str,
    ) -> Result<T, Failure> {
        self.fail(ErrorKind::Attribute { op: op.name.to_string(), name, expected })
    }

    /// All operands, which must be `N`.
    fn exactly<const N: usize>(
        &self,
        op: &Op,
        operands: &[ValueId],
    ) -> Result<[ValueId; N], Failure> {
        self.counted(op, "operand", operands.len(), N)?;
        operands.try_into().or_else(|_| self.fail(ErrorKind::UnknownOp(op.name.to_string())))
    }

    /// The operands: `N` that must be there, then at most `M` others.
    fn up_to<const N: usize, const M: usize>(
        &self,
        op: &Op,
        operands: &[ValueId],
    ) -> Result<([ValueId; N], [Option<ValueId>; M]), Failure> {
        let count = operands.len().clamp(N, N + M);
        self.counted(op, "operand", operands.len(), count)?;
        match operands.split_first_chunk::<N>() {
            Some((first, rest)) => Ok((*first, std::array::from_fn(|i| rest.get(i).copied()))),
            None => self.unknown(op),
        }
    }

    /// The one type of result that the tree states.
    fn result_type(&self, op: &Op) -> Result<&'a Type, Failure> {
        self.counted(op, "result", op.results.len(), 1)?;
        let first = op.results.first().map(|&id| &self.context.tree[id].ty);
        first.ok_or_else(|| self.failure(ErrorKind::UnknownOp(op.name.to_string())))
    }

    fn lower(&mut self, op: &'a Op, xs: &[ValueId]) -> Lowered {
        if let Some(reason) = ttir::refused(&op.name) {
            return self.fail(ErrorKind::Refused { op: op.name.to_string(), reason });
        }
        let (dialect, name) = op.name.split_once('.').unwrap_or(("", &*op.name));
        match (dialect, name) {
            ("arith", "constant") => self.constant(op),
            ("arith", _) => self.arith(op, name, xs),
            ("math", _) => self.math(op, name, xs),
            ("scf", _) => self.control(op, name, xs),
            ("tt", _) => self.triton(op, name, xs),
            ("ub", "poison") => self.poison(op),
            ("llvm", "intr.assume") => self.assume(op, xs),
            ("ttg" | "gpu", "barrier") => self.barrier(op, xs),
            _ => self.fail(ErrorKind::UnknownOp(op.name.to_string())),
        }
    }

    fn triton(&mut self, op: &'a Op, name: &str, xs: &[ValueId]) -> Lowered {
        match name {
            "get_program_id" | "get_num_programs" | "make_range" | "splat" | "unsplat"
            | "expand_dims" | "broadcast" | "reshape" | "trans" | "cat" | "join" | "split"
            | "gather" | "histogram" => self.shape(op, name, xs),
            "bitcast" | "fp_to_fp" => self.cast(op, name, xs),
            "addptr" | "int_to_ptr" | "ptr_to_int" | "load" | "store" | "atomic_rmw"
            | "atomic_cas" | "atomic_load" | "atomic_store" | "atomic_poll" => {
                self.pointer(op, name, xs)
            }
            "clampf" | "precise_sqrt" | "precise_divf" | "approx_divf" | "mulhiui"
            | "extern_elementwise" => self.math(op, name, xs),
            "reduce" | "scan" | "map_elementwise" => self.reduce(op, name, xs),
            "dot" | "dot_scaled" => self.dot(op, name, xs),
            "make_tensor_descriptor"
            | "descriptor_load"
            | "descriptor_store"
            | "descriptor_reduce"
            | "descriptor_gather"
            | "descriptor_scatter" => self.descriptor(op, name, xs),
            "print" | "assert" => self.effect(op, name, xs),
            "call" => self.call(op, xs),
            // They let kernels of a stream overlap, which changes no result.
            "grid_dependency_wait" | "grid_dependency_launch_dependents" => Ok(vec![]),
            _ => self.fail(ErrorKind::UnknownOp(op.name.to_string())),
        }
    }
}
