//! The cheapest assignment of labels to the nodes of a graph, by minimal cuts.
//!
//! A label costs something at each node, and an edge costs something if its ends have different labels. For two labels the
//! result is the cheapest of all. For more, labels are expanded one after the other, each by a minimal cut, until no
//! expansion saves anything (Boykov, Veksler, Zabih: Fast Approximate Energy Minimization via Graph Cuts, 2001).

use trident_passes::network::Network;

/// The cost of a label that a node cannot have.
pub(super) const NEVER: i64 = 1 << 50;

/// Rounds over all labels. Few are ever needed.
const MAX_ROUNDS: usize = 4;

/// The cost of an edge between two labels. It satisfies the triangle inequality.
pub(super) type Crossing<'a> = dyn Fn(usize, usize) -> i64 + 'a;

/// Returns a label for each node, given the cost of each label at each node, the edges, and the cost of an edge between different
/// labels. A node keeps the first label unless another one saves something.
pub(super) fn cheapest(
    costs: &[Vec<i64>],
    edges: &[(usize, usize)],
    crossing: &Crossing<'_>,
) -> Vec<usize> {
    let labels = costs.iter().map(Vec::len).max().unwrap_or(0);
    let mut best = vec![0; costs.len()];
    if costs.iter().all(|own| own.iter().all(|cost| *cost >= own[0])) {
        return best;
    }
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for label in (0..labels).rev() {
            changed |= expand(&mut best, label, costs, edges, crossing);
        }
        if !changed {
            break;
        }
    }
    best
}

/// Gives a label to all nodes for which that lowers the cost. Returns whether there were any.
fn expand(
    best: &mut [usize],
    label: usize,
    costs: &[Vec<i64>],
    edges: &[(usize, usize)],
    crossing: &Crossing<'_>,
) -> bool {
    let (keep, change) = (best.len(), best.len() + 1);
    let mut net = Network::new(best.len() + 2);
    let between = |a: usize, b: usize| if a == b { 0 } else { crossing(a, b) };
    let mut extra: Vec<i64> =
        best.iter().zip(costs).map(|(own, costs)| costs[label] - costs[*own]).collect();
    for &(p, q) in edges {
        // Costs of the edge if no end changes its label, only `q` does, or only `p`. If both do, it costs nothing.
        let (none, only_q, only_p) =
            (between(best[p], best[q]), between(best[p], label), between(label, best[q]));
        extra[p] += only_p - none;
        extra[q] -= only_p;
        net.add(p, q, only_q + only_p - none);
    }
    for (node, extra) in extra.into_iter().enumerate() {
        match extra > 0 {
            true => net.add(keep, node, extra),
            false => net.add(node, change, -extra),
        }
    }
    net.fill(keep, change);
    let changes = net.reaching(change);
    let mut any = false;
    for (own, change) in best.iter_mut().zip(changes) {
        any |= change && *own != label;
        if change {
            *own = label;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_changes_only_where_it_saves_more_than_crossings_cost() {
        // A chain of three, the middle one cheaper with the second label.
        let edges = [(0, 1), (1, 2)];
        let costs = |saving: i64| vec![vec![10, 50], vec![10 + saving, 10], vec![10, 50]];
        assert_eq!(cheapest(&costs(19), &edges, &|_, _| 10), [0, 0, 0]);
        assert_eq!(cheapest(&costs(20), &edges, &|_, _| 10), [0, 0, 0]);
        assert_eq!(cheapest(&costs(21), &edges, &|_, _| 10), [0, 1, 0]);
    }

    #[test]
    fn nodes_change_together_where_none_would_alone() {
        let edges = [(0, 1), (1, 2), (2, 3)];
        let costs: Vec<Vec<i64>> = [0, 3, 3, 3].iter().map(|saving| vec![3, 3 - saving]).collect();
        assert_eq!(cheapest(&costs, &edges, &|_, _| 5), [1, 1, 1, 1]);
        let costs = vec![vec![0, 9], vec![3, 0], vec![3, 0], vec![3, 0]];
        assert_eq!(cheapest(&costs, &edges, &|_, _| 5), [0, 1, 1, 1]);
    }

    #[test]
    fn labels_that_a_node_cannot_have_are_not_chosen() {
        let costs = vec![vec![NEVER, 5, 9], vec![1, NEVER, 9], vec![NEVER, NEVER, 9]];
        assert_eq!(cheapest(&costs, &[(0, 1), (1, 2)], &|_, _| 3), [1, 0, 2]);
        assert_eq!(cheapest(&costs, &[(0, 1), (1, 2)], &|_, _| 100), [2, 2, 2]);
    }

    #[test]
    fn two_labels_are_as_cheap_as_the_best_of_all_assignments() {
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for _ in 0..200 {
            let nodes = 2 + random(8) as usize;
            let costs: Vec<Vec<i64>> =
                (0..nodes).map(|_| vec![random(20) as i64, random(20) as i64]).collect();
            let edges: Vec<(usize, usize)> = (1..nodes)
                .flat_map(|q| (0..q).map(move |p| (p, q)))
                .filter(|_| random(3) == 0)
                .collect();
            let crossing = random(12) as i64;
            let total = |labels: &[usize]| -> i64 {
                let own: i64 = labels.iter().zip(&costs).map(|(label, costs)| costs[*label]).sum();
                let crossed = edges.iter().filter(|(p, q)| labels[*p] != labels[*q]).count();
                own + crossing * crossed as i64
            };
            let every = 0..1usize << nodes;
            let best =
                every.map(|bits| total(&(0..nodes).map(|i| bits >> i & 1).collect::<Vec<_>>()));
            assert_eq!(total(&cheapest(&costs, &edges, &|_, _| crossing)), best.min().unwrap());
        }
    }
}
