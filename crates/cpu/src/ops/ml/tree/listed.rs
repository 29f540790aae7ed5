//! TreeEnsembleClassifier and TreeEnsembleRegressor: nodes and leaves in one list, named by tree and node.

use super::super::{count, list, numbers};
use super::{Ensemble, Next, Node, bad, exactly, indices};
use std::collections::HashMap;
use trident_ir::op::words::{NodeMode, TreeAggregate};
use trident_ir::ops::{TreeEnsembleClassifier, TreeEnsembleRegressor, TreeNodes};
use trident_ir::{Literal, counted};
use trident_runtime::KernelError;

/// The trees of a regressor.
pub(super) fn regressor(op: TreeEnsembleRegressor<'_>) -> Result<Ensemble, KernelError> {
    let targets = count(op.n_targets().unwrap_or(1), "n_targets")?;
    let votes = Votes {
        targets: Named { name: "target_ids", values: op.target_ids() },
        nodes: Named { name: "target_nodeids", values: op.target_nodeids() },
        trees: Named { name: "target_treeids", values: op.target_treeids() },
        weights: reals(op.target_weights(), op.target_weights_as_tensor(), "target_weights")?,
    };
    let base = reals(op.base_values(), op.base_values_as_tensor(), "base_values")?;
    read(op.tree_nodes(), &votes, targets, op.aggregate_function(), base)
}

/// The trees of a classifier of `classes` classes.
pub(super) fn classifier(
    op: TreeEnsembleClassifier<'_>,
    classes: usize,
) -> Result<Ensemble, KernelError> {
    let votes = Votes {
        targets: Named { name: "class_ids", values: op.class_ids() },
        nodes: Named { name: "class_nodeids", values: op.class_nodeids() },
        trees: Named { name: "class_treeids", values: op.class_treeids() },
        weights: reals(op.class_weights(), op.class_weights_as_tensor(), "class_weights")?,
    };
    let mut base = reals(op.base_values(), op.base_values_as_tensor(), "base_values")?;
    // Exporters write one number for the single score of two classes.
    if let (2, [both]) = (classes, base.as_slice()) {
        base = vec![*both; 2];
    }
    let mut model = read(op.tree_nodes(), &votes, classes, TreeAggregate::Sum, base)?;
    // Votes for one of at most two classes are a score of the positive one.
    model.single = model.single.filter(|_| classes <= 2);
    Ok(model)
}

/// A list of integers and the attribute that holds it, for errors.
struct Named<'a> {
    name: &'static str,
    values: Option<&'a [i64]>,
}

impl Named<'_> {
    /// The list, which must have `n` elements.
    fn exactly(&self, n: usize) -> Result<Vec<i64>, KernelError> {
        exactly(self.values.unwrap_or_default().to_vec(), n, self.name)
    }
}

/// The votes of leaves, in lists of equal length: target, the leaf's node and tree, weight.
struct Votes<'a> {
    targets: Named<'a>,
    nodes: Named<'a>,
    trees: Named<'a>,
    weights: Vec<f64>,
}

/// Numbers from a list, or from a tensor that stands for it in double precision.
fn reals(
    values: Option<&[f32]>,
    tensor: Option<&Literal>,
    name: &'static str,
) -> Result<Vec<f64>, KernelError> {
    match tensor {
        Some(literal) => numbers(literal, name),
        None => Ok(list(values).into_iter().map(f64::from).collect()),
    }
}

/// Nodes by tree and number. Leaves are counted apart from inner nodes.
struct Index {
    at: HashMap<(i64, i64), Next>,
    roots: Vec<Next>,
    leaves: usize,
}

impl Index {
    /// Indexes nodes; `leaf` says which of them are leaves. The first node of a tree is its root.
    fn new(trees: &[i64], numbers: &[i64], leaf: impl Fn(usize) -> bool) -> Index {
        let (mut inner, mut leaves) = (0, 0);
        let mut at = HashMap::new();
        let mut roots: Vec<(i64, Next)> = Vec::new();
        for (i, (&tree, &number)) in trees.iter().zip(numbers).enumerate() {
            let next = if leaf(i) { Next::Leaf(leaves) } else { Next::Node(inner) };
            match next {
                Next::Leaf(_) => leaves += 1,
                Next::Node(_) => inner += 1,
            }
            at.insert((tree, number), next);
            roots.push((tree, next));
        }
        roots.sort_by_key(|&(tree, _)| tree);
        roots.dedup_by_key(|&mut (tree, _)| tree);
        Index { at, roots: roots.into_iter().map(|(_, next)| next).collect(), leaves }
    }

    fn find(&self, tree: i64, node: i64) -> Result<Next, KernelError> {
        let missing = || KernelError::domain(format!("tree {tree} has no node {node}"));
        self.at.get(&(tree, node)).copied().ok_or_else(missing)
    }
}

fn read(
    op: TreeNodes<'_>,
    votes: &Votes<'_>,
    targets: usize,
    aggregate: TreeAggregate,
    base: Vec<f64>,
) -> Result<Ensemble, KernelError> {
    let modes = op.nodes_modes().unwrap_or_default();
    let n = modes.len();
    let ints = |name, values| Named { name, values }.exactly(n);
    let trees = ints("nodes_treeids", op.nodes_treeids())?;
    let numbers = ints("nodes_nodeids", op.nodes_nodeids())?;
    let true_ids = ints("nodes_truenodeids", op.nodes_truenodeids())?;
    let false_ids = ints("nodes_falsenodeids", op.nodes_falsenodeids())?;
    let features = indices(op.nodes_featureids().unwrap_or_default(), "nodes_featureids")?;
    let features = exactly(features, n, "nodes_featureids")?;
    let splits = reals(op.nodes_values(), op.nodes_values_as_tensor(), "nodes_values")?;
    let splits = exactly(splits, n, "nodes_values")?;
    let missing = op.nodes_missing_value_tracks_true().unwrap_or_default();
    let leaf = |i: usize| modes[i] == "LEAF";
    let index = Index::new(&trees, &numbers, leaf);
    let mut nodes = Vec::with_capacity(n - index.leaves);
    for i in (0..n).filter(|&i| !leaf(i)) {
        let mode = NodeMode::by_text(&modes[i]).filter(|&mode| mode != NodeMode::Member);
        nodes.push(Node {
            feature: features[i],
            mode: mode.ok_or_else(|| bad("nodes_modes", format!("unknown: {}", modes[i])))?,
            split: splits[i],
            members: Vec::new(),
            missing_is_true: missing.get(i).is_some_and(|&v| v != 0),
            on_true: index.find(trees[i], true_ids[i])?,
            on_false: index.find(trees[i], false_ids[i])?,
        });
    }
    let targets_of = indices(votes.targets.values.unwrap_or_default(), votes.targets.name)?;
    let first = targets_of.first().copied();
    Ensemble {
        features: nodes.iter().map(|n| n.feature.saturating_add(1)).max().unwrap_or(0),
        nodes,
        leaves: leaves(votes, &index, &targets_of, targets)?,
        roots: index.roots,
        targets,
        aggregate,
        base,
        post: op.post_transform(),
        single: first.filter(|f| targets_of.iter().all(|t| t == f)),
        positive: votes.weights.iter().all(|&w| w >= 0.0),
    }
    .checked()
}

/// The votes of each leaf for some of `targets` targets; `targets_of` are those that the votes are for.
fn leaves(
    votes: &Votes<'_>,
    index: &Index,
    targets_of: &[usize],
    targets: usize,
) -> Result<Vec<Vec<(usize, f64)>>, KernelError> {
    let count = targets_of.len();
    if votes.weights.len() != count {
        let (weights, targets) = (counted(votes.weights.len(), "weight"), counted(count, "vote"));
        return Err(bad(votes.targets.name, format!("{weights} for {targets}")));
    }
    let (nodes, trees) = (votes.nodes.exactly(count)?, votes.trees.exactly(count)?);
    let mut leaves = vec![Vec::new(); index.leaves];
    for (i, &target) in targets_of.iter().enumerate() {
        match index.find(trees[i], nodes[i])? {
            // With one target, ONNX Runtime keeps a leaf's first vote. Exporters rely on it: they write the same vote once
            // for each class.
            Next::Leaf(leaf) if (targets, target) == (1, 0) && !leaves[leaf].is_empty() => {}
            Next::Leaf(leaf) => leaves[leaf].push((target, votes.weights[i])),
            Next::Node(_) => {
                let text = format!("node {} votes but is not a leaf", nodes[i]);
                return Err(KernelError::domain(text));
            }
        }
    }
    Ok(leaves)
}
