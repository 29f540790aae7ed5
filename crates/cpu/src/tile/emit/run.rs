//! Runs: neighbouring elements of a block that vectors compute.
//!
//! A run is a stretch of the innermost dimension in which every element is uniform, contiguous in memory, or made of such
//! by ops that vectors have. Pointers and masks are looked at for the first and the last element only: they move by one
//! element (or not at all) from element to element, so if the ends are as far apart as they should be nothing wraps around,
//! and comparisons that hold at both ends hold between. Where the test fails for a run, it is made for shorter beginnings
//! of it; the elements behind the longest that passes take the road of single elements, with the same results.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::{DType, OpKind as K};

use super::index::{Bit, Index, counter, log2, rename};
use super::node::{Elem, Fun, Kind, NodeId};
use super::{Emitter, Result};

/// Bits of the number of elements that are computed at once.
pub(super) const GROUP: u8 = 4;
/// Bits of the number of elements, in long runs, that one pass of a loop computes: two groups, one after the other.
const PASS: u8 = 5;
/// The name of the "counter" whose bits tell the element of a run.
const RUN: u16 = u16::MAX - 1;
/// The name of the counter of runs until its loop is open.
const OUTER: u16 = u16::MAX - 2;

/// A load whose elements are contiguous in a run.
#[derive(Clone)]
pub(super) struct Stretch {
    pub(super) node: NodeId,
    pub(super) ptr: NodeId,
    index: Index,
}

/// A mask that holds for an interval of a run.
#[derive(Clone)]
struct Mask {
    node: NodeId,
    index: Index,
    /// Conditions that must hold for it, each of which begins or ends to hold once in a run at most.
    conditions: Vec<(NodeId, Index)>,
    /// Whether it tells what is stored.
    stores: bool,
}

/// What is computed for a group, or an element, of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All elements of a group.
    Group,
    /// All elements of a group for which the masks do not hold.
    Off,
    /// One element.
    Element,
}

/// How a block is cut into runs, and what has to hold for one.
#[derive(Clone, Default)]
pub(super) struct Run {
    /// Bits of the number of elements of a run.
    bits: u8,
    /// Bits of the number of runs.
    outer: u8,
    /// What is computed.
    roots: Vec<(NodeId, Index)>,
    /// Pointers, and integers that are compared, that rise by one element.
    rising: Vec<(NodeId, Index)>,
    masks: Vec<Mask>,
    /// Conditions of the mask that is being looked at.
    conditions: Vec<(NodeId, Index)>,
    pub(super) loads: Vec<Stretch>,
    seen: HashSet<(NodeId, Index)>,
}

/// How an index depends on the element of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// Not at all.
    None,
    /// Its lowest bits are the element.
    Low,
    Other,
}

fn in_run(bit: &Bit) -> bool {
    matches!(bit, Bit::Of { var: RUN, .. })
}

/// How an index depends on the element of a run of 2^`bits`.
fn lane_of(index: &Index, bits: u8) -> Lane {
    let found = index.iter().filter(|b| in_run(b)).count();
    let low = |k: u8| index.get(usize::from(k)) == Some(&Bit::Of { var: RUN, bit: k });
    match found {
        0 => Lane::None,
        _ if found == usize::from(bits) && (0..bits).all(low) => Lane::Low,
        _ => Lane::Other,
    }
}

/// Whether an index that vectors can follow is the same for the whole run.
pub(super) fn uniform(index: &Index) -> bool {
    !index.iter().any(in_run)
}

/// The index of the first element of the run.
pub(super) fn start(index: &Index) -> Index {
    index.iter().map(|b| if in_run(b) { Bit::Const(false) } else { *b }).collect()
}

/// The index with another counter for one of the two that have no loop yet.
fn with(index: &Index, old: u16, new: u16) -> Index {
    let bit = |b: &Bit| match *b {
        Bit::Of { var, bit } if var == old => Bit::Of { var: new, bit },
        other => other,
    };
    index.iter().map(bit).collect()
}

impl Run {
    fn index(&self) -> Index {
        counter(RUN, self.bits).chain(counter(OUTER, self.outer)).collect()
    }

    /// Whether the block is one run.
    pub(super) fn whole(&self) -> bool {
        self.outer == 0
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        1 << self.bits
    }

    /// Bits of the number of elements that one pass of its loop computes.
    fn pass(&self) -> u8 {
        self.bits.min(PASS)
    }

    fn guarded(&self) -> bool {
        !self.rising.is_empty() || !self.masks.is_empty()
    }

    /// The same with the counter of runs.
    fn at(&self, outer: u16) -> Run {
        let place = |list: &[(NodeId, Index)]| -> Vec<_> {
            list.iter().map(|(n, index)| (*n, with(index, OUTER, outer))).collect()
        };
        let loads = self.loads.iter();
        let masks = self.masks.iter().map(|m| Mask {
            index: with(&m.index, OUTER, outer),
            conditions: place(&m.conditions),
            ..*m
        });
        Run {
            bits: self.bits,
            outer: 0,
            roots: place(&self.roots),
            rising: place(&self.rising),
            masks: masks.collect(),
            conditions: vec![],
            loads: loads.map(|s| Stretch { index: with(&s.index, OUTER, outer), ..*s }).collect(),
            seen: HashSet::new(),
        }
    }
}

impl<'m> Emitter<'m, '_> {
    /// The longest runs that vectors can compute of these blocks, and write to these pointers where the mask holds.
    pub(super) fn run(
        &self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<(NodeId, Option<NodeId>)>,
    ) -> Option<Run> {
        let total: u8 = dims.iter().map(|&n| log2(n)).sum();
        let inner = dims.last().map_or(0, |&n| log2(n));
        if self.check || inner < GROUP {
            return None;
        }
        (GROUP..=inner).rev().find_map(|bits| {
            let mut run = Run { bits, outer: total - bits, ..Run::default() };
            let index = run.index();
            run.roots = roots.iter().map(|&n| (n, index.clone())).collect();
            let fits = roots.iter().all(|&n| self.fits(n, &index, &mut run));
            let reached = to.is_none_or(|to| self.stretches(to, true, &index, &mut run));
            (fits && reached).then_some(run)
        })
    }

    /// Runs `body` for each group of a run, or for each element where the run's test fails. Nothing runs for groups without
    /// an element that is stored.
    pub(super) fn sweep_run(
        &mut self,
        run: &Run,
        body: &dyn Fn(&mut Self, &Index, Part) -> Result<()>,
    ) -> Result<()> {
        self.repeat(run.outer, &[], |e, outer, _| {
            let index = with(&run.index(), OUTER, outer);
            let run = run.at(outer);
            let mut seen = HashSet::new();
            for (node, index) in &run.roots {
                e.prepare(*node, index, &mut seen)?;
            }
            e.pin_pointers(&run)?;
            let passes = match run.guarded() {
                true => e.passes(&run)?,
                false => e.int(1 << (run.bits - run.pass())),
            };
            e.settled = run.masks.iter().map(|m| (m.node, m.index.clone())).collect();
            let none = e.int(0);
            e.each_group(&run, none, passes, &|e| body(e, &index, Part::Group))?;
            if run.guarded() {
                e.sweep_rest(&run, &index, passes, body)?;
            }
            Ok(vec![])
        })?;
        Ok(())
    }

    /// Pointers to the first elements of a run, from memory: Cranelift would add them up anew in every pass.
    fn pin_pointers(&mut self, run: &Run) -> Result<()> {
        for (node, index) in &run.rising {
            let key = (*node, start(index));
            let pinned = self.memo.last().is_some_and(|m| m.contains_key(&key));
            if pinned || !matches!(self.nodes[*node].elem, Elem::Ptr(_)) {
                continue;
            }
            let pointer = self.eval(*node, &key.1)?;
            let pointer = self.pin(pointer);
            if let Some(memo) = self.memo.last_mut() {
                memo.insert(key, pointer);
            }
        }
        Ok(())
    }

    /// Runs `body` for the elements behind the first passes of a run: one by one for a pass, in which masks may end, then
    /// again by groups if the masks hold for none of the others.
    fn sweep_rest(
        &mut self,
        run: &Run,
        index: &Index,
        passes: Value,
        body: &dyn Fn(&mut Self, &Index, Part) -> Result<()>,
    ) -> Result<()> {
        let pass = i64::from(run.pass());
        let all = self.int(1 << (run.bits - run.pass()));
        let elements = |e: &mut Self, first: Value, end: Value| {
            let [first, end] = [first, end].map(|g| e.b.ins().ishl_imm_u(g, pass));
            e.between(first, end, |e, element| body(e, &with(index, RUN, element), Part::Element))
        };
        if run.masks.is_empty() {
            return elements(self, passes, all);
        }
        let next = self.b.ins().iadd_imm_s(passes, 1);
        let next = self.b.ins().umin(next, all);
        elements(self, passes, next)?;
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, all);
        self.either(
            more,
            |e| {
                let off = e.off(run, next)?;
                let stored = run.masks.iter().any(|m| m.stores);
                let groups = |e: &mut Self| match stored {
                    true => Ok(()),
                    false => e.each_group(run, next, all, &|e| body(e, index, Part::Off)),
                };
                e.either(off, groups, |e| elements(e, next, all))
            },
            |_| Ok(()),
        )
    }

    /// Whether what is stored, or else all that is loaded, is masked off from this pass to the end of the run.
    fn off(&mut self, run: &Run, pass: Value) -> Result<Value> {
        let first = self.b.ins().ishl_imm_u(pass, i64::from(run.pass()));
        let last = self.int(run.len() as i64 - 1);
        let stored = run.masks.iter().any(|m| m.stores);
        let zero = self.int(0);
        let mut all = self.rise(run, zero, last)?;
        let [from, to] = [first, last].map(|value| {
            self.vars.push(value);
            self.vars.len() as u16 - 1
        });
        self.scope(|e| {
            for mask in run.masks.iter().filter(|m| m.stores || !stored) {
                let mut never = e.b.ins().iconst(types::I8, 0);
                for (node, index) in &mask.conditions {
                    let mut holds = e.b.ins().iconst(types::I8, 0);
                    for var in [from, to] {
                        let v = e.eval(*node, &with(index, RUN, var))?;
                        holds = e.b.ins().bor(holds, v);
                    }
                    let fails = e.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                    never = e.b.ins().bor(never, fails);
                }
                all = e.b.ins().band(all, never);
            }
            Ok(())
        })?;
        Ok(all)
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

    /// The number of passes, from the first on, for which the run's test holds.
    fn passes(&mut self, run: &Run) -> Result<Value> {
        let all = 1i64 << (run.bits - run.pass());
        let (head, done) = (self.b.create_block(), self.b.create_block());
        let good = self.b.append_block_param(head, types::I64);
        let step = self.b.append_block_param(head, types::I64);
        let found = self.b.append_block_param(done, types::I64);
        let (zero, first) = (self.int(0), self.int(all));
        self.b.ins().jump(head, &[zero.into(), first.into()]);
        self.b.switch_to_block(head);
        let tried = self.b.ins().iadd(good, step);
        let elements = self.b.ins().ishl_imm_u(tried, i64::from(run.pass()));
        let last = self.b.ins().iadd_imm_s(elements, -1);
        let holds = self.run_holds(run, last)?;
        let good = self.b.ins().select(holds, tried, good);
        let step = self.b.ins().ushr_imm_u(step, 1);
        let missing = self.b.ins().icmp_imm_s(IntCC::NotEqual, good, all);
        let finer = self.b.ins().icmp_imm_s(IntCC::NotEqual, step, 0);
        let more = self.b.ins().band(missing, finer);
        self.b.ins().brif(more, head, &[good.into(), step.into()], done, &[good.into()]);
        self.b.switch_to_block(done);
        Ok(found)
    }

    /// Whether pointers and compared integers rise by one from each element to the next, from `first` to `last`.
    fn rise(&mut self, run: &Run, first: Value, last: Value) -> Result<Value> {
        let mut all = self.b.ins().iconst(types::I8, 1);
        let count = self.b.ins().isub(last, first);
        let [from, to] = [first, last].map(|value| {
            self.vars.push(value);
            self.vars.len() as u16 - 1
        });
        self.scope(|e| {
            for (node, index) in &run.rising {
                let elem = e.nodes[*node].elem;
                let step = if let Elem::Ptr(to) = elem { to.size() } else { 1 };
                let first = e.eval(*node, &with(index, RUN, from))?;
                let last = e.eval(*node, &with(index, RUN, to))?;
                let [first, last] = [first, last].map(|v| e.wide(v, elem.dtype()));
                let far = e.b.ins().isub(last, first);
                let whole = e.b.ins().ishl_imm_u(count, i64::from(step.trailing_zeros()));
                let v = e.b.ins().icmp(IntCC::Equal, far, whole);
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
        let to = self.vars.len() as u16;
        self.vars.push(last);
        self.scope(|e| {
            for mask in &run.masks {
                for at in [start(&mask.index), with(&mask.index, RUN, to)] {
                    let v = e.eval(mask.node, &at)?;
                    all = e.b.ins().band(all, v);
                }
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Where a load's elements lie in memory row-major already: whether they do, and from which address on. The code
    /// evaluates both; the address means nothing where the first is false.
    pub(super) fn in_memory(
        &mut self,
        node: NodeId,
        dims: &[usize],
    ) -> Result<Option<(Value, Value)>> {
        let Kind::Load { ptr, .. } = self.nodes[node].kind else { return Ok(None) };
        let Some(run) = self.run(dims, &[node], None).filter(Run::whole) else { return Ok(None) };
        let last = self.int(run.len() as i64 - 1);
        let holds = self.run_holds(&run, last)?;
        let mut address = None;
        self.scope(|e| {
            address = Some(e.eval(ptr, &start(&run.index()))?);
            Ok(())
        })?;
        Ok(address.map(|a| (holds, a)))
    }

    /// Whether storing the only run to these pointers group by group is the same as loading all of it before: the loads
    /// and the store are contiguous, and each load is of the very elements that are stored or of others only.
    pub(super) fn apart(&mut self, run: &Run, to: NodeId) -> Result<Value> {
        let last = self.int(run.len() as i64 - 1);
        let pointers = Run { masks: vec![], ..run.clone() };
        let mut all = self.run_holds(&pointers, last)?;
        let bytes = |e: Elem, n: usize| match e {
            Elem::Ptr(to) => (to.size() * n) as i64,
            Elem::Data(_) => 0,
        };
        let (written, own) = (bytes(self.nodes[to].elem, run.len()), start(&run.index()));
        let stored = self.eval(to, &own)?;
        for load in &run.loads {
            let read = bytes(self.nodes[load.ptr].elem, run.len());
            let loaded = self.eval(load.ptr, &start(&load.index))?;
            let above = self.b.ins().isub(stored, loaded);
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

    /// Whether pointers rise by one element and the mask is an interval; collects what has to hold.
    fn stretches(
        &self,
        (ptr, mask): (NodeId, Option<NodeId>),
        stores: bool,
        index: &Index,
        run: &mut Run,
    ) -> bool {
        if self.rises(ptr, index, run.bits, &mut HashMap::new()) != Some(1) {
            return false;
        }
        if let Some(node) = mask {
            if !self.interval(node, index, run) {
                return false;
            }
            let conditions = std::mem::take(&mut run.conditions);
            run.masks.push(Mask { node, index: index.clone(), conditions, stores });
        }
        run.rising.push((ptr, index.clone()));
        true
    }

    /// Whether vectors can compute the block at the index; collects what has to hold.
    fn fits(&self, node: NodeId, index: &Index, run: &mut Run) -> bool {
        let n = &self.nodes[node];
        let vector = self.vector(n.elem).is_some();
        match lane_of(index, run.bits) {
            Lane::None => return vector,
            Lane::Other => return false,
            Lane::Low => {}
        }
        if !vector || !run.seen.insert((node, index.clone())) {
            return vector;
        }
        match &n.kind {
            Kind::Uniform(_) => true,
            Kind::Iota(_) => true,
            Kind::Buffer(_) => n.elem != Elem::Data(DType::Bool),
            Kind::View(of, map) => self.fits(*of, &rename(map, index), run),
            Kind::Apply(Fun::Op(op), operands) => {
                let at = |o: NodeId| self.operand_index(o, index);
                self.has_vector_op(op, operands, n.elem, index)
                    && operands.iter().all(|&o| self.fits(o, &at(o), run))
            }
            Kind::Load { ptr, mask, other, .. } => {
                if other.is_some_and(|o| !self.fits(o, &self.operand_index(o, index), run)) {
                    return false;
                }
                if n.elem == Elem::Data(DType::Bool)
                    || !self.stretches((*ptr, *mask), false, index, run)
                {
                    return false;
                }
                run.loads.push(Stretch { node, ptr: *ptr, index: index.clone() });
                true
            }
            _ => false,
        }
    }

    /// The index for an operand: scalars, such as the condition of `where`, have one without bits.
    pub(super) fn operand_index(&self, operand: NodeId, index: &Index) -> Index {
        if self.nodes[operand].bits == 0 { Index::from([]) } else { index.clone() }
    }

    /// How much integers or pointers rise from element to element, where that is 0 or 1 (leaving overflow aside).
    fn rises(
        &self,
        node: NodeId,
        index: &Index,
        bits: u8,
        known: &mut HashMap<(NodeId, Index), Option<u8>>,
    ) -> Option<u8> {
        if let Some(&found) = known.get(&(node, index.clone())) {
            return found;
        }
        let found = match (lane_of(index, bits), &self.nodes[node].kind) {
            (Lane::None, _) | (_, Kind::Uniform(_)) => Some(0),
            (Lane::Other, _) => None,
            (_, Kind::Iota(_)) => Some(1),
            (_, Kind::View(of, map)) => self.rises(*of, &rename(map, index), bits, known),
            (_, Kind::Apply(Fun::Op(op), operands)) => {
                let mut of = |i: usize| {
                    let &o = operands.get(i)?;
                    if self.nodes[o].bits == 0 {
                        Some(0)
                    } else {
                        self.rises(o, index, bits, known)
                    }
                };
                match op.kind {
                    K::Add | K::PtrAdd => match (of(0)?, of(1)?) {
                        (a, b) if a + b <= 1 => Some(a + b),
                        _ => None,
                    },
                    K::Sub if of(1)? == 0 => of(0),
                    K::Cast => {
                        let int = |e: Elem| matches!(e, Elem::Data(DType::I32 | DType::I64));
                        let from = operands.first().map(|&o| self.nodes[o].elem);
                        let wider = from
                            .is_some_and(|f| int(f) && f.size() <= self.nodes[node].elem.size());
                        if wider && int(self.nodes[node].elem) { of(0) } else { None }
                    }
                    _ if (0..operands.len()).all(|i| of(i) == Some(0)) => Some(0),
                    _ => None,
                }
            }
            (_, Kind::Apply(Fun::Add, operands)) => {
                let sum: Option<Vec<u8>> =
                    operands.iter().map(|&o| self.rises(o, index, bits, known)).collect();
                sum.map(|s| s.iter().sum()).filter(|&s: &u8| s <= 1)
            }
            (_, Kind::Apply(Fun::Wide, operands)) => self.rises(operands[0], index, bits, known),
            _ => None,
        };
        known.insert((node, index.clone()), found);
        found
    }

    /// Whether the mask holds for all elements if it holds for the first and the last one, given what is collected.
    fn interval(&self, node: NodeId, index: &Index, run: &mut Run) -> bool {
        if uniform(index) || matches!(self.nodes[node].kind, Kind::Uniform(_)) {
            run.conditions.push((node, index.clone()));
            return true;
        }
        match &self.nodes[node].kind {
            Kind::View(of, map) => self.interval(*of, &rename(map, index), run),
            Kind::Apply(Fun::Op(op), operands) => match op.kind {
                K::And => operands.iter().all(|&o| self.interval(o, index, run)),
                K::Less | K::LessOrEqual | K::Greater | K::GreaterOrEqual => {
                    let mut sides = 0;
                    run.conditions.push((node, index.clone()));
                    for &o in operands {
                        let int = matches!(self.nodes[o].elem, Elem::Data(DType::I32 | DType::I64));
                        match self.rises(o, index, run.bits, &mut HashMap::new()) {
                            Some(0) => {}
                            Some(1) if int => {
                                sides += 1;
                                run.rising.push((o, index.clone()));
                            }
                            _ => return false,
                        }
                    }
                    sides <= 1
                }
                _ => false,
            },
            Kind::Apply(Fun::Both, operands) => {
                operands.iter().all(|&o| self.interval(o, index, run))
            }
            // 0 ≤ a < b
            Kind::Apply(Fun::Within, operands) => match operands[..] {
                [a, b] if self.rises(b, index, run.bits, &mut HashMap::new()) == Some(0) => {
                    match self.rises(a, index, run.bits, &mut HashMap::new()) {
                        Some(0) => true,
                        Some(1) => {
                            run.rising.push((a, index.clone()));
                            true
                        }
                        _ => false,
                    }
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Evaluates, outside of the loop over groups, what touches memory and is the same for all of them.
    fn prepare(
        &mut self,
        node: NodeId,
        index: &Index,
        seen: &mut HashSet<(NodeId, Index)>,
    ) -> Result<()> {
        if !seen.insert((node, index.clone())) {
            return Ok(());
        }
        if uniform(index) {
            if self.nodes[node].cost > 0 {
                self.eval(node, index)?;
            }
            return Ok(());
        }
        match self.nodes[node].kind.clone() {
            Kind::Apply(_, operands) => operands.into_iter().try_for_each(|o| {
                let at = self.operand_index(o, index);
                self.prepare(o, &at, seen)
            }),
            Kind::View(of, map) => self.prepare(of, &rename(&map, index), seen),
            Kind::Load { ptr, other, .. } => {
                if let Some(other) = other {
                    let at = self.operand_index(other, index);
                    self.prepare(other, &at, seen)?;
                }
                self.eval(ptr, &start(index)).map(drop)
            }
            _ => Ok(()),
        }
    }
}
