//! Masks that hold for an interval of a row.

use trident_ir::ops::OrderTest;
use trident_ir::{DType, OpKind};

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::{Index, rename, uniform};
use super::row::{Limit, Row};

impl<L: Leaf> Graph<'_, L> {
    /// Whether the mask holds for all elements if it holds for the first and the last, given the conditions collected
    /// in `row`.
    pub(super) fn is_interval(&self, node: NodeId, index: &Index, row: &mut Row) -> bool {
        if uniform(index) || matches!(self[node].kind, Kind::Uniform(_)) {
            row.conditions.push((node, index.clone()));
            return true;
        }
        match &self[node].kind {
            Kind::View(of, map) => self.is_interval(*of, &rename(map, index), row),
            Kind::Apply(Fun::Op(op), operands) if op.kind == OpKind::And => {
                operands.iter().all(|&o| self.is_interval(o, index, row))
            }
            Kind::Apply(Fun::Op(op), operands) => op.kind.order_test().is_some_and(|test| {
                row.conditions.push((node, index.clone()));
                self.is_comparison(test, operands, index, row)
            }),
            Kind::Apply(Fun::Both, operands) => {
                operands.iter().all(|&o| self.is_interval(o, index, row))
            }
            // 0 ≤ a < b
            Kind::Apply(Fun::Within, operands) => match operands[..] {
                [a, b] if self.stride(b, index, row.bits) == Some(0) => {
                    match self.stride(a, index, row.bits) {
                        Some(0) => true,
                        Some(1) => {
                            self.wraps(a, index, false, row);
                            self.limit(a, b, index, false, row);
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

    /// Whether one side of a comparison is constant along the row and the other has a stride of at most 1.
    fn is_comparison(
        &self,
        test: OrderTest,
        operands: &[NodeId],
        index: &Index,
        row: &mut Row,
    ) -> bool {
        let (below, at_bound) = (!test.is_descending, test.takes_equal);
        let mut sides = 0;
        for (i, &o) in operands.iter().enumerate() {
            let int = matches!(self[o].elem, Elem::Data(DType::I32 | DType::I64));
            match self.stride(o, index, row.bits) {
                Some(0) => {}
                Some(1) if int => {
                    sides += 1;
                    self.wraps(o, index, false, row);
                    if below == (i == 0) {
                        self.limit(o, operands[1 - i], index, at_bound, row);
                    }
                }
                _ => return false,
            }
        }
        sides <= 1
    }

    fn limit(&self, rising: NodeId, bound: NodeId, index: &Index, at_bound: bool, row: &mut Row) {
        let [rising, bound] = [rising, bound].map(|n| (n, self.operand_index(n, index)));
        let limit = Limit { rising, bound, at_bound };
        if !row.limits.contains(&limit) {
            row.limits.push(limit);
        }
    }
}
