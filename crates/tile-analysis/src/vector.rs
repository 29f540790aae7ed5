//! Short vectors: whether a few consecutive elements are adjacent in memory and aligned.
//!
//! Nothing has to be tested at run time: integers that start at a multiple of the vector's length, a power of two, do
//! not wrap around within it, and compare alike with any other such multiple. The divisibility of an address is the
//! least of its parts', so none of the integers in an aligned address wraps around.

use trident_ir::OpKind as K;

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::{Bit, Index, counter, rename};

/// The name of the counter of a vector's elements.
const VECTOR: u16 = u16::MAX - 3;

/// How elements change along a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// They are the same.
    Same,
    /// Each is one greater than the last, provided that the first is aligned ([`Graph::vector_zeros`]); pointers point to the
    /// next element.
    Rising,
    /// Nothing is known.
    Unknown,
}

/// The elements of a vector: their indices in the block differ in `bits` bits from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBits {
    /// The lowest of the bits.
    pub start: u8,
    /// log2 of the number of elements.
    pub bits: u8,
}

impl LaneBits {
    /// The index of a vector's elements; the bits that all have in common are bits of another counter.
    fn index(self, bits: u8, of: u16) -> Index {
        let own = counter(of, bits).enumerate();
        own.map(|(at, bit)| match (at as u8).checked_sub(self.start) {
            Some(bit) if bit < self.bits => Bit::Of { var: VECTOR, bit },
            _ => bit,
        })
        .collect()
    }
}

fn varies(index: &Index) -> bool {
    index.iter().any(|bit| matches!(bit, Bit::Of { var: VECTOR, .. }))
}

impl<L: Leaf> Graph<'_, L> {
    /// How the block's elements change along vectors.
    pub fn trend(&self, node: NodeId, lanes: LaneBits) -> Trend {
        let index = lanes.index(self[node].bits, 0);
        self.trend_at(node, &index, lanes.bits)
    }

    /// log2 of a number that divides the first element of each vector; of pointers, their address.
    pub fn vector_zeros(&self, node: NodeId, lanes: LaneBits) -> u32 {
        self.zeros_at(node, &lanes.index(self[node].bits, 0))
    }

    fn trend_at(&self, node: NodeId, index: &Index, bits: u8) -> Trend {
        if !varies(index) {
            return Trend::Same;
        }
        match &self[node].kind {
            Kind::Uniform(_) => Trend::Same,
            Kind::Iota(_) => {
                let lowest = (0..bits)
                    .all(|bit| index.get(usize::from(bit)) == Some(&Bit::Of { var: VECTOR, bit }));
                if lowest { Trend::Rising } else { Trend::Unknown }
            }
            Kind::View(of, map) => self.trend_at(*of, &rename(map, index), bits),
            Kind::Apply(Fun::Op(op), operands) => self.trend_of(op.kind, operands, index, bits),
            _ => Trend::Unknown,
        }
    }

    fn trend_of(&self, kind: K, operands: &[NodeId], index: &Index, bits: u8) -> Trend {
        // Once for each operand: asked again at every level, a chain of ops would take exponential time.
        let trend = |&x: &NodeId| self.trend_at(x, &self.operand_index(x, index), bits);
        let found: Vec<Trend> = operands.iter().map(trend).collect();
        let of = |i: usize| found.get(i).copied().unwrap_or(Trend::Unknown);
        let aligned = |i: usize| {
            let zeros = |&x: &NodeId| self.zeros_at(x, &self.operand_index(x, index));
            operands.get(i).map_or(0, zeros) >= u32::from(bits)
        };
        if found.iter().all(|trend| *trend == Trend::Same) {
            return Trend::Same;
        }
        match (kind, of(0), of(1)) {
            (K::Add, Trend::Same, Trend::Rising)
            | (K::Add | K::Sub, Trend::Rising, Trend::Same) => Trend::Rising,
            (K::PtrAdd, Trend::Same, Trend::Rising) | (K::PtrAdd, Trend::Rising, Trend::Same) => {
                Trend::Rising
            }
            (K::Cast, Trend::Rising, _) if operands.iter().all(|&x| self.is_integer(x)) => {
                Trend::Rising
            }
            (K::Less | K::GreaterOrEqual, Trend::Rising, Trend::Same)
            | (K::Greater | K::LessOrEqual, Trend::Same, Trend::Rising)
                if aligned(0) && aligned(1) =>
            {
                Trend::Same
            }
            _ => Trend::Unknown,
        }
    }

    fn is_integer(&self, node: NodeId) -> bool {
        matches!(self[node].elem, Elem::Data(dtype) if dtype.is_int())
    }

    /// Low bits that are 0 in the first element of every vector.
    fn zeros_at(&self, node: NodeId, index: &Index) -> u32 {
        let number = |bits: u64| if bits == 0 { u64::BITS } else { bits.trailing_zeros() };
        match &self[node].kind {
            Kind::Uniform(value) => {
                let known = self.constant(*value).map_or(0, number);
                known.max(self.zeros_of(*value))
            }
            Kind::Iota(start) => {
                let fixed = |bit: &Bit| match bit {
                    Bit::Const(one) => *one,
                    Bit::Of { var, .. } => *var != VECTOR,
                };
                let first = index.iter().position(fixed).map_or(u64::BITS, |at| at as u32);
                first.min(number(*start as u64))
            }
            Kind::View(of, map) => self.zeros_at(*of, &rename(map, index)),
            Kind::Apply(Fun::Op(op), operands) => {
                let of = |i: usize| match operands.get(i) {
                    Some(&x) => self.zeros_at(x, &self.operand_index(x, index)),
                    None => 0,
                };
                match op.kind {
                    K::Add | K::Sub => of(0).min(of(1)),
                    K::Mul => of(0).saturating_add(of(1)),
                    K::BitwiseAnd => of(0).max(of(1)),
                    K::Where => of(1).min(of(2)),
                    K::Min | K::Max => (0..operands.len()).map(of).min().unwrap_or(0),
                    K::Cast
                        if operands.iter().all(|&x| self.is_integer(x))
                            && self.is_integer(node) =>
                    {
                        of(0)
                    }
                    K::PtrAdd => match self[node].elem {
                        Elem::Ptr(to) => {
                            of(0).min(of(1).saturating_add(to.size().trailing_zeros()))
                        }
                        Elem::Data(_) => 0,
                    },
                    K::PtrCast => of(0),
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}
