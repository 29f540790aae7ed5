//! Networks and their minimal cuts. A choice between two forms of each of many things, some of which cost something if they differ, is
//! a cut: the engine chooses devices so, and [`crate::layout`] layouts.

use std::collections::VecDeque;

/// A network of pipes with capacities that are left.
#[derive(Debug)]
pub struct Network {
    /// The pipes that leave a node.
    from: Vec<Vec<usize>>,
    /// Ends and capacities of the pipes. Each is followed by the one back.
    pipes: Vec<(usize, i64)>,
}

impl Network {
    /// A network of so many nodes without pipes.
    pub fn new(nodes: usize) -> Network {
        Network { from: vec![vec![]; nodes], pipes: vec![] }
    }

    /// Adds a pipe; none if the capacity is not positive.
    pub fn add(&mut self, from: usize, to: usize, capacity: i64) {
        if capacity > 0 {
            self.from[from].push(self.pipes.len());
            self.pipes.push((to, capacity));
            self.from[to].push(self.pipes.len());
            self.pipes.push((from, 0));
        }
    }

    /// Sends as much as possible from one node to another (Dinic's algorithm).
    pub fn fill(&mut self, source: usize, sink: usize) {
        loop {
            let levels = self.levels(source);
            if levels[sink] == usize::MAX {
                return;
            }
            let mut next = vec![0; self.from.len()];
            let mut path: Vec<usize> = vec![];
            let mut at = source;
            loop {
                if at == sink {
                    let most = path.iter().map(|&pipe| self.pipes[pipe].1).min().unwrap_or(0);
                    for &pipe in &path {
                        self.pipes[pipe].1 -= most;
                        self.pipes[pipe ^ 1].1 += most;
                    }
                    (path, at) = (vec![], source);
                    continue;
                }
                let pipes = &self.from[at];
                let usable = |&&pipe: &&usize| {
                    let (to, left) = self.pipes[pipe];
                    left > 0 && levels[to] == levels[at] + 1
                };
                match pipes[next[at]..].iter().position(|pipe| usable(&pipe)) {
                    Some(skipped) => {
                        next[at] += skipped;
                        let pipe = pipes[next[at]];
                        path.push(pipe);
                        at = self.pipes[pipe].0;
                    }
                    None => {
                        // Nothing leaves this node any more.
                        let Some(pipe) = path.pop() else { break };
                        at = self.pipes[pipe ^ 1].0;
                        next[at] += 1;
                    }
                }
            }
        }
    }

    /// The distance of each node from `source`, over pipes with capacity left.
    fn levels(&self, source: usize) -> Vec<usize> {
        let mut levels = vec![usize::MAX; self.from.len()];
        levels[source] = 0;
        let mut pending = VecDeque::from([source]);
        while let Some(at) = pending.pop_front() {
            for &pipe in &self.from[at] {
                let (to, left) = self.pipes[pipe];
                if left > 0 && levels[to] == usize::MAX {
                    levels[to] = levels[at] + 1;
                    pending.push_back(to);
                }
            }
        }
        levels
    }

    /// The nodes from which `sink` can still be reached. After [`fill`](Network::fill), these are the fewest nodes on the sink's side of
    /// a minimal cut: the pipes that lead to them from the others have the least total capacity of all cuts.
    pub fn reaching(&self, sink: usize) -> Vec<bool> {
        let mut found = vec![false; self.from.len()];
        found[sink] = true;
        let mut pending = vec![sink];
        while let Some(at) = pending.pop() {
            for &pipe in &self.from[at] {
                let from = self.pipes[pipe].0;
                if self.pipes[pipe ^ 1].1 > 0 && !found[from] {
                    found[from] = true;
                    pending.push(from);
                }
            }
        }
        found
    }
}
