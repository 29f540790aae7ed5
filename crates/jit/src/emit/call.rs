//! Calls of routines.

use cranelift_codegen::ir::{
    AbiParam, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Value, types,
};
use trident_ir::{DType, Func, Op, OpKind, ops};
use trident_tile_analysis::{Elem, Fun, NodeId, function_name, index_bits, is_block_function};

use super::node::{Kind, Register};
use super::{Emitter, Result, is_toward_zero, malformed, refused};
use crate::loops;
use crate::routine::{Function, Rounding, Routine};

/// Whether loops in the widest vectors can compute the op's function.
pub(super) fn traced(func: &Func, op: &Op) -> bool {
    let types: Option<Vec<DType>> = op.used().map(|v| func.ty(v).dtype()).collect();
    let function = types.and_then(|types| Function::find(function_name(op), &types));
    function.is_some_and(is_traced)
}

fn is_traced(function: &Function) -> bool {
    loops::traced(function.name, function.inputs).is_some()
}

impl<'m> Emitter<'m, '_> {
    /// Calls a routine without a result; arguments are addresses and 64-bit integers.
    pub(super) fn call_routine(&mut self, op: &Op, routine: Routine, args: &[Value]) -> Result<()> {
        self.output.decide(|| format!("call {routine}"));
        let slot = routine
            .slot()
            .ok_or_else(|| malformed(op, format!("there is no routine {routine:?}")))?;
        let flags = MemFlagsData::trusted().with_readonly();
        let address = self.b.ins().load(types::I64, flags, self.program.table, 8 * slot as i32);
        self.call_address(address, args, false);
        Ok(())
    }

    /// Calls a C function with 64-bit arguments; with `result`, it returns a 64-bit integer.
    pub(super) fn call_address(
        &mut self,
        address: Value,
        args: &[Value],
        result: bool,
    ) -> Option<Value> {
        let mut signature = Signature::new(self.conv);
        signature.params.extend(args.iter().map(|_| AbiParam::new(types::I64)));
        if result {
            signature.returns.push(AbiParam::new(types::I64));
        }
        let signature = self.b.import_signature(signature);
        let call = self.b.ins().call_indirect(signature, address, args);
        self.b.inst_results(call).first().copied()
    }

    /// Calls a routine on spans for a single element.
    pub(super) fn call_elements(
        &mut self,
        op: &Op,
        routine: Routine,
        values: &[Value],
        result: Elem,
    ) -> Result<Value> {
        let mut args = vec![];
        let slot = |e: &mut Self| {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
            e.b.create_sized_stack_slot(data)
        };
        let out = slot(self);
        args.push(self.b.ins().stack_addr(types::I64, out, 0));
        for &value in values {
            let at = slot(self);
            let at = self.b.ins().stack_addr(types::I64, at, 0);
            let flags = self.flags();
            self.b.ins().store(flags, value, at, 0);
            args.push(at);
        }
        args.push(self.int(1));
        self.call_routine(op, routine, &args)?;
        let flags = self.flags();
        Ok(self.b.ins().load(result.clif(), flags, args[0], 0))
    }

    /// The routine that computes a whole block of the op's elements, if the op is too costly to inline.
    pub(super) fn block_routine(
        &self,
        op: &Op,
        operands: &[NodeId],
        result: Elem,
    ) -> Option<Routine> {
        let types: Vec<DType> = operands.iter().map(|&n| self.nodes[n].elem.dtype()).collect();
        let from = *types.first()?;
        let to = result.dtype();
        let routine = match op.kind {
            OpKind::Cast => {
                let eight = |d: DType| d.is_float() && d.bits() == 8;
                let narrowing = to.is_float() && (from.is_int() || from.bits() >= to.bits());
                let down = narrowing && from.is_float() && is_toward_zero(op);
                let rounding = if down { Rounding::TowardZero } else { Rounding::NearestEven };
                let saturate = narrowing && eight(to) && ops::Cast::of(op)?.saturate();
                let expensive = (eight(from) || eight(to)) && from != to;
                expensive.then_some(Routine::Convert { from, to, rounding, saturate })?
            }
            kind => {
                if kind != OpKind::Libm && !(is_block_function(op) && from.is_float()) {
                    return None;
                }
                let function = Function::find(function_name(op), &types)?;
                let same = function.output == to
                    || function.output.is_int()
                        && to.is_int()
                        && function.output.bits() == to.bits();
                same.then_some(Routine::Function(function))?
            }
        };
        routine.slot().is_some().then_some(routine)
    }

    /// Whether loops generate the routine's function inline.
    pub(super) fn loops_compute(&self, routine: Routine) -> bool {
        self.wide.allowed && matches!(routine, Routine::Function(f) if is_traced(f))
    }

    /// Computes functions in these expressions by routines. Normally loops compute them, but no loop will evaluate
    /// these expressions.
    pub(super) fn force_functions(&mut self, roots: &[NodeId]) -> Result<()> {
        if !self.wide.allowed {
            return Ok(());
        }
        let mut stack = roots.to_vec();
        let mut seen = vec![false; self.nodes.len()];
        let mut found = vec![];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match &self.nodes[node].kind {
                Kind::Apply(fun, operands) => {
                    if let Fun::Op(op) = *fun
                        && let Some(routine) =
                            self.block_routine(op, operands, self.nodes[node].elem)
                        && self.loops_compute(routine)
                    {
                        found.push((node, op, routine, operands.clone()));
                    }
                    stack.extend(operands);
                }
                Kind::View(of, _) => stack.push(*of),
                Kind::Choose { from, .. } => stack.extend(from),
                Kind::Take { index, .. } => stack.push(*index),
                Kind::Load { ptr, mask, other, .. } => {
                    stack.extend([Some(*ptr), *mask, *other].into_iter().flatten());
                }
                Kind::Uniform(_) | Kind::Iota(_) | Kind::Buffer(_) => {}
            }
        }
        // Node order puts operands before their users.
        found.sort_unstable_by_key(|f| f.0);
        for (node, op, routine, operands) in found {
            let (elem, bits) = (self.nodes[node].elem, self.nodes[node].bits);
            if bits == 0 {
                continue;
            }
            let address = self.call_block_routine(op, routine, &operands, &[1 << bits], elem)?;
            self.nodes.store(node, address);
        }
        Ok(())
    }

    /// Computes a block by a routine and returns the address of the result.
    pub(super) fn call_block_routine(
        &mut self,
        op: &Op,
        routine: Routine,
        operands: &[NodeId],
        dims: &[usize],
        elem: Elem,
    ) -> Result<Value> {
        let bits = index_bits(dims);
        let mut args = vec![self.reserve(elem.size() << bits)];
        for &operand in operands {
            args.push(self.source(operand, dims)?);
        }
        let out = args[0];
        args.push(self.int(1 << bits));
        self.call_routine(op, routine, &args)?;
        Ok(out)
    }

    /// Calls a function by name; narrow floats go through `f32` if it does not exist for their type.
    pub(super) fn libm(
        &mut self,
        op: &Op,
        name: &str,
        operands: &[(Value, Elem)],
        to: DType,
    ) -> Result<Value> {
        let types: Vec<DType> = operands.iter().map(|o| o.1.dtype()).collect();
        let values: Vec<Value> = operands.iter().map(|o| o.0).collect();
        if let Some(function) = Function::find(name, &types) {
            let out = Elem::Data(function.output);
            let value = self.call_elements(op, Routine::Function(function), &values, out)?;
            return match function.output.is_int()
                && to.is_int()
                && function.output.bits() == to.bits()
            {
                true => Ok(value),
                false => self.cast(op, value, function.output, to),
            };
        }
        if types.iter().any(|d| d.is_float() && d.bits() <= 16) {
            let mut wide = vec![];
            for &(value, elem) in operands {
                let dtype = elem.dtype();
                let narrow = dtype.is_float() && dtype.bits() <= 16;
                wide.push(match narrow {
                    true => (self.widened(op, value, dtype)?, Elem::Data(DType::F32)),
                    false => (value, elem),
                });
            }
            let through = if to.is_float() { DType::F32 } else { to };
            let value = self.libm(op, name, &wide, through)?;
            return if to.is_float() { self.narrowed(op, value, to) } else { Ok(value) };
        }
        let types: Vec<&str> = types.iter().map(|d| d.name()).collect();
        Err(refused(op, format!("there is no function `{name}` of ({})", types.join(", "))))
    }
}
