//! Strides along a row, and where integers might wrap around.

use std::collections::HashMap;

use trident_ir::{DType, OpKind as K};

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::{Index, rename};
use super::row::{Lane, Row, lane_of};

/// Strides computed so far.
type Known = HashMap<(NodeId, Index), Option<u8>>;

impl<L: Leaf> Graph<'_, L> {
    /// The stride of integers, or of pointers in elements, along a row of 2^`bits` elements, if it is 0 or 1,
    /// disregarding overflow.
    pub(super) fn stride(&self, node: NodeId, index: &Index, bits: u8) -> Option<u8> {
        self.stride_of(node, index, bits, &mut Known::new())
    }

    fn stride_of(&self, node: NodeId, index: &Index, bits: u8, known: &mut Known) -> Option<u8> {
        if let Some(&found) = known.get(&(node, index.clone())) {
            return found;
        }
        let found = match (lane_of(index, bits), &self[node].kind) {
            (Lane::None, _) | (_, Kind::Uniform(_)) => Some(0),
            (Lane::Other, _) => None,
            (_, Kind::Iota(_)) => Some(1),
            (_, Kind::View(of, map)) => self.stride_of(*of, &rename(map, index), bits, known),
            (_, Kind::Apply(Fun::Op(op), operands)) => {
                let mut of = |i: usize| {
                    let &o = operands.get(i)?;
                    if self[o].bits == 0 { Some(0) } else { self.stride_of(o, index, bits, known) }
                };
                match op.kind {
                    K::Add | K::PtrAdd => match (of(0)?, of(1)?) {
                        (a, b) if a + b <= 1 => Some(a + b),
                        _ => None,
                    },
                    K::Sub if of(1)? == 0 => of(0),
                    K::Cast => {
                        let int = |e: Elem| matches!(e, Elem::Data(DType::I32 | DType::I64));
                        let elem = self[node].elem;
                        let from = operands.first().map(|&o| self[o].elem);
                        let wider = from.is_some_and(|f| int(f) && f.size() <= elem.size());
                        if wider && int(elem) { of(0) } else { None }
                    }
                    _ if (0..operands.len()).all(|i| of(i) == Some(0)) => Some(0),
                    _ => None,
                }
            }
            (_, Kind::Apply(Fun::Add, operands)) => {
                let sum: Option<Vec<u8>> =
                    operands.iter().map(|&o| self.stride_of(o, index, bits, known)).collect();
                sum.map(|s| s.iter().sum()).filter(|&s: &u8| s <= 1)
            }
            (_, Kind::Apply(Fun::SignExtend, operands)) => {
                self.stride_of(operands[0], index, bits, known)
            }
            _ => None,
        };
        known.insert((node, index.clone()), found);
        found
    }

    /// Collects the tests that integers or pointers of stride 1 do not wrap around. Sums of addresses, and of 64-bit
    /// integers used only in addresses (`modular`), may wrap.
    pub(super) fn wraps(&self, node: NodeId, index: &Index, modular: bool, row: &mut Row) {
        if lane_of(index, row.bits) == Lane::None {
            return;
        }
        let elem = self[node].elem;
        let word = elem.size() == 8 && modular;
        match &self[node].kind {
            Kind::View(of, map) => self.wraps(*of, &rename(map, index), modular, row),
            Kind::Apply(fun, operands) => {
                let widens = match fun {
                    Fun::SignExtend => true,
                    Fun::Op(op) if op.kind == K::Cast => {
                        operands.iter().all(|&o| self[o].elem.size() < elem.size())
                    }
                    _ => false,
                };
                let sum = match fun {
                    Fun::Add => true,
                    Fun::Op(op) => matches!(op.kind, K::Add | K::Sub | K::PtrAdd),
                    _ => false,
                };
                if widens || sum && word {
                    for &o in operands.iter().filter(|&&o| self[o].bits > 0) {
                        let part = self[o].elem.size() == 8;
                        self.wraps(o, index, modular && part, row);
                    }
                } else if self.stride(node, index, row.bits) == Some(1) {
                    row.require_exact(node, index);
                }
            }
            _ => {}
        }
    }
}
