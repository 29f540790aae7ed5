//! Short vectors: whether a few elements that follow each other lie next to each other in memory, aligned.
//!
//! Nothing has to be tested at run time: integers that start at a multiple of the vector's length, a power of two, do not
//! wrap around within it, and compare alike with any other such multiple. What an address is divisible by is the least of
//! what its parts are, so none of the integers in an aligned address wraps around.

use trident_ir::OpKind as K;

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::{Bit, Index, counter, rename};

/// The name of the counter of a vector's elements.
const VECTOR: u16 = u16::MAX - 3;

/// How elements change along a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// They are the same.
    Same,
    /// Each is one greater than the last, provided that the first is aligned ([`Graph::vector_zeros`]); pointers point to the
    /// next element.
    Rising,
    /// Nothing is known.
    Unknown,
}

/// Which elements of a block a vector has: those whose index differs in the bits from `start` on, `bits` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The lowest of the bits.
    pub start: u8,
    /// log2 of the number of elements.
    pub bits: u8,
}

impl Lanes {
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
    pub fn along(&self, node: NodeId, lanes: Lanes) -> Along {
        let index = lanes.index(self[node].bits, 0);
        self.along_index(node, &index, lanes.bits)
    }

    /// log2 of a number that divides the first element of each vector; of pointers, their address.
    pub fn vector_zeros(&self, node: NodeId, lanes: Lanes) -> u32 {
        self.zeros_at(node, &lanes.index(self[node].bits, 0))
    }

    fn along_index(&self, node: NodeId, index: &Index, bits: u8) -> Along {
        if !varies(index) {
            return Along::Same;
        }
        match &self[node].kind {
            Kind::Uniform(_) => Along::Same,
            Kind::Iota(_) => {
                let lowest = (0..bits)
                    .all(|bit| index.get(usize::from(bit)) == Some(&Bit::Of { var: VECTOR, bit }));
                if lowest { Along::Rising } else { Along::Unknown }
            }
            Kind::View(of, map) => self.along_index(*of, &rename(map, index), bits),
            Kind::Apply(Fun::Op(op), operands) => self.along_op(op.kind, operands, index, bits),
            _ => Along::Unknown,
        }
    }

    fn along_op(&self, kind: K, operands: &[NodeId], index: &Index, bits: u8) -> Along {
        // Once for each operand: asked again at every level, a chain of ops would take exponential time.
        let along = |&x: &NodeId| self.along_index(x, &self.operand_index(x, index), bits);
        let found: Vec<Along> = operands.iter().map(along).collect();
        let of = |i: usize| found.get(i).copied().unwrap_or(Along::Unknown);
        let aligned = |i: usize| {
            let zeros = |&x: &NodeId| self.zeros_at(x, &self.operand_index(x, index));
            operands.get(i).map_or(0, zeros) >= u32::from(bits)
        };
        if found.iter().all(|along| *along == Along::Same) {
            return Along::Same;
        }
        match (kind, of(0), of(1)) {
            (K::Add, Along::Same, Along::Rising)
            | (K::Add | K::Sub, Along::Rising, Along::Same) => Along::Rising,
            (K::PtrAdd, Along::Same, Along::Rising) | (K::PtrAdd, Along::Rising, Along::Same) => {
                Along::Rising
            }
            (K::Cast, Along::Rising, _) if operands.iter().all(|&x| self.is_integer(x)) => {
                Along::Rising
            }
            (K::Less | K::GreaterOrEqual, Along::Rising, Along::Same)
            | (K::Greater | K::LessOrEqual, Along::Same, Along::Rising)
                if aligned(0) && aligned(1) =>
            {
                Along::Same
            }
            _ => Along::Unknown,
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
