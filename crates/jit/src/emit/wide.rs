//! Runs in the processor's widest vectors: expressions become [`loops`](crate::loops), which the code calls.

mod translate;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use trident_ir::Op;
use trident_lower::access::{
    Destination, Elem, Index, NodeId, Operand, Row, Target, counter, element, start,
};
use trident_runtime::Declined;

use self::translate::{Translation, class_of, format_of};
use super::access::Store;
use super::lanes::vector;
use super::row::VectorPath;
use super::{Context, Emitter, Result};
use crate::loops::{Format, Sink, Value as Of};
use crate::routine::{Fold, Routine};

pub(super) use self::translate::is_short;

/// Bytes of results that a cache may keep for their next use; more are written past it, which spares reading the lines
/// that are overwritten.
const CACHED: i64 = 32 << 20;

/// What an argument of a loop is.
#[derive(Clone, PartialEq)]
enum Word {
    /// The address that the pointer has at the index.
    Pointer(NodeId, Index),
    /// That of a buffer's element.
    Buffer(Value, Index, usize),
    /// The element of a block that is the same for the whole row.
    Scalar(NodeId, Index),
    /// Where a result goes.
    Target(usize),
}

/// What loops can do; [`translate`] knows which ops.
struct Loops;

impl Target for Loops {
    fn holds(&self, elem: Elem) -> bool {
        is_short(elem) || vector(elem).is_some()
    }

    fn reads(&self, _: Elem) -> bool {
        true
    }

    fn computes(&self, _: &Op, _: &[Operand], _: Elem) -> bool {
        true
    }
}

/// A loop and its arguments.
pub(super) struct Wide {
    code: Vec<u8>,
    listing: String,
    words: Vec<Word>,
    /// Loads of it.
    loads: Vec<NodeId>,
}

/// A row fitted a loop when it was looked at, and does not where its code is made.
fn changed() -> Declined {
    Declined { op: "kernel".into(), reason: "a row changed while code was made for it".into() }
}

impl<'m> Emitter<'m, '_> {
    /// The rows by which a loop can store blocks to addresses, or fold one of them, if it can.
    fn wide_row(&self, dims: &[usize], roots: &[NodeId], to: Option<Destination>) -> Option<Row> {
        let fits = |row: &Row| self.stores(row, &row.index(), roots, false).is_some();
        let row = self.wide.then(|| self.row(&Loops, dims, roots, to))??;
        Some(row).filter(fits)
    }

    /// The loop that stores blocks; addresses are given when it is called.
    fn stores(&self, row: &Row, index: &Index, roots: &[NodeId], streaming: bool) -> Option<Wide> {
        let mut t = self.translation(row, roots)?;
        let mut stores = vec![];
        for (i, &root) in roots.iter().enumerate() {
            let (mut value, format) = self.stored(&mut t, root, index)?;
            if t.values.is_truth(value) {
                let [one, zero] = [1, 0].map(|bits| t.values.add(Of::Const(bits)));
                value = t.values.add(Of::Select(value, one, zero));
            }
            if streaming && format != Format::Same {
                return None;
            }
            stores.push((value, t.word(Word::Target(i)), format));
        }
        self.compiled(t, Sink::Store { values: stores, streaming })
    }

    fn compiled(&self, t: Translation<'_>, sink: Sink) -> Option<Wide> {
        let Translation { row, values, words, loads, .. } = t;
        // The memory of a load that an earlier loop has made is in the cache: the way to memory is free.
        let again = loads.iter().filter(|(load, _)| self.visited.contains(load));
        let ahead = again.map(|&(load, word)| (word, format_of(self.nodes[load].elem))).collect();
        let loads = loads.iter().map(|l| l.0).collect();
        let made = values.finish(sink, row.len(), ahead);
        let listing = if self.listing { made.to_string() } else { String::new() };
        Some(Wide { code: made.compile()?, listing, words, loads })
    }

    /// Calls a loop with the addresses of its results.
    fn call_wide(&mut self, wide: Wide, targets: &[Value], count: Value, all: Value) -> Result<()> {
        let at = self.loop_at(wide.code, &wide.listing);
        let at = self.int(at as i64);
        self.visited.extend(wide.loads);
        self.call_loop_at(at, &wide.words, targets, count, all)
    }

    /// Calls the loop that stands at this byte of the code.
    fn call_loop_at(
        &mut self,
        at: Value,
        words: &[Word],
        targets: &[Value],
        count: Value,
        all: Value,
    ) -> Result<()> {
        let top = self.top;
        let arguments = self.reserve(8 * words.len());
        for (i, word) in words.iter().enumerate() {
            let value = match word {
                Word::Pointer(node, index) => self.eval(*node, index)?,
                Word::Scalar(node, index) => {
                    let value = self.eval(*node, index)?;
                    match format_of(self.nodes[*node].elem) {
                        Format::Same => value,
                        Format::F16 => self.f32_of_f16(value),
                        Format::BF16 => self.f32_of_bf16(value),
                        Format::I8 | Format::I16 => self.b.ins().sextend(types::I32, value),
                        Format::U8 | Format::U16 => self.b.ins().uextend(types::I32, value),
                    }
                }
                Word::Buffer(address, index, size) => self.element_address(*address, index, *size),
                Word::Target(k) => targets[*k],
            };
            let flags = self.flags();
            self.b.ins().store(flags, value, arguments, 8 * i as i32);
        }
        let flags = MemFlagsData::trusted().with_readonly();
        let base = std::mem::offset_of!(Context<'_>, code) as i32;
        let base = self.b.ins().load(types::I64, flags, self.context, base);
        let function = self.b.ins().iadd(base, at);
        self.call_address(function, &[arguments, count, all], false);
        self.top = top;
        Ok(())
    }

    /// Where the code of a loop stands.
    fn loop_at(&mut self, code: Vec<u8>, listing: &str) -> usize {
        if let Some((_, at)) = self.loops.iter().find(|(known, _)| *known == code) {
            return *at;
        }
        let at = self.loops.last().map_or(0, |(code, at)| at + code.len());
        if self.listing {
            let text = format!("; loop at byte {at}: {listing}");
            self.emitted.loops.push_str(&text.replace("\n    ", "\n;     "));
        }
        self.loops.push((code, at));
        at
    }

    /// Writes blocks as [`Emitter::fill`] does, by a loop; gives whether that can be.
    pub(super) fn fill_wide(&mut self, dims: &[usize], blocks: &[(NodeId, Value)]) -> Result<bool> {
        let roots: Vec<NodeId> = blocks.iter().map(|b| b.0).collect();
        let Some(row) = self.wide_row(dims, &roots, None) else { return Ok(false) };
        self.decide_row("fill", VectorPath::Wide, &row);
        self.each_row(&row, |e, row, index| {
            let on = |e: &mut Self, count, settled| {
                let wide = e.stores(row, index, &roots, false).ok_or_else(changed)?;
                let mut targets = vec![];
                for &(node, address) in blocks {
                    let size = e.nodes[node].elem.size();
                    targets.push(e.element_address(address, &start(index), size));
                }
                e.call_wide(wide, &targets, count, settled)
            };
            e.compute_row(row, index, on, |e, at| e.fill_element(at, blocks))
        })?;
        Ok(true)
    }

    /// The rows by which a loop can store a block to where pointers say, if it can.
    pub(super) fn wide_store_rows(&self, dims: &[usize], store: Store) -> Option<Row> {
        self.wide_row(dims, &[store.value], Some(store.target()))
    }

    /// Stores a block by rows. Elements that are masked off are neither computed nor stored.
    pub(super) fn store_wide(&mut self, row: &Row, store: Store) -> Result<()> {
        // What was loaded from the place of the store is in the cache already.
        let again = row.loads.iter().any(|load| self.nodes.same(load.ptr, store.ptr));
        let keep = again || !self.streams;
        let bytes = (self.nodes[store.value].elem.size() << self.nodes[store.value].bits) as i64;
        self.each_row(row, |e, row, index| {
            let on = |e: &mut Self, count, settled| {
                // Behind the stored elements nothing is written; loads alone that are masked off give their `other`.
                let all = if row.stores() { count } else { settled };
                let target = e.eval(store.ptr, &start(index))?;
                let wide = e.stores(row, index, &[store.value], false).ok_or_else(changed)?;
                match e.stores(row, index, &[store.value], true).filter(|_| !keep) {
                    Some(past) => e.call_either(wide, past, bytes, target, [count, all]),
                    None => e.call_wide(wide, &[target], count, all),
                }
            };
            e.compute_row(row, index, on, |e, at| e.store_element(store, at))
        })
    }

    /// Calls the loop that stores past the caches if the launch writes much and the address allows it, else the other.
    fn call_either(
        &mut self,
        wide: Wide,
        past: Wide,
        bytes: i64,
        target: Value,
        [count, all]: [Value; 2],
    ) -> Result<()> {
        let [near, far] = [&wide, &past].map(|w| self.loop_at(w.code.clone(), &w.listing) as i64);
        let [near, far] = [near, far].map(|at| self.int(at));
        self.streamed = self.streamed.max(bytes);
        let much = self.launch_exceeds(bytes);
        let low = self.b.ins().band_imm_s(target, 63);
        let aligned = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
        let streams = self.b.ins().band(much, aligned);
        let at = self.b.ins().select(streams, far, near);
        self.visited.extend(wide.loads);
        self.call_loop_at(at, &wide.words, &[target], count, all)
    }

    /// Whether the launch's programs, each of which writes so many bytes, write more than caches hold.
    pub(super) fn launch_exceeds(&mut self, bytes: i64) -> Value {
        let [x, y, z] = self.grid.map(|n| self.b.ins().uextend(types::I64, n));
        let programs = self.b.ins().imul(x, y);
        let programs = self.b.ins().imul(programs, z);
        let written = self.b.ins().imul_imm_s(programs, bytes);
        self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, written, CACHED)
    }

    /// Folds a block along its last axis, a line at a time, to `out`; gives whether that can be.
    pub(super) fn fold_wide(
        &mut self,
        op: &Op,
        fold: Fold,
        node: NodeId,
        dims: &[usize],
        out: Value,
    ) -> Result<bool> {
        let Some(&len) = dims.last() else { return Ok(false) };
        let elem = self.nodes[node].elem;
        if is_short(elem) {
            return Ok(false);
        }
        let row = self.wide_row(dims, &[node], None).filter(|r| r.len() == len);
        let Some(row) = row else { return Ok(false) };
        let folded = |e: &Self, row: &Row, index: &Index| {
            let mut t = e.translation(row, &[node])?;
            let value = e.translate(&mut t, node, index)?;
            let (class, to) = (class_of(elem.dtype()), t.word(Word::Target(0)));
            e.compiled(t, Sink::Fold { op: fold, class, value, to })
        };
        if folded(self, &row, &row.index()).is_none() {
            return Ok(false);
        }
        self.decide_row("reduce", VectorPath::Wide, &row);
        let line = self.reserve(elem.size() * len);
        self.each_row(&row, |e, row, index| {
            let target: Index = index.iter().skip(len.trailing_zeros() as usize).copied().collect();
            let target = e.element_address(out, &target, elem.size());
            let count = e.count_of(row)?;
            let settled = e.settled_of(row, count)?;
            let all = e.int(len as i64);
            let fine = e.b.ins().icmp(IntCC::Equal, settled, all);
            let whole = |e: &mut Self| {
                let wide = folded(e, row, index).ok_or_else(changed)?;
                e.call_wide(wide, &[target], count, all).map(|()| vec![])
            };
            let apart = |e: &mut Self| {
                let none = e.int(0);
                e.between(none, all, |e, var| {
                    let value = e.eval(node, &element(index, var))?;
                    let place = counter(var, len.trailing_zeros() as u8).collect();
                    let to = e.element_address(line, &place, elem.size());
                    let flags = e.flags();
                    e.b.ins().store(flags, value, to, 0);
                    Ok(())
                })?;
                let one = e.int(1);
                let routine = Routine::Fold { op: fold, dtype: elem.dtype() };
                e.call_routine(op, routine, &[target, line, one, all, all])?;
                Ok(vec![])
            };
            e.either(fine, whole, apart).map(drop)
        })?;
        Ok(true)
    }
}
