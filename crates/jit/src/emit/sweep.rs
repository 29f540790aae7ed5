//! Loops over the index spaces of roots.

use std::collections::HashSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use trident_tile_analysis::{INNER, Index, NodeId, counter, log2};

use super::node::Kind;
use super::{Emitter, Result};

/// Loops of fewer than 2 to this power iterations are merged with the enclosing loop.
const SHORT: u8 = 4;

pub(super) fn args(values: &[Value]) -> Vec<BlockArg> {
    values.iter().map(|&v| v.into()).collect()
}

impl<'m> Emitter<'m, '_> {
    /// Runs `body` for each value of a counter below 2^bits, in ascending order. `body` takes the counter's name and
    /// the carried values, and returns those for the next iteration; the last ones are the result.
    pub(super) fn repeat(
        &mut self,
        bits: u8,
        init: &[Value],
        body: impl FnOnce(&mut Self, u16, &[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        self.count(0, bits, init, body)
    }

    /// Like [`Self::repeat`], but the counter starts at 1; `bits` is not 0.
    pub(super) fn repeat_from_one(
        &mut self,
        bits: u8,
        init: &[Value],
        body: impl FnOnce(&mut Self, u16, &[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        self.count(1, bits, init, body)
    }

    fn count(
        &mut self,
        first: i64,
        bits: u8,
        init: &[Value],
        body: impl FnOnce(&mut Self, u16, &[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        let var = self.sweeps.next_counter();
        self.sweeps.open();
        let result = if bits == 0 {
            let zero = self.int(0);
            self.sweeps.count(zero);
            body(self, var, init)?
        } else {
            let (head, done) = (self.b.create_block(), self.b.create_block());
            self.b.append_block_param(head, types::I64);
            for &value in init {
                let ty = self.b.func.dfg.value_type(value);
                self.b.append_block_param(head, ty);
                self.b.append_block_param(done, ty);
            }
            let zero = self.int(first);
            self.b.ins().jump(head, &args(&[&[zero], init].concat()));
            self.b.switch_to_block(head);
            let params = self.b.block_params(head).to_vec();
            self.sweeps.count(params[0]);
            let next = body(self, var, &params[1..])?;
            let i = self.b.ins().iadd_imm_s(params[0], 1);
            let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, i, 1i64 << bits);
            self.b.ins().brif(more, head, &args(&[&[i], &next[..]].concat()), done, &args(&next));
            self.b.switch_to_block(done);
            self.b.block_params(done).to_vec()
        };
        self.sweeps.close();
        Ok(result)
    }

    /// Generates code that executes once and whose values no later code may use.
    pub(super) fn scope(&mut self, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.sweeps.open();
        body(self)?;
        self.sweeps.close();
        Ok(())
    }

    /// Runs `body` for each value of a counter from `first` to below `end`.
    pub(super) fn between(
        &mut self,
        first: Value,
        end: Value,
        body: impl FnOnce(&mut Self, u16) -> Result<()>,
    ) -> Result<()> {
        let (head, inner, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let i = self.b.append_block_param(head, types::I64);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, i, end);
        self.b.ins().brif(more, inner, &[], done, &[]);
        self.b.switch_to_block(inner);
        let var = self.name(i);
        self.scope(|e| body(e, var))?;
        let next = self.b.ins().iadd_imm_s(i, 1);
        self.b.ins().jump(head, &[next.into()]);
        self.b.switch_to_block(done);
        Ok(())
    }

    /// Executes one of two pieces of code and returns its values, which have the same types in both.
    pub(super) fn either(
        &mut self,
        condition: Value,
        yes: impl FnOnce(&mut Self) -> Result<Vec<Value>>,
        no: impl FnOnce(&mut Self) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        let [on, off, done] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().brif(condition, on, &[], off, &[]);
        self.b.switch_to_block(on);
        let values = self.branch(yes)?;
        for &value in &values {
            let ty = self.b.func.dfg.value_type(value);
            self.b.append_block_param(done, ty);
        }
        self.b.ins().jump(done, &args(&values));
        self.b.switch_to_block(off);
        let values = self.branch(no)?;
        self.b.ins().jump(done, &args(&values));
        self.b.switch_to_block(done);
        Ok(self.b.block_params(done).to_vec())
    }

    /// Generates code that may not execute: elsewhere, a buffer filled here must not stand for its block.
    fn branch(&mut self, body: impl FnOnce(&mut Self) -> Result<Vec<Value>>) -> Result<Vec<Value>> {
        let scope = self.nodes.enter();
        self.sweeps.open();
        let values = body(self)?;
        self.sweeps.close();
        self.nodes.leave(scope);
        Ok(values)
    }

    /// Names a counter, or another integer used as one.
    pub(super) fn name(&mut self, counter: Value) -> u16 {
        self.sweeps.count(counter)
    }

    /// Runs `body` for each index of a block with these dimensions, in ascending order. Elements of `roots` that are
    /// invariant in the innermost loop are evaluated outside it.
    pub(super) fn sweep(
        &mut self,
        dims: &[usize],
        roots: &[NodeId],
        body: impl FnOnce(&mut Self, &Index) -> Result<()>,
    ) -> Result<()> {
        let bits: u8 = dims.iter().map(|&n| log2(n)).sum();
        let mut inner = 0;
        for &n in dims.iter().rev() {
            if inner >= SHORT {
                break;
            }
            inner += log2(n);
        }
        self.force_functions(roots)?;
        let roots = roots.to_vec();
        self.repeat(bits - inner, &[], |e, outer, _| {
            let hoisted: Index =
                counter(INNER, inner).chain(counter(outer, bits - inner)).collect();
            if bits > 0 {
                let mut seen = HashSet::new();
                roots.iter().try_for_each(|&root| e.hoist(root, &hoisted, &mut seen))?;
            }
            e.repeat(inner, &[], |e, var, _| {
                let index: Index =
                    counter(var, inner).chain(counter(outer, bits - inner)).collect();
                body(e, &index)?;
                Ok(vec![])
            })
        })?;
        Ok(())
    }

    /// Writes the elements of blocks to these addresses, row-major.
    pub(super) fn fill(&mut self, dims: &[usize], blocks: &[(NodeId, Value)]) -> Result<()> {
        if self.fill_wide(dims, blocks)? {
            return Ok(());
        }
        let roots: Vec<NodeId> = blocks.iter().map(|b| b.0).collect();
        self.force_functions(&roots)?;
        match self.fill_lanes(dims, blocks)? {
            true => Ok(()),
            false => self.fill_elements(dims, blocks),
        }
    }

    fn fill_elements(&mut self, dims: &[usize], blocks: &[(NodeId, Value)]) -> Result<()> {
        self.output.decide(|| "fill: by elements".into());
        let roots: Vec<NodeId> = blocks.iter().map(|b| b.0).collect();
        self.sweep_proved(dims, &roots, None, &|e, index| e.fill_element(index, blocks))
    }

    /// Writes one element of each block; all are read before the first is written.
    pub(super) fn fill_element(&mut self, index: &Index, blocks: &[(NodeId, Value)]) -> Result<()> {
        let values: Result<Vec<Value>> = blocks.iter().map(|b| self.eval(b.0, index)).collect();
        for (value, &(node, address)) in values?.into_iter().zip(blocks) {
            let size = self.nodes[node].elem.size();
            let at = self.element_address(address, index, size);
            let flags = self.flags();
            self.b.ins().store(flags, value, at, 0);
        }
        Ok(())
    }

    /// The address of the block's elements, row-major, for immediate reading: in the tensor's own memory if they have
    /// this order there, else in scratch.
    pub(super) fn source(&mut self, node: NodeId, dims: &[usize]) -> Result<Value> {
        let Some((there, address)) = self.in_memory(node, dims)? else {
            return self.address(node, dims);
        };
        let bytes = self.nodes[node].elem.size() << self.nodes[node].bits;
        let copy = self.reserve(bytes);
        let found = self.either(
            there,
            |_| Ok(vec![address]),
            |e| e.fill(dims, &[(node, copy)]).map(|()| vec![copy]),
        )?;
        Ok(found[0])
    }

    /// The address of the block's elements, row-major, in scratch; they are evaluated now unless they are already
    /// there.
    pub(super) fn address(&mut self, node: NodeId, dims: &[usize]) -> Result<Value> {
        if let Kind::Buffer(address) = self.nodes[node].kind {
            return Ok(address);
        }
        let (elem, bits) = (self.nodes[node].elem, self.nodes[node].bits);
        let address = self.reserve(elem.size() << bits);
        self.fill(dims, &[(node, address)])?;
        self.nodes.store(node, address);
        Ok(address)
    }

    /// The address of the element at an index.
    pub(super) fn element_address(&mut self, base: Value, index: &Index, size: usize) -> Value {
        let place = self.place(index);
        let bytes = self.b.ins().ishl_imm_u(place, i64::from(size.trailing_zeros()));
        self.b.ins().iadd(base, bytes)
    }
}
