//! The order in which a graph's nodes are read.
//!
//! The standard requires that a node follows the nodes whose results it uses, but not every exporter obeys.

use super::place;
use super::scope::node_name;
use crate::error::{OnnxError, OnnxErrorKind};
use crate::proto::{GraphProto, NodeProto};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// The nodes in an order in which each follows the nodes whose results it or its subgraphs use; otherwise the order is
/// kept. `known` says which names are defined elsewhere. The error is a cycle: each node uses a result of the one
/// before it, and the first uses one of the last.
pub(super) fn sorted<'a>(
    nodes: &'a [NodeProto],
    known: &dyn Fn(&str) -> bool,
) -> Result<Vec<&'a NodeProto>, Vec<&'a NodeProto>> {
    let mut producer: HashMap<&str, usize> = HashMap::new();
    for (i, node) in nodes.iter().enumerate() {
        for name in node.output.iter().filter(|name| !name.is_empty() && !known(name)) {
            producer.entry(name).or_insert(i);
        }
    }
    let needs = nodes.iter().map(|node| {
        let mut needs = vec![];
        uses(node, &mut |name| needs.extend(producer.get(name).copied()));
        needs.sort_unstable();
        needs.dedup();
        needs
    });
    let needs: Vec<Vec<usize>> = needs.collect();
    let mut users = vec![vec![]; nodes.len()];
    for (i, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|&need| users[need].push(i));
    }
    let mut waits: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut ready: BinaryHeap<_> =
        (0..nodes.len()).filter(|&i| waits[i] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(i)) = ready.pop() {
        order.push(&nodes[i]);
        for &user in &users[i] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    match waits.iter().position(|&n| n > 0) {
        None => Ok(order),
        Some(start) => Err(cycle(start, &needs, &waits).into_iter().map(|i| &nodes[i]).collect()),
    }
}

/// A cycle that the walk along needs from a node that waits ends in: whatever waits needs something that waits too.
fn cycle(start: usize, needs: &[Vec<usize>], waits: &[usize]) -> Vec<usize> {
    let mut path = vec![start];
    let mut next = start;
    while let Some(&need) = needs[next].iter().find(|&&need| waits[need] > 0) {
        if let Some(at) = path.iter().position(|&i| i == need) {
            path.drain(..at);
            break;
        }
        path.push(need);
        next = need;
    }
    path.reverse();
    path
}

/// The error for a cycle of nodes.
pub(super) fn fault(cycle: &[&NodeProto], graph: &str) -> OnnxError {
    let nodes = cycle.iter().chain(cycle.first()).map(|node| node_name(node).to_owned());
    let place = cycle.first().map(|node| place(node, graph));
    OnnxError { fault: OnnxErrorKind::Cycle { nodes: nodes.collect() }, place }
}

/// Visits the names that a node uses, including outer names that its subgraphs use.
fn uses<'a>(node: &'a NodeProto, visit: &mut dyn FnMut(&'a str)) {
    node.input.iter().filter(|name| !name.is_empty()).for_each(|name| visit(name));
    for attr in &node.attribute {
        attr.g.iter().for_each(|graph| captures(graph, visit));
    }
}

/// Visits the names that a subgraph takes from around it.
fn captures<'a>(graph: &'a GraphProto, visit: &mut dyn FnMut(&'a str)) {
    let inputs = graph.input.iter().map(|input| input.name.as_str());
    let results = graph.node.iter().flat_map(|node| &node.output).map(String::as_str);
    let own: HashSet<&str> =
        inputs.chain(results).chain(super::initializers(graph).map(|i| i.name())).collect();
    let mut outer = |name| {
        if !own.contains(name) {
            visit(name);
        }
    };
    graph.node.iter().for_each(|node| uses(node, &mut outer));
    graph.output.iter().for_each(|output| outer(&output.name));
}
