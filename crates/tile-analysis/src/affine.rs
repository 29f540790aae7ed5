//! Blocks that are affine in their axes: pointers that advance by a fixed distance along each axis, and masks that hold
//! everywhere.
//!
//! Integers that are not affine, such as loaded indices, count as one more axis for which only the least and the
//! greatest element matter: each is the least plus a coordinate of at most their difference.
//!
//! The analysis follows the expression; base and steps are [`Terms`], integers at run time. 32-bit integers wrap
//! around, and so do base and steps, modulo 2^32. Where such an integer is widened or compared, a [`Guard`] requires
//! all elements of the block to stay within the type; they do if and only if the corners do.

use std::collections::{HashMap, HashSet};

use trident_ir::{DType, OpKind as K};

use super::graph::{Elem, Fun, Graph, Kind, Leaf, Node, NodeId};
use super::guard::{Guard, Shows, Test, Unproved};
use super::index::{Bit, Index, axes, counter, rename};
use super::row::{Row, Span, Touch};
use super::term::{Arith, TermId, Terms};

/// The name of the "counter" whose bits are coordinates along axis 0; further axes use the names below it.
const AXIS: u16 = u16::MAX - 8;

/// Maximum number of axes of a block whose corners are examined.
const CORNERS: usize = 3;

/// Maximum number of axes including those that stand for integers: sums of this many distances below 2^[`FAR`] do not
/// wrap around.
const MOST_AXES: usize = 8;

/// log2 of the distance that the elements along one axis may span.
const FAR: u8 = 58;

/// log2 of the number of integers below which computing their least and greatest costs more than it saves.
const MANY: u8 = 7;

/// The axes of a block, and the index of its elements in terms of them.
pub(super) struct Axes {
    /// The counter whose bits are coordinates along each axis, and its number of bits.
    counters: Vec<(u16, u8)>,
    pub(super) index: Index,
}

impl Axes {
    pub(super) fn of(dims: &[usize]) -> Self {
        let axes = axes(dims).into_iter().enumerate();
        Self::counted(axes.map(|(i, (_, bits))| (AXIS - i as u16, bits)).collect())
    }

    /// The axes whose coordinates are these counters, each with its number of bits.
    pub(super) fn counted(counters: Vec<(u16, u8)>) -> Self {
        let index = counters.iter().rev().flat_map(|&(var, bits)| counter(var, bits)).collect();
        Axes { counters, index }
    }
}

/// `base + Σ steps[i] · coordinate[i]`; an axis whose step is `None` contributes nothing.
#[derive(Clone, Debug)]
pub struct Affine {
    /// The value of the first element.
    pub base: TermId,
    /// Distance from one coordinate to the next along each axis.
    pub steps: Vec<Option<TermId>>,
}

/// A block in memory.
#[derive(Clone, Debug)]
pub struct StridedBlock<L> {
    /// The terms that form, steps and guards refer to.
    pub terms: Terms<L>,
    /// The address of the first element, and the distance along each axis in bytes.
    pub form: Affine,
    /// Distances along each axis, in elements.
    pub steps: Vec<TermId>,
    /// Conditions under which all elements lie there, are aligned and can be read.
    pub guards: Vec<Guard<L>>,
}

/// The range of a coordinate, which starts at 0.
#[derive(Clone, Copy)]
enum Extent {
    /// Below 2 to this power.
    Bits(u8),
    /// At most this, which is below 2^32.
    To(TermId),
}

impl Extent {
    fn bits(self) -> u8 {
        match self {
            Extent::Bits(bits) => bits,
            Extent::To(_) => 32,
        }
    }
}

/// An affine block whose elements are the exact integers between the bounds.
struct Exact {
    form: Affine,
    low: TermId,
    high: TermId,
}

/// A form, or the first block encountered that has none.
type Found = Result<Affine, NodeId>;

pub(super) struct Analysis<'a, 'm, L> {
    graph: &'a Graph<'m, L>,
    terms: &'a mut Terms<L>,
    counters: Vec<(u16, u8)>,
    /// The extents of the block's axes, then those of integers that count as axes.
    axes: Vec<Extent>,
    /// Whether integers that are not affine count as axes.
    looks_through: bool,
    /// Whether the expression is that of a buffer. Memory may have changed since the buffer was filled, so the loads it
    /// was filled from must not be evaluated again.
    past: bool,
    /// Forms by block, index and whether the expression is in the past.
    known: HashMap<(NodeId, Index, bool), Found>,
    /// Masks already examined.
    masks: HashSet<(NodeId, Index)>,
    pub(super) guards: Vec<Guard<L>>,
}

impl<'m, L: Leaf> Graph<'m, L> {
    /// The position of the block in memory, if it is loaded through pointers that are affine in its axes and its mask
    /// is known to hold everywhere once the guards hold. With `bounded`, the guards also require its memory to belong
    /// to the launch. The error is the reason why not.
    pub fn strided(
        &self,
        node: NodeId,
        dims: &[usize],
        bounded: bool,
    ) -> Result<StridedBlock<L>, Unproved> {
        let block = Axes::of(dims);
        let mut index = block.index.clone();
        let mut load = node;
        while let Kind::View(of, map) = &self[load].kind {
            index = rename(map, &index);
            load = *of;
        }
        let Node { kind: Kind::Load { ptr, mask, site, .. }, elem, .. } = self[load] else {
            return Err(Unproved::Computed(load));
        };
        let mut terms = Terms::default();
        let mut a = Analysis::of(self, &mut terms, &block, false)?;
        let form = a.affine(ptr, &index).map_err(Unproved::Shape)?;
        if let Some(mask) = mask
            && !a.holds(mask, mask, &index)
        {
            return Err(Unproved::Mask(mask));
        }
        let size = elem.size();
        if bounded {
            a.guard_bounds(&form, Touch { site, writes: false }, size);
        }
        let bits = size.trailing_zeros();
        let numbers = std::iter::once(form.base).chain(form.steps.iter().copied().flatten());
        let any = numbers.filter(|&n| a.terms.low_zeros(n, false) < bits).collect::<Vec<_>>();
        if !any.is_empty() {
            a.guard(Test::Multiples(any, size), Shows::Aligned);
        }
        let zero = a.terms.int(0);
        let steps = form.steps.iter().map(|step| a.terms.shifted(step.unwrap_or(zero), bits as u8));
        let (steps, guards) = (steps.collect(), std::mem::take(&mut a.guards));
        Ok(StridedBlock { terms, form, steps, guards })
    }
}

impl<L: Leaf> Graph<'_, L> {
    /// The largest power of two, in bytes, known to divide the address of each row's first element, relying on
    /// promises.
    pub fn alignment(&self, row: &Row, span: &Span) -> u64 {
        let axes = Axes::counted(row.counters());
        let mut terms = Terms::default();
        let form = Analysis::of(self, &mut terms, &axes, false)
            .map(|mut a| a.affine(span.ptr, &span.index));
        let Ok(Ok(Affine { base, steps })) = form else { return 1 };
        let outer = steps.first().copied().flatten();
        std::iter::once(base).chain(outer).map(|n| terms.divisor(n)).min().unwrap_or(1)
    }
}

impl<'a, 'm, L: Leaf> Analysis<'a, 'm, L> {
    /// An analysis of expressions over the axes of a block. With `looks_through`, integers that are not affine count as
    /// axes.
    pub(super) fn of(
        graph: &'a Graph<'m, L>,
        terms: &'a mut Terms<L>,
        block: &Axes,
        looks_through: bool,
    ) -> Result<Self, Unproved> {
        if block.counters.len() > CORNERS {
            return Err(Unproved::Axes);
        }
        let counters = block.counters.clone();
        let axes = counters.iter().map(|&(_, bits)| Extent::Bits(bits)).collect();
        let (known, masks) = (HashMap::new(), HashSet::new());
        Ok(Analysis {
            graph,
            terms,
            counters,
            axes,
            looks_through,
            past: false,
            known,
            masks,
            guards: vec![],
        })
    }

    /// Adds a guard, unless its test is known to hold.
    fn guard(&mut self, test: Test<L>, shows: Shows) {
        if !test.is_sure(self.terms) {
            self.guards.push(Guard { test, shows });
        }
    }

    /// The affine form of the block: of pointers and 64-bit integers modulo 2^64, of 32-bit integers modulo 2^32.
    pub(super) fn affine(&mut self, node: NodeId, index: &Index) -> Found {
        let elem = self.graph[node].elem;
        if !matches!(elem, Elem::Ptr(_) | Elem::Data(DType::I32 | DType::I64)) {
            return Err(node);
        }
        let key = (node, index.clone(), self.past);
        if let Some(found) = self.known.get(&key) {
            return found.clone();
        }
        let buffer = matches!(self.graph[node].kind, Kind::Buffer(_));
        let past = self.past;
        self.past |= buffer;
        let found = self.affine_of(node, elem, index);
        self.past = past;
        let found = match found {
            Err(reason) if buffer || !past => self.evaluated(node, index).ok_or(reason),
            found => found,
        };
        // Where integers count as axes, the base may be that of the least element instead of the first.
        if let Ok(form) = &found
            && !self.looks_through
            && !index.contains(&Bit::Const(true))
        {
            self.terms.promise(form.base, self.graph.zeros_of_first(node));
        }
        self.known.insert(key, found.clone());
        found
    }

    /// The form of elements that the code evaluates in advance.
    fn evaluated(&mut self, node: NodeId, index: &Index) -> Option<Affine> {
        if index.iter().all(|b| matches!(b, Bit::Const(_))) {
            let base = self.terms.element(node, index.clone());
            return Some(self.constant(base));
        }
        self.scattered(node)
    }

    fn affine_of(&mut self, node: NodeId, elem: Elem, index: &Index) -> Found {
        let graph = self.graph;
        match &graph.origin(node).kind {
            &Kind::Uniform(scalar) => {
                let base = self.terms.scalar(graph, scalar, elem.dtype());
                Ok(self.constant(base))
            }
            Kind::View(of, map) => self.affine(*of, &rename(map, index)),
            &Kind::Iota(start) => self.iota(start, index).ok_or(node),
            Kind::Apply(fun, operands) => self.apply(node, *fun, operands, elem, index),
            _ => Err(node),
        }
    }

    fn constant(&self, base: TermId) -> Affine {
        Affine { base, steps: vec![None; self.axes.len()] }
    }

    /// A block of integers as a separate axis.
    fn scattered(&mut self, node: NodeId) -> Option<Affine> {
        let Node { elem: Elem::Data(dtype), bits, .. } = self.graph[node] else { return None };
        if !self.looks_through || self.axes.len() >= MOST_AXES {
            return None;
        }
        let last = (1i64 << bits) - 1;
        let [least, greatest] = match self.graph.origin(node).kind {
            Kind::Iota(start) if i32::try_from(start + last).is_ok() => {
                [start, start + last].map(|end| self.terms.int(end))
            }
            _ if bits < MANY => return None,
            _ => self.terms.ends(node),
        };
        let width = self.terms.sub(greatest, least);
        if dtype.size() == 8 {
            self.guard(Test::Below(width, 32), Shows::Near(node));
        }
        let mut steps = vec![None; self.axes.len()];
        steps.push(Some(self.terms.int(1)));
        self.axes.push(Extent::To(width));
        Some(Affine { base: least, steps })
    }

    /// Consecutive integers, where each axis is a sequence of adjacent bits of the index.
    fn iota(&mut self, start: i64, index: &Index) -> Option<Affine> {
        let mut base = start;
        let mut steps = vec![None; self.axes.len()];
        let mut k = 0;
        while k < index.len() {
            match index[k] {
                Bit::Const(set) => {
                    base += i64::from(set) << k;
                    k += 1;
                }
                Bit::Of { var, bit: 0 } => {
                    let axis = self.counters.iter().position(|&(name, _)| name == var)?;
                    let bits = self.counters[axis].1;
                    let run = index.get(k..k + usize::from(bits))?;
                    if !run.iter().copied().eq(counter(var, bits)) || steps[axis].is_some() {
                        return None;
                    }
                    steps[axis] = Some(self.terms.int(1i64 << k));
                    k += usize::from(bits);
                }
                Bit::Of { .. } => return None,
            }
        }
        Some(Affine { base: self.terms.int(base), steps })
    }

    fn apply(
        &mut self,
        node: NodeId,
        fun: Fun<'m>,
        operands: &[NodeId],
        elem: Elem,
        index: &Index,
    ) -> Found {
        let op = match fun {
            Fun::Op(op) => op.kind,
            Fun::Add => K::Add,
            Fun::Mul => K::Mul,
            Fun::SignExtend => K::Cast,
            Fun::Within | Fun::Both => return Err(node),
        };
        if !matches!(op, K::Add | K::Sub | K::Mul | K::Cast | K::Mod | K::PtrAdd) {
            return Err(node);
        }
        let mut forms = vec![];
        for &operand in operands {
            let at = self.graph.operand_index(operand, index);
            forms.push((self.affine(operand, &at)?, self.graph[operand].elem, operand));
        }
        Ok(match (op, &forms[..]) {
            (K::Add, [(x, ..), (y, ..)]) => self.combined(Arith::Add, x, y),
            (K::Sub, [(x, ..), (y, ..)]) => self.combined(Arith::Sub, x, y),
            (K::Mul, [(x, ..), (y, ..)]) if x.is_constant() => self.scaled(y, x.base),
            (K::Mul, [(x, ..), (y, ..)]) if y.is_constant() => self.scaled(x, y.base),
            (K::Cast, [(x, from, of)]) if from.size() < elem.size() => {
                self.exact(x, *from, Shows::Exact(*of)).form
            }
            (K::Cast, [(x, Elem::Data(_), _)]) => x.clone(),
            (K::Mod, [(x, from, a), (y, by, b)]) if y.is_constant() => {
                let x = self.exact(x, *from, Shows::Exact(*a));
                let y = self.exact(y, *by, Shows::Exact(*b));
                let zero = self.terms.int(0);
                self.guard(Test::AtMost(zero, x.low), Shows::Remainder(node));
                self.guard(Test::Less(x.high, y.low), Shows::Remainder(node));
                x.form
            }
            (K::PtrAdd, [(x, Elem::Ptr(to), _), (by, of, offset)]) => {
                let by = match of.size() {
                    8 => by.clone(),
                    _ => self.exact(by, *of, Shows::Exact(*offset)).form,
                };
                let size = self.terms.int(to.size() as i64);
                let bytes = self.scaled(&by, size);
                self.combined(Arith::Add, x, &bytes)
            }
            _ => return Err(node),
        })
    }

    fn combined(&mut self, op: Arith, x: &Affine, y: &Affine) -> Affine {
        let base = self.terms.binary(op, x.base, y.base);
        let mut steps = vec![];
        for i in 0..x.steps.len().max(y.steps.len()) {
            let [x, y] = [x, y].map(|form| form.steps.get(i).copied().flatten());
            let zero = self.terms.int(0);
            steps.push(
                (x.is_some() || y.is_some())
                    .then(|| self.terms.binary(op, x.unwrap_or(zero), y.unwrap_or(zero))),
            );
        }
        Affine { base, steps }
    }

    fn scaled(&mut self, x: &Affine, by: TermId) -> Affine {
        let base = self.terms.mul(x.base, by);
        let steps = x.steps.iter().map(|s| s.map(|s| self.terms.mul(s, by))).collect();
        Affine { base, steps }
    }

    /// The form as exact integers, with guards against wrapping around.
    fn exact(&mut self, x: &Affine, elem: Elem, shows: Shows) -> Exact {
        let narrow = elem.size() == 4;
        let form = match narrow {
            true => Affine {
                base: self.terms.low(x.base),
                steps: x.steps.iter().map(|s| s.map(|s| self.terms.low(s))).collect(),
            },
            false => x.clone(),
        };
        if !narrow {
            // Far from the limits of the type, so that the bounds do not wrap around either.
            self.guard(Test::Small(form.base, 59), shows);
        }
        self.guard_steps(&form, shows, |extent| !narrow || matches!(extent, Extent::To(_)));
        let [low, high] = self.bounds(&form);
        if narrow {
            let [least, most] = [i32::MIN, i32::MAX].map(|end| self.terms.int(end.into()));
            self.guard(Test::AtMost(least, low), shows);
            self.guard(Test::AtMost(high, most), shows);
        }
        Exact { form, low, high }
    }

    /// Adds guards that distances along axes do not wrap around.
    fn guard_steps(&mut self, x: &Affine, shows: Shows, along: impl Fn(Extent) -> bool) {
        for (step, extent) in x.steps.iter().zip(self.axes.clone()) {
            if let Some(step) = *step
                && along(extent)
            {
                self.guard(Test::Small(step, FAR.saturating_sub(extent.bits())), shows);
            }
        }
    }

    /// Adds guards that all elements of `bytes` bytes at these addresses are inside the memory the pointers may access.
    pub(super) fn guard_bounds(&mut self, x: &Affine, touch: Touch, bytes: usize) {
        self.guard_steps(x, Shows::Inside, |_| true);
        let [low, high] = self.bounds(x);
        let span = self.terms.sub(high, low);
        self.guard(Test::Inside { touch, low, span, bytes }, Shows::Inside);
    }

    /// The least and the greatest element.
    fn bounds(&mut self, x: &Affine) -> [TermId; 2] {
        let [mut low, mut high] = [x.base; 2];
        let zero = self.terms.int(0);
        for (step, extent) in x.steps.iter().zip(self.axes.clone()) {
            let Some(step) = *step else { continue };
            let last = match extent {
                Extent::Bits(bits) => self.terms.int((1i64 << bits) - 1),
                Extent::To(last) => last,
            };
            let far = self.terms.mul(step, last);
            let (down, up) = (
                self.terms.binary(Arith::Min, far, zero),
                self.terms.binary(Arith::Max, far, zero),
            );
            (low, high) = (self.terms.add(low, down), self.terms.add(high, up));
        }
        [low, high]
    }

    /// Adds guards that the mask, a part of mask `all`, holds for all elements; returns whether guards can express
    /// that.
    fn holds(&mut self, all: NodeId, node: NodeId, index: &Index) -> bool {
        if !self.masks.insert((node, index.clone())) {
            return true;
        }
        let buffer = matches!(self.graph[node].kind, Kind::Buffer(_));
        let past = self.past;
        self.past |= buffer;
        let found = self.holds_of(all, node, index);
        self.past = past;
        found
    }

    fn holds_of(&mut self, all: NodeId, node: NodeId, index: &Index) -> bool {
        let graph = self.graph;
        match &graph.origin(node).kind {
            &Kind::Uniform(value) => {
                self.guard(Test::Holds(value), Shows::Mask(all));
                true
            }
            Kind::View(of, map) => self.holds(all, *of, &rename(map, index)),
            Kind::Apply(fun, operands) => {
                if matches!(fun, Fun::Both) || matches!(fun, Fun::Op(op) if op.kind == K::And) {
                    return operands.iter().all(|&operand| self.holds(all, operand, index));
                }
                let [x, y] = operands[..] else { return false };
                // `x` is less than `y`, or at most `y`.
                let (x, y, at_bound) = match fun {
                    Fun::Within => (x, y, false),
                    Fun::Op(op) => match op.kind.order_test() {
                        Some(test) if test.is_descending => (y, x, test.takes_equal),
                        Some(test) => (x, y, test.takes_equal),
                        None => return false,
                    },
                    _ => return false,
                };
                let [Ok(below), Ok(above)] = [x, y].map(|side| self.affine(side, index)) else {
                    return false;
                };
                let [x, y] = [(below, x), (above, y)].map(|(form, side)| {
                    self.exact(&form, self.graph[side].elem, Shows::Exact(side))
                });
                let difference = self.combined(Arith::Sub, &x.form, &y.form);
                let [_, high] = self.bounds(&difference);
                let zero = self.terms.int(0);
                let test = if at_bound { Test::AtMost(high, zero) } else { Test::Less(high, zero) };
                self.guard(test, Shows::Mask(all));
                if matches!(fun, Fun::Within) {
                    self.guard(Test::AtMost(zero, x.low), Shows::Mask(all));
                }
                true
            }
            _ => false,
        }
    }
}

impl Affine {
    fn is_constant(&self) -> bool {
        self.steps.iter().all(Option::is_none)
    }
}
