//! Rows: segments of contiguous elements of a block that vectors compute.
//!
//! A row is a segment of the innermost dimension in which every element is uniform, contiguous in memory, or computed
//! from such elements by ops that vectors support. Offsets and masks are examined for the first and the last element
//! only: integers increase by one (or not at all) from element to element, so if the ends have the expected distance
//! nothing wraps around, and comparisons that hold at both ends hold in between. The conditions are data, the row's
//! *guard*. A code generator tests it at run time, and computes elements for which it fails one by one, with the same
//! results.

use std::collections::HashSet;
use std::fmt;

use trident_ir::Op;

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::{Bit, INNER, Index, counter, is_inner, log2, rename, substitute, uniform};

/// log2 of the number of elements computed at once, and so of the shortest row.
pub const GROUP: u8 = 4;
/// log2 of the number of elements that one pass of a loop over a long row computes: two groups, one after the other.
pub const PASS: u8 = 5;
/// The name of the counter of rows while no loop is open for it.
const OUTER: u16 = u16::MAX - 2;

/// An operand of an op along a row.
#[derive(Clone, Copy, Debug)]
pub struct RowOperand {
    /// The kind of its elements.
    pub elem: Elem,
    /// Whether they are all the same.
    pub uniform: bool,
}

/// The capabilities of a code generator's vectors.
pub trait VectorTarget {
    /// Whether vectors can hold such elements.
    fn holds(&self, elem: Elem) -> bool;

    /// Whether vectors can read such elements from a buffer.
    fn reads(&self, elem: Elem) -> bool;

    /// Whether vectors can compute the op.
    fn computes(&self, op: &Op, operands: &[RowOperand], result: Elem) -> bool;
}

/// A source location and the direction of its memory access.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The source location that errors name.
    pub site: u64,
    /// Whether memory is written; else it is read.
    pub writes: bool,
}

/// The destination of a block.
#[derive(Clone, Copy, Debug)]
pub struct Destination {
    /// The pointers.
    pub ptr: NodeId,
    /// Which elements are stored; all if `None`.
    pub mask: Option<NodeId>,
    /// The source location that errors name.
    pub site: u64,
}

/// A load whose elements are contiguous in a row.
#[derive(Clone, Debug)]
pub struct Load {
    /// The load.
    pub node: NodeId,
    /// Its pointers.
    pub ptr: NodeId,
    /// The index of its elements.
    pub index: Index,
}

/// Contiguous elements in memory that a row reads or writes.
#[derive(Clone, Debug)]
pub struct Span {
    /// The pointers.
    pub ptr: NodeId,
    /// Their index.
    pub index: Index,
    /// The position of its mask in [`Row::masks`].
    pub mask: Option<usize>,
    /// The access.
    pub touch: Touch,
}

/// A mask that holds for an interval of a row.
#[derive(Clone, Debug)]
pub struct Mask {
    /// The mask.
    pub node: NodeId,
    /// Its index.
    pub index: Index,
    /// Conditions whose conjunction is the mask; each changes at most once along a row.
    pub conditions: Vec<(NodeId, Index)>,
    /// Whether it is the mask of a store.
    pub stores: bool,
}

/// A condition that stops holding where an increasing integer reaches a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The increasing integer.
    pub rising: (NodeId, Index),
    /// The bound.
    pub bound: (NodeId, Index),
    /// Whether it holds at the bound.
    pub at_bound: bool,
}

/// The division of a block into rows, and the conditions on one.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// log2 of the number of elements of a row.
    pub bits: u8,
    /// log2 of the number of rows.
    pub outer: u8,
    /// The blocks to compute, with their indices.
    pub roots: Vec<(NodeId, Index)>,
    /// Guard: integers whose stride is 1 provided that they do not wrap around.
    pub exact: Vec<(NodeId, Index)>,
    /// Guard: memory that has to belong to the launch, if `bounded`.
    pub spans: Vec<Span>,
    /// Whether accesses are checked.
    pub bounded: bool,
    /// Guard: masks that have to hold.
    pub masks: Vec<Mask>,
    /// Conditions that determine where masks end.
    pub limits: Vec<Limit>,
    /// Conditions of the mask being examined.
    pub(super) conditions: Vec<(NodeId, Index)>,
    /// Loads of the row.
    pub loads: Vec<Load>,
    seen: HashSet<(NodeId, Index)>,
}

/// Why vectors cannot compute a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowRefusal {
    /// Its last dimension is shorter than a vector.
    Short,
    /// Vectors cannot hold such elements.
    Element(NodeId),
    /// Elements of a row are neither contiguous nor uniform in this block.
    Scattered(NodeId),
    /// The pointers of this load, or of the store, are not contiguous.
    Stride(NodeId),
    /// The mask is not known to hold for an interval.
    Mask(NodeId),
    /// Vectors cannot compute this op.
    Op(NodeId),
}

impl RowRefusal {
    /// The block responsible, if there is one.
    pub fn node(&self) -> Option<NodeId> {
        match *self {
            RowRefusal::Short => None,
            RowRefusal::Element(n)
            | RowRefusal::Scattered(n)
            | RowRefusal::Stride(n)
            | RowRefusal::Mask(n)
            | RowRefusal::Op(n) => Some(n),
        }
    }
}

impl fmt::Display for RowRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowRefusal::Short => "its last dimension is shorter than a vector",
            RowRefusal::Element(_) => "vectors do not hold its elements",
            RowRefusal::Scattered(_) => "neighbours in the row are not neighbours in it",
            RowRefusal::Stride(_) => "its pointers are not known to be contiguous",
            RowRefusal::Mask(_) => "its mask is not known to be an interval",
            RowRefusal::Op(_) => "vectors do not compute it",
        })
    }
}

/// How an index depends on the element of the row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Not at all.
    None,
    /// Its lowest bits are the position in the row.
    Low,
    Other,
}

/// How an index depends on the position in a row of 2^`bits` elements.
pub(super) fn lane_of(index: &Index, bits: u8) -> Lane {
    let found = index.iter().filter(|b| is_inner(b)).count();
    let low = |k: u8| index.get(usize::from(k)) == Some(&Bit::Of { var: INNER, bit: k });
    match found {
        0 => Lane::None,
        _ if found == usize::from(bits) && (0..bits).all(low) => Lane::Low,
        _ => Lane::Other,
    }
}

/// The index of the first element of the row.
pub fn start(index: &Index) -> Index {
    index.iter().map(|b| if is_inner(b) { Bit::Const(false) } else { *b }).collect()
}

/// The index of the row's element whose position is the counter `var`.
pub fn element(index: &Index, var: u16) -> Index {
    substitute(index, INNER, var)
}

impl Row {
    /// The index of the block's elements, from the position in the row and the number of the row.
    pub fn index(&self) -> Index {
        counter(INNER, self.bits).chain(counter(OUTER, self.outer)).collect()
    }

    /// The counters of rows and of their elements, with their numbers of bits.
    pub(super) fn counters(&self) -> Vec<(u16, u8)> {
        vec![(OUTER, self.outer), (INNER, self.bits)]
    }

    /// Whether the block is one row.
    pub fn is_whole(&self) -> bool {
        self.outer == 0
    }

    /// Number of elements.
    #[expect(clippy::len_without_is_empty, reason = "a row has 16 elements at least")]
    pub fn len(&self) -> usize {
        1 << self.bits
    }

    /// log2 of the number of elements that one pass of its loop computes.
    pub fn pass(&self) -> u8 {
        self.bits.min(PASS)
    }

    /// Whether a mask decides what is stored.
    pub fn stores(&self) -> bool {
        self.masks.iter().any(|m| m.stores)
    }

    /// Whether this is one of the row's masks, each of which is known to hold or fail for whole segments of the row.
    pub fn settles(&self, node: NodeId, index: &Index) -> bool {
        self.masks.iter().any(|m| m.node == node && m.index == *index)
    }

    /// The row with only the integer part of its guard.
    pub fn integers(&self) -> Row {
        Row { masks: vec![], spans: vec![], ..self.clone() }
    }

    /// Adds to the guard that these integers do not wrap around.
    pub(super) fn require_exact(&mut self, node: NodeId, index: &Index) {
        let known = self.exact.iter().any(|(n, at)| *n == node && at == index);
        if !known {
            self.exact.push((node, index.clone()));
        }
    }

    /// Whether the guard tests anything.
    pub fn is_guarded(&self) -> bool {
        let bounds = self.bounded && !self.spans.is_empty();
        bounds || !self.exact.is_empty() || !self.masks.is_empty()
    }

    /// The row whose number is the counter `outer`, and the index of its elements.
    pub fn at(&self, outer: u16) -> (Row, Index) {
        let place = |index: &Index| place(index, outer);
        let both = |(n, index): &(NodeId, Index)| (*n, place(index));
        let all = |list: &[(NodeId, Index)]| -> Vec<_> { list.iter().map(both).collect() };
        let limits = self.limits.iter();
        let limits = limits.map(|l| Limit {
            rising: both(&l.rising),
            bound: both(&l.bound),
            at_bound: l.at_bound,
        });
        let masks = self.masks.iter().map(|m| Mask {
            index: place(&m.index),
            conditions: all(&m.conditions),
            ..*m
        });
        let row = Row {
            outer: 0,
            roots: all(&self.roots),
            exact: all(&self.exact),
            spans: self.spans.iter().map(|s| Span { index: place(&s.index), ..*s }).collect(),
            masks: masks.collect(),
            limits: limits.collect(),
            loads: self.loads.iter().map(|l| Load { index: place(&l.index), ..*l }).collect(),
            ..Row { bits: self.bits, bounded: self.bounded, ..Row::default() }
        };
        (row, place(&self.index()))
    }
}

/// The index of an element of the row whose number is the counter `outer`, from its index in any row.
pub fn place(index: &Index, outer: u16) -> Index {
    substitute(index, OUTER, outer)
}

impl<L: Leaf> Graph<'_, L> {
    /// The longest rows of these blocks that vectors can compute and write to the destination; else why even the
    /// shortest is impossible. `dims` are the dimensions of the blocks. With `bounded`, the guard covers the memory of
    /// accesses.
    pub fn row(
        &self,
        target: &dyn VectorTarget,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<Destination>,
        bounded: bool,
    ) -> Result<Row, RowRefusal> {
        let total: u8 = dims.iter().map(|&n| log2(n)).sum();
        let inner = dims.last().map_or(0, |&n| log2(n));
        let mut refusal = RowRefusal::Short;
        for bits in (GROUP..=inner).rev() {
            let mut row = Row { bits, outer: total - bits, bounded, ..Row::default() };
            let index = row.index();
            row.roots = roots.iter().map(|&n| (n, index.clone())).collect();
            let fits = roots.iter().try_for_each(|&n| self.fits(target, n, &index, &mut row));
            let reached = fits.and_then(|()| match to {
                Some(to) => self.contiguous(to, to.ptr, true, &index, &mut row),
                None => Ok(()),
            });
            match reached {
                Ok(()) => return Ok(row),
                Err(found) => refusal = found,
            }
        }
        Err(refusal)
    }

    /// Checks that pointers are contiguous and the mask is an interval, and collects the conditions. A refusal names
    /// the block `about`.
    fn contiguous(
        &self,
        Destination { ptr, mask, site }: Destination,
        about: NodeId,
        stores: bool,
        index: &Index,
        row: &mut Row,
    ) -> Result<(), RowRefusal> {
        if self.stride(ptr, index, row.bits) != Some(1) {
            return Err(RowRefusal::Stride(about));
        }
        if let Some(node) = mask {
            if !self.is_interval(node, index, row) {
                return Err(RowRefusal::Mask(about));
            }
            let conditions = std::mem::take(&mut row.conditions);
            row.masks.push(Mask { node, index: index.clone(), conditions, stores });
        }
        self.wraps(ptr, index, true, row);
        let mask = mask.map(|_| row.masks.len() - 1);
        let touch = Touch { site, writes: stores };
        row.spans.push(Span { ptr, index: index.clone(), mask, touch });
        Ok(())
    }

    /// Checks that vectors can compute the block at the index, and collects the conditions.
    fn fits(
        &self,
        target: &dyn VectorTarget,
        node: NodeId,
        index: &Index,
        row: &mut Row,
    ) -> Result<(), RowRefusal> {
        let n = &self[node];
        let held = if target.holds(n.elem) { Ok(()) } else { Err(RowRefusal::Element(node)) };
        match lane_of(index, row.bits) {
            Lane::None => return held,
            Lane::Other => return Err(RowRefusal::Scattered(node)),
            Lane::Low => {}
        }
        held?;
        if !row.seen.insert((node, index.clone())) {
            return Ok(());
        }
        match &n.kind {
            Kind::Uniform(_) | Kind::Iota(_) => Ok(()),
            Kind::Buffer(_) if target.reads(n.elem) => Ok(()),
            Kind::Buffer(_) => Err(RowRefusal::Element(node)),
            Kind::View(of, map) => self.fits(target, *of, &rename(map, index), row),
            Kind::Apply(Fun::Op(op), operands) => {
                let along = operands.iter().map(|&o| RowOperand {
                    elem: self[o].elem,
                    uniform: uniform(&self.operand_index(o, index))
                        || matches!(self[o].kind, Kind::Uniform(_)),
                });
                if !target.computes(op, &along.collect::<Vec<_>>(), n.elem) {
                    return Err(RowRefusal::Op(node));
                }
                let mut each = operands.iter();
                each.try_for_each(|&o| self.fits(target, o, &self.operand_index(o, index), row))
            }
            &Kind::Load { ptr, mask, other, site } => {
                if let Some(o) = other {
                    self.fits(target, o, &self.operand_index(o, index), row)?;
                }
                if n.elem == Elem::Data(trident_ir::DType::Bool) {
                    return Err(RowRefusal::Element(node));
                }
                self.contiguous(Destination { ptr, mask, site }, node, false, index, row)?;
                row.loads.push(Load { node, ptr, index: index.clone() });
                Ok(())
            }
            _ => Err(RowRefusal::Op(node)),
        }
    }
}
