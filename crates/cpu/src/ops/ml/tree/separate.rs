//! TreeEnsemble: inner nodes and leaves in lists of their own.

use super::super::{count, numbers};
use super::{Ensemble, Next, Node, bad, exactly, indices};
use trident_ir::Literal;
use trident_ir::op::words::{NodeMode, PostTransform, TreeAggregate};
use trident_ir::ops::TreeEnsemble;
use trident_runtime::KernelError;

/// The trees of the op.
pub(super) fn read(op: TreeEnsemble<'_>) -> Result<Ensemble, KernelError> {
    let features = indices(op.nodes_featureids(), "nodes_featureids")?;
    let nodes = nodes(op, &features)?;
    let weights = numbers(op.leaf_weights(), "leaf_weights")?;
    let targets = indices(op.leaf_targetids(), "leaf_targetids")?;
    let targets = exactly(targets, weights.len(), "leaf_targetids")?;
    Ensemble {
        features: features.iter().max().map_or(0, |f| f.saturating_add(1)),
        nodes,
        leaves: targets.into_iter().zip(weights).map(|vote| vec![vote]).collect(),
        roots: indices(op.tree_roots(), "tree_roots")?.into_iter().map(Next::Node).collect(),
        targets: count(op.n_targets().unwrap_or(1), "n_targets")?,
        aggregate: choice(TreeAggregate::ALL, op.aggregate_function(), "aggregate_function")?,
        base: Vec::new(),
        post: choice(PostTransform::ALL, op.post_transform(), "post_transform")?,
        single: None,
        positive: false,
    }
    .checked()
}

/// The choice that an attribute names by its number.
fn choice<T: Copy>(all: &[T], number: i64, name: &'static str) -> Result<T, KernelError> {
    let found = usize::try_from(number).ok().and_then(|i| all.get(i));
    found
        .copied()
        .ok_or_else(|| bad(name, format!("{number} is not one of 0 to {}", all.len() - 1)))
}

/// The inner nodes, which test these features.
fn nodes(op: TreeEnsemble<'_>, features: &[usize]) -> Result<Vec<Node>, KernelError> {
    let n = features.len();
    let list = |values: &[i64], name| exactly(indices(values, name)?, n, name);
    let reals = |values: &Literal, name| exactly(numbers(values, name)?, n, name);
    let modes = reals(op.nodes_modes(), "nodes_modes")?;
    let splits = reals(op.nodes_splits(), "nodes_splits")?;
    let true_ids = list(op.nodes_truenodeids(), "nodes_truenodeids")?;
    let false_ids = list(op.nodes_falsenodeids(), "nodes_falsenodeids")?;
    let true_leafs = list(op.nodes_trueleafs(), "nodes_trueleafs")?;
    let false_leafs = list(op.nodes_falseleafs(), "nodes_falseleafs")?;
    let missing = op.nodes_missing_value_tracks_true().unwrap_or_default();
    let next = |leaf: usize, id: usize| if leaf != 0 { Next::Leaf(id) } else { Next::Node(id) };
    // Sets of members, each ended by a NaN, in the order of the nodes that test them.
    let members = match op.membership_values() {
        Some(values) => numbers(values, "membership_values")?,
        None => Vec::new(),
    };
    let mut sets = members.split(|v| v.is_nan());
    let mut nodes = Vec::with_capacity(n);
    for i in 0..n {
        let mode = choice(NodeMode::ALL, modes[i] as i64, "nodes_modes")?;
        let members = match mode {
            NodeMode::Member => {
                sets.next().ok_or_else(|| bad("membership_values", "has too few sets"))?
            }
            _ => &[],
        };
        nodes.push(Node {
            feature: features[i],
            mode,
            split: splits[i],
            members: members.to_vec(),
            missing_is_true: missing.get(i).is_some_and(|&v| v != 0),
            on_true: next(true_leafs[i], true_ids[i]),
            on_false: next(false_leafs[i], false_ids[i]),
        });
    }
    Ok(nodes)
}
