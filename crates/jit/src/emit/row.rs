//! The loops over rows: the test of a row's ends, passes over the elements for which it holds, and the remaining
//! elements.

use std::collections::HashSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::dtype::Class;
use trident_runtime::Checks;
use trident_tile_analysis::{
    Destination, GROUP, INNER, Index, Mask, NodeId, Overlap, Row, VectorTarget, element, start,
    substitute,
};

use super::node::Kind;
use super::wide::WideRows;
use super::{Emitter, Result};

/// The part of a row that one step computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All elements of a group.
    Group,
    /// All elements of a group, where no mask holds.
    Off,
    /// One element.
    Element,
}

/// Rows of a stored block, and what computes them.
pub(super) enum StorePlan {
    /// Vectors of 128 bits.
    Lanes(Row),
    /// Loops in the widest vectors.
    Wide(WideRows),
}

impl StorePlan {
    pub(super) fn row(&self) -> &Row {
        match self {
            StorePlan::Lanes(row) => row,
            StorePlan::Wide(rows) => &rows.row,
        }
    }
}

/// The kind of code that computes rows.
#[derive(Clone, Copy)]
pub(super) enum VectorPath {
    /// Vectors of 128 bits (see `lanes`).
    Lanes,
    /// Loops in the widest vectors (see `wide`).
    Wide,
}

impl<'m> Emitter<'m, '_> {
    /// The longest rows of these blocks that the target's vectors can compute and write to `to`.
    pub(super) fn row(
        &self,
        target: &dyn VectorTarget,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<Destination>,
    ) -> Option<Row> {
        // Each access is checked individually.
        if self.checking.checks == Checks::All {
            return None;
        }
        self.nodes.row(target, dims, roots, to, self.bounded()).ok()
    }

    /// Records how the rows of a block are computed.
    pub(super) fn decide_row(&mut self, what: &str, path: VectorPath, row: &Row) {
        let by = match path {
            VectorPath::Lanes => "vectors of 128 bits",
            VectorPath::Wide => "a loop",
        };
        let guarded = if row.is_guarded() { ", guarded" } else { "" };
        let rows = match 1usize << row.outer {
            1 => "a row".to_owned(),
            n => format!("{n} rows"),
        };
        self.output.decide(|| format!("{what}: {rows} of {} by {by}{guarded}", row.len()));
    }

    /// Runs `body` for each group of a row, or for each element where the row's test fails. Groups in which no element
    /// is stored are skipped.
    pub(super) fn sweep_rows(
        &mut self,
        row: &Row,
        body: &dyn Fn(&mut Self, &Index, Part) -> Result<()>,
    ) -> Result<()> {
        self.each_row(row, |e, row, index, _| {
            e.pin_pointers(row)?;
            let count = e.count_of(row)?;
            let passes = e.b.ins().ushr_imm_u(count, i64::from(row.pass()));
            e.sweeps.settled = row.masks.iter().map(|m| (m.node, m.index.clone())).collect();
            let none = e.int(0);
            e.each_group(row, none, passes, &|e| body(e, index, Part::Group))?;
            if row.is_guarded() {
                e.sweep_rest(row, index, [passes, count], body)?;
            }
            Ok(())
        })
    }

    /// Runs `body` for each row, with the index of its elements and the name of the counter of rows. Values that are
    /// constant within a row are evaluated first.
    pub(super) fn each_row(
        &mut self,
        row: &Row,
        body: impl FnOnce(&mut Self, &Row, &Index, u16) -> Result<()>,
    ) -> Result<()> {
        self.repeat(row.outer, &[], |e, outer, _| {
            let (row, index) = row.at(outer);
            let mut seen = HashSet::new();
            for (node, index) in &row.roots {
                e.hoist(*node, index, &mut seen)?;
            }
            body(e, &row, &index, outer)?;
            Ok(vec![])
        })?;
        Ok(())
    }

    /// Computes a row by loops: `on` takes the number of leading elements for which all masks hold, and the number of
    /// leading elements whose masks are known, which exceeds the former if masks exclude the rest. `body` computes each
    /// remaining element.
    pub(super) fn compute_row(
        &mut self,
        row: &Row,
        index: &Index,
        on: impl FnOnce(&mut Self, Value, Value) -> Result<()>,
        body: impl FnOnce(&mut Self, &Index) -> Result<()>,
    ) -> Result<()> {
        let all = self.int(row.len() as i64);
        if !row.is_guarded() {
            return on(self, all, all);
        }
        let count = self.count_of(row)?;
        let settled = self.settled_of(row, count)?;
        on(self, count, settled)?;
        self.between(settled, all, |e, at| body(e, &element(index, at)))
    }

    /// Given that masks hold for the first `count` elements of a row, the number of leading elements whose masks are
    /// known: all if they hold for no other element, else `count`.
    pub(super) fn settled_of(&mut self, row: &Row, count: Value) -> Result<Value> {
        if row.masks.is_empty() {
            return Ok(count);
        }
        let all = self.int(row.len() as i64);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, count, all);
        let rest = |e: &mut Self| {
            let off = e.off(row, count)?;
            Ok(vec![e.b.ins().select(off, all, count)])
        };
        Ok(self.either(more, rest, |_| Ok(vec![all]))?[0])
    }

    /// The number of leading elements of a row for which its test holds.
    pub(super) fn count_of(&mut self, row: &Row) -> Result<Value> {
        let all = self.int(row.len() as i64);
        if !row.is_guarded() {
            return Ok(all);
        }
        let last = self.int(row.len() as i64 - 1);
        let holds = self.row_holds(row, last)?;
        let beginning = |e: &mut Self| Ok(vec![e.beginning(row)?]);
        Ok(self.either(holds, |_| Ok(vec![all]), beginning)?[0])
    }

    /// Spills the pointers to the first elements of a row: Cranelift would recompute them in every pass.
    fn pin_pointers(&mut self, row: &Row) -> Result<()> {
        for span in &row.spans {
            let node = span.ptr;
            let key = (node, start(&span.index));
            if self.sweeps.has_here(&key) {
                continue;
            }
            let pointer = self.eval(node, &key.1)?;
            let pointer = self.pin(pointer);
            self.sweeps.keep_element(key, pointer);
        }
        Ok(())
    }

    /// Runs `body` for the elements after the first `passes` passes of a row, whose test holds for the first `count`
    /// elements. Where masks hold for none after `count`, no access needs a test: one pass is computed element by
    /// element, the rest by groups.
    fn sweep_rest(
        &mut self,
        row: &Row,
        index: &Index,
        [passes, count]: [Value; 2],
        body: &dyn Fn(&mut Self, &Index, Part) -> Result<()>,
    ) -> Result<()> {
        let pass = i64::from(row.pass());
        let (all, all_passes) = (self.int(row.len() as i64), self.int(row.len() as i64 >> pass));
        let first = self.b.ins().ishl_imm_u(passes, pass);
        let elements = |e: &mut Self, end: Value| {
            e.between(first, end, |e, at| body(e, &element(index, at), Part::Element))
        };
        if row.masks.is_empty() {
            return elements(self, all);
        }
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, first, all);
        let known = |e: &mut Self| {
            e.with_proved(e.nodes.proved_in(row), |e| {
                if row.stores() {
                    return elements(e, count);
                }
                let next = e.b.ins().iadd_imm_s(passes, 1);
                let end = e.b.ins().ishl_imm_u(next, pass);
                elements(e, end)?;
                e.each_group(row, next, all_passes, &|e| body(e, index, Part::Off))
            })?;
            Ok(vec![])
        };
        let rest = |e: &mut Self| {
            let off = e.off(row, count)?;
            e.either(off, known, |e| elements(e, all).map(|()| vec![]))
        };
        self.either(more, rest, |_| Ok(vec![])).map(drop)
    }

    /// Whether the stores, or else all loads, are masked off from element `first` to the end of the row.
    fn off(&mut self, row: &Row, first: Value) -> Result<Value> {
        let last = self.int(row.len() as i64 - 1);
        let zero = self.int(0);
        let mut all = self.rise(row, zero, last)?;
        let ends = [first, last].map(|value| self.name(value));
        self.scope(|e| {
            let settles = |mask: &Mask| mask.stores || !row.stores();
            for mask in row.masks.iter().filter(|m| settles(m)) {
                let never = e.never(mask, ends)?;
                all = e.b.ins().band(all, never);
            }
            // All other accesses are tested as well: an invalid access is an error even if its result is unused.
            let count = e.b.ins().isub(last, first);
            let count = e.b.ins().iadd_imm_s(count, 1);
            for span in row.spans.iter().filter(|_| row.bounded) {
                let mask = span.mask.and_then(|i| row.masks.get(i));
                if mask.is_some_and(settles) {
                    continue;
                }
                let mut fine = e.holds_span_of(span, first, count)?;
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

    /// Whether a mask holds for none of the elements between two, provided that integers increase by one there.
    fn never(&mut self, mask: &Mask, ends: [u16; 2]) -> Result<Value> {
        let mut never = self.b.ins().iconst(types::I8, 0);
        for (node, index) in &mask.conditions {
            let mut holds = self.b.ins().iconst(types::I8, 0);
            for var in ends {
                let v = self.eval(*node, &substitute(index, INNER, var))?;
                holds = self.b.ins().bor(holds, v);
            }
            let fails = self.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
            never = self.b.ins().bor(never, fails);
        }
        Ok(never)
    }

    /// Runs `body` for each group of the passes from `first` to below `end`.
    fn each_group(
        &mut self,
        row: &Row,
        first: Value,
        end: Value,
        body: &dyn Fn(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.between(first, end, |e, pass| {
            let pass = e.sweeps.counter(pass);
            let offset = e.b.ins().ishl_imm_u(pass, i64::from(row.pass()));
            for group in 0..1i64 << (row.pass() - GROUP) {
                e.sweeps.offset = offset;
                e.sweeps.ahead = group << GROUP;
                e.scope(body)?;
            }
            Ok(())
        })
    }

    /// Like [`Self::count_of`], if the test fails for the whole row: tries the end predicted by masks, then bisects.
    fn beginning(&mut self, row: &Row) -> Result<Value> {
        let (zero, half) = (self.int(0), self.int(row.len() as i64 >> 1));
        let guess = self.end_of_masks(row)?;
        // An end at 0 needs no test.
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
        let holds = self.row_holds(row, last)?;
        let good = self.b.ins().select(holds, tried, good);
        // A prediction that holds is the end; after one that fails, bisection starts from the full range.
        let halved = self.b.ins().ushr_imm_u(step, 1);
        let ended = self.b.ins().select(holds, zero, half);
        let step = self.b.ins().select(guessed, ended, halved);
        let tried = self.b.ins().iadd(good, step);
        self.b.ins().jump(head, &[good, step, tried, zero].map(Into::into));
        self.b.switch_to_block(done);
        Ok(self.b.block_params(head)[0])
    }

    /// The number of elements before the first mask ends, at most the length of the row; correct if nothing wraps
    /// around and every mask holds from the row's start.
    fn end_of_masks(&mut self, row: &Row) -> Result<Option<Value>> {
        if row.limits.is_empty() {
            return Ok(None);
        }
        let mut end = self.int(row.len() as i64);
        self.scope(|e| {
            for limit in &row.limits {
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

    /// The first element in a row of a block of integers, as 64 bits.
    fn first(&mut self, (node, index): &(NodeId, Index)) -> Result<Value> {
        let dtype = self.nodes[*node].elem.dtype();
        let value = self.eval(*node, &start(index))?;
        Ok(self.wide(value, dtype))
    }

    /// Whether integers increase by one from each element to the next, from `first` to `last`.
    fn rise(&mut self, row: &Row, first: Value, last: Value) -> Result<Value> {
        let mut all = self.b.ins().iconst(types::I8, 1);
        let count = self.b.ins().isub(last, first);
        let [from, to] = [first, last].map(|value| self.name(value));
        self.scope(|e| {
            for (node, index) in &row.exact {
                let dtype = e.nodes[*node].elem.dtype();
                let first = e.eval(*node, &substitute(index, INNER, from))?;
                let last = e.eval(*node, &substitute(index, INNER, to))?;
                let [first, last] = [first, last].map(|v| e.wide(v, dtype));
                let far = e.b.ins().isub(last, first);
                let mut v = e.b.ins().icmp(IntCC::Equal, far, count);
                if dtype.size() == 8 {
                    // The difference of 64-bit integers may itself wrap around.
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

    /// Whether the row's test holds for the elements up to `last`.
    fn row_holds(&mut self, row: &Row, last: Value) -> Result<Value> {
        let first = self.int(0);
        let mut all = self.rise(row, first, last)?;
        let to = self.name(last);
        self.scope(|e| {
            for mask in &row.masks {
                for at in [start(&mask.index), substitute(&mask.index, INNER, to)] {
                    let v = e.eval(mask.node, &at)?;
                    all = e.b.ins().band(all, v);
                }
            }
            let count = e.b.ins().iadd_imm_s(last, 1);
            for span in row.spans.iter().filter(|_| row.bounded) {
                let v = e.holds_span_of(span, first, count)?;
                all = e.b.ins().band(all, v);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// For a load whose elements may lie row-major in memory: whether they do, and at which address. The code evaluates
    /// both; the address is meaningless where the first is false.
    pub(super) fn in_memory(
        &mut self,
        node: NodeId,
        dims: &[usize],
    ) -> Result<Option<(Value, Value)>> {
        let Kind::Load { ptr, .. } = self.nodes[node].kind else { return Ok(None) };
        let Some(row) = self.lane_row(dims, &[node], None).filter(Row::is_whole) else {
            return Ok(None);
        };
        let last = self.int(row.len() as i64 - 1);
        let holds = self.row_holds(&row, last)?;
        let mut address = None;
        self.scope(|e| {
            address = Some(e.eval(ptr, &start(&row.index()))?);
            Ok(())
        })?;
        // Code that reads them there expects aligned elements.
        let size = self.nodes[node].elem.size() as i64;
        Ok(address.map(|a| {
            let low = self.b.ins().band_imm_s(a, size - 1);
            let aligned = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
            (self.b.ins().band(holds, aligned), a)
        }))
    }

    /// Whether storing the only row group by group gives the same result as loading all of it first: loads and store
    /// are contiguous, and each load reads either exactly the stored elements or none of them.
    pub(super) fn apart(&mut self, row: &Row, overlaps: &[Overlap]) -> Result<Value> {
        let last = self.int(row.len() as i64 - 1);
        let mut all = self.row_holds(&row.integers(), last)?;
        for &Overlap { read, written, ref distance, .. } in overlaps {
            let [(store, at_store), (load, at_load)] = distance;
            let (store, load) = (self.eval(*store, at_store)?, self.eval(*load, at_load)?);
            let above = self.b.ins().isub(store, load);
            let below = self.b.ins().ineg(above);
            let far = IntCC::UnsignedGreaterThanOrEqual;
            let above = self.b.ins().icmp_imm_u(far, above, read as i64);
            let below_ok = self.b.ins().icmp_imm_u(far, below, written as i64);
            let mut fine = self.b.ins().band(above, below_ok);
            if read == written {
                let same = self.b.ins().icmp_imm_s(IntCC::Equal, below, 0);
                fine = self.b.ins().bor(fine, same);
            }
            all = self.b.ins().band(all, fine);
        }
        Ok(all)
    }
}
