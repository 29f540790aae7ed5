//! Runs: neighbouring elements of a block that vectors compute.
//!
//! A run is a stretch of the innermost dimension in which every element is uniform, contiguous in memory, or made of such
//! by ops that vectors have. Offsets and masks are looked at for the first and the last element only: integers move by one
//! (or not at all) from element to element, so if the ends are as far apart as they should be nothing wraps around, and
//! comparisons that hold at both ends hold between. Where the test fails for a run, it is made for shorter beginnings
//! of it; the elements behind the longest that passes take the road of single elements, with the same results.

mod passes;

use std::collections::{HashMap, HashSet};

use trident_ir::{DType, OpKind as K};
use trident_runtime::Checks;

use super::Emitter;
use super::bounds::{Reach, Touch};
use super::index::{Bit, INNER, Index, counter, is_inner, log2, rename, uniform};
use super::node::{Elem, Fun, Kind, NodeId};
use super::wide;

/// Bits of the number of elements that are computed at once.
pub(super) const GROUP: u8 = 4;
/// Bits of the number of elements, in long runs, that one pass of a loop computes: two groups, one after the other.
const PASS: u8 = 5;
/// The name of the counter of runs until its loop is open.
const OUTER: u16 = u16::MAX - 2;

/// A load whose elements are contiguous in a run.
#[derive(Clone)]
pub(super) struct Stretch {
    pub(super) node: NodeId,
    pub(super) ptr: NodeId,
    index: Index,
}

/// Where a block goes to or comes from.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) ptr: NodeId,
    pub(super) mask: Option<NodeId>,
    pub(super) site: u64,
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

/// A condition that ends to hold where an integer that rises reaches a bound.
#[derive(Clone)]
struct Limit {
    rising: (NodeId, Index),
    bound: (NodeId, Index),
    /// Whether it holds at the bound.
    at_bound: bool,
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

/// What computes runs.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Road {
    /// Vectors of 128 bits (see `lanes`).
    #[default]
    Lanes,
    /// Loops in the widest vectors (see `wide`).
    Wide,
}

/// How a block is cut into runs, and what has to hold for one.
#[derive(Clone, Default)]
pub(super) struct Run {
    pub(super) road: Road,
    /// Bits of the number of elements of a run.
    bits: u8,
    /// Bits of the number of runs.
    outer: u8,
    /// What is computed.
    roots: Vec<(NodeId, Index)>,
    /// Integers that rise by one from element to element, if they do not wrap around.
    rising: Vec<(NodeId, Index)>,
    /// Pointers to contiguous elements.
    pointers: Vec<Reach>,
    /// Whether these have to stay inside of the launch's memory.
    bounded: bool,
    masks: Vec<Mask>,
    /// Where masks end.
    limits: Vec<Limit>,
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

/// How an index depends on the element of a run of 2^`bits`.
fn lane_of(index: &Index, bits: u8) -> Lane {
    let found = index.iter().filter(|b| is_inner(b)).count();
    let low = |k: u8| index.get(usize::from(k)) == Some(&Bit::Of { var: INNER, bit: k });
    match found {
        0 => Lane::None,
        _ if found == usize::from(bits) && (0..bits).all(low) => Lane::Low,
        _ => Lane::Other,
    }
}

/// The index of the first element of the run.
pub(super) fn start(index: &Index) -> Index {
    index.iter().map(|b| if is_inner(b) { Bit::Const(false) } else { *b }).collect()
}

/// The index of one element of the run.
pub(super) fn element(index: &Index, var: u16) -> Index {
    with(index, INNER, var)
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
    pub(super) fn index(&self) -> Index {
        counter(INNER, self.bits).chain(counter(OUTER, self.outer)).collect()
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

    /// Whether a mask tells what is stored.
    pub(super) fn stores(&self) -> bool {
        self.masks.iter().any(|m| m.stores)
    }

    /// Whether a mask is known to hold, or not, for whole stretches of the run.
    pub(super) fn settles(&self, node: NodeId, index: &Index) -> bool {
        self.masks.iter().any(|m| m.node == node && m.index == *index)
    }

    fn guarded(&self) -> bool {
        let bounds = self.bounded && !self.pointers.is_empty();
        bounds || !self.rising.is_empty() || !self.masks.is_empty()
    }

    /// The same with the counter of runs.
    fn at(&self, outer: u16) -> Run {
        let place = |list: &[(NodeId, Index)]| -> Vec<_> {
            list.iter().map(|(n, index)| (*n, with(index, OUTER, outer))).collect()
        };
        let loads = self.loads.iter();
        let pointers = self.pointers.iter();
        let pointers = pointers.map(|r| Reach { index: with(&r.index, OUTER, outer), ..r.clone() });
        let limits = self.limits.iter().map(|l| {
            let [rising, bound] =
                [&l.rising, &l.bound].map(|(n, index)| (*n, with(index, OUTER, outer)));
            Limit { rising, bound, ..*l }
        });
        let masks = self.masks.iter().map(|m| Mask {
            index: with(&m.index, OUTER, outer),
            conditions: place(&m.conditions),
            ..*m
        });
        Run {
            road: self.road,
            bits: self.bits,
            outer: 0,
            roots: place(&self.roots),
            rising: place(&self.rising),
            pointers: pointers.collect(),
            bounded: self.bounded,
            masks: masks.collect(),
            limits: limits.collect(),
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
        road: Road,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<Target>,
    ) -> Option<Run> {
        let total: u8 = dims.iter().map(|&n| log2(n)).sum();
        let inner = dims.last().map_or(0, |&n| log2(n));
        if self.checks == Checks::All || inner < GROUP {
            return None;
        }
        (GROUP..=inner).rev().find_map(|bits| {
            let bounded = self.bounded();
            let mut run = Run { road, bits, outer: total - bits, bounded, ..Run::default() };
            let index = run.index();
            run.roots = roots.iter().map(|&n| (n, index.clone())).collect();
            let fits = roots.iter().all(|&n| self.fits(n, &index, &mut run));
            let reached = to.is_none_or(|to| self.stretches(to, true, &index, &mut run));
            (fits && reached).then_some(run)
        })
    }

    /// Whether pointers rise by one element and the mask is an interval; collects what has to hold.
    fn stretches(
        &self,
        Target { ptr, mask, site }: Target,
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
        self.wraps(ptr, index, true, run);
        let mask = mask.map(|_| run.masks.len() - 1);
        let touch = Touch { site, writes: stores };
        run.pointers.push(Reach { ptr, index: index.clone(), mask, touch });
        true
    }

    /// Collects what has to be looked at so that integers or pointers which rise by one element do so without wrapping
    /// around. Of addresses, and of 64-bit integers that only make up addresses (`modular`), every sum does.
    fn wraps(&self, node: NodeId, index: &Index, modular: bool, run: &mut Run) {
        if lane_of(index, run.bits) == Lane::None {
            return;
        }
        let elem = self.nodes[node].elem;
        let word = elem.size() == 8 && modular;
        match &self.nodes[node].kind {
            Kind::View(of, map) => self.wraps(*of, &rename(map, index), modular, run),
            Kind::Apply(fun, operands) => {
                let widens = match fun {
                    Fun::Wide => true,
                    Fun::Op(op) if op.kind == K::Cast => {
                        operands.iter().all(|&o| self.nodes[o].elem.size() < elem.size())
                    }
                    _ => false,
                };
                let sum = match fun {
                    Fun::Add => true,
                    Fun::Op(op) => matches!(op.kind, K::Add | K::Sub | K::PtrAdd),
                    _ => false,
                };
                if widens || sum && word {
                    for &o in operands.iter().filter(|&&o| self.nodes[o].bits > 0) {
                        let part = self.nodes[o].elem.size() == 8;
                        self.wraps(o, index, modular && part, run);
                    }
                } else if self.rises(node, index, run.bits, &mut HashMap::new()) == Some(1) {
                    run.rising.push((node, index.clone()));
                }
            }
            _ => {}
        }
    }

    /// Whether vectors can compute the block at the index; collects what has to hold.
    fn fits(&self, node: NodeId, index: &Index, run: &mut Run) -> bool {
        let n = &self.nodes[node];
        let short = run.road == Road::Wide && wide::is_short(n.elem);
        let vector = short || self.vector(n.elem).is_some();
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
            Kind::Buffer(_) => run.road == Road::Wide || n.elem != Elem::Data(DType::Bool),
            Kind::View(of, map) => self.fits(*of, &rename(map, index), run),
            Kind::Apply(Fun::Op(op), operands) => {
                let at = |o: NodeId| self.operand_index(o, index);
                (run.road == Road::Wide || self.has_vector_op(op, operands, n.elem, index))
                    && operands.iter().all(|&o| self.fits(o, &at(o), run))
            }
            &Kind::Load { ptr, mask, other, site } => {
                if other.is_some_and(|o| !self.fits(o, &self.operand_index(o, index), run)) {
                    return false;
                }
                if n.elem == Elem::Data(DType::Bool)
                    || !self.stretches(Target { ptr, mask, site }, false, index, run)
                {
                    return false;
                }
                run.loads.push(Stretch { node, ptr, index: index.clone() });
                true
            }
            _ => false,
        }
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
                    let below = matches!(op.kind, K::Less | K::LessOrEqual);
                    for (i, &o) in operands.iter().enumerate() {
                        let int = matches!(self.nodes[o].elem, Elem::Data(DType::I32 | DType::I64));
                        match self.rises(o, index, run.bits, &mut HashMap::new()) {
                            Some(0) => {}
                            Some(1) if int => {
                                sides += 1;
                                self.wraps(o, index, false, run);
                                if below == (i == 0) {
                                    let at_bound =
                                        matches!(op.kind, K::LessOrEqual | K::GreaterOrEqual);
                                    self.limit(o, operands[1 - i], index, at_bound, run);
                                }
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
                            self.wraps(a, index, false, run);
                            self.limit(a, b, index, false, run);
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

    fn limit(&self, rising: NodeId, bound: NodeId, index: &Index, at_bound: bool, run: &mut Run) {
        let [rising, bound] = [rising, bound].map(|n| (n, self.operand_index(n, index)));
        run.limits.push(Limit { rising, bound, at_bound });
    }
}
