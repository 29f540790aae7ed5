//! Branches, loops and calls. Calls are inlined.
//!
//! A block that a loop carries lies in one of two buffers in scratch: each iteration reads one and writes the other,
//! and only their addresses are swapped. A sum of products that nothing else uses needs one buffer only. A block to
//! which each iteration adds one scalar, as with pointers, is its first value plus a sum.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use trident_ir::{Block, DType, Op, ValueId, ops};
use trident_tile_analysis::{Carried as Decided, Elem, Fun, NodeId, index_bits};

use super::node::{Desc, Kind, Register, Val};
use super::sweep::args;
use super::{Emitter, Result, malformed, view};

/// Representation of a loop-carried value.
enum Carried<'m> {
    /// In registers.
    Scalar(Elem),
    Descriptor(Desc),
    /// Always the first value.
    Same(Val),
    /// The first value, and the op that adds the sum accumulated so far.
    Offset {
        init: NodeId,
        dims: Vec<usize>,
        op: &'m Op,
        of: Elem,
    },
    /// In a buffer to which this product is added in place.
    Sum {
        buffer: Value,
        elem: Elem,
        dims: Vec<usize>,
        op: &'m Op,
    },
    /// In two buffers.
    Buffers {
        elem: Elem,
        dims: Vec<usize>,
    },
}

impl<'m> Emitter<'m, '_> {
    fn value_types(&self, values: &[Value]) -> Vec<Type> {
        values.iter().map(|&v| self.b.func.dfg.value_type(v)).collect()
    }

    /// Decides how the values are carried, and returns the registers that hold the first ones.
    fn carry(
        &mut self,
        op: &'m Op,
        region: &'m Block,
        init: &[ValueId],
        params: &[ValueId],
        yields: &[ValueId],
    ) -> Result<(Vec<Carried<'m>>, Vec<Value>)> {
        let (mut how, mut values) = (vec![], vec![]);
        for (i, &id) in init.iter().enumerate() {
            let val = self.value(op, id)?;
            let (param, next) = (params.get(i).copied(), yields.get(i).copied());
            how.push(match val {
                Val::Scalar(value, elem) => {
                    values.push(value);
                    Carried::Scalar(elem)
                }
                Val::Descriptor(d) => {
                    values.extend(parts(&d));
                    Carried::Descriptor(d)
                }
                Val::Block(node, dims) => {
                    let elem = self.nodes[node].elem;
                    match self.carried(op, region, param, next) {
                        Decided::Same => {
                            self.force(vec![node])?;
                            Carried::Same(Val::Block(node, dims))
                        }
                        Decided::Offset { add, dtype } => {
                            self.force(vec![node])?;
                            let pointer = matches!(elem, Elem::Ptr(_));
                            let of = Elem::Data(if pointer { DType::I64 } else { dtype });
                            values.push(self.zero(of.clif()));
                            Carried::Offset { init: node, dims, op: add, of }
                        }
                        Decided::Sum(op) => {
                            let buffer = self.reserve(elem.size() << index_bits(&dims));
                            self.fill(&dims, &[(node, buffer)])?;
                            Carried::Sum { buffer, elem, dims, op }
                        }
                        Decided::Buffers => {
                            let bytes = elem.size() << index_bits(&dims);
                            let (first, second) = (self.reserve(bytes), self.reserve(bytes));
                            self.fill(&dims, &[(node, first)])?;
                            values.extend([first, second]);
                            Carried::Buffers { elem, dims }
                        }
                    }
                }
            });
        }
        Ok((how, values))
    }

    fn carried(
        &self,
        op: &Op,
        region: &'m Block,
        param: Option<ValueId>,
        next: Option<ValueId>,
    ) -> Decided<'m> {
        let (Some(param), Some(next)) = (param, next) else { return Decided::Buffers };
        Decided::of(self.calls.func(), region, param, next, &|id| match self.value(op, id) {
            Ok(Val::Block(node, _)) => matches!(self.nodes[node].kind, Kind::Uniform(_)),
            _ => false,
        })
    }

    /// The values that these registers represent.
    fn arrived(&mut self, how: &[Carried<'m>], mut values: &[Value]) -> Vec<Val> {
        let mut found = vec![];
        let mut take = |n: usize| {
            let (now, rest) = values.split_at(n.min(values.len()));
            values = rest;
            now.to_vec()
        };
        for carried in how {
            found.push(match carried {
                Carried::Scalar(elem) => Val::Scalar(take(1)[0], *elem),
                Carried::Descriptor(d) => Val::Descriptor(of_parts(d, &take(parts(d).len()))),
                Carried::Same(val) => val.clone(),
                Carried::Offset { init, dims, op, of } => {
                    let bits = index_bits(dims);
                    let by = self.uniform(take(1)[0], *of, bits);
                    let elem = self.nodes[*init].elem;
                    let operands = vec![*init, by];
                    let kind = Kind::Apply(Fun::Op(op), operands.clone());
                    Val::Block(self.make(kind, elem, bits, 1, &operands), dims.clone())
                }
                Carried::Sum { buffer, elem, dims, op } => {
                    self.scratch.sums.insert(std::ptr::from_ref(*op), *buffer);
                    let kind = Kind::Buffer(*buffer);
                    Val::Block(self.node(kind, *elem, index_bits(dims), 1, 0), dims.clone())
                }
                Carried::Buffers { elem, dims } => {
                    let kind = Kind::Buffer(take(2)[0]);
                    Val::Block(self.node(kind, *elem, index_bits(dims), 1, 0), dims.clone())
                }
            });
        }
        found
    }

    /// The registers for the next iteration, after the one that began with `before`.
    fn leave(
        &mut self,
        op: &Op,
        how: &[Carried<'m>],
        before: &[Value],
        yields: Vec<Val>,
    ) -> Result<Vec<Value>> {
        let mut next = vec![];
        let mut fills: Vec<(Vec<usize>, NodeId, Value)> = vec![];
        let mut at = 0;
        for (carried, val) in how.iter().zip(yields) {
            match (carried, val) {
                (Carried::Scalar(_), Val::Scalar(value, _)) => next.push(value),
                (Carried::Descriptor(_), Val::Descriptor(d)) => next.extend(parts(&d)),
                (Carried::Same(_), _) | (Carried::Sum { .. }, Val::Block(..)) => {}
                (Carried::Offset { op: add, of, .. }, Val::Block(..)) => {
                    let by = self.added(op, add)?;
                    let by = match of.clif() {
                        types::I64 => self.wide(by.0, by.1.dtype()),
                        _ => by.0,
                    };
                    next.push(self.b.ins().iadd(before[at], by));
                }
                (Carried::Buffers { dims, .. }, Val::Block(node, _)) => {
                    fills.push((dims.clone(), node, before[at + 1]));
                    next.extend([before[at + 1], before[at]]);
                }
                _ => return Err(malformed(op, "carries a value of another kind")),
            }
            at = next.len();
        }
        self.fill_all(fills)?;
        Ok(next)
    }

    /// Fills buffers, using one loop for those of one shape.
    fn fill_all(&mut self, mut fills: Vec<(Vec<usize>, NodeId, Value)>) -> Result<()> {
        while let Some((dims, ..)) = fills.first() {
            let dims = dims.clone();
            let (now, later) = fills.into_iter().partition(|f| f.0 == dims);
            let now: Vec<_> = now;
            let blocks: Vec<_> = now.iter().map(|f| (f.1, f.2)).collect();
            self.fill(&dims, &blocks)?;
            fills = later;
        }
        Ok(())
    }

    /// The scalar that an `Offset` adds in this iteration.
    fn added(&mut self, op: &Op, add: &Op) -> Result<(Value, Elem)> {
        for i in [1, 0] {
            if let Ok(Val::Block(node, _)) = self.operand(add, i)
                && let Kind::Uniform(value) = self.nodes[node].kind
            {
                return Ok((value, self.nodes[node].elem));
            }
        }
        Err(malformed(op, "does not carry a uniform step"))
    }

    /// Runs `body` in a separate region, whose scratch is released at its end: buffers filled there no longer stand for
    /// blocks.
    fn region<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (scope, top, loads) = (self.nodes.enter(), self.scratch.top, self.pending.len());
        let result = body(self);
        self.nodes.leave(scope);
        self.scratch.top = top;
        self.pending.truncate(loads);
        result
    }

    pub(super) fn for_loop(&mut self, op: &'m Op) -> Result<()> {
        let [(lower, elem), (upper, _), (step, _)] =
            [self.scalar(op, 0)?, self.scalar(op, 1)?, self.scalar(op, 2)?];
        let region = op.regions.first().ok_or_else(|| malformed(op, "has no body"))?;
        let init: Vec<ValueId> = op.inputs.iter().skip(3).copied().flatten().collect();
        let params = region.params.get(1..).unwrap_or_default();
        let (how, values) = self.carry(op, region, &init, params, &region.results)?;
        self.check_step(op, step, elem.dtype());
        let runs = self.trip_count(lower, upper, step, elem);

        let (head, body, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let mut start = vec![runs, lower];
        start.extend(&values);
        for t in self.value_types(&start) {
            self.b.append_block_param(head, t);
        }
        self.b.ins().jump(head, &args(&start));
        self.b.switch_to_block(head);
        let now = self.b.block_params(head).to_vec();
        self.b.ins().brif(now[0], body, &[], done, &[]);
        self.b.switch_to_block(body);
        self.region(|e| {
            e.spend_on(&[region]);
            let mut vals = vec![Val::Scalar(now[1], elem)];
            vals.extend(e.arrived(&how, &now[2..]));
            let yields = e.block(region, vals)?;
            let next = e.leave(op, &how, &now[2..], yields)?;
            let rest = e.b.ins().iadd_imm_s(now[0], -1);
            let counter = e.b.ins().iadd(now[1], step);
            e.b.ins().jump(head, &args(&[&[rest, counter], &next[..]].concat()));
            Ok(())
        })?;
        self.b.switch_to_block(done);
        let results = self.arrived(&how, &now[2..]);
        self.give_all(op, results);
        Ok(())
    }

    /// The number of iterations of a loop whose step is positive, as 64 bits.
    fn trip_count(&mut self, lower: Value, upper: Value, step: Value, elem: Elem) -> Value {
        let dtype = elem.dtype();
        let some = self.b.ins().icmp(IntCC::SignedGreaterThan, upper, lower);
        let [lower, upper, step] = [lower, upper, step].map(|v| self.wide(v, dtype));
        let span = self.b.ins().isub(upper, lower);
        let last = self.b.ins().iadd_imm_s(span, -1);
        let runs = self.b.ins().udiv(last, step);
        let runs = self.b.ins().iadd_imm_s(runs, 1);
        let none = self.int(0);
        self.b.ins().select(some, runs, none)
    }

    pub(super) fn while_loop(&mut self, op: &'m Op) -> Result<()> {
        let [before, after] = &op.regions[..] else {
            return Err(malformed(op, "needs two regions"));
        };
        let init: Vec<ValueId> = op.used().collect();
        // The second region's results have no simple relation to the first region's parameters.
        let (how, values) = self.carry(op, after, &init, &[], &[])?;
        let (head, body, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        for t in self.value_types(&values) {
            self.b.append_block_param(head, t);
        }
        self.b.ins().jump(head, &args(&values));
        self.b.switch_to_block(head);
        let now = self.b.block_params(head).to_vec();
        // The first region always executes before the code after the loop, so its buffers remain valid there.
        let vals = self.arrived(&how, &now);
        let mut yields = self.block(before, vals)?;
        if yields.is_empty() {
            return Err(malformed(op, "yields no condition"));
        }
        let Val::Scalar(condition, _) = yields.remove(0) else {
            return Err(malformed(op, "yields no condition"));
        };
        for val in &yields {
            if let Val::Block(node, _) = val {
                self.force(vec![*node])?;
            }
        }
        self.b.ins().brif(condition, body, &[], done, &[]);
        self.b.switch_to_block(body);
        let passed = yields.clone();
        self.region(|e| {
            e.spend_on(&[before, after]);
            let next = e.block(after, passed)?;
            let next = e.leave(op, &how, &now, next)?;
            e.b.ins().jump(head, &args(&next));
            Ok(())
        })?;
        self.b.switch_to_block(done);
        self.give_all(op, yields);
        Ok(())
    }

    pub(super) fn if_else(&mut self, op: &'m Op) -> Result<()> {
        let (condition, _) = self.scalar(op, 0)?;
        let results: Vec<(usize, ValueId)> =
            op.outputs.iter().enumerate().filter_map(|(i, o)| Some((i, (*o)?))).collect();
        let mut buffers = vec![];
        for &(_, id) in &results {
            let ty = self.calls.func().ty(id);
            buffers.push(match super::block_type(ty) {
                Some((elem, dims)) if !dims.is_empty() => {
                    Some((self.reserve(elem.size() << index_bits(&dims)), elem, dims))
                }
                _ => None,
            });
        }
        let merge = self.b.create_block();
        let branches = [self.b.create_block(), self.b.create_block()];
        self.b.ins().brif(condition, branches[0], &[], branches[1], &[]);
        let mut shapes: Vec<Val> = vec![];
        for (i, branch) in branches.into_iter().enumerate() {
            self.b.switch_to_block(branch);
            let Some(region) = op.regions.get(i) else {
                return Err(malformed(op, "lacks a region"));
            };
            let (values, kinds) = self.region(|e| {
                let yields = e.block(region, vec![])?;
                let (mut values, mut kinds, mut fills) = (vec![], vec![], vec![]);
                for (&(at, _), buffer) in results.iter().zip(&buffers) {
                    let val = yields.get(at).ok_or_else(|| malformed(op, "yields too little"))?;
                    match (val, buffer) {
                        (Val::Scalar(value, _), _) => values.push(*value),
                        (Val::Descriptor(d), _) => values.extend(parts(d)),
                        (Val::Block(node, _), Some((address, _, dims))) => {
                            fills.push((dims.clone(), *node, *address));
                        }
                        (Val::Block(..), None) => return Err(malformed(op, "yields a block")),
                    }
                    kinds.push(val.clone());
                }
                e.fill_all(fills)?;
                Ok((values, kinds))
            })?;
            if i == 0 {
                for t in self.value_types(&values) {
                    self.b.append_block_param(merge, t);
                }
                shapes = kinds;
            }
            self.b.ins().jump(merge, &args(&values));
        }
        self.b.switch_to_block(merge);
        let params = self.b.block_params(merge).to_vec();
        let mut rest = &params[..];
        for ((&(_, id), buffer), shape) in results.iter().zip(buffers).zip(shapes) {
            let mut take = |n: usize| {
                let (now, later) = rest.split_at(n.min(rest.len()));
                rest = later;
                now.to_vec()
            };
            let val = match (shape, buffer) {
                (Val::Scalar(_, elem), _) => Val::Scalar(take(1)[0], elem),
                (Val::Descriptor(d), _) => Val::Descriptor(of_parts(&d, &take(parts(&d).len()))),
                (Val::Block(..), Some((address, elem, dims))) => {
                    let node = self.node(Kind::Buffer(address), elem, index_bits(&dims), 1, 0);
                    Val::Block(node, dims)
                }
                (block, None) => block,
            };
            self.calls.define(id, val);
        }
        Ok(())
    }

    pub(super) fn call(&mut self, op: &'m Op) -> Result<()> {
        let name = view(op, ops::Call::of)?.callee();
        let callee = self.calls.module.funcs.iter().find(|f| f.name == name);
        let callee =
            callee.ok_or_else(|| malformed(op, format!("there is no function `{name}`")))?;
        let args: Result<Vec<Val>> = op.used().map(|id| self.value(op, id)).collect();
        let results = self.function(callee, args?)?;
        self.give_all(op, results);
        Ok(())
    }

    /// Defines all results.
    pub(super) fn give_all(&mut self, op: &Op, results: Vec<Val>) {
        for (out, val) in op.outputs.iter().zip(results) {
            if let Some(id) = out {
                self.calls.define(*id, val);
            }
        }
    }
}

fn parts(d: &Desc) -> Vec<Value> {
    let mut all = vec![d.base];
    all.extend(&d.lengths);
    all.extend(&d.strides);
    all.push(d.padding);
    all
}

fn of_parts(d: &Desc, values: &[Value]) -> Desc {
    let n = d.lengths.len();
    Desc {
        elem: d.elem,
        block: d.block.clone(),
        base: values[0],
        lengths: values[1..=n].to_vec(),
        strides: values[n + 1..=2 * n].to_vec(),
        padding: values[2 * n + 1],
    }
}
