//! Blocks that are affine in their axes: pointers that move by a fixed distance along each axis, masks that hold
//! everywhere.
//!
//! Integers that are not affine, such as indices that were loaded, count as one more axis where only the least and the
//! greatest element matter: they are the least one plus a coordinate up to the distance of the two.
//!
//! The analysis follows the expression and generates base and steps as 64-bit integers. Integers of 32 bits wrap around, and
//! so do base and steps, modulo 2^32; where such an integer is widened or compared, a guard tells at run time that all of
//! the block's elements stay inside of the type, which the corners do if and only if all elements do.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::{DType, OpKind as K};
use trident_lower::access::{Bit, Elem, Fun, Index, Node, NodeId, Touch, axes, counter, rename};
use trident_runtime::Checks;

use super::node::{Kind, Register};
use super::{Emitter, Result};
use crate::routine::{Fold, Routine};

/// The names of the "counters" whose bits are coordinates along an axis: this and those below.
const AXIS: u16 = u16::MAX - 8;

/// Most axes of a block whose corners are looked at.
const CORNERS: usize = 3;

/// Most axes with those that integers count as: sums of so many distances below 2^[`FAR`] do not wrap around.
const MOST_AXES: usize = 8;

/// Bits of the distance that a step may go along its axis.
const FAR: u8 = 58;

/// Bits of the number of integers below which looking for their ends costs more than it spares.
const MANY: u8 = 7;

/// `base + Σ steps[i] · coordinate[i]`; an axis without a step does not matter.
#[derive(Clone)]
struct Affine {
    base: Value,
    steps: Vec<Option<Value>>,
}

/// An affine block whose elements are the exact integers between the bounds.
struct Exact {
    form: Affine,
    low: Value,
    high: Value,
}

/// A block in memory.
pub(super) struct Strided {
    /// Of its first element.
    pub(super) address: Value,
    /// Distances along each axis, in elements.
    pub(super) steps: Vec<Value>,
    /// Whether all elements lie there and may be read.
    pub(super) holds: Value,
}

/// The axes of a block and the index of its elements by these.
pub(super) struct Block {
    /// Bits of each axis.
    axes: Vec<u8>,
    index: Index,
}

impl Block {
    pub(super) fn new(dims: &[usize]) -> Self {
        let axes: Vec<u8> = axes(dims).into_iter().map(|(_, bits)| bits).collect();
        let counters = axes.iter().enumerate().rev();
        let index = counters.flat_map(|(i, &bits)| counter(AXIS - i as u16, bits)).collect();
        Block { axes, index }
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }
}

/// How far a coordinate goes, from 0 on.
#[derive(Clone, Copy)]
enum Extent {
    /// To below 2 to this power.
    Bits(u8),
    /// To this, which is below 2^32.
    To(Value),
}

impl Extent {
    fn bits(self) -> u8 {
        match self {
            Extent::Bits(bits) => bits,
            Extent::To(_) => 32,
        }
    }
}

struct Analysis {
    axes: Vec<Extent>,
    /// Whether integers that are not affine count as axes, for which they are brought into scratch.
    scattered: bool,
    known: HashMap<(NodeId, Index), Option<Affine>>,
    /// Masks that were looked at.
    masks: HashSet<(NodeId, Index)>,
    /// What has to hold.
    guards: Vec<Value>,
}

impl Analysis {
    fn of(block: &Block, scattered: bool) -> Self {
        let axes = block.axes.iter().map(|&bits| Extent::Bits(bits)).collect();
        let (known, masks) = (HashMap::new(), HashSet::new());
        Analysis { axes, scattered, known, masks, guards: vec![] }
    }
}

impl<'m> Emitter<'m, '_> {
    /// Where the block lies in memory, if it is loaded from pointers that are affine in its axes under masks that hold
    /// for intervals.
    pub(super) fn strided_in_memory(
        &mut self,
        node: NodeId,
        dims: &[usize],
    ) -> Result<Option<Strided>> {
        let block = Block::new(dims);
        let mut index = block.index.clone();
        let mut load = node;
        while let Kind::View(of, map) = &self.nodes[load].kind {
            index = rename(map, &index);
            load = *of;
        }
        let Kind::Load { ptr, mask, site, .. } = self.nodes[load].kind else { return Ok(None) };
        // Each access is checked on its own.
        if self.checks == Checks::All || block.axes.len() > CORNERS {
            return Ok(None);
        }
        let mut a = Analysis::of(&block, false);
        let Some(form) = self.affine(ptr, &index, &mut a)? else { return Ok(None) };
        if let Some(mask) = mask
            && !self.holds(mask, &index, &mut a)?
        {
            return Ok(None);
        }
        let size = self.nodes[load].elem.size();
        if self.bounded() {
            self.guard_bounds(&form, Touch { site, writes: false }, size, &mut a);
        }
        let mut bits = form.base;
        let mut steps = vec![];
        for step in &form.steps {
            let step = match *step {
                Some(step) => step,
                None => self.int(0),
            };
            bits = self.b.ins().bor(bits, step);
            steps.push(self.b.ins().sshr_imm_u(step, i64::from(size.trailing_zeros())));
        }
        let rest = self.b.ins().band_imm_s(bits, size as i64 - 1);
        let mut holds = self.b.ins().icmp_imm_s(IntCC::Equal, rest, 0);
        for guard in a.guards {
            holds = self.b.ins().band(holds, guard);
        }
        Ok(Some(Strided { address: form.base, steps, holds }))
    }

    /// Whether all elements of that many bytes at these pointers are inside of what they may point to, if that can be told
    /// from the least and the greatest of the integers that make them up.
    pub(super) fn corners_inside(
        &mut self,
        (ptr, index): (NodeId, &Index),
        block: &Block,
        touch: Touch,
        bytes: usize,
    ) -> Result<Option<Value>> {
        if block.axes.len() > CORNERS {
            return Ok(None);
        }
        let mut a = Analysis::of(block, true);
        let Some(form) = self.affine(ptr, index, &mut a)? else { return Ok(None) };
        self.guard_bounds(&form, touch, bytes, &mut a);
        let mut guards = a.guards.into_iter();
        let first = guards.next();
        Ok(first.map(|first| guards.fold(first, |all, guard| self.b.ins().band(all, guard))))
    }

    /// The block as an affine one: pointers and integers of 64 bits modulo 2^64, those of 32 bits modulo 2^32.
    fn affine(&mut self, node: NodeId, index: &Index, a: &mut Analysis) -> Result<Option<Affine>> {
        let elem = self.nodes[node].elem;
        if !matches!(elem, Elem::Ptr(_) | Elem::Data(DType::I32 | DType::I64)) {
            return Ok(None);
        }
        let key = (node, index.clone());
        if let Some(found) = a.known.get(&key) {
            return Ok(found.clone());
        }
        // Memory may have changed since the buffer was filled: no load that it came from is looked at again.
        let buffer = matches!(self.nodes[node].kind, Kind::Buffer(_));
        let scattered = a.scattered;
        a.scattered &= !buffer;
        let found = match self.nodes.origin(node).kind.clone() {
            Kind::Uniform(value) => Some(self.constant_form(value, elem, a)),
            Kind::View(of, map) => self.affine(of, &rename(&map, index), a)?,
            Kind::Iota(start) => self.iota(start, index, a),
            Kind::Apply(fun, operands) => {
                let found = self.affine_apply(fun, &operands, elem, index, a)?;
                let fixed = index.iter().all(|b| matches!(b, Bit::Const(_)));
                if found.is_none() && fixed {
                    let mut values = vec![];
                    self.repeat(0, &[], |e, _, _| {
                        values.push(e.eval(node, index)?);
                        Ok(vec![])
                    })?;
                    Some(self.constant_form(values[0], elem, a))
                } else {
                    found
                }
            }
            _ => None,
        };
        a.scattered = scattered;
        let found = match found {
            None => self.scattered(node, a)?,
            found => found,
        };
        a.known.insert(key, found.clone());
        Ok(found)
    }

    /// A block of integers as an axis of its own.
    fn scattered(&mut self, node: NodeId, a: &mut Analysis) -> Result<Option<Affine>> {
        let Node { elem, bits, .. } = self.nodes[node];
        let Elem::Data(dtype) = elem else { return Ok(None) };
        if !a.scattered || a.axes.len() >= MOST_AXES || bits < MANY {
            return Ok(None);
        }
        let Some(op) = self.current() else { return Ok(None) };
        let source = self.address(node, &[1 << bits])?;
        let top = self.top;
        let out = self.reserve(2 * elem.size());
        let (one, count) = (self.int(1), self.int(1 << bits));
        let mut ends = vec![];
        for (i, fold) in [Fold::Min, Fold::Max].into_iter().enumerate() {
            let to = self.b.ins().iadd_imm_s(out, (i * elem.size()) as i64);
            let routine = Routine::Fold { op: fold, dtype };
            self.call_routine(op, routine, &[to, source, one, count, count])?;
            let flags = self.flags();
            let end = self.b.ins().load(elem.clif(), flags, to, 0);
            ends.push(self.wide(end, dtype));
        }
        self.top = top;
        let width = self.b.ins().isub(ends[1], ends[0]);
        if elem.size() == 8 {
            let most = IntCC::UnsignedLessThan;
            a.guards.push(self.b.ins().icmp_imm_u(most, width, 1i64 << 32));
        }
        let mut steps = vec![None; a.axes.len()];
        steps.push(Some(one));
        a.axes.push(Extent::To(width));
        Ok(Some(Affine { base: ends[0], steps }))
    }

    fn constant_form(&mut self, value: Value, elem: Elem, a: &Analysis) -> Affine {
        let base = self.wide(value, elem.dtype());
        Affine { base, steps: vec![None; a.axes.len()] }
    }

    /// Consecutive integers, where each axis is a run of the index's bits.
    fn iota(&mut self, start: i64, index: &Index, a: &Analysis) -> Option<Affine> {
        let mut base = start;
        let mut steps = vec![None; a.axes.len()];
        let mut k = 0;
        while k < index.len() {
            match index[k] {
                Bit::Const(set) => {
                    base += i64::from(set) << k;
                    k += 1;
                }
                Bit::Of { var, bit: 0 } => {
                    let axis = usize::from(AXIS.checked_sub(var)?);
                    let Some(&Extent::Bits(bits)) = a.axes.get(axis) else { return None };
                    let run = index.get(k..k + usize::from(bits))?;
                    if !run.iter().copied().eq(counter(var, bits)) || steps[axis].is_some() {
                        return None;
                    }
                    steps[axis] = Some(self.int(1i64 << k));
                    k += usize::from(bits);
                }
                Bit::Of { .. } => return None,
            }
        }
        Some(Affine { base: self.int(base), steps })
    }

    fn affine_apply(
        &mut self,
        fun: Fun<'m>,
        operands: &[NodeId],
        elem: Elem,
        index: &Index,
        a: &mut Analysis,
    ) -> Result<Option<Affine>> {
        let op = match fun {
            Fun::Op(op) => op.kind,
            Fun::Add => K::Add,
            Fun::Mul => K::Mul,
            Fun::SignExtend => K::Cast,
            Fun::Within | Fun::Both => return Ok(None),
        };
        if !matches!(op, K::Add | K::Sub | K::Mul | K::Cast | K::Mod | K::PtrAdd) {
            return Ok(None);
        }
        let mut forms = vec![];
        for &operand in operands {
            let at = self.nodes.operand_index(operand, index);
            let Some(form) = self.affine(operand, &at, a)? else { return Ok(None) };
            forms.push((form, self.nodes[operand].elem));
        }
        Ok(match (op, &forms[..]) {
            (K::Add, [(x, _), (y, _)]) => Some(self.sum(x, y)),
            (K::Sub, [(x, _), (y, _)]) => Some(self.difference(x, y)),
            (K::Mul, [(x, _), (y, _)]) => {
                if x.steps.iter().all(Option::is_none) {
                    Some(self.scaled(y, x.base))
                } else if y.steps.iter().all(Option::is_none) {
                    Some(self.scaled(x, y.base))
                } else {
                    None
                }
            }
            (K::Cast, [(x, from)]) if from.size() < elem.size() => {
                Some(self.exact(x, *from, a).form)
            }
            (K::Cast, [(x, Elem::Data(_))]) => Some(x.clone()),
            (K::Mod, [(x, from), (y, by)]) if y.steps.iter().all(Option::is_none) => {
                let (x, y) = (self.exact(x, *from, a), self.exact(y, *by, a));
                let low = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, x.low, 0);
                let high = self.b.ins().icmp(IntCC::SignedLessThan, x.high, y.low);
                a.guards.extend([low, high]);
                Some(x.form)
            }
            (K::PtrAdd, [(x, Elem::Ptr(to)), (by, of)]) => {
                let by = self.exact_if_narrow(by, *of, a);
                let size = self.int(to.size() as i64);
                let bytes = self.scaled(&by, size);
                Some(self.sum(x, &bytes))
            }
            _ => None,
        })
    }

    fn combined(
        &mut self,
        x: &Affine,
        y: &Affine,
        mut combine: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Affine {
        let base = combine(self, x.base, y.base);
        let mut steps = vec![];
        for i in 0..x.steps.len().max(y.steps.len()) {
            let [x, y] = [x, y].map(|form| form.steps.get(i).copied().flatten());
            steps.push(match (x, y) {
                (None, None) => None,
                (x, y) => {
                    let zero = self.int(0);
                    Some(combine(self, x.unwrap_or(zero), y.unwrap_or(zero)))
                }
            });
        }
        Affine { base, steps }
    }

    fn sum(&mut self, x: &Affine, y: &Affine) -> Affine {
        self.combined(x, y, |e, x, y| e.b.ins().iadd(x, y))
    }

    fn difference(&mut self, x: &Affine, y: &Affine) -> Affine {
        self.combined(x, y, |e, x, y| e.b.ins().isub(x, y))
    }

    fn scaled(&mut self, x: &Affine, by: Value) -> Affine {
        let base = self.b.ins().imul(x.base, by);
        let steps = x.steps.iter().map(|s| s.map(|s| self.b.ins().imul(s, by))).collect();
        Affine { base, steps }
    }

    fn exact_if_narrow(&mut self, x: &Affine, elem: Elem, a: &mut Analysis) -> Affine {
        if elem.size() < 8 { self.exact(x, elem, a).form } else { x.clone() }
    }

    /// The form as exact integers, guarded: nothing wraps around.
    fn exact(&mut self, x: &Affine, elem: Elem, a: &mut Analysis) -> Exact {
        let narrow = elem.size() == 4;
        let signed = |e: &mut Self, v: Value| match narrow {
            true => {
                let low = e.b.ins().ireduce(types::I32, v);
                e.b.ins().sextend(types::I64, low)
            }
            false => v,
        };
        let base = signed(self, x.base);
        let steps: Vec<Option<Value>> =
            x.steps.iter().map(|s| s.map(|s| signed(self, s))).collect();
        let form = Affine { base, steps };
        if !narrow {
            // Far from the ends of the type, so that the bounds do not wrap around either.
            a.guards.push(self.is_small(form.base, 59));
        }
        for (step, &extent) in form.steps.iter().zip(&a.axes) {
            let Some(step) = *step else { continue };
            if !narrow || matches!(extent, Extent::To(_)) {
                a.guards.push(self.is_small(step, FAR.saturating_sub(extent.bits())));
            }
        }
        let (low, high) = self.bounds(&form, a);
        if narrow {
            let least = self.int(i64::from(i32::MIN));
            let most = self.int(i64::from(i32::MAX));
            a.guards.push(self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, low, least));
            a.guards.push(self.b.ins().icmp(IntCC::SignedLessThanOrEqual, high, most));
        }
        Exact { form, low, high }
    }

    /// Guards that all elements of that many bytes at these addresses are inside of what the pointers may point to.
    fn guard_bounds(&mut self, x: &Affine, touch: Touch, bytes: usize, a: &mut Analysis) {
        // Distances of corners are exact.
        for (step, &extent) in x.steps.iter().zip(&a.axes) {
            let Some(step) = *step else { continue };
            a.guards.push(self.is_small(step, FAR.saturating_sub(extent.bits())));
        }
        let (low, high) = self.bounds(x, a);
        let span = self.b.ins().isub(high, low);
        a.guards.push(self.holds_span(touch, low, span, bytes));
    }

    /// Whether the number's size is below 2^`bits`.
    fn is_small(&mut self, v: Value, bits: u8) -> Value {
        let moved = self.b.ins().iadd_imm_s(v, 1i64 << bits);
        self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, moved, 2i64 << bits)
    }

    /// The least and the greatest element.
    fn bounds(&mut self, x: &Affine, a: &Analysis) -> (Value, Value) {
        let (mut low, mut high) = (x.base, x.base);
        for (step, &extent) in x.steps.iter().zip(&a.axes) {
            let Some(step) = *step else { continue };
            let far = match extent {
                Extent::Bits(bits) => self.b.ins().imul_imm_s(step, (1i64 << bits) - 1),
                Extent::To(last) => self.b.ins().imul(step, last),
            };
            let zero = self.int(0);
            let (down, up) = (self.b.ins().smin(far, zero), self.b.ins().smax(far, zero));
            (low, high) = (self.b.ins().iadd(low, down), self.b.ins().iadd(high, up));
        }
        (low, high)
    }

    /// Guards that the mask holds for all elements; gives whether that can be told.
    fn holds(&mut self, node: NodeId, index: &Index, a: &mut Analysis) -> Result<bool> {
        if !a.masks.insert((node, index.clone())) {
            return Ok(true);
        }
        match self.nodes.origin(node).kind.clone() {
            Kind::Uniform(value) => {
                a.guards.push(value);
                Ok(true)
            }
            Kind::View(of, map) => self.holds(of, &rename(&map, index), a),
            Kind::Apply(fun, operands) => {
                let both =
                    matches!(fun, Fun::Both) || matches!(fun, Fun::Op(op) if op.kind == K::And);
                if both {
                    for operand in operands {
                        if !self.holds(operand, index, a)? {
                            return Ok(false);
                        }
                    }
                    return Ok(true);
                }
                let [x, y] = operands[..] else { return Ok(false) };
                // `x` less than `y`, or at most `y`.
                let (x, y, below) = match fun {
                    Fun::Within => (x, y, IntCC::SignedLessThan),
                    Fun::Op(op) => match op.kind {
                        K::Less => (x, y, IntCC::SignedLessThan),
                        K::LessOrEqual => (x, y, IntCC::SignedLessThanOrEqual),
                        K::Greater => (y, x, IntCC::SignedLessThan),
                        K::GreaterOrEqual => (y, x, IntCC::SignedLessThanOrEqual),
                        _ => return Ok(false),
                    },
                    _ => return Ok(false),
                };
                let mut sides = vec![];
                for side in [x, y] {
                    let Some(form) = self.affine(side, index, a)? else { return Ok(false) };
                    sides.push(self.exact(&form, self.nodes[side].elem, a));
                }
                let [x, y] = &sides[..] else { return Ok(false) };
                let difference = self.difference(&x.form, &y.form);
                let (_, high) = self.bounds(&difference, a);
                a.guards.push(self.b.ins().icmp_imm_s(below, high, 0));
                if matches!(fun, Fun::Within) {
                    let inside = IntCC::SignedGreaterThanOrEqual;
                    a.guards.push(self.b.ins().icmp_imm_s(inside, x.low, 0));
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
