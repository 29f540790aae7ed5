//! The blocks that lazy ops yield.

use trident_ir::{Op, OpKind as K, ops};

use super::graph::{Elem, Fun, Graph, Kind, Leaf, NodeId};
use super::index::{Bit, axes, broadcast, index_bits, own, permuted};

/// An op with its operands as blocks; scalars are blocks without dimensions.
pub struct Expression<'a, 'm> {
    /// The op, for which [`is_lazy`](super::is_lazy) holds.
    pub op: &'m Op,
    /// Its operands and their dimensions; `None` for those that are absent.
    pub operands: &'a [Option<(NodeId, Vec<usize>)>],
    /// The element type of its results.
    pub elem: Elem,
    /// The dimensions of its results.
    pub dims: &'a [usize],
    /// The source location that errors of a load name.
    pub site: u64,
}

impl<'m> Expression<'_, 'm> {
    fn operand(&self, i: usize) -> Result<(NodeId, &[usize]), &'static str> {
        let found = self.operands.get(i).and_then(Option::as_ref);
        found.map(|(node, dims)| (*node, dims.as_slice())).ok_or("lacks an operand")
    }

    fn optional(&self, i: usize) -> Option<NodeId> {
        self.operand(i).ok().map(|found| found.0)
    }

    /// Adds the block of result `i` to the graph; the error says what is wrong with the op.
    pub fn add<L: Leaf>(&self, graph: &mut Graph<'m, L>, i: usize) -> Result<NodeId, &'static str> {
        let (op, elem, cost) = (self.op, self.elem, self.op.decl().cost);
        let bits = index_bits(self.dims);
        let view = |graph: &mut Graph<'m, L>, of, map| graph.view(of, map, bits);
        Ok(match op.kind {
            K::Arange => {
                let start = ops::Arange::of(op).ok_or("lacks its start")?.start();
                graph.make(Kind::Iota(start), elem, bits, 0, &[])
            }
            K::Splat => view(graph, self.operand(ops::Splat::AT.x)?.0, vec![]),
            K::ExpandDims => {
                let (x, _) = self.operand(ops::ExpandDims::AT.x)?;
                view(graph, x, (0..bits).map(own).collect())
            }
            K::View => {
                let (x, _) = self.operand(ops::View::AT.x)?;
                view(graph, x, (0..bits).map(own).collect())
            }
            K::Broadcast => {
                let (x, from) = self.operand(ops::Broadcast::AT.x)?;
                view(graph, x, broadcast(from, self.dims).to_vec())
            }
            K::Permute => {
                let (x, from) = self.operand(ops::Permute::AT.x)?;
                let order = ops::Permute::of(op).ok_or("lacks its order")?.order();
                let order: Vec<usize> = order.iter().map(|&a| a as usize).collect();
                if order.len() != from.len() || order.iter().any(|&a| a >= from.len()) {
                    return Err("the order is not one of the axes");
                }
                view(graph, x, permuted(from, &order).to_vec())
            }
            K::Unjoin => {
                let map = std::iter::once(Bit::Const(i == 1)).chain((0..bits).map(own)).collect();
                view(graph, self.operand(ops::Unjoin::AT.x)?.0, map)
            }
            K::Cat | K::Join => {
                let both = match op.kind {
                    K::Cat => [ops::Cat::AT.a, ops::Cat::AT.b],
                    _ => [ops::Join::AT.a, ops::Join::AT.b],
                };
                let ((a, from), (b, other)) = (self.operand(both[0])?, self.operand(both[1])?);
                if from != other {
                    return Err("blocks of different length");
                }
                let (bit, first) = if op.kind == K::Cat { (bits - 1, 0) } else { (0, 1) };
                let map = (first..first + bits - 1).map(own).collect();
                graph.make(Kind::Choose { bit, from: [a, b], map }, elem, bits, 1, &[a, b])
            }
            K::TakeAlongAxis => {
                let at = ops::TakeAlongAxis::AT;
                let ((src, from), (which, _)) = (self.operand(at.x)?, self.operand(at.indices)?);
                let axis = ops::TakeAlongAxis::of(op).ok_or("lacks its axis")?.axis() as usize;
                let (source, result) = (axes(from), axes(self.dims));
                let mut of = vec![Bit::Const(false); usize::from(index_bits(from))];
                for (i, (&(start, bits), &(to, _))) in source.iter().zip(&result).enumerate() {
                    for bit in (0..bits).filter(|_| i != axis) {
                        of[usize::from(start + bit)] = own(to + bit);
                    }
                }
                let axis = *source.get(axis).ok_or("no such axis")?;
                let kind = Kind::Take { src, index: which, axis, of: of.into() };
                graph.make(kind, elem, bits, cost, &[which])
            }
            K::Load => {
                let at = ops::Load::AT;
                let ptr = self.operand(at.ptr)?.0;
                let (mask, other) = (self.optional(at.mask), self.optional(at.other));
                let used: Vec<NodeId> = [Some(ptr), mask, other].into_iter().flatten().collect();
                let kind = Kind::Load { ptr, mask, other, site: self.site };
                graph.make(kind, elem, bits, cost, &used)
            }
            _ => {
                let all: Result<Vec<NodeId>, _> =
                    (0..self.operands.len()).map(|i| Ok(self.operand(i)?.0)).collect();
                let all = all?;
                graph.make(Kind::Apply(Fun::Op(op), all.clone()), elem, bits, cost, &all)
            }
        })
    }
}
