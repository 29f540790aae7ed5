//! Evaluation of one element of a block at an index.

use std::collections::HashSet;

use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_tile_analysis::{Bit, Fun, Index, NodeId, rename, uniform};

use super::node::{Kind, Register};
use super::{Emitter, Result};
use crate::abi;

impl<'m> Emitter<'m, '_> {
    /// The linear index, in a register.
    pub(super) fn place(&mut self, index: &Index) -> Value {
        if let Some(value) = self.sweeps.place(index) {
            return value;
        }
        let mut constant = 0i64;
        let mut sum: Option<Value> = None;
        let mut k = 0;
        while k < index.len() {
            let Bit::Of { var, bit } = index[k] else {
                constant |= i64::from(index[k] == Bit::Const(true)) << k;
                k += 1;
                continue;
            };
            // Adjacent bits of one counter are moved together.
            let run = (1..index.len() - k)
                .take_while(|&n| index[k + n] == Bit::Of { var, bit: bit + n as u8 })
                .count()
                + 1;
            let counter = self.sweeps.counter(var);
            let low = self.b.ins().ushr_imm_u(counter, i64::from(bit));
            let masked = self.b.ins().band_imm_s(low, (1i64 << run) - 1);
            let part = self.b.ins().ishl_imm_u(masked, k as i64);
            sum = Some(sum.map_or(part, |s| self.b.ins().bor(s, part)));
            k += run;
        }
        let value = match sum {
            Some(sum) if constant == 0 => sum,
            Some(sum) => self.b.ins().bor_imm_s(sum, constant),
            None => self.int(constant),
        };
        self.sweeps.keep_place(index, value);
        value
    }

    /// The element at the index.
    pub(super) fn eval(&mut self, node: NodeId, index: &Index) -> Result<Value> {
        let key = (node, index.clone());
        if let Some(value) = self.sweeps.element(&key) {
            return Ok(value);
        }
        let elem = self.nodes[node].elem;
        let value = match self.nodes[node].kind.clone() {
            Kind::Uniform(value) => return Ok(value),
            Kind::Iota(start) => {
                let place = self.place(index);
                let place = self.b.ins().ireduce(types::I32, place);
                self.b.ins().iadd_imm_s(place, start)
            }
            Kind::Buffer(address) => {
                let at = self.element_address(address, index, elem.size());
                let flags = self.flags();
                self.b.ins().load(elem.clif(), flags, at, 0)
            }
            Kind::Apply(fun, operands) => {
                let mut values = vec![];
                for operand in operands {
                    let at = self.nodes.operand_index(operand, index);
                    values.push((self.eval(operand, &at)?, self.nodes[operand].elem));
                }
                self.apply(fun, &values, elem)?
            }
            Kind::View(of, map) => {
                let at = rename(&map, index);
                self.eval(of, &at)?
            }
            Kind::Choose { bit, from: [a, b], map } => {
                let at = rename(&map, index);
                match index.get(usize::from(bit)) {
                    Some(&Bit::Const(second)) => self.eval(if second { b } else { a }, &at)?,
                    which => {
                        let (a, b) = (self.eval(a, &at)?, self.eval(b, &at)?);
                        let which: Index = which.copied().into_iter().collect();
                        let which = self.place(&which);
                        self.b.ins().select(which, b, a)
                    }
                }
            }
            Kind::Load { ptr, mask, other, site } => {
                let address = self.eval(ptr, index)?;
                let mask = mask.map(|m| self.eval(m, index)).transpose()?;
                let other = other.map(|o| self.eval(o, index)).transpose()?;
                if !self.is_proved(node) {
                    self.checked(address, elem.size(), abi::Kind::READ, mask, site);
                }
                self.read(elem, address, mask, other)
            }
            Kind::Take { src, index: which, axis: (start, bits), of } => {
                let chosen = self.eval(which, index)?;
                let chosen = self.wide(chosen, self.nodes[which].elem.dtype());
                // An index outside may yield any element, but must not access memory outside the block.
                let chosen = self.b.ins().band_imm_s(chosen, (1i64 << bits) - 1);
                let chosen = self.b.ins().ishl_imm_u(chosen, i64::from(start));
                let rest = rename(&of, index);
                let rest = self.place(&rest);
                let place = self.b.ins().bor(rest, chosen);
                let Kind::Buffer(address) = self.nodes[src].kind else { return Ok(chosen) };
                let bytes = self.b.ins().imul_imm_s(place, elem.size() as i64);
                let at = self.b.ins().iadd(address, bytes);
                let flags = self.flags();
                self.b.ins().load(elem.clif(), flags, at, 0)
            }
        };
        self.sweeps.keep_element(key, value);
        Ok(value)
    }

    /// The element of a block that has one element or rank 0.
    pub(super) fn only(&mut self, node: NodeId) -> Result<Value> {
        let mut values = vec![];
        self.repeat(0, &[], |e, _, _| {
            values.push(e.eval(node, &Index::from([]))?);
            Ok(vec![])
        })?;
        Ok(values[0])
    }

    /// Evaluates memory accesses that do not depend on the inner counter, whose loop is not open yet.
    pub(super) fn hoist(
        &mut self,
        node: NodeId,
        index: &Index,
        seen: &mut HashSet<(NodeId, Index)>,
    ) -> Result<()> {
        if !seen.insert((node, index.clone())) {
            return Ok(());
        }
        if uniform(index) {
            // Cranelift hoists what does not access memory.
            if self.nodes[node].cost > 0 {
                self.eval(node, index)?;
            }
            return Ok(());
        }
        match self.nodes[node].kind.clone() {
            Kind::Apply(_, operands) => {
                for operand in operands {
                    if self.nodes[operand].bits > 0 {
                        self.hoist(operand, index, seen)?;
                    }
                }
                Ok(())
            }
            Kind::View(of, map) => self.hoist(of, &rename(&map, index), seen),
            Kind::Choose { bit, from, map } => {
                let at = rename(&map, index);
                match index.get(usize::from(bit)) {
                    Some(&Bit::Const(second)) => self.hoist(from[usize::from(second)], &at, seen),
                    _ => from.into_iter().try_for_each(|n| self.hoist(n, &at, seen)),
                }
            }
            Kind::Load { ptr, mask, other, .. } => [Some(ptr), mask, other]
                .into_iter()
                .flatten()
                .try_for_each(|n| self.hoist(n, index, seen)),
            Kind::Take { index: which, .. } => self.hoist(which, index, seen),
            Kind::Uniform(_) | Kind::Iota(_) | Kind::Buffer(_) => Ok(()),
        }
    }

    /// Applies a function to elements.
    fn apply(
        &mut self,
        fun: Fun<'m>,
        values: &[(Value, super::Elem)],
        elem: super::Elem,
    ) -> Result<Value> {
        let (a, b) = match *values {
            [(a, _)] => (a, a),
            [(a, _), (b, _), ..] => (a, b),
            [] => (self.program.scratch, self.program.scratch),
        };
        Ok(match fun {
            Fun::Op(op) => self.element(op, values, elem)?,
            Fun::Add => self.b.ins().iadd(a, b),
            Fun::Mul => self.b.ins().imul(a, b),
            Fun::SignExtend => {
                let dtype = values.first().map_or(trident_ir::DType::I64, |v| v.1.dtype());
                self.wide(a, dtype)
            }
            Fun::Within => {
                use cranelift_codegen::ir::condcodes::IntCC;
                let zero = self.int(0);
                let above = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, a, zero);
                let below = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
                self.b.ins().band(above, below)
            }
            Fun::Both => self.b.ins().band(a, b),
        })
    }
}
