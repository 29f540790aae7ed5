//! Code for the terms and guards of `tile_analysis`.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_tile_analysis::{Arith, Guard, NodeId, Term, TermId, Terms, Test};

use super::node::Register;
use super::{Emitter, Result};
use crate::routine::{Reduction, Routine};

/// Terms of an analysis that are in registers.
pub(super) struct Numbers<'t> {
    terms: &'t Terms<Value>,
    known: HashMap<TermId, Value>,
    /// The least and the greatest element of blocks.
    ends: HashMap<NodeId, [Value; 2]>,
}

impl<'t> Numbers<'t> {
    pub(super) fn of(terms: &'t Terms<Value>) -> Self {
        Numbers { terms, known: HashMap::new(), ends: HashMap::new() }
    }
}

impl Emitter<'_, '_> {
    /// The value of a term, in a register.
    pub(super) fn number(&mut self, n: &mut Numbers<'_>, term: TermId) -> Result<Value> {
        if let Some(&value) = n.known.get(&term) {
            return Ok(value);
        }
        let value = match &n.terms[term] {
            &Term::Const(value) => self.int(value),
            &Term::Scalar(value, dtype) => self.wide(value, dtype),
            Term::Element(node, index) => {
                let mut element = self.program.scratch;
                self.scope(|e| {
                    element = e.eval(*node, index)?;
                    Ok(())
                })?;
                self.wide(element, self.nodes[*node].elem.dtype())
            }
            &Term::Least(node) => self.ends(n, node)?[0],
            &Term::Greatest(node) => self.ends(n, node)?[1],
            &Term::Low(x) => {
                let x = self.number(n, x)?;
                let low = self.b.ins().ireduce(types::I32, x);
                self.b.ins().sextend(types::I64, low)
            }
            &Term::Shifted(x, bits) => {
                let x = self.number(n, x)?;
                self.b.ins().sshr_imm_u(x, i64::from(bits))
            }
            &Term::Binary(op, x, y) => {
                let (x, y) = (self.number(n, x)?, self.number(n, y)?);
                match op {
                    Arith::Add => self.b.ins().iadd(x, y),
                    Arith::Sub => self.b.ins().isub(x, y),
                    Arith::Mul => self.b.ins().imul(x, y),
                    Arith::Min => self.b.ins().smin(x, y),
                    Arith::Max => self.b.ins().smax(x, y),
                }
            }
        };
        n.known.insert(term, value);
        Ok(value)
    }

    /// The least and the greatest element of a block of integers, which is first materialised in scratch.
    fn ends(&mut self, n: &mut Numbers<'_>, node: NodeId) -> Result<[Value; 2]> {
        if let Some(&found) = n.ends.get(&node) {
            return Ok(found);
        }
        let op = self
            .calls
            .op()
            .ok_or_else(|| self.calls.refusal("integers are looked through outside of any op"))?;
        let (elem, bits) = (self.nodes[node].elem, self.nodes[node].bits);
        let source = self.address(node, &[1 << bits])?;
        let top = self.scratch.top;
        let out = self.reserve(2 * elem.size());
        let (one, count) = (self.int(1), self.int(1 << bits));
        let mut found = [out; 2];
        for (i, how) in [Reduction::Min, Reduction::Max].into_iter().enumerate() {
            let to = self.b.ins().iadd_imm_s(out, (i * elem.size()) as i64);
            let routine = Routine::Reduce { op: how, dtype: elem.dtype() };
            self.call_routine(op, routine, &[to, source, one, count, count])?;
            let flags = self.flags();
            let end = self.b.ins().load(elem.clif(), flags, to, 0);
            found[i] = self.wide(end, elem.dtype());
        }
        self.scratch.top = top;
        n.ends.insert(node, found);
        Ok(found)
    }

    /// Whether all guards hold; `None` if there are none.
    pub(super) fn all_hold<'g>(
        &mut self,
        n: &mut Numbers<'_>,
        guards: impl IntoIterator<Item = &'g Guard<Value>>,
    ) -> Result<Option<Value>> {
        let mut all = None;
        for guard in guards {
            let holds = self.test(n, &guard.test)?;
            all = Some(all.map_or(holds, |all| self.b.ins().band(all, holds)));
        }
        Ok(all)
    }

    fn test(&mut self, n: &mut Numbers<'_>, test: &Test<Value>) -> Result<Value> {
        Ok(match test {
            &Test::Small(x, bits) => {
                let x = self.number(n, x)?;
                let moved = self.b.ins().iadd_imm_s(x, 1i64 << bits);
                self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, moved, 2i64 << bits)
            }
            &Test::Below(x, bits) => {
                let x = self.number(n, x)?;
                self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, x, 1i64 << bits)
            }
            &Test::Less(x, y) => self.ordered(n, IntCC::SignedLessThan, x, y)?,
            &Test::AtMost(x, y) => self.ordered(n, IntCC::SignedLessThanOrEqual, x, y)?,
            &Test::Holds(truth) => truth,
            Test::Multiples(numbers, of) => {
                let mut bits = None;
                for &x in numbers {
                    let x = self.number(n, x)?;
                    bits = Some(bits.map_or(x, |bits| self.b.ins().bor(bits, x)));
                }
                let bits = bits.unwrap_or_else(|| self.int(0));
                let rest = self.b.ins().band_imm_s(bits, *of as i64 - 1);
                self.b.ins().icmp_imm_s(IntCC::Equal, rest, 0)
            }
            &Test::Inside { touch, low, span, bytes } => {
                let (low, span) = (self.number(n, low)?, self.number(n, span)?);
                self.holds_span(touch, low, span, bytes)
            }
        })
    }

    fn ordered(
        &mut self,
        n: &mut Numbers<'_>,
        order: IntCC,
        x: TermId,
        y: TermId,
    ) -> Result<Value> {
        let (x, y) = (self.number(n, x)?, self.number(n, y)?);
        Ok(self.b.ins().icmp(order, x, y))
    }
}
