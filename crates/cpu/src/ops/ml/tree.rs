//! Ensembles of decision trees, in the forms of all versions of the standard.

use super::classes::{Labels, Post, best, finish};
use super::{Bytes, Rows, list_or_tensor, numbers};
use crate::kernel::Call;
use crate::real::produce;
use std::collections::HashMap;
use trident_ir::{Attr, DType, Op, counted};
use trident_runtime::KernelError;

/// The comparison of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Leq,
    Lt,
    Gte,
    Gt,
    Eq,
    Neq,
    Member,
}

const MODES: [(&str, Mode); 7] = [
    ("BRANCH_LEQ", Mode::Leq),
    ("BRANCH_LT", Mode::Lt),
    ("BRANCH_GTE", Mode::Gte),
    ("BRANCH_GT", Mode::Gt),
    ("BRANCH_EQ", Mode::Eq),
    ("BRANCH_NEQ", Mode::Neq),
    ("BRANCH_MEMBER", Mode::Member),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Next {
    Node(usize),
    Leaf(usize),
}

struct Node {
    feature: usize,
    mode: Mode,
    split: f64,
    members: Vec<f64>,
    missing_is_true: bool,
    on_true: Next,
    on_false: Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    Average,
    Sum,
    Min,
    Max,
}

/// Trees whose leaves vote for targets with weights.
pub(super) struct Ensemble {
    nodes: Vec<Node>,
    leaves: Vec<Vec<(usize, f64)>>,
    roots: Vec<Next>,
    features: usize,
    targets: usize,
    aggregate: Aggregate,
    base: Vec<f64>,
    post: Post,
    /// Classifier: the one class of two that all votes go to, and whether no vote is negative.
    single: Option<usize>,
    positive: bool,
}

fn bad(name: &'static str, reason: impl Into<String>) -> KernelError {
    KernelError::attr(name, reason)
}

fn indices(op: &Op, name: &'static str) -> Result<Vec<usize>, KernelError> {
    let index = |&v: &i64| usize::try_from(v).map_err(|_| bad(name, format!("{v} is negative")));
    op.ints(name).unwrap_or_default().iter().map(index).collect()
}

/// A list that must have `n` elements.
fn exactly<T>(list: Vec<T>, n: usize, name: &'static str) -> Result<Vec<T>, KernelError> {
    if list.len() == n { Ok(list) } else { Err(bad(name, format!("{} for {n}", list.len()))) }
}

impl Bytes for Ensemble {
    fn bytes(&self) -> usize {
        let Ensemble { nodes, leaves, roots, base, .. } = self;
        let members: usize = nodes.iter().map(|node| size_of_val(node.members.as_slice())).sum();
        let votes: usize = leaves.iter().map(|votes| size_of_val(votes.as_slice())).sum();
        let lists = size_of_val(nodes.as_slice()) + size_of_val(leaves.as_slice());
        lists + members + votes + size_of_val(roots.as_slice()) + size_of_val(base.as_slice())
    }
}

impl Ensemble {
    /// Checks that every reference is inside, and that no walk can turn in a circle: a walk takes at most as many
    /// steps as there are nodes, which [`Ensemble::walk`] counts.
    fn checked(self) -> Result<Ensemble, KernelError> {
        let inside = |next: &Next| match *next {
            Next::Node(i) => i < self.nodes.len(),
            Next::Leaf(i) => i < self.leaves.len(),
        };
        let ends = self.nodes.iter().flat_map(|n| [&n.on_true, &n.on_false]).chain(&self.roots);
        if let Some(next) = ends.into_iter().find(|n| !inside(n)) {
            return Err(KernelError::domain(format!(
                "a tree refers to {next:?}, which is not there"
            )));
        }
        let votes = self.leaves.iter().flatten();
        if let Some((target, _)) = votes.into_iter().find(|(t, _)| *t >= self.targets) {
            return Err(KernelError::domain(format!(
                "a leaf votes for {target} of {}",
                self.targets
            )));
        }
        if !(self.base.is_empty() || self.base.len() == self.targets) {
            return Err(bad(
                "base_values",
                format!(
                    "{} for {}",
                    counted(self.base.len(), "number"),
                    counted(self.targets, "target")
                ),
            ));
        }
        Ok(self)
    }

    /// The leaf that a row of features reaches.
    fn walk(&self, root: Next, row: &[f64]) -> Result<usize, KernelError> {
        let mut next = root;
        for _ in 0..=self.nodes.len() {
            let i = match next {
                Next::Leaf(leaf) => return Ok(leaf),
                Next::Node(i) => i,
            };
            let node = &self.nodes[i];
            let x = row[node.feature];
            let holds = match node.mode {
                Mode::Leq => x <= node.split,
                Mode::Lt => x < node.split,
                Mode::Gte => x >= node.split,
                Mode::Gt => x > node.split,
                Mode::Eq => x == node.split,
                Mode::Neq => x != node.split,
                Mode::Member => node.members.contains(&x),
            };
            let holds = holds || x.is_nan() && node.missing_is_true;
            next = if holds { node.on_true } else { node.on_false };
        }
        Err(KernelError::domain("a tree has a cycle"))
    }

    /// Aggregated votes for each target.
    fn score(&self, row: &[f64], out: &mut [f64]) -> Result<(), KernelError> {
        let start = match self.aggregate {
            Aggregate::Min => f64::INFINITY,
            Aggregate::Max => f64::NEG_INFINITY,
            _ => 0.0,
        };
        out.fill(start);
        for &root in &self.roots {
            for &(target, weight) in &self.leaves[self.walk(root, row)?] {
                let slot = &mut out[target];
                *slot = match self.aggregate {
                    Aggregate::Sum | Aggregate::Average => *slot + weight,
                    Aggregate::Min => slot.min(weight),
                    Aggregate::Max => slot.max(weight),
                };
            }
        }
        for (i, slot) in out.iter_mut().enumerate() {
            if self.aggregate == Aggregate::Average {
                *slot /= self.roots.len().max(1) as f64;
            }
            // A target without votes has no least or greatest one.
            if slot.is_infinite() && *slot == start {
                *slot = 0.0;
            }
            *slot += self.base.get(i).copied().unwrap_or(0.0);
        }
        Ok(())
    }

    /// Scores of all rows.
    fn scores(&self, call: &Call<'_, '_>, rows: &Rows) -> Result<Vec<f64>, KernelError> {
        if self.features > rows.width {
            let (have, want) = (rows.width, self.features);
            return Err(KernelError::shape(format!("{have} features where {want} are needed")));
        }
        let mut all = vec![0.0; call.temp(DType::F64, &[rows.count, self.targets])?.len()];
        const RUN: usize = 64;
        let failed = std::sync::Mutex::new(Ok(()));
        call.threads.for_chunks_mut(&mut all, RUN * self.targets.max(1), |chunk, out| {
            for (r, out) in out.chunks_exact_mut(self.targets.max(1)).enumerate() {
                if let Err(e) = self.score(rows.row(chunk * RUN + r), out) {
                    *failed.lock().unwrap_or_else(|p| p.into_inner()) = Err(e);
                }
            }
        });
        failed.into_inner().unwrap_or_else(|p| p.into_inner())?;
        Ok(all)
    }
}

/// TreeEnsemble: inner nodes and leaves in lists of their own.
pub(super) fn ensemble(op: &Op) -> Result<Ensemble, KernelError> {
    let tensor = |name: &'static str| match op.attrs.get(name) {
        Some(Attr::Tensor(literal)) => numbers(literal, name),
        _ => Ok(Vec::new()),
    };
    let features = indices(op, "nodes_featureids")?;
    let n = features.len();
    let modes = exactly(tensor("nodes_modes")?, n, "nodes_modes")?;
    let splits = exactly(tensor("nodes_splits")?, n, "nodes_splits")?;
    let list = |name| exactly(indices(op, name)?, n, name);
    let (true_ids, false_ids) = (list("nodes_truenodeids")?, list("nodes_falsenodeids")?);
    let (true_leafs, false_leafs) = (list("nodes_trueleafs")?, list("nodes_falseleafs")?);
    let missing = op.ints("nodes_missing_value_tracks_true").unwrap_or_default();
    let next = |leaf: usize, id: usize| if leaf != 0 { Next::Leaf(id) } else { Next::Node(id) };
    let mut nodes = Vec::with_capacity(n);
    for i in 0..n {
        let mode = MODES
            .get(modes[i] as usize)
            .ok_or_else(|| bad("nodes_modes", format!("{}", modes[i])))?
            .1;
        nodes.push(Node {
            feature: features[i],
            mode,
            split: splits[i],
            members: Vec::new(),
            missing_is_true: missing.get(i).is_some_and(|&v| v != 0),
            on_true: next(true_leafs[i], true_ids[i]),
            on_false: next(false_leafs[i], false_ids[i]),
        });
    }
    // Sets of members, each ended by a NaN, in the order of the nodes that test them.
    let members = tensor("membership_values")?;
    let mut sets = members.split(|v| v.is_nan());
    for node in nodes.iter_mut().filter(|n| n.mode == Mode::Member) {
        let set = sets.next().ok_or_else(|| bad("membership_values", "has too few sets"))?;
        node.members = set.to_vec();
    }
    let weights = tensor("leaf_weights")?;
    let targets = exactly(indices(op, "leaf_targetids")?, weights.len(), "leaf_targetids")?;
    let count = op.int("n_targets").map_or(Ok(1), |t| {
        usize::try_from(t).map_err(|_| bad("n_targets", format!("{t} is negative")))
    })?;
    let aggregate = match op.int("aggregate_function") {
        Some(0) => Aggregate::Average,
        Some(1) | None => Aggregate::Sum,
        Some(2) => Aggregate::Min,
        Some(3) => Aggregate::Max,
        Some(other) => return Err(bad("aggregate_function", format!("no function {other}"))),
    };
    Ensemble {
        features: features.iter().max().map_or(0, |f| f.saturating_add(1)),
        nodes,
        leaves: targets.into_iter().zip(weights).map(|vote| vec![vote]).collect(),
        roots: indices(op, "tree_roots")?.into_iter().map(Next::Node).collect(),
        targets: count,
        aggregate,
        base: Vec::new(),
        post: Post::new(op)?,
        single: None,
        positive: false,
    }
    .checked()
}

/// Trees with nodes and leaves in one list, named by tree and node; votes as `prefix`_ids, _nodeids, _treeids, _weights.
fn listed(
    op: &Op,
    votes: [&'static str; 5],
    targets: usize,
    aggregate: Aggregate,
) -> Result<Ensemble, KernelError> {
    let [ids, vote_nodes, vote_trees, weights, weights_tensor] = votes;
    let ints = |name| op.ints(name).unwrap_or_default().to_vec();
    let modes = op.strs("nodes_modes").unwrap_or_default();
    let n = modes.len();
    let list = |name| exactly(ints(name), n, name);
    let (trees, node_ids) = (list("nodes_treeids")?, list("nodes_nodeids")?);
    let (true_ids, false_ids) = (list("nodes_truenodeids")?, list("nodes_falsenodeids")?);
    let features = exactly(indices(op, "nodes_featureids")?, n, "nodes_featureids")?;
    let splits =
        exactly(list_or_tensor(op, "nodes_values", "nodes_values_as_tensor")?, n, "nodes_values")?;
    let missing = op.ints("nodes_missing_value_tracks_true").unwrap_or_default();
    let leaf = |i: usize| modes[i] == "LEAF";
    // Leaves are numbered apart from inner nodes.
    let (mut inner, mut leaves) = (0, 0);
    let mut at: HashMap<(i64, i64), Next> = HashMap::new();
    let mut roots: Vec<(i64, Next)> = Vec::new();
    for i in 0..n {
        let next = if leaf(i) { Next::Leaf(leaves) } else { Next::Node(inner) };
        if leaf(i) {
            leaves += 1
        } else {
            inner += 1
        }
        at.insert((trees[i], node_ids[i]), next);
        roots.push((trees[i], next));
    }
    // The first node of a tree is its root.
    roots.sort_by_key(|&(tree, _)| tree);
    roots.dedup_by_key(|&mut (tree, _)| tree);
    let find = |tree: i64, node: i64| {
        at.get(&(tree, node))
            .copied()
            .ok_or_else(|| KernelError::domain(format!("tree {tree} has no node {node}")))
    };
    let mut nodes = Vec::with_capacity(inner);
    for i in (0..n).filter(|&i| !leaf(i)) {
        let mode = MODES.iter().find(|(name, _)| *name == modes[i] && *name != "BRANCH_MEMBER");
        nodes.push(Node {
            feature: features[i],
            mode: mode.ok_or_else(|| bad("nodes_modes", format!("unknown: {}", modes[i])))?.1,
            split: splits[i],
            members: Vec::new(),
            missing_is_true: missing.get(i).is_some_and(|&v| v != 0),
            on_true: find(trees[i], true_ids[i])?,
            on_false: find(trees[i], false_ids[i])?,
        });
    }
    let mut votes = vec![Vec::new(); leaves];
    let targets_of = indices(op, ids)?;
    let count = targets_of.len();
    let weights = exactly(list_or_tensor(op, weights, weights_tensor)?, count, weights)?;
    let (vote_nodes, vote_trees) = (
        exactly(ints(vote_nodes), count, vote_nodes)?,
        exactly(ints(vote_trees), count, vote_trees)?,
    );
    for i in 0..count {
        match find(vote_trees[i], vote_nodes[i])? {
            // With one target, ONNX Runtime keeps a leaf's first vote. Exporters rely on it: they write the same vote once
            // for each class.
            Next::Leaf(leaf) if (targets, targets_of[i]) == (1, 0) && !votes[leaf].is_empty() => {}
            Next::Leaf(leaf) => votes[leaf].push((targets_of[i], weights[i])),
            Next::Node(_) => {
                return Err(KernelError::domain(format!(
                    "node {} votes but is no leaf",
                    vote_nodes[i]
                )));
            }
        }
    }
    let first = targets_of.first().copied();
    Ensemble {
        features: nodes.iter().map(|n| n.feature.saturating_add(1)).max().unwrap_or(0),
        nodes,
        leaves: votes,
        roots: roots.into_iter().map(|(_, next)| next).collect(),
        targets,
        aggregate,
        base: list_or_tensor(op, "base_values", "base_values_as_tensor")?,
        post: Post::new(op)?,
        single: first.filter(|f| targets_of.iter().all(|t| t == f)),
        positive: weights.iter().all(|&w| w >= 0.0),
    }
    .checked()
}

/// TreeEnsembleRegressor.
pub(super) fn regressor(op: &Op) -> Result<Ensemble, KernelError> {
    let aggregate = match op.str("aggregate_function") {
        Some("SUM") | None => Aggregate::Sum,
        Some("AVERAGE") => Aggregate::Average,
        Some("MIN") => Aggregate::Min,
        Some("MAX") => Aggregate::Max,
        Some(other) => return Err(bad("aggregate_function", format!("unknown: {other}"))),
    };
    let targets = op.int("n_targets").unwrap_or(1);
    let targets = usize::try_from(targets).map_err(|_| bad("n_targets", format!("{targets}")))?;
    let votes = [
        "target_ids",
        "target_nodeids",
        "target_treeids",
        "target_weights",
        "target_weights_as_tensor",
    ];
    listed(op, votes, targets, aggregate)
}

/// TreeEnsembleClassifier.
pub(super) fn classifier(op: &Op) -> Result<Ensemble, KernelError> {
    let votes =
        ["class_ids", "class_nodeids", "class_treeids", "class_weights", "class_weights_as_tensor"];
    let classes = Labels::new(op, "classlabels_int64s").len();
    let mut model = listed(op, votes, classes, Aggregate::Sum)?;
    // Votes for one of at most two classes are a score of the positive one.
    model.single = model.single.filter(|_| classes <= 2);
    Ok(model)
}

/// Runs a regression.
pub(super) fn run(model: &Ensemble, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, rows) = (call.tensor(0)?, Rows::new(call)?);
    let mut all = model.scores(call, &rows)?;
    all.chunks_exact_mut(model.targets.max(1)).for_each(|row| model.post.apply(row));
    let dtype = if x.dtype().is_float() && call.op.kind == trident_ir::OpKind::TreeEnsemble {
        x.dtype()
    } else {
        DType::F32
    };
    produce::<f64>(call, 0, dtype, &[rows.count, model.targets], |out| {
        out.copy_from_slice(&all);
        Ok(())
    })
}

/// Runs a classification. The standard leaves open what votes for only one of two classes mean. As ONNX Runtime has it,
/// those for the first are the score of the second, whose complement the first gets; those for the second leave the
/// first without a score, and it wins unless the votes exceed a half, or zero where some are negative.
pub(super) fn classify(model: &Ensemble, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let rows = Rows::new(call)?;
    let labels = Labels::new(call.op, "classlabels_int64s");
    let mut all = model.scores(call, &rows)?;
    if let Some(class) = model.single.filter(|&class| class == 0) {
        let share = model.positive && matches!(model.post, Post::None | Post::Probit);
        let other = |s: f64| if share { 1.0 - s } else { -s };
        let scores = all.chunks_exact(model.targets.max(1)).map(|row| row[class]);
        all = scores.flat_map(|s| [other(s), s]).collect();
    }
    let width = all.len() / rows.count.max(1);
    let threshold = if model.positive { 0.5 } else { 0.0 };
    let picked: Vec<_> = all
        .chunks_exact_mut(width.max(1))
        .map(|row| {
            let second = row.get(1).is_some_and(|&score| score > threshold);
            model.post.apply(row);
            match (labels.len(), model.single) {
                // With a single label the other class has none.
                (1, _) => (best(row) == 1).then_some(0),
                (_, Some(1)) => Some(usize::from(second)),
                _ => Some(best(row)),
            }
        })
        .collect();
    finish(call, &labels, &picked, &all)
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, Literal, OpKind};

    fn ints(v: &[i64]) -> Attr {
        Attr::Ints(v.to_vec())
    }

    /// Two trees: x₀ ≤ 1 ? a : b, and x₁ > 2 (missing counts) ? c : d.
    fn stumps() -> Vec<(&'static str, Attr)> {
        let modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"];
        vec![
            ("nodes_treeids", ints(&[0, 0, 0, 1, 1, 1])),
            ("nodes_nodeids", ints(&[0, 1, 2, 0, 1, 2])),
            ("nodes_featureids", ints(&[0, 0, 0, 1, 0, 0])),
            ("nodes_values", Attr::Floats(vec![1.0, 0.0, 0.0, 2.0, 0.0, 0.0])),
            ("nodes_modes", Attr::Strs(modes.map(String::from).to_vec())),
            ("nodes_truenodeids", ints(&[1, 0, 0, 1, 0, 0])),
            ("nodes_falsenodeids", ints(&[2, 0, 0, 2, 0, 0])),
            ("nodes_missing_value_tracks_true", ints(&[0, 0, 0, 1, 0, 0])),
        ]
    }

    fn votes(p: [&'static str; 4], targets: &[i64]) -> Vec<(&'static str, Attr)> {
        vec![
            (p[0], ints(targets)),
            (p[1], ints(&[1, 2, 1, 2])),
            (p[2], ints(&[0, 0, 1, 1])),
            (p[3], Attr::Floats(vec![0.25, 0.5, 0.125, 0.375])),
        ]
    }

    #[test]
    fn regression_and_classification() {
        let x = || tensor(&[3, 2], &[1.0f32, 3.0, 2.0, 0.0, f32::NAN, f32::NAN]);
        let names = ["target_ids", "target_nodeids", "target_treeids", "target_weights"];
        let go = |aggregate: &str| {
            let more = vec![
                ("aggregate_function", Attr::Str(aggregate.into())),
                ("n_targets", Attr::Int(1)),
            ];
            let attrs = [stumps(), votes(names, &[0; 4]), more].concat();
            elements::<f32>(&run(OpKind::TreeEnsembleRegressor, &attrs, vec![x()]).unwrap())
        };
        assert_eq!(go("SUM"), [0.375, 0.875, 0.625]);
        assert_eq!(go("AVERAGE"), [0.1875, 0.4375, 0.3125]);
        assert_eq!(go("MIN"), [0.125, 0.375, 0.125]);
        let names = ["class_ids", "class_nodeids", "class_treeids", "class_weights"];
        let labels = vec![("classlabels_int64s", ints(&[3, 4]))];
        let attrs = [stumps(), votes(names, &[0, 1, 1, 0]), labels.clone()].concat();
        let y = run_on(2, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x())], 2).unwrap();
        assert_eq!(elements::<f32>(&y[1]), [0.25, 0.125, 0.375, 0.5, 0.0, 0.625]);
        assert_eq!(elements::<i64>(&y[0]), [3, 4, 4]);
        let attrs = [stumps(), votes(names, &[0; 4]), labels].concat();
        let y = run_on(1, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x())], 2).unwrap();
        assert_eq!(elements::<f32>(&y[1]), [0.625, 0.375, 0.125, 0.875, 0.375, 0.625]);
        assert_eq!(elements::<i64>(&y[0]), [3, 4, 4]);
        let labels = vec![("classlabels_int64s", ints(&[3, 4]))];
        let attrs = [stumps(), votes(names, &[1; 4]), labels].concat();
        let y = run_on(1, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x())], 2).unwrap();
        assert_eq!(elements::<f32>(&y[1]), [0.0, 0.375, 0.0, 0.875, 0.0, 0.625]);
        assert_eq!(elements::<i64>(&y[0]), [3, 4, 4]);
    }

    #[test]
    fn with_one_target_a_leaf_keeps_its_first_vote() {
        let x = || tensor(&[2, 2], &[1.0f32, 3.0, 2.0, 0.0]);
        let go = |ids: [i64; 5], targets, aggregate: &str| {
            let votes = vec![
                ("target_ids", ints(&ids)),
                ("target_nodeids", ints(&[1, 1, 2, 1, 2])),
                ("target_treeids", ints(&[0, 0, 0, 1, 1])),
                ("target_weights", Attr::Floats(vec![2.0, 1.0, 4.0, 8.0, 16.0])),
                ("n_targets", Attr::Int(targets)),
                ("aggregate_function", Attr::Str(aggregate.into())),
            ];
            let attrs = [stumps(), votes].concat();
            run(OpKind::TreeEnsembleRegressor, &attrs, vec![x()]).map(|y| elements::<f32>(&y))
        };
        assert_eq!(go([0; 5], 1, "SUM").unwrap(), [10.0, 20.0]);
        assert_eq!(go([0; 5], 1, "AVERAGE").unwrap(), [5.0, 10.0]);
        assert_eq!(go([0; 5], 1, "MIN").unwrap(), [2.0, 4.0]);
        // With several targets, votes for the same one add up, as in all others.
        assert_eq!(go([0; 5], 2, "SUM").unwrap(), [11.0, 0.0, 20.0, 0.0]);
        assert_eq!(go([1, 1, 0, 0, 0], 2, "SUM").unwrap(), [8.0, 3.0, 20.0, 0.0]);
        assert!(go([0, 1, 0, 0, 0], 1, "SUM").is_err());
    }

    #[test]
    fn cycles_and_bad_references_are_errors() {
        let model = |on_true: i64| {
            vec![
                ("nodes_featureids", ints(&[0])),
                ("nodes_modes", Attr::Tensor(Literal::vector(&[6u8]))),
                ("nodes_splits", Attr::Tensor(Literal::vector(&[0.0f32]))),
                ("membership_values", Attr::Tensor(Literal::vector(&[1.0f32, 2.0, f32::NAN]))),
                ("nodes_truenodeids", ints(&[on_true])),
                ("nodes_falsenodeids", ints(&[0])),
                ("nodes_trueleafs", ints(&[0])),
                ("nodes_falseleafs", ints(&[1])),
                ("leaf_targetids", ints(&[1])),
                ("leaf_weights", Attr::Tensor(Literal::vector(&[5.0f32]))),
                ("tree_roots", ints(&[0])),
                ("n_targets", Attr::Int(2)),
            ]
        };
        let go = |on_true, x: f32| {
            run(OpKind::TreeEnsemble, &model(on_true), vec![tensor(&[1, 1], &[x])])
        };
        assert_eq!(elements::<f32>(&go(0, 3.0).unwrap()), [0.0, 5.0]);
        assert!(go(0, 2.0).is_err() && go(1, 3.0).is_err() && go(-1, 3.0).is_err());
    }
}
