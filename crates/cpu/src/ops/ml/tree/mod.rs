//! Ensembles of decision trees, in the forms of all versions of the standard.

mod listed;
mod separate;
#[cfg(test)]
mod tests;

use super::Rows;
use super::classes::{Labels, best, finish, transform};
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::produce;
use trident_ir::op::words::{NodeMode, PostTransform, TreeAggregate};
use trident_ir::ops::{TreeEnsemble, TreeEnsembleClassifier, TreeEnsembleRegressor};
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Next {
    Node(usize),
    Leaf(usize),
}

struct Node {
    feature: usize,
    mode: NodeMode,
    split: f64,
    members: Vec<f64>,
    missing_is_true: bool,
    on_true: Next,
    on_false: Next,
}

/// Trees whose leaves vote for targets with weights.
struct Ensemble {
    nodes: Vec<Node>,
    leaves: Vec<Vec<(usize, f64)>>,
    roots: Vec<Next>,
    features: usize,
    targets: usize,
    aggregate: TreeAggregate,
    base: Vec<f64>,
    post: PostTransform,
    /// Classifier: the one class of two that all votes go to, and whether no vote is negative.
    single: Option<usize>,
    positive: bool,
}

fn bad(name: &'static str, reason: impl Into<String>) -> KernelError {
    KernelError::attr(name, reason)
}

/// A list of indices.
fn indices(list: &[i64], name: &'static str) -> Result<Vec<usize>, KernelError> {
    list.iter().map(|&v| super::count(v, name)).collect()
}

/// A list that must have `n` elements.
fn exactly<T>(list: Vec<T>, n: usize, name: &'static str) -> Result<Vec<T>, KernelError> {
    if list.len() == n { Ok(list) } else { Err(bad(name, format!("{} for {n}", list.len()))) }
}

impl Ensemble {
    fn bytes(&self) -> usize {
        let Ensemble { nodes, leaves, roots, base, .. } = self;
        let members: usize = nodes.iter().map(|node| size_of_val(node.members.as_slice())).sum();
        let votes: usize = leaves.iter().map(|votes| size_of_val(votes.as_slice())).sum();
        let lists = size_of_val(nodes.as_slice()) + size_of_val(leaves.as_slice());
        lists + members + votes + size_of_val(roots.as_slice()) + size_of_val(base.as_slice())
    }

    /// Checks that every reference is valid, and that there are no cycles: a walk takes at most as many steps as there
    /// are nodes, which [`Ensemble::walk`] counts.
    fn checked(self) -> Result<Ensemble, KernelError> {
        let inside = |next: &Next| match *next {
            Next::Node(i) => i < self.nodes.len(),
            Next::Leaf(i) => i < self.leaves.len(),
        };
        let ends = self.nodes.iter().flat_map(|n| [&n.on_true, &n.on_false]).chain(&self.roots);
        if let Some(next) = ends.into_iter().find(|n| !inside(n)) {
            return Err(KernelError::domain(format!(
                "a tree refers to {next:?}, which does not exist"
            )));
        }
        let votes = self.leaves.iter().flatten();
        if let Some((target, _)) = votes.into_iter().find(|(t, _)| *t >= self.targets) {
            return Err(KernelError::domain(format!(
                "a leaf votes for target {target}, and there are {}",
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
                NodeMode::Leq => x <= node.split,
                NodeMode::Lt => x < node.split,
                NodeMode::Gte => x >= node.split,
                NodeMode::Gt => x > node.split,
                NodeMode::Eq => x == node.split,
                NodeMode::Neq => x != node.split,
                NodeMode::Member => node.members.contains(&x),
            };
            let holds = holds || x.is_nan() && node.missing_is_true;
            next = if holds { node.on_true } else { node.on_false };
        }
        Err(KernelError::domain("a tree has a cycle"))
    }

    /// Aggregated votes for each target.
    fn score(&self, row: &[f64], out: &mut [f64]) -> Result<(), KernelError> {
        let start = match self.aggregate {
            TreeAggregate::Min => f64::INFINITY,
            TreeAggregate::Max => f64::NEG_INFINITY,
            _ => 0.0,
        };
        out.fill(start);
        for &root in &self.roots {
            for &(target, weight) in &self.leaves[self.walk(root, row)?] {
                let slot = &mut out[target];
                *slot = match self.aggregate {
                    TreeAggregate::Sum | TreeAggregate::Average => *slot + weight,
                    TreeAggregate::Min => slot.min(weight),
                    TreeAggregate::Max => slot.max(weight),
                };
            }
        }
        for (i, slot) in out.iter_mut().enumerate() {
            if self.aggregate == TreeAggregate::Average {
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
            return Err(KernelError::shape(format!(
                "the input has {have} features, expected {want}"
            )));
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

    /// Sets labels and scores.
    fn classify(&self, call: &mut Call<'_, '_>, labels: &Labels) -> Result<(), KernelError> {
        let rows = Rows::of(&call.tensor(TreeEnsembleClassifier::AT.x)?)?;
        let mut all = self.scores(call, &rows)?;
        if let Some(class) = self.single.filter(|&class| class == 0) {
            let share =
                self.positive && matches!(self.post, PostTransform::None | PostTransform::Probit);
            let other = |s: f64| if share { 1.0 - s } else { -s };
            let scores = all.chunks_exact(self.targets.max(1)).map(|row| row[class]);
            all = scores.flat_map(|s| [other(s), s]).collect();
        }
        let width = all.len() / rows.count.max(1);
        let threshold = if self.positive { 0.5 } else { 0.0 };
        let picked: Vec<_> = all
            .chunks_exact_mut(width.max(1))
            .map(|row| {
                let second = row.get(1).is_some_and(|&score| score > threshold);
                transform(self.post, row);
                match (labels.len(), self.single) {
                    // With a single label the other class has none.
                    (1, _) => (best(row) == 1).then_some(0),
                    (_, Some(1)) => Some(usize::from(second)),
                    _ => Some(best(row)),
                }
            })
            .collect();
        finish(call, labels, &picked, &all)
    }
}

/// TreeEnsemble: scores in the type of the features, if that is a float.
pub(super) fn ensemble(cx: &Compile<'_>) -> Made {
    let model = separate::read(cx.view(TreeEnsemble::of)?).map_err(|e| cx.refused(e))?;
    regression(cx, model, |features| if features.is_float() { features } else { DType::F32 })
}

/// TreeEnsembleRegressor.
pub(super) fn regressor(cx: &Compile<'_>) -> Made {
    let model = listed::regressor(cx.view(TreeEnsembleRegressor::of)?);
    regression(cx, model.map_err(|e| cx.refused(e))?, |_| DType::F32)
}

/// A kernel that computes scores, in the type that `dtype` gives for the features' type.
fn regression(cx: &Compile<'_>, model: Ensemble, dtype: fn(DType) -> DType) -> Made {
    let at = TreeEnsemble::AT;
    Prepared::holding(cx, model.bytes(), move |call| {
        let x = call.tensor(at.x)?;
        let rows = Rows::of(&x)?;
        let mut all = model.scores(call, &rows)?;
        all.chunks_exact_mut(model.targets.max(1)).for_each(|row| transform(model.post, row));
        produce::<f64>(call, at.y, dtype(x.dtype()), &[rows.count, model.targets], |out| {
            out.copy_from_slice(&all);
            Ok(())
        })
    })
}

/// TreeEnsembleClassifier. The standard does not define votes for only one of two classes. As in ONNX Runtime, votes
/// for the first class are the score of the second, and the first gets the complement. Votes for the second class leave
/// the first without a score, and the first wins unless the votes exceed a half, or zero if some votes are negative.
pub(super) fn classifier(cx: &Compile<'_>) -> Made {
    let op = cx.view(TreeEnsembleClassifier::of)?;
    let labels = Labels::new(op.classlabels_strings(), op.classlabels_int64s());
    let model = listed::classifier(op, labels.len()).map_err(|e| cx.refused(e))?;
    let bytes = model.bytes() + labels.bytes();
    Prepared::holding(cx, bytes, move |call| model.classify(call, &labels))
}
