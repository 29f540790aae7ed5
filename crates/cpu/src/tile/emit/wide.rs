//! Runs in the processor's widest vectors: expressions become [`loops`](crate::tile::loops), which the code calls.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Value, ValueDef, types};
use half::f16;
use trident_ir::dtype::Class as Kinds;
use trident_ir::{DType, Op, OpKind as K};
use trident_runtime::Declined;

use super::access::Store;
use super::index::{Index, rename, uniform};
use super::node::{Elem, Fun, Kind, NodeId};
use super::run::{Road, Run, start};
use super::{Context, Emitter, Result};
use crate::tile::loops::{
    Binary, Class, Format, Goal, Id, Logic, Relation, Unary, Value as Of, Values, Width,
};
use crate::tile::plan;
use crate::tile::routine::{Fold, Function, Routine, function};

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
    /// The element of a block that is the same for the whole run.
    Scalar(NodeId, Index),
    /// Where a result goes.
    Target(usize),
}

/// A loop and its arguments.
pub(super) struct Wide {
    code: Vec<u8>,
    listing: String,
    words: Vec<Word>,
    /// Loads of it.
    loads: Vec<NodeId>,
}

/// An expression on its way to a loop.
struct Translation<'r> {
    run: &'r Run,
    values: Values,
    words: Vec<Word>,
    known: HashMap<(NodeId, Index), Id>,
    /// Loads from pointers, and their streams.
    loads: Vec<(NodeId, usize)>,
}

impl Translation<'_> {
    /// The number of an argument.
    fn word(&mut self, word: Word) -> usize {
        let found = self.words.iter().position(|w| *w == word);
        found.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        })
    }

    fn scalar(&mut self, node: NodeId, index: &Index) -> Id {
        let word = self.word(Word::Scalar(node, index.clone()));
        self.values.add(Of::Scalar(word))
    }

    fn binary(&mut self, op: Binary, a: Id, b: Id) -> Id {
        self.values.add(Of::Binary(op, a, b))
    }
}

/// How a loop compares and orders elements of a type.
fn class_of(dtype: DType) -> Class {
    match dtype.class() {
        Kinds::Float => Class::Float,
        Kinds::Int => Class::Int,
        _ => Class::Uint,
    }
}

/// The width of the values that elements become; shorter ones are computed in 4 bytes and rounded after each op.
fn width_of(elem: Elem) -> Option<Width> {
    use DType as D;
    match elem {
        Elem::Data(D::F32 | D::I32 | D::U32 | D::F16 | D::BF16) => Some(Width::Four),
        Elem::Data(D::I8 | D::U8 | D::I16 | D::U16) => Some(Width::Four),
        Elem::Data(D::F64 | D::I64 | D::U64) => Some(Width::Eight),
        _ => None,
    }
}

/// A run fitted a loop when it was looked at, and does not where its code is made.
fn changed() -> Declined {
    Declined { op: "kernel".into(), reason: "a row changed while code was made for it".into() }
}

fn format_of(elem: Elem) -> Format {
    match elem {
        Elem::Data(DType::F16) => Format::F16,
        Elem::Data(DType::BF16) => Format::BF16,
        Elem::Data(DType::I8) => Format::I8,
        Elem::Data(DType::U8 | DType::Bool) => Format::U8,
        Elem::Data(DType::I16) => Format::I16,
        Elem::Data(DType::U16) => Format::U16,
        _ => Format::Same,
    }
}

/// Whether the elements are shorter than the values that they become.
pub(super) fn is_short(elem: Elem) -> bool {
    elem.size() < 4
}

fn is_half(elem: Elem) -> bool {
    matches!(format_of(elem), Format::F16 | Format::BF16)
}

/// The value rounded to the elements' type.
fn rounded(v: &mut Values, x: Id, elem: Elem) -> Id {
    match format_of(elem) {
        Format::F16 => v.add(Of::Unary(Unary::Half, x)),
        Format::BF16 => v.nearest_bf16(x),
        format => v.wrapped(x, format),
    }
}

/// The bits of an element as those of the value that it becomes.
fn extended(bits: u64, elem: Elem) -> u64 {
    match format_of(elem) {
        Format::Same => bits,
        Format::F16 => f16::from_bits(bits as u16).to_f32().to_bits().into(),
        Format::BF16 => bits << 16,
        Format::I8 => (bits as i8 as u32).into(),
        Format::I16 => (bits as i16 as u32).into(),
        Format::U8 | Format::U16 => bits,
    }
}

impl<'m> Emitter<'m, '_> {
    /// The runs by which a loop can store blocks to addresses, or fold one of them, if it can.
    fn wide_run(
        &self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<(NodeId, Option<NodeId>)>,
    ) -> Option<Run> {
        let fits = |run: &Run| self.stores(run, &run.index(), roots, false).is_some();
        let run = self.wide.then(|| self.run(Road::Wide, dims, roots, to))??;
        Some(run).filter(fits)
    }

    /// The loop that stores blocks; addresses are given when it is called.
    fn stores(&self, run: &Run, index: &Index, roots: &[NodeId], streaming: bool) -> Option<Wide> {
        let mut t = self.translation(run, roots)?;
        let mut stores = vec![];
        for (i, &root) in roots.iter().enumerate() {
            let (root, index) = self.unnamed(root, index);
            let mut value = self.translate(&mut t, root, &index)?;
            if t.values.is_truth(value) {
                let [one, zero] = [1, 0].map(|bits| t.values.add(Of::Const(bits)));
                value = t.values.add(Of::Select(value, one, zero));
            }
            let format = format_of(self.nodes[root].elem);
            if streaming && format != Format::Same {
                return None;
            }
            stores.push((value, t.word(Word::Target(i)), format));
        }
        self.compiled(t, Goal::Store { values: stores, streaming })
    }

    /// A block whose bits are another's, as the one that loops know: integers instead of short floats.
    fn unnamed(&self, node: NodeId, index: &Index) -> (NodeId, Index) {
        let n = &self.nodes[node];
        match &n.kind {
            Kind::Apply(Fun::Op(op), operands) if op.kind == K::BitCast && is_short(n.elem) => {
                match operands[..] {
                    [bits] if matches!(self.nodes[bits].elem, Elem::Data(d) if d.is_int()) => {
                        (bits, self.operand_index(bits, index))
                    }
                    _ => (node, index.clone()),
                }
            }
            _ => (node, index.clone()),
        }
    }

    fn translation<'r>(&self, run: &'r Run, roots: &[NodeId]) -> Option<Translation<'r>> {
        let of = |&root: &NodeId| match self.unnamed(root, &run.index()).0 {
            bits if self.nodes[bits].elem == Elem::Data(DType::Bool) => Some(Width::Four),
            bits => width_of(self.nodes[bits].elem),
        };
        let width = of(roots.first()?)?;
        let values = Values::new(width);
        let (words, loads) = (vec![], vec![]);
        Some(Translation { run, values, words, known: HashMap::new(), loads })
    }

    fn compiled(&self, t: Translation<'_>, goal: Goal) -> Option<Wide> {
        let Translation { run, values, words, loads, .. } = t;
        // The memory of a load that an earlier loop has made is in the cache: the way to memory is free.
        let again = loads.iter().filter(|(load, _)| self.visited.contains(load));
        let ahead = again.map(|&(load, word)| (word, format_of(self.nodes[load].elem))).collect();
        let loads = loads.iter().map(|l| l.0).collect();
        let made = values.finish(goal, run.len(), ahead);
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
        let base = std::mem::offset_of!(Context, code) as i32;
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
        let Some(run) = self.wide_run(dims, &roots, None) else { return Ok(false) };
        self.each_run(&run, |e, run, index| {
            let on = |e: &mut Self, count, settled| {
                let wide = e.stores(run, index, &roots, false).ok_or_else(changed)?;
                let mut targets = vec![];
                for &(node, address) in blocks {
                    let size = e.nodes[node].elem.size();
                    targets.push(e.element_address(address, &start(index), size));
                }
                e.call_wide(wide, &targets, count, settled)
            };
            e.settle_run(run, index, on, |e, at| e.fill_element(at, blocks))
        })?;
        Ok(true)
    }

    /// The runs by which a loop can store a block to where pointers say, if it can.
    pub(super) fn wide_store_runs(&self, dims: &[usize], store: Store) -> Option<Run> {
        self.wide_run(dims, &[store.value], Some((store.ptr, store.mask)))
    }

    /// Stores a block by runs. Elements that are masked off are neither computed nor stored.
    pub(super) fn store_wide(&mut self, run: &Run, store: Store) -> Result<()> {
        // What was loaded from the place of the store is in the cache already.
        let again = run.loads.iter().any(|load| self.same_address(load.ptr, store.ptr));
        let keep = again || !self.streams;
        let bytes = (self.nodes[store.value].elem.size() << self.nodes[store.value].bits) as i64;
        self.each_run(run, |e, run, index| {
            let on = |e: &mut Self, count, settled| {
                // Behind the stored elements nothing is written; loads alone that are masked off give their `other`.
                let all = if run.stores() { count } else { settled };
                let target = e.eval(store.ptr, &start(index))?;
                let wide = e.stores(run, index, &[store.value], false).ok_or_else(changed)?;
                match e.stores(run, index, &[store.value], true).filter(|_| !keep) {
                    Some(past) => e.call_either(wide, past, bytes, target, [count, all]),
                    None => e.call_wide(wide, &[target], count, all),
                }
            };
            e.settle_run(run, index, on, |e, at| e.store_element(store, at))
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
        let run = self.wide_run(dims, &[node], None).filter(|r| r.len() == len);
        let Some(run) = run else { return Ok(false) };
        let folded = |e: &Self, run: &Run, index: &Index| {
            let mut t = e.translation(run, &[node])?;
            let value = e.translate(&mut t, node, index)?;
            let (class, to) = (class_of(elem.dtype()), t.word(Word::Target(0)));
            e.compiled(t, Goal::Fold { op: fold, class, value, to })
        };
        if folded(self, &run, &run.index()).is_none() {
            return Ok(false);
        }
        let line = self.reserve(elem.size() * len);
        self.each_run(&run, |e, run, index| {
            let target: Index = index.iter().skip(len.trailing_zeros() as usize).copied().collect();
            let target = e.element_address(out, &target, elem.size());
            let count = e.count_of(run)?;
            let settled = e.settled_of(run, count)?;
            let all = e.int(len as i64);
            let fine = e.b.ins().icmp(IntCC::Equal, settled, all);
            let whole = |e: &mut Self| {
                let wide = folded(e, run, index).ok_or_else(changed)?;
                e.call_wide(wide, &[target], count, all).map(|()| vec![])
            };
            let apart = |e: &mut Self| {
                let none = e.int(0);
                e.between(none, all, |e, var| {
                    let value = e.eval(node, &super::run::element(index, var))?;
                    let place = super::index::counter(var, len.trailing_zeros() as u8).collect();
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

    /// The block as values of a loop, if a loop can compute it.
    fn translate(&self, t: &mut Translation<'_>, node: NodeId, index: &Index) -> Option<Id> {
        let key = (node, index.clone());
        if let Some(&id) = t.known.get(&key) {
            return Some(id);
        }
        let n = &self.nodes[node];
        let truth = n.elem == Elem::Data(DType::Bool);
        if !truth && width_of(n.elem) != Some(t.values.width) {
            return None;
        }
        let id = match &n.kind {
            _ if truth && (uniform(index) || matches!(n.kind, Kind::Uniform(_))) => return None,
            Kind::Uniform(value) => match self.constant_bits(*value) {
                Some(bits) => t.values.add(Of::Const(extended(bits, n.elem))),
                None => t.scalar(node, index),
            },
            _ if uniform(index) => t.scalar(node, index),
            Kind::Iota(_) => {
                let first = t.scalar(node, &start(index));
                let number = t.values.add(Of::Number);
                t.binary(Binary::IntAdd, first, number)
            }
            &Kind::Buffer(address) => {
                let word = Word::Buffer(address, start(index), n.elem.size());
                let (stream, format) = (t.word(word), format_of(n.elem));
                let bits = t.values.add(Of::Load { stream, other: None, format });
                let zero = t.values.add(Of::Const(0));
                match truth {
                    true => t.values.add(Of::Compare(Class::Uint, Relation::Greater, bits, zero)),
                    false => bits,
                }
            }
            Kind::View(of, map) => self.translate(t, *of, &rename(map, index))?,
            Kind::Load { .. } if truth => return None,
            Kind::Load { .. } => self.translate_load(t, node, index, n.elem)?,
            Kind::Apply(Fun::Op(op), operands) => {
                self.translate_op(t, op, operands, n.elem, index)?
            }
            _ => return None,
        };
        t.known.insert(key, id);
        Some(id)
    }

    /// The elements that a load reads, taken as this type.
    fn translate_load(
        &self,
        t: &mut Translation<'_>,
        node: NodeId,
        index: &Index,
        elem: Elem,
    ) -> Option<Id> {
        let &Kind::Load { ptr, mask, other, .. } = &self.nodes[node].kind else { return None };
        let other = match (mask, other) {
            (None, _) => None,
            (Some(_), None) => Some(t.values.add(Of::Const(0))),
            (Some(_), Some(_)) if elem != self.nodes[node].elem => return None,
            (Some(_), Some(other)) => {
                let at = self.operand_index(other, index);
                Some(self.translate(t, other, &at)?)
            }
        };
        let stream = t.word(Word::Pointer(ptr, start(index)));
        t.loads.push((node, stream));
        Some(t.values.add(Of::Load { stream, other, format: format_of(elem) }))
    }

    /// The bits of a constant.
    fn constant_bits(&self, value: Value) -> Option<u64> {
        let ValueDef::Result(inst, 0) = self.b.func.dfg.value_def(value) else { return None };
        match self.b.func.dfg.insts[inst] {
            cranelift_codegen::ir::InstructionData::UnaryIeee32 { imm, .. } => {
                Some(imm.bits().into())
            }
            cranelift_codegen::ir::InstructionData::UnaryIeee64 { imm, .. } => Some(imm.bits()),
            cranelift_codegen::ir::InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => {
                let bits = self.b.func.dfg.value_type(value).bits();
                Some(imm.bits() as u64 & (u64::MAX >> (64 - bits)))
            }
            _ => None,
        }
    }

    fn translate_op(
        &self,
        t: &mut Translation<'_>,
        op: &Op,
        operands: &[NodeId],
        result: Elem,
        index: &Index,
    ) -> Option<Id> {
        let &first = operands.first()?;
        let Elem::Data(from) = self.nodes[first].elem else { return None };
        if op.kind == K::Where && t.run.settles(first, index) {
            let [_, yes, no] = *operands else { return None };
            let mut of = |o| self.translate(t, o, &self.operand_index(o, index));
            let (yes, no) = (of(yes)?, of(no)?);
            return Some(t.values.add(Of::On(yes, no)));
        }
        let short = op.kind == K::BitCast && is_short(result);
        if short && matches!(self.nodes[first].kind, Kind::Load { .. }) && result.dtype().is_int() {
            return self.translate_load(t, first, &self.operand_index(first, index), result);
        }
        let mut x = vec![];
        for &o in operands {
            x.push(self.translate(t, o, &self.operand_index(o, index))?);
        }
        if let Some(Routine::Function(function)) = self.strip(op, operands, result) {
            return Some(t.values.trace(function::traced(function)?, x[0]));
        }
        if plan::strip(op) && is_half(result) {
            let function = Function::find(plan::name(op), &[DType::F32])?;
            let value = t.values.trace(function::traced(function)?, x[0]);
            return Some(rounded(&mut t.values, value, result));
        }
        let class = class_of(from);
        let float = class == Class::Float;
        let (a, b) = (x[0], *x.get(1).unwrap_or(&x[0]));
        let v = &mut t.values;
        let to_zero = op.str("rounding") == Some("rtz");
        let pick = |float_op, int_op| if float { float_op } else { int_op };
        if from == DType::Bool {
            return of_truth(v, op, &x, result);
        }
        let relation = match op.kind {
            K::Less => Some(Relation::Less),
            K::LessOrEqual => Some(Relation::LessOrEqual),
            K::Equal => Some(Relation::Equal),
            K::Greater => Some(Relation::Greater),
            K::GreaterOrEqual => Some(Relation::GreaterOrEqual),
            K::IsNaN => Some(Relation::Unordered),
            _ => None,
        };
        if let Some(relation) = relation {
            return Some(v.add(Of::Compare(class, relation, a, b)));
        }
        let value = match op.kind {
            K::Add | K::Sum => {
                let add = pick(Binary::Add, Binary::IntAdd);
                x[1..].iter().fold(a, |s, &y| v.add(Of::Binary(add, s, y)))
            }
            K::Sub => v.add(Of::Binary(pick(Binary::Sub, Binary::IntSub), a, b)),
            K::Mul => v.add(Of::Binary(pick(Binary::Mul, Binary::IntMul), a, b)),
            K::Neg if float => {
                let sign = v.sign_bit();
                v.add(Of::Binary(Binary::Xor, a, sign))
            }
            K::Neg => {
                let zero = v.add(Of::Const(0));
                v.add(Of::Binary(Binary::IntSub, zero, a))
            }
            K::Max | K::MaxNum | K::Min | K::MinNum => {
                let greater = matches!(op.kind, K::Max | K::MaxNum);
                let nan = matches!(op.kind, K::Max | K::Min);
                x[1..].iter().fold(a, |s, &y| extreme(v, class, greater, nan, s, y))
            }
            K::BitwiseAnd if !float => v.add(Of::Binary(Binary::And, a, b)),
            K::BitwiseOr if !float => v.add(Of::Binary(Binary::Or, a, b)),
            K::BitwiseXor if !float => v.add(Of::Binary(Binary::Xor, a, b)),
            K::BitwiseNot if !float => {
                let all = v.add(Of::Const(u64::MAX >> (64 - 8 * v.width.bytes())));
                v.add(Of::Binary(Binary::Xor, a, all))
            }
            K::BitShift if !float => {
                let bits = 8 * from.size() as u64;
                let by = v.constant(b).filter(|&n| n < bits)? as u8;
                v.add(Of::Unary(
                    match (op.str("direction"), class) {
                        (Some("LEFT"), _) => Unary::ShiftLeft(by),
                        (_, Class::Int) => Unary::ShiftArithmetic(by),
                        _ => Unary::ShiftRight(by),
                    },
                    a,
                ))
            }
            K::Cast => match (from, result.dtype()) {
                (DType::I32, DType::F32) | (DType::I64, DType::F64) => {
                    v.add(Of::Unary(Unary::FromInt, a))
                }
                (from, to) if from.is_int() && to.is_int() => a,
                // Exact before it is rounded.
                (from, to) if from.is_int() && from.size() < 4 && to.is_float() && !to_zero => {
                    v.add(Of::Unary(Unary::FromInt, a))
                }
                (_, DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::I32 | DType::I64)
                    if float =>
                {
                    v.saturated_int(a)
                }
                (_, to) if float && to.is_float() && !to_zero => a,
                _ => return None,
            },
            K::BitCast if from.size() == result.size() && from.size() >= 4 => a,
            K::BitCast if from.is_int() && result.dtype().is_int() => a,
            _ if !float => return None,
            K::Div => v.add(Of::Binary(Binary::Div, a, b)),
            K::Sqrt => v.add(Of::Unary(Unary::Sqrt, a)),
            K::Floor => v.add(Of::Unary(Unary::Floor, a)),
            K::Ceil => v.add(Of::Unary(Unary::Ceil, a)),
            K::Round => v.add(Of::Unary(Unary::Round, a)),
            K::Abs => {
                let others = v.magnitude_bits();
                v.add(Of::Binary(Binary::And, a, others))
            }
            K::Reciprocal => {
                let one = v.float(1.0);
                v.add(Of::Binary(Binary::Div, one, a))
            }
            K::Relu => {
                let zero = v.float(0.0);
                extreme(v, class, true, true, a, zero)
            }
            K::Clamp => {
                let nan = op.flag("propagate_nan");
                let raised = extreme(v, class, true, nan, a, b);
                extreme(v, class, false, nan, raised, *x.get(2)?)
            }
            _ => return None,
        };
        // What is chosen, or of a float changes only the sign, is exact.
        let exact = matches!(op.kind, K::Max | K::MaxNum | K::Min | K::MinNum)
            || float && matches!(op.kind, K::Neg | K::Abs);
        Some(if exact { value } else { rounded(v, value, result) })
    }
}

/// The greater (lesser) of two; of NaN and a number NaN or the number.
fn extreme(v: &mut Values, class: Class, greater: bool, nan: bool, a: Id, b: Id) -> Id {
    let op = match (class, greater) {
        (Class::Float, true) => Binary::MaxNum,
        (Class::Float, false) => Binary::MinNum,
        (Class::Int, true) => Binary::IntMax,
        (Class::Int, false) => Binary::IntMin,
        (Class::Uint, true) => Binary::UintMax,
        (Class::Uint, false) => Binary::UintMin,
    };
    if class != Class::Float {
        return v.add(Of::Binary(op, a, b));
    }
    // A signalling NaN, which only memory has, would count as NaN even where the other is to win.
    let [a, b] = [a, b].map(|x| if nan { x } else { v.quieted(x) });
    let number = v.add(Of::Binary(op, a, b));
    if !nan {
        return number;
    }
    let unordered = v.add(Of::Compare(Class::Float, Relation::Unordered, a, b));
    let sum = v.add(Of::Binary(Binary::Add, a, b));
    v.add(Of::Select(unordered, sum, number))
}

/// An op on truth values.
fn of_truth(v: &mut Values, op: &Op, x: &[Id], result: Elem) -> Option<Id> {
    let (a, b) = (x[0], *x.last()?);
    Some(match op.kind {
        K::And => v.add(Of::Logic(Logic::And, a, b)),
        K::Or => v.add(Of::Logic(Logic::Or, a, b)),
        K::Xor => v.add(Of::Logic(Logic::Xor, a, b)),
        K::Not => v.add(Of::Not(a)),
        K::Where if result != Elem::Data(DType::Bool) => v.add(Of::Select(a, *x.get(1)?, b)),
        K::Cast => {
            let Elem::Data(to) = result else { return None };
            let one = if to.is_float() { v.float(1.0) } else { v.add(Of::Const(1)) };
            let zero = v.add(Of::Const(0));
            v.add(Of::Select(a, one, zero))
        }
        _ => return None,
    })
}
