//! The ops of a block as a graph, and groups of them that run one after the other.

use crate::plan::captures;
use std::collections::{BTreeSet, HashMap, HashSet};
use trident_ir::{Block, Op, ValueId};

/// The values that an op uses, inside its regions too.
pub(super) fn used(op: &Op) -> impl Iterator<Item = ValueId> + '_ {
    op.used().chain(captures(op))
}

/// The ops of a block, with edges from each op to the ops that use its results, also within their regions.
pub(super) struct Graph {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn of(block: &Block) -> Graph {
        let mut makers = HashMap::new();
        let mut before: Vec<Vec<usize>> = Vec::with_capacity(block.ops.len());
        let mut after = vec![vec![]; block.ops.len()];
        for (i, op) in block.ops.iter().enumerate() {
            let makers_of: BTreeSet<usize> =
                used(op).filter_map(|v| makers.get(&v).copied()).collect();
            makers_of.iter().for_each(|&maker: &usize| after[maker].push(i));
            before.push(makers_of.into_iter().collect());
            makers.extend(op.defined().map(|v| (v, i)));
        }
        Graph { before, after }
    }

    /// The ops whose results op `i` uses.
    pub(super) fn before(&self, i: usize) -> &[usize] {
        &self.before[i]
    }

    /// All edges.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.before.iter().enumerate().flat_map(|(i, all)| all.iter().map(move |&p| (p, i)))
    }

    /// Whether ops are connected, and no path between two of them leads over an op outside.
    pub(super) fn is_region(&self, ops: &[usize]) -> bool {
        let (Some(&first), Some(&last)) = (ops.iter().min(), ops.iter().max()) else {
            return false;
        };
        let inside: HashSet<usize> = ops.iter().copied().collect();
        let mut reached = HashSet::from([first]);
        let mut pending = vec![first];
        while let Some(at) = pending.pop() {
            for &next in self.before[at].iter().chain(&self.after[at]) {
                if inside.contains(&next) && reached.insert(next) {
                    pending.push(next);
                }
            }
        }
        if reached.len() != inside.len() {
            return false;
        }
        let mut pending: Vec<usize> = ops.iter().flat_map(|&i| &self.after[i]).copied().collect();
        let mut outside = HashSet::new();
        pending.retain(|i| !inside.contains(i));
        while let Some(at) = pending.pop() {
            if at < last && outside.insert(at) {
                if self.after[at].iter().any(|next| inside.contains(next)) {
                    return false;
                }
                pending.extend(&self.after[at]);
            }
        }
        true
    }
}

/// Disjoint groups of a block's ops. No group depends on itself by way of another.
pub(super) struct Groups<'g> {
    graph: &'g Graph,
    /// The group of each op; `None` for ops that are in none.
    of: Vec<Option<usize>>,
    members: Vec<Vec<usize>>,
}

impl<'g> Groups<'g> {
    /// Each of the ops alone.
    pub(super) fn new(graph: &'g Graph, ops: impl Iterator<Item = usize>) -> Groups<'g> {
        let mut groups = Groups { graph, of: vec![None; graph.before.len()], members: vec![] };
        for op in ops {
            groups.of[op] = Some(groups.members.len());
            groups.members.push(vec![op]);
        }
        groups
    }

    /// The group of an op.
    pub(super) fn of(&self, op: usize) -> Option<usize> {
        self.of[op]
    }

    /// Makes two groups one, unless others would have to run in the middle of it. Returns whether it did.
    pub(super) fn merge(&mut self, a: usize, b: usize) -> bool {
        if a == b {
            return true;
        }
        if self.is_between(a, b) || self.is_between(b, a) {
            return false;
        }
        for op in std::mem::take(&mut self.members[b]) {
            self.of[op] = Some(a);
            self.members[a].push(op);
        }
        true
    }

    /// Whether a path leads from one group over others to the second.
    fn is_between(&self, from: usize, to: usize) -> bool {
        // Ops are in order: no path leads backwards, but one of a group may stand before another of the same group.
        let mut seen = HashSet::from([from]);
        let mut pending: Vec<usize> = vec![];
        let mut visit = |group: usize, pending: &mut Vec<usize>| -> bool {
            for &op in &self.members[group] {
                for next in self.graph.after[op].iter().filter_map(|&next| self.of[next]) {
                    if next == to && group != from {
                        return true;
                    }
                    if next != to && seen.insert(next) {
                        pending.push(next);
                    }
                }
            }
            false
        };
        if visit(from, &mut pending) {
            return true;
        }
        while let Some(group) = pending.pop() {
            if visit(group, &mut pending) {
                return true;
            }
        }
        false
    }

    /// The groups in a valid order of execution, as near to the order of their first ops as possible.
    pub(super) fn in_order(mut self) -> Vec<Vec<usize>> {
        self.members.iter_mut().for_each(|ops| ops.sort_unstable());
        let others = |group: usize, op: usize, edges: &[Vec<usize>]| -> Vec<usize> {
            edges[op].iter().filter_map(|&o| self.of[o]).filter(|&g| g != group).collect()
        };
        let count = self.members.len();
        let mut waits: Vec<HashSet<usize>> = vec![HashSet::new(); count];
        for (group, ops) in self.members.iter().enumerate() {
            waits[group].extend(ops.iter().flat_map(|&op| others(group, op, &self.graph.before)));
        }
        let mut after: Vec<Vec<usize>> = vec![vec![]; count];
        for (group, waits) in waits.iter().enumerate() {
            waits.iter().for_each(|&first| after[first].push(group));
        }
        let mut left: Vec<usize> = waits.iter().map(HashSet::len).collect();
        let first = |group: usize| self.members[group].first().copied();
        let ready = (0..count).filter(|&group| left[group] == 0);
        let mut ready: BTreeSet<(usize, usize)> =
            ready.filter_map(|group| Some((first(group)?, group))).collect();
        let mut order = vec![];
        while let Some((_, group)) = ready.pop_first() {
            order.push(group);
            for &next in &after[group] {
                left[next] -= 1;
                if let (0, Some(at)) = (left[next], first(next)) {
                    ready.insert((at, next));
                }
            }
        }
        order.into_iter().map(|group| std::mem::take(&mut self.members[group])).collect()
    }
}
