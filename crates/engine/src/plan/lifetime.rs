//! The last use of each value of a block.

use std::collections::HashSet;
use trident_ir::{Block, Op, ValueId};

/// The values whose lifetimes end at one op of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    /// By operand: whether this is the value's last use, and not inside a region of the op.
    pub(crate) moved: Vec<bool>,
    /// Values whose last use is inside a region of the op, and results that nothing uses.
    pub(crate) dead: Vec<ValueId>,
}

/// Lifetimes of the values that a block defines: its parameters and the results of its ops. Values of enclosing blocks
/// are not freed here.
#[derive(Debug)]
pub(crate) struct Lifetimes {
    /// By op.
    pub(crate) ops: Vec<Ends>,
    /// By result of the block: whether it is the last use of a value that the block defines.
    pub(crate) results: Vec<bool>,
    /// By parameter: whether it is used.
    pub(crate) params: Vec<bool>,
}

/// Computes the lifetimes of a block in one backward walk.
pub(crate) fn lifetimes(block: &Block) -> Lifetimes {
    let mut owned: HashSet<ValueId> = block.params.iter().copied().collect();
    owned.extend(block.ops.iter().flat_map(Op::defined));
    let mut live = HashSet::new();
    let last_uses = |values: &[Option<ValueId>], live: &mut HashSet<ValueId>| -> Vec<bool> {
        let mut moved: Vec<bool> = values
            .iter()
            .rev()
            .map(|v| v.is_some_and(|v| owned.contains(&v) && live.insert(v)))
            .collect();
        moved.reverse();
        moved
    };
    let results: Vec<_> = block.results.iter().copied().map(Some).collect();
    let results = last_uses(&results, &mut live);
    let mut ops: Vec<Ends> = block
        .ops
        .iter()
        .rev()
        .map(|op| {
            let unused = op.defined().filter(|v| !live.contains(v)).collect::<Vec<_>>();
            let mut captured: Vec<ValueId> = captures(op).into_iter().collect();
            captured.sort_unstable();
            captured.retain(|v| owned.contains(v) && live.insert(*v));
            let dead = unused.into_iter().chain(captured).collect();
            Ends { moved: last_uses(&op.inputs, &mut live), dead }
        })
        .collect();
    ops.reverse();
    let params = block.params.iter().map(|p| live.contains(p)).collect();
    Lifetimes { ops, results, params }
}

/// Values used inside the regions of an op but defined outside them.
pub(crate) fn captures(op: &Op) -> HashSet<ValueId> {
    let (mut used, mut defined) = (HashSet::new(), HashSet::new());
    for region in &op.regions {
        collect(region, &mut used, &mut defined);
    }
    used.retain(|v| !defined.contains(v));
    used
}

fn collect(block: &Block, used: &mut HashSet<ValueId>, defined: &mut HashSet<ValueId>) {
    defined.extend(&block.params);
    used.extend(&block.results);
    for op in &block.ops {
        used.extend(op.used());
        defined.extend(op.defined());
        for region in &op.regions {
            collect(region, used, defined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::OpKind;

    const V: fn(u32) -> ValueId = ValueId;

    fn op(kind: OpKind, inputs: &[u32], outputs: &[u32]) -> Op {
        let some = |ids: &[u32]| ids.iter().map(|&i| Some(V(i))).collect();
        Op::new(kind, some(inputs), some(outputs))
    }

    #[test]
    fn the_last_of_several_uses_moves() {
        // v1 = v0 + v0; v2 = v1 + v0; v3 = relu(v1); result v2
        let block = Block {
            params: vec![V(0), V(9)],
            ops: vec![
                op(OpKind::Add, &[0, 0], &[1]),
                op(OpKind::Add, &[1, 0], &[2]),
                op(OpKind::Relu, &[1], &[3]),
            ],
            results: vec![V(2), V(2)],
        };
        let found = lifetimes(&block);
        assert_eq!(found.ops[0], Ends { moved: vec![false, false], dead: vec![] });
        assert_eq!(found.ops[1], Ends { moved: vec![false, true], dead: vec![] });
        assert_eq!(found.ops[2], Ends { moved: vec![true], dead: vec![V(3)] });
        assert_eq!(found.results, [false, true]);
        assert_eq!(found.params, [true, false]);
    }

    #[test]
    fn captured_values_live_until_the_op_with_the_region_is_done() {
        // v1 = relu(v0); v3 = if v2 { v1 } else { v4 = relu(v1); v4 }
        let mut branch = op(OpKind::If, &[2], &[3]);
        branch.regions = vec![
            Block { results: vec![V(1)], ..Block::default() },
            Block { params: vec![], ops: vec![op(OpKind::Relu, &[1], &[4])], results: vec![V(4)] },
        ];
        let inner = lifetimes(&branch.regions[1]);
        assert_eq!((inner.ops[0].moved.as_slice(), inner.results), (&[false][..], vec![true]));
        let block = Block {
            params: vec![V(0), V(2)],
            ops: vec![op(OpKind::Relu, &[0], &[1]), branch],
            results: vec![V(3)],
        };
        let found = lifetimes(&block);
        assert_eq!(found.ops[1], Ends { moved: vec![true], dead: vec![V(1)] });
    }

    #[test]
    fn an_operand_that_a_region_captures_too_is_not_moved() {
        let mut repeat = op(OpKind::Loop, &[0, 1, 2], &[5]);
        repeat.regions = vec![Block {
            params: vec![V(6), V(7), V(8)],
            ops: vec![op(OpKind::Add, &[8, 2], &[9])],
            results: vec![V(7), V(9)],
        }];
        let block =
            Block { params: vec![V(0), V(1), V(2)], ops: vec![repeat], results: vec![V(5)] };
        let found = lifetimes(&block);
        assert_eq!(found.ops[0], Ends { moved: vec![true, true, false], dead: vec![V(2)] });
    }
}
