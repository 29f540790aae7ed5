//! Rows in the processor's widest vectors: expressions become [`loops`](crate::loops), which the code calls.

mod translate;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use trident_ir::Op;
use trident_tile_analysis::{
    Destination, Elem, Index, NodeId, Row, RowOperand, VectorTarget, counter, element, place, start,
};

use self::translate::{Translation, class_of, format_of};
use super::access::Store;
use super::lanes::vector;
use super::row::VectorPath;
use super::{Context, Emitter, Result};
use crate::loops::{Format, Sink, Value as Of};
use crate::routine::{Reduction, Routine};

pub(super) use self::translate::is_short;

/// Bytes of results that a cache may hold until their next use; larger results use non-temporal stores, which avoids
/// reading the lines that are overwritten.
const CACHED: i64 = 32 << 20;

/// An argument of a loop.
#[derive(Clone, PartialEq)]
enum Word {
    /// The pointer at the index.
    Pointer(NodeId, Index),
    /// The address of a buffer's element at the index; elements have this size in bytes.
    Buffer(Value, Index, usize),
    /// An element of a block that is uniform along the row.
    Scalar(NodeId, Index),
    /// The address of this result.
    Target(usize),
}

/// The capabilities of loops; [`translate`] knows which ops they support.
struct Loops;

impl VectorTarget for Loops {
    fn holds(&self, elem: Elem) -> bool {
        is_short(elem) || vector(elem).is_some()
    }

    fn reads(&self, _: Elem) -> bool {
        true
    }

    fn computes(&self, _: &Op, _: &[RowOperand], _: Elem) -> bool {
        true
    }
}

/// The code of a loop and its arguments.
pub(super) struct Wide {
    code: Vec<u8>,
    listing: String,
    /// Arguments; their indices apply to any row.
    words: Vec<Word>,
    /// The loads it performs.
    loads: Vec<NodeId>,
}

/// Rows and the loop that computes each of them; a plan always has code.
pub(super) struct WideRows {
    pub(super) row: Row,
    code: Wide,
}

impl<'m> Emitter<'m, '_> {
    /// The rows by which a loop can store blocks to addresses; `None` if it cannot.
    fn wide_rows(
        &self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<Destination>,
    ) -> Option<WideRows> {
        let row = self.wide.allowed.then(|| self.row(&Loops, dims, roots, to))??;
        let code = self.stores(&row, roots, false)?;
        Some(WideRows { row, code })
    }

    /// The loop that stores blocks, or `None` if there is none; addresses are passed when it is called.
    fn stores(&self, row: &Row, roots: &[NodeId], streaming: bool) -> Option<Wide> {
        let index = row.index();
        let mut t = self.translation(row, roots)?;
        let mut stores = vec![];
        for (i, &root) in roots.iter().enumerate() {
            let (mut value, format) = self.stored(&mut t, root, &index)?;
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
        // Data that an earlier loop loaded is in the cache, which leaves memory bandwidth to prefetch the next row.
        let again = loads.iter().filter(|(load, _)| self.wide.visited.contains(load));
        let ahead = again.map(|&(load, word)| (word, format_of(self.nodes[load].elem))).collect();
        let loads = loads.iter().map(|l| l.0).collect();
        let made = values.finish(sink, row.len(), ahead);
        let listing = if self.output.is_listing() { made.to_string() } else { String::new() };
        Some(Wide { code: made.compile()?, listing, words, loads })
    }

    /// Calls a loop with the addresses of its results.
    fn call_wide(
        &mut self,
        wide: Wide,
        outer: u16,
        targets: &[Value],
        counts: [Value; 2],
    ) -> Result<()> {
        let at = self.loop_at(wide.code, &wide.listing);
        let at = self.int(at as i64);
        self.wide.visited.extend(wide.loads);
        self.call_loop_at(at, (&wide.words, outer), targets, counts)
    }

    /// Calls the loop at this byte of the code, for the row whose number is the counter `outer`.
    fn call_loop_at(
        &mut self,
        at: Value,
        (words, outer): (&[Word], u16),
        targets: &[Value],
        [count, all]: [Value; 2],
    ) -> Result<()> {
        let top = self.scratch.top;
        let arguments = self.reserve(8 * words.len());
        for (i, word) in words.iter().enumerate() {
            let value = match word {
                Word::Pointer(node, index) => self.eval(*node, &place(index, outer))?,
                Word::Scalar(node, index) => {
                    let value = self.eval(*node, &place(index, outer))?;
                    match format_of(self.nodes[*node].elem) {
                        Format::Same => value,
                        Format::F16 => self.f32_of_f16(value),
                        Format::BF16 => self.f32_of_bf16(value),
                        Format::I8 | Format::I16 => self.b.ins().sextend(types::I32, value),
                        Format::U8 | Format::U16 => self.b.ins().uextend(types::I32, value),
                    }
                }
                Word::Buffer(address, index, size) => {
                    self.element_address(*address, &place(index, outer), *size)
                }
                Word::Target(k) => targets[*k],
            };
            let flags = self.flags();
            self.b.ins().store(flags, value, arguments, 8 * i as i32);
        }
        let flags = MemFlagsData::trusted().with_readonly();
        let base = std::mem::offset_of!(Context<'_>, code) as i32;
        let base = self.b.ins().load(types::I64, flags, self.program.context, base);
        let function = self.b.ins().iadd(base, at);
        self.call_address(function, &[arguments, count, all], false);
        self.scratch.top = top;
        Ok(())
    }

    /// The offset of a loop in the code.
    fn loop_at(&mut self, code: Vec<u8>, listing: &str) -> usize {
        let (at, new) = self.wide.place(code);
        if new {
            self.output.list_loop(at, listing);
        }
        at
    }

    /// Writes blocks as [`Emitter::fill`] does, by a loop; returns false, having generated nothing, if that is
    /// impossible.
    pub(super) fn fill_wide(&mut self, dims: &[usize], blocks: &[(NodeId, Value)]) -> Result<bool> {
        let roots: Vec<NodeId> = blocks.iter().map(|b| b.0).collect();
        let Some(WideRows { row, code }) = self.wide_rows(dims, &roots, None) else {
            return Ok(false);
        };
        self.decide_row("fill", VectorPath::Wide, &row);
        self.each_row(&row, |e, row, index, outer| {
            let on = |e: &mut Self, count, settled| {
                let mut targets = vec![];
                for &(node, address) in blocks {
                    let size = e.nodes[node].elem.size();
                    targets.push(e.element_address(address, &start(index), size));
                }
                e.call_wide(code, outer, &targets, [count, settled])
            };
            e.compute_row(row, index, on, |e, at| e.fill_element(at, blocks))
        })?;
        Ok(true)
    }

    /// The rows by which a loop can store a block through pointers; `None` if it cannot.
    pub(super) fn wide_store_rows(&self, dims: &[usize], store: Store) -> Option<WideRows> {
        self.wide_rows(dims, &[store.value], Some(store.target()))
    }

    /// Stores a block by rows. Elements that are masked off are neither computed nor stored.
    pub(super) fn store_wide(
        &mut self,
        WideRows { row, code }: WideRows,
        store: Store,
    ) -> Result<()> {
        // Memory loaded from the store's destination is already in the cache.
        let again = row.loads.iter().any(|load| self.nodes.same(load.ptr, store.ptr));
        let past = match again || !self.wide.streams {
            true => None,
            false => self.stores(&row, &[store.value], true),
        };
        let bytes = (self.nodes[store.value].elem.size() << self.nodes[store.value].bits) as i64;
        self.each_row(&row, |e, row, index, outer| {
            let on = |e: &mut Self, count, settled| {
                // With a masked store, nothing after the stored elements is written; with masked loads only, the rest
                // is their `other`.
                let all = if row.stores() { count } else { settled };
                let target = e.eval(store.ptr, &start(index))?;
                match past {
                    Some(past) => e.call_either([code, past], outer, bytes, target, [count, all]),
                    None => e.call_wide(code, outer, &[target], [count, all]),
                }
            };
            e.compute_row(row, index, on, |e, at| e.store_element(store, at))
        })
    }

    /// Calls the loop with non-temporal stores if the launch writes much and the address is aligned, otherwise the
    /// other.
    fn call_either(
        &mut self,
        [wide, past]: [Wide; 2],
        outer: u16,
        bytes: i64,
        target: Value,
        counts: [Value; 2],
    ) -> Result<()> {
        let [near, far] = [(wide.code, wide.listing), (past.code, past.listing)]
            .map(|(code, listing)| self.loop_at(code, &listing) as i64);
        let [near, far] = [near, far].map(|at| self.int(at));
        self.wide.streamed = self.wide.streamed.max(bytes);
        let much = self.launch_exceeds(bytes);
        let low = self.b.ins().band_imm_s(target, 63);
        let aligned = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
        let streams = self.b.ins().band(much, aligned);
        let at = self.b.ins().select(streams, far, near);
        self.wide.visited.extend(wide.loads);
        self.call_loop_at(at, (&wide.words, outer), &[target], counts)
    }

    /// Whether the launch's programs, each of which writes `bytes` bytes, write more than caches hold.
    pub(super) fn launch_exceeds(&mut self, bytes: i64) -> Value {
        let [x, y, z] = self.program.grid.map(|n| self.b.ins().uextend(types::I64, n));
        let programs = self.b.ins().imul(x, y);
        let programs = self.b.ins().imul(programs, z);
        let written = self.b.ins().imul_imm_s(programs, bytes);
        self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, written, CACHED)
    }

    /// The rows, each a whole line along the last axis of a block, that a loop can reduce; `None` if it cannot.
    fn wide_reduction_rows(&self, op: Reduction, node: NodeId, dims: &[usize]) -> Option<WideRows> {
        let elem = self.nodes[node].elem;
        let row = self.wide.allowed.then(|| self.row(&Loops, dims, &[node], None))??;
        if is_short(elem) || Some(&row.len()) != dims.last() {
            return None;
        }
        let mut t = self.translation(&row, &[node])?;
        let value = self.translate(&mut t, node, &row.index())?;
        let (class, to) = (class_of(elem.dtype()), t.word(Word::Target(0)));
        let code = self.compiled(t, Sink::Reduce { op, class, value, to })?;
        Some(WideRows { row, code })
    }

    /// Reduces a block along its last axis, one line at a time, into `out`; returns whether a loop can do so.
    pub(super) fn reduce_wide(
        &mut self,
        op: &Op,
        how: Reduction,
        node: NodeId,
        dims: &[usize],
        out: Value,
    ) -> Result<bool> {
        let Some(&len) = dims.last() else { return Ok(false) };
        let elem = self.nodes[node].elem;
        let Some(WideRows { row, code }) = self.wide_reduction_rows(how, node, dims) else {
            return Ok(false);
        };
        self.decide_row("reduce", VectorPath::Wide, &row);
        let line = self.reserve(elem.size() * len);
        self.each_row(&row, |e, row, index, outer| {
            let target: Index = index.iter().skip(len.trailing_zeros() as usize).copied().collect();
            let target = e.element_address(out, &target, elem.size());
            let count = e.count_of(row)?;
            let settled = e.settled_of(row, count)?;
            let all = e.int(len as i64);
            let fine = e.b.ins().icmp(IntCC::Equal, settled, all);
            let whole =
                |e: &mut Self| e.call_wide(code, outer, &[target], [count, all]).map(|()| vec![]);
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
                let routine = Routine::Reduce { op: how, dtype: elem.dtype() };
                e.call_routine(op, routine, &[target, line, one, all, all])?;
                Ok(vec![])
            };
            e.either(fine, whole, apart).map(drop)
        })?;
        Ok(true)
    }
}
