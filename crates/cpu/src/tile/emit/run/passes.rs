//! The loops over runs: the test of a run's ends, passes over what it holds for, and the elements behind.

use std::collections::HashSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::OpKind;
use trident_ir::dtype::Class;

use super::super::index::{INNER, Index};
use super::super::node::{Elem, Fun, Kind, NodeId};
use super::super::proof::Proved;
use super::super::{Emitter, Result};
use super::{GROUP, Mask, OUTER, Part, Road, Run, element, start, with};

impl<'m> Emitter<'m, '_> {
    /// Runs `body` for each group of a run, or for each element where the run's test fails. Nothing runs for groups without
    /// an element that is stored.
    pub(in crate::tile::emit) fn sweep_run(
        &mut self,
        run: &Run,
        body: &dyn Fn(&mut Self, &Index, Part) -> Result<()>,
    ) -> Result<()> {
        self.each_run(run, |e, run, index| {
            let count = e.count_of(run)?;
            let passes = e.b.ins().ushr_imm_u(count, i64::from(run.pass()));
            e.settled = run.masks.iter().map(|m| (m.node, m.index.clone())).collect();
            let none = e.int(0);
            e.each_group(run, none, passes, &|e| body(e, index, Part::Group))?;
            if run.guarded() {
                e.sweep_rest(run, index, [passes, count], body)?;
            }
            Ok(())
        })
    }

    /// Runs `body` for each run, with the index of its elements. What does not change in a run has been evaluated.
    pub(in crate::tile::emit) fn each_run(
        &mut self,
        run: &Run,
        body: impl FnOnce(&mut Self, &Run, &Index) -> Result<()>,
    ) -> Result<()> {
        self.repeat(run.outer, &[], |e, outer, _| {
            let index = with(&run.index(), OUTER, outer);
            let run = run.at(outer);
            let mut seen = HashSet::new();
            for (node, index) in &run.roots {
                e.hoist(*node, index, &mut seen)?;
            }
            if run.road == Road::Lanes {
                e.pin_pointers(&run)?;
            }
            body(e, &run, &index)?;
            Ok(vec![])
        })?;
        Ok(())
    }

    /// Has loops compute a run: `on` takes the number of elements for which all masks hold, then the number of those
    /// that are settled, which masks leave out if they are more. `body` computes one of the others.
    pub(in crate::tile::emit) fn settle_run(
        &mut self,
        run: &Run,
        index: &Index,
        on: impl FnOnce(&mut Self, Value, Value) -> Result<()>,
        body: impl FnOnce(&mut Self, &Index) -> Result<()>,
    ) -> Result<()> {
        let all = self.int(run.len() as i64);
        if !run.guarded() {
            return on(self, all, all);
        }
        let count = self.count_of(run)?;
        let settled = self.settled_of(run, count)?;
        on(self, count, settled)?;
        self.between(settled, all, |e, at| body(e, &element(index, at)))
    }

    /// Of the elements of a run, of which masks hold for the first `count`, the number for which it is known whether
    /// they do: all, if they hold for no other.
    pub(in crate::tile::emit) fn settled_of(&mut self, run: &Run, count: Value) -> Result<Value> {
        if run.masks.is_empty() {
            return Ok(count);
        }
        let all = self.int(run.len() as i64);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, count, all);
        let rest = |e: &mut Self| {
            let off = e.off(run, count)?;
            Ok(vec![e.b.ins().select(off, all, count)])
        };
        Ok(self.either(more, rest, |_| Ok(vec![all]))?[0])
    }

    /// The number of elements of a run, from the first on, for which its test holds.
    pub(in crate::tile::emit) fn count_of(&mut self, run: &Run) -> Result<Value> {
        let all = self.int(run.len() as i64);
        if !run.guarded() {
            return Ok(all);
        }
        let last = self.int(run.len() as i64 - 1);
        let holds = self.run_holds(run, last)?;
        let beginning = |e: &mut Self| Ok(vec![e.beginning(run)?]);
        Ok(self.either(holds, |_| Ok(vec![all]), beginning)?[0])
    }

    /// Pointers to the first elements of a run, from memory: Cranelift would add them up anew in every pass.
    fn pin_pointers(&mut self, run: &Run) -> Result<()> {
        for reach in &run.pointers {
            let node = reach.ptr;
            let key = (node, start(&reach.index));
            if self.memo.last().is_some_and(|m| m.contains_key(&key)) {
                continue;
            }
            let pointer = self.eval(node, &key.1)?;
            let pointer = self.pin(pointer);
            if let Some(memo) = self.memo.last_mut() {
                memo.insert(key, pointer);
            }
        }
        Ok(())
    }

    /// Runs `body` for the elements behind the first passes of a run, whose test holds for the first `count` elements.
    /// Where masks hold for no other, no access needs a test: one pass goes element by element, the rest by groups.
    fn sweep_rest(
        &mut self,
        run: &Run,
        index: &Index,
        [passes, count]: [Value; 2],
        body: &dyn Fn(&mut Self, &Index, Part) -> Result<()>,
    ) -> Result<()> {
        let pass = i64::from(run.pass());
        let (all, all_passes) = (self.int(run.len() as i64), self.int(run.len() as i64 >> pass));
        let first = self.b.ins().ishl_imm_u(passes, pass);
        let elements = |e: &mut Self, end: Value| {
            e.between(first, end, |e, at| body(e, &element(index, at), Part::Element))
        };
        if run.masks.is_empty() {
            return elements(self, all);
        }
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, first, all);
        let known = |e: &mut Self| {
            e.with_proved(e.proved_in(run), |e| {
                if run.stores() {
                    return elements(e, count);
                }
                let next = e.b.ins().iadd_imm_s(passes, 1);
                let end = e.b.ins().ishl_imm_u(next, pass);
                elements(e, end)?;
                e.each_group(run, next, all_passes, &|e| body(e, index, Part::Off))
            })?;
            Ok(vec![])
        };
        let rest = |e: &mut Self| {
            let off = e.off(run, count)?;
            e.either(off, known, |e| elements(e, all).map(|()| vec![]))
        };
        self.either(more, rest, |_| Ok(vec![])).map(drop)
    }

    /// The accesses of a run that its test knows to be inside.
    fn proved_in(&self, run: &Run) -> Proved {
        let inside = run.loads.iter().map(|load| (load.node, load.index.clone())).collect();
        let masks = run.masks.iter().map(|mask| (mask.node, mask.index.clone()));
        let pointers = run.pointers.iter().map(|reach| (reach.ptr, reach.index.clone()));
        let read = run.roots.iter().cloned().chain(masks).chain(pointers);
        let store = run.pointers.iter().any(|reach| reach.touch.writes);
        self.proved_of(read, &inside, store)
    }

    /// Whether what is stored, or else all that is loaded, is masked off from this element to the end of the run.
    fn off(&mut self, run: &Run, first: Value) -> Result<Value> {
        let last = self.int(run.len() as i64 - 1);
        let zero = self.int(0);
        let mut all = self.rise(run, zero, last)?;
        let ends = [first, last].map(|value| self.name(value));
        self.scope(|e| {
            let settles = |mask: &Mask| mask.stores || !run.stores();
            for mask in run.masks.iter().filter(|m| settles(m)) {
                let never = e.never(mask, ends)?;
                all = e.b.ins().band(all, never);
            }
            // What is not computed is looked at all the same: a wrong access does not depend on what becomes of it.
            let count = e.b.ins().isub(last, first);
            let count = e.b.ins().iadd_imm_s(count, 1);
            for reach in run.pointers.iter().filter(|_| run.bounded) {
                let mask = reach.mask.and_then(|i| run.masks.get(i));
                if mask.is_some_and(settles) {
                    continue;
                }
                let mut fine = e.holds_run(reach, first, count)?;
                if let Some(mask) = mask {
                    let never = e.never(mask, ends)?;
                    fine = e.b.ins().bor(fine, never);
                }
                all = e.b.ins().band(all, fine);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Whether a mask holds for none of the elements between two, given that integers rise by one there.
    fn never(&mut self, mask: &Mask, ends: [u16; 2]) -> Result<Value> {
        let mut never = self.b.ins().iconst(types::I8, 0);
        for (node, index) in &mask.conditions {
            let mut holds = self.b.ins().iconst(types::I8, 0);
            for var in ends {
                let v = self.eval(*node, &with(index, INNER, var))?;
                holds = self.b.ins().bor(holds, v);
            }
            let fails = self.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
            never = self.b.ins().bor(never, fails);
        }
        Ok(never)
    }

    /// Runs `body` for the groups of passes of a run.
    fn each_group(
        &mut self,
        run: &Run,
        first: Value,
        end: Value,
        body: &dyn Fn(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.between(first, end, |e, pass| {
            let pass = e.vars[usize::from(pass)];
            let offset = e.b.ins().ishl_imm_u(pass, i64::from(run.pass()));
            for group in 0..1i64 << (run.pass() - GROUP) {
                e.offset = offset;
                e.ahead = group << GROUP;
                e.scope(body)?;
            }
            Ok(())
        })
    }

    /// As [`Self::count_of`], where the test fails for all elements: where masks say that they end, or by halves.
    fn beginning(&mut self, run: &Run) -> Result<Value> {
        let (zero, half) = (self.int(0), self.int(run.len() as i64 >> 1));
        let guess = self.end_of_masks(run)?;
        // What is zero needs no test.
        let step = guess.map_or(half, |guess| self.b.ins().select(guess, half, zero));
        let guessed = self.int(i64::from(guess.is_some()));
        let (head, inner, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let init = [zero, step, guess.unwrap_or(half), guessed];
        let [good, step, tried, guessed] =
            [(); 4].map(|()| self.b.append_block_param(head, types::I64));
        self.b.ins().jump(head, &init.map(Into::into));
        self.b.switch_to_block(head);
        self.b.ins().brif(step, inner, &[], done, &[]);
        self.b.switch_to_block(inner);
        let last = self.b.ins().iadd_imm_s(tried, -1);
        let holds = self.run_holds(run, last)?;
        let good = self.b.ins().select(holds, tried, good);
        // A guess that holds is the end; one that fails leaves all halves to be tried.
        let halved = self.b.ins().ushr_imm_u(step, 1);
        let ended = self.b.ins().select(holds, zero, half);
        let step = self.b.ins().select(guessed, ended, halved);
        let tried = self.b.ins().iadd(good, step);
        self.b.ins().jump(head, &[good, step, tried, zero].map(Into::into));
        self.b.switch_to_block(done);
        Ok(self.b.block_params(head)[0])
    }

    /// The number of elements before the first mask ends, at most those of the run; it is right if nothing wraps around
    /// and no mask begins late.
    fn end_of_masks(&mut self, run: &Run) -> Result<Option<Value>> {
        if run.limits.is_empty() {
            return Ok(None);
        }
        let mut end = self.int(run.len() as i64);
        self.scope(|e| {
            for limit in &run.limits {
                let first = e.first(&limit.rising)?;
                let bound = e.first(&limit.bound)?;
                let before = e.b.ins().isub(bound, first);
                let before = e.b.ins().iadd_imm_s(before, i64::from(limit.at_bound));
                end = e.b.ins().smin(end, before);
            }
            Ok(())
        })?;
        let zero = self.int(0);
        Ok(Some(self.b.ins().smax(end, zero)))
    }

    /// The first element of a block of integers in a run, as 64 bits.
    fn first(&mut self, (node, index): &(NodeId, Index)) -> Result<Value> {
        let dtype = self.nodes[*node].elem.dtype();
        let value = self.eval(*node, &start(index))?;
        Ok(self.wide(value, dtype))
    }

    /// Whether integers rise by one from each element to the next, from `first` to `last`.
    fn rise(&mut self, run: &Run, first: Value, last: Value) -> Result<Value> {
        let mut all = self.b.ins().iconst(types::I8, 1);
        let count = self.b.ins().isub(last, first);
        let [from, to] = [first, last].map(|value| self.name(value));
        self.scope(|e| {
            for (node, index) in &run.rising {
                let dtype = e.nodes[*node].elem.dtype();
                let first = e.eval(*node, &with(index, INNER, from))?;
                let last = e.eval(*node, &with(index, INNER, to))?;
                let [first, last] = [first, last].map(|v| e.wide(v, dtype));
                let far = e.b.ins().isub(last, first);
                let mut v = e.b.ins().icmp(IntCC::Equal, far, count);
                if dtype.size() == 8 {
                    // The difference of 64-bit integers wraps around as they do.
                    let signed = dtype.class() == Class::Int;
                    let order = if signed {
                        IntCC::SignedGreaterThanOrEqual
                    } else {
                        IntCC::UnsignedGreaterThanOrEqual
                    };
                    let above = e.b.ins().icmp(order, last, first);
                    v = e.b.ins().band(v, above);
                }
                all = e.b.ins().band(all, v);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Whether the run's test holds for the elements up to `last`.
    fn run_holds(&mut self, run: &Run, last: Value) -> Result<Value> {
        let first = self.int(0);
        let mut all = self.rise(run, first, last)?;
        let to = self.name(last);
        self.scope(|e| {
            for mask in &run.masks {
                for at in [start(&mask.index), with(&mask.index, INNER, to)] {
                    let v = e.eval(mask.node, &at)?;
                    all = e.b.ins().band(all, v);
                }
            }
            let count = e.b.ins().iadd_imm_s(last, 1);
            for reach in run.pointers.iter().filter(|_| run.bounded) {
                let v = e.holds_run(reach, first, count)?;
                all = e.b.ins().band(all, v);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Where a load's elements lie in memory row-major already: whether they do, and from which address on. The code
    /// evaluates both; the address means nothing where the first is false.
    pub(in crate::tile::emit) fn in_memory(
        &mut self,
        node: NodeId,
        dims: &[usize],
    ) -> Result<Option<(Value, Value)>> {
        let Kind::Load { ptr, .. } = self.nodes[node].kind else { return Ok(None) };
        let Some(run) = self.run(Road::Lanes, dims, &[node], None).filter(Run::whole) else {
            return Ok(None);
        };
        let last = self.int(run.len() as i64 - 1);
        let holds = self.run_holds(&run, last)?;
        let mut address = None;
        self.scope(|e| {
            address = Some(e.eval(ptr, &start(&run.index()))?);
            Ok(())
        })?;
        // Who reads it there takes aligned elements.
        let size = self.nodes[node].elem.size() as i64;
        Ok(address.map(|a| {
            let low = self.b.ins().band_imm_s(a, size - 1);
            let aligned = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
            (self.b.ins().band(holds, aligned), a)
        }))
    }

    /// Whether storing the only run to these pointers group by group is the same as loading all of it before: the loads
    /// and the store are contiguous, and each load is of the very elements that are stored or of others only.
    pub(in crate::tile::emit) fn apart(&mut self, run: &Run, to: NodeId) -> Result<Value> {
        let last = self.int(run.len() as i64 - 1);
        let pointers = Run { masks: vec![], pointers: vec![], ..run.clone() };
        let mut all = self.run_holds(&pointers, last)?;
        let bytes = |e: Elem, n: usize| match e {
            Elem::Ptr(to) => (to.size() * n) as i64,
            Elem::Data(_) => 0,
        };
        let (written, own) = (bytes(self.nodes[to].elem, run.len()), start(&run.index()));
        for load in &run.loads {
            let read = bytes(self.nodes[load.ptr].elem, run.len());
            let above = self.distance((to, &own), (load.ptr, &start(&load.index)))?;
            let below = self.b.ins().ineg(above);
            let above = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, above, read);
            let below_ok =
                self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, below, written);
            let mut fine = self.b.ins().band(above, below_ok);
            if read == written {
                let same = self.b.ins().icmp_imm_s(IntCC::Equal, below, 0);
                fine = self.b.ins().bor(fine, same);
            }
            all = self.b.ins().band(all, fine);
        }
        Ok(all)
    }

    /// The difference of two pointers. That of pointers with the same offset is one of their bases.
    fn distance(
        &mut self,
        (a, at_a): (NodeId, &Index),
        (b, at_b): (NodeId, &Index),
    ) -> Result<Value> {
        if let (Kind::Apply(Fun::Op(f), x), Kind::Apply(Fun::Op(g), y)) =
            (self.nodes[a].kind.clone(), self.nodes[b].kind.clone())
            && f.kind == OpKind::PtrAdd
            && g.kind == OpKind::PtrAdd
            && at_a == at_b
            && self.nodes[a].elem == self.nodes[b].elem
            && self.same_address(x[1], y[1])
        {
            let (at_a, at_b) = (self.operand_index(x[0], at_a), self.operand_index(y[0], at_b));
            return self.distance((x[0], &at_a), (y[0], &at_b));
        }
        let (a, b) = (self.eval(a, at_a)?, self.eval(b, at_b)?);
        Ok(self.b.ins().isub(a, b))
    }
}
